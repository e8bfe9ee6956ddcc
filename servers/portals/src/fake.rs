//! A machine in a vector, for tests: the nucleus's pages and the code region, the name server itself, and as much of the memory
//! manager and the scheduler as says what they were asked for.
//!
//! Each thread of the test program has one machine, which [`Fake::start`] makes anew. What it can give out can be made to end, as
//! memory on the host can (`fallible::failing`): both count as one.

use crate::failing;
use crate::machine::neighbours::{Neighbours, Overdue};
use crate::machine::nucleus_memory::NucleusMemory;
use crate::state::nucleus_data::{Table, ThreadPage};
use abi::Error;
use abi::activity::{Doing, What};
use abi::address::{CODE_END, IMAGE_BASE, PAGE, STACK_TOP, code_address, physical, supervisor};
use abi::boot::{BootDomain, BootInfo, BootPortal, Symbols, role};
use abi::identity::{DomainId, Serials};
use abi::memory::{Parties, Replacement, Shown};
use abi::name::Name;
use abi::nucleus::{MAX_SEMAPHORES, NPORTALS, START_FRAME, THREAD_IDS, Thread, domain, flags};
use abi::rights::Rights;
use abi::section::padded;
use account::Account;
use arch::paging::{AddressSpace, Entry};
use names_logic::{Names, Right};
use portal::emit::Buffer;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem::offset_of;

/// Numbers of the first components.
pub const MEMORY: usize = 4;
pub const PORTALS: usize = 5;
pub const INIT: usize = 7;
/// Index of `init`'s thread.
pub const INIT_THREAD: usize = 1;

/// Bytes of the machine, from the image's start on: the code region, and what nucleus pages are given out of.
const BYTES: usize = 12 << 20;
/// Where portal code begins.
const FIRST_CODE: usize = IMAGE_BASE + 0x8000;
/// Where nucleus pages are given out from, behind the tables of the first components and the thread table.
const FIRST_PAGE: usize = CODE_END + 0x20_0000;

/// Name, flags, and the portals that it provides: name and specification of each.
type Component = (&'static str, u64, &'static [(&'static str, &'static str)]);
/// In the order of their numbers.
const BOOT: [Component; 7] = [
    ("idle", flags::BOOT, &[]),
    (
        "scheduler",
        flags::BOOT | flags::MASKED | flags::TRUSTED,
        &[
            ("scheduler.tick", "sx"),
            ("scheduler.stack_wait", "smii"),
            ("scheduler.stack_free", "sx"),
            ("scheduler.yield", "sm"),
            ("scheduler.sleep", "smi"),
            ("scheduler.set_priority", "smi"),
            ("scheduler.join", "smi"),
            ("scheduler.p", "smci"),
            ("scheduler.v", "smc"),
            ("scheduler.lock_wait", "smdciii"),
            ("scheduler.lock_wait_trusted", "smdciii"),
            ("scheduler.lock_release", "smaii"),
        ],
    ),
    ("interrupts", flags::BOOT | flags::MASKED | flags::TRUSTED, &[("interrupt.dispatch", "sx")]),
    ("memory", flags::BOOT | flags::TRUSTED, &[("memory.fault", "sx")]),
    (
        "portals",
        flags::BOOT | flags::TRUSTED,
        &[
            ("domain.exit", "smti"),
            ("thread.create", "smtiiii"),
            ("thread.exit", "smt"),
            ("thread.bury", "smt"),
            ("thread.leave", "smt"),
            ("thread.cancel", "smti"),
            ("portal.callers", "smtiw"),
            ("semaphore.create", "smti"),
            ("semaphore.destroy", "smti"),
            ("portal.register", "smtr"),
            ("portal.unregister", "smtr"),
            ("portal.admit", "smtriii"),
            ("portal.open", "smtr"),
            ("portal.close", "smti"),
            ("portal.create_child", "smtr"),
            ("portal.notify", "smti"),
            ("portal.grant", "smtr"),
            ("portal.granted", "smti"),
            ("portal.gone", "smt"),
            ("portal.argument", "sx"),
            ("portal.info", "smtiw"),
            ("domain.fork", "smtiii"),
            ("domain.wait", "smtiw"),
            ("domain.kill", "smti"),
            ("memory.grow", "smti"),
            ("memory.stack", "smti"),
            ("domain.set_tp", "smti"),
            ("memory.pager", "smtiiii"),
            ("memory.page", "smtiiii"),
            ("interrupt.attach", "smtii"),
            ("interrupt.done", "smti"),
            ("domain.destroy", "smti"),
            ("domain.no_stack", "sx"),
            ("domain.reserve_free", "sx"),
        ],
    ),
    ("names", flags::BOOT | flags::TRUSTED, &[]),
    ("init", flags::BOOT | flags::TRUSTED, &[]),
];

/// A space of the memory manager's.
struct Space {
    stacks: BTreeSet<usize>,
}
struct State {
    words: Vec<u64>,
    info: &'static BootInfo,
    next_page: usize,
    pages: BTreeMap<usize, Vec<usize>>,
    taken: BTreeSet<(usize, usize)>,
    spaces: BTreeMap<usize, Space>,
    pagers: BTreeMap<(DomainId, usize), (usize, DomainId)>,
    names: Names,
    /// By index: the thread's id.
    threads: BTreeMap<usize, usize>,
    /// The highest priority that each may have, by its index.
    ceilings: BTreeMap<usize, u8>,
    ended: VecDeque<usize>,
    semaphores: BTreeSet<usize>,
    /// By the thread's index: the semaphore that it waits for, without a time-out.
    waits: BTreeMap<usize, usize>,
    next_semaphore: usize,
    next_thread: usize,
    posts: Vec<usize>,
    /// Open window slots, by domain.
    windows: BTreeMap<usize, usize>,
}
/// After how many reads, and what.
type Interrupt = (usize, Box<dyn FnOnce()>);
thread_local! {
    static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
    static MASKED: Cell<bool> = const { Cell::new(false) };
    /// What the memory manager says of its tables.
    static MEMORY_CHECK: Cell<isize> = const { Cell::new(0) };
    /// What happens after so many more words are read with interrupts on.
    static INTERRUPT: RefCell<Option<Interrupt>> = const { RefCell::new(None) };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fake;

fn with<T>(body: impl FnOnce(&mut State) -> T) -> T {
    failing::spared(|| STATE.with(|state| body(state.borrow_mut().as_mut().expect("a machine"))))
}
/// Something that may not be there.
fn may_fail() -> Result<(), Error> {
    if failing::fails() { Err(Error::ENOMEM) } else { Ok(()) }
}
fn at(address: u64) -> usize {
    let pa = physical(address as usize);
    assert!((IMAGE_BASE..IMAGE_BASE + BYTES).contains(&pa), "{address:#x} is not the nucleus's");
    (pa - IMAGE_BASE) / 8
}
impl State {
    fn page(&mut self, count: usize) -> usize {
        let pa = self.pages.entry(count).or_default().pop().unwrap_or_else(|| {
            self.next_page += count * PAGE;
            self.next_page - count * PAGE
        });
        assert!(pa + count * PAGE <= IMAGE_BASE + BYTES, "the test needs more pages");
        assert!(self.taken.insert((pa, count)));
        pa
    }
}

/// What the image builder lays out.
/// Where every patch of the fake's is.
pub const PATCH: usize = abi::address::RAM_BASE + 0x12_3000;

#[expect(clippy::too_many_lines, reason = "a table of what the image builder makes")]
fn boot_info() -> &'static BootInfo {
    // SAFETY: integers only, for which zero is a value.
    let mut info: Box<BootInfo> = unsafe { Box::new(core::mem::zeroed()) };
    let mut next = IMAGE_BASE;
    let mut symbol = || {
        next += 64;
        code_address(next) as u64
    };
    info.symbols = Symbols {
        raise: symbol(),
        complete: symbol(),
        floating_push: symbol(),
        no_stack: symbol(),
        parked: symbol(),
        stack_free: symbol(),
        bad_portal: symbol(),
        return_portal: symbol(),
        first_frame: symbol(),
        start: symbol(),
        restore: symbol(),
        raise_supervisor: symbol(),
        start_supervisor: symbol(),
        restore_supervisor: symbol(),
        call_supervisor: symbol(),
        exit_supervisor: symbol(),
        patch_open: symbol(),
        patch_close: symbol(),
        floating_return: symbol(),
        fatal: symbol(),
        illegal: symbol(),
        asid: symbol(),
        thread: symbol(),
        hrtime: symbol(),
        switch: symbol(),
        idle: symbol(),
        timer_set: symbol(),
        code_sync: symbol(),
        tlb_flush: symbol(),
        tlb_flush_asid: symbol(),
        interrupts_mask: symbol(),
    };
    info.code_next = FIRST_CODE as u64;
    info.thread_table = supervisor(CODE_END) as u64;
    // As in the default system; what that adds is looked at with the rest.
    info.counters = 1;
    info.checks = 1;
    info.add_template(&portal::lower::template(&memory_logic::windows::at_call()), MEMORY as u64).expect("room");
    info.add_template(&portal::lower::template(&memory_logic::transfer_letters::transfers()), MEMORY as u64)
        .expect("room");
    for (n, &(name, flags, provides)) in BOOT.iter().enumerate() {
        let table = supervisor(CODE_END + 2 * PAGE + n * domain::pages(true) * PAGE + domain::TABLE) as u64;
        let thread = if n + 1 == INIT { INIT_THREAD as u64 } else { 0 };
        let asid = n as u64 + 1;
        let role = if n + 1 == INIT { role::START } else { role::NONE };
        info.domains[n] =
            BootDomain { name: padded(name), asid, table, root: 0, flags, heap: 0, thread, priority: 40, role };
        info.domain_count += 1;
        for &(name, spec) in provides {
            let entry = 0x10000 + 16 * info.portal_count;
            let portal = BootPortal { name: padded(name), spec: padded(spec), entry, constant: 0, asid };
            info.portals[info.portal_count as usize] = portal;
            info.portal_count += 1;
        }
    }
    Box::leak(info)
}

impl Fake {
    /// A machine as the image builder leaves it.
    pub fn start() -> Fake {
        thread_local! {
            static INFO: &'static BootInfo = boot_info();
        }
        let info = INFO.with(|info| *info);
        let mut state = State {
            words: vec![0; BYTES / 8],
            info,
            next_page: FIRST_PAGE,
            pages: BTreeMap::new(),
            taken: BTreeSet::new(),
            spaces: BTreeMap::new(),
            pagers: BTreeMap::new(),
            names: Names::new(),
            threads: BTreeMap::from([(INIT_THREAD, THREAD_IDS | INIT_THREAD)]),
            ended: VecDeque::new(),
            semaphores: BTreeSet::new(),
            waits: BTreeMap::new(),
            next_semaphore: 1,
            ceilings: BTreeMap::new(),
            next_thread: 2,
            posts: Vec::new(),
            windows: BTreeMap::new(),
        };
        for (id, portal) in info.portals[..info.portal_count as usize].iter().enumerate() {
            let words: &'static [u64; 6] = portal.name_words();
            state.names.bind_boot(portal.asid as usize, words, id).expect("room");
        }
        state.names.allow(INIT, &Name::of("*").expect("a name"), Right::Open).expect("room");
        STATE.with(|place| *place.borrow_mut() = Some(state));
        MEMORY_CHECK.set(0);
        let mut serials = Serials::after(0);
        for boot in &info.domains[..info.domain_count as usize] {
            let table = Table::at(Fake, boot.table);
            table.fill(info.symbols.bad_portal);
            table.set_entry(0, info.symbols.return_portal);
            table.set_field(domain::ASID, boot.asid);
            table.set_field(
                domain::SPACE,
                AddressSpace::new(0x8800_0000 + PAGE * boot.asid as usize, boot.asid as usize).word(),
            );
            table.set_field(domain::ROOT, AddressSpace::of(table.field(domain::SPACE)).root() as u64);
            table.set_field(domain::FLAGS, boot.flags);
            table.start_counters();
            let serial = serials.next().expect("a serial");
            table.set_field(domain::IDENTITY, DomainId::new(boot.asid as usize, serial).expect("a number").word());
            if boot.thread != 0 {
                let page = ThreadPage::at(Fake, supervisor(CODE_END + PAGE) as u64);
                page.prepare(boot.thread as usize, table, 0x10000, 0, 0);
                page.enter(boot.thread as usize);
                started(page);
            }
        }
        Fake
    }
    /// Lets a domain open or provide names.
    pub fn allow(self, asid: usize, pattern: &str, provide: bool) {
        let right = if provide { Right::Provide } else { Right::Open };
        with(|s| s.names.allow(asid, &Name::of(pattern).expect("a pattern"), right)).expect("room");
    }
    /// Thread `index` has ended.
    pub fn end_thread(self, index: usize) {
        with(|s| {
            assert!(s.threads.remove(&index).is_some(), "thread {index} ends twice");
            s.ended.push_back(index);
        });
    }
    /// The number of open window slots of a domain.
    /// Thread `index` waits for a semaphore.
    pub fn wait_for(self, index: usize, semaphore: usize) {
        with(|s| s.waits.insert(index, semaphore));
    }
    /// Whether that wait has not been ended.
    pub fn still_waits(self, index: usize) -> bool {
        with(|s| s.waits.contains_key(&index))
    }
    pub fn set_memory_check(self, said: isize) {
        MEMORY_CHECK.set(said);
    }
    pub fn set_windows(self, asid: usize, count: usize) {
        with(|s| s.windows.insert(asid, count));
    }
    pub fn lives(self, index: usize) -> bool {
        with(|s| s.threads.contains_key(&index))
    }
    /// The highest priority that a thread may have.
    pub fn ceiling(self, index: usize) -> Option<u8> {
        with(|s| s.ceilings.get(&index).copied())
    }
    pub fn is_masked(self) -> bool {
        MASKED.get()
    }
    /// `happens` between two reads with interrupts on, after `reads` more of them.
    pub fn interrupt_after(self, reads: usize, happens: impl FnOnce() + 'static) {
        INTERRUPT.set(Some((reads, Box::new(happens))));
    }
    /// Whether that has not happened yet; it will not any more.
    pub fn is_interrupt_left(self) -> bool {
        INTERRUPT.take().is_some()
    }
    /// How many spaces, nucleus pages, stacks, semaphores and threads there are, and pagers.
    pub fn counts(self) -> [usize; 6] {
        with(|s| {
            let pages = s.taken.iter().map(|&(_, count)| count).sum();
            let stacks = s.spaces.values().map(|space| space.stacks.len()).sum();
            [s.spaces.len(), pages, stacks, s.semaphores.len(), s.threads.len(), s.pagers.len()]
        })
    }
}
/// A word is about to be read.
fn interrupted() {
    let due = INTERRUPT.with(|interrupt| match &mut *interrupt.borrow_mut() {
        Some((left, _)) if *left > 0 && !MASKED.get() => {
            *left -= 1;
            false
        }
        Some(_) => !MASKED.get(),
        None => false,
    });
    if due && let Some((_, happens)) = INTERRUPT.take() {
        failing::spared(happens);
    }
}
/// The thread has begun: it returned through the frame that it starts with.
pub fn started(page: ThreadPage<Fake>) {
    let invocation = page.address() + offset_of!(Thread, invocation) as u64;
    Fake.write(invocation, Fake.read(invocation) + START_FRAME as u64);
}

impl NucleusMemory for Fake {
    fn info(self) -> &'static BootInfo {
        with(|s| s.info)
    }
    fn read(self, address: u64) -> u64 {
        assert_eq!(address % 8, 0);
        interrupted();
        with(|s| s.words[at(address)])
    }
    fn write(self, address: u64, value: u64) {
        assert_eq!(address % 8, 0);
        with(|s| s.words[at(address)] = value)
    }
    fn read_half(self, address: u64) -> u32 {
        (self.read(address & !7) >> (8 * (address & 4))) as u32
    }
    fn write_half(self, address: u64, value: u32) {
        let (word, shift) = (self.read(address & !7), 8 * (address & 4));
        self.write(address & !7, word & !(0xffff_ffff << shift) | (value as u64) << shift);
    }
    fn fill(self, address: u64, count: usize, value: u64) {
        assert_eq!(count % 8, 0);
        with(|s| s.words[at(address)..][..count].fill(value));
    }
    fn clear(self, address: u64, count: usize) {
        with(|s| s.words[at(address)..][..count].fill(0));
    }
    fn write_code(self, pa: usize, block: &Buffer, bytes: usize) {
        assert_eq!((pa % 64, bytes % 64), (0, 0));
        for (n, pair) in block.0[..bytes.min(size_of::<Buffer>()) / 4].chunks_exact(2).enumerate() {
            self.write(supervisor(pa + 8 * n) as u64, pair[0] as u64 | (pair[1] as u64) << 32);
        }
    }
    fn sync_code(self) {}
    fn mask_interrupts(self, off: bool) {
        assert_ne!(MASKED.replace(off), off, "interrupts are turned off or on twice");
    }
    fn uncount_masked(self) {
        assert!(self.is_masked());
    }
}

impl Neighbours for Fake {
    fn space_create(self, id: DomainId, _: Account) -> Result<usize, Error> {
        may_fail()?;
        with(|s| {
            let space = Space { stacks: BTreeSet::new() };
            assert!(s.spaces.insert(id.number(), space).is_none(), "{id:?} has a space already");
        });
        Ok(0x8800_0000 + PAGE * id.number())
    }
    fn space_copy(self, from: usize, to: usize, _: (usize, usize)) -> Result<(), Error> {
        may_fail()?;
        with(|s| {
            let stacks = s.spaces.get(&from).map(|space| space.stacks.clone()).unwrap_or_default();
            s.spaces.get_mut(&to).expect("a space").stacks = stacks;
        });
        Ok(())
    }
    fn space_destroy(self, asid: usize) {
        with(|s| assert!(s.spaces.remove(&asid).is_some(), "{asid} has no space"));
    }
    fn view_create(self, id: DomainId, task: usize, account: Account) -> Result<usize, Error> {
        assert!(with(|s| s.spaces.contains_key(&task)));
        self.space_create(id, account)
    }
    fn view_model(self, view: usize, model: usize) -> Result<(), Error> {
        assert!(with(|s| s.spaces.contains_key(&view) && s.spaces.contains_key(&model)));
        may_fail()
    }
    fn view_destroy(self, asid: usize, _: (usize, usize)) {
        self.space_destroy(asid);
    }
    fn view_show(self, _: Shown, _: (usize, usize), _: (usize, usize)) -> Result<(), Error> {
        may_fail()
    }
    fn place_page(self, view: usize, _: usize, _: Rights, _: (usize, usize)) -> Result<(), Error> {
        assert!(with(|s| s.spaces.contains_key(&view)));
        may_fail()
    }
    fn view_patch(self, view: usize, _: u64, _: bool, _: (usize, usize)) -> Result<usize, Error> {
        assert!(with(|s| s.spaces.contains_key(&view)));
        may_fail().map(|()| PATCH)
    }
    fn trust(self, asid: usize) -> Result<(), Error> {
        assert!(with(|s| s.spaces.contains_key(&asid)));
        may_fail()
    }
    fn make_supervisor(self, asid: usize) -> Result<(), Error> {
        assert!(with(|s| s.spaces.contains_key(&asid)));
        may_fail()
    }
    fn service_stack(self, _: usize) -> Result<(), Error> {
        may_fail()
    }
    fn nucleus_pages(self, count: usize) -> Result<usize, Error> {
        may_fail()?;
        Ok(with(|s| s.page(count)))
    }
    fn nucleus_free(self, pa: usize, count: usize) {
        with(|s| {
            assert!(s.taken.remove(&(pa, count)), "{pa:#x} is freed twice");
            s.pages.entry(count).or_default().push(pa);
        });
    }
    fn map(self, _: usize, _: usize, _: usize, _: Rights) -> Result<(), Error> {
        may_fail()
    }
    fn stack_for(self, asid: usize, bytes: usize) -> Result<usize, Error> {
        may_fail()?;
        with(|s| {
            // The first components' are the image builder's.
            let Some(space) = s.spaces.get_mut(&asid) else { return Ok(STACK_TOP - PAGE) };
            let step = bytes.next_multiple_of(PAGE) + PAGE;
            let top = (1..).map(|n| STACK_TOP - n * step).find(|top| !space.stacks.contains(top)).expect("an address");
            space.stacks.insert(top);
            Ok(top)
        })
    }
    fn stack_release(self, asid: usize, top: usize) {
        with(|s| {
            if let Some(space) = s.spaces.get_mut(&asid) {
                assert!(space.stacks.remove(&top), "{asid} has no stack at {top:#x}");
            }
        });
    }
    fn pager_for(self, client: DomainId, range: (usize, usize), number: usize, pager: DomainId) -> Result<(), Error> {
        may_fail()?;
        with(|s| match s.pagers.insert((client, range.0), (number, pager)) {
            None => Ok(()),
            Some(old) => {
                s.pagers.insert((client, range.0), old);
                Err(Error::EEXIST)
            }
        })
    }
    fn pager_remove(self, client: DomainId, start: usize) -> Result<usize, Error> {
        with(|s| s.pagers.remove(&(client, start))).map(|(number, _)| number).ok_or(Error::ENOENT)
    }
    fn pager_forget(self, ended: DomainId) {
        with(|s| s.pagers.retain(|(client, _), (_, pager)| *client != ended && *pager != ended));
    }
    fn pager_pending(self, _: usize) -> bool {
        false
    }
    fn pager_overdue(self, _: u64) -> Overdue {
        Overdue::Waited(false)
    }
    fn page_for(self, _: DomainId, _: DomainId, _: usize, _: usize, _: Replacement) -> Result<isize, Error> {
        may_fail()?;
        Err(Error::EAGAIN)
    }
    fn page_among(self, _: Parties, _: usize, _: usize, _: Replacement, _: (usize, usize)) -> Result<isize, Error> {
        may_fail().map(|()| 0)
    }
    fn make_segment(self, _: usize, _: usize) -> Result<(), Error> {
        may_fail()
    }
    fn frame_of(self, _: usize, _: usize) -> Result<usize, Error> {
        may_fail()?;
        Ok(CODE_END + PAGE)
    }
    fn windows_close(self, _: usize) {}
    fn memory_check(self) -> isize {
        MEMORY_CHECK.get()
    }
    fn memory_window(self, _: usize, _: usize, _: Entry, _: Entry, _: usize) -> Result<(), Error> {
        Ok(())
    }
    fn memory_windows(self, asid: usize) -> usize {
        with(|s| s.windows.get(&asid).copied().unwrap_or(0))
    }
    fn memory_info(self, _: usize) -> usize {
        0
    }

    fn names_bind(self, asid: usize, name: &Name, registration: usize) -> Result<(), Error> {
        // The name server's own memory ends as that of all others does: its own tests.
        may_fail()?;
        with(|s| s.names.bind(asid, name, registration))
    }
    fn names_lookup(self, asid: usize, name: usize) -> Result<usize, Error> {
        // SAFETY: tests pass the address of a `Name`.
        let name = unsafe { *(name as *const Name) };
        with(|s| s.names.lookup(asid, &name))
    }
    fn names_unbind(self, asid: usize, name: &Name) -> Result<(), Error> {
        with(|s| s.names.unbind(asid, name))
    }
    fn names_rebind(self, asid: usize, name: &Name, registration: usize) {
        with(|s| s.names.rebind(asid, name, registration)).expect("a name that is bound, and may be")
    }
    fn names_inherit(self, child: usize, parent: usize) -> Result<(), Error> {
        may_fail()?;
        with(|s| s.names.inherit(child, parent))
    }
    fn names_forget(self, asid: usize) {
        with(|s| s.names.forget(asid))
    }

    fn processor_limit(self, _: Account, _: usize) {}
    fn processor_used(self, _: Account) -> usize {
        0
    }
    fn thread_add(self, index: usize, _: usize, _: usize, _: Account, ceiling: u8) -> Result<usize, Error> {
        may_fail()?;
        with(|s| {
            s.ceilings.insert(index, ceiling);
            let id = (s.next_thread * THREAD_IDS) | index;
            s.next_thread += 1;
            assert!(s.threads.insert(index, id).is_none(), "thread {index} lives already");
            Ok(id)
        })
    }
    fn thread_info(self, _: usize) -> usize {
        0
    }
    fn thread_doing(self, _: usize, _: bool) -> Result<Doing, Error> {
        Ok(Doing::new(What::Ready, 0))
    }
    fn thread_reap(self) -> Option<usize> {
        with(|s| s.ended.pop_front())
    }
    fn wake_dead(self, index: usize) -> isize {
        assert!(self.is_masked());
        // It may have ended.
        if self.lives(index) { 0 } else { Error::ESRCH.code() }
    }
    fn cancel(self, index: usize, _: usize, id: usize) -> isize {
        let known = with(|s| s.threads.get(&index).copied());
        if known.is_some_and(|known| id == 0 || id == known) { 0 } else { Error::ESRCH.code() }
    }
    fn cancelled(self, _: usize) -> usize {
        0
    }
    fn stack_dead(self, _: usize) -> bool {
        false
    }
    fn domain_dead(self, _: usize) {}
    fn waiting(self, index: usize) -> Option<usize> {
        with(|s| s.waits.get(&index).copied())
    }
    fn end_stuck(self, index: usize, ends: bool) -> bool {
        with(|s| if ends { s.waits.remove(&index).is_some() } else { s.waits.contains_key(&index) })
    }
    fn semaphore_create(self, _: usize) -> Result<usize, Error> {
        may_fail()?;
        with(|s| {
            let id =
                (s.next_semaphore..).find(|id| !s.semaphores.iter().any(|s| s % MAX_SEMAPHORES == id % MAX_SEMAPHORES));
            let id = id.expect("a number");
            s.next_semaphore = id + 1;
            s.semaphores.insert(id);
            Ok(id)
        })
    }
    fn semaphore_destroy(self, id: usize) {
        with(|s| assert!(s.semaphores.remove(&id), "semaphore {id} is destroyed twice"));
    }
    fn semaphore_v(self, id: usize) {
        with(|s| {
            // Its waiter may have gone.
            if s.semaphores.contains(&id) {
                s.posts.push(id);
            }
        });
    }
    fn interrupt_forget(self, _: usize) {}
    const TIMEBASE: u64 = 10_000_000;
    fn time(self) -> u64 {
        0
    }
}
const _: () = assert!(NPORTALS == 512);
