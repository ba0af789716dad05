//! How long understanding and looking up take, at the bundled corpus and at 100,000 cases.
//!
//! `cargo bench --bench lookup`. Criterion tracks means; the percentiles that the budgets speak of are printed first.

#![expect(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints its figures"
)]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{Criterion, Throughput};
use incident_like::{
    corpus::{Case, CaseId, Checks, Corpus, Localized, Origin},
    library::{Library, Lookup},
};

/// A question of thirty words, in both languages, with a pasted log line.
const THIRTY_WORDS: &str = "after the upgrade nodes drop out of the load balancer one by one, users see 502 and timeouts, \
    etcd 지연이 늘고 파드가 재시작돼요 DB는 정상 \"context deadline exceeded\" from kube-apiserver since 10:31 UTC";

/// Questions of other shapes, to keep caches honest.
const QUESTIONS: [&str; 6] = [
    THIRTY_WORDS,
    "db cpu 100%",
    "카프카 컨슈머 랙이 계속 쌓여요",
    "x509: certificate has expired or is not yet valid when pods pull images from the registry",
    "로그인이 안 되고 세션이 자꾸 끊긴다는 문의가 들어와요, DNS 문제는 아닌 듯",
    "disk full on prometheus node, WAL replay keeps getting killed by the startup probe",
];

fn bundled() -> Corpus {
    Corpus::load(&[Origin::Bundled], Checks::Structure)
        .expect("it is in the binary")
        .corpus
}

/// Makes cases out of the sentences of real ones: each takes its facets from one case and its texts, sentence by sentence,
/// from ten others, and so keeps the statistics of words, of word pairs within sentences, and of facets.
fn multiplied(corpus: &Corpus, count: usize) -> Corpus {
    let originals = corpus.cases().to_vec();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("it is below a `usize`")
    };
    let sentences = |text: &Localized| -> [Vec<String>; 2] {
        let split = |text: &str| text.split_inclusive(". ").map(str::to_owned).collect();
        [
            split(text.get(incident_like::corpus::Lang::En)),
            split(text.get(incident_like::corpus::Lang::Ko)),
        ]
    };
    let pools: Vec<[Vec<String>; 2]> = originals
        .iter()
        .map(|case| sentences(&case.symptoms_seen))
        .collect();
    let causes: Vec<[Vec<String>; 2]> = originals
        .iter()
        .map(|case| sentences(&case.cause))
        .collect();
    let mut made = Vec::with_capacity(count);
    for number in 0..count {
        let mut mix = |pools: &[[Vec<String>; 2]], length: usize| {
            let mut texts = [String::new(), String::new()];
            for _ in 0..length {
                let pool = &pools[random(pools.len())];
                let at = random(pool[0].len());
                for (text, sentences) in texts.iter_mut().zip(pool) {
                    text.push_str(sentences.get(at).map_or("", String::as_str));
                    text.push(' ');
                }
            }
            let [en, ko] = texts;
            Localized::both(en, ko)
        };
        let symptoms_seen = mix(&pools, 5);
        let cause = mix(&causes, 3);
        let original = &originals[number % originals.len()];
        made.push(Case {
            id: format!("GEN-{number}").parse::<CaseId>().expect("an id"),
            symptoms_seen,
            cause,
            summary: Localized::both("Made for a benchmark.", "벤치마크용이다."),
            actions: Vec::new(),
            follow_ups: Vec::new(),
            lessons: Vec::new(),
            ..Case::clone(original)
        });
    }
    Corpus::from_cases(corpus.vocabulary().clone(), made)
}

/// Prints percentiles of looking the questions up in turn.
fn percentiles(name: &str, library: &Library, text: Option<&str>, rounds: usize) {
    let mut times: Vec<Duration> = Vec::with_capacity(rounds);
    for round in 0..rounds + 50 {
        let lookup = Lookup::new(text.unwrap_or(QUESTIONS[round % QUESTIONS.len()]));
        let start = Instant::now();
        black_box(library.lookup(&lookup));
        // The first rounds warm caches up.
        if round >= 50 {
            times.push(start.elapsed());
        }
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{name}: p50 {:?}, p99 {:?}, max {:?} of {rounds}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

fn main() {
    let start = Instant::now();
    let corpus = bundled();
    let loaded = start.elapsed();
    let cases = corpus.cases().len();
    let start = Instant::now();
    let library = Library::new(corpus);
    println!(
        "bundled corpus of {cases} cases: read in {loaded:?}, indexed in {:?}",
        start.elapsed()
    );
    percentiles(
        "lookup, 30 words, bundled",
        &library,
        Some(THIRTY_WORDS),
        5000,
    );
    percentiles("lookup, mixed questions, bundled", &library, None, 5000);

    let mut criterion = Criterion::default().configure_from_args();
    let text = QUESTIONS.join("\n");
    let mut group = criterion.benchmark_group("extract");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("mixed text", |bencher| {
        bencher.iter(|| black_box(library.extract(black_box(&text))));
    });
    group.finish();
    let lookup = Lookup::new(THIRTY_WORDS);
    criterion.bench_function("lookup/30 words/bundled", |bencher| {
        bencher.iter(|| black_box(library.lookup(black_box(&lookup))));
    });

    let start = Instant::now();
    let corpus = multiplied(&bundled(), 100_000);
    let made = start.elapsed();
    let start = Instant::now();
    let large = Library::new(corpus);
    println!(
        "100,000 cases: made in {made:?}, indexed in {:?}",
        start.elapsed()
    );
    percentiles(
        "lookup, 30 words, 100,000 cases",
        &large,
        Some(THIRTY_WORDS),
        300,
    );
    percentiles("lookup, mixed questions, 100,000 cases", &large, None, 300);
    criterion.final_summary();
}
