//! All that can cross, both ways.

pub struct Header {
    pub port: u16,
    pub source: [u8; 4],
    pub size: u64,
}
/// Numbers of all kinds.
pub struct Measured {
    pub a: i8,
    pub b: u8,
    pub c: i16,
    pub d: u16,
    pub e: i32,
    pub f: u32,
    pub g: i64,
    pub h: u64,
}
pub enum Verdict {
    Pass = 0,
    Drop = 1,
    Change = 7,
}
pub type Connection = Handle;

pub trait Procedures {
    /// Counts; how much it has come to.
    fn count(by: u32) -> u64;
    /// Whether the connection was open.
    fn reset(connection: Connection) -> bool;
    /// `Change`, and what has come in.
    fn turned(verdict: Verdict, header: &mut Header, bytes: &mut [u8], sign: i32, yes: bool) -> Verdict;
    /// Raises `turn`.
    fn raise(turn: u32) -> i64;
    /// Takes so many microseconds at least.
    fn take_time(microseconds: u32);
    /// Comes back when somebody says so.
    fn stay();
    /// Takes the extension with that number out; 0, or an error's number.
    fn unlink(number: u64) -> i64;
}
pub trait Events {
    /// A packet has arrived. It passes where nobody handles that.
    fn arrived(header: &Header, bytes: &[u8]) -> Verdict {
        Verdict::Pass
    }
    /// One that a handler may change.
    fn leaves(header: &mut Header, bytes: &mut [u8], connection: Connection, last: bool) -> bool {
        true
    }
    /// Another turn.
    fn turn(number: u32) -> i64 {
        -5
    }
    /// Nothing comes back.
    fn noted(a: i8, b: u64);
    fn measured(measured: &Measured);
}
