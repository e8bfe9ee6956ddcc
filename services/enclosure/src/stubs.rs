//! The code around a fault domain: its jump table, and the stubs that the table leads to. The stubs lie outside of the segment, so they
//! are entered at their first word only.

use crate::{Layout, Why};
use abi::Error;
use alloc::vec::Vec;
use fallible::{TryPush, collected};
use portal::emit::{Buffer, Emitter};
use portal::encode::*;
use portal::software::{Domain, Portal, block};
use portal::{Specification, Templates};

/// Entries of the jump table, in words.
pub const RETURN: usize = 0;
/// `__fault_domain_call` of the linker script.
pub const CALL: usize = 1;

/// The stub of a call to the system: it goes on in the host, on the host's stack, and comes back to the word behind
/// the call with the dedicated registers as they are at an entry.
fn call(domain: &Domain, e: &mut Emitter) {
    e.put_all([
        sd(RA, TP, block::LINK),
        sd(SP, TP, block::OWN_STACK),
        sd(T5, TP, block::JUMP),
        ld(SP, TP, block::HOST_STACK),
    ]);
    for (n, register) in [A0, A1, A2, A3, A4, A5, A7].into_iter().enumerate() {
        e.put(sd(register, TP, block::ARGUMENTS + 8 * n as i32));
    }
    e.put_all([addi(A0, TP, 0), ld(T0, TP, block::DECIDE), jalr(RA, T0, 0), ld(T0, TP, block::ENDED)]);
    // It may have called to end.
    let branch = e.next();
    e.put(0);
    domain.leave(e);
    e.patch(branch, beq(T0, ZERO, 4 * (e.next() - branch) as i32));
    e.put(ld(GP, TP, block::BASE));
    if domain.masks {
        e.put_all([ld(T4, TP, block::MASK), ld(T3, TP, block::JUMP_MASK)]);
    }
    e.put_all([
        addi(T6, GP, 0),
        ld(RA, TP, block::LINK),
        ld(SP, TP, block::OWN_STACK),
        ld(T5, TP, block::JUMP),
        jalr(ZERO, T5, 0),
    ]);
}
/// The code around a fault domain.
pub struct Stubs {
    /// Their words, from [`Layout::stubs`] on.
    pub words: Vec<u32>,
    /// The jump table's words, from its beginning.
    pub table: Vec<u32>,
    /// Where a thread goes on whose fault domain has faulted: its call returns `EDEAD`.
    pub unwind: u64,
    /// The portal to whichever entry the thread's block names.
    pub any: u64,
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
    e.put(addi(A0, ZERO, -(Error::EDEAD as i32)));
    let mut entries = [0; 2];
    entries[RETURN] = address(&e);
    domain.leave(&mut e);
    entries[CALL] = address(&e);
    call(domain, &mut e);
    let any = address(&e);
    domain.call_any(&mut e);
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
    let table = |(n, at): (usize, &u64)| jal(ZERO, (*at as i64 - (layout.jump_table() + 4 * n as u64) as i64) as i32);
    let table = collected(entries.iter().enumerate().map(table))?;
    Ok(Stubs { words: collected(out.0[..count].iter().copied())?, table, unwind, any, portals })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOMAIN: Domain = Domain { masks: true, integer: u32::MAX, floating: u32::MAX };
    fn stubs() -> Stubs {
        let layout = Layout::new(false);
        make(&layout, &DOMAIN, &[Wanted { specification: "smi", entry: layout.base() + 0x2_0000 }]).unwrap()
    }
    #[test]
    fn the_tables_entries_lead_to_the_stubs() {
        let layout = Layout::new(false);
        let stubs = stubs();
        let distance = layout.stubs() as i64 - layout.jump_table() as i64;
        // Behind the word with which a fault's call ends.
        assert_eq!(stubs.table[RETURN], jal(ZERO, distance as i32 + 4));
        let leave = 3 + 24;
        assert_eq!(stubs.table[CALL], jal(ZERO, distance as i32 + 4 * (1 + leave) - 4));
        assert_eq!(stubs.unwind, layout.stubs());
        assert!(stubs.words.len() * 4 < abi::address::PAGE);
    }
    #[test]
    fn a_stub_reads_nothing_from_the_fault_domains_memory() {
        // All loads go through tp.
        let loads = |word: &&u32| matches!(**word & 0x7f, 0x03 | 0x07);
        assert!(stubs().words.iter().filter(loads).all(|word| word >> 15 & 31 == u32::from(TP.0)));
    }
}
