//! Takes the source of `smoltcp` from where cargo keeps it and applies `smoltcp.patch`; `src/lib.rs` includes the result. Its own build script would make a
//! file of sizes by features; here are the sizes that this project has.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

const SIZES: [(&str, usize); 16] = [
    ("ASSEMBLER_MAX_SEGMENT_COUNT", 32),
    ("DNS_MAX_NAME_SIZE", 255),
    ("DNS_MAX_RESULT_COUNT", 8),
    ("DNS_MAX_SERVER_COUNT", 3),
    ("FRAGMENTATION_BUFFER_SIZE", 1500),
    ("IFACE_MAX_ADDR_COUNT", 8),
    ("IFACE_MAX_MULTICAST_GROUP_COUNT", 4),
    ("IFACE_MAX_PREFIX_COUNT", 1),
    ("IFACE_MAX_ROUTE_COUNT", 2),
    ("IFACE_MAX_SIXLOWPAN_ADDRESS_CONTEXT_COUNT", 4),
    ("IFACE_NEIGHBOR_CACHE_COUNT", 32),
    ("IPV6_HBH_MAX_OPTIONS", 4),
    ("REASSEMBLY_BUFFER_COUNT", 1),
    ("REASSEMBLY_BUFFER_SIZE", 1500),
    ("RPL_PARENTS_BUFFER_COUNT", 8),
    ("RPL_RELATIONS_BUFFER_COUNT", 16),
];

fn main() {
    patched::include("smoltcp-0.14.0", "smoltcp.patch", "smoltcp");
    let mut sizes = String::new();
    for (name, size) in SIZES {
        writeln!(sizes, "pub const {name}: usize = {size};").expect("a string");
    }
    fs::write(PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("config.rs"), sizes).expect("a file");
}
