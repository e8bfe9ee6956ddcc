//! Runs a component whose manifest says `isolation = "sfi"`: its program, which the image builder has put beside this one, is a software fault domain in
//! a segment of this domain's. It has the component's name, rights and limits, and nothing else does anything here. Its instructions are
//! verified before they can be executed, and its calls go through [`enclosure_logic::calls`] and [`enclosure_logic::serving`].
#![no_std]
#![no_main]

extern crate alloc;

use abi::address::MAIN_STACK;
use abi::enclosure::{Header, MAGIC, PROGRAM_BYTES, PROGRAM_VA};
use alloc::string::String;
use alloc::vec::Vec;
use enclosure_logic::image::Image;
use enclosure_logic::{Layout, component};
use init_logic::start::{Request, block};
use pebble::Env;

pebble::component!(pebble::heap::Ordinary, pebble::start::run_host, main, pebble::panic_on_log);

/// Status of a program that did not begin.
const NOT_BEGUN: i32 = 125;

/// The program's file, and whether its loads are kept in.
fn program() -> Option<(&'static [u8], bool)> {
    // SAFETY: the image builder has put it there; who starts this component by itself has a fault at this instruction.
    let header = unsafe { (PROGRAM_VA as *const Header).read() };
    let bytes = header.bytes as usize;
    if header.magic != MAGIC || bytes > PROGRAM_BYTES - size_of::<Header>() {
        return None;
    }
    // SAFETY: so many bytes are mapped behind it, for reading only.
    Some((
        unsafe { core::slice::from_raw_parts((PROGRAM_VA + size_of::<Header>()) as *const u8, bytes) },
        header.loads != 0,
    ))
}
/// Runs it; returns with why it did not begin.
fn begin(env: &Env) -> String {
    let Some((file, loads)) = program() else { return "there is no program beside its host".into() };
    let layout = Layout::new(loads);
    let image = match Image::parse(file, &layout) {
        Ok(image) => image,
        Err(error) => return error.text().into(),
    };
    component::run(layout, &image, MAIN_STACK as u64, |top| {
        let arguments: Vec<&str> = (0..env.len()).filter_map(|n| env.argument(n)).collect();
        let environment: Vec<&str> = env.variables().collect();
        let (starter, inherited) = env.starter();
        let request = Request { arguments: &arguments, environment: &environment, starter, inherited };
        let (start, bytes) = block(top as usize, MAIN_STACK / 2, &request, &[])?;
        // SAFETY: the stack is mapped and as long as the one that the same block was on; nobody uses it yet.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), start as *mut u8, bytes.len()) };
        Ok(start as u64)
    })
}
fn main(env: &Env) -> i32 {
    let why = begin(env);
    pebble::say(format_args!("it was not begun: {why}"));
    NOT_BEGUN
}
