//! The line that is edited: what keys do to it, and what is to be written for it to be seen.
//!
//! The terminal is told where to go and never asked, so that a pipe does as well as a person; how wide it is, it may say ([`Key::Column`]).

use crate::history::History;
use crate::keys::Key;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Longest line, in bytes.
pub const LONGEST: usize = 1024;
/// How wide a terminal is that does not say.
const COLUMNS: usize = 80;

/// What a key has led to.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The line goes on.
    Nothing,
    /// It is finished.
    Line(String),
    /// Ctrl-C: it was given up.
    Cancelled,
    /// Ctrl-D on an empty line.
    EndOfInput,
    /// Tab: how the word before the cursor could go on is wanted.
    Complete,
}
/// A search through earlier lines.
struct Search {
    text: String,
    /// How many lines ago the match is.
    found: Option<usize>,
    /// The line as it was.
    before: String,
}
pub struct Line {
    prompt: String,
    text: String,
    /// Where the next character goes, in bytes.
    cursor: usize,
    pub history: History,
    /// How many lines ago the shown one was typed, and the one that was being typed; 0: that one is shown.
    back: usize,
    typed: String,
    erased: String,
    search: Option<Search>,
    columns: usize,
    /// What is written goes to no terminal: prompts and lines, and nothing that would move a cursor.
    plain: bool,
    /// Row of the terminal's cursor below the prompt's.
    row: usize,
    /// What is to be written.
    output: String,
    /// The last key was Tab, and there was more than one way to go on.
    undecided: bool,
}
/// Columns that text takes where it is in one row.
fn width(text: &str) -> usize {
    text.width()
}
/// Where the cursor is behind text that begins in column 0, on a terminal of so many columns, and `next` to come: row and column. A wide character that has no
/// room in a row is in the next one, and so is what comes behind a full row.
fn place(text: &str, next: Option<char>, columns: usize) -> (usize, usize) {
    let (mut row, mut column) = (0, 0);
    for wide in text.chars().chain(next).map(|c| c.width().unwrap_or(0)) {
        if column + wide > columns {
            (row, column) = (row + 1, 0);
        }
        column += wide;
    }
    match next.map(|c| c.width().unwrap_or(0)) {
        Some(wide) => (row, column - wide),
        None if column == columns => (row + 1, 0),
        None => (row, column),
    }
}
impl Line {
    pub fn new(prompt: &str) -> Line {
        Line {
            prompt: prompt.into(),
            text: String::new(),
            cursor: 0,
            history: History::default(),
            back: 0,
            typed: String::new(),
            erased: String::new(),
            search: None,
            columns: COLUMNS,
            plain: false,
            row: 0,
            output: String::new(),
            undecided: false,
        }
    }
    /// One that is shown on no terminal.
    pub fn plain(prompt: &str) -> Line {
        Line { plain: true, ..Line::new(prompt) }
    }
    /// What was typed so far.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// The same up to the cursor.
    pub fn before_cursor(&self) -> &str {
        &self.text[..self.cursor]
    }
    pub fn columns(&self) -> usize {
        self.columns
    }
    /// What is to be written to the terminal since this was asked last.
    pub fn output(&mut self) -> String {
        core::mem::take(&mut self.output)
    }
    /// Begins a new line: shows the prompt.
    pub fn begin(&mut self) {
        self.text.clear();
        (self.cursor, self.back, self.row, self.search) = (0, 0, 0, None);
        if self.plain {
            self.output += &self.prompt;
        }
        self.draw();
    }
    fn shown(&self) -> String {
        match &self.search {
            Some(search) => {
                let failed = if search.found.is_none() && !search.text.is_empty() { "no " } else { "" };
                format!("({failed}match for '{}'): ", search.text)
            }
            None => self.prompt.clone(),
        }
    }
    /// Draws all anew, from the row of the prompt on.
    fn draw(&mut self) {
        if self.plain {
            return;
        }
        if self.row > 0 {
            self.output += &format!("\x1b[{}A", self.row);
        }
        let prompt = self.shown();
        let (before, behind) = self.text.split_at(self.cursor);
        let at = place(&format!("{prompt}{before}"), behind.chars().next(), self.columns);
        let end = place(&format!("{prompt}{before}{behind}"), None, self.columns);
        // Nothing is taken off a line on which nothing is yet.
        let erase =
            if prompt == self.prompt && self.text.is_empty() && self.row == 0 { "\r\x1b[K" } else { "\r\x1b[J" };
        self.output += erase;
        self.output += &prompt;
        self.output += &self.text;
        if end.0 > 0 && end.1 == 0 {
            self.output += "\r\n";
        }
        if at != end {
            if end.0 > at.0 {
                self.output += &format!("\x1b[{}A", end.0 - at.0);
            }
            self.output.push('\r');
            if at.1 > 0 {
                self.output += &format!("\x1b[{}C", at.1);
            }
        }
        self.row = at.0;
    }
    fn replace(&mut self, text: String) {
        self.cursor = text.len();
        self.text = text;
    }
    /// Puts `text` at the cursor.
    fn insert(&mut self, text: &str) {
        if self.text.len() + text.len() > LONGEST {
            self.output.push('\x07');
            return;
        }
        let plain = self.cursor == self.text.len();
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        let rows = |end: usize| place(&format!("{}{}", self.prompt, &self.text[..end]), None, self.columns).0;
        // At the end of a line that does not wrap, what is new is all there is to draw.
        if plain && (self.plain || rows(self.text.len()) == rows(self.cursor - text.len())) {
            self.output += text;
        } else {
            self.draw();
        }
    }
    fn left(&self) -> usize {
        self.text[..self.cursor].char_indices().next_back().map_or(0, |(at, _)| at)
    }
    fn right(&self) -> usize {
        self.text[self.cursor..].chars().next().map_or(self.cursor, |c| self.cursor + c.len_utf8())
    }
    fn word_left(&self) -> usize {
        let words = self.text[..self.cursor].trim_end();
        words.rfind(char::is_whitespace).map_or(0, |at| at + 1)
    }
    fn word_right(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let blanks = rest.len() - rest.trim_start().len();
        rest[blanks..].find(char::is_whitespace).map_or(self.text.len(), |at| self.cursor + blanks + at)
    }
    fn move_to(&mut self, place: usize) {
        self.cursor = place;
        self.draw();
    }
    fn erase(&mut self, from: usize, to: usize, keep: bool) {
        let erased: String = self.text.drain(from..to).collect();
        if keep && !erased.is_empty() {
            self.erased = erased;
        }
        self.move_to(from);
    }
    /// Shows the line that was typed `back` lines ago.
    fn show(&mut self, back: usize) {
        if back > self.history.len() {
            self.output.push('\x07');
            return;
        }
        if self.back == 0 {
            self.typed = self.text.clone();
        }
        self.back = back;
        let text = self.history.line(back).map_or_else(|| self.typed.clone(), String::from);
        self.replace(text);
        self.draw();
    }
    /// What `key` does.
    pub fn key(&mut self, key: Key) -> Outcome {
        if self.search.is_some() && !self.search_key(key) {
            return Outcome::Nothing;
        }
        let undecided = core::mem::take(&mut self.undecided);
        match key {
            Key::Character(c) => self.insert(c.encode_utf8(&mut [0; 4])),
            Key::Enter => {
                // Behind all that is shown.
                if self.cursor < self.text.len() {
                    self.move_to(self.text.len());
                }
                self.output += "\r\n";
                let line = core::mem::take(&mut self.text);
                self.cursor = 0;
                self.history.add(&line);
                return Outcome::Line(line);
            }
            Key::Tab => {
                self.undecided = undecided;
                return Outcome::Complete;
            }
            Key::Left => self.move_to(self.left()),
            Key::Right => self.move_to(self.right()),
            Key::WordLeft => self.move_to(self.word_left()),
            Key::WordRight => self.move_to(self.word_right()),
            Key::Start => self.move_to(0),
            Key::End => self.move_to(self.text.len()),
            Key::Up => self.show(self.back + 1),
            Key::Down if self.back > 0 => self.show(self.back - 1),
            Key::Down => self.output.push('\x07'),
            Key::Erase => self.erase(self.left(), self.cursor, false),
            Key::EndOfInput if self.text.is_empty() => return Outcome::EndOfInput,
            Key::Delete | Key::EndOfInput => self.erase(self.cursor, self.right(), false),
            Key::EraseWord => self.erase(self.word_left(), self.cursor, true),
            Key::EraseToStart => self.erase(0, self.cursor, true),
            Key::EraseToEnd => self.erase(self.cursor, self.text.len(), true),
            Key::Yank => self.insert(&self.erased.clone()),
            Key::Transpose => self.transpose(),
            Key::Clear if self.plain => {}
            Key::Clear => {
                self.output += "\x1b[H\x1b[2J";
                self.row = 0;
                self.draw();
            }
            Key::Search => {
                self.search =
                    Some(Search { text: String::new(), found: None, before: core::mem::take(&mut self.text) });
                self.cursor = 0;
                self.draw();
            }
            Key::Cancel => {
                self.output += "^C\r\n";
                return Outcome::Cancelled;
            }
            Key::Column(columns) => self.columns = usize::from(columns).max(20),
        }
        Outcome::Nothing
    }
    fn transpose(&mut self) {
        if self.cursor == self.text.len() && self.cursor > 0 {
            self.cursor = self.left();
        }
        let (from, to) = (self.left(), self.right());
        if from < self.cursor && self.cursor < to {
            let both: String = self.text[from..to].chars().rev().collect();
            self.text.replace_range(from..to, &both);
            self.cursor = to;
        }
        self.draw();
    }
    /// A key while earlier lines are searched. True: the search is over, and the key is the line's.
    fn search_key(&mut self, key: Key) -> bool {
        let Some(mut search) = self.search.take() else { return true };
        let from = match key {
            Key::Character(c) => {
                search.text.push(c);
                search.found.unwrap_or(1)
            }
            Key::Erase => {
                search.text.pop();
                1
            }
            Key::Search => search.found.map_or(1, |found| found + 1),
            Key::Column(_) => {
                self.search = Some(search);
                return true;
            }
            Key::Cancel => {
                self.replace(search.before);
                self.draw();
                return false;
            }
            _ => {
                self.back = search.found.unwrap_or(0);
                self.draw();
                return true;
            }
        };
        let found = if search.text.is_empty() { None } else { self.history.find(&search.text, from) };
        match found {
            Some(back) => {
                let text = self.history.line(back).unwrap_or_default();
                let at = text.find(&search.text).unwrap_or(0);
                (self.cursor, self.text) = (at, text.into());
                search.found = found;
            }
            // A search that goes on finds nothing older: the last match stays.
            None if matches!(key, Key::Search) => self.output.push('\x07'),
            None => search.found = None,
        }
        self.search = Some(search);
        self.draw();
        false
    }
    /// The word before the cursor, which begins `start` bytes into the line, goes on as one of `candidates`, each a whole word: what
    /// they have in common is put there; where that is nothing new, the second Tab shows them.
    pub fn complete(&mut self, start: usize, candidates: &[String]) {
        let word = &self.text[start..self.cursor];
        let Some(first) = candidates.first() else {
            self.output.push('\x07');
            return;
        };
        let common = candidates.iter().fold(first.len(), |length, other| {
            let same = first.char_indices().zip(other.chars()).take_while(|((_, a), b)| a == b);
            same.map(|((at, c), _)| at + c.len_utf8()).last().unwrap_or(0).min(length)
        });
        let mut rest = String::from(first.get(word.len()..common).unwrap_or(""));
        if candidates.len() == 1 && !first.ends_with('/') {
            rest.push(' ');
        }
        if !rest.is_empty() {
            self.insert(&rest);
        } else if self.undecided {
            self.list(candidates);
        } else {
            self.output.push('\x07');
            self.undecided = true;
        }
    }
    /// Shows words in columns, and the line again below them.
    fn list(&mut self, words: &[String]) {
        let widest = words.iter().map(|word| width(word)).max().unwrap_or(0) + 2;
        let each = (self.columns / widest).max(1);
        self.output += "\r\n";
        for row in words.chunks(each) {
            let padded: Vec<String> =
                row.iter().map(|word| format!("{word}{}", " ".repeat(widest - width(word)))).collect();
            self.output += padded.concat().trim_end();
            self.output += "\r\n";
        }
        self.row = 0;
        self.draw();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keys;
    fn typed(line: &mut Line, bytes: &str) -> Outcome {
        let mut keys = Keys::default();
        bytes.bytes().filter_map(|b| keys.byte(b)).map(|key| line.key(key)).last().unwrap_or(Outcome::Nothing)
    }
    fn after(bytes: &str) -> (String, usize) {
        let mut line = Line::new("> ");
        line.begin();
        ["one two", "run hello", "three"].iter().for_each(|earlier| line.history.add(earlier));
        typed(&mut line, bytes);
        (line.text.clone(), line.cursor)
    }
    #[test]
    fn words_and_ends_are_erased_and_come_again() {
        assert_eq!(after("one two three\x17"), ("one two ".into(), 8));
        assert_eq!(after("one two\x17\x17\x19\x19"), ("one one ".into(), 8));
        assert_eq!(after("one two\x01\x0b"), (String::new(), 0));
        assert_eq!(after("one two\x1b[D\x15"), ("o".into(), 0));
    }
    #[test]
    fn the_cursor_goes_by_characters_and_words() {
        assert_eq!(after("a\u{e9}b\x1b[D\x1b[D"), ("a\u{e9}b".into(), 1));
        assert_eq!(after("one two\x1bb\x1bb\x1bf"), ("one two".into(), 3));
        assert_eq!(after("ab\x01x\x05y"), ("xaby".into(), 4));
        assert_eq!(after("ab\x14"), ("ba".into(), 2));
    }
    #[test]
    fn earlier_lines_come_and_what_was_typed_is_kept() {
        assert_eq!(after("x\x1b[A").0, "three");
        assert_eq!(after("x\x1b[A\x1b[A").0, "run hello");
        assert_eq!(after("x\x1b[A\x1b[B").0, "x");
    }
    #[test]
    fn a_search_finds_goes_on_and_is_given_up() {
        assert_eq!(after("\x12e").0, "three");
        assert_eq!(after("\x12e\x12").0, "run hello");
        assert_eq!(after("\x12one\x05!").0, "one two!");
        assert_eq!(after("ab\x12one\x03").0, "ab");
        assert_eq!(after("ab\x12xyz").0, "");
    }
    #[test]
    fn enter_gives_the_line_and_control_d_the_end() {
        let mut line = Line::new("> ");
        assert_eq!(typed(&mut line, "ls\r"), Outcome::Line("ls".into()));
        assert_eq!(typed(&mut line, "\x04"), Outcome::EndOfInput);
        assert_eq!(typed(&mut line, "ab\x01\x04\r"), Outcome::Line("b".into()));
        assert_eq!(typed(&mut line, "ab\x03"), Outcome::Cancelled);
    }
    #[test]
    fn what_is_typed_at_the_end_is_only_echoed() {
        let mut line = Line::new("> ");
        line.begin();
        line.output();
        typed(&mut line, "abc\r");
        assert_eq!(line.output(), "abc\r\n");
    }
    #[test]
    fn a_line_that_wraps_is_drawn_from_its_first_row() {
        let mut line = Line::new("> ");
        line.key(Key::Column(20));
        line.begin();
        typed(&mut line, "123456789012345678901234567890");
        line.output();
        typed(&mut line, "\x01");
        assert!(line.output().starts_with("\x1b[1A\r\x1b[J> 1"));
        assert_eq!(line.row, 0);
    }
    #[test]
    fn wide_letters_take_two_columns() {
        let mut line = Line::new("> ");
        line.key(Key::Column(20));
        line.begin();
        // Nine of them do not fit behind the prompt's two columns and one more.
        typed(&mut line, "x\u{4e2d}\u{6587}");
        line.output();
        typed(&mut line, "\x1b[D");
        assert!(line.output().ends_with("\r\x1b[5C"));
        let wide = "\u{4e2d}".repeat(9);
        assert_eq!(place(&format!("> {wide}"), None, 20), (1, 0));
        assert_eq!(place(&format!("> x{wide}"), None, 20), (1, 2));
        assert_eq!(place(&format!("> x{}", "\u{4e2d}".repeat(8)), Some('\u{4e2d}'), 20), (1, 0));
        assert_eq!(place("e\u{301}", None, 20), (0, 1));
    }
    #[test]
    fn where_no_terminal_shows_it_nothing_moves_a_cursor() {
        let mut line = Line::plain("> ");
        line.begin();
        typed(&mut line, "abc\x1b[D\x01x\x17\x1b[A\tdef\r");
        line.begin();
        assert!(!line.output().contains('\x1b'));
        line.begin();
        typed(&mut line, "halt\r");
        assert_eq!(line.output(), "> halt\r\n");
    }
    fn completed(text: &str, start: usize, candidates: &[&str]) -> String {
        let mut line = Line::new("> ");
        typed(&mut line, text);
        let candidates: Vec<String> = candidates.iter().map(|c| c.to_string()).collect();
        line.complete(start, &candidates);
        line.text
    }
    #[test]
    fn a_word_is_completed_as_far_as_it_is_certain() {
        assert_eq!(completed("run he", 4, &["hello"]), "run hello ");
        assert_eq!(completed("cat da", 4, &["data/"]), "cat data/");
        assert_eq!(completed("d", 0, &["domains", "domino"]), "dom");
        assert_eq!(completed("dom", 0, &["domains", "domino"]), "dom");
    }
    #[test]
    fn the_second_tab_shows_what_there_is() {
        let mut line = Line::new("> ");
        typed(&mut line, "dom");
        let candidates = ["domains".into(), "domino".into()];
        (0..2).for_each(|_| {
            line.key(Key::Tab);
            line.complete(0, &candidates);
        });
        assert!(line.output().contains("domains  domino\r\n"));
    }
    #[test]
    fn a_line_too_long_rings() {
        let mut line = Line::new("> ");
        typed(&mut line, &"x".repeat(LONGEST + 1));
        assert_eq!((line.text.len(), line.output().ends_with('\x07')), (LONGEST, true));
    }
}
