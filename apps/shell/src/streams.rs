//! Where what the shell does reads and prints: each of its threads has standard streams, which a pipe, a redirection or the script that is
//! executed give it, and what it starts is given the same.

use crate::programs::Streams;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{Arguments, Write};
use pebble::Result;
use pebble::file::{self, File};
use pebble::sync::Mutex;

/// Those of threads that have some of their own, by the threads' indices, the innermost last.
static OF_THREADS: Mutex<Vec<(usize, Arc<Streams>)>> = Mutex::new(Vec::new());

/// Those of the calling thread; `None`: the shell's.
pub fn own() -> Option<Arc<Streams>> {
    let thread = pebble::thread::index();
    OF_THREADS.lock().iter().rev().find(|(other, _)| *other == thread).map(|(_, streams)| streams.clone())
}
/// Runs `body` with `streams`; these are given up before it returns.
pub fn with<T>(streams: Option<Arc<Streams>>, body: impl FnOnce() -> T) -> T {
    let Some(streams) = streams else { return body() };
    let thread = pebble::thread::index();
    OF_THREADS.lock().push((thread, streams));
    let result = body();
    let mut all = OF_THREADS.lock();
    let streams = all.iter().rposition(|(other, _)| *other == thread).map(|place| all.remove(place));
    // To give up a file may have to be waited for, which others need not.
    drop(all);
    drop(streams);
    result
}
/// What a command has as stream `n` if nothing else is said; `None`: the console, which all have.
pub fn inherited(n: usize) -> Result<Option<File>> {
    match own() {
        Some(streams) => streams[n].as_ref().map(File::try_clone).transpose(),
        None => Ok([file::stdin, file::stdout, file::stderr].get(n).map(|of| of()).filter(|file| !file.is_console())),
    }
}
/// Writes to stream `n` of the calling thread; what can not be written is lost, as on any terminal.
fn write(n: usize, arguments: Arguments) -> bool {
    let Some(streams) = own() else { return false };
    let Some(file) = &streams[n] else { return false };
    let mut text = String::new();
    // A string takes everything.
    let _ = text.write_fmt(arguments);
    let _ = file.write(text.as_bytes());
    true
}
pub fn print(arguments: Arguments) {
    if !write(1, arguments) {
        pebble::console::print(arguments);
    }
}
/// Prints a line where errors go.
pub fn complain(arguments: Arguments) {
    if !write(2, format_args!("{arguments}\n")) {
        pebble::eprintln!("{arguments}");
    }
}

#[macro_export]
macro_rules! print { ($($t:tt)*) => { $crate::streams::print(format_args!($($t)*)) }; }
#[macro_export]
macro_rules! println {
    () => { $crate::print!("\n") };
    ($($t:tt)*) => { $crate::streams::print(format_args!("{}\n", format_args!($($t)*))) };
}
