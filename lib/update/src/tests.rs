//! A rejection each, by name; then random files, and random changes of one.

use super::read::{COUNT_AT, ENTRY_AT, HEAP_AT, NAME_AT, OPENS_AT, VERSION_AT};
use super::*;
use abi::address::{HEAP_END, IMAGE_VA, PAGE};
use abi::rights::Rights;
use alloc::string::ToString;
use alloc::vec::Vec;
use proptest::prelude::*;

const CODE: &[u8] = &[0x82, 0x80, 0x82, 0x80];
const VA: u64 = IMAGE_VA as u64;

fn segments() -> [Part<'static>; 3] {
    let page = PAGE as u64;
    let [code, data] = [Rights::READ_EXECUTE.bits(), Rights::READ_WRITE.bits()];
    [
        Part { va: VA, bytes: CODE, memory_bytes: 4, rights: code },
        Part { va: VA + page, bytes: &[1; PAGE + 1], memory_bytes: 3 * page - 7, rights: data },
        Part { va: VA + 4 * page, bytes: &[], memory_bytes: 8, rights: data },
    ]
}
fn parts<'a>(segments: &'a [Part<'a>]) -> Parts<'a> {
    Parts {
        name: "web-2",
        version: 7,
        isolation: 1,
        system: [9; 32],
        entry: VA + 2,
        heap: VA + 5 * PAGE as u64,
        segments,
        opens: &["console.*", "files.open"],
    }
}
fn whole() -> Vec<u8> {
    parts(&segments()).write().unwrap()
}
/// What is said of a file that has `bytes` at `at`.
fn with(at: usize, bytes: &[u8]) -> Result<(), Error> {
    let mut file = whole();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    Update::parse(&file).map(|_| ())
}
/// What is said of one where a number of a segment's record is another.
fn with_segment(n: usize, number: usize, value: u64) -> Result<(), Error> {
    with(HEADER + n * RECORD + 8 * number, &value.to_le_bytes())
}

#[test]
fn what_is_written_is_read() {
    let file = whole();
    let update = Update::parse(&file).unwrap();
    assert_eq!((update.name(), update.version(), update.isolation(), update.system()), ("web-2", 7, 1, [9; 32]));
    assert_eq!(update.opens().collect::<Vec<_>>(), ["console.*", "files.open"]);
    let image = update.image();
    assert_eq!((image.entry, image.segment_count, image.heap), (VA + 2, 3, VA + 5 * PAGE as u64));
    for (segment, part) in image.segments.iter().zip(segments()) {
        assert!(segment.offset.is_multiple_of(PAGE as u64));
        assert_eq!(update.contents()[segment.offset as usize..][..part.bytes.len()], *part.bytes);
        let numbers = [segment.va, segment.file_bytes, segment.memory_bytes, segment.rights];
        assert_eq!(numbers, [part.va, part.bytes.len() as u64, part.memory_bytes, part.rights]);
    }
    let file = signed(file, [5; KEY], |bytes| Ok::<_, ()>([bytes.len() as u8; SIGNATURE])).unwrap();
    let seal = seal(&file).unwrap();
    assert_eq!((seal.key, seal.signature), ([5; KEY], [seal.signed.len() as u8; SIGNATURE]));
    assert!(Update::parse(&file).is_ok());
}
#[test]
fn what_opens_nothing_is_read() {
    let file = Parts { opens: &[], ..parts(&segments()) }.write().unwrap();
    assert_eq!(Update::parse(&file).unwrap().opens().count(), 0);
}
#[test]
fn a_file_that_begins_as_another_is_refused() {
    assert_eq!(with(0, b"PBLEXT02"), Err(Error::Magic));
    assert_eq!(Update::parse(b"PBL").map(|_| ()), Err(Error::Magic));
}
#[test]
fn a_file_that_is_cut_off_or_goes_on_is_refused() {
    let file = whole();
    for length in [MAGIC.len(), HEADER, HEADER + KEY + SIGNATURE, file.len() - 1] {
        assert_eq!(Update::parse(&file[..length]).map(|_| ()), Err(Error::Length), "{length}");
        // It says so, too.
        let mut short = file[..length].to_vec();
        if let Some(place) = short.get_mut(8..12) {
            place.copy_from_slice(&(length as u32).to_le_bytes());
        }
        assert_eq!(Update::parse(&short).map(|_| ()), Err(Error::Length), "{length}");
    }
    let mut long = file;
    long.resize(long.len() + PAGE, 0);
    let length = long.len() as u32;
    long[8..12].copy_from_slice(&length.to_le_bytes());
    assert_eq!(Update::parse(&long).map(|_| ()), Err(Error::Length));
}
#[test]
fn a_name_that_is_none_is_refused() {
    for name in [&b"\0"[..], b"-eb", b"Web", b"web/", b"web-2\0x", &[b'a'; 48]] {
        assert_eq!(with(NAME_AT, name), Err(Error::Name), "{name:?}");
    }
}
#[test]
fn a_file_without_a_version_is_refused() {
    assert_eq!(with(VERSION_AT, &[0; 8]), Err(Error::Version));
}
#[test]
fn no_segments_and_too_many_are_refused() {
    for count in [0, SEGMENTS as u32 + 1, u32::MAX] {
        assert_eq!(with(COUNT_AT, &count.to_le_bytes()), Err(Error::Segments), "{count}");
    }
}
#[test]
fn a_segment_where_no_image_may_be_is_refused() {
    for va in [0, VA - PAGE as u64, VA + 1, HEAP_END as u64, u64::MAX - 4095] {
        assert_eq!(with_segment(0, 0, va), Err(Error::Place(0)), "{va:#x}");
    }
    for bytes in [0, HEAP_END as u64 - VA + 1, u64::MAX] {
        assert_eq!(with_segment(0, 2, bytes), Err(Error::Place(0)), "{bytes:#x}");
    }
}
#[test]
fn a_segment_in_another_is_refused() {
    assert_eq!(with_segment(1, 0, VA), Err(Error::Place(1)));
    assert_eq!(with_segment(0, 2, PAGE as u64 + 1), Err(Error::Place(1)));
    assert_eq!(with_segment(2, 0, VA + 3 * PAGE as u64), Err(Error::Place(2)));
}
#[test]
fn a_segment_with_more_bytes_than_room_is_refused() {
    assert_eq!(with_segment(0, 1, 5), Err(Error::Bytes(0)));
    assert_eq!(with_segment(1, 1, u64::MAX), Err(Error::Bytes(1)));
}
#[test]
fn a_segment_that_is_written_and_executed_or_not_read_is_refused() {
    let all = Rights::READ_EXECUTE.union(Rights::WRITE).bits();
    for rights in [all, 0, Rights::WRITE.bits(), Rights::EXECUTE.bits(), 1 << 40] {
        assert_eq!(with_segment(1, 3, rights), Err(Error::Rights(1)), "{rights:#x}");
    }
}
#[test]
fn an_entry_where_nothing_is_executed_is_refused() {
    for entry in [VA - 2, VA + 1, VA + 4, VA + PAGE as u64] {
        assert_eq!(with(ENTRY_AT, &entry.to_le_bytes()), Err(Error::Entry), "{entry:#x}");
    }
}
#[test]
fn a_heap_where_none_may_be_is_refused() {
    for heap in [0, VA - PAGE as u64, VA + 1, VA + 2 * PAGE as u64, HEAP_END as u64, u64::MAX] {
        assert_eq!(with(HEAP_AT, &heap.to_le_bytes()), Err(Error::Heap), "{heap:#x}");
    }
}
#[test]
fn what_is_no_list_of_names_is_refused() {
    let at = HEADER + 3 * RECORD;
    for byte in [b' ', 0, 0xff, b'\n'] {
        assert_eq!(with(at, &[byte]), Err(Error::Opens), "{byte}");
    }
    // The last line is not ended.
    let length = "console.*\nfiles.open".len() as u32;
    assert_eq!(with(OPENS_AT, &length.to_le_bytes()), Err(Error::Opens));
    assert_eq!(with(OPENS_AT, &u32::MAX.to_le_bytes()), Err(Error::Length));
    let long = "a".repeat(60);
    assert_eq!(Parts { opens: &[&long], ..parts(&segments()) }.write(), Err(Error::Opens));
    let many = ["aaaaaaaaaaaaaaa"; MOST_OPENS / 16 + 1];
    assert_eq!(Parts { opens: &many, ..parts(&segments()) }.write(), Err(Error::Opens));
}
#[test]
fn bytes_that_mean_nothing_are_refused() {
    let file = whole();
    let contents = Update::parse(&file).unwrap().contents().as_ptr() as usize - file.as_ptr() as usize;
    for at in [contents - 1, contents + CODE.len(), contents + 3 * PAGE - 1] {
        assert_eq!(with(at, &[1]), Err(Error::Padding), "{at}");
    }
}
#[test]
fn a_file_that_is_too_long_is_refused() {
    let mut file = whole();
    file.resize(MOST_BYTES + 1, 0);
    let length = file.len() as u32;
    file[8..12].copy_from_slice(&length.to_le_bytes());
    assert_eq!(seal(&file).map(|_| ()).unwrap_err(), Error::Length);
}
#[test]
fn a_beginning_says_how_long_the_file_is() {
    let file = whole();
    assert!((0..12).all(|bytes| length(&file[..bytes]) == Ok(None)));
    assert!([12, 13, file.len()].iter().all(|&bytes| length(&file[..bytes]) == Ok(Some(file.len()))));
    assert!([&b"PBLEXT"[..], b"x"].iter().all(|start| length(start) == Err(Error::Magic)));
    for says in [0, (HEADER + KEY + SIGNATURE - 1) as u32, MOST_BYTES as u32 + 1, u32::MAX] {
        assert_eq!(length(&[&MAGIC[..], &says.to_le_bytes()].concat()), Err(Error::Length), "{says}");
    }
    assert_eq!(claimed(&file).map(|name| abi::section::text(&name).to_string()), Some("web-2".into()));
    assert_eq!(claimed(&file[..NAME_AT]), None);
}
/// What who lays out an image that was read relies on.
fn can_be_laid_out(file: &[u8]) {
    let Ok(update) = Update::parse(file) else { return };
    let image = update.image();
    let mut end = VA;
    for segment in &image.segments[..image.segment_count as usize] {
        assert!(
            segment.va >= end && segment.va.is_multiple_of(PAGE as u64) && segment.file_bytes <= segment.memory_bytes
        );
        end = segment.va + segment.memory_bytes;
        assert!(end <= HEAP_END as u64);
        let pages = (segment.file_bytes as usize).next_multiple_of(PAGE);
        assert!(update.contents()[segment.offset as usize..].len() >= pages);
    }
    update.opens().for_each(|name| assert!(!name.is_empty()));
}
proptest! {
    #![proptest_config(properties::config(200))]
    #[test]
    fn random_changes_are_refused_or_can_be_laid_out(changes in prop::collection::vec((0..4 * PAGE, any::<u8>()), 1..8)) {
        let mut file = whole();
        for (at, byte) in changes {
            // Most of them where something is said.
            let at = if at % 2 == 0 { at % (HEADER + 4 * RECORD) } else { at % file.len() };
            file[at] = byte;
        }
        can_be_laid_out(&file);
    }
    #[test]
    fn random_bytes_are_refused_or_can_be_laid_out(mut file in prop::collection::vec(any::<u8>(), 0..3 * PAGE)) {
        let length = file.len() as u32;
        if let Some(start) = file.get_mut(..12) {
            start[..8].copy_from_slice(&MAGIC);
            start[8..].copy_from_slice(&length.to_le_bytes());
        }
        can_be_laid_out(&file);
    }
}
