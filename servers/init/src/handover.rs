//! Handing over: a component is replaced by one that can not run beside it, since both drive the same device.
//!
//! The new one is loaded while the old one serves. Then the gate of the old one closes (`domain.gate`): who calls it waits. When nobody is in a call of it any more, or none comes to its end soon, it ends, and the new one runs: who waits calls that as soon as it has registered
//! what he calls. Whatever goes wrong before the old one has ended opens the gate again, and nothing else has happened. Should the new one end later, or lack what is in use, the old component is started again, and who waits waits for that.
//!
//! It is done by a thread of init's own, above whoever loops: who asks for it may have a low priority, and those that wait at the gate any.

use crate::succession::{self, Predecessor, Refused};
use crate::{Prepared, WATCHING, known, loader, run_known, supervision, with};
use abi::Error;
use abi::identity::DomainId;
use abi::section::NAME;
use abi::system::gate;
use alloc::vec::Vec;
use fallible::TryPush;
use pebble::interfaces::types::{Address, Alleged};
use pebble::interfaces::{domains, portals};
use pebble::sync::{Mutex, Semaphore};
use pebble::time::{TIMEBASE, sleep, time};

type Result<T> = core::result::Result<T, Refused>;

/// What calls that the old one serves may take to end once its gate is closed, and the new one until it is ready, in units of [`TIMEBASE`]: together less than what calls wait for.
const FINISHED: u64 = TIMEBASE / 5;
const READY: u64 = 3 * TIMEBASE / 2;
/// Ticks of `hrtime` between two looks: about 0.5 ms.
const PAUSE: u64 = 250_000;

/// One that is asked for.
struct Job {
    new: DomainId,
    predecessor: Predecessor,
    /// `None`: it is being done.
    prepared: Option<Prepared>,
    /// Posted when it is done; `None`: nobody waits any more.
    done: Option<usize>,
    result: Option<Result<()>>,
}
static JOBS: Mutex<Vec<Job>> = Mutex::new(Vec::new());

/// Has `prepared` take the place of a component that runs; its domain. As `domain.gate`; `EDEAD`: the old one has ended before; `ETIMEDOUT`, with its name: a portal that is in use is still not there 1.5 s after the old one has ended; `ECANCELED`: the new one has ended
/// before that, or the caller's wait has; `ENOMEM`, `ENFILE`.
#[inline(never)]
pub fn hand_over(prepared: Prepared, predecessor: Predecessor) -> Result<DomainId> {
    let new = prepared.loaded.domain;
    let begun = begin(prepared, predecessor).inspect_err(|_| loader::discard(new))?;
    let waited = begun.wait();
    let mut jobs = JOBS.lock();
    let place = jobs.iter().position(|job| job.new == new).ok_or(Error::ECANCELED)?;
    match waited {
        Ok(()) => jobs.swap_remove(place).result.unwrap_or(Err(Error::ECANCELED.into())).map(|()| new),
        Err(error) => {
            // From here on there is no such semaphore. What is not done goes on, and nobody hears how it ends.
            if jobs.get(place).is_some_and(|job| job.result.is_some()) {
                jobs.swap_remove(place);
            }
            jobs.iter_mut().filter(|job| job.new == new).for_each(|job| job.done = None);
            Err(error.into())
        }
    }
}
/// What is posted when it is done.
fn begin(prepared: Prepared, predecessor: Predecessor) -> Result<Semaphore> {
    let new = prepared.loaded.domain;
    // For what is left of the old one, and of all others that are being replaced.
    with(|init| init.succeeded.room_for(init.running.len())).unwrap_or(Err(Error::EAGAIN))?;
    let done = Semaphore::new(0)?;
    let job = Job { new, predecessor, prepared: Some(prepared), done: Some(done.number()), result: None };
    JOBS.lock().try_push(job)?;
    start(new).inspect_err(|_| JOBS.lock().retain(|job| job.new != new))?;
    Ok(done)
}
/// Starts the thread that does it.
// By itself: nothing that a caller calls through a pointer is `serve`.
#[inline(never)]
fn start(new: DomainId) -> pebble::Result<()> {
    // A trusted component's thread starts on its service stack, so no stack is given.
    portals::thread_create(Address(serve as *const () as usize), Address(0), new.word() as usize, WATCHING).map(|_| ())
}
extern "C" fn serve(new: usize) -> ! {
    let its = |job: &&mut Job| job.new.word() as usize == new;
    let job = JOBS.lock().iter_mut().find(its).and_then(|job| Some((job.prepared.take()?, job.predecessor)));
    if let Some((prepared, predecessor)) = job {
        let result = change(prepared, predecessor);
        let mut jobs = JOBS.lock();
        if let Some(job) = jobs.iter_mut().find(its) {
            job.result = Some(result);
            match job.done {
                // Under the lock: it is there until who waits has said that he does no more.
                Some(semaphore) => _ = pebble::portal::call(semaphore + 1, []),
                None => jobs.retain(|job| job.new.word() as usize != new),
            }
        }
    }
    pebble::thread::exit()
}
fn change(Prepared { loaded, running }: Prepared, predecessor: Predecessor) -> Result<()> {
    let (new, old, by) = (loaded.domain, predecessor.domain, running.component);
    if let Err(error) = known(running) {
        loader::discard(loaded.domain);
        return Err(error.into());
    }
    if let Err(error) = give_way(old, new) {
        succession::give_up(new, old);
        return Err(error);
    }
    let ready = run_known(&loaded, by).map_err(Refused::from).and_then(|_| ready(new));
    if ready.is_err() {
        with(|init| init.forget(new).inspect(|running| init.is_lost(running, true)));
        loader::discard(loaded.domain);
    }
    let settled = succession::settle(new, predecessor, supervision::comes_back);
    if ready.is_ok() {
        with(|init| init.is_nobodys(old));
    }
    ready.and_then(|()| if settled { Ok(()) } else { Err(Error::ECANCELED.into()) })
}
/// Ends `old`, whose calls wait for `new` then.
fn give_way(old: DomainId, new: DomainId) -> Result<()> {
    let mut name = [0; NAME];
    let closed = domains::gate(old.into(), new.into(), gate::CLOSE, Alleged::lend_to_write(&mut name));
    closed.map_err(|error| if error == Error::ESRCH { Error::EDEAD.into() } else { Refused(error, name) })?;
    succession::wait_until_left(old, FINISHED, PAUSE);
    let ended = domains::gate(old.into(), new.into(), gate::END, Alleged::lend_to_write(&mut name));
    // It may have come to its end by itself behind the gate, which is as well.
    match ended {
        Err(Error::EBUSY) => Err(Refused(Error::EBUSY, name)),
        Err(_) if domains::served(old.into()).is_ok() => Err(Error::ETIMEDOUT.into()),
        _ => Ok(()),
    }
}
/// Waits until `new` has registered what others had open of its predecessor, and as many names as that had, if it does so in time.
fn ready(new: DomainId) -> Result<()> {
    let until = time() + READY;
    loop {
        let mut name = [0; NAME];
        match domains::gate(new.into(), new.into(), gate::AWAITED, Alleged::lend_to_write(&mut name)) {
            Ok(1..) if time() < until => sleep(PAUSE),
            Ok(1..) if name != [0; NAME] => return Err(Refused(Error::ETIMEDOUT, name)),
            // What nobody uses may be left out.
            Ok(_) => break,
            Err(Error::ESRCH) => return Err(Error::ECANCELED.into()),
            Err(error) => return Err(Refused(error, name)),
        }
    }
    let taken = domains::gate(new.into(), new.into(), gate::TAKEN, Alleged::lend_to_write(&mut [0; NAME]));
    taken.map(|_| ()).map_err(|_| Error::ECANCELED.into())
}
