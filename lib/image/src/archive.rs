//! The archive: the images of the components that `init` starts, the system description, and files.

use crate::{Error, Parts, Program, hosted, relocations, supervisor};
use abi::address::PAGE;
use abi::archive::{File, Header, Image, MAGIC, SEGMENTS, Segment};
use abi::enclosure;
use abi::rights::Rights;
use abi::section::{NAME, fitted};
use manifest::{Component, Isolation, System};
use object::LittleEndian;
use object::read::elf::ProgramHeader;

/// The bytes of a plain structure.
fn bytes_of<T>(value: &T) -> &[u8] {
    // SAFETY: the archive's structures are repr(C), made of u64 and byte arrays, without padding.
    unsafe { std::slice::from_raw_parts((value as *const T).cast(), size_of::<T>()) }
}

/// The program that hosts software fault domains.
pub const HOST: &str = "enclosure";

/// Adds a program to the archive; `supervisor`: that of a supervisor domain, and where such domains call portals.
fn add(out: &mut Vec<u8>, name: &str, file: &[u8], supervisor: Option<u64>) -> Result<Image, Error> {
    let mut program = Program::parse(name, file)?;
    if let Some(call) = supervisor {
        supervisor::convert(&mut program, file, call)?;
    }
    program.check_private()?;
    let mut image = Image {
        name: [0; NAME],
        entry: program.entry,
        heap: program.heap(),
        segment_count: program.segments.len() as u64,
        segments: [Segment::default(); SEGMENTS],
        relocations: 0,
        relocation_count: 0,
    };
    for (place, segment) in image.segments.iter_mut().zip(&program.segments) {
        *place = Segment {
            va: segment.va,
            offset: out.len() as u64,
            file_bytes: segment.bytes.len() as u64,
            memory_bytes: segment.memory_bytes,
            rights: segment.rights.bits(),
        };
        out.extend_from_slice(&segment.bytes);
        out.resize(out.len().next_multiple_of(PAGE), 0);
    }
    Ok(image)
}
/// A program's file up to the end of what is loaded of it: what comes behind is for debuggers.
pub fn loaded_part(file: &[u8]) -> &[u8] {
    let Ok(program) = crate::ElfFile::parse(file) else { return file };
    let ends = program.elf_program_headers().iter().map(|header| {
        let (offset, bytes) = header.file_range(LittleEndian);
        offset.saturating_add(bytes)
    });
    let end = ends.max().and_then(|end| usize::try_from(end).ok()).unwrap_or(file.len());
    file.get(..end).unwrap_or(file)
}
/// Adds the programs of software fault domains that share an address space: the image is that of the host, which all share, with the programs'
/// files beside it.
fn beside(out: &mut Vec<u8>, host: &Image, programs: &[(&Component, &[u8])]) -> Result<Image, Error> {
    let mut image = *host;
    let place = image.segments.get_mut(host.segment_count as usize).ok_or(Error::TooMany("segments"))?;
    let start = out.len();
    for (n, &(component, file)) in programs.iter().enumerate() {
        let file = loaded_part(file);
        let alone = programs.len() == 1;
        let block = if alone { Ok(Vec::new()) } else { postcard::to_stdvec(component) };
        let block = block.map_err(|_| Error::TooMany("names in a fault domain's block"))?;
        let header = enclosure::Header {
            magic: enclosure::MAGIC,
            bytes: file.len() as u64,
            loads: u64::from(component.loads),
            form: component.form as u64,
            block: block.len() as u64,
            more: u64::from(n + 1 < programs.len()),
        };
        for part in [bytes_of(&header), file, &block] {
            out.extend_from_slice(part);
            out.resize(out.len().next_multiple_of(8), 0);
        }
    }
    let bytes = out.len() - start;
    if bytes > enclosure::PROGRAM_BYTES {
        return Err(Error::TooMany("bytes in the programs of fault domains"));
    }
    *place = Segment {
        va: enclosure::PROGRAM_VA as u64,
        offset: start as u64,
        file_bytes: bytes as u64,
        memory_bytes: bytes.next_multiple_of(PAGE) as u64,
        rights: Rights::READ.bits(),
    };
    image.segment_count += 1;
    out.resize(out.len().next_multiple_of(PAGE), 0);
    Ok(image)
}

/// Adds the system's files, and what is said of them from `files_at` on.
fn add_files(parts: &Parts, files_at: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    for (n, (path, contents)) in parts.files.iter().enumerate() {
        let file = File {
            path: fitted(path).ok_or(Error::TooMany("characters in a file's path"))?,
            offset: out.len() as u64,
            bytes: contents.len() as u64,
        };
        out.extend_from_slice(contents);
        out.resize(out.len().next_multiple_of(PAGE), 0);
        let at = files_at + n * size_of::<File>();
        out[at..at + size_of::<File>()].copy_from_slice(bytes_of(&file));
    }
    Ok(())
}
/// The component that the image of that name is of, if it is a software fault domain.
fn sandboxed<'a>(parts: &Parts<'a>, name: &str) -> Option<&'a Component> {
    parts.system.components.iter().find(|c| c.image == name && c.isolation == Isolation::Sfi)
}
/// Adds the program that hosts software fault domains.
fn add_host(parts: &Parts, out: &mut Vec<u8>) -> Result<Image, Error> {
    add(out, HOST, parts.programs.get(HOST).ok_or_else(|| Error::NoProgram(HOST.into()))?, None)
}
/// Adds the image of that name: a program, or `host` with those of the fault domains that share a space.
fn add_one(
    parts: &Parts,
    out: &mut Vec<u8>,
    (name, file): (&str, &[u8]),
    host: Option<&Image>,
    call: u64,
) -> Result<Image, Error> {
    let privileged = parts.system.components.iter().any(|c| c.image == name && c.isolation == Isolation::Supervisor);
    let (Some(component), Some(host)) = (sandboxed(parts, name), host) else {
        return add(out, name, file, privileged.then_some(call));
    };
    let mut all = vec![(component, file)];
    for guest in hosted::of(parts.system, &component.name) {
        let file = parts.programs.get(&guest.image).ok_or_else(|| Error::NoProgram(guest.name.clone()))?;
        all.push((guest, file));
    }
    beside(out, host, &all)
}
/// The image of that name by itself, with what its segments' offsets are in.
pub fn alone(parts: &Parts, name: &str) -> Result<(Image, Vec<u8>), Error> {
    let file = parts.programs.get(name).ok_or_else(|| Error::NoProgram(name.into()))?;
    let call = crate::portals::symbols(&Program::parse("nucleus", parts.nucleus)?)?.call_supervisor;
    let mut out = Vec::new();
    let host = sandboxed(parts, name).map(|_| add_host(parts, &mut out)).transpose()?;
    let image = add_one(parts, &mut out, (name, file), host.as_ref(), call)?;
    Ok((image, out))
}
/// The archive. `described`: the system as `init` is to see it; `call`: where supervisor domains call portals.
pub fn build(parts: &Parts, described: &System, call: u64) -> Result<Vec<u8>, Error> {
    let without = |c: &&Component| c.boot || !c.host.is_empty();
    let elsewhere: Vec<&str> = parts.system.components.iter().filter(without).map(|c| c.image.as_str()).collect();
    let programs: Vec<(&String, &Vec<u8>)> =
        parts.programs.iter().filter(|(n, _)| !elsewhere.contains(&n.as_str())).collect();
    // Images of domains of protection lie where their tasks have room.
    let placed = |image: &str| parts.system.components.iter().any(|c| c.isolation == Isolation::Dp && c.image == image);
    let system = postcard::to_stdvec(described).map_err(|_| Error::TooMany("components"))?;
    let head = size_of::<Header>() + programs.len() * size_of::<Image>();
    let files_at = head.next_multiple_of(8);
    let system_at = files_at + parts.files.len() * size_of::<File>();
    let mut out = vec![0; (system_at + system.len()).next_multiple_of(PAGE)];
    out[system_at..system_at + system.len()].copy_from_slice(&system);
    let host = match programs.iter().any(|(name, _)| sandboxed(parts, name).is_some()) {
        true => Some(add_host(parts, &mut out)?),
        false => None,
    };
    for (n, (name, file)) in programs.iter().enumerate() {
        let image = match (&host, sandboxed(parts, name)) {
            (Some(host), None) if *name == HOST => *host,
            (host, _) => add_one(parts, &mut out, (name, file), host.as_ref(), call)?,
        };
        let mut image =
            Image { name: fitted::<NAME>(name).ok_or(Error::TooMany("characters in a component's name"))?, ..image };
        if placed(name) {
            let relocations = relocations(name, file)?;
            (image.relocations, image.relocation_count) = (out.len() as u64, relocations.len() as u64);
            relocations.iter().for_each(|relocation| out.extend_from_slice(&relocation.0.to_le_bytes()));
            out.resize(out.len().next_multiple_of(PAGE), 0);
        }
        let at = size_of::<Header>() + n * size_of::<Image>();
        out[at..at + size_of::<Image>()].copy_from_slice(bytes_of(&image));
    }
    add_files(parts, files_at, &mut out)?;
    let header = Header {
        magic: MAGIC,
        images: programs.len() as u64,
        system: system_at as u64,
        system_bytes: system.len() as u64,
        files: files_at as u64,
        file_count: parts.files.len() as u64,
    };
    out[..size_of::<Header>()].copy_from_slice(bytes_of(&header));
    Ok(out)
}
