//! Earlier lines, and the search in them.

use alloc::collections::VecDeque;
use alloc::string::String;

/// Most lines that are kept.
const LINES: usize = 200;

#[derive(Default)]
pub struct History {
    /// The last one is the latest.
    lines: VecDeque<String>,
}
impl History {
    /// Keeps a line, unless it is empty or the same as the one before.
    pub fn add(&mut self, line: &str) {
        if line.trim().is_empty() || self.lines.back().is_some_and(|last| last == line) {
            return;
        }
        if self.lines.len() == LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line.into());
    }
    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
    /// The line that was typed `back` lines ago: 1 is the latest.
    pub fn line(&self, back: usize) -> Option<&str> {
        self.lines.get(self.lines.len().checked_sub(back)?).map(String::as_str)
    }
    /// The latest line with `text` in it that is at least `back` lines ago; how many.
    pub fn find(&self, text: &str, back: usize) -> Option<usize> {
        (back.max(1)..=self.len()).find(|&back| self.line(back).is_some_and(|line| line.contains(text)))
    }
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn history(lines: &[&str]) -> History {
        let mut history = History::default();
        lines.iter().for_each(|line| history.add(line));
        history
    }
    #[test]
    fn repeated_and_empty_lines_are_not_kept() {
        assert_eq!(history(&["a", "a", " ", "b"]).lines().collect::<Vec<_>>(), ["a", "b"]);
    }
    #[test]
    fn a_search_goes_back_from_match_to_match() {
        let h = history(&["run one", "ls", "run two"]);
        let first = h.find("run", 1).unwrap();
        assert_eq!((h.line(first), h.find("run", first + 1)), (Some("run two"), Some(3)));
        assert_eq!(h.find("nothing", 1), None);
    }
    #[test]
    fn the_oldest_lines_go() {
        let mut h = History::default();
        (0..LINES + 1).for_each(|n| h.add(&n.to_string()));
        assert_eq!((h.len(), h.line(LINES)), (LINES, Some("1")));
    }
}
