//! Reading manifests, and saying what is wrong with them, before anything is booted.

mod checks;
mod deadlines;
mod document;
mod hosts;
mod names;
mod restarts;
pub mod stacks;
mod tasks;

pub use checks::{why_no_fault_domain, why_not_in_supervisor_mode};
pub use names::{Declared, overlap};

use crate::build::{self, Recipe};
use crate::inputs;
use anyhow::{Context, Result, bail};
use document::{Document, Fault, meant};
use image::{Program, declared};
use manifest::{Component, System};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A manifest as it stands in a file: a system, and the manifests whose components come first.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "A system of Pebble")]
struct File {
    /// Its name: that of the file.
    name: String,
    /// A manifest beside this one, whose components come first.
    #[serde(default)]
    include: Option<String>,
    /// When windows are mapped; if left out, as the included manifest says.
    #[serde(default)]
    windows: Option<manifest::Windows>,
    /// Whether portals count their calls, four instructions each, and the scheduler the time that is used; if left out, as the included manifest says.
    #[serde(default)]
    counters: Option<bool>,
    /// Whether all tables may be looked through (`inspect.check`), with interrupts off as long as that takes: for tests; if left out, as the included
    /// manifest says.
    #[serde(default)]
    checks: Option<bool>,
    /// The components, in the order in which they start.
    #[serde(default, rename = "component")]
    components: Vec<Component>,
    /// Whose extensions the linker takes, beside those of the included manifest.
    #[serde(default, rename = "key")]
    keys: Vec<manifest::Key>,
}

/// A system as its manifests describe it, and where in them.
pub struct Manifest {
    pub system: System,
    documents: Vec<Document>,
    /// Of each component, its document and the number of its block there.
    places: Vec<(usize, usize)>,
}

/// The key of who builds a system, in its manifest.
pub const OWN: &str = "own";

/// Names that every component may open, for what is its own: a panic is said there, and signals come by them.
pub const EVERYBODYS: &str = "init.own.*";

/// Where systems are: for users, for benchmarks, for tests. A name is in one of them only.
pub const FOLDERS: [&str; 3] = ["systems", "apps/bench/systems", "tests/systems"];

/// Reads a system, with what it includes: `NAME.toml` in one of [`FOLDERS`], or the manifest at a path that ends in `.toml`. What is wrong with it is the
/// error.
pub fn load(root: &Path, name: &str) -> Result<System> {
    let Manifest { mut system, .. } = read(root, name)?;
    // From here on they are names that it may open.
    for component in &mut system.components {
        component.opens.append(&mut component.optional);
        if !component.boot {
            component.opens.push(EVERYBODYS.into());
        }
    }
    Ok(system)
}
fn read(root: &Path, name: &str) -> Result<Manifest> {
    if name.ends_with(".toml") {
        return read_file(root, Path::new(name));
    }
    if name.is_empty() || name.contains(['/', '.']) {
        bail!(
            "\"{name}\" is not the name of a system: give that of a file in systems/ without .toml, or the path of one with it"
        );
    }
    let places = FOLDERS.map(|folder| root.join(folder).join(format!("{name}.toml")));
    let Some(path) = places.iter().find(|path| path.exists()) else {
        let mut known: Vec<String> = std::fs::read_dir(root.join(FOLDERS[0]))?
            .filter_map(|e| Some(e.ok()?.path().file_stem()?.to_str()?.to_string()))
            .collect();
        known.sort();
        let help = meant(name, known.iter().map(String::as_str)).map_or(String::new(), |help| format!(" ({help})"));
        bail!("there is no system \"{name}\"{help}; systems/ has {}", known.join(", "));
    };
    read_file(root, path)
}
/// Reads one manifest, wherever it is, and looks for what can be seen before it is built.
fn read_file(root: &Path, path: &Path) -> Result<Manifest> {
    let system = System {
        name: String::new(),
        windows: Default::default(),
        counters: false,
        checks: false,
        components: Vec::new(),
        keys: Vec::new(),
    };
    let mut manifest = Manifest { system, documents: Vec::new(), places: Vec::new() };
    manifest.add(root, path, 0)?;
    manifest.system.components.iter_mut().for_each(name_image);
    let mut faults = checks::faults(&manifest.system);
    let can = |component: &Component| build::can_be_rewritten(root, &build::source(component));
    faults.extend(checks::fault_domains(&manifest.system, &can));
    faults.extend(checks::ports(&manifest.system, &crate::port::names(root)?));
    manifest.refuse(&faults)?;
    manifest.check_keys()?;
    Ok(manifest)
}
impl Manifest {
    /// Adds a file behind what it includes.
    fn add(&mut self, root: &Path, path: &Path, depth: usize) -> Result<()> {
        if depth > 8 {
            bail!("{}: manifests include each other", path.display());
        }
        inputs::note(path);
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let document = Document { path: shown, text };
        let mut file: File = match toml::from_str(&document.text) {
            Ok(file) => file,
            Err(error) => bail!("{}", document.malformed(&error)),
        };
        let folder = path.canonicalize()?.parent().unwrap_or(root).to_path_buf();
        if !folder.starts_with(root.canonicalize()?) {
            file.components.iter_mut().for_each(|component| bring(component, &folder));
        }
        if let Some(include) = &file.include {
            let mut places = vec![path.with_file_name(include)];
            places.extend(FOLDERS.map(|folder| root.join(folder).join(include)));
            let Some(included) = places.iter().find(|place| place.exists()) else {
                let at = document.text.find(&format!("\"{include}\"")).map_or(0..0, |at| at..at + include.len() + 2);
                let what = format!("there is no manifest \"{include}\" beside this one, nor in systems/");
                bail!("{}", document.show(at, &what, None));
            };
            self.add(root, included, depth + 1)?;
        }
        let number = self.documents.len();
        self.documents.push(document);
        self.places.extend((0..file.components.len()).map(|block| (number, block)));
        self.system.components.extend(file.components);
        self.system.keys.extend(file.keys);
        let system = &mut self.system;
        system.name = file.name;
        system.windows = file.windows.unwrap_or(system.windows);
        system.counters = file.counters.unwrap_or(system.counters);
        system.checks = file.checks.unwrap_or(system.checks);
        Ok(())
    }
    fn has_component(&self, name: &str) -> bool {
        self.system.components.iter().any(|component| component.name == name)
    }
    /// An error that shows the first key that is none, that is there twice, or that signs for what there is not.
    fn check_keys(&self) -> Result<()> {
        let mut seen = Vec::new();
        for key in &self.system.keys {
            let why = if seen.contains(&&key.public) {
                "it is there twice".into()
            } else if key.public != OWN && crate::extension::public_key(&key.public).is_err() {
                format!("it is not 64 hexadecimal digits, and not \"{OWN}\"")
            } else if let Some(name) = key.signs.iter().flatten().find(|name| !::extension::is_name(name)) {
                format!("\"{name}\" is no interface's name")
            } else if let Some(name) = key.updates.iter().flatten().find(|name| !self.has_component(name)) {
                format!("there is no component \"{name}\", whose updates it is to sign")
            } else {
                seen.push(&key.public);
                continue;
            };
            let text = format!("\"{}\"", key.public);
            let place = |document: &&Document| document.text.contains(&text);
            let title = format!("a key: {why}");
            // Behind the first, where there are two.
            match self.documents.iter().rfind(place) {
                Some(document) => {
                    let at = document.text.rfind(&text).unwrap_or(0);
                    bail!("{}", document.show(at..at + text.len(), &title, None))
                }
                None => bail!("{title}"),
            }
        }
        Ok(())
    }
    /// An error that shows all faults, if there are some.
    fn refuse(&self, faults: &[Fault]) -> Result<()> {
        let show = |fault: &Fault| {
            let (document, block) = self.places[fault.component];
            let document = &self.documents[document];
            document.show(document.place(block, fault.key, fault.entry), &fault.title, fault.help.as_deref())
        };
        let shown: Vec<String> = faults.iter().map(show).collect();
        if shown.is_empty() { Ok(()) } else { bail!("{}", shown.join("\n")) }
    }
}

/// Looks at a built system for what would be found at boot or never: see [`names`]. The program of `exec`, of which nobody knows what it
/// provides, has its own way of saying so.
pub fn check(root: &Path, name: &str, programs: &build::Programs) -> Result<()> {
    let manifest = read(root, name)?;
    check_built(root, &manifest, programs)
}
/// Reads a manifest, builds the system, and looks for all that can be seen then.
pub fn check_file(root: &Path, path: &Path) -> Result<()> {
    let manifest = read_file(root, path)?;
    // Of one that `exec` puts in, what its block says counts.
    let there = manifest.system.components.iter().filter(|component| component.image != "program");
    let (_, programs) = build::build(root, &build::sources(there))?;
    check_built(root, &manifest, &programs)
}
fn check_built(root: &Path, manifest: &Manifest, programs: &build::Programs) -> Result<()> {
    let mut faults = names::faults(&manifest.system, &declared(programs)?);
    faults.extend(tasks::immovable(&manifest.system, programs));
    faults.extend(stacks::faults(&manifest.system, programs));
    if manifest.system.components.iter().any(|c| !c.boot && !c.devices.is_empty()) {
        faults.extend(devices(root, &manifest.system)?);
    }
    manifest.refuse(&faults)
}
/// Whether the text of a manifest has known keys with values of their types; where it has not, else.
pub fn understands(text: &str) -> Result<()> {
    let document = Document { path: "manifest".into(), text: text.into() };
    match toml::from_str::<File>(text) {
        Ok(_) => Ok(()),
        Err(error) => bail!("{}", document.malformed(&error)),
    }
}
/// What the programs of images declare.
pub fn declared(programs: &build::Programs) -> Result<names::Programs> {
    let of = |(image, file): (&String, &Vec<u8>)| {
        let program = Program::parse(image, file)?;
        let declared = Declared { provides: declared::provides(&program), imports: declared::imports(&program) };
        Ok((image.clone(), declared))
    };
    programs.iter().map(of).collect()
}
/// Looks for the devices of components in the device tree of QEMU's machine.
fn devices(root: &Path, system: &System) -> Result<Vec<Fault>> {
    let look = |file: &Path| -> Result<Vec<Fault>> {
        let bytes = std::fs::read(file)?;
        let tree = fdt::Fdt::new(&bytes).map_err(|e| anyhow::anyhow!("{}: {e}", file.display()))?;
        let mut known: Vec<String> = tree
            .all_nodes()
            .filter(|node| node.reg().is_some())
            .map(|node| node.name.split('@').next().unwrap_or(node.name).to_string())
            .collect();
        known.sort();
        known.dedup();
        Ok(names::devices(system, &|name| memory_logic::devices::find(&tree, name).is_ok(), &known))
    };
    let file = root.join("build/virt.dtb");
    // One that QEMU wrote earlier is as good, unless it is another QEMU's.
    match look(&file) {
        Ok(faults) if faults.is_empty() => Ok(faults),
        _ => look(&dump(&file)?),
    }
}
/// Has QEMU write its machine's device tree.
fn dump(file: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(file.parent().unwrap_or(file))?;
    let machine = format!("virt,dumpdtb={}", file.display());
    let mut qemu = Command::new("qemu-system-riscv64");
    let output = qemu.args(["-M", &machine, "-display", "none"]).output().context("QEMU could not be started")?;
    if !output.status.success() {
        bail!("QEMU does not say what its machine has: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(file.into())
}

/// Fills in what blocks leave out, and checks them.
#[cfg(test)]
pub fn finish(system: &mut System) -> Result<()> {
    system.components.iter_mut().for_each(name_image);
    match checks::faults(system).first() {
        None => Ok(()),
        Some(fault) => bail!("{}", fault.title),
    }
}
/// Makes the paths of a component whose manifest is elsewhere whole: they are from the manifest's folder. An image that is not there is one
/// of the repository's.
fn bring(component: &mut Component, folder: &Path) {
    let whole = |path: PathBuf| path.to_string_lossy().into_owned();
    let image = folder.join(&component.image);
    if !component.image.is_empty() && image.exists() {
        component.image = whole(image);
    }
    let recipe = Recipe::of(component).from(folder);
    (component.sources, component.exclude, component.libraries) = (recipe.sources, recipe.exclude, recipe.libraries);
    component.include = recipe.include.into_iter().map(whole).collect();
}
/// Gives a component's image its name in the system: what `image` says, if that is short enough and nothing else goes into it, else the
/// component's.
fn name_image(component: &mut Component) {
    let own = !Recipe::of(component).is_empty()
        || build::Sandbox::of(component).is_some()
        || component.isolation == manifest::Isolation::Supervisor;
    component.path = std::mem::take(&mut component.image);
    if component.path.is_empty() && component.sources.is_empty() {
        component.path = component.name.clone();
    }
    let long = component.path.len() >= abi::section::NAME || component.path.starts_with('/');
    component.image = if own || long { component.name.clone() } else { component.path.clone() };
}

/// The JSON schema of manifests, for editors.
pub fn schema() -> Result<String> {
    Ok(serde_json::to_string_pretty(&schemars::schema_for!(File))? + "\n")
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
    fn the_committed_schema_is_that_of_the_types() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let committed = std::fs::read_to_string(root.join("systems/manifest.schema.json")).unwrap_or_default();
        assert!(committed == schema().unwrap(), "write it anew: ./pebble schema > systems/manifest.schema.json");
    }
    #[test]
    fn what_an_included_manifest_says_of_the_whole_holds_unless_it_is_said_otherwise() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(format!("{name}.toml"));
            std::fs::write(&path, format!("name = \"{name}\"\n{text}")).unwrap();
            path
        };
        file("base", "include = \"minimal.toml\"\ncounters = true\nchecks = true\nwindows = \"touch\"\n");
        let same = read_file(root, &file("same", "include = \"base.toml\"\n")).unwrap().system;
        assert_eq!((same.counters, same.checks, same.windows), (true, true, manifest::Windows::Touch));
        let other = "include = \"base.toml\"\ncounters = false\nwindows = \"call\"\n";
        let other = read_file(root, &file("other", other)).unwrap().system;
        assert_eq!((other.counters, other.checks, other.windows), (false, true, manifest::Windows::Call));
    }
    #[test]
    fn a_manifest_elsewhere_has_its_programs_beside_it() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("own.toml");
        let blocks = "name = \"own\"\ninclude = \"boot.toml\"\n[[component]]\nname = \"one\"\nimage = \"one.c\"\n\
                      [[component]]\nname = \"two\"\nsources = [\"two.c\"]\n";
        std::fs::write(folder.path().join("one.c"), "").unwrap();
        std::fs::write(&manifest, blocks).unwrap();
        let system = load(root, &manifest.to_string_lossy()).unwrap();
        let component = |name| system.components.iter().find(|c| c.name == name).unwrap();
        let place = folder.path().canonicalize().unwrap();
        assert_eq!(
            (component("one").path.as_str(), component("one").image.as_str()),
            (place.join("one.c").to_str().unwrap(), "one")
        );
        assert_eq!(component("two").sources, [place.join("two.c").to_str().unwrap()]);
        assert_eq!(component("init").path, "init");
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
        assert!(error("name = \"a\"\nlimits = { storage = 101 }").contains("101 percent of the storage"));
        assert!(error("name = \"a\"\nlimits = { files = 5000 }").contains("5000 files together"));
        assert!(error("name = \"a\"\nlimits = { disk = 101 }").contains("101 percent of the disk"));
    }
    #[test]
    fn a_share_of_the_processor_out_of_range_is_refused() {
        for percent in [0, 101] {
            let said = error(&format!("name = \"a\"\nlimits = {{ processor = {percent} }}"));
            assert!(
                said.contains(&format!("component \"a\": limits: {percent} percent of the processor: from 1 to 100")),
                "{said}"
            );
        }
    }
    #[test]
    fn names_of_which_one_would_have_the_others_files_are_refused() {
        let two =
            "name = \"log168724\"\nlimits = { disk = 1 }\n[[component]]\nname = \"log598200\"\nlimits = { disk = 1 }";
        assert!(error(two).contains("what is on the disk of \"log168724\""));
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
