//! Power cuts, and what they leave.

use crate::random::Random;
use crate::{Contents, PIECE, Request, SECTOR};

/// A cut: behind so many requests, with some of what was in the cache on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub requests: usize,
    /// Says which of it.
    pub cache: u64,
}
impl Cut {
    /// So many, all over a log of so many requests, in its order.
    fn all_over(requests: usize, count: usize, seed: u64) -> impl Iterator<Item = Cut> {
        let mut random = Random(seed);
        let moments = requests + 1;
        (0..count).map(move |n| Cut {
            // Somewhere in the part of the log that is its own.
            requests: (n * moments + random.below(moments)) / count,
            cache: random.word(),
        })
    }
    /// What is on a disk that had this for good, and these requests in its cache: any of them, in any order, and, of every second cut, any
    /// of their pieces.
    fn leaves(self, lasting: &Contents, cached: &[(usize, &[u8])]) -> Contents {
        const QUARTERS: usize = 4;
        let random = &mut Random(self.cache);
        let torn = random.below(2) == 0;
        // None, all, or some: what comes of one that is there alone, and of one that alone is missing, is in these.
        let kept = random.below(QUARTERS + 1);
        let mut left = lasting.clone();
        let pieces = cached.iter().flat_map(|(sector, bytes)| {
            let count = if torn { PIECE } else { bytes.len() };
            (*sector..).step_by(count / SECTOR).zip(bytes.chunks(count))
        });
        let mut pieces: Vec<_> = pieces.filter(|_| random.below(QUARTERS) < kept).collect();
        while !pieces.is_empty() {
            let (sector, bytes) = pieces.swap_remove(random.below(pieces.len()));
            left.write(sector, bytes);
        }
        left
    }
}

/// Asks `check` about so many cuts all over what was asked of a disk: with what is on it, had it done so.
pub fn cuts<E>(
    first: &Contents,
    log: &[Request],
    (count, seed): (usize, u64),
    mut check: impl FnMut(Cut, Contents) -> Result<(), E>,
) -> Result<(), E> {
    let mut lasting = first.clone();
    let mut cached = Vec::new();
    let mut requests = log.iter();
    for cut in Cut::all_over(log.len(), count, seed) {
        while log.len() - requests.len() < cut.requests {
            match requests.next() {
                Some(Request::Write { sector, bytes }) => cached.push((*sector, bytes.as_slice())),
                Some(Request::Flush) => cached.drain(..).for_each(|(sector, bytes)| lasting.write(sector, bytes)),
                None => break,
            }
        }
        check(cut, cut.leaves(&lasting, &cached))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    fn write(sector: usize, byte: u8, sectors: usize) -> Request {
        Request::Write { sector, bytes: vec![byte; sectors * SECTOR] }
    }
    /// What the first bytes of a disk's four sectors may be after a cut behind all of a log.
    fn left(log: &[Request]) -> BTreeSet<[u8; 4]> {
        let mut found = BTreeSet::new();
        let first = Contents::of(vec![0; 4 * SECTOR]);
        let Ok(()) = cuts(&first, log, (40_000, 1), |cut, contents| {
            let mut bytes = [0; 4 * SECTOR];
            contents.read(0, &mut bytes);
            if cut.requests == log.len() {
                found.insert([0, 1, 2, 3].map(|sector| bytes[sector * SECTOR]));
            }
            Ok::<(), Infallible>(())
        });
        found
    }
    #[test]
    fn what_was_flushed_is_there() {
        assert_eq!(left(&[write(0, 1, 2), write(1, 2, 1), Request::Flush]), BTreeSet::from([[1, 2, 0, 0]]));
    }
    #[test]
    fn of_what_was_not_flushed_anything_may_be_there() {
        let log = [write(0, 9, 1), Request::Flush, write(0, 1, 1), write(1, 2, 1), write(2, 3, 1)];
        let each = |n: u8| [if n & 1 == 0 { 9 } else { 1 }, (n & 2), (n & 4) / 4 * 3, 0];
        assert_eq!(left(&log), (0..8).map(each).collect());
    }
    #[test]
    fn an_earlier_write_may_be_what_is_left() {
        assert_eq!(left(&[write(0, 1, 1), write(0, 2, 1)]), BTreeSet::from([0, 1, 2].map(|n| [n, 0, 0, 0])));
    }
    #[test]
    fn a_write_may_be_torn_between_pieces() {
        assert_eq!(left(&[write(0, 1, 4)]), (0..4).map(|n| [n & 1, n & 1, n >> 1, n >> 1]).collect());
    }
    #[test]
    fn cuts_differ_in_both_parts_and_are_all_over_the_log() {
        for seed in 0..100 {
            let cuts: Vec<Cut> = Cut::all_over(999, 10, seed).collect();
            assert_eq!(cuts.iter().map(|cut| cut.requests / 100).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
            assert!(cuts.iter().map(|cut| cut.requests % 100).collect::<BTreeSet<_>>().len() > 5);
            assert_eq!(cuts.iter().map(|cut| cut.cache).collect::<BTreeSet<_>>().len(), 10);
            assert_eq!(cuts, Cut::all_over(999, 10, seed).collect::<Vec<_>>());
        }
    }
    #[test]
    fn of_more_cuts_than_requests_each_moment_has_one() {
        let moments: BTreeSet<usize> = Cut::all_over(10, 100, 1).map(|cut| cut.requests).collect();
        assert_eq!(moments, (0..=10).collect());
    }
}
