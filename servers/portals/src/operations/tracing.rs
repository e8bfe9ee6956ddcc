//! Tracing: the code of connections to what is traced is generated anew, with steps that write down each call and its result
//! (`abi::trace`, `portal::recorder`).
//!
//! Neither end is asked or told: table entries, numbers, frames and results are the same. Calls that are in progress return through the
//! code that they came by, so a call that began before tracing has no event, and one that began before its end has both. The ring and the
//! recorder are made when something is traced for the first time, and stay: a thread may return through traced code at any later time.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::{Block, Kind, Users};
use crate::state::registrations::NameIs;
use abi::Error;
use abi::address::supervisor;
use abi::identity::DomainId;
use abi::nucleus::NPORTALS;
use abi::section::NAME;
use abi::trace::{self, AT_ONCE, BYTES, EVENTS, Event, Traced, operation};
use alloc::vec::Vec;
use fallible::TryPush;
use portal::Trace;
use portal::recorder::recorder;
use portal::specification::Argument;

/// Letters of what an argument points to, and what the callee may read from the start.
const SHOWN_LETTERS: &[u8] = b"rRS>";

impl<M: Machine> Manager<M> {
    /// Begins or ends tracing of all portals called `name`, for the direct caller; how many connections were generated anew. `ENOENT`:
    /// nobody provides such a name.
    #[optimize(size)]
    pub fn trace(&mut self, caller: Caller, name: &[u8; NAME], wanted: usize) -> Result<isize> {
        let on = match wanted {
            operation::ON => true,
            operation::OFF => false,
            _ => return Err(Error::EINVAL),
        };
        let mut found = Vec::new();
        for (id, _) in self.registrations.iter().filter(|(_, r)| *r.name == *name && r.name_is != NameIs::Lost) {
            found.try_push(id)?;
        }
        if found.is_empty() {
            return Err(Error::ENOENT);
        }
        if on {
            self.make_recorder()?;
            self.tracer.by = Some(self.domain(caller.direct)?.id);
        }
        let mut connections = 0;
        for id in found {
            connections += self.set_traced(id, on)?;
        }
        Ok(connections as isize)
    }
    /// Makes registration `id` one that is traced, or none; how many connections were generated anew.
    fn set_traced(&mut self, id: usize, on: bool) -> Result<usize> {
        match self.registrations.get_mut(id) {
            Some(registration) if registration.traced != on => registration.traced = on,
            _ => return Ok(0),
        }
        self.generate_anew(id)
    }
    /// A domain has ended: if it was who traces, nothing is traced any more. A connection that there is no memory for keeps the steps.
    pub fn end_tracing(&mut self, ended: DomainId) {
        if self.tracer.by != Some(ended) {
            return;
        }
        self.tracer.by = None;
        for id in 0..self.registrations.end() {
            let _ = self.set_traced(id, false);
        }
    }
    /// Makes the ring and the recorder, once.
    #[optimize(size)]
    fn make_recorder(&mut self) -> Result<()> {
        if self.tracer.recorder != 0 {
            return Ok(());
        }
        if self.tracer.ring == 0 {
            let pages = self.machine.nucleus_pages(trace::PAGES)?;
            let first = supervisor(pages) as u64;
            self.machine.clear(first, trace::PAGES * abi::address::PAGE / 8);
            let ring = first + abi::address::PAGE as u64;
            self.machine.write(ring.wrapping_add(trace::NEXT as i64 as u64), ring);
            self.tracer.ring = ring;
        }
        let words = recorder(self.tracer.ring, &mut self.scratch).ok_or(Error::EINVAL)?;
        let block = Block::own(Kind::Recorder, 0, true);
        let mut free = account::Charge::NONE;
        self.tracer.recorder = self.code.add(&self.scratch, words, block, &mut free)?;
        Ok(())
    }
    /// What traced code from domain `caller` to registration `id` is generated with; `None`: it is not traced. What who traces asks of
    /// the portal manager would fill the ring with the looks at it.
    #[cold]
    #[inline(never)]
    pub fn traced(&self, caller: usize, id: usize) -> Option<Trace> {
        let registration = self.registrations.get(id).filter(|r| r.traced)?;
        if registration.server == self.roles.own && self.domain(caller).is_ok_and(|d| Some(d.id) == self.tracer.by) {
            return None;
        }
        let passed = registration.specification.arguments().iter().filter(|argument| !argument.inserted());
        let shown = |argument: &Argument| argument.templated().is_some_and(|letter| SHOWN_LETTERS.contains(&letter));
        let shows = passed.enumerate().find(|(_, argument)| shown(argument)).map_or(0, |(n, _)| trace::shows(n));
        Some(Trace { recorder: self.tracer.recorder, what: (id as u64) << trace::REGISTRATION | shows })
    }
    /// Generates the code of all connections to registration `id` anew; how many. Those that all domains have from the start share their
    /// code, and keep it.
    #[optimize(size)]
    fn generate_anew(&mut self, id: usize) -> Result<usize> {
        let mut old: Vec<(u64, Users)> = Vec::new();
        let leads_to = |block: &Block| {
            block.specification.enters()
                && !block.permanent
                && block.kind == Kind::Registered { registration: id as u32 }
        };
        for (code, block) in self.code.all().filter(|(_, block)| leads_to(block)) {
            old.try_push((code, block.users.clone()))?;
        }
        let mut connections = 0;
        for (code, users) in old {
            for (asid, number) in users {
                connections += self.replace(id, code, (asid as usize, number as usize)).is_ok() as usize;
            }
        }
        Ok(connections)
    }
    /// Makes entry `number` of `asid`'s table, which leads to registration `id` by the code at `old`, do so by new code.
    fn replace(&mut self, id: usize, old: u64, (asid, number): (usize, usize)) -> Result<()> {
        let end = self.end(asid)?;
        if number >= NPORTALS || self.domain(asid)?.table.entry(number) != old {
            return Err(Error::EPORTAL);
        }
        let made_for = self.made_for(end, id, number)?;
        let code = self.generate_registered(end, id, false, number)?;
        if let Some(block) = self.code.get_mut(code) {
            block.made_for = Some(made_for);
            // The first needs no memory.
            block.add_user((asid as u16, number as u16))?;
        }
        // From this store on, calls come by the new code.
        self.domain(asid)?.table.set_entry(number, code);
        self.stop_at_gate(code);
        self.release(old, asid, number);
        Ok(())
    }
    /// Events from number `from` on, as many as one answer has. `ENOENT`: nothing was traced so far.
    #[optimize(size)]
    pub fn traced_events(&self, from: u64, answer: &mut Traced) -> Result<()> {
        let ring = self.tracer.ring;
        if ring == 0 {
            return Err(Error::ENOENT);
        }
        let written = || self.machine.read(ring.wrapping_add(trace::COUNT as i64 as u64));
        let oldest = |written: u64| written.saturating_sub(EVENTS as u64);
        let end = written();
        let first = from.clamp(oldest(end), end);
        let count = ((end - first) as usize).min(AT_ONCE);
        for (n, event) in answer.events.iter_mut().take(count).enumerate() {
            *event = self.event(first + n as u64);
        }
        // Calls go on meanwhile: what they have written over is none of these.
        let lost = (oldest(written()).saturating_sub(first) as usize).min(count);
        answer.events.copy_within(lost..count, 0);
        (answer.first, answer.count) = (first + lost as u64, (count - lost) as u64);
        Ok(())
    }
    /// The event with this number, or what has taken its place.
    fn event(&self, number: u64) -> Event {
        let place = self.tracer.ring + number % EVENTS as u64 * size_of::<Event>() as u64;
        let word = |n: usize| self.machine.read(place + 8 * n as u64);
        let kept = |n: usize| if word(11) & trace::KIND == trace::CALL || n == 0 { word(5 + n) } else { 0 };
        let mut bytes = [0; BYTES];
        if word(11) & trace::SHOWN != 0 {
            bytes.chunks_mut(8).enumerate().for_each(|(n, chunk)| chunk.copy_from_slice(&word(12 + n).to_le_bytes()));
        }
        let words = core::array::from_fn(kept);
        Event {
            time: word(0),
            caller: word(1),
            thread: word(2),
            number: word(3),
            depth: word(4),
            words,
            what: word(11),
            bytes,
        }
    }
}
