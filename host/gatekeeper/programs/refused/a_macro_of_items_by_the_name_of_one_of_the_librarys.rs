//! MACRO: the same, for items, by way of a module.
#![no_std]
mod inner {
    macro_rules! items {
        () => {
            pub type Raw = fn(u64) -> u64;
        };
    }
    pub(crate) use items as todo;
}
use inner::todo;
todo!();
