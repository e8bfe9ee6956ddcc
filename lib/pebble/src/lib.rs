//! The Rust SDK: what a component needs to provide portals, open others' and use the system.
//!
//! A component is a `no_std` binary that names its start with [`program!`] or [`server!`], declares portals with
//! [`provide!`] and [`import!`], and otherwise looks like any Rust program.
#![no_std]
#![feature(allocator_api)]

extern crate alloc;

pub use abi;
pub use abi::Error;
pub use arch;
pub use embedded_io;
pub use fallible;
pub use interfaces;
pub use log;
pub use module::module;

pub mod account;
pub mod boot;
mod bytes;
pub mod capability;
pub mod component;
pub mod console;
pub mod deadline;
pub mod directory;
pub mod faults;
pub mod file;
pub mod future;
pub mod heap;
pub mod image;
pub mod interface;
pub mod internet;
pub mod linker;
pub mod locks;
pub mod logger;
pub mod page;
pub mod portal;
pub mod protected;
pub mod protection;
pub mod random;
mod refused;
pub mod rights;
mod standard;
pub mod start;
pub mod sync;
pub mod thread;
pub mod time;
pub mod updates;

pub use start::{Env, run_boot_server, run_program, run_server};

/// Result of a call into the system.
pub type Result<T> = core::result::Result<T, Error>;

pub use abi::error::check;

#[doc(hidden)]
pub use arch::component::stop;
/// Bytes of what a server's panic says, with its place.
const MESSAGE: usize = 256;
/// Text of so many bytes at most; it does not cross a page boundary.
#[repr(align(256))]
struct Message([u8; MESSAGE], usize);
impl core::fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = &mut self.0[self.1..];
        let count = text.len().min(room.len());
        room[..count].copy_from_slice(&text.as_bytes()[..count]);
        self.1 += count;
        Ok(())
    }
}
/// Says a line in the system log, under the component's name: up to 256 bytes of it.
pub fn say(text: core::fmt::Arguments) {
    use core::fmt::Write;
    use interfaces::init;
    use interfaces::types::{Alleged, PortalNumber};
    let mut message = Message([0; MESSAGE], 0);
    let _ = message.write_fmt(text);
    if let Ok(log) = start::open(init::name::say) {
        let _ = init::through::say(PortalNumber(log), Alleged::lend_all(&message.0), message.1);
    }
}
/// What a server's panic does: it says in the system log what happened and where, and ends the domain.
#[doc(hidden)]
pub fn panic_on_log(info: &core::panic::PanicInfo) -> ! {
    match info.location() {
        Some(place) => say(format_args!("panic at {}:{}: {}", place.file(), place.line(), info.message())),
        None => say(format_args!("panic: {}", info.message())),
    }
    stop()
}
/// What a panic does.
#[doc(hidden)]
pub fn panic_silently(_: &core::panic::PanicInfo) -> ! {
    stop()
}
/// The same for a program, which says first what happened.
#[doc(hidden)]
pub fn panic_on_console(info: &core::panic::PanicInfo) -> ! {
    eprintln!("{info}");
    stop()
}
