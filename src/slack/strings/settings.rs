//! The words of settings, one table per language.

use crate::{
    corpus::Lang,
    slack::{
        manifest::Feature,
        setting::{Source, Spot, Sure, Voice},
    },
};

/// The words of one language. Slack's limits where they stand in menus: labels 2,000 characters, options 75.
#[derive(Debug)]
pub(in crate::slack) struct SettingStrings {
    pub(in crate::slack) title: &'static str,
    pub(in crate::slack) saved: &'static str,
    pub(in crate::slack) not_saved: &'static str,
    pub(in crate::slack) admins_only: &'static str,
    pub(in crate::slack) admin_unknown: &'static str,
    /// The same in the bot's home, where nobody tried anything.
    pub(in crate::slack) home_admins_only: &'static str,
    pub(in crate::slack) home_admin_unknown: &'static str,
    /// What was typed into a form is no setting.
    pub(in crate::slack) not_understood: &'static str,
    /// Heads of what can be set.
    pub(in crate::slack) voice: &'static str,
    pub(in crate::slack) lang: &'static str,
    pub(in crate::slack) sure: &'static str,
    pub(in crate::slack) spot: &'static str,
    pub(in crate::slack) bookmark: &'static str,
    pub(in crate::slack) patterns: &'static str,
    /// Words for values.
    voice_on: &'static str,
    voice_ask: &'static str,
    voice_off: &'static str,
    sure_careful: &'static str,
    sure_normal: &'static str,
    sure_eager: &'static str,
    spot_channel: &'static str,
    spot_thread: &'static str,
    pub(in crate::slack) lang_auto: &'static str,
    pub(in crate::slack) on: &'static str,
    pub(in crate::slack) off: &'static str,
    pub(in crate::slack) never: &'static str,
    /// Where a value comes from.
    from_channel: &'static str,
    from_workspace: &'static str,
    from_service: &'static str,
    /// In a menu: what holds where the workspace sets nothing.
    pub(in crate::slack) unset: &'static str,
    /// What only whoever runs the service decides.
    pub(in crate::slack) default_lang: &'static str,
    pub(in crate::slack) cases: &'static str,
    pub(in crate::slack) shared: &'static str,
    pub(in crate::slack) token: &'static str,
    pub(in crate::slack) address: &'static str,
    /// Before permissions that Slack says are missing.
    pub(in crate::slack) missing: &'static str,
    /// What an admin is told of one: before its name, before what needs it, what to do, and that this comes once.
    pub(in crate::slack) missing_head: &'static str,
    pub(in crate::slack) missing_features: &'static str,
    pub(in crate::slack) missing_do: &'static str,
    pub(in crate::slack) missing_once: &'static str,
    /// Title of the bookmark in a channel's header.
    pub(in crate::slack) bookmark_title: &'static str,
    /// Who may change what, in a channel.
    pub(in crate::slack) note: &'static str,
    /// Above the menus for admins, and what stands there for everybody else.
    pub(in crate::slack) workspace: &'static str,
    pub(in crate::slack) patterns_hint: &'static str,
}

static EN: SettingStrings = SettingStrings {
    title: "How I am set up here",
    saved: "✓ Saved.",
    not_saved: "⚠️ That could not be saved. Please try again.",
    admins_only: "🔒 Only admins and owners of the workspace change what holds for all of it, so I left it as it is. Ask one of them; what holds in a channel anybody there may set: /incident-like settings ask.",
    admin_unknown: "🔒 Only admins and owners of the workspace change what holds for all of it, and I cannot see right now who is one, so I left it as it is. Please try again later; if it stays like this, I lack the permission users:read.",
    home_admins_only: "🔒 Only admins and owners of the workspace change this, and you are neither: ask one of them. What holds in a channel anybody there may set: /incident-like settings ask.",
    home_admin_unknown: "🔒 Only admins and owners of the workspace change this, and I cannot see whether you are one: I lack the permission users:read, or Slack does not answer. What holds in a channel anybody there may set: /incident-like settings ask.",
    not_understood: "⚠️ I did not understand that, so it is as it was. Names of channels have letters, digits, - and _; * stands for any text.",
    voice: "I speak",
    lang: "Language of what everybody reads",
    sure: "How sure I must be to speak up by myself",
    spot: "My suggestion goes",
    bookmark: "Bookmark of the suggestion in the channel's header",
    patterns: "Incident channels are called",
    voice_on: "by myself in incident channels, and when asked",
    voice_ask: "only when asked",
    voice_off: "to whoever asks, and to nobody else",
    sure_careful: "surer than usual; I am silent more often",
    sure_normal: "as sure as was measured to be right",
    sure_eager: "less sure; I speak more often and am wrong now and then",
    spot_channel: "into the channel",
    spot_thread: "into the thread of the channel's first message",
    lang_auto: "as the texts are",
    on: "yes",
    off: "no",
    never: "nowhere",
    from_channel: "set for this channel",
    from_workspace: "set for the workspace",
    from_service: "as the service is configured",
    unset: "As the service is configured",
    default_lang: "Language where neither Slack nor the question tells it",
    cases: "Cases",
    shared: "Channels shared with other organisations where I may post",
    token: "Bot token",
    address: "Library",
    missing: "⚠️ Slack says that I lack these permissions, so some things do not work:",
    missing_head: "Slack says that I lack a permission:",
    missing_features: "Without it this does not work as it should; everything else does:",
    missing_do: "Whoever manages the app adds it under OAuth & Permissions (or updates the app's manifest) and installs the app again. If you do not want what needs it, there is nothing to do.",
    missing_once: "I write to one admin, once, and never again about this permission.",
    bookmark_title: "Similar past incidents",
    note: "Anybody may change the first lines for this channel (/incident-like settings ask, sure eager, lang ko, post thread, bookmark on, each back with auto); admins for the whole workspace (/incident-like settings workspace …), also which channels are incident channels. The rest is decided by whoever runs the service.",
    workspace: "Settings for the whole workspace",
    patterns_hint: "Commas between them; * stands for any text. Empty: as the service is configured.",
};

static KO: SettingStrings = SettingStrings {
    title: "지금 이렇게 설정돼 있어요",
    saved: "✓ 저장했어요.",
    not_saved: "⚠️ 저장하지 못했어요. 다시 시도해 주세요.",
    admins_only: "🔒 워크스페이스 전체 설정은 관리자와 소유자만 바꿀 수 있어서 그대로 뒀어요. 관리자에게 부탁해 주세요. 채널 설정은 그 채널에서 누구나 바꿀 수 있어요: /incident-like 설정 질문만",
    admin_unknown: "🔒 워크스페이스 전체 설정은 관리자와 소유자만 바꿀 수 있는데, 지금은 누가 관리자인지 확인할 수 없어서 그대로 뒀어요. 잠시 뒤에 다시 시도해 주세요. 계속 안 되면 users:read 권한이 없는 거예요.",
    home_admins_only: "🔒 이 설정은 워크스페이스 관리자와 소유자만 바꿀 수 있어요. 바꾸려면 관리자에게 부탁해 주세요. 채널 설정은 그 채널에서 누구나 바꿀 수 있어요: /incident-like 설정 질문만",
    home_admin_unknown: "🔒 이 설정은 워크스페이스 관리자와 소유자만 바꿀 수 있는데, 관리자인지 확인할 수 없어요. users:read 권한이 없거나 Slack이 응답하지 않아요. 채널 설정은 그 채널에서 누구나 바꿀 수 있어요: /incident-like 설정 질문만",
    not_understood: "⚠️ 이해하지 못해서 그대로 뒀어요. 채널 이름에는 글자와 숫자, -, _ 를 쓸 수 있고 * 는 아무 글자나 뜻해요.",
    voice: "말하는 때",
    lang: "모두가 보는 글의 언어",
    sure: "먼저 말을 꺼내려면 얼마나 확실해야 하는지",
    spot: "제안을 올리는 곳",
    bookmark: "채널 상단에 제안 북마크",
    patterns: "장애 채널 이름",
    voice_on: "장애 채널에서 먼저, 그리고 물어볼 때",
    voice_ask: "물어볼 때만",
    voice_off: "물어본 사람에게만",
    sure_careful: "평소보다 더 확실할 때만 말해요",
    sure_normal: "측정해서 정한 만큼 확실할 때 말해요",
    sure_eager: "덜 확실해도 말해요. 가끔 틀려요",
    spot_channel: "채널",
    spot_thread: "채널 첫 메시지의 스레드",
    lang_auto: "글에 맞춰서",
    on: "예",
    off: "아니요",
    never: "없음",
    from_channel: "이 채널 설정",
    from_workspace: "워크스페이스 설정",
    from_service: "서비스 설정",
    unset: "서비스 설정대로",
    default_lang: "Slack 설정과 질문으로 알 수 없을 때 쓰는 언어",
    cases: "사례",
    shared: "글을 올려도 되는 외부 공유 채널",
    token: "봇 토큰",
    address: "라이브러리",
    missing: "⚠️ Slack이 아래 권한이 없다고 해서 일부 기능이 동작하지 않아요:",
    missing_head: "Slack이 저에게 이 권한이 없다고 해요:",
    missing_features: "권한이 없으면 아래 기능이 제대로 동작하지 않아요. 나머지는 괜찮아요:",
    missing_do: "앱을 관리하는 분이 OAuth & Permissions에서 권한을 추가하거나 앱 매니페스트를 갱신한 뒤 앱을 다시 설치하면 돼요. 필요 없는 기능이면 그대로 두어도 돼요.",
    missing_once: "관리자 한 분에게 한 번만 알려요. 같은 권한으로 다시 연락하지 않아요.",
    bookmark_title: "비슷한 과거 장애",
    note: "위쪽 항목은 이 채널에서 누구나 바꿀 수 있어요(/incident-like 설정 질문만, 확신 적극, 언어 한국어, 위치 스레드, 북마크 켜기, 되돌릴 때는 자동). 워크스페이스 전체와 장애 채널 이름은 관리자가 바꿔요(/incident-like 설정 워크스페이스 …). 나머지는 서비스를 운영하는 사람이 정해요.",
    workspace: "워크스페이스 전체 설정",
    patterns_hint: "쉼표로 구분하고, * 는 아무 글자나 뜻해요. 비우면 서비스 설정을 따라요.",
};

impl SettingStrings {
    /// Returns the words of a language.
    pub(in crate::slack) const fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &EN,
            Lang::Ko => &KO,
        }
    }

    pub(in crate::slack) const fn voice(&self, voice: Voice) -> &'static str {
        match voice {
            Voice::On => self.voice_on,
            Voice::Ask => self.voice_ask,
            Voice::Off => self.voice_off,
        }
    }

    pub(in crate::slack) const fn sure(&self, sure: Sure) -> &'static str {
        match sure {
            Sure::Careful => self.sure_careful,
            Sure::Normal => self.sure_normal,
            Sure::Eager => self.sure_eager,
        }
    }

    pub(in crate::slack) const fn spot(&self, spot: Spot) -> &'static str {
        match spot {
            Spot::Channel => self.spot_channel,
            Spot::Thread => self.spot_thread,
        }
    }

    pub(in crate::slack) const fn source(&self, source: Source) -> &'static str {
        match source {
            Source::Channel => self.from_channel,
            Source::Workspace => self.from_workspace,
            Source::Service => self.from_service,
        }
    }
}

/// Returns what a feature is, in a few words.
pub(in crate::slack) const fn feature(feature: Feature, lang: Lang) -> &'static str {
    let [en, ko] = match feature {
        Feature::Commands => [
            "the slash command, shortcuts and buttons",
            "슬래시 명령, 단축키, 버튼",
        ],
        Feature::Share => ["sharing a case into the channel", "사례를 채널에 공유하기"],
        Feature::Mentions => ["answers to mentions", "멘션에 답하기"],
        Feature::Suggestions => [
            "suggestions in new incident channels",
            "새 장애 채널에서 먼저 제안하기",
        ],
        Feature::PrivateChannels => ["the same in private channels", "비공개 채널에서 같은 기능"],
        Feature::Bookmark => ["the bookmark of the suggestion", "제안 북마크"],
        Feature::Language => [
            "answers in people's own language, and settings by admins",
            "사용자 언어로 답하기, 관리자 설정",
        ],
        Feature::Home => ["the bot's home", "앱 홈"],
        Feature::Direct => ["answers to direct messages", "DM에 답하기"],
        Feature::Links => ["previews of links to cases", "사례 링크 미리보기"],
        Feature::Assistant => [
            "conversations in the assistant's pane",
            "어시스턴트 창에서 대화하기",
        ],
        Feature::Workflow => ["the workflow step", "워크플로 단계"],
    };
    match lang {
        Lang::En => en,
        Lang::Ko => ko,
    }
}

/// Returns a language's own name.
pub(in crate::slack) const fn own_name(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "English",
        Lang::Ko => "한국어",
    }
}
