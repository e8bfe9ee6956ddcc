//! One client: what has come of it, what is on its way to it, and until when it may take for that.

use crate::date::Date;
use crate::limits::*;
use crate::places::Standing;
use crate::range::{Range, parse as parse_range};
use crate::request::{self, Refusal, Request};
use crate::response::{self, Common, Entity, Reply, stay};
use abi::Error;
use alloc::string::String;
use alloc::vec::Vec;

type Result<T> = core::result::Result<T, Error>;

/// The other side. `EAGAIN`: it would have to be waited for.
pub trait Stream {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize>;
    fn write(&mut self, bytes: &[u8]) -> Result<usize>;
    /// Nothing more is written: the other side sees the end, and may still send.
    fn finish(&mut self) -> Result<()>;
    /// Sends what was taken by [`Stream::write`] and is here still; whether nothing is.
    fn flush(&mut self) -> Result<bool> {
        Ok(true)
    }
    /// Nothing more is read or written: says so where the protocol has a word for it, and sends what is here still; whether nothing is.
    fn end(&mut self) -> Result<bool> {
        Ok(true)
    }
}
/// What is served.
pub trait Files {
    type File;
    /// Bytes that it may allocate to go on with one connection, those of the connection included: they are kept for that.
    const MEMORY: usize;
    /// An answer that is no file's, for who has others. `None`: a file is looked for.
    fn reply(&mut self, _: &Request) -> Option<Reply> {
        None
    }
    /// The file at this path. `ENOENT`; of a directory, that of its index.
    fn open(&mut self, path: &str) -> Result<Found<Self::File>>;
    /// Bytes of it from `at` on. 0: it has become shorter.
    fn read(&mut self, file: &Self::File, at: u64, buffer: &mut [u8]) -> Result<usize>;
    /// Tells the entity tags of this server from those of one before it.
    fn boot(&self) -> u64;
    /// The time. `None`: it has no clock.
    fn date(&mut self) -> Option<Date> {
        None
    }
}
/// A file that was found.
pub struct Found<F> {
    pub file: F,
    /// Its own path: of a directory, that of its index.
    pub path: String,
    pub bytes: u64,
    /// The version of its contents.
    pub version: u64,
    /// It is the index of the directory that was asked for.
    pub is_index: bool,
}
/// What is to be done for a connection next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To wait until something comes.
    Read,
    /// To wait until something can be sent.
    Write,
    /// Its turn is over, and it could go on: the others go first.
    Next,
    /// It is over.
    End,
}
/// What a connection may still do before it is the next one's turn.
struct Turn {
    answered: bool,
    /// To be taken from the client or sent to it.
    bytes: usize,
}
impl Turn {
    fn moved(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
/// What is done with what a client sends behind its last request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// It is not waited for.
    Unread,
    /// It is to be taken, once the refusal is sent.
    Awaited,
    /// So many bytes of it are still taken, until that time, in microseconds.
    Taken { bytes: usize, until: u64 },
}
/// A file that is being sent.
struct Body<F> {
    file: F,
    at: u64,
    end: u64,
}
pub struct Connection<F> {
    input: Vec<u8>,
    /// What is to be sent before the body.
    output: Vec<u8>,
    sent: usize,
    body: Option<Body<F>>,
    /// Bytes of a request's body that are still to come.
    skip: u64,
    /// Behind what is being sent the connection ends.
    close: bool,
    /// What comes behind a refusal is read, and not looked at: to end while the client sends would take the answer away from it (RFC 9112,
    /// section 9.6).
    rest: Rest,
    /// It was answered something.
    asked: bool,
    /// The other side sends no more.
    ended: bool,
    /// When the wait for it began, in microseconds, and that for the request that is coming.
    since: u64,
    begun: u64,
}
/// Bytes of a file that are sent at a time: a page, with the head before them.
const PIECE: usize = abi::address::PAGE;

impl<F> Connection<F> {
    pub fn new(now: u64) -> Connection<F> {
        Connection {
            input: Vec::new(),
            output: Vec::new(),
            sent: 0,
            body: None,
            skip: 0,
            close: false,
            rest: Rest::Unread,
            asked: false,
            ended: false,
            since: now,
            begun: now,
        }
    }
    /// The time, in microseconds, at which it is over if nothing happens.
    pub fn deadline(&self) -> u64 {
        if let Rest::Taken { until, .. } = self.rest {
            return until;
        }
        let idle = self.output.is_empty() && self.body.is_none() && self.skip == 0;
        match idle {
            true if self.input.is_empty() => self.since + IDLE_TIME,
            true => self.begun + HEAD_TIME,
            false => self.since + STUCK_TIME,
        }
    }
    /// What it waits for, and since when, in microseconds. `sends`: what it has written is not all on its way, behind it.
    pub fn standing(&self, sends: bool) -> (Standing, u64) {
        let idle = self.output.is_empty() && self.body.is_none() && self.skip == 0 && self.rest == Rest::Unread;
        match idle && !(self.asked && sends) {
            true if self.asked && self.input.is_empty() => (Standing::Idle, self.since),
            true => (Standing::Asking, self.begun),
            false => (Standing::Answering, self.begun),
        }
    }
    /// Goes on as far as that is possible without waiting, and as its turn lets it: one request is answered, and [`TURN`] bytes are moved.
    pub fn go_on(&mut self, stream: &mut impl Stream, files: &mut impl Files<File = F>, now: u64) -> Step {
        let mut turn = Turn { answered: false, bytes: TURN };
        if now >= self.deadline() && !self.came_in_time(stream, now, &mut turn) {
            return self.late(stream, files, now, &mut turn);
        }
        loop {
            match self.send(stream, files, now, &mut turn) {
                Ok(true) => {}
                Ok(false) if turn.bytes == 0 => return Step::Next,
                Ok(false) => return Step::Write,
                Err(_) => return Step::End,
            }
            if self.close {
                return self.linger(stream, now, &mut turn);
            }
            let may_be_asked = self.skip == 0 && !self.input.is_empty();
            if turn.bytes == 0 || may_be_asked && turn.answered {
                return Step::Next;
            }
            if may_be_asked && self.answer(files, now) {
                turn.answered = true;
                continue;
            }
            if self.close || !self.output.is_empty() {
                continue;
            }
            if self.ended {
                return Step::End;
            }
            match self.receive(stream, now, &mut turn) {
                Ok(true) => {}
                Ok(false) => return Step::Read,
                Err(_) => return Step::End,
            }
        }
    }
    /// Its time is over: whether what was waited for has come all the same, and was not looked at while others had their turns. Some bytes of a head that is
    /// not whole with them are none of it.
    fn came_in_time(&mut self, stream: &mut impl Stream, now: u64, turn: &mut Turn) -> bool {
        let waits = self.output.is_empty() && self.body.is_none() && self.skip == 0 && self.rest == Rest::Unread;
        if !waits || self.close || self.ended {
            return false;
        }
        let is_whole = |input: &[u8]| matches!(request::parse(input), Ok(Some(_)));
        let begins = self.input.is_empty();
        is_whole(&self.input) || self.receive(stream, now, turn) == Ok(true) && (begins || is_whole(&self.input))
    }
    /// It has taken too long: is told so, if it has begun to ask and nothing else is on its way to it.
    fn late(&mut self, stream: &mut impl Stream, files: &mut impl Files<File = F>, now: u64, turn: &mut Turn) -> Step {
        if self.output.is_empty() && self.body.is_none() && !self.input.is_empty() && self.rest == Rest::Unread {
            let mut head = Vec::new();
            response::refusal(&mut head, 408, false, None, Common { stay: stay::ENDS, date: files.date() });
            if stream.write(&head).is_ok() {
                self.close = true;
                self.rest = Rest::Awaited;
                return self.linger(stream, now, turn);
            }
        }
        Step::End
    }
    /// All is sent. Where the client was refused, what it goes on sending is taken until it ends too, or has sent or waited too much.
    fn linger(&mut self, stream: &mut impl Stream, now: u64, turn: &mut Turn) -> Step {
        if self.rest == Rest::Awaited {
            if stream.finish().is_err() {
                return Step::End;
            }
            self.rest = Rest::Taken { bytes: REST, until: now + REST_TIME };
            self.input.resize(PIECE, 0);
        }
        loop {
            let Rest::Taken { bytes: left @ 1.., .. } = &mut self.rest else { return Step::End };
            if turn.bytes == 0 {
                return Step::Next;
            }
            match stream.read(&mut self.input) {
                Ok(count @ 1..) => {
                    *left = left.saturating_sub(count);
                    turn.moved(count);
                }
                Err(Error::EAGAIN) => return Step::Read,
                Ok(0) | Err(_) => return Step::End,
            }
        }
    }
    /// Takes what has come; whether anything did, or the end.
    fn receive(&mut self, stream: &mut impl Stream, now: u64, turn: &mut Turn) -> Result<bool> {
        let before = self.input.len();
        // A page at a time, which lies in one where the memory is aligned: the head of most requests.
        let room = if self.skip > 0 { PIECE } else { (HEAD - before).min(PIECE) };
        self.input.resize(before + room, 0);
        let read = stream.read(&mut self.input[before..]);
        self.input.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => self.ended = true,
            Ok(count) => {
                if before == 0 {
                    self.begun = now;
                }
                self.since = now;
                turn.moved(count);
                let skipped = self.skip.min(count as u64);
                self.skip -= skipped;
                self.input.drain(before..before + skipped as usize);
            }
            Err(Error::EAGAIN) => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }
    /// Answers the request that has come, if all of its head has.
    fn answer(&mut self, files: &mut impl Files<File = F>, now: u64) -> bool {
        match request::parse(&self.input) {
            Ok(Some((request, length))) => {
                self.input.drain(..length);
                // What is here of the next one has come in this one's time.
                self.begun = now;
                self.skip = request.body.saturating_sub(self.input.len() as u64);
                let there = (request.body - self.skip) as usize;
                self.input.drain(..there);
                if request.expects && self.skip > 0 {
                    // Nobody wants the body: with the final answer at once, the client need not send it.
                    self.close = true;
                    self.rest = Rest::Awaited;
                    self.skip = 0;
                }
                self.close |= request.close;
                self.asked = true;
                self.find(&request, files);
                true
            }
            Ok(None) if self.input.len() >= HEAD => {
                self.refuse(files, Refusal(431));
                true
            }
            Ok(None) => false,
            Err(refusal) => {
                self.refuse(files, refusal);
                true
            }
        }
    }
    /// What follows is not known to be a request any more.
    fn refuse(&mut self, files: &mut impl Files<File = F>, Refusal(status): Refusal) {
        self.close = true;
        self.rest = Rest::Awaited;
        self.input.clear();
        let common = Common { stay: stay::ENDS, date: files.date() };
        response::refusal(&mut self.output, status, false, None, common);
    }
    fn find(&mut self, request: &Request, files: &mut impl Files<File = F>) {
        let stay = match (self.close, request.old) {
            (true, _) => stay::ENDS,
            (false, true) => stay::STAYS_TOLD,
            (false, false) => stay::STAYS,
        };
        let common = Common { stay, date: files.date() };
        if let Some(reply) = files.reply(request) {
            return response::reply(&mut self.output, &reply, request.head_only, common);
        }
        if request.post {
            // Files are not changed so.
            return self.refuse(files, Refusal(405));
        }
        let head = &mut self.output;
        let found = files.open(&request.path).and_then(|found| match found.is_index || !request.is_folder {
            true => Ok(found),
            false => Err(Error::ENOTDIR),
        });
        let Found { file, path, bytes, version, is_index } = match found {
            Ok(found) => found,
            Err(error) => {
                let status = match error {
                    Error::ENOENT | Error::ENOTDIR | Error::EISDIR | Error::ENAMETOOLONG | Error::EINVAL => 404,
                    _ => 503,
                };
                return response::refusal(head, status, request.head_only, None, common);
            }
        };
        if is_index && !request.is_folder {
            return response::moved(head, &request.path, &request.query, request.head_only, common);
        }
        let entity = Entity { path: &path, bytes, version };
        let tag = entity.tag(files.boot());
        let has_it = request.if_none_match.as_ref().is_some_and(|tags| {
            tags.split(',').map(|one| one.trim().trim_start_matches("W/")).any(|one| one == tag || one == "*")
        });
        if has_it {
            return response::not_modified(head, &tag, common);
        }
        let fresh = request.if_range.as_ref().is_none_or(|wanted| *wanted == tag);
        let range = match &request.range {
            // Only GET has ranges (RFC 9110, section 14.2).
            Some(range) if fresh && !request.head_only => parse_range(range, bytes),
            _ => Range::All,
        };
        let part = match range {
            Range::All => None,
            Range::Part(start, end) => Some((start, end)),
            Range::Unsatisfiable => return response::refusal(head, 416, request.head_only, Some(bytes), common),
        };
        response::file(head, &entity, &tag, part, common);
        let (at, end) = part.unwrap_or((0, bytes));
        if !request.head_only && at < end {
            self.body = Some(Body { file, at, end });
        }
    }
    /// Sends what is to be sent; whether that is all. If not, the turn is over or the client has to take some.
    fn send(
        &mut self,
        stream: &mut impl Stream,
        files: &mut impl Files<File = F>,
        now: u64,
        turn: &mut Turn,
    ) -> Result<bool> {
        loop {
            self.fill(files)?;
            if self.sent == self.output.len() {
                self.output.clear();
                self.sent = 0;
                return Ok(true);
            }
            if turn.bytes == 0 {
                return Ok(false);
            }
            match stream.write(&self.output[self.sent..]) {
                Ok(count) => {
                    self.sent += count;
                    self.since = now;
                    turn.moved(count);
                }
                Err(Error::EAGAIN) => return Ok(false),
                Err(error) => return Err(error),
            }
            if self.sent == self.output.len() {
                self.output.clear();
                self.sent = 0;
            }
        }
    }
    /// Puts the next piece of the body behind what is to be sent, where there is room.
    fn fill(&mut self, files: &mut impl Files<File = F>) -> Result<()> {
        let Some(body) = &mut self.body else { return Ok(()) };
        let before = self.output.len();
        if before >= PIECE {
            return Ok(());
        }
        let count = (PIECE - before).min((body.end - body.at) as usize);
        self.output.resize(before + count, 0);
        let read = files.read(&body.file, body.at, &mut self.output[before..]);
        self.output.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            // It was promised to be longer: only the end of the connection can say so.
            Ok(0) | Err(_) => Err(Error::EIO),
            Ok(count) => {
                body.at += count as u64;
                if body.at == body.end {
                    self.body = None;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
