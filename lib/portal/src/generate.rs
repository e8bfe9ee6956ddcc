//! Code for one connection.
use crate::Specification;
use abi::boot::Symbols;
/// One end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Supervisor address of entry 0 of the domain's portal table.
    pub table: u64,
    pub asid: u64,
    /// `abi::nucleus::flags`.
    pub flags: u64,
}
/// What a portal connects.
#[derive(Clone, Copy, Debug)]
pub struct Connection<'a> {
    pub specification: &'a Specification,
    pub caller: End,
    pub callee: End,
    /// The callee's entry point.
    pub entry: u64,
    /// Values of the `c`s, in their order.
    pub constants: &'a [u64],
}
/// What was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Words written, header included; the portal's code starts after the header (`BLOCK_HEADER` bytes).
    pub words: usize,
}
/// Why no code was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateError { /// `out` is too short.
    NoRoom, /// Fewer constants than `c`s.
    Constants }
/// Writes header and code for `connection` to `out`, to be executed at supervisor address `address` (of the header;
/// a multiple of 64).
pub fn generate(connection: &Connection, symbols: &Symbols, address: u64, out: &mut [u32]) -> Result<Block, GenerateError> {
    let _ = (connection, symbols, address, out); todo!()
}
