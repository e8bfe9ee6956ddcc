//! What the shell makes of a line: the command and its arguments. Free of the system.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod keys;

use alloc::string::String;
use alloc::vec::Vec;

/// A command line that was understood.
#[derive(Debug, PartialEq, Eq)]
pub enum Command<'a> {
    Nothing,
    Help,
    Components,
    /// The words as they are given to `init`; whether to wait for the end.
    Run(String, bool),
    Kill(usize),
    Domains,
    Threads,
    /// All domains', or one's.
    Portals(Option<usize>),
    /// Of one domain or of all.
    Capabilities(Option<usize>),
    /// One portal's code: domain, number.
    Portal(usize, usize),
    Memory,
    Counts,
    Limits,
    /// Looks at the system's activity for so many seconds.
    Top(usize),
    Uptime,
    Echo(&'a str),
    Halt,
}

/// Every command: how it is written, and what it does.
pub const HELP: &[(&str, &str)] = &[
    ("help", "this list"),
    ("components", "components of this system"),
    ("run NAME [ARGUMENT…] [&]", "start a component; & does not wait for its end"),
    ("kill DOMAIN", "end a domain"),
    ("domains", "domains, what they are and what they have"),
    ("threads", "threads, where they are at home and what they do"),
    ("portals [DOMAIN]", "who may call whom"),
    ("portal DOMAIN NUMBER", "the code of one portal"),
    ("capabilities [DOMAIN]", "who holds which rights to what"),
    ("memory", "pages of RAM, free and by domain"),
    ("counts", "what the portal manager has of everything"),
    ("limits", "what each component has taken, and what it may take"),
    ("top [SECONDS]", "what domains run and which portals are called"),
    ("uptime", "how long the system has run"),
    ("echo TEXT", "prints TEXT"),
    ("halt", "stops the machine"),
];

fn number(word: &str) -> Result<usize, String> {
    word.parse().map_err(|_| alloc::format!("\"{word}\" is not a number"))
}

/// Understands a line, or says what is wrong with it.
pub fn parse(line: &str) -> Result<Command<'_>, String> {
    let line = line.trim();
    let words: Vec<&str> = line.split_whitespace().collect();
    let wrong = |usage: &str| Err(alloc::format!("usage: {usage}"));
    Ok(match words[..] {
        [] => Command::Nothing,
        ["help"] => Command::Help,
        ["components"] => Command::Components,
        ["run", .., "&"] if words.len() > 2 => Command::Run(words[1..words.len() - 1].join(" "), false),
        ["run", _, ..] => Command::Run(words[1..].join(" "), true),
        ["run"] => return wrong("run NAME [ARGUMENT…] [&]"),
        ["kill", asid] => Command::Kill(number(asid)?),
        ["kill", ..] => return wrong("kill DOMAIN"),
        ["domains"] => Command::Domains,
        ["limits"] => Command::Limits,
        ["top"] => Command::Top(1),
        ["top", seconds] => Command::Top(number(seconds)?),
        ["threads"] => Command::Threads,
        ["portals"] => Command::Portals(None),
        ["portals", asid] => Command::Portals(Some(number(asid)?)),
        ["portal", asid, portal] => Command::Portal(number(asid)?, number(portal)?),
        ["portal", ..] => return wrong("portal DOMAIN NUMBER"),
        ["capabilities"] => Command::Capabilities(None),
        ["capabilities", asid] => Command::Capabilities(Some(number(asid)?)),
        ["memory"] => Command::Memory,
        ["counts"] => Command::Counts,
        ["uptime"] => Command::Uptime,
        ["echo", ..] => Command::Echo(line["echo".len()..].trim_start()),
        ["halt"] => Command::Halt,
        [word, ..] if HELP.iter().any(|(usage, _)| usage.split(' ').next() == Some(word)) => {
            return Err(alloc::format!("{word}: takes no arguments"));
        }
        [word, ..] => return Err(alloc::format!("{word}: no such command; help lists them")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn commands_are_understood() {
        assert_eq!(parse("  "), Ok(Command::Nothing));
        assert_eq!(parse("run hello a  b"), Ok(Command::Run("hello a b".into(), true)));
        assert_eq!(parse("run hello &"), Ok(Command::Run("hello".into(), false)));
        assert_eq!(parse("portal 9 32"), Ok(Command::Portal(9, 32)));
        assert_eq!(parse("echo  a  b "), Ok(Command::Echo("a  b")));
    }
    #[test]
    fn an_unknown_command_is_refused() {
        assert!(parse("frobnicate 1").unwrap_err().contains("frobnicate: no such command"));
    }
    #[test]
    fn a_number_that_is_none_is_refused() {
        assert_eq!(parse("kill me"), Err("\"me\" is not a number".into()));
        assert_eq!(parse("portals -1"), Err("\"-1\" is not a number".into()));
    }
    #[test]
    fn missing_arguments_are_refused() {
        assert!(parse("run").is_err() && parse("kill").is_err() && parse("portal 1").is_err());
    }
    #[test]
    fn arguments_too_many_are_refused() {
        assert_eq!(parse("uptime now"), Err("uptime: takes no arguments".into()));
    }
}
