//! The code area: its regions, and that what one has left in pieces serves others.

use crate::fake::Fake;
use crate::machine::nucleus_memory::NucleusMemory;
use crate::state::code::{Block, CodeArea, Kind};
use abi::address::{CODE_END, CODE_REGION, code_physical};
use abi::boot::BootInfo;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC};
use account::Charge;
use portal::emit::Buffer;
use std::collections::BTreeMap;

/// Where the test's further regions are: of the machine's memory, where nothing else is.
const MORE: usize = CODE_END + 2 * CODE_REGION;

/// An area with so many regions beside the first.
fn area(regions: u64) -> CodeArea<Fake> {
    let machine = Fake::start();
    let info = machine.info();
    let mut area = CodeArea::new(machine);
    area.start(&BootInfo { code_more: MORE as u64, code_regions: regions, ..*info });
    area
}
/// A block of so many words, which say `mark`.
fn add(area: &mut CodeArea<Fake>, words: usize, mark: u32) -> Option<u64> {
    let mut buffer = Buffer::EMPTY;
    buffer.0[..words].fill(mark);
    buffer.0[..3].copy_from_slice(&[BLOCK_MAGIC, words as u32 - 4, 40]);
    let mut charge = Charge::NONE;
    area.add(&buffer, words, Block::own(Kind::Stub, 1, false), &mut charge).ok()
}
fn fill(area: &mut CodeArea<Fake>, words: usize) -> Vec<u64> {
    std::iter::from_fn(|| add(area, words, 0)).collect()
}
fn free(area: &mut CodeArea<Fake>, codes: impl IntoIterator<Item = u64>) {
    codes.into_iter().for_each(|code| area.retire(code));
    area.free_unmarked(|_, _, _, _| {});
}

#[test]
fn a_full_region_goes_on_in_the_next_one() {
    let (alone, three) = (fill(&mut area(0), 64).len(), fill(&mut area(2), 64));
    assert_eq!(three.len(), alone + 2 * CODE_REGION / 256);
    let physical = |code: &u64| code_physical(*code as usize) - BLOCK_HEADER;
    assert!(three[..alone].iter().all(|code| physical(code) + 256 <= CODE_END));
    assert!(three[alone..].iter().all(|code| (MORE..MORE + 2 * CODE_REGION).contains(&physical(code))));
}
#[test]
fn what_lies_between_the_regions_is_no_block() {
    let mut area = area(1);
    let all = fill(&mut area, 64);
    for pa in [CODE_END, CODE_END + 0x1000, MORE - 64, MORE + CODE_REGION] {
        assert!(area.get(abi::address::code_address(pa + BLOCK_HEADER) as u64).is_none(), "{pa:#x}");
    }
    assert!(all.iter().all(|&code| area.get(code).is_some()));
}
#[test]
fn small_pieces_serve_large_blocks_and_the_other_way_round() {
    let mut area = area(1);
    let mut last = Vec::new();
    let most = fill(&mut area, 16).len() * 64;
    for words in [16, 48, 400, 32, 1024, 16, 64] {
        let all: Vec<u64> = area.all().map(|(code, _)| code).collect();
        free(&mut area, all);
        last = fill(&mut area, words);
        // At the end of each region, less than a block is left.
        assert!(last.len() * (words * 4).next_multiple_of(64) > most - 2 * 4096, "{} of {words} words", last.len());
    }
    assert_eq!(last.len() * 256, most / 256 * 256);
}
#[test]
fn blocks_that_come_and_go_never_overlap() {
    let mut area = area(1);
    let (mut model, mut random) = (BTreeMap::<u64, usize>::new(), 1u64);
    let mut next = || {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize
    };
    let mut full = 0;
    for step in 0..20_000u32 {
        let words = 16 + next() % 500;
        match add(&mut area, words, step) {
            Some(code) => {
                let bytes = (words * 4).next_multiple_of(64) as u64;
                let before =
                    model.range(..=code).next_back().map(|(&at, &words)| at + (words as u64 * 4).next_multiple_of(64));
                let behind = model.range(code..).next().map(|(&at, _)| at);
                assert!(
                    before.is_none_or(|end| end <= code) && behind.is_none_or(|at| code + bytes <= at),
                    "step {step}"
                );
                model.insert(code, words);
            }
            None => {
                full += 1;
                let gone: Vec<u64> = model.keys().copied().filter(|_| next() % 3 == 0).collect();
                for code in &gone {
                    model.remove(code);
                }
                free(&mut area, gone);
            }
        }
    }
    assert!(full > 3);
    assert_eq!(area.all().count(), model.len());
    for (&code, &words) in &model {
        assert_eq!(area.words(code).0, words - 4);
        assert_eq!(area.containing(code + words as u64 * 4 - 20).map(|(at, _)| at), Some(code));
    }
}
