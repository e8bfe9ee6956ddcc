//! A rejection each, by name; then random changes of a file.

use super::*;
use proptest::prelude::*;

const TEXT: &[u8] = &[0x82, 0x80, 0x82, 0x80, 0x82, 0x80];

const PORT: Condition = Condition::new(0, Part::Field, 36, 2, Compare::Equal, 23);
const SIGNED: Condition =
    Condition { signed: true, ..Condition::new(1, Part::Value, 0, 4, Compare::Below, -5i64 as u64) };
#[test]
fn an_order_is_read_as_it_is_written() {
    for order in [Order::First, Order::Last, Order::Before("a_name"), Order::After("b")] {
        assert_eq!(Order::parse(&order.to_string()), Some(order));
    }
    for no_order in ["", "usual", "first ", "last a", "before", "before ", "after  a", "after a b", "between a"] {
        assert_eq!(Order::parse(no_order), None, "{no_order}");
    }
}
const GUARDS: &[Guard] = &[
    Guard { export: 0, condition: PORT },
    Guard { export: 0, condition: SIGNED },
    Guard { export: 1, condition: PORT },
];

fn constants() -> [u8; 32] {
    let mut constants = [0; 32];
    constants[16..24].copy_from_slice(&(PAGE as u64 + 3).to_le_bytes());
    constants
}
/// One that has something in each section: two slots, an address of its constants, an entry.
fn parts(constants: &[u8]) -> Parts<'_> {
    Parts {
        name: "a-counter-2",
        reason: "",
        compiler: [7; 32],
        limits: Limits::DEFAULT,
        interfaces: &[Interface { name: "packets", digest: [1; 32] }, Interface { name: "strands", digest: [2; 32] }],
        imports: &[
            Import { interface: 0, procedure: 3, name: "count" },
            Import { interface: 1, procedure: 0, name: "block" },
        ],
        exports: &[
            Export { interface: 0, event: 1, entry: 4, name: "arrived", order: Order::Before("count") },
            Export { interface: 0, event: 9, entry: 0, name: "left", order: Order::Last },
        ],
        guards: GUARDS,
        text: TEXT,
        constants,
        relocations: &[16],
        symbols: b"entry",
    }
}
fn whole() -> Vec<u8> {
    parts(&constants()).write().unwrap()
}
/// Where a section begins in the file.
fn start(file: &[u8], section: Section) -> usize {
    let extension = Extension::parse(file).unwrap();
    HEADER + Section::ALL[..section as usize].iter().map(|&before| extension.section(before).len()).sum::<usize>()
}
/// What is said of a file that has `bytes` at `at`.
fn with(at: usize, bytes: &[u8]) -> Result<(), Error> {
    let mut file = whole();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    Extension::parse(&file).map(|_| ())
}
fn with_length(section: Section, length: u32) -> Result<(), Error> {
    with(read::LENGTHS + 4 * section as usize, &length.to_le_bytes())
}
fn with_in(section: Section, at: usize, bytes: &[u8]) -> Result<(), Error> {
    with(start(&whole(), section) + at, bytes)
}

#[test]
fn what_is_written_is_read() {
    let file = whole();
    let extension = Extension::parse(&file).unwrap();
    assert_eq!((extension.name(), extension.vetted(), extension.limits()), ("a-counter-2", None, Limits::DEFAULT));
    assert_eq!((extension.compiler(), extension.seal().key), ([7; 32], [0; KEY]));
    let constants = constants();
    let parts = parts(&constants);
    assert_eq!(extension.interfaces().collect::<Vec<_>>(), parts.interfaces);
    assert_eq!(extension.imports().collect::<Vec<_>>(), parts.imports);
    assert_eq!(extension.exports().collect::<Vec<_>>(), parts.exports);
    assert_eq!(extension.guards().collect::<Vec<_>>(), GUARDS);
    assert_eq!((extension.conditions(0).count(), extension.conditions(1).next()), (2, Some(PORT)));
    assert_eq!(extension.layout(), Layout { constants: PAGE, end: 2 * PAGE });
    assert_eq!(extension.relocations().collect::<Vec<_>>(), [16]);
    assert_eq!((extension.text(), extension.section(Section::Constants)), (TEXT, &constants[..]));
    assert_eq!(extension.section(Section::Symbols), b"entry");
    assert_eq!(extension.seal().signed.len(), file.len() - SIGNATURE);
}
#[test]
fn what_is_signed_is_all_before_the_signature() {
    let sign = |bytes: &[u8]| {
        assert_eq!(&bytes[bytes.len() - KEY..], b"a key...");
        Ok::<_, ()>([bytes.len() as u8; SIGNATURE])
    };
    let file = signed(whole(), *b"a key...", sign).unwrap();
    let extension = Extension::parse(&file).unwrap();
    assert_eq!(
        (extension.seal().key, extension.seal().signature),
        (*b"a key...", [extension.seal().signed.len() as u8; SIGNATURE])
    );
    assert_eq!(signed(whole(), [0; KEY], |_| Err("no key")), Err("no key"));
}
#[test]
fn other_files_are_refused() {
    assert_eq!(with(0, b"PBLEXT01"), Err(Error::Magic));
    for file in [&b""[..], b"PBLEXT0", b"\x7fELF"] {
        assert_eq!(Extension::parse(file).map(|_| ()), Err(Error::Magic));
    }
    assert_eq!(Extension::parse(&MAGIC).map(|_| ()), Err(Error::Length));
}
#[test]
fn a_file_that_is_cut_and_one_that_goes_on_are_refused() {
    let mut file = whole();
    for length in MAGIC.len()..file.len() {
        assert_eq!(Extension::parse(&file[..length]).map(|_| ()), Err(Error::Length), "{length} bytes");
    }
    file.push(0);
    assert_eq!(Extension::parse(&file).map(|_| ()), Err(Error::Length));
    assert_eq!(with_length(Section::Symbols, 4), Err(Error::Length), "a byte that is in no section");
    assert_eq!(with_length(Section::Symbols, 6), Err(Error::Length));
}
#[test]
fn a_section_of_a_length_that_can_not_be_is_refused() {
    let odd = [(Section::Name, 33), (Section::Interfaces, 63), (Section::Imports, 35), (Section::Relocations, 3)];
    for (section, length) in odd {
        assert_eq!(with_length(section, length), Err(Error::SectionLength(section)));
    }
    assert_eq!(with_length(Section::Text, u32::MAX), Err(Error::SectionLength(Section::Text)));
    let most = (MOST_PROCEDURES * Section::Imports.record() + Section::Imports.record()) as u32;
    assert_eq!(with_length(Section::Imports, most), Err(Error::SectionLength(Section::Imports)));
}
#[test]
fn a_name_of_something_else_than_letters_digits_and_hyphens_is_refused() {
    for byte in [b'A', b'/', b' ', 0, 0x1B, 0xC3] {
        assert_eq!(with_in(Section::Name, 1, &[byte]), Err(Error::Name(Section::Name, 0)), "{byte}");
        assert_eq!(with_in(Section::Imports, 36 + 5, &[byte]), Err(Error::Name(Section::Imports, 1)), "{byte}");
    }
    assert_eq!(with_in(Section::Name, 0, b"-"), Err(Error::Name(Section::Name, 0)), "an option");
    let nothing = [0; MOST_NAME];
    assert_eq!(with_in(Section::Exports, 8, &nothing), Err(Error::Name(Section::Exports, 0)));
    assert_eq!(with_in(Section::Interfaces, 64 + 32 + 31, b"x"), Err(Error::Name(Section::Interfaces, 1)));
}
#[test]
fn a_name_that_is_too_long_is_not_written() {
    let long = "a".repeat(MOST_NAME + 1);
    let constants = constants();
    let mut parts = parts(&constants);
    parts.name = &long;
    assert_eq!(parts.write(), Err(Error::SectionLength(Section::Name)));
    parts.name = &long[1..];
    assert!(parts.write().is_ok());
    let imports = [Import { interface: 0, procedure: 3, name: &long }, parts.imports[1]];
    parts.imports = &imports;
    assert_eq!(parts.write(), Err(Error::Name(Section::Imports, 0)));
}
#[test]
fn records_out_of_order_are_refused() {
    assert_eq!(with_in(Section::Interfaces, 32, b"z"), Err(Error::Order(Section::Interfaces, 1)));
    assert_eq!(with_in(Section::Exports, 76 + 2, &[1]), Err(Error::Order(Section::Exports, 1)), "the same event twice");
    assert_eq!(with_in(Section::Imports, 0, &[1]), Err(Error::Order(Section::Imports, 1)));
}
#[test]
fn an_interface_that_it_has_not_is_refused() {
    assert_eq!(with_in(Section::Imports, 36, &[2]), Err(Error::Interface(Section::Imports, 1)));
    assert_eq!(with_in(Section::Exports, 1, &[0xFF]), Err(Error::Interface(Section::Exports, 0)));
}
#[test]
fn a_place_that_no_interface_has_is_refused() {
    assert_eq!(with_in(Section::Exports, 76 + 3, &[1]), Err(Error::Place(Section::Exports, 1)));
    assert_eq!(with_in(Section::Imports, 36 + 3, &[0xFF]), Err(Error::Place(Section::Imports, 1)));
}
#[test]
fn a_limit_out_of_its_range_is_refused() {
    let page = PAGE as u32;
    for (at, number) in [(12, 0), (12, page + 8), (12, 65 * page), (16, (64 << 20) + 1), (20, 0), (20, 1_000_001)] {
        assert_eq!(with(at, &u32::to_le_bytes(number)), Err(Error::Limits), "{number} at {at}");
    }
}
#[test]
fn an_order_that_can_not_be_is_refused() {
    let terms = |export: usize, at: usize, bytes: &[u8]| with_in(Section::Exports, 76 * export + 40 + at, bytes);
    assert_eq!(terms(0, 0, &[4]), Ok(()), "behind it");
    for number in [0, 1, 2, 5, 255] {
        assert_eq!(terms(0, 0, &[number]), Err(Error::Terms(0)), "{number} with a name");
    }
    assert_eq!(terms(0, 3, &[1]), Err(Error::Terms(0)));
    assert_eq!(terms(0, 4, b"C"), Err(Error::Terms(0)), "a name that is none");
    assert_eq!(terms(1, 0, &[3]), Err(Error::Terms(1)), "without a name");
    assert_eq!(terms(1, 35, &[1]), Err(Error::Terms(1)), "bytes that mean nothing");
}
#[test]
fn a_condition_that_can_not_be_is_refused() {
    let guard = |at: usize, bytes: &[u8]| with_in(Section::Guards, at, bytes);
    assert_eq!(guard(28, &[2]), Err(Error::Guard(1)), "of no export");
    assert_eq!(guard(28, &[1]), Ok(()), "of the other one");
    assert_eq!(guard(0, &[1]), Err(Error::Guard(1)), "behind one of the other");
    for (at, bytes) in [
        (1, &[1][..]),
        (2, &[1]),
        (5, &[4]),
        (6, &[0]),
        (6, &[3]),
        (6, &[16]),
        (7, &[6]),
        (5, &[0]),
        (14, &[1]),
        (22, &[1]),
        (28 + 12, &[1]),
        (28 + 23, &[0]),
        (28 + 5, &[3]),
    ] {
        let export = at / 28;
        assert_eq!(guard(at, bytes), Err(Error::Guard(export)), "{bytes:?} at {at}");
    }
    let signed = Guard { export: 0, condition: Condition { part: Part::Bytes, offset: 1, ..SIGNED } };
    let constants = constants();
    assert_eq!(Parts { guards: &[signed], ..parts(&constants) }.write(), Err(Error::Guard(0)), "bytes with a sign");
    let many = vec![Guard { export: 1, condition: PORT }; MOST_CONDITIONS + 1];
    assert_eq!(Parts { guards: &many, ..parts(&constants) }.write(), Err(Error::Guard(MOST_CONDITIONS)));
    assert!(Parts { guards: &many[1..], ..parts(&constants) }.write().is_ok());
}
#[test]
fn a_condition_holds_of_what_it_says() {
    let with = |compare| Condition { compare, ..PORT };
    let holds = |raw| Compare::ALL.map(|compare| with(compare).holds(raw));
    assert_eq!(holds(23), [true, false, false, true, false, true]);
    assert_eq!(holds(22), [false, true, true, true, false, false]);
    assert_eq!(holds(24), [false, true, false, false, true, true]);
    assert!(Condition { mask: 0xFF, ..PORT }.holds(0x1717), "the lower bits count");
    assert!(SIGNED.holds(0xFFFF_FFFA) && SIGNED.holds(u64::MAX - 5) && !SIGNED.holds(0xFFFF_FFFB) && !SIGNED.holds(4));
}
#[test]
fn an_entry_that_is_not_in_the_text_is_refused() {
    for entry in [6u32, 1, u32::MAX - 1] {
        assert_eq!(with_in(Section::Exports, 4, &entry.to_le_bytes()), Err(Error::Entry(0)), "{entry}");
    }
}
#[test]
fn a_relocation_of_a_slot_or_of_no_word_is_refused() {
    for place in [0u32, 8, 17, 25, 32, u32::MAX - 7] {
        assert_eq!(with_in(Section::Relocations, 0, &place.to_le_bytes()), Err(Error::Relocation(0)), "{place}");
    }
}
#[test]
fn an_address_that_leads_out_of_the_image_is_refused() {
    for address in [2 * PAGE as u64, u64::MAX] {
        assert_eq!(with_in(Section::Constants, 16, &address.to_le_bytes()), Err(Error::Relocation(0)));
    }
    assert_eq!(with_in(Section::Constants, 16, &(2 * PAGE as u64 - 1).to_le_bytes()), Ok(()));
}
#[test]
fn slots_without_room_slots_that_are_taken_and_an_image_too_large_are_refused() {
    assert_eq!(with_in(Section::Constants, 15, &[1]), Err(Error::Slots));
    let mut parts = parts(&[0; 15]);
    parts.relocations = &[];
    assert_eq!(parts.write(), Err(Error::Slots));
    parts.constants = &[0; 16];
    assert!(parts.write().is_ok());
    let large = vec![0; MOST_IMAGE];
    parts.text = &large;
    assert_eq!(parts.write(), Err(Error::Image));
}
#[test]
fn each_error_says_what_and_where() {
    assert_eq!(Error::Entry(3).to_string(), "export 3 does not begin in its text");
    assert!(Error::SectionLength(Section::Text).to_string().contains("\"text\""));
}
proptest! {
    #![proptest_config(properties::config(512))]
    /// Whatever comes: an error, or a file of which nothing leads out of itself.
    #[test]
    fn whatever_comes_is_an_error_or_holds_together(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut file = whole();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        if let Ok(extension) = Extension::parse(&file) {
            let layout = extension.layout();
            prop_assert!(layout.end <= MOST_IMAGE && layout.constants <= layout.end);
            let interfaces = extension.interfaces().len();
            prop_assert!(extension.exports().all(|export| (export.entry as usize) < extension.text().len()));
            prop_assert!(extension.exports().all(|export| (export.interface as usize) < interfaces));
            prop_assert!(extension.imports().all(|import| (import.interface as usize) < interfaces));
            let constants = extension.section(Section::Constants);
            let places: Vec<usize> = extension.relocations().collect();
            prop_assert!(places.is_sorted() && places.iter().all(|place| place + SLOT <= constants.len()));
            prop_assert!(SLOT * extension.imports().len() <= constants.len());
            let sum: usize = Section::ALL.iter().map(|&section| extension.section(section).len()).sum();
            prop_assert_eq!(HEADER + sum + KEY + SIGNATURE, file.len());
        }
    }
    /// Two files are the same where they say the same: a changed byte is an error, or something else that is read.
    #[test]
    fn no_byte_means_nothing(at in any::<prop::sample::Index>(), bit in 0..8u32) {
        let whole = whole();
        let mut changed = whole.clone();
        changed[at.index(whole.len())] ^= 1 << bit;
        if let Ok(changed) = Extension::parse(&changed) {
            let whole = Extension::parse(&whole).unwrap();
            let all = |e: &Extension| {
                let sections = Section::ALL.map(|section| e.section(section).to_vec());
                (sections, e.limits(), e.compiler(), e.seal().key, e.seal().signature)
            };
            prop_assert_ne!(all(&changed), all(&whole));
        }
    }
}
#[test]
fn a_page_has_its_slots_and_the_addresses_of_where_it_is() {
    let file = whole();
    let extension = Extension::parse(&file).unwrap();
    let mut page = [0xFF; PAGE];
    extension.page(0, 0x10_0000, &[1, 2], &mut page);
    assert_eq!((&page[..TEXT.len()], page[TEXT.len()..].iter().all(|&byte| byte == 0)), (TEXT, true));
    extension.page(PAGE, 0x10_0000, &[0x1111, 0x2222], &mut page);
    let words: Vec<u64> = page.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(words[..3], [0x1111, 0x2222, 0x10_0000 + PAGE as u64 + 3]);
    assert!(words[3..].iter().all(|&word| word == 0));
}
#[test]
fn pages_behind_the_first_have_their_own_words() {
    let mut constants = vec![0; PAGE + 32];
    constants[PAGE + 8..PAGE + 16].copy_from_slice(&5u64.to_le_bytes());
    constants[PAGE - 8..PAGE].copy_from_slice(&6u64.to_le_bytes());
    let text = vec![0x82; 2 * PAGE + 2];
    let relocations = [PAGE - 8, PAGE + 8].map(|at| at as u32);
    let file = Parts { text: &text, relocations: &relocations, ..parts(&constants) }.write().unwrap();
    let extension = Extension::parse(&file).unwrap();
    let (first, base) = (extension.layout().constants, 0x4000_0000);
    assert_eq!((first, extension.layout().end), (3 * PAGE, 5 * PAGE));
    let page = |at| {
        let mut page = [0; PAGE];
        extension.page(at, base, &[1, 2], &mut page);
        page
    };
    let word = |page: [u8; PAGE], at: usize| u64::from_le_bytes(page[at..at + 8].try_into().unwrap());
    assert_eq!((page(PAGE)[0], page(2 * PAGE)[..4].to_vec()), (0x82, vec![0x82, 0x82, 0, 0]));
    assert_eq!((word(page(first), PAGE - 8), word(page(first), 0)), (base + 6, 1));
    assert_eq!((word(page(first + PAGE), 8), word(page(first + PAGE), 0)), (base + 5, 0));
}
