//! For trusted boot components: the boot information and the portals of the trusted servers.
//!
//! An import costs nothing where it is not used: the linker leaves it out.

use abi::{address::BOOT_INFO_VA, boot::BootInfo};
use interfaces::types::SemaphoreId;

/// What the image builder laid out. Only in trusted boot components.
pub fn info() -> &'static BootInfo {
    // SAFETY: the image builder maps it read-only at this address in every trusted boot component.
    unsafe { &*(BOOT_INFO_VA as *const BootInfo) }
}

crate::import! {
    pub GROW_FOR = "memory.grow_for";
}

/// Ends the scheduler's semaphore `id`: who waits for it wakes with `EDEAD`, a few at a time.
pub fn semaphore_destroy(id: usize) {
    while interfaces::scheduler::semaphore_destroy(SemaphoreId(id)) == Ok(true) {}
}
