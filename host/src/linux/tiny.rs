//! The kernel of Debian 13 in a minimal configuration (`peers/linux/tiny.config` over tinyconfig), built from Debian's
//! package of its source: what Linux costs at the least.

use super::archive::{self, Archive};
use super::{CROSS, process};
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SOURCE_PACKAGE: &str = "linux-source-6.12";
const CONFIGURATION: &str = "peers/linux/tiny.config";
const TOOLS: &str = "make flex bison bc gcc-riscv64-linux-gnu";
/// How many lines make prints, one for each file (6.12.107).
const STEPS: usize = 1290;
/// After how many of them there is a word about the progress.
const WORD: usize = 100;

/// The kernel, built if it is not there yet or its configuration has changed.
pub fn kernel(root: &Path) -> Result<PathBuf> {
    let folder = root.join("build/linux/tiny");
    let (image, built_with) = (folder.join("Image"), folder.join("tiny.config"));
    let wanted = root.join(CONFIGURATION);
    let wanted = fs::read_to_string(&wanted).with_context(|| wanted.display().to_string())?;
    if image.exists() && fs::read_to_string(&built_with).is_ok_and(|b| b == wanted) {
        return Ok(image);
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let folder = folder.canonicalize()?;
    let sources = sources(root, &folder)?;
    let work = folder.join("work");
    archive::remove(&work)?;
    fs::create_dir(&work).with_context(|| work.display().to_string())?;
    eprintln!("pebble: unpacking {SOURCE_PACKAGE}");
    process::run(Command::new("tar").arg("-C").arg(&work).arg("-xJf").arg(&sources), "tar xz-utils")
        .with_context(|| format!("unpacking {}", sources.display()))?;
    let log = folder.join("build.log");
    build(&work.join(SOURCE_PACKAGE), &wanted, &log)
        .with_context(|| format!("building the tiny kernel (log: {})", log.display()))?;
    let built = work.join(SOURCE_PACKAGE).join("arch/riscv/boot/Image");
    fs::rename(&built, &image).with_context(|| built.display().to_string())?;
    fs::write(&built_with, wanted).with_context(|| built_with.display().to_string())?;
    archive::remove(&work)?;
    Ok(image)
}
/// The archive of sources, fetched if it is not there yet.
fn sources(root: &Path, folder: &Path) -> Result<PathBuf> {
    let name = format!("{SOURCE_PACKAGE}.tar.xz");
    let kept = folder.join(&name);
    if !kept.exists() {
        let archive = Archive::open(root)?;
        let file = archive.fetch(SOURCE_PACKAGE)?.join("usr/src").join(&name);
        fs::rename(&file, &kept).with_context(|| format!("{} of {SOURCE_PACKAGE}", file.display()))?;
        archive.discard()?;
    }
    Ok(kept)
}

/// `make` for our target in the folder of sources.
fn make(source: &Path, target: &str) -> Command {
    let mut command = Command::new("make");
    command.current_dir(source).args(["ARCH=riscv", &format!("CROSS_COMPILE={CROSS}"), target]);
    command.env_remove("MAKEFLAGS");
    // The same sources make the same kernel.
    for part in ["USER", "HOST"] {
        command.env(format!("KBUILD_BUILD_{part}"), "pebble");
    }
    command.env("KBUILD_BUILD_TIMESTAMP", "1970-01-01");
    command
}
fn build(source: &Path, configuration: &str, log: &Path) -> Result<()> {
    process::run(&mut make(source, "tinyconfig"), TOOLS)?;
    let file = source.join(".config");
    let mut text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    text += configuration;
    fs::write(&file, text).with_context(|| file.display().to_string())?;
    process::run(&mut make(source, "olddefconfig"), TOOLS)?;
    let lost = lost(configuration, &fs::read_to_string(&file)?);
    if !lost.is_empty() {
        bail!("{CONFIGURATION}: this kernel does not take {}", lost.join(", "));
    }
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    eprintln!("pebble: building the tiny kernel (once; takes some minutes)");
    let mut messages = fs::File::create(log).with_context(|| log.display().to_string())?;
    let mut command = make(source, "Image");
    command.arg(format!("-j{processors}")).stdout(Stdio::piped()).stderr(messages.try_clone()?);
    let mut child = process::start(&mut command, TOOLS)?;
    let output = child.0.stdout.take().context("make has no output")?;
    for (step, line) in BufReader::new(output).lines().map_while(Result::ok).enumerate() {
        writeln!(messages, "{line}")?;
        if step > 0 && step % WORD == 0 {
            eprintln!("pebble: {}% of the tiny kernel", (step * 100 / STEPS).min(99));
        }
    }
    let status = child.0.wait()?;
    if !status.success() {
        let text = fs::read_to_string(log).unwrap_or_default();
        let errors: Vec<&str> = text.lines().filter(|l| l.to_lowercase().contains("error")).take(5).collect();
        bail!("make: {status}\n{}", errors.join("\n"));
    }
    Ok(())
}
/// The settings that are not in a kernel's configuration as they were asked for.
fn lost<'a>(wanted: &'a str, configuration: &str) -> Vec<&'a str> {
    let setting = |l: &&str| l.starts_with("CONFIG_") || (l.starts_with("# CONFIG_") && l.ends_with(" is not set"));
    wanted.lines().filter(setting).filter(|w| !configuration.lines().any(|l| l == *w)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_setting_that_the_kernel_does_not_know_is_lost() {
        let wanted = "# Why.\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=y\n";
        assert_eq!(lost(wanted, "CONFIG_A=y\n# CONFIG_B is not set\n"), ["CONFIG_C=y"]);
        assert_eq!(lost(wanted, "CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=y\n"), ["# CONFIG_B is not set"]);
    }
}
