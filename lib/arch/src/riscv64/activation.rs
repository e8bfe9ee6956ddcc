//! How code is run that was linked into a component: on a stack of its own, and so that it can be left at any time.
#![expect(clippy::too_many_lines, reason = "one sequence of instructions is as long as it is")]

use crate::landing::{First, Home, InThread, Landing, Outcome, Raised, THREADS};
use core::mem::offset_of;

/// How far apart in [`THREADS`] what two threads have is: a power of two, of which this is the exponent.
#[doc(hidden)]
pub const THREAD_BIT: u32 = size_of::<InThread>().trailing_zeros();
const _: () = assert!(size_of::<InThread>() == 1 << THREAD_BIT && offset_of!(InThread, landing) == 0);
// Registers are at the landing's begin, as they are named below.
const _: () = assert!(offset_of!(Landing, floating) == 208);
const _: () = assert!(offset_of!(Home, free) == 0);

/// Such an instruction for each of these registers, with its place in a landing.
macro_rules! registers {
    ($instruction:literal, $base:literal; $($register:ident $at:literal)+) => {
        concat!($($instruction, " ", stringify!($register), ", ", $at, "(", $base, ")\n"),+)
    };
}
/// For all registers of integers that a function keeps.
macro_rules! integer {
    ($instruction:literal, $base:literal) => {
        registers!($instruction, $base; ra 0 sp 8 s0 16 s1 24 s2 32 s3 40 s4 48 s5 56 s6 64 s7 72 s8 80 s9 88 s10 96 s11 104)
    };
}
/// For those of floating point. Assembled otherwise, such functions have no more than the smallest machine.
macro_rules! floating {
    ($instruction:literal, $base:literal) => {
        concat!(
            ".option push\n.option arch, +d\n",
            registers!($instruction, $base; fs0 112 fs1 120 fs2 128 fs3 136 fs4 144 fs5 152 fs6 160 fs7 168 fs8 176 fs9 184 fs10 192 fs11 200),
            ".option pop\n"
        )
    };
}
/// An atomic instruction, as above.
macro_rules! atomic {
    ($instruction:literal) => {
        concat!(".option push\n.option arch, +a\n", $instruction, "\n.option pop\n")
    };
}

/// Calls `entry` with the words in registers, on the stack whose top is the landing itself.
///
/// # Safety
/// The entry is a function of these words, that keeps what a C function keeps; the landing lies at the top of a stack that nobody else uses, and stays until this
/// returns, which it does when the entry returns or its thread calls [`abort`]; its event is null.
#[unsafe(naked)]
pub unsafe extern "C" fn activate(landing: *const Landing, entry: usize, words: &[usize; 8]) -> Outcome {
    core::arch::naked_asm!(
        integer!("sd", "a0"),
        "ld   t0, 208(a0)",
        "bnez t0, 2f",
        "1:",
        "mv   sp, a0",
        "mv   t0, a1",
        "mv   t1, a2",
        "ld   a0, 0(t1)",
        "ld   a1, 8(t1)",
        "ld   a2, 16(t1)",
        "ld   a3, 24(t1)",
        "ld   a4, 32(t1)",
        "ld   a5, 40(t1)",
        "ld   a6, 48(t1)",
        "ld   a7, 56(t1)",
        "jalr t0",
        "li   a1, 0",
        // The entry has kept the others.
        "ld   ra, 0(sp)",
        "ld   sp, 8(sp)",
        "ret",
        "2:",
        floating!("fsd", "a0"),
        "j    1b",
    )
}
/// What the cell of an event leads to that has one handler, entered the quick way: in `t0` is the event, and in the others are the arguments of a function of its form. Where it can
/// not be entered so now it goes on at what handles the event otherwise, with the same arguments.
///
/// From the thread's mark on the event's list stays, and with it the extension, which has the activation then. No other thread of the component's runs on another hart,
/// so that the order in which this stores is the one that others see.
///
/// 50 instructions, six before it (three where the event is raised, three of [`quick!`]), and the entry's own.
///
/// # Safety
/// It is jumped to as a function of that event's form is called.
#[doc(hidden)]
#[unsafe(naked)]
pub unsafe extern "C" fn enter_quickly() {
    core::arch::naked_asm!(
        "lla  t1, {threads}",
        "slli t2, tp, {thread_bit}",
        "add  t1, t1, t2",
        "ld   t5, {landing}(t1)",
        // One that nobody knows yet.
        "beqz t5, 4f",
        "sd   t0, {enters}(t1)",
        "ld   t2, {list}(t0)",
        "ld   t3, {home}(t2)",
        "ld   t2, {entry}(t2)",
        // Who was found otherwise (`choosing`) comes here, with the same in these registers.
        // What is linked together of several libraries has it several times, and one is as good as another.
        ".weak pebble_enter_found",
        "pebble_enter_found:",
        atomic!("amoswap.d.aq t4, zero, (t3)"),
        "beqz t4, 3f",
        "ld   t6, {calls}(t4)",
        "addi t6, t6, 1",
        "sd   t6, {calls}(t4)",
        "sd   t6, {running}(t4)",
        "sd   zero, {enters}(t1)",
        // Behind that: who says that it may not looks then who is there.
        "lbu  t6, {quick}(t3)",
        "beqz t6, 2f",
        integer!("sd", "t4"),
        "sd   t5, {previous}(t4)",
        "sd   t4, {landing}(t1)",
        "sd   t1, {thread}(t4)",
        "sd   t0, {raised}(t4)",
        "mv   sp, t4",
        "jalr t2",
        "ld   t1, {thread}(sp)",
        "ld   t2, {previous}(sp)",
        "sd   t2, {landing}(t1)",
        "sd   zero, {running}(sp)",
        "ld   t3, {at_home}(sp)",
        "mv   t4, sp",
        // The entry has kept the others.
        "ld   ra, 0(sp)",
        "ld   sp, 8(sp)",
        // Behind that nothing of the extension's is touched but what is not to be had without it.
        atomic!("amoswap.d.rl t5, t4, (t3)"),
        "bnez t5, 5f",
        "ret",
        "2:",
        "tail {turn_back}",
        "3:",
        "sd   zero, {enters}(t1)",
        "4:",
        "ld   t0, {handled}(t0)",
        "jr   t0",
        "5:",
        "li   t6, 1",
        "sd   t6, {idle}(t5)",
        "ret",
        turn_back = sym turn_back,
        threads = sym THREADS,
        thread_bit = const THREAD_BIT,
        landing = const offset_of!(InThread, landing),
        enters = const offset_of!(InThread, enters),
        list = const offset_of!(Raised, list),
        handled = const offset_of!(Raised, handled),
        home = const offset_of!(First, home),
        entry = const offset_of!(First, entry),
        quick = const offset_of!(Home, quick),
        calls = const offset_of!(Landing, calls),
        running = const offset_of!(Landing, running),
        idle = const offset_of!(Landing, idle),
        previous = const offset_of!(Landing, previous),
        thread = const offset_of!(Landing, thread),
        raised = const offset_of!(Landing, raised),
        at_home = const offset_of!(Landing, home),
    )
}
/// Gives an activation back (`t4`, to its home in `t3`) that was taken where it may not be entered the quick way, and has the event in `t0` handled otherwise.
#[unsafe(naked)]
unsafe extern "C" fn turn_back() {
    core::arch::naked_asm!(
        "ld   t6, {calls}(t4)",
        "addi t6, t6, -1",
        "sd   t6, {calls}(t4)",
        "sd   zero, {running}(t4)",
        atomic!("amoswap.d.rl t5, t4, (t3)"),
        "beqz t5, 1f",
        "li   t6, 1",
        "sd   t6, {idle}(t5)",
        "1:",
        "ld   t0, {handled}(t0)",
        "jr   t0",
        handled = const offset_of!(Raised, handled),
        calls = const offset_of!(Landing, calls),
        running = const offset_of!(Landing, running),
        idle = const offset_of!(Landing, idle),
    )
}
/// The address of a function that the cell of event `$at` in array `$events`, whose elements have `$size` bytes, leads to where it is handled the quick way by one. `$handled` is the
/// function for where it is not.
///
/// Three instructions.
#[macro_export]
macro_rules! quick {
    ($events:ident, $at:literal, $size:expr, $handled:path) => {
        $crate::enters!($events, $at, $size, $crate::activation::enter_quickly)
    };
}
/// The same where there are several, of whom one at most is called.
#[macro_export]
macro_rules! chosen {
    ($events:ident, $at:literal, $size:expr, $handled:path) => {
        $crate::enters!($events, $at, $size, $crate::choosing::choose_quickly)
    };
}
/// A function that goes on at `$enter` with the event's address.
#[doc(hidden)]
#[macro_export]
macro_rules! enters {
    ($events:ident, $at:literal, $size:expr, $enter:path) => {{
        #[unsafe(naked)]
        unsafe extern "C" fn enters() {
            core::arch::naked_asm!(
                "lla  t0, {events} + {place}",
                "tail {enter}",
                events = sym $events,
                place = const $at * $size,
                enter = sym $enter,
            )
        }
        enters as *const ()
    }};
}
/// Goes on behind [`activate`], which says why: not 0. What is on the stack in between is left as it is. Where the activation was entered the quick way, what its home has for that
/// says where to go on.
///
/// # Safety
/// The thread is in the activation of that landing, and in nothing within it that somebody relies on.
#[unsafe(naked)]
pub unsafe extern "C" fn abort(landing: *const Landing, why: usize) -> ! {
    core::arch::naked_asm!(
        integer!("ld", "a0"),
        "ld   t0, {raised}(a0)",
        "bnez t0, 2f",
        "ld   t0, 208(a0)",
        "beqz t0, 1f",
        floating!("fld", "a0"),
        "1:",
        "li   a0, 0",
        "ret",
        "2:",
        "addi sp, sp, -16",
        "sd   ra, 8(sp)",
        "ld   t0, {home}(a0)",
        "ld   t0, {ended}(t0)",
        "jalr t0",
        "mv   t0, a0",
        "ld   ra, 8(sp)",
        "addi sp, sp, 16",
        "jr   t0",
        raised = const offset_of!(Landing, raised),
        home = const offset_of!(Landing, home),
        ended = const offset_of!(Home, ended),
    )
}
/// The address of a door to function `$body`, whose generics follow: code that an activation calls begins there. Where the stack pointer is below the activation's floor it goes to
/// [`abort`] with `$why`, with nothing written to the stack: the least frame of the function may be more than is left.
///
/// Ten instructions, and two for the jump.
#[macro_export]
macro_rules! door {
    ($body:path, $why:expr $(, $generic:ident: $bound:path)?) => {{
        #[unsafe(naked)]
        unsafe extern "C" fn door$(<$generic: $bound>)?() {
            core::arch::naked_asm!(
                "lla  t0, {threads}",
                "slli t1, tp, {thread_bit}",
                "add  t0, t0, t1",
                "ld   t0, 0(t0)",
                "ld   t1, {floor}(t0)",
                "bltu sp, t1, 2f",
                "tail {body}",
                "2:",
                "mv   a0, t0",
                "li   a1, {why}",
                "tail {abort}",
                threads = sym $crate::landing::THREADS,
                thread_bit = const $crate::activation::THREAD_BIT,
                floor = const core::mem::offset_of!($crate::landing::Landing, floor),
                body = sym $body,
                why = const $why,
                abort = sym $crate::activation::abort,
            )
        }
        door$(::<$generic>)? as *const () as usize
    }};
}
/// Where a thread that has faulted in its innermost activation goes on, by what a handler of faults answers: [`abort`] with `FAULTED` for why. It uses none of the stack that
/// the thread is on, and of its registers only its own, which has its number ([`abi::system::TP_IS_THREAD`]).
pub fn faulted_landing<const FAULTED: usize>() -> usize {
    #[unsafe(naked)]
    unsafe extern "C" fn land<const FAULTED: usize>() -> ! {
        core::arch::naked_asm!(
            "lla  t0, {threads}",
            "slli t1, tp, {thread_bit}",
            "add  t0, t0, t1",
            "ld   a0, 0(t0)",
            "li   a1, {faulted}",
            "tail {abort}",
            threads = sym THREADS,
            thread_bit = const THREAD_BIT,
            faulted = const FAULTED,
            abort = sym abort,
        )
    }
    land::<FAULTED> as *const () as usize
}
