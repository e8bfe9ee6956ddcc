//! BUILTIN: what is not there is a value, too.
#![no_std]
pub const HOME: bool = option_env!("HOME").is_some();
