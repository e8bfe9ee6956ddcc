#![no_std]
pub enum Verdict {
    Pass,
    Drop,
}
pub fn judge(packet: &[u8]) -> Verdict {
    match packet {
        [first, ..] if first >> 4 == 6 => Verdict::Pass,
        _ => Verdict::Drop,
    }
}
