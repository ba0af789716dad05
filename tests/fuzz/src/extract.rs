//! From a text to terms, and from terms to precedents.

use std::ops::Range;

use incident_like::{
    library::{Answer, Lookup},
    query::QueryTerms,
    slack::command::{self, narrow},
};

use super::LIBRARY;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let terms = LIBRARY.extract(&text);
    spans(&text, &terms);
    assert_eq!(terms, LIBRARY.extract(&text));
    looked_up(&text);
    narrowed(&text);
}

/// Every span is of the text, says what stands there, and comes in its place.
fn spans(text: &str, terms: &QueryTerms) {
    let words = terms.words.iter().map(|word| (&word.span, &word.text));
    let signals = terms
        .signals
        .iter()
        .map(|signal| (&signal.span, &signal.text));
    let found = |list: &[_]| -> Vec<(Range<usize>, String)> {
        let pair =
            |found: &incident_like::query::FoundTerm| (found.span.clone(), found.text.clone());
        list.iter().map(pair).collect()
    };
    let owned = |(span, text): (&Range<usize>, &String)| (span.clone(), text.clone());
    for (name, list) in [
        ("terms", found(&terms.terms)),
        ("ruled out", found(&terms.ruled_out)),
        ("signals", signals.map(owned).collect()),
        ("words", words.map(owned).collect()),
    ] {
        for (span, said) in &list {
            assert_eq!(text.get(span.clone()), Some(said.as_str()), "{name}");
            assert!(!said.trim().is_empty(), "{name}: nothing at {span:?}");
        }
        assert!(
            list.is_sorted_by_key(|(span, _)| span.start),
            "{name}: {list:?}"
        );
    }
    for found in &terms.terms {
        let also_fine = |fine: &incident_like::query::FoundTerm| {
            fine.term == found.term && fine.span == found.span
        };
        assert!(
            !terms.ruled_out.iter().any(also_fine),
            "both said and ruled out: {found:?}"
        );
    }
}

/// Scores are scores, the best comes first, pages fit together, and asking again changes nothing.
fn looked_up(text: &str) {
    let ask = |limit, offset| {
        let lookup = Lookup {
            limit,
            offset,
            ..Lookup::new(text)
        };
        LIBRARY.lookup(&lookup)
    };
    let all = ask(10, 0);
    let ids = |answer: &Answer| -> Vec<String> {
        answer
            .precedents
            .iter()
            .map(|precedent| precedent.case.id.to_string())
            .collect()
    };
    assert_eq!(all.precedents.len(), all.total.min(10));
    assert!((0.0..=1.0).contains(&all.confidence), "{}", all.confidence);
    for precedent in &all.precedents {
        assert!(
            (0.0..=1.0).contains(&precedent.score),
            "{}",
            precedent.score
        );
    }
    let scores = all.precedents.iter().map(|precedent| precedent.score);
    assert!(scores.rev().is_sorted(), "{:?}", ids(&all));
    assert_eq!(ids(&all), ids(&ask(10, 0)));
    let pages = [ids(&ask(2, 0)), ids(&ask(2, 2))].concat();
    assert_eq!(pages, ids(&ask(4, 0)));
}

/// Reading a command never fails, and what it is mended to is read too.
fn narrowed(text: &str) {
    let _ = command::parse(text);
    let _ = command::near(text);
    let asked = narrow::understand(&LIBRARY, text);
    for slip in &asked.slips {
        assert!(!format!("{slip:?}").is_empty());
    }
    // A text that nobody typed as a question narrows nothing.
    let literal = narrow::literal(text);
    let understood = narrow::understand(&LIBRARY, &literal);
    assert!(
        !understood.is_list() && understood.slips.is_empty(),
        "{literal:?}"
    );
}
