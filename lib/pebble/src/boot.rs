//! For trusted boot components: the boot information and the portals of the trusted servers.
//!

use abi::{address::BOOT_INFO_VA, boot::BootInfo};
use interfaces::types::SemaphoreId;

/// What the image builder laid out. Only in trusted boot components.
pub fn info() -> &'static BootInfo {
    // SAFETY: the image builder maps it read-only at this address in every trusted boot component.
    unsafe { &*(BOOT_INFO_VA as *const BootInfo) }
}

/// Ends the scheduler's semaphore `id`: who waits for it wakes with `EDEAD`, a few at a time.
pub fn semaphore_destroy(id: usize) {
    while interfaces::scheduler::semaphore_destroy(SemaphoreId(id)) == Ok(true) {}
}
