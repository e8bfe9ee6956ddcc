//! Packages of Debian 13 for riscv64, fetched by apt with its signatures verified. Apt works in a folder of its own with
//! its own configuration: the machine's lists, cache and settings are neither used nor changed, except that the mirror and
//! the way to it (proxies) are the machine's.

use super::process;
use crate::fetch;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const RELEASE: &str = "trixie";
const ARCHITECTURE: &str = "riscv64";
/// Where Debian is when the machine's own lists do not say.
const MIRROR: &str = "http://deb.debian.org/debian";
/// Where apt leaves what it has fetched to install it.
const DOWNLOADED: &str = "cache/archives";
/// Keys of all releases, by what the package debian-archive-keyring calls the file in its versions.
const KEYRINGS: &[&str] =
    &["/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-keyring.pgp"];

/// Debian's archive, its lists fetched.
pub struct Archive {
    root: PathBuf,
    folder: PathBuf,
    configuration: PathBuf,
}

impl Archive {
    /// Makes apt's folder and fetches the lists.
    pub fn open(root: &Path) -> Result<Archive> {
        let root = root.canonicalize().with_context(|| root.display().to_string())?;
        let folder = root.join("build/linux/apt");
        for part in ["etc/apt.conf.d", "etc/preferences.d", "state/lists/partial", "cache/archives/partial"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).with_context(|| part.display().to_string())?;
        }
        let Some(keyring) = KEYRINGS.iter().find(|k| Path::new(k).exists()) else {
            bail!("{} is missing: install debian-archive-keyring", KEYRINGS[0]);
        };
        let mirror = mirror(Path::new("/etc/apt"));
        let source = format!("deb [arch={ARCHITECTURE} signed-by={keyring}] {mirror} {RELEASE} main\n");
        let acquire = process::run(Command::new("apt-config").arg("dump"), "apt")?;
        let configuration = folder.join("apt.conf");
        for (file, text) in [
            (folder.join("etc/sources.list"), source),
            (folder.join("state/status"), String::new()),
            (configuration.clone(), configuration_text(&folder, &acquire)),
        ] {
            fs::write(&file, text).with_context(|| file.display().to_string())?;
        }
        let archive = Archive { root, folder, configuration };
        eprintln!("pebble: fetching the lists of Debian ({RELEASE}, {ARCHITECTURE}) from {mirror}");
        process::run(&mut archive.get("its lists", &["update", "--error-on=any"]), "apt").with_context(|| {
            format!(
                "fetching the lists of {mirror} {RELEASE}: see that the network reaches it; if a key is missing, \
                 upgrade the package debian-archive-keyring"
            )
        })?;
        Ok(archive)
    }
    /// What [`apt`](Archive::apt) fetches by apt-get, tried again where the network fails.
    fn get(&self, what: &str, arguments: &[&str]) -> Command {
        fetch::command(&self.root, "Debian's archive", what, &self.apt("apt-get", arguments))
    }
    /// An apt program that works in our folder.
    fn apt(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.env("APT_CONFIG", &self.configuration).env("LC_ALL", "C").arg("-q").args(arguments);
        command
    }
    /// The package that `package` depends on whose name starts with `prefix`.
    pub fn dependency(&self, package: &str, prefix: &str) -> Result<String> {
        let text = process::run(&mut self.apt("apt-cache", &["depends", package]), "apt")
            .with_context(|| format!("Debian's package {package}"))?;
        let names = text.lines().filter_map(|l| l.trim().strip_prefix("Depends: "));
        names
            .map(str::trim)
            .find(|n| n.starts_with(prefix))
            .map(String::from)
            .with_context(|| format!("Debian's package {package} does not depend on {prefix}*:\n{text}"))
    }
    /// Fetches a package and unpacks it; the folder with its content, for [`Archive::discard`] to remove.
    pub fn fetch(&self, package: &str) -> Result<PathBuf> {
        eprintln!("pebble: fetching {package} (once)");
        self.discard()?;
        let fetched = self.folder.join("fetched");
        fs::create_dir(&fetched).with_context(|| fetched.display().to_string())?;
        process::run(self.get(package, &["download", package]).current_dir(&fetched), "apt").with_context(|| {
            format!("fetching Debian's package {package}: see that the network reaches the archive")
        })?;
        self.unpack(&fetched).with_context(|| format!("Debian's package {package}"))
    }
    /// The same of packages with all that they depend on.
    pub fn fetch_with_dependencies(&self, packages: &[&str]) -> Result<PathBuf> {
        let names = packages.join(", ");
        eprintln!("pebble: fetching {names}, and what they depend on (once)");
        self.discard()?;
        let arguments: Vec<&str> = ["install", "--download-only", "-y"].iter().chain(packages).copied().collect();
        process::run(&mut self.get(&names, &arguments), "apt")
            .with_context(|| format!("fetching Debian's packages {names}: see that the network reaches the archive"))?;
        self.unpack(&self.folder.join(DOWNLOADED)).with_context(|| format!("Debian's packages {names}"))
    }
    /// Unpacks all packages of a folder into one.
    fn unpack(&self, fetched: &Path) -> Result<PathBuf> {
        let unpacked = self.folder.join("unpacked");
        let files = fs::read_dir(fetched).with_context(|| fetched.display().to_string())?;
        let packages: Vec<PathBuf> =
            files.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "deb")).collect();
        ensure!(!packages.is_empty(), "apt-get left no file");
        for package in packages {
            process::run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(&unpacked), "dpkg")
                .with_context(|| format!("unpacking {}", package.display()))?;
        }
        Ok(unpacked)
    }
    /// Removes what was fetched and unpacked.
    pub fn discard(&self) -> Result<()> {
        for folder in ["fetched", "unpacked", DOWNLOADED] {
            remove(&self.folder.join(folder))?;
        }
        let partial = self.folder.join(DOWNLOADED).join("partial");
        fs::create_dir_all(&partial).with_context(|| partial.display().to_string())
    }
}
/// Removes a folder, if there is one.
pub fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).context(folder.display().to_string()),
        _ => Ok(()),
    }
}

/// Apt's configuration: everything in `folder`, nothing of the machine's but how it acquires files.
fn configuration_text(folder: &Path, machine: &str) -> String {
    let folder = folder.display();
    let mut text = format!(
        "Dir::Etc \"{folder}/etc\";\n\
         Dir::Etc::netrc \"/etc/apt/auth.conf\";\n\
         Dir::Etc::netrcparts \"/etc/apt/auth.conf.d\";\n\
         Dir::State \"{folder}/state\";\n\
         Dir::State::status \"{folder}/state/status\";\n\
         Dir::Cache \"{folder}/cache\";\n\
         Dir::Cache::pkgcache \"\";\n\
         Dir::Cache::srcpkgcache \"\";\n\
         APT::Architecture \"{ARCHITECTURE}\";\n\
         APT::Architectures {{ \"{ARCHITECTURE}\"; }};\n\
         APT::Install-Recommends \"false\";\n\
         APT::Sandbox::User \"\";\n\
         Acquire::Languages \"none\";\n\
         Acquire::AllowInsecureRepositories \"false\";\n\
         Acquire::AllowWeakRepositories \"false\";\n\
         Acquire::AllowDowngradeToInsecureRepositories \"false\";\n"
    );
    let ours = ["Acquire::Allow", "Acquire::Languages", "Acquire::IndexTargets"];
    for line in machine.lines().filter(|l| l.starts_with("Acquire::") && !ours.iter().any(|o| l.starts_with(o))) {
        text += line;
        text.push('\n');
    }
    text
}

/// The mirror of Debian's main archive in the machine's lists, in either format of sources.list(5).
fn mirror(folder: &Path) -> String {
    let parts = fs::read_dir(folder.join("sources.list.d")).into_iter().flatten().flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = parts.collect();
    files.sort();
    files.insert(0, folder.join("sources.list"));
    let text: Vec<String> = files.iter().filter_map(|f| fs::read_to_string(f).ok()).collect();
    mirror_in(&text.join("\n")).unwrap_or_else(|| MIRROR.into())
}
fn mirror_in(lists: &str) -> Option<String> {
    let is_entry = |l: &&str| ["deb ", "deb\t", "URIs:"].iter().any(|start| l.starts_with(start));
    let words = lists.lines().map(str::trim_start).filter(is_entry).flat_map(str::split_whitespace);
    let mut mirrors = words.filter(|w| w.starts_with("http://") || w.starts_with("https://"));
    mirrors.find(|w| w.trim_end_matches('/').ends_with("/debian")).map(|w| w.trim_end_matches('/').to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_mirror_is_found_in_both_formats() {
        let stanza = "Types: deb\n# http://other/debian\nURIs: http://mirror.example/debian/\nSuites: bookworm\n";
        assert_eq!(mirror_in(stanza).unwrap(), "http://mirror.example/debian");
        let line = "deb [signed-by=/k.gpg] https://security.example/debian-security x main\n\
                    deb [signed-by=/k.gpg] https://mirror.example/debian bookworm main\n";
        assert_eq!(mirror_in(line).unwrap(), "https://mirror.example/debian");
    }
    #[test]
    fn without_a_debian_mirror_there_is_none() {
        assert_eq!(mirror_in("deb http://archive.ubuntu.com/ubuntu noble main\n# deb http://x/debian y\n"), None);
    }
    #[test]
    fn the_machines_proxy_is_kept_and_its_hooks_and_laxness_are_not() {
        let machine = "Acquire::http::Proxy \"http://proxy:3128\";\nAPT::Update::Post-Invoke:: \"rm -rf x\";\n\
                       Acquire::IndexTargets::deb::DEP-11 \"\";\nAcquire::AllowInsecureRepositories \"1\";\n";
        let text = configuration_text(Path::new("/f"), machine);
        assert!(text.contains("Acquire::http::Proxy \"http://proxy:3128\";"));
        assert!(!text.contains("Post-Invoke") && !text.contains("DEP-11"));
        assert!(
            !text.contains("AllowInsecureRepositories \"1\"") && text.contains("AllowInsecureRepositories \"false\"")
        );
    }
}
