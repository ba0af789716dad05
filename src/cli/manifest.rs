//! `manifest`: the Slack app manifest for an address and the chosen features.

use std::process::ExitCode;

use clap::Args;

use crate::{
    config::{chosen, feature},
    slack::manifest::{Distribution, Feature, Manifest, PublicUrl, PublicUrlError, Reach},
};

/// What `manifest` can be told.
#[derive(Args, Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent flags of the command line"
)]
pub struct ManifestConfig {
    /// Where Slack reaches the service, such as `https://bot.example.com`
    #[arg(long, value_name = "URL", value_parser = public_url, required_unless_present = "socket_mode")]
    url: Option<PublicUrl>,
    /// What the bot shall do, with commas between: it asks Slack for no more than that needs (default: all but `links`, `assistant` and `workflow`)
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', value_parser = feature)]
    features: Vec<Feature>,
    /// For an app that connects to Slack by itself and has no address
    #[arg(long, conflicts_with = "url")]
    socket_mode: bool,
    /// Where several workspaces install the app: the service's `--public-url`. Adds the redirect URL, and the events that say that one took it away
    #[arg(long, value_name = "URL", value_parser = public_url)]
    oauth_url: Option<PublicUrl>,
    /// Let tokens expire and be renewed; Slack does not let that be undone
    #[arg(long, requires = "oauth_url")]
    token_rotation: bool,
    /// Let an organisation install the app for all of its workspaces at once
    #[arg(long)]
    org_wide: bool,
    /// Write YAML instead of JSON
    #[arg(long)]
    yaml: bool,
    /// Write JSON, as without it
    #[arg(long, conflicts_with = "yaml")]
    json: bool,
}

/// Prints the manifest.
pub(super) fn run(config: &ManifestConfig) -> anyhow::Result<ExitCode> {
    let reach = config.url.clone().map_or(Reach::Socket, Reach::Url);
    let distribution = Distribution {
        oauth: config.oauth_url.clone(),
        rotation: config.token_rotation,
        org_wide: config.org_wide,
    };
    let manifest = Manifest::new(&reach, chosen(&config.features), &distribution);
    let written = if config.yaml {
        manifest.yaml()
    } else {
        manifest.json()
    };
    super::out::print(|out| out.write_all(written.as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}

fn public_url(text: &str) -> Result<PublicUrl, PublicUrlError> {
    text.parse()
}
