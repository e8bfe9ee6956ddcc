//! Directories of the files component.

use crate::Result;
use crate::file::{File, Metadata, ask, mounted, path};
use abi::file::{self, Status, flags, operation};
use abi::name::Name;
use abi::nucleus::NAMELEN;

crate::import! {
    MKDIR = "files.mkdir";
    RMDIR = "files.rmdir";
}
crate::import! { optional:
    DISK_MKDIR = "disk.mkdir";
    DISK_RMDIR = "disk.rmdir";
}

/// Makes a directory. `EEXIST`: the name is taken; `ENOENT`, `ENOTDIR`: one on the way is not there, or is a file.
pub fn create(name: &str) -> Result<()> {
    let (portal, name) = mounted(name, &MKDIR, &DISK_MKDIR);
    ask(portal, [path(name)?.address()]).map(|_| ())
}
/// Takes an empty directory away. `ENOTEMPTY`: there is something in it; `ENOTDIR`: it is a file; `EBUSY`: the root.
pub fn remove(name: &str) -> Result<()> {
    let (portal, name) = mounted(name, &RMDIR, &DISK_RMDIR);
    ask(portal, [path(name)?.address()]).map(|_| ())
}
/// What is in a directory, in the order of the names. `ENOENT`; `ENOTDIR`: it is a file.
pub fn read(name: &str) -> Result<Entries> {
    File::open_with(name, flags::READ_ONLY | flags::DIRECTORY).map(Entries)
}

/// What is in a directory. Names that come or go in between do not disturb the others.
#[derive(Debug)]
pub struct Entries(File);
impl Iterator for Entries {
    type Item = Result<Entry>;
    fn next(&mut self) -> Option<Result<Entry>> {
        let mut entry = file::Entry { status: Status::NONE, name: [0; NAMELEN] };
        match self.0.control(operation::NEXT, &mut entry) {
            Ok(0) => None,
            Ok(_) => Some(Name::new(&entry.name).map(|name| Entry { name, metadata: entry.status.into() })),
            Err(error) => Some(Err(error)),
        }
    }
}
/// A name in a directory, and what has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    name: Name,
    pub metadata: Metadata,
}
impl Entry {
    pub fn name(&self) -> &str {
        self.name.text()
    }
}
