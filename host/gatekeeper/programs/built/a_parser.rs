#![no_std]
use packets::{Header, Verdict};

/// Constants with addresses in them, and a table that a match becomes.
const NAMES: [&str; 4] = ["GET ", "PUT ", "HEAD", "POST"];

fn method(bytes: &[u8]) -> Option<usize> {
    core::hint::black_box(NAMES).iter().position(|name| bytes.starts_with(name.as_bytes()))
}
pub fn arrived(header: &Header, bytes: &[u8]) -> Verdict {
    let weight = match header.port {
        80 => 1,
        81 => 7,
        82 => 3,
        83 => 19,
        84 => 5,
        85 => 23,
        _ => 0,
    };
    let parsed: f64 = core::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()).unwrap_or(0.5);
    match method(bytes) {
        Some(at) if NAMES[at].len() as u64 * weight > parsed as u64 => Verdict::Drop,
        _ => Verdict::Pass,
    }
}
