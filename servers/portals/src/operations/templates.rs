//! Templates that trusted servers register at run time: letters of specifications with the servers' own code.
//!
//! A template whose server has died is withdrawn: its letters are rejected from then on, portals that have them answer `EDEAD`,
//! and its record and its place are kept until the last of those portals is freed.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::Block;
use crate::state::upcalls::What;
use abi::Error;
use abi::address::{WINDOW_VA, supervisor};
use abi::identity::DomainId;
use abi::nucleus::{fault, flags};
use abi::template::{LETTERS, Lowered, TEMPLATES, Template};
use alloc::boxed::Box;
use fallible::TryPush;
use portal::{Reason, Refused, Rejected, Specification, Templates};

use crate::state::templates::Owner;

impl<M: Machine> Manager<M> {
    /// Parses a specification that a client passes.
    pub fn parse(&self, text: &str) -> core::result::Result<Specification, Rejected> {
        let specification = Specification::parse(text, false, &Templates::new(&self.templates.all))?;
        let place = text.bytes().skip(2).position(|letter| {
            let known = Templates::new(&self.templates.all).find(letter);
            known.is_some_and(|(n, _)| self.templates.owners[n].server == 0) && specification.has(letter)
        });
        match place {
            Some(n) => Err(Rejected { reason: Reason::NoTemplate, position: (2 + n) as u8 }),
            None => Ok(specification),
        }
    }
    /// Takes over a template of the caller's; `entry` is called with `(value, caller, callee, asids)` for a fault of its code: the
    /// value of the fault, the identities of the two domains, the caller's ASID in the lower half of a word and the
    /// callee's in the upper one. It returns 0 for the call to be made again, or an error that ends it.
    #[optimize(size)]
    pub fn register_template(&mut self, caller: Caller, mut template: Box<Template>, entry: usize) -> Result<isize> {
        let domain = self.domain(caller.subject)?;
        if domain.flags & flags::TRUSTED == 0 || caller.direct != caller.subject {
            return Err(Error::EACCESS);
        }
        let checked = portal::form::check(&template).and_then(|()| portal::confinement::check(&template));
        if let Err(refused) = checked {
            return Ok(rejected(refused));
        }
        let letters = &template.letters[..(template.letter_count as usize).min(LETTERS)];
        if letters.iter().any(|l| Templates::new(&self.templates.all).find(l.letter).is_some()) {
            return Err(Error::EEXIST);
        }
        // Page-table entries are the memory manager's, and so are its faults.
        if entry >= WINDOW_VA || letters.iter().any(|l| l.lent > 0 || ![0, fault::ARGUMENT as u8].contains(&l.fault)) {
            return Err(Error::EINVAL);
        }
        let place = self
            .templates
            .all
            .iter()
            .zip(&self.templates.owners)
            .position(|(t, o)| o.server == 0 && t.letter_count == 0);
        if place.is_none() && self.templates.all.len() >= TEMPLATES {
            return Err(Error::ENFILE);
        }
        if template.record != 0 {
            let record = template.record as usize;
            let frame = self.machine.frame_of(caller.subject, record)?;
            template.record = (supervisor(frame) + record % abi::address::PAGE) as u64;
        }
        // What stands in its place when it is no more.
        if self.templates.none.is_none() {
            let zeros = Box::<Lowered>::try_new_zeroed().map_err(|_| Error::ENOMEM)?;
            // SAFETY: a template is integers only, for which zero is a value.
            self.templates.none = Some(Box::leak(unsafe { zeros.assume_init() }));
        }
        self.kept.forget_all();
        let lowered = lowered(&template)?;
        self.templates.all.room_for(1)?;
        self.templates.owners.room_for(1)?;
        let upcall = if entry == 0 {
            0
        } else {
            self.add_upcall((self.roles.own, caller.subject), "spiiii", entry, What::Template)?
        };
        let owner = Owner { server: caller.subject, upcall };
        let template: &'static Lowered = Box::leak(lowered);
        match place {
            Some(n) => (self.templates.all[n], self.templates.owners[n]) = (template, owner),
            None => {
                self.templates.all.push_kept(template);
                self.templates.owners.push_kept(owner);
            }
        }
        Ok(0)
    }
    /// What to ask the server of template `n` with, about a call from domain `from` to domain `to`, which are identities: its upcall,
    /// of which a call is pending from here on, and the numbers of both.
    #[optimize(size)]
    pub fn template_question(&mut self, n: usize, from: usize, to: usize) -> Result<(usize, usize)> {
        let owner = *self.templates.owners.get(n).filter(|o| o.server != 0).ok_or(Error::EDEAD)?;
        let [from, to] = [from, to].map(|word| DomainId::of(word as u64).ok_or(Error::EINVAL));
        let (from, to) = (self.living(from?)?.id.number(), self.living(to?)?.id.number());
        if owner.upcall == 0 { Err(Error::EINVAL) } else { Ok((self.upcall_pending(owner.upcall)?, from | to << 16)) }
    }
    /// Domain `asid` is no more: withdraws its templates.
    #[optimize(size)]
    pub fn withdraw_templates(&mut self, asid: usize) {
        for n in 0..self.templates.all.len() {
            if self.templates.owners[n].server != asid {
                continue;
            }
            self.kept.forget_all();
            // Its upcalls are withdrawn with the others of that domain.
            self.templates.owners[n] = Owner { server: 0, upcall: 0 };
            for at in 0..self.code.end() {
                let Some(code) = self.code.at(at).filter(|(_, b)| self.uses_template(b, n)).map(|(code, _)| code)
                else {
                    continue;
                };
                self.registrations.iter_mut().for_each(|(_, registration)| registration.forget(code));
                let used = self.code.get(code).filter(|block| block.is_used()).map(|block| block.kind);
                self.close_portals_to(&[code]);
                used.into_iter().for_each(|kind| self.nothing_leads_to(kind));
                self.code.retire(code);
            }
        }
    }
    /// Whether `block` has code of template `n`.
    #[optimize(size)]
    fn uses_template(&self, block: &Block, n: usize) -> bool {
        let template = self.templates.all[n];
        let letters = &template.letters[..(template.letter_count as usize).min(LETTERS)];
        let specification = &block.specification;
        specification.is_templated() && letters.iter().any(|l| specification.has(l.letter))
    }
    /// Whether nothing has code of templates that domain `asid` had; their places are free then.
    #[optimize(size)]
    pub fn templates_unused(&mut self) -> bool {
        let mut unused = true;
        for n in 0..self.templates.all.len() {
            if self.templates.owners[n].server != 0 || self.templates.all[n].letter_count == 0 {
                continue;
            }
            if self.code.all().any(|(_, block)| self.uses_template(block, n)) {
                unused = false;
                continue;
            }
            let template: *const Lowered = self.templates.all[n];
            let Some(none) = self.templates.none else { continue };
            self.templates.all[n] = none;
            // SAFETY: `register_template` leaked it, boot templates are never withdrawn, and no other reference is left.
            drop(unsafe { Box::from_raw(template.cast_mut()) });
        }
        unused
    }
}

/// What portals are made of it, of a template that was checked.
#[optimize(size)]
fn lowered(template: &Template) -> Result<Box<Lowered>> {
    let zeros = Box::<Lowered>::try_new_zeroed().map_err(|_| Error::ENOMEM)?;
    // SAFETY: a template is integers only, for which zero is a value.
    let mut lowered = unsafe { zeros.assume_init() };
    portal::lower::template_into(template, &mut lowered);
    Ok(lowered)
}
/// The result of registering code that is refused: as a specification, with the step as the position.
#[optimize(size)]
pub fn rejected(refused: Refused) -> isize {
    Rejected { reason: Reason::Template, position: refused.position().min(255) as u8 }.code()
}
