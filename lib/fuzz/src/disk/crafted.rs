//! Images of disks that are made to lie, one field at a time: every word of the superblock, the group descriptors, the first inodes, and of the first blocks of the
//! journal, of a directory and of a file's map says in turn each of the values at which sizes, counts, block numbers and lengths begin to be wrong. There are no
//! checksums in these images, as an attacker's would be right. What fields there are is ext4's disk layout's to say; here it is only said where they lie.

use super::{BYTES, Base, Image, SECTOR, bases, mounts};
use crate::Random;
use std::rc::Rc;
use std::sync::OnceLock;

/// Where a run of words lies that are broken one by one.
type Part = (usize, usize);
/// What a word says, by what it said.
const LIES: [fn(u32) -> u32; 9] = [
    |_| 0,
    |_| 1,
    |_| 0xffff,
    |_| 0xffff_0000,
    |_| 0x7fff_ffff,
    |_| 0x8000_0000,
    |_| u32::MAX,
    // Another of the same kind; and one byte further on.
    |was| was.wrapping_add(0x0001_0001),
    |was| was ^ 0x0101_0101,
];
struct Layout {
    base: &'static Base,
    parts: Vec<Part>,
}
impl Layout {
    fn words(&self) -> usize {
        self.parts.iter().map(|part| part.1).sum()
    }
    /// Where its `n`th word lies.
    fn place(&self, mut n: usize) -> usize {
        for &(at, count) in &self.parts {
            if n < count {
                return at + 4 * n;
            }
            n -= count;
        }
        unreachable!("it has as many words")
    }
}
/// Inodes that are broken: the root directory and what has a number from the start (the journal is 8), and the first files and directories.
const INODES: usize = 16;
/// Words of an inode that are looked at: those of its first 160 bytes.
const INODE_WORDS: usize = 40;
/// Words of a block.
const BLOCK_WORDS: usize = 64;

fn layout(base: &'static Base) -> Layout {
    let bytes = &base.bytes;
    let number = |at: usize, count: usize| (0..count).fold(0, |value, n| value | usize::from(bytes[at + n]) << (8 * n));
    // "The Super Block", which is at byte 1024.
    let superblock = |at: usize, count: usize| number(1024 + at, count);
    let block = 1024 << superblock(0x18, 4);
    let descriptors = (superblock(0x14, 4) + 1) * block;
    // Of 32 bytes, but where the feature INCOMPAT_64BIT says how many.
    let descriptor = if superblock(0x60, 4) & 0x80 != 0 { superblock(0xfe, 2) } else { 32 };
    let (inode, table) = (superblock(0x58, 2), number(descriptors + 8, 4) * block);
    let inode_at = |n: usize| table + (n - 1) * inode;
    // The first block that an inode's extents lead to: they begin at byte 40 with a header of 12, and an entry's block is at its byte 8, or in an index at 4.
    let first_block = |n: usize| {
        let header = inode_at(n) + 40;
        let leaf = number(header + 6, 2) == 0;
        number(header + 12 + if leaf { 8 } else { 4 }, 4) * block
    };
    let mut parts = vec![(1024, 256), (descriptors, 2 * descriptor / 4)];
    parts.extend((1..=INODES).map(|n| (inode_at(n), INODE_WORDS)));
    for n in [2, 8].into_iter().chain(11..=INODES) {
        let at = first_block(n);
        if at != 0 && at + 4 * BLOCK_WORDS <= BYTES {
            parts.push((at, BLOCK_WORDS));
        }
    }
    // What is in many pieces has its map in a block of its own: the first inodes need not be it.
    let maps = (0..BYTES / block).map(|n| n * block).filter(|&at| number(at, 2) == 0xf30a && number(at + 4, 2) > 4);
    parts.extend(maps.take(2).map(|at| (at, BLOCK_WORDS)));
    parts.sort_unstable();
    parts.dedup();
    Layout { base, parts }
}
fn layouts() -> &'static [Layout] {
    static LAYOUTS: OnceLock<Vec<Layout>> = OnceLock::new();
    // Those that were left in order and in the middle of work, without checksums.
    LAYOUTS.get_or_init(|| bases().iter().step_by(2).map(layout).collect())
}
/// How many there are.
pub fn count() -> u64 {
    layouts().iter().map(|layout| (layout.words() * LIES.len()) as u64).sum()
}
/// Image `seed`, modulo how many there are, is used as any disk. Whether it mounted.
pub fn image(seed: u64) -> bool {
    let mut n = (seed % count()) as usize;
    let layout = layouts().iter().find(|layout| {
        let own = layout.words() * LIES.len();
        let found = n < own;
        n -= if found { 0 } else { own };
        found
    });
    let layout = layout.expect("there are so many");
    let (at, lie) = (layout.place(n / LIES.len()), LIES[n % LIES.len()]);
    let disk = Image { first: layout.base.bytes.clone(), since: Rc::default() };
    let mut sector = disk.sector(at / SECTOR);
    let word = &mut sector[at % SECTOR..][..4];
    let was = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    word.copy_from_slice(&lie(was).to_le_bytes());
    disk.put(at / SECTOR, sector);
    mounts(disk, &mut Random::new(seed))
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hundredth_lie_does_nobody_else_any_harm() {
        // As many as that go by in a second; all of them are a campaign's.
        let seeds: Vec<u64> = (0..count()).step_by(101).collect();
        let mounted = seeds.iter().filter(|&&seed| image(seed)).count();
        assert!(seeds.len() > 200 && (seeds.len() / 2..seeds.len()).contains(&mounted), "{mounted} of {}", seeds.len());
    }

    #[test]
    fn what_is_broken_is_where_the_disk_has_it() {
        for layout in layouts() {
            let bytes = &layout.base.bytes;
            assert_eq!(bytes[1024 + 0x38..][..2], [0x53, 0xef], "a superblock");
            // The superblock, two descriptors, the inodes, a journal, a directory and a map at least.
            assert!(layout.parts.len() >= 2 + INODES + 3, "{:?}", layout.parts);
            let blocks = layout.parts.iter().map(|&(at, _)| &bytes[at..]);
            assert!(blocks.clone().any(|block| block[..4] == [0xc0, 0x3b, 0x39, 0x98]), "a journal");
            assert!(blocks.clone().any(|block| block[8] == b'.' && block[20..22] == *b".."), "a directory");
            assert!(blocks.clone().any(|block| block[..2] == [0x0a, 0xf3]), "a file's map");
        }
    }
}
