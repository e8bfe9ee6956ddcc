//! The thread whose request memory is kept for ([`super::reserve`]).

use core::sync::atomic::{AtomicUsize, Ordering};

/// The thread that it is for.
pub(super) static OWNER: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether the calling thread has begun the request that memory is kept for.
pub(super) fn is_owner() -> bool {
    OWNER.load(Ordering::Relaxed) == crate::thread::index()
}
