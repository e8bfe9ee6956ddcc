//! The crate's items with their names resolved (`-Zunpretty=hir-tree`): types as they are written, bounds, imports, impls. What is in bodies is here too, with
//! paths as they were resolved; its types are in `bodies.rs`.

use crate::attributes;
use crate::copied::Types;
use crate::expansions::Expansions;
use crate::macros;
use crate::names::{self, Word};
use crate::refusal::{Refusals, Rule};
use crate::resolved::{Owner, definition, kind, owners, projection};
use crate::syntax::name;
use crate::tree::Tree;
use std::collections::{HashMap, HashSet};

/// Names that modules of an extension do not have, beside those of the interfaces that it is given.
const RESERVED: [&str; 7] = ["core", "alloc", "std", "host", "pebble", "proc_macro", "extension_runtime"];
/// Types of the standard library whose values stay as they are where they are shared, and which threads may share.
const FROZEN: [&str; 25] = [
    "alloc::alloc::Global",
    "alloc::borrow::Cow",
    "alloc::boxed::Box",
    "alloc::collections::",
    "alloc::string::String",
    "alloc::vec::Vec",
    "core::array::",
    "core::char::",
    "core::ascii::",
    "core::cmp::Ordering",
    "core::cmp::Reverse",
    "core::convert::Infallible",
    "core::fmt::Error",
    "core::iter::",
    "core::marker::PhantomData",
    "core::net::",
    "core::num::",
    "core::ops::",
    "core::option::Option",
    "core::range::",
    "core::result::Result",
    "core::slice::",
    "core::str::",
    "core::time::Duration",
    "core::sync::atomic::Ordering",
];
fn is_frozen(path: &str) -> bool {
    names::is_interface(path)
        || FROZEN.iter().any(|frozen| path == *frozen || frozen.ends_with("::") && path.starts_with(frozen))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Static,
    Constant,
    ReturnsHidden,
    Other,
}
/// What is known of the crate's items by their paths.
#[derive(Default)]
pub struct Items {
    kinds: HashMap<String, Kind>,
    /// Types that are not, or not to be seen to be, frozen.
    shared: HashSet<String>,
}
impl Items {
    pub fn is_static(&self, path: &str) -> bool {
        self.kinds.get(path) == Some(&Kind::Static)
    }
    pub fn is_constant(&self, path: &str) -> bool {
        let anonymous =
            path.rsplit("::").next().is_some_and(|last| last.starts_with("{constant") || last.starts_with("{anon"));
        anonymous || self.kinds.get(path) == Some(&Kind::Constant)
    }
    /// Whether it is a public function that returns a value whose type has no name, and does not say that it is `Send` and `Sync`.
    pub fn returns_hidden(&self, path: &str) -> bool {
        self.kinds.get(path) == Some(&Kind::ReturnsHidden)
    }
    /// A type within a method is called by what the method is in, which the compiler prints in more than one way: what is behind that says which it is.
    fn is_shared(&self, path: &str) -> bool {
        let within = |shared: &String| {
            let rest = shared.rsplit_once('}').map(|(_, rest)| rest.trim_start_matches("::"));
            rest.is_some_and(|rest| path.strip_suffix(rest).is_some_and(|of| of.is_empty() || of.ends_with("::")))
        };
        self.shared.contains(path) || self.shared.iter().any(within)
    }
    /// Whether a value of a type has state that changes while it is shared, or may not be shared. The type is as the compiler prints it.
    pub fn is_shared_state(&self, text: &str) -> bool {
        let words = names::words(text);
        words.iter().enumerate().any(|(at, word)| match word {
            Word::Foreign(..) => true,
            Word::Own(path) => self.is_shared(path),
            Word::Path(path) if ["core::", "alloc::", "std::"].iter().any(|krate| path.starts_with(krate)) => {
                !is_frozen(path)
            }
            // The type of a closure has that of its call in it, which is no pointer.
            Word::Path("fn") => at.checked_sub(1).map(|before| words[before]) != Some(Word::Quoted),
            Word::Path(path) => *path == "dyn" || self.is_shared(path),
            Word::Mark('*') => true,
            _ => false,
        })
    }
}

/// Whether something below is a parameter: a type's, or a trait's own `Self`.
fn has_parameter(tree: &Tree, at: usize) -> bool {
    tree.below(at).any(|below| match tree.line(below).text {
        "Def" => definition(tree, below).is_some_and(|(kind, _)| kind == "TyParam"),
        "SelfTyParam" => true,
        _ => false,
    })
}
/// Whether an item of a type's other name is at this line.
fn is_alias(tree: &Tree, at: usize) -> bool {
    tree.line(at).label == "kind" && tree.line(at).text == "TyAlias"
}
/// Parameters, and bounds of them, that an item has at most: what they say of each other is looked at in all their pairs.
const PARAMETERS: usize = 64;

struct Look<'l, 't> {
    tree: &'l Tree<'t>,
    expansions: &'l Expansions,
    types: &'l Types,
    given: &'l [String],
    refusals: &'l mut Refusals,
}
impl Look<'_, '_> {
    fn refuse(&mut self, at: usize, rule: Rule, why: impl Into<String>) {
        self.refusals.add(rule, self.tree.place(at), why);
    }
    fn is_given(&self, at: usize) -> bool {
        self.tree
            .span(at)
            .is_none_or(|span| self.expansions.is_given(span.context) || self.expansions.is_of_compiler(span.context))
    }
    fn is_within(&self, at: usize, names: &[&str]) -> bool {
        self.tree.around(at).any(|at| names.contains(&self.tree.line(at).text))
    }
    /// An associated type where no body is looked at: in a field, a bound, a hidden type or the value of an associated type.
    fn open(&mut self, at: usize) {
        let places = ["FieldDef", "WherePredicate", "OpaqueTy"];
        let alias = self.tree.around(at).any(|around| is_alias(self.tree, around));
        let of_impl = self.tree.around(at).any(|around| {
            self.tree.line(around).text == "ImplItem"
                && self.tree.field(around, "kind").is_some_and(|kind| self.tree.line(kind).text == "Type")
        });
        if !alias && !of_impl && !self.is_within(at, &places) {
            return;
        }
        if let Some(of) = projection(self.tree, at)
            && has_parameter(self.tree, of)
        {
            self.refuse(
                at,
                Rule::Rigid,
                "an associated type of a parameter stays open: name it, as in I: Iterator<Item = T>",
            );
        }
    }
    fn binder(&mut self, at: usize) {
        let field = |label| self.tree.field(at, label);
        let binder = field("source").is_some_and(|at| self.tree.line(at).text == "Binder");
        let explicit =
            field("kind").is_some_and(|kind| self.tree.below(kind).any(|at| self.tree.line(at).text == "Explicit"));
        if binder && explicit {
            self.refuse(
                at,
                Rule::Hrtb,
                "a bound over all lifetimes, but for Fn(&T), is believed where it does not hold",
            );
        }
    }
    fn path(&mut self, at: usize) {
        if let Some((kind, Word::Foreign(krate, path))) = definition(self.tree, at) {
            if self.is_given(at) {
                return;
            }
            let last = path.rsplit("::").next().unwrap_or_default();
            if kind == "Macro" && !macros::is_derived(last) && attributes::refused(last).is_some() {
                let refused = macros::refused(last);
                return refused.into_iter().for_each(|(rule, why)| self.refuse(at, rule, why));
            }
            names::refused(krate, path).into_iter().for_each(|(rule, why)| self.refuse(at, rule, why));
        }
    }
    fn line(&mut self, at: usize) {
        let line = self.tree.line(at);
        match (line.label, line.text) {
            (_, "Def") => self.path(at),
            (_, "GenericParam") => self.binder(at),
            ("params" | "predicates", _) if self.tree.children(at).nth(PARAMETERS).is_some() => {
                self.refuse(at, Rule::Build, format!("an item has at most {PARAMETERS} parameters and bounds of them"));
            }
            ("kind", "Path") => self.open(at),
            ("asyncness", "Async") => {
                self.refuse(at, Rule::Async, "asynchronous code needs Pin, whose macro is unsound")
            }
            ("kind", text) if text.starts_with("Coroutine") => {
                self.refuse(at, Rule::Async, "asynchronous code needs Pin, whose macro is unsound");
            }
            _ if self.is_given(at) => {}
            ("kind", "Ptr") => self.refuse(at, Rule::PtrInt, "a raw pointer"),
            ("kind", "FnPtr") => {
                self.refuse(at, Rule::FnPtr, "a function pointer: its type forgets what the function's says")
            }
            ("kind", "TraitObject") => self.refuse(at, Rule::Dyn, "a trait object: what it calls no type says"),
            _ => {}
        }
    }
    fn external_crate(&mut self, owner: &Owner, kind: usize) {
        if self.is_given(kind) {
            return;
        }
        let mut words = self.tree.children(kind).map(|at| self.tree.line(at).text);
        let (renamed, called) = (words.next() != Some("None"), words.next().map(name).unwrap_or_default());
        if renamed || !["core", "alloc"].contains(&called) || owner.path.contains("::") {
            self.refuse(
                kind,
                Rule::Name,
                "an extension has the crates core and alloc, by their names and where it begins",
            );
        }
    }
    /// A name that could be taken for a crate's.
    fn names_a_crate(&mut self, kind: usize) {
        let line = self.tree.line(kind);
        let ident = match line.text {
            "Mod" => self.tree.children(kind).next(),
            "Use" => {
                let single = self.tree.children(kind).find(|&at| self.tree.line(at).text == "Single");
                let ident = single.and_then(|at| self.tree.children(at).next());
                let last = self.tree.below(kind).rfind(|&at| self.tree.line(at).label == "ident");
                let same =
                    |one: usize, other: usize| name(self.tree.line(one).text) == name(self.tree.line(other).text);
                ident.filter(|&ident| last.is_none_or(|last| !same(ident, last)))
            }
            _ => None,
        };
        if let Some(called) = ident.map(|ident| name(self.tree.line(ident).text))
            && (RESERVED.contains(&called) || self.given.iter().any(|given| given == called))
        {
            self.refuse(
                kind,
                Rule::Iface,
                "has the name of a crate: types of an interface are that crate's own, whatever theirs are called",
            );
        }
    }
    /// Whether it is a public function that returns what has a type without a name, and does not say what threads may do with it.
    fn returns_hidden(&self, kind: usize) -> bool {
        let item = self.tree.parent(kind);
        // Who has a trait has its methods.
        let of_trait = |item| {
            let impl_kind = self.tree.field(item, "impl_kind").map(|at| self.tree.line(at).text);
            self.tree.line(item).text == "TraitItem" || impl_kind == Some("Trait")
        };
        // Of a method it stands with what kind of impl it is in.
        let visible =
            item.into_iter().flat_map(|item| self.tree.below(item)).find(|&at| self.tree.line(at).label == "vis_span");
        // A place without a length: no word.
        let public = item.is_some_and(of_trait)
            || visible.is_some_and(|at| {
                let text = self.tree.line(at).text;
                let ends: Vec<&str> = text.split(": ").flat_map(|part| part.split(" (")).collect();
                ends.len() == 3 && !ends[0].ends_with(ends[1])
            });
        let mut opaque = self.tree.below(kind).filter(|&at| self.tree.line(at).text == "OpaqueTy");
        public
            && opaque.any(|at| {
                let found = self.tree.below(at).filter(|&at| self.tree.line(at).text == "Def");
                let traits: Vec<&str> = found
                    .filter_map(|at| match definition(self.tree, at) {
                        Some(("Trait", Word::Foreign("core", path))) => Some(path),
                        _ => None,
                    })
                    .collect();
                let shared = ["marker::Send", "marker::Sync"].iter().all(|path| traits.contains(path));
                !shared
            })
    }
    fn copied(&mut self, kind: usize) {
        if Types::is_copy(self.tree, kind) && !self.is_given(kind) && !self.types.whole(self.tree, kind) {
            self.refuse(
                kind,
                Rule::Copy,
                "holds for some of its types or lifetimes only, and the library copies bit by bit for all",
            );
        }
    }
    /// A name that an import gives to a macro which has another one.
    fn imports_a_macro(&mut self, kind: usize) {
        let single = self.tree.children(kind).find(|&at| self.tree.line(at).text == "Single");
        let Some(ident) = single.and_then(|at| self.tree.children(at).next()) else { return };
        let given = name(self.tree.line(ident).text);
        let found = self.tree.below(kind).filter(|&at| self.tree.line(at).text == "Def");
        let other = found.filter_map(|at| definition(self.tree, at)).any(|(kind, word)| {
            kind == "Macro"
                && match word {
                    Word::Foreign("core" | "alloc" | "std", path) => path.rsplit("::").next() != Some(given),
                    _ => true,
                }
        });
        if other && macros::is_taken(given) {
            self.refuse(kind, Rule::Macro, format!("{given} is the name of one of the compiler's macros"));
        }
    }
    fn item(&mut self, owner: &Owner, kind: usize) -> Kind {
        match self.tree.line(kind).text {
            "ExternCrate" => self.external_crate(owner, kind),
            "Mod" => self.names_a_crate(kind),
            "Use" => {
                self.names_a_crate(kind);
                self.imports_a_macro(kind);
            }
            "Fn" if self.returns_hidden(kind) => return Kind::ReturnsHidden,
            "Impl" => self.copied(kind),
            "Static" => {
                if self.tree.children(kind).next().is_some_and(|first| self.tree.line(first).text == "Mut") {
                    self.refuse(
                        kind,
                        Rule::Static,
                        "a static whose value can change: state that all activations share",
                    );
                }
                return Kind::Static;
            }
            "Const" => return Kind::Constant,
            _ => {}
        }
        Kind::Other
    }
}
/// The types that are made of others which are not frozen, or of what can not be seen through.
fn shared(tree: &Tree, owners: &[Owner]) -> HashSet<String> {
    let mut made_of: HashMap<&str, Vec<String>> = HashMap::new();
    let mut shared = HashSet::new();
    for owner in owners {
        let Some(kind) =
            kind(tree, owner).filter(|&at| ["Struct", "Enum", "Union", "TyAlias"].contains(&tree.line(at).text))
        else {
            continue;
        };
        let mut parts = Vec::new();
        for at in tree.below(kind) {
            match (tree.line(at).label, tree.line(at).text) {
                ("kind", "Ptr" | "FnPtr" | "TraitObject") => {
                    shared.insert(owner.path.clone());
                }
                ("kind", "Path") if projection(tree, at).is_some() => {
                    shared.insert(owner.path.clone());
                }
                (_, "Def") => match definition(tree, at) {
                    Some(("Struct" | "Enum" | "Union" | "TyAlias", Word::Foreign(krate, path)))
                        if !is_frozen(&format!("{krate}::{path}")) =>
                    {
                        shared.insert(owner.path.clone());
                    }
                    Some(("Struct" | "Enum" | "Union" | "TyAlias", Word::Own(path))) => parts.push(path.to_string()),
                    _ => {}
                },
                _ => {}
            }
        }
        made_of.insert(&owner.path, parts);
    }
    loop {
        let more: Vec<String> = made_of
            .iter()
            .filter(|(path, parts)| !shared.contains(**path) && parts.iter().any(|part| shared.contains(part)))
            .map(|(path, _)| (*path).to_string())
            .collect();
        if more.is_empty() {
            return shared;
        }
        shared.extend(more);
    }
}
/// `given` are the names of the interfaces that the extension has.
pub fn look(tree: &Tree, expansions: &Expansions, given: &[String], refusals: &mut Refusals) -> Items {
    let owners = owners(tree);
    let types = Types::of(tree, &owners);
    let mut look = Look { tree, expansions, types: &types, given, refusals };
    let mut items = Items { shared: shared(tree, &owners), ..Items::default() };
    for owner in &owners {
        if let Some(kind) = kind(tree, owner) {
            items.kinds.insert(owner.path.clone(), look.item(owner, kind));
        }
    }
    tree.all().for_each(|at| look.line(at));
    items
}
