//! One extension and one host.

use crate::Refused;
use abi::linking::{Handler, Handlers, Terms};
use alloc::boxed::Box;
use alloc::vec::Vec;
use extension::{Digest, Export, Extension};
use fallible::{TryPush, boxed, collected};
use keyring::{Keys, Signs};

/// What every host exports and every extension uses beneath its code: nobody has to be allowed it.
pub const RUNTIME: &str = "extension_runtime";

/// An interface as a host says that it exports it.
pub struct Exported {
    pub name: Box<str>,
    pub identity: Digest,
    pub events: usize,
    /// Microseconds of a quantum, at most.
    pub quantum: u64,
    /// Where its procedures begin.
    pub procedures: Vec<u64>,
}
/// How an extension is linked in.
#[derive(Debug)]
pub struct Plan<'a> {
    pub extension: Extension<'a>,
    /// Where its slots lead.
    pub slots: Vec<u64>,
    pub handlers: Box<Handlers>,
}

/// Whose file it is: what its key may sign for. Nothing of the file is looked at but its first bytes, its length and its end.
///
/// # Errors
/// Nobody's whom these keys name, or it was changed since.
pub fn signed<'k>(file: &[u8], keys: &'k Keys) -> Result<&'k Signs, Refused<'static>> {
    keys.of(&extension::seal(file).map_err(Refused::File)?).map_err(Refused::Unsigned)
}
/// How a file that is [`signed`] so is linked into a host that exports these interfaces, where extensions are of that compiler.
///
/// # Errors
/// It may not, or can not.
pub fn plan<'a>(file: &'a [u8], signs: &Signs, compiler: Digest, host: &[Exported]) -> Result<Plan<'a>, Refused<'a>> {
    let extension = Extension::parse(file).map_err(Refused::File)?;
    if extension.compiler() != compiler {
        return Err(Refused::Compiler);
    }
    let mut named = Vec::new();
    for interface in extension.interfaces() {
        let name = interface.name;
        if !(signs.may(name) || name == RUNTIME && *signs != Signs::Revoked) {
            return Err(Refused::NotForKey(name));
        }
        let at = host.iter().position(|exported| *exported.name == *name).ok_or(Refused::NoInterface(name))?;
        if host[at].identity != interface.digest {
            return Err(Refused::OtherInterface(name));
        }
        if u64::from(extension.limits().quantum) > host[at].quantum {
            return Err(Refused::Quantum(host[at].quantum));
        }
        named.try_push((name, at)).map_err(|_| Refused::NoMemory)?;
    }
    let of = |interface: u16| {
        let (name, at) = named[interface as usize];
        (name, at, &host[at])
    };
    let mut slots = Vec::new();
    for import in extension.imports() {
        let (name, _, exported) = of(import.interface);
        let procedure = exported.procedures.get(import.procedure as usize);
        let procedure = *procedure.ok_or(Refused::NoProcedure(name, import.procedure))?;
        slots.try_push(procedure).map_err(|_| Refused::NoMemory)?;
    }
    let mut handlers = boxed(Handlers::default()).map_err(|_| Refused::NoMemory)?;
    for (to, export) in handlers.all.iter_mut().zip(extension.exports()) {
        let (name, at, exported) = of(export.interface);
        if export.event as usize >= exported.events {
            return Err(Refused::NoEvent(name, export.event));
        }
        *to = Handler { interface: at as u16, event: export.event, entry: export.entry };
        handlers.count += 1;
    }
    match handlers.count {
        0 => Err(Refused::NoHandler),
        _ => Ok(Plan { extension, slots, handlers }),
    }
}
/// On what terms the export at that place is called; whether there is anything to be said of it.
pub fn terms(extension: &Extension, at: usize, export: &Export, terms: &mut Terms) -> bool {
    let other = export.order.other().unwrap_or("");
    terms.order = export.order.number().into();
    terms.other[..other.len()].copy_from_slice(other.as_bytes());
    for (to, condition) in terms.conditions.iter_mut().zip(extension.conditions(at)) {
        *to = condition.to_bytes();
        terms.count += 1;
    }
    (terms.order, terms.count) != (0, 0)
}
impl Exported {
    /// What a host says. It is believed in nothing: a number beyond what there can be is refused.
    pub fn new(said: &abi::linking::Interface) -> Result<Exported, Refused<'static>> {
        let name = abi::section::text(&said.name);
        let procedures = usize::try_from(said.procedures).ok().and_then(|count| said.addresses.get(..count));
        let events = usize::try_from(said.events).ok().filter(|events| *events <= abi::linking::MOST);
        let (Some(procedures), Some(events), true) = (procedures, events, extension::is_name(name)) else {
            return Err(Refused::Host);
        };
        let (name, procedures) = (fallible::text(name), collected(procedures.iter().copied()));
        Ok(Exported {
            name: name.map_err(|_| Refused::NoMemory)?,
            identity: said.identity,
            events,
            quantum: said.quantum,
            procedures: procedures.map_err(|_| Refused::NoMemory)?,
        })
    }
}
