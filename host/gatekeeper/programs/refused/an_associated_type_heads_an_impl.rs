//! EXPLICIT: by way of an alias.
#![no_std]
pub trait Veils {
    type Behind;
}
pub struct Veil;
impl Veils for Veil {
    type Behind = u64;
}
type Behind = <Veil as Veils>::Behind;
pub trait Shows {
    fn show(&self) -> u64;
}
impl Shows for Behind {
    fn show(&self) -> u64 {
        *self
    }
}
