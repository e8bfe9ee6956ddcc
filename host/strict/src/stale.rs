//! Translations that are remembered though the page tables do not have them any more.
//!
//! Whoever changes a table may be a moment late with the fence; what it is doing must be done before anybody can use what is
//! left. So a stale translation is a violation when its address space is entered by a component (in user mode, or in supervisor mode with interrupts
//! on) and the thread that wrote the table has left the component in which it did, but for one that runs with interrupts off, as the scheduler that
//! the timer enters; what else supervisor mode writes must be fenced before it is left.

use crate::entry::{Name, Whose, address, pte};
use crate::memory::Memory;
use crate::translate::{Buffer, Remembered};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

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

/// By what is remembered: those of one space lie together.
type Known = BTreeMap<(Name, Remembered), Stale>;
/// The keys of all that a space, or everybody, remembers.
fn all_of(whose: Whose) -> RangeInclusive<(Name, Remembered)> {
    let at = |end| (Name { whose, key: end }, Remembered { entry: end, at: end });
    at(0)..=at(u64::MAX)
}

#[derive(Default)]
pub struct Checker {
    /// Their writer may still be about to fence them.
    fresh: Known,
    done: Known,
}
impl Checker {
    /// The word at physical address `at`, of which entries are remembered, was written.
    pub fn written(&mut self, memory: &Memory, buffer: &Buffer, at: u64, by: Writer, when: u64) {
        let new = memory.word(at);
        for &name in buffer.readers(at & !7) {
            for old in buffer.all_remembered(name).filter(|old| allows_more(name, old.entry, new)) {
                // Who wrote last answers for it.
                self.done.remove(&(name, old));
                self.fresh.insert((name, old), Stale { name, old, new, by, when });
            }
        }
    }
    pub fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.done.is_empty()
    }
    /// Thread `thread` goes on in a component in `space`, with interrupts off where `masked`: the first violation.
    pub fn enter(&mut self, memory: &Memory, buffer: &Buffer, thread: u64, space: u16, masked: bool) -> Option<Stale> {
        let is_left = |by: &Writer| !by.component || (by.thread == thread && by.space != space && !masked);
        self.done.extend(self.fresh.extract_if(.., |_, stale| is_left(&stale.by)));
        let is_stale = |stale: &Stale| {
            let kept = buffer.all_remembered(stale.name).any(|kept| kept.entry == stale.old.entry);
            kept && allows_more(stale.name, stale.old.entry, memory.word(stale.old.at))
        };
        for whose in [Whose::Space(space), Whose::All] {
            while let Some((&known, _)) = self.done.range(all_of(whose)).next() {
                let stale = self.done.remove(&known)?;
                if is_stale(&stale) {
                    return Some(stale);
                }
            }
        }
        None
    }
}
