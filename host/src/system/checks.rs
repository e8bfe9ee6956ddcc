//! What can be said of a system before it is built: names, ranges, and whether what its components may have adds up.

use super::document::{Fault, meant};
use crate::build::Recipe;
use crate::build::Sandbox;
use abi::account::{ACCOUNTS, Resource, Share};
use manifest::{Component, Form, Isolation, Limits, System, has_disk};
use std::collections::HashMap;

/// What is wrong with the blocks of a system, whose images have their names.
pub fn faults(system: &System) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut names = HashMap::new();
    let mut images: HashMap<&str, &Component> = HashMap::new();
    for (n, component) in system.components.iter().enumerate() {
        let name = &component.name;
        let fault = |text: String| Fault::of(n, format!("component \"{name}\": {text}"));
        if !is_name(name) {
            let most = abi::section::NAME - 1;
            faults.push(fault(format!("a name has 1 to {most} letters, digits, - and _")).at("name"));
        }
        if names.insert(name, n).is_some() {
            faults.push(fault("there are two of this name".into()).at("name"));
        }
        if component.priority > 63 {
            faults.push(fault(format!("priority {} is not between 0 and 63", component.priority)).at("priority"));
        }
        if component.masked && !component.boot {
            faults.push(fault("only boot components can be masked".into()).at("masked"));
        }
        if component.main && (component.boot || component.on_request) {
            let text = "a boot component, or one started on request, can not be the main one";
            faults.push(fault(text.into()).at("main"));
        }
        if component.boot && component.limits != Limits::default() {
            faults.push(fault("a boot component has no limits".into()).at("limits"));
        }
        let keys = [("opens", &component.opens), ("optional", &component.optional), ("provides", &component.provides)];
        for (key, patterns) in keys {
            for (entry, pattern) in patterns.iter().enumerate().filter(|(_, pattern)| !is_pattern(pattern)) {
                let text = format!("\"{pattern}\" is not a portal's name, nor one that ends with *");
                faults.push(fault(text).at(key).entry(entry));
            }
        }
        let other = images.insert(&component.image, component);
        let differs = |o: &&Component| {
            let modes = [o, &component].map(|c| c.isolation == Isolation::Supervisor);
            modes[0] != modes[1]
                || o.path != component.path
                || Recipe::of(o) != Recipe::of(component)
                || Sandbox::of(o) != Sandbox::of(component)
        };
        if let Some(other) = other.filter(differs) {
            let text = format!("its image is called \"{}\", and so is another one, of \"{}\"", other.image, other.name);
            faults.push(fault(text).at("image"));
        }
    }
    faults.extend(super::tasks::faults(system));
    faults.extend(super::hosts::faults(system));
    faults.extend(super::restarts::faults(system));
    faults.extend(super::deadlines::faults(system));
    faults.extend(in_supervisor_mode(system));
    faults.extend(limits(system));
    faults
}
/// The lines `port` that name none of `known`.
pub fn ports(system: &System, known: &[String]) -> Vec<Fault> {
    let unknown = |(n, component): (usize, &Component)| {
        let port = component.port.as_ref().filter(|port| !known.contains(port))?;
        let text = format!("component \"{}\": there is no port \"{port}\"", component.name);
        Some(Fault::of(n, text).at("port").help(meant(port, known.iter().map(String::as_str))))
    };
    system.components.iter().enumerate().filter_map(unknown).collect()
}
/// The key of a component's block that keeps it from executing in supervisor mode, and why.
pub fn why_not_in_supervisor_mode(component: &Component) -> Option<(&'static str, &'static str)> {
    if component.boot {
        Some(("boot", "the first components are laid out in the image, and it is started by init"))
    } else if component.trusted {
        Some(("trusted", "trusted servers run on service stacks, which are user mode's, and it has stacks of its own"))
    } else {
        None
    }
}
/// What is wrong with components that are to execute in supervisor mode.
fn in_supervisor_mode(system: &System) -> Vec<Fault> {
    let all = system.components.iter().enumerate().filter(|(_, c)| c.isolation == Isolation::Supervisor);
    let faults = all.filter_map(|(n, component)| {
        let (key, why) = why_not_in_supervisor_mode(component)?;
        let text = format!("component \"{}\": it can not execute in supervisor mode: {why}", component.name);
        Some(Fault::of(n, text).at(key))
    });
    faults.collect()
}
/// The key of a component's block that keeps it from being a software fault domain, and why.
pub fn why_no_fault_domain(component: &Component) -> Option<(&'static str, &'static str)> {
    if component.boot {
        Some(("boot", "the first components are laid out in the image, and it is started by init"))
    } else if component.trusted {
        Some(("trusted", "service stacks lie outside of its segment"))
    } else if !component.devices.is_empty() && !component.host.is_empty() {
        Some(("devices", "a device is its host's, and another's is in the same address space"))
    } else if component.opens.iter().any(|name| name == DMA) {
        Some(("opens", "the pages that a device reads and writes lie outside of its segment"))
    } else {
        None
    }
}
/// Opened by drivers whose devices read and write memory.
const DMA: &str = "memory.dma";
/// What is wrong with components that are to be software fault domains. `can`: the program is not there, or it can be made into one.
pub fn fault_domains(system: &System, can: &dyn Fn(&Component) -> bool) -> Vec<Fault> {
    let mut faults = Vec::new();
    let some = system.components.iter().any(|component| component.isolation == Isolation::Sfi);
    for (n, component) in system.components.iter().enumerate() {
        let fault = |text: String| Fault::of(n, format!("component \"{}\": {text}", component.name));
        if component.isolation != Isolation::Sfi {
            if component.loads {
                let text = "loads are kept in where `isolation` is \"sfi\"";
                faults.push(fault(text.into()).at("loads"));
            }
            if component.matching {
                let text = "addresses are matched where `isolation` is \"sfi\"";
                faults.push(fault(text.into()).at("matching"));
            }
            if component.form != Form::Masks {
                let text = "addresses are brought into a segment where `isolation` is \"sfi\"";
                faults.push(fault(text.into()).at("form"));
            }
            if some && component.image == image::HOST && component.path != image::HOST {
                let text = format!("an image called \"{}\" hosts fault domains, and is another", image::HOST);
                faults.push(fault(text).at("name"));
            }
        } else if let Some((key, why)) = why_no_fault_domain(component) {
            let text = format!("it can not be a software fault domain: {why}");
            faults.push(fault(text).at(key));
        } else if component.form == Form::Top && !component.host.is_empty() {
            let text = "the last GiB of a space is for the component whose space it is, and this one has a `host`";
            faults.push(
                fault(text.into()).at("form").help("`form = \"zba\"`, or no `form`, can be had by several".to_string()),
            );
        } else if !can(component) {
            let text = "it can not be a software fault domain: only what is built here is made into such, and this is a finished ELF file";
            let help = "leave `isolation` out: it has an address space of its own then".to_string();
            faults.push(fault(text.into()).at("isolation").help(help));
        }
    }
    faults
}
fn is_name(name: &str) -> bool {
    (1..abi::section::NAME).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}
fn is_pattern(pattern: &str) -> bool {
    let inner = pattern.strip_suffix('*').unwrap_or(pattern);
    (1..abi::nucleus::NAMELEN).contains(&pattern.len()) && inner.chars().all(|c| c.is_ascii_graphic() && c != '*')
}
/// Where some component can keep another from what its limits say: shown at the one that asks for most.
fn limits(system: &System) -> Vec<Fault> {
    let mut faults = Vec::new();
    let accounts = system.accounts().count();
    if accounts >= ACCOUNTS {
        let text = format!("there are {accounts} components, and at most {} can be accounted for", ACCOUNTS - 1);
        faults.push(Fault::of(system.components.len() - 1, text));
    }
    let greediest = |of: &dyn Fn(&Component) -> u32| {
        let blocks = system.components.iter().enumerate().filter(|(_, c)| !c.boot);
        blocks.max_by_key(|(_, c)| of(c)).map_or(0, |(n, _)| n)
    };
    // Of a domain of protection, memory is a part of its task's.
    let memory: fn(&Component) -> _ = |c| c.limits.memory;
    let storage: fn(&Component) -> _ = |c| c.limits.storage;
    let disk: fn(&Component) -> _ = |c| c.limits.disk;
    let has_memory: fn(&Component) -> bool = |c| c.isolation != Isolation::Dp;
    let shares = [("memory", memory, has_memory), ("storage", storage, |_| true), ("disk", disk, has_disk)];
    for (what, of, has) in shares {
        let sharers = || system.accounts().map(|(_, component)| component).filter(|c| has(c));
        let all: u32 = sharers().filter_map(of).sum();
        if all > 100 || all == 100 && sharers().any(|component| of(component).is_none()) {
            let text = format!(
                "limits: the components may have {all} percent of the {what} together, and the others need some"
            );
            let own = |c: &Component| of(c).filter(|_| has(c)).unwrap_or(0);
            faults.push(Fault::of(greediest(&own), text).at("limits"));
        }
    }
    for (n, component) in system.components.iter().enumerate() {
        if let Some(percent) = component.limits.processor.filter(|&percent| Share::of(percent as usize).is_none()) {
            let text = format!(
                "component \"{}\": limits: {percent} percent of the processor: from 1 to {}, which is no limit",
                component.name,
                Share::ALL.percent()
            );
            faults.push(Fault::of(n, text).at("limits"));
        }
    }
    let owner = |c: &Component| has_disk(c).then(|| c.disk_owner());
    for (n, component) in system.components.iter().enumerate() {
        let other =
            system.components[..n].iter().find(|other| owner(other).is_some() && owner(other) == owner(component));
        if let Some(other) = other.filter(|other| other.name != component.name) {
            let text = format!(
                "component \"{}\": by its name it would have what is on the disk of \"{}\": choose another one",
                component.name, other.name
            );
            faults.push(Fault::of(n, text).at("name"));
        }
    }
    for resource in Resource::ALL.into_iter().filter(|resource| !resource.is_shared_out()) {
        let all: u64 = system.accounts().map(|(_, component)| component.limits.of(resource) as u64).sum();
        if all > resource.most() as u64 {
            let (what, most) = (resource.text(), resource.most());
            let text = format!("limits: the components may have {all} {what} together, and there are {most}");
            let help = "say in their blocks how many each needs: limits = { … }".to_string();
            faults.push(Fault::of(greediest(&|c| c.limits.of(resource)), text).at("limits").help(help));
        }
    }
    faults
}
