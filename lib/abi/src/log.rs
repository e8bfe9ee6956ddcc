//! The system log: a place in RAM that the host reads when the machine has stopped.
//!
//! `init` writes it; the runner gives the guest a file as RAM and finds the log at the physical address that the image
//! builder chose. It carries what must not mix with a program's output: faults, the exit status, the state at the end.

/// Marks the log in RAM.
pub const MAGIC: u64 = 0x676f_6c20_656c_6270;
/// Bytes of the log, header included.
pub const BYTES: usize = 8 * 1024;

#[repr(C)]
pub struct Header {
    pub magic: u64,
    /// 1 once `init` has started the system.
    pub booted: u64,
    /// One of `system::ended`, once the main program has ended; 0 before.
    pub ended: u64,
    /// Its exit status.
    pub status: i64,
    /// Bytes of text that follow the header.
    pub length: u64,
}
/// Bytes of the header.
pub const HEADER: usize = core::mem::size_of::<Header>();
