//! What is refused, and by which rule. `docs/src/extensions.md` says of each rule what it is for.

use std::collections::HashSet;
use std::fmt;

/// The rules, by the names that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    Any,
    Asm,
    Async,
    Attr,
    Build,
    Builtin,
    Compiler,
    Copy,
    Dyn,
    Explicit,
    Extern,
    Feature,
    FnPtr,
    Forget,
    Hrtb,
    Iface,
    Link,
    Lint,
    Macro,
    Name,
    Package,
    Pin,
    Promote,
    PtrInt,
    Quota,
    Rigid,
    Send,
    Size,
    Stack,
    Static,
    Time,
}
impl Rule {
    pub const ALL: [Rule; 31] = [
        Rule::Any,
        Rule::Asm,
        Rule::Async,
        Rule::Attr,
        Rule::Build,
        Rule::Builtin,
        Rule::Compiler,
        Rule::Copy,
        Rule::Dyn,
        Rule::Explicit,
        Rule::Extern,
        Rule::Feature,
        Rule::FnPtr,
        Rule::Forget,
        Rule::Hrtb,
        Rule::Iface,
        Rule::Link,
        Rule::Lint,
        Rule::Macro,
        Rule::Name,
        Rule::Package,
        Rule::Pin,
        Rule::Promote,
        Rule::PtrInt,
        Rule::Quota,
        Rule::Rigid,
        Rule::Send,
        Rule::Size,
        Rule::Stack,
        Rule::Static,
        Rule::Time,
    ];
}
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::PtrInt => f.write_str("PTR-INT"),
            rule => f.write_str(&format!("{rule:?}").to_uppercase()),
        }
    }
}

/// A place in the source: a file as it is called in the extension's folder, and a line from 1 on; 0 where it is of the whole file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: String,
    pub line: usize,
}
impl Place {
    pub fn whole(file: &str) -> Place {
        Place { file: file.into(), line: 0 }
    }
}

/// Why an extension is not signed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    pub place: Place,
    pub rule: Rule,
    pub why: String,
}
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { place: Place { file, line }, rule, why } = self;
        write!(f, "{rule}, {file}:{line}: ")?;
        // Words of a stranger's are among them: none of these does something to a terminal, or begins a line.
        why.chars()
            .try_for_each(|c| if c.is_control() { write!(f, "{}", c.escape_default()) } else { write!(f, "{c}") })
    }
}

/// What the looks at an extension have found so far: of one rule in one line the first.
#[derive(Default)]
pub struct Refusals {
    all: Vec<Refusal>,
    seen: HashSet<(Rule, Place)>,
}
impl Refusals {
    pub fn add(&mut self, rule: Rule, place: Place, why: impl Into<String>) {
        if self.seen.insert((rule, place.clone())) {
            self.all.push(Refusal { place, rule, why: why.into() });
        }
    }
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
    pub fn has(&self, rule: Rule) -> bool {
        self.all.iter().any(|refusal| refusal.rule == rule)
    }
    /// In the order of the source, whose files `is_own` knows: what stands in code of others is said of the `root`.
    pub fn sorted(self, root: &str, is_own: impl Fn(&str) -> bool) -> Vec<Refusal> {
        let mut own = Refusals::default();
        for Refusal { place, rule, why } in self.all {
            let place = if rule == Rule::Package || is_own(&place.file) { place } else { Place::whole(root) };
            own.add(rule, place, why);
        }
        own.all.sort();
        own.all
    }
}
