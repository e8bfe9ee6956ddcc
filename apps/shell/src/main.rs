//! The shell on the console: shows what the system is doing, runs and ends components.
#![no_std]
#![no_main]

extern crate alloc;

mod activity;
mod completion;
mod execute;
mod extensions;
mod jobs;
mod programs;
mod pumps;
mod streams;
mod terminal;
mod tracing;
mod updates;
mod variables;
mod views;
mod waiting;

use terminal::{Terminal, Typed};

pebble::program!(main);

/// Something that is lent through a window: it does not cross a page boundary.
#[repr(align(1024))]
pub struct Lent<T>(pub T);

/// For how long reading may fail, each time after the SDK has looked for a new console for two seconds, and ticks of `hrtime` between two tries.
const PATIENCE: u64 = pebble::time::TIMEBASE;
const LATER: u64 = 50_000_000;

/// The argument with which the end of input halts the machine: it comes from a pipe, and nobody else will type.
const END_HALTS: &str = "end-halts";
/// The argument with which nothing is written that is for a terminal: it goes to a file, or into a pipe.
const PLAIN: &str = "plain";
/// The argument before a command that is executed instead of what is typed: `system` and `popen` give it.
const COMMAND: &str = "-c";
/// The argument that names a script to be executed first, and the one that there may be without being named.
const SCRIPT: &str = "script=";
const DEFAULT_SCRIPT: &str = "etc/shell";

fn main(env: &pebble::Env) -> i32 {
    let arguments = || (1..env.len()).filter_map(|n| env.argument(n));
    if let Some(COMMAND) = env.argument(1) {
        execute::ends_by_exit();
        return execute::line(env.argument(2).unwrap_or_default());
    }
    let end_halts = arguments().any(|argument| argument == END_HALTS);
    println!("Pebble. \"help\" lists the commands.");
    if let Err(error) = jobs::watch() {
        println!("Ctrl-C ends nothing: {}", error.text());
    }
    match arguments().find_map(|argument| argument.strip_prefix(SCRIPT)) {
        Some(path) => _ = execute::script(&[path.into()]),
        None if pebble::file::metadata(DEFAULT_SCRIPT).is_ok() => _ = execute::script(&[DEFAULT_SCRIPT.into()]),
        None => {}
    }
    let mut terminal = Terminal::new(!end_halts, arguments().any(|argument| argument == PLAIN));
    let mut failing = None;
    loop {
        jobs::report();
        match terminal.read() {
            Ok(Typed::Line(line)) => {
                failing = None;
                execute::line(&line);
            }
            // The end of input, which lasts.
            Ok(Typed::End) if end_halts => {
                println!();
                execute::line("halt");
            }
            Ok(Typed::End) => return 0,
            Err(_) if pebble::time::time() - *failing.get_or_insert_with(pebble::time::time) < PATIENCE => {
                pebble::time::sleep(LATER);
            }
            Err(_) => break,
        }
    }
    // There is no console any more: what waits for what it pipes in would wait for ever.
    if end_halts {
        let _ = pebble::interfaces::init::halt(1);
    }
    1
}
