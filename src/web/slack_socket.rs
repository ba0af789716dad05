//! What Slack says over connections that we open ourselves (Socket Mode): the same as what it posts.

use tracing::warn;

use super::{
    AppState,
    slack_answer::{self, Answer},
};
use crate::slack::{
    inbound::Inbound,
    socket::{Payload, Receipt, Receive},
};

impl Receive for AppState {
    async fn receive(&self, payload: Payload) -> Receipt {
        let inbound = Inbound::of_socket(&payload);
        let taken = if payload.is_answerable() {
            slack_answer::take(self, inbound).await
        } else {
            slack_answer::take_silently(self, inbound).await
        };
        match taken {
            Ok(Answer::Json(json)) => Receipt::Answered(json),
            Ok(Answer::Empty | Answer::Text(_)) => Receipt::Taken,
            Err(reason) => {
                warn!(%reason, "refused a delivery for now");
                Receipt::Refused
            }
        }
    }

    fn connected(&self, connections: usize) {
        self.metrics.sockets(connections);
    }
}
