//! A core file: an ELF file of a process's memory and registers, as gdb reads it of a machine without a system of its own (System V ABI, "Core
//! files"; the notes are Linux's for RISC-V, which BFD knows them by).

/// A part of an address space.
pub struct Part {
    pub start: u64,
    pub bytes: Vec<u8>,
    pub writable: bool,
    pub executable: bool,
}
/// The registers of a thread: its program counter, then `x1` to `x31`.
pub struct Thread {
    pub number: u32,
    pub registers: [u64; 32],
}

const HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
const PAGE: usize = 4096;

/// The structure `elf_prstatus`: its length, and where signal, thread and registers are.
const STATUS: (usize, usize, usize, usize) = (376, 12, 32, 112);
/// The structure `elf_prpsinfo`: its length, and where the program's name and its words are, with their lengths.
const INFO: (usize, usize, usize) = (136, 40, 56);
const NAME: usize = 15;

fn put(to: &mut [u8], at: usize, value: &[u8]) {
    to[at..at + value.len()].copy_from_slice(value);
}
/// A note of the kind with this number.
fn note(all: &mut Vec<u8>, kind: u32, body: &[u8]) {
    for word in [5, body.len() as u32, kind] {
        all.extend(word.to_le_bytes());
    }
    all.extend(b"CORE\0\0\0\0");
    all.extend(body);
    all.resize(all.len().next_multiple_of(4), 0);
}
/// What is said of the threads, of which the first has got the signal, and of the program.
fn notes(name: &str, file: &str, signal: u16, threads: &[Thread]) -> Vec<u8> {
    const STATUS_NOTE: u32 = 1;
    const INFO_NOTE: u32 = 3;
    let mut all = Vec::new();
    for (n, thread) in threads.iter().enumerate() {
        let (length, at_signal, at_thread, at_registers) = STATUS;
        let mut status = vec![0; length];
        put(&mut status, at_signal, &(if n == 0 { signal } else { 0 }).to_le_bytes());
        put(&mut status, at_thread, &thread.number.to_le_bytes());
        let registers: Vec<u8> = thread.registers.iter().flat_map(|register| register.to_le_bytes()).collect();
        put(&mut status, at_registers, &registers);
        note(&mut all, STATUS_NOTE, &status);
        if n == 0 {
            let (length, at_name, at_words) = INFO;
            let mut info = vec![0; length];
            put(&mut info, at_name, &file.as_bytes()[..file.len().min(NAME)]);
            put(&mut info, at_words, &name.as_bytes()[..name.len().min(NAME)]);
            note(&mut all, INFO_NOTE, &info);
        }
    }
    all
}
/// The file of these threads and parts, of a program that is in `file`: debuggers compare that with the one that they are given.
pub fn core(name: &str, file: &str, signal: u16, threads: &[Thread], parts: &[Part]) -> Vec<u8> {
    const CORE: u16 = 4;
    const RISCV: u16 = 243;
    /// Compressed instructions, double-precision arguments.
    const FLAGS: u32 = 5;
    const LOAD: u32 = 1;
    const NOTE: u32 = 4;
    let notes = notes(name, file, signal, threads);
    let headers = HEADER + PROGRAM_HEADER * (1 + parts.len());
    let mut all = vec![0; headers];
    put(&mut all, 0, b"\x7fELF\x02\x01\x01");
    put(&mut all, 16, &CORE.to_le_bytes());
    put(&mut all, 18, &RISCV.to_le_bytes());
    put(&mut all, 20, &1u32.to_le_bytes());
    put(&mut all, 32, &(HEADER as u64).to_le_bytes());
    put(&mut all, 48, &FLAGS.to_le_bytes());
    put(&mut all, 52, &(HEADER as u16).to_le_bytes());
    put(&mut all, 54, &(PROGRAM_HEADER as u16).to_le_bytes());
    put(&mut all, 56, &(1 + parts.len() as u16).to_le_bytes());
    let header = |file: &mut Vec<u8>, n: usize, kind: u32, flags: u32, address: u64, length: usize| {
        let (at, lies) = (HEADER + PROGRAM_HEADER * n, file.len() as u64);
        put(file, at, &kind.to_le_bytes());
        put(file, at + 4, &flags.to_le_bytes());
        let align = if kind == LOAD { PAGE as u64 } else { 4 };
        for (field, value) in [lies, address, 0, length as u64, length as u64, align].into_iter().enumerate() {
            put(file, at + 8 + 8 * field, &value.to_le_bytes());
        }
    };
    header(&mut all, 0, NOTE, 4, 0, notes.len());
    all.extend(notes);
    for (n, part) in parts.iter().enumerate() {
        all.resize(all.len().next_multiple_of(PAGE), 0);
        let flags = 4 | ((part.writable as u32) << 1) | part.executable as u32;
        header(&mut all, 1 + n, LOAD, flags, part.start, part.bytes.len());
        all.extend(&part.bytes);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Object, ObjectSegment};
    #[test]
    fn a_core_file_has_the_memory_and_the_registers() {
        let part = |start, byte| Part { start, bytes: vec![byte; PAGE], writable: byte == 2, executable: false };
        let mut registers = [0; 32];
        (registers[0], registers[2]) = (0x4003a, 0x3fff0);
        let threads = [Thread { number: 9, registers }, Thread { number: 3, registers: [1; 32] }];
        let file = core("a-program-of-a-long-name", "p.elf", 11, &threads, &[part(0x40000, 1), part(0x41000, 2)]);
        let elf = image::ElfFile::parse(&*file).unwrap();
        assert_eq!((elf.kind(), elf.architecture()), (object::ObjectKind::Core, object::Architecture::Riscv64));
        let segments: Vec<(u64, u8)> = elf.segments().map(|s| (s.address(), s.data().unwrap()[0])).collect();
        assert_eq!(segments, [(0x40000, 1), (0x41000, 2)]);
        let all = notes("p", "p.elf", 11, &threads);
        let has = |value: &[u8]| all.windows(value.len()).any(|part| part == value);
        assert!(has(&0x4003au64.to_le_bytes()) && has(&[1u64.to_le_bytes(); 31].concat()));
        assert_eq!(all.len(), 2 * (20 + 376) + 20 + 136);
    }
}
