//! What the fuzzer found or began with, once more through its targets: `tests/fuzz/corpus`.

use std::{collections::BTreeSet, fs, path::PathBuf};

use crate::fuzz_targets::{TARGETS, run};

/// Most bytes of all inputs together: they are read in every run of the tests.
const MOST_BYTES: usize = 300 * 1024;

fn corpus() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fuzz/corpus"))
}

/// Runs a target over its inputs, and over the beginnings of each.
fn replay(target: &str) {
    let mut inputs = 0;
    for entry in fs::read_dir(corpus().join(target)).expect("the target has inputs") {
        let path = entry.expect("it can be read").path();
        let data = fs::read(&path).expect("it can be read");
        // The output of a failing test then says with what.
        eprintln!("{}", path.display());
        run(target, &data);
        run(target, &data[..data.len() / 2]);
        inputs += 1;
    }
    assert!(inputs > 0, "`{target}` has no inputs");
}

macro_rules! replays {
    ($($target:ident),*) => {
        $(#[test]
        fn $target() {
            replay(stringify!($target));
        })*

        #[test]
        fn every_target_is_replayed_and_small() {
            let replayed = BTreeSet::from([$(stringify!($target)),*]);
            assert_eq!(replayed, TARGETS.iter().map(|(name, _)| *name).collect());
            let mut bytes = 0;
            for target in replayed {
                for entry in fs::read_dir(corpus().join(target)).expect("the target has inputs") {
                    let metadata = entry.and_then(|entry| entry.metadata());
                    bytes += usize::try_from(metadata.expect("it can be read").len()).expect("a small file");
                }
            }
            assert!(bytes <= MOST_BYTES, "{bytes} bytes");
        }
    };
}

replays!(ingress, text, extract, render, case, query, export);
