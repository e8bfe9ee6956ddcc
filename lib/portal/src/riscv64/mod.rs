//! The back end for RISC-V: what portals are made of. For the supervisor ([`generate()`]), and for hosts of fault domains ([`software`]).
//!
//! A back end has a function for each thing that is said above it: a connection's code, what steps are lowered to, an answer, a gate, what parks calls, what
//! counts a call of the nucleus's own, a recorder of traced ones; and a disassembler that knows exactly the instructions that it writes.

mod call;
mod circuit;
pub mod counted;
mod cross;
pub mod disassemble;
pub mod emit;
pub mod encode;
mod filling;
mod generate;
pub mod lower;
pub mod outward;
mod parked;
pub mod recorder;
mod returns;
pub mod software;
mod tails;
mod ways_out;

pub use generate::{answer, generate};
pub use parked::parked;
