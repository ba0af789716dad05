//! Encrypted connections to PostgreSQL, and whom to trust. A server's certificate is always checked, also where `sslmode` does
//! not ask for that: encryption to anybody protects from nobody.

use std::{path::Path, path::PathBuf, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};
use tokio_postgres_rustls::MakeRustlsConnect;
use url::form_urlencoded;

use super::StoreError;

/// Takes out of a database URL what the driver does not know: `sslrootcert`, the file of the authorities to trust, and the modes
/// that check certificates. Names and meaning are those of [libpq].
///
/// [libpq]: https://www.postgresql.org/docs/current/libpq-ssl.html
pub(super) fn of_url(url: &str) -> Result<(String, Option<PathBuf>), StoreError> {
    let Some((base, query)) = url.split_once('?') else {
        return Ok((url.to_owned(), None));
    };
    let (mut kept, mut roots) = (Vec::new(), None);
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", "verify-ca" | "verify-full")) => kept.push("sslmode=require"),
            // Trusting the system is what happens without it.
            Some(("sslrootcert", "system")) => {}
            Some(("sslrootcert", _)) => {
                let mut decoded = form_urlencoded::parse(pair.as_bytes());
                roots = decoded.next().map(|(_, file)| file.as_ref().into());
            }
            Some(("sslcert" | "sslkey", _)) => {
                return Err(StoreError::Url(
                    "client certificates (`sslcert`, `sslkey`) are not supported; use a password",
                ));
            }
            _ => kept.push(pair),
        }
    }
    Ok((format!("{base}?{}", kept.join("&")), roots))
}

/// Connections that do not leave the machine are not encrypted unless the URL asks for it: a distribution's server offers a
/// certificate there that nobody can check.
pub(super) fn leave_out_where_local(config: &mut Config) {
    let is_local = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name
                    .parse()
                    .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
        Host::Unix(_) => true,
    });
    if is_local && config.get_ssl_mode() == SslMode::Prefer {
        config.ssl_mode(SslMode::Disable);
    }
}

/// Makes encrypted connections to servers whose certificate one of the authorities in `roots` has signed, or else one that the
/// system trusts.
pub(super) fn connector(roots: Option<&Path>) -> Result<MakeRustlsConnect, StoreError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Unavailable(error.to_string()))?;
    let builder = match roots {
        Some(file) => builder.with_root_certificates(read(file)?),
        None => builder
            .with_platform_verifier()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?,
    };
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}

fn read(file: &Path) -> Result<RootCertStore, StoreError> {
    let wrong = |why: &dyn std::fmt::Display| {
        StoreError::Unavailable(format!("`sslrootcert`, {}: {why}", file.display()))
    };
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
        let certificate = certificate.map_err(|error| wrong(&error))?;
        store.add(certificate).map_err(|error| wrong(&error))?;
    }
    if store.is_empty() {
        return Err(wrong(&"no certificate in PEM form is in it"));
    }
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_does_not_know_is_taken_out_of_the_url() {
        let of = |url| of_url(url).expect("it can be used");
        let plain = "postgres://u:p@h/db";
        assert_eq!(of(plain), (plain.to_owned(), None));
        let (url, roots) = of(
            "postgres://u:p@h/db?sslmode=verify-full&sslrootcert=%2Fetc%2Fca+1.pem&options=-ca%3Db",
        );
        assert_eq!(url, "postgres://u:p@h/db?sslmode=require&options=-ca%3Db");
        assert_eq!(roots, Some("/etc/ca 1.pem".into()));
        let (url, roots) = of("postgres://u:p@h/db?sslrootcert=system");
        assert_eq!((url.as_str(), roots), ("postgres://u:p@h/db?", None));
        assert!(of_url("postgres://u:p@h/db?sslkey=k").is_err());
    }

    #[test]
    fn what_leaves_the_machine_is_encrypted_and_the_rest_if_asked_for() {
        for (url, mode) in [
            ("postgres://u@localhost/db", SslMode::Disable),
            ("postgres://u@127.0.0.1/db", SslMode::Disable),
            ("postgres://u@[::1]/db", SslMode::Disable),
            ("postgres://u@%2Frun%2Fpostgresql/db", SslMode::Disable),
            (
                "postgres://u@localhost/db?sslmode=require",
                SslMode::Require,
            ),
            ("postgres://u@db.example.com/db", SslMode::Prefer),
            ("postgres://u@localhost,db.example.com/db", SslMode::Prefer),
            (
                "postgres://u@db.example.com/db?sslmode=disable",
                SslMode::Disable,
            ),
        ] {
            let mut config: Config = url.parse().expect("a URL");
            leave_out_where_local(&mut config);
            assert_eq!(config.get_ssl_mode(), mode, "{url}");
        }
    }
}
