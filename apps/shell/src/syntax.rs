//! The command language: a part of the POSIX shell's (IEEE 1003.1, chapter 2), without compound commands.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use winnow::ascii::{digit1, multispace0};
use winnow::combinator::{alt, delimited, eof, not, opt, preceded, repeat, separated_pair};
use winnow::error::ContextError;
use winnow::prelude::*;
use winnow::token::{any, none_of, one_of, take_till, take_while};

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// As it is; whether it was quoted.
    Text(String, bool),
    /// The value of a variable, which is parted at blanks unless it was quoted.
    Variable(String, bool),
}
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word(pub Vec<Part>);

/// Where a standard stream leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redirection {
    /// Standard input from a file.
    From(Word),
    /// Stream 1 or 2 to a file, which is emptied or added to.
    To { stream: usize, append: bool, file: Word },
    /// A stream where another goes: `2>&1`.
    Same { stream: usize, other: usize },
}
/// A program and what it is started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    pub assignments: Vec<(String, Word)>,
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}
/// On what condition a pipeline is run, from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Always,
    Succeeded,
    Failed,
}
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    pub when: When,
    /// Its status is the opposite of its last command's.
    pub negated: bool,
    pub commands: Vec<Command>,
}
/// Pipelines that are run one after the other, in the foreground or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    pub pipelines: Vec<Pipeline>,
    pub background: bool,
    /// As it was typed.
    pub text: String,
}

type Parsed<T> = winnow::Result<T, ContextError>;

/// What a word can not have unless it is quoted.
const SPECIAL: &[char] = &[' ', '\t', '\n', '|', '&', ';', '<', '>', '(', ')', '\'', '"', '\\', '$'];

fn blanks<'a>(input: &mut &'a str) -> Parsed<&'a str> {
    take_while(0.., [' ', '\t']).parse_next(input)
}
fn name(input: &mut &str) -> Parsed<String> {
    (
        one_of(|c: char| c.is_ascii_alphabetic() || c == '_'),
        take_while(0.., |c: char| c.is_ascii_alphanumeric() || c == '_'),
    )
        .take()
        .map(String::from)
        .parse_next(input)
}
fn variable(input: &mut &str) -> Parsed<String> {
    let plain = alt((name, alt(("?", "$", "#", digit1)).map(String::from)));
    preceded('$', alt((delimited('{', name, '}'), plain))).parse_next(input)
}
fn quoted(input: &mut &str) -> Parsed<Vec<Part>> {
    let text = repeat(
        1..,
        alt((preceded('\\', one_of(['$', '"', '\\', '`'])), none_of(['"', '$', '\\']), '\\'.map(|_| '\\'))),
    )
    .map(|text| Part::Text(text, true));
    let dollar = '$'.map(|_| Part::Text("$".into(), true));
    let parts = repeat(0.., alt((variable.map(|name| Part::Variable(name, true)), text, dollar)));
    let mut parts: Vec<Part> = delimited('"', parts, '"').parse_next(input)?;
    if parts.is_empty() {
        parts.push(Part::Text(String::new(), true));
    }
    Ok(parts)
}
fn part(input: &mut &str) -> Parsed<Vec<Part>> {
    let one = |part| Vec::from([part]);
    alt((
        delimited('\'', take_till(0.., '\''), '\'').map(move |text: &str| one(Part::Text(text.into(), true))),
        quoted,
        preceded('\\', any).map(move |c: char| one(Part::Text(c.into(), true))),
        variable.map(move |name| one(Part::Variable(name, false))),
        '$'.map(move |_| one(Part::Text("$".into(), false))),
        take_till(1.., SPECIAL).map(move |text: &str| one(Part::Text(text.into(), false))),
    ))
    .parse_next(input)
}
fn word(input: &mut &str) -> Parsed<Word> {
    // Where a word could begin, that begins a comment.
    not('#').parse_next(input)?;
    repeat(1.., part).map(|parts: Vec<Vec<Part>>| Word(parts.concat())).parse_next(input)
}
fn redirection(input: &mut &str) -> Parsed<Redirection> {
    let file = || preceded(blanks, word);
    let stream = |text: Option<char>| text.map_or(1, |digit| digit as usize - '0' as usize);
    alt((
        preceded('<', file()).map(Redirection::From),
        preceded("&>", file()).map(|file| Redirection::To { stream: 3, append: false, file }),
        separated_pair(opt(one_of('1'..='2')), ">&", one_of('1'..='2'))
            .map(move |(from, to)| Redirection::Same { stream: stream(from), other: stream(Some(to)) }),
        separated_pair(opt(one_of('1'..='2')), ">>", file()).map(move |(from, file)| Redirection::To {
            stream: stream(from),
            append: true,
            file,
        }),
        separated_pair(opt(one_of('1'..='2')), '>', file()).map(move |(from, file)| Redirection::To {
            stream: stream(from),
            append: false,
            file,
        }),
    ))
    .parse_next(input)
}
enum Item {
    Redirection(Redirection),
    Word(Word),
}
fn command(input: &mut &str) -> Parsed<Command> {
    let assignment = separated_pair(name, '=', opt(word).map(Option::unwrap_or_default));
    let assignments = repeat(0.., delimited(blanks, assignment, blanks)).parse_next(input)?;
    let item = alt((redirection.map(Item::Redirection), word.map(Item::Word)));
    let items: Vec<Item> = repeat(0.., delimited(blanks, item, blanks)).parse_next(input)?;
    let mut command = Command { assignments, ..Command::default() };
    for item in items {
        match item {
            Item::Redirection(redirection) => command.redirections.push(redirection),
            Item::Word(word) => command.words.push(word),
        }
    }
    if command == Command::default() { Err(ContextError::new()) } else { Ok(command) }
}
fn pipeline(when: When) -> impl FnMut(&mut &str) -> Parsed<Pipeline> {
    move |input| {
        let negated = preceded(multispace0, opt(('!', one_of([' ', '\t'])))).parse_next(input)?.is_some();
        let mut commands = Vec::from([command(input)?]);
        // Not the first half of `||`.
        while !input.starts_with("||") && opt('|').parse_next(input)?.is_some() {
            multispace0.parse_next(input)?;
            commands.push(command(input)?);
        }
        Ok(Pipeline { when, negated, commands })
    }
}
fn list(input: &mut &str) -> Parsed<List> {
    let start = *input;
    let mut pipelines = Vec::from([pipeline(When::Always)(input)?]);
    while let Some(when) = opt(alt(("&&".map(|_| When::Succeeded), "||".map(|_| When::Failed)))).parse_next(input)? {
        pipelines.push(pipeline(when)(input)?);
    }
    let text = start[..start.len() - input.len()].trim().into();
    opt(('#', take_till(0.., '\n'))).parse_next(input)?;
    let mut end = alt(('&'.map(|_| true), one_of([';', '\n']).map(|_| false), eof.map(|_| false)));
    let background = end.parse_next(input)?;
    Ok(List { pipelines, background, text })
}
/// Understands a line, or several. An error says what is wrong, and where.
pub fn parse(text: &str) -> Result<Vec<List>, Box<str>> {
    let mut rest = text;
    let mut lists = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix('#') {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
            continue;
        }
        if rest.is_empty() {
            return Ok(lists);
        }
        match list(&mut rest) {
            Ok(list) => lists.push(list),
            Err(_) => return Err(trouble(rest).into()),
        }
    }
}
/// What is wrong where the parser stopped.
fn trouble(rest: &str) -> String {
    match rest.trim_start().chars().next() {
        None => "the line is not finished".into(),
        Some(quote @ ('"' | '\'')) => format!("{quote} is not closed"),
        Some(other) => format!("\"{other}\" was not expected here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn bare(text: &str) -> Word {
        Word(vec![Part::Text(text.into(), false)])
    }
    fn only(text: &str) -> Command {
        let mut lists = parse(text).unwrap();
        assert_eq!((lists.len(), lists[0].pipelines.len(), lists[0].pipelines[0].commands.len()), (1, 1, 1), "{text}");
        lists.remove(0).pipelines.remove(0).commands.remove(0)
    }
    #[test]
    fn words_are_parted_at_blanks() {
        assert_eq!(only("  run hello  a ").words, [bare("run"), bare("hello"), bare("a")]);
        assert_eq!(parse("  ").unwrap(), []);
    }
    #[test]
    fn quotes_keep_blanks_and_double_ones_variables() {
        assert_eq!(only("'a $b'").words, [Word(vec![Part::Text("a $b".into(), true)])]);
        let parts =
            vec![Part::Text("a ".into(), true), Part::Variable("b".into(), true), Part::Text("\"".into(), true)];
        assert_eq!(only(r#""a $b\"""#).words, [Word(parts)]);
        assert_eq!(only("''").words, [Word(vec![Part::Text(String::new(), true)])]);
        assert_eq!(only(r"a\ b").words[0].0.len(), 3);
    }
    #[test]
    fn variables_are_set_and_used() {
        let command = only("A=1 B= run ${A}b $? 5$");
        assert_eq!(command.assignments[1], ("B".into(), Word::default()));
        assert_eq!(command.words[1].0[0], Part::Variable("A".into(), false));
        assert_eq!(command.words[2].0[0], Part::Variable("?".into(), false));
        assert_eq!(command.words[3].0[1], Part::Text("$".into(), false));
    }
    #[test]
    fn pipelines_are_joined_by_conditions() {
        let lists = parse("a | b && ! c || d; e & f").unwrap();
        assert_eq!(lists.iter().map(|l| l.background).collect::<Vec<_>>(), [false, true, false]);
        let [first, second, third] = &lists[0].pipelines[..] else { panic!() };
        assert_eq!((first.commands.len(), second.when, third.when), (2, When::Succeeded, When::Failed));
        assert!(second.negated && !third.negated);
        assert_eq!(lists[1].text, "e");
    }
    #[test]
    fn redirections_name_stream_and_file() {
        let to = |stream, append, file| Redirection::To { stream, append, file: bare(file) };
        assert_eq!(
            only("a <in >out 2>> err 2>&1").redirections,
            [
                Redirection::From(bare("in")),
                to(1, false, "out"),
                to(2, true, "err"),
                Redirection::Same { stream: 2, other: 1 }
            ]
        );
        assert_eq!(only("echo 2 > x").words.len(), 2);
    }
    #[test]
    fn comments_and_lines_are_passed_over() {
        assert_eq!(parse("# nothing\na\n\n b # here; no\n").unwrap().len(), 2);
        assert_eq!(only("b#c # d").words, [bare("b#c")]);
    }
    #[test]
    fn what_is_not_closed_is_refused() {
        assert_eq!(&*parse("echo 'a").unwrap_err(), "' is not closed");
        assert_eq!(&*parse("echo \"a").unwrap_err(), "\" is not closed");
    }
    #[test]
    fn an_operator_without_commands_is_refused() {
        assert_eq!(&*parse("a |").unwrap_err(), "the line is not finished");
        assert_eq!(&*parse("a && && b").unwrap_err(), "\"&\" was not expected here");
        assert_eq!(&*parse("| a").unwrap_err(), "\"|\" was not expected here");
        assert_eq!(&*parse("a; ; b").unwrap_err(), "\";\" was not expected here");
        assert!(parse("a (b)").is_err() && parse("a >").is_err());
    }
}
