//! ATTR, LINK, LINT: its code would be read as the addresses of functions that run at the start.
#![no_std]
pub struct Quiet;
impl Quiet {
    #[unsafe(link_section = ".preinit_array")]
    #[inline(never)]
    pub fn quiet(&self) -> u64 {
        0x1234
    }
}
