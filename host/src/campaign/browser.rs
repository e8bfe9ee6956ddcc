//! The web console in a browser: real clicks and keys in a headless Chromium, and pictures (`tests/webconsole/browser.py`). Not a test of
//! each run, because of what it takes to install a browser.

use super::{Campaign, Failure, Ran};
use crate::web_console::Running;
use anyhow::Result;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

pub struct Browser {
    root: PathBuf,
    build: u64,
}
impl Browser {
    pub fn new(root: &Path) -> Result<Browser> {
        let mut hasher = DefaultHasher::new();
        for folder in ["services/webconsole", "services/http/src", "tests/webconsole"] {
            for file in crate::build::files(&root.join(folder), &["rs", "py", "js", "css", "html"])? {
                std::fs::read(file)?.hash(&mut hasher);
            }
        }
        Ok(Browser { root: root.into(), build: hasher.finish() })
    }
}
impl Campaign for Browser {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, _: u64, _: u32, _: u64) -> Result<Ran> {
        let pictures = self.root.join("target/campaigns/browser");
        std::fs::create_dir_all(&pictures)?;
        let ran = Running::start(&self.root)?.ask(&self.root, "browser.py", &[&pictures.display().to_string()]);
        let command = "./pebble campaign browser --anew".to_string();
        Ok(Ran { steps: 1, failure: ran.err().map(|why| Failure { command, why: format!("{why:#}") }) })
    }
}
