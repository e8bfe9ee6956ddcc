//! How the word that is being typed could go on: commands, components, files, and names of portals.

use crate::{programs, views};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use shell_logic::commands::{TOOLS, own};

/// Where the last word of `text` begins, and what it could be, in order.
pub fn of(text: &str) -> (usize, Vec<String>) {
    let start = text.rfind([' ', '\t', '|', '&', ';', '<', '>', '=']).map_or(0, |at| at + 1);
    let (before, word) = (text[..start].trim_end(), &text[start..]);
    let command = before.rsplit(['|', '&', ';']).next().unwrap_or("").split_whitespace().next();
    let mut found: BTreeSet<String> = BTreeSet::new();
    match command {
        None | Some("time") if !before.ends_with(['<', '>']) && !word.contains('/') => {
            found.extend(own().chain(TOOLS.iter().copied()).map(String::from));
            found.extend(programs::components());
        }
        Some("run" | "kill" | "restart" | "replace") => found.extend(programs::components()),
        Some("portals" | "trace") => found.extend(views::portal_names()),
        _ => {
            let (directory, _) =
                word.rsplit_once('/').map_or(("", word), |(path, name)| (&word[..path.len() + 1], name));
            for name in names(directory) {
                let path = format!("{directory}{name}");
                let is_directory = pebble::file::metadata(&path).is_ok_and(|m| m.kind == pebble::file::Kind::Directory);
                found.insert(if is_directory { format!("{path}/") } else { path });
            }
        }
    }
    (start, found.into_iter().filter(|candidate| candidate.starts_with(word)).collect())
}
/// Names in a directory.
pub fn names(directory: &str) -> Vec<String> {
    let path = if directory.is_empty() { "/" } else { directory };
    let entries = pebble::directory::read(path).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.name().into())).collect()
}
