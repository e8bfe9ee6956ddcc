//! The console: `print!` and `println!` on the portals of the console driver.

use core::fmt;

crate::import! {
    WRITE = "console.write";
    ERROR = "console.error";
    RAW = "console.raw";
}

// Who reads files could read standard input, and need not be allowed to.
crate::import! { optional:
    READ = "console.read";
}

/// Calls a portal of the console's; once more, where the driver has died and was started again.
fn call(portal: &crate::portal::Import, buffer: usize, length: usize) -> isize {
    let result = portal.call([buffer, length]);
    if result == crate::Error::EDEAD.code() && portal.reopen().is_ok() {
        return portal.call([buffer, length]);
    }
    result
}
fn write_by(portal: &crate::portal::Import, bytes: &[u8]) -> crate::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(crate::portal::in_page(rest));
        crate::check(call(portal, piece.as_ptr() as usize, piece.len()))?;
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
        let arguments = [rest.as_ptr() as usize, here];
        match crate::check(crate::portal::call(portal + abi::file::portal::WRITE, arguments)) {
            Ok(count) => rest = &rest[count.min(here)..],
            Err(error) => return Some(Err(error)),
        }
    }
    Some(Ok(()))
}
/// Writes all of `bytes` to standard output.
pub fn write(bytes: &[u8]) -> crate::Result<()> {
    write_elsewhere(1, bytes).unwrap_or_else(|| write_by(&WRITE, bytes))
}
/// Writes all of `bytes` to standard error; to standard output where the console does not tell them apart.
pub fn write_error(bytes: &[u8]) -> crate::Result<()> {
    write_elsewhere(2, bytes).unwrap_or_else(|| match write_by(&ERROR, bytes) {
        Err(crate::Error::EPORTAL) => write_by(&WRITE, bytes),
        result => result,
    })
}
fn read_by(portal: &crate::portal::Import, buffer: &mut [u8]) -> crate::Result<usize> {
    let here = crate::portal::in_page(buffer);
    crate::check(call(portal, buffer.as_mut_ptr() as usize, here))
}
/// Reads from the line that the user finished with Enter; at least one byte, 0 at the end of input.
pub fn read(buffer: &mut [u8]) -> crate::Result<usize> {
    read_by(&READ, buffer)
}
/// Says whether keys are taken as they are from now on, as the first [`read_raw`] does; else Ctrl-C is for who waits for it.
pub fn set_raw(raw: bool) -> crate::Result<()> {
    let nothing = 0u8;
    crate::check(call(if raw { &RAW } else { &READ }, &raw const nothing as usize, 0)).map(|_| ())
}
/// Reads what was typed, key by key, without echo; at least one byte.
pub fn read_raw(buffer: &mut [u8]) -> crate::Result<usize> {
    read_by(&RAW, buffer)
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
