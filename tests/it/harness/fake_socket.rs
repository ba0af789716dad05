//! The other end of Socket Mode: hands out addresses that work once, greets, sends what a test tells it to, and checks
//! every acknowledgement.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    sync::{
        Mutex as AsyncMutex,
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    },
};
use tokio_tungstenite::{
    WebSocketStream, accept_hdr_async,
    tungstenite::{
        Message,
        handshake::server::{ErrorResponse, Request, Response},
    },
};

/// Where connections are taken.
pub(super) struct Sockets {
    address: String,
    inner: Arc<Mutex<Inner>>,
    opened: AsyncMutex<UnboundedReceiver<FakeSocket>>,
}

#[derive(Default)]
struct Inner {
    tickets: HashSet<String>,
    issued: u32,
    envelopes: u32,
    problems: Vec<String>,
}

/// A connection of the service's as Slack sees it.
pub(crate) struct FakeSocket {
    tell: UnboundedSender<Do>,
    acknowledged: UnboundedReceiver<Acknowledged>,
    inner: Arc<Mutex<Inner>>,
}

/// An acknowledgement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Acknowledged {
    /// Of which envelope.
    pub(crate) id: String,
    /// The answer that came with it; null without one.
    pub(crate) payload: Value,
}

/// What a connection is told to do.
enum Do {
    /// Send a frame; an envelope is expected to be acknowledged.
    Send(Value),
    /// Say goodbye.
    Close,
    /// Neither read nor write any more, with the line open.
    FallSilent,
    /// Break the line.
    Cut,
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sockets {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound address");
        let inner = Arc::default();
        let (opened, connections) = unbounded_channel();
        tokio::spawn(accept(listener, Arc::clone(&inner), opened));
        Self {
            address: format!("ws://{address}/link/"),
            inner,
            opened: AsyncMutex::new(connections),
        }
    }

    /// What `apps.connections.open` answers.
    pub(super) fn address(&self) -> Value {
        let mut inner = lock(&self.inner);
        inner.issued += 1;
        let ticket = format!("ticket-{}", inner.issued);
        let url = format!("{}?ticket={ticket}&app_id=A0APP", self.address);
        inner.tickets.insert(ticket);
        json!({"ok": true, "url": url})
    }

    pub(super) async fn next(&self) -> FakeSocket {
        let next = self.opened.lock().await.recv().await;
        next.expect("connections are taken until the end")
    }

    pub(super) fn problems(&self) -> Vec<String> {
        lock(&self.inner).problems.clone()
    }
}

async fn accept(
    listener: TcpListener,
    inner: Arc<Mutex<Inner>>,
    opened: UnboundedSender<FakeSocket>,
) {
    while let Ok((mut stream, _)) = listener.accept().await {
        if is_knock(&stream).await {
            let answer = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(answer).await.expect("it is written");
            continue;
        }
        let shared = Arc::clone(&inner);
        #[expect(clippy::result_large_err, reason = "the handshake's own form")]
        let check = |request: &Request, response: Response| {
            let query = request.uri().query().unwrap_or_default();
            let ticket = url::form_urlencoded::parse(query.as_bytes())
                .find(|(key, _)| key == "ticket")
                .map(|(_, ticket)| ticket.into_owned());
            let mut inner = lock(&shared);
            let known = ticket.is_some_and(|ticket| inner.tickets.remove(&ticket));
            if known && request.uri().path() == "/link/" {
                return Ok(response);
            }
            inner
                .problems
                .push(format!("socket: opened at {}", request.uri()));
            Err(ErrorResponse::new(None))
        };
        let Ok(socket) = accept_hdr_async(stream, check).await else {
            lock(&inner)
                .problems
                .push("socket: no handshake".to_owned());
            continue;
        };
        let (tell, told) = unbounded_channel();
        let (acknowledge, acknowledged) = unbounded_channel();
        tokio::spawn(serve(socket, told, acknowledge, Arc::clone(&inner)));
        // Nobody listens when a test is over.
        let _ = opened.send(FakeSocket {
            tell,
            acknowledged,
            inner: Arc::clone(&inner),
        });
    }
}

/// Returns whether somebody only wants to know whether anybody is there.
async fn is_knock(stream: &TcpStream) -> bool {
    let mut begin = [0; 10];
    stream.peek(&mut begin).await.is_ok() && begin == *b"GET / HTTP"
}

async fn serve(
    mut socket: WebSocketStream<TcpStream>,
    mut told: UnboundedReceiver<Do>,
    acknowledge: UnboundedSender<Acknowledged>,
    inner: Arc<Mutex<Inner>>,
) {
    let hello = json!({
        "type": "hello", "num_connections": 1, "connection_info": {"app_id": "A0APP"},
        "debug_info": {"host": "applink-1", "build_number": 1, "approximate_connection_time": 18060},
    });
    if socket.send(Message::text(hello.to_string())).await.is_err() {
        return;
    }
    // What may still be acknowledged, and whether with an answer.
    let mut sent: HashMap<String, bool> = HashMap::new();
    loop {
        tokio::select! {
            Some(order) = told.recv() => match order {
                Do::Send(frame) => {
                    if let Some(id) = frame["envelope_id"].as_str() {
                        sent.insert(id.to_owned(), frame["accepts_response_payload"] == true);
                    }
                    if socket.send(Message::text(frame.to_string())).await.is_err() {
                        return;
                    }
                }
                Do::Close => {
                    let _ = socket.close(None).await;
                }
                Do::FallSilent => {
                    // The line stays open until the test is over.
                    while told.recv().await.is_some() {}
                    return;
                }
                Do::Cut => return,
            },
            frame = socket.next() => {
                let text = match frame {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_))) => continue,
                    Some(Ok(other)) => {
                        lock(&inner).problems.push(format!("socket: a frame of another kind: {other:?}"));
                        continue;
                    }
                    Some(Err(_)) | None => return,
                };
                match read(&text, &mut sent) {
                    Ok(acknowledged) => {
                        let _ = acknowledge.send(acknowledged);
                    }
                    Err(problem) => lock(&inner).problems.push(format!("socket: {problem}: {text}")),
                }
            }
        }
    }
}

/// Reads an acknowledgement: of an envelope that was sent here and not acknowledged yet, with an answer only if it may.
fn read(text: &str, sent: &mut HashMap<String, bool>) -> Result<Acknowledged, &'static str> {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(text) else {
        return Err("no JSON object");
    };
    let Some(Value::String(id)) = fields.remove("envelope_id") else {
        return Err("no envelope's id");
    };
    let answerable = sent
        .remove(&id)
        .ok_or("an envelope that is not open here")?;
    let payload = match fields.remove("payload") {
        None => Value::Null,
        Some(Value::Object(payload)) if answerable => Value::Object(payload),
        // Slack's own client for Node.js always writes one.
        Some(Value::Object(payload)) if payload.is_empty() => Value::Null,
        Some(_) => return Err("an answer that may not be there"),
    };
    if !fields.is_empty() {
        return Err("unexpected fields");
    }
    Ok(Acknowledged { id, payload })
}

impl FakeSocket {
    fn order(&self, order: Do) {
        // Telling something to a connection that has ended has no effect, as in life.
        let _ = self.tell.send(order);
    }

    /// Sends a payload in an envelope and returns the envelope's id.
    pub(crate) fn send(&self, kind: &str, payload: &Value) -> String {
        let id = {
            let mut inner = lock(&self.inner);
            inner.envelopes += 1;
            format!("d0000000-0000-4000-8000-{:012}", inner.envelopes)
        };
        let mut frame = json!({
            "envelope_id": id, "type": kind, "payload": payload,
            "accepts_response_payload": kind != "events_api",
        });
        if kind == "events_api" {
            frame["retry_attempt"] = json!(0);
            frame["retry_reason"] = json!("");
        }
        self.order(Do::Send(frame));
        id
    }

    /// Sends a frame as it is.
    pub(crate) fn send_raw(&self, frame: Value) {
        self.order(Do::Send(frame));
    }

    /// Says that the connection will be closed.
    pub(crate) fn announce(&self, reason: &str) {
        self.send_raw(json!({
            "type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"},
        }));
    }

    pub(crate) fn close(&self) {
        self.order(Do::Close);
    }

    pub(crate) fn fall_silent(&self) {
        self.order(Do::FallSilent);
    }

    pub(crate) fn cut(&self) {
        self.order(Do::Cut);
    }

    /// Waits for the next acknowledgement; `None` when the connection has ended.
    pub(crate) async fn acknowledged(&mut self) -> Option<Acknowledged> {
        self.acknowledged.recv().await
    }

    /// Returns an acknowledgement that has come already.
    pub(crate) fn left(&mut self) -> Option<Acknowledged> {
        self.acknowledged.try_recv().ok()
    }

    /// Sends a payload and waits for its answer; no other acknowledgement may be on its way.
    pub(crate) async fn ask(&mut self, kind: &str, payload: &Value) -> Value {
        let id = self.send(kind, payload);
        let acknowledged = self.acknowledged().await.expect("an acknowledgement");
        assert_eq!(acknowledged.id, id);
        acknowledged.payload
    }
}
