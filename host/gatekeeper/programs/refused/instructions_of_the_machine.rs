//! FEATURE, NAME: by a glob.
#![no_std]
use core::arch::riscv64::*;
pub fn wait() {
    pause();
}
