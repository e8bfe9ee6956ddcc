//! What is shown of traced calls: each call and its result are found together, and put into words by the letters of the portal's specification,
//! or into the format of programs that draw them.

use abi::Error;
use abi::trace::{CALL, Event};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use interfaces::Kind;

/// A call that is over, or is not: `result` is what it has come to, and when.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub start: Event,
    pub end: Option<Event>,
}
/// Calls that are not over.
#[derive(Default)]
pub struct Calls(Vec<Event>);
impl Calls {
    /// Takes in the next event; the calls that are over now, those that will never be told the result of included: who died in a call
    /// has none, nor has one whose end was lost.
    pub fn take(&mut self, event: Event) -> Vec<Call> {
        let mut over = Vec::new();
        // Who calls again at the same depth has left the calls that were there, and those further in (the stack grows downwards).
        let is_left = |open: &Event| open.thread == event.thread && open.depth <= event.depth;
        let same = |open: &Event| open.depth == event.depth && open.what >> 8 == event.what >> 8;
        if event.kind() == CALL {
            // A portal that has to ask somebody first is called again afterwards.
            if let Some(open) = self.0.iter_mut().find(|open| is_left(open) && same(open) && open.words == event.words)
            {
                *open = Event { time: open.time, ..event };
                return over;
            }
            over.extend(self.0.extract_if(.., |open| is_left(open)).map(|start| Call { start, end: None }));
            self.0.push(event);
            return over;
        }
        for start in self.0.extract_if(.., |open| is_left(open)) {
            over.push(Call { start, end: same(&start).then_some(event) });
        }
        over
    }
    /// The calls that are not over, the oldest first.
    pub fn rest(self) -> impl Iterator<Item = Call> {
        self.0.into_iter().map(|start| Call { start, end: None })
    }
}

/// The arguments that a caller passes to the portal of that name, with specification `spec`: where it is one of an interface, by their names and
/// kinds.
pub fn arguments(portal: &str, spec: &str, event: &Event) -> String {
    // Somebody may have a portal of that name that takes something else.
    let known = interfaces::portal(portal).filter(|known| known.accepts(spec));
    let mut text = String::new();
    let mut length = None;
    let letters = spec.bytes().skip(2).filter(|letter| !b"c=tahd".contains(letter));
    for (passed, letter) in letters.enumerate() {
        let Some(&word) = event.words.get(passed) else { break };
        if passed > 0 {
            text += ", ";
        }
        let argument = known.and_then(|known| known.passed().get(passed));
        if let Some(argument) = argument {
            text += &format!("{}: ", argument.name);
        }
        let long = b"RW><S".contains(&letter);
        let most = event.words.get(passed + 1).filter(|_| long).map(|&most| most as usize);
        let is_length = length.take().is_some();
        match event.shown().filter(|(argument, _)| *argument == passed) {
            _ if is_length && argument.is_none() => text += &format!("{word} bytes"),
            Some((_, bytes)) => text += &quoted(bytes, most),
            None if b"rwRW><S".contains(&letter) => text += &format!("{word:#x}"),
            None => match argument.map(|argument| argument.kind) {
                None | Some(Kind::Number) => text += &number(word),
                Some(kind) => text += &format!("{}", kind.shown(word as usize)),
            },
        }
        length = long.then_some(());
    }
    text
}
/// Bytes as a string: what is no text as `\xNN`. Where no length is known, up to the first 0; `...` where there are more.
fn quoted(bytes: &[u8], length: Option<usize>) -> String {
    let end = length.or_else(|| bytes.iter().position(|byte| *byte == 0));
    let more = end.is_none_or(|end| end > bytes.len());
    let bytes = &bytes[..end.unwrap_or(usize::MAX).min(bytes.len())];
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text += "\\n",
            b'"' | b'\\' => text.extend(['\\', byte as char]),
            b' '..=b'~' => text.push(byte as char),
            _ => text += &format!("\\x{byte:02x}"),
        }
    }
    text + if more { "\"..." } else { "\"" }
}
/// A word: as a number where that is short.
fn number(word: u64) -> String {
    const SHORT: i64 = 1 << 24;
    match word as i64 {
        value if (-SHORT..SHORT).contains(&value) => format!("{value}"),
        _ => format!("{word:#x}"),
    }
}
/// What a call has come to.
pub fn result(call: &Call) -> String {
    let Some(end) = call.end else { return "?".into() };
    match Error::from_code(end.words[0] as isize) {
        Some(error) => error.name().into(),
        None => number(end.words[0]),
    }
}
/// What else is known of a call.
pub struct Known<'a> {
    /// Names of portal, calling domain and server, and the portal's specification.
    pub portal: &'a str,
    pub caller: &'a str,
    pub server: &'a str,
    pub spec: &'a str,
}
/// Calls in the *trace event format*, which Perfetto and Chrome draw: an array with an object for each call, on a line of its own. All are of
/// one process, since a thread goes on from domain to domain: so calls within calls lie below them.
pub struct Events {
    /// Ticks at the start, and in a second.
    pub start: u64,
    pub timebase: u64,
    written: bool,
}
impl Events {
    pub fn new(start: u64, timebase: u64) -> Events {
        Events { start, timebase, written: false }
    }
    /// What is written of one more call.
    pub fn call(&mut self, call: &Call, known: &Known) -> String {
        let microseconds = |ticks: u64| ticks as f64 * 1e6 / self.timebase as f64;
        // One that is not over has no length: it may never be, and the number of its thread is another's then.
        let end = call.end.map_or(call.start.time, |end| end.time);
        self.next(&serde_json::json!({
            "name": known.portal, "cat": known.server, "ph": "X", "pid": 1, "tid": call.start.thread,
            "ts": microseconds(call.start.time.saturating_sub(self.start)),
            "dur": microseconds(end.saturating_sub(call.start.time)),
            "args": {
                "caller": known.caller, "server": known.server,
                "arguments": arguments(known.portal, known.spec, &call.start), "result": result(call),
            },
        }))
    }
    /// What is written behind the last call.
    pub fn end(&mut self) -> String {
        let process = serde_json::json!({ "name": "process_name", "ph": "M", "pid": 1, "args": { "name": "Pebble" } });
        self.next(&process) + "\n]\n"
    }
    fn next(&mut self, event: &serde_json::Value) -> String {
        let before = if core::mem::replace(&mut self.written, true) { ",\n" } else { "[\n" };
        format!("{before}{event}")
    }
}
/// Whether a portal's name matches a pattern, of which `*` and `?` stand for any characters and any one.
pub fn matches(pattern: &str, name: &str) -> bool {
    crate::expand::matches_all(pattern, name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::trace::{FAILED, RETURN, SHOWN, shows};

    fn event(kind: u64, depth: u64, time: u64, word: u64) -> Event {
        Event { time, thread: 1, depth, words: [word, 0, 0, 0, 0, 0], what: 7 << 8 | kind, ..Event::NONE }
    }
    #[test]
    fn a_call_and_its_result_are_found_together() {
        let mut calls = Calls::default();
        assert!(calls.take(event(CALL, 100, 1, 5)).is_empty());
        // One further in.
        assert!(calls.take(event(CALL, 50, 2, 6)).is_empty());
        let inner = calls.take(event(RETURN, 50, 3, 60));
        assert_eq!((inner.len(), inner[0].start.words[0], result(&inner[0])), (1, 6, "60".into()));
        let outer = calls.take(event(FAILED, 100, 4, -2i64 as u64));
        assert_eq!((outer.len(), result(&outer[0])), (1, "ENOENT".into()));
    }
    #[test]
    fn calls_are_written_as_trace_events() {
        let mut calls = Calls::default();
        calls.take(event(CALL, 100, 1_010, 5));
        calls.take(event(CALL, 50, 1_020, 6));
        let mut over = calls.take(event(RETURN, 50, 1_035, 60));
        over.extend(calls.take(event(FAILED, 100, 1_040, -2i64 as u64)));
        calls.take(event(CALL, 100, 1_050, 7));
        over.extend(calls.rest());
        let known = Known { portal: "a.\"b\"\\", caller: "one (1)", server: "two", spec: "npi" };
        let mut events = Events::new(1_000, 10_000_000);
        let written: String = over.iter().map(|call| events.call(call, &known)).collect();
        let whole = written + &events.end();
        let parsed: serde_json::Value = serde_json::from_str(&whole).unwrap();
        let said = |n: usize, key: &str| parsed[n][key].clone();
        let times: Vec<_> = (0..3).map(|n| (said(n, "ts"), said(n, "dur"))).collect();
        // The inner one within the outer one.
        assert_eq!(times, [(2.0.into(), 1.5.into()), (1.0.into(), 3.0.into()), (5.0.into(), 0.0.into())]);
        assert_eq!((said(0, "name"), &parsed[0]["args"]["arguments"]), ("a.\"b\"\\".into(), &"6".into()));
        assert_eq!((&parsed[1]["args"]["result"], &parsed[2]["args"]["result"]), (&"ENOENT".into(), &"?".into()));
        assert_eq!((parsed.as_array().unwrap().len(), said(3, "ph")), (4, "M".into()));
    }
    #[test]
    fn no_calls_are_trace_events_too() {
        let mut events = Events::new(0, 1);
        assert!(serde_json::from_str::<serde_json::Value>(&events.end()).is_ok());
    }
    #[test]
    fn a_call_that_is_made_again_is_one() {
        let mut calls = Calls::default();
        calls.take(event(CALL, 100, 1, 5));
        assert!(calls.take(event(CALL, 100, 9, 5)).is_empty());
        assert_eq!(calls.take(event(RETURN, 100, 10, 0))[0].start.time, 1);
        assert_eq!(calls.rest().count(), 0);
    }
    #[test]
    fn a_call_without_a_result_is_told() {
        let mut calls = Calls::default();
        calls.take(event(CALL, 100, 1, 5));
        calls.take(event(CALL, 50, 2, 6));
        let left = calls.take(event(CALL, 100, 3, 7));
        assert_eq!(left.iter().map(result).collect::<Vec<_>>(), ["?", "?"]);
        assert_eq!(calls.rest().count(), 1);
    }
    #[test]
    fn other_threads_calls_stay_open() {
        let mut calls = Calls::default();
        calls.take(event(CALL, 100, 1, 5));
        assert!(calls.take(Event { thread: 2, ..event(RETURN, 500, 2, 0) }).is_empty());
        assert_eq!(calls.rest().count(), 1);
    }
    #[test]
    fn arguments_are_in_words_by_their_letters() {
        let mut event = Event { words: [3, 0x2004, 9, -1i64 as u64, 0, 0], ..event(CALL, 1, 1, 0) };
        event.what |= shows(1) | SHOWN;
        event.bytes[4..13].copy_from_slice(b"a\"b\n\0\xffcde");
        event.words[0] = 3;
        assert_eq!(arguments("app.any", "smtiRii", &event), "3, \"a\\\"b\\n\\x00\\xffcde\", 9 bytes, -1");
        assert_eq!(arguments("app.any", "smir", &event), "3, \"a\\\"b\\n\"");
        event.words[2] = 99;
        event.bytes[6..].fill(b'z');
        let cut = format!("3, \"a\\\"{}\"..., 99 bytes", "z".repeat(26));
        assert_eq!(arguments("app.any", "smiRi", &event), cut);
        event.what &= !SHOWN;
        assert_eq!(arguments("app.any", "nptiW", &event), "3, 0x2004");
    }
    #[test]
    fn arguments_of_an_interface_have_their_names_and_kinds() {
        let event = Event { words: [3, 0x2004, 9, 0, 0, 0], ..event(CALL, 1, 1, 0) };
        assert_eq!(arguments("names.bind", "smiri", &event), "domain: 3, name: 0x2004, registration: 9");
        assert_eq!(arguments("capability.reduce", "smdiii", &event), "name: 3, rights: 8196, flags: 9");
        let rights = Event { words: [3, 0x1000, 0x2000, 6, 0, 0], ..event };
        assert_eq!(arguments("memory.map", "smiiii", &rights), "domain: 3, start: 0x1000, bytes: 8192, rights: rw-");
        // One of that name in the server's place that takes something else.
        assert_eq!(arguments("names.bind", "smi", &event), "3");
    }
    #[test]
    fn patterns_match_names() {
        assert!(matches("files.*", "files.read") && matches("*", "x") && matches("a?c", "abc"));
        assert!(!matches("files.*", "file.read") && !matches("a?c", "ac"));
    }
}
