//! What of a protocol's frames is somebody's.

use smoltcp::wire::IpEndpoint;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Tcp,
    Udp,
}
/// What of a protocol's frames is somebody's: those to a port, from everywhere, or from one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    pub protocol: Protocol,
    pub port: u16,
    pub remote: Option<IpEndpoint>,
}
