//! The signer: signs an extension that it gets on its standard input, and is the only program that reads the key. What gets here was vetted by the gatekeeper, or is
//! marked in itself as signed by an explicit decision; that it holds together is looked at once more.
//!
//! `pebble-signer sign FOLDER` writes the signed file to its standard output; `pebble-signer public FOLDER` the public key, in hexadecimal. The key pair (Ed25519, PKCS #8)
//! is made in the folder at first use. A file that is no extension, and a key that can not be read, are errors: a line on standard error, status 1.

use anyhow::{Context, Result, bail, ensure};
use extension::{Extension, KEY, MOST_BYTES, SIGNATURE};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The file with the key pair.
const NAME: &str = "extension.key";

/// Makes a key pair where there is none: written whole, and then given its name, so that of two processes one wins.
fn make(folder: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(|| folder.display().to_string())?;
    let pair = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).ok().context("no random bytes for a key")?;
    let new = folder.join(format!("{NAME}.{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(pair.as_ref())?;
    file.sync_all()?;
    let named = fs::hard_link(&new, folder.join(NAME));
    fs::remove_file(&new)?;
    match named {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(()),
    }
}
/// The key pair of a folder, made at first use.
fn pair(folder: &Path) -> Result<Ed25519KeyPair> {
    let path = folder.join(NAME);
    if !path.exists() {
        make(folder)?;
    }
    let name = || path.display().to_string();
    let metadata = fs::metadata(&path).with_context(name)?;
    ensure!(metadata.mode() & 0o077 == 0, "{}: others can read it: chmod 600", name());
    let bytes = fs::read(&path).with_context(name)?;
    match Ed25519KeyPair::from_pkcs8(&bytes) {
        Ok(pair) => Ok(pair),
        Err(why) => bail!("{}: is no key pair of Ed25519 ({why})", name()),
    }
}
/// What a file names a key by: the first bytes of its digest.
fn identity(pair: &Ed25519KeyPair) -> [u8; KEY] {
    let digest = ring::digest::digest(&ring::digest::SHA256, pair.public_key().as_ref());
    let mut identity = [0; KEY];
    identity.copy_from_slice(&digest.as_ref()[..KEY]);
    identity
}
fn sign(pair: &Ed25519KeyPair, file: Vec<u8>) -> Result<Vec<u8>> {
    if let Err(why) = Extension::parse(&file) {
        bail!("what is to be signed {why}");
    }
    extension::signed(file, identity(pair), |bytes| {
        let mut signature = [0; SIGNATURE];
        signature.copy_from_slice(pair.sign(bytes).as_ref());
        Ok(signature)
    })
}
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder] = arguments.as_slice() else { bail!("usage: pebble-signer sign|public FOLDER") };
    let pair = pair(Path::new(folder))?;
    match what.as_str() {
        "public" => {
            let hexadecimal: String = pair.public_key().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{hexadecimal}");
        }
        "sign" => {
            let mut file = Vec::new();
            io::stdin().take(MOST_BYTES as u64 + 1).read_to_end(&mut file)?;
            io::stdout().write_all(&sign(&pair, file)?)?;
        }
        other => bail!("{other}: not one of sign and public"),
    }
    Ok(())
}
