//! How the service bears load: the release program over loopback, asked by people, by Slack and by browsers.
//!
//! `cargo bench --bench load` runs all scenarios but the long one; `cargo bench --bench load -- commands pages` those that
//! are named. `program=PATH` measures another build, `gib=1` makes the export of `replay` smaller. The README beside this folder says what each does and what it measured.
//!
//! Requests leave at fixed times, whether earlier ones were answered or not, and a time counts from when the request was
//! due: an answer that comes late delays nothing and hides nothing. The load is made on the same cores as the answers.

#![expect(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a benchmark prints its figures"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark paces its requests and signs them with the time"
)]

use std::{env, path::Path};

use incident_like::eval::Gold;

mod browse;
mod export;
mod fake_slack;
mod figures;
mod service;
mod slack;

/// What can be measured, by name.
const SCENARIOS: [&str; 6] = ["start", "pages", "typing", "commands", "events", "replay"];

#[tokio::main]
async fn main() {
    incident_like::app::install_crypto_provider();
    let mut asked: Vec<String> = env::args()
        .skip(1)
        .filter(|name| name != "--bench")
        .collect();
    let value = |name: &str| {
        asked
            .iter()
            .find_map(|own| own.strip_prefix(name)?.strip_prefix('='))
    };
    let size = value("gib").map_or(10.0, |size| size.parse().expect("a number"));
    if let Some(program) = value("program") {
        service::PROGRAM.get_or_init(|| program.into());
    }
    asked.retain(|name| !name.contains('='));
    for name in &asked {
        assert!(
            SCENARIOS.contains(&name.as_str()),
            "`{name}` is none of {SCENARIOS:?}"
        );
    }
    if asked.is_empty() {
        // The last one writes gigabytes.
        asked = SCENARIOS[..5].iter().map(ToString::to_string).collect();
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/relevance");
    let gold = Gold::load(&folder).expect("the gold sets");
    let questions: Vec<String> = gold.queries.into_iter().map(|query| query.text).collect();
    for name in asked {
        match name.as_str() {
            "start" => service::starts().await,
            "pages" => browse::pages(&questions).await,
            "typing" => browse::typing(&questions).await,
            "commands" => slack::commands(&questions).await,
            "events" => slack::events(&questions).await,
            _ => export::replay(size, &questions),
        }
    }
}
