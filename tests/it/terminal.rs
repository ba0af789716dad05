//! `search` for one case by its id.

use std::process::{Command, Output};

use incident_like::corpus::Lang;
use serde_json::Value;

use crate::corpus::BUNDLED;

fn search(arguments: &[&str], columns: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_incident-like"))
        .arg("search")
        .args(arguments)
        .env_clear()
        .env("COLUMNS", columns)
        .output()
        .expect("the program runs")
}

fn printed(arguments: &[&str], columns: &str) -> String {
    let output = search(arguments, columns);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_case_is_printed_whole_by_its_id() {
    use unicode_width::UnicodeWidthStr;

    let case = BUNDLED.corpus().get(&"IL-0493".parse().expect("an id"));
    let case = case.expect("it exists");
    let page = printed(&["IL-0493"], "60");
    for written in ["il-493", "IL-493", "il-0493"] {
        assert_eq!(printed(&[written], "60"), page, "{written}");
    }
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (lang, page) in [
        (Lang::En, page.clone()),
        (Lang::Ko, printed(&["IL-0493", "--lang", "ko"], "60")),
    ] {
        let whole = spaced(&page);
        let lessons = case.lessons.iter();
        let texts = lessons.chain(case.actions.iter().map(|action| &action.text));
        let texts = texts.chain(case.follow_ups.iter().map(|own| &own.text));
        for text in texts.chain([&case.title, &case.summary, &case.symptoms_seen, &case.cause]) {
            assert!(
                whole.contains(&spaced(text.get(lang))),
                "{} is not in {page}",
                text.get(lang)
            );
        }
        for source in &case.sources {
            assert!(whole.contains(&source.url));
        }
    }
    let long = page.lines().filter(|line| line.width() > 60);
    let mut words = long.flat_map(|line| line.split(' ').filter(|word| word.width() > 3));
    // Only addresses may stand out.
    assert!(words.all(|word| word.contains("://") || word.width() < 60));
    let json: Value = serde_json::from_str(&printed(&["IL-493", "--json"], "60")).expect("JSON");
    assert_eq!(json["id"], "IL-0493");
    assert!(json["title"]["ko"].is_string() && json["title"]["en"].is_string());
}

#[test]
fn an_unknown_id_comes_with_what_may_be_meant() {
    let output = search(&["IL-04933"], "");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && told.contains("there is no case `IL-04933`"),
        "{told}"
    );
    assert!(told.contains("did you mean `IL-0493`?"), "{told}");
    // No case has such a number: these are words of a question.
    assert!(search(&["SEV-1"], "").status.success());
}

#[test]
fn answers_are_as_wide_as_the_screen() {
    use unicode_width::UnicodeWidthStr;

    let widest = |columns: &str| {
        let page = printed(&["etcd timeouts"], columns);
        page.lines().map(UnicodeWidthStr::width).max().unwrap_or(0)
    };
    assert!(widest("50") <= 50);
    assert!((61..=92).contains(&widest("")));
    assert!((93..=120).contains(&widest("120")));
}
