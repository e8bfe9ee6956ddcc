//! The functions that the compiler calls to copy, fill and compare bytes, in place of those that come with Rust (`compiler_builtins`, where
//! they are weak): `bytes.S`. They are most of what a server does with what it is given.

#[cfg(target_arch = "riscv64")]
core::arch::global_asm!(include_str!("bytes.S"), options(raw));
