//! Programs of domains of protection, which lie where their task's space has room. The domain takes room for its image, as it takes a
//! stack, before it has a thread; then each of the image's segments comes in place of what it took there, with what depends on the
//! address put right. A page is complete before its entry is written, and only pages that depend on it are copied: the others are the
//! archive's.

use crate::frames::For;
use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::{Spaces, private};
use crate::view::REGIONS;
use abi::Error;
use abi::address::*;
use abi::archive::Relocation;
use abi::memory::Part;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::Entry;

/// A segment of an image, as the archive has it.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    /// Physical address of its contents, and how many bytes there are.
    pub source: usize,
    pub bytes: usize,
    /// How far behind the image's start it begins.
    pub offset: usize,
    pub rights: Rights,
    /// Of the whole image, in the order of their places.
    pub relocations: &'a [Relocation],
}

impl<R: Ram> Spaces<R> {
    /// Puts `piece` of an image that starts at `start`, `distance` bytes behind where it was linked for, in place of pages that view `view`
    /// has taken there and nobody has touched. `EFAULT`: it has not taken them; `EAGAIN`: somebody has touched one; `ENFILE`; `ENOMEM`.
    pub fn place(&mut self, view: usize, start: usize, distance: usize, piece: &Piece) -> Result<(), Error> {
        let va = start.checked_add(piece.offset).ok_or(Error::EINVAL)?;
        let bytes = piece.bytes.checked_next_multiple_of(PAGE).ok_or(Error::EINVAL)?;
        private(va, bytes)?;
        let rights = piece.rights;
        if !rights.contains(Rights::READ) || !distance.is_multiple_of(PAGE) {
            return Err(Error::EINVAL);
        }
        let space = self.taken_in(view, va, bytes)?;
        self.room_in_three(view)?;
        let mut done = 0;
        let mut placed = Ok(());
        while done < bytes && placed.is_ok() {
            placed = self.place_page(space, va + done, done, distance, piece);
            done += PAGE;
        }
        let range = (va, va + bytes);
        // Also where a page is missing: what is there ends with the view.
        let seen = self.cut(view, range).and_then(|()| self.see(view, range, rights, true));
        if let Err(error) = seen {
            self.unmap_untold(space, va, done)?;
            return Err(error);
        }
        placed
    }
    /// Puts a copy of `bytes`, and zeros behind them, in place of the page at `va`, which view `view` has taken and nobody has touched.
    /// `EFAULT`: it has not taken it; `EAGAIN`: somebody has touched it; `EINVAL`: to be written and executed; `ENFILE`: it sees too many
    /// regions; `ENOMEM`: nothing is there now.
    pub fn place_copy(&mut self, view: usize, va: usize, rights: Rights, bytes: &[u8]) -> Result<(), Error> {
        private(va, PAGE)?;
        let both = Rights::WRITE.union(Rights::EXECUTE);
        if !rights.contains(Rights::READ) || rights.contains(both) || bytes.len() > PAGE {
            return Err(Error::EINVAL);
        }
        let space = self.taken_in(view, va, PAGE)?;
        self.room_in_three(view)?;
        self.burying(space, |s, doomed| s.take_page(space, va, OpenWindows::UNKNOWN, doomed))?;
        self.room(space, 1)?;
        let entry = self.vacant(space, va, Part::Ordinary)?;
        let frame = self.frames.take(For::Component)?;
        self.ram.clear(frame);
        self.ram.store(frame, bytes);
        self.ram.written_with(rights);
        self.ram.set_entry(entry, Entry::user(frame, rights, Marks::empty()));
        self.count(space, 1)?;
        let range = (va, va + PAGE);
        let seen = self.cut(view, range).and_then(|()| self.see(view, range, rights, true));
        if let Err(error) = seen {
            self.unmap_untold(space, va, PAGE)?;
            return Err(error);
        }
        Ok(())
    }
    /// Whether a region of view `view` can be three. `ENFILE`, `ENOMEM`.
    fn room_in_three(&mut self, view: usize) -> Result<(), Error> {
        if self.views.regions_of(view).count() + 2 > REGIONS {
            return Err(Error::ENFILE);
        }
        let Self { ram, frames, views, .. } = self;
        views.regions.room_for((ram, frames), 2)
    }
    /// The space in which view `asid` has taken all pages of a range; `EFAULT`: it has not.
    pub(crate) fn taken_in(&mut self, asid: usize, va: usize, bytes: usize) -> Result<usize, Error> {
        let space = self.views.get(asid).ok_or(Error::EINVAL)?.space as usize;
        let taken = (va / PAGE * PAGE..va + bytes).step_by(PAGE).all(|va| self.views.has_taken(asid, va));
        if !taken {
            return Err(Error::EFAULT);
        }
        self.space(space)?.range_in_part(va / PAGE * PAGE, va % PAGE + bytes, Part::Ordinary)?;
        Ok(space)
    }
    /// The page `at` bytes behind the start of `piece`, which is `va` of the space.
    fn place_page(&mut self, space: usize, va: usize, at: usize, distance: usize, piece: &Piece) -> Result<(), Error> {
        self.burying(space, |s, doomed| s.take_page(space, va, OpenWindows::UNKNOWN, doomed))?;
        let (first, end) = (piece.offset + at, piece.offset + at + PAGE);
        // One that begins in the page before may end here.
        let from = piece.relocations.partition_point(|r| r.offset() + r.kind().bytes() <= first);
        let to = piece.relocations.partition_point(|r| r.offset() < end);
        let (source, rights) = (piece.source + at, piece.rights);
        match piece.relocations.get(from..to) {
            None | Some([]) if !rights.contains(Rights::WRITE) => {
                self.map_at(space, (va, Part::Ordinary), source, rights, Marks::FOREIGN)
            }
            None | Some([]) => self.map_copied(space, va, source, rights),
            Some(changed) => {
                self.room(space, 1)?;
                let entry = self.vacant(space, va, Part::Ordinary)?;
                let frame = self.frames.take(For::Component)?;
                self.ram.copy(source, frame, PAGE);
                changed.iter().for_each(|relocation| self.relocate(*relocation, first, (source, frame), distance));
                self.ram.written_with(rights);
                self.ram.set_entry(entry, Entry::user(frame, rights, Marks::empty()));
                self.count(space, 1)
            }
        }
    }
    /// Puts the part of a place right that lies in the page `first` bytes behind the image's start, which the archive has at `source` and
    /// `frame` has a copy of.
    fn relocate(&mut self, relocation: Relocation, first: usize, (source, frame): (usize, usize), distance: usize) {
        let mut word = [0; 8];
        let word = &mut word[..relocation.kind().bytes()];
        let place = (source + relocation.offset()).wrapping_sub(first);
        for (n, byte) in word.iter_mut().enumerate() {
            let at = place + n;
            *byte = (self.ram.read(at / 8 * 8) >> (at % 8 * 8)) as u8;
        }
        relocation.apply(word, distance);
        // The rest of it is in another page.
        let inside = |n: &usize| (source..source + PAGE).contains(&(place + n));
        let mut here = (0..word.len()).filter(inside);
        let (Some(start), Some(last)) = (here.clone().next(), here.next_back()) else { return };
        self.ram.store(frame + (place + start - source), &word[start..=last]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use crate::space_tests::{NONE, id, spaces};
    use crate::tables;
    use crate::views::Seen;
    use abi::archive::Kind;

    const CODE: Rights = Rights::READ_EXECUTE;
    const DATA: Rights = Rights::READ_WRITE;
    const DISTANCE: usize = 0x123_4000;

    /// A space, 1, and a view of it, 2, that has taken `pages`: the start of these. The archive's two pages are at the address behind.
    fn taken(pages: usize) -> (Box<Spaces<Fake>>, usize, usize) {
        let mut s = spaces();
        let source = s.frames.take_run(2).unwrap();
        s.shared.first_frame = source + 2 * PAGE;
        for at in (source..source + 2 * PAGE).step_by(8) {
            s.ram.write(at, (at - source) as u64 * 0x1_0000_0001);
        }
        let root = s.create(id(1)).unwrap();
        s.ram.spaces.push((1, root));
        let root = s.create_view(id(2), 1, 0).unwrap();
        s.ram.spaces.push((2, root));
        let top = s.stack(2, (pages * PAGE).max(THREAD_STACK)).unwrap();
        (s, top - pages * PAGE, source)
    }
    fn piece(source: usize, rights: Rights, relocations: &[Relocation]) -> Piece<'_> {
        Piece { source, bytes: 2 * PAGE, offset: 0, rights, relocations }
    }
    fn byte(s: &mut Spaces<Fake>, asid: usize, va: usize) -> u8 {
        let root = s.root(asid).unwrap();
        let pa = tables::leaf(&s.ram, root, va).address() + va % PAGE;
        (s.ram.read(pa / 8 * 8) >> (pa % 8 * 8)) as u8
    }
    fn word(s: &mut Spaces<Fake>, asid: usize, va: usize, bytes: usize) -> usize {
        (0..bytes).rev().fold(0, |word, n| word << 8 | byte(s, asid, va + n) as usize)
    }
    fn relocations(places: &[(usize, Kind)]) -> Vec<Relocation> {
        places.iter().map(|&(at, kind)| Relocation::new(at as u64, kind).unwrap()).collect()
    }
    #[test]
    fn what_depends_on_the_address_is_put_right_and_the_rest_is_the_archives() {
        let (mut s, start, source) = taken(3);
        let list = relocations(&[(8, Kind::Word), (0x102, Kind::Up), (0x20a, Kind::Down)]);
        s.place(2, start, DISTANCE, &piece(source, CODE, &list)).unwrap();
        for page in [0, PAGE] {
            assert_eq!(s.resolve_view(2, start + page, Rights::EXECUTE, false), Seen::Now);
            assert_eq!(s.resolve_view(2, start + page, Rights::WRITE, false), Seen::Not);
        }
        assert_eq!(word(&mut s, 2, start + 8, 8), 0x8_0000_0008 + DISTANCE);
        // Halves of words: from 0x100 and 0x208.
        assert_eq!(word(&mut s, 2, start + 0x102, 4), 0x0100_0000 + DISTANCE);
        assert_eq!(word(&mut s, 2, start + 0x20a, 4) as u32, 0x0208_0000u32.wrapping_sub(DISTANCE as u32));
        assert_eq!(word(&mut s, 2, start + 16, 8), 0x10_0000_0010);
        assert_eq!(s.ram.code_fences, 1, "of the page that was written, whose frame may have had other code");
        let root = s.root(1).unwrap();
        assert_eq!(tables::leaf(&s.ram, root, start + PAGE).address(), source + PAGE);
        assert_ne!(tables::leaf(&s.ram, root, start).address(), source);
        assert_eq!(s.check(source + 2 * PAGE).unwrap().err(), None);
    }
    #[test]
    fn a_word_that_crosses_pages_is_right_in_both() {
        for at in PAGE - 7..PAGE {
            let (mut s, start, source) = taken(2);
            let before = (0..8).rev().fold(0usize, |w, n| {
                let pa = source + at + n;
                w << 8 | (s.ram.read(pa / 8 * 8) >> (pa % 8 * 8)) as usize & 0xff
            });
            s.place(2, start, DISTANCE, &piece(source, DATA, &relocations(&[(at, Kind::Word)]))).unwrap();
            assert_eq!(word(&mut s, 1, start + at, 8), before.wrapping_add(DISTANCE), "{at:#x}");
            assert_eq!(s.resolve_view(2, start + at, Rights::WRITE, false), Seen::Now);
        }
    }
    #[test]
    fn pages_that_it_has_not_taken_are_refused() {
        let (mut s, start, source) = taken(2);
        s.map(1, IMAGE_VA, 2 * PAGE, DATA).unwrap();
        let piece = piece(source, CODE, &[]);
        assert_eq!(s.place(2, start + PAGE, 0, &piece), Err(Error::EFAULT));
        assert_eq!(s.place(2, IMAGE_VA, 0, &piece), Err(Error::EFAULT), "its task's");
        assert_eq!(s.place(1, start, 0, &piece), Err(Error::EINVAL), "no view");
        assert_eq!(s.place(2, start, 8, &piece), Err(Error::EINVAL));
        assert_eq!(s.place(2, start, 0, &Piece { rights: Rights::EXECUTE, ..piece }), Err(Error::EINVAL));
    }
    #[test]
    fn a_page_that_was_touched_is_refused_and_ends_with_the_view() {
        let (mut s, start, source) = taken(2);
        assert!(s.resolve(1, start + PAGE, Rights::WRITE));
        assert_eq!(s.place(2, start, 0, &piece(source, DATA, &[])), Err(Error::EAGAIN));
        s.destroy_view(2, NONE).unwrap();
        assert!(!s.resolve(1, start, Rights::READ) && !s.resolve(1, start + PAGE, Rights::READ));
    }
    #[test]
    fn all_of_an_image_comes_back_and_so_does_its_place() {
        let (mut s, start, source) = taken(12);
        s.destroy_view(2, NONE).unwrap();
        let mut free = None;
        for _ in 0..50 {
            s.create_view(id(2), 1, 0).unwrap();
            let top = s.stack(2, 12 * PAGE).unwrap();
            assert_eq!(top - 12 * PAGE, start);
            s.place(2, start, DISTANCE, &piece(source, CODE, &relocations(&[(0x1008, Kind::Word)]))).unwrap();
            assert_eq!(s.resolve_view(2, start, Rights::EXECUTE, false), Seen::Now);
            s.destroy_view(2, NONE).unwrap();
            assert_eq!(*free.get_or_insert(s.frames.free()), s.frames.free());
        }
    }
    #[test]
    fn a_part_takes_no_more_than_its_own_limit() {
        let mut s = spaces();
        s.create(id(1)).unwrap();
        s.pay(1, 1).unwrap();
        s.accounts.set_limit(1, 1000).unwrap();
        s.accounts.set_limit(2, 40).unwrap();
        s.create_view(id(2), 1, 2).unwrap();
        s.create_view(id(3), 1, 2).unwrap();
        s.create_view(id(4), 1, 1).unwrap();
        s.grow(2, 20).unwrap();
        assert_eq!(s.grow(3, 20), Err(Error::ENOMEM), "together they have tables, too");
        s.grow(3, 10).unwrap();
        assert_eq!(s.grow(2, 10), Err(Error::ENOMEM));
        s.grow(4, 100).unwrap();
        s.destroy_view(3, NONE).unwrap();
        s.grow(2, 10).unwrap();
    }
    #[test]
    fn a_copy_comes_in_place_of_a_page_that_was_taken_and_nobody_has_touched() {
        let (mut s, start, source) = taken(3);
        s.place_copy(2, start, CODE, &[0x13, 0, 0, 0, 1]).unwrap();
        assert_eq!((word(&mut s, 1, start, 8), word(&mut s, 1, start + 8, 8)), (0x1_0000_0013, 0));
        assert_eq!(s.ram.code_fences, 1);
        assert_eq!(s.resolve_view(2, start, Rights::EXECUTE, false), Seen::Now);
        assert_eq!(s.resolve_view(2, start, Rights::WRITE, false), Seen::Not);
        assert_eq!(s.place_copy(2, start, CODE, &[1]), Err(Error::EAGAIN), "it is there");
        assert!(s.resolve(1, start + PAGE, Rights::WRITE), "its task has it");
        assert_eq!(s.place_copy(2, start + PAGE, DATA, &[1]), Err(Error::EAGAIN));
        s.place_copy(2, start + 2 * PAGE, DATA, &[7; PAGE]).unwrap();
        assert_eq!(byte(&mut s, 1, start + 3 * PAGE - 1), 7);
        assert_eq!(s.check(source + 2 * PAGE).unwrap().err(), None);
        s.destroy_view(2, NONE).unwrap();
        assert!(!s.resolve(1, start, Rights::READ));
    }
    #[test]
    fn a_copy_is_refused_where_the_view_has_taken_nothing_and_with_rights_to_write_and_execute() {
        let (mut s, start, _) = taken(2);
        s.map(1, IMAGE_VA, PAGE, DATA).unwrap();
        let all = DATA.union(CODE);
        assert_eq!(s.place_copy(2, IMAGE_VA, CODE, &[1]), Err(Error::EFAULT), "its task's");
        assert_eq!(s.place_copy(1, IMAGE_VA, CODE, &[1]), Err(Error::EINVAL), "no view");
        for (va, rights) in [(start, all), (start + 8, CODE), (start, Rights::EXECUTE)] {
            assert_eq!(s.place_copy(2, va, rights, &[1]), Err(Error::EINVAL), "{va:#x}");
        }
        assert_eq!(s.place_copy(2, start, CODE, &[1; PAGE + 1]), Err(Error::EINVAL));
        assert_eq!(s.resolve_view(2, start, Rights::WRITE, false), Seen::Now, "nothing has changed");
    }
    #[test]
    fn copies_of_every_second_page_are_refused_before_there_are_too_many_regions() {
        let (mut s, start, source) = taken(200);
        let pages = (start..start + 200 * PAGE).step_by(2 * PAGE);
        let placed = pages.map(|va| s.place_copy(2, va, CODE, &[1])).take_while(|done| done.is_ok()).count();
        assert!((20..crate::view::REGIONS).contains(&placed), "{placed}");
        assert_eq!(s.place_copy(2, start + 199 * PAGE, CODE, &[1]), Err(Error::ENFILE));
        assert_eq!(s.check(source + 2 * PAGE).unwrap().err(), None);
    }
}
