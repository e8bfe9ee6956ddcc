//! RISC-V 64 with Sv39, in S-mode above SBI firmware.
//!
//! The assembly is in files by what enters them: `boot.S` the firmware, `entry.S` every trap and all portal calls,
//! `exceptions.S` interrupts, exceptions and raised faults, `portals.S` the portals that the nucleus itself provides, `floating.S`,
//! `supervisor.S` and `patches.S` calls that leave floating-point state, go to supervisor mode, or patch page tables.
//! Offsets come from `abi::nucleus`.

mod firmware;
pub use firmware::{put_byte, stop};

use abi::address::BOOT_INFO;
use abi::boot::BootInfo;
use abi::nucleus::*;
use abi::patch::{Page, Patch};
use abi::{Error, system};
use core::mem::offset_of;

core::arch::global_asm!(
    include_str!("boot.S"),
    include_str!("entry.S"),
    include_str!("exceptions.S"),
    include_str!("portals.S"),
    include_str!("floating.S"),
    include_str!("supervisor.S"),
    include_str!("patches.S"),
    // Thread.
    INVOCATION = const offset_of!(Thread, invocation),
    TABLE = const offset_of!(Thread, table),
    SCRATCH = const offset_of!(Thread, scratch),
    VALUE = const offset_of!(Thread, value),
    INDEX = const offset_of!(Thread, index),
    TRANSFERRING = const offset_of!(Thread, transferring),
    RESERVE = const offset_of!(Thread, reserve),
    PATCH = const offset_of!(Thread, patch),
    FLOATING_SAVED = const offset_of!(Thread, floating_saved),
    FLOATING = const offset_of!(Thread, floating),
    // Domain record.
    SPACE = const domain::SPACE,
    ASID = const domain::ASID,
    FLAGS = const domain::FLAGS,
    IDENTITY = const domain::IDENTITY,
    STACKS = const domain::STACKS,
    STACK_WAITERS = const domain::STACK_WAITERS,
    RESERVES = const domain::RESERVES,
    DOMAIN_PATCH = const domain::PATCH,
    FAULT_0 = const domain::fault(0),
    ILLEGAL = const domain::fault(18),
    INTERRUPT_0 = const domain::interrupt(0),
    // Frames.
    FRAME_TABLE = const offset_of!(Frame, table),
    FRAME_PC = const offset_of!(Frame, pc),
    FRAME_SP = const offset_of!(Frame, sp),
    FRAME_RA = const offset_of!(Frame, ra),
    START_FRAME = const START_FRAME,
    EXCEPTION_FRAME = const EXCEPTION_FRAME,
    FLOATING_FRAME = const FLOATING_FRAME,
    SAVED_GP = const saved::GP, SAVED_TP = const saved::TP, SAVED_T0 = const saved::T0, SAVED_T1 = const saved::T1, SAVED_T3 = const saved::T3,
    SAVED_S3 = const saved::S3, SAVED_A0 = const saved::A0, SAVED_A6 = const saved::A6, FRAME = const size_of::<Frame>(), FCSR = const FCSR,
    // Patches.
    PATCH_END = const offset_of!(Patch, end),
    PATCH_CALLEE = const offset_of!(Patch, callee),
    PATCH_LEFT = const offset_of!(Patch, left),
    PATCH_ASID = const offset_of!(Patch, asid),
    PATCH_PAGES = const offset_of!(Patch, pages),
    PLACE = const offset_of!(Page, place),
    ENTRY = const offset_of!(Page, entry),
    ADDRESS = const offset_of!(Page, address),
    PATCH_PAGE = const size_of::<Page>(),
    // Boot information: in the first page after the first code region, so that `lui` reaches it.
    BOOT_PAGE = const BOOT_INFO >> 12,
    BOOT_INFO = const BOOT_INFO,
    DEVICE_TREE = const offset_of!(BootInfo, device_tree),
    BOOT_SPACE = const offset_of!(BootInfo, boot_space),
    BOOT_THREAD = const offset_of!(BootInfo, boot_thread),
    THREAD_TABLE = const offset_of!(BootInfo, thread_table),
    SSTC = const offset_of!(BootInfo, sstc),
    NPORTALS = const NPORTALS,
    ENTRIES = const domain::ENTRIES,
    THREADS_LOG2 = const MAX_THREADS.trailing_zeros(),
    THREAD_EXIT = const system::THREAD_EXIT,
    TRANSFER = const fault::TRANSFER,
    NO_STACK = const fault::NO_STACK,
    STACK_FREE = const fault::STACK_FREE,
    RESERVE_FREE = const fault::RESERVE_FREE,
    EPORTAL = const Error::EPORTAL as u16,
    EINVAL = const Error::EINVAL as u16,
    // `sie`: supervisor timer and external interrupts. `sstatus`: SPP, FS; cleared at boot, with SUM and MXR.
    SIE_ON = const 0x220,
    SPP = const flags::SUPERVISOR,
    SPIE = const 0x20,
    SIE = const 2,
    FS = const 0x6000,
    SSTATUS_OFF = const 0xC_6100,
    // SBI: legacy console, TIME extension.
    SBI_PUT = const 1,
    SBI_TIME = const 0x5449_4D45,
    // What `run` and `exec` drop the firmware's messages up to: ASCII record separator.
    MARK = const 0x1e,
);
