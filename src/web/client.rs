//! Who asks, and how often: one client must not take the service away from all others.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
};

use axum::{
    extract::{ConnectInfo, Request},
    http::HeaderName,
};
use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};

/// After how many requests clients that have been quiet are forgotten.
const SWEEP: u32 = 4096;

/// Most clients that are told apart. Beyond it, new ones share one allowance, so that memory stays bounded.
const MOST_CLIENTS: usize = 100_000;

/// How often each client has asked.
pub struct Clients {
    limiter: Option<DefaultKeyedRateLimiter<IpAddr>>,
    /// Where a trusted proxy writes the client's address.
    header: Option<HeaderName>,
    asked: AtomicU32,
    clock: DefaultClock,
}

impl Clients {
    /// Allows each client so many requests in a minute; 0 sets no limit.
    pub fn new(per_minute: u32, header: Option<HeaderName>) -> Self {
        let quota = NonZeroU32::new(per_minute).map(Quota::per_minute);
        Self {
            limiter: quota.map(RateLimiter::keyed),
            header,
            asked: AtomicU32::new(0),
            clock: DefaultClock::default(),
        }
    }

    /// Counts a request, or returns after how many seconds the next one is welcome.
    pub(super) fn admit(&self, client: &IpAddr) -> Result<(), u64> {
        let Some(limiter) = &self.limiter else {
            return Ok(());
        };
        if self.asked.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            limiter.retain_recent();
        }
        let crowd = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
        let crowded = limiter.len() >= MOST_CLIENTS;
        let key = if crowded { &crowd } else { client };
        limiter.check_key(key).map_err(|until| {
            let wait = until.wait_time_from(self.clock.now());
            wait.as_secs() + 1
        })
    }
}

/// Returns the address that a request counts for: the peer's, or the one that the trusted proxy saw.
pub(super) fn address(clients: &Clients, request: &Request) -> IpAddr {
    let seen_by_proxy = clients.header.as_ref().and_then(|header| {
        // Proxies append: only the last address comes from the one that is trusted.
        let last = request.headers().get_all(header).iter().next_back()?;
        let last = last.to_str().ok()?.rsplit(',').next()?.trim();
        let with_port = last.parse().map(|address: SocketAddr| address.ip());
        last.parse().ok().or(with_port.ok())
    });
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|ConnectInfo(address)| address.ip());
    let address = seen_by_proxy.or(peer);
    network(address.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED)))
}

/// Returns what stands for a client: an IPv4 address, or the /64 network that an IPv6 client may move in.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn request(peer: &str, forwarded: &[&str]) -> Request {
        let mut builder = Request::builder();
        for value in forwarded {
            builder = builder.header("x-forwarded-for", *value);
        }
        let mut request = builder.body(Body::empty()).unwrap();
        let peer: SocketAddr = peer.parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    }

    #[test]
    fn only_a_trusted_proxy_may_say_who_asks() {
        let trusting = Clients::new(0, Some(HeaderName::from_static("x-forwarded-for")));
        let strict = Clients::new(0, None);
        for (clients, forwarded, expect) in [
            (&strict, &["192.0.2.1"][..], "10.0.0.1"),
            (&trusting, &["192.0.2.1"], "192.0.2.1"),
            (&trusting, &["6.6.6.6, 192.0.2.1"], "192.0.2.1"),
            (&trusting, &["6.6.6.6", "192.0.2.1:4711"], "192.0.2.1"),
            (&trusting, &["2001:db8:1:2:3::4"], "2001:db8:1:2::"),
            (&trusting, &["::ffff:192.0.2.1"], "192.0.2.1"),
            (&trusting, &["nonsense"], "10.0.0.1"),
            (&trusting, &[], "10.0.0.1"),
        ] {
            let found = address(clients, &request("10.0.0.1:80", forwarded));
            assert_eq!(found.to_string(), expect, "{forwarded:?}");
        }
    }

    #[test]
    fn each_client_has_its_own_allowance() {
        let clients = Clients::new(2, None);
        let (one, other): (IpAddr, IpAddr) = ([1, 1, 1, 1].into(), [2, 2, 2, 2].into());
        assert!(clients.admit(&one).is_ok() && clients.admit(&one).is_ok());
        assert!(
            clients
                .admit(&one)
                .is_err_and(|wait| (1..=31).contains(&wait))
        );
        assert!(clients.admit(&other).is_ok());
        let unlimited = Clients::new(0, None);
        assert!((0..1000).all(|_| unlimited.admit(&one).is_ok()));
    }
}
