//! A gigabyte through a program on the machine: what comes out of its standard output is what went into its standard input.

use super::{Campaign, Failure, Ran};
use crate::build::Source;
use crate::connection::Connection;
use crate::copying;
use crate::exec::{self, Options};
use anyhow::Result;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

pub struct Stream {
    root: PathBuf,
    build: u64,
}
impl Stream {
    pub fn new(root: &Path) -> Result<Stream> {
        let options = Options { system: "exec".into(), file_name: root.join(copying::PROGRAM), ..Options::default() };
        let source = Source::from(copying::PROGRAM);
        let mut hasher = DefaultHasher::new();
        exec::build_program_of(root, &options, source, Connection::Port)?.image(&[])?.bytes.hash(&mut hasher);
        Ok(Stream { root: root.into(), build: hasher.finish() })
    }
}
impl Campaign for Stream {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, run: u64, seed: u32, most: u64) -> Result<Ran> {
        let failure = copying::copy(&self.root, most << 20, seed, 0).err().map(|error| Failure {
            command: format!("run {run}: {most} MiB of seed {seed}"),
            why: format!("{error:#}"),
        });
        Ok(Ran { steps: most, failure })
    }
}
