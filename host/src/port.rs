//! `./pebble port`: software of others, from a recipe of a few lines in `ports/NAME/port.toml`: which source archive of Debian's, with its
//! checksum, what of it is compiled, and which of its own tests are run on the machine.

use crate::build::{self, Recipe, Source};
use crate::{child, fetch, inputs, progress};
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
    /// What else is unpacked there: tests that the archive has not.
    #[serde(default)]
    extra: Vec<Extra>,
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
/// A folder out of another archive, of Debian's or of a package of Python's.
#[derive(serde::Deserialize, Hash)]
#[serde(deny_unknown_fields)]
struct Extra {
    /// What the folder is called beside the sources.
    name: PathBuf,
    #[serde(default)]
    archive: String,
    /// In the place of an archive of Debian's: a package in Python's index, with its version, `NAME==VERSION`.
    #[serde(default)]
    python: String,
    sha256: String,
    /// The folder in the archive.
    folder: PathBuf,
    /// Only tests that name it need it: it is fetched for `./pebble port`, and not for `./pebble test`, which asks no index of Python's.
    #[serde(default)]
    by_hand: bool,
    /// Commands as in the recipe, after those.
    #[serde(default)]
    prepare: Vec<String>,
}
/// A test, or one for each file that `each` matches.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    /// Its name; the file's, where there is one for each.
    #[serde(default)]
    name: String,
    /// The extra folder, one that is `by_hand`, without which it is not run.
    #[serde(default)]
    needs: PathBuf,
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
    #[serde(default)]
    output: String,
    /// In their place: one test for each of these files, which is its standard input.
    #[serde(default)]
    inputs: Vec<String>,
    /// What its standard output is, all of it: the file beside that with this in the place of its extension.
    #[serde(default)]
    answers: String,
    /// Names of files without their extension for which there is none.
    #[serde(default)]
    except: Vec<String>,
    /// How many seconds it may take, and how much memory its machine has, in MiB.
    #[serde(default = "usual_timeout")]
    timeout: usize,
    #[serde(default = "usual_memory")]
    memory: usize,
}
fn usual_timeout() -> usize {
    60
}
fn usual_memory() -> usize {
    128
}
/// Which tests of a port, and with what they need.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    All,
    WithoutByHand,
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
    /// The output is no more than that.
    whole: bool,
    timeout: usize,
    memory: usize,
}

/// Builds a port, or runs its tests.
pub fn run(root: &Path, name: &str, test: bool) -> Result<ExitCode> {
    if !test {
        println!("{}", program(root, name)?.display());
        return Ok(ExitCode::SUCCESS);
    }
    let cases = cases(root, name, Which::All)?;
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
fn open(root: &Path, name: &str, which: Which) -> Result<(Port, PathBuf)> {
    let known = names(root)?;
    if !known.iter().any(|k| k == name) {
        bail!("there is no port \"{name}\"; ports/ has {}", known.join(", "));
    }
    read_with(root, name, &root.join("ports").join(name), which)
}
/// Reads the recipe in `place` of the port `name`, and fetches its sources; both.
pub fn read(root: &Path, name: &str, place: &Path) -> Result<(Port, PathBuf)> {
    read_with(root, name, place, Which::WithoutByHand)
}
fn read_with(root: &Path, name: &str, place: &Path, which: Which) -> Result<(Port, PathBuf)> {
    let file = place.join("port.toml");
    inputs::note(&file);
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let mut port: Port = toml::from_str(&text).with_context(|| file.display().to_string())?;
    if which == Which::WithoutByHand {
        port.tests.retain(|test| !port.extra.iter().any(|extra| extra.by_hand && extra.name == test.needs));
        port.extra.retain(|extra| !extra.by_hand);
    }
    let folder = sources(root, name, &port)?;
    Ok((port, folder))
}
/// Fetches and unpacks the sources, where that has not been done; their folder. Apt's own helper fetches them, by the machine's settings, and
/// refuses what has another checksum.
fn sources(root: &Path, name: &str, port: &Port) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    (&port.sha256, &port.prepare, &port.extra).hash(&mut hasher);
    let place = root.join("build/ports").join(format!("{name}-{:016x}", hasher.finish()));
    let folder = place.join(&port.folder);
    if folder.exists() {
        return Ok(folder);
    }
    let parent = place.parent().unwrap_or(root);
    fs::create_dir_all(parent)?;
    let unpacked = tempfile::tempdir_in(parent)?;
    unpack(root, name, &port.archive, &port.sha256, &port.folder, unpacked.path())?;
    for extra in &port.extra {
        let beside = tempfile::tempdir_in(parent)?;
        match extra.python.as_str() {
            "" => unpack(root, name, &extra.archive, &extra.sha256, &extra.folder, beside.path())?,
            package => unpack_python(root, package, &extra.sha256, &extra.folder, beside.path())?,
        }
        fs::rename(beside.path().join(&extra.folder), unpacked.path().join(&port.folder).join(&extra.name))?;
    }
    for line in port.prepare.iter().chain(port.extra.iter().flat_map(|extra| &extra.prepare)) {
        prepare(root, name, line, &unpacked.path().join(&port.folder))?;
    }
    // Whoever was faster has unpacked the same.
    if fs::rename(unpacked.path(), &place).is_ok() {
        let _ = unpacked.keep();
    }
    Ok(folder)
}
/// Runs a command that makes `what`, and says so where it takes its time.
fn run_command(command: &mut Command, what: &str) -> Result<()> {
    let output = progress::during(&format!("fetching {what}"), || command.output());
    let output = output.with_context(|| command.get_program().display().to_string())?;
    if !output.status.success() {
        bail!("{what} could not be fetched:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
/// Fetches an archive of Debian's, and unpacks it in `place`, where it must have `folder` then.
fn unpack(root: &Path, name: &str, archive: &str, sha256: &str, folder: &Path, place: &Path) -> Result<()> {
    let packed = place.join("archive");
    let mut helper = Command::new("/usr/lib/apt/apt-helper");
    helper.args(["-q", "-o", "APT::Sandbox::User=", "download-file", &format!("{MIRROR}/{archive}")]);
    helper.arg(&packed).arg(format!("SHA256:{sha256}"));
    let sources = format!("the sources of {name}");
    run_command(fetch::command(root, "Debian's archive", &sources, &helper).stdin(Stdio::null()), &sources)?;
    take_apart(&packed, archive, folder, place)
}
/// The same of the sources of a package of Python's, which pip fetches. It looks at what is in them, for which it needs a place of its own.
fn unpack_python(root: &Path, package: &str, sha256: &str, folder: &Path, place: &Path) -> Result<()> {
    let (version, _) = package.split_once("==").with_context(|| format!("{package}: it is NAME==VERSION"))?;
    let environment = place.join("environment");
    run_command(
        Command::new("python3").args(["-m", "venv"]).arg(&environment).stdin(Stdio::null()),
        "a place for pip",
    )?;
    let fetched = place.join("fetched");
    let mut pip = Command::new(environment.join("bin/pip"));
    pip.args(["-q", "download", "--no-deps", "--no-binary", version, "-d"]).arg(&fetched).arg(package);
    let sources = format!("the sources of {package}");
    run_command(fetch::command(root, "Python's index", &sources, &pip).stdin(Stdio::null()), &sources)?;
    let packed = fs::read_dir(&fetched)?.next().with_context(|| format!("{package} has no sources"))??.path();
    let sum = Command::new("sha256sum").arg(&packed).output().context("sha256sum")?;
    if !String::from_utf8_lossy(&sum.stdout).starts_with(sha256) {
        bail!("{package} has another checksum: {}", String::from_utf8_lossy(&sum.stdout));
    }
    take_apart(&packed, package, folder, place)
}
fn take_apart(packed: &Path, archive: &str, folder: &Path, place: &Path) -> Result<()> {
    let status = Command::new("tar").arg("-xf").arg(packed).arg("-C").arg(place).status().context("tar")?;
    if !status.success() || !place.join(folder).exists() {
        bail!("{archive} has no folder {}", folder.display());
    }
    Ok(fs::remove_file(packed)?)
}
/// Executes a command in the folder of a port's sources, on this machine. `$PEBBLE` is `./pebble`, whose `cc` is what it configures by.
fn prepare(root: &Path, name: &str, line: &str, folder: &Path) -> Result<()> {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).stdin(Stdio::null());
    command.env("PEBBLE", root.canonicalize()?.join("pebble"));
    build::within(&mut command);
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
    let (port, folder) = open(root, name, Which::WithoutByHand)?;
    Ok(port.program.from(&folder))
}
/// Builds a port's program; where it is.
pub fn program(root: &Path, name: &str) -> Result<PathBuf> {
    let (port, folder) = open(root, name, Which::WithoutByHand)?;
    if port.program.sources.is_empty() {
        bail!("ports/{name} has no program of its own: it is for components that have a line `port = \"{name}\"`");
    }
    let built = compile(root, &format!("port/{name}"), port.program, &folder)?;
    let program = root.join("build/ports").join(name);
    fs::copy(&built, &program).with_context(|| program.display().to_string())?;
    Ok(program)
}
/// Builds a port's tests.
pub fn cases(root: &Path, name: &str, which: Which) -> Result<Vec<Case>> {
    let (port, folder) = open(root, name, which)?;
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
            if !test.inputs.is_empty() {
                cases.extend(with_inputs(test, &program, &folder)?);
                continue;
            }
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
/// A test for each file of input that has an answer.
fn with_inputs(test: &Test, program: &Path, folder: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for file in (Recipe { sources: test.inputs.clone(), ..Recipe::default() }).from(folder).files()? {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if test.except.contains(&stem) {
            continue;
        }
        let read = |file: &Path| fs::read_to_string(file).with_context(|| file.display().to_string());
        let (input, output) = (read(&file)?, read(&file.with_file_name(format!("{stem}{}", test.answers)))?);
        let files = files(test, folder, folder)?;
        cases.push(Case { input, output, whole: true, ..case(test, stem, program.to_path_buf(), files) });
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
        whole: false,
        timeout: test.timeout,
        memory: test.memory,
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
    command.args(["exec", "--timeout", &case.timeout.to_string(), "--memory", &case.memory.to_string()]);
    command.env("PEBBLE_ROOT", root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    case.files.iter().for_each(|file| {
        command.args(["--file", file]);
    });
    child::end_with_us(command.arg(&case.program).args(&case.arguments));
    let mut child = command.spawn()?;
    let (mut to, input) = (child.stdin.take().context("no input")?, case.input.clone());
    // It ends when all is written, or when nobody takes it any more.
    let feeder = std::thread::spawn(move || drop(to.write_all(input.as_bytes())));
    let output = child.wait_with_output()?;
    let _ = feeder.join();
    let said = String::from_utf8_lossy(&output.stdout);
    let right = if case.whole { said == case.output } else { said.ends_with(&case.output) };
    if !output.status.success() || !right {
        let tail: Vec<&str> = said.lines().rev().take(10).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        bail!("{}; output:\n{}\n{}", output.status, tail.join("\n"), String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
