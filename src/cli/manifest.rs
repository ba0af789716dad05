//! `manifest`: the Slack app manifest for an address and the chosen features.

use std::process::ExitCode;

use clap::Args;

use crate::slack::manifest::{Feature, Manifest, PublicUrl, PublicUrlError, Reach};

/// What `manifest` can be told.
#[derive(Args, Clone, Debug)]
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
    let manifest = Manifest::new(&reach, chosen(&config.features));
    let written = if config.yaml {
        manifest.yaml()
    } else {
        manifest.json()
    };
    super::out::print(|out| out.write_all(written.as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the features given, or the usual ones.
pub(super) const fn chosen(given: &[Feature]) -> &[Feature] {
    if given.is_empty() {
        &Feature::USUAL
    } else {
        given
    }
}

/// Reads a feature's name.
pub(super) fn feature(text: &str) -> Result<Feature, String> {
    Feature::named(text.trim()).ok_or_else(|| {
        let names: Vec<&str> = Feature::ALL.into_iter().map(Feature::name).collect();
        format!("features are {}", names.join(", "))
    })
}

fn public_url(text: &str) -> Result<PublicUrl, PublicUrlError> {
    text.parse()
}
