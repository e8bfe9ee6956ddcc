//! Portals that a server gives to who calls it: a file's, say, with the file's number embedded.
//!
//! They land in the caller's table without being asked for one by one, so three rules keep a server from harming whom it gives them.
//! Only a call that the client has made itself, through a portal that it has opened or was granted, is answered with portals: not an
//! upcall, whose caller is a trusted server, and not a stub's, whose caller knows nothing of it. The table of a trusted domain takes
//! grants from trusted servers alone, that of a boot component none. And an untrusted server's take only so many numbers of a table,
//! those of all of them together not more than half; what a server has granted that is no more keeps no number from anybody else.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Caller, Manager};
use crate::state::code::Kind;
use crate::state::nucleus_data::ThreadPage;
use abi::Error;
use abi::nucleus::flags;
use abi::system::{FIRST_FREE, GRANTS, GRANTS_OF_ALL, GRANTS_OF_ONE, Grant};
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
            *specification = self.granted_specification(granted)?;
        }
        let number = self.free_numbers_for(client, &specifications[..count])?;
        self.domain_mut(caller.direct)?.grants.reserve()?;
        let constants = [request.constant; 6];
        for (n, granted) in request.portals[..count].iter().enumerate() {
            let installed = self.granted((client, number + n), caller.direct, granted, &constants).and_then(|code| {
                self.install_first(client, number + n, code)?;
                self.domain_mut(caller.direct)?.grants.add(request.constant as u32, gone as u32);
                Ok(())
            });
            if let Err(error) = installed {
                for undo in number..number + n {
                    self.uninstall(client, undo)?;
                }
                return Err(error);
            }
        }
        Ok((client, number))
    }
    fn granted_specification(&self, granted: &abi::system::Granted) -> Result<Specification> {
        self.parse(crate::operations::registrations::specification(&granted.spec)?).map_err(|_| Error::EINVAL)
    }
    #[optimize(size)]
    fn granted(
        &mut self,
        (client, number): (usize, usize),
        server: usize,
        granted: &abi::system::Granted,
        constants: &[u64; 6],
    ) -> Result<u64> {
        let specification = self.granted_specification(granted)?;
        if granted.entry >= abi::address::WINDOW_VA as u64 {
            return Err(Error::EINVAL);
        }
        let kind = Kind::Granted { constant: constants[0] as u32, server: server as u16 };
        self.generate((self.end(client)?, server), &specification, (granted.entry, constants), kind, self.count(number))
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
