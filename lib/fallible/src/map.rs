//! A map whose growth can fail: what `BTreeMap` is where memory is sure to be there.
//!
//! Sorted pairs in chunks of at most [`CHUNK`]: a place is found by two binary searches, and an insertion moves the pairs of one chunk,
//! and the chunks behind one that is split. Taking out needs no memory.

use crate::Result;
use abi::Error;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::ops::Bound;

/// Pairs in a chunk, at most.
const CHUNK: usize = 32;

pub struct Map<K, V> {
    /// None is empty, and each has room for [`CHUNK`].
    chunks: Vec<Vec<(K, V)>>,
    len: usize,
}
impl<K: Ord, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map::new()
    }
}
impl<K: Ord, V> Map<K, V> {
    pub const fn new() -> Map<K, V> {
        Map { chunks: Vec::new(), len: 0 }
    }
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Where `key` is (chunk, place), or where it would be.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> core::result::Result<(usize, usize), (usize, usize)>
    where
        K: Borrow<Q>,
    {
        let begins_behind = |chunk: &Vec<(K, V)>| chunk.first().is_some_and(|(first, _)| first.borrow() <= key);
        let chunk = self.chunks.partition_point(begins_behind).saturating_sub(1);
        let Some(pairs) = self.chunks.get(chunk) else { return Err((0, 0)) };
        match pairs.binary_search_by(|(own, _)| own.borrow().cmp(key)) {
            Ok(place) => Ok((chunk, place)),
            Err(place) => Err((chunk, place)),
        }
    }
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (chunk, place) = self.find(key).ok()?;
        Some(&self.chunks[chunk][place].1)
    }
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (chunk, place) = self.find(key).ok()?;
        Some(&mut self.chunks[chunk][place].1)
    }
    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }
    /// A chunk with room for all that one may have.
    fn chunk() -> Result<Vec<(K, V)>> {
        let mut chunk = Vec::new();
        chunk.try_reserve_exact(CHUNK).map_err(|_| Error::ENOMEM)?;
        Ok(chunk)
    }
    /// Has `key` lead to `value`; what it led to. `ENOMEM`: nothing has changed.
    pub fn try_insert(&mut self, key: K, value: V) -> Result<Option<V>> {
        let (mut chunk, mut place) = match self.find(&key) {
            Ok((chunk, place)) => return Ok(Some(core::mem::replace(&mut self.chunks[chunk][place].1, value))),
            Err(at) => at,
        };
        if self.chunks.is_empty() || self.chunks[chunk].len() == CHUNK {
            self.chunks.try_reserve(1).map_err(|_| Error::ENOMEM)?;
            let mut new = Self::chunk()?;
            // What is added in order fills each chunk.
            let kept = if chunk + 1 >= self.chunks.len() && place == CHUNK { CHUNK } else { CHUNK / 2 };
            if let Some(full) = self.chunks.get_mut(chunk) {
                new.extend(full.drain(kept..));
                if place >= kept {
                    (chunk, place) = (chunk + 1, place - kept);
                    self.chunks.insert(chunk, new);
                } else {
                    self.chunks.insert(chunk + 1, new);
                }
            } else {
                self.chunks.push(new);
            }
        }
        self.chunks[chunk].insert(place, (key, value));
        self.len += 1;
        Ok(None)
    }
    /// Takes `key` out; what it led to.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (chunk, place) = self.find(key).ok()?;
        let (_, value) = self.chunks[chunk].remove(place);
        if self.chunks[chunk].is_empty() {
            self.chunks.remove(chunk);
        }
        self.len -= 1;
        Some(value)
    }
    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.chunks.iter().flatten().map(|(key, value)| (key, value))
    }
    /// Those from `bound` on, in their order.
    pub fn from<'a, Q: Ord + ?Sized>(
        &'a self,
        bound: Bound<&Q>,
    ) -> impl Iterator<Item = (&'a K, &'a V)> + use<'a, K, V, Q>
    where
        K: Borrow<Q>,
    {
        let (chunk, place) = match bound {
            Bound::Unbounded => (0, 0),
            Bound::Included(key) => self.find(key).unwrap_or_else(|at| at),
            Bound::Excluded(key) => self.find(key).map_or_else(|at| at, |(chunk, place)| (chunk, place + 1)),
        };
        let first = self.chunks.get(chunk).and_then(|pairs| pairs.get(place..)).unwrap_or(&[]);
        let others = self.chunks.get(chunk + 1..).unwrap_or(&[]);
        first.iter().chain(others.iter().flatten()).map(|(key, value)| (key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(properties::config(256))]
        /// Whatever is put in and taken out: it is as the standard library's map.
        #[test]
        fn as_the_standard_librarys(steps in proptest::collection::vec((0..4u8, 0..300u32), 1..1500)) {
            let (mut map, mut model) = (Map::new(), BTreeMap::new());
            for (what, key) in steps {
                match what {
                    0 | 1 => prop_assert_eq!(map.try_insert(key, what), Ok(model.insert(key, what))),
                    2 => prop_assert_eq!(map.remove(&key), model.remove(&key)),
                    _ => {
                        for bound in [Bound::Included(&key), Bound::Excluded(&key), Bound::Unbounded] {
                            prop_assert!(map.from(bound).eq(model.range((bound, Bound::Unbounded))));
                        }
                        prop_assert_eq!(map.get(&key), model.get(&key));
                        prop_assert_eq!(map.get_mut(&key), model.get_mut(&key));
                        prop_assert_eq!(map.contains(&key), model.contains_key(&key));
                    }
                }
                prop_assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
            }
            prop_assert!(map.iter().eq(model.iter()));
            prop_assert!(map.chunks.iter().all(|chunk| !chunk.is_empty() && chunk.len() <= CHUNK));
        }
    }
    #[test]
    fn what_is_added_in_order_fills_the_chunks() {
        let mut map = Map::new();
        (0..10 * CHUNK).for_each(|n| _ = map.try_insert(n, ()).unwrap());
        assert_eq!(map.chunks.len(), 10);
    }
    #[test]
    fn without_memory_nothing_changes_and_all_can_be_taken_out() {
        use crate::failing::with_only;
        for n in 0..4 {
            let mut map = Map::new();
            let added = with_only(n, || (0..).take_while(|&key| map.try_insert(key, key).is_ok()).count());
            assert_eq!((added, map.len()), (CHUNK * usize::saturating_sub(n, 1), added));
            with_only(0, || assert!((0..added).all(|key| map.remove(&key) == Some(key))));
            assert!(map.is_empty());
        }
    }
}
