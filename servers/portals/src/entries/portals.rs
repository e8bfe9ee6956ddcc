//! Portals: registered, opened, granted, closed, and the letters that servers have code for.

use crate::{MANAGER, TO_TELL, asker, client_memory, seldom_with_caller, tell, tell_one};
use crate::{unlocked_call, with_caller, with_new_portals};
use abi::Error;
use abi::address::SERVICE_ASKER;
use abi::identity::DomainId;
use abi::lengths::NAMELEN;
use abi::name::Name;
use abi::section::ShortCircuit;
use abi::system::{Child, Description, Grant, Registration};
use abi::template::Template;
use alloc::vec::Vec;
use fallible::TryPush;
use pebble::interfaces::memory;
use pebble::interfaces::types::{Address, Alleged, DomainNumber, Identity, PortalNumber, ThreadIndex};

pub extern "C" fn register(thread: ThreadIndex, request: Alleged<Registration>) -> isize {
    with_caller(thread, |manager, caller| manager.register(caller, &client_memory::read(request)?))
}
#[optimize(size)]
pub extern "C" fn unregister(thread: ThreadIndex, name: Alleged<Name>) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.unregister(caller, &client_memory::name(name)?))
}
#[optimize(size)]
pub extern "C" fn admit(
    thread: ThreadIndex,
    name: Alleged<Name>,
    asid: DomainNumber,
    how: usize,
    token: usize,
) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        manager.admit(caller, &client_memory::name(name)?, (asid.0, token), how)
    })
}
pub extern "C" fn open(thread: ThreadIndex, name: Alleged<Name>) -> isize {
    let opened = with_new_portals(thread, 1, |manager, caller| manager.open(caller, name.address()));
    if opened == Error::EAGAIN.code() { open_asking(thread, name) } else { opened }
}
/// The same where a portal is asked before.
#[cold]
#[inline(never)]
fn open_asking(thread: ThreadIndex, name: Alleged<Name>) -> isize {
    let mut manager = MANAGER.lock();
    let asking = manager.caller(thread.0).and_then(|caller| manager.ask(caller, name.address()));
    let asking = match asking {
        Ok(asking) => asking,
        Err(error) => return error.code(),
    };
    let most = manager.caller(thread.0).map_or(SERVICE_ASKER, |caller| asker(&manager, caller.direct));
    let answer = unlocked_call(manager, most, asking.upcall, asking.words());
    with_new_portals(thread, 1, |manager, caller| {
        manager.open_answered((caller, thread.0), name.address(), &asking, answer)
    })
}
pub extern "C" fn close(thread: ThreadIndex, number: PortalNumber) -> isize {
    with_caller(thread, |manager, caller| manager.close(caller, number.0))
}
#[optimize(size)]
pub extern "C" fn create_child(thread: ThreadIndex, request: Alleged<Child>) -> isize {
    let mut made: (Vec<DomainId>, usize) = (Vec::new(), 0);
    let result = seldom_with_caller(thread, |manager, caller| {
        if !pebble::portal::may_call_back(SERVICE_ASKER - TO_TELL) {
            return Err(Error::EDEPTH);
        }
        let request = client_memory::read(request)?;
        made.0.room_for(manager.domain(caller.subject)?.sandbox.inside.len() + 1)?;
        match manager.create_child(caller, &request)? {
            Ok(domains) => {
                made.1 = request.portal as usize;
                for told in domains.iter().filter_map(|&asid| manager.listener(asid)) {
                    made.0.push_kept(told);
                }
                Ok(0)
            }
            Err(rejected) => Ok(rejected),
        }
    });
    for told in made.0 {
        tell_one(told, made.1, told);
    }
    result
}
#[optimize(size)]
pub extern "C" fn grant(thread: ThreadIndex, request: Alleged<Grant>) -> isize {
    let (mut count, mut told) = (0, None);
    let number = seldom_with_caller(thread, |manager, caller| {
        let request = client_memory::read(request)?;
        let (to, number) = manager.grant(caller, thread.0, &request)?;
        if !manager.domain(to)?.sandbox.inside.is_empty() {
            // Above the client's own frame is that of the server's call.
            manager.hold(thread.0, 1, number..number + request.count as usize);
        }
        count = request.count as usize;
        told = manager.made_portals(to, number..number + count)?;
        Ok(number as isize)
    });
    if let Some(told) = told {
        tell(told, number as usize, count);
    }
    number
}
pub extern "C" fn gone(thread: ThreadIndex) -> isize {
    with_caller(thread, |manager, caller| manager.next_gone(caller))
}
pub extern "C" fn granted(thread: ThreadIndex, constant: usize) -> isize {
    with_caller(thread, |manager, caller| manager.count_granted(caller, constant))
}
#[optimize(size)]
pub extern "C" fn template(thread: ThreadIndex, template: Alleged<Template>, entry: Address) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        manager.register_template(caller, client_memory::boxed(template)?, entry.0)
    })
}
#[optimize(size)]
pub extern "C" fn short_circuit(thread: ThreadIndex, request: Alleged<ShortCircuit>) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.register_short_circuit(caller, &client_memory::read(request)?))
}
/// Code of a registered template, in a call of domain `caller`, asks its server. Where the callee is no more the call is made again, to whoever has taken its
/// place, or to who answers for the dead. `pc`: the callee's identity, and from bit
/// [`fault::TEMPLATE`] the template's number. An error ends the call, and what was shared or moved for it comes back.
///
/// [`fault::TEMPLATE`]: abi::nucleus::fault::TEMPLATE
pub extern "C" fn argument(_cause: usize, value: usize, pc: usize, caller: Identity, thread: ThreadIndex) -> isize {
    let (callee, template) = (pc & ((1 << abi::nucleus::fault::TEMPLATE) - 1), pc >> abi::nucleus::fault::TEMPLATE);
    let mut manager = MANAGER.lock();
    let result = match manager.template_question(template, caller.0, callee) {
        Ok((upcall, asids)) => {
            let most = asker(&manager, caller.0 as u16 as usize);
            unlocked_call(manager, most, upcall, [value, caller.0, callee, asids]).min(0)
        }
        Err(error) => {
            drop(manager);
            let _ = memory::undo_transfers(thread);
            return if error == Error::EDEAD { 0 } else { error.code() };
        }
    };
    if result < 0 {
        let _ = memory::undo_transfers(thread);
    }
    result
}
#[optimize(size)]
pub extern "C" fn notify(thread: ThreadIndex, entry: Address) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.set_notify(caller, entry.0))
}
#[optimize(size)]
pub extern "C" fn info(thread: ThreadIndex, number: PortalNumber, out: Alleged<Description>) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        let portal = manager.look_at_portal(caller, thread.0, number.0)?;
        let mut description = Description { spec: [0; NAMELEN], name: [0; NAMELEN] };
        description.spec[..portal.spec.len()].copy_from_slice(&portal.spec);
        description.name[..portal.name.len()].copy_from_slice(&portal.name);
        client_memory::write(out, &description).map(|()| 0)
    })
}
