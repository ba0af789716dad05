//! The store, each check on every engine: SQLite in memory and on disk, and PostgreSQL where
//! `INCIDENT_LIKE_TEST_POSTGRES` names a server.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use incident_like::{
    slack::{
        inbound::{Place, Post, Tenant},
        watch::{EDITS, Phase, Said, WINDOW},
    },
    store::{
        Begun, Change, Claim, Delivery, Installation, Leased, Mark, Moment, NewJob, Pace, Recorded,
        Removal, Renewed, Retention, Scope, Sealed, Standing, Store, StoreError, Tally, Verdict,
    },
};

const NOW: Moment = Moment(1_800_000_000_000);
const LEASE: Duration = Duration::from_secs(10);
const SECOND: Duration = Duration::from_secs(1);
const PACE: Pace = Pace {
    channel: SECOND,
    workspace: Duration::ZERO,
};

fn at(seconds: u64) -> Moment {
    NOW.after(Duration::from_secs(seconds))
}

fn place(channel: &str) -> Place {
    Place {
        team: "T1".to_owned(),
        channel: channel.into(),
    }
}

fn post(ts: &str, text: &str) -> Post {
    Post {
        ts: ts.into(),
        thread: None,
        user: Some("U1".into()),
        bot: None,
        foreign: false,
        text: text.to_owned(),
    }
}

fn job(key: &str, due: Moment) -> NewJob {
    NewJob {
        key: key.to_owned(),
        kind: "look",
        payload: format!("payload of {key}"),
        due,
        watched: None,
    }
}

fn event(id: &str, change: Change, job: Option<NewJob>) -> Delivery {
    Delivery {
        claims: vec![claim(id, "")],
        change,
        job,
        at: NOW,
    }
}

fn claim(key: &str, holder: &str) -> Claim {
    Claim {
        key: key.to_owned(),
        holder: holder.to_owned(),
    }
}

async fn queue(store: &Store, key: &str, due: Moment) -> Recorded {
    let id = format!("event of {key}");
    let delivery = event(&id, Change::None, Some(job(key, due)));
    store.record(delivery).await.expect("the store works")
}

async fn take(store: &Store, owner: &str, now: Moment) -> Vec<Leased> {
    store
        .take(owner, 10, LEASE, now)
        .await
        .expect("the store works")
}

async fn take_one(store: &Store, owner: &str, now: Moment) -> Leased {
    let mut taken = take(store, owner, now).await;
    assert_eq!(taken.len(), 1, "{taken:?}");
    taken.remove(0)
}

/// The PostgreSQL server that the tests may use.
pub(crate) fn postgres() -> Option<String> {
    told("INCIDENT_LIKE_TEST_POSTGRES")
}

#[expect(
    clippy::disallowed_methods,
    reason = "the switches that name a server for the tests"
)]
fn told(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Makes an empty schema on the server and returns the URL that leads there.
pub(crate) async fn postgres_schema(server: &str) -> String {
    static SCHEMAS: AtomicU32 = AtomicU32::new(0);
    let number = SCHEMAS.fetch_add(1, Ordering::Relaxed);
    let name = format!("test_{}_{number}", std::process::id());
    let (client, connection) = tokio_postgres::connect(server, tokio_postgres::NoTls)
        .await
        .expect("the server of INCIDENT_LIKE_TEST_POSTGRES answers");
    let connection = tokio::spawn(connection);
    let fresh = format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}");
    client.batch_execute(&fresh).await.expect("a fresh schema");
    drop(client);
    connection.await.expect("no panic").expect("it ends well");
    let mark = if server.contains('?') { '&' } else { '?' };
    format!("{server}{mark}options=-csearch_path%3D{name}")
}

/// Runs a check on every engine.
fn check(check: impl AsyncFn(Arc<Store>)) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        check(Arc::new(Store::in_memory().await.expect("the store works"))).await;
        let folder = tempfile::tempdir().expect("a folder");
        let on_disk = Store::in_folder(folder.path())
            .await
            .expect("the store works");
        check(Arc::new(on_disk)).await;
        if let Some(server) = postgres() {
            let url = postgres_schema(&server).await;
            check(Arc::new(
                Store::in_postgres(&url).await.expect("the store works"),
            ))
            .await;
        }
    });
}

#[test]
fn an_event_is_recorded_once_with_its_job() {
    check(async |store| {
        let deliveries = (0..16).map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { queue(&store, "a", NOW).await })
        });
        let recorded = futures::future::join_all(deliveries).await;
        let queued = recorded
            .into_iter()
            .map(|recorded| recorded.expect("no panic"));
        let (queued, seen): (Vec<_>, Vec<_>) =
            queued.partition(|recorded| *recorded == Recorded::Queued);
        assert_eq!((queued.len(), seen.len()), (1, 15));
        assert!(seen.iter().all(|recorded| *recorded == Recorded::Seen));
        assert_eq!(take_one(&store, "me", NOW).await.payload, "payload of a");
    });
}

#[test]
fn a_claim_holds_for_others_and_for_a_while() {
    check(async |store| {
        let minute = Duration::from_mins(1);
        let claims = async |holder: &str, now| {
            let claim = claim("bot", holder);
            store
                .claim(&claim, minute, now)
                .await
                .expect("the store works")
        };
        assert!(claims("first", NOW).await);
        assert!(claims("first", at(1)).await, "it is its own");
        assert!(!claims("second", at(2)).await);
        assert!(claims("second", at(62)).await, "it is over");
    });
}

#[test]
fn a_job_has_one_holder_at_a_time() {
    check(async |store| {
        for at in 0..20 {
            queue(&store, &format!("job {at}"), NOW).await;
        }
        let takers = (0..8).map(|at| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { take(&store, &format!("owner {at}"), NOW).await })
        });
        let taken = futures::future::join_all(takers).await;
        let mut keys: Vec<String> = taken
            .into_iter()
            .flat_map(|taken| taken.expect("no panic"))
            .map(|job| job.lease.key)
            .collect();
        keys.sort();
        keys.dedup();
        let rest = take(&store, "last", NOW).await.len() + take(&store, "last", NOW).await.len();
        assert_eq!(keys.len() + rest, 20);
    });
}

#[test]
fn a_job_whose_holder_is_gone_is_taken_by_another() {
    check(async |store| {
        queue(&store, "a", NOW).await;
        let first = take_one(&store, "first", NOW).await;
        assert!(take(&store, "second", at(9)).await.is_empty());
        store
            .renew("first", LEASE, at(9))
            .await
            .expect("the store works");
        assert!(take(&store, "second", at(18)).await.is_empty());
        let second = take_one(&store, "second", at(20)).await;
        assert_eq!(second.attempts, 2);
        // The first is not gone but slow: it has no say any more.
        store
            .done(&first.lease, SECOND, at(20))
            .await
            .expect("the store works");
        store
            .fail(&first.lease, "slow", at(20))
            .await
            .expect("the store works");
        assert_eq!(
            store
                .begin_post(&first.lease, "p", SECOND, at(20))
                .await
                .expect("the store works"),
            Begun::Lost
        );
        assert_eq!(store.counts().await.expect("the store works").running, 1);
        store
            .done(&second.lease, SECOND, at(21))
            .await
            .expect("the store works");
        assert_eq!(store.counts().await.expect("the store works").running, 0);
    });
}

#[test]
fn what_asks_for_a_running_job_has_it_done_again() {
    check(async |store| {
        assert_eq!(queue(&store, "look", at(4)).await, Recorded::Queued);
        let more = |id: &str| event(id, Change::None, Some(job("look", at(5))));
        let again = store.record(more("Ev2")).await.expect("the store works");
        assert_eq!(again, Recorded::Noted, "it waits already");
        assert!(take(&store, "me", at(3)).await.is_empty(), "not due");
        assert_eq!(
            store.next_due().await.expect("the store works"),
            Some(at(4))
        );
        let running = take_one(&store, "me", at(4)).await;
        assert_eq!(store.next_due().await.expect("the store works"), None);
        let again = store.record(more("Ev3")).await.expect("the store works");
        assert_eq!(again, Recorded::Queued);
        let due_again = store
            .done(&running.lease, SECOND, at(6))
            .await
            .expect("the store works");
        assert!(due_again);
        let running = take_one(&store, "me", at(7)).await;
        assert_eq!((running.attempts, running.asked), (1, at(6)));
        assert!(
            !store
                .done(&running.lease, SECOND, at(8))
                .await
                .expect("the store works")
        );
        assert!(take(&store, "me", at(60)).await.is_empty());
    });
}

#[test]
fn what_failed_is_tried_later_and_not_for_ever() {
    check(async |store| {
        queue(&store, "a", NOW).await;
        let job = take_one(&store, "me", NOW).await;
        store
            .later(&job.lease, at(5), Some("slow"))
            .await
            .expect("the store works");
        assert!(take(&store, "me", at(4)).await.is_empty());
        let job = take_one(&store, "me", at(5)).await;
        assert_eq!(job.attempts, 2);
        store
            .later(&job.lease, at(6), None)
            .await
            .expect("the store works");
        let job = take_one(&store, "me", at(6)).await;
        assert_eq!(job.attempts, 2, "waiting for a turn is no failure");
        assert_eq!(queue(&store, "a", NOW).await, Recorded::Seen);
        store
            .fail(&job.lease, "gone", at(6))
            .await
            .expect("the store works");
        assert_eq!(store.counts().await.expect("the store works").failed, 1);
        assert!(take(&store, "me", at(600)).await.is_empty());
        // Another delivery is tried anew.
        assert_eq!(queue(&store, "a", at(7)).await, Recorded::Queued);
        let job = take_one(&store, "me", at(7)).await;
        assert_eq!((job.attempts, job.payload.as_str()), (1, "payload of a"));
        assert_eq!(store.counts().await.expect("the store works").failed, 0);
    });
}

#[test]
fn what_was_never_begun_can_be_taken_early() {
    check(async |store| {
        queue(&store, "debounced", at(600)).await;
        queue(&store, "failed", NOW).await;
        let failed = take_one(&store, "me", NOW).await;
        store
            .later(&failed.lease, at(600), Some("limit"))
            .await
            .expect("the store works");
        let early = store
            .take_early("me", 10, LEASE, NOW)
            .await
            .expect("the store works");
        assert_eq!(early.len(), 1);
        assert_eq!(early[0].lease.key, "debounced");
    });
}

fn looks(id: &str, change: Change, place: &Place) -> Delivery {
    let look = NewJob {
        watched: Some(place.clone()),
        ..job("look", NOW)
    };
    event(id, change, Some(look))
}

#[test]
fn only_messages_of_watched_channels_are_kept_and_only_while_they_count() {
    check(async |store| {
        let here = place("C1");
        let say = |id: &str, ts: &str| {
            let note = Change::Note(here.clone(), post(ts, "etcd slow"));
            looks(id, note, &here)
        };
        assert_eq!(
            store
                .record(say("Ev1", "1.1"))
                .await
                .expect("the store works"),
            Recorded::Nothing
        );
        let start = looks("Ev2", Change::Start(here.clone()), &here);
        assert_eq!(
            store.record(start).await.expect("the store works"),
            Recorded::Queued
        );
        assert_eq!(
            store
                .record(say("Ev1", "1.1"))
                .await
                .expect("the store works"),
            Recorded::Noted
        );
        assert_eq!(
            store
                .record(say("Ev3", "1.1"))
                .await
                .expect("the store works"),
            Recorded::Nothing,
            "known"
        );
        let history = vec![post("1.0", "first"), post("1.1", "known")];
        store
            .add_history(&here, history, NOW)
            .await
            .expect("the store works");
        let watch = store
            .watched(&here, NOW)
            .await
            .expect("the store works")
            .expect("the store works");
        let said: Vec<&str> = watch.posts.iter().map(|post| post.text.as_str()).collect();
        assert_eq!((watch.read, said), (true, vec!["first", "etcd slow"]));
        // The window ends, and another name begins it anew.
        let late = NOW.after(WINDOW);
        assert!(
            store
                .watched(&here, late)
                .await
                .expect("the store works")
                .is_none()
        );
        let days = Retention {
            records: Duration::from_hours(48),
        };
        assert_eq!(store.sweep(days, late).await.expect("the store works"), 2);
        store.watch(&here, late).await.expect("the store works");
        let watch = store
            .watched(&here, late)
            .await
            .expect("the store works")
            .expect("the store works");
        assert!(watch.posts.is_empty());
        store
            .end_watch(&here, Phase::Off, late)
            .await
            .expect("the store works");
        assert!(
            store
                .watched(&here, late)
                .await
                .expect("the store works")
                .is_none()
        );
        store.watch(&here, late).await.expect("the store works");
        let watch = store
            .watched(&here, late)
            .await
            .expect("the store works")
            .expect("the store works");
        assert!(!watch.read, "what was read is forgotten");
    });
}

#[test]
fn a_channel_holds_a_bounded_text() {
    check(async |store| {
        let here = place("C1");
        store.watch(&here, NOW).await.expect("the store works");
        let long = (0..7).map(|at| post(&format!("1.{at}"), &"가".repeat(600)));
        store
            .add_history(&here, long.collect(), NOW)
            .await
            .expect("the store works");
        let watch = store
            .watched(&here, NOW)
            .await
            .expect("the store works")
            .expect("the store works");
        let bytes: usize = watch.posts.iter().map(|post| post.text.len()).sum();
        assert!((8190..=8192).contains(&bytes), "{bytes}");
        let other = place("C2");
        store.watch(&other, NOW).await.expect("the store works");
        let many = (100..150).map(|at| post(&format!("1.{at}"), "x"));
        store
            .add_history(&other, many.collect(), NOW)
            .await
            .expect("the store works");
        let watch = store
            .watched(&other, NOW)
            .await
            .expect("the store works")
            .expect("the store works");
        assert_eq!(watch.posts.len(), 20);
    });
}

#[test]
fn a_watch_follows_its_channel() {
    check(async |store| {
        let (old, new) = (place("C1"), place("C2"));
        store.watch(&old, NOW).await.expect("the store works");
        store
            .add_history(&old, vec![post("1.0", "first")], NOW)
            .await
            .expect("the store works");
        let moved = Change::Move {
            from: old.clone(),
            to: new.clone(),
        };
        let recorded = store
            .record(looks("Ev1", moved, &new))
            .await
            .expect("the store works");
        assert_eq!(recorded, Recorded::Queued);
        assert!(
            store
                .watched(&old, NOW)
                .await
                .expect("the store works")
                .is_none()
        );
        let watch = store
            .watched(&new, NOW)
            .await
            .expect("the store works")
            .expect("the store works");
        assert_eq!((watch.read, watch.posts.len()), (true, 1));
    });
}

#[test]
fn a_message_is_begun_once_and_looked_for_after_a_crash() {
    check(async |store| {
        queue(&store, "a", NOW).await;
        let first = take_one(&store, "first", NOW).await.lease;
        let begin = async |lease, now| {
            store
                .begin_post(lease, "post", SECOND * 15, now)
                .await
                .expect("the store works")
        };
        assert_eq!(begin(&first, at(1)).await, Begun::Fresh);
        // The process ends here; another takes over.
        let second = take_one(&store, "second", at(11)).await.lease;
        assert_eq!(begin(&second, at(11)).await, Begun::Later(at(16)));
        assert_eq!(begin(&second, at(16)).await, Begun::Uncertain);
        store.not_made("post").await.expect("the store works");
        assert_eq!(begin(&second, at(16)).await, Begun::Fresh);
        store
            .made("post", Some("1.1"), at(17))
            .await
            .expect("the store works");
        store.not_made("post").await.expect("the store works");
        assert_eq!(begin(&second, at(17)).await, Begun::Made);
    });
}

fn said(case: &str, edits: u32) -> Said {
    Said {
        cases: vec![case.to_owned()],
        terms: vec!["component:etcd".to_owned()],
        confidence: 0.7,
        edits,
        thread: None,
    }
}

async fn standing(store: &Store, place: &Place, now: Moment) -> Option<Standing> {
    let watched = store.watched(place, now).await.expect("the store works");
    watched.and_then(|watched| watched.standing)
}

#[test]
fn a_suggestion_is_made_once_whatever_happens_to_the_name() {
    check(async |store| {
        let here = place("C1");
        store.watch(&here, NOW).await.expect("the store works");
        store
            .suggested(&here, "post", Some("1.1"), &said("IL-0001", 0), NOW)
            .await
            .expect("the store works");
        // It may change while it is of use, and no new name prolongs that.
        store.watch(&here, at(60)).await.expect("the store works");
        let stands = standing(&store, &here, at(60))
            .await
            .expect("it may change");
        assert_eq!(
            (stands.ts.as_str(), stands.said),
            ("1.1", said("IL-0001", 0))
        );
        assert_eq!(standing(&store, &here, NOW.after(WINDOW)).await, None);
        store
            .end_watch(&here, Phase::Off, NOW)
            .await
            .expect("the store works");
        store.watch(&here, NOW).await.expect("the store works");
        assert!(
            store
                .watched(&here, NOW)
                .await
                .expect("the store works")
                .is_none()
        );
    });
}

#[test]
fn a_suggestion_changes_a_few_times_and_never_when_it_is_not_known_where_it_is() {
    check(async |store| {
        let (here, other) = (place("C1"), place("C2"));
        for place in [&here, &other] {
            store.watch(place, NOW).await.expect("the store works");
        }
        for edits in 0..=EDITS {
            let key = format!("post {edits}");
            store
                .suggested(&here, &key, Some("1.1"), &said("IL-0001", edits), NOW)
                .await
                .expect("the store works");
            let may_change = standing(&store, &here, NOW).await.is_some();
            assert_eq!(may_change, edits < EDITS, "{edits}");
        }
        store
            .suggested(&other, "other", None, &said("IL-0001", 0), NOW)
            .await
            .expect("the store works");
        let watched = store.watched(&other, NOW).await.expect("the store works");
        assert!(watched.is_none());
    });
}

#[test]
fn what_a_lost_try_said_is_known() {
    check(async |store| {
        queue(&store, "job", NOW).await;
        let lease = take_one(&store, "somebody", NOW).await.lease;
        let begin = async |said: &Said, now| {
            store
                .begin_said(&lease, "post", Some(said), SECOND, now)
                .await
                .expect("the store works")
        };
        assert_eq!(begin(&said("IL-0001", 0), NOW).await, Begun::Fresh);
        assert_eq!(begin(&said("IL-0002", 0), at(5)).await, Begun::Uncertain);
        let noted = store.begun_with("post").await.expect("the store works");
        assert_eq!(noted, Some(said("IL-0001", 0)));
        store.not_made("post").await.expect("the store works");
        assert_eq!(store.begun_with("post").await, Ok(None));
    });
}

#[test]
fn a_switch_is_pressed_once_however_often_the_press_is_done() {
    check(async |store| {
        let here = Scope::Channel("T1", "C1");
        let press = async |press: &str| {
            let stands = store.switch(here, "voice", "ask", press, NOW).await;
            stands.expect("the store works")
        };
        assert_eq!(press("a").await.as_deref(), Some("ask"));
        assert_eq!(press("a").await.as_deref(), Some("ask"));
        assert_eq!(press("b").await, None);
        assert_eq!(press("b").await, None);
        let other = store.settings(Scope::Channel("T1", "C2")).await;
        assert_eq!(other.map(|set| set.len()), Ok(0));
    });
}

#[test]
fn messages_keep_their_distance() {
    check(async |store| {
        let mut leases = Vec::new();
        for name in ["a", "b", "c", "d"] {
            queue(&store, name, NOW).await;
            leases.push(take_one(&store, name, NOW).await.lease);
        }
        let (here, there) = (place("C1"), place("C2"));
        let turn = async |at: usize, place, now| {
            store
                .turn(&leases[at], place, PACE, now)
                .await
                .expect("the store works")
        };
        assert_eq!(turn(0, &here, NOW).await, None);
        assert_eq!(turn(1, &here, NOW).await, Some(at(1)));
        assert_eq!(turn(2, &here, NOW).await, Some(at(2)));
        assert_eq!(turn(3, &there, NOW).await, None);
        assert_eq!(turn(1, &here, at(1)).await, None, "its own turn");
        store
            .stop_posting(&here, at(30))
            .await
            .expect("the store works");
        assert_eq!(turn(2, &here, at(2)).await, Some(at(30)));
        assert_eq!(turn(2, &here, at(30)).await, None);
    });
}

#[test]
fn feedback_can_be_taken_back_and_counts_people() {
    check(async |store| {
        let presses = AtomicU32::new(0);
        let press = || format!("press {}", presses.fetch_add(1, Ordering::Relaxed));
        let give = async |person, verdict| {
            let mark = Mark {
                team: "T1",
                person,
                case: "IL-0001",
                about: "component:etcd",
                verdict,
            };
            store
                .give_feedback(&mark, &press(), NOW)
                .await
                .expect("the store works")
        };
        let tally = async || {
            let all = store
                .feedback("T1", "component:etcd")
                .await
                .expect("the store works");
            all.get("IL-0001").copied().unwrap_or_default()
        };
        assert_eq!(give("U1", Verdict::Helpful).await, Some(Verdict::Helpful));
        assert_eq!(give("U2", Verdict::Helpful).await, Some(Verdict::Helpful));
        assert_eq!(give("U3", Verdict::NotThis).await, Some(Verdict::NotThis));
        let counted = Tally {
            helpful: 2,
            not_this: 1,
        };
        assert_eq!(tally().await, counted);
        assert_eq!(give("U1", Verdict::NotThis).await, Some(Verdict::NotThis));
        assert_eq!(give("U3", Verdict::NotThis).await, None);
        let counted = Tally {
            helpful: 1,
            not_this: 1,
        };
        assert_eq!(tally().await, counted);
        let noted = Mark {
            team: "T1",
            person: "U2",
            case: "IL-0001",
            about: "component:etcd",
            verdict: Verdict::Helpful,
        };
        let stands = store.give_feedback(&noted, "press 1", NOW).await;
        assert_eq!(stands, Ok(Some(Verdict::Helpful)), "pressed once");
        assert_eq!(tally().await, counted);
        assert!(
            store
                .feedback("T2", "component:etcd")
                .await
                .expect("the store works")
                .is_empty()
        );
    });
}

#[test]
fn settings_belong_to_their_scope() {
    check(async |store| {
        let (all, one) = (Scope::Workspace("T1"), Scope::Channel("T1", "C1"));
        store
            .set(all, "lang", Some("ko"))
            .await
            .expect("the store works");
        store
            .set(one, "lang", Some("en"))
            .await
            .expect("the store works");
        store
            .set(one, "mode", Some("off"))
            .await
            .expect("the store works");
        store.set(one, "mode", None).await.expect("the store works");
        let of = async |scope| store.settings(scope).await.expect("the store works");
        assert_eq!(of(all).await.get("lang").map(String::as_str), Some("ko"));
        assert_eq!(of(one).await.get("lang").map(String::as_str), Some("en"));
        assert_eq!(of(one).await.len(), 1);
        assert!(of(Scope::Workspace("T2")).await.is_empty());
    });
}

#[test]
fn what_is_old_is_forgotten() {
    check(async |store| {
        queue(&store, "a", NOW).await;
        let lease = take_one(&store, "me", NOW).await.lease;
        store
            .made("post", None, NOW)
            .await
            .expect("the store works");
        store
            .watch(&place("C1"), NOW)
            .await
            .expect("the store works");
        store
            .fail(&lease, "gone", NOW)
            .await
            .expect("the store works");
        queue(&store, "b", NOW).await;
        let days = |days: u64| Retention {
            records: Duration::from_hours(24 * days),
        };
        assert_eq!(
            store
                .sweep(days(10), at(60))
                .await
                .expect("the store works"),
            0
        );
        // What waits is never swept, however old it is.
        let later = NOW.after(Duration::from_hours(24 * 11));
        assert_eq!(
            store.sweep(days(10), later).await.expect("the store works"),
            4
        );
        let counts = store.counts().await.expect("the store works");
        assert_eq!((counts.waiting, counts.failed), (1, 0));
    });
}

#[tokio::test]
async fn what_is_on_disk_outlives_the_process_and_newer_data_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::in_folder(folder.path())
        .await
        .expect("the store works");
    queue(&store, "a", NOW).await;
    drop(store);
    let store = Store::in_folder(folder.path())
        .await
        .expect("the store works");
    assert!(store.is_durable());
    // Two processes of one host may share the folder, as when one replaces the other.
    let other = Store::in_folder(folder.path())
        .await
        .expect("the store works");
    assert_eq!(take_one(&other, "other", NOW).await.lease.key, "a");
    assert!(take(&store, "me", NOW).await.is_empty());
    drop((store, other));
    let file = folder.path().join("incident-like.sqlite3");
    let connection = rusqlite::Connection::open(file).expect("the database");
    connection
        .execute("INSERT INTO schema_version (version) VALUES (999)", ())
        .expect("a newer version");
    drop(connection);
    let refused = Store::in_folder(folder.path()).await.err();
    assert_eq!(refused, Some(StoreError::Newer(999)));
}

#[tokio::test]
async fn what_was_deleted_leaves_the_disk_with_the_next_sweep() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::in_folder(folder.path())
        .await
        .expect("the store works");
    let here = place("C1");
    store.watch(&here, NOW).await.expect("the store works");
    let said = vec![post("1.0", "quetzalcoatl")];
    store
        .add_history(&here, said, NOW)
        .await
        .expect("the store works");
    let on_disk = || {
        let files = std::fs::read_dir(folder.path()).expect("the folder");
        let found = files.map(|file| {
            let bytes = std::fs::read(file.expect("a file").path()).expect("it can be read");
            bytes.windows(12).any(|part| part == b"quetzalcoatl")
        });
        found.into_iter().any(|found| found)
    };
    assert!(on_disk());
    let days = Retention {
        records: Duration::from_hours(48),
    };
    let swept = store.sweep(days, NOW.after(WINDOW)).await;
    assert_eq!(swept, Ok(1));
    assert!(!on_disk());
}

#[tokio::test]
async fn a_database_url_that_is_no_use_is_not_repeated() {
    for url in [
        "postgres://u:s3cret@host:not-a-port/db",
        "postgres://u:s3cret@127.0.0.1/db?sslkey=k",
        "postgres://u:s3cret@127.0.0.1/db?sslrootcert=none.pem&sslmode=require",
        "postgres://u:s3cret@127.0.0.1:1/db",
    ] {
        let error = Store::in_postgres(url).await.err().expect("it fails");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}

fn installation(team: &str, installed: Moment) -> Installation {
    Installation {
        tenant: Tenant::new("", team),
        sealed: Some(sealed("v1")),
        scopes: "commands".to_owned(),
        bot: "U0BOT".into(),
        installer: "U1".into(),
        at: installed,
        broken: None,
    }
}

fn sealed(version: &str) -> Sealed {
    Sealed {
        version: version.to_owned(),
        token: format!("sealed token of {version}"),
        refresh: Some("sealed".to_owned()),
        expires: Some(at(100)),
        renew: Some(at(50)),
    }
}

#[test]
fn installs_are_kept_renewed_by_one_and_end_by_time() {
    check(async |store| {
        let kept = installation("T1", NOW);
        store.install(&kept).await.expect("it is kept");
        let found = store.installation("T1").await;
        assert_eq!(found, Ok(Some(kept.clone())));
        assert_eq!(store.installation("T2").await, Ok(None));
        let tenant = &kept.tenant;
        let renewals = (0..8).map(|_| {
            let (store, tenant) = (Arc::clone(&store), tenant.clone());
            tokio::spawn(async move { store.begin_renewal(&tenant, "v1", LEASE, NOW).await })
        });
        let begun = futures::future::join_all(renewals).await;
        let begun = begun
            .into_iter()
            .filter(|begun| matches!(begun, Ok(Ok(true))));
        assert_eq!(begun.count(), 1);
        let late = at(LEASE.as_secs() + 1);
        assert_eq!(
            store.begin_renewal(tenant, "v1", LEASE, late).await,
            Ok(true)
        );
        let renewed = store.renewed(tenant, "v1", &sealed("v2")).await;
        assert_eq!(renewed, Ok(Renewed::Kept));
        let renewed = store.renewed(tenant, "v1", &sealed("v3")).await;
        assert_eq!(renewed, Ok(Renewed::Outdated));
        assert_eq!(
            store.begin_renewal(tenant, "v2", LEASE, NOW).await,
            Ok(true)
        );
        // What is told of tokens that are replaced comes too late.
        assert_eq!(
            store.break_installation(tenant, "v1", "no").await,
            Ok(false)
        );
        assert_eq!(store.break_installation(tenant, "v2", "no").await, Ok(true));
        assert_eq!(
            store.break_installation(tenant, "v2", "no").await,
            Ok(false)
        );
        let broken = store.installation("T1").await.expect("it works");
        let broken = broken.expect("it is there");
        assert_eq!(
            (broken.sealed, broken.broken.as_deref()),
            (None, Some("no"))
        );

        store
            .install(&installation("T1", at(10)))
            .await
            .expect("again");
        for removal in [Removal::Revoked, Removal::Uninstalled] {
            assert_eq!(store.remove(tenant, removal, at(9)).await, Ok(false));
        }
        assert_eq!(
            store.remove(tenant, Removal::Revoked, at(11)).await,
            Ok(true)
        );
        assert_eq!(
            store.remove(tenant, Removal::Uninstalled, at(11)).await,
            Ok(true)
        );
        assert_eq!(
            store.remove(tenant, Removal::Uninstalled, at(11)).await,
            Ok(false)
        );
        assert_eq!(store.installations().await, Ok(Vec::new()));
    });
}

#[test]
fn an_install_that_was_begun_is_taken_once_and_in_time() {
    check(async |store| {
        for state in ["a", "b"] {
            assert_eq!(store.begin_install(state, at(60), NOW).await, Ok(true));
        }
        assert_eq!(store.take_install("a", at(60)).await, Ok(true));
        assert_eq!(store.take_install("a", at(60)).await, Ok(false));
        assert_eq!(store.take_install("b", at(61)).await, Ok(false));
        assert_eq!(store.take_install("c", NOW).await, Ok(false));
    });
}

#[tokio::test]
async fn postgres_is_spoken_to_over_tls_and_only_with_a_certificate_that_can_be_trusted() {
    let authority = told("INCIDENT_LIKE_TEST_POSTGRES_CA");
    let Some((server, authority)) = postgres().zip(authority) else {
        return;
    };
    // A user whom the server takes only over an encrypted connection.
    let url = postgres_schema(&server).await;
    let url = url.replace("incident@", "encrypted@");
    let refused = async |url: String| {
        let error = Store::in_postgres(&url).await.err();
        error.expect("it is refused").to_string()
    };
    let open = |mode: &str| format!("{url}&sslmode={mode}");
    let trusting = format!("{}&sslrootcert={authority}", open("verify-full"));
    let store = Store::in_postgres(&trusting).await.expect("it is trusted");
    assert_eq!(store.counts().await.map(|counts| counts.waiting), Ok(0));
    assert!(refused(open("disable")).await.contains("28000"));
    let unknown = refused(open("require")).await;
    assert!(unknown.contains("invalid peer certificate"), "{unknown}");
    let elsewhere = trusting.replace("127.0.0.1", "localhost");
    let elsewhere = refused(elsewhere).await;
    assert!(elsewhere.contains("not valid for name"), "{elsewhere}");
}

#[tokio::test]
async fn a_lock_that_somebody_else_holds_on_postgres_is_not_waited_for_forever() {
    let Some(server) = postgres() else { return };
    let url = postgres_schema(&server).await;
    let store = Store::in_postgres(&url).await.expect("the store works");
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls)
        .await
        .expect("the server answers");
    let connection = tokio::spawn(connection);
    let lock = "BEGIN; LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE";
    client.batch_execute(lock).await.expect("it is locked");
    let waited = store.counts().await.expect_err("it is locked").to_string();
    assert!(waited.contains("57014"), "{waited}");
    drop(client);
    connection.await.expect("no panic").expect("it ends well");
    assert!(store.counts().await.is_ok());
}
