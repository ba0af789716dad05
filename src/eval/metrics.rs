//! Figures over ranked lists and sets.

/// Averages over questions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Questions.
    pub count: usize,
    /// Share with an answer of grade 2 or 3 in first place.
    pub hit1: f64,
    /// The same within three.
    pub hit3: f64,
    /// The same within five.
    pub hit5: f64,
    /// Mean of one over the place of the first such answer.
    pub mrr: f64,
    /// Normalised discounted cumulative gain within five, with gains 7, 3 and 1.
    pub ndcg5: f64,
}

/// Lowest grade that counts as a hit.
const HIT: u8 = 2;

impl Ranking {
    /// Averages over questions, each given as the grades of its results in order and the grades it could have.
    pub fn of<'a>(questions: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let mut sum = Self::default();
        for (results, possible) in questions {
            let place = results.iter().position(|grade| *grade >= HIT);
            let within =
                |limit: usize| f64::from(u8::from(place.is_some_and(|place| place < limit)));
            sum.count += 1;
            sum.hit1 += within(1);
            sum.hit3 += within(3);
            sum.hit5 += within(5);
            sum.mrr += place.map_or(0.0, |place| 1.0 / (place + 1) as f64);
            let mut ideal = possible.to_vec();
            ideal.sort_unstable_by(|a, b| b.cmp(a));
            sum.ndcg5 += gain(results) / gain(&ideal).max(f64::MIN_POSITIVE);
        }
        let count = sum.count.max(1) as f64;
        Self {
            count: sum.count,
            hit1: sum.hit1 / count,
            hit3: sum.hit3 / count,
            hit5: sum.hit5 / count,
            mrr: sum.mrr / count,
            ndcg5: sum.ndcg5 / count,
        }
    }
}

fn gain(grades: &[u8]) -> f64 {
    let terms = grades.iter().take(5).enumerate();
    terms
        .map(|(place, grade)| (f64::from(1_u32 << grade) - 1.0) / ((place + 2) as f64).log2())
        .sum()
}

/// Counts of a set against another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// In both.
    pub hits: usize,
    /// Found but not wanted.
    pub extra: usize,
    /// Wanted but not found.
    pub missed: usize,
}

impl Overlap {
    /// Adds the comparison of two sets.
    pub fn add<T: PartialEq>(&mut self, found: &[T], wanted: &[T]) {
        let hits = found.iter().filter(|item| wanted.contains(item)).count();
        self.hits += hits;
        self.extra += found.len() - hits;
        self.missed += wanted.iter().filter(|item| !found.contains(item)).count();
    }

    /// Share of what was found that was wanted.
    pub fn precision(&self) -> f64 {
        self.hits as f64 / (self.hits + self.extra).max(1) as f64
    }

    /// Share of what was wanted that was found.
    pub fn recall(&self) -> f64 {
        self.hits as f64 / (self.hits + self.missed).max(1) as f64
    }

    /// Harmonic mean of both.
    pub fn f1(&self) -> f64 {
        2.0 * self.hits as f64 / (2 * self.hits + self.extra + self.missed).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rankings_are_averaged_over_questions() {
        let questions: [(&[u8], &[u8]); 2] =
            [(&[3, 0, 2], &[3, 2]), (&[1, 0, 2, 0, 0], &[3, 2, 1])];
        let ranking = Ranking::of(questions);
        assert_eq!((ranking.count, ranking.hit1, ranking.hit3), (2, 0.5, 1.0));
        assert!((ranking.mrr - f64::midpoint(1.0, 1.0 / 3.0)).abs() < 1e-9);
        assert!(ranking.ndcg5 > 0.5 && ranking.ndcg5 < 1.0);
    }

    #[test]
    fn sets_are_compared_by_members() {
        let mut overlap = Overlap::default();
        overlap.add(&["a", "b"], &["a", "c", "d"]);
        assert_eq!(
            overlap,
            Overlap {
                hits: 1,
                extra: 1,
                missed: 2
            }
        );
        assert!((overlap.f1() - 0.4).abs() < 1e-9);
    }
}
