//! What an admin is told when the bot lacks a permission.

use std::fmt::Write as _;

use super::{
    message,
    rich::{Rich, Run},
};
use crate::{
    corpus::Lang,
    slack::{
        Message,
        manifest::{self, Feature},
        mrkdwn,
        strings::settings::{SettingStrings, feature},
    },
};

/// Renders what does not work without a permission, and what to do about it.
pub fn missing(scope: &str, lang: Lang) -> Message {
    let strings = SettingStrings::of(lang);
    let mut features: Vec<Feature> = scope
        .split(',')
        .flat_map(|scope| manifest::needed_by(scope, &Feature::ALL))
        .collect();
    features.sort_unstable();
    features.dedup();
    let head = Run::new().bold(strings.missing_head).text(" ").code(scope);
    let mut rich = Rich::new().line(head);
    let mut text = format!("{} {}", strings.missing_head, mrkdwn::code(scope));
    if !features.is_empty() {
        let names = features.iter().map(|one| feature(*one, lang));
        rich = rich.list(
            strings.missing_features,
            names.clone().map(|name| Run::new().text(name)).collect(),
        );
        let _ = write!(text, "\n{}", strings.missing_features);
        for name in names {
            let _ = write!(text, "\n• {name}");
        }
    }
    let _ = write!(text, "\n{}\n{}", strings.missing_do, strings.missing_once);
    let rich = rich
        .line(Run::new().text(strings.missing_do))
        .line(Run::new().italic(strings.missing_once));
    message(&text, [rich.block()])
}
