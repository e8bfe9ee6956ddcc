//! What a component may take of what all share: resources, and how much of each. Each account is a component's of the manifest,
//! with all domains that it is started as and their children.

use crate::address::{CODE_REGION, CODE_REGIONS};

/// Most accounts; number 0 is the system's own.
pub const ACCOUNTS: usize = 32;

/// Bytes of portal code of components that the first region has room for, beside the nucleus and what the system itself opens.
pub const CODE_FIRST: u32 = 1600 * 1024;

macro_rules! resources {
    ($($(#[$doc:meta])* $name:ident, $text:literal, $default:expr, $most:expr;)*) => {
        /// What is counted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Resource { $($(#[$doc])* $name,)* }
        impl Resource {
            pub const ALL: [Resource; RESOURCES] = [$(Resource::$name),*];
            /// As it is called in the manifest and by the shell.
            pub fn text(self) -> &'static str {
                match self { $(Resource::$name => $text,)* }
            }
            /// What a component has whose manifest does not say.
            pub const fn default_limit(self) -> u32 {
                match self { $(Resource::$name => $default,)* }
            }
            /// What there is for all components together.
            pub const fn most(self) -> u32 {
                match self { $(Resource::$name => $most,)* }
            }
        }
        /// How many resources there are.
        pub const RESOURCES: usize = [$($text),*].len();
    };
}
resources! {
    /// Domains: living ones, and those that have ended until they are waited for and nothing shows their memory.
    Domains, "domains", 16, crate::nucleus::MAX_DOMAINS as u32 - 32;
    Threads, "threads", 64, crate::nucleus::MAX_THREADS as u32 - 48;
    Semaphores, "semaphores", 64, crate::nucleus::MAX_SEMAPHORES as u32 - 128;
    /// Bytes of portal code.
    Code, "code", 64 * 1024, (CODE_REGIONS * CODE_REGION) as u32 + CODE_FIRST;
    /// Registered names.
    Names, "names", 64, 8192;
    /// Ranges of addresses with a handler.
    Pagers, "pagers", 2, 64;
    /// Open files and directories, and sides of pipes, in `files`.
    Files, "files", 128, 4096;
    /// Pages in `files`: one for each file, directory and pipe, and those of what is in a file. In the manifest it is a percentage, and
    /// 0 stands for an even share of what the others leave.
    Storage, "storage", 0, 100;
    /// Pages on the disk: one for each file and directory, and those of what is in a file. In the manifest it is a percentage, and 0
    /// stands for an even share of what the others leave.
    Disk, "disk", 0, 100;
    /// Capabilities that a domain has made, and those that came to be when it passed one on.
    Capabilities, "capabilities", 256, 8192;
    /// Percent of the processor's time, of each 100 ms, while threads of others wait; after that its threads come last. Nobody is
    /// charged: the scheduler looks who runs. What all say may be more than there is.
    Processor, "processor", 80, (Share::ALL.percent() * ACCOUNTS) as u32;
}
impl Resource {
    /// Whether it is kept by a service, which charges for it (`account.charge`), and not by the portal manager.
    pub const fn is_of_services(self) -> bool {
        matches!(self, Resource::Files | Resource::Storage | Resource::Disk | Resource::Capabilities)
    }
    /// What is answered to who has reached its limit.
    pub const fn exhausted(self) -> crate::Error {
        match self {
            Resource::Storage => crate::Error::ENOMEM,
            Resource::Disk => crate::Error::EDQUOT,
            _ => crate::Error::ENFILE,
        }
    }
    /// Whether the manifest says it as a percentage of what only the machine knows: it is counted in pages.
    pub const fn is_shared_out(self) -> bool {
        matches!(self, Resource::Storage | Resource::Disk)
    }
    /// The resource with this number. `None`: there is none.
    pub fn of(number: usize) -> Option<Resource> {
        Resource::ALL.get(number).copied()
    }
}

/// What an account may have of the processor's time while threads of others wait, in percent: from 1 to 100, which is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(u8);
impl Share {
    pub const ALL: Share = Share(100);
    /// Passed to `scheduler.share` instead of one: it stays as it is.
    pub const AS_BEFORE: usize = usize::MAX;

    /// `None`: it is no share.
    pub const fn of(percent: usize) -> Option<Share> {
        if percent >= 1 && percent <= Share::ALL.percent() { Some(Share(percent as u8)) } else { None }
    }
    pub const fn percent(self) -> usize {
        self.0 as usize
    }
}

/// So much of each.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits(pub [u32; RESOURCES]);
impl Limits {
    pub const NONE: Limits = Limits([0; RESOURCES]);
    pub fn of(&self, resource: Resource) -> u32 {
        self.0[resource as usize]
    }
}
/// Answer of `inspect.account`.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Report {
    pub used: [u32; RESOURCES],
    pub limits: [u32; RESOURCES],
}
impl Report {
    pub const NONE: Report = Report { used: [0; RESOURCES], limits: [0; RESOURCES] };
}

/// A component's part of the disk.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskPart {
    /// What is the component's on the disk has this number: it follows from its name, so it is the same after a reboot, and in every
    /// system that has a component of that name. 0: there is no such account.
    pub owner: u32,
    /// How many pages it may have there.
    pub pages: u32,
}
/// Answer of `init.disk`: the parts of all accounts, by their numbers.
#[repr(C, align(256))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskParts(pub [DiskPart; ACCOUNTS]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_from_1_to_100_percent() {
        for percent in 1..=100 {
            assert_eq!(Share::of(percent).map(Share::percent), Some(percent));
        }
        for percent in [0, 101, 256, 257, Share::AS_BEFORE] {
            assert_eq!(Share::of(percent), None, "{percent}");
        }
        assert_eq!(Share::of(100), Some(Share::ALL));
    }
}
