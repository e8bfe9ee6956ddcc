//! A program of a fault domain, as the linker leaves it: an ELF file of position-independent code that begins at offset 0 of its segment. Whatever
//! is wrong with the file is an error here or in the verifier.

use crate::{Layout, VARIABLES, VARIABLES_END};
use abi::Error;
use abi::address::PAGE;
use alloc::vec::Vec;
use core::ops::Range;
use fallible::{TryPush, collected, zero_bytes};
use object::LittleEndian as Little;
use object::elf::*;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, Rela};
use verifier::segment::CODE;

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It is no ELF file of RISC-V 64 that can be loaded anywhere.
    Header,
    /// Something lies outside of its segment, or twice in one place.
    Place,
    /// There is not one range of code, or it can be written.
    Code,
    /// A relocation that is not of a whole word of data, to the segment's base.
    Relocation,
    /// More variables of a thread than there is room for.
    Variables,
    /// It begins outside of its code.
    Entry,
    /// Nothing is: there is no memory for what is read of it.
    Memory,
}
impl From<Error> for Malformed {
    fn from(_: Error) -> Malformed {
        Malformed::Memory
    }
}
impl Malformed {
    pub fn text(self) -> &'static str {
        match self {
            Malformed::Header => "it is no program of a fault domain",
            Malformed::Place => "a part of it lies outside of its segment, or in another",
            Malformed::Code => "it has no code, or several ranges of it, or code that can be written",
            Malformed::Relocation => "a relocation that is not of a word of data",
            Malformed::Variables => "there is no room for a thread's variables",
            Malformed::Entry => "it begins outside of its code",
            Malformed::Memory => Error::ENOMEM.text(),
        }
    }
}

/// A range of pages.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Its first address, a page's.
    pub start: u64,
    /// Up to where the file has it; the rest is zeros.
    pub bytes: Vec<u8>,
    /// Whole pages.
    pub size: u64,
    pub write: bool,
    pub execute: bool,
}
impl Part {
    pub fn range(&self) -> Range<u64> {
        self.start..self.start + self.size
    }
}
/// A program whose addresses are those of its segment.
#[derive(Debug)]
pub struct Image {
    pub parts: Vec<Part>,
    pub entry: u64,
    /// What a thread's variables are in the beginning, and how many bytes they are.
    pub variables: (Vec<u8>, u64),
    /// Where the heap may begin.
    pub heap: u64,
}

const PAGE_BYTES: u64 = PAGE as u64;

impl Image {
    pub fn parse(file: &[u8], layout: &Layout) -> Result<Image, Malformed> {
        let header = FileHeader64::<Little>::parse(file).map_err(|_| Malformed::Header)?;
        if header.e_type(Little) != ET_DYN
            || header.e_machine(Little) != EM_RISCV
            || !header.e_phoff(Little).is_multiple_of(8)
        {
            return Err(Malformed::Header);
        }
        let headers = header.program_headers(Little, file).map_err(|_| Malformed::Header)?;
        let mut image = Image { parts: Vec::new(), entry: 0, variables: (Vec::new(), 0), heap: 0 };
        let mut relocations = None;
        for header in headers {
            match header.p_type(Little) {
                PT_LOAD if header.p_memsz(Little) > 0 => image.add(header, file, layout)?,
                PT_TLS => {
                    let bytes = header.data(Little, file).map_err(|_| Malformed::Place)?;
                    image.variables = (collected(bytes.iter().copied())?, header.p_memsz(Little));
                    if header.p_memsz(Little) > VARIABLES_END - VARIABLES || bytes.len() as u64 > header.p_memsz(Little)
                    {
                        return Err(Malformed::Variables);
                    }
                }
                PT_DYNAMIC => relocations = header.dynamic(Little, file).map_err(|_| Malformed::Relocation)?,
                _ => {}
            }
        }
        image.parts.sort_unstable_by_key(|part| part.start);
        if image.parts.windows(2).any(|two| two[0].range().end > two[1].start) {
            return Err(Malformed::Place);
        }
        image.heap = image.parts.last().ok_or(Malformed::Code)?.range().end;
        image.entry = layout.base().checked_add(header.e_entry(Little)).ok_or(Malformed::Entry)?;
        let code = image.code()?;
        if !code.range().contains(&image.entry) || !image.entry.is_multiple_of(4) {
            return Err(Malformed::Entry);
        }
        if let Some(dynamic) = relocations {
            image.relocate(dynamic, layout.base())?;
        }
        Ok(image)
    }
    /// The one part that is executed.
    pub fn code(&self) -> Result<&Part, Malformed> {
        let mut code = self.parts.iter().filter(|part| part.execute);
        match (code.next(), code.next()) {
            (Some(part), None) if !part.write => Ok(part),
            _ => Err(Malformed::Code),
        }
    }
    fn add(&mut self, header: &ProgramHeader64<Little>, file: &[u8], layout: &Layout) -> Result<(), Malformed> {
        let (offset, size) = (header.p_vaddr(Little), header.p_memsz(Little));
        let data = header.data(Little, file).map_err(|_| Malformed::Place)?;
        let first = offset / PAGE_BYTES * PAGE_BYTES;
        let end = offset.checked_add(size).ok_or(Malformed::Place)?;
        // The jump table and a thread's variables are the host's to lay out.
        if first < VARIABLES_END || first < CODE || end > layout.top() - layout.base() || data.len() as u64 > size {
            return Err(Malformed::Place);
        }
        let before = (offset - first) as usize;
        let mut bytes = zero_bytes(before + data.len())?;
        bytes[before..].copy_from_slice(data);
        self.parts.try_push(Part {
            start: layout.base() + first,
            bytes,
            size: end.next_multiple_of(PAGE_BYTES) - first,
            write: header.p_flags(Little) & PF_W != 0,
            execute: header.p_flags(Little) & PF_X != 0,
        })?;
        Ok(())
    }
    /// Adds the segment's base to the words that are to have it.
    fn relocate(&mut self, dynamic: &[Dyn64<Little>], base: u64) -> Result<(), Malformed> {
        let value = |tag: u32| {
            let entry = dynamic.iter().find(|entry| entry.d_tag(Little) == u64::from(tag));
            entry.map_or(0, |entry| entry.d_val(Little))
        };
        let (table, bytes) = (value(DT_RELA), value(DT_RELASZ));
        let wrong = Malformed::Relocation;
        if bytes == 0 {
            return Ok(());
        }
        let start = base.checked_add(table).ok_or(wrong)?;
        let list: Vec<u8> = collected(self.slice(start, bytes).ok_or(wrong)?.iter().copied())?;
        let (entries, rest) =
            object::pod::slice_from_bytes::<Rela64<Little>>(&list, bytes as usize / 24).map_err(|()| wrong)?;
        if !rest.is_empty() {
            return Err(wrong);
        }
        for entry in entries {
            if entry.r_type(Little, false) != R_RISCV_RELATIVE {
                return Err(wrong);
            }
            let place = base.checked_add(entry.r_offset(Little)).ok_or(wrong)?;
            let target = base.wrapping_add_signed(entry.r_addend(Little));
            let part = self.parts.iter_mut().find(|part| part.range().contains(&place)).ok_or(wrong)?;
            let at = (place - part.start) as usize;
            let end = at.checked_add(8).filter(|end| *end as u64 <= part.size).ok_or(wrong)?;
            if part.execute {
                return Err(wrong);
            }
            if part.bytes.len() < end {
                part.bytes.room_for(end - part.bytes.len())?;
                part.bytes.resize(end, 0);
            }
            part.bytes[at..end].copy_from_slice(&target.to_le_bytes());
        }
        Ok(())
    }
    /// Bytes that the file has.
    fn slice(&self, start: u64, bytes: u64) -> Option<&[u8]> {
        let part = self.parts.iter().find(|part| part.range().contains(&start))?;
        let at = (start - part.start) as usize;
        part.bytes.get(at..at.checked_add(usize::try_from(bytes).ok()?)?)
    }
}
/// The words of code. `ENOMEM`.
pub fn words(part: &Part) -> Result<Vec<u32>, Error> {
    collected(part.bytes.chunks(4).map(|word| word.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte))))
}
