//! Who registered which name, and who may open or provide it.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

use abi::Error;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A registered name.
struct Binding {
    registration: usize,
    asid: usize,
}
/// What a domain may do with the names that match a pattern.
#[derive(Clone)]
struct Rule {
    pattern: String,
    right: Right,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    Open,
    Provide,
}
impl Right {
    /// 0: open, 1: provide.
    pub fn from_number(number: usize) -> Result<Right, Error> {
        match number {
            0 => Ok(Right::Open),
            1 => Ok(Right::Provide),
            _ => Err(Error::EINVAL),
        }
    }
}
/// Whether `name` matches `pattern`, whose last character may be a `*` for any rest.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

/// All names and rules.
#[derive(Default)]
pub struct Names {
    bindings: BTreeMap<String, Binding>,
    rules: BTreeMap<usize, Vec<Rule>>,
}
impl Names {
    pub const fn new() -> Names {
        Names { bindings: BTreeMap::new(), rules: BTreeMap::new() }
    }
    fn may(&self, asid: usize, right: Right, name: &str) -> Result<(), Error> {
        let rules = self.rules.get(&asid).map_or(&[][..], |r| r);
        if rules.iter().any(|r| r.right == right && matches(&r.pattern, name)) { Ok(()) } else { Err(Error::EACCESS) }
    }
    /// A name of a boot component: no rule is needed.
    pub fn bind_boot(&mut self, asid: usize, name: &str, registration: usize) {
        self.bindings.insert(name.to_string(), Binding { registration, asid });
    }
    /// Registers `name` for domain `asid`.
    pub fn bind(&mut self, asid: usize, name: &str, registration: usize) -> Result<(), Error> {
        self.may(asid, Right::Provide, name)?;
        if self.bindings.contains_key(name) {
            return Err(Error::EEXIST);
        }
        self.bind_boot(asid, name, registration);
        Ok(())
    }
    /// The registration behind `name`, if domain `asid` may open it.
    pub fn lookup(&self, asid: usize, name: &str) -> Result<usize, Error> {
        self.may(asid, Right::Open, name)?;
        self.bindings.get(name).map(|b| b.registration).ok_or(Error::ENOENT)
    }
    /// Withdraws a name of domain `asid`'s own.
    pub fn unbind(&mut self, asid: usize, name: &str) -> Result<(), Error> {
        let binding = self.bindings.get(name).ok_or(Error::ENOENT)?;
        if binding.asid != asid {
            return Err(Error::EACCESS);
        }
        self.bindings.remove(name);
        Ok(())
    }
    /// Lets domain `asid` open or provide the names that match `pattern`.
    pub fn allow(&mut self, asid: usize, pattern: &str, right: Right) {
        self.rules.entry(asid).or_default().push(Rule { pattern: pattern.to_string(), right });
    }
    /// The child may what the parent may.
    pub fn inherit(&mut self, child: usize, parent: usize) {
        let rules = self.rules.get(&parent).cloned().unwrap_or_default();
        self.rules.insert(child, rules);
    }
    /// Domain `asid` is no more: its names and rules go.
    pub fn forget(&mut self, asid: usize) {
        self.rules.remove(&asid);
        self.bindings.retain(|_, b| b.asid != asid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn names() -> Names {
        let mut n = Names::new();
        n.allow(5, "fs.*", Right::Provide);
        n.allow(6, "fs.read", Right::Open);
        n
    }
    #[test]
    fn what_was_bound_is_found() {
        let mut n = names();
        n.bind(5, "fs.read", 40).unwrap();
        assert_eq!(n.lookup(6, "fs.read"), Ok(40));
    }
    #[test]
    fn opening_what_the_manifest_does_not_list_is_refused() {
        let mut n = names();
        n.bind(5, "fs.write", 41).unwrap();
        assert_eq!(n.lookup(6, "fs.write"), Err(Error::EACCESS));
        assert_eq!(n.lookup(6, "nothing"), Err(Error::EACCESS));
    }
    #[test]
    fn opening_an_unknown_name_is_refused() {
        assert_eq!(names().lookup(6, "fs.read"), Err(Error::ENOENT));
    }
    #[test]
    fn providing_what_the_manifest_does_not_list_is_refused() {
        assert_eq!(names().bind(6, "fs.read", 1), Err(Error::EACCESS));
    }
    #[test]
    fn a_name_in_use_is_refused() {
        let mut n = names();
        n.bind(5, "fs.read", 40).unwrap();
        assert_eq!(n.bind(5, "fs.read", 41), Err(Error::EEXIST));
    }
    #[test]
    fn withdrawing_anothers_name_is_refused() {
        let mut n = names();
        n.bind(5, "fs.read", 40).unwrap();
        assert_eq!(n.unbind(6, "fs.read"), Err(Error::EACCESS));
        assert_eq!(n.unbind(5, "fs.other"), Err(Error::ENOENT));
        assert_eq!(n.unbind(5, "fs.read"), Ok(()));
    }
    #[test]
    fn a_child_may_what_its_parent_may_until_it_is_forgotten() {
        let mut n = names();
        n.inherit(9, 6);
        assert_eq!(n.lookup(9, "fs.read"), Err(Error::ENOENT));
        n.forget(9);
        assert_eq!(n.lookup(9, "fs.read"), Err(Error::EACCESS));
    }
    #[test]
    fn a_dead_servers_names_are_free() {
        let mut n = names();
        n.bind(5, "fs.read", 40).unwrap();
        n.forget(5);
        n.allow(7, "fs.read", Right::Provide);
        assert_eq!(n.bind(7, "fs.read", 50), Ok(()));
    }
    #[test]
    fn only_a_last_star_is_a_wildcard() {
        assert!(matches("a*", "abc") && matches("*", "x") && !matches("a*c", "abc") && !matches("abc", "ab"));
    }
}
