//! Packets as they arrive.

/// What is read of a packet's headers.
pub struct Header {
    pub port: u16,
    pub source: [u8; 4],
}
/// What becomes of a packet.
pub enum Verdict {
    Pass = 0,
    Drop = 1,
}
/// A connection that is open.
pub type Connection = Handle;

pub trait Procedures {
    /// Counts under a key; what there is now.
    fn count(key: u32, by: u64) -> u64;
    /// Ends a connection.
    fn reset(connection: Connection) -> bool;
    /// Copies.
    fn read(connection: Connection, into: &mut [u8]) -> u64;
}
pub trait Events {
    /// A packet has arrived. It passes where nobody handles that.
    fn arrived(header: &Header, bytes: &[u8]) -> Verdict {
        Verdict::Pass
    }
    /// A connection was closed.
    fn closed(connection: Connection, header: &mut Header);
}
