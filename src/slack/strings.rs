//! Every word of ours that people read in Slack, one table per language.

use crate::corpus::{FollowUpState, Lang, Outcome, SourceKind};

/// The words of one language.
#[derive(Debug)]
pub(super) struct Strings {
    /// What was understood, before the chips.
    pub(super) understood: &'static str,
    /// Terms that the asker excludes, before them.
    pub(super) not: &'static str,
    /// Heading of later pages, before `4–6`.
    pub(super) more_precedents: &'static str,
    /// There is no further page.
    pub(super) no_more: &'static str,
    /// The best hits are not close.
    pub(super) no_close: &'static str,
    /// What the distant hits are worth.
    pub(super) distant: &'static str,
    /// Nothing at all was found.
    pub(super) nothing_found: &'static str,
    /// Nothing at all was understood.
    pub(super) nothing_understood: &'static str,
    /// How to ask better, after a poor answer.
    pub(super) ask_better: &'static str,
    /// Cases per term, before them.
    pub(super) topics: &'static str,
    pub(super) why: &'static str,
    pub(super) what_happened: &'static str,
    pub(super) what_worked: &'static str,
    /// When no action is known to have worked.
    pub(super) what_they_did: &'static str,
    /// Before an action that did not help.
    pub(super) tried: &'static str,
    pub(super) lesson: &'static str,
    pub(super) lessons: &'static str,
    pub(super) follow_ups: &'static str,
    pub(super) source: &'static str,
    pub(super) sources: &'static str,
    pub(super) references: &'static str,
    pub(super) archived: &'static str,
    pub(super) severity: &'static str,
    pub(super) recovered: &'static str,
    pub(super) detected: &'static str,
    pub(super) summary: &'static str,
    pub(super) impact: &'static str,
    pub(super) affected: &'static str,
    pub(super) seen: &'static str,
    pub(super) trigger: &'static str,
    pub(super) mechanism: &'static str,
    pub(super) detection: &'static str,
    pub(super) actions: &'static str,
    pub(super) signals: &'static str,
    pub(super) regions: &'static str,
    pub(super) tags: &'static str,
    pub(super) related: &'static str,
    pub(super) nothing_related: &'static str,
    pub(super) withdrawn: &'static str,
    pub(super) superseded: &'static str,
    /// After a list that was cut, before the number left out.
    pub(super) further: &'static str,
    /// Titles of buttons.
    pub(super) button_details: &'static str,
    pub(super) button_more: &'static str,
    pub(super) button_share: &'static str,
    pub(super) button_helpful: &'static str,
    pub(super) button_not_this: &'static str,
    /// Head of an automatic suggestion.
    pub(super) suggestion: &'static str,
    /// Why it came, before the chips.
    pub(super) suggestion_why: &'static str,
    /// What an automatic suggestion is, at its end.
    pub(super) suggestion_note: &'static str,
    /// After the sharer's name.
    pub(super) shared: &'static str,
    /// What this is, first line of help.
    pub(super) help_title: &'static str,
    pub(super) help_ask: &'static str,
    /// Questions to type, each with its style.
    pub(super) examples: &'static [(&'static str, &'static str)],
    pub(super) help_more: &'static str,
    pub(super) help_channel: &'static str,
    pub(super) nothing_typed: &'static str,
    pub(super) failure: &'static str,
    pub(super) request_id: &'static str,
    pub(super) own: &'static str,
    pub(super) searching: &'static str,
    pub(super) busy: &'static str,
    pub(super) thanks_helpful: &'static str,
    pub(super) thanks_not_this: &'static str,
    pub(super) feedback_taken_back: &'static str,
    pub(super) unknown_case: &'static str,
    pub(super) share_refused: &'static str,
    pub(super) share_uncertain: &'static str,
    pub(super) share_failed: &'static str,
    pub(super) message_without_text: &'static str,
}

static EN: Strings = Strings {
    understood: "Understood:",
    not: "not:",
    more_precedents: "Further precedents",
    no_more: "There are no further precedents.",
    no_close: "No close precedent",
    distant: "The nearest cases are distant: leads, not answers.",
    nothing_found: "No case in the library has anything of this.",
    nothing_understood: "I found no component, symptom or error message in this.",
    ask_better: "Say what you see: which part, what it does, an error as it is logged.",
    topics: "Cases in the library:",
    why: "Why",
    what_happened: "What happened",
    what_worked: "What worked",
    what_they_did: "What they did",
    tried: "Tried:",
    lesson: "Lesson",
    lessons: "Lessons",
    follow_ups: "Follow-ups",
    source: "Source",
    sources: "Sources",
    references: "Further reading",
    archived: "archived",
    severity: "severity",
    recovered: "recovered in",
    detected: "detected in",
    summary: "Summary",
    impact: "Impact",
    affected: "Affected",
    seen: "What was seen",
    trigger: "Trigger",
    mechanism: "Mechanism",
    detection: "Detection",
    actions: "Actions",
    signals: "Signals",
    regions: "Regions",
    tags: "Tags",
    related: "Related cases",
    nothing_related: "No case in the library is close to this one.",
    withdrawn: "This case was withdrawn.",
    superseded: "Superseded by",
    further: "more",
    button_details: "Details",
    button_more: "More",
    button_share: "Share",
    button_helpful: "👍 Helpful",
    button_not_this: "👎 Not this",
    suggestion: "This looks like incidents that others have had",
    suggestion_why: "From this channel's name, topic and first messages:",
    suggestion_note: "Automatic suggestion, posted once.",
    shared: "shared a past incident",
    help_title: "Find past incidents like the one you have",
    help_ask: "Say what you see, in your words, in English, Korean or both. Paste error messages as they are.",
    examples: &[
        (
            "nodes fail the load balancer health check one by one",
            "a sentence",
        ),
        ("etcd timeouts after upgrade 503", "keywords and codes"),
        ("502 from ingress, not DNS", "what it is not also helps"),
    ],
    help_more: "In a thread, mention me with the same words; on any message, choose “Find similar incidents” from its menu. Only you see what the command finds, until you press Share.",
    help_channel: "What this channel suggests",
    nothing_typed: "Tell me what you see, for example:",
    failure: "Sorry, the lookup failed. Please try again.",
    request_id: "If it fails again, give your admins this request id:",
    own: "your own",
    searching: "Searching…",
    busy: "I am busy right now. Please try again in a minute.",
    thanks_helpful: "Thanks, noted that it helped.",
    thanks_not_this: "Thanks, noted that it is not like this.",
    feedback_taken_back: "Taken back.",
    unknown_case: "There is no such case:",
    share_refused: "I post nothing into channels shared with other organisations. What you found stays visible to you.",
    share_uncertain: "I post nothing where I cannot see whether the channel is shared with other organisations. Invite me to this channel and try again.",
    share_failed: "I could not post this case into the channel. If it does not show up in a minute, press Share again.",
    message_without_text: "That message has no text to look up.",
};

static KO: Strings = Strings {
    understood: "이해한 내용:",
    not: "제외:",
    more_precedents: "다음 선례",
    no_more: "더 보여드릴 선례가 없어요.",
    no_close: "가까운 선례가 없어요",
    distant: "아래는 그나마 가까운 사례예요. 답이 아니라 실마리로만 봐 주세요.",
    nothing_found: "라이브러리에 관련된 사례가 하나도 없어요.",
    nothing_understood: "구성 요소나 증상, 에러 메시지를 찾지 못했어요.",
    ask_better: "어디서 무엇이 보이는지, 에러가 있으면 로그 그대로 적어 주세요.",
    topics: "라이브러리에 있는 사례:",
    why: "근거",
    what_happened: "경위",
    what_worked: "효과 있던 조치",
    what_they_did: "취한 조치",
    tried: "시도:",
    lesson: "교훈",
    lessons: "교훈",
    follow_ups: "후속 조치",
    source: "출처",
    sources: "출처",
    references: "더 읽을거리",
    archived: "보관본",
    severity: "심각도",
    recovered: "복구",
    detected: "감지",
    summary: "요약",
    impact: "영향",
    affected: "영향받은 사용자",
    seen: "나타난 증상",
    trigger: "발단",
    mechanism: "메커니즘",
    detection: "감지 경위",
    actions: "조치",
    signals: "시그널",
    regions: "리전",
    tags: "태그",
    related: "관련 사례",
    nothing_related: "라이브러리에 이 사례와 가까운 사례가 없어요.",
    withdrawn: "철회된 사례예요.",
    superseded: "대체한 사례:",
    further: "개 더",
    button_details: "자세히",
    button_more: "더 보기",
    button_share: "공유",
    button_helpful: "👍 도움 됐어요",
    button_not_this: "👎 달라요",
    suggestion: "비슷한 장애를 겪은 곳이 있어요",
    suggestion_why: "채널 이름과 주제, 첫 메시지에서 찾은 내용:",
    suggestion_note: "자동 제안이에요. 한 번만 올려요.",
    shared: "님이 과거 장애를 공유했어요",
    help_title: "지금 장애와 비슷한 과거 장애를 찾아드려요",
    help_ask: "보이는 그대로 편하게 적어 주세요. 한국어, 영어, 섞어 써도 돼요. 에러 메시지는 그대로 붙여 넣으세요.",
    examples: &[
        ("노드가 하나씩 로드밸런서 헬스체크에 실패해요", "문장으로"),
        ("etcd 타임아웃 업그레이드 503", "키워드와 코드로"),
        (
            "인그레스에서 502, DB는 정상",
            "아닌 것을 알려줘도 도움이 돼요",
        ),
    ],
    help_more: "스레드에서는 저를 멘션하고 똑같이 적어 주세요. 메시지 메뉴의 “Find similar incidents”로도 찾을 수 있어요. 명령으로 찾은 내용은 공유를 누르기 전까지 나에게만 보여요.",
    help_channel: "이 채널 내용으로 찾아봤어요",
    nothing_typed: "무엇이 보이는지 적어 주세요. 예를 들면:",
    failure: "죄송해요, 찾다가 문제가 생겼어요. 다시 시도해 주세요.",
    request_id: "또 실패하면 관리자에게 이 요청 ID를 알려 주세요:",
    own: "우리 팀",
    searching: "찾고 있어요…",
    busy: "지금 요청이 많아요. 잠시 뒤에 다시 시도해 주세요.",
    thanks_helpful: "고마워요. 도움이 됐다고 기록했어요.",
    thanks_not_this: "고마워요. 이 장애와 다르다고 기록했어요.",
    feedback_taken_back: "평가를 취소했어요.",
    unknown_case: "그런 사례가 없어요:",
    share_refused: "다른 조직과 공유하는 채널에는 아무것도 올리지 않아요. 찾은 내용은 나에게만 보여요.",
    share_uncertain: "다른 조직과 공유하는 채널인지 확인할 수 없으면 아무것도 올리지 않아요. 이 채널에 저를 초대한 뒤 다시 눌러 주세요.",
    share_failed: "이 사례를 채널에 올리지 못했어요. 잠시 뒤에도 안 보이면 공유를 다시 눌러 주세요.",
    message_without_text: "찾아볼 글이 없는 메시지예요.",
};

impl Strings {
    /// Returns the words of a language.
    pub(super) const fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &EN,
            Lang::Ko => &KO,
        }
    }
}

/// Returns what an action did, in a word or two.
pub(super) const fn outcome(outcome: Outcome, lang: Lang) -> &'static str {
    match (outcome, lang) {
        (Outcome::Resolved, Lang::En) => "ended it",
        (Outcome::Resolved, Lang::Ko) => "해결",
        (Outcome::Mitigated, Lang::En) => "eased it",
        (Outcome::Mitigated, Lang::Ko) => "완화",
        (Outcome::NoEffect, Lang::En) => "no effect",
        (Outcome::NoEffect, Lang::Ko) => "효과 없음",
        (Outcome::Worsened, Lang::En) => "made it worse",
        (Outcome::Worsened, Lang::Ko) => "악화",
    }
}

/// Returns how far a follow-up had come.
pub(super) const fn follow_up_state(state: FollowUpState, lang: Lang) -> &'static str {
    match (state, lang) {
        (FollowUpState::Done, Lang::En) => "done ✓",
        (FollowUpState::Done, Lang::Ko) => "완료 ✓",
        (FollowUpState::InProgress, Lang::En) => "in progress",
        (FollowUpState::InProgress, Lang::Ko) => "진행 중",
        (FollowUpState::Planned, Lang::En) => "planned",
        (FollowUpState::Planned, Lang::Ko) => "예정",
    }
}

/// Returns what kind of text a source is.
pub(super) const fn source_kind(kind: SourceKind, lang: Lang) -> &'static str {
    match (kind, lang) {
        (SourceKind::OfficialStatus, Lang::En) => "status page",
        (SourceKind::OfficialStatus, Lang::Ko) => "상태 페이지",
        (SourceKind::Postmortem, Lang::En) => "postmortem",
        (SourceKind::Postmortem, Lang::Ko) => "포스트모템",
        (SourceKind::IncidentReport, Lang::En) => "incident report",
        (SourceKind::IncidentReport, Lang::Ko) => "장애 보고서",
        (SourceKind::Blog, Lang::En) => "blog",
        (SourceKind::Blog, Lang::Ko) => "블로그",
        (SourceKind::Talk, Lang::En) => "talk",
        (SourceKind::Talk, Lang::Ko) => "발표",
        (SourceKind::Issue, Lang::En) => "issue",
        (SourceKind::Issue, Lang::Ko) => "이슈",
        (SourceKind::News, Lang::En) => "news",
        (SourceKind::News, Lang::Ko) => "기사",
        (SourceKind::Forum, Lang::En) => "forum post",
        (SourceKind::Forum, Lang::Ko) => "포럼 글",
        (SourceKind::RegulatorReport, Lang::En) => "regulator's report",
        (SourceKind::RegulatorReport, Lang::Ko) => "규제 기관 보고서",
    }
}
