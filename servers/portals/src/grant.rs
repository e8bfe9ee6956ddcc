//! Portals that a server gives to who calls it: a file's, say, with the file's number embedded.

use crate::code::Kind;
use crate::manager::{Caller, Manager};
use crate::view::ThreadPage;
use abi::Error;
use abi::system::{GRANTS, Grant};
use pebble::Result;

impl Manager {
    /// The domain whose call thread `index` serves in domain `server`, which has called the portal manager from there.
    #[optimize(size)]
    fn served(&self, index: usize, server: usize) -> Result<usize> {
        let thread = ThreadPage::of(index).ok_or(Error::ESRCH)?;
        // The top frame is the server's call to us; the next one is its own caller's.
        let mut frames = thread.frames(&self.code).filter(|f| !f.floating()).skip(1);
        let frame = frames.next().ok_or(Error::EINVAL)?;
        let into = self.code.containing(frame.portal()).map(|(_, block)| block.server as usize);
        let client = self.asid_of(frame.table())?;
        if into == Some(server) && client != server { Ok(client) } else { Err(Error::EINVAL) }
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
        let gone = if request.gone == 0 { 0 } else { self.semaphore_of(caller.direct, request.gone as usize)? };
        let number = self.free_numbers(client, count)?;
        self.domain_mut(caller.direct)?.grants.reserve()?;
        let constants = [request.constant; 6];
        for (n, granted) in request.portals[..count].iter().enumerate() {
            let installed = self.granted(client, caller.direct, granted, &constants).and_then(|code| {
                self.domain_mut(caller.direct)?.grants.add(request.constant as u32, gone as u32);
                self.install(client, number + n, code)
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
    #[optimize(size)]
    fn granted(
        &mut self,
        client: usize,
        server: usize,
        granted: &abi::system::Granted,
        constants: &[u64; 6],
    ) -> Result<u64> {
        let specification = crate::words::specification(&granted.spec)?;
        let specification = self.parse(specification).map_err(|_| Error::EINVAL)?;
        if granted.entry >= abi::address::WINDOW_VA as u64 {
            return Err(Error::EINVAL);
        }
        let kind = Kind::Granted { constant: constants[0] as u32, server: server as u16 };
        self.generate((self.end(client)?, server), &specification, (granted.entry, constants), kind, false)
    }
    /// Nothing leads to a portal any more that `server` granted with `constant`.
    pub fn grant_gone(&mut self, server: usize, constant: u32) {
        let last = self.domains.get_mut(server).and_then(|d| d.grants.remove(constant));
        self.posts.extend(last);
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
