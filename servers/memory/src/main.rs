//! The memory manager: physical pages, address spaces, faults.
//!
//! It sees all RAM and is the only writer of page tables but for the window slots that portal code fills. It keeps what it
//! knows in tables in pages that it takes for itself.
#![no_std]
#![feature(optimize_attribute)]
#![no_main]

use abi::Error;
use abi::address::{DEVICE_STRIDE, DEVICE_VA, PAGE, RETURN_PAGE, memory_view};
use abi::archive::Image;
use abi::boot::role;
use abi::identity::DomainId;
use abi::memory::{Ends, Replacement, Shown};
use abi::nucleus::fault;
use abi::rights::Rights;
use abi::window::{Plain, Window};
use arch::Marks;
use arch::component::{UNCOUNTED, mark};
use arch::paging::Entry;
use memory_logic::devices;
use memory_logic::doomed::Lent;
use memory_logic::frames::{For, Frames};
use memory_logic::pagers::{ALL, Fault};
use memory_logic::placing::Piece;
use memory_logic::ram::Ram;
use memory_logic::space::{Shared, Spaces};
use memory_logic::views::Seen;
use pebble::interfaces::types::{
    Address, Alleged, DomainNumber, Identity, PageRights, Physical as PhysicalAddress, ThreadIndex, Ticks,
};
use pebble::interfaces::{domains, scheduler};
use pebble::sync::Mutex;

mod thread;

pebble::boot_server!(start);

pebble::serve! {
    memory {
        fault: handle_fault, space_create, limit, space_copy, space_destroy, view_create, view_model, view_destroy, view_show,
        view_patch,
        trust, make_supervisor, service_stack, nucleus_pages, nucleus_free, grow_for, stack_for, stack_release, set_heap, map,
        map_image, place, write, map_device, dma, info, check, window: check_window, windows: count_windows,
        windows_close: close_windows, pager_for, pager_remove, pager_forget, pager_pending, pager_overdue, page_for, page_among,
        frame_of, undo_transfers,
    }
}
pebble::template! {
    memory_logic::windows::at_call();
    memory_logic::windows::at_touch();
    memory_logic::transfers::transfers();
}
pebble::import! {
    TLB_FLUSH = "nucleus.tlb_flush";
    TLB_FLUSH_ASID = "nucleus.tlb_flush_asid";
    INTERRUPTS_MASK = "nucleus.interrupts_mask";
}
/// Ticks of `hrtime` after which a window is tried again.
const MOMENT: usize = 10_000;

/// Words that are cleared or copied in one step of a loop.
const STEP: usize = 8;

/// All RAM, at `MEMORY_VIEW`.
struct Physical;
impl Ram for Physical {
    fn read(&self, pa: usize) -> u64 {
        // SAFETY: RAM is mapped here as a whole; callers pass addresses of RAM, aligned to 8.
        unsafe { (memory_view(pa) as *const u64).read_volatile() }
    }
    fn write(&mut self, pa: usize, value: u64) {
        // SAFETY: as above; the frame belongs to the space or table that is being changed.
        unsafe { (memory_view(pa) as *mut u64).write_volatile(value) }
    }
    fn clear(&mut self, pa: usize) {
        let page = memory_view(pa) as *mut u64;
        for n in (0..PAGE / 8).step_by(STEP) {
            // SAFETY: as above, and the frame has just been taken.
            (0..STEP).for_each(|word| unsafe { page.add(n + word).write_volatile(0) });
        }
    }
    fn copy(&mut self, from: usize, to: usize, bytes: usize) {
        let (from, to) = (memory_view(from) as *const u64, memory_view(to) as *mut u64);
        for n in (0..bytes / 8).step_by(STEP) {
            // SAFETY: as above; `to` is a frame that has just been taken, so the two do not overlap.
            let words: [u64; STEP] = core::array::from_fn(|word| unsafe { from.add(n + word).read_volatile() });
            // SAFETY: as above.
            words.iter().enumerate().for_each(|(word, &value)| unsafe { to.add(n + word).write_volatile(value) });
        }
    }
    fn pointer(&mut self, pa: usize) -> *mut u8 {
        memory_view(pa) as *mut u8
    }
    fn flush_page(&mut self, asid: usize, va: usize) {
        TLB_FLUSH.call([va, asid]);
    }
    fn flush_space(&mut self, asid: usize) {
        TLB_FLUSH_ASID.call([asid]);
    }
    fn undisturbed<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        thread::undisturbed(|| body(self))
    }
    fn store(&mut self, pa: usize, bytes: &[u8]) {
        // SAFETY: as above; the caller has checked that the bytes lie in one mapped page.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), memory_view(pa) as *mut u8, bytes.len()) }
    }
}

type Guard = pebble::sync::MutexGuard<'static, Spaces<Physical>>;

static SPACES: Mutex<Spaces<Physical>> = Mutex::new(Spaces::new(Physical));

/// The portal manager, in whose space the nucleus's pages appear.
fn portal_manager() -> (usize, usize) {
    pebble::boot::info().with_role(role::PORTALS).map_or((0, 0), |d| (d.asid as usize, d.root as usize))
}
/// The device tree, where the firmware gave one.
fn device_tree() -> Option<fdt::Fdt<'static>> {
    let pa = pebble::boot::info().device_tree as usize;
    // SAFETY: the firmware left it in RAM at this address, and `start` keeps its frames out of use.
    if pa == 0 { None } else { unsafe { fdt::Fdt::from_ptr(memory_view(pa) as *const u8).ok() } }
}

#[optimize(size)]
fn start(_: &pebble::Env) {
    let info = pebble::boot::info();
    let mut spaces = SPACES.lock();
    let middle = info.return_l1 as usize;
    spaces.shared = Shared {
        code_l1: info.code_l1 as usize,
        bare: [middle, spaces.ram.entry(middle + 8 * arch::paging::index(RETURN_PAGE, 1)).address()],
        service_l1: info.service_l1 as usize,
        first_frame: info.image_end as usize,
    };
    let ram_end = match device_tree() {
        Some(tree) => {
            let memory = tree.memory();
            memory.regions().map(|r| r.starting_address as usize + r.size.unwrap_or(0)).max().unwrap_or(0)
        }
        None => abi::address::RAM_BASE + info.ram_bytes as usize,
    };
    // The bits of the frames come first behind the image.
    let bits = info.image_end as usize;
    let pages = Frames::pages_of_bits(ram_end);
    (0..pages).for_each(|n| spaces.ram.clear(bits + n * PAGE));
    // SAFETY: RAM behind the image that is aligned, zeroed, and taken below before any other.
    let words = unsafe { core::slice::from_raw_parts_mut(memory_view(bits) as *mut u64, pages * PAGE / 8) };
    spaces.frames.keep_in(words);
    match device_tree() {
        Some(tree) => {
            for region in tree.memory().regions() {
                let from = region.starting_address as usize;
                let to = from.saturating_add(region.size.unwrap_or(0));
                spaces.frames.add(from.max(bits), to);
            }
            for reserved in tree.memory_reservations() {
                let from = reserved.address() as usize;
                spaces.frames.remove(from, from + reserved.size());
            }
            let from = info.device_tree as usize;
            spaces.frames.remove(from, from + tree.total_size());
        }
        None => spaces.frames.add(bits, ram_end),
    }
    // The image builder has said where portal code goes on.
    let code = info.code_more as usize;
    let code_end = code + info.code_regions as usize * abi::address::CODE_REGION;
    let total = spaces.frames.total();
    spaces.frames.remove(code, code_end);
    assert!(
        total - spaces.frames.total() == (code_end - code) / PAGE,
        "free RAM for the portal code that the limits allow"
    );
    // The lowest frames are given out first.
    (0..pages).for_each(|n| assert!(spaces.frames.take(For::System) == Ok(bits + n * PAGE)));
    for domain in &info.domains[..info.domain_count as usize] {
        let record =
            abi::address::physical(domain.table as usize).wrapping_add_signed(abi::nucleus::domain::IDENTITY as isize);
        let id = DomainId::of(Physical.read(record)).ok_or(Error::ESRCH);
        let adopted = id.and_then(|id| spaces.adopt(id, domain.root as usize, domain.heap as usize));
        adopted.expect("RAM for the spaces of the first components");
    }
}

/// Runs `body` under the lock; its result as a portal's.
fn locked(body: impl FnOnce(&mut Spaces<Physical>) -> Result<usize, Error>) -> isize {
    body(&mut SPACES.lock()).map_or_else(Error::code, |value| value as isize)
}

/// Interrupted code did something that its tables do not allow, or a portal could not open a window. `executing`: the identity of
/// the domain that `thread` was in, and is no more, perhaps, when the lock is there: then it has been turned elsewhere.
extern "C" fn handle_fault(
    cause: usize,
    value: usize,
    pc: usize,
    Identity(executing): Identity,
    ThreadIndex(thread): ThreadIndex,
) -> isize {
    let executing = executing as u64;
    let access = arch::trap::access(cause);
    match cause {
        fault::WINDOW | fault::WINDOW_WRITE | fault::TRANSFER => {
            // `pc` is the other side's identity.
            let Some(executing) = DomainId::of(executing) else { return Error::EINVAL.code() };
            match cause {
                fault::TRANSFER => thread::transfer(executing, thread, value as u64, pc as u64),
                _ => open_window(executing, pc as u64, value, cause == fault::WINDOW_WRITE, thread),
            }
        }
        _ if access.is_some() && thread::slots().contains(&value) && thread::touch(executing, value) => 0,
        _ => {
            let mut spaces = SPACES.lock();
            let Ok((asid, root)) = spaces.space_of(executing) else {
                return handle_view_fault(spaces, executing, thread, Access { cause, address: value, pc });
            };
            if access.is_some_and(|access| spaces.resolve_in((asid, root), value, access)) {
                spaces.missed(asid, value, thread);
                return 0;
            }
            let Some(client) = DomainId::of(executing) else { return 0 };
            match ask(thread, spaces, (client, cause, value, pc)) {
                Answered::Again => 0,
                Answered::Elsewhere(address) => address,
                Answered::Not => {
                    let pager = SPACES.lock().pagers.pager(client, value).map_or(0, |(pager, _)| pager.number());
                    fault_of(client, [cause, value, pc], pager)
                }
            }
        }
    }
}
/// Domain `who` did what it may not, and nobody answers for it: it ends, with the cause, the address and the program counter.
fn fault_of(who: DomainId, [cause, address, pc]: [usize; 3], pager: usize) -> isize {
    let _ = domains::fault(Identity::from(who), cause, address, pc, DomainNumber(pager));
    0
}
/// An access that was not possible.
struct Access {
    cause: usize,
    address: usize,
    pc: usize,
}
/// The same in a domain that has no space of its own. Where its space has nothing, who answers for the space's faults is asked; where
/// it does not see what there is, who answers for its own.
#[cold]
#[inline(never)]
fn handle_view_fault(mut spaces: Guard, executing: u64, thread: usize, access: Access) -> isize {
    let Access { cause, address, pc } = access;
    let Ok((view, _)) = spaces.tables_of(executing) else { return 0 };
    let Some(own) = DomainId::of(executing) else { return 0 };
    let seen = arch::trap::access(cause).map(|access| spaces.resolve_view(view, address, access, false));
    let client = match seen.unwrap_or(Seen::Not) {
        Seen::Now => return 0,
        Seen::Missing(space) => space,
        Seen::Not => own,
    };
    match ask(thread, spaces, (client, cause, address, pc)) {
        Answered::Again => 0,
        Answered::Elsewhere(address) => address,
        Answered::Not => {
            let pager = SPACES.lock().pagers.pager(client, address).map_or(0, |(pager, _)| pager.number());
            fault_of(own, [cause, address, pc], pager)
        }
    }
}
/// A portal of `executing` can not open a window on the page at `address` for `callee`: makes it possible, or says why not.
#[inline(never)]
fn open_window(executing: DomainId, callee: u64, address: usize, write: bool, thread: usize) -> isize {
    // A window that was not touched yet is lent on.
    if thread::slots().contains(&address) && thread::touch(executing.word(), address) {
        return 0;
    }
    let result = locked(|s| {
        let (caller, _) = s.tables_of(executing.word())?;
        let (callee, _) = s.tables_of(callee)?;
        s.window(caller, callee, address, write, thread).map(|changed| !changed as usize)
    });
    if result > 0 {
        // The portal manager does not let the domain lend for a moment.
        let _ = scheduler::sleep(Ticks(MOMENT));
        return 0;
    }
    if result == Error::EFAULT.code() {
        let client = SPACES.lock().whose_pages(executing);
        let cause = arch::trap::page_fault(write);
        if ask(thread, SPACES.lock(), (client, cause, address, 0)) == Answered::Again {
            return 0;
        }
    }
    if result < 0 {
        thread::undo_transfers(thread);
    }
    result
}
/// How a fault was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answered {
    /// The access is repeated.
    Again,
    /// The thread goes on at this address.
    Elsewhere(isize),
    /// Nobody answers for the address, or who does declines or has died.
    Not,
}
/// Asks who answers for the range of a fault, and gives the lock back meanwhile.
#[inline(always)]
fn ask(thread: usize, mut spaces: Guard, (client, cause, address, pc): (DomainId, usize, usize, usize)) -> Answered {
    let fault = Fault { client, cause, address, pc, account: spaces.account_of(client.number()) };
    let Spaces { ram, frames, pagers, .. } = &mut *spaces;
    let Some(portal) = pagers.begin((ram, frames), thread, fault) else { return Answered::Not };
    drop(spaces);
    let answered = pebble::portal::call(portal as usize, [client.number(), cause, address, pc]);
    let mut spaces = SPACES.lock();
    spaces.pagers.end(thread, portal);
    if answered == 0 {
        // A core may know what it has mapped as missing, and fault once more: then the page is found there, and the fence made
        // (`resolve_in`). To make it here too would cost all cores what hardly any needs.
        return Answered::Again;
    }
    // It may have been another's to answer before this one was called: whose it is now is seen when the access is repeated.
    if answered < 0 && spaces.pagers.pager(client, address).is_some_and(|(_, now)| now != portal && now != 0) {
        return Answered::Again;
    }
    if answered < 0 { Answered::Not } else { Answered::Elsewhere(answered) }
}
/// A call of `thread` is not made, for which pages may have been shared or moved before.
extern "C" fn undo_transfers(ThreadIndex(thread): ThreadIndex) -> isize {
    thread::undo_transfers(thread);
    0
}
/// Runs `body` with the domains that two words name.
fn with_domains(words: [usize; 2], body: impl FnOnce([DomainId; 2]) -> isize) -> isize {
    match words.map(|word| DomainId::of(word as u64)) {
        [Some(one), Some(other)] => body([one, other]),
        _ => Error::ESRCH.code(),
    }
}
extern "C" fn pager_for(
    Identity(client): Identity,
    Address(start): Address,
    bytes: usize,
    portal: usize,
    Identity(pager): Identity,
) -> isize {
    let range =
        if bytes == 0 { Ok(ALL) } else { memory_logic::space::private(start, bytes).map(|()| (start, start + bytes)) };
    with_domains([client, pager], |[client, pager]| {
        locked(|s| {
            let Spaces { ram, frames, pagers, .. } = s;
            pagers.add((ram, frames), client, range?, portal, pager).map(|()| 0)
        })
    })
}
extern "C" fn pager_remove(Identity(client): Identity, Address(start): Address) -> isize {
    with_domains([client; 2], |[client, _]| locked(|s| s.pagers.remove(client, start)))
}
extern "C" fn pager_forget(Identity(gone): Identity) -> isize {
    with_domains([gone; 2], |[gone, _]| {
        SPACES.lock().pagers.forget(gone);
        0
    })
}
/// Whether the portal with this number is about to be called, or was and has not returned.
extern "C" fn pager_pending(portal: usize) -> isize {
    SPACES.lock().pagers.is_pending(portal) as isize
}
/// `seconds` have gone by: the identity of a domain that is to end, whose pager has taken too long, and how; 2: there is none, but
/// somebody waits for an answer; 0: nobody does.
#[optimize(size)]
extern "C" fn pager_overdue(seconds: usize, out: Alleged<abi::system::Ended>) -> isize {
    let mut spaces = SPACES.lock();
    let Some((client, how)) = spaces.pagers.overdue(seconds as u32) else {
        return 2 * spaces.pagers.is_watched() as isize;
    };
    // SAFETY: the window argument.
    unsafe { abi::window::write(out.address(), &how) }.map_or_else(Error::code, |()| client.word() as isize)
}
/// Maps a page of domain `client`, for domain `by`, both named by identities: a copy of `by`'s page at `source` (0: a page of zeros),
/// as `with` says ([`Replacement`]). `EAGAIN`: it must be known what windows show, see `page_among`.
extern "C" fn page_for(
    Identity(by): Identity,
    Identity(client): Identity,
    Address(va): Address,
    Address(source): Address,
    with: usize,
) -> isize {
    let Some(with) = Replacement::of(with) else { return Error::EINVAL.code() };
    with_domains([by, client], |[by, client]| {
        if !with.related && !SPACES.lock().pagers.answers_for(by, client, va) {
            return Error::EACCESS.code();
        }
        replace_page(Ends { by: by.number(), to: client.number() }, va, source, with.rights, Lent::UNKNOWN)
    })
}
/// The same while windows show the frames at `count` physical addresses, in the window `lent`, between [`Ends`]. `page_for` has just said `EAGAIN`, and the portal manager still has its lock: so `by` may,
/// and both live.
extern "C" fn page_among(
    ends: usize,
    Address(va): Address,
    Address(source): Address,
    with: usize,
    lent: Alleged<usize>,
    count: usize,
) -> isize {
    let Some(with) = Replacement::of(with) else { return Error::EINVAL.code() };
    // SAFETY: `lent` is this portal's window argument.
    match unsafe { window(lent.address(), count) } {
        Ok(lent) => replace_page(Ends::of(ends), va, source, with.rights, Lent::all(lent)),
        Err(error) => error.code(),
    }
}
/// Physical address of the frame that domain `asid` has to itself at `va`.
extern "C" fn frame_of(DomainNumber(asid): DomainNumber, Address(va): Address) -> isize {
    locked(|s| s.frame_of(asid, va))
}
fn replace_page(Ends { by, to }: Ends, va: usize, source: usize, rights: Rights, lent: Lent) -> isize {
    locked(|s| s.page(by, to, va, source, rights, lent).map(|()| 0))
}
extern "C" fn space_create(Identity(id): Identity, account: usize) -> isize {
    locked(|s| {
        let id = DomainId::of(id as u64).ok_or(Error::EINVAL)?;
        let root = s.create(id)?;
        s.pay(id.number(), account).map(|()| root)
    })
}
/// No more than so many pages for `account`.
extern "C" fn limit(account: usize, pages: usize) -> isize {
    locked(|s| s.accounts.set_limit(account, pages).map(|()| 0))
}
/// `lent`: a window on `count` physical addresses of frames that windows show; more than fit: it is not known what they show.
extern "C" fn space_copy(
    DomainNumber(from): DomainNumber,
    DomainNumber(to): DomainNumber,
    lent: Alleged<usize>,
    count: usize,
) -> isize {
    // SAFETY: `lent` is this portal's window argument.
    locked(|s| s.copy(from, to, unsafe { shown_frames(lent.address(), count)? }).map(|()| 0))
}
extern "C" fn space_destroy(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| s.destroy(asid).map(|()| 0))
}
extern "C" fn view_create(Identity(id): Identity, DomainNumber(space): DomainNumber, account: usize) -> isize {
    locked(|s| s.create_view(DomainId::of(id as u64).ok_or(Error::EINVAL)?, space, account))
}
/// View `view` sees what `model` sees when its space becomes a copy of the model's.
extern "C" fn view_model(DomainNumber(view): DomainNumber, DomainNumber(model): DomainNumber) -> isize {
    locked(|s| s.set_model(view, model).map(|()| 0))
}
/// `lent`: a window on `count` physical addresses of frames that windows show; more than fit: it is not known what they show.
///
/// # Safety
/// As for [`window`].
unsafe fn shown_frames<'a>(lent: usize, count: usize) -> Result<Lent<'a>, Error> {
    // SAFETY: as for this function.
    if count > PAGE / 8 { Ok(Lent::UNKNOWN) } else { unsafe { window(lent, count) }.map(Lent::all) }
}
extern "C" fn view_destroy(DomainNumber(asid): DomainNumber, lent: Alleged<usize>, count: usize) -> isize {
    // SAFETY: `lent` is this portal's window argument.
    locked(|s| s.destroy_view(asid, unsafe { shown_frames(lent.address(), count)? }).map(|()| 0))
}
/// `shown`: [`Shown`].
extern "C" fn view_show(
    shown: usize,
    Address(start): Address,
    bytes: usize,
    lent: Alleged<usize>,
    count: usize,
) -> isize {
    let Some(Shown { ends: Ends { by, to }, rights }) = Shown::of(shown) else { return Error::EINVAL.code() };
    // SAFETY: `lent` is this portal's window argument.
    let lent = unsafe { shown_frames(lent.address(), count) };
    locked(|s| s.make_visible(by, to, (start, bytes), rights, lent?).map(|()| 0))
}
/// `lent`: as for [`view_destroy`].
extern "C" fn view_patch(
    DomainNumber(view): DomainNumber,
    callee: usize,
    cheapest: usize,
    lent: Alleged<usize>,
    count: usize,
) -> isize {
    // SAFETY: `lent` is this portal's window argument.
    let lent = unsafe { shown_frames(lent.address(), count) };
    // A supervisor address is negative, as an error is.
    locked(|s| s.patch(view, callee, cheapest != 0, lent?).map(abi::address::physical))
}
extern "C" fn trust(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| s.trust(asid).map(|()| 0))
}
extern "C" fn make_supervisor(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| s.make_supervisor(asid).map(|()| 0))
}
extern "C" fn service_stack(ThreadIndex(thread): ThreadIndex) -> isize {
    locked(|s| s.service_stack(thread).map(|()| 0))
}
/// Pages for the nucleus's data, which the portal manager sees and nobody else.
extern "C" fn nucleus_pages(count: usize) -> isize {
    locked(|s| {
        let pa = s.frames.take_run(count)?;
        let (_, root) = portal_manager();
        for page in (pa..pa + count * PAGE).step_by(PAGE) {
            let Spaces { ram, frames, .. } = s;
            ram.clear(page);
            let at = memory_logic::tables::make_entry(ram, frames, root, abi::address::nucleus_view(page))?;
            ram.set_entry(at, Entry::user(page, Rights::READ_WRITE, Marks::empty()));
        }
        Ok(pa)
    })
}
extern "C" fn nucleus_free(PhysicalAddress(pa): PhysicalAddress, count: usize) -> isize {
    let (asid, root) = portal_manager();
    locked(|s| {
        for page in (pa..pa + count * PAGE).step_by(PAGE) {
            let va = abi::address::nucleus_view(page);
            let at = memory_logic::tables::entry(&s.ram, root, va)
                .filter(|&at| s.ram.entry(at).is_present())
                .ok_or(Error::EINVAL)?;
            s.unmap_nucleus(asid, at, va);
        }
        Ok(0)
    })
}
extern "C" fn grow_for(DomainNumber(asid): DomainNumber, pages: usize) -> isize {
    locked(|s| s.grow(asid, pages))
}
extern "C" fn stack_for(DomainNumber(asid): DomainNumber, bytes: usize) -> isize {
    locked(|s| s.stack(asid, bytes))
}
extern "C" fn stack_release(DomainNumber(asid): DomainNumber, Address(top): Address) -> isize {
    // The portal manager keeps the domain from lending, and has seen that no window shows a page of it.
    locked(|s| s.release_stack(asid, top, Lent::all(&[])).map(|()| 0))
}
extern "C" fn set_heap(DomainNumber(asid): DomainNumber, Address(start): Address) -> isize {
    locked(|s| s.set_heap(asid, start).map(|()| 0))
}
extern "C" fn map(
    DomainNumber(asid): DomainNumber,
    Address(va): Address,
    bytes: usize,
    PageRights(rights): PageRights,
) -> isize {
    locked(|s| s.map(asid, va, bytes, Rights::of_page(rights).ok_or(Error::EINVAL)?).map(|()| 0))
}
extern "C" fn map_image(
    DomainNumber(asid): DomainNumber,
    Address(va): Address,
    offset: usize,
    bytes: usize,
    PageRights(rights): PageRights,
) -> isize {
    let info = pebble::boot::info();
    match offset.checked_add(bytes) {
        Some(end) if end <= (info.archive_bytes as usize).next_multiple_of(PAGE) => {
            let source = info.archive as usize + offset;
            let rights = Rights::of_page(rights).ok_or(Error::EINVAL);
            locked(|s| s.map_image(asid, va, source, bytes, rights?).map(|()| 0))
        }
        _ => Error::EINVAL.code(),
    }
}
/// `count` values that the archive has at `offset`. `EINVAL`: it has not.
fn archived<T: Plain>(offset: usize, count: usize) -> Result<&'static [T], Error> {
    let info = pebble::boot::info();
    let end = size_of::<T>().checked_mul(count).and_then(|bytes| offset.checked_add(bytes));
    let there = end.is_some_and(|end| end <= (info.archive_bytes as usize).next_multiple_of(PAGE));
    let first = memory_view(info.archive as usize + offset) as *const T;
    if !there || !first.is_aligned() {
        return Err(Error::EINVAL);
    }
    // SAFETY: the archive is in RAM, which is mapped here as a whole, and nobody writes it; all bytes are a value.
    Ok(unsafe { core::slice::from_raw_parts(first, count) })
}
/// Puts segment `segment` of the image that the archive has at `image` where domain of protection `asid` has taken room for the image, from
/// `start` on.
#[optimize(size)]
extern "C" fn place(DomainNumber(asid): DomainNumber, image: usize, segment: usize, Address(start): Address) -> isize {
    locked(|s| {
        let image = archived::<Image>(image, 1)?.first().ok_or(Error::EINVAL)?;
        let from = image.segments.get(segment).ok_or(Error::EINVAL)?;
        archived::<u8>(from.offset as usize, from.file_bytes as usize)?;
        let piece = Piece {
            source: pebble::boot::info().archive as usize + from.offset as usize,
            bytes: from.file_bytes as usize,
            offset: from.va.wrapping_sub(image.start()) as usize,
            rights: Rights::of_page(from.rights as usize).ok_or(Error::EINVAL)?,
            relocations: archived(image.relocations as usize, image.relocation_count as usize)?,
        };
        s.place(asid, start, start.wrapping_sub(image.start() as usize), &piece).map(|()| 0)
    })
}
/// The bytes that a window shows, and the same of words.
///
/// # Safety
/// `address` is a window argument of the call that is being served, and its caller, a trusted component, leaves it as it is.
unsafe fn window<'a, T: Plain>(address: usize, count: usize) -> Result<&'a [T], Error> {
    // SAFETY: as for this function.
    Ok(unsafe { Window::new(address, count)?.values() })
}
extern "C" fn write(DomainNumber(asid): DomainNumber, Address(va): Address, from: Alleged<u8>, bytes: usize) -> isize {
    // SAFETY: `from` is this portal's window argument.
    locked(|s| s.write(asid, va, unsafe { window(from.address(), bytes)? }).map(|()| bytes))
}
#[optimize(size)]
extern "C" fn map_device(DomainNumber(asid): DomainNumber, device: usize, name: Alleged<u8>, length: usize) -> isize {
    locked(|s| {
        // SAFETY: `name` is this portal's window argument.
        let name = core::str::from_utf8(unsafe { window(name.address(), length)? }).map_err(|_| Error::EINVAL)?;
        let found = devices::find(&device_tree().ok_or(Error::ENOENT)?, name)?;
        if device >= 8 || found.bytes > DEVICE_STRIDE || found.address % PAGE + found.bytes > DEVICE_STRIDE {
            return Err(Error::EINVAL);
        }
        s.map_device(asid, DEVICE_VA + device * DEVICE_STRIDE, found.address, found.bytes)?;
        Ok(found.bytes << 16 | found.interrupt)
    })
}
/// Chunk `n` for the device of domain `asid` with this number; its physical address.
extern "C" fn dma(DomainNumber(asid): DomainNumber, device: usize, n: usize) -> isize {
    locked(|s| s.dma(asid, device, n))
}
extern "C" fn info(what: usize, asid: usize) -> isize {
    locked(|s| match what {
        0 => Ok(s.frames.total()),
        1 => Ok(s.frames.free()),
        2 if s.views.get(asid).is_some() => Ok(s.views.taken(asid)),
        2 => s.space(asid).map(|space| space.pages as usize),
        3 => Ok(s.frames.promised()),
        4 => s.accounts.of(asid).map(|memory| memory.used as usize),
        5 => s.accounts.of(asid).map(|memory| memory.limit as usize),
        _ => Err(Error::EINVAL),
    })
}
/// What does not hold of all page tables together (`memory_logic::invariants`): 0, or its code. `EAGAIN`: a page table is
/// being changed.
#[optimize(size)]
extern "C" fn check() -> isize {
    let Some(mut spaces) = SPACES.try_lock() else { return Error::EAGAIN.code() };
    let managed = pebble::boot::info().image_end as usize;
    let result = match spaces.check(managed) {
        Ok(Ok(_)) => 0,
        Ok(Err(violation)) => violation.code(),
        Err(error) => error.code(),
    };
    // The caller has interrupts off; they go on here if somebody waits for the lock.
    mark::<UNCOUNTED>();
    result
}
/// Whether the window slot at `slot` of `asid` has entry `mapped`, `EFAULT`: it has not; and whether `lender` can see the page of
/// `shown` itself with its rights, `EACCESS`: it can not.
extern "C" fn check_window(
    DomainNumber(asid): DomainNumber,
    Address(slot): Address,
    mapped: usize,
    shown: usize,
    DomainNumber(lender): DomainNumber,
) -> isize {
    locked(|s| {
        let root = s.root(asid).ok_or(Error::ESRCH)?;
        if memory_logic::tables::leaf(&s.ram, root, slot) != Entry::of(mapped as u64) {
            return Err(Error::EFAULT);
        }
        let shown = Entry::of(shown as u64);
        let rights = shown.rights().intersection(Rights::READ_WRITE);
        if s.shows(lender, shown.address(), rights) { Ok(0) } else { Err(Error::EACCESS) }
    })
}
/// How many window slots of `asid` are open.
extern "C" fn count_windows(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| Ok(s.windows(asid)))
}
/// Domain `asid` has ended, and nobody will be in its space any more: closes its windows.
extern "C" fn close_windows(DomainNumber(asid): DomainNumber) -> isize {
    locked(|s| s.close_windows(asid).map(|()| 0))
}
