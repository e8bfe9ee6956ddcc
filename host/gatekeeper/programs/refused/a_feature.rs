//! FEATURE: the compiler is one that has them all.
#![no_std]
#![feature(specialization)]
pub fn nothing() {}
