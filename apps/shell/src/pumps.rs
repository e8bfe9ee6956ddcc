//! Files of the disk as standard streams. Its component hands nothing over to programs, so they have one side of a pipe, and a thread of the shell's has
//! the other.

use crate::jobs::Job;
use crate::streams;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use pebble::Result;
use pebble::file::{self, File};

/// Bytes that are carried at a time.
const PIECE: usize = 4096;

pub fn is_on_disk(path: &str) -> bool {
    path.trim_start_matches('/').strip_prefix("disk").is_some_and(|rest| rest.starts_with('/'))
}
/// The reading side of a pipe that has what is in `file`, called `path`. Its end is waited for with that of `job`.
pub fn from(job: &Arc<Job>, file: File, path: String) -> Result<File> {
    let (reads, writes) = file::pipe()?;
    // Who has heard enough has closed its side: not worth a word.
    job.beside(move || carry(&file, &writes, &path, ""))?;
    Ok(reads)
}
/// The writing side of a pipe, what comes through which gets into `file`.
pub fn to(job: &Arc<Job>, file: File, path: String) -> Result<File> {
    let (reads, writes) = file::pipe()?;
    job.beside(move || carry(&reads, &file, "", &path))?;
    Ok(writes)
}
/// Carries all that there is. What fails is said of the side that has a name.
fn carry(from: &File, to: &File, source: &str, target: &str) {
    let say = |name: &str, error: pebble::Error| {
        if !name.is_empty() {
            streams::complain(format_args!("{name}: {}", error.text()));
        }
    };
    let mut piece = vec![0; PIECE];
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => return,
            Ok(count) => count,
            Err(error) => return say(source, error),
        };
        match to.write(&piece[..count]) {
            Ok(written) if written == count => {}
            Ok(_) => return say(target, pebble::Error::ENOSPC),
            Err(error) => return say(target, error),
        }
    }
}
