//! The portals between the boot components.

use crate::domains::Domain;
use crate::memory::Memory;
use crate::{Error, Program, declared};
use abi::address::{CODE_END, code_address, supervisor};
use abi::boot::{BootInfo, BootOpen, BootPortal, BootShortCircuit, OPENS, PORTALS, Symbols};
use abi::count::{FAULTS, INTERRUPTS};
use abi::nucleus::{BLOCK_HEADER, NPORTALS, domain};
use abi::section::{NAME, SHORT_CIRCUIT, SPEC, ShortCircuit, cut, text};
use abi::step::Step;
use abi::system;
use abi::template::{Lowered, Template, choice};
use abi::wiring::{self, EXCEPTIONS, ILLEGAL, RAISED};
use manifest::{Role, System};
use portal::counted::{Switches, counted};
use portal::{Connection, Count, End, Specification, Templates, generate};
use std::collections::HashMap;
use std::mem::offset_of;

/// Where the nucleus's entry points are.
pub fn symbols(nucleus: &Program) -> Result<Symbols, Error> {
    macro_rules! find { ($($field:ident)*) => { Symbols { $($field: nucleus.symbol(concat!("nucleus_", stringify!($field)))?,)* } } }
    Ok(find! {
        raise complete floating_push no_stack parked stack_free bad_portal return_portal first_frame start restore floating_return fatal illegal asid
        raise_supervisor start_supervisor restore_supervisor call_supervisor exit_supervisor patch_open patch_close
        thread hrtime switch idle timer_set code_sync tlb_flush tlb_flush_asid interrupts_mask
    })
}
/// A portal that a boot component provides.
struct Provided {
    name: String,
    specification: Specification,
    entry: u64,
    constant: u64,
    server: usize,
}

struct Opener<'a> {
    provided: Vec<Provided>,
    by_name: HashMap<String, usize>,
    memory: &'a mut Memory,
    info: &'a mut BootInfo,
    next: usize,
    /// Generated code by what is provided, the caller and where it counts: opened once each.
    made: HashMap<(usize, u64, Count), u64>,
    /// And by what it is: callers for whom it is the same share it. What the nucleus provides has [`PORTALS`] for a number.
    by_words: HashMap<(usize, Vec<u8>), u64>,
}

/// Generates the portals of all boot components and fills their tables. Returns where portal code goes on.
pub fn open_all(
    system: &System,
    domains: &mut [Domain],
    memory: &mut Memory,
    info: &mut BootInfo,
    next: usize,
) -> Result<usize, Error> {
    templates(system, domains, info)?;
    let provided = provides(domains, info)?;
    if provided.len() > PORTALS {
        return Err(Error::TooMany("portals of boot components"));
    }
    for (place, p) in info.portals.iter_mut().zip(&provided) {
        let name = cut(&p.name);
        let mut spec = [0; SPEC];
        p.specification.write(&mut spec);
        *place = BootPortal { name, spec, entry: p.entry, constant: p.constant, asid: domains[p.server].asid as u64 };
    }
    info.portal_count = provided.len() as u64;
    short_circuits(domains, &provided, info)?;
    let by_name = provided.iter().enumerate().map(|(n, p)| (p.name.clone(), n)).collect();
    let mut opener = Opener { provided, by_name, memory, info, next, made: HashMap::new(), by_words: HashMap::new() };
    for n in 0..domains.len() {
        opener.fixed_entries(&domains[n], domains)?;
        opener.system_entries(&domains[n], domains)?;
        let imports = declared::imports(&domains[n].program);
        for (number, import) in (system::FIRST_FREE..).zip(imports) {
            allowed(system, &domains[n], &import.name)?;
            opener.open(&domains[n], domains, &import.name, number)?;
            domains[n].program.patch(import.number, number as u64);
        }
    }
    opener.info.block_count = opener.by_words.len() as u64;
    for d in domains.iter() {
        d.store(opener.memory);
    }
    Ok(opener.next)
}

fn allowed(_system: &System, domain: &Domain, name: &str) -> Result<(), Error> {
    let matches = |pattern: &String| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    if domain.component.opens.iter().any(matches) {
        return Ok(());
    }
    Err(Error::NotAllowed { component: domain.component.name.clone(), portal: name.to_string() })
}

/// Whether a fault of the component is the end of the system.
fn vital(d: &Domain) -> bool {
    d.flags & abi::nucleus::flags::MASKED != 0 || matches!(d.component.role, Role::Memory | Role::Portals)
}
/// The portals that the components' section lists.
fn provides(domains: &[Domain], info: &BootInfo) -> Result<Vec<Provided>, Error> {
    let templates: Vec<&Lowered> = info.templates().collect();
    let mut all = Vec::new();
    for (server, d) in domains.iter().enumerate() {
        for declared in declared::provides(&d.program).into_iter().filter(declared::Provides::is_from_the_start) {
            let specification = Specification::parse(&declared.specification, true, &Templates::new(&templates))
                .map_err(|r| Error::Specification {
                    component: d.component.name.clone(),
                    portal: declared.name.clone(),
                    specification: declared.specification.clone(),
                    position: r.position,
                    reason: format!("{:?}", r.reason),
                })?;
            let declared::Provides { name, entry, constant, .. } = declared;
            all.push(Provided { name, specification, entry, constant, server });
        }
    }
    Ok(all)
}
/// Takes over the templates that the components' section lists.
fn templates(system: &System, domains: &[Domain], info: &mut BootInfo) -> Result<(), Error> {
    for d in domains {
        let symbols = (d.program.symbol("__templates_start"), d.program.symbol("__templates_end"));
        let (Ok(start), Ok(end)) = symbols else { continue };
        for at in (start..end).step_by(size_of::<Template>()) {
            let Some(bytes) = d.program.at(at, size_of::<Template>()) else { continue };
            // SAFETY: as many bytes as a template has, which is integers only.
            let mut template: Template = unsafe { bytes.as_ptr().cast::<Template>().read_unaligned() };
            if template.choice == choice::AT_TOUCH && system.windows == manifest::Windows::Call {
                continue;
            }
            let refused = |why| Error::Template(d.component.name.clone(), why);
            if !d.component.trusted {
                return Err(refused(None));
            }
            portal::form::check(&template).map_err(|why| refused(Some(why)))?;
            if template.record != 0 {
                let record = d.physical(template.record).ok_or_else(|| refused(None))?;
                template.record = supervisor(record) as u64;
            }
            info.add_template(&portal::lower::template(&template), d.asid as u64)
                .ok_or(Error::TooMany("templates of boot components"))?;
        }
    }
    Ok(())
}
/// Takes over the short circuits that the components' section lists.
fn short_circuits(domains: &[Domain], provided: &[Provided], info: &mut BootInfo) -> Result<(), Error> {
    for (server, d) in domains.iter().enumerate() {
        let symbols = (d.program.symbol("__short_circuits_start"), d.program.symbol("__short_circuits_end"));
        let (Ok(start), Ok(end)) = symbols else { continue };
        let size = size_of::<ShortCircuit>();
        for at in (start..end).step_by(size) {
            let Some(entry) = d.program.at(at, size) else { continue };
            let word = |o: usize| u64::from_le_bytes(entry[o..o + 8].try_into().unwrap());
            let name = text(&entry[..NAME]);
            let missing = || Error::NoPortal { component: d.component.name.clone(), portal: name.to_string() };
            let portal = provided.iter().position(|p| p.server == server && p.name == name).ok_or_else(missing)?;
            // SAFETY: as many bytes as there are steps, which are integers only.
            let steps: [Step; SHORT_CIRCUIT] = unsafe {
                entry[offset_of!(ShortCircuit, steps)..].as_ptr().cast::<[Step; SHORT_CIRCUIT]>().read_unaligned()
            };
            let count = word(offset_of!(ShortCircuit, count));
            let stride = word(offset_of!(ShortCircuit, stride));
            let refused = || Error::ShortCircuit(d.component.name.clone(), name.to_string());
            let steps = steps.get(..count as usize).ok_or_else(refused)?;
            portal::short_circuit::check(steps, stride as usize).map_err(|_| refused())?;
            let words = portal::lower::short_circuit(steps);
            let records = d.physical(word(offset_of!(ShortCircuit, records))).ok_or_else(missing)?;
            let place = info.short_circuits.get_mut(info.short_circuit_count as usize);
            *place.ok_or(Error::TooMany("short circuits"))? = BootShortCircuit {
                portal: portal as u64,
                words,
                count,
                records: supervisor(records) as u64,
                mask: word(offset_of!(ShortCircuit, mask)),
                stride,
            };
            info.short_circuit_count += 1;
        }
    }
    Ok(())
}
impl Opener<'_> {
    fn end(domain: &Domain) -> End {
        End { table: domain.table(), asid: domain.asid as u64, flags: domain.flags }
    }
    /// Code of the portal called `name` for `caller`, which counts in word `word`.
    fn code(&mut self, caller: &Domain, domains: &[Domain], name: &str, word: usize) -> Result<u64, Error> {
        let count = Count::word(self.info.counters != 0, word);
        let mut words = portal::emit::Buffer::EMPTY;
        if let Some(code) = self.info.symbols.portal(name) {
            if count == Count::Off {
                return Ok(code);
            }
            let switches = match name {
                "nucleus.switch" => Switches::Always,
                "nucleus.timer_set" => Switches::Asked,
                _ => Switches::Never,
            };
            let length = counted(code, word, switches, &mut words).ok_or(Error::TooMany("instructions in a portal"))?;
            return self.put(PORTALS, &words.0[..length]);
        }
        let missing = || Error::NoPortal { component: caller.component.name.clone(), portal: name.to_string() };
        let id = *self.by_name.get(name).ok_or_else(missing)?;
        if let Some(&code) = self.made.get(&(id, caller.table(), count)) {
            return Ok(code);
        }
        let p = &self.provided[id];
        let constants = [p.constant; 6];
        let templates: Vec<&Lowered> = self.info.templates().collect();
        let connection = Connection {
            specification: &p.specification,
            caller: Self::end(caller),
            callee: Self::end(&domains[p.server]),
            entry: p.entry,
            constants: &constants,
            short_circuit: None,
            // Who answers for faults, or is lost by one, can not wait for its own.
            templates: Templates::new(&templates).at_touch(!vital(&domains[p.server])),
            count,
            trace: None,
        };
        let block = generate(&connection, &self.info.symbols, &mut words)
            .map_err(|_| Error::TooMany("instructions in a portal"))?;
        let code = self.put(id, &words.0[..block.words])?;
        self.made.insert((id, caller.table(), count), code);
        Ok(code)
    }
    /// The place of a portal to `id` with these words, which may be there already.
    fn put(&mut self, id: usize, words: &[u32]) -> Result<u64, Error> {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        if let Some(&code) = self.by_words.get(&(id, bytes.clone())) {
            return Ok(code);
        }
        if self.next + bytes.len() > CODE_END {
            return Err(Error::TooMany("boot portals"));
        }
        self.memory.write(self.next, &bytes);
        let code = (code_address(self.next) + BLOCK_HEADER) as u64;
        self.next = (self.next + bytes.len()).next_multiple_of(64);
        self.by_words.insert((id, bytes), code);
        Ok(code)
    }
    /// Opens `name` as entry `number` of the caller's table.
    fn open(&mut self, caller: &Domain, domains: &[Domain], name: &str, number: usize) -> Result<(), Error> {
        let code = self.code(caller, domains, name, number)?;
        self.entry(caller, number, code);
        let portal = self.by_name.get(name).copied();
        // The nucleus's own are known by their addresses where they are not counted.
        if portal.is_some() || self.info.counters != 0 {
            let place = self.info.open_count as usize;
            if place == OPENS {
                return Err(Error::TooMany("portals opened by boot components"));
            }
            let portal = portal.unwrap_or(PORTALS) as u32;
            self.info.opens[place] = BootOpen { asid: caller.asid as u16, number: number as u16, portal, code };
            self.info.open_count += 1;
        }
        Ok(())
    }
    /// The entries for faults and interrupts.
    fn fixed_entries(&mut self, d: &Domain, domains: &[Domain]) -> Result<(), Error> {
        let symbols = self.info.symbols;
        let faults = if vital(d) { symbols.fatal } else { self.code(d, domains, EXCEPTIONS, FAULTS)? };
        for number in 0..24 {
            self.memory.write_u64(d.field(domain::fault(number)), faults);
        }
        self.memory.write_u64(d.field(domain::fault(ILLEGAL)), symbols.illegal);
        let masked = d.flags & abi::nucleus::flags::MASKED != 0;
        for (number, name) in RAISED {
            let code = if masked { symbols.fatal } else { self.code(d, domains, name, FAULTS)? };
            self.memory.write_u64(d.field(domain::fault(number)), code);
        }
        for cause in 0..16 {
            self.memory.write_u64(d.field(domain::interrupt(cause)), symbols.fatal);
        }
        for (cause, name) in wiring::INTERRUPTS {
            let code = if masked { symbols.fatal } else { self.code(d, domains, name, INTERRUPTS)? };
            self.memory.write_u64(d.field(domain::interrupt(cause)), code);
        }
        Ok(())
    }
    /// The portals that every domain has.
    fn system_entries(&mut self, d: &Domain, domains: &[Domain]) -> Result<(), Error> {
        let symbols = self.info.symbols;
        self.entry(d, 0, symbols.return_portal);
        for number in 1..NPORTALS {
            self.entry(d, number, symbols.bad_portal);
        }
        if d.component.role == Role::Idle {
            self.open(d, domains, "scheduler.start", system::idle::START)?;
            return self.open(d, domains, "nucleus.idle", system::idle::WAIT);
        }
        if d.flags & abi::nucleus::flags::MASKED != 0 {
            return Ok(());
        }
        for &(number, name) in system::ALL {
            let name = system::portal_for(d.flags & abi::nucleus::flags::TRUSTED != 0, number, name);
            let code = self.code(d, domains, name, number)?;
            self.entry(d, number, code);
        }
        Ok(())
    }
    /// Makes portal `number` of `d` lead to `code`.
    fn entry(&mut self, d: &Domain, number: usize, code: u64) {
        self.memory.write_u32(d.field(domain::entry(number)), code as u32);
    }
}
