//! ATTR, LINT: the lint of the compiler does not report it.
#![no_std]
pub trait Plain {
    #[unsafe(export_name = "memcpy")]
    fn plain(&self) -> u64 {
        3
    }
}
