//! Which expansion of a macro something comes from: the compiler's table, as it stands below the expanded source (`-Zunpretty=expanded,hygiene`).

use crate::attributes;
use crate::macros;
use crate::refusal::{Place, Refusals, Rule};
use std::collections::{HashMap, HashSet};

/// What made an expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Maker {
    /// A macro that is called, by the path that it is called by.
    Called(String),
    Derived(String),
    /// A macro that is an attribute, by its path.
    Attribute(String),
    /// The compiler itself.
    Compiler,
}
struct Expansion {
    maker: Maker,
    /// The context of the words that called the macro.
    called_in: usize,
}
/// Expansions by the numbers of contexts: only those in this crate.
pub struct Expansions {
    contexts: HashMap<usize, usize>,
    all: Vec<Expansion>,
    own: HashSet<String>,
}
fn last(path: &str) -> &str {
    path.rsplit_once("::").map_or(path, |(_, name)| name)
}
fn maker(text: &str) -> Option<Maker> {
    let Some(kind) = text.strip_prefix("Macro(") else { return Some(Maker::Compiler) };
    let (kind, name) = kind.strip_suffix(')')?.split_once(", ")?;
    let path = name.trim_matches('"');
    let name = path.rsplit("::").next()?.trim().to_string();
    match kind {
        "Bang" => Some(Maker::Called(path.replace(' ', ""))),
        "Derive" => Some(Maker::Derived(name)),
        _ => Some(Maker::Attribute(path.into())),
    }
}
impl Expansions {
    /// Reads the table behind the last mark of one: what the source has of that kind comes before. `own` are the macros that the crate defines.
    pub fn read(text: &str, own: HashSet<String>) -> Option<Expansions> {
        let (_, table) = text.rsplit_once("\n/*\nExpansions:\n")?;
        let (expansions, contexts) = table.split_once("\nSyntaxContexts:\n")?;
        let mut by_name = HashMap::new();
        let mut all = Vec::new();
        for line in expansions.lines() {
            let (name, rest) = line.split_once(": parent: ")?;
            let maker = maker(rest.split_once(", kind: ")?.1)?;
            let called_in = rest.split_once("call_site_ctxt: #")?.1.split_once(',')?.0.parse().ok()?;
            // Those of other crates are of their own code.
            if name.starts_with("crate0::") {
                by_name.insert(name, all.len());
                all.push(Expansion { maker, called_in });
            }
        }
        let mut found = HashMap::new();
        for line in contexts.lines().take_while(|line| line.starts_with('#')) {
            let (number, rest) = line[1..].split_once(": parent: ")?;
            let mark = rest.split_once("outer_mark: (")?.1.split_once(", ")?.0;
            if let Some(&expansion) = by_name.get(mark) {
                found.insert(number.parse().ok()?, expansion);
            }
        }
        Some(Expansions { contexts: found, all, own })
    }
    fn expansion(&self, context: usize) -> Option<&Expansion> {
        self.contexts.get(&context).map(|&index| &self.all[index])
    }
    /// Whether a macro, by the path that it is called by, is the extension's. By another's path a name is another's, whatever the extension has.
    fn is_own(&self, path: &str) -> bool {
        let (way, name) = path.rsplit_once("::").unwrap_or(("", path));
        self.own.contains(name) && ["", "crate", "self", "super", "$crate"].contains(&way)
    }
    /// Whether it is of the standard library's code: of a macro that an extension has, or of one that such a macro calls.
    pub fn is_given(&self, context: usize) -> bool {
        let within = std::iter::successors(Some(context), |&context| Some(self.expansion(context)?.called_in));
        // As many steps as there are expansions lead to the root.
        within.take(self.all.len() + 1).any(|context| match self.expansion(context).map(|expansion| &expansion.maker) {
            Some(Maker::Called(path)) => macros::is_given(last(path)) && !self.own.contains(last(path)),
            Some(Maker::Derived(name)) => macros::is_derived(name),
            _ => false,
        })
    }
    /// The compiler's own additions, such as the prelude.
    pub fn is_of_compiler(&self, context: usize) -> bool {
        context != 0 && self.expansion(context).is_some_and(|expansion| expansion.maker == Maker::Compiler)
    }
    /// Refuses macros that are not among those an extension has, by whatever way they were called.
    pub fn look(&self, root: &str, refusals: &mut Refusals) {
        for Expansion { maker, called_in } in &self.all {
            let refused = match maker {
                _ if self.is_given(*called_in) => None,
                Maker::Called(path) if self.is_own(path) => None,
                Maker::Called(path) => macros::refused(last(path)),
                Maker::Derived(name) if !macros::is_derived(name) => {
                    Some((Rule::Macro, format!("{name} can not be derived in an extension")))
                }
                Maker::Attribute(name) => attributes::refused(name),
                _ => None,
            };
            if let Some((rule, why)) = refused {
                refusals.add(rule, Place::whole(root), why);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"pub const FORGED: &str = "x";
/*
Expansions:
crate0::{{expn0}}: parent: crate0::{{expn0}}, call_site_ctxt: #0, def_site_ctxt: #0, kind: Root
crate0::{{expn1}}: parent: crate0::{{expn0}}, call_site_ctxt: #0, def_site_ctxt: #0, kind: AstPass(StdImports)
crate0::{{expn2}}: parent: crate0::{{expn0}}, call_site_ctxt: #0, def_site_ctxt: #0, kind: Macro(Derive, "Debug")
crate0::{{expn3}}: parent: crate0::{{expn0}}, call_site_ctxt: #0, def_site_ctxt: #0, kind: Macro(Bang, "core::vec")
crate0::{{expn4}}: parent: crate0::{{expn3}}, call_site_ctxt: #3, def_site_ctxt: #0, kind: Macro(Bang, "$crate::inner")
crate1::{{expn9}}: parent: crate0::{{expn0}}, call_site_ctxt: #0, def_site_ctxt: #0, kind: Macro(Bang, "asm")

SyntaxContexts:
#0: parent: #0, outer_mark: (crate0::{{expn0}}, Opaque)
#1: parent: #0, outer_mark: (crate0::{{expn1}}, Opaque)
#2: parent: #0, outer_mark: (crate0::{{expn2}}, Opaque)
#3: parent: #0, outer_mark: (crate0::{{expn3}}, SemiOpaque)
#5: parent: #3, outer_mark: (crate0::{{expn4}}, SemiOpaque)
*/"#;

    #[test]
    fn a_context_is_of_who_made_it() {
        let table = Expansions::read(TABLE, HashSet::new()).unwrap();
        assert_eq!([0, 1, 2, 3, 4].map(|context| table.is_given(context)), [false, false, true, true, false]);
        assert_eq!([0, 1, 2].map(|context| table.is_of_compiler(context)), [false, true, false]);
        assert!(table.is_given(5), "what a macro of the library calls is the library's");
    }
    #[test]
    fn a_macro_of_the_extensions_own_is_not_the_librarys() {
        let own = HashSet::from(["vec".to_string()]);
        assert!(!Expansions::read(TABLE, own).unwrap().is_given(3));
    }
}
