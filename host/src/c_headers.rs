//! What C programs are told of the system's interfaces: made of `lib/abi` and `lib/interfaces`, written by `./pebble manual` and compared by
//! `./pebble check`. Three places: a section of `pebble.h` with what every program sees, a header of calls for who wants one server's portals,
//! and one with what only the C library needs.

use abi::error::{ESPEC, Error};
use abi::of_c::{LAYOUTS, NUMBERS};
use abi::rights::Rights;
use abi::shared::{Field, Layout, Numbers};
use anyhow::{Context, Result};
use interfaces::{Interface, Kind, Portal};
use std::fmt::Write;
use std::path::Path;

/// The header with the section, and the lines around that.
const PEBBLE: &str = "lib/c/include/pebble.h";
const BEGIN: &str = "/* From here: written by ./pebble manual. */\n";
const END: &str = "/* To here. */\n";
const CALLS: &str = "lib/c/include/pebble_interfaces.h";
const LIBRARY: &str = "lib/c/src/abi.h";

/// Errors that newlib's `errno.h` has no number for.
const OWN_ERRORS: u16 = 201;
/// What is public of portals, structures and numbers.
const PUBLIC_PORTALS: [&str; 5] = ["EXIT", "YIELD", "GET_ASID", "GET_THREAD", "HRTIME"];
const PUBLIC_LAYOUT: &str = "portal_caller";
const PUBLIC_NUMBERS: &str = "CAP";

/// Text of a comment here as one of C.
fn comment(text: &str) -> String {
    text.trim()
        .replace("[`", "`")
        .replace("`]", "`")
        .replace("*/", "* /")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
/// The same behind what it is about; nothing, where there is none.
fn behind(text: &str) -> String {
    let text = comment(text);
    if text.is_empty() { text } else { format!(" /* {text} */") }
}
fn write_numbers(to: &mut String, Numbers { prefix, means, numbers }: &Numbers) {
    writeln!(to, "/* {} */", comment(means)).unwrap();
    for (name, number, means) in *numbers {
        writeln!(to, "#define {prefix}_{name} {number}{}", behind(means)).unwrap();
    }
}
/// Element type in C, and its bytes.
fn element(kind: &str) -> (String, usize) {
    let plain = |c: &str, bytes| (c.to_string(), bytes);
    match kind {
        "u8" => plain("uint8_t", 1),
        "u16" => plain("uint16_t", 2),
        "u32" => plain("uint32_t", 4),
        "u64" => plain("uint64_t", 8),
        "i64" => plain("int64_t", 8),
        "Strings" => plain("char **", 8),
        "Place" => plain("void *", 8),
        other => {
            let layout = LAYOUTS.iter().find(|layout| layout.name == other.to_lowercase());
            let layout = layout.unwrap_or_else(|| panic!("{other} has no declaration in C"));
            (format!("struct {}", layout.name), layout.bytes)
        }
    }
}
fn declaration(field: &Field) -> String {
    let Field { name, kind, bytes, .. } = field;
    let space = |c: &str| if c.ends_with('*') { "" } else { " " };
    match kind.strip_prefix('[').and_then(|array| array.strip_suffix(']')?.split_once("; ")) {
        // Names and specifications are text.
        Some(("u8", "NAMELEN")) => format!("char {name}[NAMELEN]"),
        Some((of, _)) => {
            let (c, each) = element(of);
            format!("{c}{}{name}[{}]", space(&c), bytes / each)
        }
        None => {
            let (c, _) = element(kind);
            format!("{c}{}{name}", space(&c))
        }
    }
}
fn write_layout(to: &mut String, Layout { name, means, bytes, align, fields }: &Layout) {
    writeln!(to, "/* {} */\nstruct {name} {{", comment(means)).unwrap();
    for field in *fields {
        writeln!(to, "    {};{}", declaration(field), behind(field.means)).unwrap();
    }
    let aligned = if *align > 8 { format!(" __attribute__((aligned({align})))") } else { String::new() };
    writeln!(to, "}}{aligned};").unwrap();
    let places = fields.iter().map(|field| format!("offsetof(struct {name}, {}) == {}", field.name, field.offset));
    let all: Vec<String> = std::iter::once(format!("sizeof(struct {name}) == {bytes}")).chain(places).collect();
    writeln!(to, "PEBBLE_LAYOUT_({})", all.join(" &&\n               ")).unwrap();
}
/// What every program sees.
fn section() -> String {
    let mut to = String::new();
    writeln!(to, "#define NPORTALS {} /* entries of a portal table; 0 is \"return\" */", abi::nucleus::NPORTALS)
        .unwrap();
    writeln!(to, "#define NAMELEN {} /* longest name or specification, with its 0 */", abi::nucleus::NAMELEN).unwrap();
    writeln!(to, "/* Portals of every domain. */").unwrap();
    for (name, number) in abi::system::CONSTANTS.iter().filter(|(name, _)| PUBLIC_PORTALS.contains(name)) {
        writeln!(to, "#define SYS_{name} {number}").unwrap();
    }
    writeln!(to, "/* Errors that POSIX does not name. */").unwrap();
    for error in Error::ALL.iter().filter(|&&error| error as u16 >= OWN_ERRORS) {
        writeln!(to, "#define {} {} /* {} */", error.name(), *error as u16, error.text()).unwrap();
    }
    writeln!(to, "#define ESPEC {ESPEC:#x} /* a specification was rejected: -(ESPEC + reason * 256 + position) */")
        .unwrap();
    writeln!(to, "/* Rights to pages. */").unwrap();
    for (name, right) in [("READ", Rights::READ), ("WRITE", Rights::WRITE), ("EXECUTE", Rights::EXECUTE)] {
        writeln!(to, "#define PAGE_{name} {}", right.bits()).unwrap();
    }
    NUMBERS
        .iter()
        .filter(|numbers| numbers.prefix == PUBLIC_NUMBERS)
        .for_each(|numbers| write_numbers(&mut to, numbers));
    let admitted = abi::system::admission::FIRST;
    writeln!(to, "#define PORTAL_ADMITTED {admitted} /* most domains that a registration itself admits */").unwrap();
    // Not in C++, whose word for it is another, and which compiles no part of the system.
    writeln!(to, "#ifdef __cplusplus\n#define PEBBLE_LAYOUT_(holds)\n#else").unwrap();
    writeln!(to, "#define PEBBLE_LAYOUT_(holds) _Static_assert(holds, \"as lib/abi has it\");\n#endif").unwrap();
    LAYOUTS.iter().filter(|layout| layout.name == PUBLIC_LAYOUT).for_each(|layout| write_layout(&mut to, layout));
    to
}
/// What the C library needs beside.
fn library() -> String {
    let mut to = String::from(
        "/* Portals, structures and numbers that the C library shares with the system. Written by ./pebble manual, from lib/abi. */\n\
         #ifndef PEBBLE_ABI_H\n#define PEBBLE_ABI_H\n\n#include <pebble.h>\n\n/* Numbers of the portals that every domain has. */\n",
    );
    for (name, number) in abi::system::CONSTANTS.iter().filter(|(name, _)| !PUBLIC_PORTALS.contains(name)) {
        writeln!(to, "#define SYS_{name} {number}").unwrap();
    }
    writeln!(to, "#define SYS_FIRST_FREE {} /* the first that portal_open gives out */", abi::system::FIRST_FREE)
        .unwrap();
    writeln!(
        to,
        "#define NODE_OF_DISK (1ul << {}) /* in the numbers of the disk's nodes */",
        abi::file::NODE_OF_DISK.trailing_zeros()
    )
    .unwrap();
    let [page, thread, main] = [abi::address::PAGE, abi::address::THREAD_STACK, abi::address::MAIN_STACK];
    writeln!(to, "#define PAGE {page}ul\n#define THREAD_STACK {thread}ul\n#define MAIN_STACK {main}ul").unwrap();
    writeln!(to, "#define KIND_CONSOLE 0\n#define KIND_SOCKET {}", abi::internet::SOCKET).unwrap();
    writeln!(to, "\n/* What errors that POSIX does not name mean: ERROR_TEXTS(X) is X(name, text) for each. */")
        .unwrap();
    write!(to, "#define ERROR_TEXTS(X)").unwrap();
    for error in Error::ALL.iter().filter(|&&error| error as u16 >= OWN_ERRORS) {
        write!(to, " \\\n    X({}, {:?})", error.name(), error.text()).unwrap();
    }
    to.push_str("\n\n");
    for numbers in NUMBERS.iter().filter(|numbers| numbers.prefix != PUBLIC_NUMBERS) {
        write_numbers(&mut to, numbers);
    }
    to.push('\n');
    LAYOUTS.iter().filter(|layout| layout.name != PUBLIC_LAYOUT).for_each(|layout| write_layout(&mut to, layout));
    to.push_str("#endif\n");
    to
}

/// How C passes an argument.
fn parameter(portal: &Portal, n: usize) -> String {
    let letters: Vec<char> = portal.specification.chars().skip(2).collect();
    let argument = &portal.arguments[portal.inserted + n];
    let kind = match argument.kind {
        Kind::Window if matches!(letters[portal.inserted + n], 'r' | 'R') => "const void *",
        Kind::Window => "void *",
        Kind::Domain | Kind::Thread | Kind::Portal | Kind::Semaphore | Kind::Rights => "int ",
        Kind::Number | Kind::Signed | Kind::Identity | Kind::Address | Kind::Ticks | Kind::Moment => "word ",
    };
    format!("{kind}{}", name(argument.name))
}
/// A name that no keyword of C or C++ is.
fn name(name: &str) -> String {
    const KEYWORDS: [&str; 8] = ["new", "delete", "this", "register", "class", "operator", "private", "template"];
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.into() }
}
/// A portal that components call: not one that the nucleus raises, or that servers jump to.
fn is_called(portal: &&Portal) -> bool {
    !portal.specification.starts_with('j') && portal.specification.as_bytes()[1] != b'x'
}
fn write_call(to: &mut String, portal: &Portal) {
    let plain = portal.name.replace('.', "_");
    writeln!(to, "/* {} */", comment(portal.means)).unwrap();
    let mut parameters: Vec<String> = (0..portal.passed().len()).map(|n| parameter(portal, n)).collect();
    let mut passed: Vec<String> = portal.passed().iter().map(|argument| name(argument.name)).collect();
    let number = match portal.number {
        Some(number) => number.to_string(),
        None => {
            writeln!(to, "#define PEBBLE_{} \"{}\" /* {} */", plain.to_uppercase(), portal.name, portal.specification)
                .unwrap();
            parameters.insert(0, "int through".into());
            "through".into()
        }
    };
    passed.insert(0, number);
    let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
    writeln!(
        to,
        "static inline word pebble_{plain}({parameters})\n{{\n    return invoke_portal({});\n}}",
        passed.join(", ")
    )
    .unwrap();
}
/// Calls of all servers.
fn calls(all: &[&Interface]) -> String {
    let mut to = String::from(
        "/*\n * What the system's servers provide: the names of portals, what portal_open takes, with the specification beside, and a function for each that calls\n \
         * it by its number. Those that every domain has need none. A result below 0 is an error. The book, \"The interfaces between system\n \
         * components\", has the same by server. Written by ./pebble manual, from lib/interfaces.\n */\n\
         #ifndef PEBBLE_INTERFACES_H\n#define PEBBLE_INTERFACES_H\n\n#include <pebble.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
    );
    for interface in all {
        writeln!(to, "\n/* ---- {} ---- */\n", interface.title.replace('`', "")).unwrap();
        interface.portals.iter().filter(is_called).for_each(|portal| write_call(&mut to, portal));
    }
    to.push_str("\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    to
}
/// The text of `pebble.h` with the section that must be in it.
fn with_section(text: &str) -> Result<String> {
    let begin =
        text.find(BEGIN).context("lib/c/include/pebble.h has no place for what is written by ./pebble manual")?
            + BEGIN.len();
    let end = begin
        + text[begin..].find(END).context("lib/c/include/pebble.h: what is written by ./pebble manual has no end")?;
    Ok([&text[..begin], &section(), &text[end..]].concat())
}
/// The files, and what must be in them.
fn files(root: &Path) -> Result<[(&'static str, String); 3]> {
    let pebble = std::fs::read_to_string(root.join(PEBBLE)).with_context(|| PEBBLE.to_string())?;
    Ok([(PEBBLE, with_section(&pebble)?), (CALLS, calls(interfaces::ALL)), (LIBRARY, library())])
}

/// Says whether the headers are what the interfaces make.
pub fn check(root: &Path) -> Result<bool> {
    let mut ok = true;
    for (path, must) in files(root)? {
        let is = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        if is == must {
            continue;
        }
        ok = false;
        let line = is.lines().zip(must.lines()).take_while(|(is, must)| is == must).count();
        let of = |text: &str| text.lines().nth(line).unwrap_or("").to_string();
        println!(
            "FAIL: {path}:{}: is \"{}\", and by lib/abi and lib/interfaces \"{}\": ./pebble manual",
            line + 1,
            of(&is),
            of(&must)
        );
    }
    Ok(ok)
}
/// Writes them anew.
pub fn write(root: &Path) -> Result<()> {
    for (path, must) in files(root)? {
        std::fs::write(root.join(path), must).with_context(|| path.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_say_what_the_interfaces_say() {
        assert!(check(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()).unwrap());
    }
    #[test]
    fn a_call_has_the_types_of_its_letters_and_a_number_where_every_domain_has_it() {
        let call = |name| {
            let mut text = String::new();
            write_call(&mut text, interfaces::portal(name).unwrap());
            text
        };
        let rename = call("files.rename");
        assert!(rename.contains("#define PEBBLE_FILES_RENAME \"files.rename\" /* smrr */"), "{rename}");
        assert!(rename.contains("pebble_files_rename(int through, const void *path, const void *new_)"), "{rename}");
        assert!(rename.contains("invoke_portal(through, path, new_)"), "{rename}");
        let close = call("portal.close");
        assert!(close.contains("pebble_portal_close(int portal)\n{\n    return invoke_portal(14, portal);"), "{close}");
        assert!(call("thread.exit").contains("pebble_thread_exit(void)\n{\n    return invoke_portal(2);"));
        assert!(call("console.read").contains("(int through, void *buffer, word bytes)"));
    }
    #[test]
    fn a_structure_is_declared_field_by_field_with_what_must_hold() {
        let mut text = String::new();
        write_layout(&mut text, &abi::file::Entry::LAYOUT);
        assert!(text.contains("    struct status status;\n    char name[NAMELEN]; /* Filled up with zeros. */\n} __attribute__((aligned(128)));"), "{text}");
        assert!(text.contains("offsetof(struct entry, name) == 32)"), "{text}");
        assert_eq!(declaration(&abi::start::Start::LAYOUT.fields[1]), "char **argv");
        assert_eq!(declaration(&abi::internet::Address::LAYOUT.fields[3]), "uint32_t unused[3]");
    }
    #[test]
    fn only_what_is_between_the_marks_is_written_anew() {
        let made = with_section(&format!("before\n{BEGIN}old\n{END}after\n")).unwrap();
        assert_eq!(made, format!("before\n{BEGIN}{}{END}after\n", section()));
    }
    #[test]
    fn a_header_without_the_marks_is_refused() {
        assert!(with_section("nothing\n").unwrap_err().to_string().contains("no place"));
        assert!(with_section(BEGIN).unwrap_err().to_string().contains("no end"));
    }
}
