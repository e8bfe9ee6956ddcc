//! What a query of the database with untrusted functions has come to (`super::sequoia`).

/// What a query has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub name: String,
    pub instructions: u64,
    /// Calls of untrusted functions, and instructions in them where they were added up.
    pub calls: u64,
    pub inside: u64,
    pub rows: u64,
    pub results: String,
}
/// A line of the program's output.
pub fn parse(line: &str) -> Option<Query> {
    let mut words = line.strip_prefix("query ")?.split(' ');
    let name = words.next()?.to_string();
    let mut number = || words.next()?.parse().ok();
    let (instructions, calls, inside, rows) = (number()?, number()?, number()?, number()?);
    Some(Query { name, instructions, calls, inside, rows, results: words.next()?.to_string() })
}
