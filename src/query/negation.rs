//! What a text says is fine, or not it: "DB는 정상인데", "not DNS", "cache and queue look healthy".
//!
//! Looks only at the words around a term. A list shares its predicate: in "DNS, DB 모두 정상" both are fine.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use crate::corpus::Facet;

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

/// A denial that ends directly before a term.
static DENIED_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)(?:^|[\s(])
          (?: not | isn['’]?t | wasn['’]?t | aren['’]?t | weren['’]?t | neither | nor | (?:we|i|already|have|been|was|is)\s+rul(?:ed|ing)\s+out | unrelated\s+to | nothing\s+(?:wrong\s+)?(?:to\s+do\s+)?with
            | no\s+(?:problems?|issues?|errors?)\s+with | (?:don['’]?t|do\s+not)\s+think\s+(?:it['’]?s|it\s+is|this\s+is) )
          \s+ (?: (?: a | an | the | any | our | really | simply | likely | related\s+to | caused\s+by | due\s+to | because\s+of | about | an?\s+issue\s+with | another )\s+ ){0,3} $",
    )
});

/// `no` directly before a term.
static NO_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:^|[\s(])(?:no|without any|zero)\s+(?:(?:more|recent|new|other|signs? of|visible)\s+){0,2}$",
    )
});

/// What turns "no X" into a trouble or says that X itself did not occur.
static NO_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^\s*(?:issues?|problems?|errors?|alerts?|failures?|changes?|incidents?|outages?|spikes?|anomal(?:y|ies))\b",
    )
});

/// A word that may stand between a term and its predicate.
static FILLER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?:
          (?: itself | side | tier | layer | cluster | servers? | nodes? | pods? | hosts? | instances? | services? | connections? | metrics | health | status | cpu | memory | latency
            | usage | utili[sz]ation | load | traffic | all | both | also | still | are | is | looks? | seems? | appears? | remains? | stays?
            | totally | completely | perfectly | otherwise | currently | now | just | to\s+be | being | reported | reports? | shows? | everything )\b
          | ['’]s\b
          | (?: 들 | 쪽 | 측 | 단 | 은 | 는 | 이 | 가 | 도 | 에는 | 에서는 | 에선 | 에 | 의 | 을 | 를 | 로는 | 으로는 )+ (?: \s | $ )
          | (?: 쪽 | 측 | 자체 | 상태 | 서버 | 연결 | 노드 | 지표 | 메트릭 | 클러스터 | 모두 | 전부 | 다 | 아직 | 일단 | 현재 | 지금 | 계속 | 전혀 | 별 | 별다른 | 특별한 | 딱히 | 응답 | 사용률 | 부하 ) (?: 은 | 는 | 이 | 가 | 도 | 에는 | 에 )? (?: \s | $ )
        )",
    )
});

/// What joins the members of a list.
static JOIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:,|/|&|\+|·|and\b|or\b|nor\b|와(?:\s|$)|과(?:\s|$)|랑(?:\s|$)|이랑(?:\s|$)|하고(?:\s|$)|및(?:\s|$)|도(?:\s|$))",
    )
});

/// An English adjective that says that its subject is fine. It needs a verb before it, or the end of the clause after it:
/// "DB healthy, api slow" but not "DB clean shutdown failed".
static FINE_WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:fine|ok|okay|healthy|normal|good|green|stable|unaffected|clean|alright|nominal|innocent|happy|idle|quiet|intact)\b",
    )
});

/// What may follow such an adjective at the end of its clause.
static CLAUSE_END: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^\s*(?:$|[,.;!)\n]|but\b|and\b|though\b|so\b|while\b|\p{Hangul})")
});

/// What takes an English "fine" back: it was once, or is asked.
static TAKEN_BACK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:-|\s*(?:\?|until\b|before\b|till\b|yesterday\b|earlier\b|an?\s+hour\s+ago\b|last\b))",
    )
});

/// A predicate that says that its subject is fine or not to blame.
static FINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?:
          (?:was\s+|is\s+|been\s+)?ruled\s+out\b | up\s+and\s+running\b | caught\s+up\b | checks?\s+out\b | work(?:s|ing)?\s+(?:fine|ok|okay|well|as\s+expected|normally)\b
          | (?:is\s+|are\s+)?(?: behaving | bored | blameless | unchanged | untouched | not\s+(?:guilty|at\s+fault) )\b | answers?\s+(?:happily|quickly)\b | (?:serves?|responds?|answers?|runs?|running)\s+(?:fine|ok|okay|well|normally)\b
          | has\s+(?:plenty|loads|lots|tons)\s+(?:of|free)\b
          | (?: not | n['’]t ) \s+ (?: it | affected | involved | related | to\s+blame | the\s+(?:cause|problem|issue|culprit|reason) | an?\s+(?:issue|problem) )\b
          | no\s+(?: issues? | problems? | errors? | anomal(?:y|ies) )\b
          | (?:is|are|was|were|got|has|have|been)?\s*(?: recovered | resolved | gone\s+again | back\s+to\s+normal )\b | (?:is|are|at|still)\s+(?: 0 | zero )\b
          | (?: 은 | 는 | 이 | 가 | 도 )? \s* (?: 해소 | 해결\s*(?:됐|되었|됨|완료) | 복구\s*(?:됐|되었|됨|완료) | 다\s*빠졌 | (?: 전부\s* | 다\s* )? 따라잡 | 0\s*(?:초|건|개)?\s*(?:이고|인데|입니다|이에요|예요|,|$) )
          | (?: 은 | 는 | 이 | 가 | 도 | 만 | 쪽은 | 쪽도 )? \s* (?: 정상 | 멀쩡 | 괜찮 | 양호 | 이상 \s* 무 (?: \b | 입 | 이 ) | 무관 | 무죄 | 한가 | 한산 | 쌩쌩 | 살아\s*있 | 깨끗 | 건강 | 팔팔 | 조용 | 여유롭 | 놀 (?: 아요 | 고 | 아 | 음 | 던 | 는 ) | 붙어\s*있 | 유효 | 안정적 | 상관\s*없 | 널널 | 여유 \s* (?:가|는|도)? \s* (?:있|많|로|롭) | 잘\s*(?:되|돼|됨|됩|돌|떠|뜨|나오|주|줘|줍|받|붙|열|응답) | (?:지표상|로그도|지표도|그래프도|확인했고|응답)\s*(?:정상|깨끗|멀쩡|이상\s*없) | 잘못\s*없 | 죄\s*없 | 억울 | 결백 )
          | \s* 말고 (?: \s | $ )
          | (?: 은 | 는 | 이 | 가 | 도 )? \s* (?: 이상 | 문제 | 이슈 | 에러 | 오류 | 장애 ) (?: 은 | 는 | 이 | 가 | 도 )? \s* (?: 없 | 아니 | 아닌 | 아님 | 아닙 | 안\s*보 )
          | (?: 은 | 는 | 이 | 가 | 도 )? \s* (?: 아니 | 아닌 | 아님 | 아닙 | 아녜 )
        )",
    )
});

/// A Korean denial of a symptom: "타임아웃은 없는데".
static ABSENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:은|는|이|가|도)?\s*(?:없(?:는데|고|음|어|습|네|었|지만)|안\s*(?:보여|보임|나와|나옴))",
    )
});

/// What turns a Korean "fine" around before its clause ends: "정상이 아님", "정상 응답을 안 함", "정상 여부 확인", "잘 되다가 죽음".
static TURNED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[^,.;!\n]{0,14}?)(?:않|못하|못 |안 |안되|아니|아닌|아님|아닙|없|모르|여부|확인|실패|종료|다가|가요\?|\?|까요|화)",
    )
});

/// Where a Korean clause ends.
static CONNECTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:인데|는데|은데|지만|이고|하고|되고|많고|없고|있고|고\s|며\s|구요|고요|[,.;!\n])")
});

/// An attribute of the next noun: "멀쩡한 서버".
static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:은|는|이|가|도)?\s*(?:멀쩡한|정상적인|정상인|괜찮은|안정적인)\s")
});

/// A verb that makes the next adjective a predicate.
static VERB: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)^(?:are|is|looks?|seems?|appears?|remains?|stays?|still|both|all|['’]s)(?:\s|$)")
});

/// A word that says of a list that all its members are meant.
static ALL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(?:all|both|everything|모두|전부|다)(?:\s|$)"));

/// Any word: a member of a list that the vocabulary does not know.
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[\p{L}\p{N}]+"));

/// A word that says something else of the term, or begins to speak of something else.
static BREAKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)^(?: but | and | or | so | then | until | after | before | when | while | because | since | that | which | not | no | never | without
          | can | can['’]t | cannot | could | will | won['’]t | does | doesn['’]t | did | didn['’]t | has | have | had | was | were | gets? | got | goes | went | keeps? | makes? | returns? | says | needs? | takes?
          | fail\w* | error\w* | slow\w* | down | stuck | hang\w* | drop\w* | crash\w* | spik\w* | climb\w* | high | full | lag\w* | dead | died | broken | wrong | lost | missing | gone | refus\w* | reject\w* | time[ds]? | timing
          )$ | (?: 안 | 못 | 실패 | 에러 | 오류 | 느려 | 느리 | 죽 | 끊 | 터 | 막 | 밀 | 멈 | 튀 | 꽉 | 높 | 치솟 | 급증 | 했 | 하고 | 하는 | 해서 | 인데 | 는데 | 지만 | 니까 | 면서 | 다가 | 부터 | 뒤 | 이후 | 때문 )",
    )
});

/// Most unknown words between a term and what is said of it.
const PASSED: usize = 2;

/// Largest number of words and list members between a term and its predicate.
const REACH: usize = 12;

/// Returns whether the text says that the term at `span` is fine or not it. `others` are the places of all terms.
pub(super) fn is_ruled_out(
    text: &str,
    span: &Range<usize>,
    facet: Facet,
    others: &[Range<usize>],
) -> bool {
    denied_before(text, span, facet)
        || facet == Facet::Symptom && ABSENT.is_match(&text[span.end..])
        || fine_after(text, span.end, others, false)
}

/// Returns whether the text says that the function or resource at `span` is fine. As such a word is no trouble by itself, a
/// comma after it lists: in "logins, search are fine" both are.
pub(super) fn is_fine(text: &str, span: &Range<usize>, others: &[Range<usize>]) -> bool {
    fine_after(text, span.end, others, true)
}

fn denied_before(text: &str, span: &Range<usize>, facet: Facet) -> bool {
    let clause = clause_before(&text[..span.start]);
    if DENIED_BEFORE.is_match(clause) {
        return true;
    }
    // "no timeouts" denies a symptom, but "no DNS" is the trouble itself.
    NO_BEFORE.is_match(clause)
        && (facet != Facet::Component || NO_AFTER.is_match(&text[span.end..]))
}

/// Returns the last 80 bytes or so of the clause that ends here.
fn clause_before(text: &str) -> &str {
    let from = text
        .rfind(['.', ',', ';', '!', '?', '\n'])
        .map_or(0, |at| at + 1);
    let mut from = from.max(text.len().saturating_sub(80));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

/// Returns whether what follows a Korean "fine" in its clause takes it back.
fn is_turned(after: &str) -> bool {
    let end = CONNECTED.find(after).map_or(after.len(), |end| end.start());
    TURNED.is_match(&after[..end])
}

fn fine_after(text: &str, from: usize, others: &[Range<usize>], is_neutral: bool) -> bool {
    let mut at = from;
    let mut joined = false;
    // A comma alone may as well end the clause: in "502s, DNS is fine" only DNS is.
    let mut comma = false;
    let mut list = is_neutral;
    let mut verb = false;
    let mut passed = 0;
    for _ in 0..REACH {
        let rest = &text[at..];
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let rest = &rest[spaces..];
        at += spaces;
        if let Some(word) = FINE_WORD.find(rest) {
            let after = &rest[word.end()..];
            let said = verb || CLAUSE_END.is_match(after);
            return said && (list || !comma) && !TAKEN_BACK.is_match(after);
        }
        if let Some(fine) = FINE.find(rest) {
            return (list || !comma)
                && !is_turned(&rest[fine.end()..])
                && !ATTRIBUTE.is_match(rest);
        }
        if let Some(next) = others
            .iter()
            .find(|other| other.start == at && other.end > at)
        {
            if !joined {
                return false;
            }
            joined = false;
            at = next.end;
        } else if let Some(join) = JOIN.find(rest) {
            comma |= join.as_str() == ",";
            list |= join.as_str() != ",";
            joined = true;
            at += join.len();
        } else if let Some(filler) = FILLER.find(rest) {
            list |= ALL.is_match(filler.as_str());
            verb |= VERB.is_match(filler.as_str());
            at += filler.len();
        } else if joined && rest.starts_with("the ") {
            at += 4;
        } else if let Some(word) = WORD.find(rest).filter(|_| joined && is_neutral) {
            joined = false;
            at += word.len();
        } else if let Some(word) = WORD
            .find(rest)
            .filter(|word| passed < PASSED && !BREAKS.is_match(word.as_str()))
        {
            // "redis behind it looks happy": what stands between says where or which.
            passed += 1;
            at += word.len();
        } else {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, term: &str, others: &[&str], expected: bool) {
        let place = |word: &str| {
            let start = text.find(word).expect("the word is in the text");
            start..start + word.len()
        };
        let others: Vec<_> = others.iter().map(|word| place(word)).collect();
        assert_eq!(
            is_ruled_out(text, &place(term), Facet::Component, &others),
            expected,
            "{text}: {term}"
        );
    }

    #[test]
    fn english_denials() {
        check("it's not DNS this time", "DNS", &[], true);
        check("DB looks healthy but api is slow", "DB", &[], true);
        check(
            "the cache and the queue are both fine",
            "cache",
            &["queue"],
            true,
        );
        check(
            "the cache and the queue are both fine",
            "queue",
            &["cache"],
            true,
        );
        check("DNS was ruled out", "DNS", &[], true);
        check("DNS isn't the problem", "DNS", &[], false);
        check("no DNS errors, api down", "DNS", &[], true);
        check("etcd CPU is normal", "etcd", &[], true);
        check("502s, DNS is fine", "502s", &["DNS"], false);
        check("redis behind it looks happy", "redis", &[], true);
        check("5xx rate is up, DNS ok", "5xx rate", &["DNS"], false);
        check("504s going up", "504s", &[], false);
        check("DNS that fails is fine", "DNS", &[], false);
        check(
            "cache, queue and DNS are fine",
            "cache",
            &["queue", "DNS"],
            true,
        );
    }

    #[test]
    fn english_reports_are_not_denials() {
        check("DB is not healthy", "DB", &[], false);
        check("DB not responding", "DB", &[], false);
        check("cannot reach DB", "DB", &[], false);
        check("DB timeouts while cache is fine", "DB", &["cache"], false);
        check("no DNS resolution in pods", "DNS", &[], false);
        check("not reaching DB", "DB", &[], false);
    }

    #[test]
    fn korean_denials() {
        check("DB는 정상인데 로그인이 안 됨", "DB", &[], true);
        check("네트워크 쪽은 이상 없음", "네트워크", &[], true);
        check("DNS, DB 모두 정상", "DNS", &["DB"], true);
        check("캐시랑 DB는 멀쩡해요", "캐시", &["DB"], true);
        check(
            "DNS 문제는 아니고 인그레스가 502",
            "DNS",
            &["인그레스"],
            true,
        );
        check("DNS가 아니라 DB가 느려요", "DNS", &["DB"], true);
    }

    #[test]
    fn what_was_asked_hoped_or_once_true_is_no_denial() {
        for text in [
            "not just DB",
            "cannot rule out DB",
            "haven't ruled out DB",
            "DB was fine yesterday, now timing out",
            "DB is fine until 10:30 then 502",
            "DB clean shutdown failed",
            "DB normal users cannot log in",
            "DB fine-grained locks timeout",
            "is DB fine?",
            "DB가 정상적이지 않아요",
            "DB가 정상으로 돌아오지 않음",
            "DB가 괜찮아 보이지 않음 502",
            "DB 정상 종료 실패 502",
            "DB가 잘 되다가 죽음 502",
            "DB 에러가 없어지지 않음 502",
            "DB는 괜찮은지 모르겠고 502",
            "DB 여유 없고 502",
            "DB 정상?",
            "DB 정상 여부 확인 필요 502",
        ] {
            check(text, "DB", &[], false);
        }
    }

    #[test]
    fn denials_come_in_many_words() {
        for text in [
            "no problem with DB, api slow",
            "there is no issue with the DB",
            "I don't think it's DB",
            "DB works fine, api slow",
            "we ruled out DB",
            "DB만 정상이고 나머지는 다 죽음",
            "DB 상태 정상인데 502",
        ] {
            check(text, "DB", &[], true);
        }
    }

    #[test]
    fn korean_reports_are_not_denials() {
        check("DB가 정상이 아님", "DB", &[], false);
        check("DB가 정상 응답을 안 해요", "DB", &[], false);
        check("DB 정상화 중", "DB", &[], false);
        check("DB가 정상이 아닙니다", "DB", &[], false);
        check("혹시 DNS 문제 아닌가요?", "DNS", &[], false);
        check(
            "로드 밸런서가 멀쩡한 서버를 빼요",
            "로드 밸런서",
            &[],
            false,
        );
        check("DB가 느린데 캐시는 정상", "DB", &["캐시"], false);
        check("노드가 하나씩 죽어요", "노드", &[], false);
    }
}
