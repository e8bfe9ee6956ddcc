//! Translations that are remembered though the page tables do not have them any more.
//!
//! Whoever changes a table may be a moment late with the fence; what it is doing must be done before anybody can use what is
//! left. So a stale translation is a violation when its address space is entered by a component (in user mode, or in supervisor mode with interrupts
//! on) and the thread that wrote the table has left the component in which it did, but for one that runs with interrupts off, as the scheduler that
//! the timer enters; what else supervisor mode writes must be fenced before it is left.

use crate::memory::Memory;
use crate::translate::{Buffer, Name, Remembered, Whose, address, pte};

/// Who wrote a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The value of `sscratch` in a component: the thread's.
    pub thread: u64,
    pub space: u16,
    /// A component, in whichever mode.
    pub component: bool,
    pub pc: u64,
}
/// A translation that is older than the tables.
#[derive(Clone, Copy, Debug)]
pub struct Stale {
    pub name: Name,
    pub old: Remembered,
    /// What the table has now.
    pub new: u64,
    pub by: Writer,
    /// Instructions executed until then.
    pub when: u64,
    /// What the writer did is done.
    done: bool,
}
impl Stale {
    /// The space in which it would be used, if it is one's alone.
    pub fn space(&self) -> Option<u16> {
        match self.name.whose {
            Whose::Space(space) => Some(space),
            Whose::All => None,
        }
    }
}

/// Whether who remembers `old` may do what the entry `new` does not allow.
fn allows_more(name: Name, old: u64, new: u64) -> bool {
    if old & pte::V == 0 {
        return false;
    }
    let moved = new & pte::V == 0 || address(old) != address(new);
    if name.is_pointer() { moved || new & pte::LEAF != 0 } else { moved || old & pte::RIGHTS & !new != 0 }
}

#[derive(Default)]
pub struct Checker {
    stale: Vec<Stale>,
}
impl Checker {
    /// The word at physical address `at`, of which entries are remembered, was written.
    pub fn written(&mut self, memory: &Memory, buffer: &Buffer, at: u64, by: Writer, when: u64) {
        let new = memory.word(at);
        for &name in buffer.readers(at & !7) {
            let Some(old) = buffer.remembered(name) else { continue };
            if allows_more(name, old.entry, new) {
                let stale = Stale { name, old, new, by, when, done: false };
                // Who wrote last answers for it.
                match self.stale.iter_mut().find(|known| known.name == name) {
                    Some(known) => *known = stale,
                    None => self.stale.push(stale),
                }
            }
        }
    }
    pub fn is_empty(&self) -> bool {
        self.stale.is_empty()
    }
    /// Thread `thread` goes on in a component in `space`, with interrupts off where `masked`: the first violation.
    pub fn enter(&mut self, memory: &Memory, buffer: &Buffer, thread: u64, space: u16, masked: bool) -> Option<Stale> {
        let mut found = None;
        self.stale.retain_mut(|stale| {
            let kept = buffer.remembered(stale.name).filter(|kept| kept.entry == stale.old.entry);
            if kept.is_none() || !allows_more(stale.name, stale.old.entry, memory.word(stale.old.at)) {
                return false;
            }
            stale.done |= !stale.by.component || (stale.by.thread == thread && stale.by.space != space && !masked);
            let here = stale.space().is_none_or(|own| own == space);
            if stale.done && here && found.is_none() {
                found = Some(*stale);
                return false;
            }
            true
        });
        found
    }
}
