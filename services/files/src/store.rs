//! The names and contents of the files, and the control block of each one that is open.

use abi::Error;
use abi::file::{flags, whence};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Longest file: what is read or written beyond is refused.
const LONGEST: usize = 64 << 20;

/// A file that is open: the control block behind its portals.
#[derive(Debug, PartialEq, Eq)]
pub struct Open {
    node: usize,
    position: usize,
    read: bool,
    write: bool,
    append: bool,
}
struct Node {
    bytes: Vec<u8>,
    /// How many control blocks refer to it, and whether a name does.
    open: usize,
    named: bool,
}
/// All files.
#[derive(Default)]
pub struct Store {
    names: BTreeMap<String, usize>,
    nodes: Vec<Option<Node>>,
}

impl Store {
    pub const fn new() -> Store {
        Store { names: BTreeMap::new(), nodes: Vec::new() }
    }
    fn node(&mut self, number: usize) -> &mut Node {
        // A control block keeps its node.
        self.nodes[number].as_mut().expect("the node of an open file")
    }
    fn free_if_unused(&mut self, number: usize) {
        if self.nodes[number].as_ref().is_some_and(|n| n.open == 0 && !n.named) {
            self.nodes[number] = None;
        }
    }
    fn create(&mut self, name: &str) -> usize {
        let place = self.nodes.iter().position(Option::is_none).unwrap_or(self.nodes.len());
        if place == self.nodes.len() {
            self.nodes.push(None);
        }
        self.nodes[place] = Some(Node { bytes: Vec::new(), open: 0, named: true });
        self.names.insert(name.to_string(), place);
        place
    }
    /// Opens `name`. `ENOENT`: there is none, and it is not to be created; `EEXIST`: there is one, and it must not be;
    /// `EINVAL`: the flags make no sense.
    pub fn open(&mut self, name: &str, how: usize) -> Result<Open, Error> {
        let access = how & flags::ACCESS;
        if access > flags::READ_WRITE || (access == flags::READ_ONLY && how & (flags::TRUNCATE | flags::APPEND) != 0) {
            return Err(Error::EINVAL);
        }
        let node = match self.names.get(name) {
            Some(_) if how & (flags::CREATE | flags::EXCLUSIVE) == flags::CREATE | flags::EXCLUSIVE => {
                return Err(Error::EEXIST);
            }
            Some(&node) => node,
            None if how & flags::CREATE == 0 => return Err(Error::ENOENT),
            None => self.create(name),
        };
        let place = self.node(node);
        place.open += 1;
        if how & flags::TRUNCATE != 0 {
            place.bytes = Vec::new();
        }
        let append = how & flags::APPEND != 0;
        Ok(Open { node, position: 0, read: access != flags::WRITE_ONLY, write: access != flags::READ_ONLY, append })
    }
    /// The control block goes.
    pub fn close(&mut self, open: Open) {
        self.node(open.node).open -= 1;
        self.free_if_unused(open.node);
    }
    /// Bytes from the position on, at most `count`, which `take` is given. `EBADF`: not open for reading.
    pub fn read<T>(&mut self, open: &mut Open, count: usize, take: impl FnOnce(&[u8]) -> T) -> Result<T, Error> {
        if !open.read {
            return Err(Error::EBADF);
        }
        let bytes = &self.node(open.node).bytes;
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
        let bytes = &mut self.node(open.node).bytes;
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
        Ok(data.len())
    }
    /// Moves the position to `offset` from one of [`whence`]; where it is then. `EINVAL`: before the start, or from nowhere.
    pub fn seek(&mut self, open: &mut Open, offset: isize, from: usize) -> Result<usize, Error> {
        let from = match from {
            whence::START => 0,
            whence::POSITION => open.position,
            whence::END => self.node(open.node).bytes.len(),
            _ => return Err(Error::EINVAL),
        };
        open.position = from.checked_add_signed(offset).ok_or(Error::EINVAL)?;
        Ok(open.position)
    }
    /// Takes a name away; the file goes with the last that has it open.
    pub fn unlink(&mut self, name: &str) -> Result<(), Error> {
        let node = self.names.remove(name).ok_or(Error::ENOENT)?;
        self.node(node).named = false;
        self.free_if_unused(node);
        Ok(())
    }
    /// Name and bytes of file `n`, in the order of the names.
    pub fn list(&self, n: usize) -> Option<(&str, usize)> {
        let (name, &node) = self.names.iter().nth(n)?;
        Some((name, self.nodes[node].as_ref()?.bytes.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::file::flags::*;

    fn contents(store: &mut Store, name: &str) -> Vec<u8> {
        let mut open = store.open(name, READ_ONLY).unwrap();
        let bytes = store.read(&mut open, usize::MAX, <[u8]>::to_vec).unwrap();
        store.close(open);
        bytes
    }
    #[test]
    fn what_was_written_is_read() {
        let mut s = Store::new();
        let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
        assert_eq!(s.write(&mut open, b"hello world"), Ok(11));
        assert_eq!(s.seek(&mut open, 6, 0), Ok(6));
        assert_eq!(s.read(&mut open, 100, <[u8]>::to_vec).unwrap(), b"world");
        assert_eq!(s.read(&mut open, 100, <[u8]>::len), Ok(0));
    }
    #[test]
    fn a_write_beyond_the_end_fills_with_zeros() {
        let mut s = Store::new();
        let mut open = s.open("a", WRITE_ONLY | CREATE).unwrap();
        s.seek(&mut open, 3, 0).unwrap();
        s.write(&mut open, b"x").unwrap();
        assert_eq!(contents(&mut s, "a"), b"\0\0\0x");
    }
    #[test]
    fn appending_goes_to_the_end_whoever_else_writes() {
        let mut s = Store::new();
        let mut one = s.open("a", WRITE_ONLY | CREATE | APPEND).unwrap();
        let mut other = s.open("a", WRITE_ONLY | APPEND).unwrap();
        for (open, text) in [(&mut one, b"1"), (&mut other, b"2")] {
            s.write(open, text).unwrap();
        }
        s.write(&mut one, b"3").unwrap();
        assert_eq!(contents(&mut s, "a"), b"123");
    }
    #[test]
    fn opening_what_is_not_there_is_refused() {
        assert_eq!(Store::new().open("a", READ_ONLY), Err(Error::ENOENT));
    }
    #[test]
    fn creating_what_is_there_is_refused() {
        let mut s = Store::new();
        let open = s.open("a", WRITE_ONLY | CREATE | EXCLUSIVE).unwrap();
        s.close(open);
        assert_eq!(s.open("a", WRITE_ONLY | CREATE | EXCLUSIVE), Err(Error::EEXIST));
    }
    #[test]
    fn flags_without_sense_are_refused() {
        assert_eq!(Store::new().open("a", 3 | CREATE), Err(Error::EINVAL));
        assert_eq!(Store::new().open("a", READ_ONLY | CREATE | TRUNCATE), Err(Error::EINVAL));
    }
    #[test]
    fn the_wrong_direction_is_refused() {
        let mut s = Store::new();
        let mut write = s.open("a", WRITE_ONLY | CREATE).unwrap();
        assert_eq!(s.read(&mut write, 1, |_| ()), Err(Error::EBADF));
        let mut read = s.open("a", READ_ONLY).unwrap();
        assert_eq!(s.write(&mut read, b"x"), Err(Error::EBADF));
    }
    #[test]
    fn a_position_before_the_start_is_refused() {
        let mut s = Store::new();
        let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
        assert_eq!((s.seek(&mut open, -1, 0), s.seek(&mut open, 0, 3)), (Err(Error::EINVAL), Err(Error::EINVAL)));
    }
    #[test]
    fn a_file_too_long_is_refused() {
        let mut s = Store::new();
        let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
        s.seek(&mut open, isize::MAX, 0).unwrap();
        assert_eq!(s.write(&mut open, b"x"), Err(Error::ENOMEM));
    }
    #[test]
    fn an_unlinked_file_lives_as_long_as_it_is_open() {
        let mut s = Store::new();
        let mut open = s.open("a", READ_WRITE | CREATE).unwrap();
        s.write(&mut open, b"x").unwrap();
        s.unlink("a").unwrap();
        assert_eq!(s.open("a", READ_ONLY), Err(Error::ENOENT));
        s.seek(&mut open, 0, 0).unwrap();
        assert_eq!(s.read(&mut open, 9, <[u8]>::to_vec).unwrap(), b"x");
        s.close(open);
        assert!(s.nodes.iter().all(Option::is_none));
        assert_eq!(s.unlink("a"), Err(Error::ENOENT));
    }
}
