//! `./pebble extension show`: what a file says of itself, and whether its signature holds.

use super::keys::{self, Signature};
use anyhow::{Context, Result, bail};
use exports::{Interface, Procedure};
use extension::{Digest, Export, Extension, Limits, MOST_BYTES, Order, Section};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

/// The whole file, if it is no larger than one can be.
fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let name = || path.display().to_string();
    File::open(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)).with_context(name)?;
    Ok(bytes)
}
/// An interface that is known here, with its identity.
pub struct Known(pub Interface, pub Digest);
impl Known {
    /// What its procedure or event with that number is called, whatever a file says: a file's names are for who reads it, and what counts are the numbers.
    fn called(&self, of: &[Procedure], at: u16, name: &str) -> String {
        let interface = &self.0.name;
        match of.get(at as usize) {
            Some(known) if known.name == name => format!("{interface}.{name}"),
            Some(known) => format!("{interface}.{} (which it calls {name})", known.name),
            None => format!("{interface}.{at}, which there is not"),
        }
    }
}
/// On what terms an event is handled: lines where there are any.
fn terms(text: &mut String, file: &Extension, at: usize, export: &Export, known: Option<&Known>) -> Result<()> {
    let event = export.event as usize;
    let known = known.filter(|known| event < known.0.events.len());
    let said = |condition| match known {
        Some(known) => known.0.condition_text(event, &condition),
        None => format!("{condition:?}"),
    };
    let conditions: Vec<String> = file.conditions(at).map(said).collect();
    let name = known.map_or(export.name, |known| &known.0.events[event].name);
    if !conditions.is_empty() {
        writeln!(text, "guard       {name}: {}", conditions.join(" && "))?;
    }
    if export.order != Order::Usual {
        writeln!(text, "order       {name}: {}", export.order)?;
    }
    Ok(())
}
/// What is printed. Letters of a reason that a terminal would do something with are escaped.
fn text(file: &Extension, length: usize, signature: Signature, known: &[Known]) -> Result<String> {
    let interfaces: Vec<_> = file.interfaces().collect();
    let list = |items: Vec<String>| if items.is_empty() { "nothing".into() } else { items.join(", ") };
    let is_known = |digest| known.iter().find(|known| known.1 == digest);
    let of = |interface: u16, name: &str, called: &dyn Fn(&Known) -> String| {
        let interface = interfaces[interface as usize];
        is_known(interface.digest).map_or_else(|| format!("{}.{name}", interface.name), called)
    };
    let handled = file.exports().map(|export| {
        of(export.interface, export.name, &|known| known.called(&known.0.events, export.event, export.name))
    });
    let called = file.imports().map(|import| {
        of(import.interface, import.name, &|known| known.called(&known.0.procedures, import.procedure, import.name))
    });
    let (handled, called) = (handled.collect(), called.collect());
    let constants = file.section(Section::Constants).len();
    let Limits { stack, arena, quantum } = file.limits();
    let mut text = String::new();
    writeln!(text, "extension   {}", file.name())?;
    if let Some(reason) = file.vetted() {
        writeln!(text, "VETTED      refused by the gatekeeper, and signed all the same: {}", reason.escape_debug())?;
    }
    writeln!(text, "handles     {}", list(handled))?;
    for (at, export) in file.exports().enumerate() {
        terms(&mut text, file, at, &export, is_known(interfaces[export.interface as usize].digest))?;
    }
    writeln!(text, "calls       {}", list(called))?;
    writeln!(text, "limits      stack {stack} bytes, arena {arena} bytes, quantum {quantum} microseconds")?;
    let image = file.layout().end;
    let addresses = file.relocations().len();
    writeln!(
        text,
        "image       {image} bytes: text {}, constants {constants}, of these {addresses} addresses",
        file.text().len()
    )?;
    writeln!(text, "file        {length} bytes")?;
    for interface in &interfaces {
        let unknown =
            if is_known(interface.digest).is_some() { "" } else { ": not known here, its names are the file's own" };
        writeln!(text, "interface   {} {}{unknown}", keys::hexadecimal(&interface.digest), interface.name)?;
    }
    writeln!(text, "compiler    {}", keys::hexadecimal(&file.compiler()))?;
    let said = match signature {
        Signature::Holds => "the signature holds",
        Signature::Wrong => "THE SIGNATURE IS WRONG",
        Signature::Unknown => "not this user's: the signature can not be checked",
    };
    writeln!(text, "key         {}, {said}", keys::hexadecimal(&file.seal().key))?;
    Ok(text)
}
pub fn run(root: &Path, path: &Path, known: &[Known]) -> Result<ExitCode> {
    let bytes = read(path)?;
    let file = match Extension::parse(&bytes) {
        Ok(file) => file,
        Err(why) => bail!("{}: {why}", path.display()),
    };
    let signature = keys::check(&file, &keys::bytes(&keys::public(root)?)?);
    print!("{}", text(&file, bytes.len(), signature, known)?);
    Ok(if signature == Signature::Holds { ExitCode::SUCCESS } else { ExitCode::from(super::REFUSED) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use extension::{Compare, Condition, Guard, Import, Part, Parts, SIGNATURE};
    use ring::rand::SystemRandom;
    use ring::signature::{Ed25519KeyPair, KeyPair};

    const PORT: Condition = Condition::new(0, Part::Value, 0, 2, Compare::Equal, 23);
    fn unsigned(reason: &str) -> Vec<u8> {
        let parts = Parts {
            name: "filter",
            reason,
            compiler: [7; 32],
            limits: Limits::DEFAULT,
            interfaces: &[extension::Interface { name: "packets", digest: [1; 32] }],
            imports: &[Import { interface: 0, procedure: 1, name: "reset" }],
            exports: &[Export { interface: 0, event: 0, entry: 0, name: "arrived", order: Order::After("other") }],
            guards: &[Guard { export: 0, condition: PORT }],
            text: &[0x82, 0x80],
            constants: &[0; 24],
            relocations: &[16],
            symbols: &[],
        };
        parts.write().unwrap()
    }
    /// The interface that the file names, whose procedure 1 is "reset".
    fn known() -> Vec<Known> {
        let text = "pub trait Procedures { fn count(); fn reset(); } pub trait Events { fn arrived(port: u16); }";
        vec![Known(Interface::parse("packets", text).unwrap(), [1; 32])]
    }
    fn pair() -> Ed25519KeyPair {
        let bytes = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Ed25519KeyPair::from_pkcs8(bytes.as_ref()).unwrap()
    }
    fn signed(pair: &Ed25519KeyPair) -> Vec<u8> {
        let key = keyring::identity(pair.public_key().as_ref());
        let sign = |bytes: &[u8]| <[u8; SIGNATURE]>::try_from(pair.sign(bytes).as_ref());
        extension::signed(unsigned(""), key, sign).unwrap()
    }
    #[test]
    fn a_signature_holds_for_its_key_and_its_bytes_only() {
        let (mine, other) = (pair(), pair());
        let file = signed(&mine);
        let look = |file: &[u8], pair: &Ed25519KeyPair| {
            keys::check(&Extension::parse(file).unwrap(), pair.public_key().as_ref())
        };
        assert_eq!(look(&file, &mine), Signature::Holds);
        assert_eq!(look(&file, &other), Signature::Unknown);
        let mut changed = file.clone();
        // A letter of its name: it still holds together.
        let name = changed.windows(6).position(|window| window == b"filter").unwrap();
        changed[name] = b'h';
        assert_eq!(look(&changed, &mine), Signature::Wrong);
        let end = changed.len();
        changed[name] = b'f';
        changed[end - 1] ^= 1;
        assert_eq!(look(&changed, &mine), Signature::Wrong);
    }
    #[test]
    fn a_file_is_shown_with_all_that_it_may() {
        let file = unsigned("");
        let shown = text(&Extension::parse(&file).unwrap(), file.len(), Signature::Holds, &known()).unwrap();
        for line in [
            "extension   filter\n",
            "handles     packets.arrived\n",
            "guard       arrived: port == 23\n",
            "order       arrived: after other\n",
            "calls       packets.reset\n",
            "text 2, constants 24, of these 1 addresses\n",
            ", the signature holds\n",
        ] {
            assert!(shown.contains(line), "{line:?} in\n{shown}");
        }
        assert!(!shown.contains("VETTED"));
    }
    #[test]
    fn an_explicit_decision_is_marked_and_can_not_forge_lines() {
        let file = unsigned("fine\n\x1b[2Jkey         00, the signature holds");
        let shown = text(&Extension::parse(&file).unwrap(), file.len(), Signature::Wrong, &known()).unwrap();
        let marked = shown.lines().find(|line| line.starts_with("VETTED")).unwrap();
        assert!(marked.ends_with("fine\\n\\u{1b}[2Jkey         00, the signature holds"), "{marked}");
        assert_eq!(shown.lines().filter(|line| line.starts_with("key")).count(), 1);
    }
    #[test]
    fn what_is_called_is_what_the_numbers_say() {
        let mut file = unsigned("");
        let name = file.windows(5).position(|window| window == b"reset").unwrap();
        file[name..name + 5].copy_from_slice(b"count");
        let shown =
            |file: &[u8], known: &[Known]| text(&Extension::parse(file).unwrap(), 0, Signature::Holds, known).unwrap();
        assert!(shown(&file, &known()).contains("calls       packets.reset (which it calls count)\n"));
        // The number of the procedure, behind that of the interface.
        file[name - 2] = 7;
        assert!(shown(&file, &known()).contains("calls       packets.7, which there is not\n"));
        assert!(shown(&file, &[]).contains(" packets: not known here, its names are the file's own\n"));
    }
}
