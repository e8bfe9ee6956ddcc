//! `./pebble editors`: what editors have to be told of a clone. For clangd how each file in C is compiled; for rust-analyzer how this workspace, of
//! which one half is for this machine and the other for the target, is looked through.

use crate::{build, lint};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Writes `compile_commands.json` of the C files in `folder`, or in all of the tree, beside them; for the tree, the settings of rust-analyzer, too.
pub fn run(root: &Path, folder: Option<&Path>) -> Result<ExitCode> {
    let root = root.canonicalize()?;
    let (place, files) = match folder {
        None => (root.clone(), own(&root)?),
        Some(folder) => {
            let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
            let mut files = Vec::new();
            below(&folder, &mut files)?;
            (folder, files)
        }
    };
    if files.is_empty() {
        bail!("{}: there are no files in C", place.display());
    }
    let list = place.join("compile_commands.json");
    write(&list, &commands(&root, &files)?)?;
    if folder.is_none() {
        let settings = place.join(".vscode/settings.json");
        if settings.exists() {
            println!("{} is there, and stays as it is; for rust-analyzer it needs:", settings.display());
            println!("{:#}", rust(&root));
        } else {
            write(&settings, &rust(&root))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
/// Looks through all that is in Rust, for rust-analyzer, with messages as it reads them.
pub fn check(root: &Path) -> Result<ExitCode> {
    let mut ok = true;
    for arguments in [lint::for_this_machine(), &lint::for_the_target()] {
        let mut cargo = build::cargo(root);
        cargo.args(["check", "--quiet", "--keep-going", "--message-format=json"]).args(arguments.split_whitespace());
        ok &= build::run_cargo(root, &mut cargo)?.status.success();
    }
    Ok(ExitCode::from(!ok as u8))
}
fn write(file: &Path, value: &Value) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, format!("{value:#}\n")).with_context(|| file.display().to_string())?;
    println!("{}", file.display());
    Ok(())
}
/// The files in C of the tree.
fn own(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in ["lib/c", "apps", "tests"] {
        below(&root.join(folder), &mut files)?;
    }
    Ok(files)
}
/// Adds the files in C of a folder and of those in it.
fn below(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match path.extension().and_then(|ending| ending.to_str()) {
            _ if hidden || path.is_symlink() => {}
            _ if path.is_dir() => below(&path, found)?,
            Some("c" | "h") => found.push(path),
            _ => {}
        }
    }
    found.sort();
    Ok(())
}
/// How those files are compiled, in clang's words: it knows the machine, and has to be told where the C library is.
fn commands(root: &Path, files: &[PathBuf]) -> Result<Value> {
    let mut compiler = build::compiler(root)?;
    let of_gcc = |word: &str| word.starts_with("-specs=") || word.starts_with("-Wno-");
    let mut words = vec!["clang".to_string(), "--target=riscv64-unknown-elf".into()];
    words.extend(compiler.get_args().map(|word| word.to_string_lossy().into_owned()).filter(|word| !of_gcc(word)));
    let output = compiler.args(["-E", "-v", "-x", "c", "/dev/null", "-o", "/dev/null"]).output()?;
    for folder in includes(&String::from_utf8_lossy(&output.stderr)) {
        words.extend(["-isystem".into(), folder]);
    }
    let entry = |file: &PathBuf| {
        let mut arguments = words.clone();
        // Headers of a folder of programs are beside or above these.
        for folder in file.ancestors().skip(1).take(2) {
            arguments.extend(["-I".into(), folder.display().to_string()]);
        }
        arguments.extend(["-c".into(), file.display().to_string()]);
        json!({ "directory": root, "file": file, "arguments": arguments })
    };
    Ok(files.iter().map(entry).collect())
}
/// The folders of the C library's headers, as the compiler says where it looks; its own are not for others.
fn includes(said: &str) -> Vec<String> {
    let behind = said.split_once("<...> search starts here:").map_or("", |(_, behind)| behind);
    let folders = behind.lines().skip(1).take_while(|line| line.starts_with(' ')).map(str::trim);
    folders
        .filter(|folder| !folder.contains("/gcc/") && !folder.ends_with("/lib/c/include"))
        .map(String::from)
        .collect()
}
/// Settings of rust-analyzer, as Visual Studio Code has them; others call them the same.
fn rust(root: &Path) -> Value {
    let mut variables = json!({ "RUSTC_BOOTSTRAP": "1" });
    for (name, own) in [("RUSTC", "PEBBLE_RUSTC"), ("CARGO", "PEBBLE_CARGO")] {
        if let Ok(path) = std::env::var(own) {
            variables[name] = path.into();
        }
    }
    json!({
        "rust-analyzer.server.extraEnv": variables,
        "rust-analyzer.cargo.extraEnv": variables,
        "rust-analyzer.cargo.buildScripts.enable": false,
        "rust-analyzer.check.overrideCommand": [root.join("pebble"), "editors", "--check"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().canonicalize().unwrap()
    }
    #[test]
    fn each_file_in_c_has_a_command_whose_folders_are_there() {
        let root = root();
        let all = commands(&root, &own(&root).unwrap()).unwrap();
        let all = all.as_array().unwrap();
        let hello = all.iter().find(|entry| entry["file"].as_str().unwrap().ends_with("examples/hello.c")).unwrap();
        let words: Vec<&str> =
            hello["arguments"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let folders: Vec<&&str> =
            words.windows(2).filter(|pair| ["-I", "-isystem"].contains(&pair[0])).map(|pair| &pair[1]).collect();
        assert!(folders.len() == 4 && folders.iter().all(|folder| Path::new(folder).is_dir()), "{folders:?}");
        assert!(folders.iter().any(|folder| Path::new(folder).join("stdio-bufio.h").exists()), "{folders:?}");
        assert!(
            all.len() > 100 && words.contains(&"-march=rv64gc") && !words.iter().any(|word| word.contains("specs"))
        );
    }
    #[test]
    fn the_compilers_own_folders_are_not_for_others() {
        let said = "x\n#include <...> search starts here:\n /a/lib/c/include\n /c/include\n /usr/lib/gcc/r/12/include\nEnd of search list.\n";
        assert_eq!(includes(said), ["/c/include"]);
        assert!(includes("").is_empty());
    }
}
