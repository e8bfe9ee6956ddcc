//! Init: builds the system that the manifest describes, and looks after it.
//!
//! Components start in the manifest's order. One whose priority is above init's own runs until it waits or its first
//! thread ends before the next is started, so its portals are there by then.
#![no_std]
#![no_main]

extern crate alloc;

mod loader;

use abi::Error;
use abi::address::{DEVICE_VA, PAGE};
use abi::archive::{LOG_VA, VA};
use abi::section::NAME;
use abi::system::{Ended, cause_text, ended};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use init_logic::archive::Archive;
use init_logic::log::Log;
use init_logic::restarts::Restarts;
use manifest::{Component, Restart, System};
use pebble::Result;
use pebble::sync::BootMutex;

pebble::boot_server!(start);

pebble::provide! {
    "init.spawn", "smri", spawn;
    "init.components", "smiw", components;
    "init.halt", "smi", halt;
}
pebble::import! {
    EVENT = "domain.event";
    NAMES_ALLOW = "names.allow";
    MAP_DEVICE = "memory.map_device";
}

/// A component that runs.
struct Running {
    component: Component,
    arguments: Vec<String>,
}
struct Init {
    system: System,
    running: BTreeMap<usize, Running>,
    restarts: BTreeMap<String, Restarts>,
    /// QEMU's test device is mapped.
    power: bool,
    console: usize,
}
static INIT: BootMutex<Option<Init>> = BootMutex::new(None);

/// The archive that the image builder put beside the first components.
fn archive() -> Option<Archive<'static>> {
    let bytes = pebble::boot::info().archive_bytes as usize;
    // SAFETY: the image builder maps it read-only here.
    Archive::read(unsafe { core::slice::from_raw_parts(VA as *const u8, bytes) }).ok()
}
/// The system log. Only for use under the lock of `INIT`, or before there is a second thread.
fn log(body: impl FnOnce(&mut Log)) {
    let bytes = pebble::boot::info().log_bytes as usize;
    // SAFETY: the image builder maps it here for init alone; the caller keeps others out.
    body(&mut Log::new(unsafe { core::slice::from_raw_parts_mut(LOG_VA as *mut u8, bytes) }));
}

fn start(_: &pebble::Env) {
    let own = pebble::thread::asid();
    let everything = loader::Name::new("*");
    NAMES_ALLOW.call([own, everything.address(), 0]);
    let Some(system) = archive().and_then(|a| a.system().ok()) else {
        log(|l| l.line("pebble: the archive of components is damaged"));
        return;
    };
    let first = system.components.clone();
    *INIT.lock() = Some(Init { system, running: BTreeMap::new(), restarts: BTreeMap::new(), power: false, console: 0 });
    let test = "test";
    let power = MAP_DEVICE.call([own, 0, loader::Name::new(test).address(), test.len()]) > 0;
    with(|init| init.power = power);
    let (main, others): (Vec<_>, Vec<_>) = first.into_iter().filter(|c| !c.boot && !c.on_request).partition(|c| c.main);
    for component in others {
        let _ = start_component(component, &[]);
    }
    log(|l| l.header().booted = 1);
    for component in main {
        let _ = start_component(component, &[]);
    }
    watch()
}

/// Runs `body` on init's state.
fn with<T>(body: impl FnOnce(&mut Init) -> T) -> Option<T> {
    INIT.lock().as_mut().map(body)
}
/// Starts a component of the manifest; its ASID. What goes wrong is logged.
fn start_component(component: Component, more: &[&str]) -> Result<usize> {
    let mut arguments: Vec<String> = Vec::from([component.name.clone()]);
    arguments.extend(component.arguments.iter().cloned());
    arguments.extend(more.iter().map(|a| a.to_string()));
    let image = if component.image.is_empty() { &component.name } else { &component.image };
    let loaded = archive().and_then(|a| a.image(image)).ok_or(Error::ENOENT).and_then(|image| {
        let words: Vec<&str> = arguments.iter().map(|a| a.as_str()).collect();
        loader::load(&component, image, &words)
    });
    match loaded {
        Ok(loaded) => {
            let priority = component.priority;
            // Known before it runs: it may end before `run` returns.
            with(|init| init.running.insert(loaded.asid, Running { component, arguments }));
            loader::run(&loaded, priority).map(|()| loaded.asid)
        }
        Err(error) => {
            report(&format!("pebble: component {} could not be started: {}", component.name, error.text()));
            Err(error)
        }
    }
}
/// Says a line in the system log, and on the console where there is no main program to be disturbed.
fn report(line: &str) {
    let console = with(|init| {
        log(|l| l.line(line));
        let main = init.system.components.iter().any(|c| c.main);
        if !main && init.console == 0 {
            init.console = pebble::start::open("console.write").unwrap_or(0);
        }
        if main { 0 } else { init.console }
    });
    if let Some(console @ 1..) = console {
        let line = format!("{line}\n");
        for piece in line.as_bytes().chunks(64) {
            let piece = loader::Name::from_bytes(piece);
            pebble::portal::call(console, [piece.address(), piece.length()]);
        }
    }
}

/// Waits for domains to end, for ever.
fn watch() -> ! {
    let mut how = Ended::default();
    loop {
        if EVENT.call([&raw mut how as usize]) != 0 {
            continue;
        }
        let running = with(|init| init.running.remove(&(how.asid as usize))).flatten();
        let name = running.as_ref().map_or("a child", |r| r.component.name.as_str());
        if how.kind == ended::FAULT {
            report(&format!(
                "pebble: {name} (domain {}) was stopped: {} at address {:#x}, pc {:#x}",
                how.asid,
                cause_text(how.cause),
                how.address,
                how.pc
            ));
        }
        let Some(running) = running else { continue };
        if running.component.main {
            finish(how);
        }
        if running.component.restart == Restart::Fault && how.kind != ended::EXIT {
            restart(running);
        }
    }
}
fn restart(running: Running) {
    /// Ten seconds of `hrtime`, taking a core of 1 GHz.
    const SPAN: u64 = 5_000_000_000;
    let name = running.component.name.clone();
    let now = pebble::time::hrtime();
    let allowed = with(|init| init.restarts.entry(name.clone()).or_default().allowed(now, SPAN)) == Some(true);
    if allowed {
        report(&format!("pebble: starting {name} again"));
        let more: Vec<&str> =
            running.arguments[1 + running.component.arguments.len()..].iter().map(|a| a.as_str()).collect();
        let _ = start_component(running.component, &more);
    } else {
        report(&format!("pebble: {name} keeps failing and is not started again"));
    }
}
/// Records how the main program ended, and stops the machine.
fn finish(how: Ended) -> ! {
    with(|init| {
        log(|l| {
            l.header().status = how.status;
            l.header().ended = how.kind;
        });
        stop(init, how.status as u32 & 0xff)
    });
    pebble::thread::exit()
}
fn stop(init: &Init, status: u32) {
    if init.power {
        let value = if status == 0 { 0x5555 } else { status << 16 | 0x3333 };
        // SAFETY: QEMU's test device is mapped here; this write stops the machine.
        unsafe { (DEVICE_VA as *mut u32).write_volatile(value) };
    }
}

/// The bytes that a window shows.
fn window(address: usize, bytes: usize) -> Result<Vec<u8>> {
    if bytes > PAGE - address % PAGE {
        return Err(Error::EINVAL);
    }
    // SAFETY: the page is open for this call.
    Ok(unsafe { core::slice::from_raw_parts(address as *const u8, bytes) }.to_vec())
}
extern "C" fn spawn(command: usize, length: usize) -> isize {
    spawn_line(command, length).map_or_else(Error::code, |asid| asid as isize)
}
fn spawn_line(command: usize, length: usize) -> Result<usize> {
    let line = window(command, length)?;
    let line = core::str::from_utf8(&line).map_err(|_| Error::EINVAL)?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let name = *words.first().ok_or(Error::EINVAL)?;
    let component = with(|init| init.system.components.iter().find(|c| c.name == name && !c.boot).cloned()).flatten();
    start_component(component.ok_or(Error::ENOENT)?, &words[1..])
}
extern "C" fn components(n: usize, out: usize) -> isize {
    let name = with(|init| init.system.components.get(n).map(|c| c.name.clone())).flatten();
    let Some(name) = name else { return Error::ENOENT.code() };
    if NAME > PAGE - out % PAGE {
        return Error::EINVAL.code();
    }
    let mut bytes = [0u8; NAME];
    let length = name.len().min(NAME - 1);
    bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
    // SAFETY: the page is open for this call, for writing.
    unsafe { (out as *mut [u8; NAME]).write_unaligned(bytes) };
    0
}
extern "C" fn halt(status: usize) -> isize {
    with(|init| {
        log(|l| {
            l.header().status = status as i64;
            l.header().ended = ended::EXIT;
        });
        stop(init, status as u32 & 0xff)
    });
    Error::EIO.code()
}
