//! How components are started again, in a manifest: what `restarts` and `restart_with` ask for, and can not have.

use super::document::{Fault, meant};
use manifest::{Component, Restart, Restarts, System};

/// What is wrong with how a system's components are to be started again.
pub fn faults(system: &System) -> Vec<Fault> {
    let all = &system.components;
    let mut faults = Vec::new();
    for (n, component) in all.iter().enumerate() {
        let fault = |text: String| Fault::of(n, format!("component \"{}\": {text}", component.name));
        faults.extend(range(&component.restarts).map(|text| fault(text).at("restarts")));
        faults.extend(heals(component).map(|text| fault(text).at("heals")));
        for (entry, name) in component.restart_with.iter().enumerate() {
            let wrong = with(all, component, name);
            faults.extend(wrong.map(|(text, help)| fault(text).at("restart_with").entry(entry).help(help)));
        }
    }
    faults
}
/// What is out of its range.
fn range(limits: &Restarts) -> Option<String> {
    let Restarts { intensity, period, pause, longest_pause } = *limits;
    let (most, longest) = (Restarts::MOST, Restarts::LONGEST);
    if !(1..=most).contains(&intensity) {
        Some(format!("restarts: intensity {intensity} is not between 1 and {most}"))
    } else if !(1..=longest).contains(&period) {
        Some(format!("restarts: a period of {period} ms is not between 1 and {longest}"))
    } else if longest_pause > longest {
        Some(format!("restarts: a pause of {longest_pause} ms is longer than {longest}"))
    } else if pause > longest_pause {
        Some(format!("restarts: a pause of {pause} ms is longer than the longest one, {longest_pause}"))
    } else {
        None
    }
}
/// Why a component's portals can not heal.
fn heals(component: &Component) -> Option<String> {
    if !component.heals {
        None
    } else if component.boot {
        Some("heals: it is a boot component, which is not started again".to_string())
    } else if component.main {
        Some("heals: it is the main component, at whose end the machine stops".to_string())
    } else if !component.host.is_empty() {
        Some(format!("heals: it is in the address space of \"{}\", which starts it again by itself", component.host))
    } else if component.limits.domains.is_some_and(|domains| domains < 2) {
        Some(
            "heals: `limits` leave it one domain, which what is left of it has until all its callers have the next one"
                .to_string(),
        )
    } else if component.restart == Restart::Never && component.restart_with.is_empty() {
        Some("heals: it is never started again, which `restart` says".to_string())
    } else {
        None
    }
}
/// Why `component` can not be started again with `name`, and what is to be done.
fn with(all: &[Component], component: &Component, name: &str) -> Option<(String, Option<String>)> {
    let Some(other) = all.iter().find(|other| other.name == name) else {
        let names = all.iter().filter(|other| !other.boot).map(|other| other.name.as_str());
        return Some((
            format!("there is no component \"{name}\", with which it is to be started again"),
            meant(name, names),
        ));
    };
    let text = if other.name == component.name {
        "it is started again with itself anyway".to_string()
    } else if component.boot || other.boot {
        let boot = if component.boot { &component.name } else { &other.name };
        format!("\"{boot}\" is a boot component, which is not started again")
    } else if component.main || other.main {
        let main = if component.main { &component.name } else { &other.name };
        format!("\"{main}\" is the main component, at whose end the machine stops")
    } else if !component.host.is_empty() || !other.host.is_empty() {
        let hosted = if component.host.is_empty() { other } else { component };
        format!("\"{}\" is in the address space of \"{}\", which starts it again by itself", hosted.name, hosted.host)
    } else {
        return None;
    };
    Some((text, None))
}
