//! Files of extensions: what comes of those in `programs/built`, why those in `programs/unfit` have none, and what a manifest may say.

mod common;

use common::{interfaces, toolchain};
use extension::{Extension, Limits, PAGE, Section};
use gatekeeper::{Built, Refusal, Rule};
use std::path::Path;

fn build(path: &Path, vetted: Option<&str>) -> Result<Vec<u8>, Vec<Refusal>> {
    match gatekeeper::build(toolchain(), path, interfaces(), vetted).unwrap() {
        Built::File(file, _) => Ok(file),
        Built::Refused(refusals) => Err(refusals),
    }
}
fn program(name: &str) -> Vec<u8> {
    build(&Path::new("programs/built").join(name).with_extension("rs"), None).unwrap()
}
/// Why it has no file, as lines.
fn unfit(name: &str) -> String {
    let path = Path::new("programs/unfit").join(name).with_extension("rs");
    lines(&build(&path, None).unwrap_err())
}
fn lines(refusals: &[Refusal]) -> String {
    refusals.iter().map(|refusal| format!("{refusal}\n")).collect()
}
/// A folder with this manifest and the filter's source.
fn with_manifest(manifest: &str) -> Result<Vec<u8>, Vec<Refusal>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("extension.toml"), manifest).unwrap();
    std::fs::copy("programs/built/a_filter.rs", folder.path().join("lib.rs")).unwrap();
    build(folder.path(), None)
}
fn refused_manifest(manifest: &str) -> String {
    let refusals = with_manifest(manifest).unwrap_err();
    assert!(refusals.iter().all(|refusal| refusal.rule == Rule::Package), "{}", lines(&refusals));
    lines(&refusals)
}

#[test]
fn a_file_says_what_is_handled_and_called() {
    let file = program("a_filter");
    let filter = Extension::parse(&file).unwrap();
    let interfaces: Vec<_> = filter.interfaces().map(|interface| interface.name).collect();
    assert_eq!(interfaces, ["extension_runtime", "packets"]);
    let exports: Vec<_> = filter.exports().map(|export| (export.interface, export.event, export.name)).collect();
    assert_eq!(exports, [(1, 0, "arrived"), (1, 1, "closed")]);
    let imports: Vec<_> = filter.imports().map(|import| (import.interface, import.procedure, import.name)).collect();
    let runtime = [(0, 0, "allocate"), (0, 1, "release"), (0, 2, "panicked")];
    assert_eq!(imports, [&runtime[..], &[(1, 0, "count"), (1, 1, "reset")]].concat());
    assert_eq!((filter.name(), filter.vetted(), filter.limits()), ("a_filter", None, Limits::DEFAULT));
    assert_eq!(filter.compiler(), toolchain().identity);
}
/// `auipc`, `ld`, `jalr` or `jr`: of the slot, whose number follows from the text.
#[test]
fn a_procedure_is_called_through_its_slot() {
    let file = program("a_filter");
    let filter = Extension::parse(&file).unwrap();
    let (text, slots) =
        (filter.text(), filter.layout().constants..filter.layout().constants + 8 * filter.imports().len());
    let words: Vec<u32> = text.windows(4).step_by(2).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
    let mut called = std::collections::BTreeSet::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| *word & 0x7f == 0x17) {
        let (register, high) = (word >> 7 & 31, (word & 0xffff_f000).cast_signed() as isize);
        // `ld` from the register, some instructions later.
        let load =
            words[at + 2..].iter().take(16).find(|load| *load & 0x707f == 0x3003 && *load >> 15 & 31 == register);
        if let Some(load) = load {
            let address = (2 * at as isize + high + (load.cast_signed() >> 20) as isize) as usize;
            called.extend(slots.contains(&address).then(|| (address - slots.start) / 8));
        }
    }
    assert_eq!(called.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}
#[test]
fn a_source_always_becomes_the_same_file() {
    assert!(program("a_filter") == program("a_filter"));
}
/// Constants with addresses, jumps by a table, floating point and what the compiler calls of itself: all within the image.
#[test]
fn what_a_program_uses_of_the_library_is_linked_in() {
    let file = program("a_parser");
    let parser = Extension::parse(&file).unwrap();
    assert_eq!(parser.imports().map(|import| import.name).collect::<Vec<_>>(), ["panicked"]);
    let constants = parser.section(Section::Constants);
    let addresses: Vec<usize> =
        parser.relocations().map(|at| u64::from_le_bytes(constants[at..at + 8].try_into().unwrap()) as usize).collect();
    // The four names of methods, each where the file has its text.
    for name in ["GET ", "PUT ", "HEAD", "POST"] {
        let offset = |address: &usize| address.checked_sub(parser.layout().constants);
        let found = addresses.iter().filter_map(offset).any(|at| constants[at..].starts_with(name.as_bytes()));
        assert!(found, "{name} in {addresses:x?}");
    }
    assert!(parser.text().len() > PAGE, "reading numbers takes some code: {}", parser.text().len());
}
#[test]
fn what_handles_nothing_has_a_file() {
    let file = program("handles_nothing");
    let judge = Extension::parse(&file).unwrap();
    assert_eq!((judge.exports().len(), judge.name()), (0, "handles_nothing"));
}
#[test]
fn what_is_lent_is_not_kept() {
    assert!(unfit("keeps_what_is_lent").starts_with("COMPILER, extension.toml:0: "));
    assert!(
        unfit("keeps_what_is_lent_to_change").contains("pub fn closed(connection: Connection, header: &mut Header)")
    );
}
#[test]
fn a_handler_of_another_form_is_refused() {
    for name in ["another_result", "another_argument"] {
        assert!(unfit(name).contains("pub fn arrived(header: &Header, bytes: &[u8]) -> Verdict"), "{name}");
    }
}
#[test]
fn what_is_compiled_where_it_is_called_is_looked_at_too() {
    let why = unfit("a_large_frame_where_it_is_called");
    assert!(why.starts_with("STACK, extension.toml:0: a function takes "), "{why}");
}
#[test]
fn what_is_signed_all_the_same_says_so() {
    let path = Path::new("programs/refused/a_trait_object.rs");
    assert!(build(path, None).is_err());
    let file = build(path, Some("it was read by two people")).unwrap();
    assert_eq!(Extension::parse(&file).unwrap().vetted(), Some("it was read by two people"));
    // A reason that is not needed is not kept.
    let file = build(Path::new("programs/built/a_filter.rs"), Some("why not")).unwrap();
    assert_eq!(Extension::parse(&file).unwrap().vetted(), None);
}
#[test]
fn what_can_not_be_compiled_has_no_file_whatever_the_reason() {
    for name in ["a_type_error", "a_feature", "a_tree_of_macros"] {
        let path = Path::new("programs/refused").join(name).with_extension("rs");
        assert!(build(&path, Some("a reason")).is_err(), "{name}");
    }
}
#[test]
fn a_manifest_says_name_interfaces_events_and_limits() {
    let manifest = "name = \"no-telnet\"\ninterfaces = [\"packets\"]\nhandles = [\"packets.arrived\"]\n[limits]\nstack = 8192\narena = 0\nquantum = 50\n";
    let file = with_manifest(manifest).unwrap();
    let filter = Extension::parse(&file).unwrap();
    assert_eq!((filter.name(), filter.exports().len()), ("no-telnet", 1));
    assert_eq!(filter.limits(), Limits { stack: 8192, arena: 0, quantum: 50 });
}
#[test]
fn a_manifest_that_is_wrong_is_refused_with_its_line() {
    assert!(
        refused_manifest("name = \"a\"\nlimit = 3\n").starts_with("PACKAGE, extension.toml:2: unknown field `limit`")
    );
    assert!(refused_manifest("name = 5\n").starts_with("PACKAGE, extension.toml:1: "));
    assert!(refused_manifest("[limits]\nstack = -1\n").starts_with("PACKAGE, extension.toml:2: "));
}
#[test]
fn a_name_that_is_none_is_refused() {
    for name in ["", "A", "a b", "../a", "ä", &"a".repeat(33)] {
        assert!(refused_manifest(&format!("name = \"{name}\"\n")).contains("extension.toml:0: name: "), "{name}");
    }
}
#[test]
fn limits_out_of_their_ranges_are_refused() {
    for limit in ["stack = 0", "stack = 5000", "stack = 266240", "arena = 67108865", "quantum = 0", "quantum = 1000001"]
    {
        assert!(refused_manifest(&format!("[limits]\n{limit}\n")).contains("extension.toml:0: limits: "), "{limit}");
    }
}
#[test]
fn an_interface_or_an_event_that_is_not_there_is_refused() {
    let why = refused_manifest("interfaces = [\"packets\", \"pockets\"]\n");
    assert_eq!(why, "PACKAGE, extension.toml:0: interfaces: no component here exports \"pockets\"\n");
    let why = refused_manifest("handles = [\"packets.arrived\", \"packets.count\"]\n");
    assert_eq!(why, "PACKAGE, extension.toml:0: handles: \"packets.count\" is no event of an interface that it has\n");
}
#[test]
fn a_manifest_says_on_what_terms_an_event_is_handled() {
    let manifest = "[[handler]]\nevent = \"packets.arrived\"\nguard = \"header.port == 23 && bytes.len() > 4\"\norder = \"before other\"\n";
    let file = with_manifest(manifest).unwrap();
    let filter = Extension::parse(&file).unwrap();
    let export = filter.exports().next().unwrap();
    assert_eq!((export.name, export.order), ("arrived", extension::Order::Before("other")));
    let said: Vec<String> =
        filter.conditions(0).map(|condition| interfaces()[0].condition_text(0, &condition)).collect();
    assert_eq!(said, ["header.port == 23", "bytes.len() > 4"]);
}
#[test]
fn terms_that_can_not_be_are_refused_with_their_line() {
    let handler = |rest: &str| refused_manifest(&format!("[[handler]]\nevent = \"packets.arrived\"\n{rest}\n"));
    for (rest, why) in [
        ("guard = \"header.prot == 23\"", "3: guard: Header has no field \"prot\""),
        ("guard = \"header.port = 23\"", "3: guard: "),
        ("order = \"next\"", "3: order: \"next\" is not first, last, before NAME or after NAME, of another extension"),
        ("\nguard = \"last\"", "4: guard: \"last\" is no argument of arrived"),
        ("order = \"before A\"", "3: order: \"before A\" is not first"),
        ("\n[[handler]]\nevent = \"packets.arrived\"", "5: handler: \"packets.arrived\" is there twice"),
        ("\n[[handler]]\nevent = \"packets.count\"", "5: handler: \"packets.count\" is no event that it handles"),
        ("when = \"\"", "3: unknown field `when`"),
    ] {
        let said = handler(rest);
        assert!(said.starts_with(&format!("PACKAGE, extension.toml:{why}")), "{rest}: {said}");
    }
}
/// What a manifest does not list it has not, whatever the source names.
#[test]
fn an_interface_that_is_not_listed_is_not_given() {
    let refusals = with_manifest("interfaces = []\n").unwrap_err();
    assert!(
        refusals.iter().any(|refusal| refusal.rule == Rule::Name && refusal.place.file == "lib.rs"),
        "{}",
        lines(&refusals)
    );
}
#[test]
fn an_event_that_is_named_and_not_handled_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("extension.toml"),
        "interfaces = [\"packets\"]\nhandles = [\"packets.closed\"]\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("lib.rs"), "#![no_std]\n").unwrap();
    let refusals = build(folder.path(), None).unwrap_err();
    assert!(
        lines(&refusals).contains("pub fn closed(connection: Connection, header: &mut Header)"),
        "{}",
        lines(&refusals)
    );
}
/// What nobody would see: an event that goes its default way, since its handler is none.
#[test]
fn what_could_be_meant_for_a_handler_and_is_none_is_refused() {
    let inner = "pub mod inner {\n    pub fn arrived(_: &packets::Header, _: &[u8]) -> packets::Verdict {\n        packets::Verdict::Drop\n    }\n}\n";
    let used = format!("{inner}pub use inner::arrived;\n");
    for source in [&used, &inner.to_string(), &used.replace("pub fn", "pub const fn")] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("lib.rs");
        std::fs::write(&root, format!("#![no_std]\n{source}")).unwrap();
        let why = lines(&build(folder.path(), None).unwrap_err());
        assert!(why.contains("arrived is an event of packets, and lib.rs has no plain \"pub fn arrived\""), "{why}");
    }
    // Where the manifest says it, it is as good as any.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("lib.rs"), format!("#![no_std]\n{used}")).unwrap();
    std::fs::write(folder.path().join("extension.toml"), "handles = [\"packets.arrived\"]\n").unwrap();
    assert_eq!(Extension::parse(&build(folder.path(), None).unwrap()).unwrap().exports().len(), 1);
}
#[test]
fn an_event_of_two_interfaces_is_refused_where_nobody_says_which() {
    let text = "pub trait Procedures { fn count(); } pub trait Events { fn opened(); }";
    let known = ["one", "other"].map(|name| exports::Interface::parse(name, text).unwrap());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("lib.rs"),
        "#![no_std]\npub fn opened() {\n    one::count();\n    other::count();\n}\n",
    )
    .unwrap();
    let build = || match gatekeeper::build(toolchain(), folder.path(), &known, None).unwrap() {
        Built::File(file, _) => Ok(file),
        Built::Refused(refusals) => Err(lines(&refusals)),
    };
    assert!(build().unwrap_err().contains("opened is an event of several interfaces"));
    std::fs::write(folder.path().join("extension.toml"), "handles = [\"other.opened\"]\n").unwrap();
    let file = build().unwrap();
    let exports: Vec<_> = Extension::parse(&file).unwrap().exports().map(|export| export.interface).collect();
    assert_eq!(exports, [2], "of extension_runtime, one and other");
}
/// Words of who wrote it are among those that are printed.
#[test]
fn words_of_a_manifest_do_nothing_to_a_terminal() {
    let why = refused_manifest("name = \"a\\u001b[2J\\nDYN, lib.rs:1: forged\"\n");
    assert!(why.lines().count() == 1 && !why.contains('\u{1b}'), "{why}");
}
/// Silence of `vet` means that it can be built.
#[test]
fn what_is_vetted_is_what_is_built() {
    let path = Path::new("programs/unfit/another_result.rs");
    assert_eq!(gatekeeper::vet(toolchain(), path, interfaces()).unwrap(), build(path, None).unwrap_err());
}
