//! What the portals of the system tell, and what they are asked to do.

use abi::account::{Report, Resource};
use abi::count::{Calls, FAULTS, INTERRUPTS, TIME};
use abi::inspect::{Domain, Portal};
use abi::nucleus::{MAX_DOMAINS, NPORTALS, flags};
use abi::section::NAME;
use abi::system::FIRST_FREE;
use abi::window::WholePage;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use pebble::directory;
use pebble::file::{File, Kind, Metadata};
use pebble::interfaces::types::{Alleged, DomainNumber, Identity, PortalNumber};
use pebble::interfaces::{domains, init, inspect, memory};
use pebble::time::{TIMEBASE, time, wait};
use pebble::{Error, Result};
use webconsole_logic::Change;
use webconsole_logic::report::{self, Entry, Listing, State};

/// Microseconds for which what was found in a portal table is taken to be still there, if the table has as many portals.
const FRESH: u64 = 5_000_000;
/// Bytes of a file that are shown.
const SHOWN: usize = 64 * 1024;
/// Entries of a directory that are shown.
const ENTRIES: usize = 500;
/// Bytes that an answer may allocate: the largest, a directory's, is [`ENTRIES`] names that are all control characters, as they are, as JSON, and in
/// what is sent. The state's is more, and counted: for each domain with its limits, and for each portal, found, shown, as JSON, which may have to
/// move as it grows, and sent.
pub const ANSWER_MEMORY: usize = 1 << 20;
const DOMAIN_MEMORY: usize = 6 << 10;
const PORTAL_MEMORY: usize = 2432;
/// Bytes of the log.
const LOG: usize = abi::log::BYTES;
/// Units of time in which a component that is looked after is back.
const BACK: u64 = TIMEBASE / 2;

/// What a portal table was found to have: counters aside, that changes seldom.
struct Table {
    identity: u64,
    count: u64,
    at: u64,
    portals: Vec<report::Portal>,
}
pub struct System {
    tables: Vec<Table>,
}

fn now() -> u64 {
    time() / (TIMEBASE / 1_000_000)
}
fn domain(asid: usize) -> Result<Domain> {
    let mut domain = WholePage::new(Domain::NONE);
    inspect::domain(DomainNumber(asid), Alleged::lend_to_write(&mut domain.0))?;
    Ok(domain.0)
}
/// The component's name, 0-terminated.
fn component(n: usize) -> Result<String> {
    let mut name = WholePage::new([0u8; NAME]);
    init::components(n, Alleged::lend_to_write(&mut name.0))?;
    Ok(report::name(&name.0))
}

impl System {
    pub fn new() -> System {
        System { tables: Vec::new() }
    }
    /// What there is, and what was counted. `ENOMEM`: it is too much.
    pub fn state(&mut self) -> Result<State> {
        let found = || (1..MAX_DOMAINS).filter_map(|asid| domain(asid).ok());
        let (domains, mut portals_left) = found().fold((0, 0), |(n, portals), found| (n + 1, portals + found.portals));
        pebble::heap::keep_more(ANSWER_MEMORY + domains * DOMAIN_MEMORY + portals_left as usize * PORTAL_MEMORY)?;
        let mut state = State { now: now(), own: pebble::thread::asid(), ..State::default() };
        state.memory = [0, 1].map(|what| memory::info(what, 0).unwrap_or(0));
        let mut calls = Box::new(Calls::NONE);
        state.domains.reserve_exact(domains);
        for found in found().take(domains) {
            let asid = found.asid as usize;
            // Those that were opened meanwhile are seen the next time.
            portals_left = portals_left.checked_sub(found.portals).ok_or(Error::EAGAIN)?;
            match inspect::calls(DomainNumber(asid), Alleged::lend_to_write(&mut *calls)) {
                Ok(_) => state.counters = true,
                Err(Error::ENOENT) => *calls = Calls::NONE,
                // It has ended in between.
                Err(_) => continue,
            }
            let mut portals = self.table(&found).to_vec();
            portals.iter_mut().for_each(|portal| portal.calls = calls.0[portal.number % NPORTALS]);
            // Those that every domain has are said where they are used.
            portals.retain(|portal| portal.number >= FIRST_FREE || portal.calls > 0);
            state.domains.push(report::Domain {
                id: asid,
                identity: format!("{:x}", found.identity),
                name: report::name(&found.name),
                kind: match found.flags {
                    f if f & flags::MASKED != 0 => "masked",
                    f if f & flags::TRUSTED != 0 => "trusted",
                    f if f & flags::ELASTIC != 0 => "sandbox",
                    _ => "",
                },
                parent: found.parent as usize,
                threads: found.threads,
                pages: memory::info(2, asid).unwrap_or(0),
                time: calls.0[TIME],
                faults: calls.0[FAULTS],
                interrupts: calls.0[INTERRUPTS],
                limits: limits(found.account as usize),
                portals,
            });
        }
        self.tables.retain(|table| state.domains.iter().any(|d| d.identity == format!("{:x}", table.identity)));
        state.components = (0..).map_while(|n| component(n).ok()).collect();
        Ok(state)
    }
    /// The portals of a domain, without what they have counted.
    fn table(&mut self, domain: &Domain) -> &[report::Portal] {
        let known = self.tables.iter().position(|table| table.identity == domain.identity);
        let place = known.unwrap_or_else(|| {
            self.tables.push(Table { identity: domain.identity, count: 0, at: 0, portals: Vec::new() });
            self.tables.len() - 1
        });
        let table = &mut self.tables[place];
        if table.count != domain.portals || now() >= table.at + FRESH {
            (table.count, table.at) = (domain.portals, now());
            table.portals.clear();
            table.portals.reserve_exact(domain.portals as usize);
            for number in 1..NPORTALS {
                // No more than there are.
                if table.portals.len() as u64 == domain.portals {
                    break;
                }
                let mut portal = WholePage::new(Portal::NONE);
                if inspect::portal(
                    DomainNumber(domain.asid as usize),
                    PortalNumber(number),
                    Alleged::lend_to_write(&mut portal.0),
                )
                .is_ok()
                {
                    let Portal { name, spec, server, .. } = &portal.0;
                    let (name, spec) = (report::name(name), report::spec(spec));
                    table.portals.push(report::Portal { number, name, spec, to: *server, calls: 0 });
                }
            }
        }
        &table.portals
    }
    /// What the system has said.
    pub fn log(&self) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        while all.len() < LOG {
            let mut piece = WholePage::new([0u8; abi::address::PAGE]);
            match init::lines(all.len(), Alleged::lend_all_to_write(&mut piece.0))? {
                0 => break,
                count => all.extend_from_slice(&piece.0[..count.min(abi::address::PAGE)]),
            }
        }
        Ok(all)
    }
    /// What is in a directory. `ENOTDIR`: it is a file.
    pub fn list(&self, path: &str) -> Result<Listing> {
        let mut entries = Vec::new();
        for entry in directory::read(if path.is_empty() { "/" } else { path })?.take(ENTRIES) {
            let entry = entry?;
            let Metadata { kind, bytes, .. } = entry.metadata;
            entries.push(Entry { name: entry.name().into(), directory: kind == Kind::Directory, bytes });
        }
        Ok(Listing { path: path.into(), entries })
    }
    /// The beginning of a file.
    pub fn file(&self, path: &str) -> Result<Vec<u8>> {
        let file = File::open(path)?;
        let mut bytes = alloc::vec![0; SHOWN];
        let mut length = 0;
        while length < bytes.len() {
            match file.read(&mut bytes[length..])? {
                0 => break,
                count => length += count,
            }
        }
        bytes.truncate(length);
        Ok(bytes)
    }
    pub fn change(&mut self, change: Change) -> Result<()> {
        match change {
            Change::Start(name) => start(&name),
            Change::End { asid, identity, stays } => {
                let meant = domain(asid)?;
                if meant.identity != identity {
                    // It has ended, and its number is another's.
                    return Err(Error::ESRCH);
                }
                let name = report::name(&meant.name);
                let component = (0..).map_while(|n| component(n).ok()).any(|own| own == name);
                if stays && component {
                    // Who looks after it is told not to. One that it does not know is somebody's child.
                    let _ = init::let_end(Identity(identity as usize));
                }
                domains::destroy(Identity(identity as usize))?;
                if !stays && component && !is_back(&name) {
                    start(&name)?;
                }
                Ok(())
            }
        }
    }
}
/// Whether a component runs again before long: its manifest may say that it does.
fn is_back(name: &str) -> bool {
    let runs = || (1..MAX_DOMAINS).filter_map(|asid| domain(asid).ok()).any(|d| report::name(&d.name) == name);
    let end = time() + BACK;
    while time() < end {
        if runs() {
            return true;
        }
        wait(TIMEBASE / 50);
    }
    runs()
}
fn start(name: &str) -> Result<()> {
    let mut line = WholePage::new([0u8; 1024]);
    line.0.get_mut(..name.len()).ok_or(Error::EINVAL)?.copy_from_slice(name.as_bytes());
    init::spawn(Alleged::lend_all(&line.0), name.len()).map(|_| ())
}
/// What an account has taken and may take; nothing for the system's own.
fn limits(account: usize) -> Vec<(&'static str, usize, usize)> {
    if account == 0 {
        return Vec::new();
    }
    let mut report = WholePage::new(Report::NONE);
    if inspect::account(account, Alleged::lend_to_write(&mut report.0)).is_err() {
        return Vec::new();
    }
    let Report { used, limits } = report.0;
    let [pages, most] = [4, 5].map(|what| memory::info(what, account).unwrap_or(0));
    let of = |resource: Resource| {
        let n = resource as usize;
        (resource.text(), used[n] as usize, limits[n] as usize)
    };
    Resource::ALL.into_iter().map(of).chain([("memory", pages, most)]).collect()
}
