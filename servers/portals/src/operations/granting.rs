//! Portals that a server gives to who calls it: a file's, say, with the file's number embedded.
//!
//! They land in the caller's table without being asked for one by one, so three rules keep a server from harming whom it gives them.
//! Only a call that the client has made itself, through a portal that it has opened or was granted, is answered with portals: not an
//! upcall, whose caller is a trusted server, and not a stub's, whose caller knows nothing of it. The table of a trusted domain takes
//! grants from trusted servers alone, that of a boot component none. And an untrusted server's take only so many numbers of a table,
//! those of all of them together not more than half; what a server has granted that is no more keeps no number from anybody else, but one that a thread of
//! the table's domain has asked about and may be about to call.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Caller, Manager};
use crate::state::code::{Kind, MadeFor};
use crate::state::kept::KeptGrant;
use crate::state::nucleus_data::ThreadPage;
use abi::Error;
use abi::nucleus::flags;
use abi::system::{FIRST_FREE, GRANTS, GRANTS_OF_ALL, GRANTS_OF_ONE, Grant, Granted};
use portal::Specification;

impl<M: Machine> Manager<M> {
    /// The domain whose call thread `index` serves in domain `server`, which has called the portal manager from there. `EINVAL`: it
    /// serves none that was made through a portal that the client has opened or was granted.
    #[optimize(size)]
    pub fn client_of(&self, index: usize, server: usize) -> Result<usize> {
        let thread = ThreadPage::of(self.machine, index).ok_or(Error::ESRCH)?;
        // The top frame is the server's call to us; the next one is its own caller's.
        let mut frames = thread.frames(&self.code).filter(|f| !f.floating()).skip(1);
        let frame = frames.next().ok_or(Error::EINVAL)?;
        let (_, block) = self.code.containing(frame.portal()).ok_or(Error::EINVAL)?;
        let client = self.asid_of(frame.table())?;
        let wanted = matches!(block.kind, Kind::Registered { .. } | Kind::Granted { .. });
        if wanted && block.server as usize == server { Ok(client) } else { Err(Error::EINVAL) }
    }
    /// The same, where that client may be given portals.
    #[optimize(size)]
    fn served(&self, index: usize, server: usize) -> Result<usize> {
        let client = self.client_of(index, server)?;
        if client == server {
            return Err(Error::EINVAL);
        }
        let (client_flags, server_flags) = (self.domain(client)?.flags, self.domain(server)?.flags);
        if client_flags & BOOT != 0 || (client_flags & !server_flags) & flags::TRUSTED != 0 {
            return Err(Error::EACCESS);
        }
        Ok(client)
    }
    /// Whether the table of `client` has room for `count` more portals of `server`'s. `EMFILE`: it has not.
    #[optimize(size)]
    fn may_grant(&self, client: usize, server: usize, count: usize) -> Result<()> {
        if self.domain(server)?.flags & flags::TRUSTED != 0 {
            return Ok(());
        }
        let domain = self.domain(client)?;
        let (mut of_one, mut of_all) = (count, count);
        for number in FIRST_FREE..domain.numbers.1 {
            let Some(block) = self.code.get(domain.table.entry(number)) else { continue };
            let own = block.server as usize == server;
            if matches!(block.kind, Kind::Granted { .. })
                && (own || self.domain(block.server as usize).is_ok_and(|d| d.flags & flags::TRUSTED == 0))
            {
                of_one += own as usize;
                of_all += 1;
            }
        }
        if of_one > GRANTS_OF_ONE || of_all > GRANTS_OF_ALL { Err(Error::EMFILE) } else { Ok(()) }
    }
    /// Makes the portals of `request` in the table of the domain whose call the caller serves; that domain, and the first
    /// number.
    #[optimize(size)]
    pub fn grant(&mut self, caller: Caller, thread: usize, request: &Grant) -> Result<(usize, usize)> {
        let count = request.count as usize;
        if count == 0 || count > GRANTS || request.constant >> 32 != 0 || caller.direct != caller.subject {
            return Err(Error::EINVAL);
        }
        let client = self.served(thread, caller.direct)?;
        self.may_grant(client, caller.direct, count)?;
        let gone = if request.gone == 0 { 0 } else { self.semaphore_of(caller.direct, request.gone as usize)? };
        let mut specifications = [Specification::EMPTY; GRANTS];
        for (specification, granted) in specifications.iter_mut().zip(&request.portals[..count]) {
            *specification = self.granted_specification(granted, caller.direct)?;
        }
        let number = self.free_numbers_for(client, &specifications[..count])?;
        self.domain_mut(caller.direct)?.grants.reserve()?;
        let codes = self.make_granted((client, number), caller.direct, request, &specifications[..count])?;
        for (n, &code) in codes[..count].iter().enumerate() {
            let installed = self.install_first(client, number + n, code).and_then(|()| {
                self.domain_mut(caller.direct)?.grants.add(request.constant as u32, gone as u32);
                Ok(())
            });
            if let Err(error) = installed {
                codes[n + 1..count].iter().for_each(|&code| self.retire(code));
                for undo in number..number + n {
                    self.uninstall(client, undo)?;
                }
                return Err(error);
            }
        }
        Ok((client, number))
    }
    /// The code of all portals of `request`, for numbers from `first.1` of domain `first.0` on. It is visible to fetch before any of them leads there: another
    /// thread of the client may call what it was not given yet.
    #[optimize(size)]
    fn make_granted(
        &mut self,
        first: (usize, usize),
        server: usize,
        request: &Grant,
        specifications: &[Specification],
    ) -> Result<[u64; GRANTS]> {
        let (mut codes, mut rewritten) = ([0; GRANTS], false);
        for (n, specification) in specifications.iter().enumerate() {
            let portal = (&request.portals[n], specification);
            match self.granted((first.0, first.1 + n), server, portal, request.constant as u32) {
                Ok((code, again)) => {
                    codes[n] = code;
                    rewritten |= again;
                }
                Err(error) => {
                    codes[..n].iter().for_each(|&code| self.retire(code));
                    return Err(error);
                }
            }
        }
        if rewritten {
            self.machine.sync_code();
        }
        Ok(codes)
    }
    /// What a grant's text says. It is not looked at again where it was granted lately.
    fn granted_specification(&self, granted: &Granted, server: usize) -> Result<Specification> {
        if let Some(kept) = self.kept.like(granted, server).next() {
            return Ok(kept.specification);
        }
        self.parse(crate::operations::registrations::specification(&granted.spec)?).map_err(|_| Error::EINVAL)
    }
    /// The code of a portal that `server` grants, for number `place.1` of domain `place.0`, and whether it is a block that was there, whose words were
    /// changed.
    #[optimize(size)]
    fn granted(
        &mut self,
        (client, number): (usize, usize),
        server: usize,
        (granted, specification): (&Granted, &Specification),
        constant: u32,
    ) -> Result<(u64, bool)> {
        if granted.entry >= abi::address::WINDOW_VA as u64 {
            return Err(Error::EINVAL);
        }
        let caller = self.end(client)?;
        let flags = [caller.flags as u16, self.domain(server)?.flags as u16];
        let (payer, count) = (self.code_payer(caller, server), self.count(number));
        let made_for = MadeFor { payer, same_domain: false, flags, short_circuit: 0, count, traced: false };
        let kind = Kind::Granted { constant, server: server as u16 };
        if let Some(code) = self.grant_again(granted, server, made_for, kind) {
            return Ok((code, true));
        }
        let constants = [u64::from(constant); 6];
        let (code, place) =
            self.generate_with((caller, server), specification, (granted.entry, &constants), None, kind, count)?;
        if let Some(block) = self.code.get_mut(code) {
            block.made_for = Some(made_for);
        }
        if specification.constants() < 2 {
            self.kept.add(KeptGrant::new(granted, server, *specification, made_for, code, place));
        }
        Ok((code, false))
    }
    /// A block that was made for the same but for the constant, and that no table entry leads to any more: it has the new constant from now on. What still
    /// returns through it looks at none, and no thread is where it is loaded, for interrupts are off there.
    fn grant_again(&mut self, granted: &Granted, server: usize, made_for: MadeFor, kind: Kind) -> Option<u64> {
        let Kind::Granted { constant: now, .. } = kind else { return None };
        let Manager { kept, code, .. } = self;
        let found = kept.like(granted, server).filter(|kept| kept.made_for == made_for).find(|kept| {
            let Some(block) = code.get(kept.code).filter(|block| block.retired) else { return false };
            let Kind::Granted { constant: before, server: of } = block.kind else { return false };
            // What is there may be another block by now.
            let same = of as usize == server && block.entry == granted.entry && block.made_for == Some(made_for);
            let (at, register) = (kept.constant.0 as usize, kept.constant.1);
            same && block.specification == kept.specification
                && (at == 0 || code.change_constant(kept.code, at, register, before, now))
        })?;
        let at = found.code;
        code.revive(at);
        code.get_mut(at)?.kind = kind;
        Some(at)
    }
    /// Nothing leads to a portal any more that `server` granted with `constant`.
    pub fn grant_gone(&mut self, server: usize, constant: u32) {
        let last = self.domains.get_mut(server).and_then(|d| d.grants.remove(constant));
        last.into_iter().for_each(|semaphore| self.posts.push(self.machine, semaphore));
    }
    /// A constant with which the caller has granted portals, none of which is left; each once. `EAGAIN`: there is none.
    #[optimize(size)]
    pub fn next_gone(&mut self, caller: Caller) -> Result<isize> {
        let done = self.domain_mut(caller.direct)?.grants.next_done();
        done.map(|constant| constant as isize).ok_or(Error::EAGAIN)
    }
    /// How many portals that the caller granted with `constant` a table entry leads to.
    #[optimize(size)]
    pub fn count_granted(&self, caller: Caller, constant: usize) -> Result<isize> {
        Ok(self.domain(caller.direct)?.grants.count(constant) as isize)
    }
}
