//! The linker: puts signed extensions into components that are hosts of them (`lib/dispatch`), and takes them out.
//!
//! It has the one parser of extensions' files, and the image's keys. A host gets finished pages and a table of entries, through a portal of its own that nobody else may open.
//! It opens nothing in a client's name: files come in pieces from who has them.
//!
//! A host may be anything: what it says is looked at, and it is waited for [`PATIENCE`] at most. A thread of the linker's own talks to it, one at a time.
#![no_std]
#![no_main]
#![feature(allocator_api)]

extern crate alloc;

mod host;

use abi::linking::{Linked, Request, WHY};
use abi::section::text;
use alloc::sync::Arc;
use alloc::vec::Vec;
use extension::Digest;
use host::Host;
use keyring::{EXTENSIONS, Keys, Signs};
use linker_logic::{Refused, Table, plan};
use pebble::interfaces::types::{Alleged, Identity};
use pebble::sync::Mutex;
use pebble::{Error, Result};
use upload::served::{self, whose};
use upload::{Said, Uploads};

pebble::server!(start);
pebble::serve! { linker { begin, add, link, unlink, linked } }

/// Whose extensions are linked in; nothing: nobody's.
static KEYS: Mutex<Option<Arc<Keys>>> = Mutex::new(None);
static UPLOADS: Mutex<Uploads> = Mutex::new(Uploads::new(extension::MOST_BYTES, 4 * extension::MOST_BYTES));
static TABLE: Mutex<Table> = Mutex::new(Table::new(1));

fn start(_: &pebble::Env) {
    match keyring::image::keys(EXTENSIONS) {
        Ok(keys) => *KEYS.lock() = Some(keys),
        Err(error) => pebble::say(format_args!("{}: {}: nothing is linked in", EXTENSIONS.path, error.text())),
    }
    // One that ran before this has given fewer than one in a microsecond.
    *TABLE.lock() = Table::new(pebble::time::time() / (pebble::time::TIMEBASE / 1_000_000));
}
extern "C" fn begin(client: Identity, bytes: usize) -> isize {
    served::begin(&UPLOADS, client, bytes)
}
extern "C" fn add(client: Identity, bytes: Alleged<u8>, length: usize) -> isize {
    served::add(&UPLOADS, client, bytes, length)
}
/// Asks all hosts what they have. Of one that is gone nothing is said any more; of one that takes its time what was known before.
fn refresh() -> Result<()> {
    let hosts = TABLE.lock().hosts()?;
    let end = pebble::time::time() + host::SECONDS * pebble::time::TIMEBASE;
    for name in hosts.into_iter().take_while(|_| pebble::time::time() < end) {
        match host::with(text(&name), |host| linker_logic::said(|what| host.info(what))) {
            Ok(Ok(said)) => TABLE.lock().replace(&name, &said),
            Err(Error::ENOENT) => {
                TABLE.lock().replace(&name, &[]);
            }
            _ => {}
        }
    }
    Ok(())
}
/// What becomes of a file, and why.
#[derive(Clone, Copy)]
struct Outcome {
    result: Result<usize>,
    why: [u8; WHY],
}
impl Outcome {
    fn refused(why: &Refused) -> Outcome {
        Outcome { result: Err(code(why)), why: *Said::of(format_args!("{why}")).bytes() }
    }
}
/// Links a file in whose key may sign for that; by a thread of the linker's own.
fn put(file: &[u8], signs: &Signs, compiler: Digest, host: &mut Host) -> Outcome {
    let put = |host: &mut Host| {
        let exported = host.exported()?;
        let plan = plan(file, signs, compiler, &exported).map_err(|why| (code(&why), Some(why)))?;
        let number = host.put(&plan)?;
        let noted = TABLE.lock().note(host.name(), number, &plan.extension);
        noted.map_err(|error| {
            // What nobody could take out is not there.
            let _ = host.take_out(number);
            (error, None)
        })
    };
    match put(host) {
        Ok(number) => Outcome { result: Ok(number), why: [0; WHY] },
        Err((_, Some(why))) => Outcome::refused(&why),
        Err((error, None)) => Outcome { result: Err(error), why: [0; WHY] },
    }
}
/// What becomes of a client's file.
fn outcome(file: Vec<u8>, host: &str) -> Result<Outcome> {
    let Some(keys) = KEYS.lock().clone() else { return Ok(Outcome::refused(&Refused::NoKeys)) };
    // By the client's own thread, before anybody is asked anything.
    match linker_logic::signed(&file, &keys) {
        Ok(signs) => {
            let (signs, compiler) = (signs.clone(), keys.made);
            host::with(host, move |host| put(&file, &signs, compiler, host))
        }
        Err(why) => Ok(Outcome::refused(&why)),
    }
}
/// What it is refused with.
fn code(why: &Refused) -> Error {
    match why {
        Refused::NoKeys | Refused::Unsigned(_) | Refused::NotForKey(_) | Refused::Compiler | Refused::NotLet => {
            Error::EACCESS
        }
        Refused::NoMemory => Error::ENOMEM,
        _ => Error::EINVAL,
    }
}
extern "C" fn link(client: Identity, request: Alleged<Request>) -> isize {
    let link = || {
        let mut asked = request.read()?;
        let file = UPLOADS.lock().take(whose(client)?)?;
        let outcome = outcome(file, text(&asked.host))?;
        asked.why = outcome.why;
        // SAFETY: the letter of its argument shows it for writing.
        unsafe { request.write(&asked) }?;
        outcome.result
    };
    link().map_or_else(Error::code, |number| number as isize)
}
extern "C" fn unlink(number: usize) -> isize {
    let unlink = || {
        let (name, there) = TABLE.lock().find(number)?;
        let taken = host::with(text(&name), move |host| host.take_out(there))?;
        if matches!(taken, Ok(()) | Err(Error::ENOENT)) {
            TABLE.lock().forget(number);
        }
        taken
    };
    unlink().map_or_else(Error::code, |()| 0)
}
extern "C" fn linked(n: usize, out: Alleged<Linked>) -> isize {
    let linked = || {
        if n == 0 {
            refresh()?;
        }
        let found = TABLE.lock().get(n)?;
        // SAFETY: the letter of its argument shows it for writing.
        unsafe { out.write(&found) }
    };
    linked().map_or_else(Error::code, |()| 0)
}
