//! The other decoder: `objdump` of GNU binutils, which comes with the cross compiler.

use anyhow::{Context, Result, bail, ensure};
use std::process::Command;
use verifier::{Set, Uses};

const ASSEMBLER: &str = "riscv64-unknown-elf-as";
const OBJDUMP: &str = "riscv64-unknown-elf-objdump";
const ISA: &str = "-march=rv64imafd_zicsr_zifencei_zba";

fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What its name says that an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    Nothing,
    First,
}
/// The instructions of RV64IMAFD and Zba that a fault domain may have, without the suffixes of `aq` and `rl`.
fn writes(name: &str) -> Option<Writes> {
    let atomic =
        ["lr", "sc", "amoswap", "amoadd", "amoxor", "amoand", "amoor", "amomin", "amomax", "amominu", "amomaxu"];
    if let Some((kind, width)) = name.split_once('.')
        && atomic.contains(&kind)
    {
        let width = width.split('.').next();
        return matches!(width, Some("w" | "d")).then_some(Writes::First);
    }
    match name {
        "sb" | "sh" | "sw" | "sd" | "fsw" | "fsd" | "beq" | "bne" | "blt" | "bge" | "bltu" | "bgeu" | "fence"
        | "fence.tso" | "pause" | "ebreak" => Some(Writes::Nothing),
        "lui" | "auipc" | "jal" | "jalr" | "lb" | "lh" | "lw" | "ld" | "lbu" | "lhu" | "lwu" | "flw" | "fld"
        | "addi" | "slti" | "sltiu" | "xori" | "ori" | "andi" | "slli" | "srli" | "srai" | "addiw" | "slliw"
        | "srliw" | "sraiw" | "add" | "sub" | "sll" | "slt" | "sltu" | "xor" | "srl" | "sra" | "or" | "and"
        | "addw" | "subw" | "sllw" | "srlw" | "sraw" | "mul" | "mulh" | "mulhsu" | "mulhu" | "div" | "divu" | "rem"
        | "remu" | "mulw" | "divw" | "divuw" | "remw" | "remuw" | "add.uw" | "sh1add" | "sh2add" | "sh3add"
        | "sh1add.uw" | "sh2add.uw" | "sh3add.uw" | "slli.uw" | "csrrw" | "csrrs" | "csrrc" | "csrrwi" | "csrrsi"
        | "csrrci" => Some(Writes::First),
        _ if name.starts_with('f') && (name.contains(".s") || name.contains(".d") || name.contains(".x")) => {
            Some(Writes::First)
        }
        _ => None,
    }
}
/// The integer or floating-point register of that name.
fn register(name: &str) -> Option<Set> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|n| *n < 32);
    if let Some(n) = name.strip_prefix('x').and_then(number) {
        return Some(Set { integer: (1 << n) & !1, floating: 0 });
    }
    name.strip_prefix('f').and_then(number).map(|n| Set { integer: 0, floating: 1 << n })
}
/// What a disassembled instruction does to registers.
fn uses(name: &str, operands: &str) -> Option<Uses> {
    // Where it jumps to, once more as a name.
    let operands = operands.split(" <").next()?;
    let all = operands.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let first = usize::from(writes(name)? == Writes::First);
    let changes = operands.split([',', ' ']).next().filter(|_| first == 1).map_or(Some(Set::default()), register)?;
    // Where it jumps to is a hexadecimal number, which may look like a register.
    let targets = usize::from(name == "jal" || name.starts_with('b'));
    let named: Vec<&str> = all.collect();
    let read = named.get(first..named.len().saturating_sub(targets)).unwrap_or(&[]);
    let reads = read.iter().filter_map(|name| register(name)).fold(Set::default(), |sum, one| Set {
        integer: sum.integer | one.integer,
        floating: sum.floating | one.floating,
    });
    let computes = name.starts_with('f') && !["fence", "fence.tso", "flw", "fld", "fsw", "fsd"].contains(&name);
    let flags = computes || named.iter().any(|name| ["fflags", "frm", "fcsr"].contains(name));
    Some(Uses { changes, reads, flags })
}

/// Compares what the verifier says of single words with what `objdump` says.
pub fn compare(words: &[(u32, Uses)]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (source, object) = (folder.path().join("words.s"), folder.path().join("words.o"));
    let lines: String = words.iter().map(|(word, _)| format!(".insn 4, {word:#x}\n")).collect();
    std::fs::write(&source, lines)?;
    // The disassembler reads of the object file which extensions there are.
    run(Command::new(ASSEMBLER).arg(ISA).arg(&source).arg("-o").arg(&object))?;
    let text = run(Command::new(OBJDUMP).args(["-d", "-z", "-M", "numeric,no-aliases"]).arg(&object))?;
    let mut seen = 0;
    for line in text.lines() {
        let mut columns = line.trim().split('\t');
        let Some(place) = columns.next().and_then(|place| place.strip_suffix(':')) else { continue };
        let Ok(place) = usize::from_str_radix(place, 16) else { continue };
        let (_, name, operands) = (columns.next(), columns.next().unwrap_or(""), columns.next().unwrap_or(""));
        ensure!(place == 4 * seen, "it reads {line:?} as another number of bytes");
        let (word, ours) = words[seen];
        match uses(name.trim(), operands) {
            Some(theirs) if theirs == ours => seen += 1,
            Some(theirs) => bail!("{word:#010x}: {ours:x?}, but {name} {operands} is {theirs:x?}"),
            None => bail!("{word:#010x} is accepted, but is {name:?} {operands:?}"),
        }
    }
    ensure!(seen == words.len(), "{seen} of {} words were read", words.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_found() {
        // add a0, a1, a2
        let word = 0x00c5_8533;
        let set = |integer| Set { integer, floating: 0 };
        let uses = Uses { changes: set(1 << 10), reads: set(3 << 11), flags: false };
        compare(&[(word, uses)]).unwrap();
        assert!(compare(&[(word, Uses { changes: set(1 << 11), ..uses })]).is_err());
        assert!(compare(&[(word, Uses { reads: set(1 << 11), ..uses })]).is_err());
        // ecall, and nothing at all
        assert!(compare(&[(0x73, Uses::default())]).is_err());
        assert!(compare(&[(0xffff_ffff, Uses::default())]).is_err());
    }
}
