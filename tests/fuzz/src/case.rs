//! A case's file as anybody may write it.

use std::path::PathBuf;

use incident_like::corpus::{Corpus, Lang, SourceFile};

use super::{LIBRARY, render};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let read = || {
        let file = SourceFile {
            path: PathBuf::from("cases/IL-0001.toml"),
            text: text.clone(),
        };
        Corpus::read_case(LIBRARY.corpus().vocabulary(), file)
    };
    let (case, problems) = read();
    for problem in &problems {
        let (line, column) = problem.line_column();
        assert!(line >= 1 && column >= 1);
        assert!(
            problem.span.start <= text.len() && problem.span.start <= problem.span.end,
            "{problem:?}"
        );
        assert!(!problem.message.is_empty() && !problem.hint.is_empty());
        assert!(problem.render(false).contains(problem.check));
    }
    let (again, same) = read();
    let lines = |problems: &[incident_like::corpus::Diagnostic]| -> Vec<String> {
        problems
            .iter()
            .map(|problem| format!("{:?}", (problem.check, &problem.span, &problem.message)))
            .collect()
    };
    assert_eq!((&case, lines(&problems)), (&again, lines(&same)));
    match case {
        Some(case) => {
            for lang in Lang::ALL {
                render::shown(&case, &[case.title.get(lang).to_owned()], lang);
            }
        }
        // What cannot be used says why.
        None => assert!(!problems.is_empty()),
    }
}
