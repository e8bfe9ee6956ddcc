//! The person at the console: keys into the line that is edited.
//!
//! Keys are taken from the console one at a time: what is typed ahead stays there for the program that a line starts.

use crate::completion;
use alloc::string::String;
use pebble::Result;
use pebble::sync::Mutex;
use shell_logic::keys::Keys;
use shell_logic::line::{Line, Outcome};

const PROMPT: &str = "pebble> ";
/// Has the terminal say how wide it is: the cursor goes as far as it can, is asked for, and comes back (ECMA-48).
const ASK_COLUMNS: &[u8] = b"\x1b7\x1b[999C\x1b[6n\x1b8";

/// Earlier lines are asked for by a command, too.
static HISTORY: Mutex<alloc::vec::Vec<String>> = Mutex::new(alloc::vec::Vec::new());

pub fn history(mut show: impl FnMut(&str)) {
    // To show one may have to be waited for.
    let lines = HISTORY.lock().clone();
    lines.iter().for_each(|line| show(line));
}
/// What has been typed.
pub enum Typed {
    Line(String),
    End,
}
pub struct Terminal {
    line: Line,
    keys: Keys,
    /// A person types, whose terminal may be asked.
    asks: bool,
    /// Reading failed in the middle of a line.
    unfinished: bool,
}
impl Terminal {
    /// `asks`: a person types; `plain`: what is written goes to no terminal.
    pub fn new(asks: bool, plain: bool) -> Terminal {
        let line = if plain { Line::plain(PROMPT) } else { Line::new(PROMPT) };
        Terminal { line, keys: Keys::default(), asks: asks && !plain, unfinished: false }
    }
    fn show(&mut self) {
        // What can not be written is lost, as on any terminal.
        let _ = pebble::console::write(self.line.output().as_bytes());
    }
    /// Shows the prompt, and reads a line.
    pub fn read(&mut self) -> Result<Typed> {
        // Before the prompt: who sees it may type. It fails where reading does.
        let _ = pebble::console::set_raw(true);
        if self.asks {
            let _ = pebble::console::write(ASK_COLUMNS);
        }
        // What a program had sent of a line when the console died goes on with what it sends to the next one.
        if self.asks || !core::mem::take(&mut self.unfinished) {
            self.line.begin();
        }
        loop {
            self.show();
            let mut byte = [0];
            let count = pebble::console::read_raw(&mut byte).inspect_err(|_| self.unfinished = true)?;
            let outcome = if count == 0 {
                // A last line without an end is one all the same; then the end comes again.
                if self.line.text().is_empty() {
                    return Ok(Typed::End);
                }
                self.line.key(shell_logic::keys::Key::Enter)
            } else {
                match self.keys.byte(byte[0]) {
                    Some(key) => self.line.key(key),
                    None => continue,
                }
            };
            match outcome {
                Outcome::Nothing => {}
                Outcome::Cancelled => self.line.begin(),
                // Where a person types, another line may follow.
                Outcome::EndOfInput => {
                    let _ = pebble::console::write(b"\r\n(halt stops the machine)\r\n");
                    self.line.begin();
                }
                Outcome::Complete => {
                    let (start, candidates) = completion::of(self.line.before_cursor());
                    self.line.complete(start, &candidates);
                }
                Outcome::Line(line) => {
                    self.show();
                    if !line.trim().is_empty() {
                        HISTORY.lock().push(line.clone());
                    }
                    return Ok(Typed::Line(line));
                }
            }
        }
    }
}
