//! Random specifications and connections: the parser rejects or accepts, and what is accepted has a portal.

use abi::boot::Symbols;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, NAMELEN, flags};
use abi::step::{Place, field, load};
use abi::template::Lowered;
use portal::emit::Buffer;
use portal::specification::{ARGUMENTS, LETTERS};
use portal::{Connection, Count, End, GenerateError, ShortCircuit, Specification, Templates, disassemble, generate};
use proptest::prelude::*;
use proptest::sample::select;

static AT_CALL: Lowered = portal::lower::template(&memory_logic::windows::at_call());
static AT_TOUCH: Lowered = portal::lower::template(&memory_logic::windows::at_touch());
static TRANSFERS: Lowered = portal::lower::template(&memory_logic::transfer_letters::transfers());
static ALL: [&Lowered; 3] = [&AT_CALL, &AT_TOUCH, &TRANSFERS];
const TEMPLATES: Templates = Templates::new(&ALL);
fn parse(text: &str, boot: bool) -> Result<Specification, portal::Rejected> {
    Specification::parse(text, boot, &TEMPLATES)
}

/// Letters as a specification has them, most of them in their place, up to too many.
fn specification() -> impl Strategy<Value = String> {
    let letter = |place: usize| prop_oneof![20 => select(LETTERS[place]), 1 => 0..128u8];
    (letter(0), letter(1), proptest::collection::vec(letter(2), 0..8))
        .prop_map(|(stack, state, arguments)| [stack, state].into_iter().chain(arguments).map(char::from).collect())
}
fn end() -> impl Strategy<Value = End> {
    let flags = prop_oneof![
        3 => Just(0),
        1 => Just(flags::ELASTIC),
        2 => Just(flags::TRUSTED),
        1 => Just(flags::TRUSTED | flags::MASKED),
    ];
    // Few blocks, so that ends are often one domain.
    (0..4u64, flags).prop_map(|(n, flags)| End { table: 0xFFFF_FFFF_8050_1000 + n * 0x2F_F000, asid: 509 + n, flags })
}
/// Constants of all lengths, more or fewer than are needed.
fn constants() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec((any::<u64>(), 0..64u32).prop_map(|(value, shift)| value >> shift), 0..=ARGUMENTS)
}

proptest! {
    #![proptest_config(properties::config(4000))]

    #[test]
    fn any_text_is_parsed_or_rejected_at_a_place_in_it(text in prop_oneof![".{0,80}", specification()], boot: bool) {
        match parse(&text, boot) {
            Err(rejected) => {
                prop_assert!(rejected.position as usize <= text.len(), "{:?}", rejected);
                let code = -rejected.code() as usize;
                prop_assert_eq!((code & 0xff, code >> 12), (rejected.position as usize, 1));
            }
            Ok(specification) => {
                prop_assert!(text.len() <= 2 + ARGUMENTS && text.len() < NAMELEN);
                prop_assert_eq!(specification.arguments().len(), text.len() - 2);
                let mut out = [1; abi::section::SPEC];
                specification.write(&mut out);
                prop_assert_eq!(abi::section::text(&out), &text);
                prop_assert_eq!(parse(&text, boot), Ok(specification));
                // What may be said without the privilege means the same with it.
                prop_assert_eq!(parse(&text, true), Ok(specification));
            }
        }
    }
    #[test]
    fn the_start_of_what_is_rejected_is_no_better_up_to_the_place(text in specification()) {
        if let Err(rejected) = parse(&text, true) {
            // The letters before the place are not to blame: with others behind them they are a specification, or too few.
            let good = &text[..(rejected.position as usize).min(text.len())];
            if let Err(other) = parse(good, true) {
                prop_assert!(other.position as usize >= good.len(), "{} {:?} {:?}", text, rejected, other);
            }
        }
    }
    #[test]
    fn a_stub_of_any_portal_is_a_specification(text in specification()) {
        if let Ok(specification) = parse(&text, true) {
            let mut out = [0; abi::section::SPEC];
            specification.stub().write(&mut out);
            prop_assert_eq!(parse(abi::section::text(&out), false), Ok(specification.stub()));
        }
    }
    #[test]
    fn any_connection_has_a_portal_that_the_verifier_passes(
        text in specification(),
        caller in end(),
        callee in end(),
        constants in constants(),
        entry in 0..abi::address::WINDOW_VA as u64,
        words in proptest::collection::vec(any::<u32>(), 0..16),
        record in 0..1u64 << 26,
        at_touch: bool,
    ) {
        let Ok(specification) = parse(&text, true) else { return Ok(()) };
        // A short circuit of loads of the record, some of them.
        let steps: Vec<_> = words.iter().map(|w| load(Place::V3, field((w % 8 * 8) as i32))).collect();
        prop_assert_eq!(portal::short_circuit::check(&steps, 64), Ok(()));
        let words = &portal::lower::short_circuit(&steps)[..steps.len()];
        let short_circuit = (!words.is_empty()).then_some(ShortCircuit { words, record: 0xFFFF_FFFF_8040_0000 + record * 16 });
        let connection = Connection { specification: &specification, caller, callee, entry, constants: &constants, short_circuit, templates: TEMPLATES.at_touch(at_touch), count: Count::Off, trace: None };
        let symbols = Symbols {
            raise: 0xFFFF_FFFF_C020_0100,
            complete: 0xFFFF_FFFF_C020_0FFC,
            floating_push: 0xFFFF_FFFF_C020_0800,
            no_stack: 0xFFFF_FFFF_C020_0840,
            stack_free: 0xFFFF_FFFF_C020_0880,
            ..Default::default()
        };
        let mut out = Buffer::EMPTY;
        match generate(&connection, &symbols, &mut out) {
            Err(error) => {
                prop_assert_eq!(error, GenerateError::Constants);
                prop_assert!(constants.len() < specification.constants());
            }
            Ok(block) => {
                prop_assert!(constants.len() >= specification.constants());
                let code = &out.0[BLOCK_HEADER / 4..block.words];
                prop_assert_eq!((out.0[0], out.0[1] as usize), (BLOCK_MAGIC, code.len()));
                prop_assert!(out.0[2] as usize <= abi::nucleus::limit::UNTRUSTED / 2);
                prop_assert!((out.0[3] as usize) < 4 * code.len());
                prop_assert_eq!(disassemble::verify(code), Ok(()));
            }
        }
    }
}
