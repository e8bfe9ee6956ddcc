//! Bytes through standard input and output of a program on the machine, as many as somebody has time for: the tool itself is run, with
//! pipes at both ends, and what comes out is held against what went in while it is on its way.

use crate::child::end_with_us;
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Copies its input, and says on standard error how many bytes there were.
pub const PROGRAM: &str = "tests/target/components/copy.c";

/// Bytes that look random, all that follow from a seed (xorshift64).
struct Bytes(u64);
impl Bytes {
    fn new(seed: u32) -> Bytes {
        Bytes(seed as u64 | 1 << 63)
    }
    fn fill(&mut self, to: &mut [u8]) {
        for word in to.chunks_mut(8) {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            word.copy_from_slice(&self.0.to_le_bytes()[..word.len()]);
        }
    }
}
/// Bytes that are made, or looked at, at once: a multiple of 8.
const PIECE: usize = 1 << 16;

/// Has `count` bytes that follow from `seed` copied by a program that begins to read after some seconds; an error says where they differ.
pub fn copy(root: &Path, count: u64, seed: u32, after: u32) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    // A byte that is lost must not stop who waits for it for ever.
    let patience = (120 + (count >> 20)).to_string();
    command
        .args(["exec", "--timeout", &patience, PROGRAM, &after.to_string()])
        .env("PEBBLE_ROOT", root)
        .current_dir(root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end_with_us(&mut command);
    let mut child = command.spawn()?;
    let mut to = child.stdin.take().context("no input")?;
    let feeder = std::thread::spawn(move || {
        let (mut bytes, mut piece, mut left) = (Bytes::new(seed), [0; PIECE], count);
        while left > 0 {
            let here = left.min(PIECE as u64) as usize;
            bytes.fill(&mut piece[..here]);
            // Where nobody takes it, too little comes out.
            if to.write_all(&piece[..here]).is_err() {
                return;
            }
            left -= here as u64;
        }
    });
    let from = child.stdout.take().context("no output")?;
    let compared = compare(from, count, seed);
    let outcome = child.wait_with_output()?;
    let _ = feeder.join();
    compared?;
    let errors = String::from_utf8_lossy(&outcome.stderr);
    if !errors.ends_with(&format!("{count} bytes\n")) || !outcome.status.success() {
        bail!("{}, standard error:\n{errors}", outcome.status);
    }
    Ok(())
}
/// Whether `from` has exactly these bytes.
fn compare(mut from: impl Read, count: u64, seed: u32) -> Result<()> {
    let (mut bytes, mut said, mut wanted, mut done) = (Bytes::new(seed), [0; PIECE], [0; PIECE], 0);
    loop {
        let mut here = 0;
        while here < PIECE {
            match from.read(&mut said[here..])? {
                0 => break,
                some => here += some,
            }
        }
        if here == 0 {
            break;
        }
        bytes.fill(&mut wanted);
        if let Some(at) = (0..here).find(|&at| said[at] != wanted[at]) {
            bail!("byte {} of {count} differs: {:#x} for {:#x}", done + at as u64, said[at], wanted[at]);
        }
        done += here as u64;
    }
    if done != count {
        bail!("{done} bytes came out of {count}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    fn bytes(count: usize) -> Vec<u8> {
        let mut all = vec![0; count];
        Bytes::new(1).fill(&mut all);
        all
    }
    #[test]
    fn the_same_bytes_are_the_same() {
        for count in [0, 1, PIECE - 1, PIECE, PIECE + 9] {
            compare(&bytes(count)[..], count as u64, 1).unwrap();
        }
    }
    #[test]
    fn a_byte_that_differs_or_is_missing_or_too_many_is_told() {
        let mut wrong = bytes(PIECE + 100);
        wrong[PIECE + 5] ^= 1;
        let count = wrong.len() as u64;
        let told = |bytes: &[u8]| compare(bytes, count, 1).unwrap_err().to_string();
        assert!(told(&wrong).starts_with(&format!("byte {} ", PIECE + 5)));
        assert!(told(&bytes(PIECE + 99)).contains("came out"));
        assert!(told(&bytes(PIECE + 101)).contains("came out"));
    }
}
