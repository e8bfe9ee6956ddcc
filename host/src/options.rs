//! What `./pebble exec` is asked for: the program, how it is kept apart, the system around it, and the machine that it runs on.

use crate::build::{self, Recipe, Source};
use crate::{devices, rtl};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The machines that images run on.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum On {
    #[default]
    Qemu,
    /// CVA6, from its SystemVerilog
    Rtl,
    /// A machine that keeps translations and instructions until they are fenced, and reports one that is used when it is stale
    Strict,
}
impl On {
    /// Whether it has `stimecmp`.
    pub fn sstc(self) -> bool {
        self != On::Rtl
    }
    /// Cycles in a tick of `time`, where they are fixed; else 0.
    pub fn cycles_per_time(self) -> u64 {
        match self {
            On::Qemu => 0,
            On::Rtl => rtl::CYCLES_PER_TIME,
            On::Strict => strict::CYCLES_PER_TIME,
        }
    }
}

/// How the program is kept apart.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// By its own page table
    #[default]
    Domain,
    /// By its own instructions, in a software fault domain of a host
    Sfi,
    /// By its own page table, and not at all from what supervisor mode may do
    Supervisor,
}
impl Isolation {
    /// What the rewriter is asked for, where loads are to be kept in too, or not.
    pub fn sandbox(loads: bool) -> rewriter::Options {
        build::Sandbox { loads, ..build::Sandbox::default() }.options()
    }
}
/// The form that is called `name`.
pub fn form(name: &str) -> Result<manifest::Form, String> {
    use manifest::Form;
    let all = [("masks", Form::Masks), ("zba", Form::Zba), ("top", Form::Top)];
    all.into_iter().find(|one| one.0 == name).map(|one| one.1).ok_or_else(|| "masks, zba or top".into())
}
#[derive(clap::Args, Clone, Default)]
pub struct Options {
    /// How the program is isolated
    #[arg(long, value_enum, default_value_t = Isolation::Domain)]
    pub isolation: Isolation,
    /// With --isolation sfi: keep its loads in too, so that it can not read its host's memory
    #[arg(long)]
    pub loads: bool,
    /// With --isolation sfi: have an address outside be a fault of the instruction that has it, instead of one inside
    #[arg(long)]
    pub matching: bool,
    /// With --isolation sfi: how addresses are kept in: by masks, which is the same on all machines and for several fault domains of one space; by an
    /// instruction of extension Zba; or in the last GiB of the space, by its base alone
    #[arg(long, value_parser = form, default_value = "masks", value_name = "masks|zba|top")]
    pub form: manifest::Form,
    /// With --isolation sfi: the component that hosts it, a package, which gets the program as a file
    #[arg(long, value_name = "PACKAGE")]
    pub host: Option<String>,
    /// The machine: QEMU, a model of the core CVA6 that is exact to the cycle, or one that forgets nothing by itself
    #[arg(long, value_enum, default_value_t = On::Qemu)]
    pub on: On,
    /// Cycles that the model's memory takes; without it: the first that the model's core is measured with
    #[arg(long, value_name = "READ/WRITE", value_parser = rtl::Latencies::parse)]
    pub latency: Option<rtl::Latencies>,
    /// The model's core: a file of rtl/machines
    #[arg(long, value_name = "MACHINE", default_value = rtl::Machine::USUAL)]
    pub core: String,
    /// Where the model lists the instructions between the program's marks, see rtl/README.md
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The system around the program: a manifest in systems/; with a network card or a disk "exec-devices" stands for "exec"
    #[arg(long, default_value = "exec")]
    pub system: String,
    /// Give up after so many seconds (exit status 124), without those that it waits for a processor of a busy host; on the model, by its own clock of
    /// 100 MHz
    #[arg(long)]
    pub timeout: Option<f64>,
    /// Memory of QEMU's machine, in MiB
    #[arg(long, default_value_t = 128)]
    pub memory: usize,
    /// Make QEMU's cycle counter count instructions, exactly and repeatably. An instruction takes 2^SHIFT ns, 1 if left out: the
    /// more, the fewer instructions between two interrupts of the timer, and the more that may happen between any two
    #[arg(long, value_name = "SHIFT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=10))]
    pub icount: Option<u8>,
    /// On the strict machine: time slices of every length, drawn from this seed
    #[arg(long, value_name = "SEED")]
    pub slices: Option<u64>,
    /// Where the strict machine lists the instructions of the longest time with interrupts off: address space and program counter
    #[arg(long, value_name = "FILE")]
    pub masked: Option<PathBuf>,
    /// Wait for gdb-multiarch, which is told of all programs and their symbols
    #[arg(long)]
    pub gdb: bool,
    /// Where the program and the system around it spend their time: a flame graph in FILE.svg, or stacks and their numbers of samples in
    /// another file
    #[arg(long, value_name = "FILE", conflicts_with = "gdb")]
    pub profile: Option<PathBuf>,
    /// Keep what is left of a component that is stopped for a fault: a core file for gdb, and FILE.elf; the last one's, if there are several
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gdb", "profile"])]
    pub core_file: Option<PathBuf>,
    /// Show the calls of portals whose names match (`*` stands for any characters, `?` for one) on standard error, as the shell's `trace` does
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["gdb", "profile", "host"])]
    pub calls: Option<String>,
    /// A file for the program, and what it is called there; may be given several times
    #[arg(long, value_name = "HOST:GUEST")]
    pub file: Vec<String>,
    #[command(flatten)]
    pub devices: devices::Devices,
    /// One more C file of the program; may be given several times, as may -I, -D, --cflag and -l
    #[arg(long, value_name = "FILE")]
    pub source: Vec<String>,
    /// A folder of headers
    #[arg(short = 'I', long, value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// A macro for the C compiler
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// An option for the C compiler
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub cflag: Vec<String>,
    /// A library: its name, or an .a file
    #[arg(short = 'l', long, value_name = "NAME")]
    pub library: Vec<String>,
    /// Which program, where a package of cargo's has several
    #[arg(long, value_name = "NAME")]
    pub bin: Option<String>,
    /// C or Rust source, a folder of it, or an ELF file, and arguments of the program: all that comes behind the file
    #[arg(value_names = ["FILE", "ARGUMENT"], num_args = 1.., required = true, trailing_var_arg = true)]
    pub words: Vec<String>,
    #[arg(skip)]
    pub file_name: PathBuf,
    #[arg(skip)]
    pub arguments: Vec<String>,
}

impl Options {
    /// Takes the command line's words apart.
    pub fn parted(mut self) -> Options {
        let mut words = std::mem::take(&mut self.words).into_iter();
        self.file_name = words.next().unwrap_or_default().into();
        self.arguments = words.collect();
        self
    }
    /// The name of the system around the program.
    pub fn system(&self) -> &str {
        if self.system == "exec" && self.devices.any() { "exec-devices" } else { &self.system }
    }
    /// How the program is kept in, if it is a fault domain.
    pub fn sandbox(&self) -> build::Sandbox {
        build::Sandbox { loads: self.loads, matching: self.matching, form: self.form }
    }
    /// What the program is built from: paths are from the current folder.
    pub fn source(&self) -> Result<Source> {
        let path = &self.file_name;
        let absolute = path.canonicalize().with_context(|| format!("{}: no such file or folder", path.display()))?;
        let here = std::env::current_dir()?;
        let recipe = Recipe {
            sources: self.source.clone(),
            cflags: self.define.iter().map(|d| format!("-D{d}")).chain(self.cflag.clone()).collect(),
            include: self.include.clone(),
            libraries: self.library.clone(),
            binary: self.bin.clone(),
            ..Recipe::default()
        };
        Ok(Source { path: absolute, recipe: recipe.from(&here), sandbox: None })
    }
    /// What the program's domain is called: as its file.
    pub fn program_name(&self) -> String {
        let absolute = self.file_name.canonicalize().unwrap_or_else(|_| self.file_name.clone());
        let stem = absolute.file_stem().unwrap_or_default().to_string_lossy();
        stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(abi::section::NAME - 1).collect()
    }
}
