//! Who the server is: its certificates and its key, as PEM files have them (RFC 7468).

use alloc::sync::Arc;
use alloc::vec::Vec;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::time_provider::TimeProvider;
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, ServerConfig};

/// Most bytes of a record that is sent: as many as are answered at a time, so that little waits here until it is sent.
const FRAGMENT: usize = 4096 + 256;

/// What is taken first of what a client offers.
const CHEAP: [CipherSuite; 3] = [
    CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
];

/// Why there can be no server with them.
#[derive(Debug)]
pub enum Wrong {
    /// The first file has no certificate, or one that is none.
    Certificate,
    /// The second file has no key, or one of no kind that is known: RSA, ECDSA on P-256 or P-384, Ed25519.
    Key,
    /// They do not belong together, or the certificate is none that a server may have.
    Both(rustls::Error),
}
impl Wrong {
    /// In which of the two it is: 0, the certificates, or 1, the key.
    pub fn file(&self) -> usize {
        match self {
            Wrong::Certificate => 0,
            Wrong::Key | Wrong::Both(_) => 1,
        }
    }
}
impl core::fmt::Display for Wrong {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        match self {
            Wrong::Certificate => write!(f, "there is no certificate in it (PEM)"),
            Wrong::Key => write!(f, "there is no key in it (PEM: RSA, ECDSA or Ed25519)"),
            Wrong::Both(error) => write!(f, "key and certificate do not belong together: {error}"),
        }
    }
}

/// What all connections share: TLS 1.3 and 1.2 with these certificates, the server's own first, and its key. `clock` tells the time.
pub fn configuration(
    certificates: &[u8],
    key: &[u8],
    clock: Arc<dyn TimeProvider>,
) -> Result<Arc<ServerConfig>, Wrong> {
    let chain: Vec<_> =
        CertificateDer::pem_slice_iter(certificates).collect::<Result<_, _>>().map_err(|_| Wrong::Certificate)?;
    if chain.is_empty() {
        return Err(Wrong::Certificate);
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| Wrong::Key)?;
    // No instruction does AES here: ChaCha20 takes a quarter of what AES does, whatever the client would have first.
    let mut provider = default_provider();
    provider.cipher_suites.sort_by_key(|suite| !CHEAP.contains(&suite.suite()));
    let builder = ServerConfig::builder_with_details(Arc::new(provider), clock)
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(Wrong::Both)?;
    let mut configuration = builder.with_no_client_auth().with_single_cert(chain, key).map_err(Wrong::Both)?;
    configuration.alpn_protocols = [b"http/1.1".to_vec()].into();
    configuration.ignore_client_order = true;
    configuration.max_fragment_size = Some(FRAGMENT);
    // Nothing is kept of a connection that is over.
    configuration.send_tls13_tickets = 0;
    Ok(Arc::new(configuration))
}
