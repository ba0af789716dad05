//! SQLite on a thread of its own: it waits for the disk there, and nothing else does.
//!
//! WAL with `synchronous=FULL`: an event is acknowledged only when it would survive a power cut too, and that costs about
//! 0.15 ms on an ordinary disk, far below what Slack waits.

use std::{
    fs::OpenOptions,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use rusqlite::{
    Connection, OpenFlags,
    types::{Null, ToSql, ToSqlOutput, ValueRef},
};
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::{
    StoreError,
    sql::{Cell, Param, Row},
};

/// How long to wait for another process that writes.
const BUSY: Duration = Duration::from_secs(2);

/// How many statements stay prepared; the store has fewer.
const STATEMENTS: usize = 64;

/// Name of the file in the data directory.
const FILE: &str = "incident-like.sqlite3";

/// A database whose connection lives on a thread.
pub(super) struct Sqlite {
    requests: mpsc::Sender<Request>,
    /// Held by the one open transaction.
    turn: Arc<Mutex<()>>,
}

/// An open transaction.
pub(super) struct Tx {
    requests: mpsc::Sender<Request>,
    open: bool,
    _turn: OwnedMutexGuard<()>,
}

type Answer<T> = oneshot::Sender<Result<T, rusqlite::Error>>;

enum Request {
    Rows(&'static str, Vec<Param>, Answer<Vec<Vec<Cell>>>),
    Run(&'static str, Vec<Param>, Answer<usize>),
    Batch(&'static str, Answer<()>),
    RollBack,
}

/// Returns the database file of a folder, made readable for its owner only: it holds questions until they are answered.
/// `SQLite` gives its other files the same permissions.
fn private(folder: &Path) -> Result<PathBuf, StoreError> {
    if !folder.is_dir() {
        let why = format!("`{}` is no folder; make it first", folder.display());
        return Err(StoreError::Unavailable(why));
    }
    let file = folder.join(FILE);
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(&file)
        .map_err(|error| StoreError::Unavailable(format!("`{}`: {error}", file.display())))?;
    Ok(file)
}

impl Sqlite {
    /// Opens or makes the database in a directory; without one, in memory.
    pub(super) fn open(folder: Option<&Path>) -> Result<Self, StoreError> {
        let connection = match folder {
            Some(folder) => Connection::open_with_flags(
                private(folder)?,
                OpenFlags::SQLITE_OPEN_READ_WRITE
                    | OpenFlags::SQLITE_OPEN_CREATE
                    | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            ),
            None => Connection::open_in_memory(),
        }?;
        connection.busy_timeout(BUSY)?;
        connection.execute_batch(
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON;",
        )?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let (requests, received) = mpsc::channel();
        thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || serve(&connection, &received))
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Self {
            requests,
            turn: Arc::default(),
        })
    }

    /// Empties the log of changes, which still holds what was deleted since.
    pub(super) async fn empty_log(&self) -> Result<(), StoreError> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let mut tx = Tx {
            requests: self.requests.clone(),
            open: false,
            _turn: turn,
        };
        tx.batch("PRAGMA wal_checkpoint(TRUNCATE)").await
    }

    pub(super) async fn begin(&self) -> Result<Tx, StoreError> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let mut tx = Tx {
            requests: self.requests.clone(),
            open: false,
            _turn: turn,
        };
        // From here on a dropped transaction is rolled back, even when nobody waited for this answer.
        tx.open = true;
        tx.batch("BEGIN IMMEDIATE").await?;
        Ok(tx)
    }
}

impl Tx {
    pub(super) async fn rows(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, StoreError> {
        let rows = self
            .ask(|answer| Request::Rows(sql, params, answer))
            .await?;
        Ok(rows.into_iter().map(Row::new).collect())
    }

    pub(super) async fn run(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<u64, StoreError> {
        let changed = self.ask(|answer| Request::Run(sql, params, answer)).await?;
        Ok(changed as u64)
    }

    pub(super) async fn batch(&mut self, sql: &'static str) -> Result<(), StoreError> {
        self.ask(|answer| Request::Batch(sql, answer)).await
    }

    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        self.batch("COMMIT").await?;
        self.open = false;
        Ok(())
    }

    async fn ask<T>(&self, request: impl FnOnce(Answer<T>) -> Request) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let gone = || StoreError::Unavailable("its thread has ended".to_owned());
        self.requests.send(request(answer)).map_err(|_| gone())?;
        Ok(answered.await.map_err(|_| gone())??)
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if self.open {
            // It comes before whatever the next transaction sends, which still waits for its turn.
            let _ = self.requests.send(Request::RollBack);
        }
    }
}

/// Does what is asked until nobody can ask any more.
fn serve(connection: &Connection, requests: &mpsc::Receiver<Request>) {
    // Nobody may wait for an answer any more; then it is lost, and so is the transaction.
    while let Ok(request) = requests.recv() {
        match request {
            Request::Rows(sql, params, answer) => {
                let _ = answer.send(rows(connection, sql, &params));
            }
            Request::Run(sql, params, answer) => {
                let _ = answer.send(run(connection, sql, &params));
            }
            Request::Batch(sql, answer) => {
                let _ = answer.send(connection.execute_batch(sql));
            }
            Request::RollBack if !connection.is_autocommit() => {
                let _ = connection.execute_batch("ROLLBACK");
            }
            Request::RollBack => {}
        }
    }
}

fn numbered(sql: &str) -> String {
    // SQLite takes `$1` for a name.
    sql.replace('$', "?")
}

fn rows(
    connection: &Connection,
    sql: &str,
    params: &[Param],
) -> Result<Vec<Vec<Cell>>, rusqlite::Error> {
    let mut statement = connection.prepare_cached(&numbered(sql))?;
    let columns = statement.column_count();
    let rows = statement.query_map(rusqlite::params_from_iter(params), |row| {
        (0..columns)
            .map(|column| {
                Ok(match row.get_ref(column)? {
                    ValueRef::Integer(value) => Cell::Int(value),
                    ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
                    _ => Cell::Null,
                })
            })
            .collect()
    })?;
    rows.collect()
}

fn run(connection: &Connection, sql: &str, params: &[Param]) -> Result<usize, rusqlite::Error> {
    connection
        .prepare_cached(&numbered(sql))?
        .execute(rusqlite::params_from_iter(params))
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Int(value) => value.to_sql(),
            Self::Text(value) => value.to_sql(),
            Self::NoInt | Self::NoText => Null.to_sql(),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        // SQLite's messages name tables and columns, never values.
        Self::Unavailable(error.to_string())
    }
}
