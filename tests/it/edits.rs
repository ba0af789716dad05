//! A suggestion that changes: in place, when something closer was said, and as long as people want it.

use std::path::Path;

use incident_like::{
    corpus::Lang,
    slack::action::{Action, Button},
};
use serde_json::{Value, json};

use crate::harness::{
    Act, Audience, BOT_USER, Channel, Fault, Running, TEAM, TestApp, channel_created, mention,
    message, run,
};

const FIRST: &str = "names fail to resolve";
const CLOSER: &str = "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out, etcd is slow";

#[test]
fn explore() {
    use incident_like::library::Lookup;
    for text in [
        FIRST.to_owned(),
        format!("api\n{FIRST}"),
        format!("api\n{FIRST}\n{CLOSER}"),
        "api\nNXDOMAIN in DNS".to_owned(),
        format!("api\nNXDOMAIN in DNS\n{CLOSER}"),
        "api\nRedis is OOM killed".into(),
        format!("api\nRedis is OOM killed\n{CLOSER}"),
        "api\n502 from the ingress".into(),
        format!("api\n502 from the ingress\n{CLOSER}"),
        format!("api\n502 from the ingress\n{CLOSER}\netcd timeouts, fsync on the disk"),
    ] {
        let answer = crate::harness::LIBRARY.lookup(&Lookup::new(text.clone()));
        let top: Vec<_> = answer
            .precedents
            .iter()
            .map(|p| (p.case.id.to_string(), p.score))
            .collect();
        eprintln!(
            "{text:?} {} {} {top:?}",
            answer.confident, answer.confidence
        );
    }
}
