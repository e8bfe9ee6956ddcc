//! Components in the address space of another one (`host = "…"` in the manifest), as `init` is to see them: not at all. What their blocks let them
//! open and provide is their host's domain's, whose runtime keeps each to its own block.

use manifest::{Component, System};

/// Those whose blocks say that they are in the space of `host`.
pub fn of<'a>(system: &'a System, host: &str) -> impl Iterator<Item = &'a Component> + use<'a> {
    let host = host.to_string();
    system.components.iter().filter(move |component| component.host == host)
}
/// The name under which the host's runtime registers what answers its faults.
pub fn faults(host: &str) -> String {
    format!("{host}.faults")
}
/// The system without such components.
pub fn merged(system: &System) -> System {
    let mut all = system.clone();
    for host in &mut all.components {
        let mut hosted = of(system, &host.name).peekable();
        if hosted.peek().is_none() {
            continue;
        }
        for component in hosted {
            add(&mut host.opens, &component.opens);
            add(&mut host.provides, &component.provides);
        }
        host.provides.push(faults(&host.name));
    }
    all.components.retain(|component| component.host.is_empty());
    all
}
fn add(to: &mut Vec<String>, patterns: &[String]) {
    for pattern in patterns {
        if !to.contains(pattern) {
            to.push(pattern.clone());
        }
    }
}
