//! Whether an answer may be shown to people who did not ask: a calibrated judgement over a few clues.
//!
//! A raw score says little: office chatter shares rare words with a case too. So the clues also ask whether the text
//! reports trouble at all.

/// What the judgement rests on; each between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clues {
    /// Rarity of the asker's telling words that the best case has, as a share of all of them.
    pub coverage: f32,
    /// BM25 of the best case as a share of the most that the words could reach.
    pub words: f32,
    /// Facet terms of the best case, as a share of the asked ones.
    pub terms: f32,
    /// Whether the text holds an exact signal.
    pub has_signal: f32,
    /// Exact signals that the best case has, as a share of the asked ones.
    pub signals: f32,
    /// Unambiguous symptoms in the text; three are one.
    pub symptoms: f32,
    /// Unambiguous components in the text; three are one.
    pub components: f32,
    /// Different telling words in the text; a dozen are one.
    pub length: f32,
    /// Terms and signals in common with the best case; four are one.
    pub in_common: f32,
    /// Telling words that no case has, as a share of all of them: chatter is full of them.
    pub strange: f32,
    /// Phrases of an ordinary day; three are one.
    pub calm: f32,
    /// Phrases of trouble; three are one.
    pub trouble: f32,
    /// How many different words and signals of the text the best case has. Not weighed; see [`FEWEST_SHARED`].
    pub shared: usize,
}

impl Clues {
    /// Returns the clues in a fixed order, with their names.
    pub const fn named(&self) -> [(&'static str, f32); 12] {
        [
            ("coverage", self.coverage),
            ("words", self.words),
            ("terms", self.terms),
            ("has signal", self.has_signal),
            ("signals", self.signals),
            ("symptoms", self.symptoms),
            ("components", self.components),
            ("length", self.length),
            ("in common", self.in_common),
            ("strange", self.strange),
            ("calm", self.calm),
            ("trouble", self.trouble),
        ]
    }
}

/// Weights of the clues in the order of [`Clues::named`], and the constant: a logistic regression on the tune half of the
/// gold sets (questions with a right first precedent against texts that deserve silence).
const WEIGHTS: [f32; 12] = [
    2.85, 3.10, 0.81, -0.03, 1.08, 1.97, 0.38, 0.28, 2.30, 0.67, -4.20, 1.76,
];
const CONSTANT: f32 = -3.65;

/// Fewest words and signals in common for any confidence. The other clues are shares, and all of "slow" or of a channel
/// called "general" is found in some case.
const FEWEST_SHARED: usize = 2;

/// Confidence from which an answer may be shown unasked.
pub const CONFIDENT: f32 = 0.6;

/// Judges the clues.
pub(super) fn judge(clues: &Clues) -> f32 {
    if clues.shared < FEWEST_SHARED {
        return 0.0;
    }
    let sum: f32 = clues
        .named()
        .iter()
        .zip(WEIGHTS)
        .map(|((_, clue), weight)| clue * weight)
        .sum();
    1.0 / (1.0 + (-(sum + CONSTANT)).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_in_common_proves_nothing() {
        let all_of_it = Clues {
            coverage: 1.0,
            words: 1.0,
            terms: 1.0,
            in_common: 1.0,
            shared: 1,
            ..Clues::default()
        };
        assert!(judge(&all_of_it) < CONFIDENT);
        let two = Clues {
            shared: 2,
            ..all_of_it
        };
        assert!(judge(&two) >= CONFIDENT);
    }
}
