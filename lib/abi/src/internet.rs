//! What the internet component and its clients agree on.
//!
//! A socket is four consecutive portals, as a file is ([`crate::file`]): to read, to write, to seek (always `ESPIPE`), to control.

numbers! {
    /// Values of `internet.socket`'s argument.
    pub mod kind as SOCKETS {
        pub const TCP: usize = 1;
        pub const UDP: usize = 2;
    }
}
/// [`crate::file::Status::kind`] of a socket.
pub const SOCKET: u64 = 4;

numbers! {
    /// Operations of a socket's control portal beside those of files: `(operation, window)`.
    pub mod operation as SOCKET {
        /// Reads an `Address`: the socket's own from now on. Its address is not looked at, a port 0 is any.
        pub const BIND: usize = 16;
        /// Reads an `Address`: TCP connects to it, and waits unless told not to; of UDP it is the one that `write` sends to.
        pub const CONNECT: usize = 17;
        /// Reads a word: how many connections may wait to be accepted.
        pub const LISTEN: usize = 18;
        /// Waits for a connection, writes the other side's `Address`; the first of the new socket's portals.
        pub const ACCEPT: usize = 19;
        /// Nothing more will be written: the other side sees the end.
        pub const SHUTDOWN: usize = 20;
        /// Writes the `Address` of this side.
        pub const LOCAL: usize = 21;
        /// Writes the `Address` of the other side.
        pub const REMOTE: usize = 22;
        /// Reads a word: whether calls wait (0) or answer `EAGAIN` (1), or what of the two they do (2); which, from now on.
        pub const NONBLOCKING: usize = 23;
        /// Reads a [`super::Datagram`], and behind it as many bytes as it says in the same page, and sends them; where its address has no
        /// family, to the one that was connected to.
        pub const SEND: usize = 24;
        /// Writes a datagram in the same form; reads how many bytes there is room for.
        pub const RECEIVE: usize = 25;
        /// What has become of it that nobody was told yet, as an error's number; 0: nothing. Takes nothing off it but that.
        pub const ERROR: usize = 26;
    }
}

numbers! {
    /// Values of [`Address::family`].
    pub mod family as FAMILY {
        pub const NONE: u16 = 0;
        pub const IPV4: u16 = 4;
        pub const IPV6: u16 = 6;
    }
}
shared! {
    /// Where a socket is. Of IPv4 the first four bytes count. Must not cross a page boundary (so: is aligned to its size).
    #[repr(C, align(32))]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Address as address {
        pub bytes: [u8; 16],
        pub family: u16,
        pub port: u16,
        pub unused: [u32; 3],
    }
}
shared! {
    /// What precedes the bytes of a datagram.
    #[repr(C, align(64))]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Datagram as datagram {
        /// Of the other side.
        pub address: Address,
        pub bytes: u64,
        pub unused: [u64; 3],
    }
}

numbers! {
    /// What can be waited for.
    pub mod event as READY {
        /// Reading or accepting would not wait.
        pub const READ: u32 = 1;
        /// Writing would not wait, or the connection is made.
        pub const WRITE: u32 = 2;
        /// The connection is no more. Always waited for.
        pub const CLOSED: u32 = 4;
        /// There is no such socket, or it is not the caller's. Always waited for.
        pub const INVALID: u32 = 8;
    }
}
shared! {
    /// One socket of `internet.poll`'s list.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Interest as interest {
        /// The socket, by its `node` of [`crate::file::Status`].
        pub node: u64,
        /// Bits of [`event`].
        pub wanted: u32,
        /// Bits of [`event`], written by `internet.poll`.
        pub ready: u32,
    }
}

shared! {
    /// Addresses of a machine's name: written by `internet.resolve`. As many of them as it says are there, those of IPv4 first.
    #[repr(C, align(512))]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Found as found {
        pub addresses: [Address; 8],
        pub count: u64,
        pub unused: [u64; 31],
    }
}
shared! {
    /// How the machine is connected: written by `internet.status`.
    #[repr(C, align(128))]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Configuration as configuration {
        /// The card's.
        pub card: [u8; 8],
        /// The first IPv4 address, and bits of its network; 0: there is none yet.
        pub address: [u8; 4],
        pub prefix: u32,
        pub gateway: [u8; 4],
        pub name_server: [u8; 4],
        /// Sockets that there are, and frames that came in and went out.
        pub sockets: u64,
        pub received: u64,
        pub sent: u64,
    }
}

/// Whose a connection is, where hosts share what there is: an address of IPv4, or the network that one of IPv6 is in, for a host has as many of these as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host(u128);
impl From<core::net::IpAddr> for Host {
    fn from(address: core::net::IpAddr) -> Host {
        match address.to_canonical() {
            core::net::IpAddr::V4(address) => Host(u32::from(address).into()),
            core::net::IpAddr::V6(address) => Host(u128::from(address) >> 64 << 64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::net::IpAddr;

    #[test]
    fn a_network_of_version_6_is_one_host() {
        let of = |text: &str| Host::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("::1"), of("0.0.0.1"), "no address of version 6 is one of version 4 but where it says so");
    }
}
