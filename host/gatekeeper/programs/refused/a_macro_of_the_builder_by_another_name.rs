//! BUILTIN, MACRO: imported under a name of its own.
#![no_std]
use core::option_env as look;
pub const HOME: bool = look!("HOME").is_some();
