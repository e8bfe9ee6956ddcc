//! What the shell shows of the system.

use crate::{Lent, programs};
use crate::{print, println};
use abi::account::{Report, Resource};
use abi::count::Calls;
use abi::inspect::{CODE, Domain, Portal};
use abi::isolation::Isolation;
use abi::nucleus::{MAX_DOMAINS, MAX_THREADS, NPORTALS, flags};
use abi::section::text;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::component::{Condition, watch};
use pebble::interfaces::types::{Alleged, DomainNumber, PortalNumber, ThreadIndex};
use pebble::interfaces::{capability, clock, init, inspect, memory, scheduler};
use pebble::{Error, Result};

pub fn domain(asid: usize) -> Result<Domain> {
    let mut domain = Lent(Domain::NONE);
    inspect::domain(DomainNumber(asid), Alleged::lend_to_write(&mut domain.0))?;
    Ok(domain.0)
}
pub fn all_domains() -> impl Iterator<Item = Domain> {
    (1..MAX_DOMAINS).filter_map(|asid| domain(asid).ok())
}
pub fn name(asid: usize) -> String {
    if asid == 0 {
        return "idle".into();
    }
    domain(asid).map_or_else(|_| alloc::format!("domain {asid}"), |d| text(&d.name).into())
}
pub fn one_portal(asid: usize, number: usize) -> Result<Portal> {
    let mut portal = Lent(Portal::NONE);
    inspect::portal(DomainNumber(asid), PortalNumber(number), Alleged::lend_to_write(&mut portal.0))?;
    Ok(portal.0)
}

/// How a domain is kept apart.
fn isolation(domain: &Domain) -> &'static str {
    Isolation::of(domain.isolation).map_or("?", Isolation::name)
}
/// What each component of the system does, and how often it was started, where that is more than once.
pub fn components() {
    println!("component                is");
    for name in programs::components() {
        let is = match watch(&name, None, 0) {
            Ok(state) => {
                let is = match state.condition() {
                    Condition::Ended if state.starts() == 0 => "not started",
                    Condition::Ended => "ended",
                    Condition::Runs => "runs",
                    Condition::StartsAgain => "failed, and is started again",
                    Condition::StaysEnded => "failed too often, and stays ended",
                };
                match state.starts() {
                    0 | 1 => String::from(is),
                    starts => alloc::format!("{is} (started {starts} times)"),
                }
            }
            // One of the first.
            Err(Error::ENOENT) => "runs".into(),
            Err(error) => error.text().into(),
        };
        println!("{name:24} {is}");
    }
}
pub fn domains() -> Result<()> {
    println!("domain name             is        parent threads portals stacks  pages");
    for d in all_domains() {
        let kind = match d.flags {
            _ if d.within != 0 => alloc::format!("{} in {}", isolation(&d), name(d.within as usize)),
            _ if d.isolation != Isolation::Domain as u64 => isolation(&d).into(),
            f if f & flags::MASKED != 0 => "masked".into(),
            f if f & flags::TRUSTED != 0 => "trusted".into(),
            f if f & flags::ELASTIC != 0 => "sandbox".into(),
            _ => String::new(),
        };
        let pages = memory_of(2, d.asid as usize);
        let parent = if d.parent == 0 { String::from("-") } else { alloc::format!("{}", d.parent) };
        println!(
            "{:6} {:16} {kind:9} {parent:>6} {:7} {:7} {:6} {pages:6}",
            d.asid,
            text(&d.name),
            d.threads,
            d.portals,
            d.stacks
        );
    }
    Ok(())
}
pub fn capabilities(asid: Option<usize>) -> Result<()> {
    // The manager may not have been there yet, or have been started again since.
    capability::import::list().reopen()?;
    println!("domain holder           capability     rights issuer           for");
    for d in all_domains().filter(|d| asid.is_none_or(|asid| d.asid as usize == asid)) {
        for n in 0.. {
            let mut found = Lent(abi::capability::Info::default());
            match capability::list(DomainNumber(d.asid as usize), n, Alleged::lend_to_write(&mut found.0)) {
                Ok(_) => {}
                Err(Error::ENOENT) => break,
                Err(error) => return Err(error),
            }
            let abi::capability::Info { name: capability, rights, flags, issuer, .. } = found.0;
            let issuer = if issuer == 0 { String::from("(dead)") } else { name(issuer as usize) };
            let uses = ["any use", "one use", "its issuer", "one use, its issuer"][flags as usize & 3];
            println!("{:6} {:16} {capability:10} {rights:#10x} {issuer:16} {uses}", d.asid, text(&d.name));
        }
    }
    Ok(())
}
pub fn threads() -> Result<()> {
    const STATES: [&str; 8] =
        ["?", "runs", "ready", "waits on a semaphore", "sleeps", "joins", "waits for a stack", "has ended"];
    println!("thread priority home             what it does");
    for index in 1..MAX_THREADS {
        let Ok(packed) = scheduler::info(ThreadIndex(index)) else { continue };
        let (state, priority, home) = (packed >> 48, packed >> 32 & 0xffff, packed & 0xffff_ffff);
        println!("{index:6} {priority:8} {:16} {}", name(home), STATES[state.min(7)]);
    }
    Ok(())
}
/// A domain's counters. `ENOENT`: this system counts nothing.
pub fn calls(asid: usize) -> Result<Box<Calls>> {
    let mut calls = Box::new(Calls::NONE);
    inspect::calls(DomainNumber(asid), Alleged::lend_to_write(&mut *calls))?;
    Ok(calls)
}
pub fn portals(asid: Option<usize>) -> Result<()> {
    if let Some(asid) = asid {
        domain(asid)?;
    }
    for d in all_domains().filter(|d| asid.is_none_or(|asid| d.asid as usize == asid)) {
        println!("{} (domain {}) may call", text(&d.name), d.asid);
        let calls = calls(d.asid as usize).ok();
        for number in 1..NPORTALS {
            // Those that every domain has are shown for one domain only.
            if asid.is_none() && number < abi::system::FIRST_FREE {
                continue;
            }
            let Ok(p) = one_portal(d.asid as usize, number) else { continue };
            let server = if p.server == 0 { String::from("nucleus") } else { name(p.server as usize) };
            print!("  {number:4} {:28} \"{}\" in {server}", text(&p.name), text(&p.spec));
            match &calls {
                Some(calls) => println!(", {} calls", calls.0[number]),
                None => println!(),
            }
        }
    }
    Ok(())
}
pub fn portal(asid: usize, number: usize) -> Result<()> {
    domain(asid)?;
    let p = one_portal(asid, number)?;
    println!("portal {number} {} \"{}\"", text(&p.name), text(&p.spec));
    let mut words = Lent([0u32; CODE]);
    let count = inspect::code(DomainNumber(asid), PortalNumber(number), Alleged::lend_to_write(&mut words.0))?;
    if count == 0 {
        println!("  a short-circuit portal of the nucleus");
    }
    for (n, &word) in words.0.iter().take(count).enumerate() {
        let address = p.code + 4 * n as u64;
        let mut line = String::new();
        match portal::disassemble::line(address, word, &mut line) {
            Ok(true) => println!("  {address:x}  {word:08x}  {line}"),
            _ => println!("  {address:x}  {word:08x}  ?"),
        }
    }
    Ok(())
}
/// Pages, as `memory.info` counts them; 0: nobody has them any more.
fn memory_of(what: usize, whose: usize) -> usize {
    memory::info(what, whose).unwrap_or(0)
}
pub fn memory() -> Result<()> {
    let total = memory::info(0, 0)?;
    let free = memory::info(1, 0)?;
    println!("{total} pages of 4 KiB, {free} free ({} KiB)", free * 4);
    for d in all_domains() {
        let pages = memory_of(2, d.asid as usize);
        if pages > 0 {
            println!("  {:6} {}", pages, text(&d.name));
        }
    }
    Ok(())
}
pub fn counts() -> Result<()> {
    let mut counts = Lent(abi::inspect::Counts::default());
    inspect::counts(Alleged::lend_to_write(&mut counts.0))?;
    let c = counts.0;
    println!("domains   {}, and {} dead ones that are still needed", c.domains, c.zombies);
    println!("threads   {}, and {} indices for new ones", c.threads, c.free_threads);
    println!("names     {} registered", c.registrations);
    println!("portals   {} in {} blocks of {} bytes, {} of them retired", c.users, c.blocks, c.code_bytes, c.retired);
    println!("semaphores {}", c.semaphores);
    println!("stacks    {} in queues, and room for {}", c.stacks, c.descriptors);
    println!("frames    {} free, {} promised", c.free_frames, c.promised_frames);
    Ok(())
}
/// The resources, and how many places the limit of each needs: as many as the most of it, or as half its name.
fn columns() -> impl Iterator<Item = (Resource, usize)> {
    Resource::ALL.into_iter().map(|resource| {
        // Shares are told in pages.
        let most = if resource.is_shared_out() { 100_000 } else { resource.most() };
        (resource, (most.ilog10() as usize + 1).max(resource.text().len() / 2))
    })
}
/// What each account has taken and may take. It has the name of its first domain, which is its component's.
pub fn limits() -> Result<()> {
    print!("component       ");
    for (resource, width) in columns() {
        print!(" {:>1$}", resource.text(), 2 * width + 1);
    }
    println!("         memory");
    let mut seen = 0u32;
    for d in all_domains() {
        if d.account == 0 || seen >> d.account & 1 != 0 {
            continue;
        }
        seen |= 1 << d.account;
        let mut report = Lent(Report::NONE);
        inspect::account(d.account as usize, Alleged::lend_to_write(&mut report.0))?;
        let Report { used, limits } = report.0;
        print!("{:16}", text(&d.name));
        for (resource, width) in columns() {
            let n = resource as usize;
            print!(" {:>width$}/{:<width$}", used[n], limits[n]);
        }
        let [used, limit] = [4, 5].map(|what| memory_of(what, d.account as usize));
        println!(" {used:>6}/{limit}");
    }
    Ok(())
}
/// The system log.
pub fn log() -> Result<()> {
    let (mut from, mut piece) = (0, Lent([0u8; 1024]));
    loop {
        let count = init::lines(from, Alleged::lend_all_to_write(&mut piece.0))?;
        if count == 0 {
            return Ok(());
        }
        print!("{}", String::from_utf8_lossy(&piece.0[..count]));
        from += count;
    }
}
pub fn date() -> Result<()> {
    let now = clock::time()?.0;
    println!("{}", shell_logic::date::of(now as i64).ok_or(Error::EINVAL)?);
    Ok(())
}
pub fn uptime() -> Result<()> {
    use pebble::time::{TIMEBASE, time};
    let (seconds, tenths) = (time() / TIMEBASE, time() / (TIMEBASE / 10) % 10);
    println!("up {} h {} min {}.{tenths} s", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match clock::time().map(|time| time.0) {
        Ok(ns) => println!("{} s since 1970", ns / 1_000_000_000),
        // A system without a clock.
        Err(Error::EPORTAL) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}
/// Names of all portals that somebody may call.
pub fn portal_names() -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for d in all_domains() {
        for number in abi::system::FIRST_FREE..NPORTALS {
            let Ok(p) = one_portal(d.asid as usize, number) else { continue };
            let name = text(&p.name);
            if !name.is_empty() && !names.iter().any(|other| other == name) {
                names.push(name.into());
            }
        }
    }
    names
}
/// Who may call the portals called `wanted`.
pub fn callers(wanted: &str) -> Result<()> {
    let mut any = false;
    for d in all_domains() {
        for number in 1..NPORTALS {
            let Ok(p) = one_portal(d.asid as usize, number) else { continue };
            if text(&p.name) == wanted {
                println!(
                    "{} (domain {}) may call {wanted} \"{}\" in {}",
                    text(&d.name),
                    d.asid,
                    text(&p.spec),
                    name(p.server as usize)
                );
                any = true;
            }
        }
    }
    if any { Ok(()) } else { Err(Error::ENOENT) }
}
