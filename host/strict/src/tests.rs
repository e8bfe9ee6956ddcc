//! Behaviours of the machine, each shown by a few instructions.

use crate::entry::pte;
use crate::machine::{Machine, Settings, Stopped};
use crate::{Missing, RAM_BASE, Whose};

mod injected;

const ROOT: u64 = RAM_BASE + 0x1000;
const MIDDLE: u64 = RAM_BASE + 0x2000;
const LEAVES: u64 = RAM_BASE + 0x3000;
const CODE: u64 = RAM_BASE + 0x8000;
/// Two frames of data.
const ONE: u64 = RAM_BASE + 0x10000;
const TWO: u64 = RAM_BASE + 0x11000;
/// Where supervisor mode sees RAM as a whole: entry 2 of the root, as QEMU's RAM lies.
const RIGHTS: u64 = pte::V | pte::R | pte::W | pte::X | pte::A | pte::D;
/// The page under test, and where user code is.
const PAGE_VA: u64 = 0x40_0000;
const USER_VA: u64 = 0x40_1000;
const SPACE: u64 = 7;

const NOP: u32 = 0x13;
const SRET: u32 = 0x1020_0073;
const FENCE_I: u32 = 0x100f;
const ECALL: u32 = 0x73;
/// `sfence.vma a0, a1`
const FENCE: u32 = 0x12b5_0073;
/// `sfence.vma zero, a1`
const FENCE_SPACE: u32 = 0x12b0_0073;
/// `ld a2, 0(a0)`, `sd a3, 0(a4)`
const LOAD: u32 = 0x0005_3603;
const STORE: u32 = 0x00d7_3023;
/// `wfi`
const WAIT: u32 = 0x1050_0073;

fn entry(at: u64, bits: u64) -> u64 {
    at >> 12 << 10 | bits
}
/// A machine in supervisor mode with RAM where it is and `PAGE_VA` on frame `ONE`, which has 1 in it, as `TWO` has 2.
fn machine(code: &[u32], settings: Settings) -> Machine {
    let mut m = Machine::new(1 << 20, CODE, 0, settings);
    let mut put = |at: u64, value: u64| m.place(at, &value.to_le_bytes()).unwrap();
    put(ROOT + 16, entry(RAM_BASE, RIGHTS));
    put(ROOT, entry(MIDDLE, pte::V));
    put(MIDDLE + 16, entry(LEAVES, pte::V));
    put(LEAVES, entry(ONE, RIGHTS));
    put(LEAVES + 8, entry(CODE + 0x1000, RIGHTS | pte::U));
    put(ONE, 1);
    put(TWO, 2);
    for (n, word) in code.iter().enumerate() {
        m.place(CODE + 4 * n as u64, &word.to_le_bytes()).unwrap();
    }
    m.control.satp = 8 << 60 | SPACE << 44 | ROOT >> 12;
    m.buffer.root_is_new(SPACE as u16, ROOT >> 12);
    m.control.stvec = CODE + 0x2000;
    (m.x[10], m.x[11]) = (PAGE_VA, SPACE);
    (m.x[13], m.x[14]) = (entry(TWO, RIGHTS), LEAVES);
    m
}
fn steps(m: &mut Machine, count: usize) {
    for _ in 0..count {
        if let Err(trap) = m.execute_page(m.instructions() + 1) {
            m.trap(trap);
        }
    }
}
const A2: usize = 12;

#[test]
fn a_translation_is_kept_until_it_is_fenced() {
    let mut m = machine(&[LOAD, STORE, LOAD, FENCE, LOAD], Settings::default());
    steps(&mut m, 3);
    assert_eq!(m.x[A2], 1, "the table has another frame, the buffer has not");
    steps(&mut m, 2);
    assert_eq!(m.x[A2], 2);
}
#[test]
fn a_fence_for_another_space_or_page_forgets_nothing() {
    for (address, space) in [(PAGE_VA, SPACE + 1), (PAGE_VA + 0x1000, SPACE)] {
        let mut m = machine(&[LOAD, STORE, FENCE, NOP, LOAD], Settings::default());
        steps(&mut m, 2);
        (m.x[10], m.x[11]) = (address, space);
        steps(&mut m, 1);
        m.x[10] = PAGE_VA;
        steps(&mut m, 2);
        assert_eq!(m.x[A2], 1);
    }
}
#[test]
fn a_page_that_was_missing_stays_missing_until_it_is_fenced() {
    let settings = Settings { missing: Some(Missing::Kept), ..Settings::default() };
    let mut m = machine(&[LOAD, STORE, LOAD, FENCE, LOAD], settings);
    m.place(LEAVES, &[0; 8]).unwrap();
    steps(&mut m, 1);
    assert_eq!((m.control.scause, m.control.stval), (13, PAGE_VA));
    m.pc = CODE + 4;
    steps(&mut m, 2);
    assert_eq!(m.pc, CODE + 0x2000, "a second fault, which is nobody's mistake");
    m.pc = CODE + 12;
    steps(&mut m, 2);
    assert_eq!(m.x[A2], 2);
}
#[test]
fn a_page_that_was_missing_may_be_there_for_some_accesses_without_a_fence() {
    let found = (0..16).map(|seed| {
        let settings = Settings { missing: Some(Missing::Drawn(seed << 60)), ..Settings::default() };
        let mut m = machine(&[LOAD, STORE, LOAD], settings);
        m.place(LEAVES, &[0; 8]).unwrap();
        steps(&mut m, 1);
        m.pc = CODE + 4;
        steps(&mut m, 2);
        m.x[A2] == 2
    });
    let found: Vec<bool> = found.collect();
    assert!(found.contains(&true) && found.contains(&false), "{found:?}");
}
#[test]
fn what_a_walk_of_its_own_may_have_found_is_fenced_though_nothing_was_accessed_there() {
    for (fence, held) in [(NOP, false), (FENCE, false), (FENCE_SPACE, true)] {
        // The walk for another page comes through the table.
        let mut m = machine(&[LOAD, STORE, fence, SRET], Settings::default());
        (m.x[10], m.control.sstatus, m.control.sepc) = (USER_VA, 1 << 18, USER_VA);
        steps(&mut m, 4);
        assert_eq!(m.stopped.is_none(), held);
    }
}
#[test]
fn a_page_that_was_there_for_a_moment_is_fenced_where_its_space_was_active() {
    // Entered and cleared, as a patch is; `elsewhere`: while another space is active, in which nothing walks there.
    const CLEAR: u32 = 0x0007_3023;
    for elsewhere in [false, true] {
        let mut m = machine(&[LOAD, STORE, CLEAR, SRET], Settings::default());
        m.place(LEAVES, &[0; 8]).unwrap();
        (m.x[10], m.control.sstatus, m.control.sepc) = (USER_VA, 1 << 18, USER_VA);
        steps(&mut m, 1);
        let satp = m.control.satp;
        m.control.satp ^= u64::from(elsewhere) << 44;
        steps(&mut m, 2);
        m.control.satp = satp;
        steps(&mut m, 1);
        assert_eq!(matches!(m.stopped, Some(Stopped::Violation(_))), !elsewhere);
    }
}
#[test]
fn a_fence_for_one_page_leaves_the_pointer_to_its_table() {
    const OTHER: u64 = RAM_BASE + 0x4000;
    for (fence, seen) in [(FENCE, 1), (FENCE_SPACE, 2)] {
        let mut m = machine(&[LOAD, STORE, fence, LOAD], Settings::default());
        m.place(OTHER, &entry(TWO, RIGHTS).to_le_bytes()).unwrap();
        (m.x[13], m.x[14]) = (entry(OTHER, pte::V), MIDDLE + 16);
        steps(&mut m, 2);
        steps(&mut m, 2);
        assert_eq!(m.x[A2], seen);
    }
}
#[test]
fn an_instruction_is_kept_until_fence_i() {
    /// `li a2, 5` and `li a2, 6`
    const OLD: u32 = 0x0050_0613;
    const NEW: u32 = 0x0060_0613;
    // sw a3, 0(a4)
    const STORE_WORD: u32 = 0x00d7_2023;
    let mut m = machine(&[OLD, STORE_WORD, FENCE_I], Settings::default());
    (m.x[13], m.x[14]) = (NEW.into(), CODE);
    steps(&mut m, 2);
    m.pc = CODE;
    steps(&mut m, 1);
    assert_eq!(m.x[A2], 5);
    m.pc = CODE + 8;
    steps(&mut m, 1);
    m.pc = CODE;
    steps(&mut m, 1);
    assert_eq!(m.x[A2], 6);
}
/// Loads, changes the table, and goes to user mode, with `fence` before that.
fn enter_user(fence: u32) -> Option<Stopped> {
    let mut m = machine(&[LOAD, STORE, fence, SRET], Settings::default());
    m.control.sepc = USER_VA;
    steps(&mut m, 4);
    m.stopped
}
#[test]
fn a_stale_translation_in_a_space_that_is_entered_is_a_violation() {
    match enter_user(NOP) {
        Some(Stopped::Violation(stale)) => {
            assert_eq!((stale.name.whose, stale.name.address()), (Whose::Space(SPACE as u16), PAGE_VA));
            assert_eq!((stale.by.pc, stale.by.component), (CODE + 4, false));
        }
        other => panic!("{other:?}"),
    }
    assert!(enter_user(FENCE).is_none());
}
#[test]
fn a_component_in_supervisor_mode_enters_a_space_too() {
    /// `csrsi sstatus, 2`
    const ENTER: u32 = 0x1001_6073;
    for (fence, back) in [(NOP, ENTER), (FENCE, ENTER), (NOP, SRET), (FENCE, SRET)] {
        let mut m = machine(&[LOAD, STORE, fence, back], Settings::default());
        // Previously in supervisor mode, with interrupts on.
        (m.control.sepc, m.control.sstatus) = (CODE, 0x120);
        steps(&mut m, 4);
        assert_eq!(matches!(m.stopped, Some(Stopped::Violation(_))), fence == NOP);
        assert!(!m.user);
    }
}
#[test]
fn a_space_with_another_root_table_and_old_translations_is_a_violation() {
    /// `csrw satp, a3`
    const SET: u32 = 0x1806_9073;
    const OTHER: u64 = RAM_BASE + 0x5000;
    for fence in [NOP, FENCE_SPACE] {
        let mut m = machine(&[SET, LOAD, fence, SET], Settings::default());
        for root in [ROOT, OTHER] {
            m.place(root + 16, &entry(RAM_BASE, RIGHTS | pte::G).to_le_bytes()).unwrap();
        }
        m.x[13] = m.control.satp;
        steps(&mut m, 3);
        m.x[13] = 8 << 60 | SPACE << 44 | OTHER >> 12;
        steps(&mut m, 1);
        assert_eq!(matches!(m.stopped, Some(Stopped::Reused(_))), fence == NOP);
    }
}
#[test]
fn a_fence_that_is_left_out_is_missed() {
    let settings = Settings { without: [USER_VA].into(), ..Settings::default() };
    let mut m = machine(&[LOAD, STORE, FENCE, SRET], settings);
    m.control.sepc = USER_VA;
    steps(&mut m, 4);
    assert!(matches!(m.stopped, Some(Stopped::Violation(_))) && m.fences == [(USER_VA, SPACE as u16)]);
}
#[test]
fn rights_that_are_added_need_no_fence() {
    let mut m = machine(&[LOAD, STORE, NOP, SRET], Settings::default());
    m.place(LEAVES, &entry(ONE, RIGHTS & !pte::W).to_le_bytes()).unwrap();
    m.x[13] = entry(ONE, RIGHTS);
    m.control.sepc = USER_VA;
    steps(&mut m, 4);
    assert!(m.stopped.is_none());
}
/// Where in an endless loop the timer has interrupted: `interrupts` times. `back`: `sstatus` for the way into it.
fn interrupted(seed: u64, interrupts: usize, (start, back): (u64, u64)) -> Vec<u64> {
    let mut m = machine(&[SRET], Settings { slices: Some(seed), ..Settings::default() });
    // Eight nops, then back.
    let mut code = vec![NOP; 8];
    code.push(0xfe1f_f06f);
    for (n, word) in code.iter().enumerate() {
        m.place(CODE + 0x1000 + 4 * n as u64, &word.to_le_bytes()).unwrap();
    }
    (m.control.sepc, m.control.sie) = (start, 0x20);
    let mut found = Vec::new();
    while found.len() < interrupts {
        // As the scheduler does: a slice from now on.
        m.control.stimecmp = m.time() + 50_000;
        m.pc = CODE;
        m.control.sstatus = back;
        m.plan();
        while m.pc != CODE + 0x2000 {
            if m.cycles >= m.attention {
                m.attend();
            } else {
                steps(&mut m, 1);
            }
        }
        assert_eq!(m.control.scause, 1 << 63 | 5);
        found.push(m.control.sepc);
    }
    found
}
#[test]
fn the_timer_interrupts_between_any_two_instructions() {
    // In user mode, and in a component in supervisor mode.
    for into in [(USER_VA, 0), (CODE + 0x1000, 0x120)] {
        let found = interrupted(1, 400, into);
        assert!((0..9).all(|n| found.contains(&(into.0 + 4 * n))), "{found:x?}");
        assert_eq!(found, interrupted(1, 400, into));
        assert_ne!(found, interrupted(2, 400, into));
    }
}
/// `lr.d a2, (a0)`, `sc.d a2, a3, (a0)`, `sc.d a2, a3, (a4)`
const RESERVE: u32 = 0x1005_362f;
const CONDITIONAL: u32 = 0x18d5_362f;
const ELSEWHERE: u32 = 0x18d7_362f;

#[test]
fn a_reservation_of_another_threads_serves_no_store() {
    for elsewhere in [NOP, ELSEWHERE] {
        // In supervisor mode, tp says which thread it is.
        let mut m = machine(&[RESERVE, RESERVE, elsewhere, CONDITIONAL], Settings::default());
        for thread in [1, 2, 2, 1] {
            m.x[4] = thread;
            steps(&mut m, 1);
        }
        assert_eq!(matches!(m.stopped, Some(Stopped::Overwritten(_))), elsewhere == NOP);
        assert_eq!(m.x[12], (elsewhere != NOP).into(), "the last one has stored");
    }
}
#[test]
fn a_reservation_serves_one_store_whatever_comes_between() {
    let mut m = machine(&[RESERVE, NOP, CONDITIONAL, CONDITIONAL], Settings::default());
    steps(&mut m, 3);
    assert_eq!((m.x[12], m.stopped.is_none()), (0, true));
    steps(&mut m, 1);
    assert_eq!(m.x[12], 1);
}
#[test]
fn interrupts_are_off_from_a_trap_to_the_way_back() {
    /// `slti x0, x0, 2047`
    const UNCOUNTED: u32 = 0x7ff0_2013;
    for (hint, count) in [(NOP, 3), (UNCOUNTED, 1)] {
        let mut m = machine(&[SRET], Settings::default());
        for (n, word) in [NOP, hint, SRET].into_iter().enumerate() {
            m.place(CODE + 0x2000 + 4 * n as u64, &word.to_le_bytes()).unwrap();
        }
        m.place(CODE + 0x1000, &ECALL.to_le_bytes()).unwrap();
        (m.control.sepc, m.control.sie) = (USER_VA, 0x20);
        // Out, the call, the three of the way in and back.
        steps(&mut m, 5);
        assert_eq!((m.masked().instructions, m.masked().from), (count, (USER_VA, SPACE as u16)));
    }
}
#[test]
fn who_waits_for_nothing_has_stopped() {
    let mut m = machine(&[WAIT], Settings::default());
    assert!(matches!(m.run(10), Some(Stopped::Idle)));
}
#[test]
fn the_firmware_prints_and_stops_the_machine() {
    let mut m = machine(&[ECALL, NOP, ECALL], Settings::default());
    (m.x[17], m.x[10]) = (1, b'x'.into());
    steps(&mut m, 1);
    assert_eq!(m.take_sent(), b"x");
    m.x[17] = 8;
    assert!(matches!(m.run(10), Some(Stopped::Off(0))));
}
#[test]
fn singles_are_boxed_and_doubles_are_not() {
    // fadd.s f3, f1, f2 and fadd.d f3, f1, f2
    let mut m = machine(&[0x0020_f1d3, 0x0220_f1d3], Settings::default());
    m.control.sstatus = 3 << 13;
    let boxed = |value: f32| 0xffff_ffff_0000_0000 | u64::from(value.to_bits());
    (m.f[1], m.f[2]) = (boxed(1.5), boxed(2.25));
    steps(&mut m, 1);
    assert_eq!(m.f[3], boxed(3.75));
    (m.f[1], m.f[2]) = (1.5f64.to_bits(), 2.25f64.to_bits());
    steps(&mut m, 1);
    assert_eq!(m.f[3], 3.75f64.to_bits());
}
/// An address of the supervisor's: RAM as its half shows it, sign-extended.
const SECRET: u64 = 0xffff_ffff_8000_0000 | ONE;

/// Goes to user mode with the secret in `t0`; what the machine says. `before`: instructions before that.
fn told(before: &[u32], flags: u64, set: impl FnOnce(&mut Machine)) -> Option<Stopped> {
    let secrets = crate::Secrets { table: 8, flags: -8, trusted: 1, stub: 0 };
    let code: Vec<u32> = before.iter().copied().chain([SRET]).collect();
    let mut m = machine(&code, Settings { secrets: Some(secrets), ..Settings::default() });
    // The thread is at the beginning of a page, its table 32 bytes behind.
    m.place(TWO + 8, &(TWO + 32).to_le_bytes()).unwrap();
    m.place(TWO + 24, &flags.to_le_bytes()).unwrap();
    (m.control.sepc, m.control.sscratch, m.x[5]) = (USER_VA, SECRET - ONE + TWO, SECRET);
    set(&mut m);
    steps(&mut m, code.len());
    m.stopped
}
#[test]
fn an_address_of_the_supervisors_in_a_register_is_a_leak() {
    let leak = told(&[NOP], 2, |_| ());
    assert!(matches!(leak, Some(Stopped::Leaked(leak)) if (leak.register, leak.value) == (5, SECRET)), "{leak:?}");
    assert!(told(&[], 3, |_| ()).is_none(), "a trusted one may find it");
    assert!(told(&[], 2, |m| m.x[5] = 0x8000_0000).is_none(), "it is no address of the supervisor's");
    assert!(
        told(&[], 2, |m| (m.x[5], m.x[18]) = (0, SECRET)).is_none(),
        "a register that calls keep has its owner's value"
    );
    assert!(told(&[], 2, |m| m.control.sstatus = 0x100).is_none(), "nobody is entered");
}
#[test]
fn what_a_component_had_itself_is_no_leak() {
    assert!(told(&[], 2, |m| m.way.leave(&[SECRET; 32], (0, 0))).is_none());
    assert!(told(&[CONDITIONAL], 2, |_| ()).is_none(), "all registers are restored");
}

#[test]
fn addresses_are_generated_by_zba() {
    // add.uw a5, a0, a3; sh2add a6, a0, a3; sh3add.uw a7, a0, a3; slli.uw t3, a0, 33
    let code = [0x08d5_07bb, 0x20d5_4833, 0x20d5_68bb, 0x0a15_1e1b];
    let mut m = machine(&code, Settings::default());
    (m.x[10], m.x[13]) = (0xffff_ffff_8000_0001, 0x10_0000_0000);
    steps(&mut m, 4);
    assert_eq!(m.x[15..=17], [0x10_8000_0001, 0xe_0000_0004, 0x14_0000_0008]);
    assert_eq!(m.x[28], 0x8000_0001 << 33);
}
