//! What one client may take: so much memory, and so much time.

/// Bytes of a request's head, pipelined requests behind it included.
pub const HEAD: usize = 8 * 1024;
/// Lines of a request's head.
pub const HEADERS: usize = 48;
/// Bytes of a request's body, which nobody reads: a longer one ends the connection.
pub const BODY: u64 = 64 * 1024;
/// Microseconds from a request's first byte to the end of its head; those between two requests; those without any progress.
pub const HEAD_TIME: u64 = 10_000_000;
pub const IDLE_TIME: u64 = 15_000_000;
pub const STUCK_TIME: u64 = 20_000_000;
/// Bytes that are taken behind a refusal, and microseconds for which they are waited for.
pub const REST: usize = 256 * 1024;
pub const REST_TIME: u64 = 2_000_000;
/// Microseconds without any progress of what is still to be sent of a connection that is over.
pub const END_TIME: u64 = STUCK_TIME;
/// Bytes that are taken from a client and sent to it until the others have their turn: one has another as well when a request of its is answered.
pub const TURN: usize = 32 * 1024;
/// Connections that are served at a time; others wait to be accepted.
pub const CONNECTIONS: usize = 30;
/// Connections that may wait.
pub const BACKLOG: usize = 192;
