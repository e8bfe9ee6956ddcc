//! RISC-V, 64 bits, with supervisor mode and Sv39.

#[cfg(all(target_arch = "riscv64", target_os = "none"))]
pub mod activation;
#[cfg(all(target_arch = "riscv64", target_os = "none"))]
pub mod choosing;
#[cfg(all(target_arch = "riscv64", target_os = "none"))]
pub mod component;
pub mod paging;
pub mod stubs;
pub mod text;
pub mod trap;
