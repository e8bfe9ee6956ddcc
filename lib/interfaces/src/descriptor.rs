//! What has been opened: a file, a directory, one side of a pipe, a socket. Whoever opens it is granted four consecutive portals, and calls them by
//! the first one's number; their server tells by the constant what is meant.

use crate::declaration::fit;
use crate::types::{Alleged, Identity, Word};
#[cfg(target_os = "none")]
use crate::types::{Answer, PortalNumber, Result};
use crate::{Argument, Portal};
use abi::file::portal;
use abi::system::{GRANTS, Granted};

/// The entry points of what provides such portals. Each gets the constant first.
#[derive(Clone, Copy)]
pub struct Server {
    /// Some of the bytes that there are, into what one window shows → how many
    pub read: extern "C" fn(usize, Alleged<u8>, usize) -> isize,
    pub write: extern "C" fn(usize, Alleged<u8>, usize) -> isize,
    /// Moves the position by so much from there (`abi::file::whence`) → where it is
    pub seek: extern "C" fn(usize, isize, usize) -> isize,
    /// One of the operations of `abi::file` and `abi::internet`, with a window on what that takes or gives
    pub control: extern "C" fn(usize, Identity, usize, Alleged<()>) -> isize,
}
macro_rules! portals {
    ($($name:literal, $specification:literal, [$($inserted:ident: $inserted_type:ty),+], ($($argument:ident: $type:ty),+);)+) => {
        /// The four, with letters for a server with a queue of stacks; none of them has a name that could be opened.
        pub const PORTALS: &[Portal] = &[$(Portal {
            name: $name,
            specification: $specification,
            number: None,
            inserted: [$(stringify!($inserted)),+].len(),
            arguments: &[
                $(Argument { name: stringify!($inserted), kind: <$inserted_type as Word>::KIND },)+
                $(Argument { name: stringify!($argument), kind: <$type as Word>::KIND }),+
            ],
            result: "Result<usize>",
            means: "",
        }),+];
    };
}
portals! {
    "read", "npcwi", [of: usize], (buffer: Alleged<u8>, bytes: usize);
    "write", "npcri", [of: usize], (buffer: Alleged<u8>, bytes: usize);
    "seek", "npcii", [of: usize], (offset: isize, whence: usize);
    "control", "npcdiw", [of: usize, domain: Identity], (operation: usize, what: Alleged<()>);
}
const _: () = {
    assert!(PORTALS.len() == GRANTS && portal::COUNT == GRANTS);
    let mut n = 0;
    while n < GRANTS {
        let portal = &PORTALS[n];
        abi::specification::assert(portal.specification);
        assert!(
            fit(portal.specification, portal.arguments, portal.inserted),
            "a letter passes something else than its argument"
        );
        n += 1;
    }
};
impl Server {
    /// What is granted, by portals whose specifications begin with the letters for stack and state.
    pub fn granted(self, letters: [u8; 2]) -> [Granted; GRANTS] {
        let entries =
            [self.read as *const (), self.write as *const (), self.seek as *const (), self.control as *const ()];
        core::array::from_fn(|n| {
            let mut spec = abi::section::padded(PORTALS[n].specification);
            [spec[0], spec[1]] = letters;
            Granted { spec, entry: entries[n] as usize as u64 }
        })
    }
}

#[cfg(target_os = "none")]
#[inline(always)]
fn call<const N: usize>(PortalNumber(first): PortalNumber, which: usize, words: [usize; N]) -> Result<usize> {
    abi::error::check(arch::component::call(first + which, words)).map(Answer::of)
}
/// Reads some bytes into what lies in the buffer's first page; 0: there are no more.
#[cfg(target_os = "none")]
#[inline(always)]
pub fn read(first: PortalNumber, buffer: Alleged<u8>, bytes: usize) -> Result<usize> {
    call(first, portal::READ, [buffer.word(), bytes])
}
/// Writes bytes that lie in one page; how many.
#[cfg(target_os = "none")]
#[inline(always)]
pub fn write(first: PortalNumber, buffer: Alleged<u8>, bytes: usize) -> Result<usize> {
    call(first, portal::WRITE, [buffer.word(), bytes])
}
/// Moves the position; where it is.
#[cfg(target_os = "none")]
#[inline(always)]
pub fn seek(first: PortalNumber, offset: isize, whence: usize) -> Result<usize> {
    call(first, portal::SEEK, [offset.word(), whence])
}
/// An operation, with what it takes or gives.
#[cfg(target_os = "none")]
#[inline(always)]
pub fn control<T>(first: PortalNumber, operation: usize, what: Alleged<T>) -> Result<usize> {
    call(first, portal::CONTROL, [operation, what.word()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::section::text;

    extern "C" fn transfer(_: usize, _: Alleged<u8>, _: usize) -> isize {
        0
    }
    extern "C" fn seek(_: usize, _: isize, _: usize) -> isize {
        1
    }
    extern "C" fn control(_: usize, _: Identity, _: usize, _: Alleged<()>) -> isize {
        2
    }
    #[test]
    fn what_is_granted_has_the_servers_letters_and_the_clients_order() {
        let granted = Server { read: transfer, write: transfer, seek, control }.granted(*b"sm");
        assert_eq!(granted.map(|g| text(&g.spec).to_string()), ["smcwi", "smcri", "smcii", "smcdiw"]);
        assert_eq!(granted[portal::SEEK].entry, seek as *const () as u64);
        assert_eq!(granted[portal::CONTROL].entry, control as *const () as u64);
    }
}
