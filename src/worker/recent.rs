//! What people asked lately, for their own home: few questions each, in memory, for a week, within some megabytes.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use moka::future::Cache;

use crate::slack::{UserId, home::RECENT};

/// How long somebody's questions are kept after the last one.
const LIFETIME: Duration = Duration::from_hours(7 * 24);

/// How many bytes of questions are kept in all; those of who asked longest ago go first.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// What keeping a question takes beside its text, and keeping a person beside theirs: more rather than less.
const OVERHEAD_BYTES: usize = 128;

/// Longest question that is kept, in characters.
const LENGTH: usize = 500;

/// Recent questions by workspace and person.
pub(super) struct Recent {
    questions: Cache<(String, UserId), Arc<VecDeque<Box<str>>>>,
}

impl Recent {
    pub(super) fn new() -> Self {
        Self::of_size(MOST_BYTES)
    }

    fn of_size(bytes: u64) -> Self {
        let questions = Cache::builder()
            .time_to_live(LIFETIME)
            .weigher(weight)
            .max_capacity(bytes)
            .build();
        Self { questions }
    }

    /// Remembers a question; one that was asked before comes first again.
    pub(super) async fn remember(&self, team: &str, user: &UserId, question: &str) {
        let question: Box<str> = question.trim().chars().take(LENGTH).collect();
        if question.is_empty() {
            return;
        }
        let key = (team.to_owned(), user.clone());
        self.questions
            .entry(key)
            .and_upsert_with(|entry| {
                let mut questions = entry
                    .map(|entry| VecDeque::clone(&entry.into_value()))
                    .unwrap_or_default();
                questions.retain(|other| *other != question);
                questions.push_front(question);
                questions.truncate(RECENT);
                std::future::ready(Arc::new(questions))
            })
            .await;
    }

    /// Returns somebody's recent questions, newest first.
    pub(super) async fn of(&self, team: &str, user: &UserId) -> Vec<String> {
        let key = (team.to_owned(), user.clone());
        let questions = self.questions.get(&key).await;
        questions.map_or_else(Vec::new, |questions| {
            questions.iter().map(ToString::to_string).collect()
        })
    }
}

/// Returns how many bytes somebody's questions take.
fn weight((team, user): &(String, UserId), questions: &Arc<VecDeque<Box<str>>>) -> u32 {
    let texts: usize = questions
        .iter()
        .map(|question| question.len() + OVERHEAD_BYTES)
        .sum();
    u32::try_from(texts + team.len() + user.0.len() + OVERHEAD_BYTES).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn few_questions_are_kept_newest_first_and_apart() {
        let recent = Recent::new();
        let user = UserId::from("U1");
        for question in ["a", "b", "c", "d", "e", "f", "b", " "] {
            recent.remember("T1", &user, question).await;
        }
        assert_eq!(recent.of("T1", &user).await, ["b", "f", "e", "d", "c"]);
        assert_eq!(recent.of("T2", &user).await, Vec::<String>::new());
        recent.remember("T1", &user, &"가".repeat(9000)).await;
        assert_eq!(recent.of("T1", &user).await[0].chars().count(), LENGTH);
    }

    #[tokio::test]
    async fn texts_take_no_more_room_than_they_are_given() {
        let recent = Recent::of_size(64 * 1024);
        for person in 0..1000 {
            let user = UserId::from(format!("U{person}"));
            recent.remember("T1", &user, &"가".repeat(LENGTH)).await;
        }
        recent.questions.run_pending_tasks().await;
        assert!(recent.questions.weighted_size() <= 64 * 1024);
        assert!(recent.questions.entry_count() > 10);
    }
}
