//! The memory manager: physical pages, address spaces, faults.
//!
//! It sees all RAM and is the only writer of page tables but for the window slots that portal code fills. It keeps what it
//! knows in tables in pages that it takes for itself.
#![no_std]
#![feature(optimize_attribute)]
#![no_main]

use abi::Error;
use abi::address::{PAGE, RETURN_PAGE, memory_view};
use abi::boot::role;
use abi::identity::DomainId;
use abi::window::Plain;
use memory_logic::frames::{For, Frames};
use memory_logic::open_windows::OpenWindows;
use memory_logic::ram::Ram;
use memory_logic::space::{Shared, Spaces};
use pebble::interfaces::types::Alleged;
use pebble::sync::Mutex;

mod entries;
mod thread;

use entries::faults::handle_fault;
use entries::inspection::{check, check_window, close_windows, count_windows, info};
use entries::pagers::{
    frame_of, page_among, page_for, pager_for, pager_forget, pager_overdue, pager_pending, pager_remove, undo_transfers,
};
use entries::pages::{
    dma, grow_for, map, map_device, map_image, nucleus_free, nucleus_pages, place, place_page, segment_for,
    service_stack, set_heap, stack_for, stack_release, write,
};
use entries::spaces::{
    limit, make_supervisor, space_copy, space_create, space_destroy, trust, view_create, view_destroy, view_model,
    view_patch, view_show,
};

pebble::boot_server!(start);

pebble::serve! {
    memory {
        fault: handle_fault, space_create, limit, space_copy, space_destroy, view_create, view_model, view_destroy, view_show,
        view_patch,
        trust, make_supervisor, service_stack, nucleus_pages, nucleus_free, grow_for, stack_for, stack_release, set_heap, map,
        map_image, place, place_page, write, map_device, dma, info, check, window: check_window, windows: count_windows,
        windows_close: close_windows, pager_for, pager_remove, pager_forget, pager_pending, pager_overdue, page_for, page_among,
        frame_of, segment_for, undo_transfers,
    }
}
pebble::template! {
    memory_logic::windows::at_call();
    memory_logic::windows::at_touch();
    memory_logic::transfer_letters::transfers();
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
    fn code_was_written(&mut self) {
        arch::component::code_was_written();
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

/// Calls the portal manager, whose lock is taken before this one's: by a thread that held this one, it would wait for a holder that waits
/// for it.
#[inline(always)]
fn above<T>(call: impl FnOnce() -> T) -> T {
    assert!(!pebble::sync::is_mine(&SPACES));
    call()
}
/// Runs `body` under the lock; its result as a portal's.
fn locked(body: impl FnOnce(&mut Spaces<Physical>) -> Result<usize, Error>) -> isize {
    body(&mut SPACES.lock()).map_or_else(Error::code, |value| value as isize)
}

/// The bytes that a window shows, and the same of words.
///
/// # Safety
/// Its caller, a trusted component, leaves them as they are.
unsafe fn window<T: Plain>(shown: Alleged<'_, T>, count: usize) -> Result<&'_ [T], Error> {
    // SAFETY: as for this function.
    Ok(unsafe { shown.window(count)?.values() })
}
/// `lent`: a window on `count` physical addresses of frames that windows show; more than fit: it is not known what they show.
///
/// # Safety
/// As for [`window`].
unsafe fn shown_frames(windows: Alleged<'_, usize>, count: usize) -> Result<OpenWindows<'_>, Error> {
    // SAFETY: as for this function.
    if count > PAGE / 8 { Ok(OpenWindows::UNKNOWN) } else { unsafe { window(windows, count) }.map(OpenWindows::all) }
}
