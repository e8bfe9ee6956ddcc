//! What was granted last. A server that gives its clients four portals to each file that they open gives them the same four each time, but for
//! the constant that names the file: code that nobody has any more, and that is not freed yet, becomes that of the next file where
//! the constant in it is written over.

use crate::state::code::MadeFor;
use abi::system::Granted;
use portal::Specification;

/// Portals that are remembered: those of a few files.
const KEPT: usize = 16;

/// A block that was generated for a grant.
#[derive(Clone, Copy, Debug)]
pub struct KeptGrant {
    /// As the server asked for it.
    text: [u8; 16],
    entry: u64,
    pub server: u16,
    pub specification: Specification,
    pub made_for: MadeFor,
    pub code: u64,
    /// Which word of the block, header included, begins to load the constant, and into which argument register; 0 where there is none.
    pub constant: (u16, u8),
}
impl KeptGrant {
    pub fn new(
        granted: &Granted,
        server: usize,
        specification: Specification,
        made_for: MadeFor,
        code: u64,
        constant: (u16, u8),
    ) -> KeptGrant {
        let Granted { spec: text, entry } = *granted;
        KeptGrant { text, entry, server: server as u16, specification, made_for, code, constant }
    }
}
#[derive(Debug)]
pub struct Kept {
    all: [Option<KeptGrant>; KEPT],
    /// Which place the next one has.
    next: usize,
}
impl Kept {
    pub const NONE: Kept = Kept { all: [None; KEPT], next: 0 };
    pub fn add(&mut self, kept: KeptGrant) {
        self.all[self.next % KEPT] = Some(kept);
        self.next = (self.next + 1) % KEPT;
    }
    /// Letters mean something else than when these were parsed.
    pub fn forget_all(&mut self) {
        self.all = [None; KEPT];
    }
    /// Those that `server` was granted for the same text and entry. Their blocks may have been freed since, and be others.
    pub fn like(&self, granted: &Granted, server: usize) -> impl Iterator<Item = &KeptGrant> {
        let Granted { spec, entry } = *granted;
        self.all
            .iter()
            .flatten()
            .filter(move |kept| kept.entry == entry && kept.server as usize == server && kept.text == spec)
    }
}
