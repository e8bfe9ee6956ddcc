//! What components ask of the processor themselves: calls through portals, counters, and ways in that are not a function's.

use core::arch::asm;

/// The instruction, with the arguments that there are; other registers have what they happen to have.
macro_rules! ecall {
    ($number:ident, $first:expr; $($register:tt $word:expr),*) => {{
        let result: isize;
        // SAFETY: the callee sees the registers only, and our memory only through windows that its specification names
        // and the caller passed; it keeps what a C function keeps.
        unsafe {
            asm!("ecall", in("a7") $number, inlateout("a0") $first => result, $(in($register) $word,)* clobber_abi("C"));
        }
        result
    }};
}
/// Calls portal `number` with up to six words.
#[inline(always)]
pub fn call<const N: usize>(number: usize, arguments: [usize; N]) -> isize {
    const { assert!(N <= 6, "a portal takes at most six words") };
    let mut w = [0usize; 6];
    w[..N].copy_from_slice(&arguments);
    match N {
        0 | 1 => ecall!(number, w[0];),
        2 => ecall!(number, w[0]; "a1" w[1]),
        3 => ecall!(number, w[0]; "a1" w[1], "a2" w[2]),
        4 => ecall!(number, w[0]; "a1" w[1], "a2" w[2], "a3" w[3]),
        5 => ecall!(number, w[0]; "a1" w[1], "a2" w[2], "a3" w[3], "a4" w[4]),
        _ => ecall!(number, w[0]; "a1" w[1], "a2" w[2], "a3" w[3], "a4" w[4], "a5" w[5]),
    }
}
/// An `ecall` that does not come back. The jump behind it keeps fetch from running into the next cache line, which is never executed and so
/// never in the cache: fetch would wait for it each time. Both are in one line of 16 bytes.
macro_rules! leave {
    ($number:expr, $first:expr $(, $register:tt $word:expr)*) => {
        asm!(".p2align 4, , 5", "ecall", "j .", in("a7") $number, in("a0") $first, $(in($register) $word,)* options(noreturn))
    };
}
/// Calls portal `number`, which goes on elsewhere: with another thread, or in the code that was interrupted.
///
/// # Safety
/// The portal never returns here, and no reference is live that whoever runs next may have.
#[inline(always)]
pub unsafe fn leave<const N: usize>(number: usize, arguments: [usize; N]) -> ! {
    const { assert!(N == 1 || N == 2 || N == 3) };
    let word = |n: usize| arguments.get(n).copied().unwrap_or(0);
    // SAFETY: as for this function.
    unsafe {
        match N {
            1 => leave!(number, word(0)),
            2 => leave!(number, word(0), "a1" word(1)),
            _ => leave!(number, word(0), "a1" word(1), "a2" word(2)),
        }
    }
}
/// Ends the domain with an illegal instruction, so that it is reported as a fault with its place.
pub fn stop() -> ! {
    // SAFETY: stops this domain; nothing goes on after it.
    unsafe { asm!("unimp", options(noreturn)) }
}
/// Where the calling thread's stack ends.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let sp: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mv {}, sp", out(reg) sp, options(nomem, nostack, preserves_flags)) };
    sp
}
/// What the thread's own register has: its number, where the domain has asked for that ([`abi::system::TP_IS_THREAD`]) and has not changed it since;
/// 0 in a fault domain, whose register is its host's.
#[inline(always)]
pub fn thread_register() -> usize {
    #[cfg(not(fault_domain))]
    {
        let tp: usize;
        // SAFETY: reads a register, which only [`enter`] changes.
        unsafe { asm!("mv {}, tp", out(reg) tp, options(nomem, nostack, preserves_flags)) };
        tp
    }
    #[cfg(fault_domain)]
    0
}
/// The hart's cycle counter.
#[inline(always)]
pub fn cycles() -> u64 {
    let cycles;
    // SAFETY: reads a counter that every component may read.
    unsafe { asm!("rdcycle {}", out(reg) cycles, options(nomem, nostack)) };
    cycles
}
/// The time register.
#[inline(always)]
pub fn time() -> u64 {
    let time;
    // SAFETY: reads a counter that every component may read.
    unsafe { asm!("rdtime {}", out(reg) time, options(nomem, nostack)) };
    time
}
/// Orders this hart's instruction fetches behind its stores: what was written may be executed.
pub fn code_was_written() {
    // SAFETY: it changes nothing that Rust knows of.
    unsafe { asm!("fence.i") };
}
/// Of [`mark`]: instructions with interrupts off do not count until here.
pub const UNCOUNTED: usize = 2047;
/// A hint that does nothing but say which operation begins or ends, to who follows the instructions: `number` is 0 to 2047.
#[inline(always)]
pub fn mark<const NUMBER: usize>() {
    // SAFETY: it writes to no register.
    unsafe { asm!("slti x0, x0, {}", const NUMBER) }
}
/// Calls the software portal at `portal` with one word, or six; its result. The thread's dedicated register leads to `block` from now on.
///
/// # Safety
/// The portal is a stub that was made for this thread's block; it is a C function to its caller, whatever the fault domain does.
// Components in Rust use `tp` for nothing.
#[inline(always)]
pub unsafe fn enter<T, const N: usize>(block: &mut T, portal: u64, arguments: &[u64; N]) -> i64 {
    const { assert!(N == 1 || N == 6) };
    let word = |n: usize| arguments.get(n).copied().unwrap_or(0);
    let result;
    // SAFETY: as for this function.
    unsafe {
        if N == 1 {
            asm!("mv tp, {block}", "jalr {portal}", block = in(reg) &raw mut *block, portal = in(reg) portal,
                inlateout("a0") word(0) => result, clobber_abi("C"));
        } else {
            asm!("mv tp, {block}", "jalr {portal}", block = in(reg) &raw mut *block, portal = in(reg) portal,
                inlateout("a0") word(0) => result, in("a1") word(1), in("a2") word(2), in("a3") word(3),
                in("a4") word(4), in("a5") word(5), clobber_abi("C"));
        }
    }
    result
}

/// Does `work`, in which the thread may be in a fault domain, and gives the register that [`enter`] changes what it had: programs in C find their
/// thread's variables through it. `work` uses none of them.
pub fn keeping_thread<R>(work: impl FnOnce() -> R) -> R {
    let before: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mv {}, tp", out(reg) before, options(nomem, nostack, preserves_flags)) };
    let result = work();
    // SAFETY: Rust uses it for nothing, and it is what it was.
    unsafe { asm!("mv tp, {}", in(reg) before, options(nomem, nostack, preserves_flags)) };
    result
}

/// Copies `bytes` from `from` to `to`, as it is there now. False: not all, since a part of either is not there, or may not be read or written: a fault in here
/// ends it, where the domain's own handler of faults goes on at what [`after_fault`] says.
///
/// # Safety
/// Nothing that Rust knows of lies at `to`, and nobody minds which of its bytes other threads write at `from` and `to` meanwhile.
pub unsafe fn copy_guarded(to: usize, from: usize, bytes: usize) -> bool {
    let alike = (to ^ from).is_multiple_of(8);
    // Up to where both are aligned, then as many words as there are; else bytes.
    let head = if alike { (to.wrapping_neg() % 8).min(bytes) } else { bytes };
    let words = (bytes - head) / 32 * 32;
    let parts = [(0, head), (head, words), (head + words, bytes - head - words)];
    // SAFETY: as for this function; whatever the addresses are, it copies or faults.
    parts.into_iter().all(|(at, bytes)| unsafe { guarded(to.wrapping_add(at), from.wrapping_add(at), bytes) }.left == 0)
}
/// Where the thread goes on whose fault was at `pc`, if that is in [`copy_guarded`].
pub fn after_fault(pc: usize) -> Option<usize> {
    // SAFETY: it copies nothing.
    let end = unsafe { guarded(0, 0, 0) }.end;
    (guarded as *const () as usize..end).contains(&pc).then_some(end)
}
/// What [`guarded`] says.
#[repr(C)]
struct Guarded {
    /// How many of the bytes are left.
    left: usize,
    /// Where it ends. It has no name, of which there is one in a program, into which several of these functions may be linked.
    end: usize,
}
/// Copies. With the length a multiple of 32, both addresses are multiples of 8. It uses no stack, so that its end can follow on any of its
/// instructions.
#[unsafe(naked)]
unsafe extern "C" fn guarded(to: usize, from: usize, bytes: usize) -> Guarded {
    core::arch::naked_asm!(
        "   beqz a2, 3f",
        "   or   t0, a0, a1",
        "   andi t0, t0, 7",
        "   andi t1, a2, 31",
        "   or   t0, t0, t1",
        "   bnez t0, 2f",
        "1: ld   t0, 0(a1)",
        "   ld   t1, 8(a1)",
        "   ld   t2, 16(a1)",
        "   ld   t3, 24(a1)",
        "   sd   t0, 0(a0)",
        "   sd   t1, 8(a0)",
        "   sd   t2, 16(a0)",
        "   sd   t3, 24(a0)",
        "   addi a1, a1, 32",
        "   addi a0, a0, 32",
        "   addi a2, a2, -32",
        "   bnez a2, 1b",
        "   j    3f",
        "2: lbu  t0, 0(a1)",
        "   addi a1, a1, 1",
        "   sb   t0, 0(a0)",
        "   addi a0, a0, 1",
        "   addi a2, a2, -1",
        "   bnez a2, 2b",
        "3: mv   a0, a2",
        "   lla  a1, 3b",
        "   ret",
    )
}

/// The whole program of the idle thread: it calls portal `start` once, and `wait` for ever. It needs no stack, and may lie at any address.
#[macro_export]
macro_rules! idle_program {
    ($start:expr, $wait:expr) => {
        core::arch::global_asm!(
            ".section .text.start, \"ax\", @progbits",
            ".global _start",
            "_start:",
            "   li a7, {start}",
            "   ecall",
            "1: li a7, {wait}",
            "   ecall",
            "   j 1b",
            start = const $start,
            wait = const $wait,
        );
    };
}
/// Defines the function `$name`, at which as many entry points of portals begin, each a word: number `n` calls
/// `$serve(n, &mut [u64; 6])`, an `extern "C"` function, with its arguments.
#[macro_export]
macro_rules! numbered_entries {
    ($name:ident, $entries:expr, $serve:path) => {
        core::arch::global_asm!(
            concat!(".pushsection .text.", stringify!($name), ", \"ax\""),
            ".balign 4",
            ".option push",
            ".option norvc",
            concat!(".globl ", stringify!($name)),
            concat!(stringify!($name), ":"),
            ".rept {entries}",
            "jal    t0, 1f",
            ".endr",
            "1:",
            "addi   sp, sp, -64",
            "sd     ra, 56(sp)",
            "sd     a0, 0(sp)",
            "sd     a1, 8(sp)",
            "sd     a2, 16(sp)",
            "sd     a3, 24(sp)",
            "sd     a4, 32(sp)",
            "sd     a5, 40(sp)",
            concat!("lla    a0, ", stringify!($name)),
            "sub    a0, t0, a0",
            "srli   a0, a0, 2",
            "addi   a0, a0, -1",
            "mv     a1, sp",
            "call   {serve}",
            "ld     ra, 56(sp)",
            "addi   sp, sp, 64",
            "ret",
            ".option pop",
            ".popsection",
            entries = const $entries,
            serve = sym $serve,
        );
        unsafe extern "C" {
            fn $name();
        }
    };
}
