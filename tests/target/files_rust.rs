// expect stdout read back: hello world
// expect stdout from 6: world
// expect stdout a line of 3
// expect stdout appended: hello world!
// expect stdout one position: 5
// expect stdout through the pipe: ping, then 0 at its end
#![no_std]
#![no_main]

extern crate alloc;

use alloc::string::String;
use pebble::embedded_io::Error as _;
use pebble::file::{self, File, Read, Seek, SeekFrom, Write};
use pebble::{Result, println};

/// Code that knows nothing of files.
fn text_of<T: Read>(from: &mut T) -> core::result::Result<String, pebble::embedded_io::ErrorKind> {
    let (mut text, mut piece) = (String::new(), [0; 5]);
    loop {
        match from.read(&mut piece).map_err(|error| error.kind())? {
            0 => return Ok(text),
            count => text.push_str(core::str::from_utf8(&piece[..count]).unwrap()),
        }
    }
}
fn run() -> Result<()> {
    let mut file = File::options().read(true).write(true).create(true).open("a")?;
    file.write_all(b"hello ").map_err(|_| pebble::Error::EIO)?;
    write!(file, "{:.5}", "worlds").map_err(|_| pebble::Error::EIO)?;
    file.rewind()?;
    println!("read back: {}", text_of(&mut file).unwrap());
    file.seek(SeekFrom::Start(6))?;
    println!("from 6: {}", text_of(&mut file).unwrap());
    let mut out = file::stdout();
    writeln!(out, "a line of {}", 3).map_err(|_| pebble::Error::EIO)?;
    File::options().append(true).open("a")?.write(b"!")?;
    println!("appended: {}", text_of(&mut File::open("a")?).unwrap());
    let copy = file.try_clone()?;
    file.seek(SeekFrom::Start(3))?;
    copy.seek(SeekFrom::Current(2))?;
    println!("one position: {}", file.position()?);
    let (mut from, to) = file::pipe()?;
    to.write(b"ping")?;
    drop(to);
    println!("through the pipe: {}, then {} at its end", text_of(&mut from).unwrap(), from.read(&mut [0])?);
    file::remove("a")
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
