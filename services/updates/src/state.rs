//! Which update of each component the system has: a text on the disk, written anew as a whole, which is the one thing that counts.
//!
//! ```text
//! web 7 5 7 1         version 7, before it 5, and none was newer; on trial, and started so often for that
//! clock 2 0 4 kept    version 2, before it the system's own image; version 4 was taken back
//! ```

use abi::Error;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use fallible::TryPush;

/// Most components of which something is kept.
pub const MOST: usize = 128;
/// Most bytes of the text.
pub const MOST_BYTES: usize = MOST * 128;
/// Starts of the system that an update on trial may have, of which none was long enough: whatever stops the machine meanwhile, the third has what was there before.
pub const STARTS: u32 = 2;

/// A version; 0: the system's own image.
pub type Version = u64;

/// What a component has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: Box<str>,
    pub current: Version,
    /// What it has again where the current one is taken back.
    pub before: Version,
    /// The newest that it ever had: what was taken back does not come again.
    pub newest: Version,
    /// It is on trial, and the system was started so often since.
    pub trial: Option<u32>,
}
/// What a component had before it was to have another.
#[derive(Debug, PartialEq, Eq)]
pub struct Was(Option<(Version, Version, Version, Option<u32>)>);
/// What all components have: of those that are not here, the system's own image.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct State(Vec<Entry>);

/// What a component gets where the system starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// 0: it keeps the system's own image.
    pub version: Version,
    /// It is on trial still.
    pub trial: bool,
    /// The version that had enough trials, and is taken back.
    pub taken_back: Option<Version>,
}
impl State {
    pub const fn new() -> State {
        State(Vec::new())
    }
    /// `None`: that is no such text.
    pub fn parse(text: &str) -> Option<Result<State, Error>> {
        let mut all = State::new();
        for line in text.lines() {
            let entry = entry(line)?;
            let is_new = all.find(entry.0).is_none() && all.0.len() < MOST;
            let (name, current, before, newest, trial) = Some(entry).filter(|_| is_new)?;
            let entry = |name| Entry { name, current, before, newest, trial };
            let pushed = fallible::text(name).and_then(|name| all.0.try_push(entry(name)));
            if let Err(error) = pushed {
                return Some(Err(error));
            }
        }
        (text.is_empty() || text.ends_with('\n')).then_some(Ok(all))
    }
    /// The text. `ENOMEM`.
    pub fn text(&self) -> Result<String, Error> {
        let mut text = String::new();
        text.try_reserve_exact(MOST_BYTES).map_err(|_| Error::ENOMEM)?;
        for Entry { name, current, before, newest, trial } in &self.0 {
            // There is room for as many as there may be.
            let _ = match trial {
                Some(starts) => writeln!(text, "{name} {current} {before} {newest} {starts}"),
                None => writeln!(text, "{name} {current} {before} {newest} {KEPT}"),
            };
        }
        Ok(text)
    }
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| *entry.name == *name)
    }
    fn find_mut(&mut self, name: &str) -> Option<&mut Entry> {
        self.0.iter_mut().find(|entry| *entry.name == *name)
    }
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }
    /// The version that component `name` has.
    pub fn current(&self, name: &str) -> Version {
        self.find(name).map_or(0, |entry| entry.current)
    }
    /// A component that really has version `has` has that version from now on, on trial; what it had, for [`State::restore`]. `ENOMEM`; `ENOSPC`: there are as many as there may be; `EBUSY`: it is on trial.
    pub fn try_out(&mut self, name: &str, version: Version, has: Version) -> Result<Was, Error> {
        let is_full = self.0.len() >= MOST;
        match self.find_mut(name) {
            // What is on trial is nothing to come back to, and where it began nobody would know any more.
            Some(entry) if entry.trial.is_some() => Err(Error::EBUSY),
            Some(entry) => {
                let was = Was(Some((entry.current, entry.before, entry.newest, entry.trial)));
                (entry.current, entry.before, entry.trial) = (version, has, Some(0));
                entry.newest = entry.newest.max(version);
                Ok(was)
            }
            None if is_full => Err(Error::ENOSPC),
            None => {
                let (name, before, trial) = (fallible::text(name)?, has, Some(0));
                let entry = Entry { name, current: version, before, newest: version, trial };
                self.0.try_push(entry).map(|()| Was(None))
            }
        }
    }
    /// Nothing has become of it.
    pub fn restore(&mut self, name: &str, Was(was): Was) {
        match was {
            None => self.0.retain(|entry| *entry.name != *name),
            Some(was) => {
                if let Some(entry) = self.find_mut(name) {
                    (entry.current, entry.before, entry.newest, entry.trial) = was;
                }
            }
        }
    }
    /// The trial of a component's version is over, and well; of another version nothing is said.
    pub fn keep(&mut self, name: &str, version: Version) {
        if let Some(entry) = self.find_mut(name).filter(|entry| entry.current == version) {
            entry.trial = None;
        }
    }
    /// A component has that version again, which it had before, and none before that. `ENOENT`: it has the system's own image.
    pub fn take_back(&mut self, name: &str, to: Version) -> Result<(), Error> {
        let entry = self.find_mut(name).filter(|entry| entry.current > 0).ok_or(Error::ENOENT)?;
        (entry.current, entry.before, entry.trial) = (to, 0, None);
        Ok(())
    }
    /// What is on trial has had one start of the system more.
    pub fn count(&mut self, name: &str) {
        if let Some(starts) = self.find_mut(name).and_then(|entry| entry.trial.as_mut()) {
            *starts = starts.saturating_add(1);
        }
    }
    /// The system starts: what component `name` gets, `None`: nothing, it has had no update or none is left. Where it `runs`, and is on trial, that is one start more.
    pub fn starts(&mut self, name: &str, runs: bool) -> Option<Start> {
        let &Entry { current, before, trial, .. } = self.find(name).filter(|entry| entry.current > 0)?;
        if trial.is_some_and(|starts| starts >= STARTS) {
            self.take_back(name, before).ok()?;
            return Some(Start { version: before, trial: false, taken_back: Some(current) });
        }
        if runs {
            self.count(name);
        }
        Some(Start { version: current, trial: trial.is_some(), taken_back: None })
    }
    pub fn is_on_trial(&self, name: &str) -> bool {
        self.find(name).is_some_and(|entry| entry.trial.is_some())
    }
    /// Whether a component's file of that version is still wanted.
    pub fn wants(&self, name: &str, version: Version) -> bool {
        version > 0 && self.find(name).is_some_and(|entry| [entry.current, entry.before].contains(&version))
    }
}
/// What stands in the place of the number of starts where there is no trial.
const KEPT: &str = "kept";

fn entry(line: &str) -> Option<(&str, Version, Version, Version, Option<u32>)> {
    let mut words = line.split(' ');
    let name = words.next().filter(|name| seal::name(name.as_bytes()).is_some() && name.len() < abi::section::NAME)?;
    let [current, before, newest] = [(); 3].map(|()| words.next().and_then(number));
    let (current, before, newest) = (current?, before?, newest?);
    let trial = match words.next()? {
        KEPT => None,
        starts => Some(number(starts)?.try_into().ok()?),
    };
    let is_whole = words.next().is_none() && newest > 0 && current.max(before) <= newest;
    is_whole.then_some((name, current, before, newest, trial))
}
/// One that is written as it would be here.
fn number(word: &str) -> Option<u64> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit()) && (word == "0" || !word.starts_with('0'));
    is_plain.then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Option<State> {
        State::parse(text).map(Result::unwrap)
    }
    #[test]
    fn what_is_written_is_read() {
        let text = "web 7 5 7 1\nclock 2 0 4 kept\n";
        let state = parse(text).unwrap();
        assert_eq!(state.text().unwrap(), text);
        assert_eq!([state.current("web"), state.current("clock"), state.current("disk")], [7, 2, 0]);
        assert_eq!(parse(""), Some(State::new()));
    }
    #[test]
    fn a_text_that_is_none_is_refused() {
        for text in [
            "web 7 5 7 1",
            "\n",
            "web\n",
            "web 7 5 7\n",
            "web 7 5 7 1 1\n",
            "web 0 0 0 kept\n",
            "web 7 5 6 1\n",
            "web 4 5 4 1\n",
            "web 07 5 7 1\n",
            "web +7 5 7 1\n",
            "web 7 5 7 -1\n",
            "web 7  5 7 1\n",
            "Web 7 5 7 1\n",
            "../web 7 5 7 1\n",
            "web 7 5 7 4294967296\n",
            "web 1 0 18446744073709551616 1\n",
            "web 7 5 7 1\nweb 8 5 8 1\n",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
        let many: String = (0..=MOST).map(|n| format!("c{n} 1 0 1 kept\n")).collect();
        assert_eq!(parse(&many), None);
    }
    #[test]
    fn what_is_tried_out_well_is_kept_and_what_was_before_comes_back() {
        let mut state = State::new();
        state.try_out("web", 5, 0).unwrap();
        state.keep("web", 4);
        assert_eq!(state.find("web").unwrap().trial, Some(0), "of another version nothing is said");
        state.keep("web", 5);
        state.try_out("web", 7, 5).unwrap();
        assert!(state.wants("web", 5) && state.wants("web", 7) && !state.wants("web", 6) && !state.wants("web", 0));
        assert_eq!(state.text().unwrap(), "web 7 5 7 0\n");
        assert_eq!(state.take_back("web", 5), Ok(()));
        assert_eq!(state.text().unwrap(), "web 5 0 7 kept\n");
        assert_eq!(state.take_back("web", 0), Ok(()));
        let (text, again) = (state.text().unwrap(), state.take_back("web", 0));
        let newest = state.find("web").map(|entry| entry.newest);
        assert_eq!((text.as_str(), again, newest), ("web 0 0 7 kept\n", Err(Error::ENOENT), Some(7)));
        state.try_out("web", 6, 0).unwrap();
        assert_eq!(state.text().unwrap(), "web 6 0 7 0\n");
    }
    #[test]
    fn what_was_not_tried_out_has_changed_nothing() {
        let text = "web 7 5 7 kept\nclock 2 1 2 kept\n";
        let mut state = parse(text).unwrap();
        for name in ["web", "clock", "disk"] {
            let was = state.try_out(name, 9, 2).unwrap();
            assert_eq!(state.current(name), 9);
            state.restore(name, was);
            assert_eq!(state.text().unwrap(), text, "{name}");
        }
    }
    #[test]
    fn what_is_on_trial_is_succeeded_by_none() {
        let mut state = parse("web 5 0 5 kept\n").unwrap();
        state.try_out("web", 6, 5).unwrap();
        assert_eq!(state.try_out("web", 7, 6), Err(Error::EBUSY));
        assert_eq!(state.text().unwrap(), "web 6 5 6 0\n");
    }
    #[test]
    fn what_comes_back_is_what_the_component_really_had() {
        let mut state = parse("web 5 3 5 kept\n").unwrap();
        state.try_out("web", 6, 0).unwrap();
        assert_eq!(state.text().unwrap(), "web 6 0 6 0\n");
    }
    #[test]
    fn a_trial_that_never_ends_is_over_after_some_starts() {
        let mut state = parse("web 7 5 7 0\nclock 2 0 2 0\ndisk 3 1 3 kept\nold 0 0 9 kept\n").unwrap();
        let gets = |version, trial| Some(Start { version, trial, taken_back: None });
        for start in 1..=STARTS {
            assert_eq!(state.starts("web", true), gets(7, true));
            assert_eq!(state.starts("clock", false), gets(2, true));
            assert_eq!(state.find("clock").unwrap().trial, Some(start - 1), "it does not run yet");
            state.count("clock");
            assert_eq!(["web", "clock"].map(|name| state.find(name).unwrap().trial), [Some(start); 2]);
            assert_eq!(state.starts("disk", true), gets(3, false));
        }
        assert_eq!(state.starts("web", true), Some(Start { version: 5, trial: false, taken_back: Some(7) }));
        assert_eq!(state.starts("clock", false), Some(Start { version: 0, trial: false, taken_back: Some(2) }));
        assert_eq!([state.starts("clock", true), state.starts("old", true)], [None, None]);
        state.count("old");
        assert_eq!(state.text().unwrap(), "web 5 0 7 kept\nclock 0 0 2 kept\ndisk 3 1 3 kept\nold 0 0 9 kept\n");
    }
    #[test]
    fn there_are_as_many_as_there_may_be_and_their_text_has_room() {
        let mut state = State::new();
        for n in 0..MOST {
            state.try_out(&format!("{n:046}x"), u64::MAX, u64::MAX - 1).unwrap();
        }
        assert_eq!(state.try_out("one-more", 1, 0), Err(Error::ENOSPC));
        assert!(state.text().unwrap().len() <= MOST_BYTES);
        assert_eq!(parse(&state.text().unwrap()), Some(state));
    }
    proptest! {
        #![proptest_config(properties::config(300))]
        #[test]
        fn what_is_read_is_written_alike(text in "([a-c]{1,2} [0-9] [0-9] [0-9]{1,2} ([0-9]|kept)\n){0,4}") {
            if let Some(state) = parse(&text) {
                prop_assert_eq!(state.text().unwrap(), text);
            }
        }
    }
}
