//! What is read of a declaration, and each rejection by its name.

use super::*;

const PACKETS: &str = "
/// What is read of a packet.
pub struct Header { pub kind: u8, pub port: u16, pub source: [u8; 4], pub address: Address }
pub struct Outer { pub header: Header, pub more: [Header; 2], pub last: i64 }
";
fn parse(text: &str) -> Result<Interface, Error> {
    Interface::parse("packets", text)
}
/// Types that the rejections use.
const TYPES: &str =
    "pub struct Header { pub port: u16 } pub enum Verdict { Pass = 0, Drop = 1 } pub type Connection = Handle;";
fn why(text: &str) -> String {
    parse(&format!("{TYPES}\n{text}")).expect_err(text).to_string()
}
/// What is said of a procedure, and of an event.
fn why_procedure(text: &str) -> String {
    why(&format!("pub trait Procedures {{ {text} }}"))
}
fn why_event(text: &str) -> String {
    why(&format!("pub trait Events {{ {text} }}"))
}

#[test]
fn structures_are_laid_out_as_c_does() {
    let text = format!("pub struct Address {{ pub high: u64, pub low: u32 }}\n{PACKETS}");
    let packets = parse(&text).unwrap();
    let layout = |name| match &packets.declared(name).unwrap().shape {
        Shape::Plain { fields, bytes, align } => {
            (fields.iter().map(|field| field.at).collect::<Vec<_>>(), *bytes, *align)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(layout("Address"), (vec![0, 8], 16, 8));
    assert_eq!(layout("Header"), (vec![0, 2, 4, 8], 24, 8));
    assert_eq!(layout("Outer"), (vec![0, 24, 72], 80, 8));
    assert_eq!(packets.declared("Header").unwrap().means, "What is read of a packet.");
}
#[test]
fn defaults_are_values_of_the_result() {
    let events = "pub trait Events { fn a() -> Verdict { Verdict::Drop } fn b() -> i8 { -128 } fn c() -> bool { true } fn d(); fn e() -> Connection { 0 } }";
    let packets = parse(&format!("{TYPES} {events}")).unwrap();
    let defaults: Vec<_> = packets.events.iter().map(|event| event.default).collect();
    assert_eq!(defaults, [Some(1), Some(-128), Some(1), None, Some(0)]);
}
#[test]
fn an_interfaces_identity_is_all_that_two_sides_agree_on() {
    let of = |text: &str| parse(text).unwrap().canonical();
    let first = format!("{TYPES} pub trait Procedures {{ fn a(x: u32, h: &Header) -> bool; fn b(); }}");
    let changes = [
        ("x: u32", "x: u64"),
        ("&Header", "&mut Header"),
        ("-> bool", "-> u8"),
        ("fn a(x", "fn c(x"),
        ("port: u16", "port: u32"),
        ("port: u16", "port: u16, pub more: u16"),
        ("Pass = 0, Drop = 1", "Pass = 1, Drop = 0"),
        ("fn b();", ""),
    ];
    for (what, instead) in &changes {
        assert_ne!(of(&first), of(&first.replacen(what, instead, 1)), "{what}");
    }
    assert_eq!(of(&first), of(&format!("//! Documentation.\n{}", first.replace("fn a", "/** More. */ fn a"))));
    let event =
        |default: &str| of(&format!("{TYPES} pub trait Events {{ fn a() -> Verdict {{ Verdict::{default} }} }}"));
    assert_ne!(event("Pass"), event("Drop"));
}
#[test]
fn a_name_that_means_something_else_is_refused() {
    for name in [
        "core",
        "extension_runtime",
        "extension",
        "Packets",
        "pack-ets",
        "fn",
        "gen",
        "u8",
        "bool",
        "usize",
        "",
        "0a",
        "_a",
        &"a".repeat(33),
    ] {
        let error = Interface::parse(name, "").expect_err(name);
        assert!(error.to_string().contains("is no name of an interface"), "{error}");
    }
}
#[test]
fn what_is_not_plain_is_refused() {
    for field in [
        "bool",
        "Verdict",
        "Connection",
        "&'static [u8]",
        "*const u8",
        "f64",
        "usize",
        "u128",
        "char",
        "Later",
        "[u8; 0]",
        "[u8; N]",
        "[u8; 4097]",
        "[[u8; 2]; 2]",
        "()",
    ] {
        assert!(why(&format!("pub struct Odd {{ pub field: {field} }}")).starts_with("line 2: "), "{field}");
    }
    assert!(why("pub struct Odd { pub field: [u64; 513] }").contains("at most 4096 bytes"));
    assert!(why("pub struct Odd;").contains("fields with names"));
    assert!(why("pub struct Odd {}").contains("has a field"));
    assert!(why("pub struct Odd { field: u8 }").contains("is pub"));
}
#[test]
fn what_can_not_cross_is_refused() {
    for ty in [
        "Header",
        "f32",
        "usize",
        "&u8",
        "&[u16]",
        "&[Header]",
        "&Verdict",
        "&'static [u8]",
        "&&[u8]",
        "Vec<u8>",
        "impl Fn()",
        "fn()",
        "&str",
        "String",
        "[u8; 4]",
        "(u8, u8)",
        "u128",
        "Self",
        "self::Header",
    ] {
        assert!(why_procedure(&format!("fn a(x: {ty});")).starts_with("line 2: "), "{ty}");
    }
    for ty in ["Header", "&[u8]", "&Header", "Option<u8>", "!", "()"] {
        assert!(why_procedure(&format!("fn a() -> {ty};")).starts_with("line 2: "), "{ty}");
    }
}
#[test]
fn more_words_than_registers_are_refused() {
    assert!(why_procedure("fn a(a: &[u8], b: &[u8], c: &[u8], d: &[u8], e: u8);").contains("more than 8 words"));
    assert!(
        parse(&format!("{TYPES} pub trait Procedures {{ fn a(a: &[u8], b: &[u8], c: &[u8], d: &[u8]); }}")).is_ok()
    );
}
#[test]
fn a_default_that_is_no_value_of_the_result_is_refused() {
    for event in [
        "fn a() -> u8;",
        "fn a() -> u8 { 256 }",
        "fn a() -> i8 { 128 }",
        "fn a() -> u8 { -1 }",
        "fn a() -> u8 { 1u8 }",
        "fn a() -> bool { 1 }",
        "fn a() -> Verdict { 0 }",
        "fn a() -> Verdict { Verdict::Other }",
        "fn a() -> Verdict { Other::Pass }",
        "fn a() -> Connection { 1 }",
        "fn a() { 1 }",
        "fn a() -> u8 { 1; }",
        "fn a() -> u8 { f() }",
    ] {
        assert!(why_event(event).starts_with("line 2: "), "{event}");
    }
    assert!(why_procedure("fn a() -> u8 { 1 }").contains("no body"));
}
#[test]
fn what_is_no_declaration_is_refused() {
    for item in [
        "fn a() {}",
        "static A: u8 = 0;",
        "mod a {}",
        "use core::mem;",
        "macro_rules! a { () => {} }",
        "impl Header {}",
        "pub trait Other {}",
        "pub trait Procedures<T> {}",
        "pub trait Procedures: Copy {}",
        "pub unsafe trait Procedures {}",
        "trait Procedures {}",
        "pub struct Odd<T> { pub a: T }",
        "#[repr(packed)] pub struct Odd { pub a: u8 }",
        "pub enum Odd { A }",
        "pub enum Odd { A = 0, B = 0 }",
        "pub enum Odd { A = 0, A = 1 }",
        "pub struct Odd { pub a: u8, pub a: u16 }",
        "pub enum Odd { A = 256 }",
        "pub enum Odd { A(u8) = 1 }",
        "pub enum Odd {}",
        "pub type Odd = u8;",
        "pub struct handle { pub a: u8 }",
        "pub struct Header { pub a: u8 }",
        "pub struct Self_ { pub a: u8 }",
        "pub struct Option { pub a: u8 }",
    ] {
        assert!(why(item).starts_with("line 2: "), "{item}");
    }
    for item in [
        "fn a(self);",
        "fn a(#[anything] x: u8);",
        "fn a(gen: u8);",
        "fn a(&self);",
        "fn a(mut x: u8);",
        "fn a(_: u8);",
        "fn a((x, y): u8);",
        "fn a(x: u8, x: u8);",
        "unsafe fn a();",
        "async fn a();",
        "const fn a();",
        "extern \"C\" fn a();",
        "fn a<T>();",
        "fn A();",
        "const A: u8;",
        "type A;",
        "fn a(); fn a();",
        "fn a(fn_: u8) where u8: Copy;",
    ] {
        assert!(why_procedure(item).starts_with("line 2: "), "{item}");
    }
    assert_eq!(why("pub trait Procedures {} pub trait Procedures {}"), "line 2: Procedures stand twice");
    assert!(parse("pub struct {").expect_err("").line == 1);
}
#[test]
fn names_of_ours_do_not_meet_names_of_theirs() {
    // Whatever an argument is called: what is ours begins as no name of theirs can.
    let text =
        format!("{TYPES} pub trait Procedures {{ fn a(called: &[u8], called_length: u64, result: u8) -> bool; }}");
    let code = parse(&text).unwrap().crate_source();
    for ours in ["__called_length: usize", "let __called = ", "let __result = "] {
        assert!(code.contains(ours), "{code}");
    }
}
/// What the host's side of an interface has.
fn host(text: &str) -> String {
    parse(&format!("{TYPES}\n{text}")).unwrap().host_source()
}
#[test]
fn the_hosts_side_has_a_word_of_each_argument_and_no_more_than_there_are() {
    let events =
        "pub trait Events { fn a(x: u8, b: &mut [u8], h: &Header, c: Connection, y: bool, z: u32) -> u16 { 9 } }";
    let code = host(events);
    assert!(code.contains("let __words = [x as usize, b as usize, __b_length, h as usize, c as usize, y as usize, z as i32 as usize, 0];"), "{code}");
    assert!(
        code.contains("pub fn a(x: u8, b: &mut [u8], h: &Header, c: Connection, y: bool, z: u32) -> u16 {"),
        "{code}"
    );
}
#[test]
fn what_comes_out_of_an_extension_is_not_believed() {
    let code = host("pub trait Events { fn a() -> Verdict { Verdict::Drop } fn b() -> bool { true } }");
    assert!(
        code.contains("match __raise() as u8 { 0 => Verdict::Pass, 1 => Verdict::Drop, _ => Verdict::Drop }"),
        "{code}"
    );
    assert!(code.contains("match __raise() as u8 { 0 => false, 1 => true, _ => true }"), "{code}");
    let code = host("pub trait Procedures { fn a(v: Verdict, y: bool, c: Connection) -> Connection; }");
    let looked_at = [
        "let v = match v { 0 => Verdict::Pass, 1 => Verdict::Drop, _ => ::dispatch::wrong() };",
        "let y = match y { 0 => false, 1 => true, _ => ::dispatch::wrong() };",
        "::dispatch::apart(|| P::a(v, y, Connection(c)).0)",
    ];
    assert!(looked_at.iter().all(|line| code.contains(line)), "{code}");
}
#[test]
fn the_hosts_side_names_the_interface_and_its_identity() {
    let interface = parse("pub trait Events { fn a(); }").unwrap();
    let code = interface.host_source();
    let identity = format!("name: \"packets\", identity: {:?}, events: &EVENTS", interface.identity());
    assert!(code.contains(&identity), "{code}");
    assert_ne!(interface.identity(), parse("pub trait Events { fn b(); }").unwrap().identity());
}
