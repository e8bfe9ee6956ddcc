//! Which component calls which: from what the programs of a system declare, and from what their manifest blocks allow.

use crate::system::{Declared, EVERYBODYS, overlap};
use manifest::{Component, System};
use std::collections::{BTreeMap, BTreeSet};

/// How a component runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The privileged code.
    Nucleus,
    /// With interrupts off.
    Masked,
    Trusted,
    Untrusted,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub name: String,
    pub kind: Kind,
    /// Started only when somebody asks for it.
    pub on_request: bool,
}
/// The portals that one component has to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// Names that its program opens when it starts.
    pub opened: BTreeSet<String>,
    /// Patterns of its manifest block that it may open later.
    pub allowed: BTreeSet<String>,
}
/// Components by their names' places in `nodes`, and the arrows between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub nodes: Vec<Node>,
    pub edges: BTreeMap<(usize, usize), Edge>,
}

/// The node of what the nucleus itself provides.
pub const NUCLEUS: &str = "nucleus";

impl Graph {
    /// The graph of `system`; `declared` tells what the program of each image declares. The portals that every domain has from the
    /// start are left out.
    pub fn of(system: &System, declared: &BTreeMap<String, Declared>) -> Graph {
        let none = Declared::default();
        let programs: Vec<&Declared> =
            system.components.iter().map(|c| declared.get(&c.image).unwrap_or(&none)).collect();
        let mut graph = Graph { nodes: system.components.iter().map(node).collect(), ..Graph::default() };
        graph.nodes.push(Node { name: NUCLEUS.into(), kind: Kind::Nucleus, on_request: false });
        let nucleus = system.components.len();
        for (caller, (component, program)) in system.components.iter().zip(&programs).enumerate() {
            for import in &program.imports {
                let servers = (0..nucleus).filter(|&s| provides(&system.components[s], programs[s], &import.name));
                let nucleus = import.name.starts_with("nucleus.").then_some(nucleus);
                for server in servers.chain(nucleus).filter(|&server| server != caller) {
                    graph.edge(caller, server).opened.insert(import.name.clone());
                }
            }
            // The portals of a boot component are all made with the image.
            for pattern in component
                .opens
                .iter()
                .filter(|name| *name != EVERYBODYS && (!component.boot || program.imports.is_empty()))
            {
                let servers = (0..nucleus).filter(|&s| may_provide(&system.components[s], programs[s], pattern));
                for server in servers.filter(|&server| server != caller) {
                    graph.edge(caller, server).allowed.insert(pattern.clone());
                }
            }
        }
        if !graph.edges.keys().any(|&(_, to)| to == nucleus) {
            graph.nodes.pop();
        }
        graph
    }
    fn edge(&mut self, from: usize, to: usize) -> &mut Edge {
        self.edges.entry((from, to)).or_default()
    }
    /// Each arrow as `caller->callee`, in an order that is always the same.
    pub fn arrows(&self) -> BTreeSet<String> {
        self.edges.keys().map(|&(from, to)| format!("{}->{}", self.nodes[from].name, self.nodes[to].name)).collect()
    }
}
fn node(component: &Component) -> Node {
    let kind = match component {
        Component { masked: true, .. } => Kind::Masked,
        Component { trusted: true, .. } => Kind::Trusted,
        _ => Kind::Untrusted,
    };
    Node { name: component.name.clone(), kind, on_request: component.on_request }
}
/// Whether the component has a portal of that name: as its program declares, else as its block allows it to register.
fn provides(component: &Component, program: &Declared, name: &str) -> bool {
    program.provides.iter().any(|p| p.name == name)
        || (program.provides.is_empty() && component.provides.iter().any(|pattern| overlap(pattern, name)))
}
fn may_provide(component: &Component, program: &Declared, pattern: &str) -> bool {
    program.provides.iter().any(|p| overlap(pattern, &p.name))
        || (program.provides.is_empty() && component.provides.iter().any(|other| overlap(pattern, other)))
}
#[cfg(test)]
mod tests {
    use super::*;
    use image::declared::{Imports, Provides};

    fn system(text: &str) -> System {
        let mut system: System = toml::from_str(&format!("name = \"x\"\n{text}")).unwrap();
        crate::system::finish(&mut system).unwrap();
        system
    }
    fn declares(provides: &[&str], imports: &[&str]) -> Declared {
        let provided =
            |name: &&str| Provides { name: name.to_string(), specification: "sm".into(), entry: 0, constant: 0 };
        let imported = |name: &&str| Imports { name: name.to_string(), number: 0, optional: false };
        Declared { provides: provides.iter().map(provided).collect(), imports: imports.iter().map(imported).collect() }
    }
    const TWO: &str =
        "[[component]]\nname = \"a\"\nopens = [\"b.*\"]\n[[component]]\nname = \"b\"\nprovides = [\"b.*\"]";

    #[test]
    fn an_import_is_an_arrow_to_who_provides_the_name() {
        let programs = [("a", declares(&[], &["b.one"])), ("b", declares(&["b.one", "b.two"], &[]))];
        let graph = Graph::of(&system(TWO), &programs.map(|(name, d)| (name.to_string(), d)).into());
        assert_eq!(graph.arrows(), ["a->b".to_string()].into());
        assert_eq!(graph.edges[&(0, 1)].opened, ["b.one".to_string()].into());
    }
    #[test]
    fn the_manifest_says_what_a_program_may_open_later() {
        let graph = Graph::of(&system(TWO), &BTreeMap::new());
        assert_eq!(graph.edges[&(0, 1)].allowed, ["b.*".to_string()].into());
    }
    #[test]
    fn nothing_is_opened_at_who_does_not_provide_the_name() {
        let programs = [("a", declares(&[], &["b.three"])), ("b", declares(&["b.one"], &[]))];
        let graph = Graph::of(&system(TWO), &programs.map(|(name, d)| (name.to_string(), d)).into());
        assert!(graph.edges.values().all(|edge| edge.opened.is_empty()));
    }
    #[test]
    fn the_nucleus_is_there_where_somebody_calls_it() {
        let programs = [("a", declares(&[], &["nucleus.switch"]))];
        let graph = Graph::of(&system(TWO), &programs.map(|(name, d)| (name.to_string(), d)).into());
        assert!(graph.arrows().contains("a->nucleus"));
        assert!(Graph::of(&system(TWO), &BTreeMap::new()).nodes.iter().all(|n| n.kind != Kind::Nucleus));
    }
    #[test]
    fn patterns_overlap_where_a_name_can_match_both() {
        for (a, b, wanted) in [("x", "x", true), ("x.*", "x.y", true), ("x.*", "x.y.*", true), ("x.*", "z.*", false)] {
            assert_eq!((overlap(a, b), overlap(b, a)), (wanted, wanted), "{a} {b}");
        }
    }
}
