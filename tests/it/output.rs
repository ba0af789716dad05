//! What the program prints, where it cannot be printed: a full disk is one clear error, and whoever stops reading gets none.

use std::{
    fs::File,
    process::{Command, Stdio},
};

/// Everything that prints more than a line, with what it is told.
const PRINTING: [&[&str]; 10] = [
    &["search", "etcd timeouts"],
    &["search", "etcd timeouts", "--json"],
    &["search", "etcd timeouts", "--explain"],
    &["search", "--component", "etcd"],
    &["lint", "corpus"],
    &["lint", "--checks"],
    &["stats"],
    &["manifest", "--url", "https://bot.example.com"],
    &["doctor", "--json", "--slack-api-url", "http://127.0.0.1:9"],
    &["doctor", "--slack-api-url", "http://127.0.0.1:9"],
];

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_incident-like"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .stderr(Stdio::piped());
    command
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_one_clear_error() {
    for arguments in PRINTING {
        let full = File::options().write(true).open("/dev/full");
        let full = full.expect("a device that is always full");
        let output = program(arguments).stdout(full).output().expect("it runs");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        let errors: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with("error: "))
            .collect();
        assert!(
            errors.len() == 1 && errors[0].starts_with("error: cannot write to standard output: "),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn whoever_stops_reading_hears_no_complaint() {
    for arguments in PRINTING {
        let mut child = program(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        // As `| head -0` does: before anything is printed.
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        // `doctor` finds faults here, and says so by its code.
        let expect = i32::from(arguments[0] == "doctor");
        assert_eq!(output.status.code(), Some(expect), "{arguments:?}: {said}");
        assert_eq!(said, "", "{arguments:?}");
    }
}
