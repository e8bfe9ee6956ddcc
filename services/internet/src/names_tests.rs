//! What is known without asking, and what answers come to.

use super::*;

const BOTH: &[u16] = &[family::IPV4, family::IPV6];
const NOW: Instant = Instant::from_micros_const(1_000_000);

fn four(last: u8) -> Result<Answers, Error> {
    Ok(Answers::of(&[IpAddress::v4(192, 0, 2, last)]))
}
fn six() -> Result<Answers, Error> {
    Ok(Answers::of(&[IpAddress::v6(0x2001, 0xdb8, 0, 0, 0, 0, 0, 7)]))
}
fn asked(answers: &[Result<Answers, Error>]) -> Asked {
    let mut asked = Asked::default();
    for &answer in answers {
        let place = asked.add();
        asked.heard(place, answer, NOW);
    }
    asked
}
fn count(found: Result<Found, Error>) -> Result<u64, Error> {
    found.map(|found| found.count)
}

#[test]
fn numbers_and_this_machine_are_asked_of_nobody() {
    for (name, families, addresses) in [
        ("localhost", BOTH, Ok(2)),
        ("LocalHost.", BOTH, Ok(2)),
        ("some.localhost", &BOTH[..1], Ok(1)),
        ("192.0.2.1", BOTH, Ok(1)),
        ("192.0.2.1", &BOTH[1..], Err(Error::ENOENT)),
        ("2001:db8::1", &BOTH[1..], Ok(1)),
        ("2001:db8::1", &BOTH[..1], Err(Error::ENOENT)),
    ] {
        assert_eq!(own(name, families).map(count), Some(addresses), "{name}");
    }
    for name in ["localhost.example.org", "notlocalhost", "1.2.3", "a"] {
        assert_eq!(own(name, BOTH), None, "{name}");
    }
}
#[test]
fn addresses_of_both_families_are_told_those_of_version_4_first() {
    let found = asked(&[four(7), six()]).found().unwrap();
    assert_eq!(found.count, 2);
    assert_eq!([found.addresses[0].family, found.addresses[1].family], [family::IPV4, family::IPV6]);
    assert_eq!(count(asked(&[Err(Error::ENOENT), six()]).found()), Ok(1));
    let many: Vec<IpAddress> = (0..20).map(|n| IpAddress::v4(192, 0, 2, n)).collect();
    assert_eq!(count(asked(&[Ok(Answers::of(&many)), six()]).found()), Ok(8));
}
#[test]
fn what_no_server_can_say_now_is_not_said_not_to_be_there() {
    assert_eq!(asked(&[Err(Error::ENOENT), Err(Error::ENOENT)]).found(), Err(Error::ENOENT));
    assert_eq!(asked(&[Err(Error::ENOENT), Err(Error::ETIMEDOUT)]).found(), Err(Error::ETIMEDOUT));
    assert_eq!(asked(&[Err(Error::ETIMEDOUT)]).found(), Err(Error::ETIMEDOUT));
}
#[test]
fn a_server_that_says_nothing_of_one_family_does_not_hold_up_the_other() {
    let mut asked = asked(&[four(7)]);
    let place = asked.add();
    assert_eq!(asked.until(NOW), Some(Some(NOW + DELAY)));
    assert_eq!(asked.until(NOW + DELAY), None);
    assert_eq!(count(asked.found()), Ok(1));
    asked.heard(place, six(), NOW);
    assert_eq!(asked.until(NOW), None);
    // Without any it is waited for to the end.
    let mut alone = Asked::default();
    alone.add();
    assert_eq!(alone.until(NOW + DELAY * 100), Some(None));
}
