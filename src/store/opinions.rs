//! What people say about precedents, and what they set.

use std::collections::BTreeMap;

use super::{Moment, Store, StoreError, sql::params};

/// What somebody says about a precedent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It helped.
    Helpful,
    /// It is not like this.
    NotThis,
}

impl Verdict {
    /// Returns the word for it in the store, in logs and in figures.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Helpful => "helpful",
            Self::NotThis => "not_this",
        }
    }

    fn parse(word: &str) -> Result<Self, StoreError> {
        [Self::Helpful, Self::NotThis]
            .into_iter()
            .find(|verdict| verdict.word() == word)
            .ok_or(StoreError::Unreadable)
    }
}

/// One person's verdict on one precedent for one kind of question.
#[derive(Clone, Copy, Debug)]
pub struct Mark<'m> {
    /// The workspace.
    pub team: &'m str,
    /// The person's id.
    pub person: &'m str,
    /// The case's id.
    pub case: &'m str,
    /// What kind of question was asked, as a mark; never somebody's text.
    pub about: &'m str,
    /// The verdict.
    pub verdict: Verdict,
}

/// How many people said what about a precedent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// It helped.
    pub helpful: u32,
    /// It is not like this.
    pub not_this: u32,
}

/// Whom a setting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'s> {
    /// A whole workspace.
    Workspace(&'s str),
    /// One channel of a workspace; it comes before the workspace's.
    Channel(&'s str, &'s str),
}

impl<'s> Scope<'s> {
    const fn columns(self) -> (&'s str, &'s str) {
        match self {
            Self::Workspace(team) => (team, ""),
            Self::Channel(team, channel) => (team, channel),
        }
    }
}

impl Store {
    /// Notes a verdict. The same one again takes it back, the other one replaces it. Returns what stands now.
    /// `press` identifies the press: one that was noted before changes nothing.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn give_feedback(
        &self,
        mark: &Mark<'_>,
        press: &str,
        now: Moment,
    ) -> Result<Option<Verdict>, StoreError> {
        let Mark {
            team,
            person,
            case,
            about,
            verdict,
        } = *mark;
        let mut tx = self.begin().await?;
        let new = tx
            .run(
                "INSERT INTO seen (key, holder, at) VALUES ($1, '', $2) ON CONFLICT (key) DO NOTHING",
                params![press, now],
            )
            .await?;
        if new == 0 {
            let row = tx.row(
                "SELECT verdict FROM feedback WHERE team = $1 AND person = $2 AND item = $3 AND about = $4",
                params![team, person, case, about],
            );
            let row = row.await?;
            tx.roll_back().await?;
            let stands = row.map(|mut row| Verdict::parse(&row.text()?));
            return stands.transpose();
        }
        let undone = tx
            .run(
                "DELETE FROM feedback WHERE team = $1 AND person = $2 AND item = $3 AND about = $4 AND verdict = $5",
                params![team, person, case, about, verdict.word()],
            )
            .await?;
        if undone == 0 {
            tx.run(
                "INSERT INTO feedback (team, person, item, about, verdict, at) VALUES ($1, $2, $3, $4, $5, $6) \
                 ON CONFLICT (team, person, item, about) DO UPDATE SET verdict = excluded.verdict, at = excluded.at",
                params![team, person, case, about, verdict.word(), now],
            )
            .await?;
        }
        tx.commit().await?;
        Ok((undone == 0).then_some(verdict))
    }

    /// Returns what a workspace says about the precedents for one kind of question, by case.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn feedback(
        &self,
        team: &str,
        about: &str,
    ) -> Result<BTreeMap<String, Tally>, StoreError> {
        let mut tx = self.begin().await?;
        let rows = tx
            .rows(
                "SELECT item, verdict, count(*) FROM feedback WHERE team = $1 AND about = $2 GROUP BY item, verdict",
                params![team, about],
            )
            .await?;
        tx.roll_back().await?;
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        for mut row in rows {
            let (case, verdict) = (row.text()?, Verdict::parse(&row.text()?)?);
            let count = u32::try_from(row.int()?).unwrap_or(u32::MAX);
            let tally = tallies.entry(case).or_default();
            match verdict {
                Verdict::Helpful => tally.helpful = count,
                Verdict::NotThis => tally.not_this = count,
            }
        }
        Ok(tallies)
    }

    /// Returns all that a workspace says: what was asked, the case, and how many people said what.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn all_feedback(
        &self,
        team: &str,
    ) -> Result<Vec<(String, String, Tally)>, StoreError> {
        let mut tx = self.begin().await?;
        let rows = tx
            .rows(
                "SELECT about, item, count(CASE WHEN verdict = 'helpful' THEN 1 END), \
                 count(CASE WHEN verdict = 'not_this' THEN 1 END) FROM feedback WHERE team = $1 \
                 GROUP BY about, item ORDER BY about, item",
                params![team],
            )
            .await?;
        tx.roll_back().await?;
        let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        rows.into_iter()
            .map(|mut row| {
                let (about, case) = (row.text()?, row.text()?);
                let tally = Tally {
                    helpful: count(row.int()?),
                    not_this: count(row.int()?),
                };
                Ok((about, case, tally))
            })
            .collect()
    }

    /// Returns each verdict of a workspace with what was asked and the case, newest first, at most `most`.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn verdicts(
        &self,
        team: &str,
        most: u32,
    ) -> Result<Vec<(String, String, Verdict, Moment)>, StoreError> {
        let mut tx = self.begin().await?;
        let rows = tx
            .rows(
                "SELECT about, item, verdict, at FROM feedback WHERE team = $1 AND about <> '' \
                 ORDER BY at DESC, item LIMIT $2",
                params![team, i64::from(most)],
            )
            .await?;
        tx.roll_back().await?;
        rows.into_iter()
            .map(|mut row| {
                let (about, case) = (row.text()?, row.text()?);
                Ok((
                    about,
                    case,
                    Verdict::parse(&row.text()?)?,
                    Moment(row.int()?),
                ))
            })
            .collect()
    }

    /// Returns what is set for a scope alone, by name.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn settings(&self, scope: Scope<'_>) -> Result<BTreeMap<String, String>, StoreError> {
        let (team, channel) = scope.columns();
        let mut tx = self.begin().await?;
        let rows = tx
            .rows(
                "SELECT name, value FROM settings WHERE team = $1 AND channel = $2",
                params![team, channel],
            )
            .await?;
        tx.roll_back().await?;
        rows.into_iter()
            .map(|mut row| Ok((row.text()?, row.text()?)))
            .collect()
    }

    /// Returns what is set for a workspace, and for one of its channels, each alone, by name.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn settings_of(
        &self,
        team: &str,
        channel: &str,
    ) -> Result<(BTreeMap<String, String>, BTreeMap<String, String>), StoreError> {
        let mut tx = self.begin().await?;
        let rows = tx
            .rows(
                "SELECT channel, name, value FROM settings WHERE team = $1 AND channel IN ('', $2)",
                params![team, channel],
            )
            .await?;
        tx.roll_back().await?;
        let (mut workspace, mut own) = (BTreeMap::new(), BTreeMap::new());
        for mut row in rows {
            let of_workspace = row.text()?.is_empty();
            let set = if of_workspace {
                &mut workspace
            } else {
                &mut own
            };
            set.insert(row.text()?, row.text()?);
        }
        Ok((workspace, own))
    }

    /// Sets something for a scope; `None` unsets it.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn set(
        &self,
        scope: Scope<'_>,
        name: &str,
        value: Option<&str>,
    ) -> Result<(), StoreError> {
        let (team, channel) = scope.columns();
        let mut tx = self.begin().await?;
        match value {
            Some(value) => {
                tx.run(
                    "INSERT INTO settings (team, channel, name, value) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (team, channel, name) DO UPDATE SET value = excluded.value",
                    params![team, channel, name, value],
                )
                .await?
            }
            None => {
                tx.run(
                    "DELETE FROM settings WHERE team = $1 AND channel = $2 AND name = $3",
                    params![team, channel, name],
                )
                .await?
            }
        };
        tx.commit().await
    }

    /// Sets something for a scope, or unsets it where it is set to just that. Returns what stands now. `press` identifies
    /// the press: one that was noted before changes nothing.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn switch(
        &self,
        scope: Scope<'_>,
        name: &str,
        value: &str,
        press: &str,
        now: Moment,
    ) -> Result<Option<String>, StoreError> {
        let (team, channel) = scope.columns();
        let mut tx = self.begin().await?;
        let new = tx
            .run(
                "INSERT INTO seen (key, holder, at) VALUES ($1, '', $2) ON CONFLICT (key) DO NOTHING",
                params![press, now],
            )
            .await?;
        if new == 0 {
            tx.roll_back().await?;
            return Ok(self.settings(scope).await?.remove(name));
        }
        let unset = tx
            .run(
                "DELETE FROM settings WHERE team = $1 AND channel = $2 AND name = $3 AND value = $4",
                params![team, channel, name, value],
            )
            .await?;
        if unset == 0 {
            tx.run(
                "INSERT INTO settings (team, channel, name, value) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (team, channel, name) DO UPDATE SET value = excluded.value",
                params![team, channel, name, value],
            )
            .await?;
        }
        tx.commit().await?;
        Ok((unset == 0).then(|| value.to_owned()))
    }
}
