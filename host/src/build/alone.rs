//! One build at a time of each part of a tree, of this process and of others: what two make at once, they write over each other.

use crate::progress;
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::rc::{Rc, Weak};

/// What is built: each has a folder of products of its own. Who holds [`Part::Tree`] may ask for another part; who holds another asks for none, so that no two wait
/// for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Components of the workspace, and everything in C.
    Tree,
    /// Programs in Rust that are packages of their own.
    Programs,
    /// Fault domains in Rust.
    FaultDomains,
}
impl Part {
    const ALL: [Part; 3] = [Part::Tree, Part::Programs, Part::FaultDomains];
    /// Its lock's file in the build folder, which is also what commands know it by.
    fn name(self) -> &'static str {
        match self {
            Part::Tree => "lock",
            Part::Programs => "lock-programs",
            Part::FaultDomains => "lock-fault-domains",
        }
    }
}

thread_local! {
    /// What this thread holds.
    static HELD: RefCell<[Weak<File>; Part::ALL.len()]> = RefCell::default();
}
fn held(part: Part) -> Option<Rc<File>> {
    HELD.with_borrow(|held| held[part as usize].upgrade())
}

/// Nobody else builds this part as long as it lives. A thread that has it may ask again.
pub struct Alone(#[expect(dead_code, reason = "it is closed, and so unlocked, with the last one")] Option<Rc<File>>);

/// The variable that says to a command what who has started it holds, and waits for it.
const FOR_COMMANDS: &str = "PEBBLE_BUILDS_FOR_ITS_STARTER";

/// A command that may build what the caller needs for its own build.
pub fn within(command: &mut Command) {
    let names: Vec<_> = Part::ALL.into_iter().filter(|&part| held(part).is_some()).map(Part::name).collect();
    if !names.is_empty() {
        command.env(FOR_COMMANDS, names.join(" "));
    }
}

/// Waits until nobody else builds this part of the tree at `root`.
pub fn alone(root: &Path, part: Part) -> Result<Alone> {
    if std::env::var(FOR_COMMANDS).is_ok_and(|names| names.split(' ').any(|name| name == part.name())) {
        return Ok(Alone(None));
    }
    if let Some(file) = held(part) {
        return Ok(Alone(Some(file)));
    }
    let other = Part::ALL.into_iter().find(|&other| other != Part::Tree && held(other).is_some());
    assert!(other.is_none(), "who builds {other:?} asks for {part:?}");
    let folder = root.join("build");
    let path = folder.join(part.name());
    let open = || {
        fs::create_dir_all(&folder)?;
        let file = File::create(&path)?;
        progress::during("waiting for another build", || file.lock())?;
        Ok::<_, std::io::Error>(Rc::new(file))
    };
    let file = open().with_context(|| path.display().to_string())?;
    HELD.with_borrow_mut(|held| held[part as usize] = Rc::downgrade(&file));
    Ok(Alone(Some(file)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    #[test]
    fn who_builds_may_ask_again() {
        let tree = tempfile::tempdir().unwrap();
        for part in Part::ALL {
            let (_one, _again) = (alone(tree.path(), part).unwrap(), alone(tree.path(), part).unwrap());
        }
    }
    #[test]
    fn who_builds_the_tree_may_build_a_part_too() {
        let tree = tempfile::tempdir().unwrap();
        let (_tree, _part) = (alone(tree.path(), Part::Tree).unwrap(), alone(tree.path(), Part::Programs).unwrap());
    }
    #[test]
    #[should_panic(expected = "who builds Some(Programs) asks for Tree")]
    fn who_builds_a_part_asks_for_no_other() {
        let tree = tempfile::tempdir().unwrap();
        let _part = alone(tree.path(), Part::Programs).unwrap();
        let _tree = alone(tree.path(), Part::Tree);
    }
    #[test]
    fn parts_are_built_beside_each_other() {
        let tree = tempfile::tempdir().unwrap();
        let _mine = alone(tree.path(), Part::FaultDomains).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| alone(tree.path(), Part::Tree).map(drop).unwrap());
        });
    }
    #[test]
    fn others_wait() {
        let tree = tempfile::tempdir().unwrap();
        let done = AtomicBool::new(false);
        let mine = alone(tree.path(), Part::Tree).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _its = alone(tree.path(), Part::Tree).unwrap();
                assert!(done.load(Ordering::SeqCst), "two built at once");
            });
            std::thread::sleep(Duration::from_millis(50));
            done.store(true, Ordering::SeqCst);
            drop(mine);
        });
    }
}
