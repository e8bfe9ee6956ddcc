//! MACRO, PIN: of two macros with a name only the one is the extension's.
#![no_std]
macro_rules! pin {
    ($value:expr) => {
        $value
    };
}
pub fn same(value: u64) -> u64 {
    let mut kept = core::pin::pin!(value);
    pin!(*kept.as_mut())
}
