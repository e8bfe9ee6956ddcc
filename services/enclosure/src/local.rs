//! Portals between the fault domains of one address space: no table of the system's has them, and a call through one traps nowhere. Their numbers are
//! above those of the system's tables.

use crate::Layout;
use crate::calls::{Answer, OnTheirWay, refused};
use crate::serving::Letters;
use abi::Error;
use abi::address::{PAGE, WINDOW_PAGES};
use abi::nucleus::{NAMELEN, NPORTALS};
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU64, Ordering};

/// Most portals of this kind that a fault domain has open.
pub const CONNECTIONS: usize = 64;
const _: () = assert!(CONNECTIONS == u64::BITS as usize);
/// How many calls can be nested, each from one fault domain to another: each takes some 600 bytes of the thread's stack in the host, of 32 KiB.
pub const DEPTH: u8 = 16;

/// What a fault domain has registered.
#[derive(Clone, Copy)]
pub struct Offer<C> {
    pub name: [u8; NAMELEN],
    pub specification: [u8; NAMELEN],
    /// The values of its `c`s.
    pub constants: [u64; 6],
    /// Whose it is, and in which of its lives.
    pub by: C,
    pub life: u32,
    /// Where its segment is entered, and with what.
    pub entry: u64,
    pub letters: Letters,
}
impl<C> Offer<C> {
    /// Whether a portal of that specification can be one here: what a portal says of the caller, the thread and the time is the system's to say.
    pub fn is_possible(specification: &str) -> bool {
        specification.bytes().skip(2).all(|letter| b"ic=rwRW".contains(&letter))
    }
    /// What its server gets of a call through `number` with these words by a fault domain of `layout`, in whose segment all must lie that it shows.
    /// `EFAULT`.
    #[inline(always)]
    pub fn arguments(&self, layout: &Layout, number: u64, words: &[u64; 6]) -> Result<[u64; 6], Error> {
        let (mut all, mut passed, mut constants) = ([0; 6], 0, 0);
        for (n, argument) in all.iter_mut().enumerate() {
            *argument = match self.letters.letter(n) {
                0 => break,
                b'c' => {
                    constants += 1;
                    self.constants[constants - 1]
                }
                b'=' => number,
                letter => {
                    // No more of them than arguments, of which each is at least a letter.
                    let word = words[passed];
                    passed += 1;
                    let shown = match letter {
                        b'r' | b'w' => layout.holds(word, 1),
                        b'R' | b'W' => {
                            let bytes = words[passed.min(5)];
                            bytes <= (WINDOW_PAGES * PAGE) as u64 && layout.holds(word, bytes.max(1))
                        }
                        _ => true,
                    };
                    if !shown {
                        return Err(Error::EFAULT);
                    }
                    word
                }
            };
        }
        Ok(all)
    }
}
/// The portals that one fault domain has open.
pub struct Connections<C> {
    /// Those that are open, being opened or being closed, a bit each: who looks for a free one must not disturb the calls through others.
    taken: AtomicU64,
    /// Written while nobody calls through them.
    slots: Vec<UnsafeCell<Option<Offer<C>>>>,
    on_their_way: OnTheirWay<CONNECTIONS>,
}
// SAFETY: a slot is written by who closes it, and nobody calls through it then; others read it only while they call.
unsafe impl<C: Sync> Sync for Connections<C> {}
impl<C: Copy> Connections<C> {
    /// `ENOMEM`.
    pub fn none() -> Result<Connections<C>, Error> {
        let mut slots = Vec::new();
        slots.try_reserve_exact(CONNECTIONS).map_err(|_| Error::ENOMEM)?;
        slots.resize_with(CONNECTIONS, || UnsafeCell::new(None));
        Ok(Connections { taken: AtomicU64::new(0), slots, on_their_way: OnTheirWay::none() })
    }
    /// The slot of a number.
    fn slot(number: u64) -> Option<usize> {
        usize::try_from(number).ok()?.checked_sub(NPORTALS).filter(|slot| *slot < CONNECTIONS)
    }
    /// Whether it is a number of this kind of portals, open or not.
    pub fn has(number: u64) -> bool {
        Self::slot(number).is_some()
    }
    /// Changes a slot if nobody calls through it.
    fn change(&self, slot: usize, change: impl FnOnce(&mut Option<Offer<C>>) -> i64) -> Answer {
        // SAFETY: nobody else is in it.
        self.on_their_way.closing(slot..slot + 1, || Answer::Result(change(unsafe { &mut *self.slots[slot].get() })))
    }
    /// Takes the lowest free slot from `first` on.
    fn take(&self, first: usize) -> Option<usize> {
        let free = |taken: u64| Some(!taken & u64::MAX.checked_shl(first as u32)?).filter(|free| *free != 0);
        let lowest = |taken: u64| free(taken).map(|free| taken | free & free.wrapping_neg());
        let taken = self.taken.fetch_update(Ordering::Acquire, Ordering::Relaxed, lowest).ok()?;
        free(taken).map(|free| free.trailing_zeros() as usize)
    }
    fn give_back(&self, slot: usize) {
        self.taken.fetch_and(!(1 << slot), Ordering::Release);
    }
    /// A new portal to what is offered; its number. `ENFILE`.
    pub fn open(&self, offer: Offer<C>) -> i64 {
        let mut first = 0;
        while let Some(slot) = self.take(first) {
            let number = (NPORTALS + slot) as i64;
            let opened = self.change(slot, |place| {
                *place = Some(offer);
                number
            });
            if opened == Answer::Result(number) {
                return number;
            }
            // Somebody is in a call through a number that is not open.
            self.give_back(slot);
            first = slot + 1;
        }
        Error::ENFILE.code() as i64
    }
    /// `EPORTAL`: it is not open; `EBUSY`: somebody calls through it.
    pub fn close(&self, number: u64) -> Answer {
        let Some(slot) = Self::slot(number) else { return refused(Error::EPORTAL) };
        let closed = self.change(slot, |place| place.take().map_or(Error::EPORTAL.code() as i64, |_| 0));
        if closed == Answer::Result(0) {
            self.give_back(slot);
        }
        closed
    }
    /// Closes all. Nobody is in a call.
    pub fn clear(&self) {
        (0..CONNECTIONS).for_each(|slot| _ = self.close((NPORTALS + slot) as u64));
    }
    /// Does `call` with what the number stands for, which stays so as long.
    pub fn through(&self, number: u64, call: impl FnOnce(&Offer<C>) -> Answer) -> Answer {
        let Some(slot) = Self::slot(number) else { return refused(Error::EPORTAL) };
        // SAFETY: nobody changes it as long as somebody calls.
        self.on_their_way.through(slot, || match unsafe { &*self.slots[slot].get() } {
            Some(offer) => call(offer),
            None => refused(Error::EPORTAL),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(specification: &str) -> Offer<u8> {
        let mut bytes = [0; NAMELEN];
        bytes[..specification.len()].copy_from_slice(specification.as_bytes());
        let (name, constants) = ([0; NAMELEN], [7, 8, 9, 0, 0, 0]);
        let letters = Letters::of(specification).unwrap();
        Offer { name, specification: bytes, constants, by: 3, life: 1, entry: 0x1000, letters }
    }
    fn called(connections: &Connections<u8>, number: u64) -> Answer {
        connections.through(number, |offer| Answer::Result(i64::from(offer.by)))
    }
    const FIRST: u64 = NPORTALS as u64;
    const EPORTAL: Answer = refused(Error::EPORTAL);

    #[test]
    fn what_a_portal_makes_stands_where_its_letter_is() {
        let layout = Layout::new(false);
        let (words, at) = ([1, 2, 3, 4, 5, 6], layout.base() + 0x2_0000);
        assert_eq!(offer("npci=ci").arguments(&layout, 600, &words), Ok([7, 1, 600, 8, 2, 0]));
        assert_eq!(offer("npiiiiii").arguments(&layout, 600, &words), Ok(words));
        assert_eq!(offer("npRiWi").arguments(&layout, 600, &[at, 2, at, 4, 5, 6]), Ok([at, 2, at, 4, 0, 0]));
    }
    #[test]
    fn what_is_shown_of_others_is_refused() {
        let (layout, other) = (Layout::guest(1, true), Layout::guest(2, true));
        let own = layout.base() + 0x2_0000;
        let shown = |specification: &str, words: [u64; 2]| {
            let arguments = offer(specification).arguments(&layout, 600, &[words[0], words[1], 0, 0, 0, 0]);
            arguments.map(|_| ())
        };
        for (specification, length) in [("npr", 0), ("npw", 0), ("npRi", 8), ("npWi", 8)] {
            assert_eq!(shown(specification, [own, length]), Ok(()));
            for address in [0, 0x1_0000, layout.base(), layout.top(), other.base() + 0x2_0000, u64::MAX] {
                assert_eq!(shown(specification, [address, length]), Err(Error::EFAULT), "{specification} {address:#x}");
            }
        }
        for length in [9, (WINDOW_PAGES * PAGE) as u64 + 1, u64::MAX] {
            assert_eq!(shown("npRi", [layout.top() - 8, length]), Err(Error::EFAULT), "{length:#x}");
        }
    }
    #[test]
    fn letters_that_are_the_systems_to_fill_in_go_through_it() {
        assert!(Offer::<u8>::is_possible("npic=rwRiWi"));
        for letter in ["t", "a", "h", "d", "S", ">", "k"] {
            assert!(!Offer::<u8>::is_possible(&format!("npi{letter}")), "{letter}");
        }
    }
    #[test]
    fn a_number_leads_to_what_was_opened_until_it_is_closed() {
        let connections = Connections::none().unwrap();
        assert_eq!(called(&connections, FIRST), EPORTAL);
        assert_eq!(connections.open(offer("np")), FIRST as i64);
        assert_eq!(called(&connections, FIRST), Answer::Result(3));
        assert_eq!(connections.close(FIRST), Answer::Result(0));
        assert_eq!((called(&connections, FIRST), connections.close(FIRST)), (EPORTAL, EPORTAL));
    }
    #[test]
    fn numbers_that_are_none_lead_nowhere() {
        let connections = Connections::none().unwrap();
        for number in [0, 39, FIRST - 1, FIRST + CONNECTIONS as u64, u64::MAX] {
            assert_eq!((called(&connections, number), connections.close(number)), (EPORTAL, EPORTAL), "{number}");
        }
    }
    #[test]
    fn more_than_there_is_room_for_are_refused() {
        let connections = Connections::none().unwrap();
        (0..CONNECTIONS).for_each(|n| assert_eq!(connections.open(offer("np")), (NPORTALS + n) as i64));
        assert_eq!(connections.open(offer("np")), Error::ENFILE.code() as i64);
        connections.clear();
        assert_eq!(connections.open(offer("np")), FIRST as i64);
    }
    #[test]
    fn who_opens_others_disturbs_no_call_and_no_close() {
        let connections = &Connections::none().unwrap();
        assert_eq!(connections.open(offer("np")), FIRST as i64);
        std::thread::scope(|scope| {
            let opener = || {
                for _ in 0..100_000 {
                    let number = connections.open(offer("np"));
                    assert_eq!(connections.close(number as u64), Answer::Result(0));
                }
            };
            let openers = [scope.spawn(opener), scope.spawn(opener)];
            while !openers.iter().all(|opener| opener.is_finished()) {
                assert_eq!(called(connections, FIRST), Answer::Result(3));
            }
        });
    }
    #[test]
    fn one_that_somebody_calls_through_is_not_closed() {
        let connections = Connections::none().unwrap();
        connections.open(offer("np"));
        let closed = connections.through(FIRST, |_| connections.close(FIRST));
        assert_eq!(closed, refused(Error::EBUSY));
    }
}
