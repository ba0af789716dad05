//! What a request may ask for: the parameters of each route, read strictly and described for the API's document.
//!
//! A misspelt filter must not widen the search in silence, so parameters that a route does not know are refused.

use std::{collections::BTreeMap, fmt::Display, str::FromStr};

use utoipa::IntoParams;

use super::problem::Problem;
use crate::{
    corpus::{CaseId, Facet, Lang, nearest},
    library::{Filter, FilterNames, Filters, Library, NODE_LIMIT, Order},
};

/// Longest text that is looked up, in characters. A pasted log of a hundred lines fits.
const TEXT_LIMIT: usize = 10_000;

/// Cases of a page when nothing else is asked for.
const DEFAULT_LIMIT: usize = 10;

/// Largest page.
const LIMIT: usize = 50;

/// Farthest page.
const OFFSET_LIMIT: usize = 100_000;

/// Related cases when nothing else is asked for: as many as the case page shows.
const DEFAULT_RELATED: usize = 12;

/// Years that a filter may name.
const YEAR_LIMIT: u16 = u16::MAX;

/// What narrows a search or a list. Cases must have **all** of what is named.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct FilterParameters {
    /// Slugs of causes. Repeat the parameter or put commas between them.
    cause: Option<Vec<String>>,
    /// Slugs of components.
    component: Option<Vec<String>>,
    /// Slugs of symptoms.
    symptom: Option<Vec<String>>,
    /// Slugs of contributing factors.
    factor: Option<Vec<String>>,
    /// Organisation, in full; capitals do not matter.
    org: Option<String>,
    /// Slugs of tags.
    tag: Option<Vec<String>>,
    /// The year in which it began.
    #[param(minimum = 0, maximum = 65535)]
    year: Option<u16>,
    /// First year that counts.
    #[param(minimum = 0, maximum = 65535)]
    since: Option<u16>,
    /// Last year that counts.
    #[param(minimum = 0, maximum = 65535)]
    until: Option<u16>,
}

/// The language of an answer.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LangParameters {
    /// Language of texts and labels: `en` or `ko`.
    #[param(value_type = Option<LangName>, inline)]
    pub(super) lang: Option<Lang>,
}

/// A language.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(
    dead_code,
    reason = "it describes `Lang`, which knows nothing of schemas"
)]
enum LangName {
    /// English.
    En,
    /// Korean.
    Ko,
}

/// A page of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageParameters {
    /// How many to give, up to 50; 10 when not said.
    #[param(value_type = Option<usize>, minimum = 0, maximum = 50)]
    pub(super) limit: usize,
    /// How many of the first to skip.
    #[param(value_type = Option<usize>, minimum = 0, maximum = 100_000)]
    pub(super) offset: usize,
}

/// A text.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct TextParameters {
    /// What is seen, in English, Korean or both: a sentence, an alert, a pasted log. Up to 10,000 characters, as
    /// far as the address stays below 64 KiB.
    #[param(value_type = Option<String>, max_length = 10_000)]
    pub(super) q: String,
}

/// Asks for the number of similar cases.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct SimilarParameters {
    /// How many to give, up to 50; 12 when not said.
    #[param(value_type = Option<usize>, minimum = 0, maximum = 50)]
    pub(super) limit: usize,
}

/// Asks for an order.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct OrderParameters {
    /// Order of the cases; `newest` when not said. `longest` is the time to recover.
    #[param(value_type = Option<OrderName>, inline)]
    pub(super) order: Order,
}

/// An order.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(
    dead_code,
    reason = "it describes `Order`, which knows nothing of schemas"
)]
enum OrderName {
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
    /// Longest time to recover first.
    Longest,
    /// By id.
    Id,
}

/// Asks for facets.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct FacetParameters {
    /// The facet to give; all when not said.
    #[param(value_type = Option<FacetName>, inline)]
    pub(super) facet: Option<Facet>,
}

/// A facet.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(
    dead_code,
    reason = "it describes `Facet`, which knows nothing of schemas"
)]
pub(super) enum FacetName {
    /// Why it happened.
    Cause,
    /// What broke or carried the failure.
    Component,
    /// What was seen.
    Symptom,
    /// What let it happen or made it worse.
    Factor,
}

/// Says what a graph draws.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct GraphParameters {
    /// Draws one case with the cases closest to it. Not beside filters.
    #[param(value_type = Option<String>)]
    pub(super) case: Option<CaseId>,
    /// Whether cases are drawn too.
    #[param(value_type = Option<bool>)]
    pub(super) cases: bool,
    /// The facet whose terms are drawn; all when not said.
    #[param(value_type = Option<FacetName>, inline)]
    pub(super) facet: Option<Facet>,
    /// Most nodes, up to 150; 60 when not said.
    #[param(value_type = Option<usize>, minimum = 0, maximum = 150)]
    pub(super) nodes: usize,
}

/// The parameters of a request. Those asked for are taken out, so that strange ones are found.
pub(super) struct Parameters {
    values: BTreeMap<String, Vec<String>>,
    known: Vec<&'static str>,
}

impl Parameters {
    pub(super) fn parse(query: Option<&str>) -> Result<Self, Problem> {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let query = query.unwrap_or_default();
        let given_replacement = query.to_ascii_uppercase().contains("%EF%BF%BD");
        for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
            // The decoder puts U+FFFD where bytes are no UTF-8; the text may also hold one itself.
            if value.contains('\u{fffd}') && !given_replacement {
                return Err(Problem::bad_request(
                    format!("`{key}` is not UTF-8"),
                    "percent-encode the parameters as UTF-8",
                ));
            }
            values
                .entry(key.into_owned())
                .or_default()
                .push(value.into_owned());
        }
        Ok(Self {
            values,
            known: Vec::new(),
        })
    }

    fn take(&mut self, key: &'static str) -> Vec<String> {
        self.known.push(key);
        self.values.remove(key).unwrap_or_default()
    }

    /// Takes a parameter that may stand several times, or hold several values between commas.
    fn all(&mut self, key: &'static str) -> Result<Option<Vec<String>>, Problem> {
        let values = self.take(key);
        let split = values.iter().flat_map(|value| value.split(','));
        let all: Vec<String> = split.map(|value| value.trim().to_owned()).collect();
        if all.iter().any(String::is_empty) {
            return Err(empty(key));
        }
        Ok((!all.is_empty()).then_some(all))
    }

    /// Takes a parameter that may stand once.
    fn one(&mut self, key: &'static str) -> Result<Option<String>, Problem> {
        let mut values = self.take(key);
        if values.len() > 1 {
            let detail = format!("`{key}` stands {} times", values.len());
            return Err(Problem::bad_request(detail, "give it once"));
        }
        match values.pop() {
            Some(value) if value.is_empty() => Err(empty(key)),
            value => Ok(value),
        }
    }

    fn number<N: Copy + FromStr + PartialOrd + Display>(
        &mut self,
        key: &'static str,
        most: N,
    ) -> Result<Option<N>, Problem> {
        let Some(text) = self.one(key)? else {
            return Ok(None);
        };
        match text.parse() {
            Ok(number) if number <= most => Ok(Some(number)),
            _ => {
                let hint = format!("give a whole number from 0 to {most}");
                Err(Problem::bad_request(format!("`{key}` is `{text}`"), hint))
            }
        }
    }

    /// Takes a parameter that is one of a few names.
    fn choice<T>(
        &mut self,
        key: &'static str,
        what: &str,
        names: &[&str],
        find: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.one(key)? else {
            return Ok(None);
        };
        let problem = || {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let hint = format!("use {}", quoted.join(" or "));
            let near = names.iter().map(|name| (*name).to_owned()).collect();
            Problem::bad_request(format!("`{text}` is not {what}"), hint).near(near)
        };
        find(&text).map(Some).ok_or_else(problem)
    }

    /// Refuses what nobody asked for.
    pub(super) fn finish(self) -> Result<(), Problem> {
        let Some(strange) = self.values.keys().next() else {
            return Ok(());
        };
        let hint = nearest(strange, self.known.iter().copied()).map_or_else(
            || format!("known here: {}", self.known.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let detail = format!("`{strange}` is not a parameter");
        Err(Problem::bad_request(detail, hint))
    }

    pub(super) fn text(&mut self) -> Result<TextParameters, Problem> {
        let mut texts = self.take("q");
        let q = texts.pop().unwrap_or_default();
        if !texts.is_empty() {
            let detail = format!("`q` stands {} times", texts.len() + 1);
            return Err(Problem::bad_request(detail, "give it once"));
        }
        let length = q.chars().count();
        if length > TEXT_LIMIT {
            let detail = format!("`q` has {length} characters, at most {TEXT_LIMIT} are looked up");
            let hint = "send the part that tells what is seen";
            return Err(Problem::bad_request(detail, hint));
        }
        Ok(TextParameters { q })
    }

    pub(super) fn lang(&mut self) -> Result<LangParameters, Problem> {
        let lang = self.choice("lang", "a language here", &["en", "ko"], Lang::from_tag)?;
        Ok(LangParameters { lang })
    }

    pub(super) fn page(&mut self) -> Result<PageParameters, Problem> {
        Ok(PageParameters {
            limit: self.number("limit", LIMIT)?.unwrap_or(DEFAULT_LIMIT),
            offset: self.number("offset", OFFSET_LIMIT)?.unwrap_or(0),
        })
    }

    pub(super) fn similar(&mut self) -> Result<SimilarParameters, Problem> {
        let limit = self.number("limit", LIMIT)?.unwrap_or(DEFAULT_RELATED);
        Ok(SimilarParameters { limit })
    }

    pub(super) fn order(&mut self) -> Result<OrderParameters, Problem> {
        let names = Order::ALL.map(Order::slug);
        let order = self.choice("order", "an order", &names, Order::from_slug)?;
        Ok(OrderParameters {
            order: order.unwrap_or_default(),
        })
    }

    pub(super) fn facet(&mut self) -> Result<FacetParameters, Problem> {
        let names = Facet::ALL.map(Facet::slug);
        let facet = self.choice("facet", "a facet", &names, Facet::from_slug)?;
        Ok(FacetParameters { facet })
    }

    pub(super) fn graph(&mut self) -> Result<GraphParameters, Problem> {
        let case = self.one("case")?.map(|id| case_id(&id)).transpose()?;
        let truth = |text: &str| text.parse::<bool>().ok();
        let cases = self.choice("cases", "a truth value", &["true", "false"], truth)?;
        let FacetParameters { facet } = self.facet()?;
        let nodes = self.number("nodes", NODE_LIMIT)?;
        Ok(GraphParameters {
            case,
            cases: cases.unwrap_or(false),
            facet,
            nodes: nodes.unwrap_or_else(|| crate::library::Drawing::default().nodes),
        })
    }

    /// Takes the filters and looks their names up.
    pub(super) fn filters(&mut self, library: &Library) -> Result<Filters, Problem> {
        let asked = FilterParameters {
            component: self.all(Facet::Component.slug())?,
            symptom: self.all(Facet::Symptom.slug())?,
            cause: self.all(Facet::Cause.slug())?,
            factor: self.all(Facet::Factor.slug())?,
            org: self.one(Filter::Organisation.key())?,
            tag: self.all(Filter::Tag.key())?,
            year: self.number(Filter::Year.key(), YEAR_LIMIT)?,
            since: self.number(Filter::Since.key(), YEAR_LIMIT)?,
            until: self.number(Filter::Until.key(), YEAR_LIMIT)?,
        };
        let facets = [
            (Facet::Cause, asked.cause),
            (Facet::Component, asked.component),
            (Facet::Symptom, asked.symptom),
            (Facet::Factor, asked.factor),
        ];
        let terms = facets.into_iter().flat_map(|(facet, slugs)| {
            let slugs = slugs.unwrap_or_default().into_iter();
            slugs.map(move |slug| (facet, slug))
        });
        let names = FilterNames {
            terms: terms.collect(),
            organisation: asked.org,
            tags: asked.tag.unwrap_or_default(),
            since: asked.since.max(asked.year),
            until: [asked.until, asked.year].into_iter().flatten().min(),
        };
        Ok(Filters::parse(library, &names)?)
    }
}

/// Refuses an empty value: a script whose variable is not set must not search without its filter.
fn empty(key: &str) -> Problem {
    Problem::bad_request(
        format!("`{key}` is empty"),
        "give it a value, or leave it out",
    )
}

/// Reads a case id.
pub(super) fn case_id(id: &str) -> Result<CaseId, Problem> {
    id.parse()
        .map_err(|error| Problem::bad_request(format!("`{id}` is not a case id"), error))
}

/// Returns the address of the page after one, or nothing when that was the last.
pub(super) fn next_page(
    path: &str,
    query: Option<&str>,
    page: &PageParameters,
    total: usize,
) -> Option<String> {
    let offset = page.offset + page.limit;
    if page.limit == 0 || offset >= total || offset > OFFSET_LIMIT {
        return None;
    }
    let mut next = url::form_urlencoded::Serializer::new(String::new());
    for (key, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if key != "offset" {
            next.append_pair(&key, &value);
        }
    }
    next.append_pair("offset", &offset.to_string());
    Some(format!("{path}?{}", next.finish()))
}
