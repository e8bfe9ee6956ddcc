//! Portal specifications, and the RISC-V code generated from them: for the supervisor ([`generate`]), and for hosts of fault domains ([`software`]).
//!
//! Pure: it reads and writes words in memory that the caller gives. The portal manager uses it on the machine, the
//! image builder on the host, and the disassembler in the shell.
#![cfg_attr(not(test), no_std)]
// On the machine, what is rarely done is small rather than fast.
#![cfg_attr(target_os = "none", feature(optimize_attribute))]

pub mod confinement;
pub mod counted;
pub mod disassemble;
pub mod emit;
pub mod encode;
pub mod frame;
pub mod generate;
pub mod outward;
pub mod recorder;
pub mod short_circuit;
pub mod software;
pub mod specification;
pub mod template;

pub use generate::{Block, Connection, Count, End, GenerateError, Trace, generate};
pub use short_circuit::ShortCircuit;
pub use specification::{Reason, Rejected, Specification};
pub use template::{Templates, Uses};
