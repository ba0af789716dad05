//! The worker's one look at a clock; everything below takes the time as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::store::Moment;

#[expect(clippy::disallowed_methods, reason = "this is where time enters")]
pub(super) fn now() -> Moment {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
