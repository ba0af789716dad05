//! Blocks as text, the way Slack lays them out: for the terminal and for people who read test results.

use anstyle::{AnsiColor, Effects};
use slack_morphism::prelude::*;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Message;

/// How text is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No marks but code in backticks and addresses left out: for files and pipes.
    Plain,
    /// ANSI escape sequences: for terminals.
    Ansi,
}

/// Lays a message out in lines of at most `width` columns, wide characters counted as two.
pub fn preview(message: &Message, width: usize, style: Style) -> String {
    let mut page = Page {
        width: width.max(20),
        style,
        out: String::new(),
    };
    for block in &message.blocks {
        page.block(block);
    }
    page.out
}

/// A piece of a line with its marks.
#[derive(Clone, Debug, Default)]
struct Piece {
    text: String,
    effects: Effects,
    code: bool,
}

/// A line in the making.
struct Line {
    text: String,
    /// Columns used.
    column: usize,
    /// Spaces that wait for the next word.
    spaces: usize,
    /// Whether only the indentation is there.
    empty: bool,
}

impl Line {
    fn new(indent: &str) -> Self {
        Self {
            text: indent.to_owned(),
            column: indent.width(),
            spaces: 0,
            empty: true,
        }
    }

    fn push(&mut self, text: &str, columns: usize) {
        self.text.push_str(text);
        self.column += columns;
        self.empty &= columns == 0;
    }
}

/// What lines are made of.
enum Word<'a> {
    /// Parts that stay together, each with the number of its piece.
    Solid(Vec<(usize, &'a str)>),
    Space,
    Break,
}

/// Splits pieces into words; a word may begin in one piece and end in another. Code stays whole.
fn words(pieces: &[Piece]) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut solid = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        if piece.code {
            solid.push((at, piece.text.as_str()));
            continue;
        }
        for part in piece.text.split_inclusive([' ', '\n']) {
            let text = part.trim_end_matches([' ', '\n']);
            if !text.is_empty() {
                solid.push((at, text));
            }
            if text.len() < part.len() {
                if !solid.is_empty() {
                    words.push(Word::Solid(std::mem::take(&mut solid)));
                }
                words.push(if part.ends_with('\n') {
                    Word::Break
                } else {
                    Word::Space
                });
            }
        }
    }
    if !solid.is_empty() {
        words.push(Word::Solid(solid));
    }
    words
}

struct Page {
    width: usize,
    style: Style,
    out: String,
}

impl Page {
    fn block(&mut self, block: &SlackBlock) {
        match block {
            SlackBlock::Divider(_) => {
                self.out.push_str(&"─".repeat(self.width));
                self.out.push('\n');
            }
            SlackBlock::RichText(rich) => {
                for element in &rich.elements {
                    self.rich(element);
                }
            }
            SlackBlock::Actions(actions) => {
                let titles = actions.elements.iter().filter_map(|element| match element {
                    SlackActionBlockElement::Button(button) => {
                        let title = SlackBlockText::from(button.text.clone());
                        Some(format!("[ {} ]", text_of(&title)))
                    }
                    _ => None,
                });
                let titles: Vec<_> = titles.collect();
                self.wrap(&[plain(&titles.join(" "))], "", "");
            }
            SlackBlock::Context(context) => {
                for element in &context.elements {
                    if let SlackContextBlockElement::Plain(text) = element {
                        self.wrap(&[plain(&text.text)], "", "");
                    }
                }
            }
            // No other block is sent: `limits` refuses it.
            _ => {}
        }
    }

    fn rich(&mut self, element: &SlackRichTextElement) {
        match element {
            SlackRichTextElement::Section(section) => {
                self.wrap(&pieces(&section.elements), "", "");
            }
            SlackRichTextElement::List(list) => {
                for SlackRichTextListElement::Section(item) in &list.elements {
                    self.wrap(&pieces(&item.elements), "  • ", "    ");
                }
            }
            SlackRichTextElement::Quote(_) | SlackRichTextElement::Preformatted(_) => {}
        }
    }

    /// Breaks pieces into lines at spaces; only what is wider than a line is broken elsewhere.
    fn wrap(&mut self, pieces: &[Piece], first: &str, next: &str) {
        let mut line = Line::new(first);
        for word in words(pieces) {
            match word {
                Word::Break => self.end_line(&mut line, next),
                Word::Space => line.spaces += 1,
                Word::Solid(parts) => {
                    let marked = |(at, text): &(usize, &str)| {
                        let (open, close) = self.marks(&pieces[*at], true);
                        text.width() + open.width() + close.width()
                    };
                    let wide: usize = parts.iter().map(marked).sum();
                    if line.column + line.spaces + wide > self.width && !line.empty {
                        self.end_line(&mut line, next);
                    }
                    let spaces = std::mem::take(&mut line.spaces);
                    if !line.empty {
                        line.push(&" ".repeat(spaces), spaces);
                    }
                    for (at, text) in parts {
                        let (open, close) = self.marks(&pieces[at], false);
                        line.push(&open, 0);
                        for grapheme in text.graphemes(true) {
                            if line.column + grapheme.width() > self.width {
                                line.push(&close, 0);
                                self.end_line(&mut line, next);
                                line.push(&open, 0);
                            }
                            line.push(grapheme, grapheme.width());
                        }
                        line.push(&close, 0);
                    }
                }
            }
        }
        self.end_line(&mut line, next);
    }

    fn end_line(&mut self, line: &mut Line, next: &str) {
        let ended = std::mem::replace(line, Line::new(next));
        self.out.push_str(ended.text.trim_end());
        self.out.push('\n');
    }

    /// Returns what stands around a piece; for `measure`, only what takes room.
    fn marks(&self, piece: &Piece, measure: bool) -> (String, String) {
        if measure && self.style == Style::Ansi {
            return (String::new(), String::new());
        }
        if self.style == Style::Plain {
            let mark = match piece {
                Piece { code: true, .. } => "`",
                _ if piece.effects.contains(Effects::STRIKETHROUGH) => "~",
                _ => "",
            };
            return (mark.to_owned(), mark.to_owned());
        }
        let style = anstyle::Style::new().effects(piece.effects);
        let style = if piece.code {
            style.fg_color(Some(AnsiColor::Red.into()))
        } else {
            style
        };
        (style.render().to_string(), style.render_reset().to_string())
    }
}

fn plain(text: &str) -> Piece {
    Piece {
        text: text.to_owned(),
        ..Piece::default()
    }
}

fn text_of(text: &SlackBlockText) -> String {
    match text {
        SlackBlockText::Plain(text) => text.text.clone(),
        SlackBlockText::MarkDown(text) => text.text.clone(),
    }
}

fn pieces(elements: &[SlackRichTextInlineElement]) -> Vec<Piece> {
    elements.iter().filter_map(piece).collect()
}

fn piece(element: &SlackRichTextInlineElement) -> Option<Piece> {
    let (text, style, link) = match element {
        SlackRichTextInlineElement::Text(text) => (text.text.clone(), text.style.as_ref(), false),
        SlackRichTextInlineElement::Link(link) => {
            let label = link.text.clone().unwrap_or_else(|| link.url.0.clone());
            (label, link.style.as_ref(), true)
        }
        SlackRichTextInlineElement::User(user) => {
            (format!("@{}", user.user_id.0), user.style.as_ref(), false)
        }
        _ => return None,
    };
    let is = |flag: fn(&SlackRichTextStyle) -> Option<bool>| style.and_then(flag) == Some(true);
    let effects = Effects::new()
        .set(Effects::BOLD, is(|style| style.bold))
        .set(Effects::ITALIC, is(|style| style.italic))
        .set(Effects::STRIKETHROUGH, is(|style| style.strike))
        .set(Effects::UNDERLINE, link);
    Some(Piece {
        text,
        effects,
        code: is(|style| style.code),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(elements: Vec<SlackRichTextInlineElement>) -> Message {
        let section = SlackRichTextSection::new(elements);
        Message {
            text: String::new(),
            blocks: vec![SlackRichTextBlock::new(vec![section.into()]).into()],
        }
    }

    #[test]
    fn lines_break_at_spaces_and_wide_letters_take_two_columns() {
        let chip = SlackRichTextText::new("a b".to_owned()).code();
        let message = message(vec!["가나다 라마바사 ".into(), chip.into(), ", end".into()]);
        let expect = "가나다 라마바사\n`a b`, end\n";
        assert_eq!(preview(&message, 20, Style::Plain), expect);
    }

    #[test]
    fn what_is_wider_than_a_line_is_broken_anyway() {
        let message = message(vec!["x".repeat(45).into()]);
        let page = preview(&message, 20, Style::Plain);
        let widths: Vec<_> = page.lines().map(UnicodeWidthStr::width).collect();
        assert_eq!(widths, [20, 20, 5]);
    }

    #[test]
    fn terminals_get_styles_and_files_do_not() {
        let bold = SlackRichTextText::new("x".to_owned()).bold();
        let message = message(vec![bold.into()]);
        assert_eq!(preview(&message, 20, Style::Plain), "x\n");
        assert_eq!(preview(&message, 20, Style::Ansi), "\u{1b}[1mx\u{1b}[0m\n");
    }
}
