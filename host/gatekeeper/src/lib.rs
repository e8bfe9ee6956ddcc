//! The gatekeeper: says of an extension's source which rules it breaks. What breaks none is safe Rust of a subset whose known holes are closed, so it can name only
//! what it was given. `docs/src/extensions.md` has the rules, with the reason for each, and what is trusted.
//!
//! The compiler's own view of the crate is what is looked at: it prints its trees (syntax behind macros, resolved items, typed bodies), each an unstable form
//! of one pinned compiler. A library of the compiler that a driver could be linked with is in no package of its distribution.

mod attributes;
mod bodies;
mod compiler;
mod copied;
mod expansions;
mod flags;
mod items;
mod linked;
mod macros;
mod manifest;
mod messages;
mod names;
mod object_file;
mod outlives;
mod program;
mod promoted;
mod refusal;
mod resolved;
mod sandbox;
mod source;
mod syntax;
pub mod sysroot;
mod tree;
mod words;

pub use refusal::{Place, Refusal, Rule};
pub use sysroot::Toolchain;

use anyhow::Result;
use compiler::{Crate, End, Run, Workshop};
use expansions::Expansions;
use exports::Interface;
use manifest::Manifest;
use refusal::Refusals;
use source::Source;
use std::fs;
use std::path::Path;
use tree::Tree;

/// All that is refused of the extension at `path`, a file or a folder, in the order of its source; nothing: it may be signed. `known` are the interfaces that it may
/// name.
pub fn vet(toolchain: &Toolchain, path: &Path, known: &[Interface]) -> Result<Vec<Refusal>> {
    Ok(match build(toolchain, path, known, None)? {
        Built::File(..) => Vec::new(),
        Built::Refused(refusals) => refusals,
    })
}
/// What came of building an extension.
pub enum Built {
    /// Its file, which nobody has signed yet, and what is refused of it all the same.
    File(Vec<u8>, Vec<Refusal>),
    Refused(Vec<Refusal>),
}
/// Makes the file of an extension that is not refused, or of one that is to be signed for the reason `vetted` although it is.
pub fn build(toolchain: &Toolchain, path: &Path, known: &[Interface], vetted: Option<&str>) -> Result<Built> {
    let Looked { mut refusals, compiled } = look(toolchain, path, known)?;
    let Some((mut workshop, manifest)) = compiled.filter(|_| refusals.is_empty() || vetted.is_some()) else {
        return Ok(Built::Refused(refusals));
    };
    let mut found = Refusals::default();
    let reason = vetted.filter(|_| !refusals.is_empty()).unwrap_or_default();
    if let Some(linked) = program::link(&mut workshop, &toolchain.linker, &manifest, &mut found)? {
        let file = linked::file(&linked, &manifest, toolchain.identity, reason)?;
        return Ok(Built::File(file, refusals));
    }
    refusals.extend(found.sorted(source::MANIFEST, |_| true));
    Ok(Built::Refused(refusals))
}

/// What a look has found, and the extension's library in its workshop, where it could be compiled.
struct Looked<'t, 'i> {
    refusals: Vec<Refusal>,
    compiled: Option<(Workshop<'t>, Manifest<'i>)>,
}
fn look<'t, 'i>(toolchain: &'t Toolchain, path: &Path, known: &'i [Interface]) -> Result<Looked<'t, 'i>> {
    let mut refusals = Refusals::default();
    let Some(source) = source::read(path, &mut refusals)? else {
        return Ok(Looked { refusals: refusals.sorted("", |_| true), compiled: None });
    };
    words::look(&source, &mut refusals);
    let manifest = manifest::read(&source, known, &mut refusals);
    let mut compiled = None;
    // What is nested without measure is not given to the compiler.
    if !refusals.has(Rule::Build) {
        let mut workshop = Workshop::new(toolchain, &source.files)?;
        manifest.interfaces.iter().try_for_each(|interface| workshop.give(interface))?;
        let given = manifest.given();
        let mut vetting = Vetting { workshop: &workshop, source: &source, given: &given, refusals: &mut refusals };
        let seen = vetting.all()?;
        if vetting.is_compiled() {
            compiled = Some((workshop, manifest));
        }
        if !seen {
            words::look_for_names(&source, &mut refusals);
        }
    }
    let refusals = refusals.sorted(&source.root, |file| source.files.iter().any(|(name, _)| name == file));
    Ok(Looked { refusals, compiled })
}

/// On the command line, where no attribute of the source has a say.
const LINT: &str = "-Funsafe_code";
/// What the extension's crate becomes, for the program around it.
const LIBRARY: &str = "libextension.rlib";
/// Functions that come to themselves again whatever way they go.
const RECURSION: &str = "-Funconditional_recursion";

struct Vetting<'v> {
    workshop: &'v Workshop<'v>,
    source: &'v Source,
    /// The interfaces that it has.
    given: &'v [String],
    refusals: &'v mut Refusals,
}
impl Vetting<'_> {
    /// Whether a run came to its end without errors; what it found is refused, else.
    fn well(&mut self, run: &Run) -> bool {
        let root = &self.source.root;
        let errors = messages::errors(&run.messages, root, self.refusals);
        match &run.end {
            End::Well => true,
            End::Errors if errors => false,
            End::Errors => {
                self.refusals.add(Rule::Compiler, Place::whole(root), "the compiler refuses it without a word");
                false
            }
            End::Refused(why) => {
                self.refusals.add(Rule::Build, Place::whole(root), why.clone());
                false
            }
        }
    }
    fn run(&self, arguments: &[&str]) -> Result<Run> {
        self.workshop.run(Crate::Extension(&self.source.root), arguments)
    }
    /// Whether its library is there, whatever else was found.
    fn is_compiled(&self) -> bool {
        self.workshop.path(LIBRARY).is_file()
    }
    /// What the compiler prints of the crate in a form; nothing where it does not get so far.
    fn printed(&mut self, form: &str) -> Result<Option<String>> {
        let run = self.run(&[&format!("-Zunpretty={form}"), "--cap-lints=allow"])?;
        Ok(self.well(&run).then_some(run.output))
    }
    /// Whether all of it could be looked at.
    fn all(&mut self) -> Result<bool> {
        let compiled = self.compile()?;
        // A compiler that was stopped would be stopped again.
        if matches!(compiled, End::Refused(_)) {
            return Ok(false);
        }
        let metadata = self.product("metadata");
        let checked = self.run(&[LINT, "-Znext-solver=globally", "--emit=metadata", "-o", &metadata])?;
        self.well(&checked);
        self.trees()
    }
    fn product(&self, name: &str) -> String {
        self.workshop.path(name).to_string_lossy().into_owned()
    }
    /// Compiles, and looks at the object and at what was read for it.
    fn compile(&mut self) -> Result<End> {
        let [object, inputs, library] = ["object", "inputs", LIBRARY].map(|name| self.product(name));
        let run = self.run(&[
            LINT,
            RECURSION,
            "-Zemit-stack-sizes",
            "-Zcross-crate-inline-threshold=never",
            &format!("--emit=obj={object},dep-info={inputs},link={library}"),
        ])?;
        if self.well(&run) {
            object_file::look(&fs::read(object)?, &self.source.root, self.given, self.refusals)?;
            self.inputs(&fs::read_to_string(inputs)?);
        }
        Ok(run.end)
    }
    /// The files and variables that the compiler says it has read.
    fn inputs(&mut self, text: &str) {
        let place = || Place::whole(&self.source.root);
        for line in text.lines() {
            if let Some(variable) = line.strip_prefix("# env-dep:") {
                self.refusals.add(Rule::Builtin, place(), format!("the builder's variable {variable} is read"));
            } else if let Some(file) = line.strip_suffix(':')
                && !self.source.files.iter().any(|(name, _)| name == file)
            {
                self.refusals.add(Rule::Builtin, place(), format!("the builder's file {file} is read"));
            }
        }
    }
    fn trees(&mut self) -> Result<bool> {
        let root = &self.source.root.clone();
        let Some(text) = self.printed("ast-tree,expanded")? else { return Ok(false) };
        let syntax = Tree::read(&text);
        let Some(expanded) = self.printed("expanded,hygiene")? else { return Ok(false) };
        let Some(expansions) = Expansions::read(&expanded, syntax::own_macros(&syntax)) else {
            self.refusals.add(Rule::Build, Place::whole(root), "the compiler's table of expansions can not be read");
            return Ok(false);
        };
        expansions.look(root, self.refusals);
        syntax::look(&syntax, &expansions, self.refusals);
        let Some(text) = self.printed("hir-tree")? else { return Ok(false) };
        let resolved = Tree::read(&text);
        let items = items::look(&resolved, &expansions, self.given, self.refusals);
        let veiled = outlives::look(&resolved, root, self.refusals);
        let Some(text) = self.printed("thir-tree")? else { return Ok(false) };
        bodies::look(&Tree::read(&text), &expansions, &items, &veiled, self.refusals);
        let run = self.run(&["-Zunpretty=mir", "-Zmir-opt-level=0", "-Zmir-include-spans=yes", "--cap-lints=allow"])?;
        if !self.well(&run) {
            return Ok(false);
        }
        promoted::look(&run.output, &items, root, self.refusals);
        Ok(true)
    }
}
