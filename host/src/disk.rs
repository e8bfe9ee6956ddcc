//! `./pebble disk`: disks for the machine, by the same code that reads them there.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use volume::{
    Clock, DeviceCapabilities, DeviceGeometry, Disk, EntropySource, Ext4Result, Ext4Timestamp, Failure, SectorId,
};
use volume::{Owner, Volume, format};

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
    result.map_err(|error| anyhow::anyhow!("{path}: {}", error.text()))
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
    about(Volume::mount(disk, Now, Random), "the disk")
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
pub fn put(volume: &mut Mounted<Image>, bytes: &[u8], to: &str) -> Result<()> {
    for (end, _) in to.match_indices('/').filter(|(end, _)| *end > 0) {
        match volume.make_directory(&to[..end], Owner::NOBODY) {
            Ok(()) | Err(abi::Error::EEXIST) => {}
            error => about(error, &to[..end])?,
        }
    }
    use abi::file::flags::{CREATE, TRUNCATE, WRITE_ONLY};
    let mut open = about(volume.open(to, WRITE_ONLY | CREATE | TRUNCATE, Owner::NOBODY), to)?;
    let written = bytes.chunks(1 << 20).try_for_each(|piece| volume.write(&mut open, piece).map(|_| ()));
    about(volume.close(open).and(written), to)
}
pub fn get<D: Disk>(volume: &mut Mounted<D>, from: &str) -> Result<Vec<u8>> {
    let mut open = about(volume.open(from, 0, Owner::NOBODY), from)?;
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 20];
    let read = loop {
        match volume.read(&mut open, &mut piece) {
            Ok(0) => break Ok(()),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) => break Err(error),
        }
    };
    about(volume.close(open).and(read), from)?;
    Ok(bytes)
}
/// Names in a directory, with their bytes; `None`: a directory.
fn list(volume: &mut Mounted<Image>, path: &str) -> Result<Vec<(String, Option<u64>)>> {
    let mut open = about(volume.open(path, abi::file::flags::DIRECTORY, Owner::NOBODY), path)?;
    let mut names = Vec::new();
    while let Some((name, status)) = about(volume.next(&mut open), path)? {
        names.push((name, (status.kind == abi::file::kind::FILE).then_some(status.bytes)));
    }
    about(volume.close(open), path)?;
    names.sort();
    Ok(names)
}
/// Reads all below a directory: how many files, and their bytes.
fn check(volume: &mut Mounted<Image>, path: &str) -> Result<(usize, u64)> {
    let mut sum = (0, 0);
    for (name, bytes) in list(volume, path)? {
        let full = format!("{}/{name}", path.trim_end_matches('/'));
        let (files, read) = match bytes {
            Some(bytes) => {
                let read = get(volume, &full)?.len() as u64;
                if read != bytes {
                    bail!("{full}: it has {bytes} bytes, and {read} can be read");
                }
                (1, read)
            }
            None => check(volume, &full)?,
        };
        sum = (sum.0 + files, sum.1 + read);
    }
    Ok(sum)
}
pub fn run(form: &Form) -> Result<ExitCode> {
    match form {
        Form::Create { file, size } => create(file, *size)?,
        Form::Put { file, from, to } => {
            let bytes = std::fs::read(from).with_context(|| from.display().to_string())?;
            with(file, |volume| put(volume, &bytes, to))?;
        }
        Form::Get { file, from, to } => std::fs::write(to, with(file, |volume| get(volume, from))?)?,
        Form::Ls { file, path } => {
            for (name, bytes) in with(file, |volume| list(volume, path))? {
                match bytes {
                    Some(bytes) => println!("{bytes:12} {name}"),
                    None => println!("{:>12} {name}/", ""),
                }
            }
        }
        Form::Check { file } => {
            let ((files, bytes), space) = with(file, |volume| Ok((check(volume, "/")?, volume.space())))?;
            println!("{files} files, {bytes} bytes; {} of {} KiB are free", space.free / 1024, space.all / 1024);
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_on_a_disk_is_got_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let disk = folder.path().join("disk");
        create(&disk, 32).unwrap();
        let bytes: Vec<u8> = (0..3_000_000u32).map(|n| (n.wrapping_mul(2654435761) >> 24) as u8).collect();
        with(&disk, |volume| put(volume, &bytes, "/a/b/long")).unwrap();
        assert_eq!(with(&disk, |volume| get(volume, "a/b/long")).unwrap(), bytes);
        assert_eq!(with(&disk, |volume| check(volume, "/")).unwrap(), (1, 3_000_000));
    }
    #[test]
    fn a_disk_is_not_made_over_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(create(file.path(), 32).is_err());
    }
    #[test]
    fn what_is_no_disk_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
        assert!(mount_file(file.path()).is_err());
    }
}
