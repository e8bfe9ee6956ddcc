//! The n-th allocation fails, for every n, while a program is read and the code around it is made: there is no memory, and nothing else happens.

use crate::image::{Image, Malformed, words};
use crate::stubs::{Wanted, make};
use crate::{Layout, Why};
use abi::Error;
use fallible::failing::with_only;
use portal::software::Domain;

/// Puts words of so many bytes each into a file.
fn put<const BYTES: usize>(file: &mut [u8], at: usize, words: &[u64]) {
    for (place, word) in file[at..].chunks_mut(BYTES).zip(words) {
        place.copy_from_slice(&word.to_le_bytes()[..BYTES]);
    }
}
/// An ELF file with code, data that does not begin with its page, variables of a thread, and a relocation behind what the file has of the data.
fn file() -> Vec<u8> {
    const DATA: u64 = 0x3_0010;
    let mut file = vec![0; 2048];
    file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    put::<2>(&mut file, 16, &[3, 243]);
    put::<4>(&mut file, 20, &[1]);
    put::<8>(&mut file, 24, &[0x2_0000, 64]);
    put::<2>(&mut file, 52, &[64, 56, 4]);
    // Type and flags; place in the file, twice the address, bytes in the file and in memory.
    let segments: [([u64; 2], [u64; 6]); 4] = [
        ([1, 5], [512, 0x2_0000, 0x2_0000, 8, 8, 4096]),
        ([1, 6], [1024, DATA, DATA, 64, 0x1000, 4096]),
        ([7, 4], [1064, 0, 0, 8, 16, 8]),
        ([2, 6], [1200, 0, 0, 48, 48, 8]),
    ];
    for (n, (head, rest)) in segments.iter().enumerate() {
        put::<4>(&mut file, 64 + 56 * n, head);
        put::<8>(&mut file, 64 + 56 * n + 8, rest);
    }
    put::<8>(&mut file, 1024, &[0x3_0400, 3, 0x2_0000]);
    put::<8>(&mut file, 1200, &[7, DATA, 8, 24, 0, 0]);
    file
}
/// How many allocations `attempt` makes; each may fail.
fn allocations<T>(mut attempt: impl FnMut() -> Result<T, Why>) -> usize {
    for n in 0..100 {
        match with_only(n, &mut attempt) {
            Ok(_) => return n,
            Err(why) => assert_eq!(why, Error::ENOMEM.into(), "without {n}"),
        }
    }
    panic!("it does not come to its end")
}
#[test]
fn every_allocation_of_what_is_read_can_fail() {
    let (file, layout) = (file(), Layout::new(false));
    // Two parts and their list, the variables, the relocations, and the part that grows.
    let parsed = || Image::parse(&file, &layout);
    assert_eq!(allocations(|| Ok(parsed()?)), 6);
    assert_eq!(with_only(0, parsed).err(), Some(Malformed::Memory));
    let image = parsed().unwrap();
    assert_eq!(image.parts[1].bytes[0x400..], (layout.base() + 0x2_0000).to_le_bytes());
    assert_eq!(allocations(|| Ok(words(image.code()?)?)), 1);
}
#[test]
fn every_allocation_of_the_code_around_it_can_fail() {
    let layout = Layout::new(false);
    let all = portal::software::Registers { integer: u32::MAX, floating: u32::MAX };
    let domain = Domain { masks: true, changes: all, reads: all, flags: true };
    let wanted = [Wanted { specification: "smi", entry: layout.base() + 0x2_0000 }];
    assert!(allocations(|| make(&layout, &domain, &wanted)) >= 3);
}
