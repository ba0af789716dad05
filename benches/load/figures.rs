//! Times and what they come to.

use std::{
    future::Future,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// What became of some requests.
#[derive(Clone, Default)]
pub(crate) struct Figures(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    times: Vec<Duration>,
    errors: usize,
}

impl Figures {
    /// Notes a request's time, or that it failed.
    pub(crate) fn note(&self, time: Option<Duration>) {
        let mut inner = self.0.lock().expect("no panic while it is held");
        match time {
            Some(time) => inner.times.push(time),
            None => inner.errors += 1,
        }
    }

    /// Prints the percentiles.
    pub(crate) fn print(&self, name: &str) {
        let mut inner = self.0.lock().expect("no panic while it is held");
        inner.times.sort_unstable();
        let (count, errors) = (inner.times.len(), inner.errors);
        if count == 0 {
            println!("{name}: none answered, {errors} errors");
            return;
        }
        let at =
            |share: f64| inner.times[((count - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
        println!(
            "{name}: p50 {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms, max {:.2} ms of {count}, {errors} errors",
            at(0.5),
            at(0.99),
            at(0.999),
            at(1.0)
        );
    }
}

/// Sends requests at a fixed rate until there are no more. `make` gets each one's number and the time at which it is due,
/// and returns what to do.
pub(crate) async fn at_rate<F>(rate: u32, count: usize, mut make: impl FnMut(usize, Instant) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let begun = Instant::now();
    let mut sent = Vec::with_capacity(count);
    for number in 0..count {
        let due = begun + Duration::from_secs(1) * number as u32 / rate;
        // The runtime's clock has whole milliseconds: what it is late by counts.
        tokio::time::sleep_until(due.into()).await;
        sent.push(tokio::spawn(make(number, due)));
    }
    for sent in sent {
        sent.await.expect("no panic");
    }
    let (took, expect) = (
        begun.elapsed(),
        Duration::from_secs(1) * count as u32 / rate,
    );
    println!("  sent {count} in {took:.1?}, planned {expect:.1?}");
}
