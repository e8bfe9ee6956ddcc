//! How the host's keeper is woken.

use core::sync::atomic::Ordering::Acquire;
use core::sync::atomic::{AtomicBool, AtomicUsize};
use pebble::portal;

/// Whether activations are looked after: the keeper says so, and looks once more behind saying that they are not.
pub static WATCHING: AtomicBool = AtomicBool::new(false);
/// The portal that wakes the keeper, or 0.
pub static WAKE: AtomicUsize = AtomicUsize::new(0);

pub fn wake() {
    match WAKE.load(Acquire) {
        0 => {}
        portal => {
            portal::call(portal, []);
        }
    }
}
