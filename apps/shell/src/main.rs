//! The shell on the console: shows what the system is doing, runs and ends components.
#![no_std]
#![no_main]

extern crate alloc;

mod activity;
mod editor;
mod views;

use editor::Editor;
use pebble::{Error, check, println};
use shell_logic::{Command, HELP, parse};

pebble::program!(main);

pebble::import! {
    SPAWN = "init.spawn";
    COMPONENTS = "init.components";
    HALT = "init.halt";
    DESTROY = "domain.destroy";
}

/// Something that is lent through a window: it does not cross a page boundary.
#[repr(align(1024))]
pub struct Lent<T>(pub T);

/// Keys that may fail to be read one after the other, while the console is started again.
const FAILURES: usize = 5;

/// The argument with which the end of input halts the machine: it comes from a pipe, and nobody else will type.
const END_HALTS: &str = "end-halts";

fn main(env: &pebble::Env) -> i32 {
    println!("Pebble. \"help\" lists the commands.");
    let mut editor = Editor::new();
    let mut failures = 0;
    while failures < FAILURES {
        match editor.key(understand) {
            Ok(true) => failures = 0,
            // The end of input, which lasts.
            Ok(false) if env.argument(1) == Some(END_HALTS) => {
                println!();
                understand("halt");
            }
            Ok(false) => return 0,
            Err(_) => failures += 1,
        }
    }
    1
}
/// Executes a line, or says what is wrong with it.
fn understand(line: &str) {
    match parse(line) {
        Ok(command) => execute(command),
        Err(message) => println!("{message}"),
    }
}

fn execute(command: Command) {
    let result = match command {
        Command::Nothing => Ok(()),
        Command::Help => {
            HELP.iter().for_each(|(usage, what)| println!("  {usage:26} {what}"));
            Ok(())
        }
        Command::Components => components(),
        Command::Run(line, wait) => run(&line, wait),
        Command::Kill(asid) => check(DESTROY.call([asid])).map(|_| ()),
        Command::Domains => views::domains(),
        Command::Threads => views::threads(),
        Command::Portals(asid) => views::portals(asid),
        Command::Portal(asid, number) => views::portal(asid, number),
        Command::Capabilities(asid) => views::capabilities(asid),
        Command::Memory => views::memory(),
        Command::Counts => views::counts(),
        Command::Limits => views::limits(),
        Command::Top(seconds) => activity::top(seconds),
        Command::Uptime => views::uptime(),
        Command::Echo(text) => {
            println!("{text}");
            Ok(())
        }
        Command::Halt => check(HALT.call([0])).map(|_| ()),
    };
    if let Err(error) = result {
        println!("{}", error.text());
    }
}

fn components() -> pebble::Result<()> {
    for n in 0.. {
        let mut name = Lent([0u8; abi::section::NAME]);
        match check(COMPONENTS.call([n, &raw mut name as usize])) {
            Ok(_) => println!("  {}", abi::section::text(&name.0)),
            Err(Error::ENOENT) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
fn run(line: &str, wait: bool) -> pebble::Result<()> {
    let mut buffer = Lent([0u8; 1024]);
    let bytes = line.as_bytes();
    buffer.0.get_mut(..bytes.len()).ok_or(Error::EINVAL)?.copy_from_slice(bytes);
    let asid = check(SPAWN.call([&raw const buffer as usize, bytes.len()]))?;
    if !wait {
        println!("domain {asid}");
        return Ok(());
    }
    let how = pebble::thread::wait_domain(asid)?;
    match (how.kind, how.status) {
        (abi::system::ended::EXIT, 0) => {}
        (abi::system::ended::EXIT, status) => println!("exit status {status}"),
        (abi::system::ended::FAULT, _) => println!("stopped by a fault"),
        _ => println!("killed"),
    }
    Ok(())
}
