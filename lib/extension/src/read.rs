//! Reading: one pass, in which all is looked at that the linker relies on.

use crate::{
    Condition, Digest, Error, Export, Guard, HEADER, Import, Interface, KEY, Layout, Limits, MAGIC, MOST_BYTES,
    MOST_CONDITIONS, MOST_IMAGE, MOST_NAME, MOST_PROCEDURES, Order, SIGNATURE, SLOT, Section,
};
use seal::{Form, Seal, Unsealed, array_at, name, u16_at, u32_at, u64_at};

/// A file that holds together. Whether it is signed by whom one believes is another question.
#[derive(Clone, Copy, Debug)]
pub struct Extension<'a> {
    bytes: &'a [u8],
    seal: Seal<'a>,
    sections: [&'a [u8]; Section::ALL.len()],
    name: &'a str,
    reason: &'a str,
    limits: Limits,
}

impl<'a> Extension<'a> {
    /// Reads a whole file.
    pub fn parse(bytes: &'a [u8]) -> Result<Extension<'a>, Error> {
        let seal = seal(bytes)?;
        let sections = sections(bytes)?;
        let of = |section: Section| sections[section as usize];
        let name = name(of(Section::Name)).ok_or(Error::Name(Section::Name, 0))?;
        let reason = core::str::from_utf8(of(Section::Reason)).map_err(|_| Error::Reason)?;
        let [stack, arena, quantum] = [12, 16, 20].map(|at| u32_at(bytes, at));
        let limits = Limits { stack, arena, quantum };
        if !limits.are_valid() {
            return Err(Error::Limits);
        }
        let extension = Extension { bytes, seal, sections, name, reason, limits };
        extension.check_interfaces()?;
        extension.check_terms()?;
        extension.check_image()?;
        Ok(extension)
    }
    /// Names, their order, and what refers to them.
    fn check_interfaces(&self) -> Result<(), Error> {
        for (section, at) in [(Section::Interfaces, 32), (Section::Imports, 4), (Section::Exports, 8)] {
            if let Some(bad) = self.records(section).position(|record| padded(record, at).is_none()) {
                return Err(Error::Name(section, bad));
            }
        }
        let interfaces = self.interfaces();
        if let Some(at) = unordered(interfaces.clone().map(|interface| interface.name)) {
            return Err(Error::Order(Section::Interfaces, at));
        }
        for section in [Section::Imports, Section::Exports] {
            let numbers = self.records(section).map(|record| (u16_at(record, 0), u16_at(record, 2)));
            if let Some(at) = numbers.clone().position(|(interface, _)| interface as usize >= interfaces.len()) {
                return Err(Error::Interface(section, at));
            }
            if let Some(at) = numbers.clone().position(|(_, place)| place as usize >= MOST_PROCEDURES) {
                return Err(Error::Place(section, at));
            }
            if let Some(at) = unordered(numbers) {
                return Err(Error::Order(section, at));
            }
        }
        Ok(())
    }
    /// Orders and guards.
    fn check_terms(&self) -> Result<(), Error> {
        if let Some(at) = self.records(Section::Exports).position(|record| order(record).is_none()) {
            return Err(Error::Terms(at));
        }
        let exports = self.exports().len();
        let (mut last, mut count) = (0, 0);
        for (at, record) in self.records(Section::Guards).enumerate() {
            let export = u16_at(record, 0);
            count = if export == last { count + 1 } else { 1 };
            let is_ordered = export >= last && (export as usize) < exports && count <= MOST_CONDITIONS;
            if !is_ordered || u16_at(record, 2) != 0 || Condition::of(&array_at(record, 4)).is_none() {
                return Err(Error::Guard(at));
            }
            last = export;
        }
        Ok(())
    }
    /// Whether what points somewhere points into the image.
    fn check_image(&self) -> Result<(), Error> {
        let (layout, text, constants) = (self.layout(), self.text(), self.section(Section::Constants));
        if layout.end > MOST_IMAGE {
            return Err(Error::Image);
        }
        let is_entry = |export: &Export| (export.entry as usize) < text.len() && export.entry.is_multiple_of(2);
        if let Some(at) = self.exports().position(|export| !is_entry(&export)) {
            return Err(Error::Entry(at));
        }
        let slots = SLOT * self.imports().len();
        if constants.get(..slots).is_none_or(|slots| slots.iter().any(|&byte| byte != 0)) {
            return Err(Error::Slots);
        }
        let mut least = slots;
        for (at, place) in self.relocations().enumerate() {
            let is_whole = place >= least && place.is_multiple_of(SLOT) && place + SLOT <= constants.len();
            if !is_whole || u64_at(constants, place) >= layout.end as u64 {
                return Err(Error::Relocation(at));
            }
            least = place + SLOT;
        }
        Ok(())
    }
    /// What it is called.
    pub fn name(&self) -> &'a str {
        self.name
    }
    /// Why it was signed though the gatekeeper refused it, where that is so.
    pub fn vetted(&self) -> Option<&'a str> {
        Some(self.reason).filter(|reason| !reason.is_empty())
    }
    pub fn limits(&self) -> Limits {
        self.limits
    }
    /// Which compiler has made it, with which flags.
    pub fn compiler(&self) -> Digest {
        array_at(self.bytes, 24)
    }
    pub fn section(&self, section: Section) -> &'a [u8] {
        self.sections[section as usize]
    }
    pub fn text(&self) -> &'a [u8] {
        self.section(Section::Text)
    }
    /// Where its parts are in the image.
    pub fn layout(&self) -> Layout {
        Layout::of(self.text().len(), self.section(Section::Constants).len())
    }
    pub fn interfaces(&self) -> impl ExactSizeIterator<Item = Interface<'a>> + Clone + 'a {
        let interface =
            |record| Interface { digest: array_at(record, 0), name: padded(record, 32).unwrap_or_default() };
        self.records(Section::Interfaces).map(interface)
    }
    /// By the slots' places.
    pub fn imports(&self) -> impl ExactSizeIterator<Item = Import<'a>> + Clone + 'a {
        self.records(Section::Imports).map(|record| Import {
            interface: u16_at(record, 0),
            procedure: u16_at(record, 2),
            name: padded(record, 4).unwrap_or_default(),
        })
    }
    pub fn exports(&self) -> impl ExactSizeIterator<Item = Export<'a>> + Clone + 'a {
        self.records(Section::Exports).map(|record| Export {
            interface: u16_at(record, 0),
            event: u16_at(record, 2),
            entry: u32_at(record, 4),
            name: padded(record, 8).unwrap_or_default(),
            order: order(record).unwrap_or_default(),
        })
    }
    /// Conditions, by their exports.
    pub fn guards(&self) -> impl Iterator<Item = Guard> + Clone + 'a {
        let guard = |record| Some(Guard { export: u16_at(record, 0), condition: Condition::of(&array_at(record, 4))? });
        self.records(Section::Guards).filter_map(guard)
    }
    /// Those of the export at that place.
    pub fn conditions(&self, export: usize) -> impl Iterator<Item = Condition> + Clone + 'a {
        self.guards().filter(move |guard| guard.export as usize == export).map(|guard| guard.condition)
    }
    /// Offsets in the constants of words that are offsets in the image.
    pub fn relocations(&self) -> impl ExactSizeIterator<Item = usize> + Clone + 'a {
        self.records(Section::Relocations).map(|record| u32_at(record, 0) as usize)
    }
    fn records(&self, section: Section) -> core::slice::ChunksExact<'a, u8> {
        self.section(section).chunks_exact(section.record())
    }
    /// How its file ends.
    pub fn seal(&self) -> Seal<'a> {
        self.seal
    }
}

/// Files of extensions.
const FORM: Form = Form { magic: MAGIC, least: HEADER, most: MOST_BYTES };
/// How a file ends that begins as an extension, and is as long as it says.
pub fn seal(file: &[u8]) -> Result<Seal<'_>, Error> {
    Seal::of(file, &FORM).map_err(|why| match why {
        Unsealed::Magic => Error::Magic,
        Unsealed::Length => Error::Length,
    })
}

/// The sections of a file with a seal, whose header holds.
fn sections(bytes: &[u8]) -> Result<[&[u8]; Section::ALL.len()], Error> {
    let mut sections: [&[u8]; Section::ALL.len()] = Default::default();
    let mut rest = &bytes[HEADER..bytes.len() - KEY - SIGNATURE];
    for section in Section::ALL {
        let length = u32_at(bytes, LENGTHS + 4 * section as usize) as usize;
        if length > section.most() || !length.is_multiple_of(section.record()) {
            return Err(Error::SectionLength(section));
        }
        (sections[section as usize], rest) = rest.split_at_checked(length).ok_or(Error::Length)?;
    }
    if !rest.is_empty() {
        return Err(Error::Length);
    }
    Ok(sections)
}
const _: () = assert!(LENGTHS + 4 * Section::ALL.len() == HEADER, "no byte means nothing");
/// Where the header has the sections' lengths: behind the magic, the file's length, three limits and the compiler.
pub(crate) const LENGTHS: usize = 56;

/// The place of the first that is not behind the one before it.
fn unordered<T: PartialOrd>(items: impl Iterator<Item = T> + Clone) -> Option<usize> {
    let pairs = items.clone().zip(items.skip(1));
    pairs.map(|(one, next)| one < next).position(|ordered| !ordered).map(|at| at + 1)
}
/// The name at a place of a record, followed by zeros.
fn padded(record: &[u8], at: usize) -> Option<&str> {
    let bytes = &record[at..at + MOST_NAME];
    let length = bytes.iter().rposition(|&byte| byte != 0)? + 1;
    name(&bytes[..length])
}
/// The order of an export: nothing where it can not be.
fn order(record: &[u8]) -> Option<Order<&str>> {
    let at = 12 + MOST_NAME;
    let name = padded(record, at);
    let is_none = record[at..].iter().all(|&byte| byte == 0);
    Order::of(u32_at(record, at - 4), name).filter(|_| name.is_some() || is_none)
}
