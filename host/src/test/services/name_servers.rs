//! Names of machines, as real name servers answer: in other letters, with aliases, for one family, late, cut off, or not at all.

use super::cable;
use super::router::{self, Datagram};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Two servers, of which the second knows less.
const SERVERS: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 2, 3), Ipv4Addr::new(10, 0, 2, 4)];
const PORT: u16 = 53;
/// Kinds of records (RFC 1035, RFC 3596).
const A: u16 = 1;
const ALIAS: u16 = 5;
const AAAA: u16 = 28;
/// Codes of answers, and the bit that says that there is more.
const FAILED: u16 = 2;
const NONE: u16 = 3;
const CUT: u16 = 0x0200;
/// How a name that was in the question is written behind it.
const SAME: &[u8] = &[0xc0, 12];
const FOUR: [u8; 4] = [192, 0, 2, 7];
const SIX: [u8; 16] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7];

fn labels(name: &str) -> Vec<u8> {
    let parts = name.split('.').flat_map(|part| [&[part.len() as u8][..], part.as_bytes()].concat());
    parts.chain([0]).collect()
}
fn record(name: &[u8], kind: u16, value: &[u8]) -> Vec<u8> {
    let [kind, length] = [kind, value.len() as u16].map(u16::to_be_bytes);
    [name, &kind, &[0, 1, 0, 0, 0, 60], &length, value].concat()
}
/// A name that was asked for, whole and in the letters of the question; the kind; and where the question ends.
fn question(bytes: &[u8]) -> Option<(String, u16, usize)> {
    let (mut parts, mut at) = (Vec::new(), 12);
    while let Some(length @ 1..) = bytes.get(at).map(|byte| usize::from(*byte)) {
        parts.push(String::from_utf8_lossy(bytes.get(at + 1..at + 1 + length)?).into_owned());
        at += 1 + length;
    }
    let kind = bytes.get(at + 1..at + 3)?;
    Some((parts.join("."), u16::from_be_bytes([kind[0], kind[1]]), at + 5))
}
/// What a server says to a question that it has been asked `before` times: a code, and records. `None`: nothing.
fn records(server: Ipv4Addr, name: &str, kind: u16, before: usize) -> Option<(u16, Vec<Vec<u8>>)> {
    let value: &[u8] = if kind == A { &FOUR } else { &SIX };
    let of = |name: &[u8]| vec![record(name, kind, value)];
    let first = name.split('.').next().unwrap_or_default().to_lowercase();
    Some(match &*first {
        "upper" => (0, of(&labels(&name.to_uppercase()))),
        "alias" => {
            let [web, host] = ["Web.Example.NET", "host.example.net"].map(labels);
            let mut all = vec![record(SAME, ALIAS, &web), record(&labels("web.example.net"), ALIAS, &host)];
            all.extend(of(&labels("HOST.example.net")));
            (0, all)
        }
        "only4" => (0, if kind == A { of(SAME) } else { Vec::new() }),
        "only6" => (0, if kind == AAAA { of(SAME) } else { Vec::new() }),
        "sick6" if kind == AAAA => (FAILED, Vec::new()),
        "mute6" if kind == AAAA => return None,
        "many" => (CUT, (1..=20).map(|n| record(SAME, kind, &[&value[..value.len() - 1], &[n]].concat())).collect()),
        "lost" if before == 0 => return None,
        "second" if server == SERVERS[0] => (FAILED, Vec::new()),
        "failed" => (FAILED, Vec::new()),
        "silent" => return None,
        "none" => (NONE, Vec::new()),
        _ => (0, of(SAME)),
    })
}
/// Names in small letters that were asked for, by kind, and how often.
type Asked = BTreeMap<(String, u16), usize>;
fn answered(asked: &Mutex<Asked>, datagram: &Datagram) -> Option<Vec<u8>> {
    if datagram.port != PORT {
        return None;
    }
    let (name, kind, end) = question(datagram.bytes)?;
    let mut asked = asked.lock().expect("no test has died");
    let count = asked.entry((name.to_lowercase(), kind)).or_default();
    let (code, records) = {
        let before = *count;
        *count += 1;
        records(datagram.to, &name, kind, before)?
    };
    // An answer of one that asks others in turn; one question, so many answers.
    let numbers = [0x8180 | code, 1, records.len() as u16, 0, 0].map(u16::to_be_bytes);
    let mut question = datagram.bytes.get(12..end)?.to_vec();
    if name.to_lowercase().starts_with("lower") {
        question.make_ascii_lowercase();
    }
    Some([&datagram.bytes[..2], numbers.as_flattened(), &question, &records.concat()].concat())
}
/// What is asked, and what a program is told; `…` stands for whatever.
const NAMES: &[(&str, &str)] = &[
    ("any plain.test", "192.0.2.7 2001:db8::7"),
    ("any plain.test.", "192.0.2.7 2001:db8::7"),
    ("any LOWER.Test", "192.0.2.7 2001:db8::7"),
    ("v4 upper.test", "192.0.2.7"),
    ("v6 alias.test", "2001:db8::7"),
    ("any alias.test", "192.0.2.7 2001:db8::7"),
    ("any only4.test", "192.0.2.7"),
    ("v6 only4.test", "EAI_NONAME"),
    ("any only6.test", "2001:db8::7"),
    ("v4 only6.test", "EAI_NONAME"),
    ("any sick6.test", "192.0.2.7"),
    ("v6 sick6.test", "EAI_AGAIN"),
    ("any mute6.test", "192.0.2.7"),
    ("v4 many.test", "192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5 192.0.2.6 192.0.2.7 192.0.2.8"),
    ("v4 lost.test", "192.0.2.7"),
    ("v4 second.test", "192.0.2.7"),
    ("v4 failed.test", "EAI_AGAIN"),
    ("v4 none.test", "EAI_NONAME"),
    ("any localhost", "127.0.0.1 ::1"),
    ("v4 some.LocalHost", "127.0.0.1"),
    ("any 192.0.2.1", "192.0.2.1"),
    ("any 2001:db8::1", "2001:db8::1"),
    ("v4 2001:db8::1", "EAI_NONAME"),
    // The program has written that to /etc/hosts.
    ("v4 printer", "192.0.2.99"),
    ("v4 Printer.Home", "192.0.2.99"),
    ("v4 silent.test", "EAI_AGAIN"),
];
pub fn habits(root: &Path) -> Result<()> {
    let asked: Arc<Mutex<Asked>> = Arc::default();
    let counts = asked.clone();
    let words: Vec<&str> = NAMES.iter().flat_map(|(wanted, _)| wanted.split(' ')).collect();
    let said = cable::run(root, "tests/target/components/resolve.c", &words, move |frame| {
        router::answers(frame, &SERVERS, |datagram| answered(&counts, &datagram))
    })?;
    for (wanted, told) in NAMES {
        let line = said.lines().find_map(|line| line.trim_end().strip_prefix(&format!("{wanted}: ")));
        let line = line.with_context(|| format!("{wanted}: it says nothing of it:\n{said}"))?;
        ensure!(line == *told, "{wanted}: it is told {line}, not {told}");
    }
    let asked = asked.lock().expect("no test has died");
    let of = |name: &str| asked.iter().filter(|((asked, _), _)| asked == name).map(|(_, count)| count).sum::<usize>();
    for name in ["localhost", "some.localhost", "192.0.2.1", "2001:db8::1", "printer", "printer.home"] {
        ensure!(of(name) == 0, "a server was asked for {name}");
    }
    // Once and again, where it was lost; each server after a failure; each for a silence of seconds.
    for (name, least) in
        [("plain.test", 4), ("lost.test", 2), ("second.test", 2), ("failed.test", 4), ("silent.test", 4)]
    {
        ensure!(of(name) >= least, "{name}: the servers were asked {} times", of(name));
    }
    Ok(())
}
