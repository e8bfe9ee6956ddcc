//! FEATURE: in an attribute that is made.
#![no_std]
#![cfg_attr(not(any()), feature(negative_impls))]
pub fn nothing() {}
