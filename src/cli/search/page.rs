//! A whole case on a screen: the document that agents read, laid out in lines.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr;

use crate::{
    corpus::{Case, Lang},
    library::{Library, reason},
    mcp,
};

/// How many related cases are named.
const RELATED: usize = 5;

/// Writes all of a case in lines of at most `width` columns, wide letters counted as two.
pub(super) fn page(library: &Library, case: &Case, lang: Lang, width: usize) -> String {
    let mut document = mcp::markdown(library, case, lang);
    let related = library.similar(&case.id, RELATED).unwrap_or_default();
    if !related.is_empty() {
        let heading = match lang {
            Lang::En => "Related cases",
            Lang::Ko => "비슷한 사례",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(document, "\n## {heading}\n");
        for near in &related {
            let why = reason(library, near, lang);
            let title = near.case.title.get(lang);
            let _ = writeln!(document, "- {} {title} ({why})", near.case.id);
        }
    }
    let mut page = String::new();
    for line in document.lines() {
        // What a terminal would obey is no text of a case.
        let line: String = line.chars().filter(|c| !c.is_control()).collect();
        lay_out(&line, width.max(20), &mut page);
    }
    page.trim_end().to_owned()
}

/// Breaks a line at spaces; headings are bold, and what goes on of an item stands below its text.
fn lay_out(line: &str, width: usize, page: &mut String) {
    let heading = line.trim_start_matches('#').trim_start();
    if heading.len() < line.len() && line.starts_with('#') {
        // `anstream` takes the marks off again where the output is no terminal.
        page.push_str("\u{1b}[1m");
        wrap(heading, "", width, page);
        page.insert_str(page.len() - 1, "\u{1b}[0m");
        return;
    }
    let indent = if line.starts_with("- ") { "  " } else { "" };
    wrap(line, indent, width, page);
}

fn wrap(line: &str, indent: &str, width: usize, page: &mut String) {
    let mut column = 0;
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        let wide = word.width();
        if column > 0 && column + 1 + wide > width {
            page.push('\n');
            page.push_str(indent);
            column = indent.len();
        } else if column > 0 {
            page.push(' ');
            column += 1;
        }
        // An address is longer than a line, and must stay whole to be opened.
        page.push_str(word);
        column += wide;
    }
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_below_their_item() {
        let mut page = String::new();
        lay_out("## Actions", 20, &mut page);
        lay_out("- The leader was moved to 다른 노드로", 20, &mut page);
        assert_eq!(
            page,
            "\u{1b}[1mActions\u{1b}[0m\n- The leader was\n  moved to 다른\n  노드로\n"
        );
    }
}
