//! Problems found in corpus files: where, which check, what to do; and how they are drawn.

use std::{io, ops::Range, path::PathBuf, sync::Arc};

use annotate_snippets::{AnnotationKind, Level as DrawLevel, Renderer, Snippet};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The file cannot be used as it is; `serve` refuses to start.
    Error,
    /// The case works but falls short of the editorial rules; `lint` fails on it.
    Warning,
}

/// A corpus file as read: its path for messages and its text for snippets.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFile {
    /// Path as shown to people: relative to where the corpus was found.
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
}

/// One problem in a corpus file.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The file.
    pub file: Arc<SourceFile>,
    /// Bytes of the file that the problem is about.
    pub span: Range<usize>,
    /// How bad it is.
    pub level: Level,
    /// Name of the check that found it; `lint --checks` lists the editorial ones.
    pub check: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Diagnostic {
    /// Returns line and column, both from 1; the column counts characters.
    pub fn line_column(&self) -> (usize, usize) {
        let start = self.span.start.min(self.file.text.len());
        let before = &self.file.text[..self.file.text.floor_char_boundary(start)];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        (line, column)
    }

    /// Draws the problem with its line, a caret and the hint.
    pub fn render(&self, styled: bool) -> String {
        let renderer = if styled {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let level = match self.level {
            Level::Error => DrawLevel::ERROR,
            Level::Warning => DrawLevel::WARNING,
        };
        let text = &self.file.text;
        let start = text.floor_char_boundary(self.span.start);
        // A span over many lines would print the whole paragraph; its first line says enough.
        let first_line = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = text.floor_char_boundary(self.span.end.clamp(start, first_line.max(start)));
        let path = self.file.path.display().to_string();
        let report = &[level
            .primary_title(&self.message)
            .id(self.check)
            .element(
                Snippet::source(text)
                    .path(&path)
                    .annotation(AnnotationKind::Primary.span(start..end)),
            )
            .element(DrawLevel::HELP.message(&self.hint))];
        renderer.render(report)
    }
}

/// Returns the problem with a file that cannot be read at all.
pub(super) fn unreadable(path: PathBuf, error: &io::Error) -> Diagnostic {
    Diagnostic {
        file: Arc::new(SourceFile {
            path,
            text: String::new(),
        }),
        span: 0..0,
        level: Level::Error,
        check: "unreadable",
        message: format!("the file cannot be read: {error}"),
        hint: "give a text file in UTF-8 that this user may read, or take it away".to_owned(),
    }
}

/// Sorts problems by file and place, and drops exact repeats, so that output never depends on the order of checks.
pub(super) fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        (&a.file.path, a.span.start, a.check, &a.message).cmp(&(
            &b.file.path,
            b.span.start,
            b.check,
            &b.message,
        ))
    });
    diagnostics.dedup_by(|a, b| {
        a.file.path == b.file.path
            && a.span == b.span
            && a.check == b.check
            && a.message == b.message
    });
}

/// Returns the candidate nearest to `word`, if one is near enough to be a likely slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody slips in a name longer than this, and distances of long texts take long.
    if word.chars().count() > 64 {
        return None;
    }
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance <= limit || candidate.contains(word) && word.len() >= 4
        })
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let slugs = ["etcd", "kubelet", "in-memory-cache"];
        assert_eq!(nearest("ectd", slugs), Some("etcd"));
        assert_eq!(nearest("kublet", slugs), Some("kubelet"));
        assert_eq!(nearest("cache", slugs), Some("in-memory-cache"));
        assert_eq!(nearest("zookeeper", slugs), None);
    }

    #[test]
    fn a_problem_is_drawn_with_line_caret_and_hint() {
        let text = "id = \"IL-1\"\ncauses = [\"softwere-defect\"]\n";
        let start = text.find("\"softwere").expect("the slip is there");
        let diagnostic = Diagnostic {
            file: Arc::new(SourceFile {
                path: "cases/IL-1.toml".into(),
                text: text.to_owned(),
            }),
            span: start..start + 17,
            level: Level::Error,
            check: "unknown-term",
            message: "`softwere-defect` is not a cause of the vocabulary".to_owned(),
            hint: "did you mean `software-defect`?".to_owned(),
        };
        assert_eq!(diagnostic.line_column(), (2, 11));
        insta::assert_snapshot!(diagnostic.render(false), @r#"
        error[unknown-term]: `softwere-defect` is not a cause of the vocabulary
         --> cases/IL-1.toml:2:11
          |
        2 | causes = ["softwere-defect"]
          |           ^^^^^^^^^^^^^^^^^
          |
          = help: did you mean `software-defect`?
        "#);
    }
}
