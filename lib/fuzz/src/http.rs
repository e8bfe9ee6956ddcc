//! Requests to the HTTP server, broken and in pieces: whatever comes, it answers whole responses or ends, keeps no more than its limits
//! say, and is over in time.

use crate::Random;
use abi::Error;
use http_logic::connection::{Files, Found, Stream};
use http_logic::{Connection, Step};

type Result<T> = core::result::Result<T, Error>;

/// What clients send; a case is made of some of them.
const CORPUS: &[&str] = &[
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "HEAD /long.txt HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
    "GET /long.txt HTTP/1.1\r\nHost: a\r\nRange: bytes=10-20\r\n\r\n",
    "GET /long.txt HTTP/1.1\r\nHost: a\r\nRange: bytes=-5,7-,0-1\r\nIf-Range: \"1-7\"\r\n\r\n",
    "GET /long.txt HTTP/1.1\r\nHost: a\r\nIf-None-Match: *, W/\"x\", \"1-7-4e20\"\r\n\r\n",
    "GET http://a/long.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "POST /long.txt HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n0123456789",
    "PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "GET /%6cong.txt?a=b#c HTTP/1.0\r\n\r\n",
    "GET /../%2e%2e/etc/passwd%00 HTTP/1.1\r\nHost: a\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: [::1]:80\r\nUpgrade: h2c\r\n\r\n",
    "GET /folder?a=b HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /folder/a%20b/caf\u{e9}%C3%A9/100% HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /dead HTTP/1.1\r\nhost:a\r\nX: \t y \r\n\r\n\r\n",
];
const LONG: usize = 20_000;

struct Peer<'a> {
    random: &'a mut Random,
    sends: Vec<u8>,
    at: usize,
    ends: bool,
    taken: usize,
}
impl Stream for Peer<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let left = self.sends.len() - self.at;
        if left == 0 {
            return if self.ends { self.random.one_of(&[Ok(0), Err(Error::ECONNRESET)]) } else { Err(Error::EAGAIN) };
        }
        let count = left.min(buffer.len()).min(1 + self.random.below(700));
        if self.random.once_in(3) || count == 0 {
            return Err(Error::EAGAIN);
        }
        buffer[..count].copy_from_slice(&self.sends[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self.random.below(40) {
            0 => Err(Error::EPIPE),
            1..10 => Err(Error::EAGAIN),
            _ => {
                let count = bytes.len().min(1 + self.random.below(3000));
                self.taken += count;
                Ok(count)
            }
        }
    }
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
struct Disk;
impl Files for Disk {
    type File = usize;
    const MEMORY: usize = 0;
    fn open(&mut self, path: &str) -> Result<Found<usize>> {
        assert!(!path.split('/').any(|part| part == ".."), "{path} leads out");
        match path {
            "" | "/folder" => Ok(Found { file: 5, path: "index.html".into(), bytes: 5, version: 7, is_index: true }),
            "/long.txt" => Ok(Found { file: LONG, path: path.into(), bytes: LONG as u64, version: 7, is_index: false }),
            "/dead" => Err(Error::EDEAD),
            _ => Err(Error::ENOENT),
        }
    }
    fn read(&mut self, bytes: &usize, at: u64, buffer: &mut [u8]) -> Result<usize> {
        let left = bytes.checked_sub(at as usize).expect("reads what is in the file");
        let count = left.min(buffer.len()).min(1500);
        buffer[..count].fill(1);
        Ok(count)
    }
    fn boot(&self) -> u64 {
        1
    }
}
pub fn requests(random: &mut Random) {
    let mut sends = Vec::new();
    for _ in 0..1 + random.below(5) {
        let mut request = random.one_of(CORPUS).as_bytes().to_vec();
        for _ in 0..random.below(4) {
            if random.once_in(4) {
                let other = random.one_of(CORPUS).as_bytes();
                let (from, to) = (random.below(other.len()), random.below(request.len().max(1)));
                request.splice(to.min(request.len()).., other[from..].iter().copied());
            }
            random.break_bytes(&mut request);
        }
        sends.extend(request);
    }
    if random.once_in(20) {
        let count = random.below(100_000);
        let byte = random.one_of(b"a\r\n: %/0");
        sends.extend(std::iter::repeat_n(byte, count));
    }
    let ends = random.once_in(2);
    let answers = sends.len() / 16 + 1;
    let mut peer = Peer { random, sends, at: 0, ends, taken: 0 };
    let mut time = 1_000_000;
    let mut connection = Connection::new(time);
    // Each step reads, writes or waits, which takes time; with no progress it ends in time.
    for _ in 0..200_000 {
        if connection.go_on(&mut peer, &mut Disk, time) == Step::End {
            assert!(peer.taken <= answers * (LONG + 1000), "{} bytes of answers", peer.taken);
            return;
        }
        assert!(
            connection.deadline() <= time + 60_000_000,
            "it may wait for {} s",
            (connection.deadline() - time) / 1_000_000
        );
        // A client that says no more is not waited for longer than to then.
        let silent = peer.at == peer.sends.len();
        time = if silent && peer.random.once_in(8) { connection.deadline().max(time) } else { time + 200 };
    }
    panic!("the connection goes on for ever");
}
