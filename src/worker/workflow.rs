//! The workflow step "Find precedents": text in, the closest past incidents out.

use serde_json::json;
use tracing::warn;

use super::{Context, JobError, Outcome};
use crate::{
    corpus::Lang,
    slack::{
        home,
        inbound::Step,
        reply::{self, RequestId},
    },
};

/// Tells a workflow that its step failed for good.
pub(super) async fn give_up(ctx: &Context, step: &Step, id: RequestId) {
    let tongue = ctx.tongue_of(Lang::from_tag(&step.lang)).typed(&step.text);
    let why = reply::failure(tongue.without_text(), id).text;
    let told = ctx
        .client
        .fail_step(step.token.as_ref(), &step.execution, &why);
    if let Err(error) = told.await {
        warn!(%error, "a workflow is not told that its step failed");
    }
}

/// Does the step and tells the workflow, whatever comes of it: one that is not told waits forever.
pub(super) async fn step(ctx: &Context, step: &Step, id: RequestId) -> Outcome {
    let Step {
        execution,
        token,
        text,
        lang,
    } = step;
    let tongue = ctx.tongue_of(Lang::from_tag(lang)).typed(text);
    let token = token.as_ref();
    if text.trim().is_empty() {
        let why = home::step_without_text(tongue.without_text());
        ctx.client.fail_step(token, execution, why).await?;
        return Ok("step without text");
    }
    let text = text.clone();
    let computed = ctx
        .compute_public(move |library| {
            let found = reply::ask(library, &text, tongue, 0);
            let message = reply::show(library, &found);
            let best = found.answer.precedents.first().map(|best| &best.case);
            let link = best.map(|case| reply::address(library, case));
            json!({
                "precedents": message.text,
                "confident": found.answer.confident,
                "best_case": best.map_or("", |case| case.id.as_str()),
                "best_title": best.map_or("", |case| case.title.get(found.view.lang)),
                "best_link": link.unwrap_or_default(),
            })
        })
        .await;
    match computed {
        Ok(outputs) => {
            ctx.client.complete_step(token, execution, &outputs).await?;
            Ok("step done")
        }
        Err(error) => {
            let why = reply::failure(tongue.without_text(), id).text;
            ctx.client.fail_step(token, execution, &why).await?;
            Err::<&'static str, JobError>(error)
        }
    }
}
