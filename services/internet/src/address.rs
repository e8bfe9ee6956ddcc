//! Addresses as clients write them, and as the stack does; and the names of what a client may listen on or connect to.

use abi::Error;
use abi::internet::{Address, family};
use core::fmt::Write;
use smoltcp::wire::{IpAddress, IpEndpoint};

/// The endpoint that a client means. `EINVAL`: it is none.
pub fn endpoint(address: &Address) -> Result<IpEndpoint, Error> {
    let [a, b, c, d, ..] = address.bytes;
    let ip = match address.family {
        family::IPV4 => IpAddress::v4(a, b, c, d),
        family::IPV6 => IpAddress::Ipv6(address.bytes.into()),
        _ => return Err(Error::EINVAL),
    };
    if address.port == 0 || ip.is_unspecified() {
        return Err(Error::EINVAL);
    }
    Ok(IpEndpoint::new(ip, address.port))
}
/// The same the other way round.
pub fn told(endpoint: IpEndpoint) -> Address {
    let mut address = Address { port: endpoint.port, ..Address::default() };
    match endpoint.addr {
        IpAddress::Ipv4(ip) => {
            address.family = family::IPV4;
            address.bytes[..4].copy_from_slice(&ip.octets());
        }
        IpAddress::Ipv6(ip) => {
            address.family = family::IPV6;
            address.bytes = ip.octets();
        }
    }
    address
}

/// A name of at most 63 characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Right {
    text: [u8; abi::nucleus::NAMELEN - 1],
    length: usize,
}
impl Write for Right {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let end = self.length + text.len();
        self.text.get_mut(self.length..end).ok_or(core::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
impl Right {
    fn of(text: core::fmt::Arguments) -> Right {
        let mut right = Right { text: [0; abi::nucleus::NAMELEN - 1], length: 0 };
        // The longest has 59 characters.
        let _ = right.write_fmt(text);
        right
    }
    /// To take what comes to a port: `internet.listen.tcp.80`.
    pub fn listen(protocol: &str, port: u16) -> Right {
        Right::of(format_args!("internet.listen.{protocol}.{port}"))
    }
    /// To send to an endpoint: `internet.connect.udp.10.0.2.3:53`; of version 6 all digits, for with colons not every address has room
    /// in a name: `internet.connect.tcp.fec00000000000000000000000000002:80`.
    pub fn connect(protocol: &str, to: IpEndpoint) -> Right {
        match to.addr {
            IpAddress::Ipv4(_) => Right::of(format_args!("internet.connect.{protocol}.{}:{}", to.addr, to.port)),
            IpAddress::Ipv6(addr) => {
                let digits = u128::from(addr);
                Right::of(format_args!("internet.connect.{protocol}.{digits:032x}:{}", to.port))
            }
        }
    }
    pub fn text(&self) -> &str {
        core::str::from_utf8(&self.text[..self.length]).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_go_both_ways() {
        for end in [
            IpEndpoint::new(IpAddress::v4(10, 0, 2, 15), 80),
            IpEndpoint::new(IpAddress::v6(0xfec0, 0, 0, 0, 0, 0, 0, 2), 8080),
        ] {
            assert_eq!(endpoint(&told(end)), Ok(end));
        }
    }
    #[test]
    fn what_is_no_address_is_refused() {
        let good = told(IpEndpoint::new(IpAddress::v4(1, 2, 3, 4), 80));
        for bad in [Address { family: 5, ..good }, Address { port: 0, ..good }, Address { bytes: [0; 16], ..good }] {
            assert_eq!(endpoint(&bad), Err(Error::EINVAL));
        }
    }
    #[test]
    fn rights_are_names() {
        assert_eq!(Right::listen("tcp", 80).text(), "internet.listen.tcp.80");
        let to = IpEndpoint::new(IpAddress::v4(10, 0, 2, 3), 53);
        assert_eq!(Right::connect("udp", to).text(), "internet.connect.udp.10.0.2.3:53");
        let longest =
            IpEndpoint::new(IpAddress::v6(0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777, 0x8888), 65535);
        let text = "internet.connect.tcp.11112222333344445555666677778888:65535";
        assert_eq!(Right::connect("tcp", longest).text(), text);
    }
}
