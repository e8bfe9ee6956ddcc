//! A portal manager on a machine for tests, and threads that call it as components do: each call pushes the frame that the portal's
//! code would, and each return takes it off.

use crate::fake::{Fake, INIT, INIT_THREAD, PORTALS, started};
use crate::machine::neighbours::Neighbours;
use crate::machine::nucleus_memory::NucleusMemory;
use crate::manager::{Caller, Manager};
use crate::operations::questions::Asking;
use crate::state::nucleus_data::{FrameView, Table, ThreadPage};
use crate::state::wanted::Wanted;
use abi::Error;
use abi::address::{PAGE, THREAD_STACK};
use abi::identity::DomainId;
use abi::name::Name;
use abi::nucleus::{Thread, domain};
use abi::rights::Rights;
use abi::section::text;
use abi::system::{self, Ended, Registration, ended, graveyard};
use account::Account;
use arch::Marks;
use arch::paging::Entry;
use std::mem::offset_of;

/// A frame that windows show.
const PAGE_SHOWN: usize = abi::address::RAM_BASE + 0x10_0000;

/// What a thread's return has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// It is in a domain.
    Goes,
    /// It had nowhere to return to, and has ended.
    Ended,
}
/// A domain that is kept apart as the domains of these tests are, and nobody's child.
pub fn wanted(name: &str, flags: u64, account: Account) -> Wanted<'_> {
    Wanted { name, flags, enclosure: super::ENCLOSURE, parent: 0, account }
}
pub struct World {
    pub manager: Box<Manager<Fake>>,
}
impl World {
    /// A system that has just started: the first components, and `init`'s thread in `init`.
    pub fn new() -> World {
        let machine = Fake::start();
        let mut manager = Box::new(Manager::new(machine));
        manager.mechanisms = super::MECHANISMS;
        manager.start(machine.info()).expect("the first components");
        // Those of `init`, which the image builder makes.
        manager.make_system_portals(1);
        let table = manager.domain(INIT).expect("init").table;
        manager.system_portals[1].system.iter().enumerate().for_each(|(number, &code)| table.set_entry(number, code));
        World { manager }
    }
    /// The same with a domain of a component that may open and provide names that begin with `t.`; its number, and its thread.
    pub fn with_component() -> (World, usize, usize) {
        let mut world = World::new();
        let (asid, thread) = world.component("component", 1);
        (world, asid, thread)
    }
    /// Starts a component as `init` does, with account `account`; its number, and its thread.
    pub fn component(&mut self, name: &str, account: usize) -> (usize, usize) {
        let account = Account::new(account).expect("an account");
        let limits = abi::account::Limits(abi::account::Resource::ALL.map(|resource| 4 * resource.default_limit()));
        self.manager.accounts.set(account, &limits);
        let asid = self.manager.create_domain(&wanted(name, 0, account)).expect("a domain");
        for provide in [false, true] {
            Fake.allow(asid, "t.*", provide);
        }
        self.manager.domain_mut(asid).expect("the domain").ceiling = 20;
        let thread = self.thread(asid).expect("a thread");
        (asid, thread)
    }
    /// A thread in a domain, which has begun; its index.
    pub fn thread(&mut self, asid: usize) -> Result<usize, Error> {
        let sp = self.manager.new_stack(asid, THREAD_STACK)?;
        self.manager.create_thread(asid, 0x10000, sp, 0, 10).map(|id| self.begun(id))
    }
    /// The thread with this id begins; its index.
    pub fn begun(&mut self, id: usize) -> usize {
        let index = id % abi::nucleus::THREAD_IDS;
        started(self.page(index));
        index
    }
    pub fn page(&self, thread: usize) -> ThreadPage<Fake> {
        ThreadPage::of(Fake, thread).expect("a thread")
    }
    fn field(&self, thread: usize, offset: usize) -> u64 {
        Fake.read(self.page(thread).address() + offset as u64)
    }
    fn set_field(&self, thread: usize, offset: usize, value: u64) {
        Fake.write(self.page(thread).address() + offset as u64, value)
    }
    /// The table of the domain that a thread is in.
    pub fn table(&self, thread: usize) -> Table<Fake> {
        Table::at(Fake, self.field(thread, offset_of!(Thread, table)))
    }
    /// The number of that domain.
    pub fn inside(&self, thread: usize) -> usize {
        self.table(thread).field(domain::ASID) as usize
    }
    /// How many calls a thread is in.
    pub fn depth(&self, thread: usize) -> usize {
        self.page(thread).frames(&self.manager.code).count()
    }
    /// Whether the thread is in a call of one that is in a sandbox, which its controlling domain serves.
    pub fn serves_sandbox(&self, thread: usize) -> bool {
        let code = &self.manager.code;
        let block = self.page(thread).frames(code).next().and_then(|frame| code.containing(frame.portal()));
        block.is_some_and(|(_, block)| block.kind == crate::state::code::Kind::Stub)
    }
    /// The thread calls portal `number` of the domain that it is in. False: there is no block behind it, so it gets its answer.
    pub fn enter(&mut self, thread: usize, number: usize) -> bool {
        let table = self.table(thread);
        let code = table.entry(number);
        let Some(block) = self.manager.code.get(code) else { return false };
        // Who answers for the dead pushes nothing.
        if block.frame == 0 {
            return false;
        }
        let (bytes, server, same_domain) = (block.frame as u64, block.server as usize, block.same_domain);
        let top = self.field(thread, offset_of!(Thread, invocation)) - bytes;
        let frame = FrameView::at(Fake, top);
        (0..bytes as usize / 8).for_each(|n| frame.set_word(8 * n, 0));
        frame.set(code + 4, table, 0, 0, 0);
        // Windows, of which none is open: where their slots begin.
        let slot = self.field(thread, offset_of!(Thread, window));
        for used in self.manager.templated(frame).all() {
            if self.manager.templates.all[used.template as usize].letters[used.letter as usize].lent > 0 {
                frame.set_word(used.common as usize + 8, slot);
            }
        }
        self.set_field(thread, offset_of!(Thread, invocation), top);
        if !same_domain {
            let callee = self.manager.domain(server).expect("a server that lives").table;
            self.set_field(thread, offset_of!(Thread, table), callee.address());
        }
        true
    }
    /// The same for a portal with windows: the first shows a page.
    pub fn enter_lending(&mut self, thread: usize, number: usize) {
        assert!(self.enter(thread, number));
        let frame = self.page(thread).frames(&self.manager.code).next().expect("the call");
        let used = self.manager.templated(frame).all()[0];
        frame.set_word(used.own as usize, Entry::user(PAGE_SHOWN, Rights::READ_WRITE, Marks::FOREIGN).word());
        self.set_field(thread, offset_of!(Thread, window), frame.word(used.common as usize + 8) + PAGE as u64);
        let callee = self.inside(thread);
        Fake.set_windows(callee, Fake.memory_windows(callee) + 1);
    }
    /// The thread returns from its innermost call.
    pub fn leave(&mut self, thread: usize) -> Returned {
        self.take_frame(thread);
        while self.table(thread) == self.manager.dead.graveyard {
            // The return page's code: says that it is past the dead, and returns with `EDEAD`.
            assert!(self.enter(thread, graveyard::LEAVE));
            self.manager.left_the_dead(thread);
            self.take_frame(thread);
            if self.depth(thread) == 0 {
                return self.end(thread);
            }
            self.take_frame(thread);
        }
        Returned::Goes
    }
    fn take_frame(&mut self, thread: usize) {
        let page = self.page(thread);
        let (frame, below) = page.frame(page.invocation(), &self.manager.code).expect("a call to return from");
        let lent = self.manager.lent_entries(frame).count();
        if let Some(callee) = self.manager.server(frame) {
            Fake.set_windows(callee, Fake.memory_windows(callee) - lent);
        }
        let slots = lent * PAGE;
        self.set_field(
            thread,
            offset_of!(Thread, window),
            self.field(thread, offset_of!(Thread, window)) - slots as u64,
        );
        self.set_field(thread, offset_of!(Thread, invocation), below);
        self.set_field(thread, offset_of!(Thread, table), frame.table().address());
    }
    /// The thread ends: nobody is left whom it serves.
    fn end(&mut self, thread: usize) -> Returned {
        self.manager.sweep();
        self.manager.wake_stuck(thread);
        Fake.end_thread(thread);
        Returned::Ended
    }
    /// The thread ends itself, in its own domain.
    pub fn exit_thread(&mut self, thread: usize) -> Returned {
        assert!(self.enter(thread, system::THREAD_EXIT));
        match self.manager.exit_thread(thread) {
            crate::state::threads::Exit::Returns => self.leave(thread),
            crate::state::threads::Exit::Ends => {
                Fake.end_thread(thread);
                Returned::Ended
            }
            crate::state::threads::Exit::Refused(error) => panic!("{error:?}"),
        }
    }
    /// The thread makes system call `number`, which does `body`.
    pub fn call<T>(
        &mut self,
        thread: usize,
        number: usize,
        body: impl FnOnce(&mut Manager<Fake>, Caller) -> Result<T, Error>,
    ) -> Result<T, Error> {
        assert!(self.enter(thread, number), "thread {thread} can not call {number}");
        self.manager.thread = thread;
        let result = self.manager.caller(thread).and_then(|caller| body(&mut self.manager, caller));
        core::mem::take(&mut self.manager.posts).make(Fake);
        assert!(!Fake.is_masked());
        self.leave(thread);
        result
    }
    pub fn register(&mut self, thread: usize, name: &str, spec: &str) -> Result<isize, Error> {
        let request = registration(name, spec);
        self.call(thread, system::PORTAL_REGISTER, |manager, caller| manager.register(caller, &request))
    }
    /// The same, with another entry point; all invariants hold then.
    pub fn register_at(&mut self, thread: usize, name: &str, spec: &str, entry: u64) -> Result<isize, Error> {
        let request = Registration { entry, ..registration(name, spec) };
        let done = self.call(thread, system::PORTAL_REGISTER, |manager, caller| manager.register(caller, &request));
        self.check();
        done
    }
    /// Which domain has that number.
    pub fn identity(&self, asid: usize) -> DomainId {
        self.manager.domain(asid).unwrap().id
    }
    /// Ends a domain by a fault; which it was.
    pub fn dies(&mut self, asid: usize) -> DomainId {
        let id = self.identity(asid);
        self.manager.end_domain(asid, Ended { kind: ended::FAULT, ..Ended::default() });
        self.check();
        id
    }
    /// Where the code is that calls go by of a portal.
    pub fn code(&self, asid: usize, number: usize) -> u64 {
        self.manager.domain(asid).unwrap().table.entry(number)
    }
    /// Whether the code at `code` begins as that of calls into domain `asid` which wait.
    pub fn is_stopped(&self, code: u64, table: u64) -> bool {
        let words = portal::parked(table, &Fake.info().symbols);
        self.manager.code.words(code).1.take(words.len()).eq(words)
    }
    pub fn open(&mut self, thread: usize, name: &str) -> Result<usize, Error> {
        let name = Name::of(name)?;
        self.call(thread, system::PORTAL_OPEN, |manager, caller| {
            let number = manager.open(caller, (&raw const name) as usize)?;
            manager.new_portals(caller, thread, number..number + 1)?;
            Ok(number)
        })
    }
    /// The thread opens a name about which a portal is to be asked: it is in the call that asks.
    pub fn ask(&mut self, thread: usize, name: &str) -> Result<Asking, Error> {
        let name = Name::of(name)?;
        assert!(self.enter(thread, system::PORTAL_OPEN));
        let caller = self.manager.caller(thread);
        match caller.and_then(|caller| self.manager.ask(caller, (&raw const name) as usize)) {
            Ok(asking) => {
                assert!(self.enter(thread, asking.upcall), "nobody is there to be asked");
                Ok(asking)
            }
            Err(error) => {
                self.leave(thread);
                Err(error)
            }
        }
    }
    /// The portal has answered, and the thread goes on to open the name.
    pub fn answer(&mut self, thread: usize, name: &str, asking: &Asking, answer: isize) -> Result<usize, Error> {
        let name = Name::of(name)?;
        if self.inside(thread) != PORTALS {
            self.leave(thread);
        }
        self.manager.upcall_returned(asking.upcall);
        let opened = self.manager.caller(thread).and_then(|caller| {
            let number = self.manager.open_answered((caller, thread), (&raw const name) as usize, asking, answer)?;
            self.manager.new_portals(caller, thread, number..number + 1)?;
            Ok(number)
        });
        self.leave(thread);
        opened
    }
    pub fn close(&mut self, thread: usize, number: usize) -> Result<isize, Error> {
        self.call(thread, system::PORTAL_CLOSE, |manager, caller| manager.close(caller, number))
    }
    pub fn semaphore(&mut self, thread: usize) -> Result<usize, Error> {
        self.call(thread, system::SEM_CREATE, |manager, caller| {
            let number = manager.semaphore_create(caller, 0)?;
            manager.new_portals(caller, thread, number..number + 2)?;
            Ok(number)
        })
    }
    /// Forks the domain that the thread is in; the child, and its thread.
    pub fn fork(&mut self, thread: usize, intercept: usize) -> Result<(usize, usize), Error> {
        let child = self.call(thread, system::DOMAIN_FORK, |manager, caller| {
            manager.fork_domain(caller, intercept, 0x10000, abi::address::STACK_TOP - 4096)
        })?;
        let id = self.manager.domain(child)?.id;
        let found = self.manager.threads.living().find(|&(_, _, home)| home == id).map(|(index, ..)| index);
        let child_thread = found.expect("the child's thread");
        Ok((child, self.begun(child_thread)))
    }
    /// `init` ends a domain.
    pub fn kill(&mut self, asid: usize) -> Result<(), Error> {
        self.call(INIT_THREAD, system::DOMAIN_KILL, |manager, _| manager.kill(INIT, asid).map(|_| ()))
    }
    /// Where portal `number` of a domain leads: the server and the entry point; 0 and 0: to who answers for the dead.
    pub fn leads(&self, asid: usize, number: usize) -> Option<(usize, u64)> {
        let portal = self.manager.inspect_portal(asid, number).ok()?;
        Some((portal.server as usize, portal.entry))
    }
    /// All invariants hold.
    #[track_caller]
    pub fn check(&mut self) {
        let found = crate::failing::spared(|| self.manager.check()).expect("memory");
        let what = text(&found.what);
        assert!(what.is_empty(), "{what}: at {}, number {}, value {:#x}", found.at, found.number, found.value);
    }
    /// What there is, after all that nobody needs was taken back: what may not grow.
    pub fn counts(&mut self) -> Vec<u64> {
        let mut c = self.manager.counts();
        // Kept for the next ones.
        (c.descriptors, c.free_threads) = (0, 0);
        let mut all = vec![c.domains, c.zombies, c.ended, c.registrations, c.blocks, c.code_bytes, c.retired, c.users];
        all.extend([c.semaphores, c.stacks, c.threads]);
        let [spaces, _, stacks, semaphores, threads, pagers] = Fake.counts();
        all.extend([spaces, stacks, semaphores, threads, pagers].map(|n| n as u64));
        all.push(self.manager.upcalls.len() as u64);
        all
    }
}
/// A component's number and thread, a client's, and the number of its portal into the component.
#[derive(Clone, Copy)]
pub struct Scene {
    pub server: usize,
    pub its: usize,
    pub client: usize,
    pub other: usize,
    pub portal: usize,
}
/// Two components, one of which has opened a portal of the other's.
pub fn scene() -> (World, Scene) {
    let (mut world, server, its) = World::with_component();
    world.register(its, "t.add", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let portal = world.open(other, "t.add").unwrap();
    world.check();
    (world, Scene { server, its, client, other, portal })
}
pub fn registration(name: &str, spec: &str) -> Registration {
    let mut request = Registration { entry: 0x20000, stacks: 1, constants: [7; 6], ..Registration::NONE };
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    request.spec[..spec.len()].copy_from_slice(spec.as_bytes());
    request
}
impl World {
    /// A thread whose domain has ended, outside of all calls, goes its way to its end.
    pub fn bury(&mut self, thread: usize) {
        assert_eq!(self.depth(thread), 0);
        Fake.end_thread(thread);
    }
    /// In a call that the thread serves, the server grants a portal with `constant` to its client.
    pub fn grant(&mut self, thread: usize, constant: u64) -> Result<usize, Error> {
        let none = abi::system::Granted { spec: [0; 16], entry: 0 };
        let mut request = abi::system::Grant { count: 1, gone: 0, constant, portals: [none; abi::system::GRANTS] };
        request.portals[0].spec[..4].copy_from_slice(b"npci");
        request.portals[0].entry = 0x40000;
        self.call(thread, system::GRANT, |manager, caller| {
            let (client, number) = manager.grant(caller, thread, &request)?;
            manager.made_portals(client, number..number + 1)?;
            Ok(number)
        })
    }
}
