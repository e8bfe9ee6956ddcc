//! What the generator writes, for every specification up to four arguments between all kinds of ends.

use abi::Error;
use abi::boot::Symbols;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, FLOATING_FRAME, Thread, flags, limit};
use abi::template::Lowered;
use portal::emit::Buffer;
use portal::{Connection, Count, End, GenerateError, Rejected, Specification, Templates, disassemble, generate};

const APPLICATION: End = End { table: 0xFFFF_FFFF_8050_1000, asid: 9, flags: 0 };
const OTHER: End = End { table: 0xFFFF_FFFF_8051_1000, asid: 10, flags: 0 };
const ELASTIC: End = End { table: 0xFFFF_FFFF_8052_1000, asid: 11, flags: flags::ELASTIC };
const TRUSTED: End = End { table: 0xFFFF_FFFF_8053_1000, asid: 2, flags: flags::TRUSTED };
const SERVER: End = End { table: 0xFFFF_FFFF_8054_1000, asid: 3, flags: flags::TRUSTED };
const SUPERVISOR: End = End { table: 0xFFFF_FFFF_8056_1000, asid: 12, flags: flags::SUPERVISOR };
const MASKED: End = End { table: 0xFFFF_FFFF_8055_1000, asid: 4, flags: flags::TRUSTED | flags::MASKED };

fn symbols() -> Symbols {
    Symbols {
        raise: 0xFFFF_FFFF_C020_0100,
        complete: 0xFFFF_FFFF_C020_0FFC,
        floating_push: 0xFFFF_FFFF_C020_0800,
        no_stack: 0xFFFF_FFFF_C020_0840,
        stack_free: 0xFFFF_FFFF_C020_0880,
        ..Default::default()
    }
}
static WINDOWS: Lowered = portal::lower::template(&memory_logic::windows::at_call());
static ALL: [&Lowered; 1] = [&WINDOWS];
const TEMPLATES: Templates = Templates::new(&ALL);
fn parse(specification: &str) -> Result<Specification, Rejected> {
    Specification::parse(specification, true, &TEMPLATES)
}
/// The words of a portal, header included.
fn generated(specification: &str, caller: End, callee: End, constants: [u64; 6], count: Count) -> Vec<u32> {
    let specification = parse(specification).unwrap();
    let mut out = Buffer::EMPTY;
    let connection = Connection {
        specification: &specification,
        caller,
        callee,
        entry: 0x12345,
        constants: &constants,
        short_circuit: None,
        templates: TEMPLATES,
        count,
        trace: None,
    };
    let block = generate(&connection, &symbols(), &mut out).unwrap();
    out.0[..block.words].to_vec()
}
fn code(specification: &str, caller: End, callee: End) -> Vec<u32> {
    generated(specification, caller, callee, [u64::MAX / 3; 6], Count::Off)
}
#[test]
fn all_specifications_pass_the_verifier() {
    let mut count = 0;
    let letters = b"ic=wrWtah";
    for length in 0..=4u32 {
        for n in 0..letters.len().pow(length) {
            let arguments: String =
                (0..length).map(|k| letters[n / letters.len().pow(k) % letters.len()] as char).collect();
            for head in ["sm", "sp", "sf", "nm", "np", "nf"] {
                if parse(&format!("{head}{arguments}")).is_err() {
                    // A letter that needs its length has none.
                    continue;
                }
                for (caller, callee) in [
                    (APPLICATION, OTHER),
                    (APPLICATION, TRUSTED),
                    (TRUSTED, OTHER),
                    (APPLICATION, APPLICATION),
                    (APPLICATION, SUPERVISOR),
                    (SUPERVISOR, OTHER),
                ] {
                    let words = code(&format!("{head}{arguments}"), caller, callee);
                    assert_eq!(words[0], BLOCK_MAGIC);
                    assert_eq!(words[1] as usize, words.len() - BLOCK_HEADER / 4);
                    assert_eq!(disassemble::verify(&words[BLOCK_HEADER / 4..]), Ok(()), "{head}{arguments}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 100_000);
}

#[test]
fn the_other_ends_pass_the_verifier() {
    for (spec, caller, callee) in [
        ("smi", APPLICATION, MASKED),
        ("smi", TRUSTED, SERVER),
        ("sx", APPLICATION, TRUSTED),
        ("sx", SERVER, TRUSTED),
        ("smwii", SERVER, TRUSTED),
        ("sx", APPLICATION, MASKED),
        ("jmi", MASKED, MASKED),
        ("sm=wrwrw", APPLICATION, ELASTIC),
        ("nfwrwrwr", TRUSTED, ELASTIC),
        ("nfWiRiWi", TRUSTED, ELASTIC),
        ("smwiRiw", APPLICATION, MASKED),
        ("smciii", APPLICATION, SUPERVISOR),
        ("npwRiti", APPLICATION, SUPERVISOR),
        ("nfiii", TRUSTED, SUPERVISOR),
        ("smi", SUPERVISOR, SUPERVISOR),
        ("smwr", SUPERVISOR, TRUSTED),
        ("npWir", SUPERVISOR, APPLICATION),
        ("smi", SUPERVISOR, MASKED),
        ("sx", SUPERVISOR, TRUSTED),
    ] {
        assert_eq!(disassemble::verify(&code(spec, caller, callee)[4..]), Ok(()), "{spec}");
    }
}

#[test]
fn a_callers_registers_are_kept_from_an_untrusted_callee() {
    let kept = |spec, caller, callee| {
        let saved = (0..12u32).filter(|n| {
            let register = if *n < 2 { 8 + n } else { 16 + n };
            // sd register, offset(t0)
            code(spec, caller, callee)[4..].iter().any(|w| w & 0x01FF_F07F == 0x0002_B023 | register << 20)
        });
        saved.count()
    };
    assert_eq!(kept("nm", TRUSTED, OTHER), 12);
    assert_eq!(kept("np", APPLICATION, OTHER), 12);
    assert_eq!(kept("nm", APPLICATION, OTHER), 12);
    assert_eq!(kept("nm", APPLICATION, APPLICATION), 0);
    assert_eq!(kept("sm", TRUSTED, SERVER), 0);
}

#[test]
fn a_thread_comes_in_with_its_number_where_that_is_wanted_and_it_costs_nothing() {
    let named = |end: End| End { flags: end.flags | flags::NAMED, ..end };
    // ld tp, index(tp); ld tp, offset(t6)
    let (number, domains) = (
        0x0002_3203 | (std::mem::offset_of!(abi::nucleus::Thread, index) as u32) << 20,
        0x000F_B203 | (abi::nucleus::domain::TP as u32) << 20,
    );
    for callee in [OTHER, ELASTIC, SUPERVISOR] {
        for specification in ["np", "nm", "npciw", "nfWi"] {
            let (plain, with) =
                (code(specification, APPLICATION, callee), code(specification, APPLICATION, named(callee)));
            let different: Vec<_> = plain.iter().zip(&with).filter(|(one, other)| one != other).collect();
            assert_eq!((plain.len(), different), (with.len(), vec![(&domains, &number)]), "{specification}");
        }
    }
    // Who keeps its caller's register, keeps it; a call to oneself has it already.
    assert_eq!(code("np", APPLICATION, TRUSTED), code("np", named(APPLICATION), TRUSTED));
    assert_eq!(code("np", named(APPLICATION), named(APPLICATION)), code("np", APPLICATION, APPLICATION));
}

#[test]
fn too_few_constants_is_an_error() {
    let specification = parse("smcc").unwrap();
    let connection = Connection {
        specification: &specification,
        caller: APPLICATION,
        callee: OTHER,
        entry: 0,
        constants: &[1],
        short_circuit: None,
        templates: TEMPLATES,
        count: Count::Off,
        trace: None,
    };
    let mut out = Buffer::EMPTY;
    assert_eq!(generate(&connection, &symbols(), &mut out), Err(GenerateError::Constants));
}
#[test]
fn the_longest_portal_fits() {
    for longest in ["nfwwwwww", "nfWiWiWi", "nfRiWiRi"] {
        let all = code(longest, TRUSTED, ELASTIC).len();
        println!("{longest}: {all}");
        assert!(all < portal::emit::WORDS, "{all}");
    }
}
#[test]
fn windows_that_have_no_room_at_the_first_access_are_mapped_at_the_call() {
    static AT_TOUCH: Lowered = portal::lower::template(&memory_logic::windows::at_touch());
    static BOTH: [&Lowered; 2] = [&WINDOWS, &AT_TOUCH];
    let code = |text: &str, at_touch| {
        let templates = Templates::new(&BOTH).at_touch(at_touch);
        let specification = Specification::parse(text, false, &templates).unwrap();
        let mut out = Buffer::EMPTY;
        let connection = Connection {
            specification: &specification,
            caller: TRUSTED,
            callee: ELASTIC,
            entry: 0x12345,
            constants: &[],
            short_circuit: None,
            templates,
            count: Count::Off,
            trace: None,
        };
        let block = generate(&connection, &symbols(), &mut out).unwrap();
        out.0[..block.words].to_vec()
    };
    for (text, fits) in [("nfRiRi", true), ("nfWiWiWi", false), ("nfRiRiRi", false)] {
        assert_eq!(code(text, true) != code(text, false), fits, "{text}");
    }
}
#[test]
fn a_short_circuit_goes_before_the_portal_and_passes_the_verifier() {
    use abi::step::{Place, field, load_i32, not_less};
    use portal::riscv64::encode::*;
    let steps = [load_i32(Place::V3, field(0)), not_less(Place::ZERO, Place::V3).enter()];
    assert_eq!(portal::short_circuit::check(&steps, 8), Ok(()));
    let words = portal::lower::short_circuit(&steps);
    let words = &words[..steps.len()];
    let specification = parse("smci").unwrap();
    let short_circuit = Some(portal::ShortCircuit { words, record: 0xFFFF_FFFF_8070_0010 });
    let mut connection = Connection {
        specification: &specification,
        caller: APPLICATION,
        callee: TRUSTED,
        entry: 0,
        constants: &[1],
        short_circuit,
        templates: TEMPLATES,
        count: Count::Off,
        trace: None,
    };
    let mut with = Buffer::EMPTY;
    let length = generate(&connection, &symbols(), &mut with).unwrap().words;
    connection.short_circuit = None;
    let mut without = Buffer::EMPTY;
    generate(&connection, &symbols(), &mut without).unwrap();
    assert_eq!(disassemble::verify(&with.0[4..length]), Ok(()));
    // Where it branches to, the portal begins as it does without it.
    let start = with.0[4..length].windows(3).position(|words| *words == without.0[4..7]).unwrap();
    let branch = with.0[4..4 + start].iter().position(|&w| w & 0x7f == 0x63).unwrap();
    assert_eq!(with.0[4 + branch], bge(ZERO, T4, 4 * (start - branch) as i32));
}

/// The lengths of the hot portals are what the design page counts; a change must be deliberate.
#[test]
fn lengths_of_the_papers_portals() {
    let words = |spec, callee| code(spec, APPLICATION, callee).len() - 4;
    let lengths =
        [("smcii", TRUSTED), ("smciii", TRUSTED), ("npciii", OTHER), ("npcwi", OTHER)].map(|(s, c)| words(s, c));
    println!("smcii {} smciii {} npciii {} npcwi {}", lengths[0], lengths[1], lengths[2], lengths[3]);
}

/// The words of a portal without its header, counted so.
fn counted(specification: &str, caller: End, callee: End, count: Count) -> Vec<u32> {
    generated(specification, caller, callee, [7; 6], count).split_off(BLOCK_HEADER / 4)
}
/// How many words there are but for those that keep an `sret` from being the last of a cache line.
fn unpadded(code: &[u32]) -> usize {
    use portal::riscv64::encode::*;
    code.len() - code.windows(2).filter(|words| **words == [addi(ZERO, ZERO, 0), SRET]).count()
}
#[test]
fn counting_takes_four_instructions_and_six_where_several_numbers_share_code() {
    use abi::count::offset;
    use abi::nucleus::domain::COUNTERS;
    use portal::riscv64::encode::*;
    let word = |n| [ld(T3, T2, COUNTERS), ld(T4, T3, offset(n)), addi(T4, T4, 1), sd(T4, T3, offset(n))];
    let times = |code: &[u32], part: &[u32]| code.windows(part.len()).filter(|&words| words == part).count();
    for specification in ["sm", "smi", "npciii", "nfi", "npww", "nmWi", "sptah", "sx"] {
        for (caller, callee) in [(APPLICATION, OTHER), (APPLICATION, ELASTIC), (TRUSTED, SERVER), (APPLICATION, MASKED)]
        {
            let ends = format!("{specification} to {}", callee.asid);
            let plain = counted(specification, caller, callee, Count::Off);
            for n in [1, 40, 511] {
                let code = counted(specification, caller, callee, Count::Word(n as u16));
                assert_eq!(code.len(), plain.len() + 4, "{ends}");
                assert_eq!((times(&code, &word(n)), times(&plain, &word(n))), (1, 0), "{ends}");
                assert_eq!(disassemble::verify(&code), Ok(()), "{ends}");
                // Nothing that can fail comes behind it: no branch leads past it to an error.
                let at = code.windows(4).position(|words| words == word(n)).unwrap();
                let without: Vec<u32> = code[..at].iter().chain(&code[at + 4..]).copied().collect();
                let differ = without.iter().zip(&plain).filter(|(a, b)| a != b);
                // What may differ: how far branches, and the address of the return portal, reach across it.
                assert!(differ.clone().all(|(a, _)| [0x63, 0x6f, 0x13].contains(&(a & 0x7f))), "{ends}");
            }
            let code = counted(specification, caller, callee, Count::Called);
            assert_eq!(unpadded(&code), unpadded(&plain) + 6, "{ends}");
            assert_eq!(disassemble::verify(&code), Ok(()), "{ends}");
        }
    }
}
#[test]
fn the_nucleus_s_own_are_counted_and_entered() {
    use portal::counted::{Switches, counted, target};
    const TO: u64 = 0xFFFF_FFFF_C020_0A40;
    for (switches, more) in [(Switches::Never, 0), (Switches::Always, 9), (Switches::Asked, 10)] {
        let mut out = Buffer::EMPTY;
        let words = counted(TO, 6, switches, &mut out).unwrap();
        assert_eq!(words, BLOCK_HEADER / 4 + 6 + more);
        assert_eq!(target([out.0[0], out.0[1], out.0[2], out.0[3]]), TO);
        assert_eq!(disassemble::verify(&out.0[BLOCK_HEADER / 4..words]), Ok(()));
    }
}
/// What a call does first that is not about its frame's place: it writes the frame there, or ends with this error.
#[derive(Debug, PartialEq)]
enum Frame {
    At(u64),
    Failed(Error),
}
/// Executes a call portal as far as that, `t0` being the top of the invocation stack.
fn frame(code: &[u32], top: u64) -> Frame {
    const T0: usize = 5;
    let mut registers = [0u64; 32];
    registers[T0] = top;
    let mut at = BLOCK_HEADER / 4;
    loop {
        let word = code[at];
        let [to, one, other] = [7, 15, 20].map(|bit| (word >> bit & 31) as usize);
        let immediate = word as i32 >> 20;
        let kind = (word & 0x7F, word >> 12 & 7);
        let value = registers[one];
        at += 1;
        registers[to] = match kind {
            (0x13, 0) if to == 10 && one == 0 => return Frame::Failed(Error::from_code(immediate as isize).unwrap()),
            (0x13, 0) => value.wrapping_add_signed(immediate as i64),
            (0x13, 1) => value << (immediate & 63),
            (0x1B, 1) => ((value as u32) << (immediate & 31)) as i32 as u64,
            (0x37, _) => (word & 0xFFFF_F000) as i32 as u64,
            (0x23, 3) if one == T0 => return Frame::At(value),
            (0x63, how) => {
                let taken = match how {
                    5 => value as i64 >= registers[other] as i64,
                    6 => value < registers[other],
                    7 => value >= registers[other],
                    _ => panic!("a branch of another kind: {word:#x}"),
                };
                if taken {
                    let offset = (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1 | (word >> 7 & 1) << 11;
                    at += offset as usize / 4 - 1;
                }
                registers[to]
            }
            (0x6F, _) => panic!("a jump: {word:#x}"),
            // What else comes in between loads what the rest of the portal needs.
            _ => registers[to],
        };
    }
}
/// Floating-point state may go on top of a call's frame whose state is all of the caller's.
#[test]
fn a_frame_is_made_where_there_is_room_for_it_and_for_what_comes_on_top_and_nowhere_else() {
    const PAGE: u64 = 0xFFFF_FFFF_8060_0000;
    let first = |end: End| End { flags: end.flags | flags::BOOT, ..end };
    let (one, another, boot, other_boot) = (TRUSTED, SERVER, first(TRUSTED), first(SERVER));
    let places = [
        ((APPLICATION, OTHER), limit::UNTRUSTED),
        ((APPLICATION, TRUSTED), limit::UNTRUSTED),
        ((TRUSTED, APPLICATION), limit::UNTRUSTED),
        ((SUPERVISOR, OTHER), limit::UNTRUSTED),
        ((one, another), limit::SERVER),
        ((other_boot, one), limit::SERVER),
        ((one, other_boot), limit::CLIENT),
        ((boot, other_boot), limit::BOOT),
        ((one, MASKED), limit::MASKED),
    ];
    for ((caller, callee), lowest) in places {
        for specification in ["nmi", "npi", "nfi"] {
            let code = code(specification, caller, callee);
            let floating = specification == "nfi" && caller.trusted() && callee.trusted() && !callee.masked();
            let lowest = PAGE + lowest as u64 + if floating { FLOATING_FRAME as u64 } else { 0 };
            for top in (PAGE + size_of::<Thread>() as u64 + 512..=PAGE + 4096).step_by(8) {
                match frame(&code, top) {
                    Frame::At(at) => assert!(at >= lowest && at < top, "{specification}: {at:#x} of {top:#x}"),
                    Frame::Failed(error) => {
                        assert_eq!(error, Error::EDEPTH);
                        // No frame is as long.
                        assert!(top - 400 < lowest, "{specification}: {top:#x}");
                    }
                }
            }
        }
    }
}
