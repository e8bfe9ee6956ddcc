use super::*;
use abi::address::IMAGE_VA;
use abi::rights::Rights;
use keyring::{Key, Signs};
use ring::signature::{Ed25519KeyPair, KeyPair};
use update::{Part, Parts};

const SYSTEM: keyring::Digest = [7; 32];
const VA: u64 = IMAGE_VA as u64;

const HAD: Had = Had { current: 4, before: 2, newest: 5, downgrades: false };

fn pair(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
}
/// Those of three signers: one for all, one for `web`, one revoked.
fn keys() -> Keys {
    let signs = [Signs::All, Signs::Named(vec!["web".into()]), Signs::Revoked];
    let public = |seed| pair(seed).public_key().as_ref().try_into().unwrap();
    let keys = signs.into_iter().zip(1..).map(|(signs, seed)| Key { public: public(seed), signs }).collect();
    Keys { made: SYSTEM, keys }
}
fn code() -> [Part<'static>; 1] {
    [Part { va: VA, bytes: &[0x82, 0x80], memory_bytes: 2, rights: Rights::READ_EXECUTE.bits() }]
}
fn file(name: &str, version: u64, system: keyring::Digest, seed: u8) -> Vec<u8> {
    of(Isolation::Domain, name, version, system, seed)
}
fn of(isolation: Isolation, name: &str, version: u64, system: keyring::Digest, seed: u8) -> Vec<u8> {
    let parts = Parts {
        name,
        version,
        isolation: isolation as u32,
        system,
        entry: VA,
        heap: VA + 4096,
        segments: &code(),
        opens: &[],
    };
    let sign = |bytes: &[u8]| Ok::<_, ()>(pair(seed).sign(bytes).as_ref().try_into().unwrap());
    update::signed(parts.write().unwrap(), keyring::identity(pair(seed).public_key().as_ref()), sign).unwrap()
}
fn refused(file: &[u8]) -> String {
    examine(file, &keys(), "web", HAD).unwrap_err().to_string()
}

#[test]
fn what_is_signed_for_its_component_and_newer_is_taken() {
    for seed in [1, 2] {
        let file = file("web", 6, SYSTEM, seed);
        assert_eq!(examine(&file, &keys(), "web", HAD).unwrap().version(), 6);
    }
}
#[test]
fn a_byte_that_was_changed_is_refused_wherever_it_is() {
    let file = file("web", 6, SYSTEM, 1);
    for at in (0..file.len()).step_by(3) {
        let mut changed = file.clone();
        changed[at] ^= 1;
        let why = examine(&changed, &keys(), "web", HAD).unwrap_err();
        let key = file.len() - update::SIGNATURE - update::KEY;
        let expected = match at {
            0..8 => Refused::File(update::Error::Magic),
            8..12 => Refused::File(update::Error::Length),
            at if at >= key && at < key + update::KEY => Refused::Unsigned(Unsigned::UnknownKey),
            _ => Refused::Unsigned(Unsigned::Signature),
        };
        assert_eq!(why, expected, "byte {at}");
    }
}
#[test]
fn an_unknown_and_a_revoked_key_are_refused() {
    assert_eq!(refused(&file("web", 6, SYSTEM, 9)), "it is signed with a key that this system does not know");
    assert_eq!(refused(&file("web", 6, SYSTEM, 3)), "it is signed with a key that was revoked");
}
#[test]
fn a_key_signs_for_its_components_only() {
    let file = file("clock", 6, SYSTEM, 2);
    let refused = examine(&file, &keys(), "clock", Had::default()).unwrap_err().to_string();
    assert_eq!(refused, "its key may not sign for component \"clock\"");
}
#[test]
fn a_key_for_one_component_signs_for_none_that_no_page_table_keeps_apart() {
    for isolation in [Isolation::Sfi, Isolation::Supervisor] {
        let [all, one] = [1, 2].map(|seed| of(isolation, "web", 6, SYSTEM, seed));
        assert!(examine(&all, &keys(), "web", HAD).is_ok());
        assert_eq!(examine(&one, &keys(), "web", HAD).unwrap_err(), Refused::NotAlone);
    }
}
#[test]
fn another_components_is_refused() {
    assert_eq!(refused(&file("clock", 6, SYSTEM, 1)), "it is of component \"clock\"");
}
#[test]
fn one_for_another_system_is_refused() {
    assert_eq!(refused(&file("web", 6, [8; 32], 1)), "it was built for another system than this one");
}
#[test]
fn an_older_version_and_the_same_are_refused_where_that_is_forbidden() {
    for version in [1, 2, 4, 5] {
        let file = file("web", version, SYSTEM, 1);
        assert_eq!(refused(&file), "the component has had version 5 already");
    }
    let downgrades = Had { downgrades: true, ..HAD };
    for version in [1, 3, 5, 6] {
        let file = file("web", version, SYSTEM, 1);
        assert_eq!(examine(&file, &keys(), "web", downgrades).map(|update| update.version()).ok(), Some(version));
    }
    // What is there, or is to come back, is not overwritten.
    for version in [2, 4] {
        let file = file("web", version, SYSTEM, 1);
        let refused = examine(&file, &keys(), "web", downgrades).unwrap_err();
        assert_eq!(refused, Refused::Same(version));
    }
}
#[test]
fn what_is_no_update_is_refused_before_its_signature_is_looked_at() {
    assert!(refused(b"no update").starts_with("it is no update of a component"));
}
