//! What lessons and follow-ups are about: a short list of themes, each with the words that tell it.
//!
//! Texts are quoted, never rewritten; the themes only say which of them stand together.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::corpus::{Lang, Localized};

/// What several lessons or follow-ups are about.
#[derive(Debug, PartialEq, Eq)]
pub struct Theme {
    /// Its name in JSON.
    pub slug: &'static str,
    en: &'static str,
    ko: &'static str,
    /// How words of it begin.
    words: &'static [&'static str],
    /// Parts of Korean words of it; read only where there is no English text.
    korean: &'static [&'static str],
}

impl Theme {
    /// Returns the theme's name for people.
    pub const fn label(&self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Ko => self.ko,
        }
    }
}

macro_rules! themes {
    ($($slug:literal $en:literal $ko:literal [$($word:literal)+] [$($korean:literal)+])+) => {
        /// All themes. Where a text tells several equally, the first wins.
        pub(super) static THEMES: &[Theme] = &[$(Theme {
            slug: $slug,
            en: $en,
            ko: $ko,
            words: &[$($word),+],
            korean: &[$($korean),+],
        }),+];
    };
}

themes! {
    "alerting" "Alerting" "알림"
        ["alert" "alarm" "page " "paged" "paging" "pager" "notif"]
        ["알림" "경보" "호출"]
    "rollout" "Gradual rollout" "단계적 배포"
        ["canar" "gradual" "rollout" "roll out" "rolled out" "phased" "in stages" "staged" "progressive" "one at a time"
         "batch"]
        ["카나리" "단계적" "점진" "롤아웃" "하나씩"]
    "rollback" "Rolling back" "롤백"
        ["rollback" "roll back" "rolling back" "rolled back" "revert"]
        ["롤백" "되돌"]
    "backup" "Backups and restoring" "백업과 복원"
        ["backup" "back up" "restor" "snapshot" "rebuild"]
        ["백업" "복원" "스냅숏"]
    "redundancy" "Redundancy and failover" "이중화와 페일오버"
        ["redundan" "failover" "fail over" "failing over" "replica" "standby" "fallback" "multi" "several regions" "zones"
         "spare" "quorum" "single point" "availability" "resilien"]
        ["이중화" "페일오버" "복제본" "레플리카" "예비" "대체" "가용성"]
    "limits" "Limits, timeouts and retries" "제한, 타임아웃, 재시도"
        ["limit" "throttl" "timeout" "time out" "retr" "backoff" "back-off" "circuit" "shedding" "quota" "rate limit" "rate-limit"]
        ["제한" "한도" "타임아웃" "재시도" "스로틀" "백오프"]
    "capacity" "Capacity" "용량"
        ["capacit" "scal" "headroom" "provision" "memory" "heap" "cpu" "larger" "load test" "exhaust" "space"]
        ["용량" "증설" "규모" "스케일" "메모리" "고갈"]
    "isolation" "Isolation and dependencies" "격리와 의존성"
        ["isolat" "split" "separat" "blast" "partition" "shard" "shared" "decoupl" "dependen" "independen" "dedicated"]
        ["격리" "분리" "의존" "나눈" "나눠" "공유"]
    "monitoring" "Monitoring" "모니터링"
        ["monitor" "metric" "dashboard" "observab" "visib" "logging" "logs" "log " "tracing" "telemetry" "detect" "graph"
         "grafana" "prometheus" "probe" "health check" "health-check"]
        ["모니터링" "지표" "대시보드" "로그" "감지" "탐지" "감시" "헬스 체크"]
    "testing" "Testing and drills" "테스트와 훈련"
        ["test" "simulat" "staging" "reproduc" "chaos" "game day" "drill" "exercis" "rehears"]
        ["테스트" "시험" "모의" "훈련" "재현" "스테이징"]
    "validation" "Validation and review" "검증과 리뷰"
        ["validat" "lint" "verif" "check" "review" "guard" "sanity" "refus" "reject" "prevent" "audit" "approv" "confirm"
         "safeguard"]
        ["검증" "검사" "검토" "리뷰" "점검" "막는" "확인"]
    "procedure" "Procedures and documentation" "절차와 문서"
        ["runbook" "document" "procedure" "playbook" "checklist" "wiki" "guid" "instruct" "polic"]
        ["문서" "절차" "런북" "체크리스트" "위키" "지침" "가이드"]
    "communication" "Communication" "소통"
        ["communicat" "status page" "announce" "inform" "escalat" "on-call" "on call" "contact" "customer" "told" "tell"
         "incident response" "incident command"]
        ["소통" "상태 페이지" "공지" "연락" "온콜" "당직"]
    "people" "Knowledge and ownership" "지식과 담당"
        ["owner" "responsib" "knowledge" "train" "experience" "learn" "understand" "team" "luck" "expert" "familiar"]
        ["담당" "책임" "교육" "지식" "경험" "이해" "팀"]
    "access" "Access" "접근 권한"
        ["access" "permission" "privileg" "credential" "secret" "password" "accounts" "role" "token" "certificat" "expir"]
        ["권한" "접근" "자격" "비밀번호" "인증서" "만료"]
    "automation" "Automation" "자동화"
        ["automat" "script" "tool" "pipeline" "cron" "by hand" "manual"]
        ["자동" "스크립트" "도구" "파이프라인" "수동" "손으로"]
    "configuration" "Configuration" "설정"
        ["config" "setting" "default" "parameter" "rule" "terraform" "puppet" "helm"]
        ["설정" "구성" "기본값" "파라미터" "플래그"]
    "upgrade" "Upgrades and fixes" "업그레이드와 수정"
        ["upgrad" "version" "patch" "updat" "migrat" "deprecat" "bug" "fix" "release"]
        ["업그레이드" "버전" "패치" "업데이트" "버그" "고친" "고쳤" "수정"]
    "traffic" "Traffic and network" "트래픽과 네트워크"
        ["traffic" "network" "dns" "rout" "load balanc" "connection" "cach" "cdn" "proxy" "queue"]
        ["트래픽" "네트워크" "라우팅" "로드 밸런" "연결" "캐시" "큐"]
    "hardware" "Hardware and hosts" "하드웨어와 호스트"
        ["hardware" "disk" "power" "firmware" "switch" "machine" "storage" "drive"]
        ["하드웨어" "디스크" "전원" "펌웨어" "스위치" "스토리지"]
    "data" "Databases and queries" "데이터베이스와 쿼리"
        ["database" "quer" "table" "index" "schema" "transaction" "replicat" "mysql" "postgres"]
        ["데이터" "쿼리" "테이블" "인덱스" "스키마" "복제"]
}

/// Finds words of themes, and which theme each belongs to.
struct Finder {
    words: AhoCorasick,
    themes: Vec<usize>,
}

impl Finder {
    fn new(words: fn(&Theme) -> &'static [&'static str]) -> Self {
        let of_theme = |(at, theme)| words(theme).iter().map(move |word| (at, *word));
        let all = THEMES.iter().enumerate().flat_map(of_theme);
        let (themes, words): (Vec<usize>, Vec<&str>) = all.unzip();
        Self {
            words: AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::LeftmostLongest)
                .build(words)
                .expect("the words are few and short"),
            themes,
        }
    }

    /// Returns the theme that a text has most words of, with their number.
    fn find(&self, text: &str, begins_words: bool) -> Option<(usize, usize)> {
        let mut counts = vec![0_usize; THEMES.len()];
        for found in self.words.find_iter(text) {
            let before = text[..found.start()].chars().next_back();
            if !begins_words || before.is_none_or(|c| !c.is_alphanumeric()) {
                counts[self.themes[found.pattern().as_usize()]] += 1;
            }
        }
        let most = *counts.iter().max()?;
        let theme = counts.iter().position(|count| *count == most)?;
        (most > 0).then_some((theme, most))
    }
}

static ENGLISH: LazyLock<Finder> = LazyLock::new(|| Finder::new(|theme| theme.words));
static KOREAN: LazyLock<Finder> = LazyLock::new(|| Finder::new(|theme| theme.korean));

/// Returns the place of a text's theme in [`THEMES`], with how many words tell it.
pub(super) fn of(text: &Localized) -> Option<(usize, usize)> {
    match text.exact(Lang::En) {
        Some(english) => ENGLISH.find(english, true),
        None => KOREAN.find(text.get(Lang::Ko), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_either_language_find_their_theme() {
        let theme = |text: Localized| of(&text).map(|(theme, _)| THEMES[theme].slug);
        let english = |text: &str| Localized::new(Some(text.to_owned()), None).expect("one");
        let korean = |text: &str| Localized::new(None, Some(text.to_owned())).expect("one");
        for (text, expect) in [
            (
                "Alert on fsync latency before elections are lost.",
                Some("alerting"),
            ),
            (
                "Roll the change out in stages, one region at a time.",
                Some("rollout"),
            ),
            ("Faster rollback of configuration.", Some("rollback")),
            (
                "Practise restoring from backups every month.",
                Some("backup"),
            ),
            ("Nothing of the kind.", None),
        ] {
            assert_eq!(theme(english(text)), expect, "{text}");
        }
        assert_eq!(
            theme(korean("헬스 체크 실패를 알리는 알림을 만든다.")),
            Some("alerting")
        );
    }
}
