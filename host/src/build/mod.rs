//! Building what runs on the machine: Rust components by cargo, C programs by the cross compiler. An image of a system is a package of
//! the workspace, a source file, a folder, or a finished ELF file.

mod alone;
mod c;
mod cargo;
mod recipe;
mod stamp;

pub use alone::{Part, alone, within};
pub use c::{archive, compiler, driver, each, heap, objects, wraps};
use cargo::Program;
pub use cargo::{cargo, compile_member, profile, run as run_cargo};
pub use recipe::Recipe;

use crate::{fault_domain, inputs, port};
use anyhow::{Context, Result, bail};
use image::HOST;
use manifest::{Component, Form, Isolation};
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub const TARGET: &str = "riscv64gc-unknown-none-elf";

/// What an image is built from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// A package's name, or the path of a file or folder from the repository's root; empty: only the recipe's sources.
    pub path: PathBuf,
    pub recipe: Recipe,
    /// It is a software fault domain, and is kept in so.
    pub sandbox: Option<Sandbox>,
}
/// How a fault domain is kept in: as the manifest's words say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sandbox {
    pub loads: bool,
    pub matching: bool,
    pub form: Form,
}
impl Sandbox {
    /// That of a component, if it is a fault domain.
    pub fn of(component: &Component) -> Option<Sandbox> {
        (component.isolation == Isolation::Sfi).then_some(Sandbox {
            loads: component.loads,
            matching: component.matching,
            form: component.form,
        })
    }
    /// What the rewriter is asked for.
    pub fn options(self) -> rewriter::Options {
        let form = match self.form {
            Form::Masks => rewriter::Form::Masks,
            Form::Zba => rewriter::Form::AddUnsignedWord,
            Form::Top => rewriter::Form::Or,
        };
        rewriter::Options { form, loads: self.loads, matching: self.matching }
    }
}
impl From<&str> for Source {
    fn from(path: &str) -> Source {
        Source { path: path.into(), ..Source::default() }
    }
}
/// What images are built from, by their names.
pub type Sources = BTreeMap<String, Source>;
/// What the images of a system are built from.
pub fn sources<'a>(components: impl IntoIterator<Item = &'a Component>) -> Sources {
    components.into_iter().map(|component| (component.image.clone(), source(component))).collect()
}
/// What the image of a component is built from.
pub fn source(component: &Component) -> Source {
    let (path, recipe, sandbox) = (component.path.clone().into(), Recipe::of(component), Sandbox::of(component));
    Source { path, recipe, sandbox }
}
/// ELF files by the name of the image.
pub type Programs = BTreeMap<String, Vec<u8>>;

/// How an image is made.
enum Way {
    /// A package of the workspace.
    Package(String),
    C(Recipe),
    RustFile,
    /// A package in a folder of its own.
    RustFolder(PathBuf),
    /// It is there.
    Elf,
}
/// How the image of `source` is made; `path` is where it is.
fn way(root: &Path, source: &Source, path: &Path) -> Result<Way> {
    let name = source.path.to_string_lossy();
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let mut recipe = source.recipe.clone().from(root);
    let in_c = if source.path.as_os_str().is_empty() {
        true
    } else if cargo::package_exists(root, &name) {
        return Ok(Way::Package(name.into_owned()));
    } else if path.is_file() && recipe::C_SOURCES.contains(&ending) {
        recipe.sources.push(path.to_string_lossy().into_owned());
        true
    } else {
        path.is_dir() && !path.join("Cargo.toml").exists()
    };
    if in_c {
        if path.is_dir() && !source.path.as_os_str().is_empty() {
            let mut whole = Recipe::of_folder(path)?;
            whole.add(recipe);
            recipe = whole;
        }
        return Ok(Way::C(recipe));
    }
    let for_rust = Recipe { binary: recipe.binary.take(), ..Recipe::default() };
    if !recipe.is_empty() {
        bail!("{name}: sources, cflags, include, libraries and port are of components in C");
    }
    let package = if path.is_dir() { Some(path) } else { cargo::package_of(path).filter(|_| ending == "rs") };
    match package {
        Some(folder) => Ok(Way::RustFolder(folder.to_path_buf())),
        None if for_rust.binary.is_some() => bail!("{name}: only a package has several programs"),
        None if ending == "rs" && path.is_file() => Ok(Way::RustFile),
        None if is_elf(path) => Ok(Way::Elf),
        None if path.is_file() => bail!("{name}: neither C nor Rust source, nor an ELF file"),
        None if root.join("apps").join(&source.path).join("Cargo.toml").exists() => {
            Ok(Way::RustFolder(root.join("apps").join(&source.path)))
        }
        None => bail!("{name}: no such component, and no such file"),
    }
}
/// Whether it can be made into a software fault domain, or will be said not to be there.
pub fn can_be_rewritten(root: &Path, source: &Source) -> bool {
    !matches!(way(root, source, &root.join(&source.path)), Ok(Way::Elf))
}
/// Compiles a program in Rust to one relocatable object with all that it uses, linked by `linker`, if it is one.
pub fn rust_object(root: &Path, source: &Source, linker: &str) -> Result<Option<Vec<u8>>> {
    let path = root.join(&source.path);
    let way = way(root, source, &path)?;
    let program = match &way {
        Way::Package(name) => Program::Package(name),
        Way::RustFile => Program::File(&path),
        Way::RustFolder(folder) => Program::Folder(folder, source.recipe.binary.as_deref()),
        Way::C(_) | Way::Elf => return Ok(None),
    };
    // The next object may write over it.
    let _alone = alone(root, Part::FaultDomains)?;
    read(&cargo::compile_object(root, &program, linker)?).map(Some)
}
/// A recipe with that of the port that it names, whose sources are fetched where they are not there.
fn with_port(root: &Path, mut recipe: Recipe) -> Result<Recipe> {
    if let Some(port) = recipe.port.take() {
        recipe.add(port::recipe(root, &port)?);
    }
    Ok(recipe)
}
/// What a program in C is made of.
pub fn c_recipe(root: &Path, source: &Source) -> Result<Recipe> {
    match way(root, source, &root.join(&source.path))? {
        Way::C(recipe) => with_port(root, recipe),
        _ => bail!("{}: it is no program in C", source.path.display()),
    }
}
/// Whether the file begins as an ELF file does.
fn is_elf(path: &Path) -> bool {
    use std::io::Read;
    let mut magic = [0; 4];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"\x7fELF"
}

/// The ELF file of what has a folder of products of its own, so that it is built beside whatever else is; `None`: this has not.
fn built_beside(root: &Path, source: &Source) -> Result<Option<Vec<u8>>> {
    if let Some(sandbox) = source.sandbox {
        return fault_domain::build(root, source, &sandbox.options()).map(Some);
    }
    let path = root.join(&source.path);
    let way = way(root, source, &path)?;
    if !matches!(way, Way::RustFile | Way::RustFolder(_)) {
        return Ok(None);
    }
    // The next program may write over it.
    let _alone = alone(root, Part::Programs)?;
    let file = match way {
        Way::RustFolder(folder) => cargo::compile_package(root, &folder, source.recipe.binary.as_deref())?,
        _ => cargo::compile_file(root, &path)?,
    };
    read(&file).map(Some)
}
fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| path.display().to_string())
}
/// The ELF files of the nucleus and of each image.
pub fn build(root: &Path, images: &Sources) -> Result<(Vec<u8>, Programs)> {
    let mut programs = Programs::new();
    for (image, source) in images {
        if let Some(program) = built_beside(root, source)? {
            programs.insert(image.clone(), program);
        }
    }
    let _alone = alone(root, Part::Tree)?;
    let mut packages = vec!["nucleus".to_string()];
    let mut files = BTreeMap::new();
    let built = root.join("target").join(TARGET).join("release");
    let left: Vec<_> = images.iter().filter(|(image, _)| !programs.contains_key(*image)).collect();
    for (image, source) in left {
        let path = root.join(&source.path);
        let file = match way(root, source, &path)? {
            Way::Package(name) => {
                packages.push(name.clone());
                built.join(name)
            }
            Way::C(recipe) => {
                let name = if source.path.as_os_str().is_empty() { PathBuf::from(image) } else { path };
                c::compile(root, &name, &with_port(root, recipe)?)?
            }
            Way::Elf => {
                inputs::note(&path);
                path
            }
            Way::RustFile | Way::RustFolder(_) => bail!("{image}: it came while others were built"),
        };
        files.insert(image.clone(), file);
    }
    if images.values().any(|source| source.sandbox.is_some()) && !packages.iter().any(|package| package == HOST) {
        packages.push(HOST.into());
        files.insert(HOST.into(), built.join(HOST));
    }
    packages.dedup();
    cargo::build_packages(root, &packages)?;
    packages.iter().for_each(|package| inputs::note(built.join(package).with_extension(inputs::RULE)));
    for (image, file) in files {
        programs.insert(image, read(&file)?);
    }
    Ok((read(&built.join("nucleus"))?, programs))
}

/// Builds one image alone; the path of its ELF file, which is called after `name`.
pub fn compile(root: &Path, name: &str, source: &Source) -> Result<PathBuf> {
    let _alone = alone(root, Part::Tree)?;
    match way(root, source, &root.join(&source.path))? {
        Way::C(recipe) => c::compile(root, Path::new(name), &with_port(root, recipe)?),
        _ => bail!("{name}: no program in C"),
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|m| m.modified()).ok()
}
/// Whether `output` is there and newer than all of `inputs`.
pub fn fresh(output: &Path, inputs: &[PathBuf]) -> bool {
    let Some(made) = modified(output) else { return false };
    inputs.iter().all(|i| modified(i).is_some_and(|at| at < made))
}
/// Files in `folder` whose names end in one of `endings`.
pub fn files(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e)))
        .collect();
    found.sort();
    Ok(found)
}
/// Where in the build folder the product of `source` goes: no other path's goes there.
fn place(root: &Path, folder: &str, source: &Path) -> Result<PathBuf> {
    let absolute = source.canonicalize().unwrap_or_else(|_| source.to_path_buf());
    let folder = root.join("build").join(folder);
    fs::create_dir_all(&folder)?;
    Ok(folder.join(plain_name(&absolute)))
}
/// A file's name that says which path it stands for, and that stands for no other.
fn plain_name(path: &Path) -> String {
    let plain: Vec<char> =
        path.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let end: String = plain[plain.len().saturating_sub(LEGIBLE)..].iter().collect();
    format!("{}_{:016x}", end.trim_start_matches('_'), number(&path))
}
/// Characters of a path that are kept in the name of a product.
const LEGIBLE: usize = 100;
/// A number that is another one where `of` is something else.
fn number(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn no_two_paths_have_one_place() {
        let names = ["/a/b_c.rs", "/a/b/c.rs", "/a/b/c_rs"].map(|path| plain_name(Path::new(path)));
        assert!(names[0] != names[1] && names[1] != names[2], "{names:?}");
        assert!(names[0].starts_with("a_b_c_rs_"));
        assert!(plain_name(Path::new(&"long/".repeat(100))).len() < 128);
    }
    #[test]
    fn what_is_no_program_is_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("text"), "text").unwrap();
        let refused = |path: &str| match build(root.path(), &[("x".to_string(), Source::from(path))].into()) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(refused("text"), "text: neither C nor Rust source, nor an ELF file");
        assert_eq!(refused("nothing"), "nothing: no such component, and no such file");
    }
    #[test]
    fn options_of_c_for_a_component_in_rust_are_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a.rs"), "").unwrap();
        let recipe = Recipe { cflags: vec!["-O3".into()], ..Recipe::default() };
        let sources = [("a".to_string(), Source { path: "a.rs".into(), recipe, sandbox: None })].into();
        assert!(build(root.path(), &sources).unwrap_err().to_string().contains("of components in C"));
    }
}
