//! Which nodes of a graph lie on cycles: strongly connected components, by Tarjan's algorithm, without recursion.

use crate::fill;
use abi::Error;
use alloc::vec::Vec;
use fallible::TryPush;

type Result<T> = core::result::Result<T, Error>;
pub type Node = u32;

/// Edges between nodes that are numbered from 0 on.
#[derive(Default)]
pub struct Graph {
    /// Of each node, where its edges begin in `to`; and where the last one's end.
    first: Vec<u32>,
    to: Vec<Node>,
}
/// Of each node, the number of its component, and whether there is a cycle in that.
#[derive(Default)]
pub struct Components {
    of: Vec<u32>,
    cyclic: Vec<bool>,
}
/// In place of a number: the node was not met yet; it belongs to no component yet.
const NEW: u32 = u32::MAX;

impl Graph {
    pub const fn new() -> Graph {
        Graph { first: Vec::new(), to: Vec::new() }
    }
    pub fn clear(&mut self) {
        self.first.clear();
        self.to.clear();
    }
    /// Adds a node with edges to `to`. `ENOMEM`.
    pub fn add(&mut self, to: impl Iterator<Item = Node>) -> Result<()> {
        if self.first.is_empty() {
            self.first.try_push(0)?;
        }
        for node in to {
            self.to.try_push(node)?;
        }
        self.first.try_push(self.to.len() as u32)
    }
    pub fn nodes(&self) -> usize {
        self.first.len().saturating_sub(1)
    }
    fn edges(&self, node: Node) -> &[Node] {
        let at = |n: usize| self.first.get(n).map_or(0, |&first| first as usize);
        self.to.get(at(node as usize)..at(node as usize + 1)).unwrap_or(&[])
    }
    /// `ENOMEM`.
    pub fn components(&self, found: &mut Components) -> Result<()> {
        let nodes = self.nodes();
        found.cyclic.clear();
        fill(&mut found.of, nodes, NEW)?;
        found.cyclic.room_for(nodes)?;
        // Of each node: when it was met, and of those on the stack that it leads to, when the earliest was.
        let (mut met, mut earliest, mut stack, mut way) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        fill(&mut met, nodes, NEW)?;
        fill(&mut earliest, nodes, NEW)?;
        stack.room_for(nodes)?;
        way.room_for(nodes)?;
        let mut order = 0;
        for start in 0..nodes as Node {
            if met[start as usize] != NEW {
                continue;
            }
            way.push_kept((start, 0));
            while let Some(&mut (node, ref mut next)) = way.last_mut() {
                let own = node as usize;
                if *next == 0 {
                    (met[own], earliest[own]) = (order, order);
                    order += 1;
                    stack.push_kept(node);
                }
                let edge = self.edges(node).get(*next).copied().filter(|&to| (to as usize) < nodes);
                *next += 1;
                match edge {
                    Some(to) if met[to as usize] == NEW => _ = way.push_kept((to, 0)),
                    // It is on the stack.
                    Some(to) if found.of[to as usize] == NEW => earliest[own] = earliest[own].min(met[to as usize]),
                    Some(_) => {}
                    None if *next <= self.edges(node).len() => {}
                    None => {
                        way.pop();
                        if let Some(&(before, _)) = way.last() {
                            earliest[before as usize] = earliest[before as usize].min(earliest[own]);
                        }
                        if earliest[own] == met[own] {
                            self.close(node, &mut stack, found);
                        }
                    }
                }
            }
        }
        Ok(())
    }
    /// All that lie above `root` on the stack are a component with it.
    fn close(&self, root: Node, stack: &mut Vec<Node>, found: &mut Components) {
        let component = found.cyclic.len() as u32;
        let mut count = 0;
        while let Some(node) = stack.pop() {
            found.of[node as usize] = component;
            count += 1;
            if node == root {
                break;
            }
        }
        found.cyclic.push_kept(count > 1 || self.edges(root).contains(&root));
    }
}
impl Components {
    pub const fn new() -> Components {
        Components { of: Vec::new(), cyclic: Vec::new() }
    }
    pub fn clear(&mut self) {
        self.of.clear();
        self.cyclic.clear();
    }
    pub fn count(&self) -> usize {
        self.cyclic.len()
    }
    /// The number of the component that `node` is on a cycle of, if it is.
    pub fn cycle(&self, node: Node) -> Option<u32> {
        let component = *self.of.get(node as usize)?;
        self.cyclic.get(component as usize).is_some_and(|cyclic| *cyclic).then_some(component)
    }
}
