//! What is said of the system, as JSON. Names are what bytes they are: whatever they hold becomes a string of JSON, and text on the page.

use abi::section::text;
use alloc::string::String;
use alloc::vec::Vec;
use serde::Serialize;

/// The system at a moment.
#[derive(Serialize, Default)]
pub struct State {
    /// Microseconds since the machine was started.
    pub now: u64,
    /// Whether calls and time are counted.
    pub counters: bool,
    /// Pages of memory: all, free.
    pub memory: [usize; 2],
    pub domains: Vec<Domain>,
    /// Names of the components that can be started.
    pub components: Vec<String>,
    /// The domain that says all this.
    pub own: usize,
}
#[derive(Serialize, Default)]
pub struct Domain {
    pub id: usize,
    /// In hexadecimal: more than a number of JavaScript's can be.
    pub identity: String,
    pub name: String,
    /// What it is: masked, trusted, sandbox, or nothing of these.
    pub kind: &'static str,
    pub parent: usize,
    pub threads: u64,
    pub pages: usize,
    /// Cycles that its threads have run; exceptions; interrupts.
    pub time: u64,
    pub faults: u64,
    pub interrupts: u64,
    /// What its account has taken and may take: what `abi::account` counts, by name, and memory in pages, last. Nothing for the system's.
    pub limits: Vec<(&'static str, usize, usize)>,
    pub portals: Vec<Portal>,
}
#[derive(Serialize, Clone)]
pub struct Portal {
    pub number: usize,
    pub name: String,
    pub spec: String,
    /// The domain it leads to; 0: the nucleus.
    pub to: u64,
    pub calls: u64,
}
/// A file, or what is in a directory.
#[derive(Serialize)]
pub struct Listing {
    pub path: String,
    pub entries: Vec<Entry>,
}
#[derive(Serialize)]
pub struct Entry {
    pub name: String,
    pub directory: bool,
    pub bytes: u64,
}

/// A name as text, whatever its bytes are.
pub fn name(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
/// A specification, which is ASCII.
pub fn spec(bytes: &[u8]) -> String {
    text(bytes).into()
}
/// As JSON.
pub fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_markup_stays_a_string() {
        let wild = name(b"<script>\"\\\n\xff\0rest");
        let said = json(&Entry { name: wild.clone(), directory: false, bytes: 0 });
        let read: serde_json::Value = serde_json::from_slice(&said).unwrap();
        assert_eq!(read["name"], wild);
        assert!(wild.starts_with("<script>\"\\\n") && !wild.contains("rest"));
    }
}
