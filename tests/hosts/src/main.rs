//! Hosts of fault domains for tests: `hosts FILE crossing|entered|runaways|mutants …`. FILE is a program that was built for a fault domain. What else is
//! executed are words of machine code that no rewriter has seen: all that keeps them in is the verifier.
#![no_std]
#![no_main]

extern crate alloc;

mod crossing;
mod entered;
mod mutants;
mod runaways;

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use enclosure_logic::Layout;
use enclosure_logic::domain::FaultDomain;
use enclosure_logic::image::{Image, Part};
use enclosure_logic::stubs::Wanted;
use pebble::abi::enclosure::form;
use pebble::file;
use pebble::{Env, println};

pebble::program!(main);
pebble::provide! {
    "app.add_one", "nmi", runaways::add_one;
    "app.ended", "nm", runaways::ended;
}

/// Where code begins, from the segment's base.
const CODE: u64 = 0x2_0000;
/// Bytes of a small stack.
const STACK: u64 = 0x4000;

/// A program of nothing but `words`, entered at the first.
fn program(layout: &Layout, words: &[u32]) -> Image {
    let start = layout.base() + CODE;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let size = (bytes.len() as u64).next_multiple_of(4096);
    let code = Part { start, bytes, size, write: false, execute: true };
    Image { parts: vec![code], entry: start, variables: (Vec::new(), 0), heap: start + size }
}
/// Lays such a program out, with one portal of one word.
fn lay_out(domain: &mut FaultDomain, layout: &Layout, words: &[u32]) -> Result<(), String> {
    let image = program(layout, words);
    Ok(domain.lay_out(&image, STACK, &[Wanted { specification: "smi", entry: image.entry }])?)
}
fn main(env: &Env) -> i32 {
    let [file, what] = [1, 2].map(|n| env.argument(n).unwrap_or(""));
    let form = match env.argument(env.len() - 1) {
        Some("zba") => form::ZBA,
        Some("top") => form::TOP,
        _ => form::MASKS,
    };
    let layout = Layout::numbered(0, form, false).unwrap_or(Layout::new(false));
    let number = |n: usize, default| env.argument(n).and_then(|text| text.parse().ok()).unwrap_or(default);
    let result = match what {
        "crossing" => crossing::run(layout),
        "entered" => entered::run(layout),
        "runaways" => runaways::run(layout, number(3, 1000), env.argument(4) == Some("unhurried")),
        "mutants" => file::read(file)
            .map_err(|error| String::from(error.text()))
            .and_then(|file| mutants::run(layout, &file, number(3, 100), number(4, 1) as u64)),
        _ => Err("hosts FILE crossing|entered|runaways|mutants".into()),
    };
    match result {
        Ok(()) => 0,
        Err(why) => {
            println!("{what}: {why}");
            1
        }
    }
}
