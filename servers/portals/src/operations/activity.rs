//! What threads are doing: the calls that each is in, and what it waits for.
//!
//! Who looks again wants to know whether a call that he finds is the one that he has found before: the same thread may have made another one since, from the same place. So a call can be marked, in its frame: the mark is gone with the frame.
//! Only one may mark, since nobody knows whose marks there are: a first component.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::machine::nucleus_memory::Masked;
use crate::manager::{BOOT, Manager};
use crate::state::code::{Block, Kind};
use crate::state::nucleus_data::ThreadPage;
use abi::Error;
use abi::activity::{Activity, Call, Doing, GRANTED, MARKED, What};
use abi::inspect::NO_REGISTRATION;

impl<M: Machine> Manager<M> {
    /// What the first thread does whose index is `from` or higher; `marks`: its calls are marked, and it is measured from now on how long threads run. `EACCESS`: domain `by`, which asks, may not do that; `ESRCH`: there is no such thread.
    #[optimize(size)]
    pub fn activity(&self, by: usize, from: usize, marks: bool) -> Result<Activity> {
        if marks && self.domain(by)?.flags & BOOT == 0 {
            return Err(Error::EACCESS);
        }
        let (index, page, home) = self.threads.living_from(from).next().ok_or(Error::ESRCH)?;
        // It may have ended, and not be known to have.
        let doing = self.machine.thread_doing(index, marks).unwrap_or(Doing::new(What::Ended, 0));
        let (index, home, doing) = (index as u64, home.word(), doing.word());
        let mut activity = Activity { index, home, doing, ..Activity::NONE };
        let mut seen = self.seen.borrow_mut();
        for (at, portal, _) in seen.settle_places(page, &self.code) {
            let block = self.code.containing(portal).map(|(_, block)| block);
            let Some(server) = block.and_then(|block| self.entered(block)) else { continue };
            let registration = match block.map(|block| block.kind) {
                Some(Kind::Registered { registration }) => u64::from(registration),
                Some(Kind::Granted { .. }) => GRANTED,
                _ => NO_REGISTRATION,
            };
            match activity.calls.get_mut(activity.depth as usize) {
                Some(place) => {
                    let was_marked = marks && self.mark_call(page, at, portal);
                    *place = Call { server, registration, frame: at | if was_marked { MARKED } else { 0 } };
                }
                // It is not marked, so when it is told it is not taken for one that was told before.
                None => activity.beyond.add(server as u16 as usize),
            }
            activity.depth += 1;
        }
        Ok(activity)
    }
    /// The word of the identity of the domain that calls by `block` enter; `None`: it is one of the first components, or calls do not leave their domain.
    fn entered(&self, block: &Block) -> Option<u64> {
        let server = self.domain(block.server as usize).ok()?;
        (!block.same_domain && server.flags & BOOT == 0).then(|| server.id.word())
    }
    /// Marks the call that has a frame there and returns through `portal`, if there still is one → whether it was marked. The thread may have run since it was found.
    pub(crate) fn mark_call(&self, page: ThreadPage<M>, at: u64, portal: u64) -> bool {
        let _masked = Masked::new(self.machine);
        let frame = page.frame_at(at);
        page.invocation() <= frame.address() && frame.portal() == portal && frame.mark()
    }
}
