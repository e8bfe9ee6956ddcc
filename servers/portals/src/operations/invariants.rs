//! What must hold of all domains, portals, blocks, threads and windows together, looked for in the tables themselves. For
//! tests: it goes through all there is, with interrupts off, so that nothing changes meanwhile.
//!
//! Each table entry leads nowhere, to the nucleus, to the portal of the dead, or to the start of a block that knows of it; each
//! block's server lives, or no entry leads to it; each invocation stack can be read to its bottom, and returns to domains that
//! live; each open window is that of a call, and shows what its lender has or was lent. What must hold of page tables, the memory
//! manager looks for.

// Tests ask for this, and rarely: what an error takes on the stack costs nobody anything.
#![allow(clippy::result_large_err)]

mod threads;

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::machine::nucleus_memory::Masked;
use crate::manager::{BOOT, Manager};
use crate::state::code::Kind;
use crate::state::domain::Domain;
use crate::state::nucleus_data::Table;
use crate::state::registrations::NameIs;
use crate::state::remains::Zombie;
use crate::state::system_portals::SystemPortals;
use abi::Error;
use abi::address::PAGE;
use abi::inspect::Violation;
use abi::nucleus::{BLOCK_MAGIC, MAX_DOMAINS, NPORTALS, domain};
use abi::section::cut;
use abi::system::FIRST_FREE;
use alloc::vec::Vec;
use arch::Marks;
use arch::paging::{AddressSpace, Entry};
use fallible::TryPush;

/// Words with a bit for each entry of a table: whether a block knows of it.
const KNOWN_WORDS: usize = NPORTALS / usize::BITS as usize;
/// Entries of a table that are looked at together.
const TOGETHER: usize = 8;
/// The word and bit of entry `number` of domain `asid`.
fn place(asid: usize, number: usize) -> (usize, usize) {
    (asid * KNOWN_WORDS + number / usize::BITS as usize, 1 << (number % usize::BITS as usize))
}

/// Nothing, or what was found.
type Checked = core::result::Result<(), Violation>;

#[optimize(size)]
fn violation(what: &str, at: usize, number: usize, value: u64) -> Checked {
    Err(Violation { what: cut(what), at: at as u64, number: number as u64, value })
}
/// What an entry that must be something is instead.
#[optimize(size)]
fn expect(what: &str, at: usize, number: usize, value: u64, expected: u64) -> Checked {
    if value == expected { Ok(()) } else { violation(what, at, number, value) }
}

/// As many zeros as there is room for in `counts`, `count` at most.
fn zeros(counts: &mut Vec<usize>, count: usize) -> &mut [usize] {
    counts.clear();
    while counts.len() < count && counts.push_kept(0) {}
    counts
}

impl<M: Machine> Manager<M> {
    /// Looks for what must not be. `EAGAIN`: the memory manager is in the middle of something; `ENOTSUP`: the system is not one for
    /// tests, and nobody may keep interrupts off for so long.
    #[optimize(size)]
    pub fn check(&mut self) -> Result<Violation> {
        if self.machine.info().checks == 0 {
            return Err(Error::ENOTSUP);
        }
        self.look_through()
    }
    /// The same in a system for tests. In others its code is not there (`lib/pebble/link.ld`).
    #[inline(never)]
    #[cfg_attr(target_os = "none", unsafe(link_section = ".checks"))]
    #[optimize(size)]
    fn look_through(&mut self) -> Result<Violation> {
        let (mut counts, mut known) = (Vec::new(), Vec::new());
        counts.room_for(MAX_DOMAINS.max(self.registrations.end()))?;
        known.room_for(self.domains.end() * KNOWN_WORDS)?;
        let _masked = Masked::new(self.machine);
        let memory = self.machine.memory_check();
        // An error is no answer: nobody has looked.
        match Error::from_code(memory) {
            Some(Error::EAGAIN | Error::ENOMEM) => return Err(Error::EAGAIN),
            Some(error) => return Err(error),
            None => {}
        }
        let (kind, asid) = (memory.unsigned_abs() >> 16, memory.unsigned_abs() & 0xffff);
        let result = expect("page tables: kind of violation", asid, 0, kind as u64, 0)
            .and_then(|()| self.check_blocks(zeros(&mut known, self.domains.end() * KNOWN_WORDS)))
            .and_then(|()| self.check_domains(&known))
            .and_then(|()| self.check_registrations(&mut counts))
            .and_then(|()| self.check_threads(&mut counts))
            .and_then(|()| self.check_spare_blocks())
            .and_then(|()| self.check_accounts());
        self.machine.uncount_masked();
        Ok(result.err().unwrap_or(Violation { what: cut(""), at: 0, number: 0, value: 0 }))
    }

    #[optimize(size)]
    fn check_domains(&self, known: &[usize]) -> Checked {
        let symbols = &self.machine.info().symbols;
        let grave = self.dead.graveyard.field(domain::ASID) as usize;
        if self.domains.get(grave).is_none_or(|d| d.table != self.dead.graveyard) {
            return violation("the graveyard has ended", grave, 0, self.dead.graveyard.address());
        }
        for (asid, d) in self.domains.iter() {
            let boot = d.flags & BOOT != 0;
            let field = |offset| d.table.field(offset);
            expect("entry 0", asid, 0, d.table.entry(0), symbols.return_portal)?;
            expect("the record's number", asid, 0, field(domain::ASID), asid as u64)?;
            let space = AddressSpace::of(field(domain::SPACE));
            expect("the space's number", asid, 0, space.number() as u64, asid as u64)?;
            // While windows are counted for somebody, it can lend nothing.
            let root = space.root() as u64;
            let root = if d.frozen > 0 { self.dead.nothing } else { root };
            expect("the root table", asid, 0, field(domain::ROOT), root)?;
            expect("the flags", asid, 0, field(domain::FLAGS), d.flags)?;
            let counters = if self.counts_calls() { d.table.own_counters() } else { 0 };
            expect("the counters", asid, 0, field(domain::COUNTERS), counters)?;
            let system = &self.system_portals[SystemPortals::kind(d.flags)];
            if !boot {
                for (n, &code) in system.faults.iter().enumerate() {
                    expect("a fault's entry", asid, n, field(domain::fault(n)), code)?;
                }
                for (n, &code) in system.interrupts.iter().enumerate() {
                    expect("an interrupt's entry", asid, n, field(domain::interrupt(n)), code)?;
                }
            }
            self.check_table(asid, d, known)?;
            self.check_lent(asid, d.table)?;
            self.check_sharers(asid, d)?;
            let threads = self.threads.living().filter(|&(_, _, home)| home == d.id).count();
            expect("the number of its threads", asid, 0, d.threads as u64, threads as u64)?;
            self.check_stacks(asid, d)?;
            for &child in &d.children {
                if self.domains.get(child).is_none_or(|c| c.parent != asid) {
                    return violation("a child that is not one", asid, child, 0);
                }
            }
            if d.parent != 0 && !self.domains.get(d.parent).is_some_and(|p| p.children.contains(&asid)) {
                return violation("a parent that does not know it", asid, 0, d.parent as u64);
            }
        }
        Ok(())
    }
    /// A block that waits for the next domain leads nowhere.
    #[optimize(size)]
    fn check_spare_blocks(&self) -> Checked {
        let bad = self.machine.info().symbols.bad_portal;
        for &block in &self.remains.spare_blocks {
            let table = self.table_of(block);
            for number in abi::system::FIRST_FREE..NPORTALS {
                expect("an entry of a block that is nobody's", block, number, table.entry(number), bad)?;
            }
        }
        Ok(())
    }
    fn check_table(&self, asid: usize, d: &Domain<M>, known: &[usize]) -> Checked {
        let bad = self.machine.info().symbols.bad_portal;
        let (first, end) = d.numbers;
        for group in (0..NPORTALS).step_by(TOGETHER) {
            // Most numbers are free: so those above the first free one take one branch for several of them.
            let others = (group..group + TOGETHER).fold(0, |others, number| others | (d.table.entry(number) ^ bad));
            if others == 0 && group >= first {
                continue;
            }
            for number in group.max(1)..group + TOGETHER {
                let code = d.table.entry(number);
                if code == bad {
                    if (FIRST_FREE..first).contains(&number) {
                        return violation("a free number below the first one", asid, number, first as u64);
                    }
                    continue;
                }
                if number >= end.max(FIRST_FREE) {
                    return violation("a portal at a number beyond the last one", asid, number, end as u64);
                }
                let (word, bit) = place(asid, number);
                let known = known.get(word).is_some_and(|word| word & bit != 0);
                self.check_entry(asid, d, number, code, known)?;
            }
        }
        Ok(())
    }
    /// Entry `number`, which leads to `code`, and of which a block knows or not. A block knows of no entry that leads elsewhere.
    #[optimize(size)]
    fn check_entry(&self, asid: usize, d: &Domain<M>, number: usize, code: u64, known: bool) -> Checked {
        let (table, boot) = (d.table, d.flags & BOOT != 0);
        if code == self.dead.portal || code == self.dead.grant {
            return Ok(());
        }
        let Some(block) = self.code.get(code) else {
            return match crate::operations::inspect::nucleus_name(&self.machine.info().symbols, code) {
                Some("nucleus.asid" | "nucleus.thread" | "nucleus.hrtime") => Ok(()),
                Some(_) if boot => Ok(()),
                Some(_) => violation("a privileged portal", asid, number, code),
                None => violation("no block", asid, number, code),
            };
        };
        if block.permanent {
            let known =
                |portals: &crate::state::system_portals::SystemPortals| portals.system.get(number) == Some(&code);
            use abi::system::graveyard::{BURY, LEAVE};
            let grave = self.dead.graveyard == table && [BURY, LEAVE].contains(&number);
            return if grave || self.system_portals.iter().any(known) {
                Ok(())
            } else {
                violation("a system portal at another's number", asid, number, code)
            };
        }
        expect("whether the block knows the entry", asid, number, known as u64, 1)?;
        if self.domains.contains(block.server as usize) || self.is_parked(code) {
            Ok(())
        } else {
            violation("a portal into a dead domain", asid, number, block.server as u64)
        }
    }
    /// Those that share a table have the same in it, and know of each other.
    #[optimize(size)]
    fn check_sharers(&self, asid: usize, d: &Domain<M>) -> Checked {
        let links = (d.notify != 0 || d.sharer != 0, !d.sandbox.inside.is_empty() || d.sharer != 0);
        expect("whether others have to do with a table", asid, 0, ((d.heard, d.linked) == links) as u64, 1)?;
        if d.sharer == 0 {
            return Ok(());
        }
        let mut member = d.sharer;
        for _ in 0..MAX_DOMAINS {
            if member == asid {
                break;
            }
            member = self.domains.get(member).map_or(0, |d| d.sharer);
        }
        expect("a ring that shares a table", asid, d.sharer, member as u64, asid as u64)?;
        let Some(other) = self.domains.get(d.sharer).filter(|_| d.sharer != asid) else {
            return violation("who shares a table with nobody", asid, d.sharer, 0);
        };
        expect(
            "the sandbox of who shares a table",
            asid,
            d.sharer,
            other.sandbox.controller as u64,
            d.sandbox.controller as u64,
        )?;
        for number in FIRST_FREE..NPORTALS {
            let code = d.table.entry(number);
            if !self.is_same_portal(code, other.table.entry(number)) {
                return violation("an entry that differs in a shared table", asid, number, code);
            }
            if d.sandbox.controller != 0 && d.sandbox.held.has(number) != other.sandbox.held.has(number) {
                return violation("a number that only one has who share them", asid, number, d.sharer as u64);
            }
        }
        Ok(())
    }
    /// What is known of pages that were lent is what the page table has.
    fn check_lent(&self, asid: usize, table: Table<M>) -> Checked {
        for n in 0..domain::LENT_PAGES {
            let (page, entry) = (table.field(domain::LENT + 16 * n), Entry::of(table.field(domain::LENT + 16 * n + 8)));
            let address = page as usize * PAGE;
            // It may be shared for good since.
            let there = |entry: Entry| self.machine.memory_window(asid, address, entry, entry, asid).is_ok();
            if page != 0 && !there(entry) && !there(entry.with(Marks::FOREIGN)) {
                return violation("a page that was lent and is no longer there", asid, address, entry.word());
            }
        }
        Ok(())
    }
    /// The free stacks of a domain, those of its queue and the reserves that it keeps, are different ones, no more than there are, and the domain's.
    #[optimize(size)]
    fn check_stacks(&self, asid: usize, d: &Domain<M>) -> Checked {
        let there = |at: u64| (at != 0).then_some(at);
        let list = |first| core::iter::successors(there(first), |&at| there(self.machine.read(at)));
        let all = || list(d.table.field(domain::STACKS)).chain(list(d.reserves));
        for (count, descriptor) in all().enumerate() {
            let top = self.machine.read(descriptor + 8);
            let before = all().take(count).any(|other| other == descriptor || self.machine.read(other + 8) == top);
            if count >= d.queue || before || top as usize > abi::address::STACK_TOP {
                return violation("a stack queue", asid, count, top);
            }
        }
        Ok(())
    }

    /// Each account has taken what is kept of its charges.
    #[optimize(size)]
    fn check_accounts(&self) -> Checked {
        for (account, kept) in self.kept().iter().enumerate() {
            let Ok(account) = account::Account::new(account) else { continue };
            for resource in abi::account::Resource::ALL {
                let (used, kept) = (self.accounts.used(account, resource), kept[resource as usize]);
                expect("what an account has taken", account.number(), resource as usize, used as u64, kept as u64)?;
            }
        }
        Ok(())
    }

    #[optimize(size)]
    fn check_blocks(&self, known: &mut [usize]) -> Checked {
        for (code, block) in self.code.all() {
            let server = block.server as usize;
            let [magic, words, frame, _] = self.code.header(code);
            expect("a block's header", server, 0, magic as u64, BLOCK_MAGIC as u64)?;
            if frame as u16 != block.frame || 16 + 4 * words as usize > block.bytes as usize {
                return violation("a block's size", server, words as usize, code);
            }
            for &(asid, number) in &block.users {
                let (asid, number) = (asid as usize, number as usize);
                let entry = self.domains.get(asid).map_or(0, |d| d.table.entry(number));
                expect("an entry that a block knows", asid, number, entry, code)?;
                let (word, bit) = place(asid, number);
                let Some(word) = known.get_mut(word) else {
                    return violation("a number of no table", asid, number, code);
                };
                expect("an entry that a block knows twice", asid, number, (*word & bit != 0) as u64, 0)?;
                *word |= bit;
            }
            let retired = self.code.is_retired(code);
            if !block.permanent && block.is_used() == retired {
                return violation("a block with and without users", server, retired as usize, code);
            }
            let gate = self.domains.get(server).is_some_and(|d| d.gate.is_some());
            if block.at_gate.is_some() && !gate && self.domains.contains(server) {
                return violation("a block whose calls wait at a gate that is open", server, 0, code);
            }
            let listed = self.domains.get(server).filter(|d| d.flags & BOOT == 0);
            if let Some(d) = listed.filter(|_| !block.permanent) {
                let times = d.blocks.iter().filter(|&&at| at == code).count();
                expect("times that the server knows the block", server, 0, times as u64, 1)?;
            }
        }
        for zombie in &self.remains.zombies {
            let blocks = self.code.all().filter(|(_, b)| b.server as usize == zombie.asid).count();
            expect("a dead domain's blocks", zombie.asid, 0, zombie.blocks as u64, blocks as u64)?;
            self.check_parked(zombie)?;
        }
        for (asid, domain) in self.domains.iter() {
            for (constant, portals) in domain.grants.iter() {
                let kind = Kind::Granted { constant, server: asid as u16 };
                let blocks = self.code.all().filter(|(_, b)| b.kind == kind && b.is_used()).count();
                expect("portals of a constant", asid, constant as usize, portals as u64, blocks as u64)?;
            }
        }
        for (id, semaphore) in self.semaphores.iter() {
            let users = semaphore.blocks.iter().filter_map(|&code| self.code.get(code)).map(|b| b.users.len());
            expect("a semaphore's entries", id, 0, semaphore.entries as u64, users.sum::<usize>() as u64)?;
        }
        Ok(())
    }
    /// Whether calls by the block at `code` are parked, which leads to a domain that has ended.
    fn is_parked(&self, code: u64) -> bool {
        self.remains.all_parked().any(|parked| parked.blocks.contains(&code))
    }
    /// Calls that are parked find no stack of who has ended, which somebody who lives makes again.
    #[optimize(size)]
    fn check_parked(&self, zombie: &Zombie<M>) -> Checked {
        let Some(parked) = &zombie.parked else { return Ok(()) };
        expect("whose calls are parked", zombie.asid, 0, parked.of.number() as u64, zombie.asid as u64)?;
        expect("the record of who has ended", zombie.asid, 0, zombie.table.field(domain::IDENTITY), parked.of.word())?;
        if self.live(parked.maker).is_err() {
            return violation("calls that are parked for nobody", zombie.asid, 0, parked.maker.word());
        }
        let words = portal::parked(zombie.table.address(), &self.machine.info().symbols);
        for &code in &parked.blocks {
            let there = self.code.get(code).is_some_and(|block| block.server as usize == zombie.asid);
            if !there || !self.code.words(code).1.take(words.len()).eq(words) {
                return violation("a block whose calls are not parked", zombie.asid, 0, code);
            }
        }
        Ok(())
    }
    #[optimize(size)]
    fn check_registrations(&self, counts: &mut Vec<usize>) -> Checked {
        let boot = self.machine.info().portal_count as usize;
        let blocks = zeros(counts, self.registrations.end());
        for (code, block) in self.code.all() {
            let Kind::Registered { registration } = block.kind else { continue };
            if block.permanent || !block.is_used() {
                continue;
            }
            let known = self.registrations.get(registration as usize);
            if known.is_none_or(|r| r.server != block.server as usize) {
                return violation(
                    "a block to nobody's registration",
                    block.server as usize,
                    registration as usize,
                    code,
                );
            }
            blocks[registration as usize] += 1;
        }
        for (id, r) in self.registrations.iter().filter(|&(id, _)| id >= boot) {
            self.check_latest(id, r)?;
            expect("a registration's blocks", r.server, id, r.blocks as u64, blocks[id] as u64)?;
            let awaits =
                self.domains.get(r.server).and_then(|d| self.domains.succession(d.id)).is_some_and(|s| !s.over);
            if r.name_is == NameIs::Awaited && (!awaits || r.blocks > 0) {
                return violation("a name that is awaited by who takes nobody's place", r.server, id, r.blocks as u64);
            }
            let lives = self.domains.contains(r.server) == (r.name_is != NameIs::Lost);
            if !lives || (r.blocks == 0 && !r.has_name()) {
                return violation("a registration of nobody", r.server, id, 0);
            }
        }
        let provided = zeros(counts, MAX_DOMAINS);
        for (_, r) in self.registrations.iter().filter(|&(id, _)| id >= boot) {
            provided[r.server] += 1;
        }
        for (asid, d) in self.domains.iter() {
            expect("the number of registrations", asid, 0, d.provides as u64, provided[asid] as u64)?;
        }
        Ok(())
    }

    /// A block to open again leads to the same registration, or led there.
    #[optimize(size)]
    fn check_latest(&self, id: usize, r: &crate::state::registrations::Registration) -> Checked {
        let same = |b: &crate::state::code::Block| {
            let ends = (b.server as usize, b.entry) == (r.server, r.entry);
            ends && b.specification == r.specification && b.kind == Kind::Registered { registration: id as u32 }
        };
        if r.latest == 0 || self.code.get(r.latest).is_some_and(same) {
            Ok(())
        } else {
            violation("a block to open again that is another's", r.server, id, r.latest)
        }
    }
}
