//! Figures for operators, in Prometheus's text format. Labels are words of ours, never anything that somebody wrote.

use std::time::Duration;

use prometheus_client::{
    encoding::text::encode,
    metrics::{
        counter::Counter,
        family::Family,
        gauge::Gauge,
        histogram::{Histogram, exponential_buckets},
    },
    registry::{Registry, Unit},
};

type Labels<const N: usize> = [(&'static str, &'static str); N];

/// All figures of one service.
pub struct Metrics {
    registry: Registry,
    requests: Family<Labels<2>, Counter>,
    lookups: Histogram,
    jobs_ended: Family<Labels<2>, Counter>,
    jobs: Family<Labels<1>, Gauge>,
    posts: Family<Labels<1>, Counter>,
    suggestions: Family<Labels<1>, Counter>,
    feedback: Family<Labels<1>, Counter>,
    store_errors: Counter,
    sockets: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("incident_like");
        let requests = Family::default();
        registry.register(
            "requests",
            "Requests by where they came from and what became of them",
            requests.clone(),
        );
        // 0.1 ms to 0.4 s.
        let lookups = Histogram::new(exponential_buckets(0.0001, 2.0, 13));
        registry.register_with_unit(
            "lookup",
            "How long lookups take",
            Unit::Seconds,
            lookups.clone(),
        );
        let jobs_ended = Family::default();
        registry.register(
            "jobs_ended",
            "Tries of jobs by kind and how they ended",
            jobs_ended.clone(),
        );
        let jobs = Family::default();
        registry.register("jobs", "Recorded jobs by state", jobs.clone());
        let posts = Family::default();
        registry.register(
            "posts",
            "Messages for everybody in a channel, by what became of them",
            posts.clone(),
        );
        let suggestions = Family::default();
        registry.register(
            "suggestions",
            "Looks at incident channels, by whether they led to a suggestion",
            suggestions.clone(),
        );
        let feedback = Family::default();
        registry.register(
            "feedback",
            "Verdicts on precedents, given and taken back",
            feedback.clone(),
        );
        let store_errors = Counter::default();
        registry.register(
            "store_errors",
            "Times that the store could not do what it was asked for",
            store_errors.clone(),
        );
        let sockets = Gauge::default();
        registry.register(
            "socket_connections",
            "Connections to Slack that are open, in Socket Mode",
            sockets.clone(),
        );
        Self {
            registry,
            requests,
            lookups,
            jobs_ended,
            jobs,
            posts,
            suggestions,
            feedback,
            store_errors,
            sockets,
        }
    }
}

impl Metrics {
    /// A request was answered.
    pub fn request(&self, surface: &'static str, outcome: &'static str) {
        let labels = [("surface", surface), ("outcome", outcome)];
        self.requests.get_or_create(&labels).inc();
    }

    /// A lookup took this long.
    pub fn lookup(&self, took: Duration) {
        self.lookups.observe(took.as_secs_f64());
    }

    /// A try of a job ended.
    pub fn job(&self, kind: &'static str, outcome: &'static str) {
        let labels = [("kind", kind), ("outcome", outcome)];
        self.jobs_ended.get_or_create(&labels).inc();
    }

    /// There are so many recorded jobs in a state.
    pub fn jobs(&self, state: &'static str, jobs: u64) {
        let jobs = i64::try_from(jobs).unwrap_or(i64::MAX);
        self.jobs.get_or_create(&[("state", state)]).set(jobs);
    }

    /// Slack took a message for everybody, or did not.
    pub fn post(&self, outcome: &'static str) {
        self.posts.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// A look at an incident channel led to a suggestion (`made`), or not (`silent`).
    pub fn suggestion(&self, outcome: &'static str) {
        self.suggestions
            .get_or_create(&[("outcome", outcome)])
            .inc();
    }

    /// Somebody gave a verdict on a precedent, or took it back.
    pub fn feedback(&self, verdict: &'static str) {
        self.feedback.get_or_create(&[("verdict", verdict)]).inc();
    }

    /// The store failed.
    pub fn store_error(&self) {
        self.store_errors.inc();
    }

    /// There are so many connections to Slack in Socket Mode.
    pub fn sockets(&self, connections: usize) {
        let connections = i64::try_from(connections).unwrap_or(i64::MAX);
        self.sockets.set(connections);
    }

    /// Writes all figures down.
    pub fn text(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("writing to a string cannot fail");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_as_prometheus_reads_them() {
        let metrics = Metrics::default();
        metrics.request("command", "answered");
        metrics.lookup(Duration::from_micros(300));
        metrics.jobs("waiting", 7);
        let text = metrics.text();
        for line in [
            r#"incident_like_requests_total{surface="command",outcome="answered"} 1"#,
            "incident_like_lookup_seconds_count 1",
            r#"incident_like_jobs{state="waiting"} 7"#,
            "incident_like_store_errors_total 0",
            "# EOF",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
