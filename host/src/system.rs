//! Reading manifests.

use crate::build::Recipe;
use anyhow::{Context, Result, bail};
use manifest::{Component, System};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A manifest as it stands in a file: a system, and the manifests whose components come first.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    include: Option<String>,
    #[serde(default)]
    windows: manifest::Windows,
    #[serde(default, rename = "component")]
    components: Vec<Component>,
}

/// Reads `systems/NAME.toml`, with what it includes.
pub fn load(root: &Path, name: &str) -> Result<System> {
    if name.is_empty() || name.contains(['/', '.']) {
        bail!("\"{name}\" is not the name of a system: give the name of a file in systems/ without .toml");
    }
    let systems = root.join("systems");
    let path = systems.join(format!("{name}.toml"));
    if !path.exists() {
        let mut known: Vec<String> = std::fs::read_dir(&systems)?
            .filter_map(|e| Some(e.ok()?.path().file_stem()?.to_str()?.to_string()))
            .collect();
        known.sort();
        bail!("there is no system \"{name}\"; systems/ has {}", known.join(", "));
    }
    let mut system = read(&path, 0)?;
    finish(&mut system).with_context(|| path.display().to_string())?;
    Ok(system)
}
fn read(path: &Path, depth: usize) -> Result<System> {
    if depth > 8 {
        bail!("{}: manifests include each other", path.display());
    }
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let file: File = toml::from_str(&text).with_context(|| path.display().to_string())?;
    let mut components = match &file.include {
        Some(include) => read(&path.with_file_name(include), depth + 1)?.components,
        None => Vec::new(),
    };
    components.extend(file.components);
    Ok(System { name: file.name, windows: file.windows, components })
}
/// Fills in what blocks leave out, and checks them.
pub fn finish(system: &mut System) -> Result<()> {
    let mut names = HashSet::new();
    for component in &mut system.components {
        let name = component.name.clone();
        if name.is_empty()
            || name.len() >= abi::section::NAME
            || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        {
            bail!("component \"{name}\": a name has 1 to {} letters, digits, - and _", abi::section::NAME - 1);
        }
        if !names.insert(name.clone()) {
            bail!("component \"{name}\": there are two of this name");
        }
        if component.priority > 63 {
            bail!("component \"{name}\": priority {} is not between 0 and 63", component.priority);
        }
        if component.masked && !component.boot {
            bail!("component \"{name}\": only boot components can be masked");
        }
        if component.main && (component.boot || component.on_request) {
            bail!("component \"{name}\": a boot component, or one started on request, can not be the main one");
        }
        for pattern in component.opens.iter().chain(&component.provides) {
            let inner = pattern.strip_suffix('*').unwrap_or(pattern);
            if pattern.is_empty()
                || pattern.len() >= abi::nucleus::NAMELEN
                || !inner.chars().all(|c| c.is_ascii_graphic() && c != '*')
            {
                bail!("component \"{name}\": \"{pattern}\" is not a portal's name, nor one that ends with *");
            }
        }
        name_image(component);
    }
    let mut images: HashMap<&str, &Component> = HashMap::new();
    for component in &system.components {
        let other = images.insert(&component.image, component);
        if let Some(other) = other.filter(|o| o.path != component.path || Recipe::of(o) != Recipe::of(component)) {
            bail!(
                "components \"{}\" and \"{}\" have images of one name, \"{}\"",
                other.name,
                component.name,
                other.image
            );
        }
    }
    check_limits(system)
}
/// Gives a component's image its name in the system: what `image` says, if that is short enough and nothing else goes into it, else the
/// component's.
fn name_image(component: &mut Component) {
    let own = !Recipe::of(component).is_empty();
    component.path = std::mem::take(&mut component.image);
    if component.path.is_empty() && component.sources.is_empty() {
        component.path = component.name.clone();
    }
    let long = component.path.len() >= abi::section::NAME;
    component.image = if own || long { component.name.clone() } else { component.path.clone() };
}
/// That no component can keep another from what its limits say.
fn check_limits(system: &System) -> Result<()> {
    let accounts = system.accounts().count();
    if accounts >= abi::account::ACCOUNTS {
        bail!("there are {accounts} components, and at most {} can be accounted for", abi::account::ACCOUNTS - 1);
    }
    if let Some(boot) = system.components.iter().find(|c| c.boot && c.limits != manifest::Limits::default()) {
        bail!("component \"{}\": a boot component has no limits", boot.name);
    }
    let memory: u32 = system.accounts().filter_map(|(_, component)| component.limits.memory).sum();
    if memory > 100 || memory == 100 && system.accounts().any(|(_, component)| component.limits.memory.is_none()) {
        bail!("limits: the components may have {memory} percent of the memory together, and the others need some");
    }
    for resource in abi::account::Resource::ALL {
        let all: u64 = system.accounts().map(|(_, component)| component.limits.of(resource) as u64).sum();
        if all > resource.most() as u64 {
            let (text, most) = (resource.text(), resource.most());
            bail!(
                "limits: the components may have {all} {text} together, and there are {most}: see `limits` in their blocks"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    fn error(block: &str) -> String {
        let text = format!("name = \"x\"\n[[component]]\n{block}");
        let mut system: System = match toml::from_str(&text) {
            Ok(system) => system,
            Err(error) => return error.to_string(),
        };
        finish(&mut system).unwrap_err().to_string()
    }
    #[test]
    fn the_systems_in_the_repository_are_right() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for name in ["default", "exec", "boot", "minimal", "oracle", "oracle-masked", "oracle-trusted"] {
            load(root, name).unwrap();
        }
    }
    #[test]
    fn an_unknown_system_is_refused() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let message = load(root, "nothing").unwrap_err().to_string();
        assert!(message.contains("no system \"nothing\"") && message.contains("default"));
        assert!(load(root, "../etc").is_err());
    }
    #[test]
    fn an_unknown_key_is_refused() {
        assert!(error("name = \"a\"\ncolour = 1").contains("unknown field `colour`"));
    }
    #[test]
    fn an_unknown_isolation_is_refused() {
        assert!(error("name = \"a\"\nisolation = \"hope\"").contains("unknown variant `hope`"));
    }
    #[test]
    fn a_priority_out_of_range_is_refused() {
        assert!(error("name = \"a\"\npriority = 64").contains("\"a\": priority 64"));
    }
    #[test]
    fn a_name_given_twice_is_refused() {
        assert!(error("name = \"a\"\n[[component]]\nname = \"a\"").contains("two of this name"));
    }
    #[test]
    fn a_bad_name_is_refused() {
        assert!(error("name = \"a b\"").contains("\"a b\""));
    }
    #[test]
    fn a_bad_pattern_is_refused() {
        assert!(error("name = \"a\"\nopens = [\"x*y\"]").contains("\"x*y\""));
    }
    #[test]
    fn a_masked_component_outside_the_image_is_refused() {
        assert!(error("name = \"a\"\nmasked = true").contains("only boot components"));
    }
    #[test]
    fn limits_beyond_what_there_is_are_refused() {
        assert!(error("name = \"a\"\nlimits = { threads = 3000 }").contains("3000 threads together"));
        let two = "name = \"a\"\nlimits = { domains = 300 }\n[[component]]\nname = \"b\"\nlimits = { domains = 300 }";
        assert!(error(two).contains("600 domains together"));
    }
    #[test]
    fn more_memory_than_there_is_is_refused() {
        assert!(error("name = \"a\"\nlimits = { memory = 101 }").contains("101 percent"));
        assert!(error("name = \"a\"\nlimits = { memory = 100 }\n[[component]]\nname = \"b\"").contains("need some"));
    }
    #[test]
    fn an_unknown_limit_is_refused() {
        assert!(error("name = \"a\"\nlimits = { luck = 1 }").contains("unknown field `luck`"));
    }
    #[test]
    fn limits_of_a_boot_component_are_refused() {
        assert!(error("name = \"a\"\nboot = true\nlimits = { threads = 1 }").contains("no limits"));
    }
    #[test]
    fn a_main_component_on_request_is_refused() {
        assert!(error("name = \"a\"\nmain = true\non_request = true").contains("main one"));
    }
}
