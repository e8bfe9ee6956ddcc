//! One program for all tools on files: the second word says which.
#![no_std]
#![no_main]

extern crate alloc;

mod filters;
mod tree;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::Error;

pebble::program!(main);

/// What a tool says where it fails; its name is put before it.
type Outcome = Result<i32, String>;

/// The status of a tool that was used wrongly.
const MISUSED: i32 = 2;

/// What `name` failed with, for a person.
fn about(name: &str) -> impl Fn(Error) -> String {
    move |error| format!("{name}: {}", error.text())
}
fn main(env: &pebble::Env) -> i32 {
    let words: Vec<&str> = (1..env.len()).filter_map(|n| env.argument(n)).collect();
    let Some((&tool, words)) = words.split_first() else {
        pebble::eprintln!("usage: tools NAME [ARGUMENT…]");
        return MISUSED;
    };
    let outcome = match tool {
        "cat" => filters::cat(words),
        "cp" => tree::copy(words),
        "df" => tree::space(words),
        "edit" => filters::edit(words),
        "grep" => filters::grep(words),
        "head" => filters::head(words),
        "hexdump" => filters::hexdump(words),
        "ln" => tree::link(words),
        "ls" => tree::list(words),
        "mkdir" => tree::make(words),
        "mv" => tree::rename(words),
        "rm" => tree::remove(words),
        "sleep" => sleep(words),
        "sort" => filters::sort(words),
        "tail" => filters::tail(words),
        "tee" => filters::tee(words),
        "touch" => tree::touch(words),
        "uniq" => filters::unique(words),
        "wc" => filters::count(words),
        _ => Err("there is no such tool".into()),
    };
    outcome.unwrap_or_else(|message| {
        pebble::eprintln!("{tool}: {message}");
        MISUSED
    })
}
/// `sleep SECONDS`, with a fraction where there is one.
fn sleep(words: &[&str]) -> Outcome {
    /// Longer than any machine runs.
    const MOST: f64 = 1e9;
    let &[word] = words else { return Err("how many seconds?".into()) };
    let seconds: f64 = word.parse().map_err(|_| format!("{word}: no number"))?;
    if !(0.0..=MOST).contains(&seconds) {
        return Err(format!("{word}: no time"));
    }
    pebble::time::wait((seconds * pebble::time::TIMEBASE as f64) as u64);
    Ok(0)
}
