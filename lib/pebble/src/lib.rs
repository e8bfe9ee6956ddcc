//! The Rust SDK: what a component needs to provide portals, open others' and use the system.
//!
//! A component is a `no_std` binary that names its start with [`program!`] or [`server!`], declares portals with
//! [`provide!`] and [`import!`], and otherwise looks like any Rust program.
#![no_std]

extern crate alloc;

pub use abi;
pub use abi::Error;
pub use embedded_io;
pub use fallible;

pub mod boot;
pub mod capability;
pub mod console;
pub mod deadline;
pub mod directory;
pub mod file;
pub mod heap;
pub mod internet;
pub mod portal;
pub mod start;
pub mod sync;
pub mod thread;
pub mod time;

pub use start::{Env, run_boot_server, run_program, run_server};

/// Result of a call into the system.
pub type Result<T> = core::result::Result<T, Error>;

/// Turns a portal's result into a value or an error. An unknown negative number reads as `EINVAL`.
pub fn check(result: isize) -> Result<usize> {
    if (-0xFFFF..0).contains(&result) {
        Err(Error::from_code(result).unwrap_or(Error::EINVAL))
    } else {
        Ok(result as usize)
    }
}

/// Ends the domain with an illegal instruction, so that it is reported as a fault with its place.
#[doc(hidden)]
pub fn stop() -> ! {
    // SAFETY: stops this domain; nothing goes on after it.
    unsafe { core::arch::asm!("unimp", options(noreturn)) }
}
/// What a panic does.
#[doc(hidden)]
pub fn panic_silently(_: &core::panic::PanicInfo) -> ! {
    stop()
}
/// The same for a program, which says first what happened.
#[doc(hidden)]
pub fn panic_on_console(info: &core::panic::PanicInfo) -> ! {
    println!("{info}");
    stop()
}
