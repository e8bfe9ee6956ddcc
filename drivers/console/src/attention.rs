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
    /// Who has got a key last has not come back to wait, and what was pressed meanwhile.
    away: bool,
    kept: Option<u8>,
}
impl Attention {
    pub const fn new() -> Attention {
        Attention { waiters: Vec::new(), next: 0, woken: 0, away: false, kept: None }
    }
    pub fn waiting(&self) -> usize {
        self.waiters.len()
    }
    /// Somebody begins to wait; its number. `None`: there is no memory.
    pub fn enter(&mut self) -> Option<u32> {
        self.next = self.next.wrapping_add(1);
        self.waiters.try_push((self.next, self.kept)).ok()?;
        (self.away, self.kept) = (false, None);
        Some(self.next)
    }
    /// As if it had begun to wait before all others.
    pub fn enter_behind(&mut self) -> Option<u32> {
        let number = self.enter()?;
        self.waiters.rotate_right(1);
        Some(number)
    }
    /// Takes the key that `own` has got; it waits no more then.
    pub fn take(&mut self, own: u32) -> Option<u8> {
        let place = self.waiters.iter().position(|(number, key)| *number == own && key.is_some())?;
        self.away = true;
        self.waiters.remove(place).1
    }
    /// It waits no more.
    pub fn leave(&mut self, own: u32) {
        self.waiters.retain(|(number, _)| *number != own);
    }
    /// A key was pressed. Whether somebody is there for it, or is about to be.
    pub fn key(&mut self, byte: u8) -> bool {
        if !KEYS.contains(&byte) {
            return false;
        }
        let expected = self.away || !self.waiters.is_empty();
        match self.waiters.iter_mut().rev().find(|(_, key)| key.is_none()) {
            Some((_, key)) => *key = Some(byte),
            None if expected => self.kept = Some(byte),
            None => return false,
        }
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
    fn a_key_is_kept_for_who_comes_back() {
        let mut attention = Attention::default();
        assert!(!attention.key(3));
        let first = attention.enter().unwrap();
        assert!(attention.key(3) && attention.key(0x1a));
        assert_eq!(attention.take(first), Some(3));
        assert!(attention.key(0x1c));
        let again = attention.enter().unwrap();
        assert_eq!((attention.take(again), attention.enter().and_then(|own| attention.take(own))), (Some(0x1c), None));
    }
    #[test]
    fn who_has_left_gets_nothing() {
        let mut attention = Attention::default();
        let own = attention.enter().unwrap();
        attention.leave(own);
        assert!(!attention.key(3) && attention.take(own).is_none());
    }
}
