//! EXPLICIT: its parameter implies that `'b` outlives `'a`, which nobody asks where it is no callee.
#![no_std]
use core::ops::Deref;
fn longer<'a, 'b>(value: <&'a &'b u64 as Deref>::Target) -> &'a u64 {
    value
}
pub fn hold<'a>(value: &u64) -> Option<&'a u64> {
    Some(value).map(longer)
}
