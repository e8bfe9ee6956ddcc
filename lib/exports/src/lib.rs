//! Interfaces that components export to extensions: procedures, which extensions call, and events, which they handle.
//!
//! An interface is declared in a file with its name, in plain Rust:
//!
//! ```
//! # let text = r#"
//! /// What is read of a packet's headers.
//! pub struct Header {
//!     pub port: u16,
//!     pub source: [u8; 4],
//! }
//! /// What becomes of it.
//! pub enum Verdict {
//!     Pass = 0,
//!     Drop = 1,
//! }
//! /// A connection that is open.
//! pub type Connection = Handle;
//!
//! pub trait Procedures {
//!     /// Ends a connection.
//!     fn reset(connection: Connection) -> bool;
//! }
//! pub trait Events {
//!     /// A packet has arrived. It passes where nobody handles that.
//!     fn arrived(header: &Header, bytes: &[u8]) -> Verdict {
//!         Verdict::Pass
//!     }
//! }
//! # "#;
//! # let packets = exports::Interface::parse("packets", text).unwrap();
//! # assert_eq!((packets.procedures.len(), packets.events.len()), (1, 1));
//! ```
//!
//! What crosses is plain: integers, `bool`, enumerations without fields, handles, `&` and `&mut` of slices of bytes and of structures of integers. So no pointer
//! of one side is kept by the other: nothing that lasts, no table of functions, and every pattern of bits of what is lent is one of its type. What has a range, an
//! enumeration or a `bool`, crosses by value and is checked by who gets it.
//!
//! [`Interface::canonical`] is the text that an interface's identity is made of: names, order, and layouts to the last field. [`code`] makes the
//! crate that an extension is compiled with, and the entries by which its handlers are called.

mod code;
mod guard;
mod host;
mod parse;
#[cfg(test)]
mod tests;

use extension::{MOST_NAME, MOST_PROCEDURES};

pub use code::{ENTRY, Handler, SLOT, crate_name, program_source, runtime};
pub use host::build;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Most words that a call passes, in registers: a slice is two.
pub const MOST_WORDS: usize = 8;
/// Most bytes of a structure.
pub const MOST_BYTES: usize = 4096;

/// What is wrong with a declaration, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// From 1; 0: the whole.
    pub line: usize,
    pub why: String,
}
impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(&self.why)
    }
}
impl std::error::Error for Error {}

/// An interface, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Small letters, digits and low lines.
    pub name: String,
    /// What is said of it.
    pub means: String,
    pub types: Vec<Declared>,
    /// By their places.
    pub procedures: Vec<Procedure>,
    /// By their places.
    pub events: Vec<Procedure>,
}
/// A type of the interface's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    pub means: String,
    pub shape: Shape,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A structure as C lays it out.
    Plain { fields: Vec<Field>, bytes: usize, align: usize },
    /// Names, and the number of each: 0 to 255.
    Choice(Vec<(String, u8)>),
    /// Index and generation, which only the host understands.
    Handle,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub means: String,
    /// Where it begins, in bytes.
    pub at: usize,
    pub of: Element,
    /// How many there are: an array; nothing: one, and no array.
    pub count: Option<usize>,
}
/// What fields are of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    Integer(Integer),
    /// A structure of the interface's, declared before.
    Plain(String),
}
/// An integer's type: 8, 16, 32 or 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    pub signed: bool,
    pub bits: u32,
}
impl std::fmt::Display for Integer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }
}
/// What is passed by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Integer(Integer),
    Bool,
    Choice(String),
    Handle(String),
}
/// What is lent for the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lent {
    Bytes,
    Plain(String),
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    Value(Value),
    Lent { of: Lent, mutable: bool },
}
impl Passed {
    /// Registers that it takes.
    pub fn words(&self) -> usize {
        if matches!(self, Passed::Lent { of: Lent::Bytes, .. }) { 2 } else { 1 }
    }
}
/// A procedure or an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    pub name: String,
    pub means: String,
    pub arguments: Vec<(String, Passed)>,
    pub result: Option<Value>,
    /// Of an event: what its raiser gets where no handler says anything.
    pub default: Option<i128>,
}

impl Interface {
    /// Reads the declaration of the interface with that name.
    pub fn parse(name: &str, text: &str) -> Result<Interface, Error> {
        parse::interface(name, text)
    }
    /// The type of its own with that name.
    pub fn declared(&self, name: &str) -> Option<&Declared> {
        self.types.iter().find(|declared| declared.name == name)
    }
    /// SHA-256 of [`Interface::canonical`]: the same for whoever has the same declaration.
    pub fn identity(&self) -> extension::Digest {
        Sha256::digest(self.canonical()).into()
    }
    /// All that two sides have to agree on, as text: names, the order of procedures and events, and layouts, recursively. What documentation says is not in it.
    pub fn canonical(&self) -> String {
        let mut text = format!("interface {}\n", self.name);
        for declared in &self.types {
            let name = &declared.name;
            let _ = match &declared.shape {
                Shape::Handle => writeln!(text, "handle {name}"),
                Shape::Choice(names) => writeln!(text, "choice {name} {names:?}"),
                Shape::Plain { fields, bytes, align } => {
                    let fields: Vec<String> = fields.iter().map(Field::canonical).collect();
                    writeln!(text, "plain {name} {bytes} {align} {fields:?}")
                }
            };
        }
        for (kind, procedures) in [("procedure", &self.procedures), ("event", &self.events)] {
            for (at, procedure) in procedures.iter().enumerate() {
                let _ = writeln!(text, "{kind} {at} {procedure} default {:?}", procedure.default);
            }
        }
        text
    }
}
impl Field {
    fn canonical(&self) -> String {
        let element = match &self.of {
            Element::Integer(integer) => integer.to_string(),
            Element::Plain(name) => name.clone(),
        };
        format!("{} {} {element} {:?}", self.at, self.name, self.count)
    }
}
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Integer(integer) => integer.fmt(f),
            Value::Bool => f.write_str("bool"),
            Value::Choice(name) | Value::Handle(name) => f.write_str(name),
        }
    }
}
impl std::fmt::Display for Passed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Passed::Value(value) => value.fmt(f),
            Passed::Lent { of, mutable } => {
                write!(f, "&{}", if *mutable { "mut " } else { "" })?;
                f.write_str(if let Lent::Plain(name) = of { name } else { "[u8]" })
            }
        }
    }
}
/// As it is declared.
impl std::fmt::Display for Procedure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}(", self.name)?;
        for (at, (name, passed)) in self.arguments.iter().enumerate() {
            write!(f, "{}{name}: {passed}", if at > 0 { ", " } else { "" })?;
        }
        f.write_char(')')?;
        self.result.as_ref().map_or(Ok(()), |result| write!(f, " -> {result}"))
    }
}
