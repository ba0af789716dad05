//! Forms in Slack: what their menus offer, and what happens when they are sent.

use tracing::{debug, error};

use super::{AppState, slack_answer::Answer};
use crate::{
    corpus::{Lang, Viewer},
    slack::{
        form::{self, Empty, Origin},
        inbound::{Asker, Submission, Typed},
        render::{self, Notice},
        reply::{self, RequestId},
    },
    worker::{Job, NotTaken, Refined},
};

/// Offers what fits the text that is being typed into a menu.
pub(super) async fn offer(state: &AppState, typed: Typed) -> Answer {
    let lang = state.worker.tongue(&typed.team, &typed.user).await;
    let lang = lang.without_text();
    let library = state.library.load();
    let options = form::options(&library, &typed.menu, &typed.text, lang);
    Answer::json(&options)
}

/// Takes a form that was sent.
pub(super) async fn sent(state: &AppState, submission: Submission) -> Result<Answer, NotTaken> {
    match submission.form.as_str() {
        form::SEARCH => Ok(search(state, submission).await),
        form::REFINE => refine(state, submission).await,
        _ => {
            debug!("ignored a form of another name");
            Ok(Answer::Empty)
        }
    }
}

/// Shows the answer in the form's place: in the response itself, or, past the deadline, when it is there.
async fn search(state: &AppState, submission: Submission) -> Answer {
    let id = RequestId::random();
    let Asker { place, user, .. } = &submission.asker;
    let tongue = state.worker.tongue(&place.team, user).await;
    let question = match form::asked(&submission) {
        Ok(question) => question,
        Err(Empty) => return Answer::json(&form::empty(tongue.without_text())),
    };
    let tongue = tongue.typed(&question);
    let lang = tongue.without_text();
    if !state
        .limit
        .admits(&submission.asker.place, &submission.asker.user)
    {
        let view = form::results(&render::notice(lang, &Notice::SlowDown), lang);
        return Answer::json(&form::update(&view));
    }
    state.worker.remember(&submission.asker, &question).await;
    let opinions = state.worker.opinions(&submission.asker.place.team).await;
    let everybody = state.library.load().seen_by(Viewer::default());
    let library = everybody.judged_by(opinions);
    let mut work = state
        .turns
        .ask(move || reply::answer(&library, &question, tongue, 0));
    let view = match tokio::time::timeout(state.deadline, &mut work).await {
        Ok(Ok(message)) => form::results(&message, lang),
        Ok(Err(_)) => {
            error!(%id, "a lookup panicked");
            form::results(&reply::failure(lang, id), lang)
        }
        Err(_) => {
            let mut view = submission.view;
            // The view that waits is another state of this one.
            view.hash = None;
            let job = Job::LateView {
                team: submission.asker.place.team,
                view,
                answer: work,
                failure: reply::failure(lang, id),
                lang,
            };
            match state.worker.submit(job).await {
                Ok(()) => form::searching(lang),
                Err(_) => form::results(&reply::failure(lang, id), lang),
            }
        }
    };
    Answer::json(&form::update(&view))
}

/// Closes the form; the answer goes to where its button was.
async fn refine(state: &AppState, submission: Submission) -> Result<Answer, NotTaken> {
    let Some(origin) = Origin::read(&submission.carried) else {
        debug!("ignored a form that carries nothing");
        return Ok(Answer::Empty);
    };
    let Asker { place, user, .. } = &submission.asker;
    let tongue = state.worker.tongue(&place.team, user).await;
    let lang: Lang = origin.lang().unwrap_or_else(|| tongue.without_text());
    let refined = form::refined(&state.library.load(), &submission, &origin, lang);
    let text = match refined {
        Ok(text) => text,
        Err(Empty) => return Ok(Answer::json(&form::empty(lang))),
    };
    let admitted = state
        .limit
        .admits(&submission.asker.place, &submission.asker.user);
    if admitted {
        state.worker.remember(&submission.asker, &text).await;
    }
    let Asker {
        place, user, press, ..
    } = submission.asker;
    let mut place = place;
    place.channel = origin.channel();
    let asker = Asker {
        place,
        user,
        thread: origin.thread(),
        response_url: origin.response_url(),
        press,
    };
    let job = if admitted {
        Job::Refined(Refined {
            asker,
            text,
            lang,
            replaces: origin.replaces,
        })
    } else {
        Job::Refuse(asker, Notice::SlowDown)
    };
    state.worker.submit(job).await?;
    Ok(Answer::Empty)
}
