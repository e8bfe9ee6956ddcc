//! Directories of the files component.

use crate::file::{File, Metadata, Mount, mounted, path};
use crate::{Error, Result};
use abi::file::{self, Status, flags, operation};
use abi::name::Name;
use abi::nucleus::NAMELEN;
use interfaces::disk::optional as disk;
use interfaces::files;
use interfaces::types::Alleged;

/// Makes a directory. `EEXIST`: the name is taken; `ENOENT`, `ENOTDIR`: one on the way is not there, or is a file.
pub fn create(name: &str) -> Result<()> {
    let (mount, name) = mounted(name);
    let name = path(name)?;
    match mount {
        Mount::Files => files::anew::mkdir(Alleged::lend(&name)),
        Mount::Disk => disk::anew::mkdir(Alleged::lend(&name)),
    }
}
/// Takes an empty directory away. `ENOTEMPTY`: there is something in it; `ENOTDIR`: it is a file; `EBUSY`: the root.
pub fn remove(name: &str) -> Result<()> {
    let (mount, name) = mounted(name);
    let name = path(name)?;
    match mount {
        Mount::Files => files::anew::rmdir(Alleged::lend(&name)),
        Mount::Disk => disk::anew::rmdir(Alleged::lend(&name)),
    }
}
/// What is in a directory, in the order of the names. `ENOENT`; `ENOTDIR`: it is a file.
pub fn read(name: &str) -> Result<Entries> {
    File::open_with(name, flags::READ_ONLY | flags::DIRECTORY).map(Entries)
}

/// What is in a directory. Names that come or go in between do not disturb the others.
#[derive(Debug)]
pub struct Entries(File);
impl Entries {
    /// How many names were left out so far, since they are too long or have other than printable ASCII characters: of a disk that another system
    /// has written.
    pub fn left_out(&self) -> Result<usize> {
        let mut unused = Status::NONE;
        match self.0.control(operation::LEFT_OUT, &mut unused) {
            // In memory there are none.
            Err(Error::EINVAL) => Ok(0),
            result => result,
        }
    }
}
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
