//! Keys that are for whoever has an eye on the program at the console rather than for the program: Ctrl-C and Ctrl-Z.
//!
//! Who began to wait last gets one: a shell waits for the programs that it has started, and a program that wants to handle Ctrl-C itself
//! begins later.

use alloc::vec::Vec;
use fallible::TryPush;

/// Ctrl-C, Ctrl-Z, Ctrl-\ (ASCII's end of text, substitute and file separator).
const KEYS: [u8; 3] = [0x03, 0x1a, 0x1c];

#[derive(Default)]
pub struct Attention {
    /// Who waits, the last one last: a number that no other has, and the key that it has got.
    waiters: Vec<(u32, Option<u8>)>,
    next: u32,
    /// Those that are to look whether they have one.
    woken: usize,
}
impl Attention {
    pub const fn new() -> Attention {
        Attention { waiters: Vec::new(), next: 0, woken: 0 }
    }
    pub fn waiting(&self) -> usize {
        self.waiters.len()
    }
    /// Somebody begins to wait; its number. `None`: there is no memory.
    pub fn enter(&mut self) -> Option<u32> {
        self.next = self.next.wrapping_add(1);
        self.waiters.try_push((self.next, None)).ok()?;
        Some(self.next)
    }
    /// Takes the key that `own` has got; it waits no more then.
    pub fn take(&mut self, own: u32) -> Option<u8> {
        let place = self.waiters.iter().position(|(number, key)| *number == own && key.is_some())?;
        self.waiters.remove(place).1
    }
    /// It waits no more.
    pub fn leave(&mut self, own: u32) {
        self.waiters.retain(|(number, _)| *number != own);
    }
    /// A key was pressed. Whether somebody is there for it.
    pub fn key(&mut self, byte: u8) -> bool {
        let waiter = self.waiters.iter_mut().rev().find(|(_, key)| key.is_none());
        let Some((_, key)) = waiter.filter(|_| KEYS.contains(&byte)) else { return false };
        *key = Some(byte);
        self.woken = self.waiters.len();
        true
    }
    /// How many are to be woken; each only once.
    pub fn woken(&mut self) -> usize {
        core::mem::take(&mut self.woken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_last_who_waits_gets_the_key() {
        let mut attention = Attention::default();
        let (first, last) = (attention.enter().unwrap(), attention.enter().unwrap());
        assert!(attention.key(3));
        assert_eq!((attention.take(first), attention.take(last)), (None, Some(3)));
        assert!(attention.key(0x1a));
        assert_eq!(attention.take(first), Some(0x1a));
    }
    #[test]
    fn other_keys_are_for_nobody() {
        let mut attention = Attention::default();
        attention.enter().unwrap();
        assert!(!attention.key(b'c') && attention.woken() == 0);
    }
    #[test]
    fn who_has_left_gets_nothing() {
        let mut attention = Attention::default();
        let own = attention.enter().unwrap();
        attention.leave(own);
        assert!(!attention.key(3) && attention.take(own).is_none());
    }
}
