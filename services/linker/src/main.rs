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
use abi::name::Name;
use abi::section::{NAME, text};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Write;
use extension::keys::{self, Keys};
use host::Host;
use linker_logic::{Refused, Table, Uploads, Whose, plan};
use pebble::fallible::{self, TryPush};
use pebble::interfaces::types::{Alleged, Identity};
use pebble::interfaces::{domains, init};
use pebble::page::Page;
use pebble::sync::Mutex;
use pebble::{Error, Result, account};

pebble::server!(start);
pebble::serve! { linker { begin, add, link, unlink, linked } }

// ring has no random bytes here, and needs none: nothing is signed.
getrandom::register_custom_getrandom!(random);
fn random(_: &mut [u8]) -> core::result::Result<(), getrandom::Error> {
    Err(getrandom::Error::UNSUPPORTED)
}

/// Whose extensions are linked in; nothing: nobody's.
static KEYS: Mutex<Option<Arc<Keys>>> = Mutex::new(None);
static UPLOADS: Mutex<Uploads> = Mutex::new(Uploads::new());
static TABLE: Mutex<Table> = Mutex::new(Table::new());

/// The file of the image that has the keys.
fn keys() -> Result<Keys> {
    let mut page = fallible::boxed(Page([0; abi::address::PAGE]))?;
    for number in 0.. {
        init::file(number, usize::MAX, Alleged::lend_all_to_write(&mut page.0))?;
        if Name::new(&page.0).is_ok_and(|name| name.text() == keys::PATH) {
            return read(number, &mut page);
        }
    }
    Err(Error::ENOENT)
}
fn read(number: usize, page: &mut Page) -> Result<Keys> {
    let mut all = Vec::new();
    while let count @ 1.. = init::file(number, all.len(), Alleged::lend_all_to_write(&mut page.0))? {
        all.room_for(count)?;
        all.extend_from_slice(&page.0[..count]);
    }
    let text = core::str::from_utf8(&all).map_err(|_| Error::EINVAL)?;
    Keys::parse(text).map_err(|why| {
        pebble::say(format_args!("{}: {why}", keys::PATH));
        Error::EINVAL
    })
}
fn start(_: &pebble::Env) {
    *KEYS.lock() = keys().ok().and_then(|keys| Arc::try_new(keys).ok());
}
/// Who calls.
fn whose(client: Identity) -> Result<Whose> {
    Ok(Whose { client: client.0 as u64, account: account::of_caller()?.number() })
}
extern "C" fn begin(client: Identity, bytes: usize) -> isize {
    let begin = || {
        let whose = whose(client)?;
        let mut uploads = UPLOADS.lock();
        uploads.keep(|client| domains::account_of(Identity(client as usize)).is_ok());
        uploads.begin(whose, bytes)
    };
    begin().map_or_else(Error::code, |()| 0)
}
extern "C" fn add(client: Identity, bytes: Alleged<u8>, length: usize) -> isize {
    let add = || {
        // SAFETY: it is only read.
        let window = unsafe { bytes.window(length) }?;
        let mut page = fallible::boxed(Page([0; abi::address::PAGE]))?;
        let count = window.copy_to(&mut page.0);
        UPLOADS.lock().add(whose(client)?, &page.0[..count])
    };
    add().map_or_else(Error::code, |()| 0)
}
/// Asks all hosts what they have. Of one that is gone nothing is said any more; of one that takes its time what was known before.
fn refresh() -> Result<()> {
    let hosts = TABLE.lock().hosts()?;
    for name in hosts {
        match host::with(text(&name), |host| linker_logic::said(|what| host.info(what))) {
            Ok(Ok(said)) => TABLE.lock().replace(&name, &said),
            Ok(Err(Error::EDEAD | Error::EPORTAL)) | Err(Error::ENOENT | Error::EDEAD) => {
                TABLE.lock().replace(&name, &[]);
            }
            _ => {}
        }
    }
    Ok(())
}
/// What the client gets to read where it is refused.
struct Text([u8; WHY], usize);
impl Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        // The last byte stays 0.
        let room = &mut self.0[self.1..WHY - 1];
        let count = text.floor_char_boundary(room.len());
        room[..count].copy_from_slice(&text.as_bytes()[..count]);
        self.1 += count;
        Ok(())
    }
}
fn said(why: &Refused) -> [u8; WHY] {
    let mut text = Text([0; WHY], 0);
    // As much as has room.
    let _ = write!(text, "{why}");
    text.0
}
/// What becomes of a file, and why.
#[derive(Clone, Copy)]
struct Outcome {
    result: Result<usize>,
    why: [u8; WHY],
}
/// Links a file in; by a thread of the linker's own.
fn put(file: &[u8], host: &mut Host) -> Outcome {
    let put = |host: &mut Host| {
        let keys = KEYS.lock().clone().ok_or((Error::EACCESS, Some(Refused::NoKeys)))?;
        let exported = host.exported()?;
        let plan = plan(file, &keys, &exported).map_err(|why| (code(&why), Some(why)))?;
        let number = host.put(&plan).map_err(|error| (error, None))?;
        Ok((number, plan))
    };
    match put(host) {
        Ok((number, plan)) => {
            TABLE.lock().note(host.name(), number, &plan.extension);
            Outcome { result: Ok(number), why: [0; WHY] }
        }
        Err((error, why)) => Outcome { result: Err(error), why: why.map_or([0; WHY], |why: Refused| said(&why)) },
    }
}
/// What it is refused with.
fn code(why: &Refused) -> Error {
    match why {
        Refused::NoKeys
        | Refused::UnknownKey
        | Refused::RevokedKey
        | Refused::Signature
        | Refused::NotForKey(_)
        | Refused::Compiler => Error::EACCESS,
        Refused::NoMemory => Error::ENOMEM,
        _ => Error::EINVAL,
    }
}
extern "C" fn link(client: Identity, request: Alleged<Request>) -> isize {
    let link = || {
        let mut asked = request.read()?;
        let file = UPLOADS.lock().take(whose(client)?)?;
        let outcome = host::with(text(&asked.host), move |host| put(&file, host))?;
        asked.why = outcome.why;
        // SAFETY: the letter of its argument shows it for writing.
        unsafe { request.write(&asked) }?;
        outcome.result
    };
    link().map_or_else(Error::code, |number| number as isize)
}
extern "C" fn unlink(name: Alleged<[u8; NAME]>, number: usize) -> isize {
    let unlink = || {
        let name = name.read()?;
        host::with(text(&name), move |host| host.take_out(number))?
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
