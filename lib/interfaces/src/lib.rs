//! What servers provide, written once: a file for each has its portals' names, specifications, arguments and results.
//!
//! ```text
//! /// The registration of that name. `EACCESS`: …
//! "names.lookup", "smir": fn lookup(domain: DomainNumber, name: Alleged<Name>) -> Result<usize>;
//! ```
//!
//! From such a line come
//! - `names::lookup(domain, name)`, which calls the portal; a component that does not call it does not open it; `names::anew::lookup`, which opens it
//!   again where the server has ended; `names::optional`, for who runs in systems that lack it too; and, of what every domain has at a number
//!   (`"thread.exit" = THREAD_EXIT`), `portals::own`, which calls that;
//! - a field of `names::Server`, which `pebble::serve!` fills: a server that lacks a portal of its interface, has another one, or takes
//!   other types is an error of the compiler;
//! - a row of the book's manual (`./pebble manual`; `./pebble check` compares it), and the names and kinds by which a tracer prints arguments
//!   ([`Portal::passed`], [`types::Kind::shown`]);
//! - what a replacement of the server is held against when a system is built ([`Portal::accepts`]).
//!
//! What the portal itself inserts (the letters `c`, `=`, `t`, `a`, `h`, `d`) stands in brackets before the arguments: the server gets it, the
//! caller does not pass it. An argument's type is one word ([`types::Word`]), and the same on both sides, so a typed call is the
//! instructions of an untyped one. That the type fits its letter is checked when this crate is compiled.
#![cfg_attr(not(test), no_std)]

#[macro_use]
mod declaration;
#[cfg(target_os = "none")]
pub mod import;
pub mod types;

pub mod block;
pub mod capability;
pub mod clock;
pub mod console;
pub mod descriptor;
pub mod disk;
pub mod domains;
pub mod entropy;
pub mod files;
pub mod images;
pub mod init;
pub mod inspect;
pub mod internet;
pub mod interrupts;
pub mod linker;
pub mod memory;
pub mod names;
pub mod network;
pub mod portals;
pub mod scheduler;
pub mod time;
pub mod updates;

pub use types::{Argument, Kind};

/// What one server provides.
pub struct Interface {
    /// What the manual calls the server, with the folder of its source.
    pub title: &'static str,
    pub portals: &'static [Portal],
}
/// One portal of an interface.
pub struct Portal {
    pub name: &'static str,
    pub specification: &'static str,
    /// Where it is in every domain's table; `None`: it has to be opened.
    pub number: Option<usize>,
    /// How many of the arguments, the first ones, the portal inserts.
    pub inserted: usize,
    /// What the server gets, one for each letter behind stack and state.
    pub arguments: &'static [Argument],
    /// The result's type, as in the source.
    pub result: &'static str,
    /// What it does, in a sentence.
    pub means: &'static str,
}

/// All interfaces that are written so.
pub const ALL: &[&Interface] = &[
    &scheduler::INTERFACE,
    &interrupts::INTERFACE,
    &memory::INTERFACE,
    &portals::INTERFACE,
    &domains::INTERFACE,
    &inspect::INTERFACE,
    &names::INTERFACE,
    &init::INTERFACE,
    &images::INTERFACE,
    &clock::INTERFACE,
    &time::INTERFACE,
    &console::INTERFACE,
    &files::INTERFACE,
    &disk::INTERFACE,
    &block::INTERFACE,
    &network::INTERFACE,
    &internet::INTERFACE,
    &entropy::INTERFACE,
    &capability::INTERFACE,
    &linker::INTERFACE,
    &updates::INTERFACE,
];

/// The portal of that name. `None`: no interface has one.
pub fn portal(name: &str) -> Option<&'static Portal> {
    ALL.iter().flat_map(|interface| interface.portals).find(|portal| portal.name == name)
}

impl Portal {
    /// What a caller passes.
    pub fn passed(&self) -> &'static [Argument] {
        &self.arguments[self.inserted..]
    }
    /// Whether a program that provides the portal by `specification` takes what callers pass: stack, state and what is inserted are the
    /// program's own affair.
    pub fn accepts(&self, specification: &str) -> bool {
        fn passed(specification: &str) -> impl Iterator<Item = char> + '_ {
            specification.chars().skip(2).filter(|letter| !"c=tahd".contains(*letter))
        }
        passed(self.specification).eq(passed(specification))
    }
    /// Its row in the book's manual.
    pub fn row(&'static self) -> impl core::fmt::Display {
        core::fmt::from_fn(|f| {
            write!(f, "| `{}` | `{}` | (", self.name, self.specification)?;
            for (n, argument) in self.passed().iter().enumerate() {
                write!(f, "{}{}", if n > 0 { ", " } else { "" }, argument.name)?;
            }
            write!(f, "):{} |", self.means)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_portal_is_found_by_its_name() {
        let lookup = portal("names.lookup").unwrap();
        let passed: Vec<&str> = lookup.passed().iter().map(|argument| argument.name).collect();
        assert_eq!((lookup.specification, passed), ("smir", vec!["domain", "name"]));
        assert!(portal("names.looku").is_none() && portal("").is_none());
    }
    #[test]
    fn no_name_is_in_two_interfaces() {
        let mut all: Vec<&str> = ALL.iter().flat_map(|i| i.portals).map(|p| p.name).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }
    #[test]
    fn what_every_domain_has_is_in_an_interface_under_its_number() {
        for &(number, name) in abi::system::ALL {
            let found = portal(name).and_then(|portal| portal.number);
            // The nucleus answers those itself.
            let expected = if name.starts_with("nucleus.") { None } else { Some(number) };
            assert_eq!(found, expected, "{name}");
        }
        assert!(portal("names.lookup").unwrap().number.is_none());
    }
    #[test]
    fn what_the_nucleus_raises_goes_to_handlers_of_interfaces() {
        use abi::wiring::{EXCEPTIONS, INTERRUPTS, RAISED};
        for name in RAISED.iter().chain(&INTERRUPTS).map(|(_, name)| *name).chain([EXCEPTIONS]) {
            assert_eq!(portal(name).map(|portal| portal.specification), Some("sx"), "{name}");
        }
    }
    #[test]
    fn a_calls_words_are_shown_by_their_kinds() {
        let bind = portal("names.bind").unwrap();
        let shown = bind.passed().iter().zip([7, 0x5000_0000, 3]);
        let shown: Vec<String> =
            shown.map(|(argument, word)| format!("{}: {}", argument.name, argument.kind.shown(word))).collect();
        assert_eq!(shown.join(", "), "domain: 7, name: 0x50000000, registration: 3");
    }
    #[test]
    fn a_row_of_the_manual_has_what_the_caller_passes() {
        let row = portal("names.inherit").unwrap().row().to_string();
        assert_eq!(
            row,
            "| `names.inherit` | `smii` | (child, parent): The child may what the parent may; portal manager |"
        );
    }
    #[test]
    fn a_replacement_takes_what_callers_pass() {
        let bind = portal("names.bind").unwrap();
        assert!(bind.accepts("smiri") && bind.accepts("npiri") && bind.accepts("npaciri"));
        assert!(!bind.accepts("smiwi") && !bind.accepts("smir") && !bind.accepts("smiiri"));
    }
}
