//! PostgreSQL through a pool of connections.

use std::{error::Error as _, time::Duration};

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, Timeouts,
};
use tokio_postgres::{
    NoTls,
    config::SslMode,
    types::{ToSql, Type},
};

use super::{
    StoreError,
    sql::{Cell, LOCK, Param, Row},
    tls,
};

/// Most connections of one process: few, since transactions take milliseconds and replicas share the server.
const CONNECTIONS: usize = 8;

/// How long to wait for a connection. Slack gives up after three seconds.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a server may be silent within a transaction before the connection counts as lost.
const SILENCE: Duration = Duration::from_secs(10);

/// Begins a transaction. Its statements take milliseconds: one that takes this long waits for somebody else's lock, and a
/// client that is gone holds none for longer. Set for each transaction, since a pooler between may not keep a session's own.
const BEGIN: &str = "BEGIN; SET LOCAL statement_timeout = '5s'; \
     SET LOCAL idle_in_transaction_session_timeout = '10s'";

/// Connections to a server.
pub(super) struct Postgres {
    pool: Pool,
}

/// An open transaction.
pub(super) struct Tx {
    /// `None` once it is committed.
    client: Option<Object>,
}

impl Postgres {
    /// Makes a pool; nothing is connected yet.
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let (url, roots) = tls::of_url(url)?;
        // The error may quote the URL, and with it a password.
        let mut config: tokio_postgres::Config = url
            .parse()
            .map_err(|_| StoreError::Url("it cannot be read"))?;
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
        config.connect_timeout(PATIENCE);
        if config.get_application_name().is_none() {
            config.application_name("incident-like");
        }
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        tls::leave_out_where_local(&mut config);
        let manager = if config.get_ssl_mode() == SslMode::Disable {
            Manager::from_config(config, NoTls, recycling)
        } else {
            Manager::from_config(config, tls::connector(roots.as_deref())?, recycling)
        };
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait: Some(PATIENCE),
                create: Some(PATIENCE),
                recycle: Some(PATIENCE),
            })
            .build()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Self { pool })
    }

    pub(super) async fn begin(&self) -> Result<Tx, StoreError> {
        let client = self.pool.get().await?;
        let tx = Tx {
            client: Some(client),
        };
        tx.client()?.batch_execute(BEGIN).await?;
        Ok(tx)
    }
}

impl Tx {
    fn client(&self) -> Result<&Object, StoreError> {
        let over = || StoreError::Unavailable("the transaction is over".to_owned());
        self.client.as_ref().ok_or_else(over)
    }

    pub(super) async fn rows(
        &mut self,
        sql: &str,
        params: &[Param],
    ) -> Result<Vec<Row>, StoreError> {
        let client = self.client()?;
        let statement = client.prepare_cached(&locking(sql)).await?;
        let rows = client.query(&statement, &values(params)).await?;
        rows.iter()
            .map(|row| {
                let cells = row.columns().iter().enumerate().map(|(at, column)| {
                    Ok(match *column.type_() {
                        Type::INT8 => row.try_get::<_, Option<i64>>(at)?.map(Cell::Int),
                        Type::INT4 => row
                            .try_get::<_, Option<i32>>(at)?
                            .map(|value| Cell::Int(value.into())),
                        _ => row.try_get::<_, Option<String>>(at)?.map(Cell::Text),
                    }
                    .unwrap_or(Cell::Null))
                });
                Ok(Row::new(
                    cells.collect::<Result<_, tokio_postgres::Error>>()?,
                ))
            })
            .collect()
    }

    pub(super) async fn run(&mut self, sql: &str, params: &[Param]) -> Result<u64, StoreError> {
        let client = self.client()?;
        let statement = client.prepare_cached(&locking(sql)).await?;
        Ok(client.execute(&statement, &values(params)).await?)
    }

    pub(super) async fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.client()?.batch_execute(sql).await?)
    }

    pub(super) async fn roll_back(mut self) -> Result<(), StoreError> {
        self.client()?.batch_execute("ROLLBACK").await?;
        self.client = None;
        Ok(())
    }

    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        self.client()?.batch_execute("COMMIT").await?;
        self.client = None;
        Ok(())
    }
}

impl Drop for Tx {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            // Closing the connection rolls back, whatever state it is in.
            drop(Object::take(client));
        }
    }
}

fn locking(sql: &str) -> String {
    sql.replace(LOCK, "FOR UPDATE SKIP LOCKED")
}

fn values(params: &[Param]) -> Vec<&(dyn ToSql + Sync)> {
    params
        .iter()
        .map(|param| -> &(dyn ToSql + Sync) {
            match param {
                Param::Int(value) => value,
                Param::Text(value) => value,
                Param::NoInt => &None::<i64>,
                Param::NoText => &None::<&str>,
            }
        })
        .collect()
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        // A server's message may quote values; its code does not.
        if let Some(error) = error.as_db_error() {
            return Self::Unavailable(format!("PostgreSQL error {}", error.code().code()));
        }
        let cause = error.source().map(|cause| format!(": {cause}"));
        Self::Unavailable(format!("{error}{}", cause.unwrap_or_default()))
    }
}

impl From<PoolError> for StoreError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => error.into(),
            error => Self::Unavailable(error.to_string()),
        }
    }
}
