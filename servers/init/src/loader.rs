//! Starting a component: its domain, memory, rules, devices and first thread.

use abi::Error;
use abi::address::{DEVICE_STRIDE, DEVICE_VA, IMAGE_VA, MAIN_STACK, PAGE};
use abi::archive::Image;
use abi::identity::DomainId;
use abi::name::{Name, Short};
use abi::nucleus::{NAMELEN, flags};
use abi::rights::Rights;
use abi::start::StartDevice;
use abi::system::{NewDomain, PAGE as MAP_PAGE};
use alloc::vec::Vec;
use fallible::TryPush;
use init_logic::start::Request;
use manifest::Component;
use pebble::Result;
use pebble::interfaces::types::{Address, Alleged, DomainNumber, PageRights};
use pebble::interfaces::{domains, interrupts, memory, names};
use pebble::sync::Mutex;

/// A component that is ready to run.
pub struct Loaded {
    /// Its domain, as who made that has named it.
    pub domain: DomainId,
    entry: usize,
    start: usize,
}
/// That of device `device` of a component that is ready to run.
struct Interrupt {
    domain: DomainId,
    device: usize,
    source: usize,
}
/// Those of all components that do not run yet.
static INTERRUPTS: Mutex<Vec<Interrupt>> = Mutex::new(Vec::new());
/// An image.
pub struct Program<'a> {
    pub image: &'a Image,
    pub from: From<'a>,
}
/// Where an image is.
pub enum From<'a> {
    /// In the archive, which has its record there.
    Archive(usize),
    /// In pages of init's own: what its segments' offsets are in.
    Pages(&'a [u8]),
}
/// What a component's domain is made in: its task; none: an address space of its own.
pub type Task = Option<DomainId>;

/// Makes the domain of `component`, for which `account` pays, with `program` in it.
// By itself, as what it calls: what each takes of the stack is free again when a domain that could not be filled is discarded.
#[inline(never)]
pub fn load(component: &Component, task: Task, account: usize, program: &Program, request: &Request) -> Result<Loaded> {
    let domain = create(component, task, account)?;
    fill(domain, component, task.is_some(), program, request).inspect_err(|_| discard(domain))
}
#[inline(never)]
fn create(component: &Component, task: Task, account: usize) -> Result<DomainId> {
    let with = if component.trusted { flags::TRUSTED } else { 0 };
    let domain = NewDomain {
        name: *Short::of(component.name.as_bytes()).padded(),
        flags: with,
        account: account as u64,
        isolation: component.isolation.mechanism() as u64,
        within: task.map_or(0, DomainId::word),
        switch: component.switch.how() as u64,
        heals: component.heals as u64,
    };
    domains::create(Alleged::lend(&domain))?.meant()
}
/// Where a program is in its domain's address space.
struct Placed {
    entry: usize,
    /// Top of its first thread's stack.
    stack: usize,
}
/// Puts a program where it was linked for, in an address space of its own.
fn put(domain: DomainNumber, Program { image, from }: &Program) -> Result<Placed> {
    for segment in image.segments.iter().take(image.segment_count as usize) {
        let (va, filled) = (segment.va as usize, (segment.file_bytes as usize).next_multiple_of(PAGE));
        let rights = PageRights(segment.rights as usize);
        match *from {
            _ if segment.file_bytes == 0 => {}
            From::Archive(_) => {
                let (offset, bytes) = (segment.offset as usize, segment.file_bytes as usize);
                memory::map_image(domain, Address(va), offset, bytes, rights)?;
            }
            From::Pages(pages) => {
                copies(domain, va, pages.get(segment.offset as usize..).unwrap_or(&[]), filled, rights)?
            }
        }
        let rest = (segment.memory_bytes as usize).saturating_sub(filled);
        if rest > 0 {
            memory::map(domain, Address(va + filled), rest, rights)?;
        }
    }
    memory::set_heap(domain, Address(image.heap as usize))?;
    memory::map(domain, Address(IMAGE_VA - MAIN_STACK), MAIN_STACK, Rights::READ_WRITE.into())?;
    Ok(Placed { entry: image.entry as usize, stack: IMAGE_VA })
}
/// Copies of `bytes` bytes of init's own pages, each made at the first write of either. `EINVAL`: there are not so many.
fn copies(domain: DomainNumber, va: usize, pages: &[u8], bytes: usize, PageRights(rights): PageRights) -> Result<()> {
    let pages = pages.get(..bytes).ok_or(Error::EINVAL)?;
    for (n, page) in pages.chunks(PAGE).enumerate() {
        let done = pebble::portal::call(MAP_PAGE, [domain.0, va + n * PAGE, page.as_ptr() as usize, rights]);
        abi::error::check(done)?;
    }
    Ok(())
}
/// Puts a program where its task's address space has room. What lies between its segments, and behind what the archive has of them, is zero.
fn put_in_task(domain: DomainNumber, program: &Program) -> Result<Placed> {
    let (image, From::Archive(at)) = (program.image, &program.from) else { return Err(Error::ENOTSUP) };
    let (linked, end) = (image.start() as usize, image.heap as usize);
    let start = memory::stack_for(domain, end - linked)?.0 - (end - linked);
    for (n, segment) in image.segments.iter().take(image.segment_count as usize).enumerate() {
        if segment.file_bytes > 0 {
            memory::place(domain, *at, n, Address(start))?;
        }
    }
    let stack = memory::stack_for(domain, MAIN_STACK)?.0;
    Ok(Placed { entry: image.entry as usize - linked + start, stack })
}
/// Lets a domain open (right 0) or provide (1) what matches a pattern.
pub fn allow(asid: usize, pattern: &str, right: usize) -> Result<()> {
    names::allow(DomainNumber(asid), Alleged::lend(&Name::of(pattern)?), right)
}
#[inline(never)]
fn fill(
    domain: DomainId,
    component: &Component,
    in_task: bool,
    program: &Program,
    request: &Request,
) -> Result<Loaded> {
    // Nobody else's as long as it is being made.
    let asid = domain.number();
    let placed = if in_task { put_in_task(DomainNumber(asid), program) } else { put(DomainNumber(asid), program) }?;
    let devices = devices(domain, component)?;
    for (patterns, right) in [(&component.opens, 0), (&component.provides, 1)] {
        for pattern in patterns {
            allow(asid, pattern, right)?;
        }
    }
    let (start, bytes) = init_logic::start::block(placed.stack, MAIN_STACK / 2, request, &devices)?;
    for (n, piece) in bytes.chunks(NAMELEN).enumerate() {
        let piece = Short::of(piece);
        let (to, from) = (Address(start + n * NAMELEN), Alleged::lend_all(piece.bytes()));
        memory::write(DomainNumber(asid), to, from, piece.bytes().len())?;
    }
    Ok(Loaded { domain, entry: placed.entry, start })
}
fn devices(domain: DomainId, component: &Component) -> Result<Vec<StartDevice>> {
    let mut devices = Vec::new();
    for (n, name) in component.devices.iter().enumerate() {
        let found = {
            let lent = Short::of(name.as_bytes());
            memory::map_device(DomainNumber(domain.number()), n, Alleged::lend_all(lent.bytes()), name.len())?
        };
        let (bytes, source) = (found >> 16, found & 0xffff);
        if source != 0 {
            INTERRUPTS.lock().try_push(Interrupt { domain, device: n, source })?;
        }
        devices.try_push(StartDevice { address: (DEVICE_VA + n * DEVICE_STRIDE) as u64, bytes: bytes as u64 })?;
    }
    Ok(devices)
}
/// Starts its first thread. The interrupts of its devices are its own from here on: until then whoever drives them may run.
pub fn run(loaded: &Loaded, priority: u8) -> Result<()> {
    let Loaded { domain, entry, start } = *loaded;
    while let Some(Interrupt { device, source, .. }) = next_interrupt(domain) {
        interrupts::permit(DomainNumber(domain.number()), device, source)?;
    }
    domains::start(DomainNumber(domain.number()), Address(entry), Address(start), start, priority as usize).map(|_| ())
}
/// An interrupt of a component that is about to run.
fn next_interrupt(domain: DomainId) -> Option<Interrupt> {
    let mut all = INTERRUPTS.lock();
    let place = all.iter().position(|interrupt| interrupt.domain == domain)?;
    Some(all.swap_remove(place))
}
/// Gives up a component that does not run.
#[inline(always)]
pub fn discard(domain: DomainId) {
    while next_interrupt(domain).is_some() {}
    let _ = domains::destroy(domain.into());
}
