//! What the tree of resolved items (`-Zunpretty=hir-tree`) says at a line, for who looks at it.

use crate::names::{self, Word};
use crate::tree::Tree;

/// The definition of the extension's that a line names, by its path.
pub fn own<'t>(tree: &Tree<'t>, at: usize) -> Option<&'t str> {
    names::words(tree.line(at).text).into_iter().find_map(|word| match word {
        Word::Own(path) => Some(path),
        _ => None,
    })
}
/// What a path leads to: its kind, crate and path. `at` is the line of `Def`.
pub fn definition<'t>(tree: &Tree<'t>, at: usize) -> Option<(&'t str, Word<'t>)> {
    let kind = tree.children(at).next()?;
    let last = tree.children(at).last()?;
    let word = names::words(tree.line(last).text).into_iter().next()?;
    matches!(word, Word::Own(_) | Word::Foreign(..)).then(|| (tree.line(kind).text, word))
}
/// Whether a type, at its line of `Path`, is an associated type; and the type whose it is.
pub fn projection(tree: &Tree, at: usize) -> Option<usize> {
    let form = tree.children(at).next()?;
    let first = tree.children(form).next()?;
    match tree.line(form).text {
        "TypeRelative" => Some(first),
        "Resolved" if tree.line(first).text == "Some" => Some(first),
        _ => None,
    }
}
/// All that belongs to an item: its line, and the words of its head.
pub struct Owner {
    pub path: String,
    pub at: usize,
}
pub fn owners(tree: &Tree) -> Vec<Owner> {
    let tops = tree.all().filter(|&at| tree.parent(at).is_none());
    tops.filter_map(|at| match names::words(tree.line(at).label).first() {
        Some(Word::Own(path)) => Some(Owner { path: (*path).into(), at }),
        _ => None,
    })
    .collect()
}
/// The line that says what kind of item it is.
pub fn kind(tree: &Tree, owner: &Owner) -> Option<usize> {
    let mut below = tree.below(owner.at);
    let item = below.find(|&at| {
        ["Item", "TraitItem", "ImplItem"].contains(&tree.line(at).text) && tree.line(at).label.is_empty()
    })?;
    tree.field(item, "kind")
}
