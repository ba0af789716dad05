//! One connection, from Slack's greeting to its end.

use std::{future::ready, panic::AssertUnwindSafe, time::Duration};

use futures::{FutureExt, SinkExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use tokio::{
    sync::oneshot,
    time::{Instant, MissedTickBehavior, interval, timeout},
};
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, info, warn};

use super::{
    Patience, Receipt, Receive,
    dial::Socket,
    frame::{Envelope, Frame, acknowledgement},
};

/// Most envelopes in work at once; more wait in the network.
const ENVELOPES: usize = 64;

/// How long to wait for Slack's side of hanging up. It often leaves the line open.
const HANGING_UP: Duration = Duration::from_secs(1);

/// An open connection and who takes what comes.
pub(super) struct Connection<R> {
    pub(super) socket: Socket,
    pub(super) receiver: R,
    pub(super) patience: Patience,
    pub(super) stop: CancellationToken,
    /// To be told that Slack will close the connection; dropped when it has ended.
    pub(super) leaving: Option<oneshot::Sender<()>>,
}

/// Why a connection is served no longer.
enum End {
    /// We hang up.
    Ours(&'static str),
    /// Slack does, or the network.
    Theirs(&'static str),
}

/// Envelopes in work, each of which ends in an acknowledgement or none.
type Work = FuturesUnordered<BoxFuture<'static, Option<String>>>;

impl<R: Receive> Connection<R> {
    /// Serves it to its end.
    pub(super) async fn serve(mut self) {
        let mut work = Work::new();
        let end = self.exchange(&mut work).await;
        // Who waits for the end opens the next one while this one finishes.
        self.leaving = None;
        match end {
            End::Ours(why) => {
                info!(why, "closing a connection to Slack");
                while let Some(acknowledgement) = work.next().await {
                    if self.acknowledge(acknowledgement).await.is_err() {
                        break;
                    }
                }
                let _ = timeout(HANGING_UP, self.hang_up()).await;
            }
            End::Theirs(why) => {
                info!(why, "a connection to Slack has ended");
                // What was begun is finished; that it is not acknowledged makes Slack send it again.
                while work.next().await.is_some() {}
            }
        }
    }

    /// Takes and acknowledges until there is a reason to end.
    async fn exchange(&mut self, work: &mut Work) -> End {
        let Patience { idle, linger, .. } = self.patience;
        let mut questions = interval(idle / 3);
        questions.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        let mut left_at = None;
        loop {
            let room = work.len() < ENVELOPES;
            tokio::select! {
                Some(acknowledgement) = work.next() => {
                    if !room {
                        // Nothing was read meanwhile.
                        heard = Instant::now();
                    }
                    if self.acknowledge(acknowledgement).await.is_err() {
                        return End::Theirs("it cannot be written to");
                    }
                }
                frame = self.socket.next(), if room => {
                    heard = Instant::now();
                    let text = match frame {
                        Some(Ok(Message::Text(text))) => text,
                        Some(Ok(Message::Close(_))) | None => return End::Theirs("Slack closed it"),
                        Some(Ok(_)) => continue,
                        Some(Err(_)) => return End::Theirs("it broke"),
                    };
                    match Frame::read(&text) {
                        Frame::Envelope(envelope) => {
                            work.push(taken(self.receiver.clone(), envelope).boxed());
                        }
                        Frame::Unknown(id) => work.push(ready(Some(acknowledgement(&id, None))).boxed()),
                        Frame::Disconnect(reason) => {
                            left_at.get_or_insert_with(Instant::now);
                            self.announce(&reason);
                        }
                        Frame::Hello | Frame::Other => {}
                    }
                }
                _ = questions.tick() => {
                    if room && heard.elapsed() >= idle {
                        return End::Theirs("nothing comes over it any more");
                    }
                    if left_at.is_some_and(|at: Instant| at.elapsed() >= linger) {
                        return End::Ours("Slack does not close it");
                    }
                    if self.send(Message::Ping(Bytes::new())).await.is_err() {
                        return End::Theirs("it cannot be written to");
                    }
                }
                () = self.stop.cancelled() => return End::Ours("the service stops"),
            }
        }
    }

    /// Tells that Slack will close the connection.
    fn announce(&mut self, reason: &str) {
        match reason {
            "link_disabled" => {
                error!("Socket Mode was switched off in the app's settings");
            }
            "warning" | "refresh_requested" => debug!("Slack will close a connection"),
            // Slack's other words are not listed anywhere.
            _ => warn!("Slack will close a connection for another reason than its age"),
        }
        if let Some(leaving) = self.leaving.take() {
            // Nobody waits when the service stops.
            let _ = leaving.send(());
        }
    }

    async fn acknowledge(&mut self, acknowledgement: Option<String>) -> Result<(), Unwritten> {
        match acknowledgement {
            Some(text) => self.send(Message::text(text)).await,
            None => Ok(()),
        }
    }

    /// Sends, but not for ever: a connection that is dead takes some bytes and then none.
    async fn send(&mut self, message: Message) -> Result<(), Unwritten> {
        match timeout(self.patience.idle, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Unwritten),
        }
    }

    /// Says goodbye and waits until Slack has said so too.
    async fn hang_up(&mut self) {
        if self.socket.close(None).await.is_ok() {
            while let Some(Ok(message)) = self.socket.next().await {
                if message.is_close() {
                    return;
                }
            }
        }
    }
}

/// The connection did not take what was to be sent.
struct Unwritten;

/// Takes an envelope and returns the acknowledgement; `None` when Slack is to send it again. A panic ends no more than
/// that, and what it says is left alone: it may quote what somebody wrote.
async fn taken<R: Receive>(receiver: R, envelope: Envelope) -> Option<String> {
    let Envelope { id, payload } = envelope;
    let answerable = payload.is_answerable();
    let receipt = AssertUnwindSafe(async { receiver.receive(payload).await })
        .catch_unwind()
        .await;
    match receipt {
        Ok(Receipt::Answered(json)) if answerable => Some(acknowledgement(&id, Some(&json))),
        Ok(Receipt::Answered(_) | Receipt::Taken) => Some(acknowledgement(&id, None)),
        Ok(Receipt::Refused) => None,
        Err(_) => {
            error!("a request panicked");
            None
        }
    }
}
