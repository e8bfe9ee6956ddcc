//! The semaphores: a value and a ring of waiters each, in a fixed table with a free list.
//!
//! An id is `generation * SEMAPHORES + index`, so that an id kept beyond `semaphore_destroy` (by the interrupt dispatcher,
//! say) finds nothing rather than somebody else's semaphore.

use crate::ring::Ring;
use abi::Error;
use portal::encode::*;
use portal::short_circuit::{RECORD, enter};

/// Most semaphores at one time, and one.
pub const SEMAPHORES: usize = 2048;
/// Highest value of a semaphore; a V beyond it is refused with `EINVAL`.
pub const VALUE_MAX: i32 = i32::MAX;
/// Ids stay below 2³¹.
const GENERATIONS: u32 = 1 << 19;

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Semaphore {
    /// Its id while it exists, else 0.
    id: u32,
    /// Ps that go through; 0 where threads wait. 0 … [`VALUE_MAX`].
    pub value: i32,
    /// The waiting threads, highest priority first, then first come.
    pub waiters: Ring,
    /// Index of the next free semaphore, or 0.
    next_free: u16,
    generation: u32,
}

impl Semaphore {
    /// What portals do for a P with a value above 0: take one.
    pub const P_SHORT_CIRCUIT: &[u32] = {
        const VALUE: i32 = core::mem::offset_of!(Semaphore, value) as i32;
        &[lw(T4, RECORD, VALUE), bge(ZERO, T4, enter(1, 5)), addi(T4, T4, -1), sw(T4, RECORD, VALUE), addi(A0, ZERO, 0)]
    };
    /// And for a V of a semaphore that nobody waits for, and whose value is not the highest: add one.
    pub const V_SHORT_CIRCUIT: &[u32] = {
        const VALUE: i32 = core::mem::offset_of!(Semaphore, value) as i32;
        const WAITERS: i32 = core::mem::offset_of!(Semaphore, waiters) as i32;
        &[
            lhu(T4, RECORD, WAITERS),
            bne(T4, ZERO, enter(1, 7)),
            lw(T4, RECORD, VALUE),
            addiw(T4, T4, 1),
            blt(T4, ZERO, enter(4, 7)),
            sw(T4, RECORD, VALUE),
            addi(A0, ZERO, 0),
        ]
    };
}

pub struct Semaphores {
    slots: [Semaphore; SEMAPHORES],
    /// First of those that were destroyed, or 0.
    free: u16,
    /// Highest index ever used.
    used: u16,
}

impl Semaphores {
    /// Where the records are in it.
    pub const SLOTS: usize = core::mem::offset_of!(Semaphores, slots);

    pub const fn new() -> Semaphores {
        let slot = Semaphore { id: 0, value: 0, waiters: Ring::EMPTY, next_free: 0, generation: 0 };
        Semaphores { slots: [slot; SEMAPHORES], free: 0, used: 0 }
    }
    /// Before first use: id 0 is never valid. No id with all bits set has index 0, so this one is never found.
    pub fn start(&mut self) {
        self.slots[0].id = u32::MAX;
    }
    /// The semaphore of an id from outside.
    #[inline(always)]
    pub fn find(&mut self, id: usize) -> Option<&mut Semaphore> {
        let semaphore = &mut self.slots[id % SEMAPHORES];
        if semaphore.id as usize == id { Some(semaphore) } else { None }
    }
    /// A new one. `EINVAL`: value out of range; `ENFILE`: none is left.
    pub fn create(&mut self, value: usize) -> Result<u32, Error> {
        if value > VALUE_MAX as usize {
            return Err(Error::EINVAL);
        }
        let index = if self.free != 0 {
            let index = self.free;
            self.free = self.slots[index as usize % SEMAPHORES].next_free;
            index
        } else if (self.used as usize) < SEMAPHORES - 1 {
            self.used += 1;
            self.used
        } else {
            return Err(Error::ENFILE);
        };
        let semaphore = &mut self.slots[index as usize % SEMAPHORES];
        semaphore.id = semaphore.generation * SEMAPHORES as u32 + index as u32;
        semaphore.value = value as i32;
        Ok(semaphore.id)
    }
    /// Frees the slot of `id`, which exists and has no waiters.
    pub fn free(&mut self, id: usize) {
        let semaphore = &mut self.slots[id % SEMAPHORES];
        semaphore.id = 0;
        semaphore.generation = (semaphore.generation + 1) % GENERATIONS;
        semaphore.next_free = self.free;
        self.free = (id % SEMAPHORES) as u16;
    }
}
