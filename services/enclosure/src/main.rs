//! Runs a component whose manifest says `isolation = "sfi"`: its program, which the image builder has put beside this one, is a software fault domain in
//! a segment of this domain's. It has the component's name, rights and limits, and nothing else does anything here. Its instructions are
//! verified before they can be executed, and its calls go through [`enclosure_logic::calls`] and [`enclosure_logic::serving`].
#![no_std]
#![no_main]

extern crate alloc;

use abi::address::MAIN_STACK;
use abi::enclosure::{Header, MAGIC, PROGRAM_BYTES, PROGRAM_VA};
use abi::start::StartDevice;
use alloc::string::String;
use alloc::vec::Vec;
use enclosure_logic::image::Image;
use enclosure_logic::space::Program;
use enclosure_logic::{Layout, component, space};
use fallible::TryPush;
use init_logic::start::{Request, block as block_of};
use pebble::Env;

pebble::component!(pebble::heap::Ordinary, pebble::start::run_host, main, pebble::panic_on_log);

/// Status of a program that did not begin.
const NOT_BEGUN: i32 = 125;

/// The program at `at` bytes behind the first: what is said of it, its file and its block.
fn program(at: usize) -> Option<(&'static Header, &'static [u8], &'static [u8])> {
    let left = (PROGRAM_BYTES - size_of::<Header>()).checked_sub(at)?;
    // SAFETY: the image builder has put it there; who starts this component by itself has a fault at this instruction.
    let header = unsafe { &*((PROGRAM_VA + at) as *const Header) };
    let [bytes, block] = [header.bytes, header.block].map(|bytes| bytes as usize);
    let block_at = bytes.checked_next_multiple_of(8)?;
    if header.magic != MAGIC || block_at.checked_add(block)? > left {
        return None;
    }
    let behind = PROGRAM_VA + at + size_of::<Header>();
    // SAFETY: so many bytes are mapped behind it, for reading only.
    let part = |at: usize, bytes| unsafe { core::slice::from_raw_parts((behind + at) as *const u8, bytes) };
    Some((header, part(0, bytes), part(block_at, block)))
}
/// All of them, where there are several.
fn programs() -> Option<Vec<Program>> {
    let (mut all, mut at) = (Vec::new(), 0);
    loop {
        let (header, file, block) = program(at)?;
        let block_bytes = block.len().checked_next_multiple_of(8)?;
        let block = postcard::from_bytes(block).ok()?;
        all.push(Program { file, loads: header.loads != 0, form: header.form, block });
        if header.more == 0 {
            return Some(all);
        }
        at += size_of::<Header>() + file.len().checked_next_multiple_of(8)? + block_bytes;
    }
}
/// Runs it; returns with why it did not begin.
fn begin(env: &Env) -> String {
    let Some((header, file, block)) = program(0) else { return "there is no program beside its host".into() };
    let Some(layout) = Layout::numbered(0, header.form, header.loads != 0) else {
        return "there is no such form".into();
    };
    let image = match Image::parse(file, &layout) {
        Ok(image) => image,
        Err(error) => return error.text().into(),
    };
    let member = match block {
        [] => None,
        _ => match programs().ok_or("the programs beside its host are none".into()).and_then(space::prepare) {
            Ok(member) => Some(member),
            Err(why) => return why,
        },
    };
    let why = component::run(layout, &image, MAIN_STACK as u64, member, |component, top| {
        let arguments: Vec<&str> = (0..env.len()).filter_map(|n| env.argument(n)).collect();
        let environment: Vec<&str> = env.variables().collect();
        let (starter, inherited) = env.starter();
        let request = Request { arguments: &arguments, environment: &environment, starter, inherited };
        // The registers of its devices, where it can reach them.
        let mut devices = Vec::new();
        for device in (0..).map_while(|n| env.device(n)) {
            let address = component.registers(device.address, device.bytes)?;
            devices.try_push(StartDevice { address, ..device })?;
        }
        let (start, bytes) = block_of(top as usize, MAIN_STACK / 2, &request, &devices)?;
        // SAFETY: the stack is mapped and as long as the one that the same block was on; nobody uses it yet.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), start as *mut u8, bytes.len()) };
        Ok(start as u64)
    });
    why.into()
}
fn main(env: &Env) -> i32 {
    let why = begin(env);
    pebble::say(format_args!("it was not begun: {why}"));
    NOT_BEGUN
}
