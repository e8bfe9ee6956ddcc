#![no_std]
extern crate alloc;
use packets::{Connection, Header, Verdict};

const TABLE: [(&str, u16); 3] = [("telnet", 23), ("smb", 445), ("rdp", 3389)];

pub fn arrived(header: &Header, bytes: &[u8]) -> Verdict {
    let mut seen = alloc::vec::Vec::new();
    for (name, port) in TABLE {
        if header.port == port {
            packets::count(port.into(), 1);
            seen.push(name.len());
        }
    }
    if seen.is_empty() || bytes.len() < 4 { Verdict::Pass } else { Verdict::Drop }
}
pub fn closed(connection: Connection, header: &mut Header) {
    header.port = 0;
    if !packets::reset(connection) {
        let wide = (header.source[0] as u128) << 70;
        packets::count(((wide / 3) >> 60) as u32 / header.source[1] as u32, 1);
    }
}
