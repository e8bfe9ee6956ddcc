//! What a console has said, as somebody reads it who sits there: from top to bottom, each text once, and what he typed himself is no answer.
//!
//! A terminal shows what is typed. So what was typed is looked for first in what comes: a line that ended with Enter is waited for, and all up to
//! its end is passed over; of other keys nobody knows when they are shown (a program may run that reads none), so they hide the texts that
//! they have in them, and nothing else. Of what moves the cursor there is only what the shell's editor uses: a line that it draws anew takes the place
//! of the one that was there, but for one that is wider than the terminal.

use std::fmt;
use std::ops::Range;

/// A text that is waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    pub text: String,
    /// It is a whole line.
    pub whole: bool,
}
/// Something that was typed, and has not been shown yet, or not for good.
struct Echo {
    text: Vec<u8>,
    /// With Enter at its end.
    line: bool,
    /// It is not before this.
    from: usize,
}
#[derive(Default)]
pub struct Heard {
    /// Without what moves the cursor. A return is there where a line begins anew.
    said: Vec<u8>,
    /// A return has come, and nothing that is shown.
    returned: bool,
    /// What has come of an escape sequence.
    sequence: Option<Vec<u8>>,
    /// How often the terminal was asked where the cursor is.
    pub questions: usize,
    /// Where what was typed last is answered from.
    since: usize,
    /// How far it was read.
    read: usize,
    echoes: Vec<Echo>,
    /// What must not come.
    forbidden: Vec<String>,
}
/// The first place of `part` in `text` that `fits`, from `from` on.
fn find(text: &[u8], part: &[u8], from: usize, fits: impl Fn(&Range<usize>) -> bool) -> Option<Range<usize>> {
    let places = (from..=text.len().saturating_sub(part.len())).map(|at| at..at + part.len());
    places.filter(|place| text.get(place.clone()) == Some(part)).find(fits)
}
/// Where `line` ends that begins at `at`, with its end, and with those that the terminal's width has made in it.
fn end_of(said: &[u8], line: &[u8], mut at: usize) -> Option<usize> {
    let start = at;
    for byte in line {
        while at > start && said.get(at) == Some(&b'\n') {
            at += 1;
        }
        if said.get(at) != Some(byte) {
            return None;
        }
        at += 1;
    }
    (said.get(at) == Some(&b'\n')).then_some(at + 1)
}
/// What of the keys is shown as it is: the runs of printable characters, without the escape sequences of cursor keys.
fn shown(keys: &[u8]) -> Vec<Vec<u8>> {
    let mut runs = vec![Vec::new()];
    let mut sequence = false;
    for &key in keys {
        match key {
            b'[' | b'0'..=b'9' | b';' if sequence => {}
            _ if sequence => sequence = false,
            b' '..=b'~' | 0x80.. => runs.last_mut().expect("there is one").push(key),
            _ => {
                sequence = key == 0x1b;
                runs.push(Vec::new());
            }
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}
impl Heard {
    pub fn hear(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.byte(byte));
    }
    fn byte(&mut self, byte: u8) {
        if let Some(sequence) = &mut self.sequence {
            // ESC and a byte, or ESC [, parameters and a letter (ECMA-48).
            sequence.push(byte);
            if sequence[0] != b'[' || sequence.len() > 1 && (0x40..0x7f).contains(&byte) {
                let sequence = self.sequence.take().unwrap_or_default();
                self.moved(&sequence);
            }
            return;
        }
        match byte {
            0x1b => self.sequence = Some(Vec::new()),
            b'\r' => self.returned = true,
            0x08 => drop(self.said.pop()),
            b'\n' => {
                self.returned = false;
                self.said.push(byte);
            }
            _ => {
                if self.returned {
                    self.begin();
                }
                self.said.push(byte);
            }
        }
    }
    fn moved(&mut self, sequence: &[u8]) {
        match sequence {
            b"[6n" => self.questions += 1,
            b"[K" if self.returned => self.begin(),
            b"[J" if self.returned => self.undraw(),
            // The cursor is put somewhere in the line.
            [b'[', .., b'C'] => self.returned = false,
            _ => {}
        }
    }
    /// The line begins anew, behind what is there of it.
    fn begin(&mut self) {
        self.returned = false;
        if !matches!(self.said.last(), None | Some(b'\n' | b'\r')) {
            self.said.push(b'\r');
        }
    }
    /// Takes away what was drawn since the line began, or began anew.
    fn undraw(&mut self) {
        self.returned = false;
        let start = self.said.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
        self.said.truncate(start);
        self.since = self.since.min(start);
        self.read = self.read.min(start);
        self.echoes.iter_mut().for_each(|echo| echo.from = echo.from.min(start));
    }
    /// A line was typed: what is waited for from now on comes behind it.
    pub fn typed_line(&mut self, line: &str) {
        self.typed(vec![Echo { text: line.into(), line: true, from: self.said.len() }]);
    }
    /// Keys were pressed.
    pub fn typed_keys(&mut self, keys: &[u8]) {
        let from = self.said.len();
        self.typed(shown(keys).into_iter().map(|text| Echo { text, line: false, from }).collect());
    }
    fn typed(&mut self, echoes: Vec<Echo>) {
        self.pass_lines();
        // A line that goes on may be drawn again.
        let over = |place: Range<usize>| self.said[place.end..].contains(&b'\n');
        self.echoes.retain(|echo| echo.line || !find(&self.said, &echo.text, echo.from, |_| true).is_some_and(over));
        self.echoes.extend(echoes);
        (self.since, self.read) = (self.said.len(), self.said.len());
    }
    /// Passes over the lines that were typed; false: one of them has not been shown.
    fn pass_lines(&mut self) -> bool {
        while let Some(n) = self.echoes.iter().position(|echo| echo.line) {
            let Echo { text, from, .. } = &self.echoes[n];
            // Or where it was typed: in the midst of what somebody else said.
            let begins = |at: &usize| at == from || matches!(self.said[at - 1], b'\n' | b'\r' | b' ');
            let mut places = (*from..self.said.len()).filter(begins);
            let Some(end) = places.find_map(|at| end_of(&self.said, text, at)) else { return false };
            // What was typed before it was shown before it.
            self.echoes.drain(..=n);
            self.echoes.iter_mut().for_each(|echo| echo.from = echo.from.max(end));
            (self.since, self.read) = (self.since.max(end), self.read.max(end));
        }
        true
    }
    /// Where a text is, from `from` on, that is not what was typed. Nowhere, as long as keys have not been shown that it could be of.
    fn place(&self, wanted: &Text, from: usize) -> Option<Range<usize>> {
        let text = wanted.text.as_bytes();
        let mut typed: Vec<Range<usize>> = Vec::new();
        for echo in self.echoes.iter().filter(|echo| find(&echo.text, text, 0, |_| true).is_some()) {
            let behind = typed.last().map_or(0, |place| place.end);
            typed.push(find(&self.said, &echo.text, echo.from.max(behind), |_| true)?);
        }
        let begins = |at: usize| at == 0 || matches!(self.said[at - 1], b'\n' | b'\r');
        let whole = |place: &Range<usize>| begins(place.start) && self.said.get(place.end) == Some(&b'\n');
        find(&self.said, text, from, |place| {
            let own = typed.iter().any(|echo| echo.start <= place.start && place.end <= echo.end);
            !own && (!wanted.whole || whole(place))
        })
    }
    /// From now on, and since something was typed last, this must not come before what is waited for next.
    pub fn forbid(&mut self, text: &str) {
        self.forbidden.push(text.into());
    }
    /// Whether something is forbidden.
    pub fn forbids(&self) -> bool {
        !self.forbidden.is_empty()
    }
    /// What was forbidden and has come before `end`, as an error.
    fn obeyed(&self, end: usize) -> Result<(), String> {
        let came = |text: &&String| {
            let text = Text { text: text.to_string(), whole: false };
            self.place(&text, self.since).is_some_and(|place| place.end <= end)
        };
        self.forbidden.iter().find(came).map_or(Ok(()), |text| Err(format!("\"{text}\" came")))
    }
    /// Whether texts have come, in whatever order, that were not read yet: they are read then, with all before the last. An error: what was
    /// forbidden has come.
    pub fn reads_all(&mut self, wanted: &[Text]) -> Result<bool, String> {
        if !self.pass_lines() {
            return Ok(false);
        }
        let ends: Option<Vec<usize>> =
            wanted.iter().map(|text| self.place(text, self.read).map(|place| place.end)).collect();
        let end = ends.map(|ends| ends.into_iter().max().unwrap_or(self.read));
        self.obeyed(end.unwrap_or(self.said.len()))?;
        if let Some(end) = end {
            self.read = end;
            self.forbidden.clear();
        }
        Ok(end.is_some())
    }
    /// Nothing comes that could be waited for: an error, if something forbidden has come.
    pub fn is_quiet(&mut self) -> Result<(), String> {
        self.pass_lines();
        self.obeyed(self.said.len())?;
        self.forbidden.clear();
        Ok(())
    }
    /// All that came behind the line that was typed last; `None`: that has not been shown.
    pub fn answer(&mut self) -> Option<String> {
        self.pass_lines().then(|| self.to_string())
    }
}
/// What came since something was typed last.
impl fmt::Display for Heard {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(&String::from_utf8_lossy(&self.said[self.since..]).replace('\r', "\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Heard {
        fn reads(&mut self, wanted: &Text) -> Result<bool, String> {
            self.reads_all(std::slice::from_ref(wanted))
        }
    }
    fn text(text: &str) -> Text {
        Text { text: text.into(), whole: false }
    }
    fn line(text: &str) -> Text {
        Text { text: text.into(), whole: true }
    }
    /// A shell that shows its prompt, and a line that is typed there.
    fn typed(line: &str) -> Heard {
        let mut heard = Heard::default();
        heard.hear(b"\r\x1b[Kpebble> ");
        heard.typed_line(line);
        heard
    }
    #[test]
    fn an_echo_may_begin_in_the_midst_of_what_another_says() {
        let mut heard = Heard::default();
        heard.hear(b"interrupt 1");
        heard.typed_line("kill it");
        heard.hear(b"kill it\npebble> \nterminated\n");
        assert_eq!(heard.reads(&Text { text: "terminated".into(), whole: false }), Ok(true));
    }
    #[test]
    fn ones_own_echo_does_not_count() {
        let mut heard = typed("true xyzzy");
        heard.hear(b"true xyz");
        heard.hear(b"zy\r\n\r\x1b[Kpebble> ");
        assert_eq!(heard.reads(&text("xyzzy")), Ok(false));
        heard.hear(b"xyzzy: no such command\r\n");
        assert_eq!(heard.reads(&text("xyzzy")), Ok(true));
    }
    #[test]
    fn what_comes_before_ones_own_line_is_no_answer_to_it() {
        let mut heard = typed("domains");
        heard.hear(b"console\r\n\r\x1b[Kpebble> domains\r\n");
        assert_eq!(heard.reads(&text("console")), Ok(false));
    }
    #[test]
    fn the_echo_of_a_line_is_not_the_end_of_another() {
        let mut heard = typed("a");
        heard.hear(b"schema\r\na\r\n");
        assert_eq!((heard.reads(&text("a")), heard.answer()), (Ok(false), Some(String::new())));
    }
    #[test]
    fn a_wrong_order_is_not_what_is_waited_for() {
        let mut heard = typed("help");
        heard.hear(b"help\r\none\r\ntwo\r\n");
        assert_eq!((heard.reads(&text("two")), heard.reads(&text("one"))), (Ok(true), Ok(false)));
    }
    #[test]
    fn what_was_read_is_read_once() {
        let mut heard = typed("help");
        heard.hear(b"help\r\none\r\n");
        assert_eq!((heard.reads(&text("one")), heard.reads(&text("one"))), (Ok(true), Ok(false)));
    }
    #[test]
    fn keys_that_are_shown_late_do_not_count() {
        let mut heard = Heard::default();
        heard.typed_keys(b"hello");
        heard.typed_keys(b"\r");
        assert_eq!(heard.reads(&text("hello")), Ok(false));
        heard.hear(b"line 1\r\nhello\r\n");
        assert_eq!((heard.reads(&text("hello")), heard.reads(&text("line 1"))), (Ok(false), Ok(true)));
        heard.hear(b"read: hello\r\n");
        assert_eq!(heard.reads(&text("hello")), Ok(true));
    }
    #[test]
    fn a_line_that_is_drawn_anew_is_still_what_was_typed() {
        let mut heard = Heard::default();
        heard.hear(b"\r\x1b[Kpebble> ");
        heard.typed_keys(b"echo xyzzy\x01");
        heard.hear(b"echo xyzzy");
        assert_eq!(heard.reads(&text("xyzzy")), Ok(false));
        heard.hear(b"\r\x1b[Jpebble> echo xyzzy\r\x1b[8C");
        assert_eq!(heard.reads(&text("xyzzy")), Ok(false));
        heard.typed_keys(b"\r");
        heard.hear(b"\r\x1b[Jpebble> echo xyzzy\r\n");
        assert_eq!(heard.reads(&text("xyzzy")), Ok(false));
        heard.hear(b"xyzzy\r\n");
        assert_eq!(heard.reads(&text("xyzzy")), Ok(true));
    }
    #[test]
    fn a_line_wider_than_the_terminal_is_passed_over() {
        let wide = "x".repeat(76);
        let mut heard = typed(&wide);
        heard.hear(&[b'x'; 71]);
        heard.hear(format!("\r\x1b[Jpebble> {}\r\nxxxx\r\nthere\r\n", "x".repeat(72)).as_bytes());
        assert_eq!((heard.reads(&text("x")), heard.reads(&text("there"))), (Ok(false), Ok(true)));
    }
    #[test]
    fn what_is_taken_back_was_not_said() {
        let mut heard = Heard::default();
        heard.hear(b"hallx\x08 \x08o\r\n");
        assert_eq!(heard.reads(&line("hallo")), Ok(true));
    }
    #[test]
    fn a_whole_line_is_no_part_of_one() {
        let mut heard = Heard::default();
        heard.hear(b"\r\x1b[Kpebble> echo right\r\nright");
        assert_eq!(heard.reads(&line("right")), Ok(false));
        heard.hear(b"\r\n");
        assert_eq!(heard.reads(&line("right")), Ok(true));
    }
    #[test]
    fn a_line_that_a_prompt_begins_anew_stays() {
        let mut heard = Heard::default();
        heard.hear(b"no end\r\x1b[Kpebble> ");
        assert_eq!((heard.reads(&text("no end")), heard.reads(&text("pebble> "))), (Ok(true), Ok(true)));
    }
    #[test]
    fn several_are_read_in_whatever_order_they_come() {
        for said in [&b"hallo\r\nopen\r\n"[..], b"open\r\nhallo\r\n"] {
            let mut heard = Heard::default();
            heard.hear(said);
            let both = [text("hallo"), text("open")];
            assert_eq!((heard.reads_all(&both), heard.reads(&text("hallo"))), (Ok(true), Ok(false)));
        }
    }
    #[test]
    fn several_are_read_when_all_have_come() {
        let mut heard = Heard::default();
        heard.hear(b"open\r\n");
        assert_eq!(heard.reads_all(&[text("hallo"), text("open")]), Ok(false));
        assert_eq!(heard.reads(&text("open")), Ok(true));
    }
    #[test]
    fn what_is_forbidden_and_comes_late_is_seen() {
        let mut heard = typed("false && echo never");
        heard.hear(b"false && echo never\r\n");
        heard.forbid("never");
        assert_eq!(heard.reads(&text("pebble> ")), Ok(false));
        heard.hear(b"never\r\n\r\x1b[Kpebble> ");
        assert_eq!(heard.reads(&text("pebble> ")), Err("\"never\" came".into()));
    }
    #[test]
    fn what_is_forbidden_is_so_until_something_is_read() {
        let mut heard = typed("help");
        heard.hear(b"help\r\none\r\ntwo\r\n");
        heard.forbid("two");
        assert_eq!((heard.reads(&text("one")), heard.reads(&text("two"))), (Ok(true), Ok(true)));
    }
    #[test]
    fn what_is_forbidden_is_seen_where_nothing_is_waited_for() {
        let mut heard = typed("help");
        heard.hear(b"help\r\none\r\n");
        heard.forbid("one");
        assert_eq!((heard.forbids(), heard.is_quiet()), (true, Err("\"one\" came".into())));
    }
    #[test]
    fn cursor_keys_are_not_shown() {
        assert_eq!(shown(b"one\x1b[1;5Ctwo\x0b\x1bfthree"), [&b"one"[..], b"two", b"three"]);
    }
    #[test]
    fn questions_are_counted_whatever_pieces_they_come_in() {
        let mut heard = Heard::default();
        [&b"\x1b7\x1b[99"[..], b"9C\x1b", b"[6n\x1b8"].iter().for_each(|piece| heard.hear(piece));
        assert_eq!((heard.questions, heard.to_string()), (1, String::new()));
    }
}
