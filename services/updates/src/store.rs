//! The folder on the disk: a file of each update, and the text that says which of them counts.
//!
//! Each is written under another name, to the disk, and gets its own name then: what is there by that name is whole.

use crate::STATE;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::Write;
use core::sync::atomic::{AtomicBool, Ordering};
use pebble::file::{self, File};
use pebble::sync::Mutex;
use pebble::time::TIMEBASE;
use pebble::{Error, Result, directory, fallible};
use update::Update;
use updates_logic::{State, Version};

/// Where it is to be, `None`: nothing is kept; and the same where it is there.
static WANTED: Mutex<Option<Box<str>>> = Mutex::new(None);
static FOLDER: Mutex<Option<Box<str>>> = Mutex::new(None);
/// What each component has is not written yet.
static LATER: AtomicBool = AtomicBool::new(false);
/// How long it takes until it is tried again to open it, in units of [`TIMEBASE`].
const AGAIN: u64 = TIMEBASE;

/// The text's name, and the ending of updates.
const STATE_NAME: &str = "state";
const ENDING: &str = ".upd";
/// What something has in the place of its name until it is whole.
const NEW: &str = "new";

/// A path of the folder. `ENOENT`: there is none; `ENAMETOOLONG`.
struct Path([u8; abi::nucleus::NAMELEN], usize);
impl Write for Path {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = self.0.get_mut(self.1..self.1 + text.len()).ok_or(core::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.1 += text.len();
        Ok(())
    }
}
impl Path {
    fn of(name: core::fmt::Arguments) -> Result<Path> {
        let mut path = Path([0; abi::nucleus::NAMELEN], 0);
        let folder = FOLDER.lock();
        let folder = folder.as_ref().ok_or(Error::ENOENT)?;
        write!(path, "{folder}/{name}").map_err(|_| Error::ENAMETOOLONG)?;
        Ok(path)
    }
    fn of_version(name: &str, version: Version) -> Result<Path> {
        Path::of(format_args!("{name}@{version}{ENDING}"))
    }
    fn text(&self) -> &str {
        core::str::from_utf8(&self.0[..self.1]).unwrap_or("")
    }
}
/// The folder is to be that; `None`: nothing is kept.
pub fn is_in(folder: Option<Box<str>>) {
    *WANTED.lock() = folder;
}
/// Opens it, which is made if it is not there: what each component has is what its text says. It is tried until that is known.
pub fn open_at_last() {
    let mut said = None;
    while let Err(error) = open() {
        *FOLDER.lock() = None;
        if said != Some(error) {
            pebble::say(format_args!("no update is taken: what there was can not be read: {}", error.text()));
            said = Some(error);
        }
        pebble::time::wait(AGAIN);
    }
}
fn open() -> Result<()> {
    let Some(folder) = WANTED.lock().as_ref().map(|folder| fallible::text(folder)).transpose()? else { return Ok(()) };
    match directory::create(&folder) {
        Ok(()) | Err(Error::EEXIST) => {}
        Err(error) => return Err(error),
    }
    *FOLDER.lock() = Some(folder);
    let text = match file::read(Path::of(format_args!("{STATE_NAME}"))?.text()) {
        Ok(text) => text,
        Err(Error::ENOENT) => return Ok(()),
        Err(error) => return Err(error),
    };
    // Whatever else it is, it is not overwritten.
    let state = core::str::from_utf8(&text).ok().and_then(State::parse);
    *STATE.lock() = state.ok_or(Error::EINVAL).and_then(|state| state)?;
    Ok(())
}
pub fn is_open() -> bool {
    FOLDER.lock().is_some()
}
/// A file of the folder is that from now on; whole, or what it was. For who has [`crate::ONE`], as all that writes: there is one new file.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let new = Path::of(format_args!("{NEW}"))?;
    let written = || {
        let file = File::create(new.text())?;
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = &rest[file.write(rest)?..];
        }
        file.sync()?;
        drop(file);
        file::rename(new.text(), path.text())?;
        file::sync()
    };
    written().inspect_err(|_| {
        let _ = file::remove(new.text());
    })
}
/// What each component has is on the disk. Where nothing is kept, nothing is to be done.
pub fn save() -> Result<()> {
    if !is_open() {
        return Ok(());
    }
    let text = STATE.lock().text()?;
    replace(&Path::of(format_args!("{STATE_NAME}"))?, text.as_bytes())
}
/// The same; if it can not be now, then later.
pub fn save_later() {
    LATER.store(save().is_err(), Ordering::Relaxed);
}
/// Whether there is something to be written.
pub fn is_behind() -> bool {
    LATER.load(Ordering::Relaxed)
}
/// An update's file is on the disk; it counts for nothing yet.
pub fn write(update: &Update, file: &[u8]) -> Result<()> {
    if !is_open() {
        return Ok(());
    }
    replace(&Path::of_version(update.name(), update.version())?, file)
}
pub fn read(name: &str, version: Version) -> Result<Vec<u8>> {
    file::read(Path::of_version(name, version)?.text())
}
/// Files of a component's versions that nobody wants any more are gone.
pub fn tidy(name: &str) {
    let folder = FOLDER.lock().as_ref().and_then(|folder| fallible::text(folder).ok());
    let Some(Ok(entries)) = folder.map(|folder| directory::read(&folder)) else { return };
    for entry in entries.flatten() {
        let version = entry.name().strip_suffix(ENDING).and_then(|rest| rest.strip_prefix(name)?.strip_prefix('@'));
        let Some(version) = version.and_then(|version| version.parse().ok()) else { continue };
        if !STATE.lock().wants(name, version)
            && let Ok(path) = Path::of_version(name, version)
        {
            let _ = file::remove(path.text());
        }
    }
}
