//! What registers tell a component of the supervisor: whoever goes on in user mode, and is not trusted, finds in the temporaries and the argument
//! registers no address of the supervisor's data that was not in a register of whoever was there before.
//!
//! What a trap from user mode has saved as a whole, and what is restored as a whole (which the nucleus begins with a store-conditional),
//! are that component's own values.

/// Where the machine reads who goes on, and what such a one may be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Secrets {
    /// Offset of its table's supervisor address in a thread, whose own is in `sscratch`.
    pub table: u64,
    /// Offset of the flags in the table.
    pub flags: i64,
    /// The flags of components which may find anything.
    pub trusted: u64,
    /// Where threads go on whose domain has died, if it is not 0: code of the system's, which looks at no register. What it leaves in them is
    /// not its own, so who is behind it must not find it either.
    pub stub: u64,
}
/// A register that had such an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leak {
    /// `x1` to `x31`.
    pub register: usize,
    pub value: u64,
    /// Where the component goes on, and in which address space.
    pub to: (u64, u16),
    /// Where the component before it was left, and the portal that it called, if it called one.
    pub from: (u64, u16),
    pub portal: u64,
    /// Instructions before that.
    pub when: u64,
}

/// What is known of the way from one component to the next.
#[derive(Default)]
pub(crate) struct Way {
    /// Registers of the component that was left.
    pub left_with: [u64; 32],
    pub left_at: (u64, u16),
    /// All registers are what they were before another trap.
    pub restored: bool,
    /// The stub goes on.
    pub stub: bool,
}
impl Way {
    pub fn leave(&mut self, registers: &[u64; 32], at: (u64, u16)) {
        let left_with = if self.stub { [0; 32] } else { *registers };
        *self = Way { left_with, left_at: at, restored: false, stub: false };
    }
    pub fn restore(&mut self) {
        self.restored = true;
    }
}
