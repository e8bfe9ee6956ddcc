//! Faults that are injected into one domain: a [`Fault`] strikes after so many instructions that this domain has executed, and is no other's, not
//! even of one that executes the same pages: a changed instruction is changed while the domain executes, and only for it. A domain that ends takes its
//! fault with it, since its identity is given to no other.

use crate::decode::Decoded;
use crate::mutate::Mutation;
use std::ops::Range;

/// Where the machine reads who executes, and which addresses are such a one's own.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Offset of its table's supervisor address in a thread, whose own is in `sscratch`.
    pub table: u64,
    /// Offset of a domain's identity in its table.
    pub identity: i64,
    /// The addresses of code, data and stacks of a domain.
    pub own: Vec<Range<u64>>,
}
/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An instruction is another one from then on.
    Instruction(Mutation),
    /// A bit of a page that the domain may write is another one.
    Data,
    /// A bit of a register is another one.
    Register,
    /// A bit of an argument of the next call that it makes, or of the answer that it gives.
    Argument,
    /// A bit of the answer to the next call that it makes.
    Answer,
    /// The next call that it makes answers this error, as if there were no memory for it.
    Refused(i64),
}
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub kind: Kind,
    /// Of the domain.
    pub identity: u64,
    /// Instructions of the domain until it strikes at the next one for which that is possible.
    pub after: u64,
    /// What else of it follows from.
    pub random: u64,
}
/// A fault that has struck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Struck {
    /// Instructions of the machine before.
    pub when: u64,
    pub pc: u64,
    /// What was changed.
    pub what: String,
}

/// How far it is.
#[derive(Debug)]
pub(crate) enum State {
    /// So many instructions of the domain from now, or from where it goes on.
    Waits(u64),
    /// At the next instruction for which it is possible.
    Looks,
    /// This thread has called, and goes on here.
    Called {
        thread: u64,
        pc: u64,
    },
    Struck,
}
/// An instruction in the place of another: its page's frame, its place there, and what is taken for it.
#[derive(Debug)]
pub(crate) struct Changed {
    pub frame: usize,
    pub place: usize,
    pub instruction: Decoded,
}
#[derive(Debug)]
pub(crate) struct Injection {
    pub fault: Fault,
    pub state: State,
    pub struck: Option<Struck>,
    pub changed: Option<Changed>,
    /// The domain executes, since this cycle.
    pub inside: Option<u64>,
}
impl Injection {
    /// The cycle at which to look again, if the domain executes.
    pub fn attention(&self, cycles: u64) -> u64 {
        match (self.inside, &self.state) {
            (Some(since), State::Waits(left)) => since.saturating_add(*left).max(cycles + 1),
            (Some(_), State::Looks) if self.fault.kind.is_of_an_instruction() => cycles + 1,
            _ => u64::MAX,
        }
    }
}
impl Kind {
    /// It strikes at an instruction, not at a call.
    fn is_of_an_instruction(self) -> bool {
        matches!(self, Kind::Instruction(_) | Kind::Data | Kind::Register)
    }
}
