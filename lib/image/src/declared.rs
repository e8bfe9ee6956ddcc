//! What a component's program declares in its sections: the portals that it provides and those that it opens when it starts.
//! Programs without the sections (in C, say) declare nothing.

use crate::Program;
use abi::section::{Imported, NAME, Provided, SPEC, text};

/// A portal that a program provides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provides {
    pub name: String,
    /// As it stands there: it may be wrong.
    pub specification: String,
    /// Address of the entry point. 0: the program registers it itself, later or not at all.
    pub entry: u64,
    /// Value of every `c`.
    pub constant: u64,
}
impl Provides {
    /// It is registered when the program starts.
    pub fn is_from_the_start(&self) -> bool {
        self.entry != 0
    }
}
/// A portal that a program opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imports {
    pub name: String,
    /// Address of the word that gets its number.
    pub number: u64,
    /// The program can do without it.
    pub optional: bool,
}

/// The records of `size` bytes between two symbols of the program, with their addresses.
fn records<'a>(program: &'a Program, from: &str, to: &str, size: usize) -> impl Iterator<Item = (u64, &'a [u8])> {
    let (start, end) = match (program.symbol(from), program.symbol(to)) {
        (Ok(start), Ok(end)) => (start, end),
        _ => (0, 0),
    };
    (start..end).step_by(size).filter_map(move |at| Some((at, program.at(at, size)?)))
}
/// The portals that `program` provides, in their order.
pub fn provides(program: &Program) -> Vec<Provides> {
    records(program, "__provides_start", "__provides_end", size_of::<Provided>())
        .map(|(_, record)| {
            let word = |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().unwrap());
            Provides {
                name: text(&record[..NAME]).to_string(),
                specification: text(&record[NAME..NAME + SPEC]).to_string(),
                entry: word(NAME + SPEC),
                constant: word(NAME + SPEC + 8),
            }
        })
        .collect()
}
/// The portals that `program` opens, in their order.
pub fn imports(program: &Program) -> Vec<Imports> {
    let optional = program.symbol("__imports_optional").unwrap_or(u64::MAX);
    records(program, "__imports_start", "__imports_end", size_of::<Imported>())
        .map(|(at, record)| Imports {
            name: text(&record[..NAME]).to_string(),
            number: at + NAME as u64,
            optional: at >= optional,
        })
        .collect()
}
