//! Healing: of a component whose calls may be made again, callers wait for the next instance (`domain.inherit`), or are told that there is none.
//!
//! It is kept which domains have ended whose callers may wait, and of which component they were; by whom that is started next is found as for any other component
//! ([`crate::supervision`]). Who has it started himself, with words of his own, has another: nobody's calls wait for that.

use crate::{Init, Running};
use abi::identity::DomainId;
use alloc::vec::Vec;
use fallible::TryPush;
use manifest::Component;
use pebble::Result;
use pebble::interfaces::domains;
use pebble::interfaces::types::Identity;

/// Domains that have ended, and whose callers wait.
#[derive(Default)]
pub struct Lost(Vec<Ended>);
struct Ended {
    component: &'static Component,
    domain: DomainId,
    /// Who replaces it, or by it, says what becomes of its callers.
    replaced: bool,
}

impl Init {
    /// A component that is about to run in a domain that has registered nothing: whose callers wait for it wait for that one. Makes room for its end. `ENOMEM`.
    pub fn inherits(&mut self, running: &Running) -> Result<()> {
        self.lost.0.room_for(self.running.len() + 1)?;
        if running.starter.is_none() && running.succeeds.is_none() {
            let its = |ended: &Ended| ended.component.name == running.component.name && !ended.replaced;
            self.lost.leave_to(running.domain.into(), its);
        }
        Ok(())
    }
    /// One that has run has ended, or does before it has begun; `succeeded`: while another was to take its place.
    pub fn is_lost(&mut self, running: &Running, succeeded: bool) {
        let &Running { component, domain, .. } = running;
        let replaced = succeeded || running.succeeds.is_some();
        self.lost.0.push_kept(Ended { component, domain, replaced });
        if running.starter.is_some() {
            self.is_nobodys(domain);
        }
    }
    /// Nobody takes the place of `domain`, which has ended.
    pub fn is_nobodys(&mut self, domain: DomainId) {
        let _ = domains::inherit(Identity(0), domain.into());
        self.lost.0.retain(|ended| ended.domain != domain);
    }
    /// Nobody takes the place of those whose components are not started again.
    pub fn forget_lost(&mut self) {
        let waiting = &self.waiting;
        self.lost.leave_to(Identity(0), |ended| !ended.replaced && !waiting.has(&ended.component.name));
    }
    /// What has ended while it was to take another's place, or another its, was `component`.
    pub fn leaves_to(&mut self, domain: DomainId, component: &'static Component) {
        let its = self.lost.0.iter_mut().filter(|ended| ended.domain == domain);
        its.for_each(|ended| ended.component = component);
    }
    /// It is known whether `component` is started again, whatever was to take its place, or it another's.
    pub fn is_replaced_no_more(&mut self, component: &Component) {
        let its = self.lost.0.iter_mut().filter(|ended| ended.component.name == component.name);
        its.for_each(|ended| ended.replaced = false);
    }
}
impl Lost {
    /// Callers of such that have ended wait for `heir` from now on; 0: for nobody.
    fn leave_to(&mut self, heir: Identity, which: impl Fn(&Ended) -> bool) {
        self.0.retain(|ended| {
            let leaves = which(ended);
            if leaves {
                // Where nobody waits, there is nobody to be told.
                let _ = domains::inherit(heir, ended.domain.into());
            }
            !leaves
        });
    }
}
