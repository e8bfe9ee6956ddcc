//! RISC-V, 64 bits, with supervisor mode and Sv39.

pub mod paging;
pub mod trap;
