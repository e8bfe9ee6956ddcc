//! What every new domain's table starts with: the system portals and the fixed entries for faults and interrupts. Their
//! code does not depend on which domain calls, so it is generated once for each kind of domains, by their flags.

use crate::Result;
use crate::machine::neighbours::Machine;

use crate::manager::Manager;
use crate::state::code::{Block, Kind};
use crate::state::enclosure::Enclosure;
use crate::state::wanted::Wanted;
use abi::count::{FAULTS, INTERRUPTS};
use abi::system::{self, graveyard::BURY, graveyard::LEAVE};
use abi::wiring::{self, EXCEPTIONS, ILLEGAL, RAISED};
use portal::End;
use portal::counted::Switches;

use crate::state::system_portals::SystemPortals;

impl<M: Machine> Manager<M> {
    /// A permanent portal to boot registration `name` for callers like `like`, which counts in word `word`.
    #[optimize(size)]
    fn permanent_portal(&mut self, like: End, name: &str, word: usize) -> u64 {
        let symbols = &self.machine.info().symbols;
        let made = self.boot_registration(name).and_then(|id| self.generate_registered(like, id, true, word));
        made.unwrap_or(symbols.bad_portal)
    }
    /// Makes the tables of domains of a kind if there are none: few systems have others than untrusted ones beside the first ones.
    #[optimize(size)]
    pub fn make_system_portals(&mut self, kind: usize) {
        // Entry 0, "return", is in every table.
        if self.system_portals[kind].system[0] != 0 {
            return;
        }
        // No domain has table 0, so the code switches domains whoever calls.
        let flags = SystemPortals::KINDS[kind];
        let like = End { table: 0, asid: 0, flags };
        let symbols = &self.machine.info().symbols;
        // In place: who makes a domain has little stack left here.
        self.system_portals[kind].system.fill(symbols.bad_portal);
        self.system_portals[kind].interrupts.fill(symbols.fatal);
        let exceptions = self.permanent_portal(like, EXCEPTIONS, FAULTS);
        self.system_portals[kind].faults.fill(exceptions);
        self.system_portals[kind].system[0] = symbols.return_portal;
        for &(number, name) in system::ALL {
            let name = system::portal_for(flags & abi::nucleus::flags::TRUSTED != 0, number, name);
            self.system_portals[kind].system[number] = match symbols.portal(name) {
                Some(code) if self.counts_calls() => self.counted(code, number),
                Some(code) => code,
                None => self.permanent_portal(like, name, number),
            };
        }
        self.system_portals[kind].faults[ILLEGAL] = symbols.illegal;
        for (number, name) in RAISED.into_iter().filter(|(_, name)| *name != EXCEPTIONS) {
            self.system_portals[kind].faults[number] = self.permanent_portal(like, name, FAULTS);
        }
        for (cause, name) in wiring::INTERRUPTS {
            self.system_portals[kind].interrupts[cause] = self.permanent_portal(like, name, INTERRUPTS);
        }
    }
    /// Makes the tables of untrusted domains, the graveyard, and the portal that answers for the dead.
    pub fn make_first_tables(&mut self) -> Result<()> {
        self.make_system_portals(0);
        self.make_graveyard()?;
        self.dead.portal = self.answer_for_the_dead()?;
        self.dead.grant = self.answer_for_the_dead()?;
        Ok(())
    }
    /// A portal that answers `EDEAD`.
    #[optimize(size)]
    fn answer_for_the_dead(&mut self) -> Result<u64> {
        let length = self.emit_answer(abi::Error::EDEAD);
        self.add_own(length, Kind::Upcall, 0)
    }
    /// A portal that counts in word `word` before it goes to the nucleus's at `code`.
    #[optimize(size)]
    fn counted(&mut self, code: u64, word: usize) -> u64 {
        let words = portal::counted::counted(code, word, Switches::Never, &mut self.scratch);
        let made = words.ok_or(abi::Error::EINVAL).and_then(|length| self.add_own(length, Kind::Nucleus, code));
        made.unwrap_or(self.machine.info().symbols.bad_portal)
    }
    /// Puts the `length` words in `scratch` in their place, for all domains. They lead to no domain.
    #[optimize(size)]
    fn add_own(&mut self, length: usize, kind: Kind, entry: u64) -> Result<u64> {
        let block = Block { entry, ..Block::own(kind, 0, true) };
        let mut free = account::Charge::NONE;
        self.code.add(&self.scratch, length, block, &mut free)
    }
    /// The graveyard: a domain with nothing but the return page, where threads go whose domain died.
    #[optimize(size)]
    fn make_graveyard(&mut self) -> Result<()> {
        let (enclosure, account) = (Enclosure::SPACE, account::Account::SYSTEM);
        let asid = self.create_domain(&Wanted { name: "graveyard", flags: 0, enclosure, parent: 0, account })?;
        let table = self.domain(asid)?.table;
        let bury = self.permanent_portal(End { table: 0, asid: 0, flags: 0 }, "thread.bury", BURY);
        table.set_entry(BURY, bury);
        let leave = self.permanent_portal(End { table: 0, asid: 0, flags: 0 }, "thread.leave", LEAVE);
        table.set_entry(LEAVE, leave);
        self.dead.graveyard = table;
        self.dead.nothing = abi::address::supervisor(self.machine.nucleus_pages(1)?) as u64;
        self.machine.clear(self.dead.nothing, abi::address::PAGE / 8);
        Ok(())
    }
}
