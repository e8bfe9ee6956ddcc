//! Who registered which name, and who may open or provide it.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]
#![feature(allocator_api, vec_push_within_capacity)]

extern crate alloc;

use abi::Error;
use abi::name::Name;
use abi::nucleus::MAX_DOMAINS;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// A registered name.
struct Binding {
    name: Kept,
    registration: u32,
    asid: u16,
    /// The next one of the same hash, or free like this one.
    next: Place,
}
/// Words of a name that can be registered, the last character of which is 0.
const NAME_WORDS: usize = abi::section::NAME / 8;
type Registered = [u64; NAME_WORDS];
/// Where a registered name is: for a boot component, where the image builder has put it.
enum Kept {
    Boot(&'static Registered),
    Own(Box<Registered>),
}
impl core::ops::Deref for Kept {
    type Target = Registered;
    #[inline(always)]
    fn deref(&self) -> &Registered {
        match self {
            Kept::Boot(name) => name,
            Kept::Own(name) => name,
        }
    }
}
/// What a binding that is free has for a name.
static NO_NAME: Registered = [0; NAME_WORDS];
/// A place in the table of bindings plus 1, or 0: none.
type Place = u16;
impl Binding {
    #[inline(always)]
    fn is_of(&self, name: &[u64]) -> bool {
        // The last character of a longer name is not 0.
        self.name.iter().zip(name).all(|(a, b)| a == b)
    }
}
/// The words of a name, aligned to one only.
type Words = [u64; size_of::<Name>() / 8];
/// What a domain may do with the names that match a pattern.
#[derive(Clone)]
struct Rule {
    pattern: Pattern,
    right: Right,
}
/// A name, whose last character may be a `*` for any rest.
#[derive(Clone)]
struct Pattern {
    start: Words,
    /// Words that must agree, and the bits of the next one that must.
    words: usize,
    mask: u64,
}
impl Pattern {
    fn new(name: &Name) -> Pattern {
        let length = name.len();
        let star = name.bytes()[length - 1] == b'*';
        // Without a star the terminating 0 must agree, too.
        let count = if star { length - 1 } else { length + 1 };
        Pattern { start: *name.words(), words: count / 8, mask: (1 << (count % 8 * 8)) - 1 }
    }
    #[inline(always)]
    fn matches(&self, name: &Name) -> bool {
        let (own, other) = (&self.start, name.words());
        own.iter().zip(other).take(self.words).all(|(a, b)| a == b)
            && (self.mask == 0 || (own[self.words % 8] ^ other[self.words % 8]) & self.mask == 0)
    }
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
/// Registered names, by a hash of their words.
struct Bindings {
    /// The first of each hash.
    first: [Place; BUCKETS],
    all: Vec<Binding>,
    /// The first that is free.
    free: Place,
}
const BUCKETS: usize = 64;
/// How many bindings there is room made for at a time.
const MORE: usize = 8;

impl Bindings {
    const fn new() -> Bindings {
        Bindings { first: [0; BUCKETS], all: Vec::new(), free: 0 }
    }
    /// Who registers names is named in the manifest, so nobody gains by making them collide.
    #[inline(always)]
    fn bucket(name: &[u64]) -> usize {
        let mut hash = 0u64;
        for &word in name.iter().take_while(|&&word| word != 0) {
            hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        (hash >> 58) as usize % BUCKETS
    }
    #[inline(always)]
    fn at(&self, place: Place) -> Option<&Binding> {
        self.all.get((place as usize).wrapping_sub(1))
    }
    #[inline(always)]
    fn place(&self, name: &Name) -> Option<Place> {
        let name = name.words();
        let mut place = self.first[Bindings::bucket(name)];
        loop {
            let binding = self.at(place)?;
            if binding.is_of(name) {
                return Some(place);
            }
            place = binding.next;
        }
    }
    #[inline(always)]
    fn get(&self, name: &Name) -> Option<&Binding> {
        self.place(name).and_then(|place| self.at(place))
    }
    fn get_mut(&mut self, name: &Name) -> Option<&mut Binding> {
        self.place(name).and_then(|place| self.all.get_mut(place as usize - 1))
    }
    fn insert(&mut self, name: Kept, asid: usize, registration: usize) -> Result<(), Error> {
        let bucket = Bindings::bucket(&name[..]);
        self.retain_in(bucket, |binding| !binding.is_of(&name[..]));
        if self.free == 0 {
            if self.all.len() >= Place::MAX as usize {
                return Err(Error::ENFILE);
            }
            if self.all.len() == self.all.capacity() {
                self.all.try_reserve_exact(MORE).map_err(|_| Error::ENOMEM)?;
            }
            let free = Binding { name: Kept::Boot(&NO_NAME), registration: 0, asid: 0, next: 0 };
            self.all.push_within_capacity(free).map_err(|_| Error::ENOMEM)?;
            self.free = self.all.len() as Place;
        }
        let place = self.free;
        let binding = &mut self.all[place as usize - 1];
        self.free = binding.next;
        *binding = Binding { name, registration: registration as u32, asid: asid as u16, next: self.first[bucket] };
        self.first[bucket] = place;
        Ok(())
    }
    fn remove(&mut self, name: &Name) {
        self.retain_in(Bindings::bucket(name.words()), |binding| !binding.is_of(name.words()));
    }
    fn retain(&mut self, kept: impl Fn(&Binding) -> bool) {
        (0..BUCKETS).for_each(|bucket| self.retain_in(bucket, &kept));
    }
    /// Frees those of one hash that are not to be kept.
    fn retain_in(&mut self, bucket: usize, kept: impl Fn(&Binding) -> bool) {
        let (mut before, mut place) = (0, self.first[bucket]);
        while let Some(binding) = self.at(place) {
            let next = binding.next;
            if kept(binding) {
                before = place;
            } else {
                match before {
                    0 => self.first[bucket] = next,
                    before => self.all[before as usize - 1].next = next,
                }
                let binding = &mut self.all[place as usize - 1];
                (binding.name, binding.next) = (Kept::Boot(&NO_NAME), self.free);
                self.free = place;
            }
            place = next;
        }
    }
}

/// All names and rules.
pub struct Names {
    bindings: Bindings,
    /// Domains that have names.
    owners: [bool; MAX_DOMAINS],
    /// By ASID; a child shares its parent's until one of them gets more.
    rules: Vec<Option<Arc<Vec<Rule>>>>,
}
impl Names {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Names {
        Names { bindings: Bindings::new(), owners: [false; MAX_DOMAINS], rules: Vec::new() }
    }
    fn rules_of(&mut self, asid: usize) -> Result<&mut Option<Arc<Vec<Rule>>>, Error> {
        if self.rules.len() <= asid {
            self.rules.try_reserve(asid + 1 - self.rules.len()).map_err(|_| Error::ENOMEM)?;
            while self.rules.len() <= asid && self.rules.push_within_capacity(None).is_ok() {}
        }
        self.rules.get_mut(asid).ok_or(Error::ENOMEM)
    }
    #[inline(always)]
    fn may(&self, asid: usize, right: Right, name: &Name) -> Result<(), Error> {
        let rules = self.rules.get(asid).and_then(|r| r.as_ref()).map_or(&[][..], |r| &r[..]);
        for rule in rules {
            if rule.right == right && rule.pattern.matches(name) {
                return Ok(());
            }
        }
        Err(Error::EACCESS)
    }
    /// A name of a boot component: no rule is needed.
    pub fn bind_boot(&mut self, asid: usize, name: &'static Registered, registration: usize) -> Result<(), Error> {
        self.insert(asid, Kept::Boot(name), registration)
    }
    fn insert(&mut self, asid: usize, name: Kept, registration: usize) -> Result<(), Error> {
        self.bindings.insert(name, asid, registration)?;
        if let Some(owner) = self.owners.get_mut(asid) {
            *owner = true;
        }
        Ok(())
    }
    /// Makes room for `count` names.
    pub fn reserve(&mut self, count: usize) -> Result<(), Error> {
        self.bindings.all.try_reserve_exact(count).map_err(|_| Error::ENOMEM)
    }
    /// Registers `name` for domain `asid`.
    pub fn bind(&mut self, asid: usize, name: &Name, registration: usize) -> Result<(), Error> {
        self.may(asid, Right::Provide, name)?;
        if self.bindings.get(name).is_some() {
            return Err(Error::EEXIST);
        }
        let own: Registered = name.words()[..NAME_WORDS].try_into().map_err(|_| Error::EINVAL)?;
        // The terminating 0 must have room.
        if own[NAME_WORDS - 1] >> 56 != 0 {
            return Err(Error::EINVAL);
        }
        let own = Box::try_new(own).map_err(|_| Error::ENOMEM)?;
        self.insert(asid, Kept::Own(own), registration)
    }
    /// The registration behind `name`, if domain `asid` may open it.
    pub fn lookup(&self, asid: usize, name: &Name) -> Result<usize, Error> {
        self.may(asid, Right::Open, name)?;
        self.bindings.get(name).map(|b| b.registration as usize).ok_or(Error::ENOENT)
    }
    /// Withdraws a name of domain `asid`'s own.
    pub fn unbind(&mut self, asid: usize, name: &Name) -> Result<(), Error> {
        let binding = self.bindings.get(name).ok_or(Error::ENOENT)?;
        if binding.asid as usize != asid {
            return Err(Error::EACCESS);
        }
        self.bindings.remove(name);
        Ok(())
    }
    /// Has `name`, whose ever it is, lead to `registration` of domain `asid` from now on. Needs no memory. `EACCESS`: that may not provide it;
    /// `ENOENT`.
    pub fn rebind(&mut self, asid: usize, name: &Name, registration: usize) -> Result<(), Error> {
        self.may(asid, Right::Provide, name)?;
        let binding = self.bindings.get_mut(name).ok_or(Error::ENOENT)?;
        (binding.asid, binding.registration) = (asid as u16, registration as u32);
        if let Some(owner) = self.owners.get_mut(asid) {
            *owner = true;
        }
        Ok(())
    }
    /// Lets domain `asid` open or provide the names that match `pattern`.
    pub fn allow(&mut self, asid: usize, pattern: &Name, right: Right) -> Result<(), Error> {
        let rule = Rule { pattern: Pattern::new(pattern), right };
        let rules = self.rules_of(asid)?;
        if let Some(own) = rules.as_mut().and_then(Arc::get_mut) {
            own.try_reserve(1).map_err(|_| Error::ENOMEM)?;
            return own.push_within_capacity(rule).map(|_| ()).map_err(|_| Error::ENOMEM);
        }
        // It has none, or shares them.
        let shared = rules.as_ref().map_or(&[][..], |shared| &shared[..]);
        let mut own = Vec::new();
        own.try_reserve(shared.len() + 1).map_err(|_| Error::ENOMEM)?;
        own.extend(shared.iter().cloned().chain([rule]));
        *rules = Some(Arc::try_new(own).map_err(|_| Error::ENOMEM)?);
        Ok(())
    }
    /// The child may what the parent may.
    pub fn inherit(&mut self, child: usize, parent: usize) -> Result<(), Error> {
        let rules = self.rules.get(parent).cloned().flatten();
        *self.rules_of(child)? = rules;
        Ok(())
    }
    /// Domain `asid` is no more: its names and rules go.
    pub fn forget(&mut self, asid: usize) {
        if let Some(rules) = self.rules.get_mut(asid) {
            *rules = None;
        }
        if self.owners.get_mut(asid).is_some_and(core::mem::take) {
            self.bindings.retain(|b| b.asid as usize != asid);
        }
    }
}

#[cfg(test)]
mod exhaustion_tests;
#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod tests {
    use super::*;
    fn name(text: &str) -> Name {
        Name::of(text).unwrap()
    }
    fn matches(pattern: &str, text: &str) -> bool {
        Pattern::new(&name(pattern)).matches(&name(text))
    }
    fn names() -> Names {
        let mut n = Names::new();
        n.allow(5, &name("fs.*"), Right::Provide).unwrap();
        n.allow(6, &name("fs.read"), Right::Open).unwrap();
        n
    }
    #[test]
    fn what_was_bound_is_found() {
        let mut n = names();
        n.bind(5, &name("fs.read"), 40).unwrap();
        assert_eq!(n.lookup(6, &name("fs.read")), Ok(40));
    }
    #[test]
    fn opening_what_the_manifest_does_not_list_is_refused() {
        let mut n = names();
        n.bind(5, &name("fs.write"), 41).unwrap();
        assert_eq!(n.lookup(6, &name("fs.write")), Err(Error::EACCESS));
        assert_eq!(n.lookup(6, &name("nothing")), Err(Error::EACCESS));
    }
    #[test]
    fn opening_an_unknown_name_is_refused() {
        assert_eq!(names().lookup(6, &name("fs.read")), Err(Error::ENOENT));
    }
    #[test]
    fn providing_what_the_manifest_does_not_list_is_refused() {
        assert_eq!(names().bind(6, &name("fs.read"), 1), Err(Error::EACCESS));
    }
    #[test]
    fn a_name_in_use_is_refused() {
        let mut n = names();
        n.bind(5, &name("fs.read"), 40).unwrap();
        assert_eq!(n.bind(5, &name("fs.read"), 41), Err(Error::EEXIST));
    }
    #[test]
    fn withdrawing_anothers_name_is_refused() {
        let mut n = names();
        n.bind(5, &name("fs.read"), 40).unwrap();
        assert_eq!(n.unbind(6, &name("fs.read")), Err(Error::EACCESS));
        assert_eq!(n.unbind(5, &name("fs.other")), Err(Error::ENOENT));
        assert_eq!(n.unbind(5, &name("fs.read")), Ok(()));
    }
    #[test]
    fn a_name_that_is_handed_over_leads_to_its_heir_alone() {
        let mut n = names();
        n.bind(5, &name("fs.read"), 40).unwrap();
        assert_eq!(n.rebind(7, &name("fs.read"), 41), Err(Error::EACCESS));
        n.allow(7, &name("fs.*"), Right::Provide).unwrap();
        assert_eq!(n.rebind(7, &name("fs.write"), 41), Err(Error::ENOENT));
        assert_eq!(n.rebind(7, &name("fs.read"), 41), Ok(()));
        assert_eq!(n.lookup(6, &name("fs.read")), Ok(41));
        assert_eq!(n.unbind(5, &name("fs.read")), Err(Error::EACCESS));
        // It is nothing of who has had it that ends with that one, and goes with its heir.
        n.forget(5);
        assert_eq!(n.lookup(6, &name("fs.read")), Ok(41));
        n.forget(7);
        assert_eq!(n.lookup(6, &name("fs.read")), Err(Error::ENOENT));
    }
    #[test]
    fn a_child_may_what_its_parent_may_until_it_is_forgotten() {
        let mut n = names();
        n.inherit(9, 6).unwrap();
        assert_eq!(n.lookup(9, &name("fs.read")), Err(Error::ENOENT));
        n.forget(9);
        assert_eq!(n.lookup(9, &name("fs.read")), Err(Error::EACCESS));
    }
    #[test]
    fn a_dead_servers_names_are_free() {
        let mut n = names();
        n.bind(5, &name("fs.read"), 40).unwrap();
        n.forget(5);
        n.allow(7, &name("fs.read"), Right::Provide).unwrap();
        assert_eq!(n.bind(7, &name("fs.read"), 50), Ok(()));
    }
    #[test]
    fn a_name_that_is_too_long_to_be_registered_is_refused() {
        let mut n = Names::new();
        n.allow(5, &name("*"), Right::Provide).unwrap();
        assert_eq!(n.bind(5, &name(&"x".repeat(47)), 1), Ok(()));
        assert_eq!(n.bind(5, &name(&"x".repeat(48)), 2), Err(Error::EINVAL));
        n.allow(6, &name("*"), Right::Open).unwrap();
        assert_eq!(n.lookup(6, &name(&"x".repeat(47))), Ok(1));
        assert_eq!(n.lookup(6, &name(&"x".repeat(48))), Err(Error::ENOENT));
    }
    #[test]
    fn room_of_names_that_were_withdrawn_is_used_again() {
        let mut n = Names::new();
        n.allow(5, &name("*"), Right::Provide).unwrap();
        n.allow(5, &name("*"), Right::Open).unwrap();
        for round in 0..10 {
            for k in 0..200 {
                assert_eq!(n.bind(5, &name(&format!("name.{k}")), round + k), Ok(()));
            }
            for k in 0..200 {
                assert_eq!(n.lookup(5, &name(&format!("name.{k}"))), Ok(round + k));
                assert_eq!(n.unbind(5, &name(&format!("name.{k}"))), Ok(()));
            }
        }
        assert_eq!(n.bindings.all.len(), 200);
    }
    #[test]
    fn only_a_last_star_is_a_wildcard() {
        assert!(matches("a*", "abc") && matches("*", "x") && !matches("a*c", "abc") && !matches("abc", "ab"));
    }
}
