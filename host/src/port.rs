//! `./pebble port`: software of others, from a recipe of a few lines in `ports/NAME/port.toml`: which source archive of Debian's, with its
//! checksum, what of it is compiled, and which of its own tests are run on the machine.

use crate::build::{self, Recipe, Source};
use crate::{progress, qemu};
use anyhow::{Context, Result, bail};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// Where Debian is.
const MIRROR: &str = "http://deb.debian.org/debian";

/// What `port.toml` says. Paths are from `folder`.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    /// Where the sources are in Debian's archive.
    archive: String,
    /// Their checksum, in hexadecimal.
    sha256: String,
    /// The folder in the archive that has them.
    folder: PathBuf,
    /// Commands that this machine executes there before anything is compiled: what makes sources of others.
    #[serde(default)]
    prepare: Vec<String>,
    pub program: Recipe,
    /// It computes with floating-point numbers: what benchmarks list apart.
    #[serde(default)]
    pub floating: bool,
    #[serde(default, rename = "test")]
    tests: Vec<Test>,
}
/// A test, or one for each file that `each` matches.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    /// Its name; the file's, where there is one for each.
    #[serde(default)]
    name: String,
    /// What it is made of, beside that file; the port's program, if left out.
    #[serde(default)]
    sources: Vec<String>,
    #[serde(default)]
    include: Vec<PathBuf>,
    #[serde(default)]
    each: Vec<String>,
    /// Files that it finds on the machine, by their paths from the folder of `each`, or of the sources.
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    arguments: Vec<String>,
    /// What is in its standard input.
    #[serde(default)]
    input: String,
    /// What its standard output ends with.
    output: String,
}
/// A test as it is run.
pub struct Case {
    pub name: String,
    program: PathBuf,
    arguments: Vec<String>,
    /// As `exec --file` takes them.
    files: Vec<String>,
    input: String,
    output: String,
}

/// Builds a port, or runs its tests.
pub fn run(root: &Path, name: &str, test: bool) -> Result<ExitCode> {
    if !test {
        println!("{}", program(root, name)?.display());
        return Ok(ExitCode::SUCCESS);
    }
    let cases = cases(root, name)?;
    let mut failed = 0;
    for case in &cases {
        match judge(root, case) {
            Ok(()) => println!("ok   {}", case.name),
            Err(error) => {
                failed += 1;
                println!("FAIL {}: {error:#}", case.name);
            }
        }
    }
    println!("{name}: {} passed, {failed} failed", cases.len() - failed);
    Ok(ExitCode::from((failed > 0) as u8))
}
/// Whether the text of a recipe has known keys.
pub fn understands(text: &str) -> Result<()> {
    Ok(toml::from_str::<Port>(text).map(|_| ())?)
}
/// The names of all recipes.
pub fn names(root: &Path) -> Result<Vec<String>> {
    let folders = fs::read_dir(root.join("ports"))?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut names: Vec<String> = folders
        .filter(|folder| folder.join("port.toml").exists())
        .filter_map(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}
/// Reads a port's recipe and fetches its sources; they, and their folder.
fn open(root: &Path, name: &str) -> Result<(Port, PathBuf)> {
    let known = names(root)?;
    if !known.iter().any(|k| k == name) {
        bail!("there is no port \"{name}\"; ports/ has {}", known.join(", "));
    }
    read(root, name, &root.join("ports").join(name))
}
/// Reads the recipe in `place` of the port `name`, and fetches its sources; both.
pub fn read(root: &Path, name: &str, place: &Path) -> Result<(Port, PathBuf)> {
    let file = place.join("port.toml");
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let port: Port = toml::from_str(&text).with_context(|| file.display().to_string())?;
    let folder = fetch(root, name, &port)?;
    Ok((port, folder))
}
/// Fetches and unpacks the sources, where that has not been done; their folder. Apt's own helper fetches them, by the machine's settings, and
/// refuses what has another checksum.
fn fetch(root: &Path, name: &str, port: &Port) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    (&port.sha256, &port.prepare).hash(&mut hasher);
    let place = root.join("build/ports").join(format!("{name}-{:016x}", hasher.finish()));
    let folder = place.join(&port.folder);
    if folder.exists() {
        return Ok(folder);
    }
    let parent = place.parent().unwrap_or(root);
    fs::create_dir_all(parent)?;
    let unpacked = tempfile::tempdir_in(parent)?;
    let packed = unpacked.path().join("archive");
    let mut helper = Command::new("/usr/lib/apt/apt-helper");
    helper.args(["-q", "-o", "APT::Sandbox::User=", "download-file", &format!("{MIRROR}/{}", port.archive)]);
    helper.arg(&packed).arg(format!("SHA256:{}", port.sha256));
    let output = progress::during(&format!("fetching the sources of {name}"), || helper.output());
    let output = output.context("apt-helper could not be started (package apt)")?;
    if !output.status.success() {
        bail!("the sources of {name} could not be fetched:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let status = Command::new("tar").arg("-xf").arg(&packed).arg("-C").arg(unpacked.path()).status().context("tar")?;
    if !status.success() || !unpacked.path().join(&port.folder).exists() {
        bail!("{} has no folder {}", port.archive, port.folder.display());
    }
    fs::remove_file(packed)?;
    for line in &port.prepare {
        prepare(name, line, &unpacked.path().join(&port.folder))?;
    }
    // Whoever was faster has unpacked the same.
    if fs::rename(unpacked.path(), &place).is_ok() {
        let _ = unpacked.keep();
    }
    Ok(folder)
}
/// Executes a command in the folder of a port's sources, on this machine.
fn prepare(name: &str, line: &str, folder: &Path) -> Result<()> {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).stdin(Stdio::null());
    let output = progress::during(&format!("preparing the sources of {name}"), || command.output())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let tail: Vec<&str> = said.lines().rev().take(10).collect();
        bail!(
            "ports/{name}: prepare: {line}: {}:\n{}",
            output.status,
            tail.into_iter().rev().collect::<Vec<_>>().join("\n")
        );
    }
    Ok(())
}
fn compile(root: &Path, name: &str, recipe: Recipe, folder: &Path) -> Result<PathBuf> {
    build::compile(root, name, &Source { recipe: recipe.from(folder), ..Source::default() })
}
/// What a port adds to a program of others: all of its recipe, its sources fetched.
pub fn recipe(root: &Path, name: &str) -> Result<Recipe> {
    let (port, folder) = open(root, name)?;
    Ok(port.program.from(&folder))
}
/// Builds a port's program; where it is.
pub fn program(root: &Path, name: &str) -> Result<PathBuf> {
    let (port, folder) = open(root, name)?;
    if port.program.sources.is_empty() {
        bail!("ports/{name} has no program of its own: it is for components that have a line `port = \"{name}\"`");
    }
    let built = compile(root, &format!("port/{name}"), port.program, &folder)?;
    let program = root.join("build/ports").join(name);
    fs::copy(&built, &program).with_context(|| program.display().to_string())?;
    Ok(program)
}
/// Builds a port's tests.
pub fn cases(root: &Path, name: &str) -> Result<Vec<Case>> {
    let (port, folder) = open(root, name)?;
    let mut cases = Vec::new();
    for test in &port.tests {
        let mut recipe =
            Recipe { sources: test.sources.clone(), include: test.include.clone(), ..port.program.clone() };
        if test.sources.is_empty() {
            recipe = port.program.clone();
        } else {
            recipe.exclude.clear();
        }
        if test.each.is_empty() {
            let program = compile(root, &format!("port/{name}/{}", test.name), recipe, &folder)?;
            cases.push(case(test, test.name.clone(), program, files(test, &folder, &folder)?));
            continue;
        }
        let each = Recipe { sources: test.each.clone(), ..Recipe::default() }.from(&folder).files()?;
        for source in each {
            let own = source.strip_prefix(&folder)?;
            let stem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let mut recipe = recipe.clone();
            recipe.sources.push(own.to_string_lossy().into_owned());
            let program = compile(root, &format!("port/{name}/{stem}"), recipe, &folder)?;
            cases.push(case(test, stem, program, files(test, &folder, source.parent().unwrap_or(&folder))?));
        }
    }
    Ok(cases)
}
fn case(test: &Test, name: String, program: PathBuf, files: Vec<String>) -> Case {
    Case {
        name,
        program,
        arguments: test.arguments.clone(),
        files,
        input: test.input.clone(),
        output: test.output.clone(),
    }
}
/// The files of a test, as `exec --file` takes them.
fn files(test: &Test, folder: &Path, beside: &Path) -> Result<Vec<String>> {
    if test.files.is_empty() {
        return Ok(Vec::new());
    }
    let files = Recipe { sources: test.files.clone(), ..Recipe::default() }.from(folder).files()?;
    let pair = |file: PathBuf| {
        let guest = file.strip_prefix(beside).unwrap_or(&file);
        format!("{}:{}", file.display(), guest.display())
    };
    Ok(files.into_iter().map(pair).collect())
}
/// Runs a test on the machine.
pub fn judge(root: &Path, case: &Case) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["exec", "--timeout", "60"]).env("PEBBLE_ROOT", root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    case.files.iter().for_each(|file| {
        command.args(["--file", file]);
    });
    qemu::end_with_us(command.arg(&case.program).args(&case.arguments));
    let mut child = command.spawn()?;
    // It fits in the pipe, or is no longer than what the other end takes at once.
    drop(child.stdin.take().context("no input")?.write_all(case.input.as_bytes()));
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !said.ends_with(&case.output) {
        let tail: Vec<&str> = said.lines().rev().take(10).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        bail!("{}; output:\n{}\n{}", output.status, tail.join("\n"), String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
