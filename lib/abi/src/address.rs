//! Where things are: the physical layout of an image and the three parts of a domain's address space.
//!
//! The supervisor half is the same in every domain. It maps the first GiB of RAM twice: readable and
//! writable at `sext32(pa)` with one gigapage, so that `lui` makes any nucleus address in one or two
//! instructions, and the regions of portal code read-execute at [`code_address`].

/// Bytes in a page.
pub const PAGE: usize = 4096;
/// Where RAM begins on the machines we run on (QEMU `virt`, the CVA6 model).
pub const RAM_BASE: usize = 0x8000_0000;
/// Where the firmware enters the image, in S-mode, with `satp` 0.
pub const IMAGE_BASE: usize = 0x8020_0000;
/// End of the first code region: nucleus text first, then portal code.
pub const CODE_END: usize = 0x8040_0000;
/// Bytes of a region of portal code, and what its physical address is a multiple of: one entry of the middle page table shows it.
pub const CODE_REGION: usize = 2 << 20;
/// Most regions beside the first. They follow each other in physical memory.
pub const CODE_REGIONS: usize = 15;
/// Physical address of [`crate::boot::BootInfo`]; all other boot data follows it.
pub const BOOT_INFO: usize = 0x8040_0000;

/// Supervisor address of a physical address in the first GiB of RAM.
pub const fn supervisor(pa: usize) -> usize {
    pa as u32 as i32 as isize as usize
}
/// Physical address behind a supervisor (data) address.
pub const fn physical(supervisor: usize) -> usize {
    supervisor as u32 as usize
}
/// Supervisor address at which code at physical address `pa` executes.
pub const fn code_address(pa: usize) -> usize {
    supervisor(pa + 0x4000_0000)
}
/// Physical address of the code that executes at `va`.
pub const fn code_physical(va: usize) -> usize {
    physical(va).wrapping_sub(0x4000_0000)
}

/// Lowest address of what is a component's own: nothing is where null pointers lead to.
pub const PRIVATE_VA: usize = 0x0001_0000;
/// Lowest address of a program's image. Its first stacks are below it, so that a small component's pages have one page table.
pub const IMAGE_VA: usize = 0x0004_0000;
/// Bytes of a main thread's stack, whose top is the image's lowest address.
pub const MAIN_STACK: usize = 64 * 1024;
/// A program's heap ends here at the latest.
pub const HEAP_END: usize = 0x2000_0000;
/// Pages that other domains share or give appear from here to `DEVICE_VA`.
pub const RECEIVE_VA: usize = HEAP_END;
/// Device registers of a driver: device `n` of its manifest entry appears at `DEVICE_VA + n * DEVICE_STRIDE`.
pub const DEVICE_VA: usize = 0x2800_0000;
/// Distance between two devices' registers in a driver's address space.
pub const DEVICE_STRIDE: usize = 0x0100_0000;
/// Memory that a device of a driver reads and writes itself: chunk `n` appears so far behind its registers' place, and `n` chunks.
pub const DMA_OFFSET: usize = DEVICE_STRIDE / 2;
/// Bytes of a chunk, which follow each other in physical memory.
pub const DMA_CHUNK: usize = 8 * PAGE;
/// Most chunks of one device.
pub const DMA_CHUNKS: usize = (DEVICE_STRIDE - DMA_OFFSET) / DMA_CHUNK;
/// Stacks for which there is no room below the image are laid out downwards from here, each above an unmapped guard page.
pub const STACK_TOP: usize = 0x3FF0_0000;
/// Bytes of the stack of a component that runs with interrupts off: its data begin with it, so that code, which can not be
/// written, is its guard. 128 bytes were used in all tests.
pub const MASKED_STACK: usize = 1024;
/// Stacks end here at the latest.
pub const STACK_FLOOR: usize = 0x3000_0000;
/// Bytes of the stack of a further thread, or of a server's stack queue.
pub const THREAD_STACK: usize = 32 * 1024;
/// The page of return stubs, executable in every domain: see [`crate::system`].
pub const RETURN_PAGE: usize = 0x3FFF_F000;
/// In the return page: where a called function is entered from, so that a core which predicts returns has the
/// right address to predict.
pub const ENTRY_STUB: usize = RETURN_PAGE;
/// Behind it: where it returns to.
pub const RETURN_STUB: usize = RETURN_PAGE + 4;
/// In the return page: where a thread goes on whose domain died
/// ([`crate::system::graveyard`]).
pub const DEAD_STUB: usize = RETURN_PAGE + 16;

/// First byte of the window area.
pub const WINDOW_VA: usize = 0x4000_0000;
/// Page slots of a thread.
pub const WINDOW_SLOTS: usize = 32;
/// Most pages of a window of several.
pub const WINDOW_PAGES: usize = 8;
/// Bytes of window addresses that belong to one thread.
pub const WINDOW_STRIDE: usize = WINDOW_SLOTS * PAGE;
/// First window address of thread `index`.
pub const fn window_base(index: usize) -> usize {
    WINDOW_VA + index * WINDOW_STRIDE
}

/// First byte of the common part, where every region has a system-wide unique address.
pub const COMMON_VA: usize = 0x10_0000_0000;
/// Boot information, readable in trusted components: in the place of the service stack of thread 0, which is nobody's, so that
/// it needs no page tables of its own.
pub const BOOT_INFO_VA: usize = SERVICE_VA;
/// Service stacks, visible in trusted components: one stride a thread, the lowest page a guard.
pub const SERVICE_VA: usize = COMMON_VA + 0x4000_0000;
/// Distance between two threads' service stacks.
pub const SERVICE_STRIDE: usize = 0x8000;
/// Mapped bytes of a service stack.
pub const SERVICE_STACK: usize = 0x2000;
/// Of these, what a call of a trusted component may take, with all that it calls of others: `./pebble check` computes the deepest.
pub const SERVICE_CALL: usize = SERVICE_STACK / 4 * 3;
/// And what may be in use where a trusted component calls code that is not trusted: that may call trusted components again, on what is left.
pub const SERVICE_CALLER: usize = SERVICE_STACK - SERVICE_CALL;
/// Of these, what may be in use where the one who made the calls below is asked something again: so who goes as deep as that leaves as much that who is called
/// by him then has its pages brought by its pager, and that one its own.
pub const SERVICE_ASKER: usize = SERVICE_CALLER - 2 * SERVICE_PAGER;
/// What a call of a pager has in use at most.
pub const SERVICE_PAGER: usize = 384;
/// Bytes in use of the service stack that stack pointer `sp` lies in.
pub const fn service_used(sp: usize) -> usize {
    sp.wrapping_neg() % SERVICE_STRIDE
}
const _: () = assert!(SERVICE_VA.is_multiple_of(SERVICE_STRIDE) && service_used(service_top(7) - 16) == 16);
/// Of these, what the first components have where another trusted component calls them. The deepest use that was found is 4,144 bytes, of who ends a domain of
/// protection.
pub const SERVICE_CALLS: usize = SERVICE_STACK - 4000;
/// In a stretch of service stack, the lowest place of the stack pointer of a trusted component that is not one of the first ones, when somebody else is entered from it. One
/// that is elsewhere is wrong, and what is entered goes on at [`SERVICE_ANEW`].
pub const SERVICE_LOWEST: usize = SERVICE_STRIDE - 4608;
/// In such a stretch: below what is in use where a trusted component is called back ([`SERVICE_CALLER`]), and above what the first components need to end who has lost
/// its stack, 4,500 bytes at most.
pub const SERVICE_ANEW: usize = SERVICE_STRIDE - SERVICE_STACK + 4608;
const _: () = assert!(
    SERVICE_ANEW.is_multiple_of(16) && SERVICE_LOWEST < SERVICE_ANEW && SERVICE_ANEW < SERVICE_STRIDE - SERVICE_CALLER
);
/// Initial stack pointer of thread `index` in trusted servers.
pub const fn service_top(index: usize) -> usize {
    SERVICE_VA + (index + 1) * SERVICE_STRIDE
}
/// All RAM, readable and writable in the memory manager only.
pub const MEMORY_VIEW: usize = COMMON_VA + 0x8000_0000;
/// The nucleus's pages, readable and writable in the portal manager only: physical `pa` at
/// `NUCLEUS_VIEW + (pa - RAM_BASE)`.
pub const NUCLEUS_VIEW: usize = COMMON_VA + 0xC000_0000;
/// From here on, up to the end of what user mode can address, are segments of software fault domains, one or several in the space of their host: each
/// is as private as what lies below 1 GiB. They are here so that portals open windows on their pages as on all that lies in the common part.
pub const SEGMENTS_VA: usize = COMMON_VA + 0x1_C000_0000;
/// Sv39: user addresses are those below 2³⁸.
pub const SEGMENTS_END: usize = 1 << 38;
/// The device tree, readable in the memory manager: the page `pa` lies in `MEMORY_VIEW` as all RAM does.
pub const fn memory_view(pa: usize) -> usize {
    MEMORY_VIEW + (pa - RAM_BASE)
}
/// Where the portal manager sees the nucleus page at physical address `pa`.
pub const fn nucleus_view(pa: usize) -> usize {
    NUCLEUS_VIEW + (pa - RAM_BASE)
}

// The areas do not overlap.
const _: () = {
    assert!(HEAP_END <= DEVICE_VA && DEVICE_VA < STACK_FLOOR && STACK_TOP <= RETURN_PAGE);
    assert!(NUCLEUS_VIEW + 0x4000_0000 <= SEGMENTS_VA);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supervisor_addresses_are_sign_extended() {
        assert_eq!(supervisor(0x8040_0000), 0xFFFF_FFFF_8040_0000);
        assert_eq!(physical(0xFFFF_FFFF_8040_0000), 0x8040_0000);
        assert_eq!(code_address(0x8020_0000), 0xFFFF_FFFF_C020_0000);
        assert_eq!(code_physical(0xFFFF_FFFF_C020_0000), 0x8020_0000);
    }
}
