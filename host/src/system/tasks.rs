//! Domains of protection in a manifest: what `isolation = "dp"` and `task` ask for, and can not have.

use super::document::{Fault, meant};
use manifest::{Component, Isolation, Switch, System};

/// What is wrong with the tasks that a system's components say they are in.
pub fn faults(system: &System) -> Vec<Fault> {
    let all = &system.components;
    let mut faults = Vec::new();
    for (n, component) in all.iter().enumerate() {
        let fault = |text: String| Fault::of(n, format!("component \"{}\": {text}", component.name));
        if component.isolation != Isolation::Dp && component.switch != Switch::Asid {
            let help = "say isolation = \"dp\" and `task` too, or leave `switch` out".to_string();
            let text =
                "only calls of a domain of protection to its task can be switched otherwise than by address space";
            faults.push(fault(text.into()).at("switch").help(help));
        }
        match (component.isolation == Isolation::Dp, component.task.as_str()) {
            (false, "") => {}
            (false, task) => {
                let help = "say isolation = \"dp\" too, or leave `task` out".to_string();
                faults
                    .push(fault(format!("only a domain of protection is in a task, \"{task}\"")).at("task").help(help));
            }
            (true, "") => {
                let help = "name the component in whose address space it is: task = \"…\"".to_string();
                faults.push(fault("a domain of protection is in a task".into()).at("isolation").help(help));
            }
            (true, task) => {
                faults.extend(own(component, &fault));
                faults.extend(of_task(all, n, task, &fault));
            }
        }
    }
    faults
}
/// Domains of protection whose programs can not be placed where their tasks have room.
pub fn immovable(system: &System, programs: &crate::build::Programs) -> Vec<Fault> {
    let parts = system.components.iter().enumerate().filter(|(_, component)| component.isolation == Isolation::Dp);
    let faults = parts.filter_map(|(n, component)| {
        let error = image::relocations(&component.image, programs.get(&component.image)?).err()?;
        Some(Fault::of(n, format!("component \"{}\": {error}", component.name)).at("image"))
    });
    faults.collect()
}
/// What a domain of protection can not be or have, whatever its task.
fn own(component: &Component, fault: &dyn Fn(String) -> Fault) -> Vec<Fault> {
    let flags = [
        (component.boot, "boot", "a boot component is laid out before there are tasks"),
        (component.trusted, "trusted", "a trusted component is in no task: it sees the service stacks of all"),
    ];
    let flags = flags.into_iter().filter(|(wrong, ..)| *wrong).map(|(_, key, text)| fault(text.into()).at(key));
    let devices = (!component.devices.is_empty()).then(|| {
        let help = "give the device to a driver of its own, which it opens".to_string();
        fault("a domain of protection has no devices: all of its task would see them".into()).at("devices").help(help)
    });
    flags.chain(devices).collect()
}
/// What is wrong with the task that component `n` names.
fn of_task(all: &[Component], n: usize, name: &str, fault: &dyn Fn(String) -> Fault) -> Option<Fault> {
    let at = |text: String, help: Option<String>| Some(fault(text).at("task").help(help));
    let Some(place) = all.iter().position(|other| other.name == name) else {
        let names = all.iter().filter(|c| !c.boot && c.isolation != Isolation::Dp).map(|c| c.name.as_str());
        return at(format!("there is no component \"{name}\", which it is to be in"), meant(name, names));
    };
    let (component, task) = (&all[n], &all[place]);
    let limit = |c: &Component| c.limits.memory;
    if task.boot {
        at(format!("\"{name}\" is a boot component, which is no task"), None)
    } else if task.isolation == Isolation::Dp {
        let help = if task.task.is_empty() { None } else { Some(format!("say task = \"{}\"", task.task)) };
        at(format!("\"{name}\" is a domain of protection itself, and has none in it"), help)
    } else if task.isolation == Isolation::Supervisor {
        at(format!("\"{name}\" executes in supervisor mode, and is no task"), None)
    } else if task.trusted {
        at(format!("\"{name}\" is trusted, and a trusted component is no task"), None)
    } else if task.on_request && !component.on_request {
        let help = "say on_request = true of both, or of none".to_string();
        at(format!("\"{name}\" is started on request, and would not be there"), Some(help))
    } else if place > n && !component.on_request {
        let help = format!("move its block behind that of \"{name}\"");
        at(format!("\"{name}\" is started after it"), Some(help))
    } else if let (Some(own), Some(most)) = (limit(component), limit(task))
        && own > most
    {
        let text = format!("limits: {own} percent of the memory, of which its task \"{name}\" has {most}");
        Some(fault(text).at("limits"))
    } else {
        None
    }
}
