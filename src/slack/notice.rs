//! Short notices around an answer, in both languages.

use slack_morphism::prelude::{SlackBlockPlainText, SlackSectionBlock};

use super::Message;
use crate::corpus::Lang;

/// Something short to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The answer takes longer than Slack waits.
    Searching,
    /// Too much is going on.
    Busy,
    /// There is no such case.
    NoSuchCase,
    /// Thanks for saying that a precedent helped.
    ThanksHelpful,
    /// Thanks for saying that a precedent is not like this.
    ThanksNotThis,
    /// The channel is shared with another organisation.
    SharedChannel,
    /// It is unknown whether the channel is shared with another organisation.
    UnknownChannel,
    /// The message has no text.
    MessageWithoutText,
}

impl Notice {
    /// Returns the words.
    pub const fn text(&self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Self::Searching, Lang::En) => "Searching… the answer follows in a moment.",
            (Self::Searching, Lang::Ko) => "찾고 있어요… 곧 답을 보여드릴게요.",
            (Self::Busy, Lang::En) => {
                "Too much at once right now. Please try again in a few seconds."
            }
            (Self::Busy, Lang::Ko) => "지금 요청이 너무 많아요. 몇 초 뒤에 다시 시도해 주세요.",
            (Self::NoSuchCase, Lang::En) => "There is no case with that id.",
            (Self::NoSuchCase, Lang::Ko) => "그 번호의 사례가 없어요.",
            (Self::ThanksHelpful, Lang::En) => "Thanks, noted that this one helped.",
            (Self::ThanksHelpful, Lang::Ko) => "고마워요. 도움이 됐다고 기록했어요.",
            (Self::ThanksNotThis, Lang::En) => "Thanks, noted that this one is different.",
            (Self::ThanksNotThis, Lang::Ko) => "고마워요. 다른 경우라고 기록했어요.",
            (Self::SharedChannel, Lang::En) => {
                "Not shared: this channel is shared with another organisation, and nothing is posted there unless an \
                 admin allows it. Only you can see the answer."
            }
            (Self::SharedChannel, Lang::Ko) => {
                "공유하지 않았어요. 다른 조직과 함께 쓰는 채널이라서, 관리자가 허용하지 않으면 아무것도 올리지 않아요. \
                 답은 나에게만 보여요."
            }
            (Self::UnknownChannel, Lang::En) => {
                "Not shared: I cannot see whether this channel is shared with another organisation. Invite me to the \
                 channel and try again."
            }
            (Self::UnknownChannel, Lang::Ko) => {
                "공유하지 않았어요. 다른 조직과 함께 쓰는 채널인지 확인할 수 없어요. 저를 채널에 초대한 뒤 다시 눌러 \
                 주세요."
            }
            (Self::MessageWithoutText, Lang::En) => "That message has no text to look up.",
            (Self::MessageWithoutText, Lang::Ko) => "찾아볼 글이 없는 메시지예요.",
        }
    }

    /// Makes a message of the notice.
    pub fn message(&self, lang: Lang) -> Message {
        Message::plain(self.text(lang).to_owned())
    }
}

impl Message {
    /// Makes a message of one plain paragraph; nothing in it is read as markup.
    ///
    /// `text` is ours or already within 3,000 characters.
    pub fn plain(text: String) -> Self {
        let paragraph = SlackBlockPlainText::new(text.clone());
        Self {
            text,
            blocks: vec![SlackSectionBlock::new().with_text(paragraph.into()).into()],
        }
    }
}
