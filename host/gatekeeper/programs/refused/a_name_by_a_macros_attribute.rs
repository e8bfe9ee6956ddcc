//! ATTR, LINT: three macros and a condition have it made.
#![no_std]
macro_rules! with {
    ([$($word:tt)*] $item:item) => {
        #[cfg_attr(all(), $($word)*)]
        $item
    };
}
macro_rules! named {
    ($how:ident $what:ident) => {
        with! { [$how($what)] pub fn trap_entry() {} }
    };
}
named!(unsafe no_mangle);
