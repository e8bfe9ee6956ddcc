//! Writing: what a file is made of, and its bytes.

use crate::read::LENGTHS;
use crate::{
    Digest, Error, Export, Extension, Guard, HEADER, Import, Interface, KEY, Limits, MAGIC, MOST_NAME, SIGNATURE,
    Section,
};
use alloc::vec::Vec;

/// What a file is made of.
#[derive(Clone, Debug)]
pub struct Parts<'a> {
    pub name: &'a str,
    /// Why it is to be signed though the gatekeeper refuses it; empty where it does not.
    pub reason: &'a str,
    pub compiler: Digest,
    pub limits: Limits,
    /// By their names.
    pub interfaces: &'a [Interface<'a>],
    pub imports: &'a [Import<'a>],
    pub exports: &'a [Export<'a>],
    /// By their exports.
    pub guards: &'a [Guard],
    pub text: &'a [u8],
    /// The slots first, as zeros.
    pub constants: &'a [u8],
    /// Ascending.
    pub relocations: &'a [u32],
    pub symbols: &'a [u8],
}
impl Parts<'_> {
    /// The file, signed by nobody: with a key and a signature of zeros. An error is one that [`Extension::parse`] would have.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        let mut body = Vec::new();
        let mut lengths = [0; Section::ALL.len()];
        for section in Section::ALL {
            let start = body.len();
            self.section(section, &mut body)?;
            lengths[section as usize] = (body.len() - start) as u32;
        }
        let whole = HEADER + body.len() + KEY + SIGNATURE;
        let mut file = Vec::with_capacity(whole);
        file.extend(MAGIC);
        let Limits { stack, arena, quantum } = self.limits;
        for number in [u32::try_from(whole).map_err(|_| Error::Length)?, stack, arena, quantum] {
            file.extend(number.to_le_bytes());
        }
        file.extend(self.compiler);
        debug_assert_eq!(file.len(), LENGTHS);
        lengths.iter().for_each(|length| file.extend(length.to_le_bytes()));
        file.resize(HEADER, 0);
        file.extend(body);
        file.resize(whole, 0);
        Extension::parse(&file)?;
        Ok(file)
    }
    fn section(&self, section: Section, body: &mut Vec<u8>) -> Result<(), Error> {
        let name = |body: &mut Vec<u8>, at, name: &str| {
            let end = body.len() + MOST_NAME;
            body.extend(name.bytes());
            let fits = body.len() <= end;
            body.resize(end, 0);
            if fits { Ok(()) } else { Err(Error::Name(section, at)) }
        };
        match section {
            Section::Name => body.extend(self.name.bytes()),
            Section::Reason => body.extend(self.reason.bytes()),
            Section::Interfaces => {
                for (at, interface) in self.interfaces.iter().enumerate() {
                    body.extend(interface.digest);
                    name(body, at, interface.name)?;
                }
            }
            Section::Imports => {
                for (at, import) in self.imports.iter().enumerate() {
                    body.extend([import.interface, import.procedure].map(u16::to_le_bytes).as_flattened());
                    name(body, at, import.name)?;
                }
            }
            Section::Exports => {
                for (at, export) in self.exports.iter().enumerate() {
                    body.extend([export.interface, export.event].map(u16::to_le_bytes).as_flattened());
                    body.extend(export.entry.to_le_bytes());
                    name(body, at, export.name)?;
                    body.extend(export.order.number().to_le_bytes());
                    name(body, at, export.order.other().unwrap_or(""))?;
                }
            }
            Section::Guards => {
                for guard in self.guards {
                    body.extend(u32::from(guard.export).to_le_bytes());
                    body.extend(guard.condition.to_bytes());
                }
            }
            Section::Text => body.extend(self.text),
            Section::Constants => body.extend(self.constants),
            Section::Relocations => self.relocations.iter().for_each(|place| body.extend(place.to_le_bytes())),
            Section::Symbols => body.extend(self.symbols),
        }
        Ok(())
    }
}
