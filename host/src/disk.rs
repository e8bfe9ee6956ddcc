//! `./pebble disk`: disks for the machine, by the same code that reads them there.

use crate::foreign::Foreign;
use abi::file::kind;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use volume::{
    Clock, DeviceCapabilities, DeviceGeometry, Disk, EntropySource, Ext4Result, Ext4Timestamp, Failure, SectorId,
};
use volume::{Last, Owner, Volume, format};

#[derive(clap::Subcommand)]
pub enum Form {
    /// Make a disk with an empty file system (ext4) on it
    Create {
        file: PathBuf,
        /// Its size
        #[arg(long, value_name = "MIB", default_value_t = 64)]
        size: u64,
    },
    /// Copy a file of this machine to the disk, into directories that are made where they are missing
    Put { file: PathBuf, from: PathBuf, to: String },
    /// Copy a file of the disk to this machine
    Get { file: PathBuf, from: String, to: PathBuf },
    /// Say what is in a directory of the disk: bytes and names
    Ls {
        file: PathBuf,
        #[arg(default_value = "/")]
        path: String,
    },
    /// Read every file of the disk, after what its journal has was done
    Check { file: PathBuf },
}

/// Bytes of a sector.
const SECTOR: u64 = abi::block::SECTOR as u64;
/// Smallest and largest disk, in MiB.
const SIZES: std::ops::RangeInclusive<u64> = 32..=65_536;

/// A file as a disk.
#[derive(Clone)]
pub struct Image {
    file: Arc<File>,
    bytes: u64,
}
fn io<T>(result: std::io::Result<T>) -> Ext4Result<T> {
    result.map_err(|_| Failure::io())
}
impl Disk for Image {
    fn write(&mut self, from: &[u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        io(self.file.write_all_at(from, sector.raw() * SECTOR))
    }
    fn read(&mut self, to: &mut [u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        io(self.file.read_exact_at(to, sector.raw() * SECTOR))
    }
    fn geometry(&self) -> DeviceGeometry {
        DeviceGeometry::new(SECTOR as u32, self.bytes / SECTOR)
    }
    fn capabilities(&self) -> DeviceCapabilities {
        DeviceCapabilities { flush: true, ..DeviceCapabilities::default() }
    }
    fn flush(&mut self) -> Ext4Result<()> {
        io(self.file.sync_data())
    }
}
struct Now;
impl Clock for Now {
    fn now(&self) -> Ext4Result<Ext4Timestamp> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Ok(Ext4Timestamp::new(now.as_secs() as i64, now.subsec_nanos()))
    }
}
pub struct Random;
impl EntropySource for Random {
    fn fill_bytes(&mut self, to: &mut [u8]) -> Ext4Result<()> {
        use std::io::Read;
        io(File::open("/dev/urandom").and_then(|mut source| source.read_exact(to)))
    }
}
type Mounted<D> = Volume<D, Random>;

/// An error of the volume's, about a path.
fn about<T>(result: std::result::Result<T, abi::Error>, path: &str) -> Result<T> {
    result.map_err(|error| anyhow::anyhow!("{}: {}", Foreign::name(path), error.text()))
}
/// Makes a disk of so many MiB.
pub fn create(file: &Path, size: u64) -> Result<()> {
    if !SIZES.contains(&size) {
        bail!("--size {size}: it is between {} and {} MiB", SIZES.start(), SIZES.end());
    }
    let bytes = size << 20;
    let open = File::options().read(true).write(true).create_new(true).open(file);
    let image = Image { file: Arc::new(open.with_context(|| file.display().to_string())?), bytes };
    image.file.set_len(bytes)?;
    about(format(image, Now).map(|_| ()), &file.display().to_string())
}
/// The file system of a disk, which is to be [left](leave) in order.
pub fn mount<D: Disk + Clone>(disk: D) -> Result<Mounted<D>> {
    Volume::mount(disk, Now, Random).map_err(|why| anyhow::anyhow!("the disk: {why}"))
}
pub fn leave<D: Disk>(volume: Mounted<D>) -> Result<()> {
    about(volume.unmount(), "the disk")
}
fn mount_file(file: &Path) -> Result<Mounted<Image>> {
    let open = File::options().read(true).write(true).open(file).with_context(|| file.display().to_string())?;
    let bytes = open.metadata()?.len();
    mount(Image { file: Arc::new(open), bytes }).with_context(|| file.display().to_string())
}
/// Runs `body` on the disk in `file`, and leaves it in order.
pub fn with<T>(file: &Path, body: impl FnOnce(&mut Mounted<Image>) -> Result<T>) -> Result<T> {
    let mut volume = mount_file(file)?;
    let result = body(&mut volume);
    leave(volume).with_context(|| file.display().to_string())?;
    result
}
/// Puts a file on a disk, whole, in place of what is called `to`, with the directories on the way. Where that fails everything is as it was.
pub fn put(volume: &mut Mounted<Image>, bytes: &[u8], to: &str) -> Result<()> {
    let mut made = Vec::new();
    let placed = directories(volume, to, &mut made).and_then(|()| place(volume, bytes, to));
    if placed.is_err() {
        // What is in use is not removed.
        made.iter().rev().for_each(|directory| _ = volume.remove_directory(directory));
    }
    placed
}
/// Makes the directories on the way to a path that are not there; `made` has them.
fn directories<'a>(volume: &mut Mounted<Image>, to: &'a str, made: &mut Vec<&'a str>) -> Result<()> {
    for (end, _) in to.match_indices('/').filter(|(end, _)| *end > 0) {
        match volume.make_directory(&to[..end], Owner::NOBODY) {
            Ok(()) => made.push(&to[..end]),
            Err(abi::Error::EEXIST) => {}
            error => about(error, &to[..end])?,
        }
    }
    Ok(())
}
/// Writes a file beside `to`, and gives it that name when all of it is there. What is left of one that was stopped in the middle goes.
fn place(volume: &mut Mounted<Image>, bytes: &[u8], to: &str) -> Result<()> {
    use abi::file::flags::{CREATE, TRUNCATE, WRITE_ONLY};
    let beside = format!("{}.put", &to[..to.rfind('/').map_or(0, |at| at + 1)]);
    let mut open = about(volume.open(&beside, WRITE_ONLY | CREATE | TRUNCATE, Owner::NOBODY), &beside)?;
    let written = bytes.chunks(PIECE).try_for_each(|piece| match volume.write(&mut open, piece)? {
        count if count == piece.len() => Ok(()),
        _ => Err(abi::Error::ENOSPC),
    });
    let placed = volume.close(open).and(written).and_then(|()| volume.rename(&beside, to, Owner::NOBODY));
    if placed.is_err() {
        let _ = volume.unlink(&beside);
    }
    about(placed, to)
}
/// Bytes that are read from a disk at once.
const PIECE: usize = 1 << 20;
/// Has `take` what is in a file, in pieces by the byte at which each begins; between them are zeros. How many bytes the
/// file has. `before`: is told the first before anything is taken.
fn read<D: Disk>(
    volume: &mut Mounted<D>,
    from: &str,
    before: impl FnOnce(u64) -> Result<()>,
    mut take: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<u64> {
    let kind = about(volume.status_at(from, Last::Followed), from)?.kind;
    if kind != kind::FILE {
        bail!("{}: {}, no file", Foreign::name(from), named(kind));
    }
    let mut open = about(volume.open(from, 0, Owner::NOBODY), from)?;
    let pieces = || {
        let bytes = about(volume.status_of(&open), from)?.bytes;
        before(bytes)?;
        let mut piece = vec![0; PIECE];
        for placed in about(volume.placed(&open), from)? {
            let mut at = placed.start;
            about(volume.seek(&mut open, at as isize, abi::file::whence::START), from)?;
            while at < placed.end {
                let wanted = (placed.end - at).min(PIECE as u64) as usize;
                let count = about(volume.read(&mut open, &mut piece[..wanted]), from)?;
                if count == 0 {
                    bail!("{}: it has {bytes} bytes, and {at} can be read", Foreign::name(from));
                }
                take(at, &piece[..count])?;
                at += count as u64;
            }
        }
        Ok(bytes)
    };
    let read = pieces();
    about(volume.close(open), from)?;
    read
}
/// What is in a file that has no more bytes than the disk.
pub fn get<D: Disk>(volume: &mut Mounted<D>, from: &str) -> Result<Vec<u8>> {
    let (most, content) = (volume.space().all, std::cell::RefCell::new(Vec::new()));
    let before = |bytes| {
        if bytes > most {
            bail!("{}: it has {bytes} bytes, more than the disk", Foreign::name(from));
        }
        content.borrow_mut().resize(bytes as usize, 0);
        Ok(())
    };
    read(volume, from, before, |at, piece| {
        content.borrow_mut()[at as usize..][..piece.len()].copy_from_slice(piece);
        Ok(())
    })?;
    Ok(content.into_inner())
}
/// Copies a file to one of this machine, which has holes where that has, as far as such a one can.
fn copy(volume: &mut Mounted<Image>, from: &str, to: &Path) -> Result<()> {
    // Not before there is something to copy.
    let file = std::cell::OnceCell::new();
    let before = |bytes| {
        let open = File::create(to)?;
        if open.metadata()?.is_file() {
            open.set_len(bytes)?;
        }
        let _ = file.set(open);
        Ok(())
    };
    let mut end = 0;
    let mut write = |mut file: &File, at: u64, piece: &[u8]| -> std::io::Result<()> {
        use std::io::Write;
        if file.metadata()?.is_file() {
            return file.write_all_at(piece, at);
        }
        // To a pipe all goes that is there.
        while end < at {
            let zeros = (at - end).min(PIECE as u64);
            file.write_all(&vec![0; zeros as usize])?;
            end += zeros;
        }
        end = at + piece.len() as u64;
        file.write_all(piece)
    };
    let about = || to.display().to_string();
    let opened = || file.get().context("it is not open");
    let bytes =
        read(volume, from, before, |at, piece| write(opened()?, at, piece).with_context(about)).with_context(about)?;
    write(opened()?, bytes, &[]).with_context(about)
}
/// What is of this kind, for people.
fn named(kind: u64) -> &'static str {
    match kind {
        kind::FILE => "a file",
        kind::DIRECTORY => "a directory",
        kind::PIPE => "a pipe",
        kind::LINK => "a symbolic link",
        kind::CHARACTER_DEVICE | kind::BLOCK_DEVICE => "a device",
        _ => "a socket",
    }
}
/// What a directory has.
struct Listed {
    /// As the disk has it.
    name: String,
    /// One of [`kind`].
    kind: u64,
    bytes: u64,
    /// Where a link leads, or why that can not be read.
    target: Option<Result<String, abi::Error>>,
}
impl std::fmt::Display for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let name = Foreign::name(&self.name);
        match (self.kind, &self.target) {
            (kind::FILE, _) => write!(f, "{:12} {name}", self.bytes),
            (kind::DIRECTORY, _) => write!(f, "{:>12} {name}/", ""),
            (_, Some(Ok(target))) => write!(f, "{:>12} {name} -> {}", "link", Foreign::name(target)),
            (_, Some(Err(error))) => write!(f, "{:>12} {name} -> ? ({})", "link", error.text()),
            (kind, None) => write!(f, "{:>12} {name}", named(kind).trim_start_matches("a ")),
        }
    }
}
/// What a directory has in all.
struct Listing {
    /// That of the directory.
    number: u64,
    all: Vec<Listed>,
    /// Names that are no text, which are not in `all`.
    left_out: usize,
}
fn list(volume: &mut Mounted<Image>, path: &str) -> Result<Listing> {
    let mut open = about(volume.open(path, abi::file::flags::DIRECTORY, Owner::NOBODY), path)?;
    let number = about(volume.status_of(&open), path)?.node;
    let mut all = Vec::new();
    while let Some((name, status)) = about(volume.next(&mut open, |_| true), path)? {
        let target = (status.kind == kind::LINK).then(|| volume.read_link(&inside(path, &name)));
        all.push(Listed { name, kind: status.kind, bytes: status.bytes, target });
    }
    let left_out = about(volume.left_out(&open), path)?;
    about(volume.close(open), path)?;
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(Listing { number, all, left_out })
}
fn inside(directory: &str, name: &str) -> String {
    format!("{}/{name}", directory.trim_end_matches('/'))
}
/// What is on a disk.
#[derive(Debug, Default, PartialEq, Eq)]
struct Checked {
    files: usize,
    bytes: u64,
    /// Links, pipes, sockets, devices.
    others: usize,
    /// Their names are no text, so they were not read.
    left_out: usize,
}
/// Reads all that is in files. An error: a file can not be read, a directory is in itself or in two others, or
/// files have more on the disk than there is room for, which share some of it.
fn check(volume: &mut Mounted<Image>) -> Result<Checked> {
    let (mut checked, mut room) = (Checked::default(), volume.space().all);
    let (mut left, mut visited) = (vec![String::from("/")], std::collections::BTreeSet::new());
    while let Some(path) = left.pop() {
        let Listing { number, all, left_out } = list(volume, &path)?;
        checked.left_out += left_out;
        if !visited.insert(number) {
            bail!("{}: a directory that is in itself, or in another one too", Foreign::name(&path));
        }
        for Listed { name, kind, .. } in all {
            let full = inside(&path, &name);
            match kind {
                kind::FILE => {}
                kind::DIRECTORY => {
                    left.push(full);
                    continue;
                }
                _ => {
                    checked.others += 1;
                    continue;
                }
            }
            let bytes = read(
                volume,
                &full,
                |_| Ok(()),
                |_, piece| {
                    room = room
                        .checked_sub(piece.len() as u64)
                        .context("the files have more on the disk than it has room for")?;
                    Ok(())
                },
            )?;
            (checked.files, checked.bytes) = (checked.files + 1, checked.bytes.saturating_add(bytes));
        }
    }
    Ok(checked)
}
fn say_left_out(left_out: usize) {
    if left_out > 0 {
        eprintln!("{left_out} more, whose names are no text (UTF-8)");
    }
}
pub fn run(form: &Form) -> Result<ExitCode> {
    match form {
        Form::Create { file, size } => create(file, *size)?,
        Form::Put { file, from, to } => {
            // As the machine knows it, from the disk's root on.
            if abi::name::Name::of(&format!("/{}", to.trim_start_matches('/'))).is_err() {
                bail!("{}: paths of the machine have up to 62 characters of ASCII, and no blanks", Foreign::name(to));
            }
            let bytes = std::fs::read(from).with_context(|| from.display().to_string())?;
            with(file, |volume| put(volume, &bytes, to))?;
        }
        Form::Get { file, from, to } => with(file, |volume| copy(volume, from, to))?,
        Form::Ls { file, path } => {
            let Listing { all, left_out, .. } = with(file, |volume| list(volume, path))?;
            for listed in all {
                println!("{listed}");
            }
            say_left_out(left_out);
        }
        Form::Check { file } => {
            let (checked, space) = with(file, |volume| Ok((check(volume)?, volume.space())))?;
            let Checked { files, bytes, others, left_out } = checked;
            println!("{files} files, {bytes} bytes; {} of {} KiB are free", space.free / 1024, space.all / 1024);
            if others > 0 {
                println!("{others} links, pipes, sockets and devices");
            }
            say_left_out(left_out);
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
