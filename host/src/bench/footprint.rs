//! What the system takes: every frame that the minimal system uses once it runs, by what it is used for.
//!
//! The image says what its pages hold. Frames that were taken later are found as the hart would find them, in the RAM of
//! the machine: page tables from their roots, and what they map; the nucleus's pages by where the portal manager sees
//! them. The memory manager's own count is what all of it must add up to.

use super::row::{self, Row};
use crate::qemu::{self, Machine};
use crate::{build, system};
use abi::address::*;
use abi::nucleus::domain;
use anyhow::{Context, Result, bail};
use arch::Marks;
use arch::paging::{AddressSpace, ENTRIES, Entry, LEVELS};
use image::{Image, PAGE_TABLES, Parts};
use manifest::Role;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

const PROGRAM: &str = "apps/bench/footprint.c";
/// One more small domain.
const NEIGHBOUR: &str = "apps/bench/neighbour.c";
/// Uses of which one more domain takes some that are no frames of its own.
const CODE: &str = "portals' code";
const ARCHIVE: &str = "archive";
/// What its pages are called; they are not counted.
const OWN: &str = "measuring program";
/// The last row that the program prints.
const LAST: &str = "measure=promised value=";

fn bytes(operation: &str, measure: &str, value: usize) -> Row {
    Row {
        table: "footprint".into(),
        operation: operation.into(),
        measure: measure.into(),
        value: value as u64,
        unit: "bytes".into(),
        system: "pebble".into(),
        ..Row::default()
    }
}

/// The machine's RAM.
struct Ram(Vec<u8>);
impl Ram {
    fn read(&self, pa: usize) -> u64 {
        let at = pa.wrapping_sub(RAM_BASE);
        self.0.get(at..at.wrapping_add(8)).map_or(0, |b| u64::from_le_bytes(b.try_into().unwrap()))
    }
    /// Calls `visit` with address, entry and level of each entry below `root` whose address is below `end`.
    fn walk(&self, root: usize, end: usize, visit: &mut impl FnMut(usize, Entry, usize)) {
        self.walk_table(root, LEVELS - 1, 0, end, visit);
    }
    fn walk_table(
        &self,
        table: usize,
        level: usize,
        base: usize,
        end: usize,
        visit: &mut impl FnMut(usize, Entry, usize),
    ) {
        for n in 0..ENTRIES {
            let va = base + (n << (12 + 9 * level));
            let entry = Entry::of(self.read(table + 8 * n));
            if !entry.is_present() || va >= end {
                continue;
            }
            let leaf = entry.is_page();
            visit(va, entry, if leaf { 0 } else { level });
            if !leaf && level > 0 {
                self.walk_table(entry.address(), level - 1, va, end, visit);
            }
        }
    }
    /// Where portal code ends, from the start of its region: it goes on, behind the image's own, up to the last word that is not zero.
    fn code_end(&self) -> usize {
        let code = &self.0[IMAGE_BASE - RAM_BASE..CODE_END - RAM_BASE];
        code.iter().rposition(|&b| b != 0).map_or(0, |at| at + 1)
    }
    /// ASID and root table of the domain whose block begins at `pa`, as its record says.
    fn domain(&self, pa: usize) -> Option<(usize, usize)> {
        let field = |offset: i32| self.read((pa + domain::TABLE).wrapping_add_signed(offset as isize)) as usize;
        let (asid, root) = (field(domain::ASID), physical(field(domain::ROOT)));
        let is = asid != 0
            && root.is_multiple_of(PAGE)
            && field(domain::SPACE) as u64 == AddressSpace::new(root, asid).word();
        is.then_some((asid, root))
    }
}

/// Frames by what they are for; the first answer for a frame stands.
#[derive(Default)]
struct Frames(BTreeMap<usize, String>);
impl Frames {
    fn add(&mut self, pa: usize, what: &str) {
        self.0.entry(pa / PAGE).or_insert_with(|| what.into());
    }
    fn count(&self, what: &str) -> usize {
        self.0.values().filter(|w| *w == what).count()
    }
}

/// What a mapped page of a component is, by its address.
fn kind(component: &str, va: usize) -> String {
    match va {
        _ if va >= SERVICE_VA => "service stacks".into(),
        _ if !(IMAGE_VA..STACK_FLOOR).contains(&va) => "stacks".into(),
        _ => format!("{component}, heap"),
    }
}

/// Who uses each frame from the end of the image on. `own` is the ASID of the program that measures: its pages are not
/// the system's, but what it takes to have a domain is.
fn classify(image: &Image, ram: &Ram, own: usize) -> Result<Frames> {
    let mut frames = Frames::default();
    let manager = image.roots.iter().find(|(_, role, _)| *role == Role::Portals);
    let manager = manager.context("a system without a portal manager")?.2;
    let mut nucleus = BTreeSet::new();
    ram.walk(manager, usize::MAX, &mut |va, entry, level| {
        let pa = entry.address();
        if level == 0 && va == nucleus_view(pa) && pa >= image.end {
            nucleus.insert(pa);
        }
    });
    let mut roots: Vec<(&str, usize)> = image.roots.iter().map(|(name, _, root)| (&name[..], *root)).collect();
    for &pa in &nucleus {
        if let Some((asid, root)) = ram.domain(pa) {
            roots.push((if asid == own { OWN } else { "others" }, root));
            (0..domain::PAGES).for_each(|n| frames.add(pa + n * PAGE, "domain blocks"));
        }
    }
    for &pa in &nucleus {
        frames.add(pa, "threads");
    }
    let mut visit_later = Vec::new();
    for (component, root) in roots {
        frames.add(root, PAGE_TABLES);
        ram.walk(root, MEMORY_VIEW, &mut |va, entry, level| {
            let pa = entry.address();
            if level > 0 {
                frames.add(pa, PAGE_TABLES);
            } else if pa >= image.end && !(WINDOW_VA..COMMON_VA).contains(&va) && !entry.has(Marks::FOREIGN) {
                visit_later.push((pa, if component == OWN { OWN.into() } else { kind(component, va) }));
            }
        });
        // The tables of what lies above, which the walk does not follow into RAM.
        ram.walk(root, usize::MAX, &mut |va, entry, level| {
            if (MEMORY_VIEW..1 << 38).contains(&va) && level > 0 {
                frames.add(entry.address(), PAGE_TABLES);
            }
        });
    }
    for (pa, what) in visit_later {
        frames.add(pa, &what);
    }
    frames.0.retain(|&frame, _| frame * PAGE >= image.end);
    Ok(frames)
}

/// Bytes of the image and of the frames taken since, by what they are used for.
fn uses(image: &Image, ram: &Ram, own: usize, used: usize) -> Result<BTreeMap<String, usize>> {
    let frames = classify(image, ram, own)?;
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for (what, range) in &image.uses {
        *uses.entry(what.clone()).or_default() += range.len();
    }
    for what in frames.0.values().collect::<BTreeSet<_>>() {
        *uses.entry(what.clone()).or_default() += frames.count(what) * PAGE;
    }
    // What no table maps is the memory manager's own.
    let rest = used.checked_sub(frames.0.len()).context("more frames are mapped than the memory manager has given")?;
    *uses.entry("memory, tables".into()).or_default() += rest * PAGE;
    uses.insert("nucleus, code".into(), image.code.0);
    uses.insert(CODE.into(), ram.code_end().next_multiple_of(PAGE) - image.code.0);
    uses.remove(OWN);
    Ok(uses)
}

/// What the minimal system takes.
struct Taken {
    /// Bytes by what they are used for.
    uses: BTreeMap<String, usize>,
    /// Bytes that stacks and heaps may still take.
    promised: usize,
    /// Bytes of the image.
    image: usize,
    /// Where portal code ends, from the start of its region.
    code_end: usize,
}
impl Taken {
    fn total(&self) -> usize {
        self.uses.values().sum()
    }
    fn of(&self, what: &str) -> usize {
        self.uses.get(what).copied().unwrap_or(0)
    }
}

/// Boots the minimal system with a program in place of its application, which asks the memory manager, and with one more small domain
/// if that is wanted.
fn boot(root: &Path, neighbour: bool) -> Result<Taken> {
    let mut system = system::load(root, "minimal")?;
    let mut program = system.components.pop().context("systems/minimal.toml has no component")?;
    if neighbour {
        let mut small = program.clone();
        small.name = "neighbour".into();
        (small.image, small.path) = (NEIGHBOUR.into(), NEIGHBOUR.into());
        small.provides = vec!["neighbour.*".into()];
        system.components.push(small);
    }
    (program.image, program.path) = (PROGRAM.into(), PROGRAM.into());
    program.opens.push("memory.info".into());
    system.components.push(program);
    let (nucleus, programs) = build::build(root, &build::sources(&system.components))?;
    let parts = Parts {
        system: &system,
        nucleus: &nucleus,
        programs,
        files: Vec::new(),
        sstc: true,
        cycles_per_time: 0,
        ram_bytes: 0,
    };
    let image = image::build(&parts)?;
    let machine = Machine { timeout: Some(Duration::from_secs(60)), ..Machine::default() };
    let (output, ram) = qemu::snapshot(&image, &machine, LAST)?;
    let said = row::parse(&output)?;
    let [own, used, promised] = said.iter().map(|r| r.value as usize).collect::<Vec<_>>()[..] else {
        bail!("{PROGRAM} said:\n{output}");
    };
    let ram = Ram(ram);
    let uses = uses(&image, &ram, own, used)?;
    Ok(Taken { uses, promised: promised * PAGE, image: image.bytes.len(), code_end: ram.code_end() })
}

/// The rows of the minimal system, and of what one more small domain takes of each kind. What of its image is not written stays in the archive.
pub fn measure(root: &Path) -> Result<Vec<Row>> {
    let (alone, more) = (boot(root, false)?, boot(root, true)?);
    let mut kinds: Vec<(&String, usize)> = alone.uses.iter().map(|(what, &bytes)| (what, bytes)).collect();
    kinds.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let rows = kinds.into_iter().map(|(what, count)| match what.split_once(", ") {
        Some((component, kind)) => bytes(component, kind, count),
        None => bytes(what, "total", count),
    });
    let [code, image] = [CODE, ARCHIVE].map(|what| more.of(what) - alone.of(what));
    let whole = [
        bytes("minimal-system", "total", alone.total()),
        bytes("minimal-system", "promised", alone.promised),
        bytes("minimal-system", "image", alone.image),
        bytes("small-domain", "frames", more.total() - alone.total() - code - image),
        bytes("small-domain", "code", more.code_end - alone.code_end),
        bytes("small-domain", "promised", more.promised - alone.promised),
        bytes("small-domain", "image", image),
    ];
    // And what its frames are.
    let kinds: BTreeSet<&String> = alone.uses.keys().chain(more.uses.keys()).collect();
    let kinds = kinds.into_iter().filter(|what| ![CODE, ARCHIVE].contains(&what.as_str()));
    let added = kinds.map(|what| (what, more.of(what).saturating_sub(alone.of(what)))).filter(|&(_, count)| count > 0);
    let added = added.map(|(what, count)| bytes("small-domain", what, count));
    Ok(rows.chain(whole).chain(added).collect())
}
