//! A Slack export of many gigabytes, made, replayed and removed.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::json;

use super::service::{memory, program};

/// Channels, every how many of them is an incident's, and the first second of the export.
const CHANNELS: u64 = 4000;
const INCIDENT: u64 = 10;
const BEGIN: u64 = 1_640_995_200;

/// Replays an export of so many GiB.
pub(crate) fn replay(gib: f64, questions: &[String]) {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    let (files, messages) = write(folder.path(), gib, questions);
    println!(
        "replay: {gib} GiB, {CHANNELS} channels, {files} files, {messages} messages; made in {:.0?}",
        begun.elapsed()
    );
    let begun = Instant::now();
    let mut child = program()
        .args(["replay", "--brief"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let id = child.id();
    let out = child.stdout.take().expect("a pipe");
    let reader = std::thread::spawn(move || std::io::read_to_string(out).unwrap_or_default());
    let mut most = 0;
    let status = loop {
        most = most.max(memory(id, "VmHWM:"));
        if let Some(status) = child.try_wait().expect("it is ours") {
            break status;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let took = begun.elapsed();
    let told = reader.join().expect("no panic");
    let lines: Vec<&str> = told.lines().collect();
    println!(
        "  {status}: {took:.0?}, {:.0} MiB/s, {most} MiB at most",
        gib * 1024.0 / took.as_secs_f64()
    );
    for line in &lines[lines.len().saturating_sub(12)..] {
        println!("  | {line}");
    }
}

/// Writes the export; returns how many files and messages it has.
fn write(folder: &Path, gib: f64, questions: &[String]) -> (u64, u64) {
    let per_channel = (gib * 1024.0 * 1024.0 * 1024.0 / CHANNELS as f64) as u64;
    let channels: Vec<_> = (0..CHANNELS)
        .map(|at| {
            json!({"id": format!("C{at:08}"), "name": name(at), "created": BEGIN + at * 3600, "is_archived": false,
                "topic": {"value": "", "last_set": 0}, "purpose": {"value": "What this channel is for.", "last_set": 0}})
        })
        .collect();
    fs::write(
        folder.join("channels.json"),
        serde_json::to_vec(&channels).expect("JSON"),
    )
    .expect("room");
    fs::write(folder.join("users.json"), "[]").expect("room");
    let (mut files, mut messages, mut number) = (0, 0, 0_u64);
    for at in 0..CHANNELS {
        let own = folder.join(name(at));
        fs::create_dir(&own).expect("room");
        let (mut written, mut day) = (0, 0);
        while written < per_channel {
            // An export has a file for each day on which somebody wrote; a busy channel's are large.
            let path = own.join(format!("{}.json", date(at * 3600 / 86_400 + day)));
            let mut file = BufWriter::new(File::create(path).expect("room"));
            let most = if at % 50 == 0 { 64 << 20 } else { 256 << 10 };
            let (begin, mut of_day) = (BEGIN + at * 3600 / 86_400 * 86_400 + day * 86_400, 0_u64);
            file.write_all(b"[").expect("room");
            let mut size = 1;
            while size < most && written + size < per_channel {
                let text = &questions[(number * 7919 % questions.len() as u64) as usize];
                let second = begin.max(BEGIN + at * 3600) + 30 + of_day / 4;
                let ts = format!("{second}.{:06}", number % 1_000_000);
                let message = json!({
                    "user": format!("U{:06}", number % 9973), "type": "message", "ts": ts, "client_msg_id": format!("{number:032x}"),
                    "text": text, "team": "T01LOAD",
                    "user_profile": {"real_name": "Somebody Somewhere", "display_name": "somebody", "team": "T01LOAD",
                        "image_72": "https://avatars.example.com/2021-01-01/0123456789_72.png", "is_restricted": false},
                    "blocks": [{"type": "rich_text", "block_id": "b1", "elements": [{"type": "rich_text_section",
                        "elements": [{"type": "text", "text": text}]}]}],
                })
                .to_string();
                if of_day > 0 {
                    file.write_all(b",\n").expect("room");
                }
                file.write_all(message.as_bytes()).expect("room");
                size += message.len() as u64 + 2;
                of_day += 1;
                number += 1;
                messages += 1;
            }
            file.write_all(b"]\n").expect("room");
            file.flush().expect("room");
            written += size;
            day += 1;
            files += 1;
        }
    }
    (files, messages)
}

fn name(at: u64) -> String {
    if at.is_multiple_of(INCIDENT) {
        format!("inc-{at:04}-checkout-errors")
    } else {
        format!("team-{at:04}")
    }
}

/// Returns the date so many days after the first one.
fn date(days: u64) -> String {
    let (mut year, mut left) = (2022, days);
    loop {
        let length = if year % 4 == 0 { 366 } else { 365 };
        if left < length {
            break;
        }
        left -= length;
        year += 1;
    }
    let february = if year % 4 == 0 { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", left + 1)
}
