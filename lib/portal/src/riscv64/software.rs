//! Software portals: the second back end, for a host and a fault domain in its space. The code runs in user mode and traps nowhere.
//!
//! A host's thread calls [`Domain::call`]'s code as a function, with `tp` at its [`block::Block`]: it keeps what the fault domain's code can
//! change, sets the dedicated registers and jumps in. The fault domain returns to its jump table, whose entry leads to [`Domain::leave`]'s
//! code, which takes nothing from the fault domain but its result: `tp` and `gp` can not be written by verified code, and everything else comes
//! from the block. With nothing to save that is 14 instructions, the host's `jal` and the fault domain's `ret` included, where addresses are brought
//! in by `add.uw`, and 16 where `t3` and `t4` hold masks; a saved register is two more. (`docs/src/fault-domains.md` has them.)
//!
//! These stubs lie outside of the segment, so that they are entered at their first word only.

pub mod block;

use super::emit::Emitter;
use super::encode::*;
use crate::specification::{Argument, Specification};

/// A fault domain, as its callers need to know it.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// `t4` and `t3` hold its segment's masks, for data and for jumps.
    pub masks: bool,
    /// The registers that its code can write, a bit each: the verifier's scan says which.
    pub integer: u32,
    pub floating: u32,
}
/// A portal into it.
#[derive(Clone, Copy, Debug)]
pub struct Portal<'a> {
    pub specification: &'a Specification,
    /// Values of the `c`s, in their order; of `=`; of `a`.
    pub constants: &'a [u64],
    pub number: u64,
    pub caller: u64,
    /// Where the fault domain is entered, in its segment.
    pub entry: u64,
    /// Address of the first word of the code.
    pub place: u64,
}
/// Why there is no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Argument number so much (from 0) has a letter that has no meaning between a host and its fault domain yet.
    Letter(usize),
    /// Fewer constants than `c`s.
    Constants,
}

/// Registers that a function keeps, in the order of the block: `s0`…`s11`, `fs0`…`fs11`.
const KEPT: [u8; 12] = [8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];

impl Domain {
    /// The places in the block, and the registers, of those that `changed` has.
    fn kept(changed: u32, first: i32) -> impl Iterator<Item = (i32, Register)> {
        let all = KEPT.into_iter().enumerate().filter(move |(_, register)| changed >> register & 1 == 1);
        all.map(move |(n, register)| (first + 8 * n as i32, Register(register)))
    }
    /// The code of a call. The arguments are where a function has them, those that the portal makes left out.
    pub fn call(&self, portal: &Portal, e: &mut Emitter) -> Result<(), Refused> {
        let start = e.position() as u64;
        arguments(portal, e)?;
        self.prepare(e);
        let distance = portal.entry.wrapping_sub(portal.place + e.position() as u64 - start) as i64;
        if (-(1 << 20)..1 << 20).contains(&distance) {
            e.put(jal(ZERO, distance as i32));
        } else {
            let low = (distance << 52 >> 52) as i32;
            e.put_all([auipc(T0, ((distance - i64::from(low)) >> 12) as u32 & 0xf_ffff), jalr(ZERO, T0, low)]);
        }
        Ok(())
    }
    /// The code of a call of whatever the block names: its arguments are six words.
    pub fn call_any(&self, e: &mut Emitter) {
        self.prepare(e);
        e.put_all([ld(T0, TP, block::ENTRY), jalr(ZERO, T0, 0)]);
    }
    /// Keeps what the host has, and sets what the fault domain relies on.
    fn prepare(&self, e: &mut Emitter) {
        e.put_all([sd(RA, TP, block::HOST_LINK), sd(SP, TP, block::HOST_STACK)]);
        Domain::kept(self.integer, block::SAVED).for_each(|(at, register)| e.put(sd(register, TP, at)));
        Domain::kept(self.floating, block::FLOATING).for_each(|(at, register)| e.put(fsd(register, TP, at)));
        e.put_all([ld(GP, TP, block::BASE), ld(RA, TP, block::BACK), ld(SP, TP, block::STACK)]);
        if self.masks {
            e.put_all([ld(T4, TP, block::MASK), ld(T3, TP, block::JUMP_MASK)]);
        }
        e.put_all([addi(T5, GP, 0), addi(T6, GP, 0)]);
    }
    /// A call of the fault domain's to the system (`__fault_domain_call` of its linker script): it goes on in the host, on the host's stack,
    /// and comes back to the word behind the call with the dedicated registers as they are at an entry.
    pub fn call_out(&self, e: &mut Emitter) {
        e.put_all([
            sd(RA, TP, block::LINK),
            sd(SP, TP, block::OWN_STACK),
            sd(T5, TP, block::JUMP),
            ld(SP, TP, block::HOST_STACK),
        ]);
        for (n, register) in [A0, A1, A2, A3, A4, A5, A7].into_iter().enumerate() {
            e.put(sd(register, TP, block::ARGUMENTS + 8 * n as i32));
        }
        e.put_all([addi(A0, TP, 0), ld(T0, TP, block::DECIDE), jalr(RA, T0, 0), ld(T0, TP, block::ENDED)]);
        // It may have called to end.
        let branch = e.next();
        e.put(0);
        self.leave(e);
        e.patch(branch, beq(T0, ZERO, 4 * (e.next() - branch) as i32));
        e.put(ld(GP, TP, block::BASE));
        if self.masks {
            e.put_all([ld(T4, TP, block::MASK), ld(T3, TP, block::JUMP_MASK)]);
        }
        e.put_all([
            addi(T6, GP, 0),
            ld(RA, TP, block::LINK),
            ld(SP, TP, block::OWN_STACK),
            ld(T5, TP, block::JUMP),
            jalr(ZERO, T5, 0),
        ]);
    }
    /// Where a thread goes on whose fault domain has faulted: its call ends with `error`. Where a return leads, behind that, is in as many
    /// bytes as are returned.
    pub fn unwind(&self, error: abi::Error, e: &mut Emitter) -> usize {
        e.put(addi(A0, ZERO, error.code() as i32));
        let returns = e.position();
        self.leave(e);
        returns
    }
    /// Where the fault domain's return leads, whatever it has done to its registers.
    pub fn leave(&self, e: &mut Emitter) {
        e.put_all([ld(RA, TP, block::HOST_LINK), ld(SP, TP, block::HOST_STACK)]);
        Domain::kept(self.integer, block::SAVED).for_each(|(at, register)| e.put(ld(register, TP, at)));
        Domain::kept(self.floating, block::FLOATING).for_each(|(at, register)| e.put(fld(register, TP, at)));
        e.put(jalr(ZERO, RA, 0));
    }
}
/// The entry of a jump table at address `at` that leads to the stub at `to`, within a mebibyte. One instruction, so that nobody enters it
/// at its second.
pub fn table_entry(at: u64, to: u64) -> u32 {
    jal(ZERO, (to as i64 - at as i64) as i32)
}
/// Puts the arguments where the callee has them, the last first: none comes before where it was.
fn arguments(portal: &Portal, e: &mut Emitter) -> Result<(), Refused> {
    let all = portal.specification.arguments();
    if portal.constants.len() < portal.specification.constants() {
        return Err(Refused::Constants);
    }
    let register = |n: usize| Register(A0.0 + n as u8);
    let mut passed = portal.specification.passed();
    let mut constants = portal.specification.constants();
    for (n, argument) in all.iter().enumerate().rev() {
        match argument {
            Argument::Word => {
                passed -= 1;
                if passed != n {
                    e.put(addi(register(n), register(passed), 0));
                }
            }
            Argument::Constant => {
                constants -= 1;
                e.constant(register(n), portal.constants[constants] as i64);
            }
            Argument::Number => e.constant(register(n), portal.number as i64),
            Argument::Domain => e.constant(register(n), portal.caller as i64),
            _ => return Err(Refused::Letter(n)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::emit::Buffer;
    use super::*;
    use crate::template::Templates;

    const SEGMENT: u64 = 0x1800_0000;
    fn words(domain: &Domain, text: &str, entry: u64) -> Result<Vec<u32>, Refused> {
        let specification = Specification::parse(text, false, &Templates::new(&[])).unwrap();
        let portal = Portal {
            specification: &specification,
            constants: &[5, 0x1234_5678],
            number: 40,
            caller: 9,
            entry,
            place: SEGMENT - 0x2_0000,
        };
        let mut out = Buffer::EMPTY;
        let mut e = Emitter::new(&mut out);
        domain.call(&portal, &mut e)?;
        domain.leave(&mut e);
        let count = e.words().unwrap();
        Ok(out.0[..count].to_vec())
    }
    fn near(domain: &Domain, text: &str) -> Vec<u32> {
        words(domain, text, SEGMENT + 0x2_0000).unwrap()
    }
    /// Up to the jump into the segment.
    fn words_of_a_call(code: &[u32]) -> usize {
        1 + code.iter().position(|word| word & 0xfff == 0x6f).unwrap()
    }
    const ALL: u32 = u32::MAX;
    fn domain(masks: bool, integer: u32, floating: u32) -> Domain {
        Domain { masks, integer, floating }
    }
    /// The call, the return and the jump table's entry are the three that the stubs do not have.
    const OTHERS: usize = 3;

    #[test]
    fn with_nothing_to_save_it_is_14_instructions() {
        assert_eq!(near(&domain(false, 0, 0), "smiii").len() + OTHERS, 14);
        assert_eq!(near(&domain(true, 0, 0), "smiii").len() + OTHERS, 16);
    }
    #[test]
    fn with_all_saved_registers_it_is_38_instructions() {
        assert_eq!(near(&domain(false, ALL, 0), "smiii").len() + OTHERS, 38);
        assert_eq!(near(&domain(false, ALL, ALL), "smiii").len() + OTHERS, 62);
    }
    #[test]
    fn only_what_the_code_changes_is_saved() {
        // s1 and t0: a function keeps the first only.
        let changes = 1 << 9 | 1 << 5;
        let code = near(&domain(false, changes, 0), "sm");
        assert_eq!(code.len() + OTHERS, 16);
        assert!(code.contains(&sd(S1, TP, block::SAVED + 8)) && code.contains(&ld(S1, TP, block::SAVED + 8)));
    }
    #[test]
    fn everything_comes_back_from_the_block() {
        // No load of the way back goes through a register that the fault domain could have written.
        for masks in [false, true] {
            let code = near(&domain(masks, ALL, ALL), "smiii");
            let loads = code.iter().filter(|word| matches!(*word & 0x7f, 0x03 | 0x07));
            assert!(loads.clone().count() > 24 && loads.clone().all(|word| word >> 15 & 31 == u32::from(TP.0)));
        }
    }
    #[test]
    fn arguments_move_behind_what_the_portal_makes() {
        let code = near(&domain(false, 0, 0), "smcii=");
        let moves = [addi(A3, ZERO, 40), addi(A2, A1, 0), addi(A1, A0, 0), addi(A0, ZERO, 5)];
        assert_eq!(code[..4], moves);
    }
    #[test]
    fn a_call_of_any_entry_takes_it_from_the_block_last() {
        let mut out = Buffer::EMPTY;
        let mut e = Emitter::new(&mut out);
        domain(true, ALL, ALL).call_any(&mut e);
        let count = e.words().unwrap();
        assert_eq!(out.0[count - 2..count], [ld(T0, TP, block::ENTRY), jalr(ZERO, T0, 0)]);
        assert_eq!(count, 1 + words_of_a_call(&near(&domain(true, ALL, ALL), "smiii")));
    }
    #[test]
    fn an_entry_that_a_jump_does_not_reach_is_reached_by_two() {
        let place = SEGMENT - 0x2_0000;
        for entry in [SEGMENT + 0x20_0000, SEGMENT + 0x20_0ffc, SEGMENT + 0x3ff_f800] {
            let code = words(&domain(false, 0, 0), "sm", entry).unwrap();
            let at = code.iter().position(|word| word & 0x7f == 0x17).unwrap();
            let upper = i64::from((code[at] & 0xffff_f000) as i32);
            let low = i64::from(code[at + 1] as i32 >> 20);
            assert_eq!((place + 4 * at as u64).wrapping_add_signed(upper + low), entry);
        }
    }
    #[test]
    fn a_letter_without_a_meaning_here_is_refused_with_its_place() {
        assert_eq!(words(&domain(false, 0, 0), "smih", SEGMENT).unwrap_err(), Refused::Letter(1));
    }
    #[test]
    fn missing_constants_are_refused() {
        assert_eq!(words(&domain(false, 0, 0), "smccc", SEGMENT).unwrap_err(), Refused::Constants);
    }
    #[test]
    fn a_stub_reads_nothing_from_the_fault_domains_memory() {
        let domain = Domain { masks: true, integer: u32::MAX, floating: u32::MAX };
        let mut out = Buffer::EMPTY;
        let mut e = Emitter::new(&mut out);
        domain.unwind(abi::Error::EDEAD, &mut e);
        domain.call_out(&mut e);
        domain.call_any(&mut e);
        let words = e.words().unwrap();
        // All loads go through tp.
        let loads = |word: &&u32| matches!(**word & 0x7f, 0x03 | 0x07);
        assert!(out.0[..words].iter().filter(loads).all(|word| word >> 15 & 31 == u32::from(TP.0)));
    }
}
