//! Why code is rejected, and where. The numbers are those of `docs/src/fault-domains.md`.

use core::fmt;

/// The rule that an instruction breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The code does not lie in its segment, behind the jump table, in whole words.
    Place = 1,
    /// An instruction that is not 32 bits long.
    Length = 2,
    /// An encoding that the verifier does not know.
    Unknown = 3,
    /// `ecall` or another instruction of the system's.
    System = 4,
    /// A control register is accessed; only reading the counters and `fcsr`, and the exception flags, are let through.
    Control = 5,
    /// `fence.i`.
    InstructionFence = 6,
    /// A register is written that only the stubs write, or the one read that leads to the host's block.
    Dedicated = 7,
    /// A store through a register that is neither the address register nor the stack pointer.
    Store = 8,
    /// The same of a load, where loads are kept in too.
    Load = 9,
    /// The address register or the stack pointer is used in the middle of its sequence.
    StaleAddress = 10,
    /// A jump through a register that is neither the jump register nor the link register, or to no multiple of 4.
    Jump = 11,
    /// A jump through one of these in the middle of its sequence.
    StaleJump = 12,
    /// A direct jump or branch to what is neither a word of the code nor an entry of the jump table.
    Target = 13,
    /// A jump, or the end of the code, in the middle of a dedicated register's sequence.
    Unfinished = 14,
    /// The stack pointer was moved, and not used before the next jump; or moved too far.
    Drift = 15,
}
impl Rule {
    pub const ALL: [Rule; 15] = [
        Rule::Place,
        Rule::Length,
        Rule::Unknown,
        Rule::System,
        Rule::Control,
        Rule::InstructionFence,
        Rule::Dedicated,
        Rule::Store,
        Rule::Load,
        Rule::StaleAddress,
        Rule::Jump,
        Rule::StaleJump,
        Rule::Target,
        Rule::Unfinished,
        Rule::Drift,
    ];
}
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Rule::Place => "the code does not lie in its segment behind the jump table",
            Rule::Length => "an instruction that is not 32 bits long",
            Rule::Unknown => "an unknown instruction",
            Rule::System => "an instruction of the system's",
            Rule::Control => "an access to a control register",
            Rule::InstructionFence => "fence.i",
            Rule::Dedicated => "a register is written that only the stubs write, or tp is read",
            Rule::Store => "a store that is not through the address register or the stack pointer",
            Rule::Load => "a load that is not through the address register or the stack pointer",
            Rule::StaleAddress => "an access in the middle of the sequence that makes its address",
            Rule::Jump => "a jump that is not through the jump register or the link register to a multiple of 4",
            Rule::StaleJump => "a jump in the middle of the sequence that makes its target",
            Rule::Target => "a jump to what is neither the code nor the jump table",
            Rule::Unfinished => "a jump or the end in the middle of a dedicated register's sequence",
            Rule::Drift => "the stack pointer is moved without being used before the next jump",
        };
        write!(f, "rule {}: {text}", *self as u8)
    }
}

/// The first instruction that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub address: u64,
    pub rule: Rule,
}
impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}: {}", self.address, self.rule)
    }
}
