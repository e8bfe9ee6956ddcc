use super::*;
use abi::Error;
use extension::{Compare, Condition, Export, Extension, Guard, Import, Interface, Limits, Order, Part, Parts};
use keyring::{Key, Keys, Signs, Unsigned};
use proptest::prelude::*;
use ring::signature::{Ed25519KeyPair, KeyPair};

const COMPILER: extension::Digest = [7; 32];

fn pair(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
}
fn public(seed: u8) -> [u8; 32] {
    pair(seed).public_key().as_ref().try_into().unwrap()
}
/// Those of three signers: one for all, one for `packets`, one revoked.
fn keys() -> Keys {
    let signs = [Signs::All, Signs::Named(vec!["packets".into()]), Signs::Revoked];
    let keys = signs.into_iter().zip(1..).map(|(signs, seed)| Key { public: public(seed), signs }).collect();
    Keys { made: COMPILER, keys }
}
const PORT: Condition = Condition::new(0, Part::Bytes, 36, 2, Compare::Equal, 23);
fn parts() -> Parts<'static> {
    Parts {
        name: "filter",
        reason: "",
        compiler: COMPILER,
        limits: Limits::DEFAULT,
        interfaces: &[Interface { name: RUNTIME, digest: [1; 32] }, Interface { name: "packets", digest: [2; 32] }],
        imports: &[
            Import { interface: 0, procedure: 2, name: "panicked" },
            Import { interface: 1, procedure: 1, name: "reset" },
        ],
        exports: &[Export { interface: 1, event: 0, entry: 2, name: "arrived", order: Order::Before("other") }],
        guards: &[Guard { export: 0, condition: PORT }],
        text: &[1, 0, 0x82, 0x80],
        constants: &[0; 16],
        relocations: &[],
        symbols: b"",
    }
}
/// A file, signed with the key of that seed.
fn signed_by(file: Vec<u8>, seed: u8) -> Vec<u8> {
    let digest = ring::digest::digest(&ring::digest::SHA256, &public(seed));
    let key = digest.as_ref()[..extension::KEY].try_into().unwrap();
    let sign = |bytes: &[u8]| Ok::<_, ()>(pair(seed).sign(bytes).as_ref().try_into().unwrap());
    extension::signed(file, key, sign).unwrap()
}
fn file(parts: &Parts, seed: u8) -> Vec<u8> {
    signed_by(parts.write().unwrap(), seed)
}
/// What a host exports.
fn host() -> Vec<Exported> {
    let exported = |name: &str, identity, events, procedures: &[u64]| Exported {
        name: name.into(),
        identity: [identity; 32],
        events,
        quantum: 10_000,
        procedures: procedures.to_vec(),
    };
    vec![exported("files", 3, 9, &[]), exported("packets", 2, 1, &[0x100, 0x200]), exported(RUNTIME, 1, 0, &[1, 2, 3])]
}
/// All that the linker asks.
fn plan<'a>(file: &'a [u8], keys: &Keys, host: &[Exported]) -> Result<Plan<'a>, Refused<'a>> {
    crate::plan(file, signed(file, keys)?, keys.made, host)
}
fn refused(file: &[u8], host: &[Exported]) -> String {
    plan(file, &keys(), host).unwrap_err().to_string()
}

#[test]
fn slots_lead_to_the_hosts_procedures_and_handlers_to_its_events() {
    for seed in [1, 2] {
        let file = file(&parts(), seed);
        let plan = plan(&file, &keys(), &host()).unwrap();
        assert_eq!(plan.slots, [3, 0x200]);
        let handlers = &plan.handlers.all[..plan.handlers.count as usize];
        let handlers: Vec<_> = handlers.iter().map(|h| (h.interface, h.event, h.entry)).collect();
        assert_eq!(handlers, [(1, 0, 2)]);
    }
}
#[test]
fn an_unknown_key_is_refused() {
    assert_eq!(plan(&file(&parts(), 9), &keys(), &host()).unwrap_err(), Refused::Unsigned(Unsigned::UnknownKey));
    assert_eq!(plan(&parts().write().unwrap(), &keys(), &host()).unwrap_err(), Refused::Unsigned(Unsigned::UnknownKey));
}
#[test]
fn a_revoked_key_is_refused() {
    assert_eq!(plan(&file(&parts(), 3), &keys(), &host()).unwrap_err(), Refused::Unsigned(Unsigned::RevokedKey));
}
#[test]
fn a_byte_that_was_changed_is_refused_wherever_it_is() {
    let file = file(&parts(), 1);
    for at in 0..file.len() {
        let mut changed = file.clone();
        changed[at] ^= 1;
        let why = plan(&changed, &keys(), &host()).unwrap_err();
        let seal = file.len() - extension::SIGNATURE - extension::KEY;
        let expected = match at {
            0..8 => Refused::File(extension::Error::Magic),
            8..12 => Refused::File(extension::Error::Length),
            at if at >= seal && at < seal + extension::KEY => Refused::Unsigned(Unsigned::UnknownKey),
            _ => Refused::Unsigned(Unsigned::Signature),
        };
        assert_eq!(why, expected, "byte {at}");
    }
}
#[test]
fn a_key_signs_for_its_interfaces_only() {
    let [runtime, packets] = [0, 1].map(|n| parts().interfaces[n]);
    let interfaces = [runtime, Interface { name: "files", digest: [3; 32] }, packets];
    let exports = [Export { interface: 2, event: 0, entry: 0, name: "arrived", order: Order::Usual }];
    let file = file(&Parts { interfaces: &interfaces, imports: &[], exports: &exports, ..parts() }, 2);
    assert_eq!(plan(&file, &keys(), &host()).unwrap_err(), Refused::NotForKey("files"));
}
#[test]
fn another_compiler_is_refused() {
    let file = file(&Parts { compiler: [8; 32], ..parts() }, 1);
    assert_eq!(plan(&file, &keys(), &host()).unwrap_err(), Refused::Compiler);
}
#[test]
fn an_interface_of_another_declaration_is_refused() {
    let mut host = host();
    host[1].identity[31] ^= 1;
    assert_eq!(refused(&file(&parts(), 1), &host), "the component's interface \"packets\" is declared otherwise");
    host[1].name = "bytes".into();
    assert_eq!(refused(&file(&parts(), 1), &host), "the component exports no interface \"packets\"");
}
#[test]
fn numbers_beyond_what_an_interface_has_are_refused() {
    let mut fewer = host();
    fewer[1].procedures.pop();
    assert_eq!(plan(&file(&parts(), 1), &keys(), &fewer).unwrap_err(), Refused::NoProcedure("packets", 1));
    let mut fewer = host();
    fewer[1].events = 0;
    assert_eq!(plan(&file(&parts(), 1), &keys(), &fewer).unwrap_err(), Refused::NoEvent("packets", 0));
}
#[test]
fn what_handles_nothing_is_refused() {
    let file = file(&Parts { exports: &[], guards: &[], ..parts() }, 1);
    assert_eq!(plan(&file, &keys(), &host()).unwrap_err(), Refused::NoHandler);
}
#[test]
fn a_host_is_told_on_what_terms_a_handler_is_called() {
    let file = file(&parts(), 1);
    let extension = Extension::parse(&file).unwrap();
    let export = extension.exports().next().unwrap();
    let mut said = abi::linking::Terms::default();
    assert!(terms(&extension, 0, &export, &mut said));
    assert_eq!((said.order, abi::section::text(&said.other), said.count), (3, "other", 1));
    assert_eq!(Condition::of(&said.conditions[0]), Some(PORT));
    let mut usual = abi::linking::Terms::default();
    assert!(!terms(&extension, 1, &Export { order: Order::Usual, ..export }, &mut usual), "nothing is said of it");
    assert!(terms(&extension, 1, &Export { order: Order::Last, ..export }, &mut usual));
    assert_eq!((usual.order, usual.count), (2, 0));
}
#[test]
fn a_host_that_says_what_can_not_be_is_not_believed() {
    let said = |change: fn(&mut abi::linking::Interface)| {
        let mut said = abi::linking::Interface::default();
        said.name[..7].copy_from_slice(b"packets");
        (said.events, said.procedures, said.addresses[0]) = (1, 1, 0x100);
        change(&mut said);
        Exported::new(&said).map(|exported| (exported.events, exported.procedures))
    };
    assert_eq!(said(|_| ()), Ok((1, vec![0x100])));
    for change in [
        (|said| said.procedures = 257) as fn(&mut abi::linking::Interface),
        |said| said.procedures = u64::MAX,
        |said| said.events = 257,
        |said| said.name[0] = b' ',
        |said| said.name = [0xff; 32],
        |said| said.name = [0; 32],
    ] {
        assert_eq!(said(change), Err(Refused::Host));
    }
}
proptest! {
    #![proptest_config(properties::config(512))]
    /// Whatever is signed, by who may: it is refused, or all that the linker does with it stays within what the host has.
    #[test]
    fn whatever_is_signed_leads_to_what_the_host_has(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6)
    ) {
        let mut file = parts().write().unwrap();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        let file = signed_by(file, 1);
        let host = host();
        if let Ok(plan) = plan(&file, &keys(), &host) {
            prop_assert_eq!(plan.slots.len(), plan.extension.imports().len());
            prop_assert!(plan.slots.iter().all(|slot| host.iter().any(|e| e.procedures.contains(slot))));
            for handler in &plan.handlers.all[..plan.handlers.count as usize] {
                prop_assert!((handler.event as usize) < host[handler.interface as usize].events);
                prop_assert!((handler.entry as usize) < plan.extension.text().len());
            }
            let mut page = [0; extension::PAGE];
            for at in (0..plan.extension.layout().end).step_by(extension::PAGE) {
                plan.extension.page(at, 0x4000, &plan.slots, &mut page);
            }
        }
    }
}

#[test]
fn why_is_said_in_words() {
    let file = file(&parts(), 1);
    assert_eq!(refused(&file[..file.len() - 1], &host()), "it is not as long as its header says");
    assert_eq!(refused(b"no extension", &host()), "it is no extension: it does not begin with PBLEXT02");
    assert!(Extension::parse(&file).is_ok());
}

fn info(number: u64, why: u64) -> abi::linking::Info {
    abi::linking::Info { number, why, ..Default::default() }
}
fn name(text: &str) -> Name {
    abi::section::cut(text)
}
#[test]
fn a_host_that_never_ends_what_it_says_is_not_listened_to() {
    let said = |linked: fn(u64) -> Option<u64>, ended: fn(usize) -> Option<u64>| {
        let mut n = 0;
        said(|asked| {
            Ok(match asked {
                Asked::Linked(from) => linked(from).map(|number| info(number, 9)),
                Asked::Ended => {
                    n += 1;
                    ended(n).map(|number| info(number, 0))
                }
            })
        })
        .map(|all| all.iter().map(|info| (info.number, info.why)).collect::<Vec<_>>())
    };
    let three = |from: u64| (from < 3).then_some(from.max(1));
    assert_eq!(said(three, |_| None), Ok(vec![(1, 0), (2, 0)]));
    assert_eq!(said(three, |n| (n == 1).then_some(2)), Ok(vec![(1, 0), (2, 1)]), "taken out meanwhile");
    assert_eq!(said(|_| Some(5), |_| None), Err(Error::EINVAL), "the same again and again");
    let back = |from| [(0, 5), (6, 1)].iter().find(|(at, _)| *at == from).map(|(_, number)| *number);
    assert_eq!(said(back, |_| None), Err(Error::EINVAL), "one before the last");
    assert_eq!(said(Some, |_| None), Err(Error::EINVAL), "always one more");
    assert_eq!(said(|_| Some(u64::MAX), |_| None), Err(Error::EINVAL));
    assert_eq!(said(|_| None, |n| Some(n as u64)), Err(Error::EINVAL), "always one more that ended");
}
#[test]
fn what_a_host_does_not_say_any_more_is_gone_and_ends_are_remembered() {
    let file = file(&Parts { reason: "on the bench", ..parts() }, 1);
    let extension = Extension::parse(&file).unwrap();
    let mut table = Table::new(100);
    for number in 1..=20 {
        assert_eq!(table.note(&name("app"), number, &extension), Ok(99 + number));
    }
    assert_eq!(table.note(&name("files"), 1, &extension), Ok(120));
    assert_eq!(table.hosts(), Ok(vec![name("app"), name("files")]));
    let said: Vec<_> = (1..=20).filter(|n| *n != 7).map(|n| info(n, u64::from(n < 20))).collect();
    table.replace(&name("app"), &said);
    let all: Vec<_> = (0..).map_while(|n| table.get(n).ok()).collect();
    let ended: Vec<_> = all.iter().filter(|linked| linked.info.why != 0).map(|linked| linked.info.number).collect();
    let last: Vec<u64> = (1..20).filter(|n| *n != 7).collect();
    assert_eq!(ended, last[last.len() - REMEMBERED..]);
    assert!(all.iter().all(|linked| abi::section::text(&linked.info.name) == "filter"), "whatever the host calls it");
    assert!(all.iter().all(|linked| abi::section::text(&linked.reason) == "on the bench"));
    // The host was started again, and its numbers begin anew.
    assert_eq!(table.find(119), Ok((name("app"), 20)));
    assert_eq!(table.note(&name("app"), 20, &extension), Ok(121));
    assert_eq!(table.find(119), Err(Error::ENOENT), "another has its number there");
    assert_eq!(table.find(100), Err(Error::ENOENT), "it has ended");
    assert_eq!(table.find(121), Ok((name("app"), 20)));
    let again = (0..).map_while(|n| table.get(n).ok());
    assert_eq!(again.filter(|l| l.host == name("app") && l.info.number == 20).count(), 1);
    table.replace(&name("files"), &[]);
    assert_eq!(table.hosts(), Ok(vec![name("app")]));
    table.forget(121);
    assert_eq!(table.hosts(), Ok(vec![]));
}
#[test]
fn a_quantum_beyond_the_components_is_refused() {
    let with = |quantum| file(&Parts { limits: Limits { quantum, ..Limits::DEFAULT }, ..parts() }, 1);
    assert!(plan(&with(10_000), &keys(), &host()).is_ok());
    let why = "an activation of it may take longer than 10000 microseconds, the component's most";
    assert_eq!(refused(&with(10_001), &host()), why);
}
