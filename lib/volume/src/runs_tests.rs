//! What is read by runs of blocks is what the file system would read.

use super::tests::{Four, Memory, NEW, READ, both, mount};
use super::*;

const PAGE: usize = abi::address::PAGE;
/// Of each of two files: together more than the cache keeps.
const PAGES: usize = 700;

type Files = [Vec<u8>; 2];
const NAMES: [&str; 2] = ["a", "b"];

struct Random(u64);
impl Random {
    fn below(&mut self, most: usize) -> usize {
        // xorshift (Marsaglia, 2003).
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % most
    }
}
fn write(volume: &mut Volume<Memory, Four>, files: &mut Files, n: usize, at: usize, bytes: &[u8]) {
    let mut open = volume.open(NAMES[n], NEW, Owner::NOBODY).unwrap();
    volume.seek(&mut open, at as isize, whence::START).unwrap();
    assert_eq!(volume.write(&mut open, bytes), Ok(bytes.len()));
    volume.close(open).unwrap();
    let length = files[n].len().max(at + bytes.len());
    files[n].resize(length, 0);
    files[n][at..at + bytes.len()].copy_from_slice(bytes);
}
fn read(volume: &mut Volume<Memory, Four>, files: &Files, n: usize, at: usize) {
    let mut open = volume.open(NAMES[n], 0, Owner::NOBODY).unwrap();
    let mut bytes = [0; PAGE];
    volume.seek(&mut open, at as isize, whence::START).unwrap();
    let count = volume.read(&mut open, &mut bytes).unwrap();
    volume.close(open).unwrap();
    assert!(bytes[..count] == files[n][at..(at + PAGE).min(files[n].len())], "{} at {at}", NAMES[n]);
}
/// Two files, written by turns in pieces of some pages, so that both have some runs.
fn filled(volume: &mut Volume<Memory, Four>, piece: usize) -> Files {
    let mut files = Files::default();
    for at in (0..PAGES).step_by(piece) {
        for n in 0..2 {
            let bytes: Vec<u8> = (0..piece * PAGE).map(|k| (k / 7 + at * 3 + n) as u8).collect();
            write(volume, &mut files, n, at * PAGE, &bytes);
        }
    }
    files
}
#[test]
fn a_page_that_the_cache_has_not_is_one_request_however_much_the_journal_has() {
    for disk in both() {
        let mut volume = mount(&disk);
        let files = filled(&mut volume, PAGES);
        volume.sync().unwrap();
        read(&mut volume, &files, 0, 0);
        READ.take();
        (1..20).for_each(|n| read(&mut volume, &files, 0, 2 * n * PAGE));
        assert_eq!(READ.take().len(), 19);
    }
}
#[test]
fn what_is_read_past_the_cache_is_what_was_written() {
    for (seed, (disk, piece)) in (1..).zip(both().into_iter().zip([70, 10]).chain(both().into_iter().zip([2, 350]))) {
        let mut volume = mount(&disk);
        let mut files = filled(&mut volume, piece);
        let mut random = Random(seed * 0x9E37_79B9);
        for _ in 0..1500 {
            let n = random.below(2);
            let at = random.below(files[n].len() / PAGE) * PAGE;
            match random.below(100) {
                0..3 => volume.sync().unwrap(),
                3 => {
                    let end = at.max(100 * PAGE) + random.below(2) * random.below(PAGE);
                    let open = volume.open(NAMES[n], NEW, Owner::NOBODY).unwrap();
                    volume.truncate(&open, end as u64).unwrap();
                    volume.close(open).unwrap();
                    files[n].resize(end, 0);
                }
                4 => {
                    volume.unlink(NAMES[n]).unwrap();
                    files[n].clear();
                    write(&mut volume, &mut files, n, 0, &vec![seed as u8; PAGES * PAGE]);
                }
                5..8 => {
                    let bytes = vec![at as u8 ^ 0x55; random.below(3 * PAGE) + 1];
                    write(&mut volume, &mut files, n, at + random.below(PAGE), &bytes);
                }
                8..10 => write(&mut volume, &mut files, n, at, &[random.below(256) as u8; PAGE]),
                _ => read(&mut volume, &files, n, at),
            }
        }
    }
}
