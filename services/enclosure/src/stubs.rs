//! The code around a fault domain: its jump table, and the stubs that the table leads to. The stubs lie outside of the segment, so they
//! are entered at their first word only.

use crate::{Layout, Why};
use abi::Error;
use alloc::vec::Vec;
use fallible::{TryPush, collected};
use portal::emit::{Buffer, Emitter};
use portal::software::{Domain, Portal, table_entry};
use portal::{Specification, Templates};

/// Entries of the jump table, in words.
pub const RETURN: usize = 0;
/// `__fault_domain_call` of the linker script.
pub const CALL: usize = 1;

/// The code around a fault domain.
pub struct Stubs {
    /// Their words, from [`Layout::stubs`] on.
    pub words: Vec<u32>,
    /// The jump table's words, from its beginning.
    pub table: Vec<u32>,
    /// Where a thread goes on whose fault domain has faulted: its call returns `EDEAD`.
    pub unwind: u64,
    /// The portal to whichever entry the thread's block names, and that for calls by other fault domains of the space.
    pub any: u64,
    pub nested: u64,
    /// The portals into it, in the order in which they were asked for.
    pub portals: Vec<u64>,
}
/// A portal into the fault domain that is wanted.
pub struct Wanted<'a> {
    pub specification: &'a str,
    pub entry: u64,
}
const NOT_MADE: Why = Why::wrong("a portal that can not be made");
/// Makes the stubs of `domain`, with portals for the host.
pub fn make(layout: &Layout, domain: &Domain, wanted: &[Wanted]) -> Result<Stubs, Why> {
    let mut out = Buffer::EMPTY;
    let mut e = Emitter::new(&mut out);
    let address = |e: &Emitter| layout.stubs() + e.position() as u64;
    let unwind = address(&e);
    let mut entries = [0; 2];
    entries[RETURN] = domain.unwind(Error::EDEAD, &mut e) as u64 + layout.stubs();
    entries[CALL] = address(&e);
    domain.call_out(&mut e);
    let any = address(&e);
    domain.call_any(&mut e);
    let nested = address(&e);
    domain.call_nested(&mut e);
    let mut portals = Vec::new();
    portals.room_for(wanted.len())?;
    for portal in wanted {
        let parsed = Specification::parse(portal.specification, false, &Templates::new(&[]));
        let specification = parsed.map_err(|_| NOT_MADE)?;
        let place = address(&e);
        let portal =
            Portal { specification: &specification, constants: &[], number: 0, caller: 0, entry: portal.entry, place };
        domain.call(&portal, &mut e).map_err(|_| NOT_MADE)?;
        portals.push_kept(place);
    }
    let count = e.words().unwrap_or(0);
    let table = |(n, to): (usize, &u64)| table_entry(layout.jump_table() + 4 * n as u64, *to);
    let table = collected(entries.iter().enumerate().map(table))?;
    Ok(Stubs { words: collected(out.0[..count].iter().copied())?, table, unwind, any, nested, portals })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portal::software::Registers;

    const ALL: Registers = Registers { integer: u32::MAX, floating: u32::MAX };
    const DOMAIN: Domain = Domain { masks: true, changes: ALL, reads: ALL, flags: true };
    fn stubs() -> Stubs {
        let layout = Layout::new(false);
        make(&layout, &DOMAIN, &[Wanted { specification: "smi", entry: layout.base() + 0x2_0000 }]).unwrap()
    }
    #[test]
    fn the_tables_entries_lead_to_the_stubs() {
        let layout = Layout::new(false);
        let stubs = stubs();
        // Behind the word with which a fault's call ends.
        assert_eq!(stubs.table[RETURN], table_entry(layout.jump_table(), layout.stubs() + 4));
        let leave = 3 + 24;
        assert_eq!(stubs.table[CALL], table_entry(layout.jump_table() + 4, layout.stubs() + 4 * (1 + leave)));
        assert_eq!(stubs.unwind, layout.stubs());
        assert!(stubs.words.len() * 4 < abi::address::PAGE);
    }
}
