//! Forms: changing a question, and searching from anywhere.

use std::time::Duration;

use incident_like::{
    app::Tuning,
    corpus::Lang,
    slack::action::{Action, Button},
};
use serde_json::{Value, json};

use crate::harness::{Act, Audience, Channel, Fault, Running, TEAM, TestApp, check_options, run};

const SLOW_DISK: &str = "Slow disk stalls etcd";
const EXPIRED: &str = "An expired certificate";
const ONLY_ME: Audience = Audience::ResponseUrl { in_channel: false };

fn setup() -> TestApp {
    TestApp::with_channel(Channel::public("C1", "ops"))
}

fn user() -> Value {
    json!({"id": "U0ASKER", "username": "asker", "name": "asker", "team_id": TEAM})
}

fn click(app: &Running, action: Action, text: &str, container: &Value) -> Value {
    let button = Button {
        action,
        text: text.to_owned(),
        lang: Lang::En,
    };
    let mut payload = json!({
        "type": "block_actions",
        "user": user(),
        "api_app_id": "A0APP",
        "token": "deprecated",
        "container": container,
        "trigger_id": "13345224609.738474920.8088930838d88f008e0",
        "team": {"id": TEAM, "domain": "example"},
        "enterprise": null,
        "is_enterprise_install": false,
        "actions": [{"type": "button", "action_id": button.action_id(), "block_id": "b1", "value": button.value()}],
    });
    if container["type"] == "message" {
        payload["channel"] = json!({"id": "C1", "name": "ops"});
        payload["response_url"] = app.slack.response_url().into();
    } else {
        payload["view"] = json!({"id": "V7", "hash": "h7", "type": "modal", "callback_id": ""});
    }
    payload
}

fn in_message(ephemeral: bool) -> Value {
    json!({"type": "message", "message_ts": "1700000000.000100", "channel_id": "C1", "is_ephemeral": ephemeral})
}

fn in_view() -> Value {
    json!({"type": "view", "view_id": "V7"})
}

/// Sends a form as Slack does, with what it carried.
fn submission(form: &Value, id: &str, values: &Value) -> Value {
    json!({
        "type": "view_submission",
        "team": {"id": TEAM, "domain": "example"},
        "user": user(),
        "api_app_id": "A0APP",
        "trigger_id": "1.2.3",
        "view": {
            "id": id, "team_id": TEAM, "type": "modal", "hash": "h1",
            "callback_id": form["callback_id"], "private_metadata": form["private_metadata"],
            "blocks": form["blocks"], "state": {"values": values},
        },
        "response_urls": [],
        "is_enterprise_install": false,
        "enterprise": null,
    })
}

fn options(names: &[&str]) -> Vec<Value> {
    let option = |name: &&str| json!({"text": {"type": "plain_text", "text": "…"}, "value": name});
    names.iter().map(option).collect()
}

fn block<'v>(view: &'v Value, id: &str) -> &'v Value {
    let blocks = view["blocks"].as_array().expect("blocks");
    blocks
        .iter()
        .find(|block| block["block_id"] == id)
        .unwrap_or_else(|| panic!("no `{id}` in {view}"))
}

async fn open_refine(app: &mut Running, text: &str, ephemeral: bool) -> Value {
    let payload = click(app, Action::Edit, text, &in_message(ephemeral));
    app.interact(&payload).await.empty_ok();
    let Act { method, fields } = app.act().await;
    assert_eq!(method, "views.open");
    fields["view"].clone()
}

fn refined(text: &str, keep: &[&str], add: &[&str]) -> Value {
    json!({
        "text": {"text": {"type": "plain_text_input", "value": text}},
        "keep": {"keep": {"type": "checkboxes", "selected_options": options(keep)}},
        "add": {"add": {"type": "multi_external_select", "selected_options": options(add)}},
    })
}

const QUESTION: &str = "etcd timeouts on the ingress";

#[test]
fn every_answer_can_be_edited() {
    run(setup(), async |app| {
        for text in [
            "etcd timeouts, kubectl hangs",
            "the coffee machine is broken",
            "component:etcd",
        ] {
            let body = app.slash(text).await.body;
            assert!(body.contains("precedent_edit"), "{text}: {body}");
        }
    });
}

#[test]
fn the_form_shows_what_was_understood_before_anything_is_looked_up() {
    run(setup(), async |app| {
        let held = app.hold_lookups();
        let payload = click(app, Action::Edit, QUESTION, &in_message(true));
        app.interact(&payload).await.empty_ok();
        app.slack.called("views.open", 1).await;
        drop(held);
        let view = app.act().await.fields["view"].clone();
        assert_eq!(block(&view, "text")["element"]["initial_value"], QUESTION);
        let boxes = &block(&view, "keep")["element"];
        assert_eq!(boxes["options"], boxes["initial_options"]);
        let names = boxes["options"].to_string();
        for name in [
            "component:etcd",
            "symptom:timeouts",
            "component:ingress-controller",
        ] {
            assert!(names.contains(name), "{names}");
        }
    });
}

#[test]
fn terms_are_taken_away_and_added_and_the_answer_is_replaced() {
    run(setup(), async |app| {
        let form = open_refine(app, QUESTION, true).await;
        let values = refined(
            QUESTION,
            &["symptom:timeouts", "component:ingress-controller"],
            &["symptom:tls-error"],
        );
        app.interact(&submission(&form, "V1", &values))
            .await
            .empty_ok();
        let answer = app.message().await;
        assert_eq!((&answer.to, answer.replaces), (&ONLY_ME, true));
        let first = answer.text.lines().next().expect("a line");
        assert!(first.contains("TLS") && !first.contains("etcd"), "{first}");
        assert!(answer.text.contains(EXPIRED), "{answer:?}");
        let edited = answer.blocks.last().expect("buttons").to_string();
        assert!(edited.contains("timeouts on the ingress"), "{edited}");
    });
}

#[test]
fn an_answer_that_everybody_reads_stays_as_it_is() {
    run(setup(), async |app| {
        let form = open_refine(app, QUESTION, false).await;
        let values = refined("x509 tls 502 ingress", &[], &[]);
        app.interact(&submission(&form, "V1", &values))
            .await
            .empty_ok();
        let answer = app.message().await;
        assert_eq!((&answer.to, answer.replaces), (&ONLY_ME, false));
        assert!(answer.text.contains(EXPIRED), "{answer:?}");
    });
}

#[test]
fn an_emptied_form_stays_open_with_a_word() {
    run(setup(), async |app| {
        let form = open_refine(app, "etcd", true).await;
        let answer = app
            .interact(&submission(&form, "V1", &refined("etcd", &[], &[])))
            .await;
        let json: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!(json["response_action"], "errors");
        assert!(json["errors"]["text"].is_string());
    });
}

#[test]
fn a_permit_that_ran_out_is_said_to_have() {
    run(setup(), async |app| {
        for code in ["expired_trigger_id", "exchanged_trigger_id"] {
            let refused = json!({"ok": false, "error": code});
            app.slack.fail("views.open", Fault::Refused(refused));
            let payload = click(app, Action::Edit, QUESTION, &in_message(true));
            app.interact(&payload).await.empty_ok();
            let told = app.message().await;
            assert_eq!(told.to, ONLY_ME);
            assert!(told.text.contains("press it again"), "{told:?}");
        }
    });
}

#[test]
fn without_a_token_the_command_to_type_is_given() {
    let setup = TestApp {
        token: false,
        ..setup()
    };
    run(setup, async |app| {
        let payload = click(app, Action::Edit, QUESTION, &in_message(true));
        app.interact(&payload).await.empty_ok();
        let told = app.message().await;
        assert!(
            told.text.contains(&format!("`/incident-like {QUESTION}`")),
            "{told:?}"
        );
    });
}

fn typed(menu: &str, text: &str) -> Value {
    json!({
        "type": "block_suggestion", "user": user(), "team": {"id": TEAM}, "api_app_id": "A0APP",
        "container": {"type": "view", "view_id": "V1"}, "action_id": menu, "block_id": menu, "value": text,
        "view": {"id": "V1", "type": "modal"},
    })
}

#[test]
fn menus_offer_terms_in_both_languages_while_somebody_types() {
    run(setup(), async |app| {
        for (menu, text, expect) in [
            ("component", "etc", "component:etcd"),
            ("component", "엣시", "component:etcd"),
            ("symptom", "타임", "symptom:timeouts"),
            ("symptom", "time out", "symptom:timeouts"),
            ("component", "k8s", "component:kubernetes"),
            ("add", "인증서", "component:tls-certificate"),
            ("add", "", "cause:"),
        ] {
            let offered = app.interact(&typed(menu, text)).await;
            assert_eq!(offered.status, 200);
            let json: Value = serde_json::from_str(&offered.body).expect("JSON");
            assert_eq!(check_options(&json), Vec::<String>::new());
            assert!(
                offered.body.contains(expect),
                "{menu} {text}: {}",
                offered.body
            );
        }
        for (menu, text) in [
            ("component", "qqqq"),
            ("add", "qqqq"),
            ("other", "etcd"),
            ("component", &"가".repeat(9000)),
        ] {
            let offered = app.interact(&typed(menu, text)).await;
            assert_eq!(offered.body, r#"{"options":[]}"#, "{menu}");
        }
        let best = app.interact(&typed("component", "etcd")).await.body;
        let json: Value = serde_json::from_str(&best).expect("JSON");
        assert_eq!(json["options"][0]["value"], "component:etcd");
    });
}

fn global_shortcut() -> Value {
    json!({
        "type": "shortcut", "token": "deprecated", "action_ts": "1581106241.371594",
        "team": {"id": TEAM, "domain": "example"}, "user": user(),
        "callback_id": "search_incidents", "trigger_id": "944799105734.773906753841.38b5894552bdd4a780554ee59d1f3638",
        "is_enterprise_install": false, "enterprise": null,
    })
}

fn searched(text: &str, component: &[&str], since: Option<&str>) -> Value {
    let since =
        since.map(|year| json!({"text": {"type": "plain_text", "text": year}, "value": year}));
    json!({
        "text": {"text": {"type": "plain_text_input", "value": text}},
        "component": {"component": {"type": "multi_external_select", "selected_options": options(component)}},
        "symptom": {"symptom": {"type": "multi_external_select", "selected_options": []}},
        "cause": {"cause": {"type": "multi_external_select", "selected_options": []}},
        "since": {"since": {"type": "static_select", "selected_option": since}},
    })
}

async fn open_search(app: &mut Running) -> Value {
    app.interact(&global_shortcut()).await.empty_ok();
    let Act { method, fields } = app.act().await;
    assert_eq!(method, "views.open");
    fields["view"].clone()
}

#[test]
fn the_global_shortcut_searches_from_anywhere() {
    run(setup(), async |app| {
        let form = open_search(app).await;
        block(&form, "component");
        let values = searched(
            "timeouts 502",
            &["component:ingress-controller"],
            Some("2021"),
        );
        let answer = app.interact(&submission(&form, "V1", &values)).await;
        let json: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!(json["response_action"], "update");
        let shown = json["view"]["blocks"].to_string();
        assert!(
            shown.contains(EXPIRED) && !shown.contains(SLOW_DISK),
            "{shown}"
        );
        assert!(shown.contains("precedent_details") && shown.contains("precedent_edit"));
        // A view has no channel to share into, and nobody to thank.
        assert!(!shown.contains("precedent_share") && !shown.contains("precedent_helpful"));

        let nothing = app
            .interact(&submission(&form, "V1", &searched(" ", &[], None)))
            .await;
        assert!(
            nothing.body.contains(r#""response_action":"errors""#),
            "{}",
            nothing.body
        );
    });
}

#[test]
fn people_of_another_workspace_get_no_form_and_no_answer_to_one() {
    run(setup(), async |app| {
        let search = open_search(app).await;
        let refine = open_refine(app, QUESTION, true).await;
        for mut payload in [
            global_shortcut(),
            typed("component", "etc"),
            submission(&search, "V1", &searched("etcd timeouts", &[], None)),
            submission(&refine, "V1", &refined(QUESTION, &[], &[])),
            click(app, Action::More { offset: 1 }, "etcd", &in_view()),
        ] {
            payload["user"]["team_id"] = "T0ELSEWHERE".into();
            app.interact(&payload).await.empty_ok();
        }
        app.silent().await;
        let acts = app.slack.take_acts();
        assert!(acts.is_empty(), "{acts:#?}");
    });
}

#[test]
fn details_lie_over_the_results_and_further_ones_take_their_place() {
    run(setup(), async |app| {
        let case = "IL-9001".parse().expect("a valid id");
        let details = click(app, Action::Details { case }, "", &in_view());
        app.interact(&details).await.empty_ok();
        app.settle().await;
        let acts = app.slack.take_acts();
        let methods: Vec<&str> = acts.iter().map(|act| act.method.as_str()).collect();
        assert_eq!(methods, ["views.push", "views.update"]);
        assert!(acts[1].fields["view"].to_string().contains(SLOW_DISK));

        let more = click(
            app,
            Action::More { offset: 1 },
            "etcd timeouts, kubectl hangs",
            &in_view(),
        );
        app.interact(&more).await.empty_ok();
        let Act { method, fields } = app.act().await;
        assert_eq!(method, "views.update");
        assert_eq!(
            (&fields["view_id"], &fields["hash"]),
            (&json!("V7"), &json!("h7"))
        );

        let edit = click(app, Action::Edit, "etcd component:etcd", &in_view());
        app.interact(&edit).await.empty_ok();
        let form = app.act().await.fields["view"].clone();
        assert_eq!(
            block(&form, "text")["element"]["initial_value"],
            "etcd component:etcd"
        );
    });
}

#[test]
fn a_view_that_somebody_closed_is_no_failure() {
    run(setup(), async |app| {
        let gone = json!({"ok": false, "error": "not_found"});
        app.slack.fail("views.update", Fault::Refused(gone));
        let more = click(app, Action::More { offset: 1 }, "etcd timeouts", &in_view());
        app.interact(&more).await.empty_ok();
        app.silent().await;
    });
}

#[test]
fn past_the_deadline_the_results_follow_into_the_view() {
    let quick = setup();
    let setup = TestApp {
        tuning: Tuning {
            deadline: Duration::from_millis(20),
            ..quick.tuning
        },
        ..quick
    };
    run(setup, async |app| {
        let form = open_search(app).await;
        let held = app.hold_lookups();
        let values = searched("etcd timeouts, kubectl hangs", &[], None);
        let answer = app.interact(&submission(&form, "V1", &values)).await;
        assert!(answer.body.contains("Searching"), "{}", answer.body);
        drop(held);
        let Act { method, fields } = app.act().await;
        assert_eq!(
            (method.as_str(), &fields["view_id"]),
            ("views.update", &json!("V1"))
        );
        assert!(fields["view"].to_string().contains(SLOW_DISK));
    });
}

#[test]
fn odd_forms_and_menus_are_ignored() {
    run(setup(), async |app| {
        for view in [
            json!({"callback_id": "other", "private_metadata": "", "blocks": []}),
            json!({"callback_id": "precedent_refine", "private_metadata": "no JSON", "blocks": []}),
        ] {
            let sent = submission(&view, "V1", &json!({}));
            app.interact(&sent).await.empty_ok();
        }
        let mut other = global_shortcut();
        other["callback_id"] = "something_else".into();
        app.interact(&other).await.empty_ok();
        app.silent().await;
    });
}
