//! Measures relevance on gold sets: ranking against plain BM25, silence, and extraction.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    corpus::{Facet, TermId},
    library::{Answer, Library, Lookup},
    search::Baseline,
};

mod gold;
mod metrics;

pub use gold::{Gold, GoldQuery, GoldTerms, Half, SilentText};
pub use metrics::{Overlap, Ranking};

/// How many results a question is judged by.
const DEPTH: usize = 10;

/// A question with what came out.
pub struct Judged<'g> {
    /// The question.
    pub query: &'g GoldQuery,
    /// What the library said, [`DEPTH`] precedents.
    pub answer: Answer,
    /// Grades of the precedents in order.
    pub grades: Vec<u8>,
    /// Grades of plain BM25's results in order.
    pub baseline: Vec<u8>,
    /// Grades that the question could have.
    pub possible: Vec<u8>,
}

/// Everything that was measured on one half.
pub struct Report<'g> {
    /// Questions.
    pub judged: Vec<Judged<'g>>,
    /// Silent texts with the answer that they would have got.
    pub silent: Vec<(&'g SilentText, Answer)>,
    /// Cases related to a case: those that it has been given, by the grades of the questions.
    pub related: Ranking,
    /// Extraction by facet, and of what is ruled out.
    pub facets: BTreeMap<&'static str, Overlap>,
    /// Extraction over all facets, by language.
    pub by_lang: BTreeMap<String, Overlap>,
    /// Extraction over all facets from freely worded texts.
    pub free: Overlap,
    /// Extraction over all facets from the training texts.
    pub train: Overlap,
    /// What extraction got wrong, a line each.
    pub extraction_misses: Vec<String>,
}

/// Measures a library on the gold sets of one half, or on both.
pub fn measure<'g>(library: &Library, gold: &'g Gold, half: Option<Half>) -> Report<'g> {
    let wanted = |id: &str| half.is_none_or(|half| Half::of(id) == half);
    let baseline = Baseline::build(library.corpus());
    let cases = library.corpus().cases();
    let judge = |query: &'g GoldQuery| {
        let grade = |id: &str| query.grades.get(id).copied().unwrap_or(0);
        let answer = look_up(library, &query.text);
        let grades = answer
            .precedents
            .iter()
            .map(|precedent| grade(precedent.case.id.as_str()))
            .collect();
        let plain = baseline.search(&query.text, DEPTH);
        Judged {
            query,
            answer,
            grades,
            baseline: plain
                .into_iter()
                .map(|at| grade(cases[at].id.as_str()))
                .collect(),
            possible: query.grades.values().copied().collect(),
        }
    };
    let judged = gold
        .queries
        .iter()
        .filter(|query| wanted(&query.id))
        .map(judge)
        .collect();
    let silent = gold.silence.iter().filter(|text| wanted(&text.id));
    let silent = silent
        .map(|text| (text, look_up(library, &text.text)))
        .collect();
    let mut report = Report {
        judged,
        silent,
        related: related(library, gold, &wanted),
        facets: BTreeMap::new(),
        by_lang: BTreeMap::new(),
        free: Overlap::default(),
        train: Overlap::default(),
        extraction_misses: Vec::new(),
    };
    for text in gold.extraction.iter().filter(|text| wanted(&text.id)) {
        report.extract(library, text);
    }
    let overlap = |texts: &[GoldTerms]| {
        let mut overlap = Overlap::default();
        for text in texts {
            let found = library.extract(&text.text);
            overlap.add(&names(library, found.distinct_terms()), &text.terms);
        }
        overlap
    };
    report.free = overlap(&gold.free);
    report.train = overlap(&gold.train);
    report
}

/// Judges [`Library::similar`] by the pairs that the grades of the questions give. The case's id decides on the half.
fn related(library: &Library, gold: &Gold, wanted: &dyn Fn(&str) -> bool) -> Ranking {
    let all = gold.related();
    let judged = all.iter().filter(|(id, _)| wanted(id)).map(|(id, others)| {
        let found = id
            .parse()
            .ok()
            .and_then(|id| library.similar(&id, DEPTH).ok());
        let grade = |id: &str| others.get(id).copied().unwrap_or(0);
        let grades = found.iter().flatten();
        let grades = grades.map(|near| grade(near.case.id.as_str())).collect();
        (grades, others.values().copied().collect())
    });
    let judged: Vec<(Vec<u8>, Vec<u8>)> = judged.collect();
    Ranking::of(
        judged
            .iter()
            .map(|(grades, possible)| (&grades[..], &possible[..])),
    )
}

fn look_up(library: &Library, text: &str) -> Answer {
    library.lookup(&Lookup {
        limit: DEPTH,
        ..Lookup::new(text)
    })
}

/// Returns terms as the gold sets name them, each once.
fn names(library: &Library, found: impl Iterator<Item = TermId>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for id in found {
        let term = library.corpus().vocabulary().term(id);
        let name = format!("{}:{}", term.facet, term.slug);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Report<'_> {
    fn extract(&mut self, library: &Library, text: &GoldTerms) {
        let terms = library.extract(&text.text);
        let found = names(library, terms.distinct_terms());
        let ruled_out = names(library, terms.ruled_out.iter().map(|found| found.term));
        for facet in Facet::ALL {
            let of_facet = |names: &[String]| -> Vec<String> {
                let prefix = format!("{facet}:");
                names
                    .iter()
                    .filter(|name| name.starts_with(&prefix))
                    .cloned()
                    .collect()
            };
            self.facets
                .entry(facet.slug())
                .or_default()
                .add(&of_facet(&found), &of_facet(&text.terms));
        }
        self.facets
            .entry("ruled out")
            .or_default()
            .add(&ruled_out, &text.ruled_out);
        let signals: Vec<String> = terms
            .signals
            .iter()
            .map(|signal| signal.text.clone())
            .collect();
        let wanted: Vec<String> = text.signals.clone();
        self.facets
            .entry("signals")
            .or_default()
            .add(&signals, &wanted);
        self.by_lang
            .entry(text.lang.clone())
            .or_default()
            .add(&found, &text.terms);
        self.by_lang
            .entry("all".to_owned())
            .or_default()
            .add(&found, &text.terms);
        let told: Vec<String> = terms
            .terms
            .iter()
            .map(|found| {
                format!(
                    "{}={:?}",
                    library.corpus().vocabulary().term(found.term).slug,
                    found.text
                )
            })
            .collect();
        let minus = |a: &[String], b: &[String]| -> Vec<String> {
            a.iter().filter(|item| !b.contains(item)).cloned().collect()
        };
        let (extra, missed) = (minus(&found, &text.terms), minus(&text.terms, &found));
        if !extra.is_empty()
            || !missed.is_empty()
            || ruled_out.iter().any(|name| !text.ruled_out.contains(name))
        {
            self.extraction_misses.push(format!(
                "{} extra {extra:?} missed {missed:?} ruled out {ruled_out:?} for {:?}: {} {told:?}",
                text.id, text.ruled_out, text.text
            ));
        }
    }

    /// Returns the ranking figures of the questions that `keep` allows: ours and plain BM25's.
    pub fn ranking(&self, keep: impl Fn(&GoldQuery) -> bool) -> (Ranking, Ranking) {
        let kept = || self.judged.iter().filter(|judged| keep(judged.query));
        let ours = Ranking::of(kept().map(|judged| (&judged.grades[..], &judged.possible[..])));
        let plain = Ranking::of(kept().map(|judged| (&judged.baseline[..], &judged.possible[..])));
        (ours, plain)
    }

    /// Returns shares at a confidence: of silent texts that would get a suggestion, of questions that would, and of those
    /// suggestions the share whose first precedent has grade 2 or 3.
    pub fn trade_off(&self, confidence: f32) -> [f64; 3] {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let loud = self
            .silent
            .iter()
            .filter(|(_, answer)| answer.confidence >= confidence)
            .count();
        let answered: Vec<_> = self
            .judged
            .iter()
            .filter(|judged| judged.answer.confidence >= confidence)
            .collect();
        let right = answered
            .iter()
            .filter(|judged| judged.grades.first().is_some_and(|grade| *grade >= 2))
            .count();
        [
            share(loud, self.silent.len()),
            share(answered.len(), self.judged.len()),
            share(right, answered.len()),
        ]
    }

    /// Writes all figures as text.
    pub fn to_text(&self, threshold: f32) -> String {
        let mut out = String::new();
        let mut line = |text: String| {
            // Writing to a string never fails.
            let _ = writeln!(out, "{text}");
        };
        line(format!(
            "{:<18}{:>5} {:>18} {:>7} {:>7} {:>7} {:>7}",
            "ranking", "n", "hit@1 (BM25)", "hit@3", "hit@5", "MRR", "nDCG@5"
        ));
        let mut row = |name: &str, keep: &dyn Fn(&GoldQuery) -> bool| {
            let (ours, plain) = self.ranking(keep);
            line(format!(
                "{name:<18}{:>5}   {:.3} ({:.3})      {:.3}   {:.3}   {:.3}   {:.3}",
                ours.count, ours.hit1, plain.hit1, ours.hit3, ours.hit5, ours.mrr, ours.ndcg5
            ));
            line(format!(
                "{:<18}{:>5}        BM25          {:.3}   {:.3}   {:.3}   {:.3}",
                "", "", plain.hit3, plain.hit5, plain.mrr, plain.ndcg5
            ));
        };
        row("all", &|_| true);
        for lang in ["en", "ko", "mixed"] {
            row(lang, &|query| query.lang == lang);
        }
        for kind in ["symptom", "short", "typo", "log", "slack", "channel"] {
            row(kind, &|query| query.kind == kind);
        }
        let near = self.related;
        line(format!(
            "{:<18}{:>5}   {:.3}              {:.3}   {:.3}   {:.3}   {:.3}",
            "related cases", near.count, near.hit1, near.hit3, near.hit5, near.mrr, near.ndcg5
        ));
        line(String::new());
        line(format!(
            "{:<12}{:>12}{:>12}{:>12}",
            "confidence", "false", "answered", "right"
        ));
        let steps = (1..20_u8).map(|step| f32::from(step) / 20.0);
        for confidence in steps.chain([threshold]) {
            let [loud, answered, right] = self.trade_off(confidence);
            let mark = if (confidence - threshold).abs() < f32::EPSILON {
                " ← used"
            } else {
                ""
            };
            line(format!(
                "{confidence:<12.3}{:>11.1}%{:>11.1}%{:>11.1}%{mark}",
                loud * 100.0,
                answered * 100.0,
                right * 100.0
            ));
        }
        line(String::new());
        line(format!(
            "{:<12}{:>6}{:>12}{:>12}{:>12}",
            "extraction", "n", "precision", "recall", "F1"
        ));
        let by_lang = self
            .by_lang
            .iter()
            .map(|(name, overlap)| (name.as_str(), overlap));
        for (name, overlap) in self
            .facets
            .iter()
            .map(|(name, overlap)| (*name, overlap))
            .chain(by_lang)
            .chain([("free", &self.free), ("train", &self.train)])
        {
            let wanted = overlap.hits + overlap.missed;
            line(format!(
                "{name:<12}{wanted:>6}{:>12.3}{:>12.3}{:>12.3}",
                overlap.precision(),
                overlap.recall(),
                overlap.f1()
            ));
        }
        out
    }
}
