//! Software fault domains in another component's address space, in a manifest: what `host` asks for, and can not have.

use super::document::{Fault, meant};
use abi::enclosure::GUESTS;
use manifest::{Component, Isolation, Limits, System};

/// What is wrong with the hosts that a system's components name.
pub fn faults(system: &System) -> Vec<Fault> {
    let all = &system.components;
    let mut faults = Vec::new();
    for (n, component) in all.iter().enumerate().filter(|(_, component)| !component.host.is_empty()) {
        let fault = |text: String| Fault::of(n, format!("component \"{}\": {text}", component.name));
        if component.isolation != Isolation::Sfi {
            let help = "say isolation = \"sfi\" too, or leave `host` out".to_string();
            let text =
                format!("only a software fault domain is in the address space of another, \"{}\"", component.host);
            faults.push(fault(text).at("host").help(help));
        } else {
            faults.extend(own(component, &fault));
            faults.extend(of_host(all, n, &fault));
        }
    }
    faults
}
/// What such a component can not be or have, whoever its host is: it is no domain of its own.
fn own(component: &Component, fault: &dyn Fn(String) -> Fault) -> Vec<Fault> {
    let keys = [
        (component.main, "main", "the machine stops at the end of a domain, and it is in its host's"),
        (component.on_request, "on_request", "it is started with its host"),
        (component.limits != Limits::default(), "limits", "what it takes is its host's, whose block has the limits"),
    ];
    keys.into_iter().filter(|(wrong, ..)| *wrong).map(|(_, key, text)| fault(text.into()).at(key)).collect()
}
/// What is wrong with the host that component `n` names.
fn of_host(all: &[Component], n: usize, fault: &dyn Fn(String) -> Fault) -> Option<Fault> {
    let component = &all[n];
    let name = component.host.as_str();
    let at = |text: String, help: Option<String>| Some(fault(text).at("host").help(help));
    let Some(host) = all.iter().find(|other| other.name == name) else {
        let names = all.iter().filter(|c| c.isolation == Isolation::Sfi && c.host.is_empty()).map(|c| c.name.as_str());
        return at(format!("there is no component \"{name}\", which is to host it"), meant(name, names));
    };
    if !host.host.is_empty() {
        let help = format!("say host = \"{}\"", host.host);
        at(format!("\"{name}\" is in the address space of another one itself"), Some(help))
    } else if host.isolation != Isolation::Sfi {
        let help = format!("say isolation = \"sfi\" in the block of \"{name}\" too");
        at(format!("\"{name}\" is no software fault domain, and hosts none"), Some(help))
    } else if component.priority > host.priority {
        let text = format!("priority {}, of its host's {}", component.priority, host.priority);
        Some(fault(text).at("priority"))
    } else if all[..n].iter().filter(|other| other.host == name).count() >= GUESTS {
        at(format!("\"{name}\" hosts {GUESTS} others, and there is no room for more"), None)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(blocks: &str) -> System {
        let mut system: System = toml::from_str(&format!("name = \"x\"\n{blocks}")).unwrap();
        system.components.iter_mut().for_each(|c| c.image = c.name.clone());
        system
    }
    /// Components `a`, a fault domain, and `b` with these keys.
    fn error(keys: &str) -> String {
        let text = format!("[[component]]\nname = \"a\"\nisolation = \"sfi\"\n[[component]]\nname = \"b\"\n{keys}");
        super::faults(&system(&text)).first().map_or(String::new(), |fault| fault.title.clone())
    }
    #[test]
    fn a_fault_domain_is_in_the_space_of_another() {
        assert_eq!(error("isolation = \"sfi\"\nhost = \"a\""), "");
        assert!(error("host = \"a\"").contains("only a software fault domain"));
    }
    #[test]
    fn a_host_that_is_not_there_or_hosts_none_is_refused() {
        assert!(error("isolation = \"sfi\"\nhost = \"c\"").contains("no component \"c\""));
        assert!(error("isolation = \"sfi\"\nhost = \"b\"").contains("of another one itself"));
        let text = "isolation = \"sfi\"\nhost = \"c\"\n[[component]]\nname = \"c\"";
        assert!(error(text).contains("\"c\" is no software fault domain"));
    }
    #[test]
    fn what_is_a_domains_is_no_hosted_components() {
        for key in ["main = true", "on_request = true", "limits = { threads = 1 }"] {
            let error = error(&format!("isolation = \"sfi\"\nhost = \"a\"\n{key}"));
            assert!(error.starts_with("component \"b\": "), "{key}: {error}");
        }
        assert!(error("isolation = \"sfi\"\nhost = \"a\"\npriority = 21").contains("of its host's 20"));
    }
    #[test]
    fn more_than_a_host_has_room_for_are_refused() {
        let one = |n: usize| format!("[[component]]\nname = \"b{n}\"\nisolation = \"sfi\"\nhost = \"a\"\n");
        let blocks = |count: usize| (0..count).map(one).collect::<String>();
        let host = "[[component]]\nname = \"a\"\nisolation = \"sfi\"\n";
        assert!(super::faults(&system(&format!("{host}{}", blocks(GUESTS)))).is_empty());
        assert!(super::faults(&system(&format!("{host}{}", blocks(GUESTS + 1))))[0].title.contains("no room for more"));
    }
    #[test]
    fn a_host_may_what_its_hosted_components_may() {
        let all = image::merged(&system(
            "[[component]]\nname = \"engine\"\nopens = [\"a.*\"]\n[[component]]\nname = \"other\"\nopens = [\"c\"]\n\
             [[component]]\nname = \"types\"\nhost = \"engine\"\nopens = [\"a.*\", \"b\"]\nprovides = [\"types.*\"]\n",
        ));
        let of = |n: usize| {
            (all.components[n].name.as_str(), all.components[n].opens.join(" "), all.components[n].provides.join(" "))
        };
        assert_eq!(of(0), ("engine", "a.* b".into(), "types.* engine.faults".into()));
        assert_eq!(of(1), ("other", "c".into(), String::new()));
        assert_eq!(all.components.len(), 2);
    }
}
