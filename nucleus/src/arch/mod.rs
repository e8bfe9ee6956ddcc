//! The architectures that the nucleus runs on; each folder is chosen by the build.

#[cfg(target_arch = "riscv64")]
mod riscv64;
#[cfg(target_arch = "riscv64")]
pub use riscv64::*;
