// expect stdout in d: a.txt (5 bytes), inner (directory), z.txt (0 bytes)
// expect stdout renamed: 5 bytes
// expect stdout the same file by name and by descriptor
// expect stdout a pipe with 3 bytes
// expect stdout left: nothing
#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::file::{self, File, Kind};
use pebble::{Result, directory, println};

fn names(path: &str) -> Result<String> {
    let names: Result<Vec<String>> = directory::read(path)?
        .map(|entry| {
            let entry = entry?;
            Ok(match entry.metadata.kind {
                Kind::Directory => format!("{} (directory)", entry.name()),
                _ => format!("{} ({} bytes)", entry.name(), entry.metadata.bytes),
            })
        })
        .collect();
    Ok(names?.join(", "))
}
/// Names go while the directory is read.
fn remove_tree(path: &str) -> Result<()> {
    for entry in directory::read(path)? {
        let entry = entry?;
        let inside = format!("{path}/{}", entry.name());
        if entry.metadata.kind == Kind::Directory { remove_tree(&inside)? } else { file::remove(&inside)? }
    }
    directory::remove(path)
}
fn run() -> Result<()> {
    directory::create("d")?;
    directory::create("d/inner")?;
    File::create("d/z.txt")?;
    let file = File::create("d/a.txt")?;
    file.write(b"12345")?;
    println!("in d: {}", names("d")?);
    file::rename("d/a.txt", "d/inner/b.txt")?;
    let status = file::metadata("d/inner/b.txt")?;
    println!("renamed: {} bytes", status.bytes);
    if file.metadata()? == status {
        println!("the same file by name and by descriptor");
    }
    let (from, to) = file::pipe()?;
    to.write(b"abc")?;
    if from.metadata()?.kind == Kind::Pipe {
        println!("a pipe with {} bytes", from.metadata()?.bytes);
    }
    remove_tree("d")?;
    println!("left: {}", if names("/")?.is_empty() { "nothing" } else { "something" });
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    match run() {
        Ok(()) => 0,
        Err(error) => {
            println!("{}", error.text());
            1
        }
    }
}
pebble::program!(main);
