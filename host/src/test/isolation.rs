//! That no boot component can read another's memory: shown for each, from the page tables of the real image.

use super::{Job, Verdict, Wanted};
use crate::{exec, system};
use abi::rights::Rights;
use anyhow::{Result, bail};
use image::Reach;
use manifest::System;
use std::path::Path;

pub fn job<'a>(root: &'a Path, wanted: Wanted) -> Result<Option<Job<'a>>> {
    let system = system::load(root, "default")?;
    let names = system.components.iter().filter(|c| c.boot).map(|c| c.name.clone());
    let names: Vec<String> = names.filter(|name| wanted(&test(name))).collect();
    Ok((!names.is_empty()).then(|| Job::several(move || of_image(root, &system, &names))))
}
fn test(component: &str) -> String {
    format!("isolation::{component}_can_not_read_anothers_memory")
}
fn of_image(root: &Path, system: &System, names: &[String]) -> Vec<Verdict> {
    let reach = match exec::make_image(root, system, Vec::new()) {
        Ok(image) => image::reach(&image),
        Err(error) => return vec![Verdict::of("isolation::the_image_is_built".into(), || Err(error))],
    };
    let own = reach.iter().filter(|one| names.contains(&one.name));
    own.map(|one| Verdict::of(test(&one.name), || alone(system, one, &reach))).collect()
}
/// That a component shares no page that somebody can write with another one.
fn alone(system: &System, one: &Reach, all: &[Reach]) -> Result<()> {
    let boot = system.components.iter().filter(|c| c.boot).count();
    let trusted = |n: &str| system.components.iter().any(|c| c.name == n && c.trusted);
    for other in all.iter().filter(|o| o.name != one.name) {
        // A page that both can reach must be one that nobody can write (the return page, the boot information), or a
        // service stack: those are for trusted servers, all of them.
        let shared = other
            .pages
            .iter()
            .filter(|&(pa, rights)| one.pages.get(pa).is_some_and(|mine| (*mine | *rights).contains(Rights::WRITE)));
        let count = shared.count();
        let stacks = if trusted(&one.name) && trusted(&other.name) { SERVICE_PAGES * (boot + 1) } else { 0 };
        if count > stacks {
            bail!("{} and {} share {count} writable pages", one.name, other.name);
        }
    }
    Ok(())
}
/// Pages of a service stack.
const SERVICE_PAGES: usize = abi::address::SERVICE_STACK / abi::address::PAGE;
