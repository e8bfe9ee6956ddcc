//! Images that components have in the place of the archive's: they come in files (`lib/update`), piece by piece, from who may hand them over.
//!
//! Whose a file is, and whether it is newer than what was there, is for that one to know. What is looked at here is what the system relies on, whoever that is: the
//! image can be laid out, and the component may be what the file says.

use abi::Error;
use abi::address::PAGE;
use abi::archive::Image;
use abi::identity::DomainId;
use abi::updating::ImageState;
use alloc::sync::Arc;
use alloc::vec::Vec;
use manifest::{Component, Isolation};
use update::{MOST_BYTES, Update};

/// A file, from the beginning of a page on.
pub struct File {
    bytes: Vec<u8>,
    /// Where in `bytes` it begins, how long it is to be, and how much of it is there.
    start: usize,
    length: usize,
    filled: usize,
}
impl File {
    /// One of so many bytes, of which none is there. `ENOMEM`.
    pub fn of(length: usize) -> Result<File, Error> {
        // Never longer: it stays where it is.
        let bytes = fallible::zero_bytes(length + PAGE)?;
        let start = (bytes.as_ptr() as usize).next_multiple_of(PAGE) - bytes.as_ptr() as usize;
        Ok(File { bytes, start, length, filled: 0 })
    }
    /// Room for the next bytes, at most so many. `EINVAL`: they are more than it has room for.
    pub fn next(&mut self, count: usize) -> Result<&mut [u8], Error> {
        let at = self.start + self.filled;
        if count > self.length - self.filled {
            return Err(Error::EINVAL);
        }
        self.filled += count;
        Ok(&mut self.bytes[at..at + count])
    }
    /// All of it. `EINVAL`: it is not whole.
    fn whole(&self) -> Result<&[u8], Error> {
        if self.filled < self.length {
            return Err(Error::EINVAL);
        }
        Ok(&self.bytes[self.start..self.start + self.length])
    }
    /// What it says. `EINVAL`: it is no update.
    pub fn update(&self) -> Result<Update<'_>, Error> {
        Update::parse(self.whole()?).map_err(|_| Error::EINVAL)
    }
}
/// Whether an update is one of `component`. `ENOTSUP`: it has none; `EINVAL`: it is kept apart otherwise; `EACCESS`: the update opens more than it may.
pub fn may_be(update: &Update, component: &Component) -> Result<(), Error> {
    // The first ones are part of the system's image, and domains of protection lie where their tasks have room.
    if component.boot || component.isolation == Isolation::Dp {
        return Err(Error::ENOTSUP);
    }
    if update.isolation() as usize != component.isolation.mechanism() as usize {
        return Err(Error::EINVAL);
    }
    let may = |pattern: &str| component.opens.iter().any(|allowed| allowed == pattern) || component.opens(pattern);
    if update.opens().all(may) { Ok(()) } else { Err(Error::EACCESS) }
}
/// An image that a component has in the place of the archive's.
pub struct Given {
    image: Image,
    version: u64,
    file: File,
    /// Where in the file the segments' bytes begin, and how many there are.
    contents: (usize, usize),
}
impl Given {
    /// Its segments are at offsets in [`Given::contents`], each at the beginning of a page.
    pub fn image(&self) -> &Image {
        &self.image
    }
    pub fn contents(&self) -> &[u8] {
        let (at, bytes) = self.contents;
        &self.file.bytes[self.file.start + at..][..bytes]
    }
}
/// An image that a component is to have.
#[derive(Clone)]
pub enum Choice {
    /// The archive's.
    Own,
    Given(Arc<Given>),
}
impl Choice {
    /// Whether it is that one, and not another of the same version.
    fn is(&self, other: &Choice) -> bool {
        match (self, other) {
            (Choice::Own, Choice::Own) => true,
            (Choice::Given(one), Choice::Given(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
    /// Which version it is; 0: the archive's.
    fn version(&self) -> u64 {
        match self {
            Choice::Own => 0,
            Choice::Given(given) => given.version,
        }
    }
    fn bytes(&self) -> usize {
        match self {
            Choice::Own => 0,
            Choice::Given(given) => given.file.bytes.len(),
        }
    }
}
/// What one component has.
struct Has {
    image: Choice,
    /// What it had before that; `None`: that is not known.
    before: Option<Choice>,
    /// Domains of that image that have failed since, and that have come to their end by themselves.
    failures: u64,
    ends: u64,
}
/// What a component is to have.
struct Next {
    /// The component's place in the system.
    place: usize,
    image: Choice,
    /// It takes back what there is, which is not wanted any more.
    back: bool,
}
/// What was handed over: what is begun and by whom, what a component is to have next, and what each has.
pub struct Updates {
    begun: Option<(DomainId, File)>,
    next: Option<Next>,
    /// Of each component, by its place in the system.
    all: Vec<Has>,
    /// Most bytes of all files together.
    most: usize,
}
impl Updates {
    /// Those of a system of so many components, which has room for files of so many bytes. `ENOMEM`.
    pub fn of(components: usize, most: usize) -> Result<Updates, Error> {
        let has = |_| Has { image: Choice::Own, before: None, failures: 0, ends: 0 };
        Ok(Updates { begun: None, next: None, all: fallible::collected((0..components).map(has))?, most })
    }
    /// Bytes of all files that are kept, but for what is begun.
    fn bytes(&self) -> usize {
        let kept = self.all.iter().flat_map(|has| [Some(&has.image), has.before.as_ref()]).flatten();
        kept.chain(self.next.iter().map(|next| &next.image)).map(Choice::bytes).sum()
    }
    /// Domain `who` begins a file of so many bytes, for which there is room: what was begun before, and what was to be next, is forgotten. `ENOSPC`: there is none; `EINVAL`: no update is so long.
    pub fn room_for(&mut self, length: usize) -> Result<(), Error> {
        (self.begun, self.next) = (None, None);
        if length > MOST_BYTES {
            return Err(Error::EINVAL);
        }
        if self.bytes() + length + PAGE > self.most { Err(Error::ENOSPC) } else { Ok(()) }
    }
    pub fn begin(&mut self, who: DomainId, file: File) {
        self.begun = Some((who, file));
    }
    /// What that domain has begun. `ENOENT`: nothing.
    pub fn begun(&mut self, who: DomainId) -> Result<&mut File, Error> {
        self.begun.as_mut().filter(|(by, _)| *by == who).map(|(_, file)| file).ok_or(Error::ENOENT)
    }
    /// What that domain has begun is whole, and what its component is to have next. `ENOENT`: there is none of that name, or nothing is begun; as [`may_be`]; `ENOMEM`. It is forgotten otherwise.
    pub fn put(&mut self, who: DomainId, components: &[Component]) -> Result<(), Error> {
        self.begun(who)?;
        let (_, file) = self.begun.take().ok_or(Error::ENOENT)?;
        let update = file.update()?;
        let place = components.iter().position(|component| component.name == update.name()).ok_or(Error::ENOENT)?;
        may_be(&update, &components[place])?;
        let (image, version) = (*update.image(), update.version());
        let contents = (update.contents_at(), update.contents().len());
        let given = Arc::try_new(Given { image, version, file, contents }).map_err(|_| Error::ENOMEM)?;
        self.next = Some(Next { place, image: Choice::Given(given), back: false });
        Ok(())
    }
    /// The component at that place is to have what it had before, which was that version. `ENOENT`: it was not, or that is not known.
    pub fn before(&mut self, place: usize, version: u64) -> Result<(), Error> {
        let before = self.all.get(place).and_then(|has| has.before.as_ref());
        let before = before.filter(|before| before.version() == version).cloned().ok_or(Error::ENOENT)?;
        self.next = Some(Next { place, image: before, back: true });
        Ok(())
    }
    /// It is to have the archive's image.
    pub fn own(&mut self, place: usize) {
        self.next = Some(Next { place, image: Choice::Own, back: true });
    }
    /// What is to be next: the component's place, and what it is to have, until something else is begun. `ENOENT`: nothing is.
    pub fn next(&self) -> Result<(usize, Choice), Error> {
        self.next.as_ref().map(|next| (next.place, next.image.clone())).ok_or(Error::ENOENT)
    }
    /// The component at that place has that, which may be what it has had already.
    pub fn has(&mut self, place: usize, image: &Choice) {
        let Some(has) = self.all.get_mut(place).filter(|has| !has.image.is(image)) else { return };
        let next = self.next.take_if(|next| next.place == place && next.image.is(image));
        let before = core::mem::replace(&mut has.image, image.clone());
        has.before = Some(before).filter(|_| !next.is_some_and(|next| next.back));
        (has.failures, has.ends) = (0, 0);
    }
    /// Nothing is to be next.
    pub fn forget_next(&mut self) {
        self.next = None;
    }
    /// A domain of the component at that place has ended, which was of that image: by failing, or by itself and well, or neither.
    pub fn ended(&mut self, place: usize, image: &Choice, failed: bool, well: bool) {
        if let Some(has) = self.all.get_mut(place).filter(|has| has.image.is(image)) {
            has.failures += u64::from(failed);
            has.ends += u64::from(well && !failed);
        }
    }
    /// What the component at that place has.
    pub fn image(&self, place: usize) -> Choice {
        self.all.get(place).map_or(Choice::Own, |has| has.image.clone())
    }
    /// What is told of that, of whose domains these are the images that run.
    pub fn state<'a>(&self, place: usize, running: impl Iterator<Item = &'a Choice>) -> Result<ImageState, Error> {
        let has = self.all.get(place).ok_or(Error::ENOENT)?;
        Ok(ImageState {
            version: has.image.version(),
            running: running.filter(|image| has.image.is(image)).count() as u64,
            failures: has.failures,
            ends: has.ends,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::address::IMAGE_VA;
    use abi::identity::Serials;
    use abi::rights::Rights;
    use update::{Part, Parts};

    const VA: u64 = IMAGE_VA as u64;

    fn file_of(name: &str, version: u64, isolation: Isolation, opens: &[&str]) -> Vec<u8> {
        let code = Part { va: VA, bytes: &[0x82, 0x80], memory_bytes: 2, rights: Rights::READ_EXECUTE.bits() };
        let isolation = isolation.mechanism() as u32;
        let (heap, segments) = (VA + PAGE as u64, &[code]);
        Parts { name, version, isolation, system: [0; 32], entry: VA, heap, segments, opens }.write().unwrap()
    }
    fn component(name: &str) -> Component {
        let opens = vec!["files.*".into(), "console.write".into()];
        Component { opens, ..serde_json::from_str(&format!(r#"{{ "name": "{name}" }}"#)).unwrap() }
    }
    fn two() -> [DomainId; 2] {
        let mut serials = Serials::after(20);
        [(); 2].map(|()| DomainId::new(9, serials.next().unwrap()).unwrap())
    }
    fn handed(updates: &mut Updates, bytes: &[u8], pieces: usize) -> Result<(), Error> {
        let [who, _] = two();
        updates.room_for(bytes.len())?;
        updates.begin(who, File::of(bytes.len())?);
        for piece in bytes.chunks(pieces) {
            updates.begun(who)?.next(piece.len())?.copy_from_slice(piece);
        }
        updates.put(who, &[component("a"), component("b")])
    }
    fn new() -> Updates {
        Updates::of(2, 1 << 20).unwrap()
    }
    #[test]
    fn a_file_that_came_in_pieces_is_what_its_component_is_to_have() {
        let mut updates = new();
        let bytes = file_of("b", 7, Isolation::Domain, &["files.open", "console.write"]);
        for pieces in [1, 100, PAGE, bytes.len()] {
            handed(&mut updates, &bytes, pieces).unwrap();
            assert_eq!(version(&updates, 1), 0, "not yet");
            let (place, Choice::Given(given)) = updates.next().unwrap() else { panic!("an image") };
            assert_eq!((place, given.image().entry, given.file.whole().unwrap()), (1, VA, &*bytes));
            assert!(given.contents().len() == PAGE && (given.contents().as_ptr() as usize).is_multiple_of(PAGE));
            updates.forget_next();
            assert_eq!(updates.next().map(|_| ()), Err(Error::ENOENT));
        }
    }
    fn version(updates: &Updates, place: usize) -> u64 {
        updates.state(place, [].into_iter()).unwrap().version
    }
    /// What is to be next is so.
    fn apply(updates: &mut Updates) -> Choice {
        let (place, image) = updates.next().unwrap();
        updates.has(place, &image);
        assert_eq!(updates.next().map(|_| ()), Err(Error::ENOENT), "it is so once");
        image
    }
    #[test]
    fn what_a_component_had_before_comes_back() {
        let mut updates = new();
        assert_eq!(updates.before(1, 0), Err(Error::ENOENT));
        for number in [5, 7] {
            handed(&mut updates, &file_of("b", number, Isolation::Domain, &[]), PAGE).unwrap();
            apply(&mut updates);
            assert_eq!([version(&updates, 0), version(&updates, 1)], [0, number]);
        }
        assert_eq!(updates.before(1, 0), Err(Error::ENOENT), "it was another one");
        let both = updates.bytes();
        updates.before(1, 5).unwrap();
        apply(&mut updates);
        assert_eq!(version(&updates, 1), 5);
        assert_eq!(
            (updates.before(1, 7), updates.bytes()),
            (Err(Error::ENOENT), both / 2),
            "what was taken back is gone"
        );
        updates.own(1);
        apply(&mut updates);
        assert_eq!((version(&updates, 1), updates.bytes()), (0, 0));
    }
    #[test]
    fn ends_are_told_of_the_image_that_a_component_has() {
        let mut updates = new();
        handed(&mut updates, &file_of("b", 5, Isolation::Domain, &[]), PAGE).unwrap();
        let five = apply(&mut updates);
        updates.ended(1, &Choice::Own, true, false);
        updates.ended(0, &five, true, false);
        for (failed, well) in [(true, false), (true, true), (false, true), (false, false)] {
            updates.ended(1, &five, failed, well);
        }
        let running = [Choice::Own, five.clone()];
        let state = |updates: &Updates| updates.state(1, running.iter()).unwrap();
        assert_eq!(state(&updates), ImageState { version: 5, running: 1, failures: 2, ends: 1 });
        updates.has(1, &five);
        assert_eq!(state(&updates).failures, 2, "it has had it before");
        handed(&mut updates, &file_of("b", 5, Isolation::Domain, &[]), PAGE).unwrap();
        apply(&mut updates);
        assert_eq!(
            state(&updates),
            ImageState { version: 5, running: 0, failures: 0, ends: 0 },
            "another of that version"
        );
    }
    #[test]
    fn what_is_not_whole_or_more_than_it_said_is_refused() {
        let (mut updates, [who, other]) = (new(), two());
        assert_eq!(updates.put(who, &[]), Err(Error::ENOENT));
        let bytes = file_of("b", 1, Isolation::Domain, &[]);
        updates.begin(who, File::of(bytes.len()).unwrap());
        assert_eq!(updates.begun(other).map(|_| ()), Err(Error::ENOENT), "who has its number has not begun it");
        assert_eq!(updates.put(other, &[component("b")]), Err(Error::ENOENT));
        let short = &bytes[1..];
        updates.begun(who).unwrap().next(short.len()).unwrap().copy_from_slice(short);
        assert_eq!(updates.begun(who).unwrap().next(2).map(|_| ()), Err(Error::EINVAL));
        assert_eq!(updates.put(who, &[component("b")]), Err(Error::EINVAL));
        assert!(updates.begun(who).is_err(), "it is forgotten");
        // Its end is a signature of zeros, as what is not there yet.
        updates.begin(who, File::of(bytes.len()).unwrap());
        let short = &bytes[..bytes.len() - 1];
        updates.begun(who).unwrap().next(short.len()).unwrap().copy_from_slice(short);
        assert_eq!(updates.put(who, &[component("b")]), Err(Error::EINVAL), "all but a byte");
        assert_eq!(updates.room_for(MOST_BYTES + 1), Err(Error::EINVAL));
        assert_eq!(fallible::failing::with_only(0, || File::of(1).map(|_| ())), Err(Error::ENOMEM));
    }
    #[test]
    fn files_have_no_more_room_than_there_is() {
        let bytes = file_of("b", 1, Isolation::Domain, &[]);
        // What it has, what it had before, and one more that is handed over.
        let mut updates = Updates::of(2, 3 * (bytes.len() + PAGE)).unwrap();
        for _ in 0..2 {
            handed(&mut updates, &bytes, PAGE).unwrap();
            apply(&mut updates);
        }
        handed(&mut updates, &bytes, PAGE).unwrap();
        assert_eq!(updates.room_for(bytes.len() + 1), Err(Error::ENOSPC));
        assert_eq!(updates.room_for(bytes.len()), Ok(()), "what was to be next is forgotten");
    }
    #[test]
    fn what_is_of_no_component_is_refused() {
        assert_eq!(handed(&mut new(), &file_of("c", 1, Isolation::Domain, &[]), PAGE), Err(Error::ENOENT));
    }
    #[test]
    fn what_is_kept_apart_otherwise_is_refused() {
        for other in [Isolation::Sfi, Isolation::Supervisor, Isolation::Dp] {
            assert_eq!(handed(&mut new(), &file_of("b", 1, other, &[]), PAGE), Err(Error::EINVAL));
        }
    }
    #[test]
    fn what_opens_more_than_the_component_may_is_refused() {
        for opens in ["*", "console.*", "console.read", "domain.destroy"] {
            let file = file_of("b", 1, Isolation::Domain, &["files.open", opens]);
            assert_eq!(handed(&mut new(), &file, PAGE), Err(Error::EACCESS), "{opens}");
        }
        assert_eq!(handed(&mut new(), &file_of("b", 1, Isolation::Domain, &["files.*"]), PAGE), Ok(()));
    }
    #[test]
    fn components_without_an_image_of_their_own_have_no_updates() {
        let file = file_of("b", 1, Isolation::Domain, &[]);
        let update = Update::parse(&file).unwrap();
        let of = |component: Component| may_be(&update, &component);
        assert_eq!(of(Component { boot: true, ..component("b") }), Err(Error::ENOTSUP));
        assert_eq!(of(Component { isolation: Isolation::Dp, ..component("b") }), Err(Error::ENOTSUP));
        assert_eq!(of(component("b")), Ok(()));
    }
}
