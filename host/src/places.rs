//! Where in its source a program was stopped: what `exec` says behind the program counter of a fault's report.

use crate::fault_domain::function;
use addr2line::Context;
use gimli::{Dwarf, EndianSlice, LittleEndian};
use object::{Object, ObjectSection, SectionKind};
use std::path::Path;

type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// What a report of a fault says before the program counter, and before the name of the domain.
const COUNTER: &str = ", pc 0x";
const DOMAIN: &str = " (domain ";
const START: &str = "pebble: ";

/// Names function, file and line in the reports of faults in `log`. `program` is the ELF file of who is called so; paths below `here`
/// are shown from there. A line that is no such report, or whose address is not known, stays as it is.
pub fn with_places<'a>(log: &str, here: &Path, program: impl Fn(&str) -> Option<&'a [u8]>) -> String {
    let line = |line: &str| placed(line, here, &program).unwrap_or_else(|| line.to_string()) + "\n";
    log.lines().map(line).collect()
}
fn placed<'a>(line: &str, here: &Path, program: impl Fn(&str) -> Option<&'a [u8]>) -> Option<String> {
    let name = line.strip_prefix(START)?.split_once(DOMAIN)?.0;
    let at = line.find(COUNTER)? + COUNTER.len();
    let digits = line[at..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(line.len() - at);
    let (start, behind) = line.split_at(at + digits);
    // An address in a fault domain is not one of the program that its host is.
    if behind.starts_with(" of its ") {
        return None;
    }
    let address = u64::from_str_radix(&start[at..], 16).ok()?;
    Some(format!("{start} ({}){behind}", place(program(name)?, address, here)?))
}
/// What a report of a fault says behind the place in a fault domain's program.
const PLACE: &str = " of its program)";
/// Names the functions of `program` in a report: `(0x204d0 of its program)` gets the one that is there, and its line, as far as they are known. Paths
/// below `here` are shown from there.
pub fn with_names(report: &str, program: &[u8], here: &Path) -> String {
    let line = |line: &str| {
        let named = line.strip_suffix(PLACE).and_then(|start| {
            let address = u64::from_str_radix(start.rsplit_once("(0x")?.1, 16).ok()?;
            let (name, distance) = function(program, address)?;
            let name = format!("{:#}", rustc_demangle::demangle(&name));
            let place = match place(program, address, here) {
                None => String::new(),
                // The same function first: only where.
                Some(place) => match place.strip_prefix(&*name).filter(|rest| rest.starts_with(" at ")) {
                    Some(line) => line.to_string(),
                    None => format!(", {place}"),
                },
            };
            Some(format!("{start} of its program, {name}+{distance:#x}{place})"))
        });
        named.unwrap_or_else(|| line.to_string()) + "\n"
    };
    report.lines().map(line).collect()
}
/// `deep at file.c:2, in main at file.c:3`: the function of `address` and those that it is inlined in, as far as the debug information
/// of the program says.
fn place(program: &[u8], address: u64, here: &Path) -> Option<String> {
    let file = image::ElfFile::parse(program).ok()?;
    // Functions that the linker has left out have lines, too: at address 0.
    let mut code = file.sections().filter(|section| section.kind() == SectionKind::Text);
    code.find(|section| address.wrapping_sub(section.address()) < section.size())?;
    let section = |id: gimli::SectionId| -> Result<Bytes, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|section| section.data().ok());
        Ok(EndianSlice::new(data.unwrap_or(&[]), LittleEndian))
    };
    let context = Context::from_dwarf(Dwarf::load(section).ok()?).ok()?;
    let mut frames = context.find_frames(address).skip_all_loads().ok()?;
    let mut said = Vec::new();
    // Damaged information ends the list.
    while let Ok(Some(frame)) = frames.next() {
        let own = frame.function.and_then(|function| Some(function.raw_name().ok()?.into_owned()));
        // Where there are only lines, a function that nothing is inlined in is no more than a symbol.
        let Some(name) = own.or_else(|| Some(function(program, address)?.0)) else { continue };
        let name = format!("{:#}", rustc_demangle::demangle(&name));
        let line = frame.location.and_then(|at| Some((shown(at.file?, here), at.line?)));
        said.push(line.map_or(name.clone(), |(file, line)| format!("{name} at {file}:{line}")));
    }
    (!said.is_empty()).then(|| said.join(", in "))
}
fn shown(file: &str, here: &Path) -> String {
    Path::new(file).strip_prefix(here).unwrap_or(Path::new(file)).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::ObjectSymbol;

    const REPORT: &str = "pebble: one (domain 9) was stopped: load page fault at address 0x0, pc 0x";

    /// A program of this machine, compiled with its lines, with a function in the fourth of them; and the address of that.
    fn built() -> (Vec<u8>, u64) {
        let folder = tempfile::tempdir().unwrap();
        let source = "int black_box;\n\n__attribute__((noinline))\nint a_place(void) { return black_box; }\n\nint main(void) { return a_place(); }\n";
        std::fs::write(folder.path().join("places.c"), source).unwrap();
        let mut compiler = std::process::Command::new("cc");
        let compiled = compiler.args(["-g", "-O1", "-o", "places", "places.c"]).current_dir(&folder).status();
        assert!(compiled.unwrap().success());
        let bytes = std::fs::read(folder.path().join("places")).unwrap();
        let file = image::ElfFile::parse(&*bytes).unwrap();
        let address = file.symbols().find(|symbol| symbol.name() == Ok("a_place")).unwrap().address();
        (bytes, address)
    }
    #[test]
    fn a_fault_has_function_file_and_line() {
        let (bytes, address) = built();
        let log = format!("before\n{REPORT}{address:x}, which its own handler did not answer\n");
        let said = with_places(&log, Path::new("/"), |name| (name == "one").then_some(&bytes[..]));
        assert!(said.starts_with(&format!("before\n{REPORT}{address:x} (a_place at ")), "{said}");
        assert!(said.ends_with("places.c:4), which its own handler did not answer\n"), "{said}");
    }
    #[test]
    fn a_report_stays_as_it_is_where_the_place_is_not_known() {
        let (bytes, address) = built();
        let same = |log: String, program: Option<&[u8]>| {
            assert_eq!(with_places(&log, Path::new("/"), |_| program), log);
        };
        same(format!("{REPORT}0\n"), Some(&bytes));
        same(format!("{REPORT}{address:x}\n"), None);
        same(format!("{REPORT}{address:x}\n"), Some(b"no program"));
        same(format!("{REPORT}{address:x} of its fault domain (0x1 of its program)\n"), Some(&bytes));
        same(format!("{REPORT}\n{REPORT}{}\n", "f".repeat(17)), Some(&bytes));
        same(format!("{}{address:x}\n", &REPORT[1..]), Some(&bytes));
        same("pebble: one (domain 9) was killed\n".into(), Some(&bytes));
    }

    #[test]
    fn a_report_without_a_place_or_a_program_stays_as_it_is() {
        let text = "pebble: a (domain 9) was stopped: breakpoint, pc 0x18020000 of its fault domain (0x20000 of its program)\nmore\n";
        assert_eq!(with_names(text, b"no program", Path::new("/")), text);
        assert_eq!(with_names("one (0xzz of its program)\n", b"", Path::new("/")), "one (0xzz of its program)\n");
    }
    #[test]
    fn a_functions_address_has_its_name() {
        let (bytes, address) = built();
        let report = format!("pc 1 (0x{:x} of its program)\n", address + 4);
        let said = with_names(&report, &bytes, Path::new("/"));
        assert!(said.contains("a_place+0x4") && said.ends_with(")\n"), "{said}");
    }
}
