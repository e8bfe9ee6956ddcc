//! The description of a system, as a manifest in `systems/` gives it.
//!
//! The host tool reads it from TOML and puts it in the image in postcard form; `init` builds the system from it.
#![no_std]

extern crate alloc;
use abi::account::Resource;
use alloc::{collections::BTreeMap, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// A system: its components in the order in which they start.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    pub name: String,
    /// When windows are mapped.
    #[serde(default)]
    pub windows: Windows,
    /// Whether portals count their calls.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub counters: bool,
    /// Whether all tables may be looked through: for tests.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub checks: bool,
    #[serde(default, rename = "component")]
    pub components: Vec<Component>,
    /// Whose extensions the linker takes, and whose updates the updates service.
    #[cfg(feature = "sources")]
    #[serde(default, rename = "key", skip_serializing)]
    pub keys: Vec<Key>,
}
/// A key whose extensions are linked into components of the system, or whose updates its components get. Where a system has no keys, it has that of who builds it, for all interfaces and components.
#[cfg(feature = "sources")]
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// As `./pebble extension key` prints it, 64 hexadecimal digits; "own": that of who builds the system.
    pub public: String,
    /// The interfaces that its extensions may name; if left out, all, or none where `updates` is there.
    #[serde(default)]
    pub signs: Option<Vec<String>>,
    /// The components that its updates may be of; if left out, all, or none where `signs` is there.
    #[serde(default)]
    pub updates: Option<Vec<String>>,
    /// Its extensions and updates are refused.
    #[serde(default)]
    pub revoked: bool,
}
/// When the pages of a window are mapped in the callee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Windows {
    /// When the call is made.
    #[default]
    Call,
    /// At the callee's first access.
    Touch,
}

/// One block of the manifest.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// Its name in the system.
    pub name: String,
    /// The package (or program) that it runs; its name, if not given.
    #[serde(default)]
    pub image: String,
    /// How it is isolated.
    #[serde(default)]
    pub isolation: Isolation,
    /// Of a software fault domain: its loads are kept in too, so that it reads nothing of its host's.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub loads: bool,
    /// Of a software fault domain: an address outside of it is a fault of the instruction that has it, instead of an address inside.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub matching: bool,
    /// Of a software fault domain: how its addresses are brought into its segment.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub form: Form,
    /// Of a software fault domain: the component, one too, in whose address space it is.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub host: String,
    /// Of a domain of protection: the component in whose address space it is.
    #[serde(default)]
    pub task: String,
    /// Of a domain of protection: how its calls to its task change what is visible.
    #[serde(default)]
    pub switch: Switch,
    /// Laid out by the image builder instead of being started by `init`.
    #[serde(default)]
    pub boot: bool,
    /// Of a boot component: what the others rely on it for.
    #[serde(default)]
    pub role: Role,
    /// Service stacks are visible in it: `s` portals enter it on the caller's.
    #[serde(default)]
    pub trusted: bool,
    /// Runs with interrupts off (scheduler, interrupt dispatcher).
    #[serde(default)]
    pub masked: bool,
    /// Started only on request (by the shell, by another component), not with the system.
    #[serde(default)]
    pub on_request: bool,
    /// The machine stops when it ends, with its exit status.
    #[serde(default)]
    pub main: bool,
    /// 0…63, higher runs first. Components start in the manifest's order, without waiting for each other: a server whose
    /// priority is above init's (40) runs until it waits, so its portals are registered when the next component starts.
    #[serde(default = "default_priority")]
    pub priority: u8,
    /// Device-tree nodes whose registers (and interrupt) it gets. For a boot component, `ADDRESS+BYTES` in hexadecimal.
    #[serde(default)]
    pub devices: Vec<String>,
    /// Names that it may register; `*` at the end matches any rest.
    #[serde(default)]
    pub provides: Vec<String>,
    /// Names that it may open.
    #[serde(default)]
    pub opens: Vec<String>,
    /// Arguments after its name.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// What `init` does when it ends.
    #[serde(default)]
    pub restart: Restart,
    /// How often it is started again, and how soon.
    #[serde(default)]
    pub restarts: Restarts,
    /// Components without which it can not go on: when one of these is started again, it is ended, and started again behind that one.
    #[serde(default)]
    pub restart_with: Vec<String>,
    /// Its calls may be made again: when it is started again, who has a portal of it open by its name keeps that, and calls wait until it is there.
    #[serde(default)]
    pub heals: bool,
    /// Milliseconds that a call of it by a name may be in it, 20 to [`Restarts::LONGEST`]: a call that is longer there is a fault of its own.
    #[serde(default)]
    pub deadline: Option<u32>,
    /// The same of calls by this name, in place of that, or by portals that it has granted, "(granted)"; 0: as long as they like.
    #[serde(default)]
    pub deadlines: BTreeMap<String, u32>,
    /// A portal of it that says whether it is well.
    #[serde(default)]
    pub health: Option<Health>,
    /// What it and its children may take of what all share.
    #[serde(default)]
    pub limits: Limits,
    /// Names that it may open, and that need not have a provider in every system.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub optional: Vec<String>,
    /// Source files in C that its image is built from, `*` for any part of a name, in place of or beside a file that `image` names.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub sources: Vec<String>,
    /// Files that the patterns of `sources` match and that are left out.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub exclude: Vec<String>,
    /// Options of the C compiler.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub cflags: Vec<String>,
    /// Folders of headers.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub include: Vec<String>,
    /// Libraries: names as after `-l`, or paths of `.a` and `.o` files.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub libraries: Vec<String>,
    /// A recipe of `ports`: its sources, options, headers and libraries are the program's, too.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub port: Option<String>,
    /// Which program, where a package of cargo's has several.
    #[cfg(feature = "sources")]
    #[serde(default, skip_serializing)]
    pub binary: Option<String>,
    /// The path that `image` gave, where the image has another name in the system.
    #[cfg(feature = "sources")]
    #[serde(skip)]
    pub path: String,
}
/// What a component may take, where that is not [`Resource::default_limit`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    pub domains: Option<u32>,
    pub threads: Option<u32>,
    pub semaphores: Option<u32>,
    /// Bytes.
    pub code: Option<u32>,
    pub names: Option<u32>,
    pub pagers: Option<u32>,
    /// Open files and directories, and sides of pipes.
    pub files: Option<u32>,
    /// Percent of what `files` has room for. Those that do not say share evenly what the others leave.
    pub storage: Option<u32>,
    /// Percent of the disk. Those that do not say, and may open files there, share evenly what the others leave.
    pub disk: Option<u32>,
    pub capabilities: Option<u32>,
    /// Percent of the memory that is there for components. Those that do not say share evenly what the others leave. Of a domain of
    /// protection: how much of its task's memory it may take, all if it does not say.
    pub memory: Option<u32>,
    /// Percent of the processor's time that it may have while others wait, of each 100 ms; 100: all.
    pub processor: Option<u32>,
}
impl Limits {
    /// How much of `resource`.
    pub fn of(&self, resource: Resource) -> u32 {
        let given = match resource {
            Resource::Domains => self.domains,
            Resource::Threads => self.threads,
            Resource::Semaphores => self.semaphores,
            Resource::Code => self.code,
            Resource::Names => self.names,
            Resource::Pagers => self.pagers,
            Resource::Files => self.files,
            Resource::Storage => self.storage,
            Resource::Disk => self.disk,
            Resource::Capabilities => self.capabilities,
            Resource::Processor => self.processor,
        };
        given.unwrap_or(resource.default_limit())
    }
    /// All of them, as the portal manager takes them, with so many pages of storage, and on the disk.
    pub fn all(&self, storage: u32, disk: u32) -> abi::account::Limits {
        abi::account::Limits(Resource::ALL.map(|resource| match resource {
            Resource::Storage => storage,
            Resource::Disk => disk,
            _ => self.of(resource),
        }))
    }
}
impl Component {
    /// Whether it may provide `name`.
    pub fn provides(&self, name: &str) -> bool {
        any_matches(&self.provides, name)
    }
    /// Whether it may open `name`.
    pub fn opens(&self, name: &str) -> bool {
        any_matches(&self.opens, name)
    }
    /// Milliseconds that a call may be in a component at least: shorter times are not measured.
    pub const SHORTEST_DEADLINE: u32 = 20;
    /// In `deadlines`, what stands for calls by portals that the component has granted.
    pub const GRANTED: &str = "(granted)";
    /// How many milliseconds a call of it by a portal that it has granted may be in it; `None`: as long as it likes.
    pub fn deadline_of_granted(&self) -> Option<u32> {
        self.deadlines.get(Component::GRANTED).copied().filter(|&limit| limit > 0)
    }
    /// How many milliseconds a call of it by `name` may be in it; `None`: as long as it likes.
    pub fn deadline_of(&self, name: &str) -> Option<u32> {
        self.deadlines.get(name).copied().or(self.deadline).filter(|&limit| limit > 0)
    }
    /// The shortest time that a call may be in it, in milliseconds, if there is one.
    pub fn shortest_deadline(&self) -> Option<u32> {
        self.deadlines.values().copied().filter(|&limit| limit > 0).chain(self.deadline).min()
    }
    /// The number that what is its own on a disk has, never 0: FNV-1a (RFC 9923) of its name, without the upper bit.
    pub fn disk_owner(&self) -> u32 {
        let hash = self.name.bytes().fold(0x811C_9DC5u32, |hash, byte| (hash ^ byte as u32).wrapping_mul(0x0100_0193));
        (hash & 0x7FFF_FFFF).max(1)
    }
}
/// Whether it has a part of the disk: it may open files there, or says so.
pub fn has_disk(component: &Component) -> bool {
    component.opens("disk.open") || component.limits.disk.is_some()
}
fn any_matches(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    })
}
impl System {
    /// The components that are not laid out in the image, and the number of each one's account.
    pub fn accounts(&self) -> impl Iterator<Item = (usize, &Component)> {
        self.components.iter().filter(|c| !c.boot).enumerate().map(|(n, component)| (n + 1, component))
    }
    /// The component called `name`, and the number of its account.
    pub fn account(&self, name: &str) -> Option<(usize, &Component)> {
        self.accounts().find(|(_, component)| component.name == name)
    }
    /// Those that have a part of the memory to themselves: domains of protection have of their tasks'.
    pub fn sharers(&self) -> impl Iterator<Item = (usize, &Component)> {
        self.accounts().filter(|(_, component)| component.isolation != Isolation::Dp)
    }
}

fn default_priority() -> u8 {
    20
}

/// The isolation mechanism of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// Its own page table and ASID.
    #[default]
    Domain,
    /// A software fault domain: verified machine code in a segment of a host's space.
    Sfi,
    /// A domain of protection: it sees a part of the address space of the component that `task` names.
    Dp,
    /// Its own page table, and supervisor mode: nothing keeps it in, and it is trusted.
    Supervisor,
}

impl Isolation {
    /// The mechanism as requests have it.
    pub fn mechanism(self) -> abi::isolation::Isolation {
        match self {
            Isolation::Domain => abi::isolation::Isolation::Domain,
            Isolation::Sfi => abi::isolation::Isolation::Sfi,
            Isolation::Dp => abi::isolation::Isolation::Dp,
            Isolation::Supervisor => abi::isolation::Isolation::Supervisor,
        }
    }
}

/// How a software fault domain's addresses are brought into its segment: `abi::enclosure::form` has the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// By a mask and the base, two instructions.
    #[default]
    Masks,
    /// By an instruction of extension Zba, in a segment of 4 GiB.
    Zba,
    /// By the base alone, in the last GiB of its space, which one fault domain can have: not one that names a `host`.
    Top,
}
/// How calls from a domain of protection to its task change what is visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// To the task's address space, which has a number of its own.
    #[default]
    Asid,
    /// By page-table entries that the call writes and the return clears, if they are few.
    Patch,
    /// By whichever costs less, as it is computed for the first call.
    Auto,
}
impl Switch {
    /// As requests have it.
    pub fn how(self) -> abi::patch::Switch {
        match self {
            Switch::Asid => abi::patch::Switch::Asid,
            Switch::Patch => abi::patch::Switch::Patch,
            Switch::Auto => abi::patch::Switch::Auto,
        }
    }
}

/// What the others rely on a boot component for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Nothing in particular.
    #[default]
    None,
    /// It runs when nobody else can.
    Idle,
    /// It sees all memory, and writes page tables.
    Memory,
    /// It sees the nucleus's data, and writes portals.
    Portals,
    /// It starts all other components, and may end any.
    Start,
}
impl Role {
    /// The role as the boot information has it.
    pub fn number(self) -> u64 {
        use abi::boot::role;
        match self {
            Role::None => role::NONE,
            Role::Idle => role::IDLE,
            Role::Memory => role::MEMORY,
            Role::Portals => role::PORTALS,
            Role::Start => role::START,
        }
    }
}

/// What happens when a component ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Restart {
    #[default]
    Never,
    /// Started again when it was stopped for a fault or killed, or has called `abort`; not when it ends by itself.
    Fault,
    /// Started again however it ends.
    Always,
}
/// How often a component is started again, and how soon. It stays ended where it would be too often.
///
/// The first time it is started again at once. From then on there is a pause before, which is doubled each time up to a longest one, until the
/// component has run for a whole period: then it is as if it had never failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Restarts {
    /// Most restarts within a period: 1 to [`Restarts::MOST`].
    pub intensity: u8,
    /// Milliseconds, 1 to [`Restarts::LONGEST`].
    pub period: u32,
    /// The pause before the second restart in a row, in milliseconds, and the longest pause: each up to [`Restarts::LONGEST`].
    pub pause: u32,
    pub longest_pause: u32,
}
impl Restarts {
    /// Highest intensity.
    pub const MOST: u8 = 16;
    /// Longest period and pause, in milliseconds: an hour.
    pub const LONGEST: u32 = 3_600_000;
}
/// A portal that is called at intervals. An error that it returns is a fault of the component, as is a call that is longer in it than it may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "sources", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Health {
    /// A name that the component provides. Whatever words it takes are 0.
    pub portal: String,
    /// Milliseconds from one call to the next, 1 to [`Restarts::LONGEST`].
    #[serde(default = "health_period")]
    pub period: u32,
}
fn health_period() -> u32 {
    1000
}
impl Default for Restarts {
    fn default() -> Restarts {
        Restarts { intensity: 5, period: 10_000, pause: 10, longest_pause: 1_000 }
    }
}
