//! Memory that a component keeps for what it has begun.
//!
//! Many crates take it for granted that there is memory, and a component that uses them would end, for all its clients, when there is none.
//! So it keeps a block that is enough for all that one request may need. Before it begins a request it calls [`keep`]: without the block the
//! request is refused, and nothing has happened. An allocation that finds nothing then gets what it wants of the block, which goes into the
//! heap as a whole: the request comes to its end, and the next one has to find another block first.
//!
//! It is for one thread at a time: a component that serves several keeps it under the lock under which they all work, and what they allocate
//! outside of that may fail.

use super::owner::{OWNER, is_owner};
use crate::Result;
use abi::Error;
use core::alloc::Layout;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The block, or null, and its bytes.
static BLOCK: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Alignment of the block.
const ALIGN: usize = 16;

fn layout(bytes: usize) -> Layout {
    // SAFETY: the alignment is a power of two, and no heap has as many bytes as an `isize` counts.
    unsafe { Layout::from_size_align_unchecked(bytes, ALIGN) }
}
/// A request that was begun, by the thread that the memory is for until this goes.
#[must_use]
pub struct Begun(());
impl Drop for Begun {
    fn drop(&mut self) {
        OWNER.store(usize::MAX, Ordering::Relaxed);
    }
}
/// Begins a request that allocates no more than `bytes`, or as many as it [keeps](keep_more) then: they are kept until it is over.
/// `ENOMEM`: there are not so many.
pub fn keep(bytes: usize) -> Result<Begun> {
    OWNER.store(crate::thread::index(), Ordering::Relaxed);
    let begun = Begun(());
    #[cfg(feature = "failing")]
    super::failing::begin();
    match BLOCK.load(Ordering::Relaxed).is_null() {
        true => find(bytes)?,
        // Another kind of request, which takes more.
        false if BYTES.load(Ordering::Relaxed) < bytes => keep_more(bytes)?,
        false => {}
    }
    Ok(begun)
}
/// The same in the middle of a request, which finds out how much it may allocate before it has changed anything: `bytes` are kept until it is over,
/// and for later ones. `ENOMEM`: there are not so many; `EINVAL`: the calling thread has begun none.
pub fn keep_more(bytes: usize) -> Result<()> {
    if !is_owner() {
        return Err(Error::EINVAL);
    }
    let before = BYTES.load(Ordering::Relaxed);
    let block = BLOCK.load(Ordering::Relaxed);
    if bytes <= before && !block.is_null() {
        return Ok(());
    }
    BLOCK.store(null_mut(), Ordering::Relaxed);
    if !block.is_null() {
        // SAFETY: it was allocated with this layout, and nobody has it any more.
        unsafe { alloc::alloc::dealloc(block, layout(before)) };
    }
    find(bytes).inspect_err(|_| _ = find(before))
}
/// Keeps no more than `bytes` from now on: what a request that is over has needed more is the heap's again.
pub fn keep_less(bytes: usize) {
    let before = BYTES.load(Ordering::Relaxed);
    if is_owner() && before > bytes {
        let block = BLOCK.swap(null_mut(), Ordering::Relaxed);
        if !block.is_null() {
            // SAFETY: it was allocated with this layout, and nobody has it any more.
            unsafe { alloc::alloc::dealloc(block, layout(before)) };
        }
    }
}
/// Finds a block.
fn find(bytes: usize) -> Result<()> {
    let bytes = bytes.max(1);
    // SAFETY: it has bytes.
    let block = unsafe { alloc::alloc::alloc(layout(bytes)) };
    if block.is_null() {
        return Err(Error::ENOMEM);
    }
    #[cfg(feature = "failing")]
    super::failing::kept(bytes);
    BYTES.store(bytes, Ordering::Relaxed);
    BLOCK.store(block, Ordering::Relaxed);
    Ok(())
}
/// Says that from here on each allocation of the component may fail by itself: it keeps nothing. Tests make them fail.
#[inline(always)]
pub fn keep_nothing() {
    #[cfg(feature = "failing")]
    super::failing::begin_at_random();
}
/// The block, which is the caller's to free, where there is one, for this thread, and it is enough for `size` bytes. Who asks for more has asked for something
/// that it can do without.
pub(super) fn take(size: usize) -> Option<(*mut u8, Layout)> {
    let bytes = BYTES.load(Ordering::Relaxed);
    if size > bytes || !is_owner() {
        return None;
    }
    let block = BLOCK.swap(null_mut(), Ordering::Relaxed);
    (!block.is_null()).then(|| (block, layout(bytes)))
}
