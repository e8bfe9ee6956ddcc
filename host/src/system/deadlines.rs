//! How long calls may take, in a manifest: what `deadline`, `deadlines` and `health` ask for, and can not have.

use super::document::Fault;
use manifest::{Component, Restarts, System};

/// What is wrong with the deadlines of a system's components.
pub fn faults(system: &System) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (n, component) in system.components.iter().enumerate() {
        let fault = |text: String| Fault::of(n, format!("component \"{}\": {text}", component.name));
        faults.extend(component.deadline.and_then(range).map(|text| fault(format!("deadline: {text}")).at("deadline")));
        for (name, limit) in &component.deadlines {
            let wrong = Some(*limit)
                .filter(|&limit| limit > 0)
                .and_then(range)
                .or_else(|| provides(component, name).filter(|_| name != Component::GRANTED));
            faults.extend(wrong.map(|text| fault(format!("deadlines: \"{name}\": {text}")).at("deadlines")));
        }
        faults.extend(health(component).map(|text| fault(format!("health: {text}")).at("health")));
        if component.deadline.is_some() || !component.deadlines.is_empty() {
            let key = if component.deadline.is_some() { "deadline" } else { "deadlines" };
            faults.extend(ends(component).map(|text| fault(format!("{key}: {text}")).at(key)));
        }
    }
    faults
}
fn range(limit: u32) -> Option<String> {
    between(Component::SHORTEST_DEADLINE, limit)
}
fn between(shortest: u32, milliseconds: u32) -> Option<String> {
    let longest = Restarts::LONGEST;
    let is = (shortest..=longest).contains(&milliseconds);
    (!is).then(|| format!("{milliseconds} ms is not between {shortest} and {longest}"))
}
fn provides(component: &Component, name: &str) -> Option<String> {
    (!component.provides(name)).then(|| "it provides no such name".to_string())
}
fn health(component: &Component) -> Option<String> {
    let health = component.health.as_ref()?;
    let wrong = provides(component, &health.portal).map(|text| format!("\"{}\": {text}", health.portal));
    wrong.or_else(|| between(1, health.period).map(|text| format!("a period of {text}"))).or_else(|| {
        let text = format!("how long \"{}\" may take is in neither `deadline` nor `deadlines`", health.portal);
        component.deadline_of(&health.portal).is_none().then_some(text)
    })
}
/// Why a component can not be ended for a call that takes too long.
fn ends(component: &Component) -> Option<String> {
    if component.boot {
        Some("it is a boot component, without which nothing goes on".to_string())
    } else if !component.host.is_empty() {
        Some(format!("it is in the address space of \"{}\", which has started it", component.host))
    } else {
        None
    }
}
