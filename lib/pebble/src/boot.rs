//! For trusted boot components: the boot information and the portals of the trusted servers.
//!
//! An import costs nothing where it is not used: the linker leaves it out.

use abi::{address::BOOT_INFO_VA, boot::BootInfo};

/// What the image builder laid out. Only in trusted boot components.
pub fn info() -> &'static BootInfo {
    // SAFETY: the image builder maps it read-only at this address in every trusted boot component.
    unsafe { &*(BOOT_INFO_VA as *const BootInfo) }
}

crate::import! {
    pub P_ID = "scheduler.p_id";
    pub V_ID = "scheduler.v_id";
    pub SEMAPHORE_CREATE = "scheduler.semaphore_create";
    pub SEMAPHORE_DESTROY = "scheduler.semaphore_destroy";
    pub GROW_FOR = "memory.grow_for";
}

/// Ends the scheduler's semaphore `id`: who waits for it wakes with `EDEAD`, a few at a time.
pub fn semaphore_destroy(id: usize) {
    while SEMAPHORE_DESTROY.call([id]) > 0 {}
}
