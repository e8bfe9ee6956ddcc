//! That the machine stays behind its seam: what names a control register, a bit of a page-table entry or an instruction is in `lib/arch`, in the
//! nucleus, or in a tool that is about one machine.
//!
//! Asked in two ways. By name: [`leaks`] looks through the sources of everything else for words that only a back end has a use for. By type:
//! [`other_machine`] has everything but the nucleus checked for x86-64, where those registers are unknown.

use crate::lint;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// What a system is made of: folders that are looked through.
const FOLDERS: [&str; 6] = ["lib", "servers", "drivers", "services", "apps", "systems"];
/// Parts of them that are about one machine, and why.
const OF_ONE_MACHINE: [(&str, &str); 5] = [
    ("lib/arch", "the back ends"),
    ("lib/portal/src/riscv64", "their other half: what portals are made of"),
    ("lib/portal/tests", "look at what that makes"),
    ("lib/verifier", "says of RISC-V code whether it stays in its fault domain"),
    ("lib/mutants", "makes RISC-V code that tries to get out of it"),
];
/// Files that have instructions of their own still: what copies bytes. Each is a debt: the list may only get shorter.
const WITH_INSTRUCTIONS: [&str; 1] = ["lib/pebble/src/bytes.rs"];
/// How these have them: as a file for the assembler.
const OF_INSTRUCTIONS: [&str; 1] = ["global_asm"];
/// How a back end is named where the seam is passed by.
const BACK_ENDS: [&str; 2] = ["riscv64::", "x86_64::"];
/// Words that only a back end has a use for. Those of C are in `lib/c`, which is built by another compiler for each machine.
const WORDS: [&str; 30] = [
    "asm",
    "global_asm",
    "naked_asm",
    "encode",
    "pte",
    "satp",
    "SATP",
    "sstatus",
    "scause",
    "stval",
    "sepc",
    "sscratch",
    "stvec",
    "stimecmp",
    "scounteren",
    "csrr",
    "csrw",
    "csrrw",
    "sfence",
    "sfence_vma",
    "ecall",
    "sret",
    "wfi",
    "unimp",
    "rdcycle",
    "rdtime",
    "hpmcounter",
    "rdtsc",
    "cr3",
    "CR3",
];

/// A word where it must not be.
#[derive(Debug, PartialEq, Eq)]
pub struct Leak {
    file: String,
    line: usize,
    word: &'static str,
}
impl std::fmt::Display for Leak {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Leak { file, line, word } = self;
        write!(f, "{file}:{line}: `{word}` belongs behind lib/arch")
    }
}

/// All that leaks below `root`, and the files that are said to have instructions and have none.
pub fn leaks(root: &Path) -> Result<(Vec<Leak>, Vec<&'static str>)> {
    let (mut leaks, mut with) = (Vec::new(), Vec::new());
    for path in sources(root)? {
        let file = path.strip_prefix(root)?.to_string_lossy().into_owned();
        if OF_ONE_MACHINE.iter().any(|(folder, _)| path.starts_with(root.join(folder))) {
            continue;
        }
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {file}"))?;
        let debt = WITH_INSTRUCTIONS.iter().find(|known| **known == file);
        for (line, word) in machine_words(&text) {
            match debt {
                Some(known) if OF_INSTRUCTIONS.contains(&word) => with.push(*known),
                _ => leaks.push(Leak { file: file.clone(), line, word }),
            }
        }
    }
    let paid = WITH_INSTRUCTIONS.into_iter().filter(|known| !with.contains(known));
    Ok((leaks, paid.collect()))
}
/// The Rust sources of the system below `root`.
pub fn sources(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|f| root.join(f)).filter(|f| f.is_dir()).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            match path.extension() {
                _ if path.is_dir() && !path.ends_with("target") => folders.push(path),
                Some(extension) if extension == "rs" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    Ok(found)
}
/// The machine's words in a source, and their lines. What stands in a comment is for readers, and may name what it likes; so may a method.
fn machine_words(text: &str) -> impl Iterator<Item = (usize, &'static str)> + '_ {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.lines().enumerate().flat_map(move |(n, line)| {
        let code = line.split("//").next().unwrap_or(line);
        let back_ends = BACK_ENDS.into_iter().filter(|name| code.contains(name)).map(move |name| (n + 1, name));
        let is_method = |word: &str| code[..word.as_ptr().addr() - code.as_ptr().addr()].ends_with('.');
        let words = code.split(move |c| !part(c)).filter(move |word| !is_method(word));
        let known = move |word| WORDS.into_iter().find(|known| *known == word).map(|known| (n + 1, known));
        words.filter_map(known).chain(back_ends)
    })
}

/// Says what leaks; whether nothing does.
pub fn check(root: &Path) -> Result<bool> {
    let (leaks, paid) = leaks(root)?;
    leaks.iter().for_each(|leak| println!("FAIL: {leak}"));
    paid.iter()
        .for_each(|file| println!("FAIL: {file} has no instructions any more: take it out of the list in seam.rs"));
    let debts = WITH_INSTRUCTIONS.len();
    println!("seam of the machine: {} leaks; {debts} files with instructions of their own", leaks.len());
    Ok(leaks.is_empty() && paid.is_empty())
}
/// The compiler's target is one without SSE, which a library of cryptography (`ring`, of `services/https`) does without on no x86-64.
const WITH_SSE: [(&str, &str); 1] =
    [("CARGO_TARGET_X86_64_UNKNOWN_NONE_RUSTFLAGS", "-Ctarget-feature=-soft-float,+sse,+sse2")];

/// Has all that runs on the machine but the nucleus checked for x86-64, whose back end has page tables and little else yet.
pub fn other_machine(root: &Path) -> bool {
    let arguments = format!(
        "--workspace {} --exclude nucleus --exclude manifest --exclude hosts --target x86_64-unknown-none -Zbuild-std=core,alloc",
        lint::WITHOUT_HOST
    );
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    lint::tool_with(root, "check", "x86-64", &arguments, "rustc", &WITH_SSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
    }
    #[test]
    fn nothing_of_the_machine_has_leaked() {
        let (leaks, paid) = leaks(&root()).unwrap();
        assert!(leaks.is_empty() && paid.is_empty(), "{leaks:?} {paid:?}");
    }
    #[test]
    fn a_register_an_instruction_or_an_entrys_bit_is_a_leak() {
        let folder = std::env::temp_dir().join(format!("pebble-seam-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("drivers/one/src")).unwrap();
        let file = folder.join("drivers/one/src/main.rs");
        for code in [
            "asm!(\"nop\")",
            "unsafe { core::arch::asm!(\"ecall\") }",
            "entry & pte::V",
            "let satp = 8 << 60;",
            "use portal::encode::*;",
            "use arch::riscv64::paging::Entry;",
        ] {
            std::fs::write(&file, format!("fn main() {{\n    {code}\n}}\n")).unwrap();
            let found = leaks(&folder).unwrap().0;
            assert!(
                found.iter().any(|leak| leak.line == 2 && leak.file == "drivers/one/src/main.rs"),
                "{code}: {found:?}"
            );
        }
        std::fs::write(
            &file,
            "//! It makes no `ecall` itself.\nfn passed(encoded: u8) { record.encode(encoded) } // no asm!\n",
        )
        .unwrap();
        let found = leaks(&folder).unwrap().0;
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, []);
    }
    #[test]
    fn what_is_about_one_machine_says_why_and_is_there() {
        for (folder, why) in OF_ONE_MACHINE {
            assert!(root().join(folder).is_dir() && !why.is_empty(), "{folder}");
        }
    }
}
