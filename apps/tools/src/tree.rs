//! Tools on directories and names.

use crate::{Outcome, about};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::directory;
use pebble::file::{self, File, Kind, Metadata};
use pebble::interfaces::{disk, memory};
use pebble::{Error, eprintln, println};
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
/// With a slash behind, a link's name is that of the directory it leads to, which is not moved or taken away by that name.
fn no_link_with_slash(path: &str) -> Result<(), String> {
    let plain = path.trim_end_matches('/');
    let is_link = || file::link_metadata(plain).is_ok_and(|metadata| metadata.kind == Kind::Link);
    if plain.len() < path.len() && is_link() { Err(about(path)(Error::ENOTDIR)) } else { Ok(()) }
}
/// Whether a directory is another, or what is on the way to a path, by whatever names.
fn is_inside(path: &str, directory: &str) -> bool {
    let of = |path: &str| file::metadata(path).ok().map(|metadata| (metadata.node, on_disk(path)));
    let Some(wanted) = of(directory) else { return false };
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.filter(|end| *end > 0).any(|end| of(&path[..end]) == Some(wanted))
}
fn on_disk(path: &str) -> bool {
    let plain = path.trim_start_matches('/');
    plain == "disk" || plain.starts_with("disk/")
}
/// Where a file goes that is given as a new place: into it, if that is a directory.
fn target(from: &str, to: &str) -> String {
    if is_directory(to) { inside(to, last(from)) } else { to.into() }
}

pub fn list(words: &[&str]) -> Outcome {
    let options = options(words, "l1")?;
    let operands = if options.operands.is_empty() { Vec::from(["/"]) } else { options.operands.clone() };
    let show = |name: &str, inside: &str, metadata: &Metadata| {
        // As `ls -F` marks them (POSIX).
        let mark = match metadata.kind {
            Kind::Directory => "/",
            Kind::Link => "@",
            Kind::Pipe => "|",
            Kind::Socket => "=",
            _ => "",
        };
        let is_link = options.has('l') && metadata.kind == Kind::Link;
        match is_link.then(|| file::read_link(inside)) {
            _ if !options.has('l') => println!("{name}{mark}"),
            Some(Ok(target)) => println!("{:10} {name} -> {target}", metadata.bytes),
            _ => println!("{:10} {name}{mark}", metadata.bytes),
        }
    };
    for path in &operands {
        // A link that leads nowhere is there, too.
        let itself = file::link_metadata(path).map_err(about(path))?;
        let metadata = match file::metadata(path) {
            Ok(metadata) if metadata.kind == Kind::Directory || !options.has('l') => metadata,
            _ => itself,
        };
        if metadata.kind != Kind::Directory {
            show(path, path, &metadata);
            continue;
        }
        if operands.len() > 1 {
            println!("{path}:");
        }
        let mut entries = directory::read(path).map_err(about(path))?;
        for entry in entries.by_ref() {
            let entry = entry.map_err(about(path))?;
            show(entry.name(), &inside(path, entry.name()), &entry.metadata);
        }
        match entries.left_out().map_err(about(path))? {
            0 => {}
            many => eprintln!("{path}: {many} more, whose names are too long or have blanks or other letters"),
        }
    }
    Ok(0)
}
fn copy_file(from: &str, to: &str) -> Result<(), String> {
    let source = File::open(from).map_err(about(from))?;
    if let (Ok(a), Ok(b)) = (file::metadata(from), file::metadata(to))
        && (a.node, on_disk(from)) == (b.node, on_disk(to))
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
/// What a path leads to; of what is in that, links as links. What can not be copied is said, and the rest is.
fn copy_all(from: &str, to: &str) -> Result<(), String> {
    if is_directory(from) && is_inside(to, from) {
        return Err(format!("{to} is in {from}"));
    }
    copy_what_is_apart(from, to)
}
fn copy_link(from: &str, to: &str) -> pebble::Result<()> {
    let target = file::read_link(from)?;
    if file::link_metadata(to).is_ok_and(|metadata| metadata.kind == Kind::Link) {
        file::remove(to)?;
    }
    file::make_link(&target, to)
}
fn copy_what_is_apart(from: &str, to: &str) -> Result<(), String> {
    if !is_directory(from) {
        return copy_file(from, to);
    }
    match directory::create(to) {
        Err(Error::EEXIST) if is_directory(to) => {}
        result => result.map_err(about(to))?,
    }
    let (mut entries, mut is_whole) = (directory::read(from).map_err(about(from))?, true);
    for entry in entries.by_ref() {
        let entry = entry.map_err(about(from))?;
        let (from, to) = (inside(from, entry.name()), inside(to, entry.name()));
        let copied = match entry.metadata.kind {
            Kind::Link => copy_link(&from, &to).map_err(about(&from)),
            _ => copy_what_is_apart(&from, &to),
        };
        if let Err(why) = copied {
            eprintln!("{why}");
            is_whole = false;
        }
    }
    is_whole &= entries.left_out().map_err(about(from))? == 0;
    if is_whole { Ok(()) } else { Err(format!("{from}: not all of it was copied")) }
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
    no_link_with_slash(from)?;
    let to = target(from, to);
    match file::rename(from, &to) {
        Err(Error::EINVAL) if on_disk(from) != on_disk(&to) => {
            copy_all(from, &to)?;
            remove_all(from)?;
        }
        result => result.map_err(about(from))?,
    }
    Ok(0)
}
fn remove_all(path: &str) -> Result<(), String> {
    // What a link leads to stays.
    if !file::link_metadata(path).is_ok_and(|metadata| metadata.kind == Kind::Directory) {
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
        if options.has('f') && file::link_metadata(path).is_err() {
            continue;
        }
        if options.has('r') {
            no_link_with_slash(path)?;
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
/// Symbolic links are the only ones that there are.
pub fn link(words: &[&str]) -> Outcome {
    let options = options(words, "s")?;
    let [target_of_link, name] = options.operands[..] else { return Err("usage: ln -s TARGET NAME".into()) };
    if !options.has('s') {
        return Err("links are symbolic: ln -s TARGET NAME".into());
    }
    let name = target(target_of_link, name);
    file::make_link(target_of_link, &name).map_err(about(&name))?;
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
