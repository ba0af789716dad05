//! `replay`: a workspace export as Slack gives it, told again.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use incident_like::{
    app::Tuning,
    corpus::Lang,
    replay::{
        self, Channel, Export, Listener, Look, Settings, Silence, Summary, Verdict, Warning, clock,
    },
    slack::pattern::default_patterns,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{
    harness::{self, LIBRARY, TestApp, channel_created, run},
    tidy::check_table,
};

/// Eight in the morning of 12 April 2024.
const MORNING: u64 = 1_712_908_800;
const TELLING: &str =
    "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out";
const SLOW_DISK: &str = "IL-9001";

/// An export in the making: files by name.
#[derive(Default)]
struct Workspace {
    channels: Vec<Value>,
    groups: Vec<Value>,
    files: Vec<(String, Vec<u8>)>,
}

/// A stamp so many seconds after [`MORNING`].
fn ts(after: u64) -> String {
    format!("{}.000200", MORNING + after)
}

/// A message as people's clients leave it in exports.
fn person(after: u64, text: &str) -> Value {
    json!({
        "user": "U0PERSON", "type": "message", "ts": ts(after), "client_msg_id": "6f3c1f2e-0000-4000-8000-000000000000",
        "text": text, "team": "T0TEAM", "user_team": "T0TEAM", "source_team": "T0TEAM",
        "user_profile": {"avatar_hash": "g0", "image_72": "https://a.example/72.png", "first_name": "Ada",
            "real_name": "Ada", "display_name": "ada", "team": "T0TEAM", "name": "ada", "is_restricted": false, "is_ultra_restricted": false},
        "blocks": [{"type": "rich_text", "block_id": "b1", "elements": [{"type": "rich_text_section",
            "elements": [{"type": "text", "text": text}]}]}],
    })
}

/// Slack's own notice.
fn notice(after: u64, subtype: &str, more: &Value) -> Value {
    let mut notice = json!({"type": "message", "subtype": subtype, "user": "U0PERSON", "ts": ts(after),
        "text": "<@U0PERSON> did something"});
    let fields = notice.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    notice
}

/// An alert: no text, all of it in an attachment.
fn alert(after: u64, text: &str) -> Value {
    json!({"type": "message", "subtype": "bot_message", "ts": ts(after), "bot_id": "B0ALERT", "username": "alerts",
        "text": "", "attachments": [{"id": 1, "color": "d00000", "fallback": text, "title": text}]})
}

impl Workspace {
    /// Adds a public channel, made at [`MORNING`].
    fn channel(&mut self, id: &str, name: &str, messages: &[Value]) -> &mut Self {
        self.channels.push(entry(id, name));
        self.day(name, messages)
    }

    fn day(&mut self, folder: &str, messages: &[Value]) -> &mut Self {
        let text = serde_json::to_vec_pretty(messages).expect("JSON");
        self.file(&format!("{folder}/2024-04-12.json"), &indented(&text))
    }

    fn file(&mut self, name: &str, bytes: &[u8]) -> &mut Self {
        self.files.push((name.to_owned(), bytes.to_vec()));
        self
    }

    fn all(&self) -> Vec<(String, Vec<u8>)> {
        let list = |list: &[Value]| serde_json::to_vec_pretty(list).expect("JSON");
        let users = json!([
            {"id": "U0PERSON", "team_id": "T0TEAM", "name": "ada", "deleted": false, "is_bot": false, "profile": {"real_name": "Ada"}},
            {"id": "U0IL", "team_id": "T0TEAM", "name": "incidentlike", "deleted": false, "is_bot": true,
                "profile": {"real_name": "incident-like", "bot_id": "B0IL", "api_app_id": "A0IL"}},
        ]);
        let mut all = vec![
            ("channels.json".to_owned(), list(&self.channels)),
            ("groups.json".to_owned(), list(&self.groups)),
            (
                "dms.json".to_owned(),
                list(&[
                    json!({"id": "D0PRIVATE1", "created": MORNING, "members": ["U0PERSON", "U0IL"]}),
                ]),
            ),
            (
                "mpims.json".to_owned(),
                list(&[json!({"id": "G0MPIM", "name": "mpdm-a--b--c-1"})]),
            ),
            ("integration_logs.json".to_owned(), b"[]".to_vec()),
            (
                "users.json".to_owned(),
                serde_json::to_vec(&users).expect("JSON"),
            ),
        ];
        all.extend(self.files.clone());
        all
    }

    fn folder(&self) -> TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (name, bytes) in self.all() {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, bytes).expect("a file");
        }
        root
    }

    /// The same as Slack packs it; `below` is a folder within the zip.
    fn zip(&self, at: &Path, below: &str) -> PathBuf {
        let path = at.join("export.zip");
        let mut zip = ZipWriter::new(File::create(&path).expect("a file"));
        for (name, bytes) in self.all() {
            let options = SimpleFileOptions::default();
            zip.start_file(format!("{below}{name}"), options)
                .expect("an entry");
            zip.write_all(&bytes).expect("it is written");
        }
        zip.finish().expect("it is finished");
        path
    }

    fn told(&self) -> Told {
        tell(self.folder().path(), |_| {})
    }
}

/// Slack writes exports with four spaces.
fn indented(pretty: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(pretty).expect("UTF-8");
    let mut out = String::new();
    for line in text.lines() {
        let rest = line.trim_start_matches(' ');
        out.push_str(&" ".repeat((line.len() - rest.len()) * 2));
        out.push_str(rest);
        out.push('\n');
    }
    out.into_bytes()
}

fn entry(id: &str, name: &str) -> Value {
    json!({"id": id, "name": name, "created": MORNING, "creator": "U0PERSON", "is_archived": false, "is_general": false,
        "members": ["U0PERSON"], "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0}})
}

/// What a replay told.
#[derive(Default)]
struct Told {
    channels: Vec<(Channel, Vec<Look>)>,
    warnings: Vec<Warning>,
    bytes: u64,
    summary: Summary,
}

impl Listener for Told {
    fn read(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    fn warning(&mut self, warning: &Warning) {
        self.warnings.push(warning.clone());
    }

    fn channel(&mut self, channel: &Channel, looks: &[Look]) {
        self.channels.push((channel.clone(), looks.to_vec()));
    }
}

impl Told {
    fn looks(&self, name: &str) -> &[Look] {
        let found = self
            .channels
            .iter()
            .find(|(channel, _)| channel.name == name);
        found.map(|(_, looks)| looks.as_slice()).unwrap_or_default()
    }

    /// When the bot spoke, in seconds after [`MORNING`], and of which case first.
    fn spoke(&self, name: &str) -> Option<(u64, String)> {
        let look = self
            .looks(name)
            .iter()
            .find(|look| look.suggestion().is_some())?;
        Some((
            look.at.as_secs() - MORNING,
            look.precedents[0].id.to_string(),
        ))
    }

    fn warned(&self) -> Vec<String> {
        let place = |warning: &Warning| match warning.line {
            Some(line) => format!("{}:{line}", warning.file),
            None => warning.file.clone(),
        };
        self.warnings.iter().map(place).collect()
    }
}

fn tell(path: &Path, change: impl FnOnce(&mut Settings)) -> Told {
    let mut settings = Settings {
        patterns: default_patterns(),
        allowed_channels: HashSet::new(),
        lang: Lang::En,
        debounce: Tuning::DEFAULT.debounce,
        since: None,
        until: None,
    };
    change(&mut settings);
    let mut export = Export::open(path).expect("it is an export");
    let mut told = Told::default();
    let bytes = export.bytes();
    told.summary = replay::replay(&mut export, &LIBRARY, &settings, &mut told);
    assert_eq!(told.bytes, bytes);
    told
}

fn real_shaped() -> Workspace {
    let mut workspace = Workspace::default();
    let edited = {
        let mut message = person(95, "the API is odd again");
        message["edited"] = json!({"user": "U0PERSON", "ts": ts(97)});
        message["reactions"] = json!([{"name": "eyes", "users": ["U0PERSON"], "count": 1}]);
        message
    };
    let mut parent = person(60, "who is looking?");
    parent["thread_ts"] = ts(60).into();
    parent["reply_count"] = 1.into();
    parent["replies"] = json!([{"user": "U0PERSON", "ts": ts(70)}]);
    let mut reply = person(70, "me");
    reply["thread_ts"] = ts(60).into();
    reply["parent_user_id"] = "U0PERSON".into();
    workspace.channel(
        "C1",
        "inc-0412-api",
        &[
            notice(0, "channel_join", &json!({})),
            notice(3, "channel_purpose", &json!({"purpose": "coordination"})),
            parent,
            reply,
            edited,
            alert(120, TELLING),
            person(200, "<!here> moved etcd to another disk"),
            notice(300, "tombstone", &json!({"hidden": true})),
        ],
    );
    workspace.channel(
        "C2",
        "incident-lunch",
        &[
            person(30, "what shall we eat"),
            person(300, "noodles again, please"),
        ],
    );
    workspace.channel("C3", "general", &[person(1, TELLING)]);
    workspace
}

#[test]
fn it_speaks_when_the_alert_has_come_and_never_again() {
    let told = real_shaped().told();
    assert_eq!(told.warned(), [""; 0]);
    // Four seconds after the alert.
    assert_eq!(
        told.spoke("inc-0412-api"),
        Some((124, SLOW_DISK.to_owned()))
    );
    let looks = told.looks("inc-0412-api");
    assert!(looks.last().is_some_and(|look| look.suggestion().is_some()));
    assert_eq!(looks.last().map(|look| look.messages), Some(4));
    let silent = told.looks("incident-lunch");
    assert!(!silent.is_empty() && silent.iter().all(|look| look.suggestion().is_none()));
    assert_eq!(told.looks("general").len(), 0);
    let Summary {
        channels,
        incident_channels,
        messages,
        suggestions,
        silent,
        ..
    } = told.summary;
    assert_eq!(
        (channels, incident_channels, messages, suggestions, silent),
        (3, 2, 11, 1, 1)
    );
    assert_eq!(told.summary.top_cases(5), [(SLOW_DISK, 1)]);
    let terms = told.summary.top_terms(1);
    assert_eq!(terms.first().map(|(_, count)| *count), Some(1));
}

#[test]
fn it_tells_changes_of_what_it_said() {
    let mut workspace = Workspace::default();
    let messages = [
        person(10, "NXDOMAIN in DNS"),
        person(100, "looking into it"),
        person(200, TELLING),
        person(300, "still looking"),
    ];
    workspace.channel("C1", "inc-0412-api", &messages);
    let told = workspace.told();
    let did: Vec<(u64, bool)> = told
        .looks("inc-0412-api")
        .iter()
        .filter(|look| look.message().is_some())
        .map(|look| {
            let edits = matches!(look.verdict, Verdict::Edits(_));
            (look.at.as_secs() - MORNING, edits)
        })
        .collect();
    // Silent while nothing changes.
    assert_eq!(did, [(14, false), (204, true)]);
    let last = told.looks("inc-0412-api").last().expect("it looked");
    let text = last.message().map(|message| message.text.as_str());
    assert!(text.is_some_and(|text| text.contains("Updated: now also")));
    let Summary {
        suggestions,
        edits,
        silent,
        ..
    } = told.summary;
    assert_eq!((suggestions, edits, silent), (1, 1, 0));
}

#[test]
fn it_says_what_the_service_says() {
    let mut workspace = Workspace::default();
    let texts = ["something is off", TELLING];
    let messages: Vec<Value> = texts
        .iter()
        .zip([10, 11])
        .map(|(text, after)| person(after, text))
        .collect();
    workspace.channel("C1", "inc-0412-api", &messages);
    let told = workspace.told();
    let look = told.looks("inc-0412-api").last().expect("it looked");
    let said = look.suggestion().expect("it spoke").text.clone();
    let mut channel = harness::Channel::public("C1", "inc-0412-api");
    channel.messages = messages;
    run(TestApp::with_channel(channel), async |app| {
        app.event("Ev1", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        assert_eq!(app.message().await.text, said);
    });
}

#[test]
fn a_zip_says_the_same() {
    let workspace = real_shaped();
    let folder = workspace.told();
    let place = tempfile::tempdir().expect("a folder");
    for below in ["", "Example Slack export Apr 1 2024 - Apr 30 2024/"] {
        let zip = tell(&workspace.zip(place.path(), below), |_| {});
        assert_eq!(zip.summary, folder.summary);
        assert_eq!(zip.spoke("inc-0412-api"), folder.spoke("inc-0412-api"));
        assert_eq!(zip.warned(), [""; 0]);
    }
}

#[test]
fn names_count_as_they_were() {
    let rename = |after, old: &str, new: &str| {
        notice(
            after,
            "channel_name",
            &json!({"old_name": old, "name": new}),
        )
    };
    let mut workspace = Workspace::default();
    // Became an incident channel: what stood in it before is read. Ceased to be one: it was one all the same.
    workspace.channel(
        "C1",
        "inc-0413-etcd",
        &[
            person(5, TELLING),
            rename(3600, "ops-etcd", "inc-0413-etcd"),
        ],
    );
    workspace.channel(
        "C2",
        "retro-0414",
        &[
            person(9, TELLING),
            rename(7200, "inc-0414", "old-0414"),
            rename(9000, "old-0414", "retro-0414"),
        ],
    );
    workspace.channel("C3", "inc-late", &[person(1801, TELLING)]);
    let told = workspace.told();
    assert_eq!(
        told.spoke("inc-0413-etcd"),
        Some((3604, SLOW_DISK.to_owned()))
    );
    assert_eq!(told.spoke("retro-0414"), Some((13, SLOW_DISK.to_owned())));
    assert_eq!(told.spoke("inc-late"), None, "half an hour is over");
    assert_eq!(told.summary.messages, 6);
}

#[test]
fn topics_count_from_when_they_were_set() {
    let mut workspace = Workspace::default();
    workspace.channel(
        "C1",
        "inc-topic",
        &[notice(40, "channel_topic", &json!({"topic": TELLING}))],
    );
    workspace.channel(
        "C2",
        "inc-archived",
        &[
            notice(20, "channel_archive", &json!({})),
            person(60, TELLING),
        ],
    );
    workspace.channel("C3", "inc-silent-later", &[]);
    let topic = workspace.channels.last_mut().expect("a channel");
    topic["topic"] = json!({"value": TELLING, "creator": "U0PERSON", "last_set": MORNING + 90});
    workspace.channel("C4", "inc-shared", &[person(30, TELLING)]);
    workspace.channels.last_mut().expect("a channel")["is_ext_shared"] = true.into();
    let mut private = entry("G5", "inc-private");
    private["purpose"] = json!({"value": TELLING, "creator": "U0PERSON", "last_set": MORNING});
    workspace.groups.push(private);
    let told = workspace.told();
    assert_eq!(told.spoke("inc-topic").map(|spoke| spoke.0), Some(44));
    assert_eq!(told.spoke("inc-archived"), None);
    assert_eq!(
        told.spoke("inc-silent-later").map(|spoke| spoke.0),
        Some(94)
    );
    assert_eq!(told.spoke("inc-private").map(|spoke| spoke.0), Some(4));
    let shared = told.looks("inc-shared");
    assert!(
        matches!(
            shared,
            [Look {
                verdict: Verdict::Silent(Silence::Shared),
                ..
            }]
        ),
        "{shared:?}"
    );
    let allowed = tell(workspace.folder().path(), |settings| {
        settings.allowed_channels.insert("C4".into());
    });
    assert_eq!(allowed.spoke("inc-shared").map(|spoke| spoke.0), Some(34));
}

#[test]
fn its_own_words_are_no_evidence() {
    let own = |after, text: &str| {
        let mut message = person(after, text);
        message["user"] = "U0IL".into();
        message["bot_id"] = "B0IL".into();
        message
    };
    let mut workspace = Workspace::default();
    workspace.channel(
        "C1",
        "inc-echo",
        &[own(5, TELLING), person(9, &format!("<@U0IL> {TELLING}"))],
    );
    let mut before = own(2, "suggested");
    before["metadata"] =
        json!({"event_type": "precedent_suggestion", "event_payload": {"about": "C2"}});
    workspace.channel("C2", "inc-before", &[before, person(3, TELLING)]);
    let told = workspace.told();
    let looks = told.looks("inc-echo");
    let before = told.looks("inc-before");
    // A mention is answered, not counted; only the first look reads it, with the rest of the channel's history.
    assert!(looks.iter().all(|look| look.messages == 0), "{looks:?}");
    assert!(
        matches!(
            before,
            [Look {
                verdict: Verdict::Silent(Silence::SuggestedBefore),
                ..
            }]
        ),
        "{before:?}"
    );
}

#[test]
fn what_is_broken_is_named_and_nothing_else_is_lost() {
    let mut workspace = Workspace::default();
    workspace.channel("C1", "inc-broken", &[person(5, "hello")]);
    let good = serde_json::to_string_pretty(&person(20, TELLING)).expect("JSON");
    let broken = format!(
        "[\n    {{\n        \"type\": \"message\",\n        \"ts\": \"x\n    }},\n    {}\n]",
        good.replace('\n', "\n    ")
    );
    workspace.file("inc-broken/2024-04-13.json", broken.as_bytes());
    workspace.file("inc-broken/2024-04-14.json", b"<html>not found</html>");
    let odd =
        format!("[{{\"type\": \"message\", \"ts\": \"1712908850.0\", \"text\": \"{TELLING} ?\"}}]");
    let odd: Vec<u8> = odd
        .bytes()
        .map(|b| if b == b'?' { 0xff } else { b })
        .collect();
    workspace.file("inc-odd/2024-04-12.json", &odd);
    workspace.file(
        "inc-broken/2024-04-16.json",
        b"[\n{\"type\": \"message\", \"text\": \"no time\"},\n{\"type\": \"mess",
    );
    workspace.file("inc-broken/notes.json", b"[]");
    workspace.file(
        "inc-stray/2024-04-12.json",
        &serde_json::to_vec(&[person(7, TELLING)]).expect("JSON"),
    );
    workspace.file(
        "D0PRIVATE1/2024-04-12.json",
        &serde_json::to_vec(&[person(7, TELLING)]).expect("JSON"),
    );
    workspace.file("mpdm-a--b--c-1/2024-04-12.json", b"[]");
    workspace.channels.push(json!({"id": "C9"}));
    let told = workspace.told();
    assert_eq!(told.spoke("inc-broken"), Some((24, SLOW_DISK.to_owned())));
    assert_eq!(told.spoke("inc-stray").map(|spoke| spoke.0), Some(11));
    assert!(told.spoke("inc-odd").is_some());
    let mut warned = told.warned();
    warned.sort();
    let line = warned
        .iter()
        .find(|place| place.starts_with("channels.json:"))
        .cloned();
    assert!(line.is_some(), "{warned:?}");
    warned.retain(|place| !place.starts_with("channels.json"));
    assert_eq!(
        warned,
        [
            "inc-broken/2024-04-13.json:4",
            "inc-broken/2024-04-14.json",
            "inc-broken/2024-04-16.json:2",
            "inc-broken/2024-04-16.json:3",
            "inc-broken/notes.json",
            "inc-odd",
            "inc-stray",
        ]
    );
    assert_eq!(told.summary.warnings, told.warnings.len());
}

#[test]
fn korean_names_are_one_however_their_letters_are_kept() {
    let mut workspace = Workspace::default();
    workspace.channels.push(entry("C1", "장애-로그인"));
    // As macOS keeps it: letters in parts.
    let parts: String = unicode_normalization::UnicodeNormalization::nfd("장애-로그인").collect();
    workspace.day(&parts, &[person(5, TELLING)]);
    let told = workspace.told();
    assert_eq!(told.warned(), [""; 0]);
    assert_eq!(told.spoke("장애-로그인").map(|spoke| spoke.0), Some(9));
}

#[test]
fn only_the_time_asked_for_is_told() {
    let folder = real_shaped().folder();
    let after = |seconds| Some(Duration::from_secs(MORNING + seconds));
    let none = tell(folder.path(), |settings| settings.until = after(100));
    assert_eq!(
        (none.summary.suggestions, none.summary.incident_channels),
        (0, 2)
    );
    let late = tell(folder.path(), |settings| settings.since = after(100));
    assert_eq!(late.spoke("inc-0412-api").map(|spoke| spoke.0), Some(124));
    assert_eq!(late.looks("inc-0412-api").len(), 1);
    assert_eq!(clock::day("2024-04-12T08:00"), after(0));
}

/// Runs the program over the bundled cases and those of the fixture.
fn program(arguments: &[&str]) -> (String, String, Option<i32>) {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/corpus");
    bundled(&[arguments, &["--corpus", corpus]].concat())
}

fn bundled(arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_incident-like"))
        .arg("replay")
        .args(arguments)
        .env_clear()
        .output()
        .expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        text(output.stdout),
        text(output.stderr),
        output.status.code(),
    )
}

#[test]
fn the_program_tells_it_for_people_and_programs() {
    let folder = real_shaped().folder();
    let path = folder.path().to_str().expect("UTF-8");
    let (shown, warnings, code) = program(&[path]);
    assert_eq!((warnings.as_str(), code), ("", Some(0)));
    for expect in [
        "#inc-0412-api · C1",
        "2024-04-12 08:02  speaks",
        "│",
        "silent",
        "In all",
        "would speak   in 1",
    ] {
        assert!(shown.contains(expect), "{expect}: {shown}");
    }
    assert!(!shown.contains('\u{1b}') && !shown.contains("moved etcd to another disk"));
    let (brief, _, _) = program(&[path, "--brief", "--channels", "general"]);
    assert!(
        brief.contains("#general") && brief.contains("closest: IL-") && !brief.contains('│'),
        "{brief}"
    );
    let (json, _, _) = program(&[path, "--json"]);
    let lines: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect();
    let of_type = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!(
        (of_type("channel"), of_type("summary"), of_type("warning")),
        (2, 1, 0)
    );
    let spoke = lines
        .iter()
        .find(|line| line["outcome"] == "speaks")
        .expect("it spoke");
    assert_eq!(spoke["at"], "2024-04-12T08:02:04Z");
    assert!(spoke["text"].is_string() && spoke["precedents"][0]["matched"].is_array());
    assert_eq!(lines.last().expect("a line")["type"], "summary");
}

#[test]
fn what_is_no_export_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    let (_, shown, code) = program(&[path]);
    assert!(
        code == Some(1) && shown.contains("no Slack export"),
        "{shown}"
    );
    let file = folder.path().join("x.zip");
    fs::write(&file, "no zip").expect("a file");
    let (_, shown, code) = program(&[file.to_str().expect("UTF-8")]);
    assert!(code == Some(1) && shown.contains("no zip file"), "{shown}");
    let (_, shown, code) = program(&[path, "--since", "yesterday"]);
    assert!(
        code == Some(2) && shown.contains("2024-04-12T09:30"),
        "{shown}"
    );
}

#[test]
fn an_export_of_which_nothing_can_be_read_is_a_failure() {
    let mut workspace = Workspace::default();
    workspace.channel("C1", "inc-1", &[]);
    workspace.file("inc-1/2024-04-12.json", b"{\"ts\": \"1\"}");
    let path = workspace.folder();
    let (shown, warnings, code) = program(&[path.path().to_str().expect("UTF-8")]);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("0 messages"), "{shown}");
    assert!(warnings.contains("nothing could be read in"), "{warnings}");
    // An export of an empty workspace is none.
    let mut empty = Workspace::default();
    empty.channel("C1", "inc-1", &[]);
    let path = empty.folder();
    let (_, warnings, code) = program(&[path.path().to_str().expect("UTF-8")]);
    assert_eq!((warnings.as_str(), code), ("", Some(0)));
}

#[test]
fn messages_that_cannot_be_read_do_not_count_as_read() {
    let mut workspace = Workspace::default();
    let bad = json!({"type": "message", "text": "no time"});
    workspace.channel(
        "C1",
        "general",
        &[person(5, "hello"), bad, person(9, "bye")],
    );
    let told = workspace.told();
    assert_eq!((told.summary.messages, told.summary.warnings), (2, 1));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_that_is_said() {
    use std::os::unix::{ffi::OsStrExt, fs::symlink};
    let elsewhere = tempfile::tempdir().expect("a folder");
    let secret = elsewhere.path().join("2024-04-12.json");
    fs::write(&secret, "[]").expect("a file");
    let mut workspace = Workspace::default();
    workspace.channel("C1", "inc-1", &[person(5, "hello")]);
    let folder = workspace.folder();
    let at = |name: &str| folder.path().join(name);
    symlink(&secret, at("inc-1/2024-04-13.json")).expect("a link");
    symlink(elsewhere.path(), at("inc-2")).expect("a link");
    let odd = std::ffi::OsStr::from_bytes(b"inc-1/2024-04-\xff.json");
    fs::write(folder.path().join(odd), "[]").expect("a file");
    let told = tell(folder.path(), |_| {});
    let about = |problem: &str| -> Vec<&str> {
        let warnings = told.warnings.iter();
        let about = warnings.filter(|warning| warning.problem.contains(problem));
        let mut names: Vec<&str> = about.map(|warning| warning.file.as_str()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(about("is a link"), ["inc-1/2024-04-13.json", "inc-2"]);
    assert_eq!(
        about("a name that is no text"),
        ["inc-1/2024-04-\u{fffd}.json"]
    );
    assert_eq!(told.summary.messages, 1);
}

#[test]
fn the_readmes_replay_is_a_real_one() {
    let mut workspace = Workspace::default();
    workspace.channel(
        "C0412",
        "inc-0412-api",
        &[
            person(60, "who is looking?"),
            person(75, "me, kubectl is odd"),
            alert(
                130,
                "[FIRING] etcdserver: request timed out, the API server times out",
            ),
        ],
    );
    workspace.channel(
        "C0413",
        "inc-0413-drill",
        &[person(90, "this is only a drill, all is well")],
    );
    let folder = workspace.folder();
    let (shown, _, _) = bundled(&[folder.path().to_str().expect("UTF-8"), "--brief"]);
    check_table(
        "README.md",
        "replay",
        &format!("```\n{}\n```", shown.trim()),
    );
}
