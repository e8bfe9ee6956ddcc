//! Numbers of contents: `rsext4` keeps a file's, and changes it with no write.

use hashbrown::HashMap;

/// Inodes of which the number is kept. Where there are more, all begin anew.
const MOST: usize = 4096;

/// The number of the contents of each file that was looked at or changed.
pub struct Versions {
    last: u64,
    known: HashMap<u32, u64>,
}
impl Versions {
    /// `start`: all that were given out before, of any disk, are below.
    pub fn new(start: u64) -> Versions {
        Versions { last: start, known: HashMap::new() }
    }
    /// The contents are others now.
    pub fn changed(&mut self, inode: u32) {
        self.known.remove(&inode);
    }
    /// The number of the contents, which no others have, before or after.
    pub fn of(&mut self, inode: u32) -> u64 {
        if let Some(&version) = self.known.get(&inode) {
            return version;
        }
        self.last += 1;
        if self.known.len() >= MOST {
            self.known.clear();
        }
        if self.known.try_reserve(1).is_ok() {
            self.known.insert(inode, self.last);
        }
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_have_a_number_until_they_change_and_never_anothers() {
        let mut versions = Versions::new(0);
        let first = versions.of(7);
        assert_eq!((versions.of(7), versions.of(8) == first), (first, false));
        versions.changed(7);
        let second = versions.of(7);
        assert!(second > first);
        (100..100 + MOST as u32).for_each(|inode| assert!(versions.of(inode) > second));
        assert!(versions.of(7) >= second, "they may have begun anew");
    }
}
