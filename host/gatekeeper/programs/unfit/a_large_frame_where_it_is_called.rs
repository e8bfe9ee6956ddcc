#![no_std]
use packets::{Header, Verdict};
/// What it is generic in only its call says: so it is compiled there.
pub fn arrived<R: From<Verdict>>(header: &Header, bytes: &[u8]) -> R {
    let mut table = [0u32; 8192];
    for byte in bytes {
        table[*byte as usize * 16 + header.port as usize] += 1;
    }
    let most = table.iter().max().copied().unwrap_or_default();
    R::from(if core::hint::black_box(table)[most as usize % 8192] > 3 { Verdict::Drop } else { Verdict::Pass })
}
