//! What a fault domain finds in registers where its host calls it: its argument, and nothing of the host's.

use crate::lay_out;
use alloc::format;
use alloc::string::String;
use core::arch::asm;
use enclosure_logic::Layout;
use enclosure_logic::block::Block;
use enclosure_logic::domain::FaultDomain;
use pebble::println;

const RETURN: u32 = 0x0000_8067;
/// `mv a0, x`, `fmv.x.d a0, f` and `frflags a0`.
fn integer(register: u32) -> u32 {
    0x0000_0513 | register << 15
}
fn floating(register: u32) -> u32 {
    0xe200_0553 | register << 15
}
const FLAGS: u32 = 0x0010_2573;

/// The result of the portal at `address`, which is called with something in all registers.
fn enter_from_full_registers(block: &mut Block, address: u64) -> u64 {
    let result;
    // SAFETY: as for `enter`; all that it changes is said.
    unsafe {
        asm!(
            ".irp r, a0,a1,a2,a3,a4,a5,a6,a7,t0,t1,t2,t3,t4,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11",
            r"li \r, -1",
            ".endr",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            r"fmv.d.x f\n, t0",
            ".endr",
            "csrsi fflags, 31",
            "mv tp, t6",
            "jalr t5",
            in("t5") address, in("t6") &raw mut *block, out("a0") result,
            out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _, out("s7") _, out("s8") _, out("s9") _, out("s10") _, out("s11") _,
            out("fs0") _, out("fs1") _, out("fs2") _, out("fs3") _, out("fs4") _, out("fs5") _, out("fs6") _, out("fs7") _,
            out("fs8") _, out("fs9") _, out("fs10") _, out("fs11") _,
            clobber_abi("C"),
        );
    }
    result
}
/// Looks at each register by a program of its own, which reads no other.
pub fn run(layout: Layout) -> Result<(), String> {
    let mut domain = FaultDomain::new(layout).map_err(|error| String::from(error.text()))?;
    // `t0`…`t2`, `s0`, `s1`, `a1`…`a7`, `s2`…`s11`; the others are the stubs' to fill.
    let registers = (5..10).chain(11..28).map(|n| (format!("x{n}"), integer(n)));
    let all = registers.chain((0..32).map(|n| (format!("f{n}"), floating(n)))).chain([("fflags".into(), FLAGS)]);
    let mut found = 0;
    for (name, word) in all {
        lay_out(&mut domain, &layout, &[word, RETURN])?;
        let portal = domain.portals[0];
        let result = enter_from_full_registers(domain.block(), portal);
        if result != 0 {
            println!("{name} has {result:#x}");
            found += 1;
        }
    }
    println!("registers with what is the host's: {found}");
    Ok(())
}
