//! `extended FILE STEP…`: an extension of `tests/linked` is linked in and taken out, events are raised, and what comes of it is printed. A step that is a number raises
//! `turn` with it.
#![no_std]
#![no_main]

extern crate alloc;

mod chosen;
mod liar;
mod race;
mod sample {
    include!(concat!(env!("OUT_DIR"), "/sample.rs"));
}

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Add, Mul};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use dispatch::{Asked, Draft, Exported, Handled, Page};
use extension::{Compare, Condition, Extension, Part};
use pebble::abi::section::text;
use pebble::file;
use pebble::interfaces::memory;
use pebble::sync::Mutex;
use pebble::time::cycles;
use pebble::{Env, linker, println};
use sample::{Connection, Header, Verdict};

pebble::program!(main);

/// The name by which the linker knows this component.
const NAME: &str = "app";
static COUNTED: AtomicU64 = AtomicU64::new(0);
static INSIDE: AtomicBool = AtomicBool::new(false);
static LEAVE: AtomicBool = AtomicBool::new(false);

struct Host;
impl sample::Procedures for Host {
    fn count(by: u32) -> u64 {
        COUNTED.fetch_add(by.into(), Ordering::Relaxed) + u64::from(by)
    }
    fn reset(connection: Connection) -> bool {
        connection == Connection(0x1_0000_0002)
    }
    fn turned(verdict: Verdict, header: &mut Header, bytes: &mut [u8], sign: i32, yes: bool) -> Verdict {
        bytes[2] = bytes.len() as u8;
        header.size = u64::from(verdict == Verdict::Drop && sign == -7 && yes && header.source == [1, 2, 3, 4]);
        Verdict::Change
    }
    fn raise(turn: u32) -> i64 {
        sample::turn(turn)
    }
    fn take_time(microseconds: u32) {
        pebble::time::wait(u64::from(microseconds) * (pebble::time::TIMEBASE / 1_000_000));
    }
    fn stay() {
        INSIDE.store(true, Ordering::Release);
        while !LEAVE.load(Ordering::Acquire) {
            pebble::time::wait(1000);
        }
    }
    fn unlink(number: u64) -> i64 {
        dispatch::unlink(number as usize).map_or_else(|error| error.code() as i64, |()| 0)
    }
}

/// The place of `turn` among the events.
const TURN: usize = 2;
/// With which number alone an extension that is linked in from now on handles `turn`, or one of these.
static ONLY: AtomicU64 = AtomicU64::new(ANY);
const ANY: u64 = u64::MAX;
const NONE: u64 = u64::MAX - 1;
fn decides(asked: &Asked) -> pebble::Result<Vec<Condition>> {
    let constant = match (asked.event, ONLY.load(Ordering::Relaxed)) {
        (TURN, NONE) => return Err(pebble::Error::EACCESS),
        (TURN, number) if number != ANY => number,
        _ => return Ok(chosen::imposed(asked.event)),
    };
    Ok(vec![Condition::new(0, Part::Value, 0, 4, Compare::Equal, constant)])
}
/// What the linker does, without a look at who has signed it.
fn link(file: &[u8]) -> pebble::Result<usize> {
    let extension = Extension::parse(file).map_err(|_| pebble::Error::EINVAL)?;
    let layout = extension.layout();
    let (runtime, own) = (dispatch::runtime::procedures(), sample::procedures::<Host>());
    let names: Vec<_> = extension.interfaces().collect();
    let known = |n: u16| {
        let named = &names[n as usize];
        let interface = [&dispatch::runtime::INTERFACE, &sample::INTERFACE].into_iter().find(|i| i.name == named.name);
        interface.filter(|interface| interface.identity == named.digest)
    };
    let mut slots = Vec::new();
    for import in extension.imports() {
        let interface = known(import.interface).ok_or(pebble::Error::EINVAL)?;
        let table = if interface.name == "sample" { &own[..] } else { &runtime[..] };
        slots.push(*table.get(import.procedure as usize).ok_or(pebble::Error::EINVAL)? as u64);
    }
    let mut draft = Draft::new(layout, extension.limits())?;
    let mut page = Page([0; 4096]);
    for at in (0..layout.end).step_by(4096) {
        extension.page(at, draft.base() as u64, &slots, &mut page.0);
        draft.place(at, &page)?;
    }
    let mut handlers = Vec::new();
    for (at, export) in extension.exports().enumerate() {
        let interface = known(export.interface).ok_or(pebble::Error::EINVAL)?;
        let event = interface.events.get(export.event as usize).ok_or(pebble::Error::EINVAL)?;
        let named = |name: &str| pebble::abi::section::fitted(name).unwrap_or_default();
        let order = export.order.map(named);
        let entry = draft.base() + export.entry as usize;
        let mut conditions: Vec<Condition> = extension.conditions(at).collect();
        if interface.name == "sample" {
            let (extension, event) = (extension.name(), export.event as usize);
            let asked = Asked { extension, key: [0; 8], vetted: false, event, conditions: &conditions };
            let more = decides(&asked)?;
            conditions.extend(more);
        }
        handlers.push(Handled { event, entry, conditions, order });
    }
    dispatch::link(draft.finish(extension.name().into())?, handlers)
}
/// What the linker says of the extension's file.
fn put(file: &[u8]) {
    match linker::link(NAME, file) {
        Ok(number) => {
            LINKED.lock().push(number);
            println!("put");
        }
        Err(refused) => println!("refused: {}: {}", refused.error.name(), refused.why),
    }
}
/// The file with a byte changed, or without a key.
fn changed(file: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut other = file.to_vec();
    other[at..at + with.len()].copy_from_slice(with);
    other
}
/// Says what the linker says is there.
fn table() -> pebble::Result<()> {
    for place in 0.. {
        let Some(linked) = linker::linked(place)? else { break };
        let info = linked.info;
        let [host, name, file] = [&linked.host[..], &info.name, &info.file].map(text);
        println!("{host} {name}: {} calls, {} missed, why {} {file}:{}", info.calls, info.missed, info.why, info.line);
    }
    Ok(())
}
/// Raises each event, and says what comes of it.
fn raise() {
    let mut header = Header { port: 23, source: [10, 0, 2, 2], size: 0 };
    println!(
        "arrived {:?} {:?}",
        sample::arrived(&header, b"abc"),
        sample::arrived(&Header { port: 1, ..header }, b"")
    );
    println!("counted {}", COUNTED.load(Ordering::Relaxed));
    let mut bytes = *b"stressed";
    let left = [2, 3].map(|n| sample::leaves(&mut header, &mut bytes[..7], Connection(0x1_0000_0000 + n), true));
    println!("leaves {left:?} {} {}", header.size, core::str::from_utf8(&bytes).unwrap_or("?"));
    let left = sample::leaves(&mut header, &mut bytes, Connection(0x1_0000_0002), false);
    println!("leaves {left} {} {}", header.size, core::str::from_utf8(&bytes).unwrap_or("?"));
    sample::noted(-1, u64::MAX);
}
/// Says which extensions were taken out for what they did.
fn ends() {
    while let Some(end) = dispatch::ended() {
        match &end.place {
            Some((file, line)) => println!("{} {}: {:?}, {file}:{line}", end.number, end.name, end.why),
            None => println!("{} {}: {:?}", end.number, end.name, end.why),
        }
    }
}
/// For some milliseconds the activations of who handles `turn` are looked at, and it is entered the quick way.
fn is_looked_at() {
    sample::turn(1);
    pebble::time::wait(pebble::time::TIMEBASE / 1000);
}
/// What it takes to raise an event once, in instructions where the machine counts them: the least of many, as interrupts come, and what is used for the first time.
fn cost() -> u64 {
    is_looked_at();
    let took = |work: fn(u32) -> i64| {
        let start = cycles();
        core::hint::black_box(work(core::hint::black_box(1)));
        cycles() - start
    };
    let least = |work| (0..100).map(|_| took(core::hint::black_box(work))).min().unwrap_or(0);
    least(sample::turn) - least(|number| number.into())
}
fn is_nothing_left(file: &[u8], turns: usize) -> pebble::Result<bool> {
    let pages = || memory::info(2, pebble::thread::asid());
    // The heap has grown by then.
    let mut before = 0;
    for turn in 0..turns {
        let number = link(file)?;
        sample::turn(turn as u32);
        dispatch::unlink(number)?;
        if turn == 3 {
            before = pages()?;
        }
    }
    Ok(before == pages()?)
}
/// An extension, linked in anew where it was taken out.
struct Renewed<'a> {
    file: &'a [u8],
    /// 0: it is not linked in.
    number: usize,
}
impl Renewed<'_> {
    /// Whether it ends where `turn` is raised with that number.
    fn ends(&mut self, number: u32) -> pebble::Result<bool> {
        if self.number == 0 {
            self.number = link(self.file)?;
        }
        sample::turn(number);
        // Who is called no more says nothing but the default.
        let ended = sample::turn(0) == -5;
        if ended {
            while dispatch::linked()?.iter().any(|info| info.number == self.number) {
                pebble::time::wait(1000);
            }
            self.number = 0;
        }
        Ok(ended)
    }
}
/// Raises `turn` with eight numbers for each depth of its stack: around where too little of it is left for a procedure of the host's, and around where it ends.
fn sweep(file: &[u8]) -> pebble::Result<()> {
    const FORMS: u32 = 8;
    let mut extension = Renewed { file, number: 0 };
    let (mut whole, mut deep) = (0, 1 << 12);
    while deep - whole > 1 {
        let middle = u32::midpoint(whole, deep);
        *if extension.ends(middle * FORMS)? { &mut deep } else { &mut whole } = middle;
    }
    // All frames are as long, and what is left for procedures is half of the stack that it has.
    let last = deep + deep / 2;
    let mut ends = [0, 0];
    for (n, depth) in [deep, last].into_iter().enumerate() {
        for number in depth.saturating_sub(8) * FORMS..(depth + 8) * FORMS {
            ends[n] += u32::from(extension.ends(number)?);
        }
    }
    let [first, last] = ends.map(|ends| if ends == 16 * FORMS { "all" } else { "some" });
    println!("where the reserve begins {first} end, where it ends {last}");
    Ok(())
}
/// Whether numbers that are in registers when `turn` is raised are there when its handler has ended, however it has.
fn keeps<T: Copy + PartialEq + From<u8> + Add<Output = T> + Mul<Output = T>>(turn: u32) -> bool {
    let mut numbers = core::hint::black_box([T::from(1); 12]);
    for round in 0..3 {
        // As many as there are registers that a function keeps; whichever the compiler takes.
        let [a, b, c, d, e, f, g, h, i, j, k, l] = numbers.map(|n| n * T::from(2) + T::from(round));
        sample::turn(turn);
        let mut more = 0;
        numbers = [a, b, c, d, e, f, g, h, i, j, k, l].map(|n| {
            more += 1;
            n + T::from(more)
        });
    }
    (0..12).all(|n| numbers[n as usize] == T::from(12 + 7 * (n + 1)))
}
/// Which are linked in, the first of them first.
static LINKED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// A step with a number.
fn with_number(file: &[u8], how: &str, number: &str) -> pebble::Result<()> {
    let number = match number {
        "any" => ANY,
        "none" => NONE,
        number => number.parse().map_err(|_| pebble::Error::EINVAL)?,
    };
    match how {
        "only" => ONLY.store(number, Ordering::Relaxed),
        // So many, each for a number of its own.
        "each" => {
            for only in 0..number {
                ONLY.store(only, Ordering::Relaxed);
                let number = link(file)?;
                LINKED.lock().push(number);
            }
        }
        "chosen" => chosen::chosen(file, number as usize)?,
        // `below:3000` has seen a thread enter what was freed; it takes minutes.
        _ => {
            let priority = (how == "below").then_some(race::BELOW);
            race::race(file, number as u32, priority, how == "guarded")?;
        }
    }
    Ok(())
}
fn step(file: &[u8], step: &str) -> pebble::Result<()> {
    match step {
        "raise" => raise(),
        "link" => {
            let number = link(file)?;
            LINKED.lock().push(number);
            println!("linked {number}");
        }
        "put" => put(file),
        "changed" => put(&changed(file, file.len() / 2, &[!file[file.len() / 2]])),
        "unsigned" => put(&changed(file, file.len() - extension::SIGNATURE - extension::KEY, &[0; extension::KEY])),
        "short" => put(&file[..file.len() - 1]),
        "garbage" => put(b"no extension"),
        "nowhere" => println!("{:?}", linker::link("nowhere", file)),
        "take" => {
            let number = LINKED.lock().remove(0);
            println!("taken {:?}", linker::unlink(number));
        }
        "table" => table()?,
        "lie" => liar::lie(file)?,
        "unlink" => {
            let number = LINKED.lock().remove(0);
            println!("unlinked {:?}", dispatch::unlink(number));
        }
        "list" => {
            for info in dispatch::linked()? {
                println!("{} {} {} calls, {} missed", info.number, info.name, info.calls, info.missed);
            }
        }
        "ends" => ends(),
        // The keeper comes on.
        "wait" => pebble::time::wait(pebble::time::TIMEBASE / 50),
        "quick" => is_looked_at(),
        "cost" => println!("raised in {} instructions", cost()),
        // A thread that is in the event until the extension lets it go.
        "enter" => {
            let entered = || {
                // The next one is entered the quick way.
                is_looked_at();
                println!("left with {}", sample::turn(u32::MAX));
            };
            pebble::thread::spawn(None, entered)?;
            while !INSIDE.load(Ordering::Acquire) {
                pebble::time::wait(1000);
            }
        }
        "kept" => println!("kept {}", keeps::<u64>(10)),
        "floating" => println!("kept {}", keeps::<f64>(9)),
        "leave" => LEAVE.store(true, Ordering::Release),
        "sweep" => sweep(file)?,
        "many" => println!("nothing is left: {:?}", is_nothing_left(file, 1000)),
        "none" => LINKED.lock().drain(..).try_for_each(dispatch::unlink)?,
        with if let Some((how, number)) = with.split_once(':') => with_number(file, how, number)?,
        turn => println!("turn {turn}: {}", sample::turn(turn.parse().map_err(|_| pebble::Error::EINVAL)?)),
    }
    Ok(())
}
fn run(env: &Env) -> pebble::Result<()> {
    dispatch::start("app.faults", None)?;
    let procedures = sample::procedures::<Host>().into();
    dispatch::offer(
        NAME,
        1_000_000,
        vec![Exported { interface: &sample::INTERFACE, procedures, decides: Some(decides) }],
    )?;
    let file = file::read(env.argument(1).ok_or(pebble::Error::EINVAL)?)?;
    (2..).map_while(|n| env.argument(n)).try_for_each(|word| step(&file, word))
}
fn main(env: &Env) -> i32 {
    match run(env) {
        Ok(()) => 0,
        Err(error) => {
            println!("{}", error.text());
            1
        }
    }
}
