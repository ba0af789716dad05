//! Configuration: flags and environment variables, one doc line each, which is also the table in the README.

use std::{
    fmt::Write,
    net::{Ipv6Addr, SocketAddr},
    path::PathBuf,
};

use clap::{Args, Command, builder::NonEmptyStringValueParser, builder::TypedValueParser};
use http::HeaderName;
use secrecy::SecretString;
use url::Url;

use crate::{
    corpus::Lang,
    slack::{
        ChannelId,
        manifest::Feature,
        pattern::{DEFAULT_PATTERNS, Pattern},
    },
};

/// Everything that `serve` can be told.
#[derive(Args, Clone, Debug)]
pub struct ServeConfig {
    /// Where to listen.
    #[command(flatten)]
    pub http: HttpConfig,
    /// Whose agents may ask.
    #[command(flatten)]
    pub mcp: McpConfig,
    /// What to search.
    #[command(flatten)]
    pub corpus: CorpusConfig,
    /// How to talk with Slack.
    #[command(flatten)]
    pub slack: SlackConfig,
    /// When to speak.
    #[command(flatten)]
    pub behaviour: BehaviourConfig,
    /// What to remember where.
    #[command(flatten)]
    pub store: StoreConfig,
    /// What to log.
    #[command(flatten)]
    pub log: LogConfig,
}

/// Where to listen.
#[derive(Args, Clone, Debug)]
pub struct HttpConfig {
    /// Address and port to listen on; in a container use `0.0.0.0:8080`
    #[arg(long, env = "INCIDENT_LIKE_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Serve the JSON API and the library's pages (`true` or `false`). Whoever reaches the address can read them, so they are off when `--corpus` adds cases of your own, unless you say otherwise
    #[arg(long, value_name = "BOOL", env = "INCIDENT_LIKE_API")]
    pub api: Option<bool>,
    /// Where people reach this service in a browser (`https://incidents.example.com`): where `--api` is on, answers in Slack link to the pages of cases, and such links are previewed; with `--client-id`, workspaces install the app at `/slack/install` there
    #[arg(long, value_name = "URL", env = "INCIDENT_LIKE_PUBLIC_URL", value_parser = public_url)]
    pub public_url: Option<Url>,
    /// Most requests to the JSON API and the pages that one client may make in a minute; `0` sets no limit
    #[arg(
        long,
        value_name = "COUNT",
        env = "INCIDENT_LIKE_API_RATE",
        default_value = "1200"
    )]
    pub api_rate: u32,
    /// Header in which your proxy writes the client's address, such as `X-Forwarded-For`; name it only if every request comes through that proxy, for anybody can send a header
    #[arg(long, value_name = "HEADER", env = "INCIDENT_LIKE_CLIENT_HEADER")]
    pub client_header: Option<HeaderName>,
}

/// Whose agents may ask. The MCP server is at `/mcp`, wherever the JSON API is served.
#[derive(Args, Clone, Debug)]
pub struct McpConfig {
    /// Names under which agents reach `/mcp`, with or without port; other `Host` headers are refused. Add your own name to those of this machine, or give `*` for any
    #[arg(
        long = "mcp-hosts",
        value_name = "HOSTS",
        env = "INCIDENT_LIKE_MCP_HOSTS",
        value_delimiter = ',',
        default_value = "localhost,127.0.0.1,::1",
        value_parser = host
    )]
    pub hosts: Vec<String>,
    /// Origins of web pages that may call `/mcp`, such as `https://chat.example.com`, with port or `:*` for any; agents that are not pages send none
    #[arg(
        long = "mcp-origins",
        value_name = "ORIGINS",
        env = "INCIDENT_LIKE_MCP_ORIGINS",
        value_delimiter = ',',
        default_value = "http://localhost:*,http://127.0.0.1:*,http://[::1]:*",
        value_parser = origin
    )]
    pub origins: Vec<String>,
}

impl McpConfig {
    /// Returns the names that are allowed; none when any is.
    pub fn hosts(&self) -> Vec<String> {
        if self.hosts.iter().any(|host| host == "*") {
            return Vec::new();
        }
        self.hosts.clone()
    }
}

/// What to search.
#[derive(Args, Clone, Debug)]
pub struct CorpusConfig {
    /// Folder with more cases, added to the bundled ones or replacing them by id; repeat the flag for more folders
    #[arg(
        long = "corpus",
        value_name = "DIR",
        env = "INCIDENT_LIKE_CORPUS",
        value_delimiter = ','
    )]
    pub folders: Vec<PathBuf>,
}

/// How to talk with Slack.
#[derive(Args, Clone, Debug)]
pub struct SlackConfig {
    /// Signing secret of the Slack app (Basic Information → App Credentials); needed unless there is an app token
    #[arg(long, value_name = "SECRET", env = "SLACK_SIGNING_SECRET", hide_env_values = true, value_parser = secret(), required_unless_present = "app_token")]
    pub signing_secret: Option<SecretString>,
    /// The secret before that one, still accepted while a new one is rolled out
    #[arg(long, value_name = "SECRET", env = "SLACK_SIGNING_SECRET_PREVIOUS", hide_env_values = true, value_parser = secret())]
    pub signing_secret_previous: Option<SecretString>,
    /// Bot token (`xoxb-…`); without it only the slash command and its answers' buttons work
    #[arg(long, value_name = "TOKEN", env = "SLACK_BOT_TOKEN", hide_env_values = true, value_parser = secret())]
    pub bot_token: Option<SecretString>,
    /// Client id of the Slack app: many workspaces may install it, instead of the one of the bot token; takes `--client-secret`, `--token-key`, `--public-url` and a store
    #[arg(long, value_name = "ID", env = "SLACK_CLIENT_ID")]
    pub client_id: Option<String>,
    /// Client secret of the Slack app (Basic Information → App Credentials)
    #[arg(long, value_name = "SECRET", env = "SLACK_CLIENT_SECRET", hide_env_values = true, value_parser = secret())]
    pub client_secret: Option<SecretString>,
    /// Key that encrypts the installed workspaces' tokens in the store: 32 bytes, base64 or hexadecimal (`openssl rand -base64 32`); of several with commas between, the first encrypts and all decrypt
    #[arg(
        long = "token-key",
        value_name = "KEYS",
        env = "INCIDENT_LIKE_TOKEN_KEY",
        hide_env_values = true,
        value_delimiter = ',',
        value_parser = secret()
    )]
    pub token_keys: Vec<SecretString>,
    /// What the bot asks for where it is installed, with commas between, as in `manifest` (default: the usual ones)
    #[arg(
        long,
        value_name = "FEATURES",
        env = "INCIDENT_LIKE_FEATURES",
        value_delimiter = ',',
        value_parser = feature
    )]
    pub features: Vec<Feature>,
    /// App-level token (`xapp-…`, scope `connections:write`): the service connects to Slack by itself (Socket Mode), so that nobody has to reach it; without a signing secret it takes nothing of Slack's over HTTP
    #[arg(long, value_name = "TOKEN", env = "SLACK_APP_TOKEN", hide_env_values = true, value_parser = secret())]
    pub app_token: Option<SecretString>,
    /// Slack's Web API
    #[arg(
        long,
        value_name = "URL",
        env = "INCIDENT_LIKE_SLACK_API_URL",
        default_value = "https://slack.com/api"
    )]
    pub slack_api_url: Url,
    /// What an address for later answers must begin with; anything else is not posted to
    #[arg(
        long,
        value_name = "URL",
        env = "INCIDENT_LIKE_RESPONSE_URL_PREFIX",
        default_value = "https://hooks.slack.com/"
    )]
    pub response_url_prefix: Url,
}

/// When to speak.
#[derive(Args, Clone, Debug)]
pub struct BehaviourConfig {
    /// Names of incident channels, in which the bot suggests precedents by itself; `*` stands for any text
    #[arg(
        long = "channels",
        value_name = "PATTERNS",
        env = "INCIDENT_LIKE_CHANNELS",
        value_delimiter = ',',
        default_value = DEFAULT_PATTERNS
    )]
    pub patterns: Vec<Pattern>,
    /// Ids of channels shared with another organisation in which the bot may post all the same
    #[arg(
        long = "allow-shared-channels",
        value_name = "IDS",
        env = "INCIDENT_LIKE_ALLOW_SHARED_CHANNELS",
        value_delimiter = ',',
        value_parser = channel_id
    )]
    pub allowed_channels: Vec<ChannelId>,
    /// Language where neither Slack nor the question tells it: `en` or `ko`
    #[arg(long, env = "INCIDENT_LIKE_LANG", default_value = "en", value_parser = lang)]
    pub lang: Lang,
}

/// What to remember where.
#[derive(Args, Clone, Debug)]
pub struct StoreConfig {
    /// Existing folder for what must outlive the process, in an SQLite database; without it and a database URL nothing does
    #[arg(long, value_name = "DIR", env = "INCIDENT_LIKE_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// PostgreSQL instead (`postgres://user:password@host/database`), for several replicas
    #[arg(long, value_name = "URL", env = "INCIDENT_LIKE_DATABASE_URL", hide_env_values = true, conflicts_with = "data_dir", value_parser = secret())]
    pub database_url: Option<SecretString>,
    /// How many days to keep what is no longer worked on: which channels had a suggestion, failed jobs, feedback
    #[arg(
        long,
        value_name = "DAYS",
        env = "INCIDENT_LIKE_RETENTION_DAYS",
        default_value_t = 90,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub retention_days: u32,
}

/// What to log.
#[derive(Args, Clone, Debug)]
pub struct LogConfig {
    /// What to log, as `level` or `module=level,…`
    #[arg(
        long = "log",
        value_name = "FILTER",
        env = "INCIDENT_LIKE_LOG",
        default_value = "info"
    )]
    pub filter: String,
    /// Log as lines of JSON instead of text
    #[arg(long = "log-json", env = "INCIDENT_LIKE_LOG_JSON")]
    pub json: bool,
}

/// Returns all options of `serve` as a Markdown table, as it stands in the README.
pub fn table() -> String {
    let command = ServeConfig::augment_args(Command::new("serve"));
    let mut table =
        String::from("| flag | environment | default | meaning |\n| --- | --- | --- | --- |\n");
    for argument in command.get_arguments() {
        let flag = argument.get_long().unwrap_or_default();
        let env = argument
            .get_env()
            .and_then(|env| env.to_str())
            .unwrap_or_default();
        let defaults: Vec<String> = argument
            .get_default_values()
            .iter()
            .map(|value| format!("`{}`", value.to_string_lossy()))
            .collect();
        let default = match defaults.as_slice() {
            _ if argument.is_required_set() => "required".to_owned(),
            [] => "–".to_owned(),
            defaults => defaults.join(", "),
        };
        // A bar would end the cell.
        let help = argument
            .get_help()
            .map(|help| help.to_string().replace('|', "\\|"))
            .unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `--{flag}` | `{env}` | {default} | {help} |");
    }
    table
}

/// Reads a secret, which is never empty.
pub(crate) fn secret() -> impl TypedValueParser<Value = SecretString> {
    NonEmptyStringValueParser::new().map(SecretString::from)
}

/// Reads a feature's name.
pub(crate) fn feature(text: &str) -> Result<Feature, String> {
    Feature::named(text.trim()).ok_or_else(|| {
        let names: Vec<&str> = Feature::ALL.into_iter().map(Feature::name).collect();
        format!("features are {}", names.join(", "))
    })
}

/// Returns the features given, or the usual ones.
pub(crate) const fn chosen(given: &[Feature]) -> &[Feature] {
    if given.is_empty() {
        &Feature::USUAL
    } else {
        given
    }
}

/// Reads a language.
pub(crate) fn lang(text: &str) -> Result<Lang, String> {
    Lang::from_tag(text).ok_or_else(|| "a language is `en` or `ko`".to_owned())
}

fn public_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| error.to_string())?;
    let plain = matches!(url.scheme(), "https" | "http")
        && url.has_host()
        && url.username().is_empty()
        && url.query().is_none()
        && url.fragment().is_none();
    plain
        .then_some(url)
        .ok_or_else(|| "an address looks like `https://incidents.example.com`".to_owned())
}

/// Reads a name as a `Host` header has it, or `*`.
fn host(text: &str) -> Result<String, String> {
    let text = text.trim();
    let bare = text.parse::<Ipv6Addr>().is_ok();
    let parsed = Url::parse(&format!("http://{text}/")).ok();
    let named = parsed
        .is_some_and(|url| url.path() == "/" && url.username().is_empty() && url.query().is_none());
    if text == "*" || bare || (named && !text.contains(['*', '/', '@'])) {
        return Ok(text.to_ascii_lowercase());
    }
    Err("a host looks like `incidents.example.com` or `10.0.0.7:8080`; `*` is any".to_owned())
}

/// Reads an origin. Without a port it means its scheme's own.
fn origin(text: &str) -> Result<String, String> {
    let text = text.trim();
    let (base, any_port) = text
        .strip_suffix(":*")
        .map_or((text, false), |base| (base, true));
    let wrong =
        || "an origin looks like `https://chat.example.com` or `http://localhost:*`".to_owned();
    let url = Url::parse(base).map_err(|_| wrong())?;
    let ends = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let (Some(host), Some(port), true) = (url.host_str(), url.port_or_known_default(), ends) else {
        return Err(wrong());
    };
    if !matches!(url.scheme(), "http" | "https") || any_port && url.port().is_some() {
        return Err(wrong());
    }
    let port = if any_port {
        "*".to_owned()
    } else {
        port.to_string()
    };
    Ok(format!("{}://{host}:{port}", url.scheme()))
}

fn channel_id(text: &str) -> Result<ChannelId, String> {
    let text = text.trim();
    let is_id =
        text.starts_with(['C', 'G', 'D']) && text.bytes().all(|b| b.is_ascii_alphanumeric());
    is_id
        .then(|| text.into())
        .ok_or_else(|| "a channel id looks like `C024BE91L`".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;
    use crate::slack::pattern::default_patterns;

    fn parse(arguments: &[&str]) -> Result<ServeConfig, clap::Error> {
        let command = ServeConfig::augment_args(Command::new("serve").no_binary_name(true));
        ServeConfig::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    #[test]
    fn only_the_signing_secret_or_the_app_token_is_needed() {
        assert!(parse(&[]).is_err());
        let config = parse(&["--app-token", "t"]).expect("it is enough");
        assert!(config.slack.signing_secret.is_none());
        assert!(!format!("{config:?}").contains("\"t\""));
        let config = parse(&["--signing-secret", "s"]).expect("it is enough");
        assert!(config.slack.bot_token.is_none());
        assert_eq!(config.behaviour.patterns, default_patterns());
        assert!(!format!("{config:?}").contains("\"s\""));
    }

    #[test]
    fn mistakes_are_named_without_the_secrets() {
        for (arguments, expect) in [
            (&["--signing-secret", ""][..], "a value is required"),
            (
                &["--signing-secret", "s3cret", "--lang", "ja"],
                "`en` or `ko`",
            ),
            (
                &[
                    "--signing-secret",
                    "s3cret",
                    "--allow-shared-channels",
                    "#ops",
                ],
                "C024BE91L",
            ),
            (
                &["--signing-secret", "s3cret", "--listen", "8080"],
                "--listen",
            ),
            (
                &[
                    "--signing-secret",
                    "s3cret",
                    "--public-url",
                    "incidents.example.com",
                ],
                "relative URL",
            ),
            (
                &[
                    "--signing-secret",
                    "s3cret",
                    "--public-url",
                    "https://a@b.example/?x=1",
                ],
                "https://incidents.example.com",
            ),
        ] {
            let error = parse(arguments).expect_err("it is wrong").to_string();
            assert!(error.contains(expect), "{error}");
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn hosts_and_origins_are_checked() {
        let hosts = parse(&[
            "--signing-secret",
            "s",
            "--mcp-hosts",
            "Incidents.example.com:443,[::1]:8080,::1",
        ]);
        let hosts = hosts.expect("they are hosts").mcp.hosts();
        assert_eq!(hosts, ["incidents.example.com:443", "[::1]:8080", "::1"]);
        let any =
            parse(&["--signing-secret", "s", "--mcp-hosts", "a.example,*"]).expect("it is any");
        assert!(any.mcp.hosts().is_empty());
        let origins = parse(&[
            "--signing-secret",
            "s",
            "--mcp-origins",
            "https://chat.example.com,http://[::1]:*",
        ]);
        let origins = origins.expect("they are origins").mcp.origins;
        assert_eq!(origins, ["https://chat.example.com:443", "http://[::1]:*"]);
        for bad in [
            "https://example.com/mcp",
            "example.com",
            "ftp://example.com",
            "*",
        ] {
            assert!(
                parse(&["--signing-secret", "s", "--mcp-origins", bad]).is_err(),
                "{bad}"
            );
        }
        for bad in ["https://example.com", "exa mple", "*.example.com", "a@b"] {
            assert!(
                parse(&["--signing-secret", "s", "--mcp-hosts", bad]).is_err(),
                "{bad}"
            );
        }
    }

    #[test]
    fn the_table_lists_every_option() {
        let table = table();
        assert!(table.contains("| `--signing-secret` | `SLACK_SIGNING_SECRET` | – |"));
        assert!(table.contains("| `--bot-token` | `SLACK_BOT_TOKEN` | – |"));
        for line in table.lines() {
            assert_eq!(line.matches(" | ").count(), 3, "{line}");
        }
    }
}
