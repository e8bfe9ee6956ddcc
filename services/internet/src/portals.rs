//! The component's portals. Those of each socket are made when it is.

use crate::sockets;
use abi::Error;
use abi::identity::DomainId;
use abi::internet::{Address, Configuration, Datagram, Found, Interest, family, operation};
use abi::name::Name;
use abi::window::Window;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};
use internet_logic::limits::{INTERESTS, WAITERS};
use pebble::Result;
use pebble::fallible::collected;
use pebble::interfaces::descriptor::Server;
use pebble::interfaces::portals::own;
use pebble::interfaces::types::{Alleged, Identity};
use pebble::sync::Semaphore;

pebble::serve! { later static PORTALS: internet { socket, poll, resolve, status } }

/// Priority of the thread that ends sockets: clients that take new ones faster than it ends theirs would find none left.
const COLLECTOR_PRIORITY: u8 = 44;
/// The semaphore that says that a socket's portals have gone.
static GONE: AtomicUsize = AtomicUsize::new(0);

/// Stacks beside those for each thread that may wait.
const STACKS: usize = 4;
/// Registers the portals, with their stacks, and sees to it that sockets end with theirs.
pub fn register() -> Result<()> {
    sockets::prepare()?;
    let gone = Semaphore::new(0)?;
    GONE.store(gone.number(), Ordering::Relaxed);
    pebble::portal::register(&PORTALS, WAITERS + STACKS)?;
    pebble::thread::spawn(Some(COLLECTOR_PRIORITY), move || {
        while gone.wait().is_ok() {
            if let Ok(number) = own::gone() {
                sockets::end(number);
            }
        }
    })?;
    Ok(())
}
/// Gives the caller four portals to socket `number`; the first one's number.
fn grant(number: usize) -> Result<usize> {
    pebble::portal::grant(Server { read, write, seek, control }, *b"np", number, GONE.load(Ordering::Relaxed))
}
/// The same for a new socket, which ends if its portals can not be made.
fn grant_new(number: usize) -> Result<usize> {
    grant(number).inspect_err(|_| sockets::end(number))
}
fn word(result: Result<usize>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}

extern "C" fn socket(domain: Identity, kind: usize) -> isize {
    word(domain.meant().and_then(|domain| sockets::create(domain, kind)).and_then(grant_new))
}
extern "C" fn read(number: usize, to: Alleged<u8>, count: usize) -> isize {
    // SAFETY: it may be written; it is only written, and by this call alone.
    let to: &mut [u8] = match unsafe { to.window(count).map(|to| to.values_mut()) } {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    word(sockets::read(number, to))
}
extern "C" fn write(number: usize, from: Alleged<u8>, count: usize) -> isize {
    // SAFETY: what its owner changes meanwhile is sent or not.
    let from: &[u8] = match unsafe { from.window(count).map(|from| from.values()) } {
        Ok(from) => from,
        Err(error) => return error.code(),
    };
    word(sockets::write(number, from))
}
extern "C" fn seek(_number: usize, _offset: isize, _whence: usize) -> isize {
    Error::ESPIPE.code()
}
extern "C" fn control(number: usize, domain: Identity, what: usize, page: Alleged<()>) -> isize {
    word(domain.meant().and_then(|domain| controlled(number, domain, what, page)))
}
fn controlled(number: usize, domain: DomainId, what: usize, page: Alleged<()>) -> Result<usize> {
    use abi::file::operation::{DUPLICATE, STATUS};
    let told = || page.of::<Address>().read();
    let value = || page.of::<u64>().read();
    // SAFETY: the letter of a control portal's window lets it be written.
    let tell = |address: &Address| unsafe { page.of().write(address) };
    match what {
        DUPLICATE => grant(number),
        // SAFETY: as above.
        STATUS => unsafe { page.of().write(&sockets::status(number)?) }.map(|()| 0),
        operation::BIND => sockets::bind(number, domain, told()?.port).map(|()| 0),
        operation::CONNECT => sockets::connect(number, domain, &told()?).map(|()| 0),
        operation::LISTEN => sockets::listen(number, domain, value()? as usize).map(|()| 0),
        operation::ACCEPT => {
            let (new, address) = sockets::accept(number, domain)?;
            tell(&address).inspect_err(|_| sockets::end(new))?;
            grant_new(new)
        }
        operation::SHUTDOWN => sockets::shutdown(number).map(|()| 0),
        operation::LOCAL | operation::REMOTE => {
            sockets::address(number, what == operation::REMOTE).and_then(|address| tell(&address)).map(|()| 0)
        }
        operation::NONBLOCKING => {
            sockets::nonblocking(number, Some(value()?).filter(|how| *how < 2).map(|how| how == 1))
        }
        operation::ERROR => sockets::error(number),
        operation::SEND => {
            let (head, window) = datagram(page.of())?;
            // SAFETY: what its owner changes meanwhile is sent or not.
            let bytes = unsafe { window.values() };
            match head.address.family {
                family::NONE => sockets::send_on(number, bytes),
                _ => sockets::send(number, domain, &head.address, bytes),
            }
        }
        operation::RECEIVE => {
            let (_, window) = datagram(page.of())?;
            // SAFETY: it is only written, and by this call alone.
            let (bytes, address) = sockets::receive(number, unsafe { window.values_mut() })?;
            let head = Datagram { address, bytes: bytes as u64, unused: [0; 3] };
            // SAFETY: as above.
            unsafe { page.of().write(&head) }.map(|()| bytes)
        }
        _ => Err(Error::EINVAL),
    }
}
/// A datagram's head, and as many bytes behind it as it says.
fn datagram(page: Alleged<Datagram>) -> Result<(Datagram, Window<u8>)> {
    let head = page.read()?;
    let rest = page.address() + size_of::<Datagram>();
    if rest.is_multiple_of(abi::address::PAGE) {
        // The head ends with its page: there is no room for bytes.
        return Err(Error::EINVAL);
    }
    // SAFETY: it begins in the page that the window shows, which may be written.
    unsafe { Window::new(rest, head.bytes as usize) }.map(|window| (head, window))
}
extern "C" fn poll(domain: Identity, list: Alleged<Interest>, bytes: usize, milliseconds: usize) -> isize {
    let list = list.address();
    let count = bytes / size_of::<Interest>();
    if !list.is_multiple_of(align_of::<Interest>()) || count == 0 || count > INTERESTS {
        return Error::EINVAL.code();
    }
    let list = list as *mut Interest;
    // SAFETY: a window argument of so many bytes, aligned; each is copied once, and what it says is checked by who uses it.
    let wanted: Result<Vec<Interest>> = collected((0..count).map(|n| unsafe { list.add(n).read_volatile() }));
    let tell = |n: usize, ready| {
        // SAFETY: as above; `W` may be written.
        unsafe { (&raw mut (*list.add(n)).ready).write_volatile(ready) }
    };
    word(wanted.and_then(|wanted| sockets::poll(domain.meant()?, &wanted, milliseconds, tell)))
}
extern "C" fn resolve(domain: Identity, name: Alleged<Name>, family: usize, to: Alleged<Found>) -> isize {
    let found = name.name().and_then(|name| sockets::resolve(domain.meant()?, name.text(), family));
    // SAFETY: it may be written.
    word(found.and_then(|found| unsafe { to.write(&found) }.map(|()| 0)))
}
extern "C" fn status(to: Alleged<Configuration>) -> isize {
    // SAFETY: it may be written.
    word(unsafe { to.write(&sockets::configuration()) }.map(|()| 0))
}
