//! STATIC: in a type of its own.
#![no_std]
use core::sync::atomic::{AtomicU64, Ordering};
struct Count {
    calls: AtomicU64,
}
static COUNT: Count = Count { calls: AtomicU64::new(0) };
pub fn count() -> u64 {
    COUNT.calls.fetch_add(1, Ordering::Relaxed)
}
