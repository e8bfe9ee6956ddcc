//! That no boot component can read another's memory: shown for each, from the page tables of the real image.

use super::Verdict;
use crate::{exec, system};
use abi::address::pte;
use anyhow::Result;
use std::path::Path;

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Verdict>> {
    let system = system::load(root, "default")?;
    let names: Vec<String> = system.components.iter().filter(|c| c.boot).map(|c| c.name.clone()).collect();
    let name = |component: &str| format!("isolation::{component}_can_not_read_anothers_memory");
    if !names.iter().any(|n| wanted(&name(n))) {
        return Ok(Vec::new());
    }
    let reach = image::reach(&exec::make_image(root, &system, Vec::new())?);
    let mut verdicts = Vec::new();
    for one in &reach {
        if !wanted(&name(&one.name)) {
            continue;
        }
        let mut failure = None;
        for other in reach.iter().filter(|o| o.name != one.name) {
            // A page that both can reach must be one that nobody can write (the return page, the boot information), or a
            // service stack: those are for trusted servers, all of them.
            let shared = other
                .pages
                .iter()
                .filter(|(pa, rights)| one.pages.get(*pa).is_some_and(|mine| (mine | *rights) & pte::W != 0));
            let trusted = |n: &str| system.components.iter().any(|c| c.name == n && c.trusted);
            let count = shared.count();
            let stacks = if trusted(&one.name) && trusted(&other.name) { SERVICE_PAGES * (names.len() + 1) } else { 0 };
            if count > stacks {
                failure = Some(format!("{} and {} share {count} writable pages", one.name, other.name));
            }
        }
        let verdict = Verdict { name: name(&one.name), failure, seconds: 0.0 };
        verdict.print();
        verdicts.push(verdict);
    }
    Ok(verdicts)
}
/// Pages of a service stack.
const SERVICE_PAGES: usize = abi::address::SERVICE_STACK / abi::address::PAGE;
