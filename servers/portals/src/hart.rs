//! What is not the portal manager's own, on the machine: the nucleus's pages, mapped here, and the portals of the other trusted
//! servers.

use abi::address::{nucleus_view, physical};
use abi::boot::BootInfo;
use abi::identity::DomainId;
use abi::memory::{Ends, Replacement, Shown};
use abi::name::Name;
use abi::rights::Rights;
use abi::system::Ended;
use account::Account;
use arch::component::{UNCOUNTED, mark};
use arch::paging::Entry;
use pebble::interfaces::types::{Alleged, DomainNumber, SemaphoreId, ThreadId, ThreadIndex};
use pebble::interfaces::{interrupts, names, scheduler};
use pebble::{Result, check};
use portal::emit::Buffer;
use portals_logic::machine::neighbours::{Neighbours, Overdue};
use portals_logic::machine::nucleus_memory::NucleusMemory;

pebble::import! {
    INTERRUPTS_MASK = "nucleus.interrupts_mask";
    CODE_SYNC = "nucleus.code_sync";
    SPACE_CREATE = "memory.space_create";
    SPACE_COPY = "memory.space_copy";
    SPACE_DESTROY = "memory.space_destroy";
    VIEW_CREATE = "memory.view_create";
    VIEW_MODEL = "memory.view_model";
    VIEW_DESTROY = "memory.view_destroy";
    VIEW_SHOW = "memory.view_show";
    TRUST = "memory.trust";
    MAKE_SUPERVISOR = "memory.make_supervisor";
    SERVICE_STACK = "memory.service_stack";
    NUCLEUS_PAGES = "memory.nucleus_pages";
    NUCLEUS_FREE = "memory.nucleus_free";
    MAP = "memory.map";
    STACK_FOR = "memory.stack_for";
    STACK_RELEASE = "memory.stack_release";
    PAGER_FOR = "memory.pager_for";
    PAGER_REMOVE = "memory.pager_remove";
    PAGER_FORGET = "memory.pager_forget";
    PAGER_PENDING = "memory.pager_pending";
    PAGER_OVERDUE = "memory.pager_overdue";
    PAGE_FOR = "memory.page_for";
    PAGE_AMONG = "memory.page_among";
    FRAME_OF = "memory.frame_of";
    WINDOWS_CLOSE = "memory.windows_close";
    MEMORY_CHECK = "memory.check";
    MEMORY_WINDOW = "memory.window";
    MEMORY_WINDOWS = "memory.windows";
    MEMORY_INFO = "memory.info";
}

/// The machine that the portal manager runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hart;

/// Where the nucleus's data at supervisor address `address` is mapped.
#[inline(always)]
fn view<T>(address: u64) -> *mut T {
    nucleus_view(physical(address as usize)) as *mut T
}
impl NucleusMemory for Hart {
    #[inline(always)]
    fn info(self) -> &'static BootInfo {
        pebble::boot::info()
    }
    #[inline(always)]
    fn read(self, address: u64) -> u64 {
        // SAFETY: the callers pass addresses of nucleus data only, all of which is mapped here.
        unsafe { view::<u64>(address).read_volatile() }
    }
    #[inline(always)]
    fn write(self, address: u64, value: u64) {
        // SAFETY: as above; the word is one that only the portal manager writes, or interrupts are off.
        unsafe { view::<u64>(address).write_volatile(value) }
    }
    #[inline(always)]
    fn read_half(self, address: u64) -> u32 {
        // SAFETY: as above.
        unsafe { view::<u32>(address).read_volatile() }
    }
    #[inline(always)]
    fn write_half(self, address: u64, value: u32) {
        // SAFETY: as above.
        unsafe { view::<u32>(address).write_volatile(value) }
    }
    #[inline(always)]
    fn fill(self, address: u64, count: usize, value: u64) {
        let first = view::<u64>(address);
        for word in (0..count).step_by(8) {
            // SAFETY: as above; `count` is a multiple of 8.
            (0..8).for_each(|n| unsafe { first.add(word + n).write_volatile(value) });
        }
    }
    #[inline(always)]
    fn clear(self, address: u64, count: usize) {
        // SAFETY: as above.
        unsafe { view::<u64>(address).write_bytes(0, count) };
    }
    #[inline(always)]
    fn write_code(self, pa: usize, block: &Buffer, bytes: usize) {
        /// Eight words at a time, which is what blocks are rounded up to.
        type Line = [u64; 8];
        let from = block.0.as_ptr().cast::<Line>();
        let to = nucleus_view(pa) as *mut Line;
        for n in 0..bytes.min(size_of::<Buffer>()) / size_of::<Line>() {
            // SAFETY: `pa` is a free block of the code area, mapped here, aligned to 64; nobody executes it yet.
            unsafe { to.add(n).write(from.add(n).read()) };
        }
        CODE_SYNC.call([]);
    }
    #[inline(always)]
    fn mask_interrupts(self, off: bool) {
        INTERRUPTS_MASK.call([off as usize]);
    }
    #[inline(always)]
    fn uncount_masked(self) {
        mark::<UNCOUNTED>();
    }
}

/// A result as a portal gives it.
#[inline(always)]
fn code(result: Result<usize>) -> isize {
    result.map_or_else(abi::Error::code, |value| value as isize)
}
/// Nothing, or an error.
#[inline(always)]
fn done(result: isize) -> Result<()> {
    check(result).map(|_| ())
}
impl Neighbours for Hart {
    #[inline(always)]
    fn space_create(self, id: DomainId, account: Account) -> Result<usize> {
        check(SPACE_CREATE.call([id.word() as usize, account.number()]))
    }
    #[inline(always)]
    fn space_copy(self, from: usize, to: usize, (frames, count): (usize, usize)) -> Result<()> {
        done(SPACE_COPY.call([from, to, frames, count]))
    }
    #[inline(always)]
    fn space_destroy(self, asid: usize) {
        SPACE_DESTROY.call([asid]);
    }
    #[inline(always)]
    fn view_create(self, id: DomainId, task: usize, account: Account) -> Result<usize> {
        check(VIEW_CREATE.call([id.word() as usize, task, account.number()]))
    }
    #[inline(always)]
    fn view_model(self, view: usize, model: usize) -> Result<()> {
        done(VIEW_MODEL.call([view, model]))
    }
    #[inline(always)]
    fn view_destroy(self, asid: usize, (frames, count): (usize, usize)) {
        VIEW_DESTROY.call([asid, frames, count]);
    }
    #[inline(always)]
    fn view_show(self, shown: Shown, (start, bytes): (usize, usize), (frames, count): (usize, usize)) -> Result<()> {
        done(VIEW_SHOW.call([shown.word(), start, bytes, frames, count]))
    }
    #[inline(always)]
    fn trust(self, asid: usize) -> Result<()> {
        done(TRUST.call([asid]))
    }
    fn make_supervisor(self, asid: usize) -> Result<()> {
        done(MAKE_SUPERVISOR.call([asid]))
    }
    #[inline(always)]
    fn service_stack(self, index: usize) -> Result<()> {
        done(SERVICE_STACK.call([index]))
    }
    #[inline(always)]
    fn nucleus_pages(self, count: usize) -> Result<usize> {
        check(NUCLEUS_PAGES.call([count]))
    }
    #[inline(always)]
    fn nucleus_free(self, pa: usize, count: usize) {
        NUCLEUS_FREE.call([pa, count]);
    }
    #[inline(always)]
    fn map(self, asid: usize, va: usize, bytes: usize, rights: Rights) -> Result<()> {
        done(MAP.call([asid, va, bytes, rights.bits() as usize]))
    }
    #[inline(always)]
    fn stack_for(self, asid: usize, bytes: usize) -> Result<usize> {
        check(STACK_FOR.call([asid, bytes]))
    }
    #[inline(always)]
    fn stack_release(self, asid: usize, top: usize) {
        STACK_RELEASE.call([asid, top]);
    }
    #[inline(always)]
    fn pager_for(self, client: DomainId, (start, bytes): (usize, usize), number: usize, pager: DomainId) -> Result<()> {
        done(PAGER_FOR.call([client.word() as usize, start, bytes, number, pager.word() as usize]))
    }
    #[inline(always)]
    fn pager_remove(self, client: DomainId, start: usize) -> Result<usize> {
        check(PAGER_REMOVE.call([client.word() as usize, start]))
    }
    #[inline(always)]
    fn pager_forget(self, gone: DomainId) {
        PAGER_FORGET.call([gone.word() as usize]);
    }
    #[inline(always)]
    fn pager_pending(self, number: usize) -> bool {
        PAGER_PENDING.call([number]) != 0
    }
    #[inline(always)]
    fn pager_overdue(self, seconds: u64) -> Overdue {
        let mut how = Ended::default();
        let found = PAGER_OVERDUE.call([seconds as usize, &raw mut how as usize]);
        DomainId::of(found as u64).map_or(Overdue::Waited(found > 0), |client| Overdue::Client(client, how))
    }
    #[inline(always)]
    fn page_for(self, by: DomainId, client: DomainId, va: usize, source: usize, with: Replacement) -> Result<isize> {
        check(PAGE_FOR.call([by.word() as usize, client.word() as usize, va, source, with.word()]))
            .map(|done| done as isize)
    }
    #[inline(always)]
    fn page_among(
        self,
        ends: Ends,
        va: usize,
        source: usize,
        rights: Rights,
        (frames, count): (usize, usize),
    ) -> Result<isize> {
        let with = Replacement { rights, related: true };
        check(PAGE_AMONG.call([ends.word(), va, source, with.word(), frames, count])).map(|done| done as isize)
    }
    #[inline(always)]
    fn frame_of(self, asid: usize, va: usize) -> Result<usize> {
        check(FRAME_OF.call([asid, va]))
    }
    #[inline(always)]
    fn windows_close(self, asid: usize) {
        WINDOWS_CLOSE.call([asid]);
    }
    #[inline(always)]
    fn memory_check(self) -> isize {
        MEMORY_CHECK.call([])
    }
    #[inline(always)]
    fn memory_window(self, server: usize, va: usize, mapped: Entry, shown: Entry, lender: usize) -> Result<()> {
        done(MEMORY_WINDOW.call([server, va, mapped.word() as usize, shown.word() as usize, lender]))
    }
    #[inline(always)]
    fn memory_windows(self, asid: usize) -> usize {
        MEMORY_WINDOWS.call([asid]).max(0) as usize
    }
    #[inline(always)]
    fn memory_info(self, what: usize) -> usize {
        MEMORY_INFO.call([what, 0]).max(0) as usize
    }

    #[inline(always)]
    fn names_bind(self, asid: usize, name: &Name, registration: usize) -> Result<()> {
        names::bind(DomainNumber(asid), Alleged::lend(name), registration)
    }
    #[inline(always)]
    fn names_lookup(self, asid: usize, name: usize) -> Result<usize> {
        names::lookup(DomainNumber(asid), Alleged::lent_on(name))
    }
    #[inline(always)]
    fn names_unbind(self, asid: usize, name: &Name) -> Result<()> {
        names::unbind(DomainNumber(asid), Alleged::lend(name))
    }
    #[inline(always)]
    fn names_inherit(self, child: usize, parent: usize) -> Result<()> {
        names::inherit(DomainNumber(child), DomainNumber(parent))
    }
    #[inline(always)]
    fn names_forget(self, asid: usize) {
        let _ = names::forget(DomainNumber(asid));
    }

    #[inline(always)]
    fn thread_add(self, index: usize, priority: usize, home: usize, ceiling: usize) -> Result<usize> {
        scheduler::add(ThreadIndex(index), priority, DomainNumber(home), ceiling).map(|id| id.0)
    }
    #[inline(always)]
    fn thread_info(self, index: usize) -> usize {
        scheduler::info(ThreadIndex(index)).unwrap_or(0)
    }
    #[inline(always)]
    fn thread_reap(self) -> Option<usize> {
        scheduler::reap().ok().map(|thread| thread.0).filter(|&index| index > 0)
    }
    #[inline(always)]
    fn wake_dead(self, index: usize) -> isize {
        code(scheduler::wake_dead(ThreadIndex(index)).map(|()| 0))
    }
    #[inline(always)]
    fn cancel(self, index: usize, how: usize, id: usize) -> isize {
        code(scheduler::cancel(ThreadIndex(index), how, ThreadId(id)))
    }
    #[inline(always)]
    fn cancelled(self, index: usize) -> usize {
        scheduler::cancelled(ThreadIndex(index)).unwrap_or(0)
    }
    #[inline(always)]
    fn stack_dead(self, asid: usize) -> bool {
        scheduler::stack_dead(DomainNumber(asid)) == Ok(true)
    }
    #[inline(always)]
    fn waiting(self, index: usize) -> Option<usize> {
        scheduler::waiting(ThreadIndex(index)).ok().map(|semaphore| semaphore.0).filter(|&id| id > 0)
    }
    #[inline(always)]
    fn end_stuck(self, index: usize, ends: bool) -> bool {
        scheduler::end_stuck(ThreadIndex(index), ends as usize) == Ok(true)
    }
    #[inline(always)]
    fn semaphore_create(self, value: usize) -> Result<usize> {
        scheduler::semaphore_create(value).map(|semaphore| semaphore.0)
    }
    #[inline(always)]
    fn semaphore_destroy(self, id: usize) {
        pebble::boot::semaphore_destroy(id);
    }
    #[inline(always)]
    fn semaphore_v(self, id: usize) {
        let _ = scheduler::v_id(SemaphoreId(id));
    }

    #[inline(always)]
    fn interrupt_forget(self, asid: usize) {
        let _ = interrupts::forget(DomainNumber(asid));
    }
    const TIMEBASE: u64 = pebble::time::TIMEBASE;
    #[inline(always)]
    fn time(self) -> u64 {
        pebble::time::time()
    }
}
