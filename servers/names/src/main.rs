//! The name server: names, and who may open them.
#![no_std]
#![no_main]

use abi::Error;
use abi::address::PAGE;
use abi::nucleus::NAMELEN;
use abi::section::text;
use names_logic::{Names, Right};
use pebble::sync::BootMutex;

pebble::boot_server!(start);

pebble::provide! {
    "names.bind", "smiri", bind;
    "names.lookup", "smir", lookup;
    "names.unbind", "smir", unbind;
    "names.allow", "smiri", allow;
    "names.inherit", "smii", inherit;
    "names.forget", "smi", forget;
}

static NAMES: BootMutex<Names> = BootMutex::new(Names::new());

fn start(_: &pebble::Env) {
    let info = pebble::boot::info();
    let mut names = NAMES.lock();
    for (registration, portal) in info.portals[..info.portal_count as usize].iter().enumerate() {
        names.bind_boot(portal.asid as usize, text(&portal.name), registration);
    }
}

/// A name copied from a window.
struct Name([u8; NAMELEN]);
impl Name {
    /// The 0-terminated name at `address`, which a window shows to the end of its page.
    fn read(address: usize) -> Result<Name, Error> {
        let room = (PAGE - address % PAGE).min(NAMELEN);
        let mut name = Name([0; NAMELEN]);
        // SAFETY: the page is open for this call.
        name.0[..room].copy_from_slice(unsafe { core::slice::from_raw_parts(address as *const u8, room) });
        let length = name.0[..room].iter().position(|&b| b == 0).ok_or(Error::EINVAL)?;
        if length == 0 || !name.0[..length].iter().all(u8::is_ascii_graphic) {
            return Err(Error::EINVAL);
        }
        Ok(name)
    }
}
fn with_name(address: usize, body: impl FnOnce(&mut Names, &str) -> Result<usize, Error>) -> isize {
    let result = Name::read(address).and_then(|name| body(&mut NAMES.lock(), text(&name.0)));
    result.map_or_else(Error::code, |value| value as isize)
}

extern "C" fn bind(asid: usize, name: usize, registration: usize) -> isize {
    with_name(name, |names, name| names.bind(asid, name, registration).map(|()| 0))
}
extern "C" fn lookup(asid: usize, name: usize) -> isize {
    with_name(name, |names, name| names.lookup(asid, name))
}
extern "C" fn unbind(asid: usize, name: usize) -> isize {
    with_name(name, |names, name| names.unbind(asid, name).map(|()| 0))
}
extern "C" fn allow(asid: usize, pattern: usize, right: usize) -> isize {
    with_name(pattern, |names, pattern| {
        names.allow(asid, pattern, Right::from_number(right)?);
        Ok(0)
    })
}
extern "C" fn inherit(child: usize, parent: usize) -> isize {
    NAMES.lock().inherit(child, parent);
    0
}
extern "C" fn forget(asid: usize) -> isize {
    NAMES.lock().forget(asid);
    0
}
