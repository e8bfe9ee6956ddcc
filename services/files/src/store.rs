//! The tree of directories and files, and the control block of each one that is open.

use abi::Error;
use abi::file::{Status, flags, kind, whence};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Bound;

/// Longest file: what is read or written beyond is refused.
const LONGEST: usize = 64 << 20;
/// The number of the directory that all others are in. It is not among the nodes.
const ROOT: usize = usize::MAX;

/// A file or directory that is open: the control block behind its portals.
#[derive(Debug, PartialEq, Eq)]
pub struct Open {
    node: usize,
    position: usize,
    read: bool,
    write: bool,
    append: bool,
    /// Of a directory: the name that was given last; empty: none yet.
    last: String,
}
/// What is in a directory: names, and the numbers of the nodes.
type Entries = BTreeMap<String, usize>;

enum Contents {
    File(Vec<u8>),
    Directory(Entries),
}
struct Node {
    contents: Contents,
    /// How many control blocks refer to it, and whether a name does.
    open: usize,
    named: bool,
    /// Of its contents.
    version: u64,
}
/// A path taken apart. It may end at something that is not there.
struct Place<'a> {
    /// The directory that the last name is in, and all on the way to it but the root.
    directory: usize,
    through: Vec<usize>,
    /// Empty: the path is that of the root.
    name: &'a str,
    /// A `/` follows, so it must be a directory.
    slash: bool,
}
/// All files.
#[derive(Default)]
pub struct Store {
    root: Entries,
    nodes: Vec<Option<Node>>,
    /// How often contents have changed.
    changes: u64,
}

impl Store {
    pub const fn new() -> Store {
        Store { root: Entries::new(), nodes: Vec::new(), changes: 0 }
    }
    fn node(&mut self, number: usize) -> &mut Node {
        // A control block or a name keeps its node; the root is never asked for.
        self.nodes[number].as_mut().expect("the node of an open file")
    }
    /// Its contents are others now.
    fn changed(&mut self, number: usize) {
        self.changes += 1;
        self.node(number).version = self.changes;
    }
    fn entries(&self, directory: usize) -> Result<&Entries, Error> {
        if directory == ROOT {
            return Ok(&self.root);
        }
        match self.nodes[directory].as_ref().map(|node| &node.contents) {
            Some(Contents::Directory(entries)) => Ok(entries),
            _ => Err(Error::ENOTDIR),
        }
    }
    fn entries_mut(&mut self, directory: usize) -> Result<&mut Entries, Error> {
        if directory == ROOT {
            return Ok(&mut self.root);
        }
        match &mut self.node(directory).contents {
            Contents::Directory(entries) => Ok(entries),
            Contents::File(_) => Err(Error::ENOTDIR),
        }
    }
    fn is_directory(&self, number: usize) -> bool {
        self.entries(number).is_ok()
    }
    fn bytes(&mut self, number: usize) -> Result<&mut Vec<u8>, Error> {
        if number == ROOT {
            return Err(Error::EISDIR);
        }
        match &mut self.node(number).contents {
            Contents::File(bytes) => Ok(bytes),
            Contents::Directory(_) => Err(Error::EISDIR),
        }
    }
    /// Takes `path` apart. `ENOENT`, `ENOTDIR`: one on the way is not there, or is no directory; `EINVAL`: it has a `..`.
    fn place<'a>(&self, path: &'a str) -> Result<Place<'a>, Error> {
        let slash = path.ends_with('/') || path.ends_with("/.");
        let mut place = Place { directory: ROOT, through: Vec::new(), name: "", slash };
        for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
            if name == ".." {
                return Err(Error::EINVAL);
            }
            if !place.name.is_empty() {
                place.directory = *self.entries(place.directory)?.get(place.name).ok_or(Error::ENOENT)?;
                place.through.push(place.directory);
            }
            place.name = name;
        }
        self.entries(place.directory)?;
        Ok(place)
    }
    /// What is at `place`, if anything. `ENOTDIR`: a file, where a `/` follows.
    fn at(&self, place: &Place) -> Result<Option<usize>, Error> {
        let found = if place.name.is_empty() { Some(ROOT) } else { self.named(place) };
        match found {
            Some(number) if place.slash && !self.is_directory(number) => Err(Error::ENOTDIR),
            found => Ok(found),
        }
    }
    fn named(&self, place: &Place) -> Option<usize> {
        self.entries(place.directory).ok()?.get(place.name).copied()
    }
    fn free_if_unused(&mut self, number: usize) {
        if self.nodes[number].as_ref().is_some_and(|n| n.open == 0 && !n.named) {
            self.nodes[number] = None;
        }
    }
    fn create(&mut self, place: &Place, contents: Contents) -> Result<usize, Error> {
        let number = self.nodes.iter().position(Option::is_none).unwrap_or(self.nodes.len());
        self.entries_mut(place.directory)?.insert(place.name.to_string(), number);
        if number == self.nodes.len() {
            self.nodes.push(None);
        }
        self.nodes[number] = Some(Node { contents, open: 0, named: true, version: 0 });
        self.changed(number);
        Ok(number)
    }
    /// Takes the name at `place` away; what it named goes with the last control block.
    fn forget(&mut self, place: &Place, number: usize) -> Result<(), Error> {
        self.entries_mut(place.directory)?.remove(place.name);
        self.node(number).named = false;
        self.free_if_unused(number);
        Ok(())
    }
    /// Opens `path`. `ENOENT`: there is none, and it is not to be created; `EEXIST`: there is one, and it must not be;
    /// `EISDIR`: a directory, to be written or created; `ENOTDIR`: a file, to be a directory; `EINVAL`: the flags make no
    /// sense.
    pub fn open(&mut self, path: &str, how: usize) -> Result<Open, Error> {
        let access = how & flags::ACCESS;
        let only_reads = access == flags::READ_ONLY;
        if access > flags::READ_WRITE
            || (only_reads && how & (flags::TRUNCATE | flags::APPEND) != 0)
            || how & (flags::CREATE | flags::DIRECTORY) == flags::CREATE | flags::DIRECTORY
        {
            return Err(Error::EINVAL);
        }
        let place = self.place(path)?;
        let node = match self.at(&place)? {
            Some(_) if how & (flags::CREATE | flags::EXCLUSIVE) == flags::CREATE | flags::EXCLUSIVE => {
                return Err(Error::EEXIST);
            }
            Some(number) if self.is_directory(number) => {
                if !only_reads || how & flags::CREATE != 0 {
                    return Err(Error::EISDIR);
                }
                number
            }
            Some(_) if how & flags::DIRECTORY != 0 => return Err(Error::ENOTDIR),
            Some(number) => number,
            None if how & flags::CREATE == 0 => return Err(Error::ENOENT),
            None if place.slash => return Err(Error::EISDIR),
            None => self.create(&place, Contents::File(Vec::new()))?,
        };
        if how & flags::TRUNCATE != 0 {
            *self.bytes(node)? = Vec::new();
            self.changed(node);
        }
        if node != ROOT {
            self.node(node).open += 1;
        }
        let append = how & flags::APPEND != 0;
        let read = access != flags::WRITE_ONLY;
        Ok(Open { node, position: 0, read, write: !only_reads, append, last: String::new() })
    }
    /// The control block goes.
    pub fn close(&mut self, open: Open) {
        if open.node != ROOT {
            self.node(open.node).open -= 1;
            self.free_if_unused(open.node);
        }
    }
    /// Bytes from the position on, at most `count`, which `take` is given. `EBADF`: not open for reading; `EISDIR`.
    pub fn read<T>(&mut self, open: &mut Open, count: usize, take: impl FnOnce(&[u8]) -> T) -> Result<T, Error> {
        if !open.read {
            return Err(Error::EBADF);
        }
        let bytes = self.bytes(open.node)?;
        let start = open.position.min(bytes.len());
        let end = start.saturating_add(count).min(bytes.len());
        open.position += end - start;
        Ok(take(&bytes[start..end]))
    }
    /// Writes `data` at the position, or at the end of a file that is open for appending. `EBADF`: not open for writing;
    /// `ENOMEM`: the file would be too long.
    pub fn write(&mut self, open: &mut Open, data: &[u8]) -> Result<usize, Error> {
        if !open.write {
            return Err(Error::EBADF);
        }
        let bytes = self.bytes(open.node)?;
        if open.append {
            open.position = bytes.len();
        }
        let end = open.position.checked_add(data.len()).filter(|end| *end <= LONGEST).ok_or(Error::ENOMEM)?;
        if end > bytes.len() {
            bytes.try_reserve(end - bytes.len()).map_err(|_| Error::ENOMEM)?;
            bytes.resize(end, 0);
        }
        bytes[open.position..end].copy_from_slice(data);
        open.position = end;
        self.changed(open.node);
        Ok(data.len())
    }
    /// The file has so many bytes from now on. `EBADF`: not open for writing; `ENOMEM`: it would be too long.
    pub fn truncate(&mut self, open: &Open, length: usize) -> Result<(), Error> {
        if !open.write {
            return Err(Error::EBADF);
        }
        let bytes = self.bytes(open.node)?;
        if length > LONGEST {
            return Err(Error::ENOMEM);
        }
        bytes.try_reserve(length.saturating_sub(bytes.len())).map_err(|_| Error::ENOMEM)?;
        bytes.resize(length, 0);
        bytes.shrink_to_fit();
        self.changed(open.node);
        Ok(())
    }
    /// Moves the position to `offset` from one of [`whence`]; where it is then. A directory's can go to its start only.
    /// `EINVAL`: before the start, or from nowhere.
    pub fn seek(&mut self, open: &mut Open, offset: isize, from: usize) -> Result<usize, Error> {
        if self.is_directory(open.node) {
            if (offset, from) != (0, whence::START) {
                return Err(Error::EINVAL);
            }
            open.last.clear();
            return Ok(0);
        }
        let from = match from {
            whence::START => 0,
            whence::POSITION => open.position,
            whence::END => self.bytes(open.node)?.len(),
            _ => return Err(Error::EINVAL),
        };
        open.position = from.checked_add_signed(offset).ok_or(Error::EINVAL)?;
        Ok(open.position)
    }
    /// The next name of an open directory, in their order, and what has it; `None`: that was all. Names that come and go in
    /// between do not disturb the others. `ENOTDIR`.
    pub fn next(&self, open: &mut Open) -> Result<Option<(&str, Status)>, Error> {
        let after = if open.last.is_empty() { Bound::Unbounded } else { Bound::Excluded(open.last.as_str()) };
        let Some((name, &number)) = self.entries(open.node)?.range::<str, _>((after, Bound::Unbounded)).next() else {
            return Ok(None);
        };
        open.last = name.to_string();
        Ok(Some((name, self.status(number))))
    }
    fn status(&self, number: usize) -> Status {
        let node = self.nodes.get(number).and_then(Option::as_ref);
        let (kind, bytes) = match node.map(|node| &node.contents) {
            Some(Contents::File(bytes)) => (kind::FILE, bytes.len()),
            _ => (kind::DIRECTORY, 0),
        };
        let version = node.map_or(0, |node| node.version);
        Status { kind, bytes: bytes as u64, node: number.wrapping_add(2) as u64, version }
    }
    /// What is open.
    pub fn status_of(&self, open: &Open) -> Status {
        self.status(open.node)
    }
    /// What `path` names. `ENOENT`, `ENOTDIR`.
    pub fn status_at(&self, path: &str) -> Result<Status, Error> {
        self.at(&self.place(path)?)?.map(|number| self.status(number)).ok_or(Error::ENOENT)
    }
    /// Makes a directory. `EEXIST`: the name is taken.
    pub fn make_directory(&mut self, path: &str) -> Result<(), Error> {
        let place = self.place(path)?;
        if place.name.is_empty() || self.named(&place).is_some() {
            return Err(Error::EEXIST);
        }
        self.create(&place, Contents::Directory(Entries::new())).map(|_| ())
    }
    /// Makes the directories on the way to `path` that are not there.
    pub fn make_parents(&mut self, path: &str) -> Result<(), Error> {
        for (end, _) in path.match_indices('/').filter(|(end, _)| *end > 0) {
            match self.make_directory(&path[..end]) {
                Ok(()) | Err(Error::EEXIST) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
    /// Takes an empty directory away. `ENOENT`; `ENOTDIR`: a file; `ENOTEMPTY`; `EBUSY`: the root.
    pub fn remove_directory(&mut self, path: &str) -> Result<(), Error> {
        let place = self.place(path)?;
        let number = self.at(&place)?.ok_or(Error::ENOENT)?;
        if number == ROOT {
            return Err(Error::EBUSY);
        }
        if !self.entries(number)?.is_empty() {
            return Err(Error::ENOTEMPTY);
        }
        self.forget(&place, number)
    }
    /// Takes a file's name away; the file goes with the last that has it open. `ENOENT`; `EISDIR`: a directory.
    pub fn unlink(&mut self, path: &str) -> Result<(), Error> {
        let place = self.place(path)?;
        let number = self.at(&place)?.ok_or(Error::ENOENT)?;
        self.bytes(number)?;
        self.forget(&place, number)
    }
    /// Gives what `from` names the name `to`, in place of what had it. `ENOENT`: there is no `from`; `EISDIR`, `ENOTDIR`: one
    /// is a directory, the other is not; `ENOTEMPTY`: `to` is a directory with something in it; `EINVAL`: a directory would
    /// be in itself; `EBUSY`: the root.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), Error> {
        let (from, to) = (self.place(from)?, self.place(to)?);
        let number = self.at(&from)?.ok_or(Error::ENOENT)?;
        if number == ROOT || to.name.is_empty() {
            return Err(Error::EBUSY);
        }
        if to.through.contains(&number) {
            return Err(Error::EINVAL);
        }
        match (self.is_directory(number), self.at(&to)?) {
            (_, Some(old)) if old == number => return Ok(()),
            (false, Some(old)) if self.is_directory(old) => return Err(Error::EISDIR),
            (false, None) if to.slash => return Err(Error::ENOTDIR),
            (true, Some(old)) if !self.entries(old)?.is_empty() => return Err(Error::ENOTEMPTY),
            (_, Some(old)) => self.forget(&to, old)?,
            (_, None) => {}
        }
        self.entries_mut(from.directory)?.remove(from.name);
        self.entries_mut(to.directory)?.insert(to.name.to_string(), number);
        Ok(())
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
