//! Random operations on the names beside a model of plain maps.

use crate::{Names, Right};
use abi::Error;
use abi::name::Name;
use proptest::prelude::*;
use std::collections::HashMap;

const DOMAINS: usize = 5;

#[derive(Default)]
struct Model {
    bindings: HashMap<String, (usize, usize)>,
    rules: HashMap<usize, Vec<(String, Right)>>,
}
impl Model {
    fn may(&self, asid: usize, right: Right, name: &str) -> bool {
        let matches = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        self.rules.get(&asid).is_some_and(|rules| rules.iter().any(|(p, r)| *r == right && matches(p)))
    }
    fn bind(&mut self, asid: usize, name: &str, registration: usize) -> Result<(), Error> {
        if !self.may(asid, Right::Provide, name) {
            return Err(Error::EACCESS);
        }
        if self.bindings.contains_key(name) {
            return Err(Error::EEXIST);
        }
        self.bindings.insert(name.into(), (asid, registration));
        Ok(())
    }
    fn lookup(&self, asid: usize, name: &str) -> Result<usize, Error> {
        if !self.may(asid, Right::Open, name) {
            return Err(Error::EACCESS);
        }
        self.bindings.get(name).map(|b| b.1).ok_or(Error::ENOENT)
    }
    fn unbind(&mut self, asid: usize, name: &str) -> Result<(), Error> {
        match self.bindings.get(name) {
            None => Err(Error::ENOENT),
            Some(&(owner, _)) if owner != asid => Err(Error::EACCESS),
            Some(_) => self.bindings.remove(name).map(|_| ()).ok_or(Error::ENOENT),
        }
    }
    fn rebind(&mut self, asid: usize, name: &str, registration: usize) -> Result<(), Error> {
        if !self.may(asid, Right::Provide, name) {
            return Err(Error::EACCESS);
        }
        self.bindings.get_mut(name).map(|binding| *binding = (asid, registration)).ok_or(Error::ENOENT)
    }
}

#[derive(Clone, Debug)]
enum Operation {
    BindBoot(String),
    Bind(String),
    Lookup(String),
    Unbind(String),
    Rebind(String),
    Allow(String, bool),
    Inherit(usize),
    Forget,
}
fn operation() -> impl Strategy<Value = (usize, Operation)> {
    // Few names, some of them around the length of a word; few patterns.
    let name = || "[ab]{1,2}(\\.[ab]{1,2})?|aaaaaaa[ab]{0,3}|[ab]{47}";
    let pattern = "[ab]{0,2}\\*|[ab]{1,2}\\.\\*|aaaaaaa[ab]?\\*?|[ab]{1,2}|[ab]{46}\\*|a\\*b";
    let operation = prop_oneof![
        1 => name().prop_map(Operation::BindBoot),
        6 => name().prop_map(Operation::Bind),
        8 => name().prop_map(Operation::Lookup),
        4 => name().prop_map(Operation::Unbind),
        3 => name().prop_map(Operation::Rebind),
        5 => (pattern, any::<bool>()).prop_map(|(pattern, provide)| Operation::Allow(pattern, provide)),
        2 => (0..DOMAINS).prop_map(Operation::Inherit),
        1 => Just(Operation::Forget),
    ];
    (0..DOMAINS, operation)
}

proptest! {
    #![proptest_config(properties::config(300))]

    #[test]
    fn names_do_what_plain_maps_do(operations in proptest::collection::vec(operation(), 1..150)) {
        let name = |text: &str| Name::of(text).unwrap();
        let (mut names, mut model) = (Names::new(), Model::default());
        for (step, (asid, operation)) in operations.into_iter().enumerate() {
            match operation {
                Operation::BindBoot(text) => {
                    let words = name(&text).words()[..6].try_into().unwrap();
                    names.bind_boot(asid, Box::leak(Box::new(words)), step).unwrap();
                    model.bindings.insert(text, (asid, step));
                }
                Operation::Bind(text) => prop_assert_eq!(names.bind(asid, &name(&text), step), model.bind(asid, &text, step)),
                Operation::Lookup(text) => prop_assert_eq!(names.lookup(asid, &name(&text)), model.lookup(asid, &text)),
                Operation::Rebind(text) => prop_assert_eq!(names.rebind(asid, &name(&text), step), model.rebind(asid, &text, step)),
                Operation::Unbind(text) => prop_assert_eq!(names.unbind(asid, &name(&text)), model.unbind(asid, &text)),
                Operation::Allow(pattern, provide) => {
                    let right = if provide { Right::Provide } else { Right::Open };
                    names.allow(asid, &name(&pattern), right).unwrap();
                    model.rules.entry(asid).or_default().push((pattern, right));
                }
                Operation::Inherit(parent) => {
                    names.inherit(asid, parent).unwrap();
                    let rules = model.rules.get(&parent).cloned().unwrap_or_default();
                    model.rules.insert(asid, rules);
                }
                Operation::Forget => {
                    names.forget(asid);
                    model.rules.remove(&asid);
                    model.bindings.retain(|_, (owner, _)| *owner != asid);
                }
            }
        }
        for text in model.bindings.keys() {
            for asid in 0..DOMAINS {
                prop_assert_eq!(names.lookup(asid, &name(text)), model.lookup(asid, text), "{} of {}", text, asid);
            }
        }
    }
}
