//! Which tables a hart may walk without being asked: those of the space that translates now, for any address. What it has read there it may keep, so an
//! entry that was valid while its space was active counts as remembered when it is written, whether anything was accessed by it or not.

use crate::entry::{Map, Name, POINTER, Quick, Whose, key, pte};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// Where a table is in a space: for the pages of a number (`above`, of one level higher than the table's).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub space: u16,
    pub above: u64,
    pub level: u32,
}
impl Place {
    /// Of the entry at physical address `at` in the table there.
    fn key(self, at: u64) -> u64 {
        let number = self.above << 9 | at >> 3 & 511;
        key(number << (9 * self.level), self.level)
    }
    /// What a hart has that has read `entry` at `at`.
    pub fn name(self, at: u64, entry: u64) -> Name {
        let pointer = if entry & pte::LEAF == 0 { POINTER } else { 0 };
        Name { whose: Whose::Space(self.space), key: self.key(at) | pointer }
    }
}

type Set<T> = HashSet<T, BuildHasherDefault<Quick>>;

/// Tables that walks have come through, and what no walk can have read in them.
#[derive(Default)]
pub struct Tables {
    /// By physical address of the table.
    places: Map<Set<Place>>,
    /// Of each space, its tables by physical address, with where they are.
    of: Map<Set<(u64, Place)>>,
    /// Of each space, the entries that were written since it was active last.
    unread: Map<Set<u64>>,
}
impl Tables {
    /// A walk has come to the table at `table`.
    pub fn reached(&mut self, table: u64, place: Place) {
        if self.places.entry(table).or_default().insert(place) {
            self.of.entry(place.space.into()).or_default().insert((table, place));
        }
    }
    /// Whether the frame that `at` is in is a table.
    pub fn is_one(&self, at: u64) -> bool {
        self.places.contains_key(&(at & !0xfff))
    }
    /// Where the table with the entry at `at` is, or was.
    pub fn places(&self, at: u64) -> Vec<Place> {
        self.places.get(&(at & !0xfff)).into_iter().flatten().copied().collect()
    }
    /// The table at `table` is not there any more.
    pub fn left(&mut self, table: u64, place: Place) {
        if let Some(places) = self.places.get_mut(&table) {
            places.remove(&place);
            if places.is_empty() {
                self.places.remove(&table);
            }
        }
    }
    /// Nothing that leads to tables of the space is remembered: the next walk comes through them again, if they are still there.
    pub fn forget(&mut self, space: u16) {
        for (table, place) in self.of.remove(&space.into()).unwrap_or_default() {
            self.left(table, place);
        }
        self.unread.remove(&space.into());
    }
    /// Whether a hart may have read the entry at `at` as it is.
    pub fn seen(&self, place: Place, at: u64) -> bool {
        !self.unread.get(&place.space.into()).is_some_and(|unread| unread.contains(&place.key(at)))
    }
    /// The entry at `at` is written while space `active` translates.
    pub fn written(&mut self, place: Place, at: u64, active: u16) {
        if place.space != active {
            self.unread.entry(place.space.into()).or_default().insert(place.key(at));
        } else if let Some(unread) = self.unread.get_mut(&active.into()) {
            unread.remove(&place.key(at));
        }
    }
    /// Space `space` translates from now on: all of it may be read.
    pub fn enter(&mut self, space: u16) {
        self.unread.remove(&space.into());
    }
}
