//! The program itself: what `serve` says when it cannot start.

use std::{
    fs,
    process::{Command, Output},
};

fn serve(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_incident-like"))
        .arg("serve")
        .args(arguments)
        .env_clear()
        // Nothing to listen on: a test must not leave a service behind.
        .args(["--listen", "192.0.2.1:9"])
        .output()
        .expect("the program runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_broken_corpus_is_not_served_and_its_errors_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("cases")).expect("a folder");
    fs::write(
        folder.path().join("cases/IL-9999.toml"),
        "id = \"IL-9999\"\ncauses = [\"softwere\"]\n",
    )
    .expect("a file");
    let path = folder.path().to_str().expect("a UTF-8 path");
    let output = serve(&["--signing-secret", "s3cret", "--corpus", path]);
    let shown = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("IL-9999.toml:2:"), "{shown}");
    assert!(shown.contains("nothing is served"), "{shown}");
    assert!(!shown.contains("s3cret"), "{shown}");
}

#[test]
fn missing_settings_are_named() {
    let output = serve(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--signing-secret"),
        "{}",
        stderr(&output)
    );
    let output = serve(&["--signing-secret", "s3cret", "--corpus", "/nonexistent"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("/nonexistent"),
        "{}",
        stderr(&output)
    );
}
