//! What is not the portal manager's own, on the machine: the nucleus's pages, mapped here, and the portals of the other trusted
//! servers.

use abi::account::Share;
use abi::activity::Doing;
use abi::address::{nucleus_view, physical};
use abi::boot::BootInfo;
use abi::identity::DomainId;
use abi::memory::{Parties, Replacement, Shown};
use abi::name::Name;
use abi::rights::Rights;
use abi::system::Ended;
use account::Account;
use arch::component::{UNCOUNTED, mark};
use arch::paging::Entry;
use pebble::Result;
use pebble::interfaces::types::{
    Address, Alleged, CeilingAndAccount, DomainNumber, Physical, SemaphoreId, ThreadId, ThreadIndex,
};
use pebble::interfaces::{interrupts, memory, names, scheduler};
use portal::emit::Buffer;
use portals_logic::machine::neighbours::{Neighbours, Overdue};
use portals_logic::machine::nucleus_memory::NucleusMemory;

pebble::import! {
    INTERRUPTS_MASK = "nucleus.interrupts_mask";
    CODE_SYNC = "nucleus.code_sync";
}

/// The machine that the portal manager runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hart;

/// Where the nucleus's data at supervisor address `address` is mapped.
#[inline(always)]
fn nucleus_data<T>(address: u64) -> *mut T {
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
        unsafe { nucleus_data::<u64>(address).read_volatile() }
    }
    #[inline(always)]
    fn write(self, address: u64, value: u64) {
        // SAFETY: as above; the word is one that only the portal manager writes, or interrupts are off.
        unsafe { nucleus_data::<u64>(address).write_volatile(value) }
    }
    #[inline(always)]
    fn read_half(self, address: u64) -> u32 {
        // SAFETY: as above.
        unsafe { nucleus_data::<u32>(address).read_volatile() }
    }
    #[inline(always)]
    fn write_half(self, address: u64, value: u32) {
        // SAFETY: as above.
        unsafe { nucleus_data::<u32>(address).write_volatile(value) }
    }
    #[inline(always)]
    fn fill(self, address: u64, count: usize, value: u64) {
        let first = nucleus_data::<u64>(address);
        for word in (0..count).step_by(8) {
            // SAFETY: as above; `count` is a multiple of 8.
            (0..8).for_each(|n| unsafe { first.add(word + n).write_volatile(value) });
        }
    }
    #[inline(always)]
    fn clear(self, address: u64, count: usize) {
        // SAFETY: as above.
        unsafe { nucleus_data::<u64>(address).write_bytes(0, count) };
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
        self.sync_code();
    }
    #[inline(always)]
    fn sync_code(self) {
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
/// The frames that windows show, as `open_windows` lists them.
#[inline(always)]
fn list_of_frames<'call>(frames: usize) -> Alleged<'call, usize> {
    // SAFETY: the list is this component's own and stays as it is until the memory manager has answered.
    unsafe { Alleged::lent_on(frames) }
}
impl Neighbours for Hart {
    #[inline(always)]
    fn space_create(self, id: DomainId, account: Account) -> Result<usize> {
        memory::space_create(id.into(), account.number()).map(|root| root.0)
    }
    #[inline(always)]
    fn space_copy(self, from: usize, to: usize, (frames, count): (usize, usize)) -> Result<()> {
        memory::space_copy(DomainNumber(from), DomainNumber(to), list_of_frames(frames), count)
    }
    #[inline(always)]
    fn space_destroy(self, asid: usize) {
        let _ = memory::space_destroy(DomainNumber(asid));
    }
    #[inline(always)]
    fn view_create(self, id: DomainId, task: usize, account: Account) -> Result<usize> {
        memory::view_create(id.into(), DomainNumber(task), account.number()).map(|root| root.0)
    }
    #[inline(always)]
    fn view_model(self, view: usize, model: usize) -> Result<()> {
        memory::view_model(DomainNumber(view), DomainNumber(model))
    }
    #[inline(always)]
    fn view_destroy(self, asid: usize, (frames, count): (usize, usize)) {
        let _ = memory::view_destroy(DomainNumber(asid), list_of_frames(frames), count);
    }
    #[inline(always)]
    fn view_show(self, shown: Shown, (start, bytes): (usize, usize), (frames, count): (usize, usize)) -> Result<()> {
        memory::view_show(shown.word(), Address(start), bytes, list_of_frames(frames), count)
    }
    fn place_page(self, view: usize, va: usize, rights: Rights, (from, bytes): (usize, usize)) -> Result<()> {
        // SAFETY: a window argument of the call that is being served, which lasts longer than this one.
        let from = unsafe { Alleged::lent_on(from) };
        memory::place_page(DomainNumber(view), Address(va), rights.into(), from, bytes)
    }
    fn view_patch(self, view: usize, callee: u64, cheapest: bool, (frames, count): (usize, usize)) -> Result<usize> {
        let frames = list_of_frames(frames);
        memory::view_patch(DomainNumber(view), callee as usize, cheapest as usize, frames, count).map(|patch| patch.0)
    }
    #[inline(always)]
    fn trust(self, asid: usize) -> Result<()> {
        memory::trust(DomainNumber(asid))
    }
    fn make_supervisor(self, asid: usize) -> Result<()> {
        memory::make_supervisor(DomainNumber(asid))
    }
    #[inline(always)]
    fn service_stack(self, index: usize) -> Result<()> {
        memory::service_stack(ThreadIndex(index))
    }
    #[inline(always)]
    fn nucleus_pages(self, count: usize) -> Result<usize> {
        memory::nucleus_pages(count).map(|first| first.0)
    }
    #[inline(always)]
    fn nucleus_free(self, pa: usize, count: usize) {
        let _ = memory::nucleus_free(Physical(pa), count);
    }
    #[inline(always)]
    fn map(self, asid: usize, va: usize, bytes: usize, rights: Rights) -> Result<()> {
        memory::map(DomainNumber(asid), Address(va), bytes, rights.into())
    }
    #[inline(always)]
    fn stack_for(self, asid: usize, bytes: usize) -> Result<usize> {
        memory::stack_for(DomainNumber(asid), bytes).map(|top| top.0)
    }
    #[inline(always)]
    fn stack_release(self, asid: usize, top: usize) {
        let _ = memory::stack_release(DomainNumber(asid), Address(top));
    }
    #[inline(always)]
    fn pager_for(self, client: DomainId, (start, bytes): (usize, usize), number: usize, pager: DomainId) -> Result<()> {
        memory::pager_for(client.into(), Address(start), bytes, number, pager.into())
    }
    #[inline(always)]
    fn pager_remove(self, client: DomainId, start: usize) -> Result<usize> {
        memory::pager_remove(client.into(), Address(start))
    }
    #[inline(always)]
    fn pager_forget(self, ended: DomainId) {
        let _ = memory::pager_forget(ended.into());
    }
    #[inline(always)]
    fn pager_pending(self, number: usize) -> bool {
        memory::pager_pending(number) != Ok(false)
    }
    #[inline(always)]
    fn pager_overdue(self, seconds: u64) -> Overdue {
        let mut how = Ended::default();
        let found = memory::pager_overdue(seconds as usize, Alleged::lend_to_write(&mut how)).unwrap_or(0);
        DomainId::of(found as u64).map_or(Overdue::Waited(found > 0), |client| Overdue::Client(client, how))
    }
    #[inline(always)]
    fn page_for(self, by: DomainId, client: DomainId, va: usize, source: usize, with: Replacement) -> Result<isize> {
        memory::page_for(by.into(), client.into(), Address(va), Address(source), with.word()).map(|done| done as isize)
    }
    #[inline(always)]
    fn page_among(
        self,
        parties: Parties,
        va: usize,
        source: usize,
        with: Replacement,
        (frames, count): (usize, usize),
    ) -> Result<isize> {
        let frames = list_of_frames(frames);
        memory::page_among(parties.word(), Address(va), Address(source), with.word(), frames, count)
            .map(|done| done as isize)
    }
    #[inline(always)]
    fn make_segment(self, asid: usize, base: usize) -> Result<()> {
        memory::segment_for(DomainNumber(asid), Address(base))
    }
    #[inline(always)]
    fn frame_of(self, asid: usize, va: usize) -> Result<usize> {
        memory::frame_of(DomainNumber(asid), Address(va)).map(|frame| frame.0)
    }
    #[inline(always)]
    fn windows_close(self, asid: usize) {
        let _ = memory::windows_close(DomainNumber(asid));
    }
    #[inline(always)]
    fn memory_check(self) -> isize {
        code(memory::check())
    }
    #[inline(always)]
    fn memory_window(self, server: usize, va: usize, mapped: Entry, shown: Entry, lender: usize) -> Result<()> {
        {
            let (mapped, shown) = (mapped.word() as usize, shown.word() as usize);
            memory::window(DomainNumber(server), Address(va), mapped, shown, DomainNumber(lender))
        }
    }
    #[inline(always)]
    fn memory_windows(self, asid: usize) -> usize {
        memory::windows(DomainNumber(asid)).unwrap_or(0)
    }
    #[inline(always)]
    fn memory_info(self, what: usize) -> usize {
        memory::info(what, 0).unwrap_or(0)
    }

    #[inline(always)]
    fn names_bind(self, asid: usize, name: &Name, registration: usize) -> Result<()> {
        names::bind(DomainNumber(asid), Alleged::lend(name), registration)
    }
    #[inline(always)]
    fn names_lookup(self, asid: usize, name: usize) -> Result<usize> {
        // SAFETY: a window argument of the call that is being served, which lasts longer than this one.
        names::lookup(DomainNumber(asid), unsafe { Alleged::lent_on(name) })
    }
    #[inline(always)]
    fn names_unbind(self, asid: usize, name: &Name) -> Result<()> {
        names::unbind(DomainNumber(asid), Alleged::lend(name))
    }
    fn names_rebind(self, asid: usize, name: &Name, registration: usize) {
        let _ = names::rebind(DomainNumber(asid), Alleged::lend(name), registration);
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
    fn thread_add(self, index: usize, priority: usize, home: usize, account: Account, ceiling: u8) -> Result<usize> {
        let ceiling_account = CeilingAndAccount::new(ceiling, account.number());
        scheduler::add(ThreadIndex(index), priority, DomainNumber(home), ceiling_account).map(|id| id.0)
    }
    #[inline(always)]
    fn processor_limit(self, account: Account, percent: usize) {
        let _ = scheduler::share(account.number(), percent);
    }
    #[inline(always)]
    fn processor_used(self, account: Account) -> usize {
        scheduler::share(account.number(), Share::AS_BEFORE).unwrap_or(0)
    }
    #[inline(always)]
    fn thread_info(self, index: usize) -> usize {
        scheduler::info(ThreadIndex(index)).unwrap_or(0)
    }
    #[inline(always)]
    fn thread_doing(self, index: usize, measures: bool) -> Result<Doing> {
        scheduler::doing(ThreadIndex(index), usize::from(measures)).map(|word| Doing::of(word as u64))
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
    fn domain_dead(self, asid: usize) {
        let mut from = 1;
        while from != 0 {
            from = scheduler::domain_dead(DomainNumber(asid), from).unwrap_or(0);
        }
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
