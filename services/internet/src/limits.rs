//! How much of what all clients share each account may have: a component, with all its children.

/// Sockets of all clients together, connections included that wait to be accepted.
pub const SOCKETS: usize = 640;
/// Sockets of one account.
pub const SOCKETS_OF_ONE: usize = 128;
/// Connections from outside that wait for all listeners together: they are nobody's account yet. With those that are closing, which are
/// nobody's any more, they are half of the sockets: the other half is for who has an account.
pub const OUTSIDE: usize = SOCKETS / 2 - CLOSING;
/// Most connections of a listener that wait to be accepted.
pub const BACKLOG: usize = OUTSIDE;
/// Of these, those that each listener may have however many wait for others.
pub const OUTSIDE_FOR_EACH: usize = 4;
/// Listeners of one account.
pub const LISTENERS_OF_ONE: usize = 4;
/// Connections that have ended for their client, and still have something to send or to wait for.
pub const CLOSING: usize = 128;
/// Threads that wait, and those of one account: each has a stack here.
pub const WAITERS: usize = 56;
pub const WAITERS_OF_ONE: usize = 16;
/// Sockets that one of them waits for: as many as an account has.
pub const INTERESTS: usize = SOCKETS_OF_ONE;
/// Bytes that a connection takes before its client does, and from it. Memory is taken when they come.
pub const RECEIVE_BUFFER: usize = 8 * 1024;
pub const SEND_BUFFER: usize = 32 * 1024;
/// Datagrams that wait for their client, and bytes of all of them.
pub const DATAGRAMS: usize = 32;
pub const DATAGRAM_BUFFER: usize = 16 * 1024;
/// Questions to the name server that wait for an answer.
pub const QUESTIONS: usize = 32;
/// Seconds without an answer after which a connection that sends is given up, as long as Linux tries (`tcp_retries2`); one that has nothing to say is not. Seconds in
/// which one must be made; those after the last progress in which one whose client has gone is given up: who pauses for a minute, and loses the word that he goes on, is asked again
/// a minute later.
pub const PATIENCE: u64 = 924;
pub const PATIENCE_TO_OPEN: u64 = 10;
pub const PATIENCE_TO_END: u64 = 240;
/// Seconds without a word after which the other side is asked whether it is still there, again and again, and those after which it is not.
pub const SILENCE: u64 = 75;
pub const PATIENCE_WITH_SILENCE: u64 = 5 * SILENCE;
/// Seconds after which a connection whose client has gone is given up whatever progress there is: so long it takes at a rate of 55 bytes a second, all that may
/// be unsent.
pub const LONGEST_END: u64 = 600;
/// Bytes that are thrown away of what comes when a client has gone, at most.
pub const UNREAD: usize = 256 * 1024;
/// The same as [`PATIENCE_TO_END`] where all has arrived and the other side has sent what nobody reads.
pub const PATIENCE_WITH_UNREAD: u64 = 5;
