//! Files of the disk as standard streams. Its component hands nothing over to programs, so they have one side of a pipe, and a thread of the shell's has
//! the other.

use crate::jobs::Job;
use crate::streams;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use core::sync::atomic::Ordering;
use pebble::file::{self, File};
use pebble::{Error, Result};

/// Bytes that are carried at a time.
const PIECE: usize = 4096;

pub fn is_on_disk(path: &str) -> bool {
    path.trim_start_matches('/').strip_prefix("disk").is_some_and(|rest| rest.starts_with('/'))
}
/// The reading side of a pipe that has what is in `file`, called `path`. Its end is waited for with that of `job`.
pub fn from(job: &Arc<Job>, file: File, path: String) -> Result<File> {
    let (reads, writes) = file::pipe()?;
    // Who has heard enough has closed its side: not worth a word.
    start(job, move || carry(&file, &writes).or_else(|failed| failed.reading()), path)?;
    Ok(reads)
}
/// The writing side of a pipe, what comes through which gets into `file`.
pub fn to(job: &Arc<Job>, file: File, path: String) -> Result<File> {
    let (reads, writes) = file::pipe()?;
    start(job, move || carry(&reads, &file).or_else(|failed| failed.writing()), path)?;
    Ok(writes)
}
/// Has a thread carry something. What fails is said where the calling thread's errors go, and the job has failed.
fn start(job: &Arc<Job>, carries: impl FnOnce() -> Result<()> + Send + 'static, path: String) -> Result<()> {
    let (own, streams) = (job.clone(), streams::own());
    job.beside(move || {
        if let Err(error) = carries() {
            own.failed.store(true, Ordering::Relaxed);
            streams::with(streams, || streams::complain(format_args!("{path}: {}", error.text())));
        }
    })
}
/// Which side has failed.
enum Failed {
    Reading(Error),
    Writing(Error),
}
impl Failed {
    fn reading(self) -> Result<()> {
        if let Failed::Reading(error) = self { Err(error) } else { Ok(()) }
    }
    fn writing(self) -> Result<()> {
        if let Failed::Writing(error) = self { Err(error) } else { Ok(()) }
    }
}
/// Carries all that there is.
fn carry(from: &File, to: &File) -> core::result::Result<(), Failed> {
    let mut piece = vec![0; PIECE];
    loop {
        let count = from.read(&mut piece).map_err(Failed::Reading)?;
        if count == 0 {
            return Ok(());
        }
        match to.write(&piece[..count]) {
            Ok(written) if written == count => {}
            Ok(_) => return Err(Failed::Writing(Error::ENOSPC)),
            Err(error) => return Err(Failed::Writing(error)),
        }
    }
}
