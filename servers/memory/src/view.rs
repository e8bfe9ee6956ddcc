//! What is known of each domain that sees a part of another one's address space: its *view*, and the regions that the view has
//! ([`crate::views`]).

use crate::chains::Chains;
use crate::numbered::Numbered;
use abi::address::PAGE;
use abi::identity::DomainId;
use abi::rights::Rights;

/// Most regions of one view, where others say what it sees.
pub const REGIONS: usize = 64;
/// Most with those of what its own domain takes: each stack is one.
pub const MOST_REGIONS: usize = 128;
/// Pages of regions, of all views.
const REGION_PAGES: usize = 32;

/// Of a view, or, of a space that has views, only where their list begins.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub struct View {
    /// Physical address of its root table; 0: it is none.
    pub root: usize,
    pub(crate) id: Option<DomainId>,
    /// The domain whose space it is of.
    pub space: u16,
    /// The next view of the same space; of a space the first one; 0: none.
    pub(crate) next: u16,
    /// Page tables of its own.
    pub(crate) tables: u16,
    /// The view of another space that it is to see as much as, when its own becomes a copy of that one; 0: none.
    pub(crate) model: u16,
    pub(crate) account: u8,
    /// Physical address of its domain's patch; 0: none.
    pub(crate) patch: u32,
}
const _: () = assert!(size_of::<View>() == 32);

/// Pages that a view sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// Page numbers: the first, and the first behind it.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) rights: u8,
    /// The view's own domain has taken the pages: they end with it.
    pub(crate) own: bool,
}
impl Region {
    pub(crate) fn has(&self, va: usize) -> bool {
        (self.start..self.end).contains(&((va / PAGE) as u32))
    }
    /// Whether one of its pages lies between the two addresses of pages.
    pub(crate) fn meets(&self, start: usize, end: usize) -> bool {
        (self.start as usize) < end / PAGE && start / PAGE < self.end as usize
    }
    /// Whether it is two without the page at `va`.
    pub(crate) fn splits_at(&self, va: usize) -> bool {
        let (start, end) = self.range();
        start < va && va + PAGE < end
    }
    pub(crate) fn rights(&self) -> Rights {
        Rights::from_bits_truncate(self.rights as u64)
    }
    pub(crate) fn range(&self) -> (usize, usize) {
        (self.start as usize * PAGE, self.end as usize * PAGE)
    }
    pub(crate) fn pages(&self) -> impl Iterator<Item = usize> + use<> {
        (self.start..self.end).map(|page| page as usize * PAGE)
    }
}

/// All views.
pub struct Views {
    pub(crate) records: Numbered<View>,
    pub(crate) count: usize,
    /// By the views' numbers.
    pub(crate) regions: Chains<Region, REGION_PAGES>,
}
impl Views {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Views {
        Views { records: Numbered::new(), count: 0, regions: Chains::new() }
    }
    /// The view of domain `number`.
    pub fn get(&self, number: usize) -> Option<&View> {
        if self.count == 0 {
            return None;
        }
        self.records.get(number).filter(|view| view.root != 0)
    }
    /// Whether there are any.
    pub(crate) fn any(&self) -> bool {
        self.count != 0
    }
    /// The views of `space`.
    pub(crate) fn of(&self, space: usize) -> impl Iterator<Item = (usize, View)> + use<'_> {
        let first = if self.count == 0 { 0 } else { self.records.get(space).map_or(0, |record| record.next) };
        core::iter::successors(self.numbered(first), |(_, view)| self.numbered(view.next))
    }
    pub(crate) fn numbered(&self, number: u16) -> Option<(usize, View)> {
        self.get(number as usize).map(|view| (number as usize, *view))
    }
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut View> {
        self.records.get_mut(number).filter(|view| view.root != 0)
    }
    /// The regions of view `view`.
    pub(crate) fn regions_of(&self, view: usize) -> impl Iterator<Item = Region> {
        self.regions.of(view as u16)
    }
    pub(crate) fn region(&self, view: usize, va: usize) -> Option<Region> {
        self.regions.of(view as u16).find(|region| region.has(va))
    }
    /// Whether view `view` has taken the page at `va`.
    pub(crate) fn has_taken(&self, view: usize, va: usize) -> bool {
        self.region(view, va).is_some_and(|region| region.own)
    }
    /// Pages that view `view` has taken.
    pub fn taken(&self, view: usize) -> usize {
        self.regions.of(view as u16).filter(|region| region.own).map(|region| region.pages().count()).sum()
    }
}
