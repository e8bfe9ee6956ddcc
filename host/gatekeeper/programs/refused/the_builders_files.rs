//! BUILTIN, COMPILER, MACRO: by another name; the compiler says it has not found the file.
#![no_std]
use core::include_str as text;
pub const PASSWORDS: &str = text!("/etc/passwd");
