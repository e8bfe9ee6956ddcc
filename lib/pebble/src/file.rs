//! Files, pipes and the standard streams.
//!
//! A [`File`] implements the traits of `embedded_io`, so code that is written against those works on files. It is closed
//! when it is dropped. A read or a write is one portal call for each page of the buffer; nothing is buffered here.

use crate::portal::in_page;
use crate::{Error, Result};
use abi::address::PAGE;
use abi::file::{Hand, Status, flags, kind, operation, portal, whence};
use abi::name::Name;
use abi::nucleus::NAMELEN;
use abi::system::FIRST_FREE;
use alloc::string::String;
use alloc::vec::Vec;
pub use embedded_io::{Read, Seek, SeekFrom, Write};
use fallible::TryPush;
// Who uses files may be in a system without a disk.
use interfaces::disk::optional as disk;
use interfaces::portals::own;
use interfaces::types::{Alleged, Identity, PortalNumber};
use interfaces::{descriptor, files};

/// Whose a path is: below `disk/` the disk component's, else the files component's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mount {
    Files,
    Disk,
}
/// Where the disk's root is.
const DISK: &str = "/disk";
/// Where a path leads, and the path there.
pub(crate) fn mounted(path: &str) -> (Mount, &str) {
    let plain = path.trim_start_matches('/');
    match plain.strip_prefix("disk") {
        Some("") => (Mount::Disk, "/"),
        Some(rest) if rest.starts_with('/') => (Mount::Disk, rest),
        _ => (Mount::Files, path),
    }
}
/// Has all that was written to the disk last: it is there after the power was cut. `EDEAD`: the file system has died since, and what was
/// written before may have gone with it; the next call finds the one that was started again.
pub fn sync() -> Result<()> {
    let import = disk::import::sync();
    if import.number() == 0 {
        // There was none at the start.
        return disk::anew::sync();
    }
    match disk::sync() {
        // Another one's word is nothing worth: it does not know what this one was given.
        Err(Error::EPORTAL | Error::EDEAD) => {
            let _ = import.reopen();
            Err(Error::EDEAD)
        }
        result => result,
    }
}

/// Bytes that a whole file is read by at a time.
const PIECE: usize = 4 * PAGE;

/// A path where a window shows all of it.
pub(crate) fn path(text: &str) -> Result<Name> {
    if text.len() >= NAMELEN { Err(Error::ENAMETOOLONG) } else { Name::of(text) }
}

/// A file, one side of a pipe, or the console.
#[derive(Debug)]
pub struct File(
    /// The first of its portals; 0, 1 and 2 are standard input, output and error: the console, or what was handed over.
    usize,
);

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    read: bool,
    write: bool,
    /// Flags beyond the access.
    flags: usize,
}
impl Options {
    /// For neither reading nor writing: one of them must follow.
    pub fn new() -> Options {
        Options::default()
    }
    pub fn read(mut self, yes: bool) -> Options {
        self.read = yes;
        self
    }
    pub fn write(mut self, yes: bool) -> Options {
        self.write = yes;
        self
    }
    fn flag(mut self, flag: usize, yes: bool) -> Options {
        self.flags = if yes { self.flags | flag } else { self.flags & !flag };
        self
    }
    /// Each write goes to the end.
    pub fn append(mut self, yes: bool) -> Options {
        self.write |= yes;
        self.flag(flags::APPEND, yes)
    }
    /// What was in it goes.
    pub fn truncate(self, yes: bool) -> Options {
        self.flag(flags::TRUNCATE, yes)
    }
    /// It is made, if there is none.
    pub fn create(self, yes: bool) -> Options {
        self.flag(flags::CREATE, yes)
    }
    /// It is made, and `EEXIST` if there is one.
    pub fn create_new(self, yes: bool) -> Options {
        self.flag(flags::CREATE | flags::EXCLUSIVE, yes)
    }
    /// Opens the file called `name`. `ENOENT`: there is none; `ENOTDIR`: a file is on the way to it; `EISDIR`: it is a
    /// directory, and to be written; `EINVAL`: the options make no sense; `ENAMETOOLONG`; `EACCESS`: the manifest does not
    /// allow it.
    pub fn open(self, name: &str) -> Result<File> {
        let access = match (self.read, self.write) {
            (true, false) => flags::READ_ONLY,
            (false, true) => flags::WRITE_ONLY,
            (true, true) => flags::READ_WRITE,
            (false, false) => return Err(Error::EINVAL),
        };
        File::open_with(name, access | self.flags)
    }
}

impl File {
    /// Opens a file for reading.
    pub fn open(name: &str) -> Result<File> {
        File::options().read(true).open(name)
    }
    /// Makes a file, or empties it, for writing.
    pub fn create(name: &str) -> Result<File> {
        File::options().write(true).create(true).truncate(true).open(name)
    }
    pub(crate) fn open_with(name: &str, flags: usize) -> Result<File> {
        let (mount, name) = mounted(name);
        let name = path(name)?;
        let opened = match mount {
            Mount::Files => files::anew::open(Alleged::lend(&name), flags),
            Mount::Disk => disk::anew::open(Alleged::lend(&name), flags),
        };
        opened.map(|first| File(first.0))
    }
    pub fn options() -> Options {
        Options::new()
    }
    /// Reads up to `buffer.len()` bytes: at least one, or 0 at the end. Of a pipe or the console it takes what there is.
    /// `EBADF`: not open for reading.
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        match self.number() {
            0 => return crate::console::read(buffer),
            number @ 1.. if number < FIRST_FREE => return Err(Error::EBADF),
            _ => {}
        }
        let mut done = self.read_piece(buffer)?;
        // More of a pipe may have to be waited for, even where it filled the page.
        if done < buffer.len() && done == in_page(buffer) && self.position().is_ok() {
            while done < buffer.len() {
                let rest = &mut buffer[done..];
                let here = in_page(rest);
                match self.read_piece(rest) {
                    Ok(count) => {
                        done += count;
                        if count < here {
                            break;
                        }
                    }
                    // It comes again with the next call.
                    Err(_) => break,
                }
            }
        }
        Ok(done)
    }
    fn read_piece(&self, buffer: &mut [u8]) -> Result<usize> {
        let here = in_page(buffer);
        descriptor::read(PortalNumber(self.number()), Alleged::lend_all_to_write(buffer), here)
    }
    /// Writes all of `buffer`, unless an error comes after some of it; how many bytes. `EBADF`: not open for writing;
    /// `EPIPE`: nobody reads the pipe; `ENOMEM`: the file would be too long.
    pub fn write(&self, buffer: &[u8]) -> Result<usize> {
        match self.number() {
            0 => return Err(Error::EBADF),
            2 => return crate::console::write_error(buffer).map(|()| buffer.len()),
            number @ 1.. if number < FIRST_FREE => return crate::console::write(buffer).map(|()| buffer.len()),
            _ => {}
        }
        let mut done = 0;
        while done < buffer.len() {
            let rest = &buffer[done..];
            match descriptor::write(PortalNumber(self.number()), Alleged::lend_all(rest), in_page(rest)) {
                Ok(count) => done += count,
                Err(error) if done == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(done)
    }
    /// Moves the position, which all duplicates share; where it is then. `EINVAL`: before the start; `ESPIPE`: a pipe or the
    /// console.
    pub fn seek(&self, to: SeekFrom) -> Result<u64> {
        let (offset, from) = match to {
            SeekFrom::Start(offset) => (offset.try_into().map_err(|_| Error::EINVAL)?, whence::START),
            SeekFrom::Current(offset) => (offset, whence::POSITION),
            SeekFrom::End(offset) => (offset, whence::END),
        };
        if self.number() < FIRST_FREE {
            return Err(Error::ESPIPE);
        }
        descriptor::seek(PortalNumber(self.number()), offset as isize, from).map(|position| position as u64)
    }
    /// Where the next read or write goes to.
    pub fn position(&self) -> Result<u64> {
        self.seek(SeekFrom::Current(0))
    }
    /// Nothing is held back, so there is nothing to do.
    pub fn flush(&self) -> Result<()> {
        Ok(())
    }
    /// An operation of the control portal, which writes to `to`.
    pub(crate) fn control<T>(&self, what: usize, to: &mut T) -> Result<usize> {
        descriptor::control(PortalNumber(self.number()), what, Alleged::lend_to_write(to))
    }
    pub fn metadata(&self) -> Result<Metadata> {
        let mut status = Status::NONE;
        if self.number() >= FIRST_FREE {
            self.control(operation::STATUS, &mut status)?;
        }
        Ok(status.into())
    }
    /// It has so many bytes from now on. `EBADF`: not open for writing; `ENOMEM`, `ENOSPC`.
    pub fn set_length(&self, bytes: u64) -> Result<()> {
        if self.number() < FIRST_FREE {
            return Err(Error::EINVAL);
        }
        self.control(operation::TRUNCATE, &mut bytes.clone()).map(|_| ())
    }
    /// `domain`, which runs a program that this one starts, may have it as its standard stream `stream`. `EINVAL`: who serves the
    /// file does not hand over.
    pub fn hand_over(&self, domain: Identity, stream: usize) -> Result<()> {
        let mut hand = Hand { domain: domain.0 as u64, stream: stream as u64 };
        self.control(operation::HAND, &mut hand).map(|_| ())
    }
    /// The first of its portals, or 0, 1, 2 for the console.
    fn number(&self) -> usize {
        crate::standard::behind(self.0)
    }
    /// Whether it is the console, rather than a file or a pipe.
    pub fn is_console(&self) -> bool {
        self.number() < FIRST_FREE
    }
    /// What was written lasts. `EDEAD`: who has the file has died.
    pub fn sync(&self) -> Result<()> {
        if self.is_console() {
            return Ok(());
        }
        self.control(operation::SYNC, &mut 0u64).map(|_| ())
    }
    /// A second descriptor of the same, with the same position.
    pub fn try_clone(&self) -> Result<File> {
        if self.number() < FIRST_FREE {
            return Ok(File(self.0));
        }
        // The portal takes a window in every case.
        let mut nothing = Status::NONE;
        self.control(operation::DUPLICATE, &mut nothing).map(File)
    }
}
/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    Pipe,
    Socket,
    Console,
    /// A symbolic link, a device: of a disk that another system has written, as pipes and sockets there, none of which can be opened.
    Link,
    CharacterDevice,
    BlockDevice,
}
/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    pub kind: Kind,
    /// In the file, or in the pipe.
    pub bytes: u64,
    /// No other of the same kind has this number.
    pub node: u64,
    /// No other contents of a file, before or after, have this number.
    pub version: u64,
}
impl From<Status> for Metadata {
    fn from(status: Status) -> Metadata {
        let kind = match status.kind {
            kind::FILE => Kind::File,
            kind::DIRECTORY => Kind::Directory,
            kind::PIPE => Kind::Pipe,
            kind::LINK => Kind::Link,
            kind::CHARACTER_DEVICE => Kind::CharacterDevice,
            kind::BLOCK_DEVICE => Kind::BlockDevice,
            abi::internet::SOCKET => Kind::Socket,
            _ => Kind::Console,
        };
        Metadata { kind, bytes: status.bytes, node: status.node, version: status.version }
    }
}
impl Drop for File {
    fn drop(&mut self) {
        if self.0 >= FIRST_FREE {
            for number in self.0..self.0 + portal::COUNT {
                let _ = own::close(PortalNumber(number));
            }
        }
    }
}
/// All that is in a file.
///
/// # Errors
/// As to open and to read it; `ENOMEM`: there is not so much memory.
pub fn read(name: &str) -> Result<Vec<u8>> {
    let file = File::open(name)?;
    let mut bytes = Vec::new();
    let mut piece = fallible::zero_bytes(PIECE)?;
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(bytes),
            count => {
                bytes.room_for(count)?;
                bytes.extend_from_slice(&piece[..count]);
            }
        }
    }
}

/// A pipe: its reading and its writing side.
pub fn pipe() -> Result<(File, File)> {
    let sides = files::anew::pipe()?;
    Ok((File(sides & 0xffff), File(sides >> 16)))
}
/// Takes the name of a file away; the file goes with the last that has it open. `ENOENT`: there is none; `EISDIR`.
pub fn remove(name: &str) -> Result<()> {
    let (mount, name) = mounted(name);
    let name = path(name)?;
    match mount {
        Mount::Files => files::anew::unlink(Alleged::lend(&name)),
        Mount::Disk => disk::anew::unlink(Alleged::lend(&name)),
    }
}
/// Gives a file or directory another name, in place of what had that. `ENOENT`: there is no `from`; `EISDIR`, `ENOTDIR`: one is a
/// directory, the other is not; `ENOTEMPTY`: `to` is a directory with something in it; `EINVAL`: a directory would be in itself.
pub fn rename(from: &str, to: &str) -> Result<()> {
    let (mount, from) = mounted(from);
    let (other, to) = mounted(to);
    if mount != other {
        // Only a copy would do that.
        return Err(Error::EINVAL);
    }
    let (from, to) = (path(from)?, path(to)?);
    match mount {
        Mount::Files => files::anew::rename(Alleged::lend(&from), Alleged::lend(&to)),
        Mount::Disk => disk::anew::rename(Alleged::lend(&from), Alleged::lend(&to)),
    }
}
/// What `name` is, or leads to. `ENOENT`, `ENOTDIR`; `ELOOP`: its links lead nowhere.
pub fn metadata(name: &str) -> Result<Metadata> {
    status(name, disk::anew::status)
}
/// What `name` is: of a link, the link. `ENOENT`, `ENOTDIR`.
pub fn link_metadata(name: &str) -> Result<Metadata> {
    status(name, disk::anew::link_status)
}
fn status(name: &str, of_disk: fn(Alleged<Name>, Alleged<Status>) -> Result<()>) -> Result<Metadata> {
    let mut status = Status::NONE;
    let (mount, name) = mounted(name);
    let name = path(name)?;
    let told = Alleged::lend_to_write(&mut status);
    match mount {
        Mount::Files => files::anew::status(Alleged::lend(&name), told),
        Mount::Disk => of_disk(Alleged::lend(&name), told),
    }?;
    Ok(status.into())
}
/// Where a symbolic link leads: its path as it is written there, below `/disk` where it begins with a slash. `EINVAL`: it is no link; `ENAMETOOLONG`:
/// it has more than 1,024 bytes.
pub fn read_link(name: &str) -> Result<String> {
    #[repr(align(1024))]
    struct Room([u8; 1024]);
    let (Mount::Disk, name) = mounted(name) else { return link_metadata(name).and(Err(Error::EINVAL)) };
    let (name, mut room) = (path(name)?, Room([0; 1024]));
    let bytes = room.0.len();
    let count = disk::anew::read_link(Alleged::lend(&name), Alleged::lend_all_to_write(&mut room.0), bytes)?;
    let target = room.0.get(..count).ok_or(Error::ENAMETOOLONG)?;
    let target = core::str::from_utf8(target).map_err(|_| Error::EINVAL)?;
    let mut whole = String::new();
    whole.try_reserve_exact(DISK.len() + target.len()).map_err(|_| Error::ENOMEM)?;
    whole.push_str(if target.starts_with('/') { DISK } else { "" });
    whole.push_str(target);
    Ok(whole)
}
/// Makes a symbolic link on the disk that leads to `target`, be there something or not: from its directory on, or to what is below `/disk`.
/// `EEXIST`: the name is taken; `ENOTSUP`: it would be elsewhere, or lead there.
pub fn make_link(target: &str, name: &str) -> Result<()> {
    let (mount, name) = mounted(name);
    let target = match mounted(target) {
        _ if !target.starts_with('/') => target,
        (Mount::Disk, target) => target,
        (Mount::Files, _) => return Err(Error::ENOTSUP),
    };
    if mount != Mount::Disk {
        return Err(Error::ENOTSUP);
    }
    let (target, name) = (path(target)?, path(name)?);
    disk::anew::make_link(Alleged::lend(&target), Alleged::lend(&name))
}
/// Standard input; of the console, by lines.
pub fn stdin() -> File {
    File(0)
}
/// Standard output.
pub fn stdout() -> File {
    File(1)
}
/// Standard error.
pub fn stderr() -> File {
    File(2)
}

impl embedded_io::ErrorType for File {
    type Error = Error;
}
impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        File::read(self, buffer)
    }
}
impl Write for File {
    fn write(&mut self, buffer: &[u8]) -> Result<usize> {
        File::write(self, buffer)
    }
    fn flush(&mut self) -> Result<()> {
        File::flush(self)
    }
}
impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        File::seek(self, to)
    }
}
