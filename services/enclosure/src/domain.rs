//! The fault domain of a host, on the machine: laid out from a program, called, ended by a fault or by time, and laid out again.
//!
//! A host has one, and one thread calls it. Whatever it does, [`FaultDomain::call`] returns.

use crate::calls::{Answer, Calls, NameCopy, Portals};
use crate::image::{Image, words};
use crate::stubs::{self, Stubs, Wanted};
use crate::{Layout, VARIABLES, VARIABLES_END, Why};
use ::portal::software::block::Block;
use ::portal::software::{Domain, Registers};
use abi::address::PAGE;
use abi::memory::{IN_SEGMENT, NEW_SEGMENT};
use abi::nucleus::NAMELEN;
use abi::rights::Rights;
use abi::system::{self, Description};
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use arch::component::{after_fault, copy_guarded};
use core::cell::UnsafeCell;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use fallible::{TryPush, boxed, collected, zeroed};
use pebble::page::Page;
use pebble::sync::Semaphore;
use pebble::{Error, Result, check, faults, portal, thread};
use verifier::Uses;
use verifier::segment::GUARD;

/// The system, as the host calls it for its fault domain.
#[derive(Clone, Copy)]
pub struct System {
    own: usize,
    /// What it says of pages: in the segment, or not.
    part: usize,
}
impl System {
    /// As this domain has it, for a fault domain there: the segment is that one's from now on, and pages are the segment's. `EEXIST`: something is mapped
    /// there.
    pub(crate) fn with_segment(layout: Layout) -> Result<System> {
        let system = System { own: thread::asid(), part: IN_SEGMENT };
        check(portal::call(system::PAGE, [system.own, layout.base() as usize, 0, NEW_SEGMENT]))?;
        Ok(system)
    }
    /// The same, but that pages are in no segment.
    pub(crate) fn beside(self) -> System {
        System { part: 0, ..self }
    }
    pub(crate) fn page(&self, address: u64, source: usize, rights: Rights) -> Result<()> {
        let rights = rights.bits() as usize | self.part;
        check(portal::call(system::PAGE, [self.own, address as usize, source, rights])).map(|_| ())
    }
    /// Maps a copy of `bytes`, at most a page of them, at `address`.
    fn place(&self, page: &mut Page, address: u64, bytes: &[u8], rights: Rights) -> Result<()> {
        page.0.fill(0);
        page.0[..bytes.len()].copy_from_slice(bytes);
        self.page(address, page.0.as_ptr() as usize, rights)
    }
    pub(crate) fn zeros(&self, address: u64, bytes: u64) -> Result<()> {
        (address..address + bytes).step_by(PAGE).try_for_each(|at| self.page(at, 0, Rights::READ_WRITE))
    }
    /// Takes away what is mapped there.
    pub(crate) fn clear(&self, range: &Range<u64>) {
        for at in range.clone().step_by(PAGE) {
            // What was not mapped is not.
            let _ = self.page(at, 0, Rights::NONE);
        }
    }
}
impl Portals for System {
    fn call(&self, number: usize, arguments: [u64; 6]) -> i64 {
        portal::call(number, arguments.map(|word| word as usize)) as i64
    }
    fn description(&self, number: usize) -> Option<Description> {
        description(number)
    }
    fn name(&self, address: u64) -> Option<NameCopy> {
        let mut copy = NameCopy([0; NAMELEN]);
        // SAFETY: it is this function's own; what other threads make of what is there meanwhile, each byte is some byte.
        unsafe { copy_guarded(copy.0.as_mut_ptr() as usize, address as usize, NAMELEN) }.then_some(copy)
    }
    fn map(&self, address: u64, pages: u64) -> i64 {
        self.zeros(address, pages * PAGE as u64).map_or_else(|error| error.code() as i64, |()| 0)
    }
}

/// What a portal of the host's own table is.
pub(crate) fn description(number: usize) -> Option<Description> {
    let mut description = Description { spec: [0; NAMELEN], name: [0; NAMELEN] };
    check(portal::call(system::PORTAL_INFO, [number, &raw mut description as usize])).ok()?;
    Some(description)
}

/// A fault at an instruction of the fault domain's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub cause: usize,
    pub address: usize,
    pub pc: usize,
}
/// Why a call has ended, other than by returning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The fault domain has to be laid out again.
    Fault(Fault),
    /// It took too long; the same.
    Late,
    /// It was not made: there is no thread or semaphore for it.
    NotMade(Error),
}

/// What the one thread that enters the fault domain shares with the host's functions that it enters from there.
struct Shared {
    calls: UnsafeCell<Option<Calls<System>>>,
    fault: UnsafeCell<Option<Fault>>,
}
// SAFETY: one thread uses it; a fault is answered in the thread that has it.
unsafe impl Sync for Shared {}
static SHARED: Shared = Shared { calls: UnsafeCell::new(None), fault: UnsafeCell::new(None) };
/// Where a thread goes on that has faulted in the fault domain, and where that is.
static UNWIND: AtomicUsize = AtomicUsize::new(0);
/// From where on, and over how many bytes, whoever executes is the fault domain: [`Layout::reach`].
static SEGMENT: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// A call out of the fault domain: the stub comes here.
extern "C" fn decide(block: &mut Block) -> i64 {
    // SAFETY: the one thread, which is in the fault domain and not in here a second time.
    let Some(calls) = (unsafe { &*SHARED.calls.get() }) else { return Error::EPORTAL.code() as i64 };
    let [a0, a1, a2, a3, a4, a5, number] = block.arguments;
    match calls.answer(number, [a0, a1, a2, a3, a4, a5]) {
        Answer::Result(result) => {
            // It has not called to end, whatever a call before has.
            block.ended = 0;
            result
        }
        Answer::End(status) => {
            block.ended = 1;
            status
        }
    }
}
/// A fault of this domain's: one at an instruction of the fault domain's, or where a jump of its has led beside its segment, ends the call; one where the
/// host looks at what is there ends that; another one of the host's own ends the host.
extern "C" fn faulted(_asid: usize, cause: usize, address: usize, pc: usize) -> isize {
    let [start, reach] = [0, 1].map(|n| SEGMENT[n].load(Ordering::Relaxed));
    if (pc as u64).wrapping_sub(start) >= reach {
        return after_fault(pc).map_or(Error::EFAULT.code(), |end| end as isize);
    }
    // SAFETY: the thread that faulted is not reading it.
    unsafe { *SHARED.fault.get() = Some(Fault { cause, address, pc }) };
    UNWIND.load(Ordering::Relaxed) as isize
}
/// Ends calls that take too long: a thread of its own, which takes the code away from under the fault domain, and cancels the thread that is in
/// it: what that waits for, in a server or here, ends with `ECANCELED`. That is for good, so a call that is watched has a thread to itself.
struct Watch {
    ticks: AtomicU64,
    /// The id of the thread that makes the call.
    thread: AtomicUsize,
    begun: Semaphore,
    over: Semaphore,
    seen: Semaphore,
    late: AtomicBool,
}
impl Watch {
    fn start(system: System, code: Arc<[AtomicU64; 2]>, priority: Option<u8>) -> Result<Arc<Watch>> {
        let watch = shared(Watch {
            ticks: AtomicU64::new(0),
            thread: AtomicUsize::new(0),
            begun: Semaphore::new(0)?,
            over: Semaphore::new(0)?,
            seen: Semaphore::new(0)?,
            late: AtomicBool::new(false),
        })?;
        let own = Arc::clone(&watch);
        thread::spawn(priority, move || {
            while own.begun.wait().is_ok() {
                let late = own.over.wait_for(own.ticks.load(Ordering::Acquire)).is_err();
                if late {
                    own.late.store(true, Ordering::Release);
                    // Whoever executes it faults, and is found by its program counter.
                    system.clear(&(code[0].load(Ordering::Acquire)..code[1].load(Ordering::Acquire)));
                    // It may have ended meanwhile.
                    portal::call(system::THREAD_CANCEL, [own.thread.load(Ordering::Acquire)]);
                    let _ = own.over.wait();
                }
                let _ = own.seen.post();
            }
        })?;
        Ok(watch)
    }
}

/// A thread's block for a fault domain there, whose calls `decide` answers.
pub(crate) fn block(layout: &Layout, decide: u64) -> Block {
    let (base, size, back) = (layout.base(), layout.0.size(), layout.jump_table());
    Block { base, mask: size - 1, jump_mask: size - 4, back, decide, ..Block::default() }
}
/// Verifies the code of `image`; what it does to registers.
pub(crate) fn verified(layout: &Layout, image: &Image) -> core::result::Result<Uses, Why> {
    let code = image.code()?;
    Ok(verifier::verify(&layout.0, code.start, &words(code)?)?)
}
/// Lays out an image whose code was verified and uses those registers, with a stack of so many bytes and portals into it, and notes what it has
/// mapped. Its parts and its heap lie below `end`.
pub(crate) fn lay_out(
    system: System,
    layout: &Layout,
    (image, uses): (&Image, Uses),
    (stack, wanted): (u64, &[Wanted]),
    end: u64,
    mapped: &mut Vec<Range<u64>>,
) -> core::result::Result<Stubs, Why> {
    // What is behind the parts of its file, too, whoever has put it there.
    if image.heap > end {
        return Err(Why::wrong("no room for its stacks behind its parts"));
    }
    let mut page = blank_page()?;
    let mut fill = |start: u64, bytes: &[u8], size: u64, rights: Rights| -> Result<()> {
        mapped.try_push(start..start + size)?;
        for (n, address) in (start..start + size).step_by(PAGE).enumerate() {
            let rest = bytes.get(n * PAGE..).unwrap_or(&[]);
            system.place(&mut page, address, &rest[..rest.len().min(PAGE)], rights)?;
        }
        Ok(())
    };
    for part in &image.parts {
        let write = if part.write { Rights::WRITE } else { Rights::NONE };
        let execute = if part.execute { Rights::EXECUTE } else { Rights::NONE };
        let rights = Rights::READ | write | execute;
        fill(part.start, &part.bytes, part.size, rights).map_err(|e| Why::at("its memory", e))?;
    }
    let (variables, size) = &image.variables;
    let room = size.next_multiple_of(PAGE as u64).min(VARIABLES_END - VARIABLES);
    let rights = Rights::READ_WRITE;
    fill(layout.base() + VARIABLES, variables, room, rights).map_err(|e| Why::at("its variables", e))?;

    let page_at = |at: u64| at..at + PAGE as u64;
    for place in [page_at(layout.stubs()), page_at(layout.jump_table()), layout.top() - stack..layout.top()] {
        mapped.try_push(place)?;
    }
    let stubs = make_stubs(system, layout, uses, wanted)?;
    system.zeros(layout.top() - stack, stack).map_err(|e| Why::at("its stack", e))?;
    arch::component::code_was_written();
    Ok(stubs)
}
/// Makes and maps the code around a fault domain, in the place of what was there.
fn make_stubs(system: System, layout: &Layout, uses: Uses, wanted: &[Wanted]) -> core::result::Result<Stubs, Why> {
    let masks = layout.0.form == verifier::Form::Mask;
    let [changes, reads] =
        [uses.changes, uses.reads].map(|verifier::Set { integer, floating }| Registers { integer, floating });
    let domain = Domain { masks, changes, reads, flags: uses.flags };
    let stubs = stubs::make(layout, &domain, wanted)?;
    let mut page = blank_page()?;
    for (at, words, what) in
        [(layout.stubs(), &stubs.words, "its stubs"), (layout.jump_table(), &stubs.table, "its jump table")]
    {
        if words.len() * 4 > PAGE {
            return Err(Why::wrong("more than a page of code around it"));
        }
        let bytes: Vec<u8> = collected(words.iter().flat_map(|word| word.to_le_bytes()))?;
        system.place(&mut page, at, &bytes, Rights::READ_EXECUTE).map_err(|error| Why::at(what, error))?;
    }
    Ok(stubs)
}
/// `ENOMEM`.
fn blank_page() -> Result<Box<Page>> {
    // SAFETY: zeros are a page.
    unsafe { zeroed() }
}
/// `ENOMEM`.
fn shared<T>(value: T) -> Result<Arc<T>> {
    Arc::try_new(value).map_err(|_| Error::ENOMEM)
}
/// A host's fault domain.
pub struct FaultDomain {
    layout: Layout,
    system: System,
    block: Box<Block>,
    /// What is mapped for it, but for its heap.
    mapped: Vec<Range<u64>>,
    /// Its code, for [`Watch`].
    code: Arc<[AtomicU64; 2]>,
    watch: Option<Arc<Watch>>,
    /// Priority of the thread that ends calls in time.
    watcher: Option<u8>,
    /// Addresses of the portals into it.
    pub portals: Vec<u64>,
    /// Its stubs' and its jump table's words, as they must stay.
    pub stubs: [Vec<u32>; 2],
    /// What its code does to registers.
    uses: Uses,
    /// Names of what it may open.
    names: Vec<u8>,
}
impl FaultDomain {
    /// A place for one, with nothing in it. `ENOMEM`; `EBUSY`: there is one; `EEXIST`: the host has something in its segment.
    pub fn new(layout: Layout) -> Result<FaultDomain> {
        let system = System::with_segment(layout)?;
        SEGMENT[0].store(layout.base() - GUARD, Ordering::Relaxed);
        SEGMENT[1].store(layout.reach(), Ordering::Relaxed);
        let code = shared([const { AtomicU64::new(0) }; 2])?;
        let block = boxed(block(&layout, decide as *const () as u64))?;
        // Last: nobody takes that back.
        faults::answer_by("app.enclosure", faulted)?;
        let portals = Vec::new();
        Ok(FaultDomain {
            layout,
            system,
            block,
            mapped: Vec::new(),
            code,
            watch: None,
            watcher: None,
            portals,
            stubs: [const { Vec::new() }; 2],
            uses: Uses::default(),
            names: Vec::new(),
        })
    }
    /// Lays `image` out in the place of what was there, with a stack of `stack` bytes and portals into it. Its code is verified first, and
    /// where it is refused what was there stays; after another error nothing is there.
    pub fn lay_out(&mut self, image: &Image, stack: u64, wanted: &[Wanted]) -> core::result::Result<(), Why> {
        let code = image.code()?.range();
        let uses = verified(&self.layout, image)?;
        let names = collected(self.names.iter().copied()).map_err(|error| Why::at("its host", error))?;
        self.clear();
        let (layout, system) = (self.layout, self.system);
        let end = layout.top() - stack - PAGE as u64;
        let stubs = lay_out(system, &layout, (image, uses), (stack, wanted), end, &mut self.mapped);
        if stubs.is_err() {
            self.clear();
        }
        let stubs = stubs?;
        self.code[0].store(code.start, Ordering::Release);
        self.code[1].store(code.end, Ordering::Release);
        self.uses = uses;
        self.take(stubs);
        self.set_stack(layout.top());
        let calls = Calls::new(system, layout, image.heap..end, names);
        // SAFETY: nobody is in the fault domain.
        unsafe {
            *SHARED.calls.get() = Some(calls);
            *SHARED.fault.get() = None;
        }
        Ok(())
    }
    /// Makes the portals into it anew: for entries that are known only once it has run.
    pub fn remake_portals(&mut self, wanted: &[Wanted]) -> core::result::Result<(), Why> {
        let stubs = make_stubs(self.system, &self.layout, self.uses, wanted)?;
        arch::component::code_was_written();
        self.take(stubs);
        Ok(())
    }
    fn take(&mut self, stubs: Stubs) {
        UNWIND.store(stubs.unwind as usize, Ordering::Relaxed);
        self.portals = stubs.portals;
        self.stubs = [stubs.words, stubs.table];
    }
    /// From the next that is laid out on: whether its loads are kept in too.
    pub fn keep_loads(&mut self, loads: bool) {
        self.layout = Layout::new(loads);
    }
    /// From the next that is laid out on: which of the portals that its host may open it may open too. Names, or their beginnings with a `*`, as `opens` of a
    /// manifest, with spaces between them. None, unless that is said. `ENOMEM`.
    pub fn may_open(&mut self, names: &[u8]) -> Result<()> {
        self.names = collected(names.iter().copied())?;
        Ok(())
    }
    /// The fault that has ended a call which was made past [`FaultDomain::call`], since it was laid out.
    pub fn fault(&self) -> Option<Fault> {
        // SAFETY: the thread is out of the fault domain.
        unsafe { *SHARED.fault.get() }
    }
    /// Takes away all that it has.
    pub fn clear(&mut self) {
        // SAFETY: nobody is in the fault domain.
        let calls = unsafe { (*SHARED.calls.get()).take() };
        let heap = calls.map(|calls| calls.grown());
        self.mapped.drain(..).chain(heap).for_each(|range| self.system.clear(&range));
    }
    /// Has calls watched at `priority`. At the caller's, which it is otherwise, a call that does not return is ended when its time slice is over.
    pub fn watch_at(&mut self, priority: u8) {
        self.watcher = Some(priority);
    }
    /// Its thread's block, for who enters it by hand.
    pub fn block(&mut self) -> &mut Block {
        &mut self.block
    }
    /// Where its stack pointer begins: a multiple of 16 in its stack.
    pub fn set_stack(&mut self, pointer: u64) {
        self.block.stack = pointer;
    }
    /// Calls portal number `portal` of those that were wanted; the result, or the status that it called to end with. `ticks` of `hrtime`:
    /// how long it may take.
    pub fn call(&mut self, portal: usize, argument: u64, ticks: Option<u64>) -> core::result::Result<i64, Ended> {
        let address = self.portals[portal];
        self.block.ended = 0;
        let (result, late) = match ticks {
            None => (enter(&mut self.block, address, &[argument]), false),
            Some(ticks) => self.call_watched(address, argument, ticks).map_err(Ended::NotMade)?,
        };
        // SAFETY: the thread is out of the fault domain.
        match unsafe { (*SHARED.fault.get()).take() } {
            // Its code is gone.
            _ if late => Err(Ended::Late),
            Some(fault) => Err(Ended::Fault(fault)),
            None => Ok(result),
        }
    }
    /// The result of a call in a thread of its own, and whether its time was over.
    fn call_watched(&mut self, address: u64, argument: u64, ticks: u64) -> Result<(i64, bool)> {
        /// The fault domain's block, which the one thread has as long as it runs.
        struct Lent(*mut Block);
        // SAFETY: who lends it waits for the thread's end.
        unsafe impl Send for Lent {}
        let watch = self.watch()?;
        let answer = shared(AtomicI64::new(0))?;
        let (block, told) = (Lent(&raw mut *self.block), Arc::clone(&answer));
        let thread = thread::spawn(None, move || {
            let block: Lent = block;
            // SAFETY: as above.
            let result = enter(unsafe { &mut *block.0 }, address, &[argument]);
            told.store(result, Ordering::Release);
        })?;
        watch.ticks.store(ticks, Ordering::Release);
        watch.thread.store(thread.id(), Ordering::Release);
        watch.late.store(false, Ordering::Release);
        let begun = watch.begun.post();
        // The block is lent until then, whoever cancels this thread.
        while check(portal::call(system::THREAD_JOIN, [thread.id()])) == Err(Error::ECANCELED) {}
        begun?;
        watch.over.post()?;
        while watch.seen.wait() == Err(Error::ECANCELED) {}
        Ok((answer.load(Ordering::Acquire), watch.late.load(Ordering::Acquire)))
    }
    fn watch(&mut self) -> Result<Arc<Watch>> {
        if self.watch.is_none() {
            self.watch = Some(Watch::start(self.system, Arc::clone(&self.code), self.watcher)?);
        }
        self.watch.clone().ok_or(Error::ENOMEM)
    }
}
/// Calls the software portal at `portal` with one word or six; its result. The thread is at `block` from now on.
#[inline(always)]
pub fn enter<const N: usize>(block: &mut Block, portal: u64, arguments: &[u64; N]) -> i64 {
    // SAFETY: the portal is a stub that was made for this thread's block; it is a C function to its caller, whatever the fault domain does.
    unsafe { arch::component::enter(block, portal, arguments) }
}
