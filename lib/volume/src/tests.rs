//! Volumes on a disk in memory: what was synced is there after the power was cut at any write.

use super::*;
use abi::file::kind;
use std::cell::RefCell;
use std::rc::Rc;

const BYTES: usize = 32 << 20;
/// A disk, and how many more writes it does before its power is cut.
#[derive(Clone)]
pub(crate) struct Memory(Rc<RefCell<(Vec<u8>, usize)>>);
// SAFETY: the tests have one thread each.
unsafe impl Send for Memory {}
impl BlockIo for Memory {
    fn write(&mut self, from: &[u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        let (bytes, left) = &mut *self.0.borrow_mut();
        if *left == 0 {
            return Err(Ext4Error::io());
        }
        *left -= 1;
        let at = sector.raw() as usize * 512;
        bytes[at..at + from.len()].copy_from_slice(from);
        Ok(())
    }
    fn read(&mut self, to: &mut [u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        let block = sector.raw() as usize / 8;
        READ.with_borrow_mut(|read| read.push(block));
        if UNREADABLE.with_borrow(|blocks| blocks.contains(&block)) {
            return Err(Ext4Error::io());
        }
        let at = sector.raw() as usize * 512;
        to.copy_from_slice(&self.0.borrow().0[at..at + to.len()]);
        Ok(())
    }
    fn geometry(&self) -> DeviceGeometry {
        DeviceGeometry::new(512, (BYTES / 512) as u64)
    }
    fn capabilities(&self) -> DeviceCapabilities {
        DeviceCapabilities { flush: true, ..DeviceCapabilities::default() }
    }
    fn flush(&mut self) -> Ext4Result<()> {
        Ok(())
    }
}
std::thread_local! {
    /// Blocks that a test's disk can not read, and those that were read.
    static UNREADABLE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    pub(crate) static READ: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}
pub(crate) struct Still;
impl Clock for Still {
    fn now(&self) -> Ext4Result<Ext4Timestamp> {
        Ok(Ext4Timestamp::new(1, 0))
    }
}
pub(crate) struct Four;
impl EntropySource for Four {
    fn fill_bytes(&mut self, to: &mut [u8]) -> Ext4Result<()> {
        to.fill(4);
        Ok(())
    }
}
pub(crate) fn empty() -> Memory {
    Memory(Rc::new(RefCell::new((vec![0; BYTES], usize::MAX))))
}
pub(crate) fn fresh() -> Memory {
    format(empty(), Still).unwrap()
}
/// Disks with small blocks and with large ones.
pub(crate) fn both() -> [Memory; 2] {
    [SMALL_BLOCK, LARGE_BLOCK].map(|block_size| format_in_blocks(empty(), Still, block_size).unwrap())
}
pub(crate) fn mount(disk: &Memory) -> Volume<Memory, Four> {
    Volume::mount(disk.clone(), Still, Four).unwrap()
}
pub(crate) const NEW: usize = flags::READ_WRITE | flags::CREATE;
pub(crate) fn put<D: BlockIo>(volume: &mut Volume<D, Four>, path: &str, bytes: &[u8]) -> Result<()> {
    let mut open = volume.open(path, NEW | flags::TRUNCATE, Owner::NOBODY)?;
    let written = volume.write(&mut open, bytes).map(|_| ());
    volume.close(open).and(written)
}
pub(crate) fn get<D: BlockIo>(volume: &mut Volume<D, Four>, path: &str) -> Result<Vec<u8>> {
    let mut open = volume.open(path, flags::READ_ONLY, Owner::NOBODY)?;
    let mut bytes = vec![0; volume.status_of(&open)?.bytes as usize + 1];
    let count = volume.read(&mut open, &mut bytes)?;
    bytes.truncate(count);
    volume.close(open)?;
    Ok(bytes)
}
#[test]
fn files_and_directories_last() {
    let disk = fresh();
    let mut volume = mount(&disk);
    volume.make_directory("a", Owner::NOBODY).unwrap();
    let long: Vec<u8> = (0..300_000u32).map(|n| (n * 7) as u8).collect();
    put(&mut volume, "a/long", &long).unwrap();
    put(&mut volume, "old", b"x").unwrap();
    volume.rename("old", "a/new", Owner::NOBODY).unwrap();
    volume.unmount().unwrap();
    let mut volume = mount(&disk);
    assert_eq!(get(&mut volume, "/a/long"), Ok(long));
    assert_eq!((get(&mut volume, "a/new"), get(&mut volume, "old")), (Ok(b"x".to_vec()), Err(Error::ENOENT)));
    let mut open = volume.open("a", 0, Owner::NOBODY).unwrap();
    let mut names = Vec::new();
    while let Some((name, status)) = volume.next(&mut open, |_| true).unwrap() {
        names.push((name, status.bytes));
    }
    names.sort();
    assert_eq!(names, [("long".to_string(), 300_000), ("new".to_string(), 1)]);
}
#[test]
fn errors_are_those_of_files() {
    let mut volume = mount(&fresh());
    volume.make_directory("d", Owner::NOBODY).unwrap();
    put(&mut volume, "d/f", b"x").unwrap();
    assert_eq!(volume.open("none", 0, Owner::NOBODY).unwrap_err(), Error::ENOENT);
    assert_eq!(volume.open("d", NEW, Owner::NOBODY).unwrap_err(), Error::EISDIR);
    assert_eq!(volume.open("d/f/x", NEW, Owner::NOBODY).unwrap_err(), Error::ENOTDIR);
    assert_eq!(volume.open("d/f", NEW | flags::EXCLUSIVE, Owner::NOBODY).unwrap_err(), Error::EEXIST);
    assert_eq!(volume.open("../x", 0, Owner::NOBODY).unwrap_err(), Error::EINVAL);
    assert_eq!(volume.make_directory("d", Owner::NOBODY), Err(Error::EEXIST));
    assert_eq!(volume.remove_directory("d"), Err(Error::ENOTEMPTY));
    assert_eq!(volume.unlink("d"), Err(Error::EISDIR));
    assert_eq!((volume.unlink("none"), volume.remove_directory("none")), (Err(Error::ENOENT), Err(Error::ENOENT)));
    assert_eq!((volume.unlink("d/f/x"), volume.remove_directory("d/f")), (Err(Error::ENOTDIR), Err(Error::ENOTDIR)));
}
#[test]
fn what_is_open_stays_when_its_name_goes() {
    let mut volume = mount(&fresh());
    put(&mut volume, "f", b"still here").unwrap();
    let free = volume.space().free;
    let mut open = volume.open("f", 0, Owner::NOBODY).unwrap();
    volume.unlink("f").unwrap();
    let mut bytes = [0; 20];
    assert_eq!((volume.read(&mut open, &mut bytes), &bytes[..5]), (Ok(10), &b"still"[..]));
    volume.close(open).unwrap();
    assert!(volume.space().free > free);
}
#[test]
fn what_is_opened_once_more_is_read_at_a_place_of_its_own_and_stays_without_its_name() {
    let mut volume = mount(&fresh());
    put(&mut volume, "f", b"still here").unwrap();
    let [mut open, written, root] =
        [("f", 0), ("f", flags::WRITE_ONLY), ("", 0)].map(|(path, how)| volume.open(path, how, Owner::NOBODY).unwrap());
    let mut bytes = [0; 20];
    volume.read(&mut open, &mut bytes).unwrap();
    let mut other = volume.reopen(&open, Owner::NOBODY).unwrap();
    for open in [open, written] {
        volume.close(open).unwrap();
    }
    volume.unlink("f").unwrap();
    assert_eq!((volume.read(&mut other, &mut bytes), &bytes[..5]), (Ok(10), &b"still"[..]));
    assert_eq!(volume.write(&mut other, b"x"), Err(Error::EBADF));
    assert_eq!(volume.reopen(&root, Owner::NOBODY).map(|_| ()), Err(Error::EISDIR));
    volume.close(other).unwrap();
}
#[test]
fn what_is_not_open_for_reading_is_not_opened_once_more() {
    let mut volume = mount(&fresh());
    let written = volume.open("f", flags::WRITE_ONLY | flags::CREATE, Owner::NOBODY).unwrap();
    assert_eq!(volume.reopen(&written, Owner::NOBODY).map(|_| ()), Err(Error::EBADF));
}
#[test]
fn a_full_disk_is_an_error_and_what_is_there_stays() {
    let mut volume = mount(&fresh());
    put(&mut volume, "first", b"kept").unwrap();
    let megabyte = vec![7; 1 << 20];
    let full = (0..BYTES >> 20).find_map(|n| put(&mut volume, &format!("{n}"), &megabyte).err());
    assert_eq!(full, Some(Error::ENOSPC));
    assert_eq!(get(&mut volume, "first"), Ok(b"kept".to_vec()));
}
#[test]
fn what_was_synced_is_there_after_the_power_was_cut_at_any_write() {
    both().iter().for_each(cut_at_any_write);
}
fn cut_at_any_write(disk: &Memory) {
    let mut volume = mount(disk);
    put(&mut volume, "synced", b"for good").unwrap();
    volume.unmount().unwrap();
    let before = disk.0.borrow().0.clone();
    for left in (0..400).step_by(3) {
        *disk.0.borrow_mut() = (before.clone(), left);
        let mut synced = 0;
        if let Ok(mut volume) = Volume::mount(disk.clone(), Still, Four) {
            for n in 0..20 {
                if put(&mut volume, &format!("file{n}"), &vec![n as u8; 9000]).and_then(|()| volume.sync()).is_err() {
                    break;
                }
                synced = n + 1;
            }
        }
        disk.0.borrow_mut().1 = usize::MAX;
        let mut volume = mount(disk);
        assert_eq!(get(&mut volume, "synced"), Ok(b"for good".to_vec()), "after {left} writes");
        for n in 0..synced {
            assert_eq!(get(&mut volume, &format!("file{n}")), Ok(vec![n as u8; 9000]), "after {left} writes");
        }
    }
}
#[test]
fn what_was_synced_is_there_after_cuts_that_meet_the_mount_behind_a_cut() {
    // A run that is cut at some write; its disk, and how many files were synced.
    let begun = |left, disk: Memory| {
        let mut volume = mount(&disk);
        volume.make_directory("kept", Owner::NOBODY).unwrap();
        disk.0.borrow_mut().1 = left;
        let keep = |n: &u8, volume: &mut Volume<Memory, Four>| {
            put(volume, &format!("kept/{n}"), &[*n; 9000]).and_then(|()| volume.sync())
        };
        let synced = (0..30u8).take_while(|n| keep(n, &mut volume).is_ok()).count() as u8;
        let bytes = disk.0.borrow().0.clone();
        (bytes, synced)
    };
    for ((left, step), disk) in [(100, 5), (301, 5)].into_iter().zip(both()) {
        let (bytes, synced) = begun(left, disk);
        for cut in (0..200).step_by(step) {
            let disk = Memory(Rc::new(RefCell::new((bytes.clone(), cut))));
            let whole = Volume::mount(disk.clone(), Still, Four).is_ok();
            disk.0.borrow_mut().1 = usize::MAX;
            let mut volume = mount(&disk);
            for n in 0..synced {
                let found = get(&mut volume, &format!("kept/{n}"));
                assert_eq!(found, Ok(vec![n; 9000]), "file {n} of {synced}, cut after {left} and {cut} writes");
            }
            if whole {
                break;
            }
        }
    }
}

/// What a program might do with three files, and what must be in them.
struct Model {
    volume: Volume<Memory, Four>,
    files: [Vec<u8>; 3],
    random: u64,
}
impl Model {
    fn below(&mut self, most: usize) -> usize {
        // xorshift (Marsaglia, 2003).
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 20) as usize % most
    }
    fn step(&mut self) -> Result<()> {
        let n = self.below(3);
        let name = ["a", "b", "c"][n];
        let mut open = self.volume.open(name, NEW, Owner::NOBODY)?;
        let at = self.below(5 << 20) / if self.below(3) == 0 { 1 } else { 4096 } * 4096 % (5 << 20);
        match self.below(16) {
            0 => {
                self.volume.truncate(&open, at as u64)?;
                self.files[n].resize(at, 0);
            }
            1 => {
                self.volume.unlink(name)?;
                self.files[n].clear();
            }
            2 => self.volume.sync()?,
            3 => {
                let before = self.volume.status_of(&open)?;
                self.volume.seek(&mut open, 0, whence::START)?;
                self.volume.write(&mut open, b"other")?;
                assert_ne!(self.volume.status_of(&open)?.version, before.version, "other contents, another version");
                let length = self.files[n].len().max(5);
                self.files[n].resize(length, 0);
                self.files[n][..5].copy_from_slice(b"other");
            }
            4..10 => {
                let count = if self.below(2) == 0 { 4096 } else { self.below(9000) + 1 };
                let bytes: Vec<u8> = (0..count).map(|k| (k as u64 * 31 + self.random) as u8).collect();
                self.volume.seek(&mut open, at as isize, whence::START)?;
                assert_eq!(self.volume.write(&mut open, &bytes)?, count);
                let length = self.files[n].len().max(at + count);
                self.files[n].resize(length, 0);
                self.files[n][at..at + count].copy_from_slice(&bytes);
            }
            _ => {
                let mut bytes = vec![0; self.below(40_000) + 1];
                self.volume.seek(&mut open, at as isize, whence::START)?;
                let count = self.volume.read(&mut open, &mut bytes)?;
                let end = self.files[n].len();
                assert_eq!(bytes[..count], self.files[n][at.min(end)..(at + bytes.len()).min(end)]);
            }
        }
        self.volume.close(open)
    }
}
#[test]
fn files_are_what_was_written_whatever_the_cache_has() {
    for (seed, disk) in (1..5).zip(both().into_iter().chain(both())) {
        let mut model = Model { volume: mount(&disk), files: Default::default(), random: seed * 0x9E37_79B9 };
        for _ in 0..1500 {
            model.step().unwrap();
        }
        model.volume.sync().unwrap();
        let Model { volume, files, .. } = model;
        drop(volume);
        let mut volume = mount(&disk);
        for (name, bytes) in ["a", "b", "c"].into_iter().zip(files) {
            match volume.status_at(name, Last::Followed) {
                Ok(_) => {
                    let there = get(&mut volume, name).unwrap();
                    let other = there.iter().zip(&bytes).position(|(one, other)| one != other);
                    assert_eq!((there.len(), other), (bytes.len(), None), "{name}, run {seed}");
                }
                Err(error) => assert_eq!((error, bytes.len()), (Error::ENOENT, 0)),
            }
        }
    }
}
#[test]
fn what_is_in_the_cache_alone_of_a_file_that_goes_is_not_in_the_next_one() {
    let disk = fresh();
    let mut volume = mount(&disk);
    put(&mut volume, "old", &[1; 3 * 4096]).unwrap();
    put(&mut volume, "new", &[]).unwrap();
    let mut open = volume.open("old", flags::READ_WRITE, Owner::NOBODY).unwrap();
    volume.write(&mut open, &[2; 3 * 4096]).unwrap();
    volume.unlink("old").unwrap();
    volume.close(open).unwrap();
    put(&mut volume, "next", &[3; 2 * 4096]).unwrap();
    volume.sync().unwrap();
    let mut volume = mount(&disk);
    assert_eq!(get(&mut volume, "next").unwrap(), [3; 2 * 4096]);
}
#[test]
fn a_full_disk_takes_what_has_its_place_already() {
    let disk = fresh();
    let mut volume = mount(&disk);
    put(&mut volume, "placed", &[1; 64 * 4096]).unwrap();
    let mut n = 0;
    while put(&mut volume, &format!("filler{n}"), &vec![9; 1 << 20]).is_ok() {
        n += 1;
    }
    put(&mut volume, "placed", &[2; 64 * 4096]).ok();
    let mut open = volume.open("placed", flags::READ_WRITE, Owner::NOBODY).unwrap();
    let count = volume.status_of(&open).unwrap().bytes as usize;
    volume.write(&mut open, &vec![5; count]).unwrap();
    volume.sync().unwrap();
    assert_eq!(get(&mut mount(&disk), "placed").unwrap(), vec![5; count]);
}
#[test]
fn a_page_that_can_not_be_written_keeps_no_other_from_the_disk() {
    let disk = fresh();
    let mut volume = mount(&disk);
    put(&mut volume, "bad", b"").unwrap();
    put(&mut volume, "good", &[1; 4096]).unwrap();
    // So many pieces that what says where they are has blocks of its own.
    let mut bad = volume.open("bad", flags::READ_WRITE, Owner::NOBODY).unwrap();
    for n in 0..600 {
        volume.seek(&mut bad, n * 8192, whence::START).unwrap();
        volume.write(&mut bad, &[1; 4096]).unwrap();
    }
    volume.close(bad).unwrap();
    (0..100).for_each(|n| put(&mut volume, &format!("other{n}"), &[9; 8192]).unwrap());
    volume.unmount().unwrap();

    let mut volume = mount(&disk);
    let [mut bad, mut good] = ["bad", "good"].map(|name| volume.open(name, flags::READ_WRITE, Owner::NOBODY).unwrap());
    READ.with_borrow_mut(Vec::clear);
    volume.write(&mut bad, &[1; 4096]).unwrap();
    let extents = READ.take();
    volume.write(&mut good, &[1; 4096]).unwrap();
    // The file system's own caches have seen other blocks since.
    (0..100).for_each(|n| _ = get(&mut volume, &format!("other{n}")).unwrap());
    volume.sync().unwrap();
    for file in [&mut bad, &mut good] {
        volume.seek(file, 0, whence::START).unwrap();
        volume.write(file, &[2; 4096]).unwrap();
    }
    UNREADABLE.set(extents);
    put(&mut volume, "third", &[7; 100]).unwrap();
    assert_eq!(volume.sync(), Err(Error::EIO));
    UNREADABLE.take();
    let mut volume = mount(&disk);
    assert_eq!((get(&mut volume, "good"), get(&mut volume, "third")), (Ok(vec![2; 4096]), Ok(vec![7; 100])));
}
/// Other bytes at each use.
struct Counted(Rc<RefCell<u8>>);
impl Memory {
    /// It does so many more writes.
    pub(crate) fn power(&self, writes: usize) {
        self.0.borrow_mut().1 = writes;
    }
    pub(crate) fn contents(&self) -> Vec<u8> {
        self.0.borrow().0.clone()
    }
    /// What is at this byte is this.
    pub(crate) fn change(&self, at: usize, bytes: &[u8]) {
        self.0.borrow_mut().0[at..at + bytes.len()].copy_from_slice(bytes);
    }
}
// SAFETY: the tests have one thread each.
unsafe impl Send for Counted {}
impl EntropySource for Counted {
    fn fill_bytes(&mut self, to: &mut [u8]) -> Ext4Result<()> {
        *self.0.borrow_mut() += 1;
        to.fill(*self.0.borrow());
        Ok(())
    }
}
struct NoClock;
impl Clock for NoClock {
    fn now(&self) -> Ext4Result<Ext4Timestamp> {
        Ok(Ext4Timestamp::UNIX_EPOCH)
    }
}
#[test]
fn without_a_clock_contents_of_another_mount_have_another_number() {
    let (disk, drawn) = (fresh(), Rc::default());
    let mut volume = mount(&disk);
    put(&mut volume, "file", b"words").unwrap();
    volume.unmount().unwrap();
    let version = || {
        let mut volume = Volume::mount(disk.clone(), NoClock, Counted(Rc::clone(&drawn))).unwrap();
        let version = volume.status_at("file", Last::Followed).unwrap().version;
        volume.unmount().unwrap();
        version
    };
    assert_ne!(version(), version());
}
/// As programs write files that are to be whole, under another name first; the directory grows by it, at a rename, too.
#[test]
fn what_is_renamed_in_a_directory_may_make_it_grow() {
    const NAMES: usize = 1500;
    let disk = fresh();
    let mut volume = mount(&disk);
    volume.make_directory("kept", Owner::NOBODY).unwrap();
    volume.make_directory("directories", Owner::NOBODY).unwrap();
    for n in 0..NAMES {
        let (new, name) = (format!("kept/{n}.new"), format!("kept/{n}"));
        put(&mut volume, &new, name.as_bytes()).unwrap();
        assert_eq!(volume.rename(&new, &name, Owner::NOBODY), Ok(()), "{name}");
        let (new, name) = (format!("directories/{n}.new"), format!("directories/{n}"));
        volume.make_directory(&new, Owner::NOBODY).unwrap();
        assert_eq!(volume.rename(&new, &name, Owner::NOBODY), Ok(()), "{name}");
    }
    volume.unmount().unwrap();
    let mut volume = mount(&disk);
    for n in 0..NAMES {
        let (file, directory) = (format!("kept/{n}"), format!("directories/{n}"));
        assert_eq!(get(&mut volume, &file), Ok(file.clone().into_bytes()));
        assert_eq!(volume.status_at(&directory, Last::Followed).unwrap().kind, kind::DIRECTORY);
        for old in [file, directory].map(|name| name + ".new") {
            assert_eq!(volume.status_at(&old, Last::Followed).unwrap_err(), Error::ENOENT, "{old}");
        }
    }
}
