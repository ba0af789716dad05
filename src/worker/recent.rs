//! What people asked lately, for their own home: few questions each, in memory, for a week.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use moka::future::Cache;

use crate::slack::{UserId, home::RECENT};

/// How long somebody's questions are kept after the last one.
const LIFETIME: Duration = Duration::from_hours(7 * 24);

/// For how many people.
const PEOPLE: u64 = 20_000;

/// Longest question that is kept, in characters.
const LENGTH: usize = 500;

/// Recent questions by workspace and person.
pub(super) struct Recent {
    questions: Cache<(String, UserId), Arc<VecDeque<String>>>,
}

impl Recent {
    pub(super) fn new() -> Self {
        let questions = Cache::builder()
            .time_to_live(LIFETIME)
            .max_capacity(PEOPLE)
            .build();
        Self { questions }
    }

    /// Remembers a question; one that was asked before comes first again.
    pub(super) async fn remember(&self, team: &str, user: &UserId, question: &str) {
        let question: String = question.trim().chars().take(LENGTH).collect();
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
        questions.map_or_else(Vec::new, |questions| questions.iter().cloned().collect())
    }
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
}
