//! The library for agents: a server of the Model Context Protocol, over Streamable HTTP and on standard input and output.
//!
//! Five tools ([`tools`]) answer in records small enough for a context window, each with its schema. The cases are
//! resources as well ([`resource`]), whole and as Markdown; a prompt ([`prompt`]) starts the review of an incident. Every
//! request is answered from one snapshot of the library and keeps nothing, so that any replica can answer the next one.
//!
//! Knows nothing of the web's routes: `app` nests what [`http()`] makes.

use std::sync::Arc;

use arc_swap::ArcSwap;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use tokio::sync::Semaphore;
use tracing::error;

use crate::library::Library;

mod args;
mod case;
mod completion;
mod list;
mod markdown;
mod prompt;
mod record;
mod refusal;
mod resource;
mod search;
mod tools;
mod topic;
mod transport;
mod vocab;

pub use markdown::markdown;
pub use transport::{HttpRules, cors, http, stdio};

/// What an agent is told about the server as a whole.
const INSTRUCTIONS: &str = "\
A library of past software incidents, each told from its owners' own report, in English and Korean. Nothing here is \
generated: quote it with the incident's id and source.\n\
- Something is broken now, or a report is being written: `search_incidents` with what is seen, pasted as it is. Read \
`matched` and `missing` before you call an incident similar, and say so when nothing is close (`confident` is false).\n\
- `get_incident` gives one incident in full with related ones; it is also the resource `incident://{id}`.\n\
- `list_incidents` filters without a question; `get_topic` tells what usually goes together with a cause, component, \
symptom or factor; `vocab` lists the valid slugs.\n\
- `language` chooses the language of texts: `en` or `ko`. Slugs and ids are the same in both.";

/// The server. Cheap to clone; one serves each HTTP request.
#[derive(Clone)]
pub struct Server {
    library: Arc<ArcSwap<Library>>,
    /// How many answers may be made at once.
    turns: Option<Arc<Semaphore>>,
}

impl Server {
    /// Makes a server over a library that may be swapped while it is served.
    pub const fn new(library: Arc<ArcSwap<Library>>) -> Self {
        Self {
            library,
            turns: None,
        }
    }

    /// Makes answers only when it is their turn among others.
    #[must_use]
    pub fn in_turn(mut self, turns: Arc<Semaphore>) -> Self {
        self.turns = Some(turns);
        self
    }

    /// Works with the library where it holds up no other request.
    async fn with_library<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let library = self.library.load_full();
        let turn = match self.turns.clone() {
            Some(turns) => turns.acquire_owned().await.ok(),
            None => None,
        };
        let done = tokio::task::spawn_blocking(move || {
            // It lasts as long as the work, also when nobody waits for it any more.
            let _turn = turn;
            work(&library)
        })
        .await;
        done.map_err(|_| {
            // The panic's message may hold the text.
            error!("an MCP request panicked");
            ErrorData::internal_error("the lookup failed; try again", None)
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let server = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
            .with_title("Incident library")
            .with_description(env!("CARGO_PKG_DESCRIPTION"));
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).map(|entry| entry.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = tools::find(&request.name) else {
            return Err(ErrorData::invalid_params(
                tools::unknown(&request.name).to_string(),
                None,
            ));
        };
        let arguments = request.arguments.unwrap_or_default();
        let answered = self
            .with_library(move |library| entry.call(library, arguments))
            .await?;
        answered.map(CallToolResponse::from)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.with_library(move |library| resource::list(library, cursor.as_deref()))
            .await?
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = vec![resource::template()];
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self
            .with_library(move |library| resource::read(library, &request.uri))
            .await?;
        read.map(ReadResourceResponse::from)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![prompt::review()]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let prompt = self
            .with_library(move |library| prompt::get(library, &request.name, &arguments))
            .await?;
        prompt.map(GetPromptResponse::from)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.with_library(move |library| completion::complete(library, &request))
            .await?
    }
}
