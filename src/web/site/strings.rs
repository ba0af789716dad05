//! Every word of ours that people read on the pages, in both languages.

use crate::corpus::{Facet, Lang};

macro_rules! strings {
    ($($name:ident: $en:literal, $ko:literal;)+) => {
        /// The words of one language.
        #[derive(Debug)]
        pub(super) struct Strings {
            $(pub(super) $name: &'static str,)+
        }

        static EN: Strings = Strings { $($name: $en,)+ };
        static KO: Strings = Strings { $($name: $ko,)+ };
    };
}

strings! {
    // The frame.
    library: "Incident library", "장애 사례 라이브러리";
    skip: "Skip to content", "본문으로 건너뛰기";
    navigation: "Pages", "페이지";
    nav_search: "Search", "검색";
    nav_topics: "Topics", "주제";
    nav_graph: "Graph", "그래프";
    nav_stats: "Statistics", "통계";
    nav_api: "API and MCP", "API와 MCP";
    nav_feed: "Feed", "피드";
    card_alt: "incident-like: past incidents like the one in front of you", "incident-like: 지금 겪는 장애와 비슷한 실제 사례";
    footer: "Every word comes from a case, and every case from a source.", "모든 내용은 사례에서, 모든 사례는 출처에서 왔습니다.";

    // Search.
    describe: "Real, public incidents in English and Korean: what was seen, what caused it, what ended it, what was learned.", "공개된 실제 장애 사례를 한국어와 영어로 모았습니다. 증상, 원인, 해결한 조치, 교훈을 찾을 수 있습니다.";
    search_label: "What do you see?", "지금 무엇이 보이나요?";
    search_hint: "A sentence, error messages as they are logged, English and Korean mixed", "문장이나 로그에 찍힌 에러 메시지를 그대로 넣으세요. 한국어와 영어를 섞어 써도 됩니다";
    search_button: "Search", "검색";
    try_one: "For example", "예를 들면";
    filters: "Filters", "필터";
    show_filters: "Show filters", "필터 열기";
    applied: "Applied filters", "적용된 필터";
    clear_all: "Clear all", "모두 풀기";
    remove: "remove", "풀기";
    recommended: "Recommended filters", "추천 필터";
    recommended_hint: "When you search, the terms found in your words appear here.", "검색하면 검색어에서 찾은 분류 값이 여기에 나옵니다.";
    ruled_out: "Left out, as you say they are fine:", "정상이라고 해서 뺀 것:";
    signals_seen: "Exact signals:", "정확히 일치하는 시그널:";
    only_filters: "Filters only, no search words. Newest cases first.", "검색어 없이 필터만 적용한 목록입니다. 최근 사례부터입니다.";
    all_cases: "All cases, newest first.", "전체 사례입니다. 최근 사례부터입니다.";
    nothing: "No case has all of this.", "조건을 모두 만족하는 사례가 없습니다.";
    nothing_hint: "Remove a filter, or say what you see: which part, what it does, an error as it is logged.", "필터를 풀거나, 어디에서 무엇이 보이는지 로그에 찍힌 에러와 함께 적어 보세요.";
    distant: "Nothing close: the nearest cases are leads, not answers.", "딱 맞는 사례가 없습니다. 아래는 그나마 가까운 사례이니 참고만 하세요.";
    has: "has", "일치";
    lacks: "lacks", "불일치";
    why: "Why", "근거";
    by_cause: "By cause", "원인별";
    expand: "Read more here", "더 보기";
    collapse: "Close", "접기";
    previous: "Previous page", "이전 페이지";
    next: "Next page", "다음 페이지";
    pages: "Pages of results", "결과 페이지";
    ask_slack: "Ask in Slack", "Slack에서 찾기";
    ask_slack_hint: "Only you see the answer until you share it.", "공유하기 전까지 답은 나에게만 보입니다.";
    copy: "Copy", "복사";
    copied: "Copied", "복사됨";
    copy_link: "Copy link", "링크 복사";
    more_values: "more", "개 더";
    searching: "Searching", "찾는 중";
    failed: "The search failed. Try again.", "검색하지 못했습니다. 다시 시도해 주세요.";
    organisation: "Organisation", "조직";
    tag: "Tag", "태그";
    year: "Year", "연도";
    since: "since", "이후";
    until: "until", "이전";

    // A case.
    severity: "Severity", "심각도";
    scope: "Impact", "영향 범위";
    users: "Affected users", "영향 사용자";
    regions: "Regions", "지역";
    detect: "Time to detect", "감지까지";
    recover: "Time to recover", "복구까지";
    summary: "Summary", "요약";
    symptoms: "Symptoms", "증상";
    cause: "Cause", "원인";
    causes: "Causes", "원인";
    components: "Components", "구성 요소";
    factors: "Contributing factors", "기여 요인";
    trigger: "Trigger", "촉발";
    detection: "Detection", "감지";
    actions: "Actions", "조치";
    timeline: "Timeline of the actions", "조치 타임라인";
    follow_ups: "Follow-ups", "후속 조치";
    lessons: "Lessons", "교훈";
    signals: "Signals", "시그널";
    signals_hint: "Error strings and identifiers as they appear in logs.", "로그에 나타나는 에러 문자열과 식별자입니다.";
    sources: "Sources", "출처";
    archived: "archived copy", "보관본";
    checked: "read", "확인";
    references: "References", "참고 문서";
    related: "Related cases", "관련 사례";
    no_related: "No case in the library is close to this one.", "이 사례와 가까운 사례가 없습니다.";
    for_tools: "For AI tools and scripts", "AI 도구와 스크립트용";
    this_json: "This case as JSON", "이 사례의 JSON";
    similar_json: "The closest cases", "가장 비슷한 사례들";
    mcp_server: "MCP server (Streamable HTTP, no key)", "MCP 서버(Streamable HTTP, 키 없음)";
    tools_note: "The API needs no key. The MCP server offers the tools search_incidents, get_incident, list_incidents, get_topic and vocab.", "API 는 키가 필요 없습니다. MCP 서버는 search_incidents, get_incident, list_incidents, get_topic, vocab 도구를 내놓습니다.";
    usage: "How to use them", "사용법";
    own: "your own", "우리 팀";
    public: "public", "공개";
    look_around: "More like this", "비슷한 사례 더 찾기";

    // Topics.
    topics_title: "Topics", "주제";
    topics_lead: "The words that cases are described with. Each has a page: what it means, its cases, what it goes together with, what was learned.", "사례를 분류하는 용어입니다. 용어마다 뜻, 사례, 함께 나타나는 것, 교훈을 모은 페이지가 있습니다.";
    also: "Also called", "다른 이름";
    near: "Related topics", "가까운 주제";
    together: "Goes together with", "함께 나타나는 것";
    together_hint: "Shares are of this topic's cases; × says how many times as often as in all cases.", "비율은 이 주제의 사례 가운데 차지하는 몫이고, ×는 전체 사례에 비해 몇 배 자주 나타나는지입니다.";
    causes_of_symptom: "What usually causes this", "이 증상의 흔한 원인";
    causes_of: "Causes", "원인";
    symptoms_of: "What is seen", "나타나는 증상";
    components_of: "Where it happens", "관련 구성 요소";
    factors_of: "What lets it happen", "기여 요인";
    lessons_often: "Lessons most often drawn", "자주 나오는 교훈";
    follow_ups_often: "Follow-ups most often promised", "자주 나오는 후속 조치";
    other_theme: "Other", "그 밖";
    search_these: "Search within these", "이 안에서 검색";
    see_graph: "See it in the graph", "그래프에서 보기";
    no_cases: "No case yet.", "아직 사례가 없습니다.";
    show_all: "Show all", "모두 보기";

    // Graph.
    graph_title: "Graph", "그래프";
    graph_lead: "What occurs together in the same cases. A line is thicker the more cases share both ends.", "같은 사례에 나오는 것끼리 이었습니다. 함께 나오는 사례가 많을수록 선이 굵습니다.";
    graph_about: "Around", "중심:";
    whole_graph: "Whole graph", "전체 그래프";
    with_cases: "Show cases", "사례도 보기";
    without_cases: "Hide cases", "사례 숨기기";
    graph_find: "Find in the graph", "그래프에서 찾기";
    graph_go: "Go", "찾기";
    graph_none: "Not in this picture. Press Enter to look in the whole vocabulary.", "이 그림에는 없습니다. Enter를 누르면 전체 용어에서 찾습니다.";
    graph_one: "Found: {}. Press Enter to go to it.", "찾았습니다: {}. Enter를 누르면 그리로 갑니다.";
    graph_many: "{} names found. Press Enter to go to the first, then n for the next.", "{}개를 찾았습니다. Enter를 누르면 첫 이름으로, n을 누르면 다음 이름으로 갑니다.";
    graph_unknown: "No topic is called", "이런 이름의 주제는 없습니다:";
    graph_large: "Explore it as a large graph", "큰 그래프로 보기";
    zoom_in: "Zoom in", "확대";
    zoom_out: "Zoom out", "축소";
    zoom_reset: "Whole picture", "전체 보기";
    graph_help: "Drag to move, zoom with the buttons or Ctrl and the wheel. Point at or tab to a name to see its lines; open it to explore from there. After a search, n goes to the next name and Escape back.", "끌어서 옮기고, 버튼이나 Ctrl+휠로 확대합니다. 이름을 가리키거나 Tab으로 고르면 이어진 선이 보이고, 열면 그 이름을 중심으로 볼 수 있습니다. 찾은 뒤에는 n으로 다음 이름에, Esc로 찾기 칸에 갑니다.";
    graph_list: "The same as a list", "같은 내용을 목록으로";
    graph_cut: "The picture shows the most frequent only.", "가장 많이 나오는 것만 그렸습니다.";
    linked_with: "with", "함께:";
    cases_word: "Cases", "사례";
    centre_here: "centre here", "여기를 중심으로";
    open_topic: "open topic", "주제 열기";

    // Statistics.
    stats_title: "Statistics", "통계";
    stats_lead: "What the library holds, counted from its cases.", "라이브러리에 있는 사례를 집계했습니다.";
    per_year: "Cases by year", "연도별 사례";
    time_to_recover: "Time to recover", "복구까지 걸린 시간";
    time_to_detect: "Time to detect", "감지까지 걸린 시간";
    known_for: "known for", "알려진 사례";
    cases_short: " cases", "건";
    spread_hint: "Bars span the middle half of the cases on a logarithmic axis from a minute to a week.", "막대는 중간 50%의 범위이고, 축은 1분부터 7일까지의 로그 축입니다.";
    median: "median", "중앙값";
    quartiles: "half of them between", "중간 50%";
    by_severity: "By severity, as their owners graded them", "심각도별(당사자가 매긴 등급)";
    not_given: "not given", "기재 없음";
    by_source: "By kind of source", "출처 종류별";
    by_organisation: "By organisation", "조직별";
    by_tag: "By tag", "태그별";
    languages: "Languages", "언어";
    table_of: "as a table", "표로 보기";
    count: "Cases", "사례 수";
    terms_word: "Terms", "용어";
    organisations_word: "Organisations", "조직";
    sources_word: "Sources", "출처";

    // The API.
    api_title: "API and MCP", "API와 MCP";
    api_lead: "The library for scripts and AI tools. No key is needed.", "스크립트와 AI 도구로 라이브러리를 쓰는 방법입니다. 키는 필요 없습니다.";

    // What cannot be shown.
    not_found_title: "Not here", "찾을 수 없습니다";
    gone_title: "No longer here", "더 이상 볼 수 없습니다";
    bad_title: "This cannot be shown", "보여 드릴 수 없습니다";
    too_many_title: "Too many requests", "요청이 너무 많습니다";
    broken_title: "Something broke here", "오류가 났습니다";
    broken: "The fault is ours and has been logged. Try again in a moment.", "서버에서 난 오류이고 로그에 남았습니다. 잠시 뒤 다시 시도해 주세요.";
    bad_address: "This address cannot be read.", "주소를 읽을 수 없습니다.";
    only_get: "This address only answers GET.", "이 주소는 GET 요청에만 답합니다.";
    programs_hint: "the JSON API is described at /api and /openapi.json", "JSON API 설명은 /api 와 /openapi.json 에 있습니다";
    replaced_by: "Replaced by", "대신하는 사례:";
    superseded: "A newer record of this incident exists:", "같은 장애를 새로 정리한 사례가 있습니다:";
    no_page: "There is no such page.", "없는 페이지입니다.";
    no_case: "There is no such case:", "없는 사례입니다:";
    withdrawn: "This case was withdrawn.", "철회된 사례입니다.";
    no_topic: "There is no such topic:", "없는 주제입니다:";
    no_filter: "No such filter value:", "없는 필터 값입니다:";
    too_long: "The question is too long. Send the part that tells what is seen.", "검색어가 너무 깁니다. 무엇이 보이는지 말해 주는 부분만 적어 주세요.";
    meant: "Did you mean:", "이것을 찾으셨나요?";
    perhaps: "Perhaps one of these", "혹시 찾던 사례가 여기 있나요?";

    feed_title: "New incident cases", "새 장애 사례";
}

impl Strings {
    /// Returns the words of a language.
    pub(super) const fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &EN,
            Lang::Ko => &KO,
        }
    }

    /// Returns a facet's heading.
    pub(super) const fn facet(&self, facet: Facet) -> &'static str {
        match facet {
            Facet::Cause => self.causes,
            Facet::Component => self.components,
            Facet::Symptom => self.symptoms,
            Facet::Factor => self.factors,
        }
    }
}

/// Questions to begin with.
pub(super) const fn examples(lang: Lang) -> &'static [&'static str] {
    match lang {
        Lang::En => &[
            "nodes fail the load balancer health check one by one",
            "etcd timeouts after upgrade, 503",
            "502 from ingress, not DNS",
        ],
        Lang::Ko => &[
            "노드가 하나씩 로드밸런서 헬스체크에 실패해요",
            "업그레이드 뒤 etcd 타임아웃, 503",
            "인그레스에서 502, DB는 정상",
        ],
    }
}

/// Says how many cases there are.
pub(super) fn cases(count: usize, lang: Lang) -> String {
    match (lang, count) {
        (Lang::En, 1) => "1 case".to_owned(),
        (Lang::En, _) => format!("{} cases", grouped(count)),
        (Lang::Ko, _) => format!("사례 {}건", grouped(count)),
    }
}

/// Says which part of a list is shown.
pub(super) fn range(first: usize, last: usize, total: usize, lang: Lang) -> String {
    let (first, last, total) = (grouped(first), grouped(last), grouped(total));
    match lang {
        Lang::En => format!("{first}–{last} of {total}"),
        Lang::Ko => format!("{total}건 중 {first}~{last}번째"),
    }
}

/// Heads the picture of a list.
pub(super) fn graph_of(cases: usize, lang: Lang) -> String {
    let count = grouped(cases);
    match lang {
        Lang::En => format!("These {count} cases as a graph"),
        Lang::Ko => format!("이 {count}건의 그래프"),
    }
}

/// Says when to come again.
pub(super) fn wait(seconds: u64, lang: Lang) -> String {
    match (lang, seconds) {
        (Lang::En, 1) => "Wait a second, then load the page again.".to_owned(),
        (Lang::En, _) => format!("Wait {seconds} seconds, then load the page again."),
        (Lang::Ko, _) => format!("{seconds}초 뒤에 페이지를 다시 열어 주세요."),
    }
}

/// Introduces the components that are commonest among the found cases.
pub(super) fn most_frequent(total: usize, lang: Lang) -> String {
    let count = grouped(total);
    match lang {
        Lang::En => format!("Most frequent components in these {count} cases:"),
        Lang::Ko => format!("이 {count}건에서 가장 많이 나오는 구성 요소:"),
    }
}

/// Says how much time passed since the last action.
pub(super) fn later(minutes: u32, lang: Lang) -> String {
    let (hours, rest) = (minutes / 60, minutes % 60);
    match lang {
        Lang::En => match (hours, rest) {
            (0, rest) => format!("{rest} min later"),
            (hours, 0) => format!("{hours} h later"),
            (hours, rest) => format!("{hours} h {rest} min later"),
        },
        Lang::Ko => match (hours, rest) {
            (0, rest) => format!("{rest}분 뒤"),
            (hours, 0) => format!("{hours}시간 뒤"),
            (hours, rest) => format!("{hours}시간 {rest}분 뒤"),
        },
    }
}

/// Writes a number with commas between its thousands.
pub(super) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_of_each_language_do() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(312), "312");
        assert_eq!(cases(1, Lang::En), "1 case");
        assert_eq!(range(1, 20, 312, Lang::En), "1–20 of 312");
        assert_eq!(range(1, 20, 312, Lang::Ko), "312건 중 1~20번째");
        assert_eq!(later(136, Lang::Ko), "2시간 16분 뒤");
        assert_eq!(later(60, Lang::En), "1 h later");
    }
}
