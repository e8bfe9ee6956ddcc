//! A program as its ELF file has it: segments, entry, symbols.

use crate::Error;
use abi::address::PAGE;
use abi::rights::Rights;
use object::elf;
use object::{Architecture, LittleEndian, Object, ObjectSegment, ObjectSymbol, SegmentFlags};
use std::collections::HashMap;

/// A file that holds a program of the machine. Files of other formats and machines are none, and nothing of them is built.
pub type ElfFile<'a> = object::read::elf::ElfFile64<'a, LittleEndian>;

/// A loadable segment, page-aligned at both ends.
#[derive(Clone, Debug)]
pub struct Segment {
    pub va: u64,
    /// What the file gives; the rest is zero.
    pub bytes: Vec<u8>,
    pub memory_bytes: u64,
    pub rights: Rights,
}
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub entry: u64,
    pub segments: Vec<Segment>,
    pub symbols: HashMap<String, u64>,
}
impl Program {
    pub fn parse(name: &str, file: &[u8]) -> Result<Program, Error> {
        let wrong = |why: &str| Error::Elf(name.to_string(), why.to_string());
        let elf = ElfFile::parse(file).map_err(|e| wrong(&e.to_string()))?;
        if elf.architecture() != Architecture::Riscv64 {
            return Err(wrong("another architecture"));
        }
        let mut segments = Vec::new();
        for segment in elf.segments() {
            let SegmentFlags::Elf { p_flags } = segment.flags() else { return Err(wrong("no segment flags")) };
            let data = segment.data().map_err(|e| wrong(&e.to_string()))?;
            if segment.size() == 0 {
                continue;
            }
            let flags = [(elf::PF_R, Rights::READ), (elf::PF_W, Rights::WRITE), (elf::PF_X, Rights::EXECUTE)];
            let rights = flags.into_iter().filter(|(flag, _)| p_flags & flag != 0).map(|(_, right)| right).collect();
            let start = segment.address() / PAGE as u64 * PAGE as u64;
            let mut bytes = vec![0; (segment.address() - start) as usize];
            bytes.extend_from_slice(data);
            let end = (segment.address() + segment.size()).next_multiple_of(PAGE as u64);
            segments.push(Segment { va: start, bytes, memory_bytes: end - start, rights });
        }
        let symbols = elf.symbols().filter_map(|s| Some((s.name().ok()?.to_string(), s.address()))).collect();
        Ok(Program { name: name.to_string(), entry: elf.entry(), segments, symbols })
    }
    pub fn symbol(&self, name: &str) -> Result<u64, Error> {
        self.symbols.get(name).copied().ok_or_else(|| Error::Symbol(self.name.clone(), name.to_string()))
    }
    /// Where its first segment starts.
    pub fn start(&self) -> u64 {
        self.segments.iter().map(|s| s.va).min().unwrap_or(abi::address::IMAGE_VA as u64)
    }
    /// Where the heap starts: behind the last segment.
    pub fn heap(&self) -> u64 {
        self.segments.iter().map(|s| s.va + s.memory_bytes).max().unwrap_or(abi::address::IMAGE_VA as u64)
    }
    /// Checks that all segments lie where a program's image may.
    pub fn check_private(&self) -> Result<(), Error> {
        for s in &self.segments {
            if s.va < abi::address::IMAGE_VA as u64 || s.va + s.memory_bytes > abi::address::HEAP_END as u64 {
                return Err(Error::Segment(self.name.clone(), s.va));
            }
        }
        if self.segments.len() > abi::archive::SEGMENTS {
            return Err(Error::TooMany("segments"));
        }
        Ok(())
    }
    /// Takes the pages from `start` to `end`, which are zero, out of its segments.
    pub fn leave_out(&mut self, start: u64, end: u64) {
        let Some(n) = self.segments.iter().position(|s| s.va < start && end <= s.va + s.memory_bytes) else { return };
        let whole = &mut self.segments[n];
        let rest = Segment { va: end, bytes: Vec::new(), memory_bytes: whole.va + whole.memory_bytes - end, ..*whole };
        whole.memory_bytes = start - whole.va;
        debug_assert!(whole.bytes.len() as u64 <= whole.memory_bytes);
        if rest.memory_bytes > 0 {
            self.segments.insert(n + 1, rest);
        }
    }
    /// Takes the pages behind `end` out of the segment that it lies in; [`Program::at`] still finds what they hold.
    pub fn cut(&mut self, end: u64) {
        if let Some(s) = self.segments.iter_mut().find(|s| s.va < end && end <= s.va + s.memory_bytes) {
            s.memory_bytes = end.next_multiple_of(PAGE as u64) - s.va;
        }
    }
    /// Moves a program that is a piece of code and nothing else to address `to`; `put` puts it there.
    pub fn move_code(&mut self, to: usize, mut put: impl FnMut(&[u8])) -> Result<(), Error> {
        let Some(code) = self.segments.pop().filter(|s| self.segments.is_empty() && !s.rights.contains(Rights::WRITE))
        else {
            return Err(Error::Segment(self.name.clone(), self.entry));
        };
        if to % PAGE + code.bytes.len() > PAGE {
            return Err(Error::Segment(self.name.clone(), code.va));
        }
        put(&code.bytes);
        self.entry = self.entry - code.va + to as u64;
        Ok(())
    }
    /// `length` bytes at address `va` of the image.
    pub fn at(&self, va: u64, length: usize) -> Option<&[u8]> {
        let s = self.segments.iter().find(|s| va >= s.va && va < s.va + s.bytes.len() as u64)?;
        s.bytes.get((va - s.va) as usize..)?.get(..length)
    }
    /// Overwrites the word at `va`.
    pub fn patch(&mut self, va: u64, word: u64) {
        self.put(va, &word.to_le_bytes());
    }
    /// Overwrites the instruction of 32 bits at `va`.
    pub fn patch_half(&mut self, va: u64, word: u32) {
        self.put(va, &word.to_le_bytes());
    }
    fn put(&mut self, va: u64, bytes: &[u8]) {
        for s in &mut self.segments {
            if va >= s.va && va + bytes.len() as u64 <= s.va + s.bytes.len() as u64 {
                let at = (va - s.va) as usize;
                s.bytes[at..at + bytes.len()].copy_from_slice(bytes);
            }
        }
    }
}
