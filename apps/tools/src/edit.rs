//! An editor of lines, after `ed` (IEEE 1003.1): what a command does to the text. It works on every terminal, and from a script.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub const HELP: &str = "\
N or $ goes to a line; . is the current one, A,B a range, , all
p prints, n prints with numbers, = says the number
i and a take lines before or behind it, until a line that is a single .
c takes lines in place of a range; d takes a range away; j joins two
s/OLD/NEW/ replaces a string, with g at the end each one
/TEXT goes to the next line with TEXT
w [FILE] writes, q leaves, Q leaves without writing";

#[derive(Debug, Default)]
pub struct Text {
    pub lines: Vec<String>,
    /// The current line, from 1; 0: there is none.
    pub current: usize,
    pub changed: bool,
}
/// What is to be done beside.
#[derive(Debug, PartialEq, Eq)]
pub enum Then {
    Nothing,
    Show(Vec<String>),
    /// Lines are to be taken, up to a single dot, and put behind this line.
    Take(usize),
    /// To this file, if one is named.
    Write(Option<String>),
    /// Whatever was changed, if true.
    Quit(bool),
}
impl Text {
    pub fn new(text: &str) -> Text {
        let lines: Vec<String> = text.lines().map(String::from).collect();
        Text { current: lines.len(), lines, changed: false }
    }
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
    /// Puts lines behind line `after`.
    pub fn insert(&mut self, after: usize, lines: Vec<String>) {
        self.changed |= !lines.is_empty();
        self.current = after + lines.len();
        self.lines.splice(after..after, lines);
    }
    /// A line's number at the start of `command`, and what follows.
    fn address<'a>(&self, command: &'a str) -> (Option<usize>, &'a str) {
        if let Some(rest) = command.strip_prefix('.') {
            return (Some(self.current), rest);
        }
        if let Some(rest) = command.strip_prefix('$') {
            return (Some(self.lines.len()), rest);
        }
        let end = command.find(|c: char| !c.is_ascii_digit()).unwrap_or(command.len());
        (command[..end].parse().ok(), &command[end..])
    }
    /// Does what `command` says.
    #[expect(clippy::too_many_lines, reason = "an arm for each command")]
    pub fn command(&mut self, command: &str) -> Result<Then, String> {
        let command = command.trim_start();
        if let Some(wanted) = command.strip_prefix('/') {
            let wanted = wanted.strip_suffix('/').unwrap_or(wanted);
            let order = (self.current..self.lines.len()).chain(0..self.current);
            let found = order.into_iter().find(|&n| self.lines[n].contains(wanted)).ok_or("no such text")?;
            self.current = found + 1;
            return Ok(Then::Show(Vec::from([self.lines[found].clone()])));
        }
        let (first, rest) = self.address(command);
        let (range, rest) = match rest.strip_prefix(',') {
            Some(rest) => {
                let (last, rest) = self.address(rest);
                (Some((first.unwrap_or(1), last.unwrap_or(self.lines.len()))), rest)
            }
            None => (first.map(|n| (n, n)), rest),
        };
        let (from, to) = range.unwrap_or((self.current, self.current));
        let letter = rest.chars().next();
        let inserts = matches!(letter, Some('a' | 'i'));
        if from > to
            || to > self.lines.len()
            || (from == 0 && !inserts && !matches!(letter, Some('w' | 'q' | 'Q' | 'h' | '=')))
        {
            return Err("there is no such line".into());
        }
        let argument = rest.get(1..).unwrap_or("").trim();
        Ok(match letter {
            None => {
                self.current = to;
                Then::Show(Vec::from([self.lines[to - 1].clone()]))
            }
            Some('p') => {
                self.current = to;
                Then::Show(self.lines[from - 1..to].to_vec())
            }
            Some('n') => {
                self.current = to;
                Then::Show((from..=to).map(|n| format!("{n:5}  {}", self.lines[n - 1])).collect())
            }
            Some('=') => Then::Show(Vec::from([to.to_string()])),
            Some('a') => Then::Take(to),
            Some('i') => Then::Take(to.saturating_sub(1)),
            Some(letter @ ('d' | 'c')) => {
                self.lines.drain(from - 1..to);
                self.changed = true;
                self.current = from.min(self.lines.len());
                if letter == 'c' { Then::Take(from - 1) } else { Then::Nothing }
            }
            Some('j') if to < self.lines.len() => {
                let next = self.lines.remove(to);
                self.lines[to - 1] += &next;
                self.changed = true;
                Then::Nothing
            }
            Some('s') => {
                self.substitute(from, to, &rest[1..])?;
                Then::Nothing
            }
            Some('w') => Then::Write(Some(argument).filter(|name| !name.is_empty()).map(String::from)),
            Some('q') => Then::Quit(false),
            Some('Q') => Then::Quit(true),
            Some('h') => Then::Show(HELP.lines().map(String::from).collect()),
            Some(_) => return Err("no such command; h lists them".into()),
        })
    }
    /// Replaces in lines `from` to `to` what is between the first two separators.
    fn substitute(&mut self, from: usize, to: usize, how: &str) -> Result<(), String> {
        let separator = how.chars().next().ok_or("s/OLD/NEW/")?;
        let mut parts = how[separator.len_utf8()..].split(separator);
        let (old, new, flags) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        if old.is_empty() {
            return Err("s/OLD/NEW/".into());
        }
        let mut any = false;
        for n in from..=to {
            let line = &mut self.lines[n - 1];
            if line.contains(old) {
                *line = if flags.contains('g') { line.replace(old, new) } else { line.replacen(old, new, 1) };
                (any, self.current) = (true, n);
            }
        }
        self.changed |= any;
        if any { Ok(()) } else { Err("no such text".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn text() -> Text {
        Text::new("one\ntwo\nthree\n")
    }
    #[test]
    fn lines_are_shown_by_number_and_range() {
        let mut t = text();
        assert_eq!(t.command("2"), Ok(Then::Show(vec!["two".into()])));
        assert_eq!(
            t.command(",n"),
            Ok(Then::Show(vec!["    1  one".into(), "    2  two".into(), "    3  three".into()]))
        );
        assert_eq!(t.command(".,$p"), Ok(Then::Show(vec!["three".into()])));
        assert_eq!(t.command("/tw"), Ok(Then::Show(vec!["two".into()])));
    }
    #[test]
    fn lines_come_and_go() {
        let mut t = text();
        assert_eq!(t.command("1a"), Ok(Then::Take(1)));
        t.insert(1, vec!["x".into()]);
        assert_eq!(t.command("3,4d"), Ok(Then::Nothing));
        assert_eq!((t.text().as_str(), t.changed), ("one\nx\n", true));
        assert_eq!(t.command("1c"), Ok(Then::Take(0)));
        assert_eq!(Text::new("").command("a"), Ok(Then::Take(0)));
    }
    #[test]
    fn strings_are_replaced() {
        let mut t = text();
        t.command(",s/e/E/g").unwrap();
        assert_eq!(t.text(), "onE\ntwo\nthrEE\n");
        assert!(t.command("s/x/y/").is_err() && t.command("s").is_err());
    }
    #[test]
    fn a_line_that_there_is_not_is_refused() {
        let mut t = text();
        assert!(["9", "0p", "3,2p", "3j"].iter().all(|command| t.command(command).is_err()));
        assert!(Text::new("").command("p").is_err());
    }
    #[test]
    fn an_unknown_command_is_refused() {
        assert!(text().command("x").unwrap_err().contains("h lists them"));
    }
}
