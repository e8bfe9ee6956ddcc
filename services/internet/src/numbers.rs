//! Numbers that nobody is to foresee: first sequence numbers of connections (RFC 6528), ports that nobody has asked for (RFC 6056), and what an
//! answer of the name server is known by (RFC 5452).
//!
//! All come from a secret by SipHash (Aumasson and Bernstein, 2012), a function of a key that is made so that its values say nothing about others:
//! who has seen as many as it likes knows no more of the next than before. smoltcp draws its numbers from a generator with 64 bits of state, which
//! three of them tell; what it is to use is therefore handed to it, see [`crate::generator`].

use smoltcp::time::Instant;
use smoltcp::wire::{IpAddress, IpEndpoint};

/// Microseconds for which the clock in sequence numbers stands at one of them (RFC 6528, section 3).
const TICK: i64 = 4;

/// What nobody knows: 32 bytes of the machine's source of such, where there is one.
pub struct Secret(pub [u8; 32]);

/// Two words of a key.
type Key = [u64; 2];

/// Where the numbers come from.
pub struct Numbers {
    /// For sequence numbers.
    connections: Key,
    /// For the others, and how many were drawn.
    draws: Key,
    drawn: u64,
}
impl Numbers {
    pub fn new(secret: &Secret) -> Numbers {
        let word = |n: usize| u64::from_le_bytes(core::array::from_fn(|byte| secret.0[8 * n + byte]));
        Numbers { connections: [word(0), word(1)], draws: [word(2), word(3)], drawn: 0 }
    }
    /// The next number, any of 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.drawn += 1;
        siphash(self.draws, &[self.drawn])
    }
    /// The first sequence number of the connection between these ends, if it begins now: it goes up with the time, so that one between the same
    /// ends as before is not taken for it, and from an unknown place for each pair of ends, so that one's says nothing of another's.
    pub fn sequence(&self, local: IpEndpoint, remote: IpEndpoint, now: Instant) -> u32 {
        let halves = |address: IpAddress| {
            let bits = match address {
                IpAddress::Ipv4(ip) => ip.to_ipv6_mapped().to_bits(),
                IpAddress::Ipv6(ip) => ip.to_bits(),
            };
            [(bits >> 64) as u64, bits as u64]
        };
        let ([a, b], [c, d]) = (halves(local.addr), halves(remote.addr));
        let ports = (local.port as u64) << 16 | remote.port as u64;
        let place = siphash(self.connections, &[a, b, c, d, ports]) as u32;
        place.wrapping_add((now.total_micros() / TICK) as u32)
    }
}

/// SipHash-2-4 of whole words.
fn siphash(key: Key, words: &[u64]) -> u64 {
    const SECRETS: [u64; 4] =
        [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573];
    let mut state: [u64; 4] = core::array::from_fn(|n| SECRETS[n] ^ key[n % 2]);
    // The last word is what is left of the bytes, none, below their number.
    let last = (words.len() as u64 * 8) << 56;
    for word in words.iter().copied().chain([last]) {
        state[3] ^= word;
        (0..2).for_each(|_| round(&mut state));
        state[0] ^= word;
    }
    state[2] ^= 0xff;
    (0..4).for_each(|_| round(&mut state));
    state.into_iter().fold(0, |sum, word| sum ^ word)
}
fn round([a, b, c, d]: &mut [u64; 4]) {
    *a = a.wrapping_add(*b);
    *c = c.wrapping_add(*d);
    *b = b.rotate_left(13) ^ *a;
    *d = d.rotate_left(16) ^ *c;
    *a = a.rotate_left(32);
    *c = c.wrapping_add(*b);
    *a = a.wrapping_add(*d);
    *b = b.rotate_left(17) ^ *c;
    *d = d.rotate_left(21) ^ *a;
    *c = c.rotate_left(32);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(byte: u8) -> Numbers {
        Numbers::new(&Secret(core::array::from_fn(|n| byte.wrapping_add(n as u8))))
    }
    fn end(last: u8, port: u16) -> IpEndpoint {
        IpEndpoint::new(IpAddress::v4(10, 0, 2, last), port)
    }

    #[test]
    fn the_hash_has_the_values_of_its_reference() {
        // vectors.h of the reference implementation: key 00 01 … 0f, of the first bytes of 00 01 02 …
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        let words: [u64; 7] =
            core::array::from_fn(|n| u64::from_le_bytes(core::array::from_fn(|byte| (8 * n + byte) as u8)));
        assert_eq!(siphash(key, &[]).to_le_bytes(), [0x31, 0x0e, 0x0e, 0xdd, 0x47, 0xdb, 0x6f, 0x72]);
        assert_eq!(siphash(key, &words[..1]).to_le_bytes(), [0x62, 0x24, 0x93, 0x9a, 0x79, 0xf5, 0xf5, 0x93]);
        assert_eq!(siphash(key, &words[..2]).to_le_bytes(), [0xdb, 0x9b, 0xc2, 0x57, 0x7f, 0xcc, 0x2a, 0x3f]);
    }
    #[test]
    fn a_connections_numbers_go_up_with_the_time_and_others_say_nothing_of_them() {
        let (own, now) = (numbers(1), Instant::from_micros(1_000_000));
        let first = own.sequence(end(15, 50_000), end(2, 80), now);
        let later = own.sequence(end(15, 50_000), end(2, 80), Instant::from_micros(1_000_040));
        assert_eq!(later.wrapping_sub(first), 10);
        let six = IpEndpoint::new(IpAddress::v6(0, 0, 0, 0, 0, 0xffff, 0x0a00, 3), 80);
        for (local, remote) in [
            (end(16, 50_000), end(2, 80)),
            (end(15, 50_001), end(2, 80)),
            (end(15, 50_000), end(3, 80)),
            (end(15, 50_000), end(2, 81)),
            (end(2, 80), end(15, 50_000)),
            (end(15, 50_000), six),
        ] {
            let difference = own.sequence(local, remote, now).wrapping_sub(first) as i32;
            assert!(difference.unsigned_abs() > 1_000_000, "{local} {remote}: {difference}");
        }
        assert_ne!(numbers(2).sequence(end(15, 50_000), end(2, 80), now), first);
    }
    #[test]
    fn what_is_drawn_is_another_with_each_draw_and_each_secret() {
        let mut drawn: alloc::vec::Vec<u64> = (1..4)
            .flat_map(|n| {
                let mut own = numbers(n);
                core::array::from_fn::<u64, 100, _>(|_| own.draw())
            })
            .collect();
        drawn.sort();
        drawn.dedup();
        assert_eq!(drawn.len(), 300);
    }
}
