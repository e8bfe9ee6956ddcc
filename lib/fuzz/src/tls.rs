//! What comes to the HTTPS server in place of a handshake: greetings of TLS 1.3 and 1.2 and what would follow them, broken and in pieces. Whatever
//! it is, no byte of it is taken for a request, for nobody here has a key; the server says an alert and ends, or waits for more.

use crate::Random;
use abi::Error;
use http_logic::connection::Stream;
use https_logic::{Secure, identity::configuration};
use rustls::ServerConfig;
use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

type Result<T> = core::result::Result<T, Error>;

const CERTIFICATE: &[u8] = include_bytes!("../../../tests/services/tls/certificate.pem");
const KEY: &[u8] = include_bytes!("../../../tests/services/tls/key.pem");
/// Types of records (RFC 8446, section 5.1).
const CHANGE: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const DATA: u8 = 23;
/// Types of the handshake's messages (section 4).
const CLIENT_HELLO: u8 = 1;
const CLIENT_KEY_EXCHANGE: u8 = 16;
const FINISHED: u8 = 20;
/// The most that the server may say to who never says anything that is sealed: its greeting, certificates and an alert, twice where it asks
/// for another key.
const ANSWERS: usize = 16 << 10;

/// The time of a case is always the same.
#[derive(Debug)]
struct Noon;
impl TimeProvider for Noon {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(1_800_000_000)))
    }
}
fn server() -> &'static Arc<ServerConfig> {
    static SERVER: OnceLock<Arc<ServerConfig>> = OnceLock::new();
    SERVER.get_or_init(|| configuration(CERTIFICATE, KEY, Arc::new(Noon)).expect("a key and its certificate"))
}
/// Behind its length, in so many bytes.
fn counted(bytes: usize, what: &[u8]) -> Vec<u8> {
    let length = (what.len() as u64).to_be_bytes();
    [&length[8 - bytes..], what].concat()
}
fn record(kind: u8, what: &[u8]) -> Vec<u8> {
    [&[kind, 3, 3], &counted(2, what)[..]].concat()
}
fn message(kind: u8, what: &[u8]) -> Vec<u8> {
    [&[kind], &counted(3, what)[..]].concat()
}
fn extension(number: u16, what: &[u8]) -> Vec<u8> {
    [&number.to_be_bytes()[..], &counted(2, what)].concat()
}
/// A client's greeting, of version 1.3 or 1.2.
fn greeting(random: &mut Random, newest: bool) -> Vec<u8> {
    let suites: &[u8] = &[0x13, 3, 0x13, 1, 0x13, 2, 0xcc, 0xa9, 0xcc, 0xa8, 0xc0, 0x2b];
    let key = random.bytes(32);
    let share = [&[0, 0x1d][..], &counted(2, &key)].concat();
    let mut extensions = vec![
        extension(0, &counted(2, &[&[0][..], &counted(2, b"localhost")].concat())),
        extension(10, &counted(2, &[0, 0x1d, 0, 0x17])),
        extension(11, &counted(1, &[0])),
        extension(13, &counted(2, &[4, 3, 8, 4, 4, 1, 8, 7])),
        extension(16, &counted(2, &counted(1, b"http/1.1"))),
        extension(23, &[]),
    ];
    if newest {
        extensions.push(extension(43, &counted(1, &[3, 4, 3, 3])));
        // One without a key is asked for it.
        extensions.push(extension(51, &counted(2, if random.once_in(4) { &[] } else { &share })));
    }
    if random.once_in(3) {
        let (one, other) = (random.below(extensions.len()), random.below(extensions.len()));
        extensions.swap(one, other);
    }
    if random.once_in(4) {
        let one = random.below(extensions.len());
        random.break_bytes(&mut extensions[one]);
    }
    let mut body = vec![3, 3];
    body.extend(random.bytes(32));
    body.extend(counted(1, &random.bytes(32)));
    body.extend(counted(2, suites));
    body.extend(counted(1, &[0]));
    body.extend(counted(2, &extensions.concat()));
    message(CLIENT_HELLO, &body)
}
/// A message in one record, or in several.
fn sent(random: &mut Random, kind: u8, message: &[u8]) -> Vec<u8> {
    if random.once_in(4) && message.len() > 1 {
        let at = 1 + random.below(message.len() - 1);
        return [record(kind, &message[..at]), record(kind, &message[at..])].concat();
    }
    record(kind, message)
}
/// What a client sends behind its greeting.
fn next(random: &mut Random) -> Vec<u8> {
    let sealed = 17 + random.below(300);
    let bytes = random.bytes(sealed);
    match random.below(7) {
        0 => record(CHANGE, &[1]),
        1 => {
            let key = message(CLIENT_KEY_EXCHANGE, &counted(1, &bytes[..bytes.len().min(32)]));
            sent(random, HANDSHAKE, &key)
        }
        2 => record(HANDSHAKE, &message(FINISHED, &bytes[..12])),
        3 => record(ALERT, &[random.one_of(&[1, 2]), random.one_of(&[0, 40, 80, 90])]),
        4 => {
            let newest = random.once_in(2);
            let again = greeting(random, newest);
            sent(random, HANDSHAKE, &again)
        }
        5 => record(HANDSHAKE, &bytes),
        _ => record(DATA, &bytes),
    }
}

struct Wire<'a> {
    random: &'a mut Random,
    sends: Vec<u8>,
    at: usize,
    ends: bool,
    said: usize,
}
impl Stream for Wire<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let left = self.sends.len() - self.at;
        if left == 0 {
            return if self.ends { Ok(0) } else { Err(Error::EAGAIN) };
        }
        let count = left.min(buffer.len()).min(1 + self.random.below(900));
        if count == 0 || self.random.once_in(4) {
            return Err(Error::EAGAIN);
        }
        buffer[..count].copy_from_slice(&self.sends[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if self.random.once_in(3) {
            return Err(self.random.one_of(&[Error::EAGAIN, Error::EAGAIN, Error::EAGAIN, Error::EPIPE]));
        }
        let count = bytes.len().min(1 + self.random.below(2000));
        self.said += count;
        Ok(count)
    }
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
pub fn handshakes(random: &mut Random) {
    let newest = random.once_in(2);
    let mut hello = greeting(random, newest);
    if random.once_in(3) {
        random.break_bytes(&mut hello);
    }
    let mut parts = vec![sent(random, HANDSHAKE, &hello)];
    for _ in 0..random.below(6) {
        parts.push(next(random));
    }
    if random.once_in(3) {
        let one = random.below(parts.len());
        random.break_bytes(&mut parts[one]);
    }
    if random.once_in(30) {
        // One that says that much is to come, and sends it.
        let count = 20_000 + random.below(60_000);
        let byte = random.one_of(&[0, HANDSHAKE, DATA, 0xff]);
        parts.push(vec![byte; count]);
    }
    let ends = random.once_in(2);
    let mut wire = Wire { random, sends: parts.concat(), at: 0, ends, said: 0 };
    let mut secure = Secure::new(Through(&mut wire), server()).expect("a connection");
    let mut buffer = [0; 500];
    let mut over = false;
    for _ in 0..20_000 {
        match secure.read(&mut buffer) {
            Ok(0) => over = true,
            Ok(count) => panic!("{count} bytes came through without a key"),
            Err(Error::EAGAIN) => {}
            Err(_) => over = true,
        }
        match secure.write(b"HTTP/1.1 200 OK\r\n\r\n") {
            Ok(0) | Err(_) => {}
            Ok(_) => panic!("an answer was taken before the handshake was over"),
        }
        if over {
            break;
        }
    }
    drop(secure);
    assert!(over || wire.at == wire.sends.len(), "what has come is not looked at");
    assert!(over || !ends, "it waits for who has gone");
    assert!(wire.said <= ANSWERS, "{} bytes of answers", wire.said);
}
/// The wire of a case, which is looked at when the connection is over.
struct Through<'a, 'b>(&'a mut Wire<'b>);
impl Stream for Through<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.0.read(buffer)
    }
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes)
    }
    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}
