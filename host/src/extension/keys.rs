//! Keys that extensions are signed with: the key itself is read by the signer only, a process of its own.

use crate::build;
use crate::system::OWN;
use crate::{child, progress};
use anyhow::{Context, Result, bail, ensure};
use extension::keys::{Keys, Signs};
use extension::{Digest, Extension};
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

/// Whose extensions a system takes, as its image has it.
pub fn of_system(root: &Path, system: &System, compiler: Digest) -> Result<Keys> {
    let own = Key { public: OWN.into(), signs: None, revoked: false };
    let named = if system.keys.is_empty() { &[own][..] } else { &system.keys };
    let mut keys = Keys { compiler, keys: Vec::new() };
    for key in named {
        let public = match key.public.as_str() {
            OWN => bytes(&public(root)?)?,
            digits => bytes(digits)?,
        };
        let signs = match &key.signs {
            _ if key.revoked => Signs::Revoked,
            Some(names) => Signs::Interfaces(names.clone()),
            None => Signs::All,
        };
        keys.keys.push(extension::keys::Key { public, signs });
    }
    // The same checks as the linker's: "own" may be one of the others.
    Keys::parse(&keys.to_string()).with_context(|| format!("the keys of system \"{}\"", system.name))
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
    if seal.key != signer::identity(public) {
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
    extension::keys::bytes(hexadecimal).with_context(|| format!("{hexadecimal}: is no public key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_keys_are_64_digits() {
        assert_eq!(bytes(&"0f".repeat(32)).unwrap(), [15; 32]);
        for text in ["", "0f", &"0f".repeat(33), &"0g".repeat(32), &"+f".repeat(32), &"ä".repeat(32)] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert_eq!(hexadecimal(&[0, 255, 16]), "00ff10");
    }
}
