//! Input from outside, broken: frames, answers of DHCP and DNS, requests of HTTP, handshakes of TLS, images of disks, through the code that reads them on the
//! machine. A case follows from its seed. What it must not do is to panic, to go on for ever, or to take memory without end, which is
//! for who runs it to see ([`case`] itself has no limits); beyond that each target says what must hold of what comes out.

pub mod disk;
mod http;
mod network;
mod random;
mod tls;

use random::Random;

/// What a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// TCP, UDP, ICMP, ARP and neighbours' frames, of IPv4 and IPv6, to sockets that are in use.
    Frames,
    /// Answers of a DHCP server.
    Dhcp,
    /// Answers of a name server.
    Dns,
    /// What a client sends to the HTTP server.
    Http,
    /// What a client sends to the HTTPS server in place of a handshake.
    Tls,
    /// A disk's image: it is mounted, read and written.
    Disk,
    /// One that lies at one place, each in its turn.
    Crafted,
}
impl Target {
    pub const ALL: [Target; 7] =
        [Target::Frames, Target::Dhcp, Target::Dns, Target::Http, Target::Tls, Target::Disk, Target::Crafted];
    pub fn name(self) -> &'static str {
        match self {
            Target::Frames => "frames",
            Target::Dhcp => "dhcp",
            Target::Dns => "dns",
            Target::Http => "http",
            Target::Tls => "tls",
            Target::Disk => "disk",
            Target::Crafted => "crafted",
        }
    }
    pub fn of(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }
}

/// Does one case; panics where something does not hold.
pub fn case(target: Target, seed: u64) {
    let random = &mut Random::new(seed);
    match target {
        Target::Frames => network::frames(random),
        Target::Dhcp => network::dhcp(random),
        Target::Dns => network::dns(random),
        Target::Http => http::requests(random),
        Target::Tls => tls::handshakes(random),
        Target::Disk => _ = disk::image(random),
        Target::Crafted => _ = disk::crafted::image(seed),
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    /// The number of cases of each target that are done with every test: those of a disk take longer.
    fn few(target: Target) -> u64 {
        if matches!(target, Target::Disk | Target::Crafted) { 10 } else { 300 }
    }
    #[test]
    fn what_comes_from_outside_may_be_broken() {
        for target in Target::ALL {
            (0..few(target)).for_each(|seed| case(target, seed));
        }
    }
    #[test]
    fn many_broken_disks_mount_and_many_do_not() {
        let mounted = (0..40).filter(|&seed| disk::image(&mut Random::new(seed))).count();
        assert!((8..=38).contains(&mounted), "{mounted} of 40");
    }
}
