//! What can be said of a system when it is built: whether every name that is opened has a provider, every provided name one, programs
//! provide what their blocks say, specifications are such, and devices exist. Programs in C declare nothing, so what their blocks allow
//! counts for what they do.

use super::document::{Fault, meant};
use abi::specification;
use image::declared::{Imports, Provides};
use manifest::{Component, System};
use std::collections::{BTreeMap, BTreeSet};

/// What a component's program declares.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    pub provides: Vec<Provides>,
    pub imports: Vec<Imports>,
}
/// By the names of images.
pub type Programs = BTreeMap<String, Declared>;

/// Whether some name matches both patterns, in which a `*` at the end stands for any rest.
pub fn overlap(a: &str, b: &str) -> bool {
    match (a.strip_suffix('*'), b.strip_suffix('*')) {
        (None, None) => a == b,
        (Some(start), None) => b.starts_with(start),
        (None, Some(start)) => a.starts_with(start),
        (Some(one), Some(other)) => one.starts_with(other) || other.starts_with(one),
    }
}

/// What is wrong with who provides and opens what.
pub fn faults(system: &System, programs: &Programs) -> Vec<Fault> {
    // What a program registers later it does where its block allows it.
    let declared = |component: &Component| {
        let mut declared = programs.get(&component.image).cloned().unwrap_or_default();
        declared.provides.retain(|portal| portal.is_from_the_start() || component.provides(&portal.name));
        declared
    };
    let of: Vec<(&Component, Declared)> = system.components.iter().map(|c| (c, declared(c))).collect();
    // Every name or pattern that somebody may have registered.
    let mut provided: BTreeSet<&str> = NUCLEUS.into();
    for (component, program) in &of {
        provided.extend(program.provides.iter().map(|p| p.name.as_str()));
        // A program that declares some may register others as it runs.
        provided.extend(component.provides.iter().map(String::as_str));
    }
    let mut faults = Vec::new();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (n, (component, program)) in of.iter().enumerate() {
        let fault = |text: String| Fault::of(n, format!("component \"{}\": {text}", component.name));
        for (entry, pattern) in component.opens.iter().enumerate() {
            if !provided.iter().any(|name| overlap(name, pattern)) {
                let text = format!("nobody in this system provides \"{pattern}\"");
                let whole: Vec<String> = provided.iter().map(|name| like(name, pattern)).collect();
                let help = meant(pattern, whole.iter().map(String::as_str));
                let help = help.unwrap_or_else(|| "move it to `optional` if the component can do without".into());
                faults.push(fault(text).at("opens").entry(entry).help(help));
            }
        }
        faults.extend(imports(&fault, component, program, &provided));
        for portal in &program.provides {
            faults.extend(provides(&fault, component, portal));
        }
        if let Some(all) = programs.get(&component.image) {
            faults.extend(interfaces::ALL.iter().filter_map(|interface| lacking(&fault, interface, all)));
        }
        // Those that are started on request may be there to take another's place.
        if !component.on_request {
            let literal = component.provides.iter().filter(|pattern| !pattern.ends_with('*'));
            let names: BTreeSet<&str> =
                literal.chain(program.provides.iter().map(|p| &p.name)).map(String::as_str).collect();
            for name in names {
                if let Some(other) = owners.insert(name, &component.name) {
                    let text = format!("\"{name}\" is provided by \"{other}\" already");
                    let entry = component.provides.iter().position(|pattern| overlap(pattern, name)).unwrap_or(0);
                    faults.push(fault(text).at("provides").entry(entry));
                }
            }
        }
        for (entry, name) in component.provides.iter().enumerate() {
            let declared = || program.provides.iter().map(|p| p.name.as_str());
            if !program.provides.is_empty() && !declared().any(|own| overlap(own, name)) {
                let text = format!("its program provides nothing that is called \"{name}\"");
                let all: Vec<&str> = declared().collect();
                let help =
                    meant(name, all.iter().copied()).unwrap_or_else(|| format!("it provides {}", all.join(", ")));
                faults.push(fault(text).at("provides").entry(entry).help(help));
            }
        }
    }
    faults
}
/// What the nucleus itself provides, and what the portal manager makes for each domain.
const NUCLEUS: [&str; 1] = ["nucleus.*"];

/// A provided name as somebody would write it who opens `pattern`: `console.*` for `console.write`.
fn like(name: &str, pattern: &str) -> String {
    match (name.rsplit_once('.'), pattern.ends_with('*')) {
        (Some((group, _)), true) => format!("{group}.*"),
        _ => name.to_string(),
    }
}
/// What a program opens when it starts, and is not allowed or not there.
fn imports(
    fault: &dyn Fn(String) -> Fault,
    component: &Component,
    program: &Declared,
    provided: &BTreeSet<&str>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for import in &program.imports {
        let name = import.name.as_str();
        if import.optional || component.optional.iter().any(|pattern| overlap(pattern, name)) {
            continue;
        }
        if !provided.iter().any(|known| overlap(known, name)) {
            let text = format!("its program opens \"{name}\", which nobody in this system provides");
            faults.push(fault(text).at("opens").help(meant(name, provided.iter().copied())));
        } else if !component.opens.iter().any(|pattern| overlap(pattern, name)) {
            let text = format!("its program opens \"{name}\", which `opens` does not allow");
            let help = format!("add \"{name}\" to `opens`");
            faults.push(fault(text).at("opens").help(help));
        }
    }
    faults
}
/// What a program that provides some of an interface, in the place of its server, does not provide of it: callers go by the whole.
fn lacking(fault: &dyn Fn(String) -> Fault, interface: &interfaces::Interface, program: &Declared) -> Option<Fault> {
    let provides = |name: &str| program.provides.iter().any(|portal| portal.name == name);
    let (there, lacking): (Vec<&str>, Vec<&str>) =
        interface.portals.iter().map(|portal| portal.name).partition(|name| provides(name));
    let (some, missing) = (there.first()?, lacking.first()?);
    let text = format!("its program provides \"{some}\", and of the same interface not \"{missing}\"");
    let all = lacking.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    Some(fault(text).at("image").help(format!("{} provides {all}, too", interface.title)))
}
/// What a program declares to provide, and may not, or not so.
fn provides(fault: &dyn Fn(String) -> Fault, component: &Component, portal: &Provides) -> Vec<Fault> {
    let mut faults = Vec::new();
    let Provides { name, specification, .. } = portal;
    // The first components need no permission.
    if !component.boot && !component.provides.iter().any(|pattern| overlap(pattern, name)) {
        let text = format!("its program provides \"{name}\", which `provides` does not allow");
        faults.push(fault(text).at("provides").help(format!("add \"{name}\" to `provides`")));
    }
    if let Some(known) = interfaces::portal(name).filter(|known| !known.accepts(specification)) {
        let text = format!(
            "its program provides \"{name}\" as \"{specification}\", which takes other arguments than its interface's"
        );
        faults.push(fault(text).at("image").help(format!("callers pass it what \"{}\" takes", known.specification)));
    }
    if let Err((position, why)) = specification::check(specification) {
        let text = format!("the specification \"{specification}\" of \"{name}\": {why}, at position {position}");
        faults.push(fault(text).at("image"));
    }
    faults
}

/// What is wrong with the devices of components, where the machine has those that `exists` says; `known`: all of them.
pub fn devices(system: &System, exists: &dyn Fn(&str) -> bool, known: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (n, component) in system.components.iter().enumerate().filter(|(_, c)| !c.boot) {
        for (entry, device) in component.devices.iter().enumerate().filter(|(_, device)| !exists(device)) {
            let text = format!("component \"{}\": the machine has no device \"{device}\"", component.name);
            let help = meant(device, known.iter().map(String::as_str));
            let help = help.unwrap_or_else(|| format!("it has {}", known.join(", ")));
            faults.push(Fault::of(n, text).at("devices").entry(entry).help(help));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(name: &str, specification: &str) -> usize {
        let component: Component = toml::from_str("name = \"clock\"\nprovides = [\"clock.*\"]").unwrap();
        let portal = Provides { name: name.into(), specification: specification.into(), entry: 0, constant: 0 };
        provides(&|text| Fault::of(0, text), &component, &portal).len()
    }
    fn declared(names: &[&str]) -> Declared {
        let portal =
            |name: &&str| Provides { name: name.to_string(), specification: "nm".into(), entry: 0, constant: 0 };
        Declared { provides: names.iter().map(portal).collect(), imports: Vec::new() }
    }
    #[test]
    fn a_replacement_that_lacks_a_portal_of_its_interface_is_refused() {
        let lacks = |names: &[&str]| {
            let all = interfaces::ALL.iter();
            all.filter_map(|interface| lacking(&|text| Fault::of(0, text), interface, &declared(names))).count()
        };
        assert_eq!(lacks(&["clock.time", "clock.alarm"]), 0);
        assert_eq!(lacks(&["clock.alarm"]), 1);
        assert_eq!(lacks(&["clock.alarm", "names.bind", "clock.of_nobodys_interface"]), 2);
    }
    #[test]
    fn a_replacement_that_takes_other_arguments_than_its_interface_is_refused() {
        assert_eq!((clock("clock.alarm", "nmi"), clock("clock.alarm", "npai")), (0, 0));
        assert_eq!((clock("clock.alarm", "nm"), clock("clock.alarm", "nmr")), (1, 1));
        assert_eq!(clock("clock.of_nobodys_interface", "nmr"), 0);
    }
}
