//! What the compiler prints of a crate's trees (`-Zunpretty`), as a tree of lines: a line that is further in belongs to the last one before it that is
//! not. That is how both the standard form of `Debug` and the printer of typed bodies lay them out. What is text of the source stands in them
//! within quotes, escaped, so no source makes a line of its own.

use crate::refusal::Place;

/// A line, without its brackets and its comma.
pub struct Line<'t> {
    /// What stands before its colon, if that is a word.
    pub label: &'t str,
    pub text: &'t str,
    parent: Option<usize>,
    /// The first line behind it and all that belong to it.
    end: usize,
    depth: usize,
    /// Where it says that it stands, and all that belongs to it.
    span: Option<usize>,
}
pub struct Tree<'t>(Vec<Line<'t>>);

/// Where something stands in the source, and in which expansion of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub place: Place,
    pub context: usize,
}
impl Span {
    /// `lib.rs:3:1: 3:20 (#0)`; nothing where the compiler gives no place.
    pub fn read(text: &str) -> Option<Span> {
        let text = text.strip_prefix("Some(").and_then(|text| text.strip_suffix(')')).unwrap_or(text);
        let (places, context) = text.strip_suffix(')')?.rsplit_once(" (#")?;
        let mut parts = places.rsplitn(5, ':').skip(3);
        let line = parts.next()?.parse().ok()?;
        let place = Place { file: parts.next()?.into(), line };
        Some(Span { place, context: context.parse().ok()? })
    }
}
/// A label and what is behind it.
fn labelled(text: &str) -> (&str, &str) {
    if text.starts_with("DefId(")
        && let Some((label, rest)) = text.split_once(" => ")
    {
        return (label, rest);
    }
    match text.split_once(':') {
        Some((label, rest))
            if !label.is_empty()
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && (rest.is_empty() || rest.starts_with(' ')) =>
        {
            (label, rest.trim())
        }
        _ => ("", text),
    }
}
impl<'t> Tree<'t> {
    pub fn read(text: &'t str) -> Tree<'t> {
        let mut lines: Vec<Line> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for line in text.lines() {
            let inner = line.trim();
            if inner.is_empty() || inner.chars().all(|c| "{}()[],".contains(c)) && "}])".contains(&inner[..1]) {
                continue;
            }
            let depth = line.len() - line.trim_start().len();
            while let Some(&last) = open.last()
                && lines[last].depth >= depth
            {
                lines[last].end = lines.len();
                open.pop();
            }
            let parent = open.last().copied();
            let (label, text) = labelled(inner.trim_end_matches(','));
            let quoted = text.starts_with(['"', '\'']);
            let text = if quoted { text } else { text.trim_end_matches(['{', '(', '[']).trim_end() };
            if let Some(parent) = parent
                && lines[parent].span.is_none()
                && ["span", "ty_span"].contains(&label)
                && Span::read(text).is_some()
            {
                lines[parent].span = Some(lines.len());
            }
            let span = (label == "fn_span").then_some(lines.len());
            open.push(lines.len());
            lines.push(Line { label, text, parent, end: usize::MAX, depth, span });
        }
        let end = lines.len();
        open.into_iter().for_each(|last| lines[last].end = end);
        Tree(lines)
    }
    pub fn line(&self, at: usize) -> &Line<'t> {
        &self.0[at]
    }
    pub fn all(&self) -> std::ops::Range<usize> {
        0..self.0.len()
    }
    /// All that belongs to a line, in order.
    pub fn below(&self, at: usize) -> std::ops::Range<usize> {
        at + 1..self.0[at].end
    }
    pub fn children(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let this = next;
            (this < self.0[at].end).then(|| {
                next = self.0[this].end;
                this
            })
        })
    }
    pub fn parent(&self, at: usize) -> Option<usize> {
        self.0[at].parent
    }
    /// The lines around one, from the nearest on.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parent(at), |&at| self.parent(at))
    }
    /// The child with a label.
    pub fn field(&self, at: usize, label: &str) -> Option<usize> {
        self.children(at).find(|&child| self.line(child).label == label)
    }
    /// The span of a line, or of the nearest around it that has one.
    pub fn span(&self, at: usize) -> Option<Span> {
        let mut around = std::iter::once(at).chain(self.around(at));
        around.find_map(|at| self.line(at).span).and_then(|at| Span::read(self.line(at).text))
    }
    /// Where in the source that is; in no file where the compiler gives no place.
    pub fn place(&self, at: usize) -> Place {
        self.span(at).map_or_else(|| Place::whole(""), |span| span.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "A {\n    kind: B(\n        \"C {\",\n        span: lib.rs:3:1: 4:2 (#7),\n    ),\n    last: x::y,\n}\nD {\n}\n";

    #[test]
    fn lines_belong_to_what_is_around_them() {
        let tree = Tree::read(TREE);
        let texts: Vec<&str> = tree.all().map(|at| tree.line(at).text).collect();
        assert_eq!(texts, ["A", "B", "\"C {\"", "lib.rs:3:1: 4:2 (#7)", "x::y", "D"]);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(tree.field(0, "last"), Some(4));
        assert_eq!(tree.around(2).collect::<Vec<_>>(), [1, 0]);
    }
    #[test]
    fn the_nearest_span_is_a_lines_own() {
        let span = Tree::read(TREE).span(2).unwrap();
        assert_eq!((span.place.line, span.context), (3, 7));
        assert_eq!(Span::read("Some(lib.rs:3:1: 4:2 (#7))"), Some(span));
        assert_eq!(Span::read("no-location (#1)"), None);
    }
}
