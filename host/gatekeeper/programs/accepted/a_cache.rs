//! Ordered maps and queues, a key that is any.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;
use alloc::collections::{BTreeMap, VecDeque};

pub struct Cache<K, V> {
    entries: BTreeMap<K, (u64, V)>,
    order: VecDeque<K>,
    time: u64,
    room: usize,
}
impl<K: Ord + Clone, V> Cache<K, V> {
    pub fn new(room: usize) -> Self {
        Cache { entries: BTreeMap::new(), order: VecDeque::with_capacity(room), time: 0, room }
    }
    pub fn look_up(&mut self, key: &K) -> Option<&V> {
        self.time += 1;
        let entry = self.entries.get_mut(key)?;
        entry.0 = self.time;
        Some(&entry.1)
    }
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if self.entries.len() >= self.room
            && !self.entries.contains_key(&key)
            && let Some(old) = self.order.pop_front()
        {
            self.entries.remove(&old);
        }
        self.order.push_back(key.clone());
        self.entries.insert(key, (self.time, value)).map(|(_, before)| before)
    }
    pub fn oldest(&self) -> Option<(&K, &V)> {
        self.entries.iter().min_by_key(|(_, (time, _))| *time).map(|(key, (_, value))| (key, value))
    }
}
impl<'c> IntoIterator for &'c Cache<u8, u8> {
    type Item = (&'c u8, &'c (u64, u8));
    type IntoIter = alloc::collections::btree_map::Iter<'c, u8, (u64, u8)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}
