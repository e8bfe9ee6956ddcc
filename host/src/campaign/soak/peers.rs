//! Who talks to the machine: this kernel's TCP, with the habits of people and of what they carry about.

use super::cable::Gone;
use anyhow::{Context, Result, bail, ensure};
use outage::Random;
use socket2::{Domain, SockRef, Socket, Type};
use std::fmt::{self, Display, Formatter};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long an answer may take, and a call.
const PATIENCE: Duration = Duration::from_secs(120);
/// The ports of those who leave the cable, below those that the kernel gives.
const FIRST_PORT: u16 = 10_000;
const LAST_PORT: u16 = 30_000;
/// How many connections may be open, at a time, whose peers are gone for good: the program has room for 29 in all.
const ABANDONED: usize = 6;
/// For so long they are open (`docs/src/network.md`), and a little longer.
const OPEN: Duration = Duration::from_secs(950);
const PIECE: usize = 32 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// It sends and hears all the time.
    Steady,
    /// It says something after minutes of silence.
    Idle,
    /// It reads a little at a time, with pauses.
    Slow,
    /// It is cut off for minutes, at times in the middle of an answer, and goes on.
    CutOff,
    /// It is gone in the middle of an answer, and calls again from the same port, or never.
    Vanishing,
}
/// What they have done.
#[derive(Default)]
pub struct Counts {
    bytes: AtomicUsize,
    silences: AtomicUsize,
    slow: AtomicUsize,
    cut_off: AtomicUsize,
    vanished: AtomicUsize,
    back: AtomicUsize,
}
impl Counts {
    fn all(&self) -> [usize; 6] {
        let Counts { bytes, silences, slow, cut_off, vanished, back } = self;
        [bytes, silences, slow, cut_off, vanished, back].map(|count| count.load(Relaxed))
    }
    /// Whether there was something of each.
    pub fn complete(&self) -> bool {
        self.all().iter().all(|count| *count > 0)
    }
}
impl Display for Counts {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let [bytes, silences, slow, cut_off, vanished, back] = self.all();
        write!(f, "{bytes} bytes came back; {silences} silences of a minute or more; {slow} slow readers had all; ")?;
        write!(f, "{cut_off} were cut off and went on; {vanished} vanished, {back} called again from the same port")
    }
}
pub struct Peers<'a> {
    server: SocketAddr,
    gone: &'a Gone,
    counts: &'a Counts,
    /// The next port of one who leaves the cable.
    port: AtomicU16,
    /// When the peers that are gone for good have gone.
    abandoned: Mutex<Vec<Instant>>,
    failed: AtomicBool,
    failures: Mutex<Vec<String>>,
}
impl<'a> Peers<'a> {
    pub fn new(server: SocketAddr, gone: &'a Gone, counts: &'a Counts) -> Peers<'a> {
        let (port, failed) = (AtomicU16::new(FIRST_PORT), AtomicBool::new(false));
        Peers { server, gone, counts, port, failed, abandoned: Mutex::default(), failures: Mutex::default() }
    }
    /// A peer of each of these habits, until that time or the first failure.
    pub fn talk(&self, habits: &[Habit], until: Instant, seed: u64) -> Result<()> {
        std::thread::scope(|scope| {
            for (n, habit) in habits.iter().enumerate() {
                scope.spawn(move || {
                    let talk = Talk { peers: self, until };
                    let mut chance = Random(seed ^ (n as u64) << 32);
                    while talk.goes_on() {
                        if let Err(error) = talk.once(*habit, &mut chance) {
                            self.failed.store(true, Relaxed);
                            self.failures.lock().expect(HELD).push(format!("{habit:?}: {error:#}"));
                        }
                    }
                });
            }
        });
        let failures = self.failures.lock().expect(HELD);
        ensure!(failures.is_empty(), "{}", failures.join("\n"));
        Ok(())
    }
    /// Whether one more may go for good.
    fn may_abandon(&self) -> bool {
        let mut abandoned = self.abandoned.lock().expect(HELD);
        abandoned.retain(|at| at.elapsed() < OPEN);
        let may = abandoned.len() < ABANDONED;
        if may {
            abandoned.push(Instant::now());
        }
        may
    }
    fn connect(&self, from: Option<u16>, room: Option<usize>) -> Result<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        if let Some(port) = from {
            socket.set_reuse_address(true)?;
            socket.bind(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)).into())?;
        }
        // Before the other side is told how much it is (tcp(7)).
        room.map_or(Ok(()), |room| socket.set_recv_buffer_size(room))?;
        socket.connect_timeout(&self.server.into(), PATIENCE).context("connect")?;
        let stream = TcpStream::from(socket);
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    }
}
const HELD: &str = "no peer has died with it";

/// What peers do until a time.
struct Talk<'a> {
    peers: &'a Peers<'a>,
    until: Instant,
}
impl Talk<'_> {
    fn goes_on(&self) -> bool {
        Instant::now() < self.until && !self.peers.failed.load(Relaxed)
    }
    /// Waits so long, while they talk; how long it was.
    fn wait(&self, most: Duration) -> Duration {
        let begin = Instant::now();
        while begin.elapsed() < most && self.goes_on() {
            std::thread::sleep(Duration::from_millis(200).min(most.saturating_sub(begin.elapsed())));
        }
        begin.elapsed()
    }
    fn once(&self, habit: Habit, chance: &mut Random) -> Result<()> {
        match habit {
            Habit::Steady => self.steady(chance),
            Habit::Idle => self.idle(chance),
            Habit::Slow => self.slow(chance),
            Habit::CutOff => self.cut_off(chance),
            Habit::Vanishing => self.vanishing(chance),
        }
    }
    /// Sends so many bytes, and hears them.
    fn echo(&self, stream: &mut TcpStream, count: usize, chance: &mut Random) -> Result<()> {
        let said = bytes(count, chance);
        stream.write_all(&said).context("write")?;
        self.hear(stream, &said)
    }
    fn hear(&self, stream: &mut TcpStream, said: &[u8]) -> Result<()> {
        let mut heard = vec![0; said.len()];
        stream.read_exact(&mut heard).with_context(|| format!("read {} bytes", said.len()))?;
        ensure!(heard == said, "{} bytes came back changed", said.len());
        self.peers.counts.bytes.fetch_add(said.len(), Relaxed);
        Ok(())
    }
    fn steady(&self, chance: &mut Random) -> Result<()> {
        let mut stream = self.peers.connect(None, None)?;
        for n in 0..200 {
            if !self.goes_on() {
                break;
            }
            let count = 1 + chance.below(16 << 10);
            self.echo(&mut stream, count, chance).with_context(|| format!("talk {n}"))?;
        }
        end(stream)
    }
    fn idle(&self, chance: &mut Random) -> Result<()> {
        let mut stream = self.peers.connect(None, None)?;
        self.echo(&mut stream, 100, chance)?;
        while self.goes_on() {
            let silence = self.wait(Duration::from_secs(60 + chance.below(340) as u64));
            self.echo(&mut stream, 100, chance).with_context(|| format!("after {} s of silence", silence.as_secs()))?;
            self.peers.counts.silences.fetch_add((silence.as_secs() >= 60) as usize, Relaxed);
        }
        end(stream)
    }
    fn slow(&self, chance: &mut Random) -> Result<()> {
        const ROOM: usize = 4096;
        let mut stream = self.peers.connect(None, Some(ROOM))?;
        let said = bytes(128 << 10, chance);
        let mut writer = stream.try_clone()?;
        // It waits for as long as the reader lets it.
        writer.set_write_timeout(None)?;
        let heard = std::thread::scope(|scope| {
            let sent = scope.spawn(|| writer.write_all(&said).and_then(|()| writer.shutdown(Shutdown::Write)));
            let heard = self.read_slowly(&mut stream, said.len(), chance);
            if !heard.as_ref().is_ok_and(|heard| heard.len() == said.len()) {
                // Nobody waits for the rest.
                let _ = stream.shutdown(Shutdown::Both);
            }
            let sent = sent.join().unwrap_or_else(|_| panic!("the writer panicked"));
            heard.and_then(|heard| sent.context("write").map(|()| heard))
        })?;
        ensure!(heard == said, "{} bytes of {} came back, or others", heard.len(), said.len());
        self.peers.counts.bytes.fetch_add(said.len(), Relaxed);
        self.peers.counts.slow.fetch_add(1, Relaxed);
        Ok(())
    }
    /// All that comes, a little at a time; at the end of the time, as fast as it comes.
    fn read_slowly(&self, stream: &mut TcpStream, most: usize, chance: &mut Random) -> Result<Vec<u8>> {
        let (mut heard, mut piece) = (Vec::new(), [0; 2048]);
        while heard.len() <= most {
            self.wait(Duration::from_millis(if chance.below(40) == 0 { 20_000 } else { 500 }));
            match stream.read(&mut piece).with_context(|| format!("read behind {} bytes", heard.len()))? {
                0 => return Ok(heard),
                count => heard.extend_from_slice(&piece[..count]),
            }
        }
        bail!("more came than was said")
    }
    /// A connection from a port of its own, with an answer of which a part is still to come.
    fn in_an_answer(&self, chance: &mut Random) -> Result<(TcpStream, u16, Vec<u8>)> {
        let port = self.peers.port.fetch_add(1, Relaxed);
        ensure!((FIRST_PORT..LAST_PORT).contains(&port), "no port is left");
        let mut stream = self.peers.connect(Some(port), None)?;
        let said = bytes(PIECE, chance);
        stream.write_all(&said).context("write")?;
        self.hear(&mut stream, &said[..1])?;
        Ok((stream, port, said))
    }
    fn cut_off(&self, chance: &mut Random) -> Result<()> {
        let (mut stream, port, said) = self.in_an_answer(chance)?;
        let silent = chance.below(2) == 0;
        if silent {
            self.hear(&mut stream, &said[1..])?;
        }
        // Where nothing is on its way, who says nothing when he is asked is gone after 375 seconds (`docs/src/network.md`).
        let away = Duration::from_secs(30 + chance.below(if silent { 270 } else { 370 }) as u64);
        self.peers.gone.leave(port);
        let away = self.wait(away);
        self.peers.gone.come_back(port);
        // Each side waits twice as long as before between two tries, so for as long again at most.
        stream.set_read_timeout(Some(PATIENCE + away))?;
        let cut = || format!("cut off for {} s, {}", away.as_secs(), if silent { "silent" } else { "in an answer" });
        if !silent {
            self.hear(&mut stream, &said[1..]).with_context(cut)?;
        }
        self.echo(&mut stream, 4096, chance).with_context(cut)?;
        self.peers.counts.cut_off.fetch_add(1, Relaxed);
        end(stream)
    }
    fn vanishing(&self, chance: &mut Random) -> Result<()> {
        let (stream, port, _) = self.in_an_answer(chance)?;
        self.peers.gone.leave(port);
        // What would be said of the end goes nowhere, and the port is free.
        SockRef::from(&stream).set_linger(Some(Duration::ZERO))?;
        drop(stream);
        self.peers.counts.vanished.fetch_add(1, Relaxed);
        self.wait(Duration::from_secs(1 + chance.below(60) as u64));
        if chance.below(4) == 0 && self.peers.may_abandon() {
            return Ok(());
        }
        self.peers.gone.come_back(port);
        let mut stream = self.peers.connect(Some(port), None).context("again, from the same port")?;
        self.echo(&mut stream, PIECE, chance).context("again, from the same port")?;
        self.peers.counts.back.fetch_add(1, Relaxed);
        end(stream)
    }
}
fn bytes(count: usize, chance: &mut Random) -> Vec<u8> {
    (0..count).map(|_| chance.word() as u8).collect()
}
/// Says that nothing more comes, and hears the same.
fn end(mut stream: TcpStream) -> Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let more = stream.read(&mut [0]).context("the other side's end")?;
    ensure!(more == 0, "more came than was said");
    Ok(())
}
