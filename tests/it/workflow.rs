//! The workflow step "Find precedents".

use serde_json::{Value, json};

use crate::harness::{Fault, STEP_TOKEN, TestApp, run};

pub(crate) fn executed(execution: &str, inputs: &Value) -> Value {
    json!({
        "type": "function_executed",
        "function": {
            "id": "Fn123456789O", "callback_id": "find_precedents", "title": "Find precedents",
            "description": "", "type": "app", "app_id": "A0APP", "date_created": 1_694_727_597,
            "input_parameters": [], "output_parameters": [],
        },
        "inputs": inputs,
        "function_execution_id": execution,
        "workflow_execution_id": "Wx1",
        "event_ts": "1698958075.998738",
        "bot_access_token": STEP_TOKEN,
    })
}

#[test]
fn a_step_gives_the_closest_precedents() {
    run(TestApp::default(), async |app| {
        let step = || executed("Fx1", &json!({"text": "etcd timeouts, kubectl hangs"}));
        for id in ["Ev1", "Ev1", "Ev2"] {
            app.event(id, step()).await.empty_ok();
        }
        let act = app.act().await;
        assert_eq!(act.method, "functions.completeSuccess");
        assert_eq!(act.fields["function_execution_id"], "Fx1");
        let outputs = &act.fields["outputs"];
        assert_eq!(outputs["best_case"], "IL-9001");
        assert_eq!(outputs["confident"], true);
        assert_eq!(outputs["best_link"], "https://example.com/il-9001");
        assert!(
            outputs["precedents"]
                .as_str()
                .is_some_and(|text| text.contains("Slow disk"))
        );

        let korean = executed("Fx2", &json!({"text": "etcd timeouts", "lang": "ko"}));
        app.event("Ev3", korean).await.empty_ok();
        let outputs = app.act().await.fields["outputs"].clone();
        assert!(
            outputs["best_title"]
                .as_str()
                .is_some_and(|title| title.contains("느린 디스크"))
        );
    });
}

#[test]
fn a_workflow_is_told_why_its_step_failed() {
    run(TestApp::default(), async |app| {
        app.event("Ev1", executed("Fx1", &json!({"text": "  "})))
            .await
            .empty_ok();
        let act = app.act().await;
        assert_eq!(act.method, "functions.completeError");
        assert!(
            act.fields["error"]
                .as_str()
                .is_some_and(|why| why.contains("nothing to look up"))
        );
    });
}

#[test]
fn a_step_that_fails_for_good_is_completed_with_an_error() {
    run(TestApp::default(), async |app| {
        let refused = json!({"ok": false, "error": "parameter_validation_failed"});
        app.slack
            .fail("functions.completeSuccess", Fault::Refused(refused));
        app.event("Ev1", executed("Fx1", &json!({"text": "etcd timeouts"})))
            .await
            .empty_ok();
        let act = app.act().await;
        assert_eq!(act.method, "functions.completeError");
        let why = act.fields["error"].as_str().unwrap_or_default();
        assert!(why.contains("lookup failed"), "{act:?}");
    });
}

#[test]
fn the_answer_is_tried_again_and_other_steps_are_left_alone() {
    run(TestApp::default(), async |app| {
        app.slack
            .fail("functions.completeSuccess", Fault::Status(500));
        app.event("Ev1", executed("Fx1", &json!({"text": "etcd"})))
            .await
            .empty_ok();
        app.act().await;
        let mut other = executed("Fx2", &json!({"text": "etcd"}));
        other["function"]["callback_id"] = "something_else".into();
        app.event("Ev2", other).await.empty_ok();
        app.silent().await;
    });
}
