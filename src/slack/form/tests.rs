use std::{fs, path::PathBuf, sync::LazyLock};

use serde_json::json;

use super::*;
use crate::{
    corpus::{self, Checks, Corpus},
    slack::{
        home::{Admin, Page, home},
        inbound::{Asker, Place, Submission, Trigger, ViewRef},
        pattern::Pattern,
        render::Settings,
        reply::{self, Tongue},
        setting::{Here, Saved, Set},
    },
};

/// The frozen cases that golden messages are made of.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/render");
    let loaded = Corpus::load(&[corpus::Origin::Folder(folder)], Checks::Structure);
    Library::new(loaded.expect("it can be read").corpus).at("https://incidents.example.com")
});

const QUESTION: [&str; 2] = [
    "nodes fail the load balancer health check, etcd timeouts component:etcd",
    "노드가 로드 밸런서 헬스체크에 실패하고 etcd 타임아웃이 나요 구성요소:etcd",
];

fn views(lang: Lang) -> Vec<(&'static str, SlackView)> {
    let question = QUESTION[usize::from(lang == Lang::Ko)];
    let library = &*LIBRARY;
    let origin = Origin::new(&"C1".into(), None, None, true, lang);
    let answer = reply::answer(library, question, Tongue::only(lang), 0);
    let patterns: Vec<Pattern> = ["inc-*", "장애-*"]
        .iter()
        .filter_map(|pattern| pattern.parse().ok())
        .collect();
    let set = |name: &str, word: &str| Set::read(&[(name.to_owned(), word.to_owned())].into());
    let settings = |workspace: Set| Settings {
        here: Here::new(None, workspace, &patterns),
        saved: None,
        lang,
        token: true,
        allowed_channels: 0,
        missing: Vec::new(),
    };
    let recent = vec![question.to_owned(), "<!channel> *502*".to_owned()];
    let member = Page {
        settings: settings(set("voice", "ask")),
        recent,
        admin: Admin::No,
    };
    let admin = Page {
        settings: Settings {
            saved: Some(Saved::Yes),
            missing: vec!["bookmarks:write".to_owned()],
            ..settings(set("patterns", "inc-*,ops-*"))
        },
        recent: Vec::new(),
        admin: Admin::Yes,
    };
    vec![
        ("refine", refine(library, question, lang, origin)),
        ("search", search(library, "", lang)),
        ("results", results(&answer, lang)),
        ("searching", searching(lang)),
        ("home", home(library, &member, lang)),
        ("home-admin", home(library, &admin, lang)),
    ]
}

/// Slack's own SDKs check these files too (`tests/slack_sdk`). `UPDATE_GOLDEN=1` writes them anew.
#[test]
fn views_are_as_the_golden_files_show() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/views");
    for lang in Lang::ALL {
        for (name, view) in views(lang) {
            let path = folder.join(format!("{name}.{lang}.json"));
            let json = serde_json::to_string_pretty(&view).expect("JSON") + "\n";
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                fs::write(&path, &json).expect("the file can be written");
            }
            let expect = fs::read_to_string(&path).unwrap_or_default();
            assert!(
                expect == json,
                "{name} differs; UPDATE_GOLDEN=1 rewrites it. It is now:\n{json}"
            );
        }
    }
}

fn sent(text: &str, keep: &[&str], add: &[&str]) -> Submission {
    let options = |names: &[&str]| -> Vec<Value> {
        names.iter().map(|name| json!({ "value": name })).collect()
    };
    Submission {
        asker: Asker {
            place: Place {
                team: "T1".to_owned(),
                channel: "C1".into(),
            },
            user: "U1".into(),
            thread: None,
            response_url: None,
            press: Trigger::default(),
        },
        view: ViewRef {
            id: "V1".to_owned(),
            hash: None,
        },
        form: REFINE.to_owned(),
        carried: String::new(),
        values: json!({
            "text": {"text": {"value": text}},
            "keep": {"keep": {"selected_options": options(keep)}},
            "add": {"add": {"selected_options": options(add)}},
        }),
    }
}

/// What comes of a question when a form is sent with these boxes ticked and these terms added.
fn check(question: &str, text: &str, keep: &[&str], add: &[&str], expect: Result<&str, Empty>) {
    let origin = Origin::new(&"C1".into(), None, None, true, Lang::En);
    let SlackView::Modal(view) = refine(&LIBRARY, question, Lang::En, origin) else {
        panic!("a modal");
    };
    let carried = view.private_metadata.expect("it carries something");
    let origin = Origin::read(&carried).expect("what was written");
    let question = refined(&LIBRARY, &sent(text, keep, add), &origin, Lang::En);
    assert_eq!(question.as_deref().map_err(|error| *error), expect);
}

#[test]
fn unticked_words_go_and_added_names_come() {
    let asked = "etcd timeouts, kubectl hangs since:2020";
    let all = [
        "component:etcd",
        "symptom:timeouts",
        "component:kubernetes-api-server",
        "symptom:control-plane-unavailable",
    ];
    check(asked, asked, &all, &[], Ok(asked));
    check(
        asked,
        asked,
        &all[1..],
        &[],
        Ok("timeouts, kubectl hangs since:2020"),
    );
    check(
        asked,
        asked,
        &all,
        &["symptom:tls-error"],
        Ok("etcd timeouts, kubectl hangs since:2020 TLS or certificate errors"),
    );
    // What is there already is not added twice; what is unknown is not added at all.
    check(
        asked,
        asked,
        &all,
        &["component:etcd", "component:nothing", "x"],
        Ok(asked),
    );
    // What was written meanwhile stays, also when the form did not know it.
    check(asked, "redis oom etcd", &all[1..], &[], Ok("redis oom"));
    check("etcd", "etcd", &[], &[], Err(Empty));
    check(
        "etcd",
        " ",
        &["component:etcd"],
        &["component:etcd"],
        Ok("etcd"),
    );
}

#[test]
fn every_term_can_be_added_so_that_it_is_understood() {
    for lang in Lang::ALL {
        for (term, _) in LIBRARY.corpus().vocabulary().iter() {
            let origin = Origin::new(&"C1".into(), None, None, true, lang);
            let name = name_of(&LIBRARY, term);
            let question = refined(&LIBRARY, &sent("", &[], &[&name]), &origin, lang);
            let question = question.expect("something was added");
            let asked = crate::slack::command::narrow::understand(&LIBRARY, &question);
            let understood = LIBRARY
                .extract(&asked.text)
                .distinct_terms()
                .any(|own| own == term);
            assert!(
                understood || asked.filters.terms == [term],
                "{name}: {question}"
            );
        }
    }
}

#[test]
fn a_form_that_is_too_long_is_cut_and_odd_ones_are_no_harm() {
    let long = "가🔥 etcd ".repeat(2000);
    let origin = Origin::new(&"C1".into(), None, None, true, Lang::Ko);
    let view = serde_json::to_value(refine(&LIBRARY, &long, Lang::Ko, origin)).expect("JSON");
    let initial = view["blocks"][0]["element"]["initial_value"]
        .as_str()
        .expect("a text");
    assert_eq!(initial.chars().count(), TEXT_LENGTH);
    for carried in ["", "null", "{}", "[1]", r#"{"l":5}"#] {
        assert!(Origin::read(carried).is_none(), "{carried}");
    }
}
