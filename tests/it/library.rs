//! What people and programs browse: lists, topics, the graph and the figures, over the bundled corpus.

use std::collections::BTreeSet;

use incident_like::{
    corpus::{CaseId, Facet, Lang},
    library::{Answer, Drawing, FilterNames, Filters, Lookup, NODE_LIMIT, Node, Order, Scope},
};

use crate::corpus::BUNDLED;

fn filters(facet: Facet, slug: &str) -> Filters {
    Filters {
        terms: vec![BUNDLED.term(facet, slug).expect("a known term")],
        ..Filters::default()
    }
}

#[test]
fn lists_follow_their_order_and_count_all_that_was_found() {
    let everything = Filters::default();
    let mut seen = BTreeSet::new();
    let total = BUNDLED.list(&everything, Order::Newest, 0, 1).total;
    for offset in (0..total).step_by(100) {
        let page = BUNDLED.list(&everything, Order::Newest, offset, 100);
        assert!(page.cases.is_sorted_by(|a, b| a.date >= b.date));
        seen.extend(page.cases.iter().map(|case| case.id.clone()));
        let organisations: usize = page.named.organisations.iter().map(|own| own.count).sum();
        assert_eq!(organisations, total);
        assert!(page.named.years.is_sorted_by(|a, b| a.year > b.year));
    }
    assert_eq!(seen.len(), total);
    let longest = BUNDLED.list(&everything, Order::Longest, 0, 20).cases;
    assert!(longest.is_sorted_by(|a, b| a.time_to_recover >= b.time_to_recover));
    let oldest = BUNDLED.list(&everything, Order::Oldest, 0, 20).cases;
    assert!(oldest.is_sorted_by(|a, b| a.date <= b.date));
}

#[test]
fn a_list_says_what_is_most_frequent_in_it() {
    let list = BUNDLED.list(&filters(Facet::Component, "etcd"), Order::Newest, 0, 5);
    let most = BUNDLED.most_frequent(&list.facets, Facet::Component, 2);
    assert_eq!(most.len(), 2);
    assert_eq!(most[0].count, list.total, "all of them have etcd");
    let lookup = Lookup {
        filters: filters(Facet::Component, "etcd"),
        ..Lookup::new("")
    };
    let answer = BUNDLED.lookup(&lookup);
    assert_eq!(answer.facets, list.facets);
    assert_eq!(answer.named, list.named);
}

#[test]
fn a_topic_says_what_goes_together_and_quotes_what_was_learned() {
    let term = BUNDLED.term(Facet::Symptom, "timeouts").expect("a term");
    let topic = BUNDLED.topic(term);
    assert_eq!(topic.cases.len(), BUNDLED.count(term));
    for (facet, together) in &topic.together {
        assert!(together.is_sorted_by(|a, b| a.count >= b.count), "{facet}");
        assert!(together.iter().all(|other| other.term != term));
        assert!(
            together
                .iter()
                .all(|other| other.lift > 0.0 && other.share <= 1.0)
        );
    }
    for (name, learned) in [
        ("lessons", &topic.lessons),
        ("follow-ups", &topic.follow_ups),
    ] {
        assert!(learned.len() > 3, "{name}");
        let themed = learned.iter().filter(|group| group.theme.is_some());
        assert!(
            themed
                .clone()
                .collect::<Vec<_>>()
                .is_sorted_by(|a, b| a.cases >= b.cases)
        );
        let all: usize = learned.iter().map(|group| group.texts.len()).sum();
        let themed: usize = themed.map(|group| group.texts.len()).sum();
        assert!(
            themed * 10 > all * 8,
            "{name}: {themed} of {all} have a theme"
        );
    }
    for text in topic.lessons.iter().flat_map(|group| &group.texts) {
        assert_eq!(text.case.lessons[text.place], text.text);
    }
    for text in topic.follow_ups.iter().flat_map(|group| &group.texts) {
        assert_eq!(text.case.follow_ups[text.place].text, text.text);
    }
}

#[test]
fn unknown_terms_come_with_the_nearest() {
    let nearest = |facet, name| BUNDLED.term(facet, name).expect_err("unknown").nearest;
    assert_eq!(nearest(Facet::Component, "ectd")[0], "etcd");
    assert_eq!(
        nearest(Facet::Component, "인그레스")[0],
        "ingress-controller"
    );
    assert!(nearest(Facet::Symptom, "timeout").contains(&"timeouts".to_owned()));
    assert!(nearest(Facet::Cause, "qqqqqqqqqqqqqq").is_empty());
}

#[test]
fn a_graph_is_bounded_sound_and_always_the_same() {
    let everything = Scope::Found(Filters::default());
    let around_case = Scope::Around("IL-0493".parse::<CaseId>().expect("an id"));
    let around_term = Scope::Found(filters(Facet::Component, "etcd"));
    for (scope, cases, nodes) in [
        (&everything, false, 60),
        (&everything, true, 150),
        (&everything, false, 10_000),
        (&everything, true, 1),
        (&everything, true, 0),
        (&around_term, true, 80),
        (&around_case, false, 60),
    ] {
        let drawing = Drawing {
            cases,
            nodes,
            ..Drawing::default()
        };
        let graph = BUNDLED.graph(scope, &drawing).expect("the case is there");
        assert_eq!(BUNDLED.graph(scope, &drawing), Ok(graph.clone()));
        assert!(graph.nodes.len() <= nodes.min(NODE_LIMIT));
        for edge in &graph.edges {
            assert!(edge.from < edge.to && edge.to < graph.nodes.len() && edge.count > 0);
        }
        let pairs: BTreeSet<_> = graph
            .edges
            .iter()
            .map(|edge| (edge.from, edge.to))
            .collect();
        assert_eq!(pairs.len(), graph.edges.len(), "no edge stands twice");
        let with_cases = graph.nodes.iter().any(|node| matches!(node, Node::Case(_)));
        assert_eq!(with_cases, nodes > 1 && (cases || *scope == around_case));
    }
    let unknown = Scope::Around("IL-99999999".parse().expect("an id"));
    assert!(BUNDLED.graph(&unknown, &Drawing::default()).is_err());
}

#[test]
fn the_figures_add_up() {
    let stats = BUNDLED.stats(&Filters::default());
    let published = BUNDLED
        .corpus()
        .cases()
        .iter()
        .filter(|case| case.is_published());
    assert_eq!(stats.cases, published.count());
    assert_eq!(stats.own, 0);
    assert!(stats.languages.contains(&(Lang::Ko, stats.cases)));
    let recover = stats.time_to_recover.expect("some are known");
    let by_cause: usize = stats
        .recover_by_cause
        .iter()
        .map(|(_, own)| own.known)
        .sum();
    assert!(recover.lower_quartile <= recover.median && recover.median <= recover.upper_quartile);
    assert!(by_cause >= recover.known, "a case has one cause or two");
    assert!(stats.sources.iter().map(|(_, count)| count).sum::<usize>() >= stats.cases);
}

#[test]
fn tags_are_found_without_regard_to_case() {
    let names = FilterNames {
        tags: vec!["Kubernetes".to_owned()],
        ..FilterNames::default()
    };
    let filters = Filters::parse(&BUNDLED, &names).expect("there is such a tag");
    assert_eq!(filters.tags, ["kubernetes"]);
    assert!(BUNDLED.list(&filters, Order::Newest, 0, 5).total > 0);
}

/// Every n-th of the gold questions.
fn questions(step: usize) -> Vec<String> {
    let texts = [
        include_str!("../relevance/queries-a.toml"),
        include_str!("../relevance/queries-b.toml"),
    ];
    let mut questions = Vec::new();
    for text in texts {
        let set: toml::Table = text.parse().expect("TOML");
        let queries = set["query"].as_array().expect("questions").iter();
        let texts = queries.filter_map(|query| query["text"].as_str());
        questions.extend(texts.step_by(step).map(str::to_owned));
    }
    questions
}

/// Returns each way to narrow an answer by what it counts, with that count.
fn ways_to_narrow(filters: &Filters, answer: &Answer) -> Vec<(Filters, usize)> {
    let mut ways = Vec::new();
    let mut way = |change: &dyn Fn(&mut Filters), count| {
        let mut narrower = filters.clone();
        change(&mut narrower);
        ways.push((narrower, count));
    };
    for own in &answer.facets {
        way(&|filters| filters.terms.push(own.term), own.count);
    }
    for own in &answer.named.organisations {
        let name = Some(own.name.to_string());
        way(&|filters| filters.organisation.clone_from(&name), own.count);
    }
    for own in &answer.named.tags {
        way(
            &|filters| filters.tags.push(own.name.to_string()),
            own.count,
        );
    }
    for own in &answer.named.years {
        let set = |filters: &mut Filters| {
            filters.since = Some(own.year);
            filters.until = Some(own.year);
        };
        way(&set, own.count);
    }
    ways
}

#[test]
fn narrowing_by_what_is_counted_gives_as_many_as_were_counted() {
    let found = |text: &str, filters: &Filters| {
        BUNDLED.lookup(&Lookup {
            filters: filters.clone(),
            limit: 0,
            ..Lookup::new(text)
        })
    };
    let mut checked = 0;
    // A component that few questions are about: the best cases that have it are answers all the same.
    let rare = filters(Facet::Component, "blockchain-node");
    for text in &questions(24) {
        for start in [&Filters::default(), &rare] {
            let answer = found(text, start);
            let ways = ways_to_narrow(start, &answer);
            for (narrower, count) in &ways {
                let total = found(text, narrower).total;
                assert_eq!(total, *count, "{text} narrowed to {narrower:?}");
                checked += 1;
            }
            // And once more, from one of them.
            let Some((narrower, _)) = ways.get(ways.len() / 3) else {
                continue;
            };
            let answer = found(text, narrower);
            for (narrowest, count) in ways_to_narrow(narrower, &answer).iter().step_by(5) {
                let total = found(text, narrowest).total;
                assert_eq!(total, *count, "{text} narrowed to {narrowest:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn a_filter_that_nothing_close_passes_still_gets_the_best_that_does() {
    let text = "etcd timeouts, the Kubernetes API server is slow after an upgrade";
    let all = BUNDLED.lookup(&Lookup::new(text));
    let close: Vec<_> = all.facets.iter().map(|own| own.term).collect();
    let vocabulary = BUNDLED.corpus().vocabulary();
    let far = vocabulary.iter().map(|(term, _)| term);
    let far = far.filter(|term| !close.contains(term) && BUNDLED.count(*term) > 3);
    let narrowed = far.map(|term| {
        let lookup = Lookup {
            filters: Filters {
                terms: vec![term],
                ..Filters::default()
            },
            ..Lookup::new(text)
        };
        BUNDLED.lookup(&lookup)
    });
    let best = all.precedents[0].score;
    let leads: Vec<f32> = narrowed
        .filter_map(|answer| Some(answer.precedents.first()?.score))
        .collect();
    assert!(!leads.is_empty());
    assert!(leads.iter().all(|score| *score < best / 2.0), "{leads:?}");
}
