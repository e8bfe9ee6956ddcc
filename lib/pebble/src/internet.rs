//! TCP and UDP over the internet component. What a component may listen on and connect to is what its manifest lets it open:
//! `internet.listen.tcp.80`, `internet.connect.udp.*`.

use crate::portal::in_page;
use crate::{Error, Result};
use abi::file::{Status, operation::STATUS, portal};
use abi::internet::{Address, Datagram, Found, family, kind, operation};
pub use abi::internet::{Interest, event};
use core::mem::MaybeUninit;
use core::net::{IpAddr, SocketAddr};
use interfaces::portals::own;
use interfaces::types::{Alleged, PortalNumber};
use interfaces::{descriptor, internet};

fn told(address: SocketAddr) -> Address {
    let mut to = Address { port: address.port(), ..Address::default() };
    match address.ip() {
        IpAddr::V4(ip) => {
            to.family = family::IPV4;
            to.bytes[..4].copy_from_slice(&ip.octets());
        }
        IpAddr::V6(ip) => {
            to.family = family::IPV6;
            to.bytes = ip.octets();
        }
    }
    to
}
fn heard(address: &Address) -> SocketAddr {
    let [a, b, c, d, ..] = address.bytes;
    let ip = if address.family == family::IPV6 { IpAddr::from(address.bytes) } else { IpAddr::from([a, b, c, d]) };
    SocketAddr::new(ip, address.port)
}

/// The four portals of a socket; closed when it is dropped.
#[derive(Debug)]
struct Socket(PortalNumber);
impl Socket {
    fn new(kind: usize) -> Result<Socket> {
        internet::anew::socket(kind).map(Socket)
    }
    fn control<T>(&self, what: usize, page: &mut T) -> Result<usize> {
        descriptor::control(self.0, what, Alleged::lend_to_write(page))
    }
    fn bind(&self, port: u16) -> Result<()> {
        self.control(operation::BIND, &mut Address { port, ..Address::default() }).map(|_| ())
    }
    fn connect(&self, to: SocketAddr) -> Result<()> {
        self.control(operation::CONNECT, &mut told(to)).map(|_| ())
    }
    fn set_nonblocking(&self, yes: bool) -> Result<()> {
        self.control(operation::NONBLOCKING, &mut (yes as u64)).map(|_| ())
    }
    fn address(&self, which: usize) -> Result<SocketAddr> {
        let mut address = Address::default();
        self.control(which, &mut address).map(|_| heard(&address))
    }
    fn node(&self) -> Result<u64> {
        let mut status = Status::NONE;
        self.control(STATUS, &mut status).map(|_| status.node)
    }
    fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        let here = in_page(buffer);
        descriptor::read(self.0, Alleged::lend_all_to_write(buffer), here)
    }
    fn write(&self, buffer: &[u8]) -> Result<usize> {
        descriptor::write(self.0, Alleged::lend_all(buffer), in_page(buffer))
    }
}
impl Drop for Socket {
    fn drop(&mut self) {
        for number in self.0.0..self.0.0 + portal::COUNT {
            let _ = own::close(PortalNumber(number));
        }
    }
}

/// Takes connections.
#[derive(Debug)]
pub struct TcpListener(Socket);
impl TcpListener {
    /// Listens on a port; `backlog` connections may wait. `EACCESS`: the manifest does not allow it; `EADDRINUSE`.
    pub fn bind(port: u16, backlog: usize) -> Result<TcpListener> {
        let socket = Socket::new(kind::TCP)?;
        socket.bind(port)?;
        socket.control(operation::LISTEN, &mut (backlog as u64))?;
        Ok(TcpListener(socket))
    }
    /// Waits for a connection, and where it is from. `EMFILE`: this component has too many sockets.
    pub fn accept(&self) -> Result<(TcpStream, SocketAddr)> {
        let mut from = Address::default();
        let first = self.0.control(operation::ACCEPT, &mut from)?;
        Ok((TcpStream(Socket(PortalNumber(first))), heard(&from)))
    }
    /// Whether [`TcpListener::accept`] answers `EAGAIN` instead of waiting.
    pub fn set_nonblocking(&self, yes: bool) -> Result<()> {
        self.0.set_nonblocking(yes)
    }
    /// What [`poll`] knows it by.
    pub fn node(&self) -> Result<u64> {
        self.0.node()
    }
}
/// A connection. What it is dropped with unsent is sent.
#[derive(Debug)]
pub struct TcpStream(Socket);
impl TcpStream {
    /// Connects. `ECONNREFUSED`: nobody answers; `EACCESS`: the manifest does not allow it.
    pub fn connect(to: SocketAddr) -> Result<TcpStream> {
        let socket = Socket::new(kind::TCP)?;
        socket.connect(to).map(|()| TcpStream(socket))
    }
    /// Reads what has come, at most what lies in the buffer's first page; 0 at the end. `EAGAIN`; `ECONNRESET`; `EDEAD`: the
    /// internet component has ended.
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize> {
        self.0.read(buffer)
    }
    /// Writes what lies in the buffer's first page, or some of it. `EAGAIN`; `EPIPE`: the other side is gone.
    pub fn write(&self, buffer: &[u8]) -> Result<usize> {
        self.0.write(buffer)
    }
    /// The other side sees the end.
    pub fn shutdown(&self) -> Result<()> {
        self.0.control(operation::SHUTDOWN, &mut 0u64).map(|_| ())
    }
    /// Whether calls answer `EAGAIN` instead of waiting.
    pub fn set_nonblocking(&self, yes: bool) -> Result<()> {
        self.0.set_nonblocking(yes)
    }
    pub fn local_address(&self) -> Result<SocketAddr> {
        self.0.address(operation::LOCAL)
    }
    pub fn peer_address(&self) -> Result<SocketAddr> {
        self.0.address(operation::REMOTE)
    }
    /// What [`poll`] knows it by.
    pub fn node(&self) -> Result<u64> {
        self.0.node()
    }
}
impl embedded_io::ErrorType for TcpStream {
    type Error = Error;
}
impl embedded_io::Read for TcpStream {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        TcpStream::read(self, buffer)
    }
}
impl embedded_io::Write for TcpStream {
    fn write(&mut self, buffer: &[u8]) -> Result<usize> {
        TcpStream::write(self, buffer)
    }
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
/// Sends and takes datagrams.
#[derive(Debug)]
pub struct UdpSocket(Socket);
impl UdpSocket {
    /// A socket of this port, 0: of any.
    pub fn bind(port: u16) -> Result<UdpSocket> {
        let socket = Socket::new(kind::UDP)?;
        socket.bind(port).map(|()| UdpSocket(socket))
    }
    /// Sends to, and hears from, this address only.
    pub fn connect(&self, to: SocketAddr) -> Result<()> {
        self.0.connect(to)
    }
    /// Waits for a datagram; how many bytes of it are in the buffer.
    pub fn receive(&self, buffer: &mut [u8]) -> Result<usize> {
        self.0.read(buffer)
    }
    /// Sends one. `ENOTCONN`: to nobody; `EMSGSIZE`.
    pub fn send(&self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes)
    }
    /// Waits for a datagram; how many bytes of it are in the buffer, and where it is from.
    pub fn receive_from(&self, buffer: &mut [u8]) -> Result<(usize, SocketAddr)> {
        let mut packet = Packet::new(Address::default(), buffer.len().min(PAYLOAD));
        let bytes = self.0.control(operation::RECEIVE, &mut packet)?.min(buffer.len()).min(PAYLOAD);
        // SAFETY: the internet component has written so many bytes there.
        unsafe { buffer.as_mut_ptr().copy_from(packet.bytes.as_ptr().cast(), bytes) };
        Ok((bytes, heard(&packet.head.address)))
    }
    /// Sends one to this address. `EMSGSIZE`: it is too long; `EACCESS`: the manifest does not allow it.
    pub fn send_to(&self, bytes: &[u8], to: SocketAddr) -> Result<usize> {
        if bytes.len() > PAYLOAD {
            return Err(Error::EMSGSIZE);
        }
        let mut packet = Packet::new(told(to), bytes.len());
        // SAFETY: there is room for so many.
        unsafe { packet.bytes.as_mut_ptr().cast::<u8>().copy_from(bytes.as_ptr(), bytes.len()) };
        self.0.control(operation::SEND, &mut packet)
    }
    /// Whether calls answer `EAGAIN` instead of waiting.
    pub fn set_nonblocking(&self, yes: bool) -> Result<()> {
        self.0.set_nonblocking(yes)
    }
    /// What [`poll`] knows it by.
    pub fn node(&self) -> Result<u64> {
        self.0.node()
    }
}
/// Bytes of a datagram behind its head, in half a page.
const PAYLOAD: usize = abi::address::PAGE / 2 - size_of::<Datagram>();
/// A datagram where one window shows all of it.
#[repr(C, align(2048))]
struct Packet {
    head: Datagram,
    bytes: [MaybeUninit<u8>; PAYLOAD],
}
impl Packet {
    fn new(address: Address, bytes: usize) -> Packet {
        let head = Datagram { address, bytes: bytes as u64, unused: [0; 3] };
        Packet { head, bytes: [MaybeUninit::uninit(); PAYLOAD] }
    }
}

/// An address of a machine's name, by the network's name servers: of IPv4, or of IPv6 where that is wanted. `ENOENT`: nobody has the name; `ETIMEDOUT`: no server
/// can say now; `EAGAIN`: none is known yet; `EINVAL`: that is no name.
pub fn resolve(name: &str, six: bool) -> Result<IpAddr> {
    let mut found = Found::default();
    let family = if six { family::IPV6 } else { family::IPV4 };
    let name = crate::file::path(name)?;
    internet::optional::anew::resolve(Alleged::lend(&name), family.into(), Alleged::lend_to_write(&mut found))?;
    Ok(heard(&found.addresses[0]).ip())
}

/// Most sockets of one [`poll`].
pub const POLLED: usize = abi::address::PAGE * abi::address::WINDOW_PAGES / size_of::<Interest>() / 2;
/// Waits until one of the sockets is ready for what is wanted of it (bits of [`event`]), or so many milliseconds; how many are. What
/// each is ready for is in `ready`. `EINVAL`: there are none, or more than [`POLLED`].
pub fn poll(sockets: &mut [Interest], milliseconds: usize) -> Result<usize> {
    if sockets.len() > POLLED {
        return Err(Error::EINVAL);
    }
    let bytes = size_of_val(sockets);
    internet::anew::poll(Alleged::lend_all_to_write(sockets), bytes, milliseconds)
}
