//! The tree of directories and files, and the control block of each one that is open.

use crate::contents::{Bytes, LONGEST, Paid};
use abi::Error;
use abi::file::{Status, flags, kind, whence};
use abi::nucleus::NAMELEN;
use account::{Account, Ledger};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Bound;
use fallible::{Map, TryPush};

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
    /// Who has opened it, and pays for what it makes a file longer by.
    payer: Account,
    /// Of a directory: the name that was given last.
    last: Option<Box<str>>,
}
/// What is in a directory: names, and the numbers of the nodes.
type Entries = Map<Box<str>, usize>;

enum Contents {
    File(Bytes),
    Directory(Entries),
}
struct Node {
    contents: Contents,
    /// How many control blocks refer to it, and whether a name does.
    open: usize,
    named: bool,
    /// Of its contents.
    version: u64,
    /// A page for itself and its name, and those of its contents.
    paid: Paid,
}
/// Most directories on the way to something: of a path of [`NAMELEN`] bytes every second one is a `/`.
const DEEPEST: usize = NAMELEN / 2;
/// A path taken apart. It may end at something that is not there.
struct Place<'a> {
    /// The directory that the last name is in, and all on the way to it but the root.
    directory: usize,
    through: [usize; DEEPEST],
    depth: usize,
    /// Empty: the path is that of the root.
    name: &'a str,
    /// A `/` follows, so it must be a directory.
    slash: bool,
}
/// All files. Whose they are is charged to the ledger.
pub struct Store<L> {
    pub ledger: L,
    root: Entries,
    nodes: Vec<Option<Node>>,
    /// How often contents have changed.
    changes: u64,
}

impl Open {
    /// The file's number, which no other has while this is open, and whether it is open for reading, and for writing.
    pub fn access(&self) -> (u64, bool, bool) {
        (self.node as u64, self.read, self.write)
    }
}
impl<L: Ledger> Store<L> {
    pub const fn new(ledger: L) -> Store<L> {
        Store { ledger, root: Entries::new(), nodes: Vec::new(), changes: 0 }
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
    fn bytes(&mut self, number: usize) -> Result<&mut Bytes, Error> {
        if number == ROOT {
            return Err(Error::EISDIR);
        }
        match &mut self.node(number).contents {
            Contents::File(bytes) => Ok(bytes),
            Contents::Directory(_) => Err(Error::EISDIR),
        }
    }
    /// The file with that number has `length` bytes from now on; `payer` pays for the pages that come. `ENOMEM`, `EISDIR`.
    fn resize(&mut self, number: usize, length: usize, payer: Account) -> Result<(), Error> {
        let node = self.nodes.get_mut(number).and_then(Option::as_mut).ok_or(Error::EISDIR)?;
        match &mut node.contents {
            Contents::File(bytes) => bytes.resize(length, (&mut self.ledger, &mut node.paid, payer)),
            Contents::Directory(_) => Err(Error::EISDIR),
        }
    }
    /// Takes `path` apart. `ENOENT`, `ENOTDIR`: one on the way is not there, or is no directory; `EINVAL`: it has a `..`; `ENAMETOOLONG`.
    fn place<'a>(&self, path: &'a str) -> Result<Place<'a>, Error> {
        let slash = path.ends_with('/') || path.ends_with("/.");
        let mut place = Place { directory: ROOT, through: [ROOT; DEEPEST], depth: 0, name: "", slash };
        for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
            if name == ".." {
                return Err(Error::EINVAL);
            }
            if !place.name.is_empty() {
                place.directory = *self.entries(place.directory)?.get(place.name).ok_or(Error::ENOENT)?;
                *place.through.get_mut(place.depth).ok_or(Error::ENAMETOOLONG)? = place.directory;
                place.depth += 1;
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
        if let Some(node) = self.nodes[number].take_if(|n| n.open == 0 && !n.named) {
            node.paid.refund_all(&mut self.ledger);
        }
    }
    /// Makes what `payer` pays for. `ENOMEM`: nothing has changed.
    fn create(&mut self, place: &Place, contents: Contents, payer: Account) -> Result<usize, Error> {
        let number = self.nodes.iter().position(Option::is_none).unwrap_or(self.nodes.len());
        if number == self.nodes.len() {
            self.nodes.try_push(None)?;
        }
        let name = fallible::text(place.name)?;
        let mut paid = Paid::new();
        paid.charge(&mut self.ledger, payer, 1)?;
        let entered = self.entries_mut(place.directory).and_then(|entries| entries.try_insert(name, number));
        if let Err(error) = entered {
            paid.refund_all(&mut self.ledger);
            return Err(error);
        }
        self.nodes[number] = Some(Node { contents, open: 0, named: true, version: 0, paid });
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
    /// Opens `path` for `payer`. `ENOENT`: there is none, and it is not to be created; `EEXIST`: there is one, and it must not be;
    /// `EISDIR`: a directory, to be written or created; `ENOTDIR`: a file, to be a directory; `EINVAL`: the flags make no
    /// sense; `ENOMEM`.
    pub fn open(&mut self, path: &str, how: usize, payer: Account) -> Result<Open, Error> {
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
            None => self.create(&place, Contents::File(Bytes::new()), payer)?,
        };
        if how & flags::TRUNCATE != 0 {
            self.resize(node, 0, payer)?;
            self.changed(node);
        }
        if node != ROOT {
            self.node(node).open += 1;
        }
        let append = how & flags::APPEND != 0;
        let read = access != flags::WRITE_ONLY;
        Ok(Open { node, position: 0, read, write: !only_reads, append, payer, last: None })
    }
    /// What is open for reading is opened once more, for reading alone. `EBADF`; `EISDIR`.
    pub fn reopen(&mut self, open: &Open, payer: Account) -> Result<Open, Error> {
        if self.is_directory(open.node) {
            return Err(Error::EISDIR);
        }
        if !open.read {
            return Err(Error::EBADF);
        }
        self.node(open.node).open += 1;
        Ok(Open { node: open.node, position: 0, read: true, write: false, append: false, payer, last: None })
    }
    /// What is open is opened once more, for neither reading nor writing. `EISDIR`.
    pub fn keep(&mut self, open: &Open, payer: Account) -> Result<Open, Error> {
        self.bytes(open.node)?;
        self.node(open.node).open += 1;
        Ok(Open { node: open.node, position: 0, read: false, write: false, append: false, payer, last: None })
    }
    /// The control block goes.
    pub fn close(&mut self, open: Open) {
        if open.node != ROOT {
            self.node(open.node).open -= 1;
            self.free_if_unused(open.node);
        }
    }
    /// Bytes from the position on, at most `count`, which `take` is given piece by piece; how many they are. `EBADF`: not open for
    /// reading; `EISDIR`.
    pub fn read(&mut self, open: &mut Open, count: usize, take: impl FnMut(&[u8])) -> Result<usize, Error> {
        if !open.read {
            return Err(Error::EBADF);
        }
        let count = self.bytes(open.node)?.read(open.position, count, take);
        open.position += count;
        Ok(count)
    }
    /// Writes `data` at the position, or at the end of a file that is open for appending. `EBADF`: not open for writing;
    /// `ENOMEM`: the file would be too long, or there is no room for it.
    pub fn write(&mut self, open: &mut Open, data: &[u8]) -> Result<usize, Error> {
        if !open.write {
            return Err(Error::EBADF);
        }
        let length = self.bytes(open.node)?.len();
        let start = if open.append { length } else { open.position };
        let end = start.checked_add(data.len()).filter(|end| *end <= LONGEST).ok_or(Error::ENOMEM)?;
        if end > length {
            self.resize(open.node, end, open.payer)?;
        }
        self.bytes(open.node)?.write(start, data);
        open.position = end;
        self.changed(open.node);
        Ok(data.len())
    }
    /// The file has so many bytes from now on. `EBADF`: not open for writing; `ENOMEM`: it would be too long, or there is no room for it.
    pub fn truncate(&mut self, open: &Open, length: usize) -> Result<(), Error> {
        if !open.write {
            return Err(Error::EBADF);
        }
        self.resize(open.node, length, open.payer)?;
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
            open.last = None;
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
    /// between do not disturb the others. `ENOTDIR`; `ENOMEM`: the same name is next again.
    pub fn next(&self, open: &mut Open) -> Result<Option<(&str, Status)>, Error> {
        let after = open.last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let Some((name, &number)) = self.entries(open.node)?.from::<str>(after).next() else {
            return Ok(None);
        };
        open.last = Some(fallible::text(name)?);
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
    /// Makes a directory, for which `payer` pays. `EEXIST`: the name is taken; `ENOMEM`.
    pub fn make_directory(&mut self, path: &str, payer: Account) -> Result<(), Error> {
        let place = self.place(path)?;
        if place.name.is_empty() || self.named(&place).is_some() {
            return Err(Error::EEXIST);
        }
        self.create(&place, Contents::Directory(Entries::new()), payer).map(|_| ())
    }
    /// Makes the directories on the way to `path` that are not there.
    pub fn make_parents(&mut self, path: &str, payer: Account) -> Result<(), Error> {
        for (end, _) in path.match_indices('/').filter(|(end, _)| *end > 0) {
            match self.make_directory(&path[..end], payer) {
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
    /// be in itself; `EBUSY`: the root; `ENOMEM`: nothing has changed.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<(), Error> {
        let (from, to) = (self.place(from)?, self.place(to)?);
        let number = self.at(&from)?.ok_or(Error::ENOENT)?;
        if number == ROOT || to.name.is_empty() {
            return Err(Error::EBUSY);
        }
        if to.through[..to.depth].contains(&number) {
            return Err(Error::EINVAL);
        }
        match (self.is_directory(number), self.at(&to)?) {
            (_, Some(old)) if old == number => return Ok(()),
            (false, Some(old)) if self.is_directory(old) => return Err(Error::EISDIR),
            (false, None) if to.slash => return Err(Error::ENOTDIR),
            (true, Some(old)) if !self.entries(old)?.is_empty() => return Err(Error::ENOTEMPTY),
            _ => {}
        }
        let name = fallible::text(to.name)?;
        let replaced = self.entries_mut(to.directory)?.try_insert(name, number)?;
        self.entries_mut(from.directory)?.remove(from.name);
        if let Some(old) = replaced {
            self.node(old).named = false;
            self.free_if_unused(old);
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
