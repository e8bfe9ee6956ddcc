//! Who the server is: its certificates and its key, as PEM files have them (RFC 7468).

use alloc::sync::Arc;
use alloc::vec::Vec;
use rustls::crypto::CryptoProvider;
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
    /// The second file has no key.
    Key,
    /// It is encrypted: nobody is there who could be asked for the words that open it.
    Encrypted,
    /// It is of a kind that is not known; of which.
    Kind(&'static str),
    /// They do not belong together, or the certificate is none that a server may have.
    Both(rustls::Error),
}
impl Wrong {
    /// In which of the two it is: 0, the certificates, or 1, the key.
    pub fn file(&self) -> usize {
        match self {
            Wrong::Certificate => 0,
            Wrong::Key | Wrong::Encrypted | Wrong::Kind(_) | Wrong::Both(_) => 1,
        }
    }
}
impl core::fmt::Display for Wrong {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        match self {
            Wrong::Certificate => write!(f, "there is no certificate in it (PEM)"),
            Wrong::Key => write!(f, "there is no key in it (PEM: RSA, ECDSA or Ed25519)"),
            Wrong::Encrypted => write!(f, "the key in it is encrypted; `openssl pkey -in FILE -out PLAIN` opens it"),
            Wrong::Kind(kind) => {
                write!(f, "its key is {kind}; RSA of 2048 to 8192 bits, ECDSA on P-256 or P-384, and Ed25519 are known")
            }
            Wrong::Both(error) => write!(f, "key and certificate do not belong together: {error}"),
        }
    }
}

/// Kinds of keys by bytes that a key's ASN.1 has: the object identifiers of curves and algorithms (RFC 5480, RFC 8410, RFC 3279).
const KINDS: [(&[u8], &str); 7] = [
    (&[0x2b, 0x81, 0x04, 0x00, 0x23], "ECDSA on P-521"),
    (&[0x2b, 0x81, 0x04, 0x00, 0x0a], "ECDSA on secp256k1"),
    (&[0x2b, 0x81, 0x04, 0x00, 0x21], "ECDSA on P-224"),
    (&[0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01], "ECDSA on a Brainpool curve"),
    (&[0x06, 0x03, 0x2b, 0x65, 0x71], "Ed448"),
    (&[0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01], "DSA"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01], "RSA of another length, or damaged"),
];
/// What PEM says around an encrypted key (RFC 7468, section 11), and within one of the form before that (RFC 1421).
const ENCRYPTED: [&[u8]; 2] = [b"-----BEGIN ENCRYPTED PRIVATE KEY-----", b"Proc-Type: 4,ENCRYPTED"];

fn has(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|there| there == wanted)
}
fn read_key(pem: &[u8], provider: &CryptoProvider) -> Result<PrivateKeyDer<'static>, Wrong> {
    // With words before its bytes, a key of the old form is none for who reads PEM.
    if ENCRYPTED.iter().any(|mark| has(pem, mark)) {
        return Err(Wrong::Encrypted);
    }
    let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| Wrong::Key)?;
    if provider.key_provider.load_private_key(key.clone_key()).is_err() {
        let of_kind = |(mark, _): &&(&[u8], &str)| has(key.secret_der(), mark);
        let old_rsa = matches!(key, PrivateKeyDer::Pkcs1(_)).then_some("RSA of another length, or damaged");
        let kind = KINDS.iter().find(of_kind).map(|(_, kind)| *kind).or(old_rsa);
        return Err(Wrong::Kind(kind.unwrap_or("of no kind that is known")));
    }
    Ok(key)
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
    let mut provider = default_provider();
    let key = read_key(key, &provider)?;
    // No instruction does AES here: ChaCha20 takes a quarter of what AES does, whatever the client would have first.
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
