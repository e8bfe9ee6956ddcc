//! `./pebble graph`: the components of a built system and the portals between them as a picture. Graphviz lays it out.

mod dot;
mod model;

use crate::{build, system};
use anyhow::{Context, Result, bail};
use model::Graph;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// What is written.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A picture
    Svg,
    /// The text that Graphviz reads
    Dot,
}

/// Builds system `name` and draws it, to `output` or to `build/graph/NAME.svg`; "-": standard output.
pub fn run(root: &Path, name: &str, format: Format, output: Option<PathBuf>) -> Result<ExitCode> {
    let text = dot::write(name, &graph(root, name)?);
    let (bytes, ending) = match format {
        Format::Svg => (lay_out(&text)?, "svg"),
        Format::Dot => (text.into_bytes(), "dot"),
    };
    let stem = Path::new(name).file_stem().unwrap_or_default();
    let path = output.unwrap_or_else(|| root.join("build/graph").join(stem).with_extension(ending));
    if path.as_os_str() == "-" {
        std::io::stdout().write_all(&bytes)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    println!("{}", path.display());
    Ok(ExitCode::SUCCESS)
}
fn graph(root: &Path, name: &str) -> Result<Graph> {
    let system = system::load(root, name)?;
    // The program that `exec` fills in is nobody's yet.
    let images = build::sources(system.components.iter().filter(|c| c.image != "program"));
    let (_, programs) = build::build(root, &images)?;
    Ok(Graph::of(&system, &system::declared(&programs)?))
}
fn lay_out(text: &str) -> Result<Vec<u8>> {
    let mut dot = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("Graphviz's dot could not be started (package graphviz)")?;
    dot.stdin.take().context("dot takes no input")?.write_all(text.as_bytes())?;
    let done = dot.wait_with_output()?;
    if !done.status.success() {
        bail!("dot failed");
    }
    Ok(done.stdout)
}

/// Whether the committed picture of the default system has the arrows that the system has; else what differs.
pub fn compare(root: &Path) -> Result<()> {
    let path = root.join("docs/src/images/system.svg");
    let picture = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let (drawn, there) = (drawn(&picture), graph(root, "default")?.arrows());
    let differ: Vec<&String> = drawn.symmetric_difference(&there).collect();
    if !differ.is_empty() {
        bail!("docs/src/images/system.svg is not what ./pebble graph draws: {differ:?}");
    }
    Ok(())
}
/// The arrows of a picture that Graphviz drew: it writes `caller->callee` as the title of each.
fn drawn(picture: &str) -> std::collections::BTreeSet<String> {
    let titles = picture.split("<title>").skip(1).filter_map(|rest| rest.split("</title>").next());
    let plain = |title: &str| title.replace("&#45;", "-").replace("&gt;", ">");
    titles.map(plain).filter(|title| title.contains("->")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_arrows_of_a_picture_are_its_titles() {
        let picture = "<title>default</title><title>a</title><title>a&#45;&gt;b&#45;c</title>";
        assert_eq!(super::drawn(picture), ["a->b-c".to_string()].into());
    }
}
