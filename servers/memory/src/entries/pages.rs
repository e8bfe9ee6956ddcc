//! What lies in a space: stacks, heaps, images, device registers; pages for the nucleus.

use crate::{device_tree, locked, portal_manager, window};
use abi::Error;
use abi::address::{DEVICE_STRIDE, DEVICE_VA, PAGE, memory_view};
use abi::archive::Image;
use abi::rights::Rights;
use abi::window::Plain;
use arch::Marks;
use arch::paging::Entry;
use memory_logic::devices;
use memory_logic::open_windows::OpenWindows;
use memory_logic::placing::Piece;
use memory_logic::ram::Ram;
use memory_logic::space::Spaces;
use pebble::interfaces::types::{Address, Alleged, DomainNumber, PageRights, Physical as PhysicalAddress, ThreadIndex};

pub extern "C" fn service_stack(ThreadIndex(thread): ThreadIndex) -> isize {
    locked(|s| s.service_stack(thread).map(|()| 0))
}
/// Pages for the nucleus's data, which the portal manager sees and nobody else.
pub extern "C" fn nucleus_pages(count: usize) -> isize {
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
pub extern "C" fn nucleus_free(PhysicalAddress(pa): PhysicalAddress, count: usize) -> isize {
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
pub extern "C" fn grow_for(DomainNumber(asid): DomainNumber, pages: usize) -> isize {
    locked(|s| s.grow(asid, pages))
}
pub extern "C" fn stack_for(DomainNumber(asid): DomainNumber, bytes: usize) -> isize {
    locked(|s| s.stack(asid, bytes))
}
pub extern "C" fn stack_release(DomainNumber(asid): DomainNumber, Address(top): Address) -> isize {
    // The portal manager keeps the domain from lending, and has seen that no window shows a page of it.
    locked(|s| s.release_stack(asid, top, OpenWindows::all(&[])).map(|()| 0))
}
/// A fault domain of domain `asid` has the segment that begins at `base`.
#[optimize(size)]
pub extern "C" fn segment_for(DomainNumber(asid): DomainNumber, Address(base): Address) -> isize {
    locked(|s| s.make_segment(asid, base).map(|()| 0))
}
#[optimize(size)]
pub extern "C" fn set_heap(DomainNumber(asid): DomainNumber, Address(start): Address) -> isize {
    locked(|s| s.set_heap(asid, start).map(|()| 0))
}
pub extern "C" fn map(
    DomainNumber(asid): DomainNumber,
    Address(va): Address,
    bytes: usize,
    PageRights(rights): PageRights,
) -> isize {
    locked(|s| s.map(asid, va, bytes, Rights::of_page(rights).ok_or(Error::EINVAL)?).map(|()| 0))
}
#[optimize(size)]
pub extern "C" fn map_image(
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
pub extern "C" fn place(
    DomainNumber(asid): DomainNumber,
    image: usize,
    segment: usize,
    Address(start): Address,
) -> isize {
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
#[optimize(size)]
pub extern "C" fn place_page(
    DomainNumber(asid): DomainNumber,
    Address(va): Address,
    PageRights(rights): PageRights,
    from: Alleged<u8>,
    bytes: usize,
) -> isize {
    // SAFETY: `from` is this portal's window argument.
    locked(|s| {
        let rights = Rights::of_page(rights).ok_or(Error::EINVAL)?;
        s.place_copy(asid, va, rights, unsafe { window(from, bytes)? }).map(|()| 0)
    })
}
#[optimize(size)]
pub extern "C" fn write(
    DomainNumber(asid): DomainNumber,
    Address(va): Address,
    from: Alleged<u8>,
    bytes: usize,
) -> isize {
    // SAFETY: `from` is this portal's window argument.
    locked(|s| s.write(asid, va, unsafe { window(from, bytes)? }).map(|()| bytes))
}
#[optimize(size)]
pub extern "C" fn map_device(
    DomainNumber(asid): DomainNumber,
    device: usize,
    name: Alleged<u8>,
    length: usize,
) -> isize {
    locked(|s| {
        // SAFETY: `name` is this portal's window argument.
        let name = core::str::from_utf8(unsafe { window(name, length)? }).map_err(|_| Error::EINVAL)?;
        let found = devices::find(&device_tree().ok_or(Error::ENOENT)?, name)?;
        if device >= 8 || found.bytes > DEVICE_STRIDE || found.address % PAGE + found.bytes > DEVICE_STRIDE {
            return Err(Error::EINVAL);
        }
        s.map_device(asid, DEVICE_VA + device * DEVICE_STRIDE, found.address, found.bytes)?;
        Ok(found.bytes << 16 | found.interrupt)
    })
}
/// Chunk `n` for the device of domain `asid` with this number; its physical address.
#[optimize(size)]
pub extern "C" fn dma(DomainNumber(asid): DomainNumber, device: usize, n: usize) -> isize {
    locked(|s| s.dma(asid, device, n))
}
