//! How property tests draw their cases. A test has the same ones each time it is run, on each machine: what it says follows from the sources
//! alone. `./pebble campaign properties` draws others, and more of them.

use proptest::test_runner::{Config, RngSeed};

/// The variable of the environment that says what cases follow from: a number.
pub const SEED: &str = "PEBBLE_PROPERTIES_SEED";
/// The one that says how many times as many as usual are drawn.
pub const TIMES: &str = "PEBBLE_PROPERTIES_TIMES";

/// For a test that draws `cases`, where nothing else is said. Those that fail are not kept in a file: they follow from the seed.
pub fn config(cases: u32) -> Config {
    let times = number(TIMES).unwrap_or(1).clamp(1, u32::MAX.into()) as u32;
    let rng_seed = RngSeed::Fixed(number(SEED).unwrap_or(1));
    Config { cases: cases.saturating_mul(times), rng_seed, failure_persistence: None, ..Config::default() }
}
/// # Panics
///
/// Where it is said and is no number: the cases would be others than the campaign says.
fn number(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is \"{value}\", which is no number")))
}

#[cfg(test)]
mod tests {
    use super::config;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    #[test]
    fn cases_are_the_same_each_time() {
        let drawn = || {
            let mut runner = TestRunner::new(config(1));
            (0..20).map(|_| any::<u64>().new_tree(&mut runner).unwrap().current()).collect::<Vec<_>>()
        };
        assert_eq!(drawn(), drawn());
    }
    /// Each property test of this project takes its configuration from here.
    #[test]
    fn no_property_test_draws_its_cases_in_another_way() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let mut folders: Vec<_> = ["lib", "servers", "services", "drivers", "host", "apps/shell", "apps/tools"]
            .map(|folder| std::path::Path::new(root).join(folder))
            .into();
        let mut seen = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                    continue;
                }
                let text = if entry.extension().is_some_and(|e| e == "rs") {
                    std::fs::read_to_string(&entry).unwrap()
                } else {
                    continue;
                };
                for block in text.split(concat!("proptest", "! {\n")).skip(1) {
                    let first = block.lines().next().unwrap_or("").trim();
                    let wanted = "#![proptest_config(properties::config(";
                    assert!(first.starts_with(wanted), "{}: \"{first}\"", entry.display());
                    seen += 1;
                }
            }
        }
        assert!(seen > 15, "property tests are found");
    }
}
