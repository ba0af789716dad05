//! What the architecture promises, checked over the source text: layers, owners, sizes, and tables in the README.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use incident_like::{
    corpus::Lang,
    library::Lookup,
    slack::{
        preview::{self, Style},
        render::{self, View},
    },
};

/// Which of our modules each module may use. A new module must be decided on here.
const LAYERS: &[(&str, &[&str])] = &[
    ("corpus", &[]),
    ("query", &["corpus"]),
    ("search", &["corpus", "query"]),
    ("library", &["corpus", "query", "search"]),
    ("views", &["corpus", "query", "search", "library"]),
    ("slack", &["corpus", "query", "search", "library"]),
    ("store", &["slack"]),
    ("metrics", &[]),
    (
        "worker",
        &["corpus", "query", "library", "slack", "store", "metrics"],
    ),
    (
        "web",
        &[
            "corpus", "query", "library", "views", "slack", "store", "metrics", "worker",
        ],
    ),
    ("mcp", &["corpus", "query", "library"]),
    ("config", &["corpus", "slack"]),
    ("replay", &["corpus", "library", "slack", "worker"]),
    ("telemetry", &["config"]),
    ("eval", &["corpus", "query", "search", "library"]),
    (
        "app",
        &[
            "config", "corpus", "library", "mcp", "slack", "store", "metrics", "web", "worker",
        ],
    ),
    (
        "cli",
        &[
            "app",
            "config",
            "corpus",
            "eval",
            "library",
            "mcp",
            "replay",
            "slack",
            "telemetry",
            "views",
        ],
    ),
];

/// Which modules may name a dependency. `cli` holds the demo, which plays Slack.
const OWNERS: &[(&str, &[&str])] = &[
    ("tantivy", &["search"]),
    ("toml", &["corpus", "eval"]),
    ("annotate_snippets", &["corpus"]),
    ("rust_stemmers", &["query"]),
    ("slack_morphism", &["slack", "worker", "config", "cli"]),
    ("reqwest", &["slack", "cli"]),
    ("tokio_tungstenite", &["slack"]),
    ("axum", &["web", "app", "cli"]),
    ("rmcp", &["mcp"]),
    ("askama", &["web"]),
    ("governor", &["web"]),
    ("utoipa", &["web", "views"]),
    ("utoipa_axum", &["web"]),
    ("rusqlite", &["store"]),
    ("tokio_postgres", &["store"]),
    ("deadpool_postgres", &["store"]),
    ("tokio_postgres_rustls", &["store"]),
    ("rustls_platform_verifier", &["store"]),
    ("ring::aead", &["worker"]),
    ("base64", &["worker"]),
    ("prometheus_client", &["metrics"]),
    ("clap", &["cli", "config", "main"]),
    ("zip", &["replay"]),
    ("indicatif", &["cli"]),
    ("terminal_size", &["cli"]),
];

/// Crates that must not appear in the layers which only compute.
const FOREIGN_TO_CORE: &[&str] = &[
    "tokio",
    "axum",
    "reqwest",
    "slack_morphism",
    "serde",
    "tracing",
];

/// Modules that only compute.
const CORE: &[&str] = &["corpus", "query", "search", "library"];

/// Longest module in lines without its tests. Tables of words and limits are longer and named here.
const MODULE_LINES: usize = 480;
const LONGER: &[&str] = &["corpus/lint.rs", "query/korean.rs"];

/// A source file with its module and its text without tests and comments.
struct Source {
    path: PathBuf,
    module: String,
    code: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path
                .strip_prefix(&root)
                .expect("it is below the root")
                .to_owned();
            let is_test = name.to_string_lossy().contains("tests");
            if is_test || path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("the file can be read");
            let own = text
                .split("#[cfg(test)]\nmod tests")
                .next()
                .unwrap_or_default();
            let code: Vec<&str> = own
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect();
            let module = name
                .iter()
                .next()
                .expect("a path has a first part")
                .to_string_lossy()
                .replace(".rs", "");
            sources.push(Source {
                path: name,
                module,
                code: code.join("\n"),
            });
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// Names of our own modules that a text uses, through `crate::a` or `use crate::{a::…, b}`.
fn uses(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut name = String::new();
            for c in list.chars() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                if depth == 1 && (c.is_alphanumeric() || c == '_') {
                    name.push(c);
                } else {
                    found.insert(std::mem::take(&mut name));
                    if depth == 1 && c == ':' {
                        // Only the first segment of a path is a module of ours.
                        name.push(':');
                    }
                }
            }
            found.insert(name);
        } else {
            found.insert(
                rest.chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect(),
            );
        }
    }
    let modules: BTreeSet<&str> = LAYERS.iter().map(|(module, _)| *module).collect();
    found.retain(|name| modules.contains(name.as_str()));
    found
}

#[test]
fn modules_use_only_the_layers_below() {
    for source in sources() {
        if matches!(source.module.as_str(), "lib" | "main") {
            continue;
        }
        let layer = LAYERS.iter().find(|(module, _)| *module == source.module);
        let (_, allowed) =
            layer.unwrap_or_else(|| panic!("decide on the layer of `{}`", source.module));
        for used in uses(&source.code) {
            assert!(
                used == source.module || allowed.contains(&used.as_str()),
                "{} uses `{used}`, which its layer may not",
                source.path.display()
            );
        }
    }
}

#[test]
fn dependencies_have_their_owners() {
    for source in sources() {
        for (dependency, owners) in OWNERS {
            let named = source.code.contains(&format!("{dependency}::"))
                || source.code.contains(&format!("use {dependency}"));
            assert!(
                !named || owners.contains(&source.module.as_str()),
                "{} names `{dependency}`, which belongs to {owners:?}",
                source.path.display()
            );
        }
        if CORE.contains(&source.module.as_str()) {
            for foreign in FOREIGN_TO_CORE {
                assert!(
                    !source.code.contains(&format!("{foreign}::")),
                    "{} names `{foreign}`",
                    source.path.display()
                );
            }
            for reading in ["SystemTime", "Instant::now", "std::env", "env::var"] {
                assert!(
                    !source.code.contains(reading),
                    "{} reads `{reading}`",
                    source.path.display()
                );
            }
        }
    }
}

#[test]
fn every_dependency_is_named_somewhere() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    let manifest = manifest.expect("it can be read");
    let (_, rest) = manifest
        .split_once("[dependencies]\n")
        .expect("there are dependencies");
    let own = rest.split("\n[").next().unwrap_or_default();
    let names = own
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.replace('-', "_"));
    let names: Vec<String> = names.collect();
    assert!(names.len() > 40);
    let sources = sources();
    for name in names {
        let uses_it = |source: &Source| {
            source.code.contains(&format!("{name}::"))
                || source.code.contains(&format!("use {name}"))
        };
        assert!(sources.iter().any(uses_it), "nothing uses `{name}`");
    }
}

#[test]
fn files_are_read_only_where_a_corpus_loads() {
    for source in sources() {
        let reads = source.code.contains("fs::") || source.code.contains("File::");
        // Gold sets and exports are no corpus, and only `eval` and `replay` read them; `doctor` tries to write, and the store
        // makes its database.
        let may = source.module == "eval"
            || [
                Path::new("corpus.rs"),
                Path::new("replay/export.rs"),
                Path::new("cli/doctor/local.rs"),
                Path::new("store/sqlite.rs"),
            ]
            .contains(&source.path.as_path());
        assert!(!reads || may, "{} reads files", source.path.display());
    }
}

#[test]
fn modules_stay_readable() {
    for source in sources() {
        let lines = source.code.lines().count();
        let name = source.path.to_string_lossy().into_owned();
        assert!(
            lines <= MODULE_LINES || LONGER.contains(&name.as_str()),
            "{name} has {lines} lines; part it at a seam"
        );
    }
}

/// Checks that a README holds a generated table between its marks. `UPDATE_README=1 cargo test` writes it anew.
pub(crate) fn check_table(readme: &str, mark: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(readme);
    let text = fs::read_to_string(&path).expect("the README can be read");
    let (begin, end) = (
        format!("<!-- {mark}: begin -->\n"),
        format!("<!-- {mark}: end -->"),
    );
    let start = text
        .find(&begin)
        .expect("the README marks where the table begins")
        + begin.len();
    let stop = text
        .find(&end)
        .expect("the README marks where the table ends");
    if text[start..stop].trim() == table.trim() {
        return;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "the one switch of a test that writes what it checks"
    )]
    let update = std::env::var("UPDATE_README").is_ok();
    assert!(
        update,
        "{readme} is not current: run `UPDATE_README=1 cargo test`"
    );
    let current = format!("{}{}\n{}", &text[..start], table.trim(), &text[stop..]);
    fs::write(&path, current).expect("the README can be written");
}

#[test]
fn the_table_of_options_is_current() {
    check_table("README.md", "options", &incident_like::config::table());
}

#[test]
fn the_figures_of_the_corpus_are_current() {
    let figures = incident_like::cli::corpus_figures(crate::corpus::BUNDLED.corpus());
    check_table("corpus/README.md", "figures", &figures);
}

#[test]
fn the_readmes_answer_is_a_real_one() {
    let text = "nodes fail the load balancer health check one by one, DNS is fine";
    let lookup = Lookup {
        limit: 1,
        ..Lookup::new(text)
    };
    let answer = crate::corpus::BUNDLED.lookup(&lookup);
    let view = View {
        lang: Lang::En,
        text: text.to_owned(),
        offset: 0,
    };
    let message = render::answer(&crate::corpus::BUNDLED, &answer, &view);
    let shown = preview::preview(&message, 92, Style::Plain);
    check_table(
        "README.md",
        "answer",
        &format!("```\n/incident-like {text}\n\n{}\n```", shown.trim()),
    );
}
