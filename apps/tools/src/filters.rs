//! Tools that read files, or standard input, and write to standard output.

use crate::{Outcome, about};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::Error;
use pebble::file::{self, File};
use tools_logic::edit::{Text, Then};
use tools_logic::lines::{Count, Last, Lines, dumped};
use tools_logic::options::Options;
use tools_logic::pattern::Pattern;

/// Bytes that are read at a time: of a page each is a call.
const PIECE: usize = 16384;

fn options<'a>(words: &[&'a str], plain: &str, valued: &str) -> Result<Options<'a>, String> {
    Options::read(words.iter().copied(), plain, valued)
}
fn open(name: &str) -> Result<File, String> {
    if name == "-" { Ok(file::stdin()) } else { File::open(name).map_err(about(name)) }
}
/// Passes on all pieces of a file until `body` says that it is enough.
fn pieces(file: &File, name: &str, mut body: impl FnMut(&[u8]) -> Result<bool, String>) -> Result<(), String> {
    let mut buffer = alloc::vec![0; PIECE];
    loop {
        match file.read(&mut buffer).map_err(about(name))? {
            0 => return Ok(()),
            count if !body(&buffer[..count])? => return Ok(()),
            _ => {}
        }
    }
}
/// The files that are named, or standard input.
fn named<'a>(operands: &[&'a str]) -> Vec<&'a str> {
    if operands.is_empty() { Vec::from(["-"]) } else { operands.to_vec() }
}
/// Output, written in pieces.
struct Output(Vec<u8>);
impl Output {
    fn new() -> Output {
        Output(Vec::with_capacity(PIECE))
    }
    fn add(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.0.extend_from_slice(bytes);
        if self.0.len() >= PIECE { self.flush() } else { Ok(()) }
    }
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        self.add(line)?;
        self.add(b"\n")
    }
    fn flush(&mut self) -> Result<(), String> {
        let bytes = core::mem::take(&mut self.0);
        write(&bytes)
    }
}
fn write(bytes: &[u8]) -> Result<(), String> {
    match pebble::console::write(bytes) {
        // Nobody reads any more: there is nobody to complain to.
        Err(Error::EPIPE) => pebble::thread::exit_domain(0),
        result => result.map_err(about("standard output")),
    }
}
/// Passes on all lines of `files` until `body` says that it is enough.
fn lines(files: &[&str], mut body: impl FnMut(&str, &[u8]) -> Result<bool, String>) -> Result<(), String> {
    for name in files {
        let (file, mut all, mut failed) = (open(name)?, Lines::default(), None);
        let mut enough = false;
        pieces(&file, name, |piece| {
            enough = !all.piece(piece, |line| {
                body(name, line).unwrap_or_else(|message| {
                    failed = Some(message);
                    false
                })
            });
            failed.take().map_or(Ok(!enough), Err)
        })?;
        if let Some(rest) = all.rest().filter(|_| !enough) {
            enough = !body(name, &rest)?;
        }
        if enough {
            break;
        }
    }
    Ok(())
}

pub fn cat(words: &[&str]) -> Outcome {
    let files = options(words, "", "")?.operands;
    for name in named(&files) {
        pieces(&open(name)?, name, |piece| write(piece).map(|()| true))?;
    }
    Ok(0)
}
pub fn head(words: &[&str]) -> Outcome {
    let options = options(words, "", "n")?;
    let (most, mut output) = (options.number('n', 10)?, Output::new());
    for name in named(&options.operands) {
        let mut left = most;
        if left > 0 {
            lines(&[name], |_, line| {
                left -= 1;
                output.line(line).map(|()| left > 0)
            })?;
        }
    }
    output.flush().map(|()| 0)
}
pub fn tail(words: &[&str]) -> Outcome {
    let options = options(words, "", "n")?;
    let (mut last, mut output) = (Last::new(options.number('n', 10)?), Output::new());
    lines(&named(&options.operands), |_, line| {
        last.add(line);
        Ok(true)
    })?;
    last.lines().try_for_each(|line| output.line(line))?;
    output.flush().map(|()| 0)
}
/// 0: a line was found; 1: none was.
pub fn grep(words: &[&str]) -> Outcome {
    let options = options(words, "vincFlq", "e")?;
    let mut operands = options.operands.clone();
    let pattern = match options.value('e') {
        Some(pattern) => pattern,
        None if operands.is_empty() => return Err("usage: grep [-vincFlq] PATTERN [FILE…]".into()),
        None => operands.remove(0),
    };
    let mut pattern = Pattern::new(pattern, options.has('F'), options.has('i'))?;
    let (files, mut output, mut found) = (named(&operands), Output::new(), 0usize);
    for name in &files {
        let (mut number, mut here) = (0usize, 0usize);
        lines(&[name], |name, line| {
            number += 1;
            if pattern.is_in(line) == options.has('v') {
                return Ok(true);
            }
            here += 1;
            if options.has('l') || options.has('q') {
                return Ok(false);
            }
            if !options.has('c') {
                if files.len() > 1 {
                    output.add(format!("{name}:").as_bytes())?;
                }
                if options.has('n') {
                    output.add(format!("{number}:").as_bytes())?;
                }
                output.line(line)?;
            }
            Ok(true)
        })?;
        if options.has('l') && here > 0 {
            output.line(name.as_bytes())?;
        } else if options.has('c') {
            let before = if files.len() > 1 { format!("{name}:") } else { String::new() };
            output.line(format!("{before}{here}").as_bytes())?;
        }
        found += here;
    }
    output.flush()?;
    Ok(i32::from(found == 0))
}
pub fn count(words: &[&str]) -> Outcome {
    let options = options(words, "lwc", "")?;
    let all = !"lwc".chars().any(|letter| options.has(letter));
    let show = |count: Count, name: &str| {
        let columns = [('l', count.lines), ('w', count.words), ('c', count.bytes)];
        let shown = columns.iter().filter(|(letter, _)| all || options.has(*letter));
        let mut line: String = shown.map(|(_, number)| format!("{number:8}")).collect();
        if name != "-" {
            line += &format!(" {name}");
        }
        write(format!("{}\n", line.trim_start()).as_bytes())
    };
    let (files, mut total) = (named(&options.operands), Count::default());
    for name in &files {
        let mut count = Count::default();
        pieces(&open(name)?, name, |piece| {
            count.piece(piece);
            Ok(true)
        })?;
        show(count, name)?;
        total = total.and(count);
    }
    if files.len() > 1 {
        show(total, "total")?;
    }
    Ok(0)
}
pub fn hexdump(words: &[&str]) -> Outcome {
    let options = options(words, "", "n")?;
    let (most, mut output) = (options.number('n', usize::MAX)?, Output::new());
    let (mut at, mut row) = (0, Vec::new());
    for name in named(&options.operands) {
        pieces(&open(name)?, name, |piece| {
            for &byte in piece {
                if at + row.len() == most {
                    return Ok(false);
                }
                row.push(byte);
                if row.len() == 16 {
                    output.line(dumped(at, &row).as_bytes())?;
                    at += 16;
                    row.clear();
                }
            }
            Ok(true)
        })?;
    }
    if !row.is_empty() {
        output.line(dumped(at, &row).as_bytes())?;
    }
    output.flush().map(|()| 0)
}
pub fn sort(words: &[&str]) -> Outcome {
    let options = options(words, "rnu", "")?;
    let mut all: Vec<Vec<u8>> = Vec::new();
    lines(&named(&options.operands), |_, line| {
        all.push(line.into());
        Ok(true)
    })?;
    let number = |line: &Vec<u8>| {
        let text = core::str::from_utf8(line).unwrap_or("").trim_start();
        let end = text.char_indices().find(|(at, c)| !(c.is_ascii_digit() || *at == 0 && *c == '-'));
        text[..end.map_or(text.len(), |(at, _)| at)].parse::<i64>().unwrap_or(0)
    };
    if options.has('n') {
        all.sort_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.cmp(b)));
    } else {
        all.sort();
    }
    if options.has('r') {
        all.reverse();
    }
    if options.has('u') {
        all.dedup();
    }
    let mut output = Output::new();
    all.iter().try_for_each(|line| output.line(line))?;
    output.flush().map(|()| 0)
}
pub fn unique(words: &[&str]) -> Outcome {
    let options = options(words, "c", "")?;
    let mut output = Output::new();
    let mut last: Option<(Vec<u8>, usize)> = None;
    let show = |(line, count): (Vec<u8>, usize), output: &mut Output| {
        if options.has('c') {
            output.add(format!("{count:7} ").as_bytes())?;
        }
        output.line(&line)
    };
    lines(&named(&options.operands), |_, line| {
        match &mut last {
            Some((same, count)) if same == line => *count += 1,
            other => {
                if let Some(before) = other.replace((line.into(), 1)) {
                    show(before, &mut output)?;
                }
            }
        }
        Ok(true)
    })?;
    last.map_or(Ok(()), |before| show(before, &mut output))?;
    output.flush().map(|()| 0)
}
pub fn tee(words: &[&str]) -> Outcome {
    let options = options(words, "a", "")?;
    let how = File::options().write(true).create(true).append(options.has('a')).truncate(!options.has('a'));
    let opened = options.operands.iter().map(|name| how.open(name).map_err(about(name)));
    let files: Vec<File> = opened.collect::<Result<_, String>>()?;
    pieces(&file::stdin(), "-", |piece| {
        for (file, name) in files.iter().zip(&options.operands) {
            file.write(piece).map_err(about(name))?;
        }
        write(piece).map(|()| true)
    })?;
    Ok(0)
}
/// An editor of lines: commands come from standard input.
pub fn edit(words: &[&str]) -> Outcome {
    let [name] = words else { return Err("usage: edit FILE".into()) };
    let mut bytes = Vec::new();
    match File::open(name) {
        Ok(file) => pieces(&file, name, |piece| {
            bytes.extend_from_slice(piece);
            Ok(true)
        })?,
        Err(Error::ENOENT) => write(format!("{name} is new\n").as_bytes())?,
        Err(error) => return Err(about(name)(error)),
    }
    let mut text = Text::new(&String::from_utf8(bytes).map_err(|_| format!("{name} is no text"))?);
    write(format!("{} lines; h lists the commands\n", text.lines.len()).as_bytes())?;
    // Lines that are being taken, and behind which one they belong.
    let mut taken: Option<(usize, Vec<String>)> = None;
    let mut asked = false;
    lines(&["-"], |_, line| {
        let line = core::str::from_utf8(line).map_err(|_| String::from("that is no text"))?;
        if let Some((_, lines)) = &mut taken
            && line != "."
        {
            lines.push(line.into());
            return Ok(true);
        }
        if let Some((after, lines)) = taken.take() {
            text.insert(after, lines);
            return Ok(true);
        }
        match text.command(line) {
            Ok(Then::Nothing) => {}
            Ok(Then::Show(lines)) => lines.iter().try_for_each(|line| write(format!("{line}\n").as_bytes()))?,
            Ok(Then::Take(after)) => taken = Some((after, Vec::new())),
            Ok(Then::Write(other)) => {
                let to = other.as_deref().unwrap_or(name);
                let all = text.text();
                match File::create(to).and_then(|file| file.write(all.as_bytes())) {
                    Ok(count) if count == all.len() => {
                        text.changed = false;
                        write(format!("{count} bytes\n").as_bytes())?;
                    }
                    Ok(_) => write(format!("{to}: only a part was written\n").as_bytes())?,
                    Err(error) => write(format!("{}\n", about(to)(error)).as_bytes())?,
                }
            }
            Ok(Then::Quit(lost)) => {
                if lost || !text.changed || asked {
                    return Ok(false);
                }
                asked = true;
                write(b"not written yet: w writes, q again leaves\n")?;
            }
            Err(message) => write(format!("{message}\n").as_bytes())?,
        }
        Ok(true)
    })?;
    Ok(0)
}
