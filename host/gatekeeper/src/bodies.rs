//! The bodies of functions, closures, constants and statics, after type checking (`-Zunpretty=thir-tree`): each expression and pattern with its type. What
//! a conversion was made without a word of the source for is here.

use crate::expansions::Expansions;
use crate::items::Items;
use crate::names::{self, Word};
use crate::refusal::{Refusals, Rule};
use crate::tree::Tree;
use std::collections::HashSet;

/// Lines that say where something is, or repeat what the definition of a type says.
const SILENT: [&str; 14] = [
    "did",
    "flags",
    "fn_span",
    "hir_id",
    "id",
    "label",
    "local_id",
    "name",
    "region_scope",
    "repr",
    "self_kind",
    "span",
    "ty_span",
    "variants",
];

struct Look<'l, 't> {
    tree: &'l Tree<'t>,
    expansions: &'l Expansions,
    items: &'l Items,
    /// Functions whose parameters or result are associated types.
    veiled: &'l HashSet<String>,
    refusals: &'l mut Refusals,
}
/// Whether what is called, by its type, is known only when it is called: a pointer, or a trait's method of an object.
fn is_indirect(callee: &str) -> bool {
    let Some((function, arguments)) = callee.split_once("), [").filter(|_| callee.starts_with("FnDef(")) else {
        return callee.contains("fn(");
    };
    let of_trait = function.rsplit("::").nth(1).is_some_and(|part| part.starts_with(char::is_uppercase));
    let mut first = arguments;
    let covers = ["&'{erased} mut ", "&'{erased} ", "alloc::boxed::Box<"];
    while let Some(inner) = covers.iter().find_map(|cover| first.strip_prefix(cover)) {
        first = inner;
    }
    of_trait && ["dyn ", "Binder { value: fn(", "fn("].iter().any(|start| first.starts_with(start))
}
impl Look<'_, '_> {
    fn refuse(&mut self, at: usize, rule: Rule, why: impl Into<String>) {
        self.refusals.add(rule, self.tree.place(at), why);
    }
    /// The words of a line, which may have a type in it.
    fn words(&mut self, at: usize) {
        let given = self.tree.span(at).is_some_and(|span| self.expansions.is_given(span.context));
        let words = names::words(self.tree.line(at).text);
        for (index, word) in words.iter().enumerate() {
            let before = |back: usize| index.checked_sub(back).map(|index| words[index]);
            let found = match word {
                Word::Path("Projection")
                    if before(1) == Some(Word::Mark(':')) && before(2) == Some(Word::Path("kind")) =>
                {
                    vec![(
                        Rule::Rigid,
                        "an associated type of a parameter stays open: name it, as in I: Iterator<Item = T>".into(),
                    )]
                }
                Word::Foreign(_, path) if given => names::refused_in_given_macro(path).into_iter().collect(),
                _ if given => Vec::new(),
                Word::Path("dyn") if !self.shows(at) => {
                    vec![(Rule::Dyn, "a trait object: what it calls no type says".into())]
                }
                Word::Path("fn") if before(1) != Some(Word::Quoted) => {
                    vec![(Rule::FnPtr, "a function pointer: its type forgets what the function's says".into())]
                }
                Word::Path("const" | "mut") if before(1) == Some(Word::Mark('*')) => {
                    vec![(Rule::PtrInt, "a raw pointer".into())]
                }
                Word::Foreign(krate, path) => names::refused(krate, path),
                Word::Path(path) => match path.split_once("::") {
                    Some((krate @ ("core" | "alloc" | "std"), path)) => names::refused(krate, path),
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            };
            found.into_iter().for_each(|(rule, why)| self.refuse(at, rule, why));
        }
    }
    /// The type of an expression, whose kind is at `kind`.
    fn type_of(&self, kind: usize) -> &str {
        let expression = self.tree.around(kind).nth(1);
        expression.and_then(|at| self.tree.field(at, "ty")).map_or("", |at| self.tree.line(at).text)
    }
    /// Whether nobody comes to a line: it is in a branch of a condition that is written out as the other one.
    fn is_dead(&self, at: usize, within: usize) -> bool {
        let lines = self.tree.around(at).take_while(|&around| around != within);
        lines.filter(|&around| ["then", "else"].contains(&self.tree.line(around).label)).any(|branch| {
            let condition = self.tree.parent(branch).and_then(|at| self.tree.field(at, "cond"));
            let value = if self.tree.line(branch).label == "else" { "true" } else { "false" };
            let mut literals =
                condition.into_iter().flat_map(|at| self.tree.below(at)).map(|at| self.tree.line(at).text);
            let kinds = [
                "Binary",
                "Unary",
                "LogicalOp",
                "VarRef",
                "UpvarRef",
                "Call",
                "Let",
                "Field",
                "Deref",
                "Match",
                "Block",
            ];
            let computed = literals.clone().any(|text| kinds.contains(&text));
            !computed && literals.any(|text| text.starts_with("Literal(") && text.contains(&format!("Bool({value})")))
        })
    }
    /// A loop that nothing leaves: no `return`, no `break` of it or to a place outside, no call that does not come back.
    fn endless(&mut self, at: usize) {
        let texts = || self.tree.below(at).map(|below| (below, self.tree.line(below).text));
        let leaves = texts().any(|(below, text)| {
            let leaves = match text {
                "Return" | "Become" => true,
                "Break" | "Continue" => self.leaves(below, at, text == "Break"),
                "Call" => self.type_of(below) == "!",
                _ => false,
            };
            leaves && !self.is_dead(below, at)
        });
        if leaves {
            return;
        }
        let allocates = texts().any(|(_, text)| text.starts_with("FnDef(") && text.contains(" ~ alloc["));
        self.refuse(at, Rule::Time, "a loop that nothing leaves");
        if allocates {
            self.refuse(at, Rule::Quota, "a loop that nothing leaves takes memory");
        }
    }
    /// Whether a jump within the loop at `at` goes out of it.
    fn leaves(&self, jump: usize, at: usize, is_break: bool) -> bool {
        let Some(label) = self.tree.field(jump, "label").map(|label| self.tree.line(label).text) else { return true };
        let own = self.tree.around(at).find_map(|around| self.tree.field(around, "region_scope"));
        if own.is_some_and(|scope| self.tree.line(scope).text == label) {
            return is_break;
        }
        !self.tree.below(at).any(|below| {
            let line = self.tree.line(below);
            line.label == "region_scope" && line.text == label
        })
    }
    /// The value of a constant, of a static or of a function that returns a closure, whose type is that of its body.
    fn value(&mut self, owner: &str, body: usize) {
        let Some(expression) = self.tree.children(body).next() else { return };
        let Some(kind) = self.tree.field(expression, "ty") else { return };
        let kind = self.tree.line(kind).text;
        let shared = self.items.is_shared_state(kind);
        if self.items.is_static(owner) && shared {
            self.refuse(expression, Rule::Static, "a static whose value can change: state that all activations share");
        } else if self.items.returns_hidden(owner) && shared {
            self.refuse(expression, Rule::Send, "a hidden type of what threads may not share, which does not say so");
        } else if self.items.is_constant(owner) && kind.contains('&') && shared {
            self.refuse(expression, Rule::Promote, "a constant that refers to what threads may not share");
        }
    }
    /// A function of the extension that stands for a value. What its associated types imply of its lifetimes is asked where it is called by its name, and only there.
    fn function(&mut self, at: usize) {
        let function =
            names::words(self.type_of(at)).into_iter().find(|word| matches!(word, Word::Own(_) | Word::Foreign(..)));
        let Some(Word::Own(path)) = function else { return };
        let callee = self.tree.around(at).find(|&around| {
            !["Scope", "Expr"].contains(&self.tree.line(around).text)
                && !["kind", "value"].contains(&self.tree.line(around).label)
        });
        if self.veiled.contains(path) && callee.is_none_or(|callee| self.tree.line(callee).label != "fun") {
            self.refuse(at, Rule::Explicit, "a function with an associated type stands for a value, where nobody asks what that implies: call it in a closure");
        }
    }
    /// Whether a line belongs to what is given to a method by which the library shows values part by part.
    fn shows(&self, at: usize) -> bool {
        let debug = "dyn [Binder { value: Trait(core::fmt::Debug), bound_vars: [] }]";
        let call = self.tree.around(at).find(|&around| self.tree.line(around).text == "Call");
        let callee = call.and_then(|call| self.tree.field(call, "ty")).map_or("", |at| self.tree.line(at).text);
        self.tree.line(at).text.starts_with(&format!("&'{{erased}} {debug}"))
            && matches!(names::words(callee).get(2), Some(Word::Foreign("core", path)) if path.starts_with("fmt::builders::"))
    }
    fn line(&mut self, at: usize) {
        let line = self.tree.line(at);
        match (line.label, line.text) {
            (_, "Loop") => self.endless(at),
            ("cast", text)
                if text.starts_with("ReifyFn") || text.starts_with("ClosureFn") || text.starts_with("UnsafeFn") =>
            {
                self.refuse(
                    at,
                    Rule::FnPtr,
                    "a function is made into a pointer: its type forgets what the function's says",
                );
            }
            (_, "InlineAsm") => self.refuse(at, Rule::Asm, "machine code, of which no type says anything"),
            (_, "RawBorrow") => self.refuse(at, Rule::PtrInt, "a raw pointer"),
            (_, "Call") => {
                let callee = self.tree.field(at, "ty").map_or("", |at| self.tree.line(at).text);
                if is_indirect(callee) {
                    self.refuse(
                        at,
                        Rule::Stack,
                        "what is called here no type says, so nor does anything how deep it goes",
                    );
                }
            }
            (_, text) if text.starts_with("ZstLiteral") => self.function(at),
            (label, _) if SILENT.contains(&label) => {}
            _ => self.words(at),
        }
    }
}
pub fn look(tree: &Tree, expansions: &Expansions, items: &Items, veiled: &HashSet<String>, refusals: &mut Refusals) {
    let mut look = Look { tree, expansions, items, veiled, refusals };
    let mut owner = "";
    for at in tree.all() {
        let line = tree.line(at);
        if tree.parent(at).is_none()
            && let Some(Word::Own(path)) = names::words(line.text).first()
        {
            owner = path;
        }
        if line.label == "body" && tree.parent(at).is_none() {
            look.value(owner, at);
        }
        look.line(at);
    }
}
