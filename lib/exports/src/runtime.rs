//! What is beneath an extension's code: its arena, and the end of an activation.

pub trait Procedures {
    /// The address of so many bytes of the extension's arena, aligned to a power of two. 0: it has no more.
    fn allocate(bytes: u64, align: u64) -> u64;
    /// Gives bytes back that `allocate` gave.
    fn release(address: u64, bytes: u64, align: u64);
    /// Ends the activation, and with it the extension: it does not return.
    fn panicked(file: &[u8], line: u32);
}
