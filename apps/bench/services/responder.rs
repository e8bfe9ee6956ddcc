//! The servers of `./pebble bench services`: datagrams and streams are sent back (ports 7 and 8), a stream is read to its end (9), and as
//! many KiB are sent as a word asks for (10). Each is a thread, which waits for its client.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use pebble::internet::{TcpListener, TcpStream, UdpSocket};
use pebble::{Error, Result, println};

/// The mark that says that a datagram has come.
const ARRIVED: usize = 30;

#[repr(align(4096))]
struct Buffer([u8; 4096]);

fn buffer() -> Box<Buffer> {
    Box::new(Buffer([0; 4096]))
}
/// Until the card is there.
fn begun<T>(attempt: impl Fn() -> Result<T>) -> Result<T> {
    loop {
        match attempt() {
            Err(Error::EAGAIN) => pebble::time::sleep(1_000_000),
            result => return result,
        }
    }
}
fn write_all(stream: &TcpStream, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        let count = stream.write(bytes)?;
        bytes = &bytes[count..];
    }
    Ok(())
}
fn read_exact(stream: &TcpStream, bytes: &mut [u8]) -> Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match stream.read(&mut bytes[done..])? {
            0 => return Err(Error::EPIPE),
            count => done += count,
        }
    }
    Ok(())
}
fn echo_datagrams() -> Result<()> {
    let socket = begun(|| UdpSocket::bind(7))?;
    let mut buffer = buffer();
    loop {
        let (count, from) = socket.receive_from(&mut buffer.0)?;
        pebble::arch::component::mark::<ARRIVED>();
        socket.send_to(&buffer.0[..count], from)?;
    }
}
fn echo(stream: &TcpStream) -> Result<()> {
    let mut buffer = buffer();
    loop {
        match stream.read(&mut buffer.0)? {
            0 => return Ok(()),
            count => write_all(stream, &buffer.0[..count])?,
        }
    }
}
fn sink(stream: &TcpStream) -> Result<()> {
    let mut buffer = buffer();
    while stream.read(&mut buffer.0)? > 0 {}
    write_all(stream, b"x")
}
fn source(stream: &TcpStream) -> Result<()> {
    let buffer = buffer();
    loop {
        let mut kib = [0; 8];
        read_exact(stream, &mut kib)?;
        for _ in 0..u64::from_le_bytes(kib) / 4 {
            write_all(stream, &buffer.0)?;
        }
    }
}
/// Serves one client after the other.
fn serve(port: u16, client: fn(&TcpStream) -> Result<()>) -> Result<()> {
    let listener = begun(|| TcpListener::bind(port, 16))?;
    loop {
        // How one client ends is its affair.
        let _ = client(&listener.accept()?.0);
    }
}
fn main(_: &pebble::Env) -> i32 {
    let threads = [
        pebble::thread::spawn(None, || {
            let _ = echo_datagrams();
        }),
        pebble::thread::spawn(None, || {
            let _ = serve(8, echo);
        }),
        pebble::thread::spawn(None, || {
            let _ = serve(9, sink);
        }),
        pebble::thread::spawn(None, || {
            let _ = serve(10, source);
        }),
    ];
    // An address comes a moment later; clients try until then.
    println!("ready");
    for thread in threads {
        let _ = thread.map(|thread| thread.join());
    }
    println!("a server has ended");
    1
}
pebble::program!(main);
