//! The semaphores: a value and a queue of waiters each, in a table with a free list. The portal
//! manager sees to it that the pages of the next records are there, so that `Semaphores::create` finds them.
//!
//! An id is `generation * SEMAPHORES + index`, so that an id kept beyond `semaphore_destroy` (by the interrupt dispatcher,
//! say) finds nothing rather than somebody else's semaphore.

use crate::threads::Queue;
use abi::Error;
use abi::step::places::*;
use abi::step::*;

/// Most semaphores at one time, and one.
pub const SEMAPHORES: usize = abi::nucleus::MAX_SEMAPHORES;
/// Highest value of a semaphore; a V beyond it is refused with `EINVAL`.
pub const VALUE_MAX: i32 = i32::MAX;
/// Ids stay below 2³¹.
const GENERATIONS: u32 = 1 << 19;
/// No semaphore's index.
const ENDING: u16 = u16::MAX;

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Semaphore {
    /// Its id while it exists, else 0.
    id: u32,
    /// Ps that go through; 0 where threads wait. 0 … [`VALUE_MAX`].
    pub value: i32,
    /// The waiting threads, highest priority first, then first come.
    pub waiters: Queue,
    /// Index of the next free semaphore, or 0; [`ENDING`] while waiters of a destroyed one are still to wake.
    next_free: u16,
    generation: u32,
}

impl Semaphore {
    /// What portals do for a P with a value above 0: take one.
    pub const P_SHORT_CIRCUIT: &[Step] = {
        const VALUE: Address = field(core::mem::offset_of!(Semaphore, value) as i32);
        &[load_i32(V3, VALUE), not_less(ZERO, V3).enter(), add_number(V3, V3, -1), store_i32(V3, VALUE), number(W0, 0)]
    };
    /// And for a V of a semaphore that nobody waits for, and whose value is not the highest: add one.
    pub const V_SHORT_CIRCUIT: &[Step] = {
        const VALUE: Address = field(core::mem::offset_of!(Semaphore, value) as i32);
        const WAITERS: Address = field(core::mem::offset_of!(Semaphore, waiters) as i32);
        &[
            load_u16(V3, WAITERS),
            different(V3, ZERO).enter(),
            load_i32(V3, VALUE),
            add_number_32(V3, V3, 1),
            less(V3, ZERO).enter(),
            store_i32(V3, VALUE),
            number(W0, 0),
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
        let slot = Semaphore { id: 0, value: 0, waiters: Queue::EMPTY, next_free: 0, generation: 0 };
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
    /// Where a waiter of semaphore `id` waits, which may have been destroyed since.
    #[inline(always)]
    pub fn waiters(&mut self, id: u32) -> &mut Queue {
        &mut self.slots[id as usize % SEMAPHORES].waiters
    }
    /// Destroys semaphore `id`: nobody finds it any more, but who waits for it goes on waiting for [`Semaphores::ending`]. Whether there
    /// was one.
    pub fn end(&mut self, id: usize) -> bool {
        let Some(semaphore) = self.find(id) else { return false };
        (semaphore.id, semaphore.value, semaphore.next_free) = (0, 0, ENDING);
        true
    }
    /// The waiters of `id`, if it is destroyed and not free.
    pub fn ending(&mut self, id: usize) -> Option<Queue> {
        let semaphore = &self.slots[id % SEMAPHORES];
        let ends = semaphore.next_free == ENDING
            && id == semaphore.generation as usize * SEMAPHORES + id % SEMAPHORES
            && semaphore.id == 0;
        ends.then_some(semaphore.waiters)
    }
    /// Frees the slot of `id`, which is destroyed and has no waiters.
    pub fn free(&mut self, id: usize) {
        let semaphore = &mut self.slots[id % SEMAPHORES];
        semaphore.generation = (semaphore.generation + 1) % GENERATIONS;
        semaphore.next_free = self.free;
        self.free = (id % SEMAPHORES) as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does the steps of a short circuit on a semaphore; whether the call ended there, and with what.
    fn execute(steps: &[Step], semaphore: &mut Semaphore) -> Option<i64> {
        let size = size_of::<Semaphore>();
        assert_eq!(portal::short_circuit::check(steps, size), Ok(()));
        // SAFETY: plain numbers, and what is written back are values of the same fields.
        let record = unsafe { core::slice::from_raw_parts_mut((&raw mut *semaphore).cast::<u8>(), size) };
        let mut places = [0i64; 32];
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            at += 1;
            let (to, offset, number) = (step.to.0 as usize, step.number as usize, step.number as i64);
            let (first, second) = (places[step.first.0 as usize], places[step.second.0 as usize]);
            let taken = match step.operation {
                Operation::LOAD_I32 => {
                    places[to] = i32::from_le_bytes(record[offset..offset + 4].try_into().unwrap()) as i64;
                    false
                }
                Operation::LOAD_U16 => {
                    places[to] = u16::from_le_bytes(record[offset..offset + 2].try_into().unwrap()) as i64;
                    false
                }
                Operation::STORE_I32 => {
                    record[offset..offset + 4].copy_from_slice(&(second as i32).to_le_bytes());
                    false
                }
                Operation::ADD_NUMBER => {
                    places[to] = first.wrapping_add(number);
                    false
                }
                Operation::ADD_NUMBER_32 => {
                    places[to] = first.wrapping_add(number) as i32 as i64;
                    false
                }
                Operation::DIFFERENT => first != second,
                Operation::LESS => first < second,
                Operation::NOT_LESS => first >= second,
                _ => panic!("{step:?}"),
            };
            match step.way() {
                Some(Way::Enter) if taken => return None,
                Some(Way::On(on)) if taken => at += on as usize - 1,
                _ => {}
            }
        }
        Some(places[W0.0 as usize])
    }
    fn semaphore(value: i32, waiters: usize) -> Semaphore {
        let mut queue = Queue::EMPTY;
        if let Some(thread) = crate::Thread::new(waiters) {
            queue.begin(&mut crate::threads::Threads::new(), thread);
        }
        Semaphore { id: 7, value, waiters: queue, next_free: 9, generation: 3 }
    }
    #[test]
    fn a_short_circuit_does_what_the_scheduler_does_or_nothing() {
        for value in [0, 1, 2, 1000, VALUE_MAX - 1, VALUE_MAX] {
            for waiters in [0, 5, 2047] {
                let mut s = semaphore(value, waiters);
                let ended = execute(Semaphore::P_SHORT_CIRCUIT, &mut s);
                assert_eq!((ended, s.value), if value > 0 { (Some(0), value - 1) } else { (None, value) });
                assert_eq!(
                    (s.id, s.waiters.first(), s.next_free, s.generation),
                    (7, semaphore(0, waiters).waiters.first(), 9, 3)
                );

                let mut s = semaphore(value, waiters);
                let ended = execute(Semaphore::V_SHORT_CIRCUIT, &mut s);
                let adds = waiters == 0 && value < VALUE_MAX;
                assert_eq!((ended, s.value), if adds { (Some(0), value + 1) } else { (None, value) });
                assert_eq!(
                    (s.id, s.waiters.first(), s.next_free, s.generation),
                    (7, semaphore(0, waiters).waiters.first(), 9, 3)
                );
            }
        }
    }
}
