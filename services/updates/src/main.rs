//! Updates of components: takes signed files, has the component succeeded by the new image while it is called, tries it out, keeps it on the disk, and takes it back
//! where it fails or where somebody asks.
//!
//! Arguments: `folder=`, where files and what each component has are kept, nowhere if it is left out; `trial=10`, seconds that a component must run without failing; `port=`, where
//! files are taken over TCP, too; `downgrades=yes`, for older versions.
//!
//! What counts is one text in the folder ([`State`]), which is replaced as a whole: whatever stops the machine, each component has what it had, or what it was to have, on trial.
#![no_std]
#![no_main]
#![feature(allocator_api)]

extern crate alloc;

mod network;
mod store;

use abi::name::Short;
use abi::section::{NAME, text};
use abi::updating::{ImageState, Kept, Request, WHY};
use abi::window::Whole;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use keyring::{Keys, UPDATES};
use pebble::component::{self, Condition};
use pebble::interfaces::types::{Alleged, Identity};
use pebble::interfaces::{images, init};
use pebble::sync::{Mutex, Semaphore};
use pebble::time::{TIMEBASE, time};
use pebble::{Error, Result, fallible};
use updates_logic::{Had, Refused, Start, State, Trials, Version, What, examine};
use upload::served::{self, whose};
use upload::{Said, Uploads};

pebble::server!(start);
pebble::serve! { updates { begin, add, update, take_back, kept } }

/// Whose updates are taken; nothing: nobody's.
static KEYS: Mutex<Option<Arc<Keys>>> = Mutex::new(None);
static UPLOADS: Mutex<Uploads> = Mutex::new(Uploads::new(update::MOST_BYTES, update::MOST_BYTES));
/// What each component has. Who changes it has [`ONE`].
static STATE: Mutex<State> = Mutex::new(State::new());
/// One after the other: what is taken, taken back, and kept.
static ONE: Mutex<()> = Mutex::new(());
static OPTIONS: Mutex<Option<Options>> = Mutex::new(None);
/// What each component has had is known, and it has it again: before, nothing is newer than it.
static READY: AtomicBool = AtomicBool::new(false);
static TRIALS: Mutex<Trials> = Mutex::new(Trials::new());

/// How long it takes until it is looked again at what is on trial, in units of [`TIMEBASE`]; and until something that has failed is tried again.
const LOOK: u64 = TIMEBASE / 20;
const AGAIN: u64 = TIMEBASE;
/// How long who asks waits for what comes of it, in ticks of `hrtime`: a minute.
const PATIENCE: u64 = 60 * 500_000_000;

struct Options {
    /// What this component is called.
    name: Box<str>,
    downgrades: bool,
}
fn own_name() -> Box<str> {
    let options = OPTIONS.lock();
    options.as_ref().and_then(|options| fallible::text(&options.name).ok()).unwrap_or_default()
}
/// Why a component has not what it was to have. Nothing has changed.
pub struct Failed {
    error: Error,
    /// What there is to say of it, where there is memory to say it.
    why: Option<Box<Said<WHY>>>,
}
impl Failed {
    fn of(error: Error, why: core::fmt::Arguments) -> Failed {
        Failed { error, why: fallible::boxed(Said::of(why)).ok() }
    }
    pub fn text(&self) -> &str {
        self.why.as_ref().map_or_else(|| self.error.text(), |why| why.text())
    }
}
impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed { error, why: None }
    }
}
impl From<Refused<'_>> for Failed {
    fn from(refused: Refused) -> Failed {
        Failed::of(refused.code(), format_args!("{refused}"))
    }
}
type Outcome<T> = core::result::Result<T, Failed>;

fn start(env: &pebble::Env) {
    match keyring::image::keys(UPDATES) {
        Ok(keys) => *KEYS.lock() = Some(keys),
        Err(error) => pebble::say(format_args!("{}: {}: no update is taken", UPDATES.path, error.text())),
    }
    let find = |name: &str| (1..env.len()).find_map(|n| env.argument(n)?.strip_prefix(name)?.strip_prefix('='));
    let seconds = find("trial").map_or(Some(10), |seconds| seconds.parse::<u32>().ok());
    let port = find("port").map(str::parse::<u16>).transpose();
    let (Some(seconds), Ok(port)) = (seconds, port) else {
        return pebble::say(format_args!("its argument \"trial=\" is no number of seconds, or \"port=\" no port"));
    };
    TRIALS.lock().last(u64::from(seconds) * TIMEBASE);
    let name = env.argument(0).and_then(|name| fallible::text(name).ok()).unwrap_or_default();
    *OPTIONS.lock() = Some(Options { name, downgrades: find("downgrades") == Some("yes") });
    match find("folder").map(fallible::text).transpose() {
        Ok(folder) => store::is_in(folder),
        Err(error) => return pebble::say(format_args!("no update is taken: {}", error.text())),
    }
    // Components are replaced while this one's portals are open: some of them may be called for that.
    if let Err(error) = pebble::thread::spawn(None, watch) {
        pebble::say(format_args!("no update is tried out: {}", error.text()));
    }
    if let Some(port) = port
        && let Err(error) = pebble::thread::spawn(None, move || network::serve(port))
    {
        pebble::say(format_args!("none comes over the network: {}", error.text()));
    }
}
/// Hands a file over: what its component is to have next.
fn give(file: &[u8]) -> Result<()> {
    images::begin(file.len())?;
    pebble::portal::by_pages(file, |piece| images::add(Alleged::lend_all(piece), piece.len()))?;
    images::put()
}
/// What a component has is what it is to have next. `true`: it runs.
fn apply() -> Outcome<bool> {
    let mut refused = Whole::new([0; NAME]);
    images::apply(Alleged::lend_to_write(&mut refused.0)).map(|domain| domain.0 > 0).map_err(|error| {
        match text(&refused.0) {
            "" => error.into(),
            portal => Failed::of(error, format_args!("\"{portal}\" is in the way: {}", error.text())),
        }
    })
}
/// A name, for a portal that takes one.
fn named<T>(name: &str, ask: impl FnOnce(Alleged<u8>, usize) -> Result<T>) -> Result<T> {
    let shown = Short::of(name.as_bytes());
    ask(Alleged::lend_all(shown.bytes()), name.len())
}
/// What the component really has, and what has become of it.
fn state_of(name: &str) -> Result<ImageState> {
    let mut state = Whole::new(ImageState::default());
    named(name, |name, length| images::state(name, length, Alleged::lend_to_write(&mut state.0)))?;
    Ok(state.0)
}
/// That version is what a component is to have next: the system's own image, or a file of the folder, whose signature is looked at anew.
fn is_next(name: &str, version: Version) -> Outcome<()> {
    if version == 0 {
        return Ok(named(name, images::own)?);
    }
    let (file, keys) = (store::read(name, version)?, keys()?);
    let update = examine(&file, &keys, name, Had::default())?;
    if update.version() != version {
        return Err(Failed::of(Error::EINVAL, format_args!("its file is of version {}", update.version())));
    }
    Ok(give(&file)?)
}
fn keys() -> Outcome<Arc<Keys>> {
    KEYS.lock().clone().ok_or(Failed::from(Refused::NoKeys))
}
/// What a component has had.
fn had(name: &str) -> Had {
    let downgrades = OPTIONS.lock().as_ref().is_some_and(|options| options.downgrades);
    let state = STATE.lock();
    state.find(name).map_or(Had { downgrades, ..Had::default() }, |entry| {
        let (current, before, newest) = (entry.current, entry.before, entry.newest);
        Had { current, before, newest, downgrades }
    })
}
/// A file becomes the image of component `name`. For who has [`ONE`].
fn take(file: &[u8], name: &str) -> Outcome<()> {
    if *name == *own_name() {
        return Err(Failed::of(Error::ENOTSUP, format_args!("the service does not update itself")));
    }
    let keys = keys()?;
    let update = examine(file, &keys, name, had(name))?;
    let version = update.version();
    if STATE.lock().is_on_trial(name) {
        return Err(Failed::of(Error::EBUSY, format_args!("the component's version before it is on trial")));
    }
    give(file).map_err(|error| not_given(error, name))?;
    let has = state_of(name)?.version;
    let tried = store::write(&update, file).and_then(|()| STATE.lock().try_out(name, version, has));
    let was = tried.inspect_err(|_| store::tidy(name))?;
    // On the disk first: if the machine stops, what is there is on trial.
    let applied = store::save().map_err(Failed::from).and_then(|()| apply());
    // Where it is not known how it ended, what the component has says it.
    if applied.is_err() && state_of(name).map(|state| state.version) != Ok(version) {
        STATE.lock().restore(name, was);
        store::save_later();
        store::tidy(name);
        return applied.map(|_| ());
    }
    on_trial(name, version, true, applied.unwrap_or(true));
    Ok(())
}
/// A component's trial begins; `counted`: this start of the system has counted for it; `ran`: it ran by itself when it got the version.
fn on_trial(name: &str, version: Version, counted: bool, ran: bool) {
    if TRIALS.lock().begin(name, version, counted, ran).is_err() {
        pebble::say(format_args!("{name}: version {version} is on trial until the system starts: no memory"));
    }
}
/// Why init does not take it.
fn not_given(error: Error, name: &str) -> Failed {
    match error {
        Error::ENOENT => Failed::of(error, format_args!("the system has no component \"{name}\"")),
        Error::ENOTSUP => Failed::of(error, format_args!("component \"{name}\" has no image of its own")),
        Error::EINVAL => Failed::of(error, format_args!("component \"{name}\" is kept apart otherwise")),
        Error::EACCESS => Failed::of(error, format_args!("it opens more than component \"{name}\" may")),
        Error::ENOSPC => Failed::of(error, format_args!("there is no room for it beside the others")),
        _ => error.into(),
    }
}
/// The component has what it had before. For who has [`ONE`].
fn back(name: &str) -> Outcome<()> {
    let before = {
        let state = STATE.lock();
        let entry = state.find(name).filter(|entry| entry.current > 0).ok_or(Error::ENOENT)?;
        entry.before
    };
    // What init remembers needs no disk, which may be what has failed.
    let remembered = named(name, |name, length| images::before(name, length, before as usize));
    let mut to = before;
    if let Err(failed) = remembered.map_err(Failed::from).or_else(|_| is_next(name, before)) {
        // What may be there at another time is waited for.
        if !matches!(failed.error, Error::ENOENT | Error::EINVAL | Error::EACCESS) {
            return Err(failed);
        }
        pebble::say(format_args!(
            "{name}: version {before}, which it had: {}; it gets the system's own",
            failed.text()
        ));
        is_next(name, 0)?;
        to = 0;
    }
    apply()?;
    STATE.lock().take_back(name, to)?;
    TRIALS.lock().end(name);
    store::save_later();
    store::tidy(name);
    Ok(())
}
/// A component that has failed too often stays ended, and one that is not to be started again is ended: if it `ran`, or has failed too often, it is started once more, with what it had before.
fn starts_again(name: &str, ran: bool) {
    let condition = component::watch(name, None, 0).map(|state| state.condition());
    if condition == Ok(Condition::StaysEnded) || (ran && condition == Ok(Condition::Ended)) {
        let _ = named(name, init::anew::spawn);
    }
}
/// What each component has is there again: the system has started, or this service.
fn begin_all() {
    let _one = ONE.lock();
    for n in 0.. {
        // Entries stay where they are.
        let Some(name) = STATE.lock().entries().get(n).map(|entry| fallible::text(&entry.name)) else { break };
        match name {
            Ok(name) if *name == *own_name() => {}
            Ok(name) => {
                begins(&name);
                store::tidy(&name);
            }
            Err(error) => pebble::say(format_args!("an update is not there: {}", error.text())),
        }
    }
}
fn begins(name: &str) {
    let Ok(state) = state_of(name) else { return };
    let current = STATE.lock().current(name);
    // It has it: only this service was started again.
    if state.version == current {
        if STATE.lock().is_on_trial(name) {
            on_trial(name, current, true, state.running > 0);
        }
        return;
    }
    let runs = state.running > 0;
    let Some(Start { version, trial, taken_back }) = STATE.lock().starts(name, runs) else { return };
    if let Some(failed) = taken_back {
        pebble::say(format_args!("{name}: version {failed} was not there for long enough, and is taken back"));
    }
    // On the disk first: a start that stops the machine has counted.
    if trial || taken_back.is_some() {
        store::save_later();
    }
    if version == state.version {
        return;
    }
    match is_next(name, version).and_then(|()| apply()) {
        Ok(ran) if trial => on_trial(name, version, runs, ran),
        Ok(_) => {}
        Err(failed) => {
            pebble::say(format_args!("{name}: version {version}: {}", failed.text()));
            // One that can not be tried out is no trial.
            if trial && let Err(failed) = back(name) {
                pebble::say(format_args!("{name}: {}", failed.text()));
                let _ = TRIALS.lock().fails_again(name, version, false, time() + AGAIN);
            }
        }
    }
}
/// Looks after what is on trial, and after what could not be written, for ever.
fn watch() {
    store::open_at_last();
    begin_all();
    READY.store(true, Ordering::Release);
    loop {
        pebble::time::wait(LOOK);
        if store::is_behind() {
            let _one = ONE.lock();
            store::save_later();
        }
        let Some((name, version, what)) = TRIALS.lock().look(time(), |name| state_of(name).ok()) else { continue };
        let _one = ONE.lock();
        // Another may have come since, or it was taken back.
        if STATE.lock().current(&name) == version && STATE.lock().is_on_trial(&name) {
            goes_on(&name, version, what);
        }
    }
}
/// Something has become of a trial. For who has [`ONE`].
fn goes_on(name: &str, version: Version, what: What) {
    match what {
        What::Begins => {
            STATE.lock().count(name);
            store::save_later();
        }
        What::Holds => {
            STATE.lock().keep(name, version);
            store::save_later();
            store::tidy(name);
        }
        What::Fails(ran) => {
            pebble::say(format_args!("{name}: version {version} has failed, and is taken back"));
            match back(name) {
                Ok(()) => starts_again(name, ran),
                Err(failed) => {
                    pebble::say(format_args!("{name}: {}", failed.text()));
                    let _ = TRIALS.lock().fails_again(name, version, ran, time() + AGAIN);
                }
            }
        }
    }
}
/// What somebody asks for: nobody has begun it, it is being done, or nobody waits for it any more and it is not begun.
const ASKED: u8 = 0;
const BEGUN: u8 = 1;
const LEFT: u8 = 2;
struct Asked {
    stage: AtomicU8,
    outcome: Mutex<Option<Outcome<()>>>,
}
impl Asked {
    /// Whether it was asked for until now, and is that from now on.
    fn becomes(&self, stage: u8) -> bool {
        self.stage.compare_exchange(ASKED, stage, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}
/// Has a thread of this service's own do something for whoever asks, who may end meanwhile. `ETIMEDOUT`: it is not begun, or goes on.
fn done(what: impl FnOnce() -> Outcome<()> + Send + 'static) -> Outcome<()> {
    let asked = Asked { stage: AtomicU8::new(ASKED), outcome: Mutex::new(None) };
    let asked = Arc::try_new(asked).map_err(|_| Error::ENOMEM)?;
    let its = Arc::clone(&asked);
    let over = Arc::try_new(Semaphore::new(0)?).map_err(|_| Error::ENOMEM)?;
    let is_over = Arc::clone(&over);
    // It is not cancelled, whoever has enough of waiting: what is begun comes to its end.
    pebble::thread::spawn(None, move || {
        while !READY.load(Ordering::Acquire) && its.stage.load(Ordering::Acquire) == ASKED {
            pebble::time::wait(LOOK);
        }
        let _one = ONE.lock();
        if its.becomes(BEGUN) {
            *its.outcome.lock() = Some(what());
        }
        let _ = is_over.post();
    })?;
    if let Err(error) = over.wait_for(PATIENCE) {
        let said = match asked.becomes(LEFT) {
            true => "others take their time, and nothing was begun",
            false => "it takes its time, and goes on: the list of updates says what comes of it",
        };
        return Err(Failed::of(error, format_args!("{said}")));
    }
    let outcome = asked.outcome.lock().take();
    outcome.unwrap_or(Err(Error::ETIMEDOUT.into()))
}
extern "C" fn begin(client: Identity, bytes: usize) -> isize {
    served::begin(&UPLOADS, client, bytes)
}
extern "C" fn add(client: Identity, bytes: Alleged<u8>, length: usize) -> isize {
    served::add(&UPLOADS, client, bytes, length)
}
/// What is asked of a component is done, and said where it is not.
fn asked(request: Alleged<Request>, what: impl FnOnce(&str) -> Outcome<()>) -> isize {
    let asked = || {
        let mut asked = request.read()?;
        let Err(failed) = what(text(&asked.name)) else { return Ok(()) };
        asked.why = failed.why.map_or([0; WHY], |why| *why.bytes());
        // SAFETY: the letter of its argument shows it for writing.
        unsafe { request.write(&asked) }?;
        Err(failed.error)
    };
    asked().map_or_else(Error::code, |()| 0)
}
extern "C" fn update(client: Identity, request: Alleged<Request>) -> isize {
    asked(request, |name| {
        let file: Vec<u8> = UPLOADS.lock().take(whose(client)?)?;
        let name = fallible::text(name)?;
        done(move || take(&file, &name))
    })
}
extern "C" fn take_back(request: Alleged<Request>) -> isize {
    asked(request, |name| {
        let name = fallible::text(name)?;
        done(move || back(&name).inspect(|()| starts_again(&name, false)))
    })
}
extern "C" fn kept(n: usize, out: Alleged<Kept>) -> isize {
    let kept = || {
        if !READY.load(Ordering::Acquire) {
            return Err(Error::EAGAIN);
        }
        let entry = STATE.lock().entries().get(n).cloned().ok_or(Error::ENOENT)?;
        let kept = Kept {
            name: abi::section::cut(&entry.name),
            version: entry.current,
            before: entry.before,
            trial: u64::from(entry.trial.is_some()),
            stored: u64::from(store::is_open() && !store::is_behind()),
            has: state_of(&entry.name).map_or(0, |state| state.version),
        };
        // SAFETY: the letter of its argument shows it for writing.
        unsafe { out.write(&kept) }
    };
    kept().map_or_else(Error::code, |()| 0)
}
