//! Executing what a line says.

use crate::jobs::{self, Job};
use crate::programs::{self, Streams, TOOLS_COMPONENT};
use crate::variables::{self, set, value};
use crate::{activity, completion, extensions, println, pumps, streams, tracing, updates, views, waiting};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use pebble::file::{self, File};
use pebble::interfaces::init;
use pebble::interfaces::types::Identity;
use pebble::sync::Semaphore;
use pebble::{Error, Result};
use shell_logic::commands::{self, OWN, TOOLS, is_own};
use shell_logic::end_status::{self, NOT_FOUND, NOT_STARTED, SIGNALLED};
use shell_logic::syntax::{Command, List, Pipeline, Redirection, When, parse};
use shell_logic::{expand, syntax};

/// The status of a command that was used wrongly.
const MISUSED: i32 = 2;
/// Clears a terminal's screen (ECMA-48).
const CLEAR: &str = "\x1b[H\x1b[2J";
/// Of a line that Ctrl-C has ended.
const INTERRUPTED: i32 = SIGNALLED + 2;

fn complain(message: &str) {
    streams::complain(format_args!("{message}"));
}

/// Executes a line, or several; the last command's status.
pub fn line(text: &str) -> i32 {
    let lists = match parse(text) {
        Ok(lists) => lists,
        Err(message) => {
            complain(&message);
            *variables::STATUS.lock() = MISUSED;
            return MISUSED;
        }
    };
    for list in lists {
        let status = run_list(list);
        *variables::STATUS.lock() = status;
        // What a script would do yet is over with the line that has it.
        if status == INTERRUPTED || jobs::current().is_some_and(|job| job.is_interrupted() || job.was_left()) {
            break;
        }
    }
    *variables::STATUS.lock()
}
/// Executes the lines of a file.
pub fn script(arguments: &[String]) -> i32 {
    let Some(path) = arguments.first() else { return usage(".") };
    let text = match read(path) {
        Ok(text) => text,
        Err(error) => {
            complain(&format!("{path}: {}", error.text()));
            return 1;
        }
    };
    let before = variables::replace_arguments(arguments.to_vec());
    let status = line(&text);
    variables::replace_arguments(before);
    status
}
pub fn read(path: &str) -> Result<String> {
    let file = File::open(path)?;
    let (mut bytes, mut piece) = (Vec::new(), [0; 512]);
    while let count @ 1.. = file.read(&mut piece)? {
        bytes.extend_from_slice(&piece[..count]);
    }
    String::from_utf8(bytes).map_err(|_| Error::EINVAL)
}

fn run_list(list: List) -> i32 {
    let job = match Job::new(&list.text, list.background) {
        Ok(job) => job,
        Err(error) => {
            complain(error.text());
            return NOT_STARTED;
        }
    };
    if !list.background {
        let run = || job.work(|| run_pipelines(&job, &list.pipelines));
        // A script's line is a part of the line that has the script, and that one is in the foreground, or is not.
        let status = if job.is_part() { run() } else { job.in_foreground(run) };
        job.finish(status);
        return status;
    }
    let (own, streams) = (job.clone(), streams::own());
    let ran = pebble::thread::spawn(None, move || {
        let status = streams::with(streams, || own.work(|| run_pipelines(&own, &list.pipelines)));
        own.finish(status);
    });
    match ran {
        Ok(_) => {
            println!("[{}] {}", job.number, job.text);
            0
        }
        Err(error) => {
            job.finish(NOT_STARTED);
            complain(error.text());
            NOT_STARTED
        }
    }
}
fn run_pipelines(job: &Arc<Job>, pipelines: &[Pipeline]) -> i32 {
    let mut status = 0;
    let foreground = !job.background.load(Ordering::Relaxed);
    for pipeline in pipelines {
        let wanted = match pipeline.when {
            When::Always => true,
            When::Succeeded => status == 0,
            When::Failed => status != 0,
        };
        if !wanted {
            continue;
        }
        status = run_pipeline(job, pipeline);
        if job.is_interrupted() {
            return INTERRUPTED;
        }
        // Ctrl-Z: what follows in the line is not waited for.
        if foreground && job.background.load(Ordering::Relaxed) {
            return status;
        }
        if pipeline.negated {
            status = i32::from(status == 0);
        }
        *variables::STATUS.lock() = status;
    }
    status
}
/// What a stream is where a redirection names a file.
fn open(job: &Arc<Job>, word: &syntax::Word, how: file::Options, reads: bool) -> Result<File> {
    let path = expand::one(word, &value);
    let opened = how.open(&path).and_then(|file| match reads {
        _ if !pumps::is_on_disk(&path) => Ok(file),
        true => pumps::from(job, file, path.clone()),
        false => pumps::to(job, file, path.clone()),
    });
    opened.inspect_err(|error| complain(&format!("{path}: {}", error.text())))
}
/// Puts in `streams` what the redirections say.
fn redirect(job: &Arc<Job>, streams: &mut Streams, redirections: &[Redirection]) -> Result<()> {
    for redirection in redirections {
        match redirection {
            Redirection::From(word) => streams[0] = Some(open(job, word, File::options().read(true), true)?),
            Redirection::To { stream, append, file } => {
                let how = File::options().write(true).create(true).append(*append).truncate(!append);
                let file = open(job, file, how, false)?;
                match stream {
                    1 | 2 => streams[*stream] = Some(file),
                    // `&>`: both.
                    _ => {
                        streams[2] = Some(file.try_clone()?);
                        streams[1] = Some(file);
                    }
                }
            }
            Redirection::Same { stream, other } => {
                streams[*stream] = streams[*other].as_ref().map(File::try_clone).transpose()?;
            }
        }
    }
    Ok(())
}
/// The streams of a command before it is redirected, and the reading side of the pipe behind it, where another follows.
fn streams_of(input: Option<File>, is_last: bool) -> Result<(Streams, Option<File>)> {
    let input = if input.is_some() { input } else { streams::inherited(0)? };
    let mut streams: Streams = [input, streams::inherited(1)?, streams::inherited(2)?];
    let mut behind = None;
    if !is_last {
        let (from, to) = file::pipe()?;
        (behind, streams[1]) = (Some(from), Some(to));
    }
    Ok((streams, behind))
}
fn run_pipeline(job: &Arc<Job>, pipeline: &Pipeline) -> i32 {
    let mut input = None;
    let mut status = None;
    let last = pipeline.commands.len() - 1;
    for (n, command) in pipeline.commands.iter().enumerate() {
        let mut streams = match streams_of(input.take(), n == last) {
            Ok((streams, behind)) => {
                input = behind;
                streams
            }
            Err(error) => {
                // The rest can not be joined to what runs.
                complain(error.text());
                job.signal(end_status::SIGKILL);
                status = Some(NOT_STARTED);
                break;
            }
        };
        // The next one has an empty input then.
        status = match redirect(job, &mut streams, &command.redirections) {
            Ok(()) => {
                let words = Words::of(command);
                match n < last && words.are_the_shells() {
                    true => beside(job, words, streams),
                    false => run_command(job, words, streams, Place { is_last: n == last, over: None }),
                }
            }
            Err(_) => Some(1),
        };
        if job.is_interrupted() {
            break;
        }
    }
    // A program's status is known when it has ended, and whether all has got to the disk.
    let ended = job.wait();
    let status = status.unwrap_or(ended);
    if job.failed.swap(false, Ordering::Relaxed) && status == 0 { 1 } else { status }
}
/// Where a command is in its pipeline.
#[derive(Clone, Copy)]
struct Place<'a> {
    is_last: bool,
    /// What tells of the end of the command's program, where it runs beside others of its job, whose ends are not waited for.
    over: Option<&'a Arc<Semaphore>>,
}
impl Place<'_> {
    /// Waits for the program that the command has started, or for all of the job's.
    fn wait(self, job: &Job) -> i32 {
        match self.over {
            Some(over) => over.wait().map_or(1, |()| 0),
            None => job.wait(),
        }
    }
}
/// A command whose words are known.
struct Words {
    assigned: Vec<(String, String)>,
    words: Vec<String>,
}
impl Words {
    fn of(command: &Command) -> Words {
        let assigned =
            command.assignments.iter().map(|(name, word)| (name.clone(), expand::one(word, &value))).collect();
        Words { assigned, words: expand::words(&command.words, &value, &completion::names) }
    }
    /// Whether the shell does something itself, for which others would have to wait.
    fn are_the_shells(&self) -> bool {
        self.words.first().is_some_and(|name| is_own(name) && name != "run")
    }
}
/// Runs a command of the shell's own beside the others of its pipeline: what it prints goes to the next one while it runs.
fn beside(job: &Arc<Job>, words: Words, streams: Streams) -> Option<i32> {
    let (own, script) = (job.clone(), streams::own());
    let runs = move || {
        streams::with(script, || {
            let over = Semaphore::new(0).map(Arc::new);
            match over {
                Ok(over) => _ = run_command(&own, words, streams, Place { is_last: false, over: Some(&over) }),
                Err(error) => complain(error.text()),
            }
        });
    };
    match job.beside(runs) {
        Ok(()) => None,
        Err(error) => {
            complain(error.text());
            Some(NOT_STARTED)
        }
    }
}
/// Runs a command of the shell's own; its status. A program is only started: `None`.
fn run_command(job: &Arc<Job>, Words { assigned, words }: Words, streams: Streams, place: Place) -> Option<i32> {
    let Some(name) = words.first() else {
        assigned.iter().for_each(|(name, value)| set(name, value, false));
        return Some(0);
    };
    if name == "trace" {
        let file = words.get(1).is_some_and(|word| word == "-o").then(|| words.get(2).cloned()).flatten();
        let behind = if file.is_some() { 3 } else { 1 };
        if words.len() > behind + 1 && words[behind].parse::<u64>().is_err() {
            return Some(run_traced(job, &assigned, (words, behind, file), streams, place));
        }
    }
    run_words(job, &assigned, words, streams, place)
}
/// Runs what is behind the pattern, which is word `at`, and shows meanwhile, in `file` where there is one, which portals of that name are called;
/// its status.
fn run_traced(
    job: &Arc<Job>,
    assigned: &[(String, String)],
    (mut words, at, file): (Vec<String>, usize, Option<String>),
    streams: Streams,
    place: Place,
) -> i32 {
    let shown = match file {
        Some(file) => match tracing::Shown::file(&file) {
            Ok(shown) => shown,
            Err(error) => {
                complain(&format!("trace: {file}: {}", error.text()));
                return 1;
            }
        },
        None => tracing::Shown::Lines(|line| pebble::eprintln!("{line}")),
    };
    let tracing = match tracing::Beside::start(&words[at], shown, job) {
        Ok(tracing) => tracing,
        Err(error) => {
            complain(&untraced(&words[at], error));
            return 1;
        }
    };
    words.drain(..=at);
    let status = run_words(job, assigned, words, streams, place).unwrap_or_else(|| place.wait(job));
    tracing.stop();
    status
}
/// Shows calls of portals whose names match for so many seconds, or until Ctrl-C, in `file` where there is one.
fn trace(file: Option<&str>, seconds: Option<u64>, pattern: &str, job: &Job) -> core::result::Result<(), String> {
    let shown = match file {
        Some(file) => tracing::Shown::file(file).map_err(|error| format!("trace: {file}: {}", error.text()))?,
        None => tracing::Shown::Lines(|line| crate::println!("{line}")),
    };
    tracing::trace(pattern, seconds, shown, &job.interrupted).map_err(|error| untraced(pattern, error))
}
/// Why nothing is traced.
fn untraced(pattern: &str, error: Error) -> String {
    match error {
        Error::ENOENT => format!("trace: no portal is called {pattern}"),
        error => format!("trace: {}", error.text()),
    }
}
/// Runs a command whose words are known.
fn run_words(
    job: &Arc<Job>,
    assigned: &[(String, String)],
    mut words: Vec<String>,
    streams: Streams,
    place: Place,
) -> Option<i32> {
    let start = pebble::time::time();
    let timed = words.first().is_some_and(|name| name == "time");
    let name = words.first().cloned().unwrap_or_default();
    if timed {
        words.remove(0);
    }
    if words.first().is_some_and(|name| is_own(name) && name != "run") {
        let status = streams::with(Some(Arc::new(streams)), || own(job, &words));
        if timed {
            say_time(start);
        }
        return Some(status);
    }
    let run = words.first().is_some_and(|name| name == "run");
    if run {
        words.remove(0);
    }
    let Some(name) = words.first().cloned() else { return Some(usage(&name)) };
    let tool = TOOLS.contains(&name.as_str()) && !run;
    if tool {
        words.insert(0, TOOLS_COMPONENT.into());
    }
    let mut variables: Vec<String> = assigned.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let shadowed = |name: &str| assigned.iter().any(|(other, _)| other == name);
    variables.extend(variables::exported(|name| !shadowed(name)));
    match job.start(&words, &variables, streams, (place.is_last, place.over.cloned())) {
        Ok(()) if timed => {
            let status = place.wait(job);
            say_time(start);
            Some(status)
        }
        Ok(()) => None,
        Err(Error::ECANCELED) if job.is_interrupted() => Some(INTERRUPTED),
        Err(Error::ENOENT) if !run && !tool => {
            complain(&format!("{name}: no such command; help lists them"));
            Some(NOT_FOUND)
        }
        Err(error) => {
            complain(&format!("{}: {}", words[0], error.text()));
            Some(if error == Error::ENOENT { NOT_FOUND } else { NOT_STARTED })
        }
    }
}
/// Says how much time has gone by since `start`.
fn say_time(start: u64) {
    let thousandths = (pebble::time::time() - start) / (pebble::time::TIMEBASE / 1000);
    complain(&format!("{}.{:03} s", thousandths / 1000, thousandths % 1000));
}
fn usage(name: &str) -> i32 {
    let usage = OWN.iter().find(|(usage, _)| usage.split(' ').next() == Some(name)).map_or(name, |(usage, _)| usage);
    complain(&format!("usage: {usage}"));
    MISUSED
}
fn number(word: &str) -> core::result::Result<usize, String> {
    word.parse().map_err(|_| format!("\"{word}\" is not a number"))
}
/// Executes a command of the shell's own; its status.
#[expect(clippy::too_many_lines, reason = "an arm for each command")]
fn own(job: &Job, words: &[String]) -> i32 {
    let text: Vec<&str> = words.iter().map(String::as_str).collect();
    let all = |result: Result<()>| result.map_err(|error| String::from(error.text()));
    let one = |word: &str, body: &dyn Fn(usize) -> Result<()>| number(word).and_then(|n| all(body(n)));
    let result = match text[..] {
        ["help"] => {
            commands::help(|line| println!("{line}"));
            Ok(())
        }
        ["components"] => {
            views::components();
            Ok(())
        }
        ["jobs"] => {
            jobs::list();
            Ok(())
        }
        ["wait"] => return if jobs::wait_all(job) { 0 } else { INTERRUPTED },
        ["fg"] => return foreground(None),
        ["fg", job] => match number(job.trim_start_matches('%')) {
            Ok(job) => return foreground(Some(job)),
            Err(error) => Err(error),
        },
        ["kill", ref words @ ..] if !words.is_empty() => kill_all(words),
        ["restart", name] => restart(name),
        ["replace", name] => replace(name, None),
        ["replace", name, by] => replace(name, Some(by)),
        ["domains" | "ps"] => all(views::domains().and_then(|()| waiting::show())),
        ["threads"] => all(views::threads()),
        ["portals"] => all(views::portals(None)),
        ["portals", domain] if domain.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            one(domain, &|n| views::portals(Some(n)))
        }
        ["portals", name] => all(views::callers(name)),
        ["portal", domain, portal] => {
            number(domain).and_then(|domain| number(portal).and_then(|portal| all(views::portal(domain, portal))))
        }
        ["capabilities"] => all(views::capabilities(None)),
        ["capabilities", domain] => one(domain, &|n| views::capabilities(Some(n))),
        ["extensions"] => all(extensions::list()),
        ["extension", "link", file, host] => extensions::link(file, host),
        ["extension", "unlink", n] => one(n, &pebble::linker::unlink),
        ["updates"] => updates::list(),
        ["update", "--back", name] => updates::take_back(name),
        ["update", name, file] => updates::update(name, file),
        ["memory"] => all(views::memory()),
        ["counts"] => all(views::counts()),
        ["limits"] => all(views::limits()),
        ["top"] => all(activity::top(1)),
        ["top", seconds] => one(seconds, &activity::top),
        ["trace", "-o", file, pattern] => trace(Some(file), None, pattern, job),
        ["trace", "-o", file, seconds, pattern] => {
            number(seconds).and_then(|seconds| trace(Some(file), Some(seconds as u64), pattern, job))
        }
        ["trace", pattern] => trace(None, None, pattern, job),
        ["trace", seconds, pattern] => {
            number(seconds).and_then(|seconds| trace(None, Some(seconds as u64), pattern, job))
        }
        ["uptime"] => all(views::uptime()),
        ["date"] => all(views::date()),
        ["log"] => all(views::log()),
        ["clear"] => {
            crate::print!("{CLEAR}");
            Ok(())
        }
        ["echo", "-n", ref rest @ ..] => {
            crate::print!("{}", rest.join(" "));
            Ok(())
        }
        ["echo", ref rest @ ..] => {
            println!("{}", rest.join(" "));
            Ok(())
        }
        ["export"] => {
            variables::exported(|_| true).iter().for_each(|line| println!("{line}"));
            Ok(())
        }
        ["export", ref names @ ..] => {
            for word in names {
                let (name, given) = word.split_once('=').map_or((*word, None), |(name, given)| (name, Some(given)));
                let given = given.map(String::from).or_else(|| value(name)).unwrap_or_default();
                set(name, &given, true);
            }
            Ok(())
        }
        ["unset", ref names @ ..] => {
            variables::unset(names);
            Ok(())
        }
        [".", ..] => return script(&words[1..]),
        ["true"] => Ok(()),
        ["false"] => return 1,
        ["history"] => {
            crate::terminal::history(|line| println!("{line}"));
            Ok(())
        }
        ["halt"] => all(init::halt(0)),
        ["exit"] => return exit(0),
        ["exit", status] => match status.parse() {
            Ok(status) => return exit(status),
            Err(_) => Err(format!("exit: {status}: no number")),
        },
        _ if OWN.iter().any(|(usage, _)| *usage == text[0]) => Err(format!("{}: takes no arguments", text[0])),
        _ => return usage(text[0]),
    };
    match result {
        Ok(()) => 0,
        Err(message) => {
            complain(&message);
            1
        }
    }
}
/// This shell executes one line for a program, and ends with it.
static ENDS: AtomicBool = AtomicBool::new(false);
pub fn ends_by_exit() {
    ENDS.store(true, Ordering::Relaxed);
}
/// Ends the shell of a program; else the machine, which would be left without one.
fn exit(status: u8) -> i32 {
    if ENDS.load(Ordering::Relaxed) {
        pebble::thread::exit_domain(status.into());
    }
    match init::halt(status.into()) {
        Ok(()) => 0,
        Err(error) => {
            complain(error.text());
            1
        }
    }
}
/// `kill [-SIGNAL] WHAT…`.
fn kill_all(words: &[&str]) -> core::result::Result<(), String> {
    let (signal, domains) = match *words {
        [option, ref rest @ ..] if option.starts_with('-') => {
            (end_status::signal(&option[1..]).ok_or_else(|| format!("{option}: no such signal"))?, rest)
        }
        _ => (end_status::SIGTERM, words),
    };
    if domains.is_empty() {
        return Err("which domain?".into());
    }
    domains.iter().try_for_each(|domain| kill(domain, signal))
}
/// Sends a domain, the domains of a component, or a job a signal, which ends those that do not take it.
fn kill(what: &str, signal: usize) -> core::result::Result<(), String> {
    let destroy = |asid: usize| jobs::send(Identity(asid), signal).map(|_| ()).map_err(|e| String::from(e.text()));
    if let Some(job) = what.strip_prefix('%') {
        let job = jobs::job(Some(number(job)?)).ok_or("no such job")?;
        job.signal(signal);
        return Ok(());
    }
    if let Ok(asid) = number(what) {
        return destroy(asid);
    }
    let named: Vec<usize> =
        views::all_domains().filter(|d| abi::section::text(&d.name) == what).map(|d| d.asid as usize).collect();
    let named: Vec<usize> = if named.is_empty() { jobs::programs_called(what) } else { named };
    if named.is_empty() { Err(format!("{what} does not run")) } else { named.into_iter().try_for_each(destroy) }
}
/// Has a component succeeded by a new instance of it, or by another, while it is called.
fn replace(name: &str, by: Option<&str>) -> core::result::Result<(), String> {
    pebble::component::replace(name, by).map(|_| ()).map_err(|refused| {
        let at = if refused.portal.is_empty() { String::new() } else { format!("{}: ", refused.portal) };
        format!("{name}: {at}{}", refused.error.text())
    })
}
/// Ends a component where it runs, and has it started again: by init where that does it by itself, and soon.
fn restart(name: &str) -> core::result::Result<(), String> {
    use pebble::component::{Condition, State, watch};
    /// Ticks of `hrtime` that it is waited for: 0.2 s.
    const PATIENCE: u64 = 100_000_000;
    let text = |error: Error| format!("{name}: {}", error.text());
    let (mut state, until) = (watch(name, None, 0).map_err(text)?, pebble::time::hrtime() + PATIENCE);
    let starts = state.starts();
    if state.condition() == Condition::Runs {
        kill(name, end_status::SIGKILL)?;
    }
    let waits = |state: State| {
        state.condition() == Condition::StartsAgain || state.condition() == Condition::Runs && state.starts() == starts
    };
    while waits(state) && pebble::time::hrtime() < until {
        state = watch(name, Some(state), until.saturating_sub(pebble::time::hrtime())).unwrap_or(state);
    }
    match state.condition() {
        Condition::Runs if state.starts() == starts => Err(format!("{name} has not ended yet")),
        Condition::Runs => Ok(()),
        Condition::StartsAgain | Condition::StaysEnded => programs::spawn(name).map_err(text),
        _ => programs::start(&[name.into()], &[], &[const { None }; 3]).map(|_| ()).map_err(text),
    }
}
/// Waits for a job of the background as if it had been started in the foreground.
fn foreground(number: Option<usize>) -> i32 {
    let Some(job) = jobs::job(number) else {
        complain("no such job");
        return 1;
    };
    job.take_back();
    let status = job.in_foreground(|| {
        // Who reads this may press Ctrl-C at once.
        println!("{}", job.text);
        job.wait_whole()
    });
    // Unless Ctrl-Z has put it back.
    if !job.background.load(Ordering::Relaxed) {
        jobs::forget(&job);
    }
    if job.is_interrupted() { INTERRUPTED } else { status }
}
