//! Portal specifications, and the code generated from them.
//!
//! What is here is said of every machine: specifications and the letters' templates, what a connection is and what its frame holds, and
//! the checks of code that servers bring: its form ([`form`]), and what it may reach ([`confinement`], [`short_circuit`]). What is
//! written then, in the machine's instructions, is behind [`machine`]: the second half of the seam whose first is `lib/arch`. It is not
//! in that library, because a back end of the generator speaks of all that is above, and components that ask the processor for
//! something speak of none of it.
//!
//! Pure: it reads and writes words in memory that the caller gives. The portal manager uses it on the machine, the
//! image builder on the host, and the disassembler in the shell.
#![cfg_attr(not(test), no_std)]
// On the machine, what is rarely done is small rather than fast.
#![cfg_attr(target_os = "none", feature(optimize_attribute))]

pub mod confinement;
pub mod connection;
pub mod form;
pub mod frame;
pub mod riscv64;
pub mod short_circuit;
pub mod specification;
pub mod template;
pub mod uses;
mod values;
pub mod writer;

/// The back end. There is one so far.
pub use riscv64 as machine;

pub use connection::{Block, Connection, Count, End, GenerateError, ShortCircuit, Trace};
pub use form::Refused;
pub use machine::{answer, counted, disassemble, emit, generate, lower, outward, parked, recorder, software};
pub use specification::{Reason, Rejected, Specification};
pub use template::Templates;
pub use uses::Uses;
pub use writer::Writer;
