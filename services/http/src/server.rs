//! Serving over the internet component: one thread serves all connections; it waits for all of them in one call. Where that component
//! has ended, it goes on with the next one.

use crate::connection::{Files, Stream};
use crate::limits::{BACKLOG, CONNECTIONS, END_TIME};
use crate::places::{Held, Host, Standing, gives_way};
use crate::{Connection, Step};
use alloc::vec::Vec;
use pebble::fallible::TryPush;
use pebble::internet::{Interest, TcpListener, TcpStream, event, poll};
use pebble::time::{TIMEBASE, time};
use pebble::{Error, Result};

/// Microseconds since the machine was started.
fn now() -> u64 {
    time() / (TIMEBASE / 1_000_000)
}
/// Milliseconds after which is looked again, if nothing happens: for the internet component may have ended.
const LOOK: usize = 1000;
/// Microseconds for which nobody is let in where there is no room.
const BREATH: u64 = 20_000;
/// Ticks of `hrtime` until that is tried again.
const AGAIN: u64 = 25_000_000;

/// A client's connection.
struct Client<S, F> {
    stream: S,
    host: Host,
    node: u64,
    connection: Connection<F>,
    wants: u32,
    /// It goes on when the others have had their turn, whatever happens.
    next: bool,
    /// Until when, in microseconds, what is still to be sent of a connection that is over may take.
    over: Option<u64>,
}
/// What connections come through.
pub trait Door {
    type Stream: Stream;
    /// Bytes that a stream may allocate while its connection goes on, those that it has included.
    const MEMORY: usize;
    /// Who came, as the server speaks to them. An error ends the connection.
    fn enter(&mut self, stream: Plain) -> Result<Self::Stream>;
}
/// HTTP without anything around it.
pub struct Open;
impl Door for Open {
    type Stream = Plain;
    const MEMORY: usize = 0;
    fn enter(&mut self, stream: Plain) -> Result<Plain> {
        Ok(stream)
    }
}
/// A TCP connection.
pub struct Plain(TcpStream);
impl Stream for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        self.0.read(buffer)
    }
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes)
    }
    fn finish(&mut self) -> Result<()> {
        self.0.shutdown()
    }
}

/// Serves `files` at `port`, behind `door`, for component `name` for ever; its exit status where it may not.
pub fn run(name: &str, port: u16, door: &mut impl Door, files: &mut impl Files) -> i32 {
    let (mut said, mut last) = (None, None);
    loop {
        let error = match serve(port, door, files) {
            Err(error) => error,
            Ok(never) => match never {},
        };
        // The internet component starts again, or has no card yet; who had the port is being succeeded.
        let passes = matches!(error, Error::EDEAD | Error::EAGAIN | Error::ENOENT | Error::EPORTAL)
            || (error == Error::EADDRINUSE && last != Some(error));
        last = Some(error);
        if error == Error::EACCESS {
            pebble::println!("pebble: {name}: it may not listen on port {port}: {}", error.text());
            return 1;
        }
        if said != Some(error) && !passes {
            pebble::println!("pebble: {name}: port {port}: {}", error.text());
            said = Some(error);
        }
        pebble::time::sleep(AGAIN);
    }
}
/// Serves until the internet component ends, or is not there.
fn serve<D: Door, S: Files>(port: u16, door: &mut D, files: &mut S) -> Result<core::convert::Infallible> {
    let listener = TcpListener::bind(port, BACKLOG)?;
    listener.set_nonblocking(true)?;
    let entrance = listener.node()?;
    let mut clients: Vec<Client<D::Stream, S::File>> = Vec::new();
    let mut interests: Vec<Interest> = Vec::new();
    // What one client more takes is in its own request.
    clients.room_for(CONNECTIONS)?;
    interests.room_for(CONNECTIONS + 1)?;
    // One that was accepted, and has no place yet.
    let mut newcomer: Option<(TcpStream, Host)> = None;
    // No more connections are taken until then.
    let mut closed = 0;
    loop {
        let full = newcomer.is_some() || now() < closed;
        interests.clear();
        let own = clients.iter().map(|client| Interest { node: client.node, wanted: client.wants, ready: 0 });
        let at_entrance = Interest { node: entrance, wanted: if full { 0 } else { event::READ }, ready: 0 };
        own.chain([at_entrance]).for_each(|one| _ = interests.push_kept(one));
        let most = match full {
            _ if clients.iter().any(|client| client.next) => 0,
            true => BREATH as usize / 1000,
            false => LOOK,
        };
        let first = clients.iter().map(Client::deadline).min();
        let milliseconds = first.map_or(most, |at| (at.saturating_sub(now()) / 1000 + 1) as usize).min(most);
        match poll(&mut interests, milliseconds) {
            // The internet component has no memory for the wait: what is ready then is not known.
            Err(Error::ENOMEM) => {
                pebble::time::sleep(AGAIN);
                continue;
            }
            polled => _ = polled?,
        }
        let time = now();
        let mut n = 0;
        clients.retain_mut(|client| {
            let ready = client.next || interests[n].ready != 0 || time >= client.deadline();
            if interests[n].ready & event::WRITE != 0 {
                client.has_taken_some(time);
            }
            n += 1;
            !ready || client.go_on(D::MEMORY, files, time)
        });
        if let Some((_, host)) = newcomer {
            make_place(&mut clients, host, time);
        }
        if newcomer.is_some() || interests.last().is_some_and(|entrance| entrance.ready != 0) {
            // What the others took of the time is not the newcomers'.
            let room = accept(&listener, &mut newcomer, &mut clients, (door, files), now())?;
            closed = if room { 0 } else { now() + BREATH };
        }
    }
}
/// Where all places are taken, one of them is given up for a connection of `host`, if that is due.
fn make_place<S: Stream, F>(clients: &mut Vec<Client<S, F>>, host: Host, time: u64) {
    if clients.len() < CONNECTIONS {
        return;
    }
    let mut held = [Held { host, standing: Standing::Answering, since: 0 }; CONNECTIONS];
    for (one, client) in held.iter_mut().zip(clients.iter()) {
        let (standing, since) = client.standing();
        *one = Held { host: client.host, standing, since };
    }
    if let Some(place) = gives_way(&held, host, time) {
        clients.swap_remove(place);
    }
}
/// Connections that are taken until the others have their turn: one that is over at once takes no place.
const AT_A_TIME: usize = 4;
/// Takes connections that were made, as many as there are places for, and one more, the `newcomer`. False: there is no room for more here or there.
fn accept<D: Door, S: Files>(
    listener: &TcpListener,
    newcomer: &mut Option<(TcpStream, Host)>,
    clients: &mut Vec<Client<D::Stream, S::File>>,
    (door, files): (&mut D, &mut S),
    time: u64,
) -> Result<bool> {
    for _ in 0..AT_A_TIME {
        if newcomer.is_none() {
            *newcomer = match listener.accept() {
                Ok((stream, from)) => Some((stream, from.ip().into())),
                Err(Error::EAGAIN) => return Ok(true),
                // There will be room when one has ended.
                Err(Error::EMFILE | Error::ENFILE | Error::ENOMEM) => return Ok(false),
                Err(error) => return Err(error),
            };
        }
        if clients.len() >= CONNECTIONS {
            return Ok(true);
        }
        let Some((stream, host)) = newcomer.take() else { continue };
        stream.set_nonblocking(true)?;
        let node = stream.node()?;
        let Ok(stream) = entered(S::MEMORY, door, stream) else { continue };
        let mut client = Client {
            stream,
            host,
            node,
            connection: Connection::new(time),
            wants: event::READ,
            next: false,
            over: None,
        };
        if client.go_on(D::MEMORY, files, time) {
            clients.push_kept(client);
        }
    }
    Ok(true)
}
/// Who came, as the server speaks to them, with as much memory as to go on with them, `memory` bytes of it the files'.
fn entered<D: Door>(memory: usize, door: &mut D, stream: TcpStream) -> Result<D::Stream> {
    let _begun = pebble::heap::keep(memory + D::MEMORY)?;
    door.enter(Plain(stream))
}
impl<C: Stream, F> Client<C, F> {
    /// When it is to be looked at though nothing has happened, in microseconds.
    fn deadline(&self) -> u64 {
        self.over.unwrap_or_else(|| self.connection.deadline())
    }
    /// What it waits for, and since when, in microseconds: who is still sent something, before or behind the end, is being answered.
    fn standing(&self) -> (Standing, u64) {
        self.connection.standing(self.over.is_some() || self.wants == event::WRITE)
    }
    /// The other side has taken some of what is on its way: of what is over, too, the time counts from there.
    fn has_taken_some(&mut self, time: u64) {
        self.over = self.over.map(|_| time + END_TIME);
    }
    /// Whether it goes on being one. One for which there is no memory, which its stream may take `memory` bytes of, ends, and leaves what it has to the
    /// others.
    fn go_on<S: Files<File = F>>(&mut self, memory: usize, files: &mut S, time: u64) -> bool {
        let Ok(_begun) = pebble::heap::keep(S::MEMORY + memory) else { return false };
        self.next = false;
        if self.over.is_none() {
            match self.connection.go_on(&mut self.stream, files, time) {
                Step::Read => self.wants = event::READ,
                Step::Write => self.wants = event::WRITE,
                Step::Next => self.next = true,
                Step::End => self.over = Some(time + END_TIME),
            }
        }
        let sent = match self.over {
            None => self.stream.flush(),
            Some(_) => self.stream.end(),
        };
        match (sent, self.over) {
            (Err(_), _) | (Ok(true), Some(_)) => false,
            (Ok(true), None) => true,
            // Who does not take what is here already is not asked for more.
            (Ok(false), over) => {
                self.next = false;
                self.wants = event::WRITE;
                over.is_none_or(|until| time < until)
            }
        }
    }
}
