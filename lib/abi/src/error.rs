//! The errors of every portal, one list for nucleus, Rust and C.
//!
//! A failing call returns the negated number in `a0`. Numbers that POSIX names have their usual values (newlib's),
//! so that the C library can put them in `errno` as they are; Pebble's own start at 201. A rejected specification
//! is `ESPEC + reason * 256 + position`.

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal;)*) => {
        /// Why a call failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Error { $($(#[$doc])* $name = $number,)* }
        impl Error {
            /// A bit for each number.
            const KNOWN: [u64; 4] = {
                let mut known = [0; 4];
                $(known[$number / 64] |= 1 << ($number % 64);)*
                known
            };
            /// The error with this positive number. In few bytes, since each component has it.
            pub fn from_number(number: usize) -> Option<Error> {
                let known = Error::KNOWN.get(number / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1);
                // SAFETY: one of them has this number.
                known.then(|| unsafe { core::mem::transmute::<u16, Error>(number as u16) })
            }
            /// One clause, for a person.
            pub fn text(self) -> &'static str {
                match self { $(Error::$name => $text,)* }
            }
            /// The name as C programs spell it.
            pub fn name(self) -> &'static str {
                match self { $(Error::$name => stringify!($name),)* }
            }
            /// All of them, for tables and tests.
            pub const ALL: &'static [Error] = &[$(Error::$name),*];
        }
    };
}

errors! {
    /// What the file's attributes rule out: it is immutable, or may only be appended to.
    EPERM = 1, "the file's attributes do not allow it";
    /// The name is not known.
    ENOENT = 2, "no such name";
    /// No such thread or domain.
    ESRCH = 3, "no such thread or domain";
    /// The device failed.
    EIO = 5, "input or output failed";
    /// Not open, or not for that.
    EBADF = 9, "bad file descriptor";
    /// Would have to wait.
    EAGAIN = 11, "would have to wait";
    /// No memory is left, or the caller's limit is reached.
    ENOMEM = 12, "out of memory";
    /// An address does not belong to the caller, or does not allow the access.
    EFAULT = 14, "bad address";
    /// In use.
    EBUSY = 16, "in use";
    /// The name is taken.
    EEXIST = 17, "already exists";
    /// A file, where a directory must be.
    ENOTDIR = 20, "not a directory";
    /// A directory, where a file must be.
    EISDIR = 21, "is a directory";
    /// An argument is out of its range.
    EINVAL = 22, "invalid argument";
    /// The portal table, or another fixed table, is full, or a limit of the component is reached.
    ENFILE = 23, "table full";
    /// Of a grant: its caller's table holds as many granted portals as it takes.
    EMFILE = 24, "the caller holds too many granted portals";
    /// The disk is full.
    ENOSPC = 28, "no space on the disk";
    /// It has no positions.
    ESPIPE = 29, "can not seek";
    /// Nobody reads what is written.
    EPIPE = 32, "broken pipe";
    /// Others wait for what the caller has locked, and it would wait for them.
    EDEADLK = 45, "a circle of waits for locks";
    /// No memory is left for another lock, or the caller's limit is reached.
    ENOLCK = 46, "no more locks";
    /// There is something in the directory.
    ENOTEMPTY = 90, "directory not empty";
    /// A file's path has more than 63 characters.
    ENAMETOOLONG = 91, "name too long";
    /// A path leads through more than 40 symbolic links, or in a circle.
    ELOOP = 92, "too many symbolic links";
    /// Not of this kind of socket.
    EOPNOTSUPP = 95, "not supported by the socket";
    /// The other side has ended the connection.
    ECONNRESET = 104, "connection reset";
    /// Nobody listens there, or nobody answers.
    ECONNREFUSED = 111, "connection refused";
    /// Another socket has the port.
    EADDRINUSE = 112, "address in use";
    /// The time ran out.
    ETIMEDOUT = 116, "timed out";
    /// A datagram is longer than one frame carries.
    EMSGSIZE = 122, "message too long";
    /// The socket is connected.
    EISCONN = 127, "already connected";
    /// The socket is not connected.
    ENOTCONN = 128, "not connected";
    /// The component has used up its part of the disk.
    EDQUOT = 132, "the component's part of the disk is used up";
    /// The wait was ended because nobody waits for what it is for: the caller is dead, or its deadline has passed.
    ECANCELED = 140, "canceled";
    /// Who held the lock has ended, or the domain in which it was taken.
    EOWNERDEAD = 142, "the lock's holder has ended";
    /// Not something that the caller's isolation lets it do, or that is there at all.
    ENOTSUP = 134, "not supported";
    /// No portal of this number.
    EPORTAL = 201, "no such portal";
    /// The other domain died during the call, or nobody is left who could end the wait.
    EDEAD = 202, "the other side died";
    /// The callee has no stack queue.
    ENOSTACK = 203, "the callee has no stack";
    /// The manifest does not allow it.
    EACCESS = 204, "not allowed by the manifest";
    /// Too many nested portal calls.
    EDEPTH = 205, "too many nested calls";
    /// Too many open windows.
    EWINDOW = 206, "too many open windows";
}

impl Error {
    /// What the failing call returns in `a0`.
    pub const fn code(self) -> isize {
        -(self as u16 as isize)
    }
    /// The error a call's result stands for, if it is one of the list.
    pub fn from_code(result: isize) -> Option<Error> {
        if (-4095..0).contains(&result) { Error::from_number(result.unsigned_abs()) } else { None }
    }
}

/// Turns a portal's result into a value or an error. An unknown negative number reads as `EINVAL`.
#[inline]
pub fn check(result: isize) -> Result<usize, Error> {
    if (-0xFFFF..0).contains(&result) { Err(known(result)) } else { Ok(result as usize) }
}
/// Once in a program, not at every call.
#[cold]
#[inline(never)]
fn known(result: isize) -> Error {
    Error::from_code(result).unwrap_or(Error::EINVAL)
}

#[cfg(feature = "embedded-io")]
impl embedded_io::Error for Error {
    fn kind(&self) -> embedded_io::ErrorKind {
        use embedded_io::ErrorKind;
        match self {
            Error::ENOENT => ErrorKind::NotFound,
            Error::EACCESS => ErrorKind::PermissionDenied,
            Error::EEXIST => ErrorKind::AlreadyExists,
            Error::EINVAL | Error::EFAULT | Error::ENAMETOOLONG => ErrorKind::InvalidInput,
            Error::ENOMEM => ErrorKind::OutOfMemory,
            Error::EPIPE => ErrorKind::BrokenPipe,
            Error::ESPIPE => ErrorKind::Unsupported,
            Error::ETIMEDOUT => ErrorKind::TimedOut,
            Error::ECANCELED => ErrorKind::Interrupted,
            Error::EDEAD => ErrorKind::ConnectionAborted,
            _ => ErrorKind::Other,
        }
    }
}

/// Base of the codes of a rejected specification.
pub const ESPEC: usize = 0x1000;

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn codes_go_both_ways() {
        for &error in Error::ALL {
            assert_eq!(Error::from_code(error.code()), Some(error));
        }
        assert_eq!(Error::from_code(0), None);
        assert_eq!(Error::from_code(-4000), None);
    }
}
