//! The HTTP server behind TLS: what lies in one folder of the files component, for who asks by HTTPS. Arguments: `root=www`, `port=443`,
//! `certificate=tls/certificate.pem`, `key=tls/key.pem`: paths of files in PEM, which are read when it starts. Certificates of who vouches for the
//! server's own follow that.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Display;
use core::num::NonZeroU32;
use core::time::Duration;
use http_logic::folder::Folder;
use http_logic::server::{self, Door, Plain};
use https_logic::Secure;
use https_logic::identity::configuration;
use pebble::file::File;
use pebble::interfaces::clock;
use pebble::{Error, Result};
use rustls::ServerConfig;
use rustls::pki_types::UnixTime;
use rustls::time_provider::TimeProvider;

pebble::program!(main);

getrandom::register_custom_getrandom!(random);
fn random(bytes: &mut [u8]) -> core::result::Result<(), getrandom::Error> {
    pebble::random::fill(bytes).map_err(|error| {
        let code = NonZeroU32::new(getrandom::Error::CUSTOM_START + -error.code() as u32);
        code.map_or(getrandom::Error::UNEXPECTED, getrandom::Error::from)
    })
}

/// The clock driver's time.
#[derive(Debug)]
struct Clock;
impl TimeProvider for Clock {
    fn current_time(&self) -> Option<UnixTime> {
        clock::time().ok().map(|time| UnixTime::since_unix_epoch(Duration::from_nanos(time.0 as u64)))
    }
}

/// TLS, with this server's certificates.
struct Gate(Arc<ServerConfig>);
impl Door for Gate {
    type Stream = Secure<Plain>;
    const MEMORY: usize = Secure::<Plain>::MEMORY;
    fn enter(&mut self, stream: Plain) -> Result<Secure<Plain>> {
        Secure::new(stream, &self.0)
    }
}

/// Most bytes of a file with certificates or a key.
const PEM: usize = 64 << 10;

fn content(path: &str) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut bytes = alloc::vec![0; PEM + 1];
    let mut count = 0;
    while count < bytes.len() {
        match file.read(&mut bytes[count..])? {
            0 => break,
            more => count += more,
        }
    }
    bytes.truncate(count);
    if count > PEM { Err(Error::EMSGSIZE) } else { Ok(bytes) }
}
fn refused(what: &str, why: impl Display) -> i32 {
    pebble::println!("pebble: https: {what}: {why}");
    1
}

fn main(env: &pebble::Env) -> i32 {
    let find = |key: &str| (1..env.len()).find_map(|n| env.argument(n)?.strip_prefix(key)?.strip_prefix('='));
    let Ok(port) = find("port").unwrap_or("443").parse() else {
        return refused("its argument \"port=\"", "no port");
    };
    let paths = [find("certificate").unwrap_or("tls/certificate.pem"), find("key").unwrap_or("tls/key.pem")];
    let mut contents = [Vec::new(), Vec::new()];
    for (bytes, path) in contents.iter_mut().zip(paths) {
        *bytes = match content(path) {
            Ok(bytes) => bytes,
            Err(error) => return refused(path, error.text()),
        };
    }
    let configuration = match configuration(&contents[0], &contents[1], Arc::new(Clock)) {
        Ok(configuration) => configuration,
        Err(wrong) => return refused(paths[wrong.file()], wrong),
    };
    // Without random bytes nothing is secret: better no server.
    if let Err(error) = pebble::random::fill(&mut [0]) {
        return refused("random bytes", error.text());
    }
    server::run("https", port, &mut Gate(configuration), &mut Folder::new(find("root").unwrap_or("www")))
}
