//! What can be checked without a network: secrets by their look, patterns, the corpus, the data directory.

use std::{
    fs::{self, OpenOptions},
    path::Path,
};

use secrecy::ExposeSecret;

use super::{DoctorConfig, Finding};
use crate::{
    corpus::{Checks, Corpus, Level, Origin},
    slack::{manifest::Feature, pattern},
};

pub(super) fn check(config: &DoctorConfig, features: &[Feature]) -> Vec<Finding> {
    let mut findings = vec![signing_secret(config), corpus(config)];
    if features.contains(&Feature::Suggestions) {
        findings.push(patterns(config));
    }
    findings.extend(config.data_dir.as_deref().map(data_dir));
    findings
}

fn signing_secret(config: &DoctorConfig) -> Finding {
    const CHECK: &str = "signing secret";
    const COPY: &str = "copy it from https://api.slack.com/apps → your app → Basic Information → App Credentials → Signing \
                        Secret into SLACK_SIGNING_SECRET";
    let Some(secret) = &config.signing_secret else {
        if config.app_token.is_some() {
            return Finding::ok(CHECK, "there is none, and Socket Mode needs none");
        }
        return Finding::fault(CHECK, "there is none", COPY);
    };
    let secret = secret.expose_secret();
    if secret.starts_with("xox") || secret.starts_with("xapp-") {
        return Finding::fault(
            CHECK,
            "it is a token",
            format!("{COPY}; tokens begin with xox or xapp"),
        );
    }
    if secret.trim() != secret || secret.contains(['"', '\'', '\n']) {
        return Finding::fault(
            CHECK,
            "it has spaces or quotation marks around it",
            "leave them out: env files and secrets of Kubernetes take them for part of the value",
        );
    }
    let is_hex = secret.bytes().all(|b| b.is_ascii_hexdigit());
    if secret.len() != 32 || !is_hex {
        return Finding::fault(
            CHECK,
            format!(
                "it has {} characters; Slack's are 32 hexadecimal digits",
                secret.chars().count()
            ),
            format!("{COPY}, whole; not the Client Secret or the Verification Token"),
        );
    }
    Finding::ok(
        CHECK,
        "looks like one (whether it is the right one shows when Slack verifies the address)",
    )
}

fn corpus(config: &DoctorConfig) -> Finding {
    const CHECK: &str = "corpus";
    let folders = config.corpus.folders.iter().cloned().map(Origin::Folder);
    let origins: Vec<Origin> = std::iter::once(Origin::Bundled).chain(folders).collect();
    let loaded = match Corpus::load(&origins, Checks::Structure) {
        Ok(loaded) => loaded,
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
            return Finding::fault(
                CHECK,
                format!("{error}{}", cause.unwrap_or_default()),
                "give --corpus a folder that holds `cases/` and that this user may read",
            );
        }
    };
    let errors = loaded
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.level == Level::Error)
        .count();
    if errors > 0 {
        let first = loaded.diagnostics.iter().find(|d| d.level == Level::Error);
        let first = first.map(|d| d.render(false)).unwrap_or_default();
        let first = first.lines().next().unwrap_or_default().to_owned();
        let folders: Vec<String> = config
            .corpus
            .folders
            .iter()
            .map(|f| f.display().to_string())
            .collect();
        return Finding::fault(
            CHECK,
            format!("{errors} errors, so that nothing would be served; the first: {first}"),
            format!(
                "`incident-like lint {}` shows each with its place",
                folders.join(" ")
            ),
        );
    }
    let (cases, terms) = (
        loaded.corpus.cases().len(),
        loaded.corpus.vocabulary().terms().len(),
    );
    let own = loaded.corpus.cases().iter().filter(|case| case.own).count();
    Finding::ok(
        CHECK,
        format!("{cases} cases, {own} of them your own; {terms} terms"),
    )
}

fn patterns(config: &DoctorConfig) -> Finding {
    const CHECK: &str = "channel names";
    let patterns = &config.behaviour.patterns;
    // A name that nobody gives an incident channel.
    if pattern::incident_words(patterns, "x").is_some() {
        return Finding::note(
            CHECK,
            "the patterns match every channel",
            "narrow --channels to your incident channels, such as `inc-*`: the bot joins whatever they match",
        );
    }
    Finding::ok(CHECK, "the patterns are sound")
}

fn data_dir(path: &Path) -> Finding {
    const CHECK: &str = "data directory";
    let shown = path.display();
    let owner = format!(
        "`mkdir -p {shown}` and give it to the user who runs the service (`chown`), not readable for others"
    );
    match fs::metadata(path) {
        Err(error) => return Finding::fault(CHECK, format!("`{shown}`: {error}"), owner),
        Ok(data) if !data.is_dir() => {
            return Finding::fault(CHECK, format!("`{shown}` is no directory"), owner);
        }
        Ok(_) => {}
    }
    let probe = path.join(format!(".doctor-{:08x}", rand::random::<u32>()));
    let written = OpenOptions::new().write(true).create_new(true).open(&probe);
    match written.and_then(|_| fs::remove_file(&probe)) {
        Ok(()) => Finding::ok(CHECK, format!("`{shown}` can be written")),
        Err(error) => Finding::fault(
            CHECK,
            format!("nothing can be written into `{shown}`: {error}"),
            owner,
        ),
    }
}
