//! What who has an update of a component and the updates service (`services/updates`) say to each other.

use crate::section::NAME;

/// Bytes of what is said of an update that is not taken, with a 0 behind it.
pub const WHY: usize = 256;

/// Which component is to have what was given.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Request {
    pub name: [u8; NAME],
    /// Why it has not.
    pub why: [u8; WHY],
}
impl Default for Request {
    fn default() -> Request {
        Request { name: [0; NAME], why: [0; WHY] }
    }
}
/// The image that a component has, and what has become of it since it has that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ImageState {
    /// 0: the system's own.
    pub version: u64,
    /// Domains that run it, whoever has started them.
    pub running: u64,
    /// Domains of it that have failed: by a fault, by another's will, by a signal that says so; of a component that provides something, or is always to run, by any
    /// end; of one that the system starts by itself, by an end with a status that is not 0.
    pub failures: u64,
    /// Domains of it that have come to their end by themselves, with status 0.
    pub ends: u64,
}
/// What a component has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Kept {
    pub name: [u8; NAME],
    pub version: u64,
    /// The version that it has again where that is taken back; 0: the system's own image.
    pub before: u64,
    /// 1: it is on trial.
    pub trial: u64,
    /// 1: it is on the disk.
    pub stored: u64,
    /// The version that it really has: another where that can not be read, or is not for this system.
    pub has: u64,
}
