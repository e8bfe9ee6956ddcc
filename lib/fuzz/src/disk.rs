//! Images of disks that are broken: what mounts is read and written as any disk.

pub mod crafted;

use crate::Random;
use abi::Error;
use abi::account::{DiskPart, DiskParts};
use abi::file::flags;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use volume::{
    Clock, DeviceCapabilities, DeviceGeometry, Disk, EntropySource, Ext4Result, Ext4Timestamp, Failure, Owner,
    SectorId, Volume, format,
};

const SECTOR: usize = abi::block::SECTOR;
const BYTES: usize = 32 << 20;
type Sector = [u8; SECTOR];

/// A disk's first contents, which many share, and what was written since.
#[derive(Clone)]
struct Image {
    first: Arc<Vec<u8>>,
    since: Rc<RefCell<HashMap<usize, Sector>>>,
}
impl Image {
    fn over(first: Vec<u8>) -> Image {
        Image { first: Arc::new(first), since: Rc::default() }
    }
    fn sector(&self, n: usize) -> Sector {
        let first = || self.first[n * SECTOR..][..SECTOR].try_into().expect("a sector");
        self.since.borrow().get(&n).copied().unwrap_or_else(first)
    }
    fn put(&self, n: usize, bytes: Sector) {
        self.since.borrow_mut().insert(n, bytes);
    }
    fn whole(&self) -> Vec<u8> {
        (0..BYTES / SECTOR).flat_map(|n| self.sector(n)).collect()
    }
}
impl Disk for Image {
    fn read(&mut self, to: &mut [u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        let first = sector.raw() as usize;
        if first.checked_add(to.len() / SECTOR).is_none_or(|end| end > BYTES / SECTOR) {
            return Err(Failure::io());
        }
        to.chunks_mut(SECTOR).enumerate().for_each(|(n, to)| to.copy_from_slice(&self.sector(first + n)[..to.len()]));
        Ok(())
    }
    fn write(&mut self, from: &[u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        let first = sector.raw() as usize;
        if first.checked_add(from.len() / SECTOR).is_none_or(|end| end > BYTES / SECTOR) {
            return Err(Failure::io());
        }
        let whole = from.chunks_exact(SECTOR);
        whole.enumerate().for_each(|(n, from)| self.put(first + n, from.try_into().expect("a sector")));
        Ok(())
    }
    fn geometry(&self) -> DeviceGeometry {
        DeviceGeometry::new(SECTOR as u32, (BYTES / SECTOR) as u64)
    }
    fn capabilities(&self) -> DeviceCapabilities {
        DeviceCapabilities { flush: true, ..DeviceCapabilities::default() }
    }
    fn flush(&mut self) -> Ext4Result<()> {
        Ok(())
    }
}
struct Still;
impl Clock for Still {
    fn now(&self) -> Ext4Result<Ext4Timestamp> {
        Ok(Ext4Timestamp::new(1, 0))
    }
}
struct Four;
impl EntropySource for Four {
    fn fill_bytes(&mut self, to: &mut [u8]) -> Ext4Result<()> {
        to.fill(4);
        Ok(())
    }
}
type Mounted = Volume<Image, Four>;

/// Disks to break, each with the sectors that are not zeros: as it was left in order, as it was left in the middle of work, and both
/// without checksums, which would have most of what is broken refused at the first look.
struct Base {
    bytes: Arc<Vec<u8>>,
    used: Vec<usize>,
}
fn bases() -> &'static [Base] {
    static BASES: OnceLock<Vec<Base>> = OnceLock::new();
    BASES.get_or_init(|| {
        let mut all = Vec::new();
        for in_order in [true, false] {
            let disk = format(Image::over(vec![0; BYTES]), Still).expect("an empty disk");
            let mut volume = Volume::mount(disk.clone(), Still, Four).expect("it mounts");
            fill(&mut volume).expect("there is room");
            if in_order {
                volume.unmount().expect("it was in order");
            }
            let bytes = disk.whole();
            all.push(without_checksums(bytes.clone()));
            all.push(bytes);
        }
        let used = |bytes: &[u8]| {
            let sectors = bytes.chunks(SECTOR).enumerate();
            sectors.filter(|(_, sector)| sector.iter().any(|&byte| byte != 0)).map(|(n, _)| n).collect()
        };
        all.into_iter().map(|bytes| Base { used: used(&bytes), bytes: Arc::new(bytes) }).collect()
    })
}
/// A disk of ext4 whose metadata have no checksums, as those of who changes it would be right: clears the feature of the superblock, which is at byte
/// 1024 (ext4's disk layout, "The Super Block").
pub fn without_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    const FEATURES: usize = 1024 + 0x64;
    const METADATA_CSUM: u32 = 0x400;
    let word = u32::from_le_bytes(bytes[FEATURES..FEATURES + 4].try_into().expect("four bytes"));
    bytes[FEATURES..FEATURES + 4].copy_from_slice(&(word & !METADATA_CSUM).to_le_bytes());
    bytes
}
fn put(volume: &mut Mounted, path: &str, bytes: &[u8]) -> Result<(), Error> {
    let mut open = volume.open(path, flags::READ_WRITE | flags::CREATE, Owner::NOBODY)?;
    let written = volume.write(&mut open, bytes).map(|_| ());
    volume.close(open).and(written)
}
/// Files and directories of several kinds.
fn fill(volume: &mut Mounted) -> Result<(), Error> {
    volume.make_directory("a", Owner::NOBODY)?;
    volume.make_directory("a/b", Owner::NOBODY)?;
    for n in 0..100 {
        put(volume, &format!("a/file{n}"), &[n as u8; 700])?;
    }
    // With holes, so that it has many pieces.
    let mut open = volume.open("a/b/pieces", flags::READ_WRITE | flags::CREATE, Owner::NOBODY)?;
    for n in 0..400 {
        volume.seek(&mut open, n * 8192, abi::file::whence::START)?;
        volume.write(&mut open, &[n as u8; 100])?;
    }
    volume.close(open)?;
    put(volume, "long", &[1; 300_000])?;
    volume.sync()?;
    put(volume, "a/later", &[2; 9000])?;
    volume.make_link("a/link", "../long", Owner::NOBODY)?;
    volume.make_link("a/far", &format!("{}b/pieces", "b/../".repeat(60)), Owner::NOBODY)?;
    volume.unlink("a/file7")
}
/// Whether it mounted.
pub fn image(random: &mut Random) -> bool {
    let bases = bases();
    let base = &bases[random.below(bases.len())];
    let disk = Image { first: base.bytes.clone(), since: Rc::default() };
    for _ in 0..1 + random.below(6) {
        let n = if random.once_in(4) { 2 + random.below(2) } else { base.used[random.below(base.used.len())] };
        let mut sector = disk.sector(n);
        for _ in 0..1 + random.below(4) {
            let at = random.below(SECTOR);
            match random.below(4) {
                0 => sector[at] = random.word() as u8,
                1 => sector[at..].copy_from_slice(&disk.sector(base.used[random.below(base.used.len())])[at..]),
                _ => random.put_extreme(&mut sector[at & !3..]),
            }
        }
        disk.put(n, sector);
    }
    mounts(disk, random)
}
/// It is mounted, and used where it is.
fn mounts(disk: Image, random: &mut Random) -> bool {
    let Ok(mut volume) = Volume::mount(disk, Still, Four) else { return false };
    let mut parts = DiskParts::default();
    parts.0[1] = DiskPart { owner: 7, pages: 1000 };
    volume.share_out(&parts);
    volume.count();
    use_all(random, &mut volume, Owner::of(&parts, 1));
    true
}
/// What clients do. Any of it may fail.
fn use_all(random: &mut Random, volume: &mut Mounted, owner: Owner) {
    for directory in ["/", "a", "a/b", "lost+found"] {
        let Ok(mut open) = volume.open(directory, flags::DIRECTORY, owner) else { continue };
        for _ in 0..300 {
            let Ok(Some((name, _))) = volume.next(&mut open, |_| true) else { break };
            let path = format!("{directory}/{name}");
            if random.once_in(10) {
                let _ = read(random, volume, &path, owner);
            }
        }
        let _ = volume.close(open);
    }
    for path in ["long", "a/b/pieces", "a/file3", "new", "a/new", "a/link", "a/far"] {
        let _ = volume.read_link(path);
        let _ = write(random, volume, path, owner);
        let _ = read(random, volume, path, owner);
    }
    let _ = volume.make_directory("a/c", owner);
    let _ = volume.make_link("a/c/other", "../../a/link", owner);
    let _ = volume.rename("a/file4", "a/c/4", owner);
    let _ = volume.rename("a/file5", "long", owner);
    for path in ["a/b/pieces", "a/file3", "a/file8", "a/link", "a/far"] {
        let _ = volume.unlink(path);
    }
    let _ = volume.remove_directory("a/b");
    let _ = volume.sync();
    let _ = volume.space();
}
fn read(random: &mut Random, volume: &mut Mounted, path: &str, owner: Owner) -> Result<(), Error> {
    let mut open = volume.open(path, flags::READ_ONLY, owner)?;
    let mut bytes = vec![0; 10_000];
    for _ in 0..10 {
        let _ = volume.read(&mut open, &mut bytes);
        let _ = volume.seek(&mut open, random.below(4 << 20) as isize, abi::file::whence::START);
    }
    volume.close(open)
}
fn write(random: &mut Random, volume: &mut Mounted, path: &str, owner: Owner) -> Result<(), Error> {
    let mut open = volume.open(path, flags::READ_WRITE | flags::CREATE, owner)?;
    for _ in 0..4 {
        let _ = volume.seek(&mut open, random.below(4 << 20) as isize, abi::file::whence::START);
        let bytes = random.bytes(6000);
        let _ = volume.write(&mut open, &bytes);
    }
    let _ = volume.truncate(&open, random.below(1 << 20) as u64);
    volume.close(open)
}
