//! Incident channels under watch: what was said in them so far, and what the one suggestion says.

use std::time::Duration;

use super::{
    Moment, Store, StoreError,
    sql::{Tx, params},
};
use crate::slack::{
    Ts,
    inbound::{Place, Post},
    watch::{EDITS, Phase, Said, WINDOW, Watch},
};

/// The word for a phase in the table.
const fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Watching => "watching",
        Phase::Suggested => "suggested",
        Phase::Closed => "closed",
        Phase::Off => "off",
    }
}

/// A channel under watch.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Whether the channel's history was read into `posts`.
    pub read: bool,
    /// What was said so far, oldest first.
    pub posts: Vec<Post>,
    /// The suggestion, once it stands there.
    pub standing: Option<Standing>,
}

/// A suggestion that stands in a channel and may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The message's id.
    pub ts: String,
    /// What it says.
    pub said: Said,
}

impl Store {
    /// Begins to watch a channel, or begins anew after another name, unless it had its suggestion.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn watch(&self, place: &Place, now: Moment) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        tx.start_watch(place, now).await?;
        tx.commit().await
    }

    /// Returns a channel's watch while a suggestion may still come or change.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn watched(&self, place: &Place, now: Moment) -> Result<Option<Watched>, StoreError> {
        let mut tx = self.begin().await?;
        let watch = tx.open_watch(place, now).await;
        tx.roll_back().await?;
        watch
    }

    /// Ends a watch; what was said there is forgotten.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn end_watch(
        &self,
        place: &Place,
        phase: Phase,
        now: Moment,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        tx.end_watch(place, phase, now).await?;
        tx.commit().await
    }

    /// Adds what stood in a channel before it was watched, and remembers that it was read.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn add_history(
        &self,
        place: &Place,
        posts: Vec<Post>,
        now: Moment,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        for post in posts {
            tx.note(place, post, now).await?;
        }
        tx.run(
            "UPDATE watches SET history = 1 WHERE team = $1 AND channel = $2",
            params![&place.team, &place.channel.0],
        )
        .await?;
        tx.commit().await
    }
}

impl Tx {
    pub(super) async fn start_watch(
        &mut self,
        place: &Place,
        now: Moment,
    ) -> Result<(), StoreError> {
        // What an ended watch had read is forgotten, so it has to be read again.
        self.run(
            "INSERT INTO watches (team, channel, since, phase, changed) VALUES ($1, $2, $3, 'watching', $3) \
             ON CONFLICT (team, channel) DO UPDATE SET since = excluded.since, changed = excluded.changed, \
             phase = 'watching', history = CASE WHEN watches.phase = 'off' THEN 0 ELSE watches.history END \
             WHERE watches.phase NOT IN ('suggested', 'closed')",
            params![&place.team, &place.channel.0, now],
        )
        .await?;
        Ok(())
    }

    pub(super) async fn end_watch(
        &mut self,
        place: &Place,
        phase: Phase,
        now: Moment,
    ) -> Result<(), StoreError> {
        self.run(
            "UPDATE watches SET changed = $4, \
             phase = CASE WHEN phase IN ('suggested', 'closed') THEN 'closed' ELSE $3 END \
             WHERE team = $1 AND channel = $2",
            params![&place.team, &place.channel.0, word(phase), now],
        )
        .await?;
        self.run(
            "DELETE FROM messages WHERE team = $1 AND channel = $2",
            params![&place.team, &place.channel.0],
        )
        .await?;
        Ok(())
    }

    /// The suggestion in a channel says this now; another look may change it while it is of use, if it is known which
    /// message it is.
    pub(super) async fn stands(
        &mut self,
        place: &Place,
        ts: Option<&str>,
        said: &Said,
        now: Moment,
    ) -> Result<(), StoreError> {
        let json = serde_json::to_string(said).map_err(|_| StoreError::Unreadable)?;
        self.run(
            "UPDATE watches SET ts = $3, cases = $4, said = $5, changed = $6, \
             phase = CASE WHEN phase = 'closed' THEN phase ELSE 'suggested' END WHERE team = $1 AND channel = $2",
            params![
                &place.team,
                &place.channel.0,
                ts,
                &said.cases.join(" "),
                &json,
                now
            ],
        )
        .await?;
        if ts.is_none() || said.edits >= EDITS {
            self.end_watch(place, Phase::Closed, now).await?;
        }
        Ok(())
    }

    /// Follows a channel to its new id. A look that waits is dropped: it would look at the old place.
    pub(super) async fn move_watch(
        &mut self,
        from: &Place,
        to: &Place,
        now: Moment,
    ) -> Result<(), StoreError> {
        let watched = self.row(
            "SELECT 1 FROM watches WHERE team = $1 AND channel = $2",
            params![&from.team, &from.channel.0],
        );
        if watched.await?.is_none() {
            return Ok(());
        }
        for table in [
            "DELETE FROM watches WHERE team = $1 AND channel = $2",
            "DELETE FROM messages WHERE team = $1 AND channel = $2",
        ] {
            self.run(table, params![&to.team, &to.channel.0]).await?;
        }
        self.run(
            "UPDATE watches SET team = $1, channel = $2, changed = $3 WHERE team = $4 AND channel = $5",
            params![&to.team, &to.channel.0, now, &from.team, &from.channel.0],
        )
        .await?;
        self.run(
            "UPDATE messages SET team = $1, channel = $2 WHERE team = $3 AND channel = $4",
            params![&to.team, &to.channel.0, &from.team, &from.channel.0],
        )
        .await?;
        Ok(())
    }

    pub(super) async fn is_watched(
        &mut self,
        place: &Place,
        now: Moment,
    ) -> Result<bool, StoreError> {
        Ok(self.window(place, now).await?.is_some())
    }

    /// Returns whether the history of an open watch was read, and the suggestion if it was made.
    async fn window(
        &mut self,
        place: &Place,
        now: Moment,
    ) -> Result<Option<(bool, Option<Standing>)>, StoreError> {
        let row = self.row(
            "SELECT history, phase, ts, said FROM watches \
             WHERE team = $1 AND channel = $2 AND phase IN ('watching', 'suggested') AND since > $3",
            params![&place.team, &place.channel.0, now.before(WINDOW)],
        );
        let Some(mut row) = row.await? else {
            return Ok(None);
        };
        let read = row.int()? != 0;
        if row.text()? == word(Phase::Watching) {
            return Ok(Some((read, None)));
        }
        let (Some(ts), Some(said)) = (row.maybe_text()?, row.maybe_text()?) else {
            return Ok(None);
        };
        let said = serde_json::from_str(&said).map_err(|_| StoreError::Unreadable)?;
        Ok(Some((read, Some(Standing { ts, said }))))
    }

    async fn open_watch(
        &mut self,
        place: &Place,
        now: Moment,
    ) -> Result<Option<Watched>, StoreError> {
        let Some((read, standing)) = self.window(place, now).await? else {
            return Ok(None);
        };
        let rows = self.rows(
            "SELECT post FROM messages WHERE team = $1 AND channel = $2 ORDER BY ts",
            params![&place.team, &place.channel.0],
        );
        let posts = rows
            .await?
            .into_iter()
            .map(|mut row| serde_json::from_str(&row.text()?).map_err(|_| StoreError::Unreadable));
        Ok(Some(Watched {
            read,
            posts: posts.collect::<Result<_, _>>()?,
            standing,
        }))
    }

    /// Notes a message, cut to the room that is left; returns whether it counts: the channel is watched, and the message
    /// says anything new.
    pub(super) async fn note(
        &mut self,
        place: &Place,
        post: Post,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let Some(Watched { posts, .. }) = self.open_watch(place, now).await? else {
            return Ok(false);
        };
        // What counts is decided in one place. That the watch is open was seen above.
        let mut watch = Watch::resumed(Duration::ZERO, posts);
        if !watch.add(post) {
            return Ok(false);
        }
        let Some(post) = watch.newest() else {
            return Ok(false);
        };
        let Ts(ts) = &post.ts;
        let json = serde_json::to_string(post).map_err(|_| StoreError::Unreadable)?;
        let noted = self.run(
            "INSERT INTO messages (team, channel, ts, post) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            params![&place.team, &place.channel.0, ts, &json],
        );
        Ok(noted.await? > 0)
    }

    /// Drops what people wrote in channels whose watch is over.
    pub(super) async fn sweep_messages(&mut self, now: Moment) -> Result<u64, StoreError> {
        self.run(
            "DELETE FROM messages WHERE NOT EXISTS (SELECT 1 FROM watches WHERE watches.team = messages.team \
             AND watches.channel = messages.channel AND watches.phase IN ('watching', 'suggested') AND watches.since > $1)",
            params![now.before(WINDOW)],
        )
        .await
    }
}
