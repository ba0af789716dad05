//! The prompt for a review: an incident's own text, the precedents closest to it, and what to make of them.

use std::fmt::Write;

use rmcp::{
    ErrorData,
    model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role},
};
use serde_json::Value;

use super::{args, record::shorten, refusal::echo, resource};
use crate::{
    corpus::Lang,
    library::{Answer, Evidence, Library, Lookup},
};

/// The prompt's name.
pub(super) const NAME: &str = "incident_review";

/// Precedents that are named.
const PRECEDENTS: usize = 5;

/// Longest title and longest lesson.
const LINE: usize = 280;

/// Describes the prompt.
pub(super) fn review() -> Prompt {
    let arguments = vec![
        PromptArgument::new("incident")
            .with_title("Incident")
            .with_description("What happened: notes, a timeline or the draft of a report")
            .with_required(true),
        PromptArgument::new("language")
            .with_title("Language")
            .with_description(
                "Language of the review: en or ko; that of the incident's text unless given",
            )
            .with_required(false),
    ];
    let about = "Reviews an incident against the closest past incidents: what they share, what ended them, which of their \
                 lessons and follow-ups are still missing here";
    Prompt::new(NAME, Some(about), Some(arguments)).with_title("Review an incident")
}

/// Fills the prompt.
pub(super) fn get(
    library: &Library,
    name: &str,
    arguments: &JsonObject,
) -> Result<GetPromptResult, ErrorData> {
    let invalid = |message: String| ErrorData::invalid_params(message, None);
    if name != NAME {
        let message = format!(
            "there is no prompt `{}`: the prompt is `{NAME}`",
            echo(name)
        );
        return Err(invalid(message));
    }
    let given = |name: &str| match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(invalid(format!("`{name}` is not a text"))),
    };
    let text = args::text("incident", &given("incident")?.unwrap_or_default())
        .map_err(|refusal| invalid(refusal.to_string()))?;
    let lang = match given("language")?.filter(|tag| !tag.is_empty()) {
        None => None,
        Some(tag) => Some(Lang::from_tag(&tag).ok_or_else(|| {
            invalid(format!(
                "`{}` is not a language here: give en or ko",
                echo(&tag)
            ))
        })?),
    };
    let lookup = Lookup {
        lang,
        limit: PRECEDENTS,
        ..Lookup::new(text)
    };
    let answer = library.lookup(&lookup);
    let lang = lang.unwrap_or_else(|| answer.terms.lang.answer_lang());
    let text = match lang {
        Lang::En => english(
            &lookup.text,
            &precedents(library, &answer, lang),
            answer.confident,
        ),
        Lang::Ko => korean(
            &lookup.text,
            &precedents(library, &answer, lang),
            answer.confident,
        ),
    };
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description("A review against past incidents"))
}

/// Lists the precedents, each with what it shares and its first lesson.
fn precedents(library: &Library, answer: &Answer, lang: Lang) -> String {
    let mut list = String::new();
    for precedent in &answer.precedents {
        let case = &precedent.case;
        let date = case.date.map(|date| format!(", {date}"));
        let shared: Vec<String> = precedent
            .matched
            .iter()
            .map(|evidence| match evidence {
                Evidence::Term(term) => library.label(*term, lang).to_owned(),
                Evidence::Signal(text) | Evidence::Mention(text) | Evidence::Word(text) => {
                    shorten(text, LINE)
                }
            })
            .collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            list,
            "- {} ({}{}, {}): {} [{}]",
            case.id,
            case.organisation,
            date.unwrap_or_default(),
            resource::uri(&case.id),
            shorten(case.title.get(lang), LINE),
            shared.join(", ")
        );
        if let Some(lesson) = case.lessons.first() {
            let _ = writeln!(list, "  - {}", shorten(lesson.get(lang), LINE));
        }
    }
    list
}

fn english(incident: &str, precedents: &str, confident: bool) -> String {
    let judgement = match (precedents.is_empty(), confident) {
        (true, _) => "The library has no precedent for this text.",
        (false, false) => {
            "None of these is certain to be close: they are leads. Check each before you lean on it."
        }
        (false, true) => {
            "These are close by their words, terms and signals; in brackets what they share."
        }
    };
    format!(
        "Review the incident below against past incidents of the library.

1. Read the precedents that fit with `get_incident`. Search once more with `search_incidents` for each side of the incident \
that they leave open, in the words of its alerts and logs.
2. Keep those that share the mechanism, not only the symptom, and say for each what speaks for it and what against.
3. Write the review:
   - What happened, in three sentences, from the text below alone.
   - Which precedents are close, each with its id, its organisation and its source.
   - What ended those incidents, and what was tried in vain; whether the same was possible here.
   - Lessons and follow-ups of theirs that this incident's report does not have yet, as proposals with an owner to be named.
   - Questions to answer before the review is closed.

Facts come from the text below and from the library alone. What neither says is a question, not a fact. If nothing is close, say so.

# Incident

{incident}

# Closest precedents

{judgement}

{precedents}"
    )
}

fn korean(incident: &str, precedents: &str, confident: bool) -> String {
    let judgement = match (precedents.is_empty(), confident) {
        (true, _) => "라이브러리에 이 글과 맞는 선례가 없습니다.",
        (false, false) => {
            "확실히 가깝다고 할 선례는 없습니다. 아래는 실마리이니 하나씩 확인하고 쓰세요."
        }
        (false, true) => "단어, 용어, 시그널이 가까운 선례입니다. 대괄호 안이 겹치는 부분입니다.",
    };
    format!(
        "아래 장애를 라이브러리의 과거 장애와 비교해 리뷰하세요.

1. 맞는 선례를 `get_incident`로 읽으세요. 선례가 다루지 않는 측면은 알림과 로그에 나온 표현 그대로 `search_incidents`로 다시 찾으세요.
2. 증상만이 아니라 메커니즘이 같은 선례만 남기고, 그렇게 보는 근거와 아닐 수 있는 근거를 함께 적으세요.
3. 리뷰를 쓰세요.
   - 무슨 일이 있었는지 아래 글만 보고 세 문장으로.
   - 가까운 선례마다 ID, 조직, 출처.
   - 그 장애를 끝낸 조치와 효과가 없었던 조치, 이번에도 할 수 있었는지.
   - 선례의 교훈과 후속 조치 가운데 이번 보고서에 아직 없는 것. 담당자를 정할 수 있게 제안으로.
   - 리뷰를 마치기 전에 답해야 할 질문.

사실은 아래 글과 라이브러리에서만 가져오세요. 둘 다 말하지 않는 것은 사실이 아니라 질문입니다. 가까운 선례가 없으면 없다고 쓰세요.

# 장애

{incident}

# 가장 가까운 선례

{judgement}

{precedents}"
    )
}
