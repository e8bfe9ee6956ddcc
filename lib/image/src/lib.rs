//! Lays out a bootable image.
//!
//! The nucleus parses nothing and allocates nothing, so everything that the first components need is made here: their
//! address spaces, portal tables, portals, threads and invocation stacks, and the boot information that the servers
//! take the rest from. What is not part of the first components goes to the archive.

mod archive;
pub mod declared;
mod domains;
mod elf;
mod hosted;
mod memory;
mod portals;
mod reach;
mod relocations;
mod supervisor;

pub use archive::{HOST, alone, loaded_part};
pub use elf::{ElfFile, Program, Segment};
pub use hosted::merged;
pub use reach::{Reach, reach};
pub use relocations::relocations;

use abi::account::{CODE_FIRST, Resource};
use abi::address::*;
use abi::boot::{self, BootInfo};
use abi::nucleus::domain;
use abi::rights::Rights;
use manifest::{Role, System};
use memory::Memory;
pub use memory::{PAGE_TABLES, Use};
use std::collections::BTreeMap;

/// Why an image can not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}: not a RISC-V ELF program: {1}")]
    Elf(String, String),
    #[error("{0}: no symbol `{1}`")]
    Symbol(String, String),
    #[error("component `{component}` opens `{portal}`, which no boot component provides")]
    NoPortal { component: String, portal: String },
    #[error("component `{component}` opens `{portal}`, which its manifest entry does not list under `opens`")]
    NotAllowed { component: String, portal: String },
    #[error(
        "portal `{portal}` of component `{component}`: specification \"{specification}\" is wrong at position {position}: {reason}"
    )]
    Specification { component: String, portal: String, specification: String, position: u8, reason: String },
    #[error("component `{0}`: the short circuit of `{1}` does what none may")]
    ShortCircuit(String, String),
    #[error("component `{0}`: a template that it may not have, or that does what none may: {1:?}")]
    Template(String, Option<portal::Refused>),
    #[error("{0}: it can not execute in supervisor mode: {1}")]
    Supervisor(String, String),
    #[error("component `{0}`: no program")]
    NoProgram(String),
    #[error("component `{component}`: device `{device}` is not ADDRESS+BYTES in hexadecimal")]
    Device { component: String, device: String },
    #[error("a system needs a boot component with `role = \"{0}\"`")]
    Missing(&'static str),
    #[error("the nucleus has data where they have no room")]
    NucleusData,
    #[error("too many {0}")]
    TooMany(&'static str),
    #[error("component `{0}`: segment at {1:#x} lies outside the private part of the address space")]
    Segment(String, u64),
    #[error(
        "the `code` limits of all components need {0} regions of portal code of 2 MiB beside the first; there are at most {CODE_REGIONS}"
    )]
    CodeRegions(usize),
}

/// What an image is made of.
pub struct Parts<'a> {
    pub system: &'a System,
    /// The nucleus's ELF file.
    pub nucleus: &'a [u8],
    /// The ELF file of each image that the system's components name, and of others that may be run.
    pub programs: BTreeMap<String, Vec<u8>>,
    /// Files, by their path in the system.
    pub files: Vec<(String, Vec<u8>)>,
    /// Whether the machine has `stimecmp`.
    pub sstc: bool,
    /// Cycles in a tick of `time`, where they are fixed; else 0.
    pub cycles_per_time: u64,
    /// Bytes of RAM, where no device tree tells; else 0.
    pub ram_bytes: u64,
}

/// A finished image: it is loaded at `IMAGE_BASE`.
#[derive(Default)]
pub struct Image {
    pub bytes: Vec<u8>,
    /// Physical address of the system log.
    pub log: usize,
    /// Supervisor address of the thread table.
    pub thread_table: usize,
    /// What its pages are used for, but for the nucleus and portal code, which the first code region begins with.
    pub uses: Vec<Use>,
    /// Bytes of the nucleus's code, and behind it of that of the first portals.
    pub code: (usize, usize),
    /// First address behind it.
    pub end: usize,
    /// Name, role and physical address of the root page table of each first component.
    pub roots: Vec<(String, Role, usize)>,
}

/// Pages of the boot information.
const BOOT_INFO_PAGES: usize = size_of::<BootInfo>().div_ceil(PAGE);
/// Where the nucleus's own data is linked (`nucleus/link.ld`): over the portal table of the idle domain, whose block lies there. All the
/// nucleus has is the stack that it says its last words on, when nobody calls portals any more.
const NUCLEUS_DATA: usize = 0x8041_0000;
/// As many bytes as the nucleus may have there.
const NUCLEUS_DATA_BYTES: usize = 0x800;

/// Bytes behind the image in which the memory manager keeps a bit for each frame of the first GiB.
const FRAME_BITS: usize = (1 << 30) / PAGE / 8;

/// Lays out an image.
pub fn build(parts: &Parts) -> Result<Image, Error> {
    const { assert!(domain::TABLE - NUCLEUS_DATA_BYTES >= domain::ENTRIES.unsigned_abs() as usize) };
    const { assert!(BOOT_INFO + BOOT_INFO_PAGES * PAGE <= NUCLEUS_DATA) };
    let system = hosted::merged(parts.system);
    let mut memory = Memory::new(IMAGE_BASE, NUCLEUS_DATA);
    let idle_block = memory.pages(domain::pages(parts.system.counters), domains::BLOCKS);
    let nucleus = Program::parse("nucleus", parts.nucleus)?;
    let mut code_next = IMAGE_BASE;
    for segment in &nucleus.segments {
        let va = segment.va as usize;
        let pa = if va >= code_address(IMAGE_BASE) { code_physical(va) } else { physical(va) };
        memory.write(pa, &segment.bytes);
        if pa < CODE_END {
            code_next = (pa + segment.bytes.len()).next_multiple_of(64);
        } else if pa != idle_block {
            return Err(Error::NucleusData);
        }
    }
    let mut info: Box<BootInfo> = zeroed_info();
    info.magic = boot::MAGIC;
    info.sstc = parts.sstc as u64;
    info.cycles_per_time = parts.cycles_per_time;
    info.ram_bytes = parts.ram_bytes;
    info.counters = parts.system.counters as u64;
    info.checks = parts.system.checks as u64;
    info.symbols = portals::symbols(&nucleus)?;

    let thread_table = memory.pages(abi::nucleus::MAX_THREADS * 4 / PAGE, "thread table");
    info.thread_table = supervisor(thread_table) as u64;
    let log = memory.pages(abi::log::BYTES / PAGE, "log");
    memory.write_u64(log, abi::log::MAGIC);
    info.log = log as u64;
    info.log_bytes = abi::log::BYTES as u64;

    let archive = archive::build(parts, &system, info.symbols.call_supervisor)?;
    let archive_pa = memory.pages(archive.len().div_ceil(PAGE), "archive");
    memory.write(archive_pa, &archive);
    info.archive = archive_pa as u64;
    info.archive_bytes = archive.len() as u64;

    let mut domains = domains::lay_out(parts, idle_block, &mut memory, &mut info)?;
    code_next = portals::open_all(parts.system, &mut domains, &mut memory, &mut info, code_next)?;
    domains::map_nucleus(&mut memory, &info, &domains);
    // Nothing is given out any more.
    let regions = code_regions(&system);
    if regions > CODE_REGIONS {
        return Err(Error::CodeRegions(regions));
    }
    info.code_regions = regions as u64;
    info.code_more = (memory.end() + FRAME_BITS).next_multiple_of(CODE_REGION) as u64;
    domains::map_code(&mut memory, &info, &domains);

    info.code_next = code_next as u64;
    info.image_end = memory.end() as u64;
    let bytes = unsafe {
        // SAFETY: BootInfo is repr(C) and made of u64 and u8 arrays only, without padding.
        std::slice::from_raw_parts((&raw const *info).cast::<u8>(), size_of::<BootInfo>())
    };
    memory.write(BOOT_INFO, bytes);
    let nucleus_code =
        nucleus.segments.iter().filter(|s| s.rights.contains(Rights::EXECUTE)).map(|s| s.bytes.len()).sum();
    let code = (nucleus_code, code_next - IMAGE_BASE - nucleus_code);
    let end = memory.end();
    let roots = domains.iter().map(|d| (d.component.name.clone(), d.component.role, d.root)).collect();
    let (bytes, mut uses) = memory.into_parts();
    uses.push(("boot information".into(), BOOT_INFO..BOOT_INFO + BOOT_INFO_PAGES * PAGE));
    Ok(Image { bytes, log, thread_table: supervisor(thread_table), uses, code, end, roots })
}

/// Regions of portal code beside the first that the components' limits, taken together, need.
fn code_regions(system: &System) -> usize {
    let all: usize = system.accounts().map(|(_, component)| component.limits.of(Resource::Code) as usize).sum();
    all.saturating_sub(CODE_FIRST as usize).div_ceil(CODE_REGION)
}

fn zeroed_info() -> Box<BootInfo> {
    // SAFETY: all fields are integers, for which zero is a value.
    unsafe { Box::new(std::mem::zeroed()) }
}
