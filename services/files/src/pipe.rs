//! A pipe: bytes on their way, and who has its two sides.

use abi::Error;

/// Bytes that a pipe holds.
const CAPACITY: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Read,
    Write,
}
pub struct Pipe {
    bytes: [u8; CAPACITY],
    /// Where the first byte is, and how many there are.
    first: usize,
    count: usize,
    /// Whether somebody has the side.
    pub readers: bool,
    pub writers: bool,
    /// Threads that wait for bytes, or for room.
    pub waiting: usize,
}
impl Pipe {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Pipe {
        Pipe { bytes: [0; CAPACITY], first: 0, count: 0, readers: true, writers: true, waiting: 0 }
    }
    /// Bytes that are in it.
    pub fn bytes(&self) -> usize {
        self.count
    }
    /// Fills `to` with what there is; how much. 0 where nobody can write any more; `None`: there is nothing yet.
    pub fn read(&mut self, to: &mut [u8]) -> Option<usize> {
        if self.count == 0 {
            return (!self.writers || to.is_empty()).then_some(0);
        }
        let count = to.len().min(self.count);
        for byte in &mut to[..count] {
            *byte = self.bytes[self.first];
            self.first = (self.first + 1) % CAPACITY;
        }
        self.count -= count;
        Some(count)
    }
    /// Takes as many of `from` as there is room for; how many. `EPIPE`: nobody can read them; `None`: there is no room yet.
    pub fn write(&mut self, from: &[u8]) -> Option<Result<usize, Error>> {
        if !self.readers {
            return Some(Err(Error::EPIPE));
        }
        let count = from.len().min(CAPACITY - self.count);
        if count == 0 && !from.is_empty() {
            return None;
        }
        for (n, &byte) in from[..count].iter().enumerate() {
            self.bytes[(self.first + self.count + n) % CAPACITY] = byte;
        }
        self.count += count;
        Some(Ok(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_in_order_around_the_end() {
        let mut pipe = Pipe::new();
        let (mut sent, mut got) = (0u32, 0u32);
        for step in 0..5000 {
            let data: Vec<u8> = (0..step % 97).map(|n| ((sent + n) % 251) as u8).collect();
            sent += pipe.write(&data).map_or(0, |r| r.unwrap()) as u32;
            let mut to = vec![0; step as usize % 89];
            let count = pipe.read(&mut to).unwrap_or(0);
            for byte in &to[..count] {
                assert_eq!(*byte, (got % 251) as u8);
                got += 1;
            }
        }
        assert!(got > 100_000 && sent - got <= 4096);
    }
    #[test]
    fn an_empty_pipe_ends_when_nobody_writes() {
        let mut pipe = Pipe::new();
        assert_eq!(pipe.read(&mut [0]), None);
        pipe.write(b"x");
        pipe.writers = false;
        assert_eq!((pipe.read(&mut [0]), pipe.read(&mut [0])), (Some(1), Some(0)));
    }
    #[test]
    fn a_write_that_nobody_reads_is_refused() {
        let mut pipe = Pipe::new();
        pipe.readers = false;
        assert_eq!(pipe.write(b"x"), Some(Err(Error::EPIPE)));
    }
    #[test]
    fn a_full_pipe_takes_nothing() {
        let mut pipe = Pipe::new();
        assert_eq!(pipe.write(&[1; 5000]), Some(Ok(4096)));
        assert_eq!(pipe.write(b"x"), None);
    }
}
