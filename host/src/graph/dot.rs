//! A graph in the language of Graphviz, which lays it out.

use super::model::{Edge, Graph, Kind, Node};
use std::fmt::Write;

/// The text that `dot` reads. Colours are those of the book: masked orange, trusted blue, untrusted white.
pub fn write(name: &str, graph: &Graph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quoted(name));
    out += "  graph [rankdir=TB, nodesep=0.3, ranksep=0.6, bgcolor=\"white\", fontname=\"sans-serif\"]\n";
    out += "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=12, color=\"#333333\"]\n";
    out += "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#666666\", arrowsize=0.7]\n";
    for node in &graph.nodes {
        let _ = writeln!(out, "  {} [{}]", quoted(&node.name), look(node));
    }
    for (&(from, to), edge) in &graph.edges {
        let (from, to) = (&graph.nodes[from].name, &graph.nodes[to].name);
        let _ = writeln!(out, "  {} -> {} [{}]", quoted(from), quoted(to), arrow(edge));
    }
    out + "}\n"
}
fn look(node: &Node) -> String {
    let fill = match node.kind {
        Kind::Nucleus => "#dddddd",
        Kind::Masked => "#ffe0b8",
        Kind::Trusted => "#dce9fb",
        Kind::Untrusted => "#ffffff",
    };
    let dashed = if node.on_request { ", style=\"rounded,filled,dashed\"" } else { "" };
    format!("fillcolor=\"{fill}\"{dashed}")
}
/// How many portals there are, and their names where a browser shows them; dashed: none is opened when it starts,
/// but may be later.
fn arrow(edge: &Edge) -> String {
    let names: Vec<&str> = edge.opened.iter().chain(&edge.allowed).map(String::as_str).collect();
    let label = if edge.opened.is_empty() { String::new() } else { edge.opened.len().to_string() };
    let style = if edge.opened.is_empty() { ", style=dashed" } else { "" };
    let names = quoted(&names.join(", "));
    format!("label={}, edgetooltip={names}, labeltooltip={names}{style}", quoted(&label))
}
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_arrows_are_written() {
        let node = |name: &str, kind| Node { name: name.into(), kind, on_request: name == "b" };
        let opened = Edge { opened: ["x.one".to_string(), "x.two".to_string()].into(), ..Edge::default() };
        let allowed = Edge { allowed: ["y.*".to_string()].into(), ..Edge::default() };
        let graph = Graph {
            nodes: vec![node("a", Kind::Masked), node("b", Kind::Untrusted)],
            edges: [((0, 1), opened), ((1, 0), allowed)].into(),
        };
        let text = write("sys", &graph);
        assert!(text.starts_with("digraph \"sys\" {") && text.ends_with("}\n"));
        assert!(text.contains("\"a\" -> \"b\" [label=\"2\", edgetooltip=\"x.one, x.two\""));
        assert!(text.contains("\"b\" -> \"a\" [label=\"\", edgetooltip=\"y.*\""));
        assert!(text.matches("style=dashed").count() == 1 && text.matches("filled,dashed").count() == 1);
    }
    #[test]
    fn a_name_can_not_end_its_quotes() {
        assert_eq!(quoted("a\"b\\"), "\"a\\\"b\\\\\"");
    }
}
