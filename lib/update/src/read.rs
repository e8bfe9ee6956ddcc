//! Reading: one pass, in which all is looked at that who lays the image out relies on.

use crate::{Digest, Error, HEADER, MAGIC, MOST_BYTES, MOST_OPENS, RECORD};
use abi::address::{HEAP_END, IMAGE_VA, PAGE};
use abi::archive::{Image, SEGMENTS, Segment};
use abi::rights::Rights;
use abi::section::{NAME, text};
use seal::{Form, KEY, Seal, Unsealed, array_at, u32_at, u64_at};

/// Files of updates.
const FORM: Form = Form { magic: MAGIC, least: HEADER, most: MOST_BYTES };
/// How a file ends that begins as an update, and is as long as it says: by whom it is signed, before anything else of it is looked at.
pub fn seal(file: &[u8]) -> Result<Seal<'_>, Error> {
    Seal::of(file, &FORM).map_err(Error::from)
}
impl From<Unsealed> for Error {
    fn from(why: Unsealed) -> Error {
        match why {
            Unsealed::Magic => Error::Magic,
            Unsealed::Length => Error::Length,
        }
    }
}
/// How long a file says it is, of which that is the beginning; `None`: it has not said it yet.
///
/// # Errors
/// It begins as none, or none is so long.
pub fn length(beginning: &[u8]) -> Result<Option<usize>, Error> {
    FORM.length(beginning).map_err(Error::from)
}
/// The component that a file says it is for, whoever has written that.
pub fn claimed(file: &[u8]) -> Option<[u8; NAME]> {
    file.get(NAME_AT..NAME_AT + NAME)?.try_into().ok()
}
/// A file that holds together. Whether it is signed by whom one believes is another question.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    bytes: &'a [u8],
    name: &'a str,
    opens: &'a str,
    image: Image,
    /// The bytes of the segments, from a page of their own on.
    contents: &'a [u8],
}
impl<'a> Update<'a> {
    /// Reads a whole file.
    pub fn parse(bytes: &'a [u8]) -> Result<Update<'a>, Error> {
        let seal = seal(bytes)?;
        let name: &[u8; NAME] = bytes[NAME_AT..NAME_AT + NAME].try_into().map_err(|_| Error::Name)?;
        let name = name_of(name).ok_or(Error::Name)?;
        if u64_at(bytes, VERSION_AT) == 0 {
            return Err(Error::Version);
        }
        let count = u32_at(bytes, COUNT_AT) as usize;
        if count == 0 || count > SEGMENTS {
            return Err(Error::Segments);
        }
        let opens_bytes = u32_at(bytes, OPENS_AT) as usize;
        let opens_start = HEADER + count * RECORD;
        let body = &seal.signed[..seal.signed.len() - KEY];
        let opens = body.get(opens_start..).and_then(|rest| rest.get(..opens_bytes)).ok_or(Error::Length)?;
        let opens = list(opens).ok_or(Error::Opens)?;
        let contents_at = (opens_start + opens_bytes).next_multiple_of(PAGE);
        let padding = body.get(opens_start + opens_bytes..contents_at).ok_or(Error::Length)?;
        let contents = &body[contents_at..];
        let image = image(bytes, name, count)?;
        check_contents(&image, padding, contents)?;
        Ok(Update { bytes, name, opens, image, contents })
    }
    /// The component that it is for.
    pub fn name(&self) -> &'a str {
        self.name
    }
    /// Which one it is: of two, the greater is the newer.
    pub fn version(&self) -> u64 {
        u64_at(self.bytes, VERSION_AT)
    }
    /// How the component is kept apart: `abi::system`'s number of the mechanism.
    pub fn isolation(&self) -> u32 {
        u32_at(self.bytes, ISOLATION_AT)
    }
    /// What it was built against.
    pub fn system(&self) -> Digest {
        array_at(self.bytes, SYSTEM_AT)
    }
    /// Patterns of the names that it opens.
    pub fn opens(&self) -> impl Iterator<Item = &'a str> + Clone + 'a {
        self.opens.lines()
    }
    /// Its image, as an archive has it: segments at offsets in [`Update::contents`], each the beginning of a page.
    pub fn image(&self) -> &Image {
        &self.image
    }
    pub fn contents(&self) -> &'a [u8] {
        self.contents
    }
    /// Where in the file these begin.
    pub fn contents_at(&self) -> usize {
        self.contents.as_ptr().addr() - self.bytes.as_ptr().addr()
    }
}
/// Where the header has what: behind the magic and the file's length.
pub(crate) const ISOLATION_AT: usize = 12;
pub(crate) const VERSION_AT: usize = 16;
pub(crate) const SYSTEM_AT: usize = 24;
pub(crate) const NAME_AT: usize = 56;
pub(crate) const ENTRY_AT: usize = NAME_AT + NAME;
pub(crate) const HEAP_AT: usize = ENTRY_AT + 8;
pub(crate) const COUNT_AT: usize = HEAP_AT + 8;
pub(crate) const OPENS_AT: usize = COUNT_AT + 4;
const _: () = assert!(OPENS_AT + 4 == HEADER, "no byte means nothing");

/// The image that the records say, if it can be laid out; but for what the segments hold.
fn image(bytes: &[u8], name: &str, count: usize) -> Result<Image, Error> {
    let mut segments = [Segment::default(); SEGMENTS];
    let (mut end, mut offset) = (IMAGE_VA as u64, 0);
    for (n, place) in segments.iter_mut().take(count).enumerate() {
        let [va, file_bytes, memory_bytes, rights] = [0, 8, 16, 24].map(|at| u64_at(bytes, HEADER + n * RECORD + at));
        let last = va.checked_add(memory_bytes).filter(|&last| last <= HEAP_END as u64);
        let last = last.filter(|_| va >= end && va.is_multiple_of(PAGE as u64) && memory_bytes > 0);
        end = last.ok_or(Error::Place(n))?.next_multiple_of(PAGE as u64);
        if file_bytes > memory_bytes {
            return Err(Error::Bytes(n));
        }
        let both = Rights::WRITE.union(Rights::EXECUTE);
        let may = Rights::of_page(rights as usize).filter(|rights| !rights.contains(both));
        may.ok_or(Error::Rights(n))?;
        *place = Segment { va, offset, file_bytes, memory_bytes, rights };
        offset += file_bytes.next_multiple_of(PAGE as u64);
    }
    let entry = u64_at(bytes, ENTRY_AT);
    let is_entered = |s: &&Segment| {
        let executes = Rights::EXECUTE.bits() & s.rights != 0;
        executes && entry >= s.va && entry < s.va + s.file_bytes && entry.is_multiple_of(2)
    };
    segments.iter().take(count).find(is_entered).ok_or(Error::Entry)?;
    let heap = u64_at(bytes, HEAP_AT);
    let is_free = |s: &Segment| heap <= s.va || heap >= s.va + s.memory_bytes;
    let may = (IMAGE_VA as u64..HEAP_END as u64).contains(&heap) && heap.is_multiple_of(PAGE as u64);
    if !may || !segments.iter().take(count).all(is_free) {
        return Err(Error::Heap);
    }
    let mut padded = [0; NAME];
    padded[..name.len()].copy_from_slice(name.as_bytes());
    Ok(Image { name: padded, entry, heap, segment_count: count as u64, segments, relocations: 0, relocation_count: 0 })
}
/// Whether the segments' bytes are all there is, and zeros between them.
fn check_contents(image: &Image, padding: &[u8], contents: &[u8]) -> Result<(), Error> {
    let mut rest = contents;
    if padding.iter().any(|&byte| byte != 0) {
        return Err(Error::Padding);
    }
    for segment in image.segments.iter().take(image.segment_count as usize) {
        let bytes = segment.file_bytes as usize;
        let (pages, behind) = rest.split_at_checked(bytes.next_multiple_of(PAGE)).ok_or(Error::Length)?;
        if pages[bytes..].iter().any(|&byte| byte != 0) {
            return Err(Error::Padding);
        }
        rest = behind;
    }
    if rest.is_empty() { Ok(()) } else { Err(Error::Length) }
}
/// A component's name: nothing where it is none.
fn name_of(padded: &[u8; NAME]) -> Option<&str> {
    let name = text(padded);
    let is_padded = name.len() < NAME && padded[name.len()..].iter().all(|&byte| byte == 0);
    seal::name(name.as_bytes()).filter(|_| is_padded)
}
/// Names, one in a line, each line ended.
fn list(bytes: &[u8]) -> Option<&str> {
    let text = core::str::from_utf8(bytes).ok().filter(|text| text.len() <= MOST_OPENS)?;
    let is_ended = text.is_empty() || text.ends_with('\n');
    let is_name = |line: &str| (1..NAME).contains(&line.len()) && line.bytes().all(|byte| byte.is_ascii_graphic());
    Some(text).filter(|_| is_ended && text.split_terminator('\n').all(is_name))
}
