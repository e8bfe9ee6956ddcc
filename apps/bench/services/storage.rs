//! The operations on files of `./pebble bench services`, each between two marks, which the counter on the host sees.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use pebble::file::{self, File, SeekFrom};
use pebble::{Error, Result, println};

/// How often each is done.
const TIMES: usize = 200;
const PAGE: usize = 4096;
/// Pages of the file, and of the one that no cache keeps.
const PAGES: usize = 512;
const MANY: usize = 8192;

#[repr(align(4096))]
struct Page([u8; PAGE]);

macro_rules! each {
    ($number:literal, $n:ident, $operation:expr) => {
        for $n in 0..TIMES {
            pebble::arch::component::mark::<$number>();
            let result: Result<()> = $operation;
            pebble::arch::component::mark::<$number>();
            result?;
        }
    };
}
/// Another page each time, in no order.
fn place(n: usize, pages: usize) -> SeekFrom {
    SeekFrom::Start(((n * 37) % pages * PAGE) as u64)
}
fn whole(count: usize) -> Result<()> {
    if count == PAGE { Ok(()) } else { Err(Error::EIO) }
}
fn filled(path: &str, pages: usize, page: &Page) -> Result<File> {
    let file = File::options().read(true).write(true).create(true).open(path)?;
    for _ in 0..pages {
        whole(file.write(&page.0)?)?;
    }
    Ok(file)
}
fn created(path: &str) -> Result<()> {
    drop(File::options().write(true).create_new(true).open(path)?);
    file::remove(path)
}
fn run() -> Result<()> {
    let mut page = Box::new(Page([7; PAGE]));
    let file = filled("disk/data", PAGES, &page)?;
    file::sync()?;
    each!(10, n, file.seek(place(n, PAGES)).and_then(|_| whole(file.read(&mut page.0)?)));
    each!(11, n, file.seek(place(n, PAGES)).and_then(|_| whole(file.write(&page.0)?)));
    file::sync()?;
    each!(12, n, { file.seek(place(n, PAGES)).and_then(|_| whole(file.write(&page.0)?)).and_then(|()| file::sync()) });
    file.seek(SeekFrom::End(0))?;
    each!(14, n, {
        let _ = n;
        whole(file.write(&page.0)?).and_then(|()| file::sync())
    });
    each!(15, n, {
        let _ = n;
        created("disk/new")
    });
    drop(file);
    let large = filled("disk/large", MANY, &page)?;
    file::sync()?;
    // More than any cache here keeps, each page once.
    each!(17, n, large.seek(place(n, MANY)).and_then(|_| whole(large.read(&mut page.0)?)));
    let file = filled("data", PAGES, &page)?;
    each!(20, n, file.seek(place(n, PAGES)).and_then(|_| whole(file.read(&mut page.0)?)));
    each!(21, n, file.seek(place(n, PAGES)).and_then(|_| whole(file.write(&page.0)?)));
    each!(22, n, {
        let _ = n;
        created("new")
    });
    Ok(())
}
fn main(_: &pebble::Env) -> i32 {
    println!("ready");
    match run() {
        Ok(()) => 0,
        Err(error) => {
            println!("{}", error.name());
            1
        }
    }
}
pebble::program!(main);
