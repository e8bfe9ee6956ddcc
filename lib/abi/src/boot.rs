//! What the image builder tells the first components: the domains, threads and portals it has laid out.
//!
//! Lies at [`crate::address::BOOT_INFO`], readable in trusted components at [`crate::address::BOOT_INFO_VA`].

use crate::section::{NAME, SPEC};
use crate::template::Lowered;
use core::mem::offset_of;

pub const MAGIC: u64 = 0x6265_7020_746f_6f62;
/// Most boot domains.
pub const DOMAINS: usize = 16;
/// Most portals provided by boot components.
pub const PORTALS: usize = 182;
/// Most portals opened by boot components.
pub const OPENS: usize = 176;
/// Tables that grow ([`crate::section::Grown`]), all of the scheduler's: three with the number of threads, and
/// [`GROWN_SEMAPHORES`].
pub const GROWN: usize = 4;
/// The one with a record for each semaphore.
pub const GROWN_SEMAPHORES: usize = 3;
/// Most short circuits of boot components.
pub const SHORT_CIRCUITS: usize = 4;
/// Most templates of boot components.
pub const TEMPLATES: usize = 3;
/// Words that all of them may take together, each up to its last instruction.
pub const TEMPLATE_WORDS: usize = 1024;

#[repr(C)]
pub struct BootInfo {
    pub magic: u64,
    /// Physical address of the device tree; the nucleus writes it. 0 where the firmware gave none.
    pub device_tree: u64,
    /// The address space that the nucleus turns paging on with: the idle domain's.
    pub boot_space: u64,
    /// Supervisor address of the first thread's page: the idle thread's.
    pub boot_thread: u64,
    /// First physical address behind the image.
    pub image_end: u64,
    /// Physical address where portal code goes on.
    pub code_next: u64,
    /// Physical address of the regions of portal code beside the first, and how many there are: as many as the limits of all
    /// components need. They lie behind the image.
    pub code_more: u64,
    pub code_regions: u64,
    /// Supervisor address of the thread table: `MAX_THREADS` pointers to threads, the low half of each, which the sign extends.
    pub thread_table: u64,
    /// Physical address and bytes of the archive of component images.
    pub archive: u64,
    pub archive_bytes: u64,
    /// Physical address and bytes of the system log.
    pub log: u64,
    pub log_bytes: u64,
    /// Cycles of `rdcycle` in a tick of `time`, where fixed; 0: to be measured.
    pub cycles_per_time: u64,
    /// 1 where `stimecmp` exists, 0 where the SBI sets the timer.
    pub sstc: u64,
    /// Bytes of RAM, where no device tree tells.
    pub ram_bytes: u64,
    /// 1 where portals count their calls ([`crate::count`]).
    pub counters: u64,
    /// 1 where `inspect.check` looks through all tables.
    pub checks: u64,
    /// Physical address of the L1 page table of all service stacks, shared by trusted domains.
    pub service_l1: u64,
    /// Physical address of the L1 page table of a domain that has nothing but the return page.
    pub return_l1: u64,
    /// Physical address of the L1 page table of the supervisor's code view (root entry 511).
    pub code_l1: u64,
    pub symbols: Symbols,
    pub template_count: u64,
    /// Word of `template_words` that each begins with.
    pub template_starts: [u64; TEMPLATES],
    /// ASIDs of the templates' servers.
    pub template_servers: [u64; TEMPLATES],
    /// The templates, each up to its last instruction. Their records are supervisor addresses.
    pub template_words: [u64; TEMPLATE_WORDS],
    pub domain_count: u64,
    pub portal_count: u64,
    pub open_count: u64,
    /// Blocks of portal code that the image builder made.
    pub block_count: u64,
    pub domains: [BootDomain; DOMAINS],
    pub portals: [BootPortal; PORTALS],
    pub opens: [BootOpen; OPENS],
    pub grown: [BootGrown; GROWN],
    pub short_circuit_count: u64,
    pub short_circuits: [BootShortCircuit; SHORT_CIRCUITS],
}
// What a template would have behind its last instruction, and nobody reads, is what follows it here.
const _: () = assert!(offset_of!(BootInfo, domain_count) + size_of::<Lowered>() <= size_of::<BootInfo>());
impl BootInfo {
    /// The first component with this [`role`].
    pub fn with_role(&self, role: u64) -> Option<&BootDomain> {
        self.domains[..self.domain_count as usize].iter().find(|d| d.role == role)
    }
    /// Puts `template` behind those that are there. `None`: there is no room.
    pub fn add_template(&mut self, template: &Lowered, server: u64) -> Option<()> {
        let n = self.template_count as usize;
        let start = match n {
            0 => 0,
            _ => self.template_starts.get(n - 1).map(|&at| at as usize + self.template(n - 1).used() / 8)?,
        };
        // SAFETY: a template is plain integers; as many words as it takes up to its last instruction.
        let words = unsafe { core::slice::from_raw_parts((&raw const *template).cast::<u64>(), template.used() / 8) };
        self.template_words.get_mut(start..start + words.len())?.copy_from_slice(words);
        *self.template_starts.get_mut(n)? = start as u64;
        self.template_servers[n] = server;
        self.template_count += 1;
        Some(())
    }
    /// Template `n`, which is one that there is.
    pub fn template(&self, n: usize) -> &Lowered {
        let start = self.template_starts[n] as usize % TEMPLATE_WORDS;
        let at = (&raw const *self).cast::<u64>();
        // SAFETY: it begins in `template_words`, and as many bytes as a template has follow there, as asserted; they are
        // integers, which nobody writes while `self` is borrowed.
        unsafe { &*at.add(offset_of!(BootInfo, template_words) / 8 + start).cast::<Lowered>() }
    }
    /// All of them.
    pub fn templates(&self) -> impl Iterator<Item = &Lowered> {
        (0..self.template_count as usize).map(|n| self.template(n))
    }
}
/// A table that grows ([`crate::section::Grown`]).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BootGrown {
    /// The component's.
    pub asid: u64,
    /// Address of record 0.
    pub start: u64,
    pub stride: u64,
    /// Whole pages that are not there at the start: from `missing` to `end`.
    pub missing: u64,
    pub end: u64,
}
/// A short circuit before a portal (`crate::section::ShortCircuit`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BootShortCircuit {
    /// Index in `portals`.
    pub portal: u64,
    pub words: [u32; crate::section::SHORT_CIRCUIT],
    pub count: u64,
    /// Supervisor address of the first record.
    pub records: u64,
    pub mask: u64,
    pub stride: u64,
}
/// Supervisor addresses of the nucleus's entry points that portal code jumps to.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbols {
    /// Raises fault `t0` with value `t1` at the caller's `ecall`.
    pub raise: u64,
    /// Ends the caller's `ecall` with `a0`.
    pub complete: u64,
    /// Saves live floating-point state in a frame of its own; returns to `t4`.
    pub floating_push: u64,
    /// The callee's (`t6`) stack queue is empty: makes the call again with the thread's reserve in it, or raises `NO_STACK` for the caller.
    pub no_stack: u64,
    /// The callee (`t6`) has ended: raises `NO_STACK` for the caller.
    pub parked: u64,
    /// A stack went back to the queue of the callee (`t6`): raises `STACK_FREE` or `RESERVE_FREE` for the caller.
    pub stack_free: u64,
    /// Entry of the table for a number that is not open.
    pub bad_portal: u64,
    /// Entry 0 of every table.
    pub return_portal: u64,
    /// Returns through the first frame of a thread: ends the thread.
    pub first_frame: u64,
    /// Returns through the frame that a new thread starts with.
    pub start: u64,
    /// Returns through an exception frame.
    pub restore: u64,
    /// Returns through a frame of saved floating-point state.
    pub floating_return: u64,
    /// Fault in a component that the system can not do without.
    pub fatal: u64,
    /// Illegal instruction: turns floating point on, or goes to `fault(18)`'s portal.
    pub illegal: u64,
    /// The same three, of supervisor domains.
    pub raise_supervisor: u64,
    pub start_supervisor: u64,
    pub restore_supervisor: u64,
    /// Where supervisor domains call portals: what `ecall` is to others, with the return address in `t5`.
    pub call_supervisor: u64,
    /// Where a thread of a supervisor domain ends that returns from where it started.
    pub exit_supervisor: u64,
    /// Makes a callee's pages visible in its caller's address space for a call, or switches ([`crate::patch`]); takes them back. Both return to `t4`.
    pub patch_open: u64,
    pub patch_close: u64,
    /// Short-circuit portals.
    pub asid: u64,
    pub thread: u64,
    pub hrtime: u64,
    pub switch: u64,
    pub idle: u64,
    pub timer_set: u64,
    pub code_sync: u64,
    pub tlb_flush: u64,
    pub tlb_flush_asid: u64,
    pub interrupts_mask: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BootDomain {
    pub name: [u8; NAME],
    pub asid: u64,
    /// Supervisor address of entry 0 of its portal table.
    pub table: u64,
    /// Physical address of its root page table.
    pub root: u64,
    /// [`crate::nucleus::flags`].
    pub flags: u64,
    /// First address behind its image (page-aligned): the heap starts there.
    pub heap: u64,
    /// Its first thread, or 0.
    pub thread: u64,
    pub priority: u64,
    /// One of [`role`].
    pub role: u64,
}
/// What others rely on a first component for, as the manifest says it: not what it is called.
pub mod role {
    /// Nothing in particular.
    pub const NONE: u64 = 0;
    /// Runs when nobody else can; it starts the scheduler, and has no other system portals.
    pub const IDLE: u64 = 1;
    /// Sees all memory, and writes page tables.
    pub const MEMORY: u64 = 2;
    /// Sees the nucleus's data, and writes portals.
    pub const PORTALS: u64 = 3;
    /// Starts all other components from the archive, and may end any.
    pub const START: u64 = 4;
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BootPortal {
    pub name: [u8; NAME],
    pub spec: [u8; SPEC],
    pub entry: u64,
    pub constant: u64,
    /// The server's.
    pub asid: u64,
}
impl BootPortal {
    /// The words of its name, which zeros follow.
    pub fn name_words(&self) -> &[u64; NAME / 8] {
        const { assert!(offset_of!(BootPortal, name).is_multiple_of(8) && align_of::<BootPortal>() == 8) };
        // SAFETY: as many bytes, aligned as asserted.
        unsafe { &*(&raw const self.name).cast() }
    }
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BootOpen {
    /// The client's.
    pub asid: u16,
    pub number: u16,
    /// Index in `portals`.
    pub portal: u32,
    /// Supervisor (execute) address of the code.
    pub code: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Lowered, Word};

    fn template(count: u16) -> Lowered {
        let mut template = Lowered { code_count: count, ..Lowered::NONE };
        template.code[..count as usize].fill(Word { instruction: count as u32, hole: 0 });
        template
    }
    #[test]
    fn templates_are_found_as_they_were_added() {
        // SAFETY: all fields are integers, for which zero is a value.
        let mut info: Box<BootInfo> = unsafe { Box::new(core::mem::zeroed()) };
        for (n, count) in [80, 3, 120].into_iter().enumerate() {
            assert_eq!(info.add_template(&template(count), n as u64 + 4), Some(()));
        }
        for (n, (found, count)) in info.templates().zip([80, 3, 120]).enumerate() {
            assert_eq!((found.code_count, info.template_servers[n]), (count, n as u64 + 4));
            assert!(found.code[..count as usize].iter().all(|w| w.instruction == count as u32));
        }
        assert_eq!(info.add_template(&template(1), 0), None, "one more than there may be");
    }
    #[test]
    fn templates_that_are_too_long_together_are_refused() {
        // SAFETY: as above.
        let mut info: Box<BootInfo> = unsafe { Box::new(core::mem::zeroed()) };
        assert_eq!(info.add_template(&template(491), 1), Some(()));
        assert_eq!(info.add_template(&template(491), 1), Some(()));
        assert_eq!(info.add_template(&template(80), 1), None);
        assert_eq!(info.template_count, 2);
    }
}
