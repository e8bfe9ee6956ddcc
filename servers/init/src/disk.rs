//! Which part of the disk each component may have, and under which number what is its own stands there.

use crate::memory::share;
use abi::account::DiskPart;
use manifest::{Component, System, has_disk};

/// What is the part of `component`, where the disk has `pages` for components.
pub fn part(system: &System, component: &Component, pages: usize) -> DiskPart {
    let sharers = || system.accounts().map(|(_, component)| component).filter(|c| has_disk(c));
    let given = sharers().filter_map(|c| c.limits.disk).sum();
    let others = sharers().filter(|c| c.limits.disk.is_none()).count();
    let own = if has_disk(component) { share(pages, component.limits.disk, given, others) } else { 0 };
    DiskPart { owner: component.disk_owner(), pages: own as u32 }
}
