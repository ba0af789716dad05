//! `translations`: learns which words of the two languages mean the same from the cases that exist in both, and prints them
//! as `corpus/vocabulary/translations.toml`.
//!
//! A question in one language then finds cases that exist only in the other: a team's own incidents mostly do.

use std::{collections::HashMap, process::ExitCode};

use clap::Args;

use crate::{
    config::CorpusConfig,
    corpus::{Corpus, Lang, is_hangul},
    library::Library,
};

/// What `translations` can be told.
#[derive(Args, Clone, Debug)]
pub struct TranslationsConfig {
    #[command(flatten)]
    corpus: CorpusConfig,
}

/// In how many sentences a word must stand to be learnt. This and the next two were chosen by reading the pairs they give.
const RARE: u32 = 4;

/// In how many sentences two words must stand side by side.
const SEEN_TOGETHER: u32 = 3;

/// Smallest Dice coefficient of a pair: twice the sentences with both, over the sentences with each.
const CLOSE: f32 = 0.2;

/// How much of the best pair's coefficient a further one must reach.
const FURTHER: f32 = 0.7;

/// Most translations of a word.
const CHOICES: usize = 3;

/// Learns and prints.
pub(super) fn run(config: &TranslationsConfig) -> anyhow::Result<ExitCode> {
    let Some(library) = super::load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    super::out::print(|out| {
        writeln!(
            out,
            "# Words that mean the same, Korean first; learnt from the bilingual cases by `incident-like translations`."
        )?;
        writeln!(out, "pairs = [")?;
        for (korean, english) in learn(&library) {
            writeln!(out, "  \"{korean} {english}\",")?;
        }
        writeln!(out, "]")
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns pairs of Korean and English words, sorted.
fn learn(library: &Library) -> Vec<(String, String)> {
    let mut words: HashMap<String, u32> = HashMap::new();
    let mut both: HashMap<(u32, u32), u32> = HashMap::new();
    let mut counts: Vec<u32> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (english, korean) in sentences(library.corpus()) {
        let mut ids = |text: &str, hangul: bool| {
            let mut tokens: Vec<String> = library.tokens(text);
            tokens.retain(|token| {
                token.starts_with(is_hangul) == hangul && token.chars().any(char::is_alphabetic)
            });
            tokens.sort();
            tokens.dedup();
            let mut ids = Vec::new();
            for token in tokens {
                let next = u32::try_from(counts.len()).unwrap_or(u32::MAX);
                let id = *words.entry(token.clone()).or_insert(next);
                if id == next {
                    counts.push(0);
                    names.push(token);
                }
                counts[id as usize] += 1;
                ids.push(id);
            }
            ids
        };
        let (english, korean) = (ids(english, false), ids(korean, true));
        for k in &korean {
            for e in &english {
                *both.entry((*k, *e)).or_default() += 1;
            }
        }
    }
    let mut by_word: HashMap<u32, Vec<(f32, u32)>> = HashMap::new();
    for ((k, e), together) in both {
        let (ck, ce) = (counts[k as usize], counts[e as usize]);
        let dice = 2.0 * together as f32 / (ck + ce) as f32;
        if together >= SEEN_TOGETHER && ck >= RARE && ce >= RARE && dice >= CLOSE {
            by_word.entry(k).or_default().push((dice, e));
            by_word.entry(e).or_default().push((dice, k));
        }
    }
    let mut pairs = Vec::new();
    for (word, mut choices) in by_word {
        choices.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then(names[a.1 as usize].cmp(&names[b.1 as usize]))
        });
        let best = choices[0].0;
        for (_, other) in choices
            .into_iter()
            .take(CHOICES)
            .filter(|(dice, _)| *dice >= best * FURTHER)
        {
            let (word, other) = (&names[word as usize], &names[other as usize]);
            let korean_first = word.starts_with(is_hangul);
            let (korean, english) = if korean_first {
                (word, other)
            } else {
                (other, word)
            };
            pairs.push((korean.clone(), english.clone()));
        }
    }
    pairs.sort();
    pairs.dedup();
    pairs
}

/// Returns the sentences of all texts that exist in both languages, side by side: sentence by sentence where both have as
/// many, else the whole text.
fn sentences(corpus: &Corpus) -> Vec<(&str, &str)> {
    let mut sentences = Vec::new();
    for case in corpus.cases().iter().filter(|case| case.is_published()) {
        let mut texts = vec![&case.title, &case.summary, &case.symptoms_seen, &case.cause];
        texts.extend(
            [&case.trigger, &case.detection, &case.impact_scope]
                .into_iter()
                .flatten(),
        );
        texts.extend(case.actions.iter().map(|action| &action.text));
        texts.extend(case.follow_ups.iter().map(|follow_up| &follow_up.text));
        texts.extend(&case.lessons);
        for text in texts {
            let (Some(english), Some(korean)) = (text.exact(Lang::En), text.exact(Lang::Ko)) else {
                continue;
            };
            let parts = |text| -> Vec<&str> {
                str::split_terminator(text, ". ")
                    .flat_map(str::lines)
                    .filter(|part| !part.is_empty())
                    .collect()
            };
            let (en, ko) = (parts(english), parts(korean));
            if en.len() == ko.len() {
                sentences.extend(en.into_iter().zip(ko));
            } else {
                sentences.push((english, korean));
            }
        }
    }
    sentences
}
