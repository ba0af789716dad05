//! A Slack export with any day in it.

use std::{collections::HashSet, fs};

use incident_like::{
    corpus::Lang,
    replay::{self, Channel, Export, Listener, Look, Settings, Summary, Warning},
    slack::pattern::default_patterns,
};

use super::{LIBRARY, sound};

const CHANNELS: &str = r#"[{"id": "C1", "name": "inc-1-api", "created": 1712908800, "topic": {"value": "etcd timeouts"}}, {"id": "C2", "name": "general"}]"#;

/// What was told.
#[derive(Default)]
struct Told {
    bytes: u64,
    warnings: Vec<Warning>,
    looks: Vec<Look>,
}

impl Listener for Told {
    fn read(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    fn warning(&mut self, warning: &Warning) {
        self.warnings.push(warning.clone());
    }

    fn channel(&mut self, _channel: &Channel, looks: &[Look]) {
        assert!(!looks.is_empty());
        self.looks.extend_from_slice(looks);
    }
}

pub(crate) fn run(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).expect("it is written");
    };
    // The list of channels is any too, now and then.
    let (list, day) = match data.split_first() {
        Some((0, rest)) => (rest, &b"[]"[..]),
        _ => (CHANNELS.as_bytes(), data),
    };
    put("channels.json", list);
    for name in ["inc-1-api", "general"] {
        fs::create_dir(folder.path().join(name)).expect("it is made");
        put(&format!("{name}/2024-04-12.json"), day);
    }
    let tell = || -> (Summary, Told) {
        let mut export = Export::open(folder.path()).expect("it can be opened");
        let settings = Settings {
            patterns: default_patterns(),
            allowed_channels: HashSet::new(),
            lang: Lang::En,
            debounce: std::time::Duration::from_secs(4),
            since: None,
            until: None,
        };
        let mut told = Told::default();
        let bytes = export.bytes();
        let summary = replay::replay(&mut export, &LIBRARY, &settings, &mut told);
        assert_eq!(told.bytes, bytes, "the bar ends where it ends");
        (summary, told)
    };
    let (summary, told) = tell();
    assert_eq!(summary, tell().0);
    assert_eq!(summary.looks, told.looks.len());
    for look in &told.looks {
        if let Some(message) = look.message() {
            sound::check(message);
        }
    }
}
