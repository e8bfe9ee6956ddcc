//! One build at a time in a tree, of this process and of others: what two make at once, they write over each other.

use crate::progress;
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::fs::{self, File};
use std::path::Path;
use std::rc::{Rc, Weak};

thread_local! {
    static HELD: RefCell<Weak<File>> = RefCell::default();
}

/// Nobody else builds as long as it lives. A thread that has it may ask again.
pub struct Alone(#[expect(dead_code, reason = "it is closed, and so unlocked, with the last one")] Rc<File>);

/// Waits until nobody else builds in the tree at `root`.
pub fn alone(root: &Path) -> Result<Alone> {
    HELD.with_borrow_mut(|held| {
        if let Some(file) = held.upgrade() {
            return Ok(Alone(file));
        }
        let folder = root.join("build");
        let path = folder.join("lock");
        let open = || {
            fs::create_dir_all(&folder)?;
            let file = File::create(&path)?;
            progress::during("waiting for another build", || file.lock())?;
            Ok::<_, std::io::Error>(Rc::new(file))
        };
        let file = open().with_context(|| path.display().to_string())?;
        *held = Rc::downgrade(&file);
        Ok(Alone(file))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    #[test]
    fn who_builds_may_ask_again() {
        let tree = tempfile::tempdir().unwrap();
        let (_one, _again) = (alone(tree.path()).unwrap(), alone(tree.path()).unwrap());
    }
    #[test]
    fn others_wait() {
        let tree = tempfile::tempdir().unwrap();
        let done = AtomicBool::new(false);
        let mine = alone(tree.path()).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _its = alone(tree.path()).unwrap();
                assert!(done.load(Ordering::SeqCst), "two built at once");
            });
            std::thread::sleep(Duration::from_millis(50));
            done.store(true, Ordering::SeqCst);
            drop(mine);
        });
    }
}
