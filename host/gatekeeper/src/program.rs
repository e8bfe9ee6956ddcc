//! The program around an extension: entries for what it handles, compiled and linked with it and what it uses of `core` and `alloc`.

use crate::compiler::{Crate, End, PROGRAM, Workshop};
use crate::flags::{LINK, PROGRAM as FLAGS, SCRIPT};
use crate::manifest::Manifest;
use crate::refusal::{Place, Refusals, Rule};
use crate::source::MANIFEST;
use crate::{messages, object_file};
use anyhow::{Result, bail};
use std::fs;
use std::path::Path;

/// Links what is compiled in a workshop with `linker`: the linker's file. Nothing where handlers do not fit their events.
pub fn link(
    workshop: &mut Workshop,
    linker: &Path,
    manifest: &Manifest,
    refusals: &mut Refusals,
) -> Result<Option<Vec<u8>>> {
    // Beneath the extension, which was compiled without it.
    workshop.give(&exports::runtime())?;
    workshop.write(PROGRAM, &exports::program_source(&manifest.handlers))?;
    workshop.write("script", SCRIPT)?;
    let path = |name: &str| workshop.path(name).to_string_lossy().into_owned();
    let mut arguments = vec![
        "--extern".into(),
        format!("extension={}", path(crate::LIBRARY)),
        format!("-Clinker={}", linker.display()),
    ];
    arguments.extend(FLAGS.map(String::from));
    let mut link = vec![format!("-T{}", path("script"))];
    link.extend(LINK.map(String::from));
    link.extend(manifest.handlers.iter().map(|handler| format!("-u{}", handler.symbol())));
    arguments.extend(link.iter().map(|argument| format!("-Clink-arg={argument}")));
    arguments.push(format!("--emit=obj={},link={}", path("program.o"), path("linked")));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = workshop.run(Crate::Program, &arguments)?;
    match run.end {
        End::Well => {}
        End::Refused(why) => {
            refusals.add(Rule::Build, Place::whole(MANIFEST), why);
            return Ok(None);
        }
        End::Errors => {
            let mut found = Refusals::default();
            messages::errors(&run.messages, PROGRAM, &mut found);
            let found = found.sorted(PROGRAM, |_| true);
            let Some(first) = found.iter().find(|refusal| refusal.place.line > 0) else {
                bail!("the extension can not be linked: {}", run.messages);
            };
            let events: Vec<String> = manifest
                .handlers
                .iter()
                .map(|handler| format!("pub fn {}", handler.interface.events[handler.event]))
                .collect();
            let why = format!("{}: what it handles has another form: {}", first.why, events.join("; "));
            refusals.add(Rule::Compiler, Place::whole(MANIFEST), why);
            return Ok(None);
        }
    }
    // What is generic in the extension, or small enough to be compiled where it is called, is in this object.
    object_file::look_at_program(&fs::read(workshop.path("program.o"))?, MANIFEST, refusals)?;
    Ok(if refusals.is_empty() { Some(fs::read(workshop.path("linked"))?) } else { None })
}
