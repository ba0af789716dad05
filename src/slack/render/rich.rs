//! Rich text: runs of styled words, put together into blocks. Nothing in it is parsed, so nothing needs escaping.

use slack_morphism::prelude::*;

use crate::slack::mrkdwn;

/// Styled words in a row. Empty texts are left out: Slack refuses them.
#[derive(Clone, Debug, Default)]
pub(super) struct Run(Vec<SlackRichTextInlineElement>);

impl Run {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds plain words; they grow the last ones when those are plain too.
    pub(super) fn text(mut self, words: &str) -> Self {
        if let Some(SlackRichTextInlineElement::Text(last)) = self.0.last_mut()
            && last.style.is_none()
        {
            last.text.push_str(words);
            return self;
        }
        self.styled(words, |words| words)
    }

    pub(super) fn bold(self, words: &str) -> Self {
        self.styled(words, SlackRichTextText::bold)
    }

    pub(super) fn italic(self, words: &str) -> Self {
        self.styled(words, SlackRichTextText::italic)
    }

    pub(super) fn code(self, words: &str) -> Self {
        self.styled(words, SlackRichTextText::code)
    }

    pub(super) fn struck(self, words: &str) -> Self {
        self.styled(words, SlackRichTextText::strike)
    }

    fn styled(
        mut self,
        words: &str,
        style: impl FnOnce(SlackRichTextText) -> SlackRichTextText,
    ) -> Self {
        if !words.is_empty() {
            self.0
                .push(style(SlackRichTextText::new(words.to_owned())).into());
        }
        self
    }

    /// Adds a link; only its label when the address is no web address.
    pub(super) fn link(mut self, url: Option<&str>, label: &str, bold: bool) -> Self {
        let Some(url) = url.and_then(mrkdwn::web_address) else {
            return if bold {
                self.bold(label)
            } else {
                self.text(label)
            };
        };
        let mut link = SlackRichTextLink::new(SlackRelaxedUrl(url));
        if !label.is_empty() {
            link = link.with_text(label.to_owned());
        }
        if bold {
            link = link.with_style(SlackRichTextStyle::new().with_bold(true));
        }
        self.0.push(link.into());
        self
    }

    /// Adds a person's mention.
    pub(super) fn user(mut self, id: &str) -> Self {
        self.0
            .push(SlackRichTextUser::new(SlackUserId(id.to_owned())).into());
        self
    }

    /// Adds runs with a separator between them.
    pub(super) fn joined(mut self, runs: impl IntoIterator<Item = Self>, separator: &str) -> Self {
        for (at, run) in runs.into_iter().enumerate() {
            if at > 0 {
                self = self.text(separator);
            }
            self = self.then(run);
        }
        self
    }

    pub(super) fn then(mut self, run: Self) -> Self {
        for element in run.0 {
            match element {
                SlackRichTextInlineElement::Text(words) if words.style.is_none() => {
                    self = self.text(&words.text);
                }
                element => self.0.push(element),
            }
        }
        self
    }
}

/// A rich text block in the making: lines and lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Rich {
    elements: Vec<SlackRichTextElement>,
    lines: Run,
}

impl Rich {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a line.
    pub(super) fn line(mut self, run: Run) -> Self {
        if run.is_empty() {
            return self;
        }
        if !self.lines.is_empty() {
            self.lines = self.lines.text("\n");
        }
        self.lines = self.lines.then(run);
        self
    }

    /// Adds a heading with what stands under it: nothing for no items, one line for one, else a list.
    pub(super) fn list(self, heading: &str, mut items: Vec<Run>) -> Self {
        let heading = Run::new().bold(heading);
        match items.len() {
            0 => self,
            1 => self.line(heading.text("  ").then(items.remove(0))),
            _ => self.line(heading).items(items),
        }
    }

    /// Adds bullets.
    pub(super) fn items(self, items: Vec<Run>) -> Self {
        let items: Vec<SlackRichTextListElement> = items
            .into_iter()
            .filter(|item| !item.is_empty())
            .map(|item| SlackRichTextSection::new(item.0).into())
            .collect();
        let mut rich = self.end_section();
        if !items.is_empty() {
            let list = SlackRichTextList::new(SlackRichTextListStyle::Bullet, items);
            rich.elements.push(list.into());
        }
        rich
    }

    fn end_section(mut self) -> Self {
        if !self.lines.is_empty() {
            let lines = std::mem::take(&mut self.lines);
            self.elements
                .push(SlackRichTextSection::new(lines.0).into());
        }
        self
    }

    /// Returns the block; none when nothing was added.
    pub(super) fn block(self) -> Option<SlackBlock> {
        let elements = self.end_section().elements;
        (!elements.is_empty()).then(|| SlackRichTextBlock::new(elements).into())
    }
}
