//! What a portal connects, and what is said of the one that is made of it.

use crate::frame::FramePlan;
use crate::specification::Specification;
use crate::template::Templates;

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
    /// What may end the call before the callee is entered.
    pub short_circuit: Option<ShortCircuit<'a>>,
    /// The code of the specification's other letters.
    pub templates: Templates<'a>,
    pub count: Count,
    /// Who writes down each call and its result.
    pub trace: Option<Trace>,
}
/// A traced portal's recorder ([`crate::recorder`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its supervisor address.
    pub recorder: u64,
    /// What is said of each event: `abi::trace::Event::what` without its kind.
    pub what: u64,
}
/// Where the calls of a portal are counted: in which word of the calling domain's counters (`abi::count`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    /// Nowhere: the system counts nothing.
    Off,
    /// In this word.
    Word(u16),
    /// In that of the number that was called: several lead to the portal.
    Called,
}
impl Count {
    /// In word `n`, where calls are counted.
    pub fn word(counters: bool, n: usize) -> Count {
        if counters { Count::Word(n as u16) } else { Count::Off }
    }
}
/// What was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Words written, header included; the portal's code starts after the header (`BLOCK_HEADER` bytes).
    pub words: usize,
    /// What its frame holds.
    pub plan: FramePlan,
    /// Which word begins to load its only constant, and into which argument register; 0: it has none, or several.
    pub constant: (u16, u8),
}
/// Why no code was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateError {
    /// It is longer than a buffer.
    NoRoom,
    /// Fewer constants than `c`s.
    Constants,
    /// The letter has lost its template.
    NoTemplate(u8),
    /// An end is a supervisor domain, and pages are shared or moved, or the return from it may have to be made again.
    Supervisor,
}
/// What may end a call before its portal's own code: a server's code, checked and lowered, and the record that it is to work on.
#[derive(Clone, Copy, Debug)]
pub struct ShortCircuit<'a> {
    pub words: &'a [u32],
    /// Supervisor address of the record.
    pub record: u64,
}
