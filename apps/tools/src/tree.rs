//! Tools on directories and names.

use crate::{Outcome, about};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::directory;
use pebble::file::{self, File, Kind, Metadata};
use pebble::interfaces::{disk, memory};
use pebble::{Error, println};
use tools_logic::options::Options;

fn options<'a>(words: &[&'a str], plain: &str) -> Result<Options<'a>, String> {
    Options::read(words.iter().copied(), plain, "")
}
/// The last name of a path.
fn last(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}
fn inside(directory: &str, name: &str) -> String {
    let directory = directory.trim_end_matches('/');
    if directory.is_empty() { name.into() } else { format!("{directory}/{name}") }
}
fn is_directory(path: &str) -> bool {
    file::metadata(path).is_ok_and(|metadata| metadata.kind == Kind::Directory)
}
/// Where a file goes that is given as a new place: into it, if that is a directory.
fn target(from: &str, to: &str) -> String {
    if is_directory(to) { inside(to, last(from)) } else { to.into() }
}

pub fn list(words: &[&str]) -> Outcome {
    let options = options(words, "l1")?;
    let operands = if options.operands.is_empty() { Vec::from(["/"]) } else { options.operands.clone() };
    let show = |name: &str, metadata: &Metadata| {
        let mark = if metadata.kind == Kind::Directory { "/" } else { "" };
        if options.has('l') { println!("{:10} {name}{mark}", metadata.bytes) } else { println!("{name}{mark}") }
    };
    for path in &operands {
        let metadata = file::metadata(path).map_err(about(path))?;
        if metadata.kind != Kind::Directory {
            show(path, &metadata);
            continue;
        }
        if operands.len() > 1 {
            println!("{path}:");
        }
        for entry in directory::read(path).map_err(about(path))? {
            let entry = entry.map_err(about(path))?;
            show(entry.name(), &entry.metadata);
        }
    }
    Ok(0)
}
fn copy_file(from: &str, to: &str) -> Result<(), String> {
    let source = File::open(from).map_err(about(from))?;
    if let (Ok(a), Ok(b)) = (file::metadata(from), file::metadata(to))
        && (a.node, from.starts_with("disk/")) == (b.node, to.starts_with("disk/"))
    {
        return Err(format!("{from} and {to} are the same"));
    }
    let (target, mut buffer) = (File::create(to).map_err(about(to))?, alloc::vec![0; 16384]);
    loop {
        let count = source.read(&mut buffer).map_err(about(from))?;
        if count == 0 {
            return Ok(());
        }
        if target.write(&buffer[..count]).map_err(about(to))? < count {
            return Err(about(to)(Error::ENOMEM));
        }
    }
}
fn copy_all(from: &str, to: &str) -> Result<(), String> {
    if !is_directory(from) {
        return copy_file(from, to);
    }
    if to.trim_start_matches('/').starts_with(&inside(from.trim_start_matches('/'), "")) {
        return Err(format!("{to} is in {from}"));
    }
    match directory::create(to) {
        Err(Error::EEXIST) if is_directory(to) => {}
        result => result.map_err(about(to))?,
    }
    for entry in directory::read(from).map_err(about(from))? {
        let entry = entry.map_err(about(from))?;
        copy_all(&inside(from, entry.name()), &inside(to, entry.name()))?;
    }
    Ok(())
}
pub fn copy(words: &[&str]) -> Outcome {
    let options = options(words, "r")?;
    let Some((to, sources)) = options.operands.split_last().filter(|(_, sources)| !sources.is_empty()) else {
        return Err("usage: cp [-r] FROM… TO".into());
    };
    if sources.len() > 1 && !is_directory(to) {
        return Err(format!("{to} is no directory"));
    }
    for from in sources {
        if is_directory(from) && !options.has('r') {
            return Err(format!("{from} is a directory; -r copies it"));
        }
        copy_all(from, &target(from, to))?;
    }
    Ok(0)
}
/// Between a disk and memory it is a copy and a removal.
pub fn rename(words: &[&str]) -> Outcome {
    let options = options(words, "")?;
    let [from, to] = options.operands[..] else { return Err("usage: mv FROM TO".into()) };
    let to = target(from, to);
    match file::rename(from, &to) {
        Err(Error::EINVAL) if from.starts_with("disk/") != to.starts_with("disk/") => {
            copy_all(from, &to)?;
            remove_all(from)?;
        }
        result => result.map_err(about(from))?,
    }
    Ok(0)
}
fn remove_all(path: &str) -> Result<(), String> {
    if !is_directory(path) {
        return file::remove(path).map_err(about(path));
    }
    let entries: Vec<_> = directory::read(path).map_err(about(path))?.flatten().collect();
    entries.iter().try_for_each(|entry| remove_all(&inside(path, entry.name())))?;
    directory::remove(path).map_err(about(path))
}
pub fn remove(words: &[&str]) -> Outcome {
    let options = options(words, "rf")?;
    if options.operands.is_empty() && !options.has('f') {
        return Err("usage: rm [-rf] PATH…".into());
    }
    for path in &options.operands {
        if options.has('f') && file::metadata(path).is_err() {
            continue;
        }
        if options.has('r') {
            remove_all(path)?;
        } else {
            file::remove(path).map_err(about(path))?;
        }
    }
    Ok(0)
}
pub fn make(words: &[&str]) -> Outcome {
    let options = options(words, "p")?;
    for path in &options.operands {
        if !options.has('p') {
            directory::create(path).map_err(about(path))?;
            continue;
        }
        let mut part = String::new();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            part = inside(&part, name);
            match directory::create(&part) {
                Err(Error::EEXIST) if is_directory(&part) => {}
                result => result.map_err(about(&part))?,
            }
        }
    }
    Ok(0)
}
pub fn touch(words: &[&str]) -> Outcome {
    for path in options(words, "")?.operands {
        File::options().write(true).create(true).open(path).map_err(about(path))?;
    }
    Ok(0)
}
/// What is in use and free: of memory, in which files are, and of a disk.
pub fn space(words: &[&str]) -> Outcome {
    options(words, "")?;
    println!("where           KiB      free");
    if let [Ok(all), Ok(free)] = [0, 1].map(|what| memory::optional::info(what, 0)) {
        println!("memory   {:10}{:10}", all * 4, free * 4);
    }
    if let [Ok(all), Ok(free)] = [0, 1].map(disk::optional::space) {
        println!("disk     {all:10}{free:10}");
    }
    Ok(0)
}
