//! Where commands of the shell's own print to: the console, or text that is collected for a file or a pipe.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Arguments, Write};
use pebble::sync::Mutex;

/// What threads have printed that collect it, by their indices.
static COLLECTED: Mutex<Vec<(usize, String)>> = Mutex::new(Vec::new());

/// Prints for the calling thread.
pub fn print(arguments: Arguments) {
    let own = pebble::thread::index();
    match COLLECTED.lock().iter_mut().rev().find(|(thread, _)| *thread == own) {
        // A string takes everything.
        Some((_, text)) => _ = text.write_fmt(arguments),
        None => pebble::console::print(arguments),
    }
}
/// Runs `body`, and gives what it has printed besides its result.
pub fn collect<T>(body: impl FnOnce() -> T) -> (T, String) {
    let own = pebble::thread::index();
    COLLECTED.lock().push((own, String::new()));
    let result = body();
    let mut collected = COLLECTED.lock();
    let place = collected.iter().rposition(|(thread, _)| *thread == own);
    (result, place.map(|place| collected.remove(place).1).unwrap_or_default())
}

#[macro_export]
macro_rules! print { ($($t:tt)*) => { $crate::output::print(format_args!($($t)*)) }; }
#[macro_export]
macro_rules! println {
    () => { $crate::print!("\n") };
    ($($t:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($t)*))) };
}
