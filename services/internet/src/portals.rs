//! The component's portals. Those of each socket are made when it is.

use crate::sockets;
use abi::Error;
use abi::internet::{Address, Configuration, Datagram, Interest, family, operation};
use abi::name::Name;
use abi::section::padded;
use abi::system::{self, Registration};
use abi::window::Window;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};
use internet_logic::limits::WAITERS;
use pebble::fallible::collected;
use pebble::portal::call;
use pebble::sync::Semaphore;
use pebble::{Result, check};

pebble::provide! {
    "internet.poll", "npaWii", poll;
    "internet.resolve", "npariw", resolve;
    "internet.status", "npw", status;
}

/// Priority of the thread that ends sockets: clients that take new ones faster than it ends theirs would find none left.
const COLLECTOR_PRIORITY: u8 = 44;
/// The semaphore that says that a socket's portals have gone.
static GONE: AtomicUsize = AtomicUsize::new(0);

/// Registers `internet.socket`, with a stack for each thread that may wait, and sees to it that sockets end with their portals.
pub fn register() -> Result<()> {
    sockets::prepare()?;
    let gone = Semaphore::new(0)?;
    GONE.store(gone.number(), Ordering::Relaxed);
    let registration = Registration {
        name: padded("internet.socket"),
        spec: padded("npai"),
        entry: socket as *const () as u64,
        stacks: WAITERS as u64,
        constants: [0; 6],
        ..Registration::NONE
    };
    check(call(system::PORTAL_REGISTER, [&raw const registration as usize]))?;
    pebble::thread::spawn(Some(COLLECTOR_PRIORITY), move || {
        while gone.wait().is_ok() {
            if let Ok(number) = check(call(system::PORTAL_GONE, [])) {
                sockets::end(number);
            }
        }
    })?;
    Ok(())
}
/// Gives the caller four portals to socket `number`; the first one's number.
fn grant(number: usize) -> Result<usize> {
    let portals = [
        ("npcwi", read as *const ()),
        ("npcri", write as *const ()),
        ("npcii", seek as *const ()),
        ("npcaiw", control as *const ()),
    ];
    pebble::portal::grant(portals, number, GONE.load(Ordering::Relaxed))
}
/// The same for a new socket, which ends if its portals can not be made.
fn grant_new(number: usize) -> Result<usize> {
    grant(number).inspect_err(|_| sockets::end(number))
}
fn word(result: Result<usize>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}

extern "C" fn socket(asid: usize, kind: usize) -> isize {
    word(sockets::create(asid, kind).and_then(grant_new))
}
extern "C" fn read(number: usize, to: usize, count: usize) -> isize {
    // SAFETY: `to` is this portal's window argument, which may be written; it is only written, and by this call alone.
    let to: &mut [u8] = match unsafe { Window::new(to, count).map(|to| to.values_mut()) } {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    word(sockets::read(number, to))
}
extern "C" fn write(number: usize, from: usize, count: usize) -> isize {
    // SAFETY: `from` is this portal's window argument; what its owner changes meanwhile is sent or not.
    let from: &[u8] = match unsafe { Window::new(from, count).map(|from| from.values()) } {
        Ok(from) => from,
        Err(error) => return error.code(),
    };
    word(sockets::write(number, from))
}
extern "C" fn seek(_number: usize, _offset: usize, _whence: usize) -> isize {
    Error::ESPIPE.code()
}
extern "C" fn control(number: usize, asid: usize, what: usize, page: usize) -> isize {
    // SAFETY: `page` is this portal's window argument, which may be written.
    word(unsafe { control_window(number, asid, what, page) })
}
/// # Safety
/// `page` is a window argument of the call that is being served, which may be written.
unsafe fn control_window(number: usize, asid: usize, what: usize, page: usize) -> Result<usize> {
    use abi::file::operation::{DUPLICATE, STATUS};
    // SAFETY: as for this function.
    let told = || unsafe { abi::window::read::<Address>(page) };
    // SAFETY: as for this function.
    let value = || unsafe { abi::window::read::<u64>(page) };
    // SAFETY: as for this function.
    let tell = |address: &Address| unsafe { abi::window::write(page, address) };
    match what {
        DUPLICATE => grant(number),
        // SAFETY: as for this function.
        STATUS => unsafe { abi::window::write(page, &sockets::status(number)?) }.map(|()| 0),
        operation::BIND => sockets::bind(number, asid, told()?.port).map(|()| 0),
        operation::CONNECT => sockets::connect(number, asid, &told()?).map(|()| 0),
        operation::LISTEN => sockets::listen(number, asid, value()? as usize).map(|()| 0),
        operation::ACCEPT => {
            let (new, address) = sockets::accept(number, asid)?;
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
        operation::SEND => {
            // SAFETY: as for this function.
            let (head, window) = unsafe { datagram(page) }?;
            // SAFETY: what its owner changes meanwhile is sent or not.
            let bytes = unsafe { window.values() };
            match head.address.family {
                family::NONE => sockets::send_on(number, bytes),
                _ => sockets::send(number, asid, &head.address, bytes),
            }
        }
        operation::RECEIVE => {
            // SAFETY: as for this function.
            let (_, window) = unsafe { datagram(page) }?;
            // SAFETY: it is only written, and by this call alone.
            let (bytes, address) = sockets::receive(number, unsafe { window.values_mut() })?;
            let head = Datagram { address, bytes: bytes as u64, unused: [0; 3] };
            // SAFETY: as for this function.
            unsafe { abi::window::write(page, &head) }.map(|()| bytes)
        }
        _ => Err(Error::EINVAL),
    }
}
/// A datagram's head, and as many bytes behind it as it says.
///
/// # Safety
/// As for [`control_window`].
unsafe fn datagram(page: usize) -> Result<(Datagram, Window<u8>)> {
    // SAFETY: as for this function.
    let head: Datagram = unsafe { abi::window::read(page) }?;
    let rest = page + size_of::<Datagram>();
    if rest.is_multiple_of(abi::address::PAGE) {
        // The head ends with its page: there is no room for bytes.
        return Err(Error::EINVAL);
    }
    // SAFETY: as for this function: it begins in the same page.
    unsafe { Window::new(rest, head.bytes as usize) }.map(|window| (head, window))
}
extern "C" fn poll(asid: usize, list: usize, bytes: usize, milliseconds: usize) -> isize {
    let count = bytes / size_of::<Interest>();
    if !list.is_multiple_of(align_of::<Interest>()) || count == 0 {
        return Error::EINVAL.code();
    }
    let list = list as *mut Interest;
    // SAFETY: a window argument of so many bytes, aligned; each is copied once, and what it says is checked by who uses it.
    let wanted: Result<Vec<Interest>> = collected((0..count).map(|n| unsafe { list.add(n).read_volatile() }));
    let tell = |n: usize, ready| {
        // SAFETY: as above; `W` may be written.
        unsafe { (&raw mut (*list.add(n)).ready).write_volatile(ready) }
    };
    word(wanted.and_then(|wanted| sockets::poll(asid, &wanted, milliseconds, tell)))
}
extern "C" fn resolve(asid: usize, name: usize, family: usize, to: usize) -> isize {
    // SAFETY: a window argument.
    let name = match unsafe { Name::read(name) } {
        Ok(name) => name,
        Err(error) => return error.code(),
    };
    let found = sockets::resolve(asid, name.text(), family);
    // SAFETY: a window argument, which may be written.
    word(found.and_then(|address| unsafe { abi::window::write(to, &address) }.map(|()| 0)))
}
extern "C" fn status(page: usize) -> isize {
    let configuration: Configuration = sockets::configuration();
    // SAFETY: a window argument, which may be written.
    word(unsafe { abi::window::write(page, &configuration) }.map(|()| 0))
}
