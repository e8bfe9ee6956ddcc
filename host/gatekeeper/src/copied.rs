//! Own impls of `Copy`. The library copies slices by whether a type is `Copy`, and does not ask for which lifetimes: such an impl holds for all that the type is declared
//! for, or for none of it.

use crate::names::Word;
use crate::resolved::{Owner, definition, kind, own, projection};
use crate::tree::Tree;
use std::collections::{BTreeSet, HashMap};

/// A type of the extension's: its parameters by their paths, in order, and the traits that it asks of each.
struct Declared {
    parameters: Vec<String>,
    bounds: BTreeSet<(usize, String)>,
}
/// The types that a crate declares, by their paths.
pub struct Types(HashMap<String, Declared>);

/// The parameters of an item, at the line of its kind.
fn parameters(tree: &Tree, item: usize) -> Vec<String> {
    let list = tree.below(item).find(|&at| tree.line(at).label == "params");
    let list = list.into_iter().flat_map(|at| tree.children(at));
    list.filter_map(|at| tree.field(at, "def_id")).filter_map(|at| own(tree, at)).map(String::from).collect()
}
/// The traits that an item asks of its parameters, by their places among `parameters`; nothing where it asks for more than that.
fn bounds(tree: &Tree, item: usize, parameters: &[String]) -> Option<BTreeSet<(usize, String)>> {
    let mut found = BTreeSet::new();
    let asks = |at: &usize| tree.line(*at).text == "WherePredicate";
    for predicate in tree.below(item).filter(asks) {
        let bound = tree.below(predicate).find(|&at| tree.line(at).text == "WhereBoundPredicate")?;
        let of = parameter(tree, tree.field(bound, "bounded_ty")?)?;
        let of = parameters.iter().position(|parameter| *parameter == of)?;
        for asked in tree.children(tree.field(bound, "bounds")?) {
            if tree.line(asked).text != "Trait" || tree.below(asked).any(|at| tree.line(at).text == "GenericArgs") {
                return None;
            }
            let asked = tree.below(asked).filter(|&at| tree.line(at).text == "Def");
            found.insert((
                of,
                match asked.filter_map(|at| definition(tree, at)).next()? {
                    (_, Word::Foreign(krate, path)) => format!("{krate} {path}"),
                    (_, Word::Own(path)) => path.into(),
                    _ => return None,
                },
            ));
        }
    }
    Some(found)
}
/// The parameter that a type, or a lifetime, is.
fn parameter(tree: &Tree, at: usize) -> Option<String> {
    let mut below = std::iter::once(at).chain(tree.below(at));
    let kind = below.find(|&at| tree.line(at).label == "kind")?;
    match tree.line(kind).text {
        "Param" => tree.children(kind).find_map(|at| own(tree, at)).map(String::from),
        "Path" => {
            match tree.below(kind).filter(|&at| tree.line(at).text == "Def").find_map(|at| definition(tree, at))? {
                ("TyParam", Word::Own(path)) if projection(tree, kind).is_none() => Some(path.into()),
                _ => None,
            }
        }
        _ => None,
    }
}
impl Types {
    pub fn of(tree: &Tree, owners: &[Owner]) -> Types {
        let types = owners.iter().filter_map(|owner| {
            let at = kind(tree, owner).filter(|&at| ["Struct", "Enum", "Union"].contains(&tree.line(at).text))?;
            let parameters = parameters(tree, at);
            // What else it asks for no impl is told.
            let bounds = bounds(tree, at, &parameters).unwrap_or_default();
            Some((owner.path.clone(), Declared { parameters, bounds }))
        });
        Types(types.collect())
    }
    /// Whether an impl, at the line of its kind, is one of `Copy`.
    pub fn is_copy(tree: &Tree, item: usize) -> bool {
        let header = tree.below(item).find(|&at| tree.line(at).label == "of_trait");
        let mut found = header
            .into_iter()
            .flat_map(|header| tree.below(header))
            .filter(|&at| tree.line(at).label == "res" && tree.line(at).text == "Def");
        found.next().and_then(|at| definition(tree, at)) == Some(("Trait", Word::Foreign("core", "marker::Copy")))
    }
    /// Whether one of `Copy` holds for the whole of a type: it is one of the extension's by its own name, with a parameter of its own for each of its
    /// parameters, of which no more is asked than what the type asks and that they are `Copy`.
    pub fn whole(&self, tree: &Tree, item: usize) -> bool {
        self.covers(tree, item).unwrap_or(false)
    }
    fn covers(&self, tree: &Tree, item: usize) -> Option<bool> {
        let of_self = tree.below(item).find(|&at| tree.line(at).label == "self_ty")?;
        let path = tree.below(of_self).find(|&at| tree.line(at).text == "Path" && tree.field(at, "res").is_some())?;
        let Some(("Struct" | "Enum" | "Union", Word::Own(name))) = definition(tree, tree.field(path, "res")?) else {
            return None;
        };
        let declared = self.0.get(name)?;
        let own = parameters(tree, item);
        let list = tree.below(path).find(|&at| tree.line(at).label == "args" && tree.line(at).text == "[");
        let list = list.or_else(|| {
            let arguments = tree.below(path).find(|&at| tree.line(at).text == "GenericArgs")?;
            tree.field(arguments, "args")
        });
        let arguments: Vec<usize> = list.into_iter().flat_map(|at| tree.children(at)).collect();
        // A lifetime that is left out is one of its own.
        let mut places = Vec::new();
        for at in &arguments {
            let anonymous =
                tree.below(*at).any(|at| tree.line(at).label == "ident" && tree.line(at).text.starts_with("'_"));
            places.push(match parameter(tree, *at).and_then(|path| own.iter().position(|known| *known == path)) {
                None if anonymous => usize::MAX,
                place => place?,
            });
        }
        let named: BTreeSet<&usize> = places.iter().filter(|place| **place < usize::MAX).collect();
        let distinct = named.len() == places.iter().filter(|place| **place < usize::MAX).count();
        let asked = bounds(tree, item, &own)?.into_iter().all(|(parameter, asked)| {
            let at = places.iter().position(|place| *place == parameter);
            let given = ["core marker::Copy", "core clone::Clone", "core marker::Sized"].contains(&&*asked);
            given || at.is_some_and(|at| declared.bounds.contains(&(at, asked)))
        });
        Some(distinct && asked && arguments.len() == declared.parameters.len())
    }
}
