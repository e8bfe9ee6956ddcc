//! Reading a line: editing and history by a library, over the console's keys.
//!
//! The library takes key by key and asks the terminal nothing, so that a pipe does as well as a person. Keys are taken from
//! the console one at a time: what is typed ahead stays there for the program that a line starts.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::convert::Infallible;
use embedded_cli::cli::{Cli, CliBuilder};
use embedded_cli::command::RawCommand;
use embedded_io::{ErrorType, Write};
use pebble::Result;
use shell_logic::keys::{Key, Keys};

const PROMPT: &str = "pebble> ";
/// Longest line, and room for earlier ones, in bytes.
const LINE: usize = 256;
const HISTORY: usize = 4096;

/// Where the library writes: the console, or a buffer while the line is asked for.
#[derive(Clone)]
struct Terminal(Rc<RefCell<Option<Vec<u8>>>>);
impl ErrorType for Terminal {
    type Error = Infallible;
}
impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> core::result::Result<usize, Infallible> {
        match &mut *self.0.borrow_mut() {
            Some(kept) => kept.extend_from_slice(bytes),
            // What can not be written is lost, as on any terminal.
            None => drop(pebble::console::write(bytes)),
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> core::result::Result<(), Infallible> {
        Ok(())
    }
}

pub struct Editor {
    cli: Cli<Terminal, Infallible, [u8; LINE], [u8; HISTORY]>,
    terminal: Terminal,
    keys: Keys,
}
impl Editor {
    /// Shows the first prompt.
    pub fn new() -> Editor {
        let terminal = Terminal(Rc::new(RefCell::new(None)));
        let builder = CliBuilder::default().writer(terminal.clone()).prompt(PROMPT);
        let Ok(cli) = builder.command_buffer([0; LINE]).history_buffer([0; HISTORY]).build();
        Editor { cli, terminal, keys: Keys::default() }
    }
    /// Takes one key from the console. If it ends a line, `execute` gets it before the next prompt is shown. False: the input
    /// has ended.
    pub fn key(&mut self, execute: impl Fn(&str)) -> Result<bool> {
        let mut byte = [0];
        if pebble::console::read_raw(&mut byte)? == 0 {
            // A last line without an end is one all the same; then the end comes again.
            if self.line().is_empty() {
                return Ok(false);
            }
            byte[0] = b'\n';
        }
        match self.keys.byte(byte[0]) {
            Key::None => {}
            Key::Byte(byte) => self.pass(byte, &execute),
            Key::Bytes(bytes) => self.pass_all(bytes),
            Key::Start => (0..LINE).for_each(|_| self.pass_all(b"\x1b[D")),
            Key::End => (0..LINE).for_each(|_| self.pass_all(b"\x1b[C")),
            Key::Erase => {
                let length = self.line().chars().count();
                (0..length).for_each(|_| self.pass_all(b"\x1b[C"));
                (0..length).for_each(|_| self.pass_all(b"\x08"));
            }
            Key::Enter => {
                let line = self.line();
                self.pass(byte[0], &|_| execute(&line));
            }
        }
        Ok(true)
    }
    /// The line as it stands. The library tells it only by drawing it behind the prompt.
    fn line(&mut self) -> String {
        *self.terminal.0.borrow_mut() = Some(Vec::new());
        let Ok(()) = self.cli.set_prompt(PROMPT);
        let drawn = self.terminal.0.take().unwrap_or_default();
        let drawn = String::from_utf8(drawn).unwrap_or_default();
        drawn.split_once(PROMPT).map_or_else(String::new, |(_, line)| line.into())
    }
    fn pass_all(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.pass(byte, &|_| ()));
    }
    fn pass(&mut self, byte: u8, execute: &dyn Fn(&str)) {
        let mut processor = RawCommand::processor(|_, command: RawCommand| {
            execute(command.name());
            Ok(())
        });
        let Ok(()) = self.cli.process_byte::<RawCommand, _>(byte, &mut processor);
    }
}
