//! Which of several that handle an event is entered, found by what the event is raised with: nothing but instructions, with the arguments where they are.
//!
//! A *reader* puts what is looked at in `t6`, by the [`Look`] in `t3`. It is called with `t4` as the link, and goes on behind the instruction there, a jump, where there is something to be looked at; at it, else. A
//! *comparison* of `t6` and `t5` does so where it holds. Readers use `t5` besides, and may have to make `t1` anew.
#![expect(clippy::too_many_lines, reason = "one sequence of instructions is as long as it is")]

use crate::activation::{THREAD_BIT, enter_quickly};
use crate::landing::{Chooser, Code, Compared, InThread, Look, Raised, Read, Slot, THREADS, Tested};
use core::mem::{offset_of, size_of};

// As they are gone through.
const _: () = assert!(size_of::<Slot>() == 32 && size_of::<Tested>() == 48 && offset_of!(Tested, look) == 0);

/// A function of these instructions, as a pointer.
macro_rules! code {
    ($($line:expr),+ $(,)?) => {{
        #[unsafe(naked)]
        unsafe extern "C" fn code() {
            core::arch::naked_asm!(
                $($line,)+
                // Not all readers use all of them.
                "# {offset} {end} {mask} {threads} {thread_bit}",
                offset = const offset_of!(Look, offset),
                end = const offset_of!(Look, end),
                mask = const offset_of!(Look, mask),
                threads = sym THREADS,
                thread_bit = const THREAD_BIT,
            )
        }
        code as Code
    }};
}
/// What is in `t6` with the bits that count.
macro_rules! masked {
    ($($line:expr),+ $(,)?) => {
        code!($($line,)+ "ld t5, {mask}(t3)", "and t6, t6, t5", "jr 4(t4)")
    };
}
/// Of a structure whose address is in a register.
macro_rules! field {
    ($load:literal, $register:literal) => {
        masked!("ld t6, {offset}(t3)", concat!("add t6, t6, ", $register), concat!($load, " t6, 0(t6)"))
    };
}
/// All readers of what is in a register, or where it leads to: by [`Read`].
macro_rules! of_register {
    ($register:literal) => {
        [
            masked!(concat!("mv t6, ", $register)),
            field!("lbu", $register),
            field!("lhu", $register),
            field!("lwu", $register),
            field!("ld", $register),
            field!("lb", $register),
            field!("lh", $register),
            field!("lw", $register),
        ]
    };
}
/// Bytes of a slice whose address and length are in two registers: where they are is in `t6`, if it has so many.
macro_rules! bytes {
    ($register:literal, $length:literal; $($line:literal)+) => {
        code!(
            "ld   t6, {end}(t3)",
            concat!("bltu ", $length, ", t6, 1f"),
            "ld   t6, {offset}(t3)",
            concat!("add  t6, t6, ", $register),
            $($line,)+
            "ld   t5, {mask}(t3)",
            "and  t6, t6, t5",
            "jr   4(t4)",
            "1:",
            "jr   0(t4)",
        )
    };
}
/// All readers of bytes of a slice: 1, 2, 4, 8, the first of which is the highest.
macro_rules! of_slice {
    ($register:literal, $length:literal) => {
        [
            bytes!($register, $length; "lbu t6, 0(t6)"),
            bytes!($register, $length; "lbu t5, 0(t6)" "lbu t6, 1(t6)" "slli t5, t5, 8" "or t6, t5, t6"),
            bytes!($register, $length;
                "lbu t5, 0(t6)"
                "lbu t1, 1(t6)" "slli t5, t5, 8" "or t5, t5, t1"
                "lbu t1, 2(t6)" "slli t5, t5, 8" "or t5, t5, t1"
                "lbu t1, 3(t6)" "slli t5, t5, 8" "or t6, t5, t1"
                "lla t1, {threads}" "slli t5, tp, {thread_bit}" "add t1, t1, t5"),
            bytes!($register, $length;
                "lbu t5, 0(t6)"
                "lbu t1, 1(t6)" "slli t5, t5, 8" "or t5, t5, t1"
                "lbu t1, 2(t6)" "slli t5, t5, 8" "or t5, t5, t1"
                "lbu t1, 3(t6)" "slli t5, t5, 8" "or t5, t5, t1"
                "lbu t1, 4(t6)" "slli t5, t5, 8" "or t5, t5, t1"
                "lbu t1, 5(t6)" "slli t5, t5, 8" "or t5, t5, t1"
                "lbu t1, 6(t6)" "slli t5, t5, 8" "or t5, t5, t1"
                "lbu t1, 7(t6)" "slli t5, t5, 8" "or t6, t5, t1"
                "lla t1, {threads}" "slli t5, tp, {thread_bit}" "add t1, t1, t5"),
        ]
    };
}
static OF_REGISTERS: [[Code; 8]; 8] = [
    of_register!("a0"),
    of_register!("a1"),
    of_register!("a2"),
    of_register!("a3"),
    of_register!("a4"),
    of_register!("a5"),
    of_register!("a6"),
    of_register!("a7"),
];
static OF_SLICES: [[Code; 4]; 7] = [
    of_slice!("a0", "a1"),
    of_slice!("a1", "a2"),
    of_slice!("a2", "a3"),
    of_slice!("a3", "a4"),
    of_slice!("a4", "a5"),
    of_slice!("a5", "a6"),
    of_slice!("a6", "a7"),
];
/// The reader of the word with that number, or of what it leads to.
///
/// # Panics
/// There is no such word: of a slice, the length is in the next one.
pub fn reader(word: usize, read: Read) -> Code {
    match read {
        Read::Bytes(width) => OF_SLICES[word][width.trailing_zeros() as usize],
        Read::Word => OF_REGISTERS[word][0],
        Read::Unsigned(width) => OF_REGISTERS[word][1 + width.trailing_zeros() as usize],
        // All bits of the widest are there without a sign, too.
        Read::Signed(8) => OF_REGISTERS[word][4],
        Read::Signed(width) => OF_REGISTERS[word][5 + width.trailing_zeros() as usize],
    }
}
/// A comparison that holds where this branch is taken.
macro_rules! compared {
    ($branch:literal) => {
        code!(concat!($branch, ", 1f"), "jr 0(t4)", "1:", "jr 4(t4)")
    };
}
/// The comparison of what was read, which is on the left.
pub fn comparison(compared: Compared, signed: bool) -> Code {
    static WITHOUT: [Code; 6] = [
        compared!("beq t6, t5"),
        compared!("bne t6, t5"),
        compared!("bltu t6, t5"),
        compared!("bleu t6, t5"),
        compared!("bgtu t6, t5"),
        compared!("bgeu t6, t5"),
    ];
    static WITH: [Code; 4] =
        [compared!("blt t6, t5"), compared!("ble t6, t5"), compared!("bgt t6, t5"), compared!("bge t6, t5")];
    match compared as usize {
        ordered @ 2.. if signed => WITH[ordered - 2],
        other => WITHOUT[other],
    }
}

/// What the cell of an event leads to whose handlers are told apart by what it is raised with, and of whom one at most is called; as for [`enter_quickly`], in `t0` is the event. Where it is that it is
/// not so, or who is found can not be entered now, it goes on at what handles the event otherwise.
///
/// 28 instructions and the reader's, four for a word, before those that enter who is found, where 10 are otherwise; 6 for each key that is passed; where there are more conditions 5, and 10 and the
/// reader's for each.
///
/// # Safety
/// It is jumped to as a function of that event's form is called.
#[doc(hidden)]
#[unsafe(naked)]
pub unsafe extern "C" fn choose_quickly() {
    core::arch::naked_asm!(
        "lla  t1, {threads}",
        "slli t2, tp, {thread_bit}",
        "add  t1, t1, t2",
        "ld   t5, {landing}(t1)",
        // One that nobody knows yet.
        "beqz t5, 7f",
        "sd   t0, {enters}(t1)",
        "ld   t2, {list}(t0)",
        // Meanwhile it may have become another one.
        "ld   t4, {look} + {reader}(t2)",
        "beqz t4, 6f",
        "addi t3, t2, {look}",
        ".option push",
        ".option norvc",
        "jalr t4, t4",
        "j    3f",
        ".option pop",
        "ld   t3, {factor}(t2)",
        ".option push",
        ".option arch, +m",
        "mul  t3, t3, t6",
        ".option pop",
        "ld   t4, {shift}(t2)",
        "srl  t3, t3, t4",
        "slli t3, t3, 5",
        "ld   t4, {slots}(t2)",
        "add  t4, t4, t3",
        "1:",
        "ld   t3, {home}(t4)",
        // Behind the last.
        "beqz t3, 3f",
        "ld   t5, {key}(t4)",
        "bne  t5, t6, 2f",
        "ld   t5, {tests}(t4)",
        "bnez t5, 4f",
        "ld   t2, {entry}(t4)",
        "ld   t5, {landing}(t1)",
        // Not `tail`, which uses t1.
        "j    pebble_enter_found",
        "2:",
        "addi t4, t4, 32",
        "j    1b",
        // Nobody: the event's default.
        "3:",
        "sd   zero, {enters}(t1)",
        "ld   t0, {default}(t0)",
        "jr   t0",
        // What else is looked at.
        "4:",
        "mv   t2, t4",
        "mv   t3, t5",
        "5:",
        "ld   t4, {reader}(t3)",
        "beqz t4, 8f",
        ".option push",
        ".option norvc",
        "jalr t4, t4",
        "j    3b",
        "ld   t5, {constant}(t3)",
        "ld   t4, {compare}(t3)",
        "jalr t4, t4",
        "j    3b",
        ".option pop",
        "addi t3, t3, 48",
        "j    5b",
        "8:",
        "ld   t3, {home}(t2)",
        "ld   t2, {entry}(t2)",
        "ld   t5, {landing}(t1)",
        "j    pebble_enter_found",
        "6:",
        "sd   zero, {enters}(t1)",
        "7:",
        "ld   t0, {handled}(t0)",
        "jr   t0",
        "# {enter}",
        enter = sym enter_quickly,
        threads = sym THREADS,
        thread_bit = const THREAD_BIT,
        landing = const offset_of!(InThread, landing),
        enters = const offset_of!(InThread, enters),
        list = const offset_of!(Raised, list),
        default = const offset_of!(Raised, default),
        handled = const offset_of!(Raised, handled),
        look = const offset_of!(Chooser, look),
        factor = const offset_of!(Chooser, factor),
        shift = const offset_of!(Chooser, shift),
        slots = const offset_of!(Chooser, slots),
        reader = const offset_of!(Look, reader),
        key = const offset_of!(Slot, key),
        home = const offset_of!(Slot, found.home),
        entry = const offset_of!(Slot, found.entry),
        tests = const offset_of!(Slot, tests),
        compare = const offset_of!(Tested, compare),
        constant = const offset_of!(Tested, constant),
    )
}
