//! Faults that are injected into a domain, and what a component asks who runs the machine.

use super::{
    CODE, ECALL, LEAVES, Machine, NOP, ONE, PAGE_VA, RIGHTS, SECRET, SRET, Settings, Stopped, TWO, USER_VA, entry,
    machine, pte,
};
use crate::{Fault, Kind, Mutation, Places, RAM_BASE};

/// `addi a0, a0, 1`, and the hint by which a component asks.
const COUNT: u32 = 0x0015_0513;
const ASKS: u32 = 0x7fe0_2013;
/// Where the domain's data are.
const DATA_VA: u64 = PAGE_VA + 0x2000;
const THREAD: u64 = SECRET - ONE + TWO;
const IDENTITY: u64 = 5;

/// A machine on its way to user code of domain [`IDENTITY`], which a trap comes back to.
fn domain(code: &[u32]) -> Machine {
    let places = Places { table: 8, identity: -8, own: vec![DATA_VA..DATA_VA + 0x1000, USER_VA..USER_VA + 0x100] };
    let mut m = machine(&[SRET], Settings { faults: Some(places), ..Settings::default() });
    for (n, word) in code.iter().enumerate() {
        m.place(CODE + 0x1000 + 4 * n as u64, &word.to_le_bytes()).unwrap();
    }
    m.place(CODE + 0x2000, &SRET.to_le_bytes()).unwrap();
    m.place(LEAVES + 16, &entry(ONE, RIGHTS | pte::U).to_le_bytes()).unwrap();
    m.place(TWO + 8, &(TWO + 32).to_le_bytes()).unwrap();
    (m.control.sepc, m.control.sscratch) = (USER_VA, THREAD);
    identify(&mut m, IDENTITY);
    m
}
fn identify(m: &mut Machine, identity: u64) {
    m.place(TWO + 24, &identity.to_le_bytes()).unwrap();
}
fn inject(m: &mut Machine, kind: Kind) {
    m.inject(Fault { kind, identity: IDENTITY, after: 1, random: 77 });
}
/// So many instructions, each behind a look at what there is to look at.
fn steps(m: &mut Machine, count: usize) {
    (0..count).for_each(|_| m.step());
}
/// A trap, and the way back to the first instruction.
fn again(m: &mut Machine) {
    steps(m, 1);
    m.control.sepc = USER_VA;
    steps(m, 1);
}
#[test]
fn an_instruction_is_another_one_for_its_domain_and_no_other() {
    let mut m = domain(&[COUNT, COUNT, ECALL]);
    inject(&mut m, Kind::Instruction(Mutation::Deleted));
    m.x[10] = 0;
    steps(&mut m, 3);
    assert_eq!((m.x[10], m.struck().unwrap().pc), (1, USER_VA + 4), "the second is not there");
    identify(&mut m, 6);
    again(&mut m);
    steps(&mut m, 2);
    assert_eq!(m.x[10], 3, "both are there for another domain, on the same page");
    identify(&mut m, IDENTITY);
    again(&mut m);
    steps(&mut m, 2);
    assert_eq!(m.x[10], 4, "it stays as it is for its own");
    assert!(m.withdraw().is_some());
    again(&mut m);
    steps(&mut m, 2);
    assert_eq!(m.x[10], 6, "and is as before when the fault is none any more");
}
#[test]
fn a_domain_that_is_not_meant_is_never_struck() {
    for kind in [Kind::Instruction(Mutation::Deleted), Kind::Register, Kind::Data, Kind::Argument] {
        let mut m = domain(&[COUNT, COUNT, ECALL]);
        identify(&mut m, 6);
        inject(&mut m, kind);
        steps(&mut m, 4);
        assert_eq!(m.struck(), None, "{kind:?}");
    }
}
#[test]
fn it_strikes_after_as_many_instructions_of_its_domain() {
    let mut m = domain(&[NOP, ECALL, NOP, NOP, COUNT]);
    let kind = Kind::Instruction(Mutation::OffByOne);
    m.inject(Fault { kind, identity: IDENTITY, after: 3, random: 0 });
    // To the call, in supervisor mode, and on behind the call.
    steps(&mut m, 3);
    m.control.sepc = USER_VA + 8;
    steps(&mut m, 3);
    assert_eq!(m.struck(), None, "there is no constant in what was executed");
    m.x[10] = 0;
    steps(&mut m, 1);
    assert_eq!((m.x[10], m.struck().unwrap().pc), (2, USER_VA + 16));
}
#[test]
fn a_bit_of_its_data_or_of_a_register_is_another_one() {
    let mut m = domain(&[NOP, NOP, NOP]);
    let before = m.ram().to_vec();
    inject(&mut m, Kind::Data);
    steps(&mut m, 3);
    let differ = |(n, (a, b)): (usize, (&u8, &u8))| (a != b).then(|| (n as u64 + RAM_BASE, (a ^ b).count_ones()));
    let changed: Vec<_> = before.iter().zip(m.ram()).enumerate().filter_map(differ).collect();
    assert!(matches!(changed[..], [(at, 1)] if (ONE..ONE + 0x1000).contains(&at)), "{changed:x?}");

    let mut m = domain(&[NOP, NOP, NOP]);
    inject(&mut m, Kind::Register);
    let before = m.x;
    steps(&mut m, 3);
    let bits: u32 = before.iter().zip(&m.x).map(|(a, b)| (a ^ b).count_ones()).sum();
    assert_eq!((bits, m.struck().is_some()), (1, true));
}
#[test]
fn arguments_and_answers_of_a_call_are_changed() {
    let called = |kind| {
        let mut m = domain(&[NOP, NOP, ECALL, NOP]);
        inject(&mut m, kind);
        (m.x[11], m.x[12], m.x[13]) = (0, 0, 0);
        (m.x[10], m.x[17]) = (0, 9);
        steps(&mut m, 4);
        m
    };
    let m = called(Kind::Argument);
    assert_eq!(m.x[10..14].iter().map(|x| x.count_ones()).sum::<u32>(), 1);
    for (kind, expected) in [(Kind::Refused(-12), -12i64 as u64), (Kind::Answer, 1 << (77 % 64))] {
        let mut m = called(kind);
        assert_eq!((m.x[10], m.struck()), (0, None), "{kind:?}: the callee has what it was given");
        m.control.sscratch += 0x1000;
        m.place(ONE + 0x2000 + 8, &(TWO + 32).to_le_bytes()).unwrap();
        m.control.sepc = USER_VA + 12;
        steps(&mut m, 1);
        assert_eq!((m.x[10], m.struck()), (0, None), "{kind:?}: another thread");
        let mut m = called(kind);
        m.control.sepc = USER_VA + 12;
        steps(&mut m, 1);
        assert_eq!((m.x[10], m.struck().is_some()), (expected, true), "{kind:?}");
    }
}
#[test]
fn who_is_answered_for_others_is_no_call() {
    let mut m = domain(&[NOP, NOP, ECALL, NOP]);
    inject(&mut m, Kind::Answer);
    m.x[17] = 0;
    steps(&mut m, 4);
    m.control.sepc = USER_VA + 12;
    steps(&mut m, 1);
    assert_eq!(m.struck(), None, "a return does not come back");
}
#[test]
fn a_component_asks_and_waits_for_the_answer() {
    let mut m = domain(&[ASKS, COUNT]);
    (m.x[10], m.x[11]) = (40, 2);
    m.run(100);
    assert_eq!(m.question().map(|words| [words[0], words[1]]), Some([40, 2]));
    assert_eq!(m.pc, USER_VA + 4);
    m.answer(7);
    steps(&mut m, 1);
    assert_eq!((m.x[10], m.question()), (8, None));
    // Where nobody answers, it is a hint.
    let mut m = machine(&[ASKS, NOP], Settings::default());
    steps(&mut m, 2);
    assert_eq!((m.question(), m.pc), (None, CODE + 8));
}
#[test]
fn what_threads_of_the_dead_have_is_nobodys_who_is_behind() {
    let secrets = crate::Secrets { table: 8, flags: -8, trusted: 1, stub: USER_VA };
    let mut m = domain(&[ECALL]);
    m.settings.secrets = Some(secrets);
    identify(&mut m, 2);
    m.x[5] = SECRET;
    steps(&mut m, 1);
    assert!(m.stopped.is_none(), "the stub looks at no register");
    steps(&mut m, 1);
    m.control.sepc = USER_VA + 4;
    steps(&mut m, 1);
    assert!(matches!(m.stopped, Some(Stopped::Leaked(leak)) if leak.register == 5), "{:?}", m.stopped);
}
