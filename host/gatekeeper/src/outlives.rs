//! The rule EXPLICIT. The types in an impl's head, and in its methods, imply that some lifetimes outlive others: `&'a &'b T` that `'b` does `'a`. The compiler
//! believes that inside the impl, and not everywhere does it check it of who uses the impl (rust#25860, rust#84591, rust#100051). Where the impl declares it, it is
//! checked. So each relation between two lifetimes that is implied has to be declared.

use crate::names::Word;
use crate::refusal::{Place, Refusals, Rule};
use crate::resolved::{Owner, definition, kind, own, owners, projection};
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What may outlive a lifetime, or be one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Static,
    /// A parameter that has a name: its path.
    Lifetime(String),
    /// One that was left out, which no declaration can name.
    Anonymous,
    Type(String),
}
/// The first outlives the second.
type Relation = (Term, Term);
/// What an argument is put for: the parameters of a type, in their order, and what they imply.
#[derive(Default)]
struct Definition {
    parameters: Vec<String>,
    relations: BTreeSet<Relation>,
}

/// Through how many types one implies something of another.
const DEPTH: usize = 64;

struct Crate<'c, 't> {
    tree: &'c Tree<'t>,
    /// Lifetimes that have a name.
    named: BTreeSet<&'t str>,
    definitions: BTreeMap<String, Definition>,
    /// Aliases of types that are associated with others.
    projecting: BTreeSet<String>,
}
fn is(tree: &Tree, at: usize, label: &str, text: &str) -> bool {
    tree.line(at).label == label && tree.line(at).text == text
}
impl<'t> Crate<'_, 't> {
    /// A lifetime where it is used; nothing on lines that are something else.
    fn lifetime(&self, at: usize) -> Option<Term> {
        if self.tree.line(at).text != "Lifetime" {
            return None;
        }
        self.tree.field(at, "ident")?;
        let kind = self.tree.field(at, "kind")?;
        Some(match self.tree.line(kind).text {
            "Static" => Term::Static,
            "Param" => match self.tree.children(kind).find_map(|at| own(self.tree, at)) {
                Some(path) if self.named.contains(path) => Term::Lifetime(path.into()),
                _ => Term::Anonymous,
            },
            _ => Term::Anonymous,
        })
    }
    /// All lifetimes and parameters in a type, or what else is at a line. `Self` stands for `of_self`.
    fn terms(&self, at: usize, of_self: Option<usize>) -> BTreeSet<Term> {
        let mut found = BTreeSet::new();
        for below in std::iter::once(at).chain(self.tree.below(at)) {
            found.extend(self.lifetime(below));
            match self.tree.line(below).text {
                "Def" => {
                    if let Some(("TyParam", Word::Own(path))) = definition(self.tree, below) {
                        found.insert(Term::Type(path.into()));
                    }
                }
                "SelfTyAlias" if self.tree.line(below).label == "res" => {
                    if let Some(of_self) = of_self {
                        found.extend(self.terms(of_self, None));
                    }
                }
                _ => {}
            }
        }
        found
    }
    /// The arguments of a path to a type, in order.
    fn arguments(&self, path: usize) -> Vec<usize> {
        let lists = self.tree.below(path).filter(|&at| is(self.tree, at, "", "GenericArgs"));
        let own = lists.filter(|&at| {
            // Those of the path itself: the nearest path around them is this one.
            self.tree
                .around(at)
                .find(|&at| self.tree.line(at).text == "Path" && self.tree.field(at, "segments").is_some())
                == Some(path)
        });
        let lists = own.filter_map(|at| self.tree.field(at, "args"));
        lists.flat_map(|at| self.tree.children(at)).collect()
    }
    /// What a path to a type implies, by the type's definition.
    fn of_path(&self, path: usize, of_self: Option<usize>, found: &mut BTreeSet<Relation>) {
        let Some(res) = self.tree.field(path, "res").filter(|&at| self.tree.line(at).text == "Def") else { return };
        let Some((kind, word)) = definition(self.tree, res) else { return };
        if !["Struct", "Enum", "Union", "TyAlias"].contains(&kind) {
            return;
        }
        let arguments: Vec<BTreeSet<Term>> =
            self.arguments(path).into_iter().map(|at| self.terms(at, of_self)).collect();
        let is_lifetime =
            |set: &BTreeSet<Term>| set.len() == 1 && !set.iter().any(|term| matches!(term, Term::Type(_)));
        match word {
            Word::Own(path) => {
                let Some(definition) = self.definitions.get(path) else { return };
                let put = |term: &Term| match term {
                    Term::Lifetime(name) | Term::Type(name) => {
                        let index = definition.parameters.iter().position(|parameter| parameter == name);
                        index.and_then(|index| arguments.get(index).cloned()).unwrap_or_default()
                    }
                    other => BTreeSet::from([other.clone()]),
                };
                for (long, short) in &definition.relations {
                    let shorter = put(short);
                    found.extend(
                        put(long).iter().flat_map(|long| shorter.iter().map(|short| (long.clone(), short.clone()))),
                    );
                }
            }
            // What is in a type of another crate outlives its lifetimes, for all that is known here.
            _ => {
                let lifetimes: Vec<&BTreeSet<Term>> =
                    arguments.iter().filter(|argument| is_lifetime(argument)).collect();
                for longer in &arguments {
                    for short in lifetimes.iter().filter(|short| **short != longer).flat_map(|short| short.iter()) {
                        found.extend(longer.iter().map(|long| (long.clone(), short.clone())));
                    }
                }
            }
        }
    }
    /// What the types at a line and below it imply.
    fn implied(&self, at: usize, of_self: Option<usize>) -> BTreeSet<Relation> {
        let mut found = BTreeSet::new();
        for below in std::iter::once(at).chain(self.tree.below(at)) {
            if is(self.tree, below, "kind", "Ref") {
                let mut parts = self.tree.children(below);
                let (short, inner) = (parts.next().and_then(|at| self.lifetime(at)), parts.next());
                if let (Some(short), Some(inner)) = (short, inner) {
                    found.extend(self.terms(inner, of_self).into_iter().map(|long| (long, short.clone())));
                }
            } else if self.tree.line(below).text == "Path" && self.tree.field(below, "segments").is_some() {
                self.of_path(below, of_self, &mut found);
            }
        }
        found
    }
    /// What the bounds and the where clause at and below a line say.
    fn declared(&self, at: usize) -> BTreeSet<Relation> {
        let mut found = BTreeSet::new();
        for predicate in self.tree.below(at) {
            let long = match self.tree.line(predicate).text {
                "WhereRegionPredicate" => {
                    self.tree.field(predicate, "lifetime").and_then(|at| self.lifetime(at)).into_iter().collect()
                }
                "WhereBoundPredicate" => {
                    self.tree.field(predicate, "bounded_ty").map_or(BTreeSet::new(), |at| self.terms(at, None))
                }
                _ => continue,
            };
            let bounds = self.tree.field(predicate, "bounds").into_iter().flat_map(|at| self.tree.children(at));
            let bounds = bounds.filter(|&at| self.tree.line(at).text == "Outlives");
            let shorter: Vec<Term> =
                bounds.filter_map(|at| self.tree.children(at).next()).filter_map(|at| self.lifetime(at)).collect();
            // Of a type that is more than a parameter, each part outlives what the type does.
            found.extend(long.iter().flat_map(|long| shorter.iter().map(|short| (long.clone(), short.clone()))));
        }
        found
    }
    fn projects(&self, at: usize) -> bool {
        self.tree.below(at).any(|below| {
            let alias = match self.tree.line(below).text {
                "Def" => definition(self.tree, below),
                _ => None,
            };
            let alias = matches!(alias, Some(("TyAlias", Word::Own(path))) if self.projecting.contains(path));
            alias || is(self.tree, below, "kind", "Path") && projection(self.tree, below).is_some()
        })
    }
    /// Learns what the crate's types imply, until nothing is new; false if something still is.
    fn learn(&mut self, owners: &[Owner]) -> bool {
        let types: Vec<(&Owner, usize)> =
            owners.iter().filter_map(|owner| Some((owner, kind(self.tree, owner)?))).collect();
        let types = types
            .into_iter()
            .filter(|&(_, at)| ["Struct", "Enum", "Union", "TyAlias"].contains(&self.tree.line(at).text));
        let types: Vec<(&Owner, usize)> = types.collect();
        for (owner, at) in &types {
            let generics = self.tree.children(*at).find(|&at| self.tree.line(at).text == "Generics");
            let list =
                generics.and_then(|at| self.tree.field(at, "params")).into_iter().flat_map(|at| self.tree.children(at));
            let parameters = list.filter_map(|at| self.tree.field(at, "def_id")).filter_map(|at| own(self.tree, at));
            let parameters = parameters.map(String::from).collect();
            self.definitions.insert(owner.path.clone(), Definition { parameters, relations: self.declared(*at) });
        }
        for _ in 0..DEPTH {
            let mut new = false;
            for (owner, at) in &types {
                let alias = self.tree.line(*at).text == "TyAlias";
                if alias && self.projects(*at) {
                    new |= self.projecting.insert(owner.path.clone());
                }
                let fields = self.tree.below(*at).filter(|&at| self.tree.line(at).text == "FieldDef");
                let whole = alias
                    .then_some(*at)
                    .into_iter()
                    .flat_map(|at| self.tree.children(at).filter(|&at| is(self.tree, at, "", "Ty")));
                let implied: BTreeSet<Relation> = fields.chain(whole).flat_map(|at| self.implied(at, None)).collect();
                if let Some(definition) = self.definitions.get_mut(&owner.path) {
                    let before = definition.relations.len();
                    definition.relations.extend(implied);
                    new |= definition.relations.len() > before;
                }
            }
            if !new {
                return true;
            }
        }
        false
    }
}
/// Whether `long` outlives `short` by what is declared.
fn follows(declared: &BTreeSet<Relation>, long: &Term, short: &Term) -> bool {
    let mut reached = BTreeSet::from([long.clone()]);
    loop {
        let more: Vec<Term> = declared
            .iter()
            .filter(|(long, short)| reached.contains(long) && !reached.contains(short))
            .map(|(_, short)| short.clone())
            .collect();
        if reached.contains(short) || reached.contains(&Term::Static) {
            return true;
        }
        if more.is_empty() {
            return false;
        }
        reached.extend(more);
    }
}
/// What has to be declared and is not, if anything, in the words of the source. Of a method, whose path is given, nothing has to be said of what outlives its own
/// lifetimes from outside: it is lent what its callers have, and an impl can not ask for more than its trait.
fn missing(implied: &BTreeSet<Relation>, declared: &BTreeSet<Relation>, method: Option<&str>) -> Option<String> {
    let of_method =
        |path: &str| method.is_some_and(|method| path.strip_prefix(method).is_some_and(|rest| rest.starts_with("::")));
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_string();
    implied.iter().find_map(|(long, short)| {
        let shorter = match short {
            Term::Static => "'static".into(),
            Term::Lifetime(path) => last(path),
            // Nobody can say anything of what has no name; a type is no lifetime.
            Term::Anonymous | Term::Type(_) => return None,
        };
        match long {
            _ if follows(declared, long, short) => None,
            Term::Lifetime(path) if !of_method(path) && matches!(short, Term::Lifetime(short) if of_method(short)) => {
                None
            }
            Term::Lifetime(path) => Some(format!("its types imply that {}: {shorter}: declare it", last(path))),
            Term::Type(path) if *short == Term::Static => {
                Some(format!("its types imply that {}: 'static: declare it", last(path)))
            }
            Term::Anonymous => Some(format!(
                "its types imply that a lifetime without a name outlives {shorter}: name it, and declare that"
            )),
            _ => None,
        }
    })
}
/// Refuses what is believed and not declared → the functions whose signatures have associated types.
pub fn look(tree: &Tree, root: &str, refusals: &mut Refusals) -> HashSet<String> {
    let owners = owners(tree);
    let parameters = tree.all().filter(|&at| tree.line(at).text == "GenericParam");
    let explicit = parameters.filter(|&at| {
        let kind = tree.field(at, "kind").filter(|&at| tree.line(at).text == "Lifetime");
        kind.and_then(|at| tree.field(at, "kind")).is_some_and(|at| tree.line(at).text == "Explicit")
    });
    let named = explicit.filter_map(|at| tree.field(at, "def_id")).filter_map(|at| own(tree, at)).collect();
    let mut all = Crate { tree, named, definitions: BTreeMap::new(), projecting: BTreeSet::new() };
    if !all.learn(&owners) {
        let why = format!("what types imply goes through more than {DEPTH} others");
        refusals.add(Rule::Build, Place::whole(root), why);
        return HashSet::new();
    }
    let mut impls: BTreeMap<&str, (BTreeSet<Relation>, Option<usize>)> = BTreeMap::new();
    let mut refuse = |at: usize, why: String| refusals.add(Rule::Explicit, tree.place(at), why);
    for owner in &owners {
        let Some(at) = kind(tree, owner).filter(|&at| tree.line(at).text == "Impl") else { continue };
        let declared = all.declared(at);
        let part = |label| tree.below(at).find(|&at| tree.line(at).label == label);
        let (of_trait, of_self) = (part("of_trait"), part("self_ty"));
        let head: Vec<usize> = of_trait.into_iter().chain(of_self).collect();
        if head.iter().any(|&at| all.projects(at)) {
            refuse(at, "an associated type stands in the head of an impl, which believes what that implies".into());
        }
        let implied = head.iter().flat_map(|&at| all.implied(at, of_self)).collect();
        if let Some(why) = missing(&implied, &declared, None) {
            refuse(at, why);
        }
        impls.insert(&owner.path, (declared, of_self));
    }
    for parameter in tree.all().filter(|&at| tree.line(at).text == "GenericParam") {
        let default = tree.field(parameter, "kind").and_then(|at| tree.field(at, "default"));
        let of_lifetime =
            |at| all.projects(at) || all.terms(at, None).iter().any(|term| !matches!(term, Term::Type(_)));
        if default.is_some_and(of_lifetime) {
            refuse(
                parameter,
                "what a parameter is where nobody says it has no lifetime in it: nobody would see it".into(),
            );
        }
    }
    for owner in &owners {
        let Some((declared, of_self)) = owner.path.rsplit_once("::").and_then(|(of, _)| impls.get(of)) else {
            continue;
        };
        let Some(at) = kind(tree, owner).filter(|&at| tree.line(at).text == "Fn") else { continue };
        let declared = declared.iter().cloned().chain(all.declared(owner.at)).collect();
        let signature = tree.below(at).find(|&at| tree.line(at).text == "FnDecl").unwrap_or(at);
        if let Some(why) = missing(&all.implied(signature, *of_self), &declared, Some(&owner.path)) {
            refuse(at, why);
        }
    }
    let functions = owners.iter().filter_map(|owner| Some((owner, kind(tree, owner)?)));
    let functions = functions.filter(|&(_, at)| tree.line(at).text == "Fn");
    let veiled = functions.filter(|(owner, _)| {
        let parts = ["Generics", "FnDecl"].map(|part| tree.below(owner.at).find(|&at| tree.line(at).text == part));
        parts.into_iter().flatten().any(|at| all.projects(at))
    });
    veiled.map(|(owner, _)| owner.path.clone()).collect()
}
