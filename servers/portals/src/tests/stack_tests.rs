//! Stacks of a server's queue, and what each account is sure of.

use super::world::World;
use crate::fake::Fake;
use crate::machine::nucleus_memory::NucleusMemory;
use crate::operations::stacks::NoStack;
use crate::state::nucleus_data::Table;
use abi::Error;
use abi::identity::DomainId;
use abi::nucleus::domain;

/// A server of `t.add` with one stack, and two clients with accounts of their own, each with a portal to it: number, thread, portal.
struct Scene {
    world: World,
    server: usize,
    servers: usize,
    one: (usize, usize, usize),
    other: (usize, usize, usize),
}
fn scene() -> Scene {
    let (mut world, server, servers) = World::with_component();
    world.register(servers, "t.add", "npii").unwrap();
    let mut client = |name, account| {
        let (asid, thread) = world.component(name, account);
        (asid, thread, world.open(thread, "t.add").unwrap())
    };
    let (one, other) = (client("one", 2), client("other", 3));
    let mut s = Scene { world, server, servers, one, other };
    // One is there from the registration on.
    assert_eq!((s.queue(), s.stacks()), (1, 1));
    s
}
impl Scene {
    fn table(&self) -> Table<Fake> {
        self.world.manager.domain(self.server).unwrap().table
    }
    fn id(&self) -> DomainId {
        self.world.manager.domain(self.server).unwrap().id
    }
    /// How many stacks there are for calls of the server.
    fn stacks(&self) -> usize {
        self.world.manager.domain(self.server).unwrap().queue
    }
    /// How many of them anybody can take.
    fn queue(&mut self) -> usize {
        self.world.check();
        let mut next = self.table().field(domain::STACKS);
        core::iter::from_fn(|| (next != 0).then(|| next = Fake.read(next))).count()
    }
    /// A thread makes a call, as the portal's code does: the stack that it has then.
    fn enter(&mut self, (_, thread, portal): (usize, usize, usize)) -> Result<u64, Result<NoStack, Error>> {
        let (table, page) = (self.table(), self.world.page(thread));
        for _ in 0..2 {
            let reserve = page.reserve();
            let stack = match table.field(domain::STACKS) {
                0 if reserve != 0 && Fake.read(reserve) == table.address() => {
                    table.set_field(domain::STACK_WAITERS, table.field(domain::STACK_WAITERS) + 1);
                    table.set_field(domain::RESERVES, table.field(domain::RESERVES) + 1);
                    page.set_reserve(0);
                    Fake.write(reserve, 0);
                    reserve
                }
                first => first,
            };
            if stack != 0 {
                table.set_field(domain::STACKS, Fake.read(stack));
                assert!(self.world.enter(thread, portal));
                return Ok(stack);
            }
            match self.world.manager.no_stack(thread, self.id(), (0, false), 0) {
                Ok(NoStack::Again) => {}
                other => return Err(other),
            }
        }
        unreachable!("it found a stack, and found none")
    }
    /// It returns, as the return portal's code does.
    fn leave(&mut self, (_, thread, _): (usize, usize, usize), stack: u64) {
        let table = self.table();
        self.world.leave(thread);
        Fake.write(stack, table.field(domain::STACKS));
        table.set_field(domain::STACKS, stack);
        self.told(1);
    }
    /// Looks as a return does that waiters are counted for.
    fn told(&mut self, most: usize) {
        let table = self.table();
        for _ in 0..most {
            let waiters = table.field(domain::STACK_WAITERS);
            if waiters > 0 {
                table.set_field(domain::STACK_WAITERS, waiters - 1);
                if table.field(domain::RESERVES) > 0 {
                    self.world.manager.reserve_free(self.id());
                }
            }
        }
    }
}
#[test]
fn an_account_that_has_no_stack_gets_a_reserve_and_one_that_has_waits() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    let (child, childs) = s.world.fork(one.1, 0).unwrap();
    let taken = s.enter(one).unwrap();
    let second = (one.0, s.world.thread(one.0).unwrap(), one.2);
    let wait = Err(Ok(NoStack::Wait));
    assert_eq!(s.enter(second), wait, "its account has one");
    assert_eq!(s.enter((child, childs, one.2)), wait, "a child's account is its parent's");
    let reserve = s.enter(other).unwrap();
    assert_ne!(taken, reserve);
    assert_eq!((s.queue(), s.stacks()), (0, 2));
}
#[test]
fn a_reserve_that_was_used_is_taken_out_of_the_queue_again() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    for _ in 0..100 {
        let [first, second] = [one, other].map(|client| s.enter(client).unwrap());
        s.leave(other, second);
        assert_eq!(s.queue(), 0, "what came back is kept, though the other's is the reserve");
        s.leave(one, first);
        assert_eq!((s.queue(), s.stacks()), (1, 2));
    }
    assert_eq!(s.table().field(domain::RESERVES), 0);
}
#[test]
fn a_reserve_that_another_call_takes_first_is_taken_out_at_the_next_return() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    let first = s.enter(one).unwrap();
    let second = s.enter(other).unwrap();
    // It returns, and before the manager has looked, another thread has what it brought.
    s.world.leave(other.1);
    let table = s.table();
    table.set_field(domain::STACK_WAITERS, table.field(domain::STACK_WAITERS) - 1);
    let more = (one.0, s.world.thread(one.0).unwrap(), one.2);
    assert!(s.world.enter(more.1, more.2));
    Fake.write(second, 0);
    s.world.manager.reserve_free(s.id());
    assert_eq!((table.field(domain::STACK_WAITERS), table.field(domain::RESERVES)), (1, 1));
    s.leave(one, first);
    assert_eq!((s.queue(), table.field(domain::RESERVES)), (0, 0));
    s.leave(more, second);
    assert_eq!(s.queue(), 1);
}
#[test]
fn a_reserve_that_its_thread_did_not_use_goes_back_when_it_ends() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    s.enter(one).unwrap();
    assert_eq!(s.world.manager.no_stack(other.1, s.id(), (0, false), 0), Ok(NoStack::Again));
    assert!(s.world.page(other.1).reserve() != 0);
    let second = (other.0, s.world.thread(other.0).unwrap(), other.2);
    s.world.exit_thread(other.1);
    s.world.manager.reap();
    assert_eq!(s.world.page(other.1).reserve(), 0);
    // It is there for the next one.
    s.enter(second).unwrap();
    assert_eq!(s.stacks(), 2);
    s.world.check();
}
#[test]
fn a_reserve_that_was_not_used_is_another_threads_of_the_account_when_that_needs_it() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    let first = s.enter(one).unwrap();
    assert_eq!(s.world.manager.no_stack(other.1, s.id(), (0, false), 0), Ok(NoStack::Again));
    // The stack is back before the call is made again, which takes that one.
    s.leave(one, first);
    let its = s.enter(other).unwrap();
    assert_eq!((its, s.world.page(other.1).reserve() != 0), (first, true));
    s.leave(other, its);
    // It calls no more, and all stacks of the queue are others'.
    let first = s.enter(one).unwrap();
    let second = (other.0, s.world.thread(other.0).unwrap(), other.2);
    let third = (other.0, s.world.thread(other.0).unwrap(), other.2);
    let reserve = s.enter(second).unwrap();
    assert_eq!((s.world.page(other.1).reserve(), s.stacks()), (0, 2));
    assert_eq!(s.enter(third), Err(Ok(NoStack::Wait)), "its account has one, in use");
    s.leave(second, reserve);
    s.leave(one, first);
    assert_eq!((s.queue(), s.table().field(domain::RESERVES)), (1, 0));
}
#[test]
fn who_is_given_anothers_reserve_keeps_none_of_another_server() {
    let mut s = scene();
    let (two, twos) = s.world.component("two", 4);
    s.world.register(twos, "t.two", "np").unwrap();
    let (one, other) = (s.one, s.other);
    let (tables, its) = s.world.manager.domain(two).map(|d| (d.table, d.id)).unwrap();
    let second = s.world.thread(other.0).unwrap();
    s.enter(one).unwrap();
    // Each of two threads of an account has a reserve that it has not used, of one server each.
    assert_eq!(s.world.manager.no_stack(other.1, s.id(), (0, false), 0), Ok(NoStack::Again));
    let first_of_two = tables.field(domain::STACKS);
    tables.set_field(domain::STACKS, 0);
    assert_eq!(s.world.manager.no_stack(second, its, (0, false), 0), Ok(NoStack::Again));
    assert_eq!(s.world.manager.no_stack(other.1, its, (0, false), 0), Ok(NoStack::Again));
    assert_eq!((Fake.read(s.world.page(other.1).reserve()), s.world.page(second).reserve()), (tables.address(), 0));
    // The first server has its own back.
    assert!(s.world.manager.domain(s.server).unwrap().reserves != 0);
    tables.set_field(domain::STACKS, first_of_two);
}
#[test]
fn a_wait_for_a_stack_that_ends_otherwise_is_counted_no_more() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    let first = s.enter(one).unwrap();
    let second = (one.0, s.world.thread(one.0).unwrap(), one.2);
    let table = s.table();
    for _ in 0..10 {
        assert_eq!(s.enter(second), Err(Ok(NoStack::Wait)));
        s.world.manager.waited(s.id());
    }
    assert_eq!(table.field(domain::STACK_WAITERS), 0);
    s.world.manager.waited(s.id());
    assert_eq!(table.field(domain::STACK_WAITERS), 0, "none below");
    // A reserve in use has its return look all the same.
    let reserve = s.enter(other).unwrap();
    s.world.manager.waited(s.id());
    assert_eq!((table.field(domain::STACK_WAITERS), table.field(domain::RESERVES)), (1, 1));
    s.leave(other, reserve);
    s.leave(one, first);
    assert_eq!((s.queue(), table.field(domain::RESERVES)), (1, 0));
}
#[test]
fn a_reserve_that_was_not_used_has_no_return_take_a_stack_out_of_the_queue() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    let first = s.enter(one).unwrap();
    assert_eq!(s.world.manager.no_stack(other.1, s.id(), (0, false), 0), Ok(NoStack::Again));
    // Somebody else waits for a stack, so returns look.
    let second = (one.0, s.world.thread(one.0).unwrap(), one.2);
    assert_eq!(s.enter(second), Err(Ok(NoStack::Wait)));
    s.leave(one, first);
    assert_eq!(s.queue(), 1);
    assert_eq!(s.enter(second), Ok(first));
}
#[test]
fn a_thread_has_a_reserve_of_one_server_only() {
    let mut s = scene();
    let (two, twos) = s.world.component("two", 4);
    s.world.register(twos, "t.two", "np").unwrap();
    let portal = s.world.open(s.one.1, "t.two").unwrap();
    let other_portal = s.world.open(s.other.1, "t.two").unwrap();
    let (one, other) = (s.one, s.other);
    s.enter(one).unwrap();
    assert_eq!(s.world.manager.no_stack(other.1, s.id(), (0, false), 0), Ok(NoStack::Again));
    let (tables, its) = s.world.manager.domain(two).map(|d| (d.table, d.id)).unwrap();
    tables.set_field(domain::STACKS, 0);
    assert_eq!(s.world.manager.no_stack(other.1, its, (0, false), 0), Ok(NoStack::Again));
    assert_eq!(Fake.read(s.world.page(other.1).reserve()), tables.address());
    // The one before is there for the next account.
    assert_eq!(s.world.manager.domain(s.server).map(|d| Fake.read(d.reserves)), Ok(0));
    assert!(portal > 0 && other_portal > 0);
}
#[test]
fn the_end_of_a_server_leaves_none_of_its_reserves() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    let before = s.world.manager.descriptors.count();
    // One in use, one that is kept, one that a thread has and does not use.
    let (third, thirds) = s.world.component("third", 4);
    let third = (third, thirds, s.world.open(thirds, "t.add").unwrap());
    let first = s.enter(one).unwrap();
    let [second, more] = [other, third].map(|client| s.enter(client).unwrap());
    s.leave(third, more);
    let table = s.table();
    assert_eq!(s.world.manager.no_stack(third.1, s.id(), (0, false), 0), Ok(NoStack::Again));
    s.leave(other, second);
    let (server, id) = (s.server, s.id());
    s.world.kill(server).unwrap();
    assert_eq!(s.world.page(third.1).reserve(), 0);
    assert_eq!(
        s.world.manager.no_stack(third.1, id, (0, false), 0),
        Ok(NoStack::Again),
        "who answers for the dead is called"
    );
    // The call that is under way comes back.
    s.world.leave(one.1);
    Fake.write(first, table.field(domain::STACKS));
    table.set_field(domain::STACKS, first);
    s.world.manager.sweep();
    s.world.check();
    assert!(s.world.manager.live(id).is_err());
    // Those of the page that was filled for them, and the first one's.
    assert_eq!((s.world.manager.descriptors.count() - before) % 256, 1);
    let _ = s.servers;
}
#[test]
fn who_can_not_pay_for_a_reserve_has_its_clients_wait() {
    let mut s = scene();
    let (one, other) = (s.one, s.other);
    s.enter(one).unwrap();
    let wait = Err(Ok(NoStack::Wait));
    assert_eq!(crate::failing::with_only(0, || s.enter(other)), wait);
    s.world.check();
    assert!(s.enter(other).is_ok());
}
