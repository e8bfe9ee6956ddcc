//! NAME: in what the compiler prints it would end before its point.
#![no_std]
pub struct Of·One(pub u64);
