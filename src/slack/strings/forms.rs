//! The words of forms and of the bot's home, one table per language.

use crate::corpus::Lang;

/// The words of one language. Slack's limits: titles and their buttons 24 characters, labels 2,000, hints 2,000.
#[derive(Debug)]
pub(in crate::slack) struct FormStrings {
    pub(in crate::slack) refine_title: &'static str,
    pub(in crate::slack) search_title: &'static str,
    pub(in crate::slack) results_title: &'static str,
    pub(in crate::slack) submit: &'static str,
    pub(in crate::slack) cancel: &'static str,
    pub(in crate::slack) close: &'static str,
    pub(in crate::slack) text: &'static str,
    pub(in crate::slack) text_hint: &'static str,
    pub(in crate::slack) placeholder: &'static str,
    pub(in crate::slack) keep: &'static str,
    pub(in crate::slack) add: &'static str,
    pub(in crate::slack) add_placeholder: &'static str,
    pub(in crate::slack) component: &'static str,
    pub(in crate::slack) symptom: &'static str,
    pub(in crate::slack) cause: &'static str,
    pub(in crate::slack) narrow_placeholder: &'static str,
    pub(in crate::slack) since: &'static str,
    pub(in crate::slack) since_placeholder: &'static str,
    /// Nothing was entered.
    pub(in crate::slack) empty: &'static str,
    pub(in crate::slack) recent: &'static str,
    pub(in crate::slack) recent_none: &'static str,
    /// How long recent questions are kept.
    pub(in crate::slack) recent_note: &'static str,
    pub(in crate::slack) again: &'static str,
    pub(in crate::slack) library: &'static str,
    /// First words to somebody who opens a conversation.
    pub(in crate::slack) greeting: &'static str,
    /// Before questions to choose from.
    pub(in crate::slack) prompts: &'static str,
    /// A workflow's step got nothing to look up.
    pub(in crate::slack) step_without_text: &'static str,
}

static EN: FormStrings = FormStrings {
    refine_title: "Edit the question",
    search_title: "Search past incidents",
    results_title: "Past incidents",
    submit: "Search",
    cancel: "Cancel",
    close: "Close",
    text: "What you see",
    text_hint: "Narrow it with component:etcd, symptom:, cause:, org:, since:2023, lang:ko.",
    placeholder: "nodes fail the load balancer health check one by one",
    keep: "Understood; untick what is wrong",
    add: "Add what is missing",
    add_placeholder: "Type a component, symptom, cause or factor",
    component: "Component",
    symptom: "Symptom",
    cause: "Cause",
    narrow_placeholder: "Any",
    since: "Since",
    since_placeholder: "Any year",
    empty: "Say what you see, or choose something below.",
    recent: "Your recent questions",
    recent_none: "None yet. Press Search, or type /incident-like in any channel.",
    recent_note: "Only you see these. They are forgotten after a week.",
    again: "Ask again",
    library: "Read the whole library:",
    greeting: "Tell me what you see, in English, Korean or both, and I find the closest past incidents.",
    prompts: "For example",
    step_without_text: "There is nothing to look up: give the step a text.",
};

static KO: FormStrings = FormStrings {
    refine_title: "질문 고치기",
    search_title: "과거 장애 찾기",
    results_title: "과거 장애",
    submit: "찾기",
    cancel: "취소",
    close: "닫기",
    text: "보이는 현상",
    text_hint: "구성요소:etcd, 증상:, 원인:, 조직:, 이후:2023, 언어:영어처럼 적으면 범위를 좁혀요.",
    placeholder: "노드가 하나씩 로드밸런서 헬스체크에 실패해요",
    keep: "이해한 내용이에요. 아닌 것은 체크를 풀어 주세요",
    add: "빠진 내용 더하기",
    add_placeholder: "구성 요소, 증상, 원인, 요인을 입력하세요",
    component: "구성 요소",
    symptom: "증상",
    cause: "원인",
    narrow_placeholder: "전체",
    since: "이 해부터",
    since_placeholder: "모든 해",
    empty: "보이는 현상을 적거나 아래에서 골라 주세요.",
    recent: "최근에 물어본 내용",
    recent_none: "아직 없어요. 찾기를 누르거나 아무 채널에서 /incident-like를 입력해 보세요.",
    recent_note: "나에게만 보이고, 일주일 뒤에 지워져요.",
    again: "다시 찾기",
    library: "라이브러리 전체 보기:",
    greeting: "무엇이 보이는지 한국어나 영어로 적어 주세요. 가장 가까운 과거 장애를 찾아드려요.",
    prompts: "예를 들면",
    step_without_text: "찾아볼 내용이 없어요. 이 단계에 글을 넣어 주세요.",
};

impl FormStrings {
    /// Returns the words of a language.
    pub(in crate::slack) const fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &EN,
            Lang::Ko => &KO,
        }
    }
}
