//! How people word things, apart from the terms: log phrases, talk, words that mean the same.

use toml::Spanned;

use super::reader::{Fields, Problems};

/// How people talk when something is wrong, and when nothing is.
#[derive(Clone, Debug, Default)]
pub struct Talk {
    /// Phrases of an ordinary day.
    pub calm: Vec<String>,
    /// Phrases of trouble.
    pub trouble: Vec<String>,
}

/// Lists of words and phrases that name no term.
#[derive(Clone, Debug, Default)]
pub(super) struct Wording {
    pub(super) log_phrases: Vec<String>,
    pub(super) talk: Talk,
    /// Words that mean the same, Korean first.
    pub(super) translations: Vec<(String, String)>,
    /// Words of one language that people use for the same thing.
    pub(super) synonyms: Vec<Vec<String>>,
}

impl Wording {
    /// Reads the file of that name, if it is one of these lists.
    pub(super) fn read(
        &mut self,
        stem: &str,
        fields: &mut Fields<'_, '_>,
        problems: &mut Problems,
    ) -> bool {
        let plain = |list: Vec<Spanned<String>>| list.into_iter().map(Spanned::into_inner);
        match stem {
            "log-phrases" => self
                .log_phrases
                .extend(plain(fields.texts("phrases", problems))),
            "talk" => {
                self.talk = Talk {
                    calm: plain(fields.texts("calm", problems)).collect(),
                    trouble: plain(fields.texts("trouble", problems)).collect(),
                }
            }
            "synonyms" => self
                .synonyms
                .extend(plain(fields.texts("groups", problems)).map(|group| {
                    let words = group.split_whitespace();
                    words.map(str::to_owned).collect()
                })),
            "translations" => {
                for pair in fields.texts("pairs", problems) {
                    match pair.get_ref().split_once(' ') {
                        Some((korean, english)) => self
                            .translations
                            .push((korean.to_owned(), english.to_owned())),
                        None => problems.error(
                            "bad-value",
                            pair.span(),
                            format!("`{}` is no pair", pair.get_ref()),
                            "write a Korean word, a space, and an English one",
                        ),
                    }
                }
            }
            _ => return false,
        }
        true
    }
}
