//! When the number of a registration may be used again.
//!
//! The name server knows a registration by its number as long as it has its name; blocks know it as long as table entries lead
//! to them. One that has neither name nor blocks is forgotten, and so are all of a domain that has ended: its names are
//! withdrawn under the same lock, and no table entry leads to its blocks any more. Those of boot components stay.

use crate::code::Kind;
use crate::manager::{Manager, Registration, Text};
use crate::neighbours::Machine;
use abi::section::{NAME, text};

/// The name of a registration without one.
pub static WITHDRAWN: [u8; NAME] = abi::section::padded("(withdrawn)");

impl<M: Machine> Manager<M> {
    /// A number for a new registration.
    pub fn free_registration(&self) -> usize {
        self.registrations.vacant(self.machine.info().portal_count as usize)
    }
    /// Whose the name called `name` of domain `asid` is.
    #[optimize(size)]
    fn registration_of(&mut self, asid: usize, name: &str) -> Option<(usize, &mut Registration)> {
        self.registrations.iter_mut().find(|(_, r)| r.named && r.server == asid && text(&r.name[..]) == name)
    }
    /// Domain `asid` has withdrawn `name`.
    #[optimize(size)]
    pub fn withdraw(&mut self, asid: usize, name: &str) {
        if let Some((id, registration)) = self.registration_of(asid, name) {
            registration.named = false;
            registration.name = Text::Boot(&WITHDRAWN);
            self.forget_unused(id);
        }
    }
    /// A new block leads to what `kind` says.
    pub fn block_made(&mut self, kind: Kind) {
        if let Kind::Registered { registration } = kind
            && let Some(registration) = self.registrations.get_mut(registration as usize)
        {
            registration.blocks += 1;
        }
    }
    /// No table entry leads to a block to registration `id` any more.
    #[inline(always)]
    pub fn block_unused(&mut self, id: usize) {
        if let Some(registration) = self.registrations.get_mut(id) {
            // Those that the image builder made are not counted.
            registration.blocks = registration.blocks.saturating_sub(1);
            if registration.blocks == 0 && !registration.named {
                self.forget_unused(id);
            }
        }
    }
    fn forget_unused(&mut self, id: usize) {
        let Some(&Registration { named: false, blocks: 0, server, .. }) = self.registrations.get(id) else { return };
        if id < self.machine.info().portal_count as usize {
            return;
        }
        if let Some(gone) = self.registrations.remove(id) {
            self.accounts.refund(gone.charge);
        }
        if let Ok(domain) = self.domain_mut(server) {
            domain.provides -= 1;
        }
    }
}
