//! What browsers send: pages one by one, and a search that answers while people type.

use std::time::{Duration, Instant};

use incident_like::corpus::{Checks, Corpus, Origin};

use super::{
    fake_slack::Slack,
    figures::{Figures, at_rate},
    service::{ADDRESS, Service},
};

/// How often each kind of page is asked for.
const ROUNDS: usize = 200;

/// Requests a second while people type, and for how long.
const RATE: u32 = 100;
const SECONDS: u32 = 40;

/// People who type at once.
const TYPISTS: usize = 25;

/// Asks for an address as a browser does; returns the times to the first byte and to the last, and the bytes that came.
async fn get(http: &reqwest::Client, path: &str) -> Option<(Duration, Duration, usize)> {
    let begun = Instant::now();
    let mut response = http
        .get(format!("http://{ADDRESS}{path}"))
        .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        .header("accept-encoding", "gzip, deflate, br, zstd")
        .header(
            "accept-language",
            if path.len().is_multiple_of(2) {
                "ko-KR,ko;q=0.9"
            } else {
                "en"
            },
        )
        .send()
        .await
        .ok()
        .filter(|response| response.status().is_success())?;
    let mut bytes = response.chunk().await.ok()?.map_or(0, |chunk| chunk.len());
    let first = begun.elapsed();
    while let Some(chunk) = response.chunk().await.ok()? {
        bytes += chunk.len();
    }
    Some((first, begun.elapsed(), bytes))
}

fn client() -> reqwest::Client {
    // What is measured are the bytes on their way.
    reqwest::Client::builder()
        .gzip(false)
        .build()
        .expect("a client")
}

/// Kinds of pages, each with addresses to take in turn.
fn kinds(questions: &[String]) -> Vec<(&'static str, Vec<String>)> {
    let corpus = Corpus::load(&[Origin::Bundled], Checks::Structure)
        .expect("it is in the binary")
        .corpus;
    let cases = |end: &str| -> Vec<String> {
        corpus
            .cases()
            .iter()
            .map(|case| format!("/cases/{}{end}", case.id))
            .collect()
    };
    let terms = |path: fn(&str, &str) -> String| -> Vec<String> {
        let terms = corpus.vocabulary().terms().iter();
        terms
            .map(|term| path(term.facet.slug(), &term.slug))
            .collect()
    };
    let asked = |path: &str| -> Vec<String> {
        let encode = |text: &String| {
            url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
        };
        let short = questions.iter().filter(|text| text.len() < 400);
        short
            .map(|text| format!("{path}?q={}", encode(text)))
            .collect()
    };
    let both = |path: &str| vec![format!("{path}?lang=en"), format!("{path}?lang=ko")];
    vec![
        ("home", both("/")),
        ("search", asked("/")),
        ("search, part", asked("/results")),
        (
            "search, filter",
            terms(|facet, slug| format!("/?{facet}={slug}")),
        ),
        ("case", cases("")),
        ("case, brief", cases("/brief")),
        ("topics", both("/topics")),
        (
            "topic",
            terms(|facet, slug| format!("/topics/{facet}/{slug}")),
        ),
        ("graph", both("/graph")),
        (
            "graph, part",
            terms(|facet, slug| format!("/graph?{facet}={slug}")),
        ),
        ("statistics", both("/stats")),
        ("feed", both("/feed.xml")),
        ("sitemap", vec!["/sitemap.xml".to_owned()]),
        ("API guide", vec!["/api".to_owned()]),
        ("OpenAPI", vec!["/openapi.json".to_owned()]),
        ("API search", asked("/api/v1/search")),
        ("API case", cases(".json")),
        ("API similar", cases("/similar.json")),
        ("API list", vec!["/api/v1/cases".to_owned()]),
        ("API vocabulary", vec!["/api/v1/vocab".to_owned()]),
        ("API graph", vec!["/api/v1/graph".to_owned()]),
        ("API statistics", vec!["/api/v1/stats".to_owned()]),
    ]
}

/// Each kind of page, one request after another.
pub(crate) async fn pages(questions: &[String]) {
    let slack = Slack::start().await;
    let service = Service::start(&slack).await;
    let http = client();
    println!(
        "pages: time to the first byte, {ROUNDS} of each kind, one after another; KiB as sent"
    );
    for (name, addresses) in kinds(questions) {
        let (mut firsts, mut lasts, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            // A step that visits all of them.
            let path = &addresses[round * 31 % addresses.len()];
            let (first, last, bytes) = get(&http, path)
                .await
                .unwrap_or_else(|| panic!("no answer at {path}"));
            firsts.push(first);
            lasts.push(last);
            sizes.push(bytes);
        }
        firsts.sort_unstable();
        lasts.sort_unstable();
        sizes.sort_unstable();
        let ms = |times: &[Duration], at: usize| times[at].as_secs_f64() * 1000.0;
        println!(
            "  {name}: p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms; last byte p99 {:.2} ms; {:.1} KiB, at most {:.1}",
            ms(&firsts, ROUNDS / 2),
            ms(&firsts, ROUNDS * 99 / 100 - 1),
            ms(&firsts, ROUNDS - 1),
            ms(&lasts, ROUNDS * 99 / 100 - 1),
            sizes[ROUNDS / 2] as f64 / 1024.0,
            sizes[ROUNDS - 1] as f64 / 1024.0,
        );
    }
    service.print_needs();
}

/// What a field holds each time that a search begins while a text is typed: every third key, with a Korean syllable
/// half made now and then.
fn keystrokes(text: &str) -> Vec<String> {
    let mut typed = Vec::new();
    let letters: Vec<char> = text.chars().take(120).collect();
    for end in (1..=letters.len()).step_by(2) {
        let mut prefix: String = letters[..end].iter().collect();
        if let Some(half) = prefix.pop() {
            prefix.push(if end % 4 == 1 {
                without_final(half)
            } else {
                half
            });
        }
        typed.push(prefix);
    }
    typed
}

/// Takes the final consonant off a Korean syllable.
fn without_final(letter: char) -> char {
    let code = u32::from(letter);
    match code.checked_sub(0xAC00) {
        Some(at) if at < 11_172 => char::from_u32(code - at % 28).unwrap_or(letter),
        _ => letter,
    }
}

/// People who type their questions, and others who look at pages meanwhile.
pub(crate) async fn typing(questions: &[String]) {
    let slack = Slack::start().await;
    let service = Service::start(&slack).await;
    let http = client();
    let count = (RATE * SECONDS) as usize;
    println!(
        "typing: {RATE} requests a second for {SECONDS} s, of {TYPISTS} people who type and some who look at pages"
    );
    // Each one types question after question.
    let mut typists: Vec<Box<dyn Iterator<Item = String>>> = Vec::new();
    for typist in 0..TYPISTS {
        let own: Vec<String> = questions
            .iter()
            .skip(typist)
            .step_by(TYPISTS)
            .cloned()
            .collect();
        typists.push(Box::new(
            own.into_iter().cycle().flat_map(|text| keystrokes(&text)),
        ));
    }
    let pages: Vec<(&str, Vec<String>)> = kinds(questions)
        .into_iter()
        .filter(|(name, _)| {
            matches!(
                *name,
                "home" | "search" | "search, filter" | "case" | "topic" | "graph" | "statistics"
            )
        })
        .collect();
    let (searches, views) = (Figures::default(), Figures::default());
    at_rate(RATE, count, |number, due| {
        let (http, is_view) = (http.clone(), number % 5 == 4);
        let (path, figures) = if is_view {
            let (_, addresses) = &pages[number / 5 % pages.len()];
            (
                addresses[number * 13 % addresses.len()].clone(),
                views.clone(),
            )
        } else {
            let text = typists[number % TYPISTS].next().expect("it has no end");
            let text: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
            (format!("/results?q={text}"), searches.clone())
        };
        async move {
            let answer = get(&http, &path).await;
            figures.note(answer.map(|_| due.elapsed()));
        }
    })
    .await;
    searches.print("  key to whole answer");
    views.print("  page to last byte");
    service.print_needs();
}
