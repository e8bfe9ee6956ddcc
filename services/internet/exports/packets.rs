//! Frames as the card's driver brings and takes them: Ethernet's header first, without its checksum, of 14 to 1,514 bytes.

/// What becomes of a frame that has come.
pub enum Verdict {
    /// TCP/IP gets it, as it is now. It looks at the checksums.
    Pass = 0,
    /// Nobody gets it.
    Drop = 1,
    /// It is sent, as it is now, and nobody else gets it.
    Return = 2,
}
pub trait Procedures {
    /// Sends a frame: whether the driver has taken it.
    fn send(frame: &[u8]) -> bool;
    /// Microseconds since the machine was started.
    fn time() -> u64;
}
pub trait Events {
    /// A frame has come. Extensions are asked one after the other until one says something else than `Pass`. What one had changed of a frame when it was ended stays so.
    fn arrived(frame: &mut [u8]) -> Verdict {
        Verdict::Pass
    }
}
