//! A web service: counts its visitors, and keeps the count on the disk.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;
use alloc::string::String;
use pebble::file::{self, File};
use pebble::internet::{TcpListener, TcpStream};
use pebble::{Error, Result, println};

const COUNT: &str = "disk/visits";
const NEW: &str = "disk/visits.new";

fn visits() -> u64 {
    let mut text = [0; 32];
    let read = File::open(COUNT).and_then(|file| file.read(&mut text)).unwrap_or(0);
    core::str::from_utf8(&text[..read]).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
/// A power cut leaves the old count or the new one: a name changes hands at once.
fn keep(count: u64) -> Result<()> {
    File::create(NEW)?.write(format!("{count}\n").as_bytes())?;
    file::sync()?;
    file::rename(NEW, COUNT)?;
    // The new name, too.
    file::sync()
}
/// The head of a request, which ends with an empty line.
fn asked(client: &TcpStream) -> Result<String> {
    let mut head = String::new();
    let mut piece = [0; 512];
    while !head.contains("\r\n\r\n") {
        match client.read(&mut piece)? {
            0 => return Err(Error::EPIPE),
            _ if head.len() > 2048 => return Err(Error::EMSGSIZE),
            count => head.push_str(&String::from_utf8_lossy(&piece[..count])),
        }
    }
    Ok(head)
}
fn serve(client: &TcpStream, count: &mut u64) {
    if !asked(client).is_ok_and(|head| head.starts_with("GET / ")) {
        return;
    }
    *count += 1;
    if let Err(error) = keep(*count) {
        println!("{COUNT}: {}", error.text());
    }
    let page = format!("visit {count}\n");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close";
    // A client that has gone is none to tell.
    let _ = client.write(format!("{head}\r\nContent-Length: {}\r\n\r\n{page}", page.len()).as_bytes());
}
/// Serves until TCP/IP ends, or as long as it has no card.
fn listen(count: &mut u64) -> Result<()> {
    let listener = TcpListener::bind(8080, 16)?;
    loop {
        serve(&listener.accept()?.0, count);
    }
}
fn main(_: &pebble::Env) -> i32 {
    let mut count = visits();
    println!("serving, {count} visits so far");
    loop {
        if listen(&mut count) == Err(Error::EACCESS) {
            println!("port 8080: {}", Error::EACCESS.text());
            return 1;
        }
        pebble::time::sleep(100_000_000);
    }
}
pebble::program!(main);
