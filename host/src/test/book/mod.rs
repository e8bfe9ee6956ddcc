//! The code blocks of the book and of the README: programs are run, dialogues held, commands and manifests read, and what comes of it is
//! compared with what the page says. "The book" in `docs/src/building.md` tells how a block says what it is.

mod blocks;
mod walk;

use super::dialogue::Dialogue;
use super::{Job, Wanted};
use crate::connection::Connection;
use crate::exec::{self, Options};
use crate::qemu::{self, Console};
use crate::{build, port, system};
use anyhow::{Context, Result, bail};
use blocks::{Block, Kind, Language, Toml, blocks, differs};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// The system that dialogues are held with.
const SYSTEM: &str = "default";
const PROMPT: &str = "pebble> ";
/// A file that is there for each program, and what is in it.
const FILE: (&str, &str) = ("data/in.txt", "a line of the host's\n");
/// How long a program may run.
const LIMIT: Duration = Duration::from_secs(120);

/// The wanted blocks: `book::PAGE_LINE` each.
pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    let mut pages = build::files(&root.join("docs/src"), &["md"])?;
    pages.push(root.join("README.md"));
    let mut jobs = Vec::new();
    for page in pages {
        let stem = page.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        let text = fs::read_to_string(&page)?;
        let found = match blocks(&text) {
            Ok(found) => found,
            Err(error) => {
                jobs.extend(wanted(&format!("book::{stem}")).then(|| Job::of(format!("book::{stem}"), || Err(error))));
                continue;
            }
        };
        let name = format!("book::{stem}");
        if walk::is_one(&found) && wanted(&name) {
            let steps = found.clone();
            jobs.push(Job::of(name, move || walk::walk(root, &steps)).reading(page.clone()));
        }
        for (n, block) in found.iter().enumerate() {
            let name = format!("book::{stem}_{}", block.line);
            if wanted(&name) {
                let next = found.get(n + 1).filter(|next| next.kind == Kind::Output);
                let (block, output) = (block.clone(), next.map(|next| next.text.clone()));
                jobs.extend(job(root, name, block, output).map(|job| job.reading(page.clone())));
            }
        }
    }
    Ok(jobs)
}
/// What is to be done for a block, if there is something.
fn job<'a>(root: &'a Path, name: String, block: Block, output: Option<String>) -> Option<Job<'a>> {
    let title = name.clone();
    let file = name.replace("::", "-");
    Some(match block.kind {
        Kind::Program(language) => {
            Job::of(title, move || program(root, &source(root, &file, language, &block)?, output))
        }
        Kind::Compiled(language) => {
            Job::of(title, move || compiled(root, &source(root, &file, language, &block)?, language))
        }
        Kind::Commands => Job::of(title, move || commands(&block.text)),
        Kind::Dialogue(None) => Job::of(title, move || dialogue(root, SYSTEM, &block.text)),
        Kind::Manifest(what) => Job::of(title, move || manifest(what, &block.text)),
        // Steps of a page, which one test takes in their order.
        Kind::Run | Kind::File(_) | Kind::Dialogue(Some(_)) => return None,
        Kind::Output | Kind::Text => return None,
    })
}
/// The file of a block, which is written where it has changed.
fn source(root: &Path, name: &str, language: Language, block: &Block) -> Result<PathBuf> {
    let (ending, head) = match language {
        Language::C if block.text.contains("#include") => ("c", String::new()),
        Language::C => ("c", declarations(&block.text)),
        Language::Rust => ("rs", String::new()),
    };
    let folder = root.join("build/book");
    fs::create_dir_all(&folder)?;
    let path = folder.join(name).with_extension(ending);
    let text = format!("{head}{}", block.text);
    if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
        fs::write(&path, text)?;
    }
    Ok(path)
}
/// What declarations stand behind to be compared with the header's: it, without its macros of their names.
fn declarations(text: &str) -> String {
    let word = |part: &str| part.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_string();
    let names = text.match_indices('(').map(|(at, _)| word(&text[..at])).filter(|name| !name.is_empty());
    names.fold("#include <pebble.h>\n".into(), |head, name| head + "#undef " + &name + "\n")
}
fn options(path: &Path) -> Options {
    Options { system: "exec".into(), memory: 128, file_name: path.into(), ..Options::default() }
}
fn program(root: &Path, path: &Path, output: Option<String>) -> Result<()> {
    let Some(output) = output else { bail!("no \"text output\" behind it says what it prints") };
    let options = options(path);
    let files = vec![(FILE.0.to_string(), FILE.1.as_bytes().to_vec())];
    let image = exec::build_program(root, &options, Connection::Serial)?.with_files(files).image(&[])?;
    let mut machine = exec::machine(&options)?;
    machine.timeout = Some(LIMIT);
    let outcome = qemu::run(&image, &machine, Console::Captured(None))?;
    let said = String::from_utf8_lossy(&outcome.heard.output);
    let status = exec::status(&outcome, true);
    if let Some(line) = differs(&output, &said) {
        bail!("the page has \"{line}\", and the program printed:\n{said}");
    }
    if status != 0 { bail!("status {status}:\n{said}") } else { Ok(()) }
}
/// A program is built as any other; what has no `main` is only read by the compiler, beside the SDK's own declarations.
fn compiled(root: &Path, path: &Path, language: Language) -> Result<()> {
    let text = fs::read_to_string(path)?;
    if language == Language::Rust || text.contains(" main(") {
        return exec::build_program(root, &options(path), Connection::Serial).map(|_| ());
    }
    let mut command = build::compiler(root)?;
    command.args(["-fsyntax-only", "-Werror", "-Wno-unused"]).arg(path).stdin(Stdio::null());
    let done = command.output()?;
    if !done.status.success() {
        bail!("{}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}
/// Each command of `./pebble` must be one.
fn commands(text: &str) -> Result<()> {
    for line in text.replace("\\\n", " ").lines() {
        let line = line.split(" #").next().unwrap_or("").trim();
        let Some(command) = line.strip_prefix("./pebble") else { continue };
        let words = command.split_whitespace().take_while(|word| *word != "&&" && *word != "|");
        if let Err(error) = crate::understands(words) {
            bail!("{line}: {error}");
        }
    }
    Ok(())
}
fn manifest(what: Toml, text: &str) -> Result<()> {
    match what {
        Toml::Components => system::understands(&format!("name = \"book\"\n{text}")),
        Toml::Keys => system::understands(&format!("name = \"book\"\n[[component]]\nname = \"one\"\n{text}")),
        Toml::System => system::understands(&format!("name = \"book\"\n{text}")),
        Toml::Port => port::understands(text),
    }
}

/// What the shell says, without its prompt.
fn answer(said: &str) -> String {
    said.lines()
        .map(|line| line.strip_prefix(PROMPT).unwrap_or(line))
        .filter(|line| *line != PROMPT.trim_end())
        .fold(String::new(), |text, line| text + line + "\n")
}
/// Types what is behind each prompt; between that and the next one stands what must come.
fn dialogue(root: &Path, system: &str, text: &str) -> Result<()> {
    let image = exec::make_image(root, &system::load(root, system)?, Vec::new())?;
    let mut dialogue = Dialogue::with_machine(&image)?;
    let (banner, rest) = text.split_once(PROMPT.trim_end()).context("nothing is typed in it")?;
    let mut hear = |typed: Option<&str>, expected: &str| {
        typed.map_or(Ok(()), |line| dialogue.enter(line))?;
        // The prompt, and all that was to come, in whatever order: what others say is not the shell's.
        let enough = |said: String| said.contains(PROMPT) && differs(expected, &answer(&said)).is_none();
        if !dialogue.listen(|heard| Ok(heard.answer().is_some_and(&enough)))? {
            let said = answer(&dialogue.heard.to_string());
            let line = differs(expected, &said).unwrap_or(PROMPT);
            bail!("the page has \"{line}\", and the system said:\n{said}");
        }
        Ok(())
    };
    hear(None, if banner.trim().is_empty() { "…" } else { banner })?;
    for part in rest.split(&format!("\n{}", PROMPT.trim_end())) {
        let (line, expected) = part.split_once('\n').unwrap_or((part, ""));
        if !line.trim().is_empty() {
            hear(Some(line.trim()), expected)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_none_is_refused() {
        assert!(commands("./pebble exec hello.c\n./pebble bench ipc   # a comment\n").is_ok());
        assert!(commands("./pebble exec --no-such-option hello.c\n").is_err());
        assert!(commands("./pebble bench --page a \\\n    --from b\n").is_ok());
    }
    /// The tests that the page of findings names: programs, dialogues, manifests, recipes and pages by their files, others by what lists them.
    #[test]
    fn the_tests_of_the_findings_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let page = fs::read_to_string(root.join("docs/src/findings.md")).unwrap();
        let mut listed = String::new();
        for file in build::files(&root.join("host/src/test"), &["rs"]).unwrap() {
            listed += &fs::read_to_string(file).unwrap();
        }
        for file in build::files(&root.join("host/src/test/services"), &["rs"]).unwrap() {
            listed += &fs::read_to_string(file).unwrap();
        }
        let there = |group: &str, name: &str| {
            let folder = match group {
                "ports" => return root.join("ports").join(name).join("port.toml").exists(),
                "book" => root.join("docs/src"),
                _ => root.join("tests").join(group),
            };
            ["c", "rs", "session", "toml", "md"].iter().any(|ending| folder.join(format!("{name}.{ending}")).exists())
                || listed.contains(&format!("\"{name}\""))
        };
        let named: Vec<(&str, &str)> = page.split('`').filter_map(|word| word.split_once("::")).collect();
        assert!(named.len() > 40);
        let missing: Vec<_> = named.into_iter().filter(|(group, name)| !there(group, name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
    #[test]
    fn declarations_are_compared_with_functions_and_not_with_macros() {
        let head = declarations("int cap_drop(int cap);\nint page(word (*handler)(word));\n");
        assert_eq!(head, "#include <pebble.h>\n#undef cap_drop\n#undef page\n");
    }
    #[test]
    fn an_answer_is_what_the_shell_says() {
        assert_eq!(answer("a\npebble> \npebble>").trim(), "a");
    }
    #[test]
    fn a_key_that_is_none_is_refused() {
        assert!(manifest(Toml::Keys, "priority = 20\n").is_ok());
        assert!(manifest(Toml::Keys, "pirority = 20\n").is_err());
        assert!(manifest(Toml::Components, "[[component]]\nname = \"a\"\n").is_ok());
    }
}
