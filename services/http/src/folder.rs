//! The folder that is served. Files stay open for a while: to open one costs more than to read it.

use crate::connection::{Files, Found};
use crate::date::Date;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::file::{self, File, Kind, SeekFrom};
use pebble::interfaces::clock;
use pebble::time::{TIMEBASE, time};
use pebble::{Error, Result};

/// Most files that are kept open.
const KEPT: usize = 16;

/// A file, which may be being sent to several clients.
pub type Handle = Rc<File>;

struct Kept {
    path: String,
    file: Handle,
    node: u64,
}
pub struct Folder {
    root: String,
    /// The one that was used last is last.
    kept: Vec<Kept>,
    boot: u64,
    /// The clock's time when it was asked, which is not done twice in the same second since the machine was started.
    date: Option<Date>,
    asked: Option<u64>,
}
impl Folder {
    pub fn new(root: &str) -> Folder {
        Folder { root: root.into(), kept: Vec::new(), boot: time(), date: None, asked: None }
    }
    /// The open file at `path`, if it is the one that is known by it now.
    fn kept(&mut self, path: &str, node: u64) -> Option<Handle> {
        let place = self.kept.iter().position(|kept| kept.path == path)?;
        let kept = self.kept.remove(place);
        let file = (kept.node == node).then(|| kept.file.clone());
        if file.is_some() {
            self.kept.push(kept);
        }
        file
    }
}
impl Files for Folder {
    type File = Handle;
    // A head, the requests behind it and a page of the answer, while they grow; what requests say, a path, a file.
    const MEMORY: usize = 64 << 10;
    fn open(&mut self, path: &str) -> Result<Found<Handle>> {
        let mut full = format!("{}{path}", self.root);
        let mut data = file::metadata(&full)?;
        let is_index = data.kind == Kind::Directory;
        if is_index {
            full.push_str("/index.html");
            data = file::metadata(&full)?;
        }
        if data.kind != Kind::File {
            return Err(Error::ENOENT);
        }
        let file = match self.kept(&full, data.node) {
            Some(file) => file,
            None => {
                let file = Rc::new(File::open(&full)?);
                // What has the name now may be another one than a moment ago.
                data = file.metadata()?;
                if self.kept.len() == KEPT {
                    self.kept.remove(0);
                }
                self.kept.push(Kept { path: full.clone(), file: file.clone(), node: data.node });
                file
            }
        };
        Ok(Found { file, path: full, bytes: data.bytes, version: data.version, is_index })
    }
    fn read(&mut self, file: &Handle, at: u64, buffer: &mut [u8]) -> Result<usize> {
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read(buffer));
        if read.is_err() {
            // The files component has ended: another one has other files, and counts their versions anew.
            self.kept.clear();
            self.boot = time();
        }
        read
    }
    fn boot(&self) -> u64 {
        self.boot
    }
    fn date(&mut self) -> Option<Date> {
        let now = time() / TIMEBASE;
        if self.asked != Some(now) {
            self.asked = Some(now);
            self.date =
                clock::time().ok().and_then(|time| u64::try_from(time.0).ok()).map(|time| Date(time / 1_000_000_000));
        }
        self.date
    }
}
