//! C (and C++) programs: each source becomes an object file, kept for as long as nothing that it includes changes, and these become a
//! program with the C library of components.

use super::recipe::Recipe;
use super::{Part, alone, cargo, files, fresh, number, place};
use crate::{inputs, progress};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;

const CC: &str = "riscv64-unknown-elf-gcc";
const AR: &str = "riscv64-unknown-elf-ar";

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
/// Whether the compiler takes the file for C++.
fn is_cpp(file: &Path) -> bool {
    file.extension().and_then(|e| e.to_str()).is_some_and(|e| ["cc", "cpp", "cxx", "C", "hpp"].contains(&e))
}
/// The cross compiler, with the options of every C program.
pub fn compiler(root: &Path) -> Result<Command> {
    compiler_of(root, false)
}
fn compiler_of(root: &Path, cpp: bool) -> Result<Command> {
    let mut command = Command::new(CC);
    let of_c = |option: &String| option.starts_with("-std=");
    command.args(options(&root.join("lib/c/flags"))?.iter().filter(|option| !cpp || !of_c(option)));
    if cpp {
        command.args(options(&root.join("lib/c/cpp-flags"))?);
    }
    command.arg("-I").arg(root.join("lib/c/include"));
    Ok(command)
}

/// Builds the heap of C programs, where it has changed; its library.
pub fn heap(root: &Path) -> Result<PathBuf> {
    let library = root.join("target").join(super::TARGET).join("release/libc_heap.a");
    let folder = root.join("lib/c/heap");
    inputs::note(library.with_extension(inputs::RULE));
    let inputs = [folder.join("Cargo.toml"), folder.join("src/lib.rs"), root.join("Cargo.lock")];
    if !fresh(&library, &inputs) {
        cargo::run_cargo(root, &["c-heap".into()], &cargo::IMMEDIATE_ABORT)?;
        // Cargo does not touch what it finds up to date.
        fs::File::options().append(true).open(&library)?.set_modified(SystemTime::now())?;
    }
    Ok(library)
}
/// Builds the C library; the folder with `crt0.o` and `libpebble.a`.
pub fn library(root: &Path) -> Result<PathBuf> {
    let _alone = alone(root, Part::Tree)?;
    let out = root.join("build/c");
    fs::create_dir_all(&out)?;
    // Build systems start several compilers at a time.
    let lock = fs::File::create(out.join("lock"))?;
    lock.lock().context("build/c/lock")?;
    inputs::note(root.join("lib/c"));
    let source = root.join("lib/c/src");
    let mut headers = files(&root.join("lib/c/include"), &["h"])?;
    headers.extend(files(&source, &["h"])?);
    headers.push(root.join("lib/c/flags"));
    let (mut objects, mut changed) = (Vec::new(), Vec::new());
    for file in files(&source, &["c", "S"])? {
        let object = out.join(file.file_stem().unwrap_or_default()).with_extension("o");
        let mut inputs = headers.clone();
        inputs.push(file.clone());
        if !fresh(&object, &inputs) {
            changed.push((file, object.clone()));
        }
        if object.file_stem().is_some_and(|s| s != "crt0") {
            objects.push(object);
        }
    }
    each("building the C library", &changed, |(file, object)| {
        run(compiler(root)?.arg("-c").arg(file).arg("-o").arg(object), &file.display().to_string())
    })?;
    let heap_copy = out.join("libc_heap.a");
    let built = heap(root)?;
    if !fresh(&heap_copy, std::slice::from_ref(&built)) {
        fs::copy(&built, &heap_copy).with_context(|| built.display().to_string())?;
    }
    let library = out.join("libpebble.a");
    if !changed.is_empty() || !library.exists() {
        archive(&library, &objects)?;
    }
    Ok(out)
}
/// The library of programs that host a fault domain, which name it among their libraries.
const HOST_LIBRARY: &str = "fault_domain";
/// Builds that library beside the C library in `out`, where it has changed; its file.
fn host_library(root: &Path, out: &Path) -> Result<PathBuf> {
    let built = root.join("target").join(super::TARGET).join("release/libc_host.a");
    inputs::note(built.with_extension(inputs::RULE));
    let packages = ["c-host".to_string()];
    let stamp = super::stamp::Stamp::new(root, "c-host", &packages);
    let library = out.join(format!("lib{HOST_LIBRARY}.a"));
    if !stamp.holds(root, std::slice::from_ref(&library)) {
        cargo::run_cargo(root, &packages, &cargo::IMMEDIATE_ABORT)?;
        fs::copy(&built, &library).with_context(|| built.display().to_string())?;
        stamp.put()?;
    }
    Ok(library)
}
/// Makes a library of object files.
pub fn archive(library: &Path, objects: &[PathBuf]) -> Result<()> {
    let _ = fs::remove_file(library);
    let status = Command::new(AR).arg("rcs").arg(library).args(objects).status().context(AR)?;
    if !status.success() {
        bail!("{} could not be made", library.display());
    }
    Ok(())
}
/// Does `work` for each of `items`, on all processors; the first error.
pub fn each<T: Sync>(what: &str, items: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    let next = Mutex::new(items.iter());
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    progress::during(what, || {
        std::thread::scope(|scope| {
            let worker = || -> Result<()> {
                loop {
                    let Some(item) = next.lock().unwrap().next() else { return Ok(()) };
                    work(item)?;
                }
            };
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
            let ends = workers.into_iter().map(|w| w.join().unwrap_or_else(|_| bail!("{what}: the builder panicked")));
            ends.collect()
        })
    })
}

/// Compiles the sources of a recipe, where they have changed; their object files.
pub fn objects(root: &Path, recipe: &Recipe) -> Result<Vec<PathBuf>> {
    // The folder is newer where a header has come, which the compiler may now take in another's place.
    let own = ["lib/c/flags", "lib/c/include"].map(|name| root.join(name));
    let way = number(&(&recipe.cflags, &recipe.include));
    recipe.folders().for_each(inputs::note);
    let (mut objects, mut changed) = (Vec::new(), Vec::new());
    for source in recipe.files()? {
        let object = place(root, "objects", &source)?.with_extension(format!("{way:016x}.o"));
        let rule = object.with_extension(inputs::RULE);
        let mut inputs = vec![source.clone(), rule.clone()];
        inputs.extend_from_slice(&own);
        inputs.extend(inputs::of_rule(&fs::read_to_string(&rule).unwrap_or_default()).map(PathBuf::from));
        inputs::note(rule);
        if !fresh(&object, &inputs) {
            changed.push((source, object.clone()));
        }
        objects.push(object);
    }
    let what = match &changed[..] {
        [(source, _)] => format!("compiling {}", source.display()),
        _ => format!("compiling {} files", changed.len()),
    };
    each(&what, &changed, |(source, object)| {
        let mut command = compiler_of(root, is_cpp(source))?;
        command.args(&recipe.cflags);
        recipe.include.iter().for_each(|folder| {
            command.arg("-I").arg(folder);
        });
        command.arg("-MMD").arg("-MF").arg(object.with_extension(inputs::RULE));
        // A compiler that is stopped leaves no half of an object.
        let half = object.with_extension(format!("{}.half", std::process::id()));
        run(command.arg("-c").arg(source).arg("-o").arg(&half), &source.display().to_string())?;
        fs::rename(&half, object).with_context(|| object.display().to_string())
    })?;
    Ok(objects)
}
/// The arguments of the compiler that make a program of object files, which come before them.
fn link_arguments(root: &Path, library: &Path) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let script = root.join("lib/c/link.ld");
    let mut arguments = vec!["-L".into(), library.display().to_string(), "-T".into(), script.display().to_string()];
    arguments.extend(options(&root.join("lib/c/link-flags"))?);
    Ok((vec![library.join("crt0.o"), library.join("libpebble.a"), library.join("libc_heap.a"), script], arguments))
}
/// Options of the linker itself that have calls of functions come to the library's own first.
pub fn wraps(root: &Path) -> Result<Vec<String>> {
    let all = options(&root.join("lib/c/link-flags"))?;
    let wraps =
        all.iter().filter_map(|option| option.strip_prefix("-Wl,")).filter(|option| option.starts_with("--wrap"));
    Ok(wraps.flat_map(|option| option.split(',').map(String::from)).collect())
}
/// Compiles and links what a recipe says; the path of the ELF file, which is called after `name`.
pub fn compile(root: &Path, name: &Path, recipe: &Recipe) -> Result<PathBuf> {
    let library = library(root)?;
    let objects = objects(root, recipe)?;
    let (mut inputs, arguments) = link_arguments(root, &library)?;
    let crt0 = inputs[0].clone();
    inputs.push(root.join("lib/c/link-flags"));
    inputs.extend(objects.iter().cloned());
    let (given, named): (Vec<&String>, Vec<&String>) =
        recipe.libraries.iter().partition(|l| l.ends_with(".a") || l.ends_with(".o"));
    if let Some(missing) = given.iter().find(|file| !Path::new(file).is_file()) {
        bail!("{missing}: no such library");
    }
    given.iter().for_each(inputs::note);
    inputs.extend(given.iter().map(PathBuf::from));
    if named.iter().any(|name| *name == HOST_LIBRARY) {
        inputs.push(host_library(root, &library)?);
    }
    let mut program = place(root, "programs", name)?;
    if objects.len() > 1 || *recipe != (Recipe { sources: recipe.sources.clone(), ..Recipe::default() }) {
        program.set_extension(format!("{:016x}", number(&(recipe, &objects))));
    }
    if fresh(&program, &inputs) {
        return Ok(program);
    }
    let mut command = compiler(root)?;
    let half = program.with_extension(format!("{}.half", std::process::id()));
    command.arg("-o").arg(&half).args(&objects).arg(crt0).args(given);
    command.args(named.iter().map(|name| format!("-l{name}"))).args(arguments);
    run(&mut command, &name.display().to_string())?;
    fs::rename(&half, &program).with_context(|| program.display().to_string())?;
    Ok(program)
}

/// Options with which the compiler does not link.
const NO_LINK: [&str; 9] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "--version", "-v"];

/// `./pebble cc`: the compiler with the options of components, and, where it links, their C library; what it does is its own.
pub fn driver(root: &Path, arguments: &[String]) -> Result<Command> {
    let cpp = arguments.iter().any(|a| !a.starts_with('-') && is_cpp(Path::new(a)))
        || arguments.windows(2).any(|pair| pair[0] == "-x" && pair[1].starts_with("c++"));
    let mut command = compiler_of(root, cpp)?;
    // What the caller asks for comes last, so it wins.
    command.args(arguments);
    let asks = |a: &String| NO_LINK.contains(&a.as_str()) || a.starts_with("-print") || a.starts_with("-dump");
    let has_input = arguments.iter().any(|a| !a.starts_with('-'));
    if !arguments.iter().any(asks) && has_input {
        let (first, rest) = link_arguments(root, &library(root)?)?;
        // Objects that are named by `-x c` would be read as C.
        command.args(["-x", "none"]).arg(&first[0]).args(rest);
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_of_many_ends_the_work() {
        let work = |n: &u32| if *n == 7 { bail!("seven") } else { Ok(()) };
        assert_eq!(each("numbers", &[1, 7, 2], work).unwrap_err().to_string(), "seven");
        each("numbers", &[1, 2], work).unwrap();
    }
    #[test]
    fn another_option_makes_another_object() {
        let of = |flag: &str| number(&(vec![flag.to_string()], Vec::<PathBuf>::new()));
        assert_ne!(of("-DX=1"), of("-DX=2"));
    }
}
