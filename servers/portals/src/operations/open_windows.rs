//! What calls lend: the pages that open windows show, as the invocation stacks have it. Such a page is not shared, replaced or
//! given away, so who does that keeps the domain from lending meanwhile.

use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::nucleus_data::FrameView;
use abi::nucleus::domain;
use arch::paging::{AddressSpace, Entry};
use portal::{Templates, Uses};

/// What a portal says of every call through it.
#[derive(Clone, Copy)]
pub struct Call {
    /// The domain that it went to.
    pub server: Option<usize>,
    /// Letters with templates, if there are.
    pub templated: Option<Uses>,
}

impl<M: Machine> Manager<M> {
    /// Keeps the domain, and all that see its space, from lending pages until it is thawed, and has in `lent` the frames that windows of
    /// its calls show.
    pub fn freeze(&mut self, asid: usize) {
        self.open_windows.clear();
        self.freeze_another(asid);
    }
    /// The same of one more domain: its frames are added.
    pub(crate) fn freeze_another(&mut self, asid: usize) {
        // Others, those that have ended included, may lend what is in a space that several see: then all windows count.
        let all = self.is_shared(asid);
        self.freeze_counting(asid, all);
    }
    /// The same; `all`: the windows of all calls count.
    fn freeze_counting(&mut self, asid: usize, all: bool) {
        self.keep_family_from_lending(asid);
        let Some(table) = self.domains.get(asid).map(|d| d.table) else { return };
        let unclaimed = self.remains.unclaimed.then_some(self.dead.graveyard);
        self.each_window(|frame, entry| {
            if all || frame.table() == table || Some(frame.table()) == unclaimed {
                self.open_windows.add(entry.address());
            }
        });
    }
    /// [`Manager::freeze`] where the windows of all calls count.
    pub(crate) fn freeze_against_all(&mut self, asid: usize) {
        self.open_windows.clear();
        self.freeze_counting(asid, true);
    }
    /// Gives `visit` each entry that a call has lent, and the call's frame.
    fn each_window(&self, mut visit: impl FnMut(FrameView<M>, Entry)) {
        let mut seen = self.seen.borrow_mut();
        for (_, page, _) in self.threads.living().filter(|&(index, page, _)| page.has_windows(index)) {
            for frame in seen.settle(page, &self.code).filter(|&frame| !frame.floating() && self.is_templated(frame)) {
                self.lent_entries(frame).for_each(|entry| visit(frame, entry));
            }
        }
    }
    /// Which of the frames at these physical addresses, at most 63, windows show: bit n stands for frame n.
    pub fn shown(&self, frames: &[usize]) -> u64 {
        let mut mask = 0;
        self.each_window(|_, entry| {
            let pa = entry.address();
            frames.iter().enumerate().filter(|(_, frame)| **frame == pa).for_each(|(n, _)| mask |= 1 << n);
        });
        mask
    }
    /// [`Manager::keep_from_lending`] for all that see the space of domain `asid`.
    pub fn keep_family_from_lending(&mut self, asid: usize) {
        let mut next = Some(self.task_of(asid));
        while let Some(member) = next {
            self.keep_from_lending(member);
            next = self.family_after(member);
        }
    }
    /// Keeps the domain from lending pages until it is thawed: a portal that is to open a window finds no page, and waits in the
    /// memory manager. What it has lent last is forgotten.
    pub fn keep_from_lending(&mut self, asid: usize) {
        let nothing = self.dead.nothing;
        let Some(d) = self.domains.get_mut(asid) else { return };
        d.frozen += 1;
        let table = d.table;
        table.set_field(domain::ROOT, nothing);
        // The entries too: no page has number 0, but a caller may name it.
        for n in 0..2 * domain::LENT_PAGES {
            table.set_field(domain::LENT + 8 * n, 0);
        }
    }
    /// Ends [`Manager::freeze`], or [`Manager::keep_family_from_lending`].
    pub fn thaw(&mut self, asid: usize) {
        let mut next = Some(self.task_of(asid));
        while let Some(member) = next {
            self.thaw_one(member);
            next = self.family_after(member);
        }
    }
    fn thaw_one(&mut self, asid: usize) {
        let Some(d) = self.domains.get_mut(asid) else { return };
        d.frozen = d.frozen.saturating_sub(1);
        if d.frozen == 0 {
            d.table.set_field(domain::ROOT, AddressSpace::of(d.table.field(domain::SPACE)).root() as u64);
        }
    }

    /// The page-table entries that the call of `frame` lends.
    pub fn lent_entries(&self, frame: FrameView<M>) -> impl Iterator<Item = Entry> + use<'_, M> {
        self.entries_lent_by(self.templated(frame), frame)
    }
    /// The same; `templated`: what [`Manager::templated`] says of the frame, which takes long.
    pub fn entries_lent_by(&self, templated: Uses, frame: FrameView<M>) -> impl Iterator<Item = Entry> + use<'_, M> {
        let words = (0..templated.all().len()).flat_map(move |n| {
            let used = templated.all()[n];
            let letter = &self.templates.all[used.template as usize].letters[used.letter as usize];
            (0..letter.lent as usize).map(move |n| used.own as usize + 8 * n)
        });
        words.map(move |at| Entry::of(frame.word(at))).filter(|entry| !entry.is_none())
    }
    /// What the portal alone says of the call that returns through `frame`.
    pub fn call(&self, frame: FrameView<M>) -> Call {
        let Some((_, block)) = self.code.containing(frame.portal()) else {
            return Call { server: None, templated: None };
        };
        let templated = block.specification.is_templated().then(|| self.templated(frame));
        Call { server: Some(block.server as usize), templated }
    }
    /// Whether the portal that returns through `frame` has letters with templates.
    #[inline(always)]
    pub fn is_templated(&self, frame: FrameView<M>) -> bool {
        self.code.containing(frame.portal()).is_some_and(|(_, block)| block.specification.is_templated())
    }
    /// The domain that the call of `frame` went to.
    pub fn server(&self, frame: FrameView<M>) -> Option<usize> {
        self.code.containing(frame.portal()).map(|(_, block)| block.server as usize)
    }
    /// The letters with templates of the portal that returns through `frame`.
    pub fn templated(&self, frame: FrameView<M>) -> Uses {
        let Some((_, block)) = self.code.containing(frame.portal()) else { return Uses::NONE };
        Uses::new(&block.specification, &Templates::new(&self.templates.all), block.templated).unwrap_or(Uses::NONE)
    }
}
