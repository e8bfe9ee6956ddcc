//! Building what runs on the machine: Rust components by cargo, C programs by the cross compiler.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

pub const TARGET: &str = "riscv64gc-unknown-none-elf";
const CC: &str = "riscv64-unknown-elf-gcc";
const AR: &str = "riscv64-unknown-elf-ar";

/// The cargo that has the sources of `core`; `./pebble` finds it.
pub fn cargo(root: &Path) -> Command {
    let program = std::env::var("PEBBLE_CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(&program);
    command.current_dir(root).env("RUSTC_BOOTSTRAP", "1");
    // Cargo's own subcommands must be of the same toolchain, whatever comes first on the path.
    if let (Some(folder), Some(path)) = (Path::new(&program).parent(), std::env::var_os("PATH")) {
        let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap_or(path));
    }
    if let Ok(rustc) = std::env::var("PEBBLE_RUSTC") {
        command.env("RUSTC", rustc);
    }
    command
}
/// Builds packages of the workspace. Only an application says why it panics; in the others a panic is an illegal
/// instruction where it happens, which is reported, and they are smaller for it.
fn build_packages(root: &Path, packages: &[String]) -> Result<()> {
    let (apps, others): (Vec<_>, Vec<_>) =
        packages.iter().cloned().partition(|p| root.join("apps").join(p).join("Cargo.toml").exists());
    run_cargo(root, &others, &IMMEDIATE_ABORT)?;
    if apps.is_empty() { Ok(()) } else { run_cargo(root, &apps, &[]) }
}
/// A panic is an illegal instruction where it happens.
const IMMEDIATE_ABORT: [&str; 3] = ["-Zpanic-immediate-abort", "--config", "profile.release.panic=\"immediate-abort\""];

/// Runs cargo with `options`; its messages go to the terminal only where it has something to say.
fn run_cargo(root: &Path, packages: &[String], options: &[&str]) -> Result<()> {
    let mut command = cargo(root);
    command.args(["build", "--release", "-Zbuild-std=core,alloc", "--target", TARGET]).args(options);
    if std::env::var_os("PEBBLE_VERBOSE").is_none() {
        command.arg("--quiet");
    }
    for package in packages {
        command.args(["-p", package]);
    }
    let built = root.join("target").join(TARGET).join("release");
    if packages.iter().any(|p| !built.join(p).exists()) {
        eprintln!("pebble: building {} components (the first time takes a minute)", packages.len());
    }
    let status = command.status().context("cargo could not be started")?;
    if !status.success() {
        bail!("building {} failed", packages.join(", "));
    }
    Ok(())
}
/// Whether there is a package of this name among the components.
fn package_exists(root: &Path, name: &str) -> bool {
    ["servers", "drivers", "services", "apps"]
        .iter()
        .any(|folder| root.join(folder).join(name).join("Cargo.toml").exists())
}

/// ELF files by the name of the image.
pub type Programs = BTreeMap<String, Vec<u8>>;

/// The ELF files of the nucleus and of each image; an image is a package's name, or the path of a C or Rust source file
/// or of an ELF file.
pub fn build(root: &Path, images: &[String]) -> Result<(Vec<u8>, Programs)> {
    let mut packages = vec!["nucleus".to_string()];
    let mut files = BTreeMap::new();
    for image in images {
        let path = root.join(image);
        match path.extension().and_then(|e| e.to_str()) {
            Some("c") => {
                files.insert(image.clone(), compile_c(root, &path)?);
            }
            Some("rs") => {
                files.insert(image.clone(), compile_rust(root, &path)?);
            }
            _ if package_exists(root, image) => packages.push(image.clone()),
            _ if path.is_file() => {
                files.insert(image.clone(), path);
            }
            _ => bail!("{image}: no such component, and no such file"),
        }
    }
    build_packages(root, &packages)?;
    let built = root.join("target").join(TARGET).join("release");
    let mut programs = BTreeMap::new();
    for package in &packages {
        programs.insert(package.clone(), fs::read(built.join(package)).with_context(|| package.clone())?);
    }
    for (image, path) in files {
        let program = fs::read(&path).with_context(|| path.display().to_string())?;
        programs.insert(image, program);
    }
    let nucleus = programs.remove("nucleus").unwrap_or_default();
    Ok((nucleus, programs))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|m| m.modified()).ok()
}
/// Whether `output` is there and newer than all of `inputs`.
pub fn fresh(output: &Path, inputs: &[PathBuf]) -> bool {
    let Some(made) = modified(output) else { return false };
    inputs.iter().all(|i| modified(i).is_some_and(|at| at < made))
}
/// The words of a file of options, one or more a line, `#` for comments.
fn options(path: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let lines = text.lines().map(|l| l.split('#').next().unwrap_or(""));
    Ok(lines.flat_map(|l| l.split_whitespace().map(String::from).collect::<Vec<_>>()).collect())
}
fn run(command: &mut Command, what: &str) -> Result<()> {
    let status = command.status().with_context(|| format!("{CC} could not be started"))?;
    if !status.success() {
        bail!("{what} could not be compiled");
    }
    Ok(())
}
/// The cross compiler, with the options of every C program.
pub fn compiler(root: &Path) -> Result<Command> {
    let mut command = Command::new(CC);
    command.args(options(&root.join("lib/c/flags"))?).arg("-I").arg(root.join("lib/c/include"));
    Ok(command)
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
/// Builds the heap of C programs, where it has changed; its library.
fn c_heap(root: &Path) -> Result<PathBuf> {
    let library = root.join("target").join(TARGET).join("release/libc_heap.a");
    let folder = root.join("lib/c/heap");
    let inputs = [folder.join("Cargo.toml"), folder.join("src/lib.rs"), root.join("Cargo.lock")];
    if !fresh(&library, &inputs) {
        run_cargo(root, &["c-heap".into()], &IMMEDIATE_ABORT)?;
        // Cargo does not touch what it finds up to date.
        fs::File::options().append(true).open(&library)?.set_modified(SystemTime::now())?;
    }
    Ok(library)
}
/// Builds the C library; the folder with `crt0.o` and `libpebble.a`.
fn c_library(root: &Path) -> Result<PathBuf> {
    let out = root.join("build/c");
    fs::create_dir_all(&out)?;
    let source = root.join("lib/c/src");
    let mut headers = files(&root.join("lib/c/include"), &["h"])?;
    headers.extend(files(&source, &["h"])?);
    headers.push(root.join("lib/c/flags"));
    let mut objects = Vec::new();
    let mut changed = false;
    for file in files(&source, &["c", "S"])? {
        let object = out.join(file.file_stem().unwrap_or_default()).with_extension("o");
        let mut inputs = headers.clone();
        inputs.push(file.clone());
        if !fresh(&object, &inputs) {
            run(compiler(root)?.arg("-c").arg(&file).arg("-o").arg(&object), &file.display().to_string())?;
            changed = true;
        }
        if object.file_stem().is_some_and(|s| s != "crt0") {
            objects.push(object);
        }
    }
    let heap = out.join("libc_heap.a");
    let built = c_heap(root)?;
    if !fresh(&heap, std::slice::from_ref(&built)) {
        fs::copy(&built, &heap).with_context(|| built.display().to_string())?;
    }
    let library = out.join("libpebble.a");
    if changed || !library.exists() {
        let _ = fs::remove_file(&library);
        let status = Command::new(AR).arg("rcs").arg(&library).args(&objects).status().context(AR)?;
        if !status.success() {
            bail!("libpebble.a could not be made");
        }
    }
    Ok(out)
}
/// Where the program of a source file goes.
fn output(root: &Path, source: &Path) -> Result<PathBuf> {
    let absolute = source.canonicalize().with_context(|| source.display().to_string())?;
    let name: String =
        absolute.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let folder = root.join("build/programs");
    fs::create_dir_all(&folder)?;
    Ok(folder.join(name))
}
/// The files that a rule as the compiler's `-MMD` writes it depends on: all that a source includes. A name with a space in it falls
/// apart into names of nothing, and what depends on it is built each time.
fn included(rule: &str) -> impl Iterator<Item = PathBuf> {
    rule.split_whitespace().filter(|name| !name.ends_with(':') && *name != "\\").map(PathBuf::from)
}
/// Compiles and links a C program; the path of its ELF file.
fn compile_c(root: &Path, source: &Path) -> Result<PathBuf> {
    let program = output(root, source)?;
    let library = c_library(root)?;
    let dependencies = program.with_extension("d");
    let mut inputs = vec![
        source.to_path_buf(),
        library.join("libpebble.a"),
        library.join("crt0.o"),
        library.join("libc_heap.a"),
        root.join("lib/c/link.ld"),
        root.join("lib/c/link-flags"),
        dependencies.clone(),
    ];
    inputs.extend(included(&fs::read_to_string(&dependencies).unwrap_or_default()));
    if fresh(&program, &inputs) {
        return Ok(program);
    }
    let mut command = compiler(root)?;
    command.arg("-MMD").arg("-MF").arg(&dependencies);
    command.arg(source).arg("-o").arg(&program).arg(library.join("crt0.o")).arg("-L").arg(&library);
    command.arg("-T").arg(root.join("lib/c/link.ld"));
    command.args(options(&root.join("lib/c/link-flags"))?);
    run(&mut command, &source.display().to_string())?;
    Ok(program)
}
/// Compiles a Rust program of one file; the path of its ELF file. Its package is made beside the other build products and
/// shares their target folder.
fn compile_rust(root: &Path, source: &Path) -> Result<PathBuf> {
    let program = output(root, source)?;
    let name = source.file_stem().and_then(|s| s.to_str()).unwrap_or("program");
    let folder = program.with_extension("package");
    fs::create_dir_all(folder.join(".cargo"))?;
    let source = source.canonicalize()?;
    let cargo_toml = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[[bin]]\nname = \"{name}\"\npath = {source:?}\n\n\
         [dependencies]\npebble = {{ path = {:?} }}\n\n[workspace]\n\n[profile.release]\nopt-level = \"s\"\nlto = true\npanic = \"abort\"\n",
        root.join("lib/pebble").canonicalize()?
    );
    let manifest = folder.join("Cargo.toml");
    if fs::read_to_string(&manifest).ok().as_deref() != Some(&cargo_toml) {
        fs::write(&manifest, cargo_toml)?;
    }
    // The same versions as everywhere else; cargo leaves out what is not needed.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let target = root.join("target");
    let mut command = cargo(root);
    command.args(["build", "--quiet", "--release", "-Zbuild-std=core,alloc", "--target", TARGET, "--manifest-path"]);
    command.arg(&manifest).env("CARGO_TARGET_DIR", target.join("programs"));
    if !command.status().context("cargo could not be started")?.success() {
        bail!("{} could not be compiled", source.display());
    }
    Ok(target.join("programs").join(TARGET).join("release").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_depends_on_what_it_includes() {
        let rule = "build/programs/test: tests/test.c \\\n tests/include/one.h \\\n  tests/include/two.h\n";
        let files: Vec<PathBuf> = included(rule).collect();
        assert_eq!(files, ["tests/test.c", "tests/include/one.h", "tests/include/two.h"].map(PathBuf::from));
    }
}
