//! Events of a component that extensions are linked into: who handles them, and what becomes of who does it wrong.
//!
//! What [`exports`](../exports/index.html) makes of an interface raises an event through its *cell*, a word that leads to a function of the event's form: to the
//! default's where nobody handles it, so that an event nobody cares for costs a load and a jump, else to [`Event::handle`], or, where one handles it alone, the machine's own code (`arch::activation`). There each handler is an
//! *activation*: it runs on a stack of its own, and beside it lies a *landing record*, the registers that a function's caller may rely on. Whatever becomes of the
//! handler, a panic, a fault in its text, its stack's end, its time's, the thread goes on at the landing, the raiser gets the default, and the extension is
//! taken out. Nothing of it is unwound and nothing of it is dropped: what it has is its stack and its arena, and both are the activation's.
//!
//! A host's procedure runs on the stack of the activation that calls it, with [`RESERVE`] left of it at least, and is never left half done: an
//! activation ends in the extension's own text only, or at the door of a procedure.
//!
//! **Lists and marks.** An event's handlers are a list that is replaced as a whole. Who raises the event the long way notes the list in a *mark* of its thread's and looks then whether it is still
//! the event's; by the quick way he notes the event, until he has an activation. Who has replaced it waits until it is in no mark: nobody comes to it any more; and an extension goes when
//! its activations are all back. So what is reached by a list, the extension's pages among that, is there as long as somebody may be in it, and raising takes no lock and no
//! atomic operation but those that take an activation and give it back.
#![cfg_attr(target_os = "none", no_std)]
#![feature(allocator_api)]
// On this machine only its tests use what the keeper does.
#![cfg_attr(not(any(test, target_os = "none")), allow(dead_code))]

extern crate alloc;
// What is generated names it so.
extern crate self as dispatch;

mod activation;
mod choice;
mod event;
mod guard;
#[cfg(test)]
mod guard_tests;
mod handler;
#[cfg(target_os = "none")]
mod keeper;
mod linked;
#[cfg(target_os = "none")]
mod machine;
#[cfg(not(target_os = "none"))]
#[path = "simulated.rs"]
mod machine;
#[cfg(target_os = "none")]
mod offer;
mod registry;
pub mod runtime;
mod state;
#[cfg(test)]
mod tests;
mod thread;
#[cfg(target_os = "none")]
mod wake;

pub use activation::{apart, wrong};
pub use event::{Event, Handled, Results, Said};
pub use guard::{Argument, Numbers};
#[cfg(target_os = "none")]
pub use keeper::start;
pub use linked::{Draft, Linked};
pub use machine::Page;
#[cfg(target_os = "none")]
pub use offer::{Asked, Decides, Exported, offer};
pub use registry::{Ended, ended, link, linked, unlink};
pub use state::Why;

/// The address of a host's procedure as extensions call it: `door!(body::<P>, P: Procedures)`. It begins where [`RESERVE`] bytes of the activation's stack are left; else that ends.
#[macro_export]
macro_rules! door {
    ($body:path $(, $generic:ident: $bound:path)?) => {
        $crate::machine_door!($body, { $crate::Why::Stack as usize } $(, $generic: $bound)?)
    };
}
/// What the cell of event `$at` in the array `$events` leads to where one extension alone handles it; `$handled` is its function for where it is not so.
#[macro_export]
macro_rules! quick {
    ($events:ident, $at:literal, $handled:path) => {
        $crate::machine_quick!($events, $at, { size_of::<$crate::Event>() }, $handled)
    };
}
/// The same where there are several, and guards tell which of them is called.
#[macro_export]
macro_rules! chosen {
    ($events:ident, $at:literal, $handled:path) => {
        $crate::machine_chosen!($events, $at, { size_of::<$crate::Event>() }, $handled)
    };
}
/// Says in the program that it is a host of extensions by this name, for who checks manifests: `host!("internet")`. It is one once it has called [`offer`] with that.
#[macro_export]
macro_rules! host {
    ($name:literal) => {
        const _: () = {
            #[used]
            #[unsafe(link_section = ".pebble.provides")]
            static PROVIDED: $crate::abi::section::Provided = $crate::abi::section::Provided {
                name: $crate::abi::section::padded(concat!("link.", $name)),
                spec: $crate::abi::section::padded($crate::abi::linking::SPECIFICATION),
                entry: core::ptr::null(),
                constant: 0,
            };
        };
    };
}
#[doc(hidden)]
pub use abi;
#[cfg(target_os = "none")]
#[doc(hidden)]
pub use arch::{chosen as machine_chosen, door as machine_door, quick as machine_quick};

/// An interface, as its host exports it.
pub struct Interface {
    pub name: &'static str,
    /// SHA-256 of its declaration.
    pub identity: [u8; 32],
    /// By their places.
    pub events: &'static [Event],
}

/// Most extensions that are linked in, and so most handlers of an event.
pub const MOST: usize = abi::linking::EXTENSIONS;
/// An extension's name, with zeros behind it.
pub type Name = [u8; extension::MOST_NAME];
/// Words that a call passes, in registers.
pub const WORDS: usize = 8;
/// Bytes of an activation's stack that are left where a host's procedure begins, at least.
pub const RESERVE: usize = 8192;
/// Activations of an extension at one time; who raises the event meanwhile gets the default.
pub const ACTIVATIONS: usize = 4;
/// Events that are raised the long way within each other, in one thread; the quick way ends where there are no more activations.
pub const DEPTH: usize = 16;
