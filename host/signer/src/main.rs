//! The signer: signs an extension or an update that it gets on its standard input, and is the only program that reads the key.
//!
//! `pebble-signer sign FOLDER` writes the signed file to its standard output; `pebble-signer public FOLDER` the public key, in hexadecimal. The key pair (Ed25519, PKCS #8)
//! is made in the folder at first use. A file that is neither, and a key that can not be read, are errors: a line on standard error, status 1.

use anyhow::{Result, bail};
use ring::signature::KeyPair;
use std::io::{self, Read, Write};
use std::path::Path;

/// Most bytes of a file of either kind.
const MOST: usize = if update::MOST_BYTES > extension::MOST_BYTES { update::MOST_BYTES } else { extension::MOST_BYTES };

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, folder] = arguments.as_slice() else { bail!("usage: pebble-signer sign|public FOLDER") };
    let pair = signer::pair(Path::new(folder))?;
    match what.as_str() {
        "public" => {
            let hexadecimal: String = pair.public_key().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
            println!("{hexadecimal}");
        }
        "sign" => {
            let mut file = Vec::new();
            io::stdin().take(MOST as u64 + 1).read_to_end(&mut file)?;
            io::stdout().write_all(&signer::sign(&pair, file)?)?;
        }
        other => bail!("{other}: not one of sign and public"),
    }
    Ok(())
}
