//! Threads, and their stacks.

use crate::hart::Hart;
use crate::{MANAGER, client_memory, seldom_with_caller, unlock, with_caller};
use abi::Error;
use abi::identity::DomainId;
use abi::system::Caller;
use pebble::interfaces::types::{Address, Alleged, DomainNumber, Identity, ThreadId, ThreadIndex, Ticks};
use pebble::interfaces::{memory, scheduler};
use portals_logic::operations::stacks::NoStack;
use portals_logic::state::nucleus_data::ThreadPage;
use portals_logic::state::threads::Exit;

pub extern "C" fn thread_create(
    thread: ThreadIndex,
    entry: Address,
    sp: Address,
    argument: usize,
    priority: usize,
) -> isize {
    // C passes the priority as an int.
    let priority = priority as i32 as isize as usize;
    with_caller(thread, |manager, caller| {
        manager.create_thread(caller.subject, entry.0, sp.0, argument, priority).map(|id| id as isize)
    })
}
/// The calling thread ends: those who wait for that wake, a few at a time.
fn end_thread() -> isize {
    while scheduler::exit() == Ok(true) {}
    0
}
/// Ends the calling thread, and with the last thread of a domain that nobody else can enter, the domain. A thread that is
/// in its domain's controlling domain ends when it returns from there: it holds a stack of that domain.
pub extern "C" fn thread_exit(thread: ThreadIndex) -> isize {
    give_back(thread);
    let mut manager = MANAGER.lock();
    match manager.exit_thread(thread.0) {
        Exit::Ends => {
            drop(manager);
            end_thread()
        }
        Exit::Returns => {
            unlock(manager);
            0
        }
        Exit::Refused(error) => error.code(),
    }
}
/// The thread is about to end, or is where the calls that it was about to make are made no more: what was shared or moved for them comes back.
fn give_back(thread: ThreadIndex) {
    if ThreadPage::of(Hart, thread.0).is_some_and(|page| page.is_transferring()) {
        let _ = memory::undo_transfers(thread);
    }
}
/// Where a thread ends whose domain died: what waited for it to leave can be freed now.
pub extern "C" fn bury(thread: ThreadIndex) -> isize {
    give_back(thread);
    let mut manager = MANAGER.lock();
    manager.sweep();
    manager.wake_stuck(thread.0);
    drop(manager);
    end_thread()
}
/// A thread has come past a domain that is dead: it waits as it did before, unless another one is on its way back.
pub extern "C" fn leave(thread: ThreadIndex) -> isize {
    give_back(thread);
    let manager = MANAGER.lock();
    manager.left_the_dead(thread.0);
    0
}
#[optimize(size)]
pub extern "C" fn thread_cancel(thread: ThreadIndex, id: ThreadId) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.cancel_thread(caller, id.0))
}
#[optimize(size)]
pub extern "C" fn callers(thread: ThreadIndex, after: ThreadIndex, out: Alleged<Caller>) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        let Some((index, call)) = manager.next_caller(caller.direct, after.0) else { return Ok(0) };
        client_memory::write(out, &call).map(|()| index as isize)
    })
}
pub extern "C" fn grow(thread: ThreadIndex, pages: usize) -> isize {
    with_caller(thread, |_, caller| memory::grow_for(DomainNumber(caller.subject), pages).map(|end| end.0 as isize))
}
pub extern "C" fn stack(thread: ThreadIndex, bytes: usize) -> isize {
    with_caller(thread, |manager, caller| {
        manager.reap();
        manager.new_stack(caller.subject, bytes).map(|top| top as isize)
    })
}
pub extern "C" fn set_tp(thread: ThreadIndex, tp: Address) -> isize {
    with_caller(thread, |manager, caller| manager.set_thread_pointer(caller.subject, tp.0).map(|()| 0))
}
pub extern "C" fn start_thread(
    _: ThreadIndex,
    asid: DomainNumber,
    entry: Address,
    sp: Address,
    argument: usize,
    priority: usize,
) -> isize {
    let mut manager = MANAGER.lock();
    let made = manager.start_component(asid.0, entry.0, sp.0, argument, priority);
    drop(manager);
    made.map_or_else(Error::code, |id| id as isize)
}
/// For how long a call waits for a stack before it is looked whether its account is due one, in ticks of `hrtime`: 5 ms at a gigahertz. A stack that is
/// free ends the wait before.
const PATIENCE: usize = 2_500_000;
/// A call found no stack in its callee's queue: it is made again when there is one.
#[optimize(size)]
pub extern "C" fn no_stack(_cause: usize, code: usize, callee: Identity, _asid: usize, thread: ThreadIndex) -> isize {
    let Some(callee) = DomainId::of(callee.0 as u64) else { return Error::EDEAD.code() };
    let given = ThreadPage::of(Hart, thread.0).is_some_and(|page| page.transfers_to(callee.word()));
    // Nobody waits with pages that a callee has already: the wait may end otherwise than with the call, which has them moved again.
    give_back(thread);
    let next = MANAGER.lock().no_stack(thread.0, callee, (code as u64, given), pebble::time::hrtime());
    let waited = match next {
        Ok(NoStack::Again) => Ok(()),
        Ok(NoStack::Wait) => scheduler::stack_wait(DomainNumber(callee.number()), Ticks(PATIENCE)),
        Err(error) => Err(error),
    };
    match waited {
        Ok(()) => 0,
        Err(error) => {
            if next == Ok(NoStack::Wait) {
                MANAGER.lock().waited(callee);
            }
            if error == Error::ETIMEDOUT { 0 } else { error.code() }
        }
    }
}
/// A stack went back to a queue that has one more than its own.
#[optimize(size)]
pub extern "C" fn reserve_free(_cause: usize, _value: usize, callee: Identity, _asid: usize, _: ThreadIndex) -> isize {
    if let Some(callee) = DomainId::of(callee.0 as u64) {
        MANAGER.lock().reserve_free(callee);
    }
    0
}
