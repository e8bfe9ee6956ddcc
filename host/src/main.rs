//! The host tool behind `./pebble`: builds systems, runs them in QEMU or on the CVA6 model, tests them.

mod all_portals;
mod bench;
mod build;
mod c_headers;
mod calls;
mod campaign;
mod check;
mod child;
mod circles;
mod connection;
mod console;
mod copying;
mod core_file;
mod create;
mod datagrams;
mod debug;
mod depth;
mod devices;
mod disk;
mod editors;
mod exec;
mod extension;
mod fault_domain;
mod fetch;
mod foreign;
mod graph;
mod guest_log;
mod inputs;
mod kept;
mod lint;
mod linux;
mod manual;
mod options;
mod places;
mod port;
mod power_cuts;
mod profile;
mod progress;
mod qemu;
mod rtl;
mod seam;
mod strict_machine;
mod system;
mod terminal;
mod test;
mod uninterrupted;
mod update;
mod web_console;
mod write_log;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The component-based operating system Pebble.
#[derive(Parser)]
#[command(name = "./pebble", bin_name = "./pebble")]
struct Arguments {
    #[command(subcommand)]
    form: Form,
}
#[derive(Subcommand)]
enum Form {
    /// Build and boot a system, its console on this terminal; Ctrl-A X leaves
    Run {
        /// A manifest in systems/, or the path of one, which ends in .toml
        #[arg(default_value = "default")]
        system: String,
        /// Wait for gdb-multiarch, which is told of all programs and their symbols
        #[arg(long)]
        gdb: bool,
        /// Where the system spends its time: a flame graph in FILE.svg, or stacks and their numbers of samples in another file
        #[arg(long, value_name = "FILE", conflicts_with = "gdb")]
        profile: Option<std::path::PathBuf>,
        /// Keep what is left of a component that is stopped for a fault: a core file for gdb, and FILE.elf; the last one's, if there are several
        #[arg(long, value_name = "FILE", conflicts_with_all = ["gdb", "profile"])]
        core_file: Option<std::path::PathBuf>,
        /// A file for the system, and what it is called there; may be given several times
        #[arg(long, value_name = "HOST:GUEST")]
        file: Vec<String>,
        /// Memory of QEMU's machine, in MiB
        #[arg(long, default_value_t = 128)]
        memory: usize,
        #[command(flatten)]
        devices: devices::Devices,
    },
    /// Run a C or Rust source file, or a built component, in its own domain; exits with its status
    Exec(Box<exec::Options>),
    /// Run all tests, on the host and on the machine
    Test(test::Options),
    /// Make a component that builds and runs, or an extension
    New {
        name: String,
        #[arg(long, default_value = "c", value_parser = ["c", "rust"])]
        lang: String,
        /// An extension of TCP/IP, in Rust
        #[arg(long, conflicts_with = "lang")]
        extension: bool,
    },
    /// Measure the system by the papers' tables, beside others
    Bench(bench::Options),
    /// A long test that CI does not run: resumable, repeatable from its seed, with a report
    Campaign(campaign::Options),
    /// Do cases of the campaign "fuzz", in this process
    #[command(hide = true)]
    Fuzz(campaign::fuzz::Cases),
    /// Write apps/bench/baseline.json anew: the counts that the tests hold every change against
    #[command(hide = true)]
    Baseline,
    /// Make a disk for the machine, and look at what is on it
    Disk {
        #[command(subcommand)]
        what: disk::Form,
    },
    /// Make an update of a component: its image as it is built here, signed, for systems of this tree
    Release(update::Release),
    /// Give an update to a system that runs, over the network: it takes it, or says why not. The status is 1 where it does not
    Update {
        /// Where its updates service listens: HOST:PORT
        address: String,
        /// The component that is to have it
        name: String,
        /// What `./pebble release` has written
        file: std::path::PathBuf,
    },
    /// Look at an extension: safe code that is linked into a running component
    Extension {
        #[command(subcommand)]
        what: extension::Form,
    },
    /// Draw the components of a system and the portals between them
    Graph {
        /// A manifest in systems/, or the path of one, which ends in .toml
        #[arg(default_value = "default")]
        system: String,
        #[arg(long, value_enum, default_value_t = graph::Format::Svg)]
        format: graph::Format,
        /// Where to, - for standard output; build/graph/SYSTEM.svg if left out
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
    /// Format, lints, size of the nucleus
    Check {
        /// Has everything but the nucleus checked for x86-64, too: it takes a minute the first time.
        #[arg(long)]
        machines: bool,
    },
    /// Build software of others from its recipe in ports/, and say where it is
    Port {
        name: String,
        /// Run its own tests on Pebble instead
        #[arg(long)]
        test: bool,
    },
    /// Tell editors how this tree is compiled: compile_commands.json for clangd, .vscode/settings.json for rust-analyzer
    Editors {
        /// Of the files in C of another folder, in it
        folder: Option<PathBuf>,
        /// Look through all that is in Rust, as rust-analyzer asks for it
        #[arg(long, hide = true, conflicts_with = "folder")]
        check: bool,
    },
    /// Write the manual's tables and the headers for C anew from lib/interfaces and lib/abi
    #[command(hide = true)]
    Manual,
    /// Print the JSON schema of manifests
    #[command(hide = true)]
    Schema,
    /// The C compiler for components, with their C library: what build systems take as CC
    #[command(disable_help_flag = true)]
    Cc {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

/// Becomes the compiler.
fn compile(root: &Path, arguments: &[String]) -> Result<ExitCode> {
    let mut command = build::driver(root, arguments)?;
    Err(command.exec()).with_context(|| format!("{} could not be started", command.get_program().display()))
}

/// Whether these words behind `./pebble` are a command; what is wrong with them, else.
fn understands<'a>(words: impl Iterator<Item = &'a str>) -> Result<()> {
    Ok(Arguments::try_parse_from(["./pebble"].into_iter().chain(words)).map(|_| ())?)
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = PathBuf::from(std::env::var_os("PEBBLE_ROOT").unwrap_or_else(|| ".".into()));
    let result = match arguments.form {
        Form::Run { system, gdb, profile, core_file, file, memory, devices } => {
            let watched = exec::Watched { gdb, profile: profile.as_deref(), core: core_file.as_deref() };
            exec::run(&root, &system, &watched, &file, &devices, memory)
        }
        Form::Exec(options) => exec::exec(&root, &options.parted()),
        Form::Test(options) => test::run(&root, &options),
        Form::New { name, extension: true, .. } => create::extension(&root, &name),
        Form::New { name, lang, .. } => create::create(&root, &name, &lang),
        Form::Bench(options) => bench::run(&root, &options),
        Form::Campaign(options) => campaign::run(&root, &options),
        Form::Fuzz(cases) => cases.run(),
        Form::Baseline => bench::write_baseline(&root),
        Form::Graph { system, format, output } => graph::run(&root, &system, format, output),
        Form::Disk { what } => disk::run(&what),
        Form::Extension { what } => extension::run(&root, &what),
        Form::Release(release) => update::release(&root, &release),
        Form::Update { address, name, file } => update::send(&address, &name, &file),
        Form::Check { machines } => check::run(&root, machines),
        Form::Port { name, test } => port::run(&root, &name, test),
        Form::Editors { check: true, .. } => editors::check(&root),
        Form::Editors { folder, .. } => editors::run(&root, folder.as_deref()),
        Form::Manual => manual::write(&root),
        Form::Schema => system::schema().map(|schema| {
            print!("{schema}");
            ExitCode::SUCCESS
        }),
        Form::Cc { arguments } => compile(&root, &arguments),
    };
    result.unwrap_or_else(|error| {
        // It may say what was found on a disk, or in the machine.
        eprintln!("pebble: {}", foreign::Foreign::lines(&format!("{error:#}")));
        ExitCode::from(exec::NOT_BOOTED)
    })
}
