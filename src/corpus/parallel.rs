//! The same work for each of many things, on all cores, with the results in order.

use std::{num::NonZero, sync::mpsc, thread};

/// Most threads; beyond it whoever takes the results is what is waited for.
const MOST: usize = 8;

/// How many results of a thread may wait to be taken. What they take of memory is bounded by it.
const AHEAD: usize = 32;

/// Does `work` with each item and hands the results to `take`, in the order of the items.
pub(crate) fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R),
) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let lanes = cores.min(MOST).min(items.len());
    if lanes < 2 {
        items.iter().map(work).for_each(take);
        return;
    }
    thread::scope(|scope| {
        let work = &work;
        let lane = |first| {
            let (done, results) = mpsc::sync_channel(AHEAD);
            scope.spawn(move || {
                for item in items.iter().skip(first).step_by(lanes) {
                    // Nobody takes it any more when another lane panicked.
                    if done.send(work(item)).is_err() {
                        return;
                    }
                }
            });
            results
        };
        let lanes: Vec<mpsc::Receiver<R>> = (0..lanes).map(lane).collect();
        for results in lanes.iter().cycle().take(items.len()) {
            // A lane that panicked ends here; the scope panics then.
            let Ok(result) = results.recv() else { return };
            take(result);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        for count in [0, 1, 2, 7, 500] {
            let items: Vec<usize> = (0..count).collect();
            let mut taken = Vec::new();
            in_order(&items, |item| item * 2, |result| taken.push(result));
            let expect: Vec<usize> = (0..count).map(|item| item * 2).collect();
            assert_eq!(taken, expect);
        }
    }

    #[test]
    fn a_panic_ends_the_work() {
        let items: Vec<usize> = (0..500).collect();
        let work = || in_order(&items, |item| assert!(*item != 7), |()| {});
        assert!(std::panic::catch_unwind(work).is_err());
    }
}
