//! A RISC-V machine that keeps all that the architecture lets a core keep.
//!
//! It executes RV64GC with Zba in supervisor and user mode, with Sv39, `stimecmp` and the devices of QEMU's `virt`; the firmware's part
//! is its own. What QEMU and a small core forget by themselves stays here until it is fenced: translations, pointers to page
//! tables, pages found missing ([`translate`]), what a walk of its own may have found ([`unseen`]), and instructions (until `fence.i`). A
//! translation that may be used although the tables do not have it any more is a violation, which is reported with who wrote the table ([`stale`]). A
//! reservation outlives traps and stores of the same hart. Nobody who is not trusted finds an address of the supervisor's in a register ([`secrets`]).
//!
//! Runs repeat: time goes by instructions. With a seed, time jumps now and then to where the timer interrupts, as if the machine
//! had been stopped meanwhile: so an interrupt comes between any two instructions of user mode sooner or later, and time slices have
//! every length.
//!
//! A fault can be injected into a domain ([`injection`]); a program that injects them is asked by a hint of its system's, and answers.
//!
//! Floating-point arithmetic rounds to nearest and raises no flags.

mod compressed;
mod control;
mod decode;
mod devices;
mod entry;
mod execute;
mod faults;
mod floating;
mod injection;
mod leaks;
mod machine;
mod masked;
mod memory;
mod mutate;
mod secrets;
mod stale;
mod translate;
mod unseen;

pub use entry::{Name, Whose};
pub use injection::{Fault, Kind, Places, Struck};
pub use machine::{Fence, Machine, Settings, Stopped};
pub use masked::Masked;
pub use mutate::Mutation;
pub use secrets::{Leak, Secrets};
pub use stale::{Stale, Writer};
pub use translate::Missing;

/// Where RAM begins.
pub const RAM_BASE: u64 = 0x8000_0000;
/// Cycles in a unit of the timer's time: a core of 1 GHz, and a timer of 10 MHz as on `virt`.
pub const CYCLES_PER_TIME: u64 = 100;

#[cfg(test)]
mod tests;
