//! Keys that extensions are signed with: the key itself is read by the signer only, a process of its own.

use crate::build;
use crate::system::OWN;
use crate::{child, progress};
use anyhow::{Context, Result, bail, ensure};
use extension::Extension;
use keyring::{Digest, Keys, Kind, Signs, UPDATES};
use manifest::{Key, System};
use ring::signature::{ED25519, UnparsedPublicKey};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Where the key is: the variable's folder, or one of the user's.
const FOLDER: &str = "PEBBLE_KEYS";

/// The folder in the place of the user's, where there is one.
static OTHER: OnceLock<PathBuf> = OnceLock::new();

/// From now on the key is that of this folder, whatever the user's is: for tests.
pub fn use_folder(folder: &Path) {
    OTHER.get_or_init(|| folder.to_path_buf());
}
fn folder() -> Result<PathBuf> {
    if let Some(folder) = OTHER.get() {
        return Ok(folder.clone());
    }
    // A variable that is empty says nothing.
    let variable = |name| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if let Some(folder) = variable(FOLDER) {
        return Ok(folder);
    }
    let settings = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    let settings =
        settings.with_context(|| format!("none of {FOLDER}, XDG_CONFIG_HOME and HOME says where the key is"))?;
    Ok(settings.join("pebble"))
}
/// The signer, built where its sources are newer.
fn signer(root: &Path) -> Result<PathBuf> {
    let mut command = build::cargo(root);
    // With the features of all that is built for this machine, as the tool is.
    command.args(["build", "--quiet", "--bin", "pebble-signer"]).stdout(Stdio::null());
    let output = progress::during("building the signer", || build::run_cargo(root, &mut command))?;
    ensure!(output.status.success(), "the signer can not be built");
    Ok(root.join("target/debug/pebble-signer"))
}
/// What the signer answers to `input`.
fn ask(root: &Path, what: &str, input: &[u8]) -> Result<Vec<u8>> {
    let mut command = Command::new(signer(root)?);
    command.arg(what).arg(folder()?).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    child::end_with_us(&mut command);
    let mut process = command.spawn().context("the signer could not be started")?;
    if let Some(mut stdin) = process.stdin.take() {
        // It reads all before it writes, or says why it does not.
        let _ = stdin.write_all(input);
    }
    let output = process.wait_with_output()?;
    if !output.status.success() {
        bail!("the signer: {}", String::from_utf8_lossy(&output.stderr).trim().trim_start_matches("Error: "));
    }
    Ok(output.stdout)
}
/// A file of an extension, signed.
pub fn sign(root: &Path, file: &[u8]) -> Result<Vec<u8>> {
    ask(root, "sign", file)
}
/// The public key, in hexadecimal.
pub fn public(root: &Path) -> Result<String> {
    let text = String::from_utf8(ask(root, "public", &[])?)?;
    Ok(text.trim().into())
}

/// What a key may sign for, of files of one kind; `None`: of these, nothing. Who may sign some of one kind has been given none of the other.
fn signs(key: &Key, of: Kind) -> Option<Signs> {
    let (names, others) = match of {
        UPDATES => (&key.updates, &key.signs),
        _ => (&key.signs, &key.updates),
    };
    match (names, others) {
        _ if key.revoked => Some(Signs::Revoked),
        (Some(names), _) if names.is_empty() => None,
        (Some(names), _) => Some(Signs::Named(names.clone())),
        (None, Some(_)) => None,
        (None, None) => Some(Signs::All),
    }
}
/// Whose files of one kind a system takes, as its image has it.
pub fn of_system(root: &Path, system: &System, made: Digest, of: Kind) -> Result<String> {
    let own = Key { public: OWN.into(), signs: None, updates: None, revoked: false };
    let named = if system.keys.is_empty() { &[own][..] } else { &system.keys };
    let mut keys = Keys { made, keys: Vec::new() };
    for key in named {
        let public = match key.public.as_str() {
            OWN => bytes(&public(root)?)?,
            digits => bytes(digits)?,
        };
        let Some(signs) = signs(key, of) else { continue };
        keys.keys.push(keyring::Key { public, signs });
    }
    // The same checks as on the machine: "own" may be one of the others.
    let text = keys.text(of);
    Keys::parse(&text, of).with_context(|| format!("the keys of system \"{}\"", system.name))?;
    Ok(text)
}

/// What can be said of a signature here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    Holds,
    /// It is of a key that is known, and not of what is in the file.
    Wrong,
    /// Its key is not known.
    Unknown,
}
/// Looks at a file's signature with a public key.
pub fn check(file: &Extension, public: &[u8]) -> Signature {
    let seal = file.seal();
    if seal.key != keyring::identity(public) {
        return Signature::Unknown;
    }
    match UnparsedPublicKey::new(&ED25519, public).verify(seal.signed, &seal.signature) {
        Ok(()) => Signature::Holds,
        Err(_) => Signature::Wrong,
    }
}
/// Bytes in hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
/// The bytes of a public key.
pub fn bytes(hexadecimal: &str) -> Result<[u8; 32]> {
    keyring::bytes(hexadecimal).with_context(|| format!("{hexadecimal}: is no public key"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyring::EXTENSIONS;

    #[test]
    fn a_key_for_some_of_one_kind_signs_nothing_of_the_other() {
        let key = |signs: Option<&str>, updates: Option<&str>, revoked| Key {
            public: OWN.into(),
            signs: signs.map(|name| vec![name.into()]),
            updates: updates.map(|name| vec![name.into()]),
            revoked,
        };
        let both = |key: &Key| [EXTENSIONS, UPDATES].map(|of| signs(key, of));
        let named = |name: &str| Some(Signs::Named(vec![name.into()]));
        assert_eq!(both(&key(None, None, false)), [Some(Signs::All), Some(Signs::All)]);
        assert_eq!(both(&key(Some("files"), None, false)), [named("files"), None]);
        assert_eq!(both(&key(None, Some("http"), false)), [None, named("http")]);
        assert_eq!(both(&key(Some("files"), Some("http"), false)), [named("files"), named("http")]);
        assert_eq!(both(&key(Some("files"), Some("http"), true)), [Some(Signs::Revoked), Some(Signs::Revoked)]);
    }
    #[test]
    fn public_keys_are_64_digits() {
        assert_eq!(bytes(&"0f".repeat(32)).unwrap(), [15; 32]);
        for text in ["", "0f", &"0f".repeat(33), &"0g".repeat(32), &"+f".repeat(32), &"ä".repeat(32)] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert_eq!(hexadecimal(&[0, 255, 16]), "00ff10");
    }
}
