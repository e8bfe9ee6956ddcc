//! Dialogues with a system, in `tests/session`: what is typed at its console, and what it must answer.

use super::dialogue::Dialogue;
use super::heard::Text;
use super::{Job, Wanted};
use crate::connection::Connection;
use crate::{exec, system};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::time::Duration;

#[derive(Debug, PartialEq)]
enum Step {
    /// `> text`: types a line.
    Type(String),
    /// `keys text`: presses keys, without Enter; `\xNN` is the byte NN.
    Keys(Vec<u8>),
    /// `< text`: waits for it, behind what the wait before it has found. `= text`: for a line that is that and nothing more.
    /// `& text`: for it, too, in whatever order they come.
    Wait(Vec<Text>),
    /// `until text: line`: types the line, and again once a second, until its answer has the text: for what the system does by itself, in its own time.
    Until(Text, String),
    /// `pause`: as long as nobody is quicker.
    Pause,
    /// `idle`: for a second the machine uses next to no processor time.
    Idle,
    /// `status N`: the tool ends with that exit status.
    Status(i32),
    /// `! text`: since something was typed last it must not come before what is waited for next, or, where that is nothing, for a while.
    Never(String),
}
#[derive(Debug, PartialEq)]
struct Session {
    system: String,
    /// Answers as a terminal does when it is asked where the cursor is.
    terminal: bool,
    /// Runs the tool itself, on a terminal that takes its time.
    slow: bool,
    /// Runs the tool itself, with `exec` and these words.
    exec: Option<String>,
    steps: Vec<Step>,
}
fn parse(text: &str) -> Result<Session> {
    let mut session = Session { system: "default".into(), terminal: false, slow: false, exec: None, steps: Vec::new() };
    for (number, line) in text.lines().enumerate() {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "" | "#" => {}
            "slow" => session.slow = true,
            "terminal" => session.terminal = true,
            "system" => session.system = rest.to_string(),
            "exec" => session.exec = Some(rest.to_string()),
            "status" => {
                let status = rest.parse().with_context(|| format!("line {}: \"{rest}\" is no status", number + 1))?;
                session.steps.push(Step::Status(status));
            }
            "keys" => session.steps.push(Step::Keys(keys(rest))),
            ">" => session.steps.push(Step::Type(rest.to_string())),
            "<" | "=" => session.steps.push(Step::Wait(vec![Text { text: rest.to_string(), whole: key == "=" }])),
            "&" => match session.steps.last_mut() {
                Some(Step::Wait(texts)) => texts.push(Text { text: rest.to_string(), whole: false }),
                _ => bail!("line {}: \"{line}\" is behind nothing that is waited for", number + 1),
            },
            "until" => match rest.split_once(": ") {
                Some((text, line)) => {
                    let text = Text { text: text.to_string(), whole: false };
                    session.steps.push(Step::Until(text, line.to_string()));
                }
                None => bail!("line {}: \"{rest}\" is no text and a line, with \": \" between", number + 1),
            },
            "idle" => session.steps.push(Step::Idle),
            "pause" => session.steps.push(Step::Pause),
            "!" => session.steps.push(Step::Never(rest.to_string())),
            _ => bail!("line {}: \"{line}\" is not a step", number + 1),
        }
    }
    Ok(session)
}

/// The bytes of keys as a session writes them.
fn keys(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => bytes.extend_from_slice(part.as_bytes()),
        }
    }
    bytes
}

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    super::files(root, "session", &["session"], wanted, converse)
}

/// How quick somebody is who presses a key for what he has read.
const REACTION: Duration = Duration::from_millis(150);

fn begin(root: &Path, session: &Session) -> Result<Dialogue> {
    if let Some(words) = &session.exec {
        // Built before somebody waits for what it says.
        let file_name = root.join(words.split_whitespace().next().unwrap_or_default());
        let options = exec::Options { system: "exec".into(), file_name, ..exec::Options::default() };
        exec::program_image(root, &options, Connection::Typed)?;
        let words: Vec<&str> = std::iter::once("exec").chain(words.split_whitespace()).collect();
        return Dialogue::with_tool(root, &words, session.slow);
    }
    let image = exec::make_image(root, &system::load(root, &session.system)?, Vec::new())?;
    match session.slow {
        true => Dialogue::with_tool(root, &["run", &session.system], true),
        false => Dialogue::with_machine(&image),
    }
}
fn converse(root: &Path, path: &Path) -> Result<()> {
    let session = parse(&std::fs::read_to_string(path)?)?;
    let mut dialogue = begin(root, &session)?;
    dialogue.terminal = session.terminal;
    for (number, step) in session.steps.iter().enumerate() {
        let done = match step {
            Step::Type(line) => dialogue.enter(line),
            Step::Keys(bytes) => dialogue.press(bytes),
            Step::Wait(texts) => dialogue.wait(texts),
            Step::Until(text, line) => dialogue.enter_until(line, text),
            Step::Pause => {
                std::thread::sleep(REACTION);
                Ok(())
            }
            Step::Idle => dialogue.expect_idle(),
            Step::Status(wanted) => dialogue.status().and_then(|status| match status {
                Some(status) if status == *wanted => Ok(()),
                other => bail!("its status is {other:?}, not {wanted}, and it said:\n{}", dialogue.heard),
            }),
            Step::Never(text) => {
                dialogue.heard.forbid(text);
                Ok(())
            }
        };
        done.with_context(|| format!("step {}", number + 1))?;
    }
    dialogue.settle()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_session_is_read() {
        let session = parse("system minimal\n# hello\n> help\n< kill\n= kill\n& exit\n! oops\n").unwrap();
        let text = |text: &str, whole| Text { text: text.into(), whole };
        let (one, two) = (vec![text("kill", false)], vec![text("kill", true), text("exit", false)]);
        let steps = [Step::Type("help".into()), Step::Wait(one), Step::Wait(two), Step::Never("oops".into())];
        assert_eq!((session.system.as_str(), &session.steps[..]), ("minimal", &steps[..]));
    }
    #[test]
    fn keys_are_bytes() {
        assert_eq!(keys("ab\\x03c"), b"ab\x03c");
    }
    #[test]
    fn a_status_that_is_none_is_refused() {
        assert!(parse("status x").unwrap_err().to_string().contains("line 1: \"x\""));
    }
    #[test]
    fn what_comes_too_is_refused_where_nothing_is_waited_for() {
        assert!(parse("> help\n& kill").unwrap_err().to_string().contains("line 2: \"& kill\" is behind nothing"));
    }
    #[test]
    fn an_answer_that_is_waited_for_has_its_line() {
        let wanted = Text { text: "domain holder".into(), whole: false };
        assert_eq!(parse("until domain holder: ps").unwrap().steps, [Step::Until(wanted, "ps".into())]);
        assert!(parse("until ps").unwrap_err().to_string().contains("line 1: \"ps\" is no text and a line"));
    }
    #[test]
    fn what_is_not_a_step_is_refused() {
        assert!(parse("? help").unwrap_err().to_string().contains("line 1"));
    }
}
