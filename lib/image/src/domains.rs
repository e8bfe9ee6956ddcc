//! The first domains: address spaces, domain blocks, threads.

use crate::memory::{Memory, PAGE_TABLES};
use crate::{BOOT_INFO_PAGES, Error, Parts, Program};
use abi::address::*;
use abi::boot::{BootDomain, BootGrown, BootInfo};
use abi::identity::{DomainId, Serials};
use abi::nucleus::*;
use abi::rights::Rights;
use abi::section::{GROWN, GROWN_FIRST, Grown, cut};
use arch::Marks;
use arch::paging::{AddressSpace, Entry, index, supervisor_half};
use manifest::{Component, Role, System};
use std::mem::offset_of;

/// What the pages of domain blocks are used for.
pub const BLOCKS: &str = "domain blocks";
/// Bytes of a megapage.
const MEGA: usize = 512 * PAGE;

/// A boot component while its image is laid out.
pub struct Domain {
    pub component: Component,
    pub program: Program,
    pub asid: usize,
    pub flags: u64,
    /// Physical addresses.
    pub block: usize,
    pub root: usize,
    /// Index and page of its thread; 0: none.
    pub thread: (usize, usize),
    /// Physical address of each segment.
    segments: Vec<usize>,
}
impl Domain {
    /// Supervisor address of its portal table.
    pub fn table(&self) -> u64 {
        supervisor(self.block + domain::TABLE) as u64
    }
    /// Supervisor address of the middle of its counters, where calls are counted.
    fn counters(&self) -> u64 {
        supervisor(self.block + domain::COUNTED + abi::count::MIDDLE) as u64
    }
    /// Physical address of a field of the record, or a fixed entry.
    pub fn field(&self, offset: i32) -> usize {
        (self.block + domain::TABLE).wrapping_add_signed(offset as isize)
    }
    /// Where the byte at `va` of its image is.
    pub fn physical(&self, va: u64) -> Option<usize> {
        let inside = |s: &crate::elf::Segment| va >= s.va && va < s.va + s.memory_bytes;
        let (segment, &pa) = self.program.segments.iter().zip(&self.segments).find(|(s, _)| inside(s))?;
        Some(pa + (va - segment.va) as usize)
    }
    /// Copies the segments' contents, with what has been patched, to their pages.
    pub fn store(&self, memory: &mut Memory) {
        for (segment, &pa) in self.program.segments.iter().zip(&self.segments) {
            let there = segment.bytes.len().min(segment.memory_bytes as usize);
            memory.write(pa, &segment.bytes[..there]);
        }
    }
}

/// Where the idle thread's code is in the return page, so that it needs no page of its own: it calls what its own table has.
const IDLE: usize = 64;

/// What a segment holds, by its rights.
fn kind(segment: &crate::elf::Segment) -> &'static str {
    match segment.rights.difference(Rights::READ) {
        Rights::NONE => "constants",
        Rights::EXECUTE => "code",
        _ => "data",
    }
}

/// Tables that all first components share.
struct Shared {
    code_l1: usize,
    /// The return page, and the table of leaves that has it.
    return_page: usize,
    return_l0: usize,
}
/// Lays out what all domains see.
fn lay_out_shared(memory: &mut Memory, info: &mut BootInfo) -> Shared {
    let code_l1 = memory.pages(1, PAGE_TABLES);
    let code = Entry::supervisor(IMAGE_BASE, Rights::READ_EXECUTE).large(1);
    memory.set_entry(code_l1 + 8 * index(code_address(IMAGE_BASE), 1), code);
    let return_page = memory.pages(1, "return page");
    memory.write(return_page, &arch::stubs::return_page());
    info.code_l1 = code_l1 as u64;
    // Trusted components see the service stacks, and in the place of the first one the boot information.
    const { assert!(BOOT_INFO_PAGES * PAGE <= SERVICE_STRIDE) };
    info.service_l1 = memory.table_of_leaves(BOOT_INFO_VA, BOOT_INFO, BOOT_INFO_PAGES) as u64;

    // A table that all first components share: of the return page, which is the same everywhere, and takes one translation.
    let return_l0 = memory.pages(1, PAGE_TABLES);
    let entry = Entry::user(return_page, Rights::READ_EXECUTE, Marks::FOREIGN).in_all_spaces();
    memory.set_entry(return_l0 + 8 * index(RETURN_PAGE, 0), entry);
    Shared { code_l1, return_page, return_l0 }
}
/// The boot components, in the manifest's order; `idle` first.
fn first_components(system: &System) -> Result<Vec<&Component>, Error> {
    let mut components: Vec<&Component> = system.components.iter().filter(|c| c.boot).collect();
    let idle = components.iter().position(|c| c.role == Role::Idle).ok_or(Error::Missing("idle"))?;
    components[..=idle].rotate_right(1);
    if components.len() > abi::boot::DOMAINS {
        return Err(Error::TooMany("boot components"));
    }
    Ok(components)
}
/// A component's program, without what its image leaves out.
fn program_of(parts: &Parts, component: &Component, asid: usize, info: &mut BootInfo) -> Result<Program, Error> {
    let file = parts.programs.get(&component.image).ok_or_else(|| Error::NoProgram(component.name.clone()))?;
    let mut program = Program::parse(&component.name, file)?;
    program.check_private()?;
    leave_out_grown(&mut program, asid, info)?;
    // What it declares is only read here, and what looks through all tables is called in systems for tests only.
    let last = if parts.system.checks { "__declared_start" } else { "__checks_start" };
    if let Ok(end) = program.symbol(last) {
        program.cut(end);
    }
    Ok(program)
}

/// Makes the domains of the boot components, in the manifest's order; `idle` first, whose block is there.
pub fn lay_out(
    parts: &Parts,
    idle_block: usize,
    memory: &mut Memory,
    info: &mut BootInfo,
) -> Result<Vec<Domain>, Error> {
    let shared = lay_out_shared(memory, info);
    let mut domains = Vec::new();
    let mut next_thread = 1;
    let mut serials = Serials::after(0);
    for (n, component) in first_components(parts.system)?.into_iter().enumerate() {
        let asid = n + 1;
        let id = serials.next().and_then(|serial| DomainId::new(asid, serial));
        let id = id.ok_or(Error::TooMany("boot components"))?;
        let mut program = program_of(parts, component, asid, info)?;
        let heap = program.heap();
        if n == 0 {
            program.move_code(RETURN_PAGE + IDLE, |code| memory.write(shared.return_page + IDLE, code))?;
        }
        let mut domain = lay_out_one(&shared, (component, program, asid), memory);
        if n == 0 {
            // It has nothing else, its code being there.
            info.return_l1 = memory.entry(domain.root).address() as u64;
        }
        domain.block = if n == 0 { idle_block } else { memory.pages(domain::pages(info.counters != 0), BLOCKS) };
        map_extras(&domain, memory, info)?;
        if !component.masked {
            domain.thread = make_thread(&domain, next_thread, memory, info);
            next_thread += 1;
        }
        write_record(&domain, id, info.counters != 0, memory)?;
        info.domains[n] = BootDomain {
            name: cut(&component.name),
            asid: asid as u64,
            table: domain.table(),
            root: domain.root as u64,
            flags: domain.flags,
            heap,
            thread: domain.thread.0 as u64,
            priority: component.priority as u64,
            role: component.role.number(),
        };
        domains.push(domain);
    }
    info.domain_count = domains.len() as u64;
    info.boot_space = AddressSpace::new(domains[0].root, domains[0].asid).word();
    info.boot_thread = supervisor(domains[0].thread.1) as u64;
    Ok(domains)
}
/// The address space of one of them, with its program in it; without a block so far, and without a thread.
fn lay_out_one(
    shared: &Shared,
    (component, program, asid): (&Component, Program, usize),
    memory: &mut Memory,
) -> Domain {
    let root = memory.pages(1, PAGE_TABLES);
    for (place, entry) in supervisor_half(shared.code_l1) {
        memory.set_entry(root + 8 * place, entry);
    }
    memory.join(root, RETURN_PAGE, shared.return_l0);
    let mut segments = Vec::new();
    for s in &program.segments {
        let count = s.memory_bytes as usize / PAGE;
        let pa = memory.pages(count, &format!("{}, {}", component.name, kind(s)));
        memory.map_range(root, s.va as usize, pa, count, (s.rights, Marks::empty()));
        segments.push(pa);
    }
    let flags = flags::BOOT
        | if component.trusted { flags::TRUSTED } else { 0 }
        | if component.masked { flags::MASKED } else { 0 };
    Domain { component: component.clone(), program, asid, flags, block: 0, root, thread: (0, 0), segments }
}
/// Writes the record beside a domain's table.
fn write_record(domain: &Domain, id: DomainId, counts: bool, memory: &mut Memory) -> Result<(), Error> {
    let masked_stack = if domain.component.masked { domain.program.symbol("__masked_stack")? } else { 0 };
    let record = [
        (domain::SPACE, AddressSpace::new(domain.root, domain.asid).word()),
        (domain::ASID, domain.asid as u64),
        (domain::ROOT, supervisor(domain.root) as u64),
        (domain::MASKED_STACK, masked_stack),
        (domain::FLAGS, domain.flags),
        (domain::IDENTITY, id.word()),
        (domain::COUNTERS, if counts { domain.counters() } else { 0 }),
    ];
    for (offset, value) in record {
        memory.write_u64(domain.field(offset), value);
    }
    Ok(())
}

/// Takes what tables of the component will grow by out of its image, and writes down where it is.
fn leave_out_grown(program: &mut Program, asid: usize, info: &mut BootInfo) -> Result<(), Error> {
    let Ok(at) = program.symbol(GROWN) else { return Ok(()) };
    for (n, grown) in info.grown.iter_mut().enumerate() {
        let word = |program: &Program, field: usize| {
            let va = at + (n * size_of::<Grown>() + field) as u64;
            let bytes = program.at(va, 8).ok_or_else(|| Error::Symbol(program.name.clone(), GROWN.into()))?;
            Ok(u64::from_le_bytes(bytes.try_into().unwrap()))
        };
        let start = word(program, offset_of!(Grown, start))?;
        let stride = word(program, offset_of!(Grown, stride))?;
        let end = (start + stride * word(program, offset_of!(Grown, records))?) / PAGE as u64 * PAGE as u64;
        let missing = (start + stride * GROWN_FIRST).next_multiple_of(PAGE as u64).min(end);
        *grown = BootGrown { asid: asid as u64, start, stride, missing, end };
        if missing < end {
            program.leave_out(missing, end);
        }
    }
    Ok(())
}

/// Maps what a component has beyond its image: its devices, and what its job needs.
fn map_extras(domain: &Domain, memory: &mut Memory, info: &BootInfo) -> Result<(), Error> {
    let (component, root) = (&domain.component, domain.root);
    if component.trusted {
        memory.set_entry(root + 8 * index(SERVICE_VA, 2), Entry::table(info.service_l1 as usize));
    }
    for (n, device) in component.devices.iter().enumerate() {
        let wrong = || Error::Device { component: component.name.clone(), device: device.clone() };
        let (address, bytes) = device.split_once('+').ok_or_else(wrong)?;
        let address = usize::from_str_radix(address, 16).map_err(|_| wrong())?;
        let bytes = usize::from_str_radix(bytes, 16).map_err(|_| wrong())?;
        if address % PAGE != 0 || bytes > DEVICE_STRIDE {
            return Err(wrong());
        }
        let (mut va, end) = (DEVICE_VA + n * DEVICE_STRIDE, DEVICE_VA + n * DEVICE_STRIDE + bytes);
        let (mut pa, with) = (address, (Rights::READ_WRITE, Marks::FOREIGN));
        while va < end {
            let mega = pa % MEGA == 0 && end - va >= MEGA;
            if mega {
                memory.map_mega(root, va, pa, with);
            } else {
                memory.map(root, va, pa, with);
            }
            let step = if mega { MEGA } else { PAGE };
            (va, pa) = (va + step, pa + step);
        }
    }
    match component.role {
        Role::Memory => {
            let ram = Entry::user(RAM_BASE, Rights::READ_WRITE, Marks::empty()).large(2);
            memory.set_entry(root + 8 * index(MEMORY_VIEW, 2), ram);
        }
        Role::Start => {
            let pages = (info.archive_bytes as usize).div_ceil(PAGE);
            memory.map_range(root, abi::archive::VA, info.archive as usize, pages, (Rights::READ, Marks::FOREIGN));
            let pages = info.log_bytes as usize / PAGE;
            memory.map_range(
                root,
                abi::archive::LOG_VA,
                info.log as usize,
                pages,
                (Rights::READ_WRITE, Marks::FOREIGN),
            );
        }
        _ => {}
    }
    Ok(())
}

/// Bytes of the service stack that who starts all others runs on: it reads the system description there, with up to 7,552 bytes.
const STARTER_STACK: usize = SERVICE_STACK + PAGE;

/// Makes the component's first thread; its index and page. Trusted components run on the thread's service stack.
fn make_thread(domain: &Domain, thread: usize, memory: &mut Memory, info: &BootInfo) -> (usize, usize) {
    let bytes = match domain.component.role {
        // It calls nobody who would run on it.
        Role::Idle => 0,
        Role::Start => STARTER_STACK,
        _ => SERVICE_STACK,
    };
    let stack = memory.pages(bytes / PAGE, "service stacks");
    for n in 0..bytes / PAGE {
        let va = service_top(thread) - bytes + n * PAGE;
        let l1 = info.service_l1 as usize;
        let place = l1 + 8 * index(va, 1);
        if memory.read_u64(place) == 0 {
            let l0 = memory.pages(1, PAGE_TABLES);
            memory.set_entry(place, Entry::table(l0));
        }
        let l0 = memory.entry(place).address();
        let entry = Entry::user(stack + n * PAGE, Rights::READ_WRITE, Marks::empty());
        memory.set_entry(l0 + 8 * index(va, 0), entry);
    }
    let page = memory.pages(1, "threads");
    let trusted = domain.component.trusted;
    // The idle thread needs none.
    let sp = if trusted { service_top(thread) } else { 0 };
    let first = page + PAGE - FIRST_FRAME;
    let start = first - START_FRAME;
    let symbols = &info.symbols;
    for (at, portal, pc, sp) in [(first, symbols.first_frame, 0, 0), (start, symbols.start, domain.program.entry, sp)] {
        for (n, value) in [portal, domain.table(), pc, sp as u64, RETURN_STUB as u64].into_iter().enumerate() {
            memory.write_u64(at + 8 * n, value);
        }
    }
    for (offset, value) in [
        (offset_of!(Thread, invocation), supervisor(start)),
        (offset_of!(Thread, table), domain.table() as usize),
        (offset_of!(Thread, service), service_top(thread)),
        (offset_of!(Thread, window), window_base(thread)),
        (offset_of!(Thread, index), thread),
        (offset_of!(Thread, home), domain.table() as usize),
    ] {
        memory.write_u64(page + offset, value as u64);
    }
    memory.write(physical(info.thread_table as usize) + 4 * thread, &(page as u32).to_le_bytes());
    (thread, page)
}

/// Maps the nucleus's pages in the portal manager.
pub fn map_nucleus(memory: &mut Memory, info: &BootInfo, domains: &[Domain]) {
    let Some(manager) = domains.iter().find(|d| d.component.role == Role::Portals) else { return };
    let with = (Rights::READ_WRITE, Marks::empty());
    memory.map_mega(manager.root, nucleus_view(IMAGE_BASE), IMAGE_BASE, with);
    let table = physical(info.thread_table as usize);
    memory.map_range(manager.root, nucleus_view(table), table, MAX_THREADS * 4 / PAGE, with);
    for d in domains {
        memory.map_range(manager.root, nucleus_view(d.block), d.block, domain::pages(info.counters != 0), with);
        if d.thread.0 != 0 {
            memory.map(manager.root, nucleus_view(d.thread.1), d.thread.1, with);
        }
    }
}

/// Maps the regions of portal code beside the first: for execution in all domains, for writing in the portal manager.
pub fn map_code(memory: &mut Memory, info: &BootInfo, domains: &[Domain]) {
    let Some(manager) = domains.iter().find(|d| d.component.role == Role::Portals) else { return };
    for n in 0..info.code_regions as usize {
        let region = info.code_more as usize + n * CODE_REGION;
        memory.map_mega(manager.root, nucleus_view(region), region, (Rights::READ_WRITE, Marks::empty()));
        let place = info.code_l1 as usize + 8 * index(code_address(region), 1);
        memory.set_entry(place, Entry::supervisor(region, Rights::READ_EXECUTE).large(1));
    }
}
