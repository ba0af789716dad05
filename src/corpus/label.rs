//! What the closed lists of a case are called by people, on every surface.

use super::{FollowUpState, Lang, Outcome, SourceKind};

impl Outcome {
    /// Returns what an action did, in a word or two.
    pub const fn label(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Resolved, Lang::En) => "ended it",
            (Self::Resolved, Lang::Ko) => "해결",
            (Self::Mitigated, Lang::En) => "eased it",
            (Self::Mitigated, Lang::Ko) => "완화",
            (Self::NoEffect, Lang::En) => "no effect",
            (Self::NoEffect, Lang::Ko) => "효과 없음",
            (Self::Worsened, Lang::En) => "made it worse",
            (Self::Worsened, Lang::Ko) => "악화",
        }
    }
}

impl FollowUpState {
    /// Returns how far a follow-up had come.
    pub const fn label(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Done, Lang::En) => "done",
            (Self::Done, Lang::Ko) => "완료",
            (Self::InProgress, Lang::En) => "in progress",
            (Self::InProgress, Lang::Ko) => "진행 중",
            (Self::Planned, Lang::En) => "planned",
            (Self::Planned, Lang::Ko) => "예정",
        }
    }
}

impl SourceKind {
    /// Returns what kind of text a source is.
    pub const fn label(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::OfficialStatus, Lang::En) => "status page",
            (Self::OfficialStatus, Lang::Ko) => "상태 페이지",
            (Self::Postmortem, Lang::En) => "postmortem",
            (Self::Postmortem, Lang::Ko) => "포스트모템",
            (Self::IncidentReport, Lang::En) => "incident report",
            (Self::IncidentReport, Lang::Ko) => "장애 보고서",
            (Self::Blog, Lang::En) => "blog",
            (Self::Blog, Lang::Ko) => "블로그",
            (Self::Talk, Lang::En) => "talk",
            (Self::Talk, Lang::Ko) => "발표",
            (Self::Issue, Lang::En) => "issue",
            (Self::Issue, Lang::Ko) => "이슈",
            (Self::News, Lang::En) => "news",
            (Self::News, Lang::Ko) => "기사",
            (Self::Forum, Lang::En) => "forum post",
            (Self::Forum, Lang::Ko) => "포럼 글",
            (Self::RegulatorReport, Lang::En) => "regulator's report",
            (Self::RegulatorReport, Lang::Ko) => "규제 기관 보고서",
        }
    }
}
