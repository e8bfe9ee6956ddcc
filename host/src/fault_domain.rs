//! Building programs in C and Rust for software fault domains: compiled as any other but for some registers, linked to one object with the libraries,
//! rewritten, and linked again to a program that its host can put anywhere. `docs/src/fault-domains.md` explains it.

use crate::build::{self, Recipe, Source, files, fresh};
use crate::inputs;
use anyhow::{Context, Result, bail};
use object::{Object, ObjectSymbol, SymbolKind};
use rewriter::{Form, Options};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Links the rewritten object; comes with the Rust components' linker.
const LINKER: &str = "ld.lld-19";
const PARTIAL_LINKER: &str = "riscv64-unknown-elf-ld";
/// The C library, by multilib.
const PICOLIBC: &str = "/usr/lib/picolibc/riscv64-unknown-elf/lib";
/// Sources of the C library that the ones in lib/c/fault-domain stand for.
const REPLACED: [&str; 3] = ["start.c", "calls.S", "crt0.S"];

fn run(command: &mut Command, what: &str) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("{program} could not be started"))?;
    if !status.success() {
        bail!("{what} could not be made into a fault domain");
    }
    Ok(())
}
/// Options of the compiler for fault domains: it leaves the dedicated registers alone, and what the linker would shorten as it is, with
/// a relocation for everything that refers to code.
pub fn flags(options: &Options) -> Vec<String> {
    let registers = options.dedicated();
    let fixed = registers.iter().map(|register| format!("-ffixed-x{}", register.0));
    ["-march=rv64imafd", "-mrelax"].into_iter().map(String::from).chain(fixed).collect()
}
/// Compiles the C library; the archive.
fn library(root: &Path, options: &Options) -> Result<PathBuf> {
    let mut sources = files(&root.join("lib/c/src"), &["c"])?;
    sources.retain(|source| !REPLACED.iter().any(|name| source.ends_with(name)));
    sources.extend(files(&root.join("lib/c/fault-domain"), &["c"])?);
    let sources = sources.iter().map(|source| source.to_string_lossy().into_owned()).collect();
    let objects = build::objects(root, &Recipe { sources, cflags: flags(options), ..Recipe::default() })?;
    // Where there are no masks, more registers are the compiler's.
    let masks = options.form == Form::Masks;
    let folder = root.join(if masks { "build/fault-domain" } else { "build/fault-domain-unmasked" });
    fs::create_dir_all(&folder)?;
    let archive = folder.join("libpebble.a");
    if !fresh(&archive, &objects) {
        build::archive(&archive, &objects)?;
    }
    Ok(archive)
}
/// What the compiler says of its files, as it would link an ordinary component.
fn of_compiler(root: &Path, question: &str) -> Result<PathBuf> {
    let output = build::compiler(root)?.arg(question).output().context("the cross compiler could not be started")?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
/// The function that has an address, and how far behind its beginning.
pub fn function(program: &[u8], address: u64) -> Option<(String, u64)> {
    let file = image::ElfFile::parse(program).ok()?;
    let code = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
    let before = code.filter(|symbol| symbol.address() <= address);
    let last = before.max_by_key(|symbol| symbol.address())?;
    let distance = address - last.address();
    (distance < last.size()).then(|| Some((last.name().ok()?.to_string(), distance)))?
}
/// Whether one of the objects has the program's start.
fn begins_by_itself(objects: &[PathBuf]) -> Result<bool> {
    for path in objects {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let file = image::ElfFile::parse(&*bytes).with_context(|| path.display().to_string())?;
        if file.symbols().any(|symbol| symbol.is_definition() && symbol.name() == Ok("_start")) {
            return Ok(true);
        }
    }
    Ok(false)
}
/// Links a program in C with all that it uses to one relocatable object.
fn in_c(root: &Path, source: &Source, options: &Options, whole: &Path) -> Result<()> {
    let _alone = build::alone(root, build::Part::Tree)?;
    let what = source.path.display().to_string();
    let mut recipe = build::c_recipe(root, source)?;
    recipe.cflags.extend(flags(options));
    let objects = build::objects(root, &recipe)?;
    let library = library(root, options)?;
    let heap = build::heap(root)?;
    let mut link = Command::new(PARTIAL_LINKER);
    link.args(["-r", "--gc-sections", "-e", "_start", "-u", "_start", "-o"]).arg(whole).args(&objects);
    link.args(build::wraps(root)?);
    // What begins by itself (FAULT_DOMAIN of fault_domain.h) has of the C library what it calls, and none of its constructors.
    if begins_by_itself(&objects)? {
        link.arg(&library);
    } else {
        link.arg("--whole-archive").arg(&library).arg("--no-whole-archive");
    }
    let picolibc = Path::new(PICOLIBC).join(of_compiler(root, "-print-multi-directory")?);
    let named = recipe.libraries.iter().map(|l| if l.contains('/') { l.clone() } else { format!("-l{l}") });
    link.args(named.collect::<Vec<_>>());
    link.arg("-L").arg(picolibc).args(["--start-group", "-lm", "-lc"]);
    link.arg(of_compiler(root, "-print-libgcc-file-name")?).arg(heap).arg("--end-group");
    run(&mut link, &what)
}
/// Builds the program of `source` for a fault domain, kept in as `options` say; its ELF file.
pub fn build(root: &Path, source: &Source, options: &Options) -> Result<Vec<u8>> {
    let what = source.path.display().to_string();
    inputs::note(root.join("lib/c"));
    let folder = tempfile::tempdir()?;
    let [whole, rewritten, program] = ["whole.o", "rewritten.o", "program"].map(|name| folder.path().join(name));
    let object = match build::rust_object(root, source, PARTIAL_LINKER)? {
        Some(object) => object,
        None => {
            in_c(root, source, options, &whole)?;
            fs::read(&whole)?
        }
    };
    let (object, _) = rewriter::rewrite(&object, options).with_context(|| what.clone())?;
    fs::write(&rewritten, object)?;
    let mut link = Command::new(LINKER);
    link.args(["-pie", "--no-relax", "--no-dynamic-linker", "--hash-style=sysv", "--gc-sections"]);
    link.args(["-z", "norelro", "-z", "notext", "-z", "noseparate-code", "-T"]);
    link.arg(root.join("lib/c/fault-domain/link.ld")).arg(&rewritten).arg("-o").arg(&program);
    run(&mut link, &what)?;
    Ok(fs::read(&program)?)
}
