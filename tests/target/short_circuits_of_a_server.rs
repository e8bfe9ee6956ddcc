// system exec-trusted
// expect stdout answered in the portal: 1 2 3, the server was entered 0 times
// expect stdout and when the record says so, in the server: 99
// expect stdout a store outside the record: -6656, a portal of nobody's: -2
//! A trusted server puts a short circuit before its portal: calls end there while its record allows.
#![no_std]
#![no_main]
use pebble::abi::section::{ShortCircuit, padded};
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

const LW_T4_0: u32 = 0x000e_2e83; // lw t4, 0(t3)
const LW_T5_4: u32 = 0x004e_2f03; // lw t5, 4(t3)
const BGE_T4_T5: u32 = 0x03ee_dc63; // bge t4, t5, to where the portal goes on: 14 words from here
const ADDI_T4: u32 = 0x001e_8e93; // addi t4, t4, 1
const SW_T4_0: u32 = 0x01de_2023; // sw t4, 0(t3)
const MV_A0_T4: u32 = 0x000e_8513; // addi a0, t4, 0

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
    let words = [LW_T4_0, LW_T5_4, BGE_T4_T5, ADDI_T4, SW_T4_0, MV_A0_T4];
    let records = &raw const RECORDS as *const ();
    let circuit = Shown(ShortCircuit::new("app.count", &words, records, 0, 64));
    if call(register, [&raw const circuit as usize]) != 0 {
        return 1;
    }
    let count = open("app.count");
    let answers: [isize; 3] = core::array::from_fn(|_| call(count, []));
    let entered = unsafe { ENTERED };
    pebble::println!("answered in the portal: {} {} {}, the server was entered {} times", answers[0], answers[1], answers[2], entered);
    pebble::println!("and when the record says so, in the server: {}", call(count, []));
    let outside = Shown(ShortCircuit::new("app.count", &[0x01de_2023 + 0x0200_0000 * 2], records, 0, 16));
    let nobody = Shown(ShortCircuit::new("app.nothing", &words, records, 0, 64));
    pebble::println!(
        "a store outside the record: {}, a portal of nobody's: {}",
        call(register, [&raw const outside as usize]),
        call(register, [&raw const nobody as usize])
    );
    0
}
pebble::program!(main);
