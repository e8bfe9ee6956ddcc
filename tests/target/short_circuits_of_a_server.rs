// system exec-trusted
// expect stdout answered in the portal: 1 2 3, the server was entered 0 times
// expect stdout and when the record says so, in the server: 99
// expect stdout a store outside the record: -6656, a portal of nobody's: -2
//! A trusted server puts a short circuit before its portal: calls end there while its record allows.
#![no_std]
#![no_main]
use pebble::abi::section::{ShortCircuit, padded};
use pebble::abi::step::places::{V3, V4, W0};
use pebble::abi::step::*;
use pebble::abi::system::Registration;
use pebble::portal::call;

static mut ENTERED: usize = 0;
extern "C" fn entry(_constant: usize) -> isize {
    unsafe { ENTERED += 1 };
    99
}
/// Where a window shows all of it.
#[repr(align(256))]
#[allow(dead_code)]
struct Shown(ShortCircuit);
/// Word 0: calls so far; word 1: calls that end in the portal. In one page.
#[repr(align(64))]
#[allow(dead_code)]
struct Records([u32; 16]);
static mut RECORDS: Records = Records([0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

fn open(name: &str) -> usize {
    pebble::start::open(name).unwrap()
}
fn main(_: &pebble::Env) -> i32 {
    let registration = Registration {
        name: padded("app.count"),
        spec: padded("smc"),
        entry: entry as *const () as u64,
        ..Registration::NONE
    };
    call(pebble::abi::system::PORTAL_REGISTER, [&raw const registration as usize]);
    let register = open("portal.short_circuit");
    let (calls, most) = (field(0), field(4));
    let steps = [
        load_i32(V3, calls),
        load_i32(V4, most),
        not_less(V3, V4).enter(),
        add_number(V3, V3, 1),
        store_i32(V3, calls),
        copy(W0, V3),
    ];
    let records = &raw const RECORDS as *const ();
    let circuit = Shown(ShortCircuit::new("app.count", &steps, records, 0, 64));
    if call(register, [&raw const circuit as usize]) != 0 {
        return 1;
    }
    let count = open("app.count");
    let answers: [isize; 3] = core::array::from_fn(|_| call(count, []));
    let entered = unsafe { ENTERED };
    pebble::println!("answered in the portal: {} {} {}, the server was entered {} times", answers[0], answers[1], answers[2], entered);
    pebble::println!("and when the record says so, in the server: {}", call(count, []));
    let outside = Shown(ShortCircuit::new("app.count", &[store_i32(V3, field(64))], records, 0, 16));
    let nobody = Shown(ShortCircuit::new("app.nothing", &steps, records, 0, 64));
    pebble::println!(
        "a store outside the record: {}, a portal of nobody's: {}",
        call(register, [&raw const outside as usize]),
        call(register, [&raw const nobody as usize])
    );
    0
}
pebble::program!(main);
