//! The console: `print!` and `println!` on the portals of the console driver.

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use interfaces::import::Import;
use interfaces::types::{Alleged, PortalNumber};
// Who reads files could read standard input, and need not be allowed to.
use interfaces::console::optional::{import::read as read_import, read as read_line};
use interfaces::{console, descriptor};

/// Ticks for which a driver that has died is waited for, and after which it is looked for again.
const PATIENCE: u64 = 2 * crate::time::TIMEBASE;
const LATER: u64 = crate::time::TIMEBASE / 100;
/// What may lie between the registrations of two of its portals.
const BETWEEN: u64 = PATIENCE / 8;

/// A driver that was not there was waited for in vain: nobody waits for the first one again.
static NOBODY: AtomicBool = AtomicBool::new(false);

/// Calls a portal of the console's; again, where the driver has died, with the one that was started in its place: nothing that was sent to the
/// one before and not read is lost. So, once, where it is not there yet.
#[inline(always)]
fn again<'a>(
    import: fn() -> &'static Import,
    portal: impl Fn(Alleged<'a, u8>, usize) -> crate::Result<usize>,
    (buffer, bytes): (Alleged<'a, u8>, usize),
) -> crate::Result<usize> {
    match portal(buffer, bytes) {
        Err(crate::Error::EDEAD) => reopened(import, || portal(buffer, bytes), PATIENCE),
        Err(crate::Error::EPORTAL) => {
            let patience = if NOBODY.load(Ordering::Relaxed) { 0 } else { PATIENCE };
            reopened(import, || portal(buffer, bytes), patience)
        }
        result => result,
    }
}
#[cold]
fn reopened(
    import: fn() -> &'static Import,
    call: impl Fn() -> crate::Result<usize>,
    patience: u64,
) -> crate::Result<usize> {
    let end = crate::time::time() + patience;
    loop {
        let result = import().reopen().and_then(|()| call());
        match result {
            Err(crate::Error::EDEAD | crate::Error::ENOENT) if crate::time::time() < end => crate::time::sleep(LATER),
            Err(crate::Error::ENOENT) => {
                NOBODY.store(true, Ordering::Relaxed);
                return result;
            }
            result => return result,
        }
    }
}
/// It is there, and does not tell errors from output.
static TOGETHER: AtomicBool = AtomicBool::new(false);

/// Calls the portal for errors, which was not there at the start, when there is a console. `ENOENT`: it has none.
#[cold]
fn apart(call: impl Fn() -> crate::Result<usize>) -> crate::Result<usize> {
    let nothing = [0u8];
    again(console::import::write, console::write, (Alleged::lend_all(&nothing), 0))?;
    // It registers one portal after the other.
    let end = crate::time::time() + BETWEEN;
    loop {
        match console::import::error().reopen().and_then(|()| call()) {
            Err(crate::Error::ENOENT) if crate::time::time() < end => crate::time::sleep(LATER),
            result => {
                TOGETHER.store(result == Err(crate::Error::ENOENT), Ordering::Relaxed);
                return result;
            }
        }
    }
}
fn write_by(write: impl Fn(&[u8]) -> crate::Result<usize>, bytes: &[u8]) -> crate::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(crate::portal::in_page(rest));
        write(piece)?;
        rest = after;
    }
    Ok(())
}
/// Writes all of `bytes` to what a standard stream was handed over as; `None`: it was not.
fn write_elsewhere(stream: usize, bytes: &[u8]) -> Option<crate::Result<()>> {
    let portal = crate::standard::behind(stream);
    if portal == stream {
        return None;
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        let here = crate::portal::in_page(rest);
        match descriptor::write(PortalNumber(portal), Alleged::lend_all(rest), here) {
            Ok(count) => rest = &rest[count.min(here)..],
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok(()))
}
fn write_to_console(bytes: &[u8]) -> crate::Result<()> {
    write_by(|piece| again(console::import::write, console::write, (Alleged::lend_all(piece), piece.len())), bytes)
}
/// Writes all of `bytes` to standard output.
pub fn write(bytes: &[u8]) -> crate::Result<()> {
    write_elsewhere(1, bytes).unwrap_or_else(|| write_to_console(bytes))
}
/// Writes all of `bytes` to standard error; to standard output where the console does not tell them apart.
pub fn write_error(bytes: &[u8]) -> crate::Result<()> {
    write_elsewhere(2, bytes).unwrap_or_else(|| {
        let error = |piece: &[u8]| {
            let call = || console::error(Alleged::lend_all(piece), piece.len());
            match call() {
                Err(crate::Error::EDEAD) => reopened(console::import::error, call, PATIENCE),
                Err(crate::Error::EPORTAL) if !TOGETHER.load(Ordering::Relaxed) => apart(call),
                result => result,
            }
        };
        match write_by(error, bytes) {
            Err(crate::Error::EPORTAL | crate::Error::ENOENT) => write_to_console(bytes),
            result => result,
        }
    })
}
/// What lies in a buffer's first page, to be filled.
fn first_page(buffer: &mut [u8]) -> (Alleged<'_, u8>, usize) {
    let here = crate::portal::in_page(buffer);
    (Alleged::lend_all_to_write(buffer), here)
}
/// Reads from the line that the user finished with Enter; at least one byte, 0 at the end of input.
pub fn read(buffer: &mut [u8]) -> crate::Result<usize> {
    again(read_import, read_line, first_page(buffer))
}
/// Says whether keys are taken as they are from now on, as the first [`read_raw`] does; else Ctrl-C is for who waits for it.
pub fn set_raw(raw: bool) -> crate::Result<()> {
    let mut nothing = 0u8;
    let nothing = (Alleged::lend_to_write(&mut nothing), 0);
    let done =
        if raw { again(console::import::raw, console::raw, nothing) } else { again(read_import, read_line, nothing) };
    done.map(|_| ())
}
/// Reads what was typed, key by key, without echo; at least one byte.
pub fn read_raw(buffer: &mut [u8]) -> crate::Result<usize> {
    again(console::import::raw, console::raw, first_page(buffer))
}

/// Collects a formatted line so that it crosses in one call.
struct Line {
    bytes: [u8; 256],
    length: usize,
    write: fn(&[u8]) -> crate::Result<()>,
}
impl Line {
    fn flush(&mut self) -> fmt::Result {
        let length = core::mem::take(&mut self.length);
        (self.write)(&self.bytes[..length]).map_err(|_| fmt::Error)
    }
}
impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.length == self.bytes.len() {
                self.flush()?;
            }
            self.bytes[self.length] = byte;
            self.length += 1;
        }
        Ok(())
    }
}
fn format(arguments: fmt::Arguments, write: fn(&[u8]) -> crate::Result<()>) {
    let mut line = Line { bytes: [0; 256], length: 0, write };
    let _ = fmt::Write::write_fmt(&mut line, arguments);
    let _ = line.flush();
}
/// Formats to standard output; what can not be written is lost.
pub fn print(arguments: fmt::Arguments) {
    format(arguments, write);
}
/// Formats to standard error; what can not be written is lost.
pub fn print_error(arguments: fmt::Arguments) {
    format(arguments, write_error);
}
/// Prints to the console.
#[macro_export]
macro_rules! print { ($($t:tt)*) => { $crate::console::print(format_args!($($t)*)) }; }
/// Prints a line to the console.
#[macro_export]
macro_rules! println {
    () => { $crate::print!("\n") };
    ($($t:tt)*) => { $crate::console::print(format_args!("{}\n", format_args!($($t)*))) };
}
/// Prints a line to standard error.
#[macro_export]
macro_rules! eprintln {
    () => { $crate::console::print_error(format_args!("\n")) };
    ($($t:tt)*) => { $crate::console::print_error(format_args!("{}\n", format_args!($($t)*))) };
}
