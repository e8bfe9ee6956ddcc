//! Another name server than `servers/names`: names and rules are two plain lists that are searched, and each name that a domain was refused is
//! counted. `names.refused` tells how many.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use pebble::Error;
use pebble::abi::name::Name;
use pebble::abi::nucleus::MAX_DOMAINS;
use pebble::abi::section;
use pebble::interfaces::types::{Alleged, DomainNumber};
use pebble::sync::Mutex;

pebble::boot_server!(start);
pebble::serve! { names { bind, lookup, unbind, rebind, allow, inherit, forget } }
pebble::provide! { "names.refused", "sma", refused; }

struct Binding {
    name: Name,
    domain: usize,
    registration: usize,
}
#[derive(Clone, Copy)]
struct Rule {
    domain: usize,
    pattern: Name,
    /// What it is about: 0 opening, 1 providing.
    right: usize,
}
struct Names {
    bindings: Vec<Binding>,
    rules: Vec<Rule>,
    refused: [usize; MAX_DOMAINS],
}
static NAMES: Mutex<Names> = Mutex::new(Names { bindings: Vec::new(), rules: Vec::new(), refused: [0; MAX_DOMAINS] });

fn push<T>(list: &mut Vec<T>, item: T) -> Result<usize, Error> {
    list.try_reserve(1).map_err(|_| Error::ENOMEM)?;
    list.push(item);
    Ok(0)
}
fn matches(pattern: &Name, name: &Name) -> bool {
    match pattern.text().strip_suffix('*') {
        Some(start) => name.text().starts_with(start),
        None => pattern == name,
    }
}
impl Names {
    fn may(&mut self, domain: usize, right: usize, name: &Name) -> Result<(), Error> {
        let allows = |rule: &Rule| rule.domain == domain && rule.right == right && matches(&rule.pattern, name);
        if self.rules.iter().any(allows) {
            return Ok(());
        }
        self.refused[domain % MAX_DOMAINS] += 1;
        Err(Error::EACCESS)
    }
    fn place(&self, name: &Name) -> Option<usize> {
        self.bindings.iter().position(|binding| binding.name == *name)
    }
    fn bind(&mut self, domain: usize, name: &Name, registration: usize) -> Result<usize, Error> {
        self.may(domain, 1, name)?;
        if name.len() >= section::NAME {
            return Err(Error::EINVAL);
        }
        if self.place(name).is_some() {
            return Err(Error::EEXIST);
        }
        push(&mut self.bindings, Binding { name: *name, domain, registration })
    }
    fn lookup(&mut self, domain: usize, name: &Name) -> Result<usize, Error> {
        self.may(domain, 0, name)?;
        self.place(name).map(|place| self.bindings[place].registration).ok_or(Error::ENOENT)
    }
    fn unbind(&mut self, domain: usize, name: &Name) -> Result<usize, Error> {
        let place = self.place(name).ok_or(Error::ENOENT)?;
        if self.bindings[place].domain != domain {
            return Err(Error::EACCESS);
        }
        self.bindings.swap_remove(place);
        Ok(0)
    }
    fn rebind(&mut self, domain: usize, name: &Name, registration: usize) -> Result<usize, Error> {
        self.may(domain, 1, name)?;
        let place = self.place(name).ok_or(Error::ENOENT)?;
        let binding = self.bindings.get_mut(place).ok_or(Error::ENOENT)?;
        (binding.domain, binding.registration) = (domain, registration);
        Ok(0)
    }
    fn inherit(&mut self, child: usize, parent: usize) -> Result<usize, Error> {
        self.rules.retain(|rule| rule.domain != child);
        let count = self.rules.iter().filter(|rule| rule.domain == parent).count();
        self.rules.try_reserve(count).map_err(|_| Error::ENOMEM)?;
        for n in 0..self.rules.len() {
            if self.rules[n].domain == parent {
                self.rules.push(Rule { domain: child, ..self.rules[n] });
            }
        }
        Ok(0)
    }
    fn forget(&mut self, domain: usize) {
        self.bindings.retain(|binding| binding.domain != domain);
        self.rules.retain(|rule| rule.domain != domain);
        self.refused[domain % MAX_DOMAINS] = 0;
    }
}

fn start(_: &pebble::Env) {
    let info = pebble::boot::info();
    let mut names = NAMES.lock();
    for (registration, portal) in info.portals[..info.portal_count as usize].iter().enumerate() {
        let bytes = portal.name.split(|&byte| byte == 0).next().unwrap_or_default();
        let name = core::str::from_utf8(bytes).map_err(|_| Error::EINVAL).and_then(Name::of);
        let bound = name
            .and_then(|name| push(&mut names.bindings, Binding { name, domain: portal.asid as usize, registration }));
        if bound.is_err() {
            pebble::stop();
        }
    }
}

fn with(name: Alleged<Name>, body: impl FnOnce(&mut Names, &Name) -> Result<usize, Error>) -> isize {
    word(name.with(|name| body(&mut NAMES.lock(), name)))
}
fn word(result: Result<usize, Error>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}
extern "C" fn bind(domain: DomainNumber, name: Alleged<Name>, registration: usize) -> isize {
    with(name, |names, name| names.bind(domain.0, name, registration))
}
extern "C" fn lookup(domain: DomainNumber, name: Alleged<Name>) -> isize {
    with(name, |names, name| names.lookup(domain.0, name))
}
extern "C" fn unbind(domain: DomainNumber, name: Alleged<Name>) -> isize {
    with(name, |names, name| names.unbind(domain.0, name))
}
extern "C" fn rebind(domain: DomainNumber, name: Alleged<Name>, registration: usize) -> isize {
    with(name, |names, name| names.rebind(domain.0, name, registration))
}
extern "C" fn allow(domain: DomainNumber, pattern: Alleged<Name>, right: usize) -> isize {
    with(pattern, |names, pattern| {
        if right > 1 {
            return Err(Error::EINVAL);
        }
        push(&mut names.rules, Rule { domain: domain.0, pattern: *pattern, right })
    })
}
extern "C" fn inherit(child: DomainNumber, parent: DomainNumber) -> isize {
    word(NAMES.lock().inherit(child.0, parent.0))
}
extern "C" fn forget(domain: DomainNumber) -> isize {
    NAMES.lock().forget(domain.0);
    0
}
extern "C" fn refused(domain: usize) -> isize {
    NAMES.lock().refused[domain % MAX_DOMAINS] as isize
}
