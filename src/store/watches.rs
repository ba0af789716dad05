//! Incident channels under watch: what was said in them so far, and whether the one suggestion was made.

use std::time::Duration;

use super::{
    Moment, Store, StoreError,
    sql::{Tx, params},
};
use crate::slack::{
    Ts,
    gather::TEXT_LIMIT_BYTES,
    inbound::{Place, Post},
};

/// How long after its (re)naming a channel may still get a suggestion; later it would come too late to help.
pub const WINDOW: Duration = Duration::from_mins(30);

/// How many messages of a channel are taken into account.
const MESSAGES: usize = 20;

/// How much of their text, in bytes: no more is looked up at once.
const TEXT_BYTES: usize = TEXT_LIMIT_BYTES;

/// How far the watch of a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A suggestion may still come.
    Watching,
    /// It was made; never again.
    Suggested,
    /// There is nothing to do here: renamed, shared, gone, or not to be read.
    Off,
}

impl Phase {
    const fn word(self) -> &'static str {
        match self {
            Self::Watching => "watching",
            Self::Suggested => "suggested",
            Self::Off => "off",
        }
    }
}

/// A channel under watch.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Whether the channel's history was read into `posts`.
    pub read: bool,
    /// What was said so far, oldest first.
    pub posts: Vec<Post>,
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

    /// Returns a channel's watch while a suggestion may still come.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn watched(&self, place: &Place, now: Moment) -> Result<Option<Watch>, StoreError> {
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
             WHERE watches.phase <> 'suggested'",
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
            "UPDATE watches SET phase = $3, changed = $4 WHERE team = $1 AND channel = $2 AND phase <> 'suggested'",
            params![&place.team, &place.channel.0, phase.word(), now],
        )
        .await?;
        self.run(
            "DELETE FROM messages WHERE team = $1 AND channel = $2",
            params![&place.team, &place.channel.0],
        )
        .await?;
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

    /// Returns whether the history of an open watch was read.
    async fn window(&mut self, place: &Place, now: Moment) -> Result<Option<bool>, StoreError> {
        let row = self.row(
            "SELECT history FROM watches WHERE team = $1 AND channel = $2 AND phase = 'watching' AND since > $3",
            params![&place.team, &place.channel.0, now.before(WINDOW)],
        );
        let row = row.await?;
        row.map(|mut row| row.int().map(|read| read != 0))
            .transpose()
    }

    async fn open_watch(
        &mut self,
        place: &Place,
        now: Moment,
    ) -> Result<Option<Watch>, StoreError> {
        let Some(read) = self.window(place, now).await? else {
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
        Ok(Some(Watch {
            read,
            posts: posts.collect::<Result<_, _>>()?,
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
        let Some(Watch { posts, .. }) = self.open_watch(place, now).await? else {
            return Ok(false);
        };
        let Some(post) = room_for(&posts, post) else {
            return Ok(false);
        };
        let Ts(ts) = &post.ts;
        let json = serde_json::to_string(&post).map_err(|_| StoreError::Unreadable)?;
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
             AND watches.channel = messages.channel AND watches.phase = 'watching' AND watches.since > $1)",
            params![now.before(WINDOW)],
        )
        .await
    }
}

/// Cuts a message to the room that is left beside the others; `None` when there is none or it is known.
fn room_for(posts: &[Post], post: Post) -> Option<Post> {
    let known = posts.iter().any(|other| other.ts == post.ts);
    let used: usize = posts.iter().map(|post| post.text.len()).sum();
    let room = post
        .text
        .floor_char_boundary(TEXT_BYTES.saturating_sub(used));
    if known || posts.len() >= MESSAGES || room == 0 {
        return None;
    }
    let text = post.text[..room].to_owned();
    Some(Post { text, ..post })
}
