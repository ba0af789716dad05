//! The pages for people, as a browser without script gets them.

use incident_like::corpus::{Case, Lang, Localized, Status};
use reqwest::header::HeaderMap;

use crate::harness::{Running, TestApp, changed, run, with_cases};

/// A page as it came.
struct Got {
    status: u16,
    headers: HeaderMap,
    body: String,
}

impl Got {
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// Checks that the page holds texts.
    #[track_caller]
    fn has(&self, texts: &[&str]) -> &Self {
        for text in texts {
            assert!(self.body.contains(text), "no `{text}` in\n{}", self.body);
        }
        self
    }

    /// Checks that the page holds none of some texts.
    #[track_caller]
    fn lacks(&self, texts: &[&str]) -> &Self {
        for text in texts {
            assert!(!self.body.contains(text), "`{text}` in\n{}", self.body);
        }
        self
    }

    /// Returns what stands between two marks, each time they occur.
    fn between<'a>(&'a self, start: &str, end: &str) -> Vec<&'a str> {
        let parts = self.body.split(start).skip(1);
        parts
            .filter_map(|part| Some(part.split_once(end)?.0))
            .collect()
    }

    /// Returns the ids of the cases listed as results.
    fn found(&self) -> Vec<&str> {
        self.between("aria-labelledby=\"t-", "\"")
    }
}

/// Gets a page without being led elsewhere.
async fn get_with(app: &Running, path: &str, headers: &[(&str, &str)]) -> Got {
    let plain = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let plain = plain.build().expect("a client");
    let mut request = plain.get(format!("{}{path}", app.address));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.expect("an answer");
    Got {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        body: response.text().await.expect("a text"),
    }
}

async fn get(app: &Running, path: &str) -> Got {
    get_with(app, path, &[]).await
}

async fn page(app: &Running, path: &str) -> Got {
    let got = get(app, path).await;
    assert_eq!(got.status, 200, "{path}");
    assert_eq!(
        got.header("content-type"),
        "text/html; charset=utf-8",
        "{path}"
    );
    got
}

/// Percent-encodes a text for a query.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[test]
fn without_a_question_all_cases_are_listed_with_what_narrows_them() {
    run(TestApp::default(), async |app| {
        let home = page(app, "/").await;
        assert_eq!(home.found(), ["IL-9001", "IL-9002", "IL-9003", "IL-9004"]);
        home.has(&[
            "<html lang=\"en\">",
            "4 cases",
            "1–4 of 4",
            "All cases, newest first.",
            "When you search, the terms found in your words appear here.",
            "href=\"/?component=etcd\"",
            "href=\"/?org=Example+Two\"",
            "href=\"/?year=2021\"",
        ]);
        let narrowed = page(app, "/?component=etcd&symptom=timeouts").await;
        assert_eq!(narrowed.found(), ["IL-9001"]);
        narrowed.has(&[
            "Filters only, no search words.",
            "1–1 of 1",
            "Applied filters",
            "Clear all",
            // Each filter can be taken away by itself.
            "href=\"/?symptom=timeouts\"",
            "name=\"component\" value=\"etcd\"",
        ]);
        page(app, "/?component=etcd&cause=capacity-exhaustion")
            .await
            .has(&["0 cases", "No case has all of this."]);
    });
}

#[test]
fn a_question_is_answered_with_why() {
    run(TestApp::default(), async |app| {
        let text = "etcd timeouts and kubectl hangs, DNS is fine";
        let found = page(app, &format!("/?q={}", encoded(text))).await;
        assert_eq!(found.found().first(), Some(&"IL-9001"));
        found.has(&[
            "<mark>",
            "<span class=\"has\"><span aria-hidden=\"true\">✓</span>",
            "Recommended filters",
            // What the words name is a filter away; what they exclude is said.
            "&#38;component=etcd",
            "Left out, as you say they are fine:",
            "/incident-like etcd timeouts and kubectl hangs, DNS is fine",
            // Search engines have no business in every combination of words.
            "<meta name=\"robots\" content=\"noindex\">",
        ]);
        // A filter that is set is not recommended again; an id finds its case alone.
        page(app, "/?q=etcd&component=etcd")
            .await
            .lacks(&["Recommended filters"]);
        let one = page(app, "/?q=il-9003").await;
        assert_eq!(one.found(), ["IL-9003"]);
        // Only the changing part, for the script.
        let part = page(app, &format!("/results?q={}", encoded(text))).await;
        assert_eq!(part.found(), found.found());
        part.lacks(&["<html", "<header"]);
    });
}

#[test]
fn what_somebody_types_stays_text() {
    run(TestApp::default(), async |app| {
        let evil = "\"><script>alert(1)</script>";
        for path in [
            "/?q=",
            "/results?q=",
            "/?org=",
            "/graph?component=",
            "/cases/",
            "/topics/cause/",
        ] {
            let got = get(app, &format!("{path}{}", encoded(evil))).await;
            got.lacks(&["<script>alert"]);
        }
    });
}

#[test]
fn the_language_is_the_browsers_or_the_chosen_one() {
    run(TestApp::default(), async |app| {
        let browser = [("accept-language", "ko-KR,ko;q=0.9,en;q=0.8")];
        let korean = get_with(app, "/cases/IL-9001", &browser).await;
        korean.has(&[
            "<html lang=\"ko\">",
            "느린 디스크 때문에 etcd가",
            // Links leave the browser's language alone.
            "href=\"/topics/component/etcd\"",
        ]);
        // The cases of the test are an operator's own: no search engine is told of them.
        korean
            .has(&["<meta name=\"robots\" content=\"noindex\">"])
            .lacks(&["rel=\"canonical\""]);
        page(app, "/topics").await.has(&[
            &format!("rel=\"canonical\" href=\"{}/topics?lang=en\"", app.address),
            &format!("hreflang=\"ko\" href=\"{}/topics?lang=ko\"", app.address),
            &format!("hreflang=\"x-default\" href=\"{}/topics\"", app.address),
        ]);
        assert!(korean.header("vary").contains("accept-language"));
        let chosen = get_with(app, "/cases/IL-9001?lang=en", &browser).await;
        chosen.has(&[
            "<html lang=\"en\">",
            "Slow disk stalls etcd",
            // A chosen language stays chosen.
            "href=\"/topics/component/etcd?lang=en\"",
            "href=\"/cases/IL-9001?lang=ko\"",
        ]);
        let switched = page(app, "/?q=etcd&component=etcd&lang=ko").await;
        switched.has(&[
            "href=\"/?q=etcd&#38;component=etcd&#38;lang=en\"",
            "name=\"lang\" value=\"ko\"",
        ]);
    });
}

#[test]
fn a_case_is_shown_whole() {
    run(TestApp::default(), async |app| {
        let case = page(app, "/cases/IL-9001").await;
        case.has(&[
            "<h1>Slow disk stalls etcd and the Kubernetes API server times out</h1>",
            "Example One",
            "2021-03-09",
            "Severity</dt><dd>–",
            "Time to recover</dt><dd>–",
            "etcdserver: request timed out",
            "A failing disk slowed every write.",
            "Moved etcd to a healthy disk.",
            "ended it",
            "Alert on fsync latency",
            "https://example.com/il-9001",
            "postmortem",
            "/incident-like IL-9001",
            "/incident-like similar IL-9001",
            "/cases/IL-9001.json",
            "/cases/IL-9001/similar.json",
            "/mcp",
        ]);
        let data = case.between("<script type=\"application/ld+json\">", "</script>");
        let data: serde_json::Value = serde_json::from_str(data[0]).expect("JSON");
        assert_eq!(data["identifier"], "IL-9001");
        assert_eq!(data["isBasedOn"][0], "https://example.com/il-9001");
        let brief = page(app, "/cases/IL-9001/brief").await;
        brief
            .has(&["Moved etcd to a healthy disk."])
            .lacks(&["<html"]);
    });
}

#[test]
fn topics_and_the_graph_lead_on() {
    run(TestApp::default(), async |app| {
        page(app, "/topics")
            .await
            .has(&["href=\"/topics/component/etcd\""]);
        page(app, "/topics/component/etcd").await.has(&[
            "<h1>etcd</h1>",
            "1 case",
            "href=\"/cases/IL-9001\"",
            "href=\"/topics/cause/hardware-failure\"",
            "Alert on fsync latency",
            "href=\"/graph?component=etcd\"",
            "href=\"/?component=etcd\"",
        ]);
        // Names of other terms in a definition are links.
        page(app, "/topics/cause/software-defect?lang=en")
            .await
            .has(&["<a href=\"/topics/cause/deployment-defect?lang=en\">deployment defect</a>"]);
        page(app, "/topics/symptom/timeouts")
            .await
            .has(&["What usually causes this"]);
        let graph = page(app, "/graph").await;
        graph.has(&[
            "href=\"/graph?component=etcd\"",
            "data-name=\"etcd\"",
            "The same as a list",
        ]);
        page(app, "/graph?hide=component")
            .await
            .lacks(&["data-name=\"etcd\""])
            .has(&["href=\"/graph\""]);
        page(app, "/graph?component=etcd&cases=1")
            .await
            .has(&[
                "Around etcd",
                "data-name=\"IL-9001 ",
                "class=\"component centre\"",
            ])
            .lacks(&["data-name=\"IL-9002 "]);
        page(app, "/graph?case=IL-9001")
            .await
            .has(&["class=\"case centre\""]);
        page(app, "/stats")
            .await
            .has(&["Cases by year", "<rect", "href=\"/?year=2021\""]);
    });
}

#[test]
fn what_is_not_there_is_looked_for() {
    run(TestApp::default(), async |app| {
        for (path, status, says) in [
            ("/etcd/request-timed-out", 404, "href=\"/cases/IL-9001\""),
            ("/cases/IL-4242", 404, "There is no such case: IL-4242"),
            ("/cases/nonsense", 404, "There is no such case: nonsense"),
            ("/cases/IL9001", 404, "href=\"/cases/IL-9001\""),
            ("/cases/9001", 404, "href=\"/cases/IL-9001\""),
            (
                "/topics/component/etdc",
                404,
                "href=\"/topics/component/etcd\"",
            ),
            (
                "/topics/components/etcd",
                404,
                "href=\"/topics/component/etcd\"",
            ),
            (
                "/?component=etdc&q=x",
                400,
                "href=\"/?q=x&#38;component=etcd\"",
            ),
            ("/?tag=nonsense", 400, "No such filter value: nonsense"),
            ("/?year=abc", 400, "No such filter value: abc"),
            ("/results?symptom=nonsense", 400, "No such filter value"),
            ("/graph?case=IL-4242", 404, "There is no such case"),
            ("/graph?case=%22", 404, "There is no such case"),
        ] {
            let got = get(app, path).await;
            assert_eq!(got.status, status, "{path}");
            got.has(&[says, "<form"]);
        }
        let long = format!("/?q={}", "a".repeat(2_001));
        assert_eq!(get(app, &long).await.status, 400);
        // Pages beyond the end are empty, not broken.
        for page_number in ["7", "999999999", "-1", "x"] {
            page(app, &format!("/?page={page_number}")).await;
        }
    });
}

#[test]
fn the_feed_stays_xml_whatever_a_title_holds() {
    let unclean = changed(|case| {
        case.title = Localized::both("a\u{1}b\u{1b}[31m\u{fffe} <&> \u{1f525}", "가\u{0}나");
        "\u{8}Example".clone_into(&mut case.organisation);
    });
    let setup = TestApp {
        library: Some(unclean),
        ..TestApp::default()
    };
    run(setup, async |app| {
        for path in ["/feed.xml?lang=en", "/feed.xml?lang=ko", "/sitemap.xml"] {
            let feed = get(app, path).await;
            // What XML 1.0 calls a `Char`.
            let allowed = |c| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
            assert!(feed.body.chars().all(allowed), "{}", feed.body);
        }
        let feed = get(app, "/feed.xml?lang=en").await;
        feed.has(&["a b [31m  &#60;&#38;&#62; \u{1f525}"]);
    });
}

#[test]
fn feed_and_maps_are_for_programs() {
    run(TestApp::default(), async |app| {
        let feed = get(app, "/feed.xml?lang=ko").await;
        assert_eq!(
            feed.header("content-type"),
            "application/atom+xml; charset=utf-8"
        );
        feed.has(&["xml:lang=\"ko\"", "느린 디스크", "<updated>20"]);
        assert_eq!(feed.between("<entry>", "</entry>").len(), 4);
        let map = get(app, "/sitemap.xml").await;
        map.has(&[
            &format!("<loc>{}/topics/component/etcd?lang=en</loc>", app.address),
            "/topics/component/etcd?lang=ko",
        ]);
        map.lacks(&["IL-9001"]);
        get(app, "/robots.txt")
            .await
            .has(&[&format!("Sitemap: {}/sitemap.xml", app.address)]);
    });
}

#[test]
fn pages_allow_nothing_foreign_and_are_kept_until_they_change() {
    run(TestApp::default(), async |app| {
        let home = page(app, "/").await;
        let policy = home.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(home.header("x-content-type-options"), "nosniff");
        assert_eq!(home.header("referrer-policy"), "same-origin");
        home.lacks(&[" style=\"", " onclick", "<style", "javascript:"]);
        let tag = home.header("etag").to_owned();
        for known in [
            tag.clone(),
            tag.trim_start_matches("W/").to_owned(),
            format!("\"other\", {tag}"),
            "*".to_owned(),
        ] {
            let again = get_with(app, "/", &[("if-none-match", &known)]).await;
            assert_eq!((again.status, again.body.as_str()), (304, ""), "{known}");
            assert_eq!(again.header("etag"), tag);
        }
        let other = [("if-none-match", "\"other\"")];
        assert_eq!(get_with(app, "/", &other).await.status, 200);
        // Style and script are kept for ever under an address that holds their digest.
        for name in ["site.css", "site.js"] {
            let path = home.between("\"/assets/", "\"");
            let path = path
                .iter()
                .find(|path| path.ends_with(name))
                .expect("it is linked");
            let asset = get(app, &format!("/assets/{path}")).await;
            assert_eq!(asset.status, 200);
            assert!(asset.header("cache-control").contains("immutable"));
        }
        assert_eq!(get(app, "/assets/000000000000-site.css").await.status, 404);
        let packed = get_with(app, "/", &[("accept-encoding", "br")]).await;
        assert_eq!(packed.header("content-encoding"), "br");
    });
}

#[test]
fn where_the_api_is_off_there_are_no_pages() {
    let setup = TestApp {
        api: Some(false),
        ..TestApp::default()
    };
    run(setup, async |app| {
        for path in [
            "/",
            "/results?q=etcd",
            "/cases/IL-9001",
            "/cases/IL-9001/brief",
            "/topics",
            "/graph",
            "/stats",
            "/feed.xml",
            "/sitemap.xml",
            "/etcd",
        ] {
            let got = get(app, path).await;
            assert_eq!((got.status, got.body.as_str()), (404, ""), "{path}");
        }
    });
}

#[test]
fn who_asks_too_often_is_told_when_to_come_again() {
    let setup = TestApp {
        api_rate: 2,
        ..TestApp::default()
    };
    run(setup, async |app| {
        let home = page(app, "/").await;
        page(app, "/results?q=etcd").await;
        let refused = get(app, "/results?q=etcd").await;
        assert_eq!(refused.status, 429);
        assert!(refused.header("retry-after").parse::<u64>().is_ok());
        // A browser gets it in its own language, a program as JSON.
        let browser = [
            ("accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
            ("accept-language", "ko"),
        ];
        let refused = get_with(app, "/stats", &browser).await;
        assert_eq!(refused.status, 429);
        refused.has(&["<html lang=\"ko\">", "요청이 너무 많습니다", "초 뒤에"]);
        let refused = get_with(app, "/stats", &[("accept", "application/json")]).await;
        assert_eq!(refused.header("content-type"), "application/problem+json");
        assert!(refused.header("retry-after").parse::<u64>().is_ok());
        // What a page needs still comes.
        let style = home.between("\"/assets/", "\"");
        let path = style.first().expect("it is linked");
        assert_eq!(get(app, &format!("/assets/{path}")).await.status, 200);
    });
}

#[test]
fn each_page_has_one_address() {
    run(TestApp::default(), async |app| {
        for (path, place) in [
            ("/cases/il-9001?lang=ko", "/cases/IL-9001?lang=ko"),
            ("/cases/IL-9001/", "/cases/IL-9001"),
            (
                "/cases/IL-9001/similar?limit=3",
                "/cases/IL-9001/similar.json?limit=3",
            ),
            ("/topics/", "/topics"),
            (
                "/topics/component/ETCD/?lang=en",
                "/topics/component/etcd?lang=en",
            ),
            ("/graph/?component=etcd", "/graph?component=etcd"),
            ("/api/", "/api"),
            ("//evil.example/", "/evil.example"),
        ] {
            let led = get(app, path).await;
            assert_eq!((led.status, led.header("location")), (308, place), "{path}");
            let there = get(app, place).await;
            let expect = if place.contains("evil") { 404 } else { 200 };
            assert_eq!(there.status, expect, "{place}");
        }
    });
}

#[test]
fn what_pages_refuse_programs_read_as_json() {
    run(TestApp::default(), async |app| {
        let json = [("accept", "application/json")];
        for (path, status, nearest) in [
            ("/cases/IL-4242", 404, None),
            ("/cases/IL-09003", 404, Some("IL-9003")),
            ("/topics/component/etdc", 404, Some("component/etcd")),
            ("/?component=etdc", 400, Some("etcd")),
            ("/nothing", 404, None),
        ] {
            let got = get_with(app, path, &json).await;
            assert_eq!(got.status, status, "{path}");
            assert_eq!(got.header("content-type"), "application/problem+json");
            let problem: serde_json::Value = serde_json::from_str(&got.body).expect("JSON");
            assert_eq!(problem["status"], status);
            assert_eq!(problem["nearest"][0].as_str(), nearest, "{path}");
            assert!(!problem["hint"].as_str().unwrap_or_default().is_empty());
        }
        let wrong = app.http.post(format!("{}/stats", app.address));
        let wrong = wrong.header("accept-language", "ko").send().await;
        let wrong = wrong.expect("an answer");
        assert_eq!(wrong.status().as_u16(), 405);
        assert!(
            wrong.headers()["allow"]
                .to_str()
                .is_ok_and(|own| own.contains("GET"))
        );
        let wrong = wrong.text().await.expect("a text");
        assert!(wrong.contains("GET 요청에만"), "{wrong}");
    });
}

#[test]
fn a_case_that_was_replaced_leads_on_and_says_nothing_of_others_cases() {
    let library = changed(|case| match case.id.as_str() {
        "IL-9001" => {
            case.status = Status::Withdrawn;
            case.superseded_by = Some("IL-9002".parse().expect("an id"));
        }
        "IL-9002" => case.superseded_by = Some("IL-9003".parse().expect("an id")),
        // Everybody's case whose successor is not for everybody.
        "IL-9004" => case.superseded_by = Some("IL-9005".parse().expect("an id")),
        _ => {}
    });
    let secret = Case {
        id: "IL-9005".parse().expect("an id"),
        audience: "workspace:T1".parse().expect("an audience"),
        ..Case::clone(&library.corpus().cases()[0])
    };
    let draft = Case {
        id: "IL-9006".parse().expect("an id"),
        status: Status::Draft,
        ..Case::clone(&library.corpus().cases()[1])
    };
    let cases = library.corpus().cases().iter();
    let cases = cases.map(|case| Case::clone(case)).chain([secret, draft]);
    let setup = TestApp {
        library: Some(with_cases(&library, cases)),
        ..TestApp::default()
    };
    run(setup, async |app| {
        let gone = get(app, "/cases/IL-9001").await;
        assert_eq!(gone.status, 410);
        // The last one in the row.
        gone.has(&["This case was withdrawn.", "href=\"/cases/IL-9003\""])
            .lacks(&["href=\"/cases/IL-9002\""]);
        let program = get_with(app, "/cases/IL-9001", &[("accept", "application/json")]).await;
        assert_eq!(program.status, 410);
        program.has(&["\"nearest\":[\"IL-9003\"]"]);
        page(app, "/cases/IL-9002")
            .await
            .has(&["A newer record", "href=\"/cases/IL-9003\""]);
        get(app, "/cases/IL-9002.json")
            .await
            .has(&["\"superseded_by\":\"IL-9003\""]);
        for path in [
            "/cases/IL-9004",
            "/cases/IL-9004.json",
            "/cases/IL-9004/similar.json",
        ] {
            let got = get(app, path).await;
            assert_eq!(got.status, 200, "{path}");
            got.lacks(&["IL-9005", "A newer record"]);
        }
        // Neither a case for others nor a draft is known to be there.
        for id in ["IL-9005", "IL-9006"] {
            assert_eq!(get(app, &format!("/cases/{id}")).await.status, 404);
        }
        for path in [
            "/",
            "/?component=etcd",
            "/stats",
            "/graph?cases=1",
            "/sitemap.xml",
            "/feed.xml",
        ] {
            get(app, path).await.lacks(&["IL-9005", "IL-9006"]);
        }
    });
}

#[test]
fn a_text_in_the_other_language_says_so() {
    let korean = changed(|case| *case = case.only(Lang::Ko));
    let setup = TestApp {
        library: Some(korean),
        ..TestApp::default()
    };
    run(setup, async |app| {
        let english = page(app, "/cases/IL-9001?lang=en").await;
        english.has(&["<h1 lang=\"ko\">", "<p lang=\"ko\">", "<span lang=\"ko\">"]);
        page(app, "/cases/IL-9001?lang=ko")
            .await
            .lacks(&["<h1 lang=", "<p lang=", "<span lang="]);
        page(app, "/?q=etcd&lang=en")
            .await
            .has(&["<h3 id=\"t-IL-9001\" lang=\"ko\">", "<span lang=\"ko\">"]);
        page(app, "/topics/component/etcd?lang=en")
            .await
            .has(&["<h3 lang=\"ko\">"]);
        get(app, "/feed.xml?lang=en")
            .await
            .has(&["<title xml:lang=\"ko\">"]);
    });
}

#[test]
fn a_list_is_drawn_and_the_graph_finds_names() {
    run(TestApp::default(), async |app| {
        page(app, "/").await.lacks(&["class=\"mini\""]);
        let list = page(app, "/?symptom=timeouts").await;
        let drawn = list.between("<section class=\"mini\"", "</section>");
        if list.found().len() > 1 {
            let drawn = drawn.first().expect("a picture");
            assert!(drawn.contains("<rect") && drawn.contains("href=\"/graph?symptom=timeouts\""));
        }
        let found = page(app, "/?q=etcd+timeouts+disk").await;
        let large = "/graph?q=etcd+timeouts+disk";
        assert!(found.found().len() < 2 || found.body.contains(large));
        page(app, large)
            .await
            .has(&["Around etcd timeouts disk", "name=\"q\""]);
        for (name, place) in [
            ("etcd", "/graph?component=etcd"),
            ("Timeouts", "/graph?symptom=timeouts"),
            ("타임아웃", "/graph?symptom=timeouts"),
            ("il-9001", "/graph?case=IL-9001"),
        ] {
            let led = get(app, &format!("/graph?find={}", encoded(name))).await;
            assert_eq!((led.status, led.header("location")), (303, place), "{name}");
        }
        page(app, "/graph?find=ectd")
            .await
            .has(&["No topic is called", "href=\"/graph?component=etcd\""]);
    });
}
