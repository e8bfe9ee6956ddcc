//! What must hold of all spaces together, looked for in the page tables themselves. For tests: it goes through every table
//! of every space.
//!
//! Each frame that page tables refer to as a space's own is in use, and as many entries refer to it as its count of sharers
//! says; none of several may write it, but for those that domains share for good. For each promise a frame is held back. A window
//! shows a frame that is in use.

use crate::frames::For;
use crate::frames::Unreachable;
use crate::ram::Ram;
use crate::segments::{PLACES, above};
use crate::space::{Space, Spaces, private};
use abi::Error;
use abi::address::*;
use abi::nucleus::{MAX_DOMAINS, MAX_THREADS};
use abi::rights::Rights;
use arch::Marks;
use arch::paging::{Entry, index, supervisor_half};
use core::convert::Infallible;

/// What does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// An entry of the space's private part or a table of its refers to a free frame.
    Free = 1,
    /// More or fewer entries refer to a frame than its count says; a table that is not the space's alone.
    Sharers = 2,
    /// A shared frame can be written by one of its sharers.
    WritableShared = 3,
    /// Promises and entries that wait for a frame are not the same number.
    Promises = 4,
    /// The space's count of pages is wrong.
    Pages = 5,
    /// An entry that is not the component's, or has rights that nobody may have.
    Rights = 6,
    /// Something is mapped where nothing may be.
    Place = 7,
    /// The supervisor half is not everybody's.
    Supervisor = 8,
    /// A window shows a free frame.
    WindowFree = 9,
    /// A window's entry has rights or marks that windows do not have, or is no thread's.
    WindowRights = 11,
    /// A view shows what its space does not have there, or with more rights than its region or its space has.
    View = 12,
}
/// What does not hold, and of which space (0: of all together).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    pub kind: Kind,
    pub asid: usize,
    /// Of the page; 0: of none.
    pub address: usize,
}
impl Violation {
    /// As a portal's result: minus (kind · 2¹⁶ + ASID), beyond all errors.
    pub fn code(self) -> isize {
        -(((self.kind as isize) << 16) + self.asid as isize)
    }
}

const FRAMES: usize = (1 << 30) / PAGE;

/// How many entries refer to each frame: a byte each, in frames that are taken for it.
struct References {
    pages: [usize; FRAMES / PAGE],
    /// There was no frame for a count.
    full: bool,
}
impl References {
    /// One more entry refers to the frame at `pa`, which must be in use.
    fn add<R: Ram>(&mut self, spaces: &mut Spaces<R>, pa: usize) -> Result<(), Kind> {
        if spaces.frames.is_free(pa) {
            return Err(Kind::Free);
        }
        let frame = pa.wrapping_sub(RAM_BASE) / PAGE;
        let slot = self.pages.get_mut(frame / PAGE).ok_or(Kind::Place)?;
        if *slot == 0 {
            let Ok(page) = spaces.frames.take(For::System) else {
                self.full = true;
                return Ok(());
            };
            *slot = page;
            spaces.ram.clear(page);
        }
        let (at, shift) = (*slot + frame % PAGE / 8 * 8, frame % 8 * 8);
        let word = spaces.ram.read(at);
        if word >> shift & 0xff < 0xff {
            spaces.ram.write(at, word + (1 << shift));
        }
        Ok(())
    }
    fn count<R: Ram>(&self, spaces: &Spaces<R>, pa: usize) -> u64 {
        let frame = (pa - RAM_BASE) / PAGE;
        match self.pages[frame / PAGE] {
            0 => 0,
            page => spaces.ram.read(page + frame % PAGE / 8 * 8) >> (frame % 8 * 8) & 0xff,
        }
    }
    /// A frame to which more or fewer entries refer than it says, or that was free before it was taken to count in.
    fn wrong<R: Ram>(&self, spaces: &Spaces<R>) -> Option<usize> {
        let pages = self.pages.iter().enumerate().filter(|(_, page)| **page != 0);
        let counted = pages.flat_map(|(n, &page)| {
            let groups = (0..PAGE).step_by(8 * TOGETHER).filter(move |at| !spaces.all_zero(page + at));
            groups.flat_map(move |at| (0..8 * TOGETHER).map(move |frame| RAM_BASE + (n * PAGE + at + frame) * PAGE))
        });
        let mut counted = counted.map(|pa| (pa, self.count(spaces, pa))).filter(|(_, count)| *count != 0);
        let wrong = counted.find(|&(pa, count)| {
            // A count that has reached its highest value is not told apart from the next one.
            let sharers = spaces.shares.count(&spaces.ram, pa) + 1;
            count != sharers.min(255)
        });
        let own = || self.pages.iter().copied().find(|&page| page != 0 && self.count(spaces, page) != 0);
        wrong.map(|(pa, _)| pa).or_else(own)
    }
}

/// Entries of a table that are looked at together.
const TOGETHER: usize = 16;

/// Gives `visit` each entry of `table` that is not 0, and its number. Most are 0: so it takes one branch for several of them.
fn each_entry<R: Ram, E>(
    spaces: &mut Spaces<R>,
    table: usize,
    mut visit: impl FnMut(&mut Spaces<R>, usize, Entry) -> Result<(), E>,
) -> Result<(), E> {
    for first in (0..512).step_by(TOGETHER) {
        if spaces.all_zero(table + 8 * first) {
            continue;
        }
        for n in 0..TOGETHER {
            let entry = spaces.ram.entry(table + 8 * (first + n));
            if !entry.is_none() {
                visit(spaces, first + n, entry)?;
            }
        }
    }
    Ok(())
}

/// What was counted in a space.
#[derive(Default)]
struct Found {
    promises: usize,
    windows: usize,
    pages: usize,
    /// Pages that are shared for good.
    common: usize,
}

impl<R: Ram> Spaces<R> {
    /// Whether the `TOGETHER` words from `at` on are all 0.
    fn all_zero(&self, at: usize) -> bool {
        (0..TOGETHER).fold(0, |all, n| all | self.ram.read(at + 8 * n)) == 0
    }
    /// Checks everything; how many windows are open, or the first violation found. Frames below `managed` are the image's,
    /// which nobody owns. `ENOMEM`: there is none for the check itself.
    pub fn check(&mut self, managed: usize) -> Result<Result<usize, Violation>, Error> {
        let mut references = References { pages: [0; FRAMES / PAGE], full: false };
        let result = self.check_all(managed, &mut references);
        for page in references.pages {
            if page != 0 {
                // Its one table is the function's own.
                self.frames.release(Unreachable::unused(page));
            }
        }
        if references.full { Err(Error::ENOMEM) } else { Ok(result) }
    }
    fn check_all(&mut self, managed: usize, references: &mut References) -> Result<usize, Violation> {
        let (mut promises, mut windows) = (0, 0);
        for asid in 1..MAX_DOMAINS {
            let at = |(kind, address)| Violation { kind, asid, address };
            let counts = self.check_space(asid, managed, references).map_err(at)?;
            promises += counts.0;
            windows += counts.1;
        }
        if let Some(pa) = references.wrong(self) {
            let (asid, address) =
                (1..MAX_DOMAINS).find_map(|asid| Some((asid, self.refers(asid, pa)?))).unwrap_or((0, pa));
            return Err(Violation { kind: Kind::Sharers, asid, address });
        }
        if promises != self.frames.promised() {
            return Err(Violation { kind: Kind::Promises, asid: 0, address: 0 });
        }
        // Sharers that no entry is.
        let orphan = self.shares.shared(&self.ram).find(|&pa| references.count(self, pa) == 0);
        orphan.map_or(Ok(windows), |address| Err(Violation { kind: Kind::Sharers, asid: 0, address }))
    }
    /// The table below entry `place` of the root of `asid`.
    fn middle(&mut self, asid: usize, place: usize) -> Option<usize> {
        let root = self.root(asid)?;
        let middle = self.ram.entry(root + 8 * place);
        middle.is_table().then_some(middle.address())
    }
    /// For which address a table of `asid` refers to the frame at `pa` (0: it is a table that stands for no address).
    fn refers(&mut self, asid: usize, pa: usize) -> Option<usize> {
        let root = self.root(asid)?;
        let view = self.views.get(asid).is_some();
        let patch = self.views.get(asid).map(|view| view.patch as usize);
        if root == pa || patch == Some(pa) {
            return Some(0);
        }
        core::iter::once(0).chain(PLACES).find_map(|place| {
            let middle = self.middle(asid, place)?;
            if middle == pa {
                return Some(0);
            }
            let looked = each_entry(self, middle, |s, n, value| {
                let va = (place << 30) + (n << 21);
                if !value.is_table() {
                    return Ok(());
                }
                if value.address() == pa {
                    return Err(va);
                }
                each_entry(s, value.address(), |s, page, leaf| {
                    let found = !view && s.has_frame(leaf) && leaf.address() == pa;
                    if found { Err(va + page * PAGE) } else { Ok(()) }
                })
            });
            looked.err()
        })
    }
    /// An entry of a space refers to the frame at `pa` as to its own. Frames of the image are nobody's.
    fn count_own(&mut self, pa: usize, managed: usize, references: &mut References) -> Result<(), Kind> {
        if pa < managed { Ok(()) } else { references.add(self, pa) }
    }
    /// Promises and open windows of `asid`.
    fn check_space(
        &mut self,
        asid: usize,
        managed: usize,
        references: &mut References,
    ) -> Result<(usize, usize), (Kind, usize)> {
        let Ok(&mut space) = self.space(asid) else { return self.check_view(asid, managed, references) };
        self.count_own(space.root, managed, references).map_err(|kind| (kind, 0))?;
        if !space.boot {
            self.check_root(&space)?;
        }
        let mut found = Found::default();
        let segments = if space.has_segments_above() { PLACES } else { 0..0 };
        for place in (0..2).chain(segments) {
            let base = place << 30;
            let Some(middle) = self.middle(asid, place) else { continue };
            self.count_own(middle, managed, references).map_err(|kind| (kind, base))?;
            each_entry(self, middle, |s, n, value| {
                // Devices that the image builder has mapped.
                if !value.is_present() || value.is_page() && space.boot {
                    return Ok(());
                }
                if value.is_page() {
                    return Err((Kind::Place, base + (n << 21)));
                }
                let leaves = value.address();
                s.count_own(leaves, managed, references).map_err(|kind| (kind, base + (n << 21)))?;
                each_entry(s, leaves, |s, page, leaf| {
                    let va = base + (n << 21) + page * PAGE;
                    let checked = if place == 1 {
                        found.windows += 1;
                        s.check_window(va, leaf, references)
                    } else {
                        s.check_page(&space, (va, leaf), managed, references, &mut found)
                    };
                    checked.map_err(|kind| (kind, va))
                })
            })?;
        }
        if found.pages != space.pages as usize || found.common != space.common as usize {
            return Err((Kind::Pages, found.pages));
        }
        Ok((found.promises, found.windows))
    }
    /// What is in the root table of a space that the memory manager made.
    fn check_root(&mut self, space: &Space) -> Result<(), (Kind, usize)> {
        let half = supervisor_half(self.shared.code_l1);
        let service = Entry::table(self.shared.service_l1);
        let mut supervisor = half.map(|(place, _)| (place, Entry::NONE));
        each_entry(self, space.root, |_, n, entry| match supervisor.iter_mut().find(|(place, _)| *place == n) {
            Some((_, found)) => {
                *found = entry;
                Ok(())
            }
            _ if n <= 1 || space.has_segments_above() && PLACES.contains(&n) => Ok(()),
            _ if n == index(SERVICE_VA, 2) && entry == service => Ok(()),
            _ => Err((Kind::Place, 0)),
        })?;
        if supervisor != half { Err((Kind::Supervisor, 0)) } else { Ok(()) }
    }
    /// A page of a space, of its private part or of a segment.
    fn check_page(
        &mut self,
        space: &Space,
        (va, leaf): (usize, Entry),
        managed: usize,
        references: &mut References,
        found: &mut Found,
    ) -> Result<(), Kind> {
        let (lazy, pa) = (leaf.has(Marks::LAZY), leaf.address());
        let own = leaf.is_present() && !leaf.has(Marks::FOREIGN);
        let writable = leaf.rights().contains(Rights::WRITE);
        // Shared for good, with the rights that the first one had.
        let common = !own && self.has_frame(leaf);
        found.common += (common && va != RETURN_PAGE) as usize;
        found.promises += lazy as usize;
        if own || common {
            self.count_own(pa, managed, references)?;
        }
        if va != RETURN_PAGE && (lazy || (own && pa >= managed)) {
            found.pages += 1;
        }
        // The return page is the same everywhere, and nothing else is.
        let global = leaf.is_global() == (va == RETURN_PAGE);
        let its_mode = leaf.is_user() != space.supervisor || va == RETURN_PAGE;
        if !its_mode || !global || !leaf.rights().contains(Rights::READ) {
            return Err(Kind::Rights);
        }
        if !leaf.is_present() && !lazy || leaf.is_present() && lazy && writable {
            return Err(Kind::Rights);
        }
        let sharers = if own && pa >= managed { self.shares.count(&self.ram, pa) } else { 0 };
        if writable && own && sharers > 0 {
            return Err(Kind::WritableShared);
        }
        // The first components see what the image builder has put beside the return page.
        let builders = va == RETURN_PAGE || (space.boot && pa < managed);
        let both = Rights::WRITE.union(Rights::EXECUTE);
        if space.has_segment_at(va) && leaf.rights().contains(both) {
            return Err(Kind::Rights);
        }
        let known = private(va, PAGE).or_else(|_| above(va)).is_ok() && !space.guards(va);
        if !known && !builders {
            return Err(Kind::Place);
        }
        Ok(())
    }
    /// The same of a view, which has no promises: its pages are its space's.
    fn check_view(
        &mut self,
        asid: usize,
        managed: usize,
        references: &mut References,
    ) -> Result<(usize, usize), (Kind, usize)> {
        let Some((root, patch)) = self.views.get(asid).map(|view| (view.root, view.patch as usize)) else {
            return Ok((0, 0));
        };
        self.count_own(root, managed, references).map_err(|kind| (kind, 0))?;
        if patch != 0 {
            self.count_own(patch, managed, references).map_err(|kind| (kind, 0))?;
        }
        if !self.patch_holds(asid) {
            return Err((Kind::View, 0));
        }
        let mut windows = 0;
        for (place, base) in [(0, 0), (1, WINDOW_VA)] {
            let Some(middle) = self.middle(asid, place) else { continue };
            self.count_own(middle, managed, references).map_err(|kind| (kind, base))?;
            each_entry(self, middle, |s, n, value| {
                let (leaves, first) = (value.address(), base + (n << 21));
                s.count_own(leaves, managed, references).map_err(|kind| (kind, first))?;
                each_entry(s, leaves, |s, page, leaf| {
                    let va = first + page * PAGE;
                    if place == 1 {
                        windows += 1;
                        return s.check_window(va, leaf, references).map_err(|kind| (kind, va));
                    }
                    if va == RETURN_PAGE || s.view_entry_holds(asid, va, leaf) { Ok(()) } else { Err((Kind::View, va)) }
                })
            })?;
        }
        Ok((0, windows))
    }
    fn check_window(&self, va: usize, leaf: Entry, references: &References) -> Result<(), Kind> {
        let is_window = leaf.allows(Rights::READ) && leaf.marks() == Marks::FOREIGN && !leaf.is_global();
        if !is_window || leaf.rights().contains(Rights::EXECUTE) || va >= window_base(MAX_THREADS) {
            return Err(Kind::WindowRights);
        }
        // That nobody can write who shares it copy-on-write is seen from its lender's entry: pages that are shared for good may be.
        let free = self.frames.is_free(leaf.address()) || references.pages.contains(&leaf.address());
        if free { Err(Kind::WindowFree) } else { Ok(()) }
    }
    /// How many window slots of `asid` are open.
    pub fn windows(&mut self, asid: usize) -> usize {
        let mut open = 0;
        let Some(middle) = self.middle(asid, 1) else { return 0 };
        let counted: Result<(), Infallible> = each_entry(self, middle, |s, _, table| {
            if !table.is_present() {
                return Ok(());
            }
            each_entry(s, table.address(), |_, _, _| {
                open += 1;
                Ok(())
            })
        });
        let Ok(()) = counted;
        open
    }
    /// Whether a page that `asid` can see, of its own, in a window, or of the service stacks, is the frame at `pa`, with the rights in `rights`.
    pub fn shows(&mut self, asid: usize, pa: usize, rights: Rights) -> bool {
        if self.view_shows(asid, pa, rights) {
            return true;
        }
        [0, 1, index(SERVICE_VA, 2)].into_iter().chain(PLACES).any(|place| {
            let Some(middle) = self.middle(asid, place) else { return false };
            // It ends where one is found.
            let looked = each_entry(self, middle, |s, _, table| {
                if !table.is_table() {
                    return Ok(());
                }
                each_entry(s, table.address(), |_, _, leaf| {
                    let found = leaf.address() == pa && leaf.allows(rights);
                    if found { Err(()) } else { Ok(()) }
                })
            });
            looked.is_err()
        })
    }
}
