//! RAM in a vector, for tests, and what may reach its frames beside page tables: a TLB that never forgets by itself, and what
//! portals remember of pages that were lent last.
//!
//! Whatever could be in a TLB is: each translation is loaded when it is made, and again in the moment before its entry changes, and
//! stays until a flush covers it. Likewise a domain that may lend remembers each entry that it could lend. So what depends on a race
//! is found without one.

use crate::ram::Ram;
use crate::tables;
use abi::address::{PAGE, RAM_BASE, SEGMENTS_VA, WINDOW_VA};
use abi::rights::Rights;
use arch::Marks;
use arch::paging::{Entry, index};
use std::collections::BTreeSet;

/// What a TLB has: address space, page, entry.
type Translation = (usize, usize, Entry);
/// What is done with the RAM in another's turn.
type Interruption = Box<dyn FnOnce(&mut Fake)>;

pub struct Fake {
    pub base: usize,
    pub words: Vec<u64>,
    pub tlb: BTreeSet<Translation>,
    /// Number and root of the spaces that are looked after.
    pub spaces: Vec<(usize, usize)>,
    /// Domains that do not lend, for they are kept from it or no more.
    pub kept: BTreeSet<usize>,
    /// Domains that are no more, and nobody is in.
    pub dead: BTreeSet<usize>,
    /// Frames that open windows show.
    pub shown: Vec<usize>,
    /// Flushes do nothing.
    pub deaf: bool,
    /// Happens before interrupts are turned off the next time.
    pub interruption: Option<Interruption>,
    /// How often written code was made visible.
    pub code_fences: usize,
    /// The first thing that must not be.
    pub broken: Option<String>,
}
impl Fake {
    pub fn new(pages: usize) -> Fake {
        Fake {
            base: RAM_BASE,
            words: vec![0xdead_beef; pages * PAGE / 8],
            tlb: BTreeSet::new(),
            spaces: Vec::new(),
            kept: BTreeSet::new(),
            dead: BTreeSet::new(),
            shown: Vec::new(),
            deaf: false,
            interruption: None,
            code_fences: 0,
            broken: None,
        }
    }
    fn breaks(&mut self, what: String) {
        self.broken.get_or_insert(what);
    }
    /// Space and address of the leaf entry at `at`, if it is one of a space that is looked after.
    fn owner(&self, at: usize) -> Option<(usize, usize)> {
        self.spaces.iter().find_map(|&(asid, root)| {
            (0..2).chain(crate::segments::PLACES).find_map(|place| {
                let middle = self.at(root + 8 * place);
                if !middle.is_table() {
                    return None;
                }
                (0..512).find_map(|n| {
                    let table = self.at(middle.address() + 8 * n);
                    let here = table.is_table() && table.address() == at / PAGE * PAGE;
                    here.then_some((asid, (place << 30) + (n << 21) + at % PAGE / 8 * PAGE))
                })
            })
        })
    }
    fn at(&self, pa: usize) -> Entry {
        Entry::of(self.word(pa))
    }
    fn word(&self, pa: usize) -> u64 {
        self.words[(pa - self.base) / 8]
    }
    fn is_leaf(value: Entry) -> bool {
        value.allows(Rights::READ)
    }
    /// All that page tables show now is known from now on.
    pub fn load_all(&mut self) {
        for (asid, root) in self.spaces.clone() {
            for (place, n) in (0..2).flat_map(|place| (0..512).map(move |n| (place, n))) {
                let va = (place << 30) + (n << 21);
                let Some(first) = tables::entry(self, root, va) else { continue };
                for page in 0..512 {
                    let leaf = self.at(first + 8 * page);
                    if Fake::is_leaf(leaf) {
                        self.tlb.insert((asid, va + page * PAGE, leaf));
                    }
                }
            }
        }
    }
    /// Nobody sees what is not, or no more, his.
    pub fn check(&mut self) {
        for &(asid, va, old) in &self.tlb.clone() {
            if self.dead.contains(&asid) {
                continue;
            }
            let Some(&(_, root)) = self.spaces.iter().find(|(n, _)| *n == asid) else {
                self.breaks(format!("{va:#x} of space {asid}, which is no more, is known as {old:?}"));
                continue;
            };
            let now = tables::leaf(self, root, va);
            let rights = old.rights().difference(Rights::READ);
            if !now.is_present() || now.address() != old.address() || !now.rights().contains(rights) {
                self.breaks(format!("{va:#x} of space {asid} is known as {old:?}, and is {now:?}"));
            }
        }
    }
    /// The frame at `pa` is used for something new.
    fn taken(&mut self, pa: usize) {
        let reach = |t: &&Translation| t.2.address() == pa && !self.dead.contains(&t.0);
        if let Some(&(asid, va, _)) = self.tlb.iter().find(reach) {
            self.breaks(format!("frame {pa:#x} is given out, and space {asid} sees it at {va:#x}"));
        }
        if self.shown.contains(&pa) {
            self.breaks(format!("frame {pa:#x} is given out, and a window shows it"));
        }
    }
    /// A portal fills or clears a window slot: what it does with its own translation, it does itself.
    pub fn portal_writes(&mut self, asid: usize, va: usize, value: Entry) {
        let root = self.spaces.iter().find(|(n, _)| *n == asid).map(|s| s.1).unwrap();
        let at = tables::entry(self, root, va).unwrap();
        self.words[(at - self.base) / 8] = value.word();
        self.tlb.retain(|t| (t.0, t.1) != (asid, va));
        if !value.is_none() {
            self.tlb.insert((asid, va, value));
        }
    }
}
impl Ram for Fake {
    fn read(&self, pa: usize) -> u64 {
        self.word(pa)
    }
    fn write(&mut self, pa: usize, word: u64) {
        let (old, value) = (self.at(pa), Entry::of(word));
        let owner = if old != value && (Fake::is_leaf(old) || Fake::is_leaf(value)) { self.owner(pa) } else { None };
        if let Some((asid, va)) = owner {
            if Fake::is_leaf(old) && !self.dead.contains(&asid) {
                self.tlb.insert((asid, va, old));
            }
            if Fake::is_leaf(value) {
                self.tlb.insert((asid, va, value));
            }
            let lendable = Fake::is_leaf(old) && !old.has(Marks::LAZY) && !(WINDOW_VA..SEGMENTS_VA).contains(&va);
            let may_lend = !self.kept.contains(&asid) && !self.dead.contains(&asid);
            if lendable && old.without(Marks::FOREIGN) != value.without(Marks::FOREIGN) && may_lend {
                self.breaks(format!("{va:#x} of space {asid}, which may lend it, changes from {old:?} to {value:?}"));
            }
        }
        let base = self.base;
        self.words[(pa - base) / 8] = word;
    }
    fn clear(&mut self, pa: usize) {
        self.taken(pa);
        let first = (pa - self.base) / 8;
        self.words[first..first + PAGE / 8].fill(0);
    }
    fn copy(&mut self, from: usize, to: usize, bytes: usize) {
        self.taken(to);
        let (from, to) = ((from - self.base) / 8, (to - self.base) / 8);
        self.words.copy_within(from..from + bytes / 8, to);
    }
    fn store(&mut self, pa: usize, bytes: &[u8]) {
        for (n, &byte) in bytes.iter().enumerate() {
            let at = pa + n;
            let shift = at % 8 * 8;
            let word = self.read(at & !7);
            self.write(at & !7, word & !(0xff << shift) | (byte as u64) << shift);
        }
    }
    fn pointer(&mut self, pa: usize) -> *mut u8 {
        #[repr(align(4096))]
        struct Page([u8; PAGE]);
        // A page of its own: what is kept there is not read as RAM.
        assert!(pa >= self.base);
        Box::leak(Box::new(Page([0; PAGE]))).0.as_mut_ptr()
    }
    fn flush_page(&mut self, asid: usize, va: usize) {
        if !self.deaf {
            self.tlb.retain(|t| (t.0, t.1 / PAGE) != (asid, va / PAGE));
        }
    }
    fn flush_space(&mut self, asid: usize) {
        if !self.deaf {
            self.tlb.retain(|t| t.0 != asid);
        }
    }
    fn code_was_written(&mut self) {
        self.code_fences += 1;
    }
    fn undisturbed<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(interruption) = self.interruption.take() {
            interruption(self);
        }
        body(self)
    }
}
const _: () = assert!(index(WINDOW_VA, 2) == 1);
