//! The domains of protection of a copied task: the copy has one for each that was made in it, in the same order, with the same entry points, as
//! many stacks, and the same numbers in its table; what led to one of the task's leads to the copy's. What each of them sees, the memory manager
//! copies with the space.
//!
//! Not copied are those of components, of which there is one: no name in the copy leads to them. Nor are threads, and what was registered.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::code::Kind;
use crate::state::enclosure::Enclosure;
use crate::state::entry_points::EntryPoint;
use crate::state::wanted::Wanted;
use abi::Error;
use abi::identity::DomainId;
use abi::nucleus::domain;
use alloc::vec::Vec;
use fallible::TryPush;

/// Which domain is the copy of which.
pub struct Copies(Vec<(DomainId, usize)>);
impl Copies {
    pub const NONE: Copies = Copies(Vec::new());
    /// The copy of the domain with this identity.
    fn of(&self, id: DomainId) -> Option<usize> {
        self.0.iter().find(|(original, _)| *original == id).map(|&(_, copy)| copy)
    }
}

impl<M: Machine> Manager<M> {
    /// Makes a domain of protection in `child`, which is to be a copy of `task`, for each that was made in that one. They have nothing yet.
    #[inline(always)]
    pub(crate) fn copy_protections(&mut self, task: usize, child: usize) -> Result<Copies> {
        if self.first_part(task).is_some() { self.make_copies(task, child) } else { Ok(Copies::NONE) }
    }
    #[cold]
    #[optimize(size)]
    fn make_copies(&mut self, task: usize, child: usize) -> Result<Copies> {
        let mut originals = Vec::new();
        for part in self.family(task).skip(1) {
            if let Ok(d) = self.domain(part)
                && !d.lasting
            {
                originals.try_push(d.id)?;
            }
        }
        let mut copies = Copies::NONE;
        // The first that was made comes first: who made it is there by then, and each is put before the others.
        for id in originals.into_iter().rev() {
            // Making a domain may end one that nobody has a name for.
            let Ok(original) = self.live(id) else { continue };
            let d = self.domain(original)?;
            let (name, account, made_by) = (d.name, d.account, self.domain(d.parent).ok().map(|d| d.id));
            let parent = made_by.and_then(|id| copies.of(id)).unwrap_or(child);
            let enclosure = Enclosure::Protection { task: child as u16, next: 0 };
            let name = abi::section::text(&name);
            let copy = self.create_domain(&Wanted { name, flags: 0, enclosure, parent, account })?;
            copies.0.try_push((id, copy))?;
            self.machine.view_model(copy, original)?;
            self.copy_entry_points(id, self.domain(copy)?.id)?;
        }
        Ok(copies)
    }
    fn copy_entry_points(&mut self, original: DomainId, copy: DomainId) -> Result<()> {
        for n in 0.. {
            let point = self.entry_points.of(original).nth(n);
            let Some(point) = point else { break };
            self.entry_points.add(EntryPoint { domain: copy, ..point })?;
        }
        Ok(())
    }
    /// Gives them what the originals have. Their task has its memory and its table.
    #[inline(always)]
    pub(crate) fn fill_protections(&mut self, child: usize, copies: &Copies) -> Result<()> {
        if copies.0.is_empty() { Ok(()) } else { self.fill_copies(child, copies) }
    }
    #[cold]
    #[optimize(size)]
    fn fill_copies(&mut self, child: usize, copies: &Copies) -> Result<()> {
        for &(id, copy) in &copies.0 {
            let original = self.live(id)?;
            let (table, stacks) = (self.domain(original)?.table, self.domain(original)?.queue);
            self.domain(copy)?.table.set_field(domain::TP, table.field(domain::TP));
            (0..stacks).try_for_each(|_| self.add_stack(copy))?;
            self.copy_table(original, copy, copies)?;
        }
        // One may have been kept by a thread, which was not copied.
        self.names_lost = true;
        self.end_unnamed(child);
        Ok(())
    }
    /// Entry `number` of domain `to` leads to the copy of what `code` leads to, a handle or a portal to an entry point; where there is none, nowhere.
    #[cold]
    #[optimize(size)]
    pub(crate) fn copy_name(&mut self, code: u64, to: usize, number: usize, copies: &Copies) -> Result<()> {
        let block = self.code.get(code).ok_or(Error::EPORTAL)?;
        let (kind, server, entry) = (block.kind, block.server as usize, block.entry);
        let original = match kind {
            Kind::Handle => DomainId::of(entry),
            _ => self.domain(server).ok().map(|d| d.id),
        };
        let Some(copy) = original.and_then(|id| copies.of(id)) else { return Ok(()) };
        if let Kind::Procedure { entry } = kind {
            let Some(point) = self.entry_points.find(self.domain(copy)?.id, entry) else { return Ok(()) };
            return match self.known_connection(copy, point)? {
                Some((code, _)) => self.install(to, number, code),
                None => self.connect_first(to, number, copy, point),
            };
        }
        let code = self.handle_of(copy, Kind::Handle)?;
        self.install_first(to, number, code)
    }
}
