//! What the text after `/incident-like` or a mention asks for. One table feeds parser and help.

use super::setting::Change;
use crate::corpus::{CaseId, Lang, letters_apart};

pub mod narrow;

/// Longest text that is looked at, in characters; Slack lets people paste far more.
const TEXT_LIMIT: usize = 4000;

/// What somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// How to use this.
    Help,
    /// Nothing was typed: help, and what is like the incident of this channel.
    ThisChannel,
    /// What is like the incident of this channel, asked for by name.
    Here,
    /// How the service is set up, and what is to change about it in this channel.
    Settings(Change),
    /// One case, whole.
    Case(CaseId),
    /// What is like a case.
    Similar(CaseId),
    /// What is like this text.
    Lookup(String),
}

/// One way to ask, as help shows it.
#[derive(Debug)]
pub struct Usage {
    /// What to type after the command, in both languages.
    pub example: [&'static str; 2],
    /// What one gets, in both languages.
    pub about: [&'static str; 2],
    /// Words that mean it by themselves.
    words: &'static [&'static str],
    /// Makes the command from the rest of the text; `None` when this usage is not meant.
    read: fn(&str) -> Option<Command>,
}

impl Usage {
    /// Returns what to type.
    pub const fn example(&self, lang: Lang) -> &'static str {
        pick(self.example, lang)
    }

    /// Returns what one gets.
    pub const fn about(&self, lang: Lang) -> &'static str {
        pick(self.about, lang)
    }
}

/// All ways to ask, in the order in which they are tried and shown. The last takes any text.
pub static USAGES: &[Usage] = &[
    Usage {
        example: ["help", "도움말"],
        about: ["shows this", "이 안내를 보여줘요"],
        words: &["help", "?", "-h", "--help", "도움말", "도움"],
        read: |rest| rest.is_empty().then_some(Command::Help),
    },
    Usage {
        example: ["here", "여기"],
        about: [
            "reads this channel and looks up what it is about",
            "이 채널을 읽고 그 내용으로 찾아요",
        ],
        words: &["here", "여기", "이 채널"],
        read: |rest| rest.is_empty().then_some(Command::Here),
    },
    Usage {
        example: ["settings", "설정"],
        about: [
            "shows how I am set up here",
            "어떻게 설정돼 있는지 보여줘요",
        ],
        words: &["settings", "config", "설정"],
        read: |rest| {
            rest.is_empty()
                .then(|| Command::Settings(Change::default()))
        },
    },
    Usage {
        example: ["settings ask", "설정 질문만"],
        about: [
            "on, ask or off: whether I speak up by myself in this channel; also sure careful, lang ko, post thread, bookmark on",
            "켜기, 질문만, 끄기: 이 채널에서 먼저 말을 꺼낼지 정해요. 확신 신중, 언어 한국어, 위치 스레드, 북마크 켜기도 돼요",
        ],
        words: &["settings", "config", "설정"],
        read: |rest| Change::parse(rest).map(Command::Settings),
    },
    Usage {
        example: [
            "settings workspace patterns inc-*,sev*-*",
            "설정 워크스페이스 패턴 inc-*,장애-*",
        ],
        about: [
            "for admins: the same for the whole workspace, and which channels are incident channels",
            "관리자용: 워크스페이스 전체에 같은 설정을 하고, 장애 채널 이름을 정해요",
        ],
        words: &["settings", "config", "설정"],
        read: |rest| Change::parse(rest).map(Command::Settings),
    },
    Usage {
        example: ["similar IL-0493", "비슷한 IL-0493"],
        about: [
            "finds the cases closest to a case",
            "그 사례와 가까운 사례를 찾아요",
        ],
        words: &["similar to", "similar", "like", "비슷한", "유사"],
        read: |rest| rest.parse().ok().map(Command::Similar),
    },
    Usage {
        example: ["IL-0493", "IL-0493"],
        about: ["shows a whole case", "사례 하나를 전부 보여줘요"],
        words: &[],
        read: |rest| rest.parse().ok().map(Command::Case),
    },
    Usage {
        example: [
            "etcd timeouts component:etcd since:2019 lang:ko",
            "etcd 타임아웃 구성요소:etcd 이후:2023",
        ],
        about: [
            "narrows by component, symptom, cause, factor, org, tag, since, until; quote what has spaces",
            "구성요소, 증상, 원인, 요인, 조직, 태그, 이후, 까지로 좁혀요. 띄어 쓴 이름은 따옴표로 묶어요",
        ],
        words: &[],
        read: |rest| {
            let narrows = rest.contains([':', '：']);
            narrows.then(|| Command::Lookup(rest.to_owned()))
        },
    },
    Usage {
        example: [
            "nodes fail the load balancer health check one by one",
            "노드가 하나씩 로드밸런서 헬스체크에 실패해요",
        ],
        about: [
            "finds the closest past incidents: symptoms, components, error lines, in your own words",
            "가장 가까운 과거 인시던트를 찾아요. 증상, 구성 요소, 에러 로그를 보이는 그대로 쓰면 돼요",
        ],
        words: &[],
        read: |rest| (!rest.is_empty()).then(|| Command::Lookup(rest.to_owned())),
    },
];

/// Reads a command. Any text is one: what fits no usage is looked up.
pub fn parse(text: &str) -> Command {
    let text = cap(text.trim());
    // Any command can ask for its language; only a question keeps the words, for it is shown and asked again.
    let bare = narrow::without_language(text);
    if bare.is_empty() {
        return Command::ThisChannel;
    }
    let command = USAGES.iter().find_map(|usage| usage.parse(&bare));
    match command {
        Some(Command::Lookup(_)) | None => Command::Lookup(text.to_owned()),
        Some(command) => command,
    }
}

/// Returns the command that a text may be a slip of: `hlep`, `simlar IL-0493`, `IL0493`.
pub fn near(text: &str) -> Option<String> {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if text.chars().count() > 32 {
        return None;
    }
    // `IL0493`, `il_0493`, `IL 493`; with a hyphen it is an id already.
    let digits = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let number = digits.trim_start_matches([' ', '_', '#']);
    let prefix = &text[..text.len() - digits.len()];
    if prefix.eq_ignore_ascii_case("il") && (1..=6).contains(&number.len()) {
        let id = format!("IL-{number:0>4}").parse::<CaseId>().ok()?;
        return Some(id.to_string());
    }
    let word = word.to_lowercase();
    let slip = |usage: &Usage| {
        let named = usage.words.iter().find(|name| {
            let most = (name.chars().count() / 4).max(1);
            let apart = letters_apart(&word, name, most);
            name.chars().all(char::is_alphabetic) && apart.is_some_and(|apart| apart > 0)
        })?;
        (usage.read)(rest.trim())?;
        Some(format!("{named} {}", rest.trim()).trim().to_owned())
    };
    USAGES.iter().find_map(slip)
}

impl Usage {
    fn parse(&self, text: &str) -> Option<Command> {
        if self.words.is_empty() {
            return (self.read)(text);
        }
        self.words
            .iter()
            .find_map(|word| (self.read)(after_word(text, word)?.trim()))
    }
}

/// Returns what follows `word` at the start of `text`, ignoring case; the word must end there.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (head.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// Cuts a text to [`TEXT_LIMIT`] characters.
fn cap(text: &str) -> &str {
    text.char_indices()
        .nth(TEXT_LIMIT)
        .map_or(text, |(end, _)| &text[..end])
}

const fn pick(pair: [&'static str; 2], lang: Lang) -> &'static str {
    match lang {
        Lang::En => pair[0],
        Lang::Ko => pair[1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slack::setting::{Reach, Value, Voice};

    fn set(value: Option<Value>) -> Command {
        let reach = Reach::Channel;
        Command::Settings(Change { reach, value })
    }

    fn check(text: &str, expect: &Command) {
        assert_eq!(parse(text), *expect, "{text}");
    }

    fn case() -> CaseId {
        "IL-0493".parse().expect("a valid id")
    }

    #[test]
    fn words_that_mean_a_command() {
        for text in ["help", " HELP ", "?", "도움말"] {
            check(text, &Command::Help);
        }
        for text in ["", "  \n", "lang:ko"] {
            check(text, &Command::ThisChannel);
        }
        for text in ["here", "여기", "Here lang:en"] {
            check(text, &Command::Here);
        }
        for text in ["settings", "설정"] {
            check(text, &set(None));
        }
        check("설정 언어 한국어", &set(Some(Value::Lang(Some(Lang::Ko)))));
        let off = Value::Voice(Some(Voice::Off));
        check("settings OFF lang:ko", &set(Some(off)));
        check("IL-0493 언어:한국어", &Command::Case(case()));
        check("il-0493", &Command::Case(case()));
        for text in ["similar il-0493", "similar to IL-0493", "비슷한 IL-0493"] {
            check(text, &Command::Similar(case()));
        }
    }

    #[test]
    fn everything_else_is_looked_up() {
        for text in [
            "help! the api is down",
            "helpdesk cannot log in",
            "here we see 502",
            "similar to last week: etcd timeouts",
            "IL-0493 again?",
            "도움말 페이지가 안 열려요",
            "노드가 NotReady",
        ] {
            check(text, &Command::Lookup(text.to_owned()));
        }
    }

    #[test]
    fn slips_of_commands_are_recognised() {
        for (text, expect) in [
            ("hlep", Some("help")),
            ("setings", Some("settings")),
            ("simlar IL-0493", Some("similar IL-0493")),
            ("IL0493", Some("IL-0493")),
            ("il 0493", Some("IL-0493")),
            ("IL 493", Some("IL-0493")),
            ("IL7", Some("IL-0007")),
            ("IL", None),
            ("IL12ab", None),
            ("도움맣", Some("도움말")),
            ("비슷힌 IL-0493", Some("비슷한 IL-0493")),
            ("help", None),
            ("similarity search is slow", None),
            ("kubelet", None),
            ("502", None),
        ] {
            assert_eq!(near(text).as_deref(), expect, "{text}");
        }
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let Command::Lookup(text) = parse(&"가🔥".repeat(5000)) else {
            panic!("text is looked up");
        };
        assert_eq!(text.chars().count(), TEXT_LIMIT);
    }

    #[test]
    fn every_example_is_read_by_its_own_usage() {
        for usage in USAGES {
            for lang in Lang::ALL {
                let own = usage.parse(usage.example(lang));
                assert_eq!(own.as_ref(), Some(&parse(usage.example(lang))));
            }
        }
    }
}
