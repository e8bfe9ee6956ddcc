//! The portals through which clients give their files, for a service that takes them.

use crate::{Uploads, Whose};
use pebble::interfaces::domains;
use pebble::interfaces::types::{Alleged, Identity};
use pebble::page::Page;
use pebble::sync::Mutex;
use pebble::{Error, Result, account, fallible};

/// Who calls.
pub fn whose(client: Identity) -> Result<Whose> {
    Ok(Whose { client: client.0 as u64, account: account::of_caller()?.number() })
}
/// The caller begins a file of so many bytes: what a portal answers. What was begun by whom there is no more is forgotten.
pub fn begin(uploads: &Mutex<Uploads>, client: Identity, bytes: usize) -> isize {
    let begin = || {
        let whose = whose(client)?;
        let mut uploads = uploads.lock();
        uploads.keep(|client| domains::account_of(Identity(client as usize)).is_ok());
        uploads.begin(whose, bytes)
    };
    begin().map_or_else(Error::code, |()| 0)
}
/// The next bytes of it, which a window shows: what a portal answers.
pub fn add(uploads: &Mutex<Uploads>, client: Identity, bytes: Alleged<u8>, length: usize) -> isize {
    let add = || {
        // SAFETY: it is only read.
        let window = unsafe { bytes.window(length) }?;
        let mut page = fallible::boxed(Page([0; abi::address::PAGE]))?;
        let count = window.copy_to(&mut page.0);
        uploads.lock().add(whose(client)?, &page.0[..count])
    };
    add().map_or_else(Error::code, |()| 0)
}
