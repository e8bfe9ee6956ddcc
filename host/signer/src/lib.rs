//! The signer's own part: the key pair, and what is signed with it. What gets here was vetted by the gatekeeper, or is marked in itself as signed by an explicit
//! decision; that it holds together is looked at once more.

use anyhow::{Context, Result, bail, ensure};
use extension::{Extension, SIGNATURE};
use keyring::identity;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use std::fs::{self, DirBuilder, File};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use tempfile::NamedTempFile;
use update::Update;

/// The file with the key pair.
const NAME: &str = "extension.key";

/// Makes a key pair where there is none: written whole, and then given its name, so that of two processes one wins.
fn make(folder: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(|| folder.display().to_string())?;
    let pair = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).ok().context("no random bytes for a key")?;
    // A file of its owner's alone, with a name of its own.
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(pair.as_ref())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(folder.join(NAME)) {
        Err(failed) if failed.error.kind() != ErrorKind::AlreadyExists => Err(failed.error.into()),
        _ => Ok(()),
    }
}
/// The key pair of a folder, made at first use. An error: it can not be read or made, or others could have read or written it.
pub fn pair(folder: &Path) -> Result<Ed25519KeyPair> {
    let path = folder.join(NAME);
    if !path.exists() {
        make(folder)?;
    }
    let name = || path.display().to_string();
    let of_folder = fs::metadata(folder).with_context(name)?;
    ensure!(of_folder.mode() & 0o022 == 0, "{}: others can write there: chmod 700", folder.display());
    // What is looked at is what is read.
    let mut file = File::open(&path).with_context(name)?;
    let of_file = file.metadata().with_context(name)?;
    // SAFETY: it says who this process is for, and has no other effect.
    let user = unsafe { libc::geteuid() };
    ensure!([&of_folder, &of_file].iter().all(|metadata| metadata.uid() == user), "{}: is another user's", name());
    ensure!(of_file.mode() & 0o077 == 0, "{}: others can read it: chmod 600", name());
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).with_context(name)?;
    match Ed25519KeyPair::from_pkcs8(&bytes) {
        Ok(pair) => Ok(pair),
        Err(why) => bail!("{}: is no key pair of Ed25519 ({why})", name()),
    }
}
/// A file of an extension or of an update, signed. An error: it does not hold together.
pub fn sign(pair: &Ed25519KeyPair, file: Vec<u8>) -> Result<Vec<u8>> {
    let holds = match file.starts_with(&update::MAGIC) {
        true => Update::parse(&file).map(drop).map_err(|why| why.to_string()),
        false => Extension::parse(&file).map(drop).map_err(|why| why.to_string()),
    };
    if let Err(why) = holds {
        bail!("what is to be signed {why}");
    }
    extension::signed(file, identity(pair.public_key().as_ref()), |bytes| {
        let mut signature = [0; SIGNATURE];
        signature.copy_from_slice(pair.sign(bytes).as_ref());
        Ok(signature)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use extension::{Limits, Parts};
    use ring::signature::{ED25519, UnparsedPublicKey};
    use std::os::unix::fs::PermissionsExt;

    fn unsigned() -> Vec<u8> {
        let parts = Parts {
            name: "a",
            reason: "",
            compiler: [7; 32],
            limits: Limits::DEFAULT,
            interfaces: &[],
            imports: &[],
            exports: &[],
            guards: &[],
            text: &[0x82, 0x80],
            constants: &[],
            relocations: &[],
            symbols: &[],
        };
        parts.write().unwrap()
    }
    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }
    #[test]
    fn a_signature_is_of_all_of_a_file_but_itself() {
        let folder = tempfile::tempdir().unwrap();
        let pair = pair(folder.path()).unwrap();
        let file = sign(&pair, unsigned()).unwrap();
        let extension = Extension::parse(&file).unwrap();
        assert_eq!(extension.seal().key, identity(pair.public_key().as_ref()));
        let public = UnparsedPublicKey::new(&ED25519, pair.public_key().as_ref());
        assert!(public.verify(extension.seal().signed, &extension.seal().signature).is_ok());
        for at in 0..extension.seal().signed.len() {
            let mut changed = extension.seal().signed.to_vec();
            changed[at] ^= 1;
            assert!(public.verify(&changed, &extension.seal().signature).is_err(), "byte {at}");
        }
    }
    #[test]
    fn the_key_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let keys = folder.path().join("new/keys");
        // All at once: one of them makes it.
        let made = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| identity(pair(&keys).unwrap().public_key().as_ref()))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(made.iter().all(|identity| *identity == made[0]));
        assert_eq!((mode(&keys), mode(&keys.join(NAME))), (0o700, 0o600));
        assert_eq!(fs::read_dir(&keys).unwrap().count(), 1, "nothing else is left there");
    }
    #[test]
    fn a_key_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        pair(folder.path()).unwrap();
        fs::set_permissions(folder.path().join(NAME), fs::Permissions::from_mode(0o640)).unwrap();
        assert!(pair(folder.path()).unwrap_err().to_string().ends_with("others can read it: chmod 600"));
    }
    #[test]
    fn a_key_in_a_folder_where_others_can_write_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        pair(folder.path()).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o770)).unwrap();
        assert!(pair(folder.path()).unwrap_err().to_string().ends_with("others can write there: chmod 700"));
    }
    #[test]
    fn what_is_no_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), "no key").unwrap();
        fs::set_permissions(folder.path().join(NAME), fs::Permissions::from_mode(0o600)).unwrap();
        assert!(pair(folder.path()).unwrap_err().to_string().contains("is no key pair of Ed25519"));
    }
    #[test]
    fn what_is_no_extension_is_not_signed() {
        let folder = tempfile::tempdir().unwrap();
        let pair = pair(folder.path()).unwrap();
        for file in [&b""[..], b"\x7fELF", &unsigned()[1..]] {
            assert!(
                sign(&pair, file.to_vec()).unwrap_err().to_string().starts_with("what is to be signed is no extension")
            );
        }
    }
}
