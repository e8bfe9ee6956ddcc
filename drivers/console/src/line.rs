//! Received keys: kept as they are for raw readers, edited into lines for the others.

use crate::attention::Attention;
use crate::frames::Stream;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use fallible::TryPush;

/// Most keys that wait for a reader; later ones are lost.
const KEYS: usize = 4096;
/// Longest line that is edited.
const LINE: usize = 1024;
/// Most readers that wait: each holds a stack of the driver's, and of the four that it has (as every server) one is to be
/// left for writers.
const READERS: usize = 3;
/// Takes a character off the screen.
const ERASE: &[u8] = b"\x08 \x08";

/// What is shown for a key that is refused.
const BELL: u8 = 0x07;

/// Adds to what is shown, where there is memory for it.
fn show(echo: &mut Vec<u8>, bytes: &[u8]) {
    if echo.room_for(bytes.len()).is_ok() {
        echo.extend(bytes);
    }
}

#[derive(Default)]
pub struct Input {
    keys: VecDeque<u8>,
    /// The line that is being typed.
    line: Vec<u8>,
    /// Finished lines.
    ready: VecDeque<u8>,
    /// Ctrl-D on an empty line: the next reader gets the end of input.
    ended: bool,
    /// Readers that wait for a key.
    waiting: usize,
    /// Who took keys last took them as they are: all are for it.
    pub raw: bool,
    pub attention: Attention,
    /// 1 while a thread of the driver's own waits for Ctrl-C: it holds none of the stacks.
    own: usize,
    /// Where input comes from a program: nothing else is used then.
    pub stream: Option<Stream>,
}
impl Input {
    pub const fn new() -> Input {
        Input {
            keys: VecDeque::new(),
            line: Vec::new(),
            ready: VecDeque::new(),
            ended: false,
            waiting: 0,
            raw: false,
            attention: Attention::new(),
            own: 0,
            stream: None,
        }
    }
    /// There is a stack for one more who waits.
    fn has_room(&self) -> bool {
        self.waiting + self.attention.waiting() < READERS + self.own
    }
    /// A reader found nothing and is going to wait. False: too many do.
    pub fn wait(&mut self) -> bool {
        let room = self.has_room();
        self.waiting += room as usize;
        room
    }
    /// A reader waits no more, though nobody has woken it.
    pub fn leave(&mut self) {
        // Where it was counted among the woken, somebody else wakes for nothing, and looks again.
        self.waiting = self.waiting.saturating_sub(1);
    }
    /// How many readers are to be woken for new keys; each only once.
    pub fn woken(&mut self) -> usize {
        core::mem::take(&mut self.waiting)
    }
    /// A key arrived, or a byte from a program, which may say that nobody takes an output stream any more: `closed` is told which.
    pub fn key(&mut self, byte: u8, closed: impl FnMut(u8)) {
        if let Some(stream) = &mut self.stream {
            return stream.receive(&[byte], closed);
        }
        let taken = !self.raw && self.attention.key(byte);
        if taken {
            // What was typed ahead was for what ends now, as on any terminal.
            self.keys.clear();
        } else if self.keys.len() < KEYS {
            // Lost where there is no memory for it, as one too many is.
            let _ = self.keys.try_push(byte);
        }
    }
    /// Somebody begins to wait for Ctrl-C. `None`: too many wait for something, or there is no memory.
    pub fn attend(&mut self) -> Option<u32> {
        (self.has_room()).then(|| self.attention.enter())?
    }
    /// The driver's own thread begins to wait for Ctrl-C, behind all others, whenever they come. `None`: there is no memory.
    pub fn attend_self(&mut self) -> Option<u32> {
        let number = self.attention.enter_behind()?;
        self.own = 1;
        Some(number)
    }
    /// Takes the key that it has got.
    pub fn take_own(&mut self, own: u32) -> Option<u8> {
        let key = self.attention.take(own)?;
        self.own = 0;
        Some(key)
    }
    /// Takes what a program sent, in the form of the other `take`s: nothing is shown. `None`: somebody types.
    pub fn take_stream(&mut self, out: &mut [u8]) -> Option<(Vec<u8>, Option<usize>)> {
        self.stream.as_mut().map(|stream| (Vec::new(), stream.take(out)))
    }
    /// Whether who reads now would not wait, as the two `take`s below; and what is to be shown.
    pub fn ready(&mut self, raw: bool) -> (Vec<u8>, bool) {
        if let Some(stream) = &self.stream {
            return (Vec::new(), stream.is_ready());
        }
        if raw {
            self.raw = true;
            return (Vec::new(), !self.keys.is_empty());
        }
        let finished = |input: &Input| input.ended || !input.ready.is_empty();
        let echo = if finished(self) { Vec::new() } else { self.edit() };
        (echo, finished(self))
    }
    /// Takes keys as they came.
    pub fn take_raw(&mut self, out: &mut [u8]) -> usize {
        self.raw = true;
        let count = out.len().min(self.keys.len());
        for (place, key) in out.iter_mut().zip(self.keys.drain(..count)) {
            *place = key;
        }
        count
    }
    /// Edits what was typed into lines, until the input ends. Returns what is to be shown. Only when no finished line is
    /// left, so that what waits stays bounded. A key for which there is no memory is refused as one on a line that is too long.
    pub fn edit(&mut self) -> Vec<u8> {
        self.raw = false;
        let mut echo = Vec::new();
        while !self.ended
            && let Some(key) = self.keys.pop_front()
        {
            match key {
                b'\r' | b'\n' if self.finish() => {
                    self.ready.push_kept(b'\n');
                    show(&mut echo, b"\n");
                }
                0x7f | 0x08 => show(&mut echo, if self.erase() { ERASE } else { b"" }),
                0x15 => {
                    while self.erase() {
                        show(&mut echo, ERASE);
                    }
                }
                0x04 if self.line.is_empty() => self.ended = true,
                0x04 if self.finish() => {}
                b'\r' | b'\n' | 0x04 => show(&mut echo, &[BELL]),
                _ if self.line.len() < LINE && self.line.try_push(key).is_ok() => show(&mut echo, &[key]),
                _ => show(&mut echo, &[BELL]),
            }
        }
        echo
    }
    /// The line is finished, and there is room for one more byte. False: there is no memory for that.
    fn finish(&mut self) -> bool {
        let room = self.ready.room_for(self.line.len() + 1).is_ok();
        if room {
            self.ready.extend(self.line.drain(..));
        }
        room
    }
    /// Takes the last character, all its bytes in UTF-8, off the line; whether there was one.
    fn erase(&mut self) -> bool {
        let any = !self.line.is_empty();
        while self.line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
        any
    }
    /// Takes bytes of finished lines, at most to the end of one. `None`: there is none yet; `Some(0)`: the input ended.
    pub fn take_line(&mut self, out: &mut [u8]) -> Option<usize> {
        if self.ready.is_empty() {
            return core::mem::take(&mut self.ended).then_some(0);
        }
        let mut count = 0;
        while count < out.len()
            && let Some(byte) = self.ready.pop_front()
        {
            out[count] = byte;
            count += 1;
            if byte == b'\n' {
                break;
            }
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn typed(keys: &[u8]) -> (Input, Vec<u8>) {
        let mut input = Input::new();
        keys.iter().for_each(|&k| {
            input.key(k, |_| {});
        });
        let echo = input.edit();
        (input, echo)
    }
    fn line(input: &mut Input) -> Option<Vec<u8>> {
        let mut out = [0; 100];
        input.take_line(&mut out).map(|n| out[..n].to_vec())
    }
    #[test]
    fn a_line_is_ready_when_enter_was_pressed() {
        let (mut input, echo) = typed(b"ab");
        assert_eq!((line(&mut input), echo), (None, b"ab".to_vec()));
        input.key(b'\r', |_| {});
        assert_eq!(input.edit(), b"\n");
        assert_eq!(line(&mut input), Some(b"ab\n".to_vec()));
    }
    #[test]
    fn backspace_and_control_u_erase() {
        let (mut input, _) = typed(b"xy\x15ab\x7fc\n");
        assert_eq!(line(&mut input), Some(b"ac\n".to_vec()));
        let (_, echo) = typed(b"\x7f");
        assert!(echo.is_empty());
    }
    #[test]
    fn control_d_ends_the_input_or_the_line() {
        let (mut input, _) = typed(b"\x04");
        assert_eq!((line(&mut input), line(&mut input)), (Some(vec![]), None));
        let (mut input, _) = typed(b"ab\x04");
        assert_eq!(line(&mut input), Some(b"ab".to_vec()));
    }
    #[test]
    fn what_is_typed_after_the_end_of_input_waits() {
        let (mut input, _) = typed(b"a\n\x04b\n");
        assert_eq!((line(&mut input), line(&mut input)), (Some(b"a\n".to_vec()), Some(vec![])));
        assert_eq!(input.edit(), b"b\n");
        assert_eq!(line(&mut input), Some(b"b\n".to_vec()));
    }
    #[test]
    fn backspace_takes_a_whole_character() {
        let (mut input, echo) = typed("x\u{e9}\x08\n".as_bytes());
        assert_eq!((line(&mut input), echo), (Some(b"x\n".to_vec()), "x\u{e9}\x08 \x08\n".as_bytes().to_vec()));
    }
    #[test]
    fn the_drivers_own_thread_takes_no_readers_place_and_only_what_nobody_else_takes() {
        let mut input = Input::new();
        let own = input.attend_self().unwrap();
        assert!((0..READERS - 1).all(|_| input.wait()));
        let other = input.attend().unwrap();
        assert!(!input.wait());
        input.key(3, |_| {});
        assert_eq!((input.take_own(own), input.attention.take(other)), (None, Some(3)));
        input.key(3, |_| {});
        assert_eq!((input.take_own(own), input.wait(), input.wait()), (Some(3), true, false));
    }
    #[test]
    fn a_line_is_ready_when_it_is_finished_and_a_key_at_once() {
        let mut input = Input::new();
        assert_eq!((input.ready(false), input.ready(true)), ((vec![], false), (vec![], false)));
        input.key(b'a', |_| {});
        assert_eq!(input.ready(true), (vec![], true));
        assert_eq!(input.ready(false), (b"a".to_vec(), false));
        input.key(b'\n', |_| {});
        assert_eq!((input.ready(false), line(&mut input)), ((b"\n".to_vec(), true), Some(b"a\n".to_vec())));
        assert_eq!(input.ready(false), (vec![], false));
        input.key(4, |_| {});
        assert_eq!((input.ready(false), line(&mut input)), ((vec![], true), Some(vec![])));
        assert_eq!(input.ready(false), (vec![], false));
    }
    #[test]
    fn a_stream_is_ready_when_something_has_come_and_when_it_has_ended() {
        let mut stream = Stream::new(abi::console::SERIAL_ROOM);
        stream.prepare(1).unwrap();
        let mut input = Input { stream: Some(stream), ..Input::new() };
        let begin = [[abi::console::ESCAPE, abi::console::BEGIN].as_slice(), &abi::console::digits(1)].concat();
        begin.iter().for_each(|&byte| input.key(byte, |_| {}));
        assert_eq!(input.ready(false), (vec![], false));
        input.key(b'a', |_| {});
        assert_eq!((input.ready(false), input.ready(true)), ((vec![], true), (vec![], true)));
        input.take_stream(&mut [0; 8]);
        assert_eq!(input.ready(false), (vec![], false));
        [abi::console::ESCAPE, abi::console::END].iter().for_each(|&byte| input.key(byte, |_| {}));
        assert_eq!((input.ready(false), input.ready(true)), ((vec![], true), (vec![], true)));
    }
    #[test]
    fn keys_that_nobody_takes_are_bounded() {
        let mut input = Input::new();
        (0..2 * KEYS).for_each(|_| {
            input.key(b'x', |_| {});
        });
        assert_eq!(input.take_raw(&mut [0; 2 * KEYS]), KEYS);
    }
    /// The n-th allocation fails, for every n: what there is no memory for is lost, and all else is as it was typed.
    #[test]
    fn every_allocation_can_fail() {
        for n in 0.. {
            let mut input = Input::new();
            let (own, echo) = fallible::failing::with_only(n, || {
                let own = input.attend();
                b"some\x08keys\nand more\x04rest".iter().for_each(|&key| input.key(key, |_| {}));
                (own, input.edit())
            });
            let mut out = [0; 100];
            let first = input.take_line(&mut out).map(|n| String::from_utf8(out[..n].to_vec()).unwrap());
            if n == 0 {
                assert_eq!((own, first.as_deref(), &echo[..]), (None, None, &[][..]));
            }
            if first.as_deref() == Some("somkeys\n") && !echo.is_empty() && own.is_some() {
                assert!(n > 2, "{n}");
                break;
            }
            // And with memory again, everything works.
            input.edit();
            while input.take_line(&mut out).is_some() {}
            b"\x15again\n".iter().for_each(|&key| input.key(key, |_| {}));
            assert!(!input.edit().is_empty());
            assert_eq!(input.take_line(&mut out).map(|n| &out[..n]), Some(&b"again\n"[..]));
            assert!(n < 30);
        }
    }
    #[test]
    fn each_waiting_reader_is_woken_once() {
        let mut input = Input::new();
        assert!(input.wait() && input.wait());
        assert_eq!((input.woken(), input.woken()), (2, 0));
    }
    #[test]
    fn who_waits_no_more_leaves_its_place_to_another() {
        let mut input = Input::new();
        assert!((0..READERS).all(|_| input.wait()));
        input.leave();
        assert!(input.wait() && !input.wait());
        assert_eq!(input.woken(), READERS);
        input.leave();
        assert_eq!(input.woken(), 0);
    }
    #[test]
    fn a_reader_too_many_is_refused() {
        let mut input = Input::new();
        assert!((0..READERS).all(|_| input.wait()));
        assert!(!input.wait());
        input.woken();
        assert!(input.wait());
    }
    #[test]
    fn lines_come_one_at_a_time() {
        let (mut input, _) = typed(b"a\nb\n");
        assert_eq!((line(&mut input), line(&mut input)), (Some(b"a\n".to_vec()), Some(b"b\n".to_vec())));
    }
    #[test]
    fn a_line_too_long_is_cut_with_a_bell() {
        let (mut input, echo) = typed(&[b'x'; LINE + 1]);
        assert_eq!(echo.last(), Some(&7));
        input.key(b'\n', |_| {});
        input.edit();
        let mut out = [0; 2 * LINE];
        assert_eq!(input.take_line(&mut out), Some(LINE + 1));
    }
    #[test]
    fn who_waits_for_control_c_gets_it_unless_keys_are_taken_raw() {
        let mut input = Input::new();
        input.attend().unwrap();
        input.take_raw(&mut [0; 8]);
        input.key(3, |_| {});
        assert_eq!(input.take_raw(&mut [0; 8]), 1);
        input.raw = false;
        input.key(3, |_| {});
        assert_eq!((input.take_raw(&mut [0; 8]), input.attention.woken()), (0, 1));
    }
    #[test]
    fn without_anybody_control_c_is_a_key() {
        let mut input = Input::new();
        input.key(3, |_| {});
        assert_eq!(input.take_raw(&mut [0; 8]), 1);
    }
    #[test]
    fn who_waits_for_control_c_takes_a_readers_place() {
        let mut input = Input::new();
        assert!((0..READERS - 1).all(|_| input.attend().is_some()) && input.wait() && !input.wait());
        assert!(input.attend().is_none());
    }
    #[test]
    fn raw_keys_are_not_edited() {
        let mut input = Input::new();
        b"a\x7f\r".iter().for_each(|&k| {
            input.key(k, |_| {});
        });
        let mut out = [0; 8];
        assert_eq!((input.take_raw(&mut out), &out[..3]), (3, &b"a\x7f\r"[..]));
    }
}
