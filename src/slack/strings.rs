//! Every word of ours that people read in Slack, one table per language.

use crate::corpus::Lang;

pub(super) mod forms;
pub(super) mod settings;

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
    /// What the hits for a question that names little are worth.
    pub(super) broad: &'static str,
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
    pub(super) button_mute: &'static str,
    /// Head of an automatic suggestion.
    pub(super) suggestion: &'static str,
    /// Why it came, before the chips.
    pub(super) suggestion_why: &'static str,
    /// What an automatic suggestion is, at its end.
    pub(super) suggestion_note: &'static str,
    /// What changed an automatic suggestion, before the chips, and where there are none.
    pub(super) updated: &'static str,
    pub(super) updated_anew: &'static str,
    pub(super) muted: &'static str,
    pub(super) unmuted: &'static str,
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
    /// Before the case that may have been meant.
    pub(super) meant_case: &'static str,
    pub(super) share_refused: &'static str,
    pub(super) share_uncertain: &'static str,
    pub(super) share_failed: &'static str,
    pub(super) message_without_text: &'static str,
    /// What narrows the question, before the filters.
    pub(super) only: &'static str,
    /// Before what looked like a filter and is none.
    pub(super) not_known: &'static str,
    /// Between that and what may have been meant.
    pub(super) meant: &'static str,
    /// Before the command that may have been meant.
    pub(super) meant_command: &'static str,
    /// Head of a list, before the number of cases.
    pub(super) newest_of: &'static str,
    /// Nothing passes the filters.
    pub(super) nothing_within: &'static str,
    pub(super) button_edit: &'static str,
    pub(super) button_search: &'static str,
    /// Before the command to type where no form can be opened.
    pub(super) type_again: &'static str,
    /// The channel cannot be read without a token.
    pub(super) here_without_token: &'static str,
    /// The channel is being read.
    pub(super) reading: &'static str,
    /// There is nothing to read in the channel.
    pub(super) nothing_to_read: &'static str,
    /// Somebody asks faster than anybody reads.
    pub(super) slow_down: &'static str,
    /// The button belongs to another organisation's bot.
    pub(super) members_only: &'static str,
    pub(super) not_installed: &'static str,
    pub(super) shared_already: &'static str,
    /// Slack took too long to let the form be opened.
    pub(super) form_expired: &'static str,
}

static EN: Strings = Strings {
    understood: "Understood:",
    not: "not:",
    more_precedents: "Further precedents",
    no_more: "There are no further precedents.",
    no_close: "No close precedent",
    distant: "The nearest cases are distant: leads, not answers.",
    broad: "Several cases have this, and the nearest come first. Say more, and I find closer ones: which part, what it does, an error as it is logged.",
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
    button_mute: "Mute",
    button_share: "Share",
    button_helpful: "👍 Helpful",
    button_not_this: "👎 Not this",
    suggestion: "This looks like incidents that others have had",
    suggestion_why: "From this channel's name, topic and first messages:",
    suggestion_note: "Automatic suggestion: one message, which changes when I find something closer.",
    updated: "Updated: now also",
    updated_anew: "Updated: what was said since points elsewhere.",
    muted: "From now on I speak in this channel only when asked. Press Mute again, or type /incident-like settings on, to undo that.",
    unmuted: "I speak up by myself in this channel again.",
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
    help_more: "In a thread, mention me with the same words; on any message, choose “Find similar incidents” from its menu; from anywhere, “Search past incidents”; or write to me directly. Only you see what the command finds, until you press Share.",
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
    meant_case: "Did you mean",
    share_refused: "I post nothing into channels shared with other organisations. What you found stays visible to you.",
    share_uncertain: "I post nothing where I cannot see whether the channel is shared with other organisations. Invite me to this channel and try again.",
    share_failed: "I could not post this case into the channel. If it does not show up in a minute, press Share again.",
    message_without_text: "That message has no text to look up.",
    only: "Only:",
    not_known: "I do not know",
    meant: " — did you mean ",
    meant_command: "Did you mean the command",
    newest_of: "Newest first, of all",
    nothing_within: "No case in the library passes these filters.",
    button_edit: "✏️ Edit",
    button_search: "🔎 Search",
    type_again: "I need a bot token to open a form. Copy this, change it and send it again:",
    here_without_token: "I cannot read channels, because I have no bot token. Tell me what you see instead, for example:",
    reading: "Reading this channel…",
    nothing_to_read: "I found nothing to read here. If this is a private channel, invite me; or tell me what you see.",
    slow_down: "That was a lot of questions in a minute. Give me a moment, then ask again.",
    members_only: "I work for members of the workspace that I belong to only.",
    not_installed: "I am not installed in this workspace, or not any more. Ask whoever looks after its apps to install me again.",
    shared_already: "This case was shared already.",
    form_expired: "Slack let too much time pass to open the form. Please press it again.",
};

static KO: Strings = Strings {
    understood: "이해한 내용:",
    not: "제외:",
    more_precedents: "다음 선례",
    no_more: "더 보여드릴 선례가 없어요.",
    no_close: "가까운 선례가 없어요",
    distant: "아래는 그나마 가까운 사례예요. 답이 아니라 실마리로만 봐 주세요.",
    broad: "해당하는 사례가 여럿 있어서 가까운 것부터 보여드려요. 어디서 무엇이 보이는지, 에러 로그까지 적어 주면 더 가까운 사례를 찾을 수 있어요.",
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
    button_mute: "조용히",
    button_share: "공유",
    button_helpful: "👍 도움 됐어요",
    button_not_this: "👎 달라요",
    suggestion: "비슷한 장애를 겪은 곳이 있어요",
    suggestion_why: "채널 이름과 주제, 첫 메시지에서 찾은 내용:",
    suggestion_note: "자동 제안이에요. 메시지는 하나만 올리고, 더 가까운 사례를 찾으면 고쳐요.",
    updated: "업데이트: 새로 나온 내용",
    updated_anew: "업데이트: 이후 대화를 보니 다른 사례에 더 가까워요.",
    muted: "이제 이 채널에서는 물어볼 때만 말할게요. 되돌리려면 ‘조용히’를 다시 누르거나 /incident-like 설정 켜기 를 입력하세요.",
    unmuted: "이 채널에서 다시 먼저 말을 꺼낼게요.",
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
    help_more: "스레드에서는 저를 멘션하고 똑같이 적어 주세요. 메시지 메뉴의 “Find similar incidents”, 어디서나 열리는 “Search past incidents”로도 찾을 수 있고, 저에게 DM을 보내도 돼요. 명령으로 찾은 내용은 공유를 누르기 전까지 나에게만 보여요.",
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
    meant_case: "혹시 이 사례인가요?",
    share_refused: "다른 조직과 공유하는 채널에는 아무것도 올리지 않아요. 찾은 내용은 나에게만 보여요.",
    share_uncertain: "다른 조직과 공유하는 채널인지 확인할 수 없으면 아무것도 올리지 않아요. 이 채널에 저를 초대한 뒤 다시 눌러 주세요.",
    share_failed: "이 사례를 채널에 올리지 못했어요. 잠시 뒤에도 안 보이면 공유를 다시 눌러 주세요.",
    message_without_text: "찾아볼 글이 없는 메시지예요.",
    only: "범위:",
    not_known: "모르는 조건이에요:",
    meant: " — 혹시 ",
    meant_command: "혹시 이 명령인가요?",
    newest_of: "최신순, 전체",
    nothing_within: "라이브러리에 이 조건에 맞는 사례가 없어요.",
    button_edit: "✏️ 고쳐서 찾기",
    button_search: "🔎 찾기",
    type_again: "봇 토큰이 없으면 입력 창을 열 수 없어요. 아래를 복사해 고친 뒤 다시 보내 주세요:",
    here_without_token: "봇 토큰이 없어서 채널을 읽을 수 없어요. 대신 무엇이 보이는지 적어 주세요. 예를 들면:",
    reading: "채널을 읽고 있어요…",
    nothing_to_read: "읽을 만한 내용이 없어요. 비공개 채널이면 저를 초대하거나, 무엇이 보이는지 적어 주세요.",
    slow_down: "짧은 시간에 질문이 너무 많았어요. 잠시 뒤에 다시 물어봐 주세요.",
    members_only: "저를 설치한 워크스페이스의 구성원만 쓸 수 있어요.",
    not_installed: "이 워크스페이스에는 제가 설치되어 있지 않거나, 설치가 해제됐어요. 앱 관리자에게 다시 설치해 달라고 요청해 주세요.",
    shared_already: "이미 공유한 사례예요.",
    form_expired: "입력 창을 여는 데 시간이 너무 걸려 Slack이 받아 주지 않았어요. 다시 눌러 주세요.",
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

/// Returns what people of a workspace said about a precedent for questions like this one.
pub(super) fn opinion(helpful: u32, not_this: u32, lang: Lang) -> String {
    let parts = match lang {
        Lang::En => [
            (helpful, format!("👍 marked as helpful by {helpful} here")),
            (
                not_this,
                format!("👎 marked as not this by {not_this} here"),
            ),
        ],
        Lang::Ko => [
            (
                helpful,
                format!("👍 우리 워크스페이스에서 {helpful}명이 도움 됐다고 했어요"),
            ),
            (
                not_this,
                format!("👎 우리 워크스페이스에서 {not_this}명이 다르다고 했어요"),
            ),
        ],
    };
    let said = parts.into_iter().filter(|(count, _)| *count > 0);
    said.map(|(_, words)| words).collect::<Vec<_>>().join(" · ")
}
