//! Random and mutated code through the verifier of fault domains: see the crate `mutants`.

use super::{Campaign, Failure, Ran};
use anyhow::Result;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Words of one run, half of them in programs, half alone.
const WORDS: u64 = 4_000_000;

pub struct Verifier {
    build: u64,
}
impl Verifier {
    pub fn new(root: &Path) -> Result<Verifier> {
        let mut hasher = DefaultHasher::new();
        for folder in ["lib/verifier/src", "lib/mutants/src"] {
            for file in crate::build::files(&root.join(folder), &["rs"])? {
                std::fs::read(file)?.hash(&mut hasher);
            }
        }
        Ok(Verifier { build: hasher.finish() })
    }
}
impl Campaign for Verifier {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, _: u64, seed: u32, most: u64) -> Result<Ran> {
        let words = WORDS.min(most);
        let executed = mutants::programs(seed.into(), words / 2).map(|_| ()).map_err(|escape| escape.to_string());
        let why = executed.err().or_else(|| {
            let accepted = mutants::accepted_words(seed.into(), words - words / 2);
            mutants::decoder::compare(&accepted).err().map(|error| format!("{error:#}"))
        });
        let command = format!("the programs and words of seed {seed}, {words} words");
        Ok(Ran { steps: words, failure: why.map(|why| Failure { command, why }) })
    }
}
