//! What the compiler makes constants of (`-Zunpretty=mir`): a reference to a value that is there before anything runs, however it is written, is an item of its own in
//! its intermediate form, called `promoted`, and the bodies of constants are there with each step.

use crate::items::Items;
use crate::refusal::{Place, Refusals, Rule};

/// An item: its first line, and those in its braces.
struct Item<'t> {
    head: &'t str,
    lines: Vec<&'t str>,
}
fn items(text: &str) -> Vec<Item<'_>> {
    let mut found: Vec<Item> = Vec::new();
    for line in text.lines() {
        if line.starts_with([' ', '}', '/']) || line.is_empty() {
            if let Some(item) = found.last_mut() {
                item.lines.push(line.trim());
            }
        } else {
            found.push(Item { head: line, lines: Vec::new() });
        }
    }
    found
}
/// The type of a variable, by its number, where a line says that there is one.
fn variable(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("let ")?;
    let (name, kind) = rest.strip_prefix("mut ").unwrap_or(rest).split_once(": ")?;
    let kind = kind.split_once("; ").map_or(kind, |_| kind.rsplit_once(" // ").map_or(kind, |(kind, _)| kind));
    Some((name, kind.trim().trim_end_matches(';')))
}
/// Where a line stands in the source: behind its last `at`.
fn place(line: &str) -> Option<Place> {
    let mut parts = line.rsplit_once(" at ")?.1.rsplitn(5, ':').skip(3);
    let at = parts.next()?.parse().ok()?;
    Some(Place { file: parts.next()?.into(), line: at })
}
impl Item<'_> {
    fn is_promoted(&self) -> bool {
        self.head.contains("::promoted[")
    }
    /// It is executed when the extension is compiled, and only then.
    fn is_constant(&self) -> bool {
        !self.head.starts_with("fn ") && self.head.ends_with(" = {")
    }
    /// Nothing is in what is referred to: no elements, or `None`.
    fn is_empty(&self) -> bool {
        let steps = self.lines.iter().filter(|line| line.starts_with('_'));
        let mut values = steps.filter_map(|line| line.split_once(" = ")).map(|(_, value)| value);
        values.all(|value| {
            let value = value.split_once("; ").map_or(value, |(value, _)| value);
            value == "[]" || value.starts_with('&') || value.starts_with("Option::<") && value.ends_with(">::None")
        })
    }
}
/// Refuses references to what threads may not share, where they are to be had by all.
pub fn look(text: &str, known: &Items, root: &str, refusals: &mut Refusals) {
    for item in items(text).iter().filter(|item| item.is_constant()) {
        if item.is_promoted() && item.is_empty() {
            continue;
        }
        for line in &item.lines {
            let Some((name, kind)) = variable(line) else { continue };
            let wanted = if item.is_promoted() { name == "_0" } else { kind.contains('&') };
            if wanted && known.is_shared_state(kind) {
                let place = place(line).unwrap_or_else(|| Place::whole(root));
                refusals.add(Rule::Promote, place, "a constant that refers to what threads may not share");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn lines_are_taken_apart() {
        let line = "let mut _1: [&core::cell::Cell<u8>; 3];  // in scope 0 at lib.rs:13:29: 13:31";
        assert_eq!(variable(line), Some(("_1", "[&core::cell::Cell<u8>; 3]")));
        assert_eq!(place(line), Some(Place { file: "lib.rs".into(), line: 13 }));
        assert_eq!(variable("let _2: u64;  // in scope 0 at lib.rs:1:2: 1:3"), Some(("_2", "u64")));
        assert_eq!(variable("_2 = copy _1;"), None);
    }
    #[test]
    fn what_is_empty_refers_to_nothing() {
        let item = |lines: &[&'static str]| Item { head: "const f::promoted[0]: &T = {", lines: lines.to_vec() };
        assert!(item(&["_1 = [];  // scope 0", "_0 = &_1;   // scope 0"]).is_empty());
        assert!(item(&["_1 = Option::<Rc<str>>::None;  // scope 0", "_0 = &_1;   // scope 0"]).is_empty());
        assert!(!item(&["_1 = const K;  // scope 0", "_0 = &_1;   // scope 0"]).is_empty());
        assert!(!item(&["_1 = Own::<Rc<str>>::None;  // scope 0", "_0 = &_1;   // scope 0"]).is_empty());
    }
}
