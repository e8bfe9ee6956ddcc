//! Starting components: which there are, and what each is given.

use crate::Lent;
use abi::name::Short;
use abi::spawn::{HEADER, Header};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::file::File;
use pebble::interfaces::types::{Alleged, Identity};
use pebble::interfaces::{domains, init};
use pebble::{Error, Result};

/// The component that the tools are in.
pub const TOOLS_COMPONENT: &str = "tools";

/// Names of the system's components.
pub fn components() -> impl Iterator<Item = String> {
    (0..).map_while(|n| {
        let mut name = Lent([0u8; abi::section::NAME]);
        init::components(n, Alleged::lend_to_write(&mut name.0)).ok().map(|()| abi::section::text(&name.0).into())
    })
}

/// Starts a component as init's own, which starts it again where it fails.
pub fn spawn(name: &str) -> Result<()> {
    let shown = Short::of(name.as_bytes());
    init::spawn(Alleged::lend_all(shown.bytes()), name.len()).map(|_| ())
}

/// What a standard stream of a program is: `None`: the console.
pub type Streams = [Option<File>; 3];

/// A page of its own, which a window shows.
#[repr(align(4096))]
struct Page([u8; abi::address::PAGE]);

/// Loads a component with its arguments, variables and streams, and lets it run; its domain, and no other that has its number later. `ENOENT`: there is
/// none of that name; `E2BIG`-like `EINVAL`: the words do not fit in a page.
pub fn start(words: &[String], variables: &[String], streams: &Streams) -> Result<Identity> {
    let inherited = (0..streams.len()).filter(|&n| streams[n].is_some()).map(|n| 1u64 << n).sum();
    let header = Header { words: words.len() as u64, inherited };
    let mut bytes: Vec<u8> = [header.words.to_le_bytes(), header.inherited.to_le_bytes()].concat();
    debug_assert_eq!(bytes.len(), HEADER);
    for text in words.iter().chain(variables) {
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    }
    // SAFETY: bytes. Made in place: the stack has no room for it.
    let mut page: Box<Page> = unsafe { Box::new_zeroed().assume_init() };
    page.0.get_mut(..bytes.len()).ok_or(Error::EINVAL)?.copy_from_slice(&bytes);
    let domain = init::load(Alleged::lend_all(&page.0), bytes.len())?;
    let handed = streams.iter().enumerate().try_for_each(|(n, stream)| match stream {
        Some(file) => file.hand_over(domain, n),
        None => Ok(()),
    });
    match handed.and_then(|()| init::start(domain)) {
        Ok(_) => Ok(domain),
        Err(error) => {
            let _ = domains::destroy(domain);
            Err(error)
        }
    }
}
