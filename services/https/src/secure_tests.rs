//! Dialogues with a client of rustls's, whose bytes come and go in pieces.

use super::*;
use crate::identity::{Wrong, configuration};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use std::collections::VecDeque;
use std::io::{Read, Write};

const CERTIFICATE: &[u8] = include_bytes!("../../../tests/services/tls/certificate.pem");
const KEY: &[u8] = include_bytes!("../../../tests/services/tls/key.pem");

#[derive(Debug)]
struct Noon;
impl TimeProvider for Noon {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::now())
    }
}
fn server() -> Arc<ServerConfig> {
    configuration(CERTIFICATE, KEY, Arc::new(Noon)).unwrap()
}
fn client(version: &'static rustls::SupportedProtocolVersion) -> ClientConnection {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(CERTIFICATE).unwrap()).unwrap();
    let configuration = ClientConfig::builder_with_protocol_versions(&[version]).with_root_certificates(roots);
    ClientConnection::new(Arc::new(configuration.with_no_client_auth()), "localhost".try_into().unwrap()).unwrap()
}

/// The wire between them: what the server finds there, and has put there.
#[derive(Default)]
struct Wire {
    to_server: VecDeque<u8>,
    to_client: VecDeque<u8>,
    /// Bytes that one read or write moves at the most; 0: nothing.
    piece: usize,
    /// Bytes that the client leaves on its way.
    room: usize,
    ended: bool,
}
impl Stream for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = buffer.len().min(self.piece).min(self.to_server.len());
        buffer[..count].iter_mut().for_each(|byte| *byte = self.to_server.pop_front().unwrap());
        if count == 0 && !self.ended { Err(Error::EAGAIN) } else { Ok(count) }
    }
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let count = bytes.len().min(self.piece).min(self.room.saturating_sub(self.to_client.len()));
        self.to_client.extend(&bytes[..count]);
        if count == 0 { Err(Error::EAGAIN) } else { Ok(count) }
    }
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
fn secure(piece: usize) -> Secure<Wire> {
    Secure::new(Wire { piece, room: usize::MAX, ..Wire::default() }, &server()).unwrap()
}
/// What the client has to say goes to the server's side, and the other way round. The error that the client finds.
fn carry(server: &mut Secure<Wire>, client: &mut ClientConnection) -> core::result::Result<(), rustls::Error> {
    while client.wants_write() {
        client.write_tls(&mut server.stream.to_server).unwrap();
    }
    while !server.stream.to_client.is_empty() {
        client.read_tls(&mut server.stream.to_client).unwrap();
        client.process_new_packets()?;
    }
    Ok(())
}
/// Has the client say `request`, and takes it.
fn asked(server: &mut Secure<Wire>, client: &mut ClientConnection, request: &[u8]) -> Vec<u8> {
    client.writer().write_all(request).unwrap();
    let mut got = Vec::new();
    let mut buffer = [0; 1000];
    for _ in 0..20_000 {
        carry(server, client).unwrap();
        match server.read(&mut buffer) {
            Ok(count) => got.extend(&buffer[..count]),
            Err(error) => assert_eq!(error, Error::EAGAIN),
        }
        if got.len() == request.len() {
            break;
        }
    }
    got
}
/// Has the server say `answer`, and takes it.
fn answered(server: &mut Secure<Wire>, client: &mut ClientConnection, answer: &[u8]) -> Vec<u8> {
    let (mut sent, mut got) = (0, Vec::new());
    for _ in 0..200_000 {
        if sent < answer.len() {
            match server.write(&answer[sent..]) {
                Ok(count) => sent += count,
                Err(error) => assert_eq!(error, Error::EAGAIN),
            }
        } else {
            server.flush().unwrap();
        }
        carry(server, client).unwrap();
        let mut buffer = [0; 10_000];
        while let Ok(count @ 1..) = client.reader().read(&mut buffer) {
            got.extend(&buffer[..count]);
        }
        if got.len() == answer.len() {
            break;
        }
    }
    got
}
fn long() -> Vec<u8> {
    (0..50_000u32).map(|n| ((n * 7) >> 3) as u8).collect()
}

#[test]
fn requests_and_answers_cross_in_pieces_of_every_size() {
    for version in [&TLS13, &TLS12] {
        for piece in [1, 5, 333, 4096, 100_000] {
            let (mut server, mut client) = (secure(piece), client(version));
            assert_eq!(asked(&mut server, &mut client, b"GET /"), b"GET /");
            assert!(answered(&mut server, &mut client, &long()) == long(), "{version:?} in pieces of {piece}");
            // The same connection, again.
            assert!(asked(&mut server, &mut client, &long()) == long());
            assert_eq!(answered(&mut server, &mut client, b"ok"), b"ok");
        }
    }
}
/// Some clients, and what is between them and the server, cut the first message into records of a few bytes (RFC 8446, section 5.1).
#[test]
fn a_hello_of_several_records_is_one() {
    for version in [&TLS13, &TLS12] {
        for bytes in [1, 2, 4, 50, 200] {
            let (mut server, mut client) = (secure(1000), client(version));
            client.write_tls(&mut server.stream.to_server).unwrap();
            let hello: Vec<u8> = server.stream.to_server.drain(..).collect();
            let (head, message) = hello.split_at(5);
            assert_eq!(usize::from(u16::from_be_bytes([head[3], head[4]])), message.len());
            for piece in message.chunks(bytes) {
                server.stream.to_server.extend([head[0], head[1], head[2], 0, piece.len() as u8]);
                server.stream.to_server.extend(piece);
            }
            assert_eq!(asked(&mut server, &mut client, b"GET /"), b"GET /", "{version:?}, {bytes} bytes each");
            assert_eq!(answered(&mut server, &mut client, b"ok"), b"ok");
        }
    }
}
#[test]
fn what_costs_least_is_taken_first() {
    for version in [&TLS13, &TLS12] {
        let (mut server, mut client) = (secure(1000), client(version));
        asked(&mut server, &mut client, b"GET /");
        let suite = client.negotiated_cipher_suite().unwrap().suite();
        assert!(format!("{suite:?}").contains("CHACHA20"), "{suite:?}");
    }
}
#[test]
fn who_says_that_it_ends_is_told_the_same() {
    for version in [&TLS13, &TLS12] {
        let (mut server, mut client) = (secure(1000), client(version));
        asked(&mut server, &mut client, b"GET /");
        client.send_close_notify();
        carry(&mut server, &mut client).unwrap();
        assert_eq!(server.read(&mut [0; 10]), Ok(0));
        assert_eq!(server.end(), Ok(true));
        carry(&mut server, &mut client).unwrap();
        assert_eq!(client.reader().read(&mut [0; 10]).unwrap(), 0, "a clean end");
    }
}
#[test]
fn the_end_is_sent_however_slowly_it_is_taken() {
    let (mut server, mut client) = (secure(1000), client(&TLS13));
    asked(&mut server, &mut client, b"GET /");
    server.write(&long()[..4096]).unwrap();
    server.stream.room = 0;
    assert_eq!(server.end(), Ok(server.outgoing.is_empty()));
    server.stream.piece = 3;
    server.stream.room = usize::MAX;
    let mut steps = 0;
    while server.end() != Ok(true) {
        steps += 1;
        assert!(steps < 5000);
    }
    carry(&mut server, &mut client).unwrap();
    let mut got = Vec::new();
    client.reader().read_to_end(&mut got).unwrap();
    assert!(got == long()[..4096]);
}
#[test]
fn who_takes_nothing_is_kept_no_more_than_a_record_for() {
    let (mut server, mut client) = (secure(4096), client(&TLS13));
    asked(&mut server, &mut client, b"GET /");
    server.stream.room = 0;
    let mut taken = 0;
    while let Ok(count) = server.write(&long()[taken..]) {
        taken += count;
    }
    assert!(
        taken <= PIECE && server.outgoing.len() <= PIECE + 100,
        "{taken} bytes, {} of records",
        server.outgoing.len()
    );
    assert_eq!(server.write(b"more"), Err(Error::EAGAIN));
    server.stream.room = usize::MAX;
    assert!(answered(&mut server, &mut client, &long()[taken..]) == long());
}
#[test]
fn what_is_no_tls_ends_with_an_alert() {
    let mut server = secure(100);
    server.stream.to_server.extend(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(server.read(&mut [0; 10]), Err(Error::EIO));
    assert_eq!(server.write(b"HTTP/1.1 400"), Err(Error::EPIPE));
    assert_eq!(server.end(), Ok(true));
    let said: Vec<u8> = server.stream.to_client.iter().copied().collect();
    // An alert (RFC 8446, section 6): its type, a version, its length, fatal, and why.
    assert!(matches!(said[..], [21, 3, _, 0, 2, 2, _]), "{said:?}");
}
#[test]
fn a_record_that_was_changed_on_its_way_ends_the_connection() {
    let (mut server, mut client) = (secure(1000), client(&TLS13));
    asked(&mut server, &mut client, b"GET /");
    client.writer().write_all(b"secret").unwrap();
    carry(&mut server, &mut client).unwrap();
    *server.stream.to_server.back_mut().unwrap() ^= 1;
    assert_eq!(server.read(&mut [0; 10]), Err(Error::EIO));
    assert!(carry(&mut server, &mut client).is_err(), "the client is told");
}
#[test]
fn nothing_is_written_before_the_handshake() {
    let mut server = secure(1000);
    assert_eq!(server.write(b"HTTP/1.1 408"), Err(Error::EPIPE));
    assert!(server.stream.to_client.is_empty());
    server.stream.ended = true;
    assert_eq!(server.read(&mut [0; 10]), Ok(0));
    assert_eq!(server.end(), Ok(true));
}
#[test]
fn a_handshake_without_an_end_is_not_kept_for_ever() {
    let mut server = secure(100_000);
    // Messages of a handshake that announce more than ever comes: a ClientHello of 16 MiB, in full records.
    let mut more = true;
    let mut held = 0;
    for n in 0..64 {
        let mut record = vec![22, 3, 1, 0x40, 0];
        record.resize(5 + (1 << 14), 0);
        if n == 0 {
            record[5..9].copy_from_slice(&[1, 0xff, 0xff, 0xff]);
        }
        server.stream.to_server.extend(record);
        while more && !server.stream.to_server.is_empty() {
            more = !matches!(server.read(&mut [0; 10]), Ok(_) | Err(Error::EIO));
            held = held.max(server.incoming.len());
        }
    }
    assert!(!more && held <= RECORD, "{held} bytes");
}
proptest::proptest! {
    #![proptest_config(properties::config(200))]
    #[test]
    fn whatever_comes_it_ends_or_waits(
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..3000),
        begun in 0usize..3,
        place in proptest::prelude::any::<proptest::sample::Index>(),
        piece in 1usize..2000,
    ) {
        let (mut server, mut client) = (secure(piece), client(&TLS13));
        // Nothing of a connection, a client's first words with something in them, or all of a handshake.
        match begun {
            0 => server.stream.to_server.extend(&bytes),
            1 => {
                carry(&mut server, &mut client).unwrap();
                let at = place.index(server.stream.to_server.len());
                bytes.iter().take(8).enumerate().for_each(|(n, byte)| {
                    if let Some(place) = server.stream.to_server.get_mut(at + n) {
                        *place = *byte;
                    }
                });
            }
            _ => {
                asked(&mut server, &mut client, b"GET /");
                server.stream.to_server.extend(&bytes);
            }
        }
        for _ in 0..10_000 {
            match server.read(&mut [0; 100]) {
                Ok(0) | Err(Error::EIO) => break,
                Err(Error::EAGAIN) if server.stream.to_server.is_empty() => break,
                _ => {}
            }
        }
        proptest::prop_assert!(server.incoming.len() <= RECORD && server.outgoing.len() <= RECORD);
        while server.end() == Ok(false) {}
    }
}

#[test]
fn files_that_are_no_identity_are_refused_by_name() {
    let wrong = |certificates: &[u8], key: &[u8]| configuration(certificates, key, Arc::new(Noon)).unwrap_err();
    assert!(matches!(wrong(b"", KEY), Wrong::Certificate) && wrong(b"", KEY).file() == 0);
    assert!(matches!(wrong(KEY, KEY), Wrong::Certificate));
    assert!(matches!(wrong(CERTIFICATE, CERTIFICATE), Wrong::Key) && wrong(CERTIFICATE, b"").file() == 1);
    let half = &CERTIFICATE[..CERTIFICATE.len() / 2];
    assert!(matches!(wrong(half, KEY), Wrong::Certificate));
}
#[test]
fn a_key_of_another_certificate_is_refused() {
    // Made as the first was.
    const OTHER: &[u8] = include_bytes!("../../../tests/services/tls/other.pem");
    let wrong = configuration(CERTIFICATE, OTHER, Arc::new(Noon)).unwrap_err();
    assert!(matches!(wrong, Wrong::Both(_)) && wrong.to_string().contains("together"));
}

/// A key that `openssl` has made.
macro_rules! key {
    ($name:literal) => {
        include_bytes!(concat!("../../../tests/services/tls/unknown/", $name, ".pem"))
    };
}
#[test]
fn keys_of_kinds_that_are_not_known_are_named() {
    for (key, kind) in [
        (&key!("p521")[..], "ECDSA on P-521"),
        (key!("p521_old"), "ECDSA on P-521"),
        (key!("secp256k1"), "ECDSA on secp256k1"),
        (key!("ed448"), "Ed448"),
        (key!("rsa1024"), "RSA of another length, or damaged"),
        (key!("rsa1024_old"), "RSA of another length, or damaged"),
    ] {
        let wrong = configuration(CERTIFICATE, key, Arc::new(Noon)).unwrap_err();
        let known = "RSA of 2048 to 8192 bits, ECDSA on P-256 or P-384, and Ed25519 are known";
        assert_eq!((wrong.to_string(), wrong.file()), (format!("its key is {kind}; {known}"), 1));
    }
}
#[test]
fn keys_that_are_encrypted_are_told_from_none() {
    for key in [&key!("encrypted")[..], key!("encrypted_old")] {
        let wrong = configuration(CERTIFICATE, key, Arc::new(Noon)).unwrap_err();
        assert!(matches!(wrong, Wrong::Encrypted) && wrong.file() == 1, "{wrong}");
    }
}

/// What a thread has allocated, and the most that it had at a time since that was set to it.
mod counted {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    thread_local! {
        static NOW: Cell<isize> = const { Cell::new(0) };
        static MOST: Cell<isize> = const { Cell::new(0) };
    }
    struct Counted;
    // SAFETY: the system's allocator does all that is to be done.
    unsafe impl GlobalAlloc for Counted {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let now = NOW.get() + layout.size() as isize;
            NOW.set(now);
            MOST.set(MOST.get().max(now));
            unsafe { System.alloc(layout) }
        }
        unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
            NOW.set(NOW.get() - layout.size() as isize);
            unsafe { System.dealloc(place, layout) }
        }
    }
    #[global_allocator]
    static COUNTED: Counted = Counted;
    /// The most that `work` had at a time.
    pub fn most(work: impl FnOnce()) -> usize {
        let before = NOW.get();
        MOST.set(before);
        work();
        (MOST.get() - before) as usize
    }
}
#[test]
fn a_connection_takes_no_more_memory_than_is_kept_for_it() {
    let configuration = server();
    for version in [&TLS13, &TLS12] {
        let mut client = client(version);
        let wire = Wire { piece: 100_000, room: usize::MAX, ..Wire::default() };
        let mut server = None;
        let mut most = counted::most(|| server = Some(Secure::new(wire, &configuration).unwrap()));
        let mut server = server.unwrap();
        let mut buffer = [0; PIECE];
        for step in 0..20 {
            carry(&mut server, &mut client).unwrap();
            while let Ok(1..) = client.reader().read(&mut [0; PIECE]) {}
            if !client.is_handshaking() {
                // Full records, one behind the other.
                client.writer().write_all(&long()).unwrap();
                carry(&mut server, &mut client).unwrap();
            }
            // The wire is the test's own, and grows by what it is written.
            server.stream.to_client.reserve(100_000);
            most = most.max(counted::most(|| {
                while server.read(&mut buffer).is_ok_and(|count| count > 0) {}
                if step > 5 {
                    server.write(&buffer).unwrap();
                }
            }));
        }
        let kept = server.incoming.capacity() + server.plain.capacity() + server.outgoing.capacity();
        assert!(!client.is_handshaking() && most + kept < Secure::<Wire>::MEMORY, "{most} and {kept} bytes");
    }
}
