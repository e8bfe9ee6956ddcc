//! Runs a program as a software fault domain: `enclosure [--loads] FILE ARGUMENT…`. The program has the rights of this component's block in the manifest, and
//! nothing else of it: its memory is one segment of this one's, its instructions are verified before they can be executed, and its calls go through
//! [`enclosure_logic::calls`].
#![no_std]
#![no_main]

extern crate alloc;

use abi::address::PAGE;
use abi::system;
use alloc::vec::Vec;
use enclosure_logic::domain::{Ended, Fault, FaultDomain};
use enclosure_logic::image::Image;
use enclosure_logic::stubs::Wanted;
use enclosure_logic::{Layout, STACK};
use pebble::file::File;
use pebble::{Env, Result};

pebble::program!(main);

/// Says why on the error stream.
fn complain(why: core::fmt::Arguments) {
    pebble::console::print_error(format_args!("{why}\n"));
}
/// The start block below `top`, of the stack: where it begins, and its bytes.
fn start_block(top: u64, arguments: &[&str]) -> (u64, Vec<u8>) {
    let text: usize = arguments.iter().map(|a| a.len() + 1).sum();
    let words = 4 + arguments.len() + 1;
    let start = (top - (8 * words + text) as u64) & !15;
    let mut bytes = Vec::new();
    let mut put = |word: u64| bytes.extend(word.to_le_bytes());
    put(arguments.len() as u64);
    put(start + 32);
    put(0);
    put(0);
    let mut at = start + 8 * words as u64;
    for argument in arguments {
        put(at);
        at += argument.len() as u64 + 1;
    }
    put(0);
    for argument in arguments {
        bytes.extend_from_slice(argument.as_bytes());
        bytes.push(0);
    }
    (start, bytes)
}
fn read(name: &str) -> Result<Vec<u8>> {
    let file = File::open(name)?;
    let mut bytes = Vec::new();
    let mut piece = alloc::vec![0; 16 * PAGE];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(bytes),
            count => bytes.extend_from_slice(&piece[..count]),
        }
    }
}
/// Before the file's name: its loads are kept in too.
const LOADS: &str = "--loads";
/// Status of a program that did not begin, and of one that faulted.
const NOT_BEGUN: i32 = 125;
const FAULTED: i32 = 126;

fn main(env: &Env) -> i32 {
    let loads = env.argument(1) == Some(LOADS);
    let first = if loads { 2 } else { 1 };
    let layout = Layout::new(loads);
    let name = env.argument(first).unwrap_or("");
    let own = (first + 1..env.len()).filter_map(|n| env.argument(n));
    let arguments: Vec<&str> = core::iter::once(env.argument(0).unwrap_or("")).chain(own).collect();
    let not_begun = |what: &str, why: &str| {
        complain(format_args!("{what}: {why}"));
        NOT_BEGUN
    };
    let image = match read(name) {
        Ok(file) => Image::parse(&file, &layout),
        Err(error) => return not_begun(name, error.text()),
    };
    let image = match image {
        Ok(image) => image,
        Err(error) => return not_begun(arguments[0], error.text()),
    };
    let mut domain = match FaultDomain::new(layout) {
        Ok(domain) => domain,
        Err(error) => return not_begun("its faults can not be answered", error.text()),
    };
    let entry = Wanted { specification: "smi", entry: image.entry };
    if let Err(why) = domain.lay_out(&image, STACK, &[entry]) {
        return not_begun(arguments[0], &why);
    }
    drop(image);
    let (start, block) = start_block(layout.top(), &arguments);
    // SAFETY: the stack is mapped, and nobody else uses it.
    unsafe { core::ptr::copy_nonoverlapping(block.as_ptr(), start as *mut u8, block.len()) };
    domain.set_stack(start);
    match domain.call(0, start, None) {
        Ok(status) => status as i32,
        Err(Ended::Late) => FAULTED,
        Err(Ended::Fault(Fault { cause, address, pc })) => {
            complain(format_args!(
                "{}: {} at address {address:#x}, pc {pc:#x} of its fault domain ({:#x} of its program)",
                arguments[0],
                system::cause_text(cause as u64),
                pc as u64 - layout.base(),
            ));
            FAULTED
        }
    }
}
