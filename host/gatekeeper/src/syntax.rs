//! The crate's syntax after its macros are expanded (`-Zunpretty=ast-tree,expanded`): attributes, what is external, assembly, and the names of its own macros.

use crate::attributes;
use crate::expansions::Expansions;
use crate::macros;
use crate::refusal::{Refusals, Rule};
use crate::tree::Tree;
use std::collections::HashSet;

/// A name without the number of its context.
pub fn name(text: &str) -> &str {
    text.rsplit_once('#').map_or(text, |(name, _)| name)
}
/// The macros that the crate defines, those that other macros make included.
pub fn own_macros(tree: &Tree) -> HashSet<String> {
    let definitions = tree.all().filter(|&at| tree.line(at).text == "MacroDef" && tree.line(at).label == "kind");
    definitions.filter_map(|at| tree.children(at).next()).map(|at| name(tree.line(at).text).to_string()).collect()
}
/// The path of an attribute, which is the first path in it.
fn path(tree: &Tree, attribute: usize) -> Option<String> {
    let path = tree.below(attribute).find(|&at| tree.line(at).label == "path" && tree.line(at).text == "Path")?;
    let segments = tree.below(path).filter(|&at| tree.line(at).label == "ident");
    Some(segments.map(|at| name(tree.line(at).text)).collect::<Vec<_>>().join("::"))
}
/// Traces that the compiler leaves of attributes that it has taken away.
const TRACES: [&str; 2] = ["<cfg_trace>", "<cfg_attr_trace>"];

struct Look<'l, 't> {
    tree: &'l Tree<'t>,
    expansions: &'l Expansions,
    refusals: &'l mut Refusals,
}
impl Look<'_, '_> {
    fn refuse(&mut self, at: usize, rule: Rule, why: impl Into<String>) {
        self.refusals.add(rule, self.tree.place(at), why);
    }
    /// Whether the compiler or a macro of the standard library has written it.
    fn is_given(&self, at: usize) -> bool {
        self.tree
            .span(at)
            .is_none_or(|span| self.expansions.is_given(span.context) || self.expansions.is_of_compiler(span.context))
    }
    fn attribute(&mut self, at: usize) {
        let Some(path) = path(self.tree, at) else { return };
        if self.is_given(at) || TRACES.contains(&&*path) {
            return;
        }
        let below = || self.tree.below(at).map(|at| self.tree.line(at));
        if below().any(|line| line.label == "unsafety" && line.text != "Default") {
            return self.refuse(at, Rule::Attr, "attributes that are unsafe are not for extensions");
        }
        if let Some((rule, why)) = attributes::refused(&path) {
            self.refuse(at, rule, why);
        }
        // All words of its arguments, in order.
        let quoted = below().filter(|line| line.text.starts_with('"'));
        let words: Vec<&str> = quoted.map(|line| line.text.trim_matches('"')).collect();
        let alignments = words.windows(2).filter(|pair| pair[0] == "align").map(|pair| format!("align({})", pair[1]));
        let refused = alignments.filter_map(|text| attributes::refused_representation(&text)).next();
        if path == "repr"
            && let Some((rule, why)) = refused
        {
            self.refuse(at, rule, why);
        }
    }
    fn line(&mut self, at: usize) {
        let line = self.tree.line(at);
        match (line.label, line.text) {
            ("", "Attribute") => self.attribute(at),
            ("kind", "ForeignMod") => self.refuse(at, Rule::Extern, "an extension calls nothing by its symbol"),
            ("ext", text) if text != "None" => {
                self.refuse(at, Rule::Extern, "a function has Rust's way of calling, and no symbol of its own");
            }
            ("kind", "GlobalAsm" | "InlineAsm") => {
                self.refuse(at, Rule::Asm, "machine code, of which no type says anything");
            }
            ("kind", "MacroDef") => {
                let defined = self.tree.children(at).next().map(|at| name(self.tree.line(at).text).to_string());
                if let Some(defined) = defined
                    && macros::is_taken(&defined)
                {
                    self.refuse(at, Rule::Macro, format!("{defined} is the name of one of the compiler's macros"));
                }
            }
            _ => {}
        }
    }
}
pub fn look(tree: &Tree, expansions: &Expansions, refusals: &mut Refusals) {
    let mut look = Look { tree, expansions, refusals };
    tree.all().for_each(|at| look.line(at));
}
