//! Style, script and pictures, inside the binary. Their addresses hold their digest, so that browsers may keep them for ever.

use std::sync::LazyLock;

use axum::{
    extract::Path,
    http::{StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use sha2::{Digest, Sha256};

use super::FOREVER;

/// A file that pages load.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

static ASSETS: [Asset; 5] = [
    Asset {
        name: "site.css",
        kind: "text/css; charset=utf-8",
        bytes: include_bytes!("../assets/site.css"),
    },
    Asset {
        name: "site.js",
        kind: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../assets/site.js"),
    },
    Asset {
        name: "graph.js",
        kind: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../assets/graph.js"),
    },
    Asset {
        name: "icon.svg",
        kind: "image/svg+xml",
        bytes: include_bytes!("../assets/icon.svg"),
    },
    Asset {
        name: "card.png",
        kind: "image/png",
        bytes: include_bytes!("../assets/card.png"),
    },
];

/// Each file's name with its digest, in the order of [`ASSETS`].
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let named = |asset: &Asset| {
        let digest = Sha256::digest(asset.bytes);
        format!("{}-{}", hex::encode(&digest[..6]), asset.name)
    };
    ASSETS.iter().map(named).collect()
});

/// Returns the address of a file.
pub(super) fn address(name: &str) -> String {
    let at = ASSETS.iter().position(|asset| asset.name == name);
    let name = at.map_or(name, |at| NAMES[at].as_str());
    format!("/assets/{name}")
}

/// Answers `GET /assets/{name}`.
pub(super) async fn serve(Path(name): Path<String>) -> Response {
    let Some(at) = NAMES.iter().position(|known| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let asset = &ASSETS[at];
    let keep = format!("public, max-age={}, immutable", FOREVER.as_secs());
    let headers = [
        (header::CONTENT_TYPE, asset.kind.to_owned()),
        (header::CACHE_CONTROL, keep),
    ];
    (headers, asset.bytes).into_response()
}

/// Answers `GET /favicon.ico`, which browsers ask for by themselves.
pub(super) async fn icon() -> Redirect {
    Redirect::temporary(&address("icon.svg"))
}
