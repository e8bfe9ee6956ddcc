//! What each boot component can reach: the physical pages that its own page tables show to user mode.

use crate::Image;
use abi::address::{BOOT_INFO, IMAGE_BASE, PAGE};
use abi::boot::BootInfo;
use abi::rights::Rights;
use abi::section::text;
use arch::paging::{ENTRIES, Entry, LEVELS};
use std::collections::BTreeMap;

/// A boot component, and the pages of RAM that it can read: physical address to rights.
pub struct Reach {
    pub name: String,
    pub pages: BTreeMap<usize, Rights>,
}
/// Walks the page tables of every boot component in a finished image, as the hart would. Gigapages are left out: only the
/// memory manager has one, over all RAM.
pub fn reach(image: &Image) -> Vec<Reach> {
    let word = |pa: usize| {
        let at = pa.checked_sub(IMAGE_BASE)?;
        Some(u64::from_le_bytes(image.bytes.get(at..at + 8)?.try_into().ok()?))
    };
    let field = |offset: usize| word(BOOT_INFO + offset).unwrap_or(0) as usize;
    let count = field(std::mem::offset_of!(BootInfo, domain_count));
    let domains = std::mem::offset_of!(BootInfo, domains);
    let size = size_of::<abi::boot::BootDomain>();
    let mut found = Vec::new();
    for n in 0..count {
        let at = BOOT_INFO + domains + n * size;
        let name = text(&image.bytes[at - IMAGE_BASE..][..abi::section::NAME]).to_string();
        let root = word(at + std::mem::offset_of!(abi::boot::BootDomain, root)).unwrap_or(0) as usize;
        let mut pages = BTreeMap::new();
        walk(&word, root, LEVELS - 1, &mut pages);
        found.push(Reach { name, pages });
    }
    found
}
fn walk(word: &impl Fn(usize) -> Option<u64>, table: usize, level: usize, pages: &mut BTreeMap<usize, Rights>) {
    for place in 0..ENTRIES {
        let Some(entry) = word(table + 8 * place).map(Entry::of).filter(|e| e.is_present()) else { continue };
        match (entry.is_page(), level) {
            (false, 1..) => walk(word, entry.address(), level - 1, pages),
            (true, 0..=1) if entry.is_user() => {
                for n in 0..1 << (9 * level) {
                    pages.insert(entry.address() + n * PAGE, entry.rights());
                }
            }
            _ => {}
        }
    }
}
