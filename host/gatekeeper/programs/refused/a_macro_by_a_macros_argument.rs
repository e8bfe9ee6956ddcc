//! BUILTIN: no name has a mark behind it.
#![no_std]
macro_rules! call {
    ($name:ident $($word:tt)*) => { $name!($($word)*) };
}
pub const HOME: Option<&str> = call!(option_env "HOME");
