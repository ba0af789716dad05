//! The two ways to reach the server: Streamable HTTP, and standard input and output.

use std::{io, sync::Arc, time::Duration};

use http::{HeaderName, Method};
use rmcp::{
    ServiceExt,
    transport::{
        async_rw::AsyncRwTransport,
        stdio_pipes,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
        },
    },
};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use super::Server;

/// Largest message. The longest text that is looked up fits, even with every character escaped.
const MESSAGE_LIMIT_BYTES: usize = 256 * 1024;

/// How long a browser may remember that it may ask.
const PREFLIGHT: Duration = Duration::from_hours(1);

/// Who may reach the server over HTTP.
#[derive(Clone, Debug)]
pub struct HttpRules {
    /// Names under which the server is reached, as the `Host` header has them; none for any. A page that points its own name
    /// at a local address (DNS rebinding) does not get in.
    pub hosts: Vec<String>,
    /// Origins whose pages may call it, with port or `:*`. Programs other than browsers send none and are not asked.
    pub origins: Vec<String>,
}

/// Makes the service that answers `POST /mcp`. It keeps no sessions, so that any replica can answer any request.
pub fn http(
    server: Server,
    rules: HttpRules,
) -> StreamableHttpService<Server, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MESSAGE_LIMIT_BYTES)
        .with_allowed_hosts(rules.hosts)
        .with_allowed_origins(rules.origins)
        .enforce_origin_validation();
    let sessions = Arc::new(NeverSessionManager::default());
    StreamableHttpService::new(move || Ok(server.clone()), sessions, config)
}

/// Lets pages of allowed origins read the answers.
///
/// It mirrors any origin, because the service itself refuses those that
/// [`HttpRules::origins`] leaves out, and its answers hold nothing that belongs to the asking browser.
pub fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::POST])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([HeaderName::from_static("mcp-protocol-version")])
        .max_age(PREFLIGHT)
}

/// Serves one client on standard input and output until it leaves.
///
/// # Errors
/// When the client breaks off before it introduced itself, or its task fails.
pub async fn stdio(server: Server) -> io::Result<()> {
    let (input, output) = stdio_pipes();
    let transport =
        AsyncRwTransport::new_server(input, output).with_max_line_length(MESSAGE_LIMIT_BYTES);
    let running = server.serve(transport).await.map_err(io::Error::other)?;
    running.waiting().await.map_err(io::Error::other)?;
    Ok(())
}
