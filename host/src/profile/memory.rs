//! The stopped machine's memory, by way of the file that is its RAM: address spaces, and the calls that a thread is in. What lies where is
//! `lib/abi`'s.

use abi::address::{PAGE, RAM_BASE};
use abi::nucleus::*;
use std::fs::File;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;

/// Addresses of the supervisor half that name physical memory.
const PHYSICAL: u64 = 0xffff_ffff;
/// Code executes so many bytes above where it lies.
const EXECUTED: u64 = 0x4000_0000;
/// What a thread's invocation stack ends with, or what a frame of it returns through.
pub struct Returns {
    pub start: u64,
    pub restore: u64,
    pub floating_return: u64,
}
/// A call through a portal that has not returned, or what an interrupt has taken a thread from: whose, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub satp: u64,
    pub pc: u64,
    pub sp: u64,
    pub ra: u64,
}

pub struct Memory(pub File);
impl Memory {
    fn physical(&self, address: u64, bytes: &mut [u8]) -> Option<()> {
        self.0.read_exact_at(bytes, address.checked_sub(RAM_BASE as u64)?).ok()
    }
    fn physical_word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        self.physical(address, &mut bytes)?;
        Some(u64::from_le_bytes(bytes))
    }
    /// A word of the nucleus' data.
    fn supervisor(&self, address: u64) -> Option<u64> {
        self.physical_word(address & PHYSICAL)
    }
    /// Sv39: where `address` lies in the address space of `satp`.
    fn translate(&self, satp: u64, address: u64) -> Option<u64> {
        const NUMBER: u64 = (1 << 44) - 1;
        let mut table = (satp & NUMBER) << 12;
        for level in [2, 1, 0] {
            let shift = 12 + 9 * level;
            let entry = self.physical_word(table + 8 * (address >> shift & 511))?;
            if entry & 1 == 0 {
                return None;
            }
            table = (entry >> 10 & NUMBER) << 12;
            if entry & 0xe != 0 {
                let below = (1 << shift) - 1;
                return Some(table & !below | address & below);
            }
        }
        None
    }
    /// The bytes at `address` of an address space; `None`: not all are mapped.
    pub fn bytes(&self, satp: u64, address: u64, count: usize) -> Option<Vec<u8>> {
        let mut all = vec![0; count];
        let mut done = 0;
        while done < count {
            let at = address + done as u64;
            let here = (PAGE - at as usize % PAGE).min(count - done);
            self.physical(self.translate(satp, at)?, &mut all[done..done + here])?;
            done += here;
        }
        Some(all)
    }
    pub fn word(&self, satp: u64, address: u64) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(satp, address, 8)?.try_into().ok()?))
    }
    /// Whether `page` is a thread's, by the table of all.
    pub fn is_thread(&self, page: u64, threads: u64) -> bool {
        let entry = || {
            let index = self.supervisor(page + offset_of!(Thread, index) as u64)?;
            (page.is_multiple_of(PAGE as u64) && index < MAX_THREADS as u64).then_some(())?;
            // Where it is not counted as a whole word, the low half is.
            Some(self.supervisor((threads + 4 * index) & !7)? >> (32 * (index & 1)) & PHYSICAL)
        };
        entry() == Some(page & PHYSICAL)
    }
    /// The calls that a thread is in, the innermost first, up to one that is not understood.
    pub fn invocations(&self, thread: u64, returns: &Returns) -> Vec<Invocation> {
        self.frames(thread, returns).into_iter().filter_map(|at| self.invocation(at)).collect()
    }
    /// Where the frames of those calls are.
    fn frames(&self, thread: u64, returns: &Returns) -> Vec<u64> {
        let mut all = Vec::new();
        let end = thread + (PAGE - FIRST_FRAME) as u64;
        let mut at = self.supervisor(thread + offset_of!(Thread, invocation) as u64).unwrap_or(0);
        while (thread..end).contains(&at) {
            let Some(portal) = self.way_back(at) else { break };
            if portal == returns.floating_return {
                at += FLOATING_FRAME as u64;
                continue;
            }
            let bytes = match portal {
                _ if portal == returns.restore => Some(EXCEPTION_FRAME as u64),
                _ if portal == returns.start => Some(START_FRAME as u64),
                _ => self.block_frame(portal),
            };
            let (Some(bytes @ 1..), Some(_)) = (bytes, self.invocation(at)) else { break };
            all.push(at);
            at += bytes;
        }
        all
    }
    /// Where the call goes back through that has its frame at `at`, without its mark.
    fn way_back(&self, at: u64) -> Option<u64> {
        Some(self.supervisor(at)? & !MARK)
    }
    /// The thread with this number; `None`: there is none.
    pub fn thread(&self, index: u64, threads: u64) -> Option<u64> {
        let half = self.supervisor((threads + 4 * index) & !7)? >> (32 * (index & 1)) & PHYSICAL;
        let page = half as u32 as i32 as i64 as u64;
        (half != 0 && self.is_thread(page, threads)).then_some(page)
    }
    /// A thread's number.
    pub fn index(&self, page: u64) -> Option<u64> {
        self.supervisor(page + offset_of!(Thread, index) as u64)
    }
    /// What the innermost exception of a thread has interrupted: in which address space, and `pc` and `x1` to `x31` there.
    pub fn exception(&self, thread: u64, returns: &Returns) -> Option<(u64, [u64; 32])> {
        /// The frame's words after portal and table: `pc`, `sp`, `ra`, `gp`, `tp`, `t0` to `t6`, `s0` to `s11`, `a0` to `a7`.
        const NUMBERS: [usize; 32] = [
            0, 2, 1, 3, 4, 5, 6, 7, 28, 29, 30, 31, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 10, 11, 12, 13, 14,
            15, 16, 17,
        ];
        let at = self.frames(thread, returns).into_iter().find(|&at| self.way_back(at) == Some(returns.restore))?;
        let mut registers = [0; 32];
        for (n, number) in NUMBERS.into_iter().enumerate() {
            registers[number] = self.supervisor(at + 16 + 8 * n as u64)?;
        }
        Some((self.invocation(at)?.satp, registers))
    }
    /// What an address space shows of RAM to its domain, in parts without gaps: where each begins, its bytes, whether it may be written and
    /// executed.
    pub fn parts(&self, satp: u64) -> Vec<(u64, Vec<u8>, bool, bool)> {
        const NUMBER: u64 = (1 << 44) - 1;
        let mut parts: Vec<(u64, Vec<u8>, bool, bool)> = Vec::new();
        self.leaves((satp & NUMBER) << 12, 2, 0, &mut |address, entry, length| {
            let (writable, executable) = (entry & 4 != 0, entry & 8 != 0);
            let mut bytes = vec![0; length];
            if self.physical((entry >> 10 & NUMBER) << 12, &mut bytes).is_none() {
                return;
            }
            match parts.last_mut() {
                Some((start, own, w, x))
                    if *start + own.len() as u64 == address && (*w, *x) == (writable, executable) =>
                {
                    own.extend(bytes);
                }
                _ => parts.push((address, bytes, writable, executable)),
            }
        });
        parts
    }
    /// Calls `found` with each page of user mode that can be read, in the order of their addresses: its address, its entry, its bytes.
    fn leaves(&self, table: u64, level: u64, from: u64, found: &mut impl FnMut(u64, u64, usize)) {
        /// Valid, readable, and of user mode.
        const USERS: u64 = 0b1_0011;
        let (shift, lower) = (12 + 9 * level, if level == 2 { 256 } else { 512 });
        for n in 0..lower {
            let Some(entry) = self.physical_word(table + 8 * n) else { return };
            let address = from + (n << shift);
            match entry {
                _ if entry & 1 == 0 => {}
                _ if entry & 0xe == 0 && level > 0 => {
                    self.leaves((entry >> 10 & ((1 << 44) - 1)) << 12, level - 1, address, found);
                }
                // Larger ones are devices' or nobody's.
                _ if entry & USERS == USERS && level == 0 => found(address, entry, 1 << shift),
                _ => {}
            }
        }
    }
    fn invocation(&self, at: u64) -> Option<Invocation> {
        let table = self.supervisor(at + 8)?;
        let satp = self.supervisor(table.wrapping_add_signed(domain::SPACE.into()))?;
        let word = |n: u64| self.supervisor(at + 16 + 8 * n);
        Some(Invocation { satp, pc: word(0)?, sp: word(1)?, ra: word(2)? })
    }
    /// Bytes of the frame that return portal `portal` returns through: its block's header lies before it, on a multiple of 64.
    fn block_frame(&self, portal: u64) -> Option<u64> {
        const BLOCKS: u64 = 128;
        let halves = |word: u64| (word & PHYSICAL, word >> 32);
        for n in 0..BLOCKS {
            let at = (portal & !63).checked_sub(64 * n)?;
            let lies = (at & PHYSICAL).wrapping_sub(EXECUTED);
            let ((magic, _), (frame, offset)) =
                (halves(self.physical_word(lies)?), halves(self.physical_word(lies + 8)?));
            if magic == u64::from(BLOCK_MAGIC) {
                return (at + BLOCK_HEADER as u64 + offset == portal).then_some(frame);
            }
        }
        None
    }
}
