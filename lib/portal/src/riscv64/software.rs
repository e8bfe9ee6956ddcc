//! Software portals: the second back end, for a host and a fault domain in its space. The code runs in user mode and traps nowhere.
//!
//! A host's thread calls [`Domain::call`]'s code as a function, with `tp` at its [`block::Block`]: it keeps what the fault domain's code can
//! change, sets the dedicated registers and jumps in. The fault domain returns to its jump table, whose entry leads to [`Domain::leave`]'s
//! code, which takes nothing from the fault domain but its result: `tp` and `gp` can not be written by verified code, and everything else comes
//! from the block. With nothing to save that is 14 instructions, the host's `jal` and the fault domain's `ret` included, where addresses are brought
//! in by `add.uw`, and 16 where `t3` and `t4` hold masks; a saved register is two more, a cleared one is one more. (`docs/src/fault-domains.md` has them.)
//!
//! Of what its code can read, nothing holds what is not the fault domain's own, where it is entered and where it comes back from a call: what carries no
//! argument or result is cleared, one instruction for each. What its code can not read need not be, but for what a call out of it passes on unread.
//!
//! These stubs lie outside of the segment, so that they are entered at their first word only.

pub mod block;

use super::emit::Emitter;
use super::encode::*;
use crate::specification::{Argument, Specification};

/// Registers, by number a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    pub integer: u32,
    pub floating: u32,
}
/// A fault domain, as its callers need to know it.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// `t4` and `t3` hold its segment's masks, for data and for jumps.
    pub masks: bool,
    /// The registers that its code can write, and those that it can read: the verifier's scan says which.
    pub changes: Registers,
    pub reads: Registers,
    /// Whether it changes or reads the exception flags of floating point.
    pub flags: bool,
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
/// Those that it need not keep, without those that have arguments and the dedicated ones: `t0`…`t2`, `a6`, `a7`; `t3` and `t4`, which hold masks.
const TEMPORARIES: [Register; 5] = [T0, T1, T2, A6, A7];
const MASKS: [Register; 2] = [T3, T4];
/// Those with arguments.
const ARGUMENTS: [Register; 6] = [A0, A1, A2, A3, A4, A5];
/// Those that a call out of the fault domain stores, whatever its code has put there: its arguments, and what it calls.
const PASSED_ON: [Register; 7] = [A0, A1, A2, A3, A4, A5, A7];
/// `frflags` and `fsflags`.
const FLAGS: u32 = 1;

/// The registers of a set, in order.
fn each(set: u32) -> impl Iterator<Item = Register> {
    (0..32).filter(move |n| set >> n & 1 == 1).map(Register)
}
impl Domain {
    /// The places in the block, and the registers, of those that a function keeps and that are in `used`.
    fn kept(used: u32, first: i32) -> impl Iterator<Item = (i32, Register)> {
        let all = KEPT.into_iter().enumerate().filter(move |(_, register)| used >> register & 1 == 1);
        all.map(move |(n, register)| (first + 8 * n as i32, Register(register)))
    }
    /// Those whose caller's value is saved: what its code can change, and what is cleared because it can read it.
    fn used(&self) -> Registers {
        let Domain { changes, reads, .. } = self;
        Registers { integer: changes.integer | reads.integer, floating: changes.floating | reads.floating }
    }
    /// Clears those of `registers` that its code can read, or pass on.
    fn clear(&self, registers: impl IntoIterator<Item = Register>, e: &mut Emitter) {
        let known = PASSED_ON.into_iter().fold(self.reads.integer, |set, register| set | 1 << register.0);
        let readable = registers.into_iter().filter(|register| known >> register.0 & 1 == 1);
        readable.for_each(|register| e.put(addi(register, ZERO, 0)));
    }
    /// The temporary registers that are not dedicated.
    fn temporaries(&self) -> impl Iterator<Item = Register> {
        TEMPORARIES.into_iter().chain(MASKS.into_iter().filter(|_| !self.masks))
    }
    /// Whether floating-point registers and flags are anything to its code.
    fn has_floating(&self) -> bool {
        self.flags || self.used().floating != 0
    }
    /// Clears the floating-point registers and flags that its code can read.
    fn clear_floating(&self, e: &mut Emitter) {
        each(self.reads.floating).for_each(|register| e.put(fmv_d_x(register, ZERO)));
        if self.flags {
            e.put(csrw(FLAGS, ZERO));
        }
    }
    /// The code of a call of its host's. The arguments are where a function has them, those that the portal makes left out.
    pub fn call(&self, portal: &Portal, e: &mut Emitter) -> Result<(), Refused> {
        let start = e.position() as u64;
        arguments(portal, e)?;
        self.prepare(e);
        self.clear(ARGUMENTS.into_iter().skip(portal.specification.arguments().len()), e);
        self.clear([T0], e);
        self.clear_floating(e);
        let distance = portal.entry.wrapping_sub(portal.place + e.position() as u64 - start) as i64;
        if (-(1 << 20)..1 << 20).contains(&distance) {
            e.put(jal(ZERO, distance as i32));
        } else {
            let low = (distance << 52 >> 52) as i32;
            e.put_all([auipc(T0, ((distance - i64::from(low)) >> 12) as u32 & 0xf_ffff), jalr(ZERO, T0, low)]);
        }
        Ok(())
    }
    /// The code of a call of whatever the block names: its arguments are six words. In floating-point registers nothing is that is
    /// anybody's: the thread has just begun, or come in by a portal of the system's, and the host has no such code.
    pub fn call_any(&self, e: &mut Emitter) {
        self.prepare(e);
        e.put_all([ld(T0, TP, block::ENTRY), jalr(ZERO, T0, 0)]);
    }
    /// The same of a call by another fault domain of the space, which may have whatever it likes in floating-point registers, and must find there what it had
    /// itself, if anything.
    pub fn call_nested(&self, e: &mut Emitter) {
        if !self.has_floating() {
            return self.call_any(e);
        }
        e.put(sd(RA, TP, block::CALLER));
        if self.flags {
            e.put_all([csrr(T0, FLAGS), sd(T0, TP, block::FLAGS)]);
        }
        let call = e.next();
        e.put(0);
        if self.flags {
            e.put_all([ld(T1, TP, block::FLAGS), csrw(FLAGS, T1)]);
        }
        let kept = KEPT.into_iter().fold(0, |set, register| set | 1 << register);
        each(self.changes.floating & !kept).for_each(|register| e.put(fmv_d_x(register, ZERO)));
        e.put_all([ld(RA, TP, block::CALLER), jalr(ZERO, RA, 0)]);
        e.patch(call, jal(RA, 4 * (e.next() - call) as i32));
        self.prepare(e);
        self.clear_floating(e);
        e.put_all([ld(T0, TP, block::ENTRY), jalr(ZERO, T0, 0)]);
    }
    /// Keeps what the host has, and sets what the fault domain relies on.
    fn prepare(&self, e: &mut Emitter) {
        e.put_all([sd(RA, TP, block::HOST_LINK), sd(SP, TP, block::HOST_STACK)]);
        let used = self.used();
        Domain::kept(used.integer, block::SAVED).for_each(|(at, register)| e.put(sd(register, TP, at)));
        Domain::kept(used.floating, block::FLOATING).for_each(|(at, register)| e.put(fsd(register, TP, at)));
        e.put_all([ld(GP, TP, block::BASE), ld(RA, TP, block::BACK), ld(SP, TP, block::STACK)]);
        if self.masks {
            e.put_all([ld(T4, TP, block::MASK), ld(T3, TP, block::JUMP_MASK)]);
        }
        e.put_all([addi(T5, GP, 0), addi(T6, GP, 0)]);
        // What jumps in has the entry in `t0`, or clears it.
        self.clear(KEPT.into_iter().map(Register).chain(self.temporaries().filter(|&register| register != T0)), e);
    }
    /// A call of the fault domain's to the system (`__fault_domain_call` of its linker script): it goes on in the host, on the host's stack,
    /// and comes back to the word behind the call with the dedicated registers as they are at an entry, and nothing in the others that a function need not
    /// keep but the result.
    pub fn call_out(&self, e: &mut Emitter) {
        e.put_all([
            sd(RA, TP, block::LINK),
            sd(SP, TP, block::OWN_STACK),
            sd(T5, TP, block::JUMP),
            ld(SP, TP, block::HOST_STACK),
        ]);
        for (n, register) in PASSED_ON.into_iter().enumerate() {
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
        self.clear(ARGUMENTS.into_iter().skip(1).chain(self.temporaries()), e);
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
        let used = self.used();
        Domain::kept(used.integer, block::SAVED).for_each(|(at, register)| e.put(ld(register, TP, at)));
        Domain::kept(used.floating, block::FLOATING).for_each(|(at, register)| e.put(fld(register, TP, at)));
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
    /// One whose code changes those registers, and reads none.
    fn domain(masks: bool, integer: u32, floating: u32) -> Domain {
        Domain { masks, changes: Registers { integer, floating }, reads: Registers::default(), flags: false }
    }
    /// One whose code does everything.
    fn of_all(masks: bool) -> Domain {
        Domain { reads: Registers { integer: ALL, floating: ALL }, flags: true, ..domain(masks, ALL, ALL) }
    }
    fn code(make: impl FnOnce(&mut Emitter)) -> Vec<u32> {
        let mut out = Buffer::EMPTY;
        let mut e = Emitter::new(&mut out);
        make(&mut e);
        let count = e.words().unwrap();
        out.0[..count].to_vec()
    }
    /// Of these registers, those that `code` neither loads nor clears: what it loads is the fault domain's own. All of it is executed.
    fn left_over(code: &[u32], mut integer: u32, mut floating: u32) -> (u32, u32) {
        for word in code {
            let register = 1 << (word >> 7 & 31);
            match word & 0x7f {
                0x03 | 0x13 | 0x6f => integer &= !register,
                0x07 => floating &= !register,
                0x53 if *word == fmv_d_x(Register((word >> 7 & 31) as u8), ZERO) => floating &= !register,
                0x73 if word >> 12 & 7 == 2 => integer |= register,
                _ => {}
            }
        }
        (integer, floating)
    }
    /// The call, the return and the jump table's entry are the three that the stubs do not have.
    const OTHERS: usize = 3;

    #[test]
    fn with_nothing_to_save_and_three_arguments_it_is_18_instructions() {
        assert_eq!(near(&domain(false, 0, 0), "smiii").len() + OTHERS, 18);
        assert_eq!(near(&domain(true, 0, 0), "smiii").len() + OTHERS, 20);
    }
    #[test]
    fn with_all_saved_registers_it_is_42_instructions() {
        assert_eq!(near(&domain(false, ALL, 0), "smiii").len() + OTHERS, 42);
        assert_eq!(near(&domain(false, ALL, ALL), "smiii").len() + OTHERS, 66);
    }
    #[test]
    fn only_what_the_code_changes_is_saved() {
        // s1 and t0: a function keeps the first only.
        let changes = 1 << 9 | 1 << 5;
        let code = near(&domain(false, changes, 0), "smiii");
        assert_eq!(code.len() + OTHERS, 20);
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
        assert_eq!(count, 1 + words_of_a_call(&near(&domain(true, ALL, ALL), "smiiiiii")));
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
        let domain = of_all(true);
        let words = code(|e| {
            domain.unwind(abi::Error::EDEAD, e);
            domain.call_out(e);
            domain.call_any(e);
            domain.call_nested(e);
        });
        // All loads go through tp.
        let loads = |word: &&u32| matches!(**word & 0x7f, 0x03 | 0x07);
        assert!(words.iter().filter(loads).all(|word| word >> 15 & 31 == u32::from(TP.0)));
    }
    /// `a0`…`a5`, and `tp`.
    const PASSED: u32 = 0x3f << 10 | 1 << 4;
    #[test]
    fn nothing_of_anybody_elses_is_left_where_it_is_entered() {
        for masks in [false, true] {
            let all = code(|e| of_all(masks).call_any(e));
            assert_eq!(left_over(&all, ALL & !1, 0), (PASSED, 0));
            let all = code(|e| of_all(masks).call_nested(e));
            let back = all.iter().position(|&word| word == jalr(ZERO, RA, 0)).unwrap();
            assert_eq!(left_over(&all[back + 1..], ALL & !1, ALL), (PASSED, 0));
            let entered = near(&of_all(masks), "smi");
            let entered = &entered[..words_of_a_call(&entered)];
            assert_eq!(left_over(entered, ALL & !1, ALL), (1 << A0.0 | 1 << TP.0, 0), "an argument, not six");
        }
    }
    #[test]
    fn nothing_of_its_hosts_is_left_where_it_comes_back_to() {
        // A function keeps these, and the result.
        let kept = KEPT.into_iter().fold(1 << A0.0 | 1 << TP.0, |set, register| set | 1 << register);
        for masks in [false, true] {
            let all = code(|e| of_all(masks).call_out(e));
            let calls = all.iter().position(|&word| word == jalr(RA, T0, 0)).unwrap();
            let back = all.iter().rposition(|&word| word == ld(GP, TP, block::BASE)).unwrap();
            assert!(calls < back);
            assert_eq!(left_over(&all[back..], ALL & !1, 0).0, kept);
        }
    }
    #[test]
    fn nothing_of_its_is_left_to_another_that_has_called_it() {
        let all = code(|e| of_all(false).call_nested(e));
        let end = all.iter().position(|&word| word == jalr(ZERO, RA, 0)).unwrap();
        let call = all.iter().position(|&word| word & 0x7f == 0x6f).unwrap();
        let kept = KEPT.into_iter().fold(0, |set, register| set | 1u32 << register);
        assert_eq!(left_over(&all[call + 1..end], 0, ALL).1, kept, "those that the way back restores");
        assert!(all[call + 1..end].contains(&csrw(FLAGS, T1)), "the caller's flags");
    }
    #[test]
    fn nothing_of_anybody_elses_is_where_a_call_out_takes_its_arguments_though_no_instruction_reads_it() {
        let passed_on = PASSED_ON.into_iter().fold(0, |set, register| set | 1u32 << register.0);
        for changes in [0, ALL] {
            let nothing = domain(false, changes, 0);
            let out = code(|e| nothing.call_out(e));
            let back = out.iter().rposition(|&word| word == ld(GP, TP, block::BASE)).unwrap();
            assert_eq!(left_over(&out[back..], passed_on, 0).0, 1 << A0.0, "its result");
            assert_eq!(left_over(&near(&nothing, "smi"), passed_on, 0).0, 1 << A0.0, "its argument");
            assert_eq!(left_over(&code(|e| nothing.call_any(e)), passed_on, 0).0, passed_on & !(1 << A7.0));
            assert_eq!(left_over(&code(|e| nothing.call_nested(e)), passed_on, 0).0, passed_on & !(1 << A7.0));
        }
    }
    #[test]
    fn what_its_code_can_neither_read_nor_pass_on_is_not_cleared() {
        let nothing = domain(false, ALL, 0);
        assert_eq!(code(|e| nothing.call_nested(e)), code(|e| nothing.call_any(e)));
        assert!(!code(|e| nothing.call_any(e)).contains(&addi(A6, ZERO, 0)));
        // s0, which it can only read, is saved.
        let reads = Domain { reads: Registers { integer: 1 << 8, floating: 0 }, ..domain(false, 0, 0) };
        let all = near(&reads, "smiii");
        assert_eq!(all.len() + OTHERS, 18 + 3);
        assert!(
            [sd(S0, TP, block::SAVED), addi(S0, ZERO, 0), ld(S0, TP, block::SAVED)]
                .iter()
                .all(|word| all.contains(word))
        );
    }
}
