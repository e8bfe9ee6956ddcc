//! What calls lend: the pages that open windows show, as the invocation stacks have it. Such a page is not shared, replaced or
//! given away, so who does that keeps the domain from lending meanwhile.

use crate::manager::Manager;
use crate::view::FrameView;
use abi::Error;
use abi::nucleus::domain;
use pebble::Result;
use portal::{Templates, Uses};

/// Most pages that calls of a domain may lend while it is forked or its pages are replaced.
const LENT: usize = 64;
/// Physical addresses of frames that windows show, where a window shows all of them.
#[repr(align(512))]
pub struct Lent([usize; LENT], usize);
impl Lent {
    pub fn new() -> Lent {
        Lent([0; LENT], 0)
    }
    fn add(&mut self, pa: usize) {
        if let Some(place) = self.0.get_mut(self.1) {
            *place = pa;
        }
        self.1 += 1;
    }
    pub fn count(&self) -> usize {
        self.1
    }
    /// Those there are. `EWINDOW`: more than fit.
    pub fn all(&self) -> Result<&[usize]> {
        self.0.get(..self.1).ok_or(Error::EWINDOW)
    }
    /// Their address and number.
    pub fn window(&self) -> Result<(usize, usize)> {
        self.all().map(|all| (all.as_ptr() as usize, all.len()))
    }
}

impl Manager {
    /// Keeps the domain from lending pages until it is thawed, and adds the frames that windows of its calls show. A portal that
    /// is to open another finds no page, and waits in the memory manager.
    pub fn freeze(&mut self, asid: usize, lent: &mut Lent) {
        let graveyard = self.graveyard;
        let Some(d) = self.domains.get_mut(asid) else { return };
        d.frozen += 1;
        let table = d.table;
        // Addresses of code: none has the bits of an entry that points to a table.
        table.set_field(domain::ROOT, graveyard.0);
        // The entries too: no page has number 0, but a caller may name it.
        for n in 0..2 * domain::LENT_PAGES {
            table.set_field(domain::LENT + 8 * n, 0);
        }
        for (_, page, _) in self.threads.living().filter(|&(index, page, _)| page.has_windows(index)) {
            for frame in page.frames(&self.code).filter(|f| !f.floating() && f.table() == table) {
                if !self.is_templated(frame) {
                    continue;
                }
                self.lent_entries(frame).for_each(|entry| lent.add(abi::address::pte::address(entry)));
            }
        }
    }
    /// Ends [`Manager::freeze`].
    pub fn thaw(&mut self, asid: usize) {
        let Some(d) = self.domains.get_mut(asid) else { return };
        d.frozen = d.frozen.saturating_sub(1);
        if d.frozen == 0 {
            d.table.set_field(domain::ROOT, abi::address::root(d.table.field(domain::SATP)) as u64);
        }
    }

    /// The page-table entries that the call of `frame` lends.
    pub fn lent_entries(&self, frame: FrameView) -> impl Iterator<Item = u64> + use<'_> {
        let templated = self.templated(frame);
        let words = (0..templated.all().len()).flat_map(move |n| {
            let used = templated.all()[n];
            let letter = &self.templates[used.template as usize].letters[used.letter as usize];
            (0..letter.lent as usize).map(move |n| used.own as usize + 8 * n)
        });
        words.map(move |at| frame.word(at)).filter(|&entry| entry != 0)
    }
    /// Whether the portal that returns through `frame` has letters with templates.
    pub fn is_templated(&self, frame: FrameView) -> bool {
        self.code.containing(frame.portal()).is_some_and(|(_, block)| block.specification.is_templated())
    }
    /// The domain that the call of `frame` went to.
    pub fn server(&self, frame: FrameView) -> Option<usize> {
        self.code.containing(frame.portal()).map(|(_, block)| block.server as usize)
    }
    /// The letters with templates of the portal that returns through `frame`.
    pub fn templated(&self, frame: FrameView) -> Uses {
        let Some((_, block)) = self.code.containing(frame.portal()) else { return Uses::NONE };
        Uses::new(&block.specification, &Templates::new(&self.templates), block.templated).unwrap_or(Uses::NONE)
    }
}
