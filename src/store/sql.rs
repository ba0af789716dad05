//! The little SQL that both engines share: values in, rows out, one transaction at a time.
//!
//! Columns are `BIGINT` or `TEXT` and parameters are written `$1`, so every statement of the store is one text for both.
//! Where PostgreSQL has to lock the rows that it reads, the text says [`LOCK`].

use super::{StoreError, postgres, sqlite};

/// Stands where PostgreSQL locks rows and passes over those that others hold; SQLite has one writer anyway.
pub(super) const LOCK: &str = "/*lock*/";

/// A value that goes into a statement.
#[derive(Clone, Debug)]
pub(super) enum Param {
    Int(i64),
    Text(String),
    NoInt,
    NoText,
}

impl From<i64> for Param {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Param {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}

impl From<super::Moment> for Param {
    fn from(value: super::Moment) -> Self {
        Self::Int(value.0)
    }
}

impl From<Option<super::Moment>> for Param {
    fn from(value: Option<super::Moment>) -> Self {
        value.map_or(Self::NoInt, Self::from)
    }
}

impl From<&str> for Param {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<&String> for Param {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl From<Option<&str>> for Param {
    fn from(value: Option<&str>) -> Self {
        value.map_or(Self::NoText, Self::from)
    }
}

/// Makes the parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$($crate::store::sql::Param::from($value)),*] };
}
pub(super) use params;

/// A value that comes out of a row.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    Int(i64),
    Text(String),
    Null,
}

/// A row, read from its first column on.
#[derive(Debug)]
pub(super) struct Row(std::vec::IntoIter<Cell>);

impl Row {
    pub(super) fn new(cells: Vec<Cell>) -> Self {
        Self(cells.into_iter())
    }

    /// Reads the next column as a number.
    pub(super) fn int(&mut self) -> Result<i64, StoreError> {
        match self.0.next() {
            Some(Cell::Int(value)) => Ok(value),
            _ => Err(StoreError::Unreadable),
        }
    }

    /// Reads the next column as a text.
    pub(super) fn text(&mut self) -> Result<String, StoreError> {
        self.maybe_text()?.ok_or(StoreError::Unreadable)
    }

    /// Reads the next column as a number that may be absent.
    pub(super) fn maybe_int(&mut self) -> Result<Option<i64>, StoreError> {
        match self.0.next() {
            Some(Cell::Int(value)) => Ok(Some(value)),
            Some(Cell::Null) => Ok(None),
            _ => Err(StoreError::Unreadable),
        }
    }

    /// Reads the next column as a text that may be absent.
    pub(super) fn maybe_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.0.next() {
            Some(Cell::Text(value)) => Ok(Some(value)),
            Some(Cell::Null) => Ok(None),
            _ => Err(StoreError::Unreadable),
        }
    }
}

/// A transaction; dropped without [`Tx::commit`] it leaves no trace.
pub(super) enum Tx {
    Sqlite(sqlite::Tx),
    Postgres(postgres::Tx),
}

impl Tx {
    /// Runs a statement and returns its rows.
    pub(super) async fn rows(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(tx) => tx.rows(sql, params).await,
            Self::Postgres(tx) => tx.rows(sql, &params).await,
        }
    }

    /// Runs a statement that gives at most one row.
    pub(super) async fn row(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, params).await?.into_iter().next())
    }

    /// Runs a statement without rows and returns how many it changed.
    pub(super) async fn run(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(tx) => tx.run(sql, params).await,
            Self::Postgres(tx) => tx.run(sql, &params).await,
        }
    }

    /// Runs several statements without parameters.
    pub(super) async fn batch(&mut self, sql: &'static str) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.batch(sql).await,
            Self::Postgres(tx) => tx.batch(sql).await,
        }
    }

    /// Takes all of it back, and keeps the connection. Dropping does the same and may cost the connection.
    pub(super) async fn roll_back(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => {
                drop(tx);
                Ok(())
            }
            Self::Postgres(tx) => tx.roll_back().await,
        }
    }

    /// Makes it last.
    pub(super) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.commit().await,
            Self::Postgres(tx) => tx.commit().await,
        }
    }
}
