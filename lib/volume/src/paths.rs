//! Where paths lead: through directories, and through symbolic links.
//!
//! A link leads on from the directory that it is in, or, where its path begins with a slash, from the disk's root: what lies above that was on
//! another machine. Paths that are asked for have no `..`; those of links may.

use crate::{Result, Volume, name, told};
use abi::Error;
use alloc::borrow::Cow;
use alloc::string::String;
use rsext4::{BlockIo, DirectoryEntryType, EntropySource, InodeInfo};

/// Most links that one path leads through (`path_resolution(7)`, Linux).
const LINKS: usize = 40;
/// Most names that one path leads through, with those of its links.
const NAMES: usize = 512;
/// A link's path, and what is behind it in the path that led to it, are shorter than this, in bytes (`PATH_MAX` of Linux).
const LONGEST: usize = 4096;

/// What is meant by a path whose last name is that of a link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// What it leads to.
    Followed,
    /// The link, which with a slash behind is no directory.
    Itself,
}
/// Where a path leads.
pub(crate) struct Place<'a> {
    pub directory: InodeInfo,
    /// Its name there; empty: it is the directory, under whatever name.
    pub name: Cow<'a, str>,
    /// What has the name.
    pub found: Option<InodeInfo>,
    /// A slash is behind the name: it is to be a directory's.
    pub slash: bool,
}

/// Where the name at or behind byte `at` of a path begins and ends; empty: there is none.
fn next(path: &str, at: usize) -> (usize, usize) {
    let start = path[at..].find(|c| c != '/').map_or(path.len(), |n| at + n);
    (start, path[start..].find('/').map_or(path.len(), |n| start + n))
}
/// Whether nothing behind byte `at` is a name of its own.
fn is_last(path: &str, at: usize) -> bool {
    path[at..].split('/').all(|name| matches!(name, "" | "."))
}

impl<D: BlockIo, E: EntropySource> Volume<D, E> {
    /// Follows a path. `ENOENT`, `ENOTDIR`: of a directory on the way; `ELOOP`; `ENAMETOOLONG`; `EINVAL`: it has a `..`, or no name.
    pub(crate) fn walk<'a>(&mut self, path: &'a str, last: Last) -> Result<Place<'a>> {
        if path.split('/').any(|name| name == "..") {
            return Err(Error::EINVAL);
        }
        let root = self.files.inode(self.files.root_inode()).map_err(told)?;
        let (mut path, mut at, mut directory, mut links) = (Cow::Borrowed(path), 0, root, 0);
        for _ in 0..NAMES {
            let (start, end) = next(&path, at);
            let name = &path[start..end];
            if name.is_empty() {
                return Ok(Place { directory, name: Cow::Borrowed(""), found: Some(directory), slash: false });
            }
            at = end;
            if name == "." {
                continue;
            }
            let found = self.child(&directory, name)?;
            let (is_last, slash) = (is_last(&path, end), end < path.len());
            let link = found.filter(|found| found.file_type() == DirectoryEntryType::Symlink);
            if let Some(link) = link.filter(|_| !is_last || last == Last::Followed) {
                links += 1;
                if links > LINKS {
                    return Err(Error::ELOOP);
                }
                let target = self.target(&link)?;
                if target.is_empty() {
                    return Err(Error::ENOENT);
                }
                if target.len() + path.len() - end >= LONGEST {
                    return Err(Error::ENAMETOOLONG);
                }
                if target.starts_with('/') {
                    directory = root;
                }
                (path, at) = (Cow::Owned(target + &path[end..]), 0);
                continue;
            }
            // Only a link's path has one: the directory that this one is in.
            if is_last && name != ".." {
                let name = match &path {
                    Cow::Borrowed(path) => Cow::Borrowed(&path[start..end]),
                    Cow::Owned(path) => Cow::Owned(String::from(&path[start..end])),
                };
                return Ok(Place { directory, name, found, slash });
            }
            directory = found.ok_or(Error::ENOENT)?;
            if !directory.is_directory() {
                return Err(Error::ENOTDIR);
            }
        }
        Err(Error::ELOOP)
    }
    /// What is at a path. `ENOENT`; `ENOTDIR`: something else, where a `/` follows.
    pub(crate) fn find(&mut self, path: &str, last: Last) -> Result<InodeInfo> {
        // With a slash behind, a link is its directory's name.
        let slash = path.ends_with('/') || path.ends_with("/.");
        let place = self.walk(path, if slash { Last::Followed } else { last })?;
        let found = place.found.ok_or(Error::ENOENT)?;
        if place.slash && !found.is_directory() { Err(Error::ENOTDIR) } else { Ok(found) }
    }
    pub(crate) fn child(&mut self, directory: &InodeInfo, name: &str) -> Result<Option<InodeInfo>> {
        self.room_in(directory)?;
        self.files.lookup_child(directory.number, self::name(name)?).map_err(told)
    }
    /// The path that a link has. `EIO`: it is longer than any may be; `EINVAL`: it is no text.
    fn target(&mut self, link: &InodeInfo) -> Result<String> {
        let bytes = usize::try_from(link.size).ok().filter(|bytes| *bytes < LONGEST).ok_or(Error::EIO)?;
        let mut target = alloc::vec![0; bytes];
        self.room_for(link)?;
        let count = self.files.read_inode(link.number, 0, &mut target).map_err(told)?;
        target.truncate(count);
        String::from_utf8(target).map_err(|_| Error::EINVAL)
    }
    /// The path of the link at a path. `ENOENT`; `EINVAL`: it is no link.
    pub fn read_link(&mut self, path: &str) -> Result<String> {
        let found = self.find(path, Last::Itself)?;
        if found.file_type() != DirectoryEntryType::Symlink {
            return Err(Error::EINVAL);
        }
        self.target(&found)
    }
}
