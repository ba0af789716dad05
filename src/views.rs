//! Wire types of the JSON API and the MCP server: what an [`Answer`](crate::library::Answer) looks like to programs.
//!
//! Texts are in one language, the one asked for, unless a type says otherwise. Absent fields of a case are `null`. Spans
//! count Unicode characters of the given text, not bytes: that is how most languages index strings.

mod browse;
mod case;
mod search;
mod term;

pub use browse::{
    CauseSpreadView, EdgeView, FacetView, GraphView, LearnedTextView, LearnedView, NamedCountView,
    NodeView, SpreadView, StatsView, TermDetailView, TogetherView, TopicView, VocabView, graph,
    stats, topic, vocab,
};
pub use case::{
    ActionView, CaseActionView, CaseFollowUpView, CaseHeadView, CaseTermView, CaseView, CasesView,
    FollowUpView, ReferenceView, RelatedView, SourceView, TextView, TranslationsView, case, cases,
    head, related,
};
pub use search::{
    EvidenceView, ExtractView, HitView, PartsView, SearchView, SnippetView, extract, search,
};
pub use term::{CountView, CountsView, FoundTermView, SignalView, TermView, term};
