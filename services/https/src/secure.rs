//! One connection, encrypted: what has come and is no whole record yet, what was in those that were, and what is on its way.

use abi::Error;
use alloc::sync::Arc;
use alloc::vec::Vec;
use http_logic::connection::Stream;
use rustls::ServerConfig;
use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, EncryptError};

type Result<T> = core::result::Result<T, Error>;

/// Bytes of the longest record (RFC 5246, section 6.2.3), or of the handshake's messages that have not all come.
const RECORD: usize = 5 + (1 << 14) + 2048;
/// Bytes that are taken from the connection at a time, and encrypted into one record.
const PIECE: usize = 4096;
/// Pieces that are taken before others have their turn: who sends records without anything in them would keep them waiting.
const PIECES: usize = 8;

pub struct Secure<S> {
    stream: S,
    tls: UnbufferedServerConnection,
    /// What has come, from the first byte of a record on.
    incoming: Vec<u8>,
    /// What was in records, of which so many bytes were taken.
    plain: Vec<u8>,
    taken: usize,
    /// Records, of which so many bytes were sent.
    outgoing: Vec<u8>,
    sent: usize,
    /// The client has said that it sends no more, or its connection has.
    ended: bool,
    /// It was told so.
    told: bool,
}

/// What is to be done where records are complete.
enum Then<'a> {
    Nothing,
    Encrypt(&'a [u8]),
    Close,
}

impl<S: Stream> Secure<S> {
    /// Bytes that one takes: both directions' records, and what the handshake has while it lasts.
    pub const MEMORY: usize = 96 << 10;
    /// `EIO`: there can be no connection with this configuration.
    pub fn new(stream: S, configuration: &Arc<ServerConfig>) -> Result<Secure<S>> {
        let tls = UnbufferedServerConnection::new(configuration.clone()).map_err(|_| Error::EIO)?;
        let (incoming, plain, outgoing) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Secure { stream, tls, incoming, plain, taken: 0, outgoing, sent: 0, ended: false, told: false })
    }
    /// Takes all complete records that have come, and does what is to be done then; whether it was possible: not before the handshake is
    /// over. `EIO`: the client does not keep to the protocol, and it is on its way to it why.
    fn go_on(&mut self, then: Then) -> Result<bool> {
        match self.step(&then) {
            Err(Error::EIO) => {
                self.ended = true;
                // The alert says it.
                self.told = true;
                let _ = self.last_words().and_then(|()| self.flush());
                Err(Error::EIO)
            }
            done => done,
        }
    }
    fn step(&mut self, then: &Then) -> Result<bool> {
        loop {
            let status = self.tls.process_tls_records(&mut self.incoming);
            let mut discard = status.discard;
            let mut done = None;
            let state = status.state.map_err(|_| Error::EIO);
            let failed = state.as_ref().err().copied();
            match state {
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(record) = traffic.next_record() {
                        let record = record.map_err(|_| Error::EIO)?;
                        discard += record.discard;
                        self.plain.reserve_exact(record.payload.len());
                        self.plain.extend_from_slice(record.payload);
                    }
                }
                Ok(ConnectionState::EncodeTlsData(data)) => encoded_data(&mut self.outgoing, data)?,
                // It is in `outgoing`, from which it is sent in order.
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::BlockedHandshake) => done = Some(false),
                Ok(ConnectionState::WriteTraffic(mut traffic)) => {
                    let with = |error| match error {
                        EncryptError::InsufficientSize(need) => Some(need.required_size),
                        _ => None,
                    };
                    match then {
                        Then::Nothing => {}
                        Then::Encrypt(bytes) => {
                            encoded(&mut self.outgoing, |room| traffic.encrypt(bytes, room).map_err(with))?
                        }
                        Then::Close => {
                            encoded(&mut self.outgoing, |room| traffic.queue_close_notify(room).map_err(with))?
                        }
                    }
                    done = Some(true);
                }
                Ok(ConnectionState::PeerClosed) => self.ended = true,
                Ok(ConnectionState::Closed) => {
                    self.ended = true;
                    done = Some(false);
                }
                Ok(_) | Err(_) => done = Some(false),
            }
            self.incoming.drain(..discard.min(self.incoming.len()));
            match (failed, done) {
                (Some(error), _) => return Err(error),
                (None, Some(done)) => return Ok(done),
                (None, None) => {}
            }
        }
    }
    /// Puts on its way what was to be said when the protocol was broken. What has come is not looked at again: it breaks it still.
    fn last_words(&mut self) -> Result<()> {
        while self.tls.wants_write() {
            let status = self.tls.process_tls_records(&mut self.incoming);
            let discard = status.discard;
            let Ok(ConnectionState::EncodeTlsData(data)) = status.state else { break };
            encoded_data(&mut self.outgoing, data)?;
            self.incoming.drain(..discard.min(self.incoming.len()));
        }
        Ok(())
    }
    /// Takes what has come from the client. `EAGAIN`: nothing has.
    fn receive(&mut self) -> Result<()> {
        let before = self.incoming.len();
        if before >= RECORD {
            return Err(Error::EIO);
        }
        let more = PIECE.min(RECORD - before);
        self.incoming.reserve_exact(more);
        self.incoming.resize(before + more, 0);
        let read = self.stream.read(&mut self.incoming[before..]);
        self.incoming.truncate(before + *read.as_ref().unwrap_or(&0));
        self.ended |= read? == 0;
        Ok(())
    }
    /// Says that nothing more is written.
    fn tell(&mut self) -> Result<()> {
        if !self.told {
            self.told = true;
            self.go_on(Then::Close)?;
        }
        Ok(())
    }
}
/// Puts behind `outgoing` what is made, by `make`, which says how many bytes it needs if they are not there, or that there will never be any.
fn encoded(
    outgoing: &mut Vec<u8>,
    mut make: impl FnMut(&mut [u8]) -> core::result::Result<usize, Option<usize>>,
) -> Result<()> {
    let before = outgoing.len();
    let mut room = 0;
    loop {
        outgoing.reserve_exact(room);
        outgoing.resize(before + room, 0);
        match make(&mut outgoing[before..]) {
            Ok(count) => {
                outgoing.truncate(before + count);
                return Ok(());
            }
            Err(Some(need)) if need > room => room = need,
            Err(_) => {
                outgoing.truncate(before);
                return Err(Error::EIO);
            }
        }
    }
}
fn encoded_data(outgoing: &mut Vec<u8>, mut data: EncodeTlsData<ServerConnectionData>) -> Result<()> {
    encoded(outgoing, |room| match data.encode(room) {
        Ok(count) => Ok(count),
        Err(EncodeError::InsufficientSize(need)) => Err(Some(need.required_size)),
        Err(_) => Err(None),
    })
}

impl<S: Stream> Stream for Secure<S> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        for _ in 0..PIECES {
            self.flush()?;
            if self.taken < self.plain.len() {
                let count = buffer.len().min(self.plain.len() - self.taken);
                buffer[..count].copy_from_slice(&self.plain[self.taken..][..count]);
                self.taken += count;
                return Ok(count);
            }
            self.plain.clear();
            self.taken = 0;
            if self.ended {
                return Ok(0);
            }
            self.receive()?;
            self.go_on(Then::Nothing)?;
        }
        // There may be more, and it will be asked for at once; but the others come first.
        if self.taken < self.plain.len() { self.read(buffer) } else { Err(Error::EAGAIN) }
    }
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if !self.flush()? {
            return Err(Error::EAGAIN);
        }
        if self.told {
            return Err(Error::EPIPE);
        }
        let bytes = &bytes[..bytes.len().min(PIECE)];
        if !self.go_on(Then::Encrypt(bytes))? {
            return Err(Error::EPIPE);
        }
        self.flush()?;
        Ok(bytes.len())
    }
    fn finish(&mut self) -> Result<()> {
        self.tell()?;
        self.flush().map(|_| ())
    }
    fn flush(&mut self) -> Result<bool> {
        while self.sent < self.outgoing.len() {
            match self.stream.write(&self.outgoing[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(Error::EAGAIN) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        self.outgoing.clear();
        self.sent = 0;
        Ok(true)
    }
    fn end(&mut self) -> Result<bool> {
        // A client that did not keep to the protocol has its alert on the way.
        let _ = self.tell();
        self.flush()
    }
}

#[cfg(test)]
#[path = "secure_tests.rs"]
mod tests;
