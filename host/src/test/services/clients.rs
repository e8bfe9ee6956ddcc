//! Clients that nobody here wrote: curl, wget, ab and Python's `http.client`.

use super::http::{INDEX, ask, long, serving};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::{Command, Stdio};

/// What Python asks.
const SCRIPT: &str = "tests/services/clients.py";
/// Seconds after which a client is ended.
const TIME: &str = "100";

/// Runs a client; its output, if it ends with this status.
pub fn output(program: &str, arguments: &[&str], status: i32) -> Result<Vec<u8>> {
    let mut command = Command::new("timeout");
    command.arg(TIME).arg(program).args(arguments).stdin(Stdio::null());
    let said = command.output().with_context(|| program.to_string())?;
    let errors = String::from_utf8_lossy(&said.stderr);
    ensure!(said.status.code() == Some(status), "{program} {}: {}\n{errors}", arguments.join(" "), said.status);
    Ok(said.stdout)
}
fn text(program: &str, arguments: &[&str], status: i32) -> Result<String> {
    Ok(String::from_utf8(output(program, arguments, status)?)?)
}

fn curl(url: &str, folder: &Path) -> Result<()> {
    let data = &format!("{url}data/long");
    ensure!(output("curl", &["-s", url], 0)? == INDEX, "curl: the index");
    // Two on one connection, each with what was connected for it.
    let connects = text("curl", &["-s", "-o", "/dev/null", url, "-o", "/dev/null", data, "-w", "%{num_connects} "], 0)?;
    ensure!(connects == "1 0 ", "curl: connections that were made for two files: {connects}");
    ensure!(output("curl", &["-s", "-r", "1000-100999", data], 0)? == long()[1000..101_000], "curl: a range");
    let status = |more: &[&str]| {
        let arguments = [&["-s", "-o", "/dev/null", "-w", "%{http_code}"], more].concat();
        text("curl", &arguments, 0)
    };
    let tag = folder.join("tag");
    let tag = tag.to_str().context("a name of a temporary file")?;
    ensure!(status(&["--etag-save", tag, data])? == "200", "curl: with a tag");
    ensure!(status(&["--etag-compare", tag, data])? == "304", "curl: it has not changed");
    ensure!(status(&[&format!("{url}nothing")])? == "404", "curl: there is no such file");
    ensure!(status(&["-I", data])? == "200", "curl: a head alone");
    ensure!(status(&["-H", &format!("X: {}", "a".repeat(20_000)), url])? == "431", "curl: a head that is too long");
    ensure!(status(&["-d", "words", url])? == "405", "curl: nothing is posted here");
    let large = folder.join("large");
    std::fs::write(&large, vec![b'x'; 1 << 20])?;
    // It waits to be told to send that.
    ensure!(status(&["-T", large.to_str().context("a name")?, url])? != "200", "curl: nothing is put here");
    Ok(())
}
fn wget(url: &str, folder: &Path) -> Result<()> {
    let file = folder.join("long");
    std::fs::write(&file, &long()[..70_000])?;
    let to = file.to_str().context("a name of a temporary file")?;
    // Only what is missing.
    output("wget", &["-q", "-c", "-O", to, &format!("{url}data/long")], 0)?;
    ensure!(std::fs::read(&file)? == long(), "wget: the rest of a file");
    // Its status for what the server refuses.
    output("wget", &["-q", "-O", "/dev/null", &format!("{url}nothing")], 8).map(|_| ())
}
/// Several at a time, each connection for one request or for many. QEMU has this machine's kernel keep two that it has not taken yet: of
/// more, what they send is dropped there, and sent again up to 15 s later.
fn ab(url: &str) -> Result<()> {
    for more in [&["-c", "2", "-n", "300"][..], &["-k", "-c", "2", "-n", "1000"]] {
        let said = text("ab", &[&["-q", "-s", "60"], more, &[url]].concat(), 0)?;
        let of = |what: &str| {
            let line = said.lines().find_map(|line| line.strip_prefix(what));
            let number = line.and_then(|value| value.split_whitespace().next());
            number.map_or(Ok(0), str::parse::<usize>).with_context(|| format!("ab: {what}"))
        };
        let (complete, wanted) = (of("Complete requests:")?, more[more.len() - 1].parse::<usize>()?);
        let wrong = of("Failed requests:")? + of("Write errors:")? + of("Non-2xx responses:")?;
        if complete != wanted || wrong != 0 || of("Document Length:")? != INDEX.len() {
            bail!("ab {}: {said}", more.join(" "));
        }
    }
    Ok(())
}
fn python(root: &Path, port: u16, folder: &Path) -> Result<()> {
    let (index, all) = (folder.join("index.html"), folder.join("all"));
    std::fs::write(&index, INDEX)?;
    std::fs::write(&all, long())?;
    let script = root.join(SCRIPT);
    let path = |path: &Path| path.display().to_string();
    let arguments = [path(&script), port.to_string(), path(&index), path(&all)];
    let said = text("python3", &arguments.each_ref().map(String::as_str), 0)?;
    ensure!(said == "all answered\n", "{SCRIPT}: {said}");
    Ok(())
}
/// Each of them gets what it asks for, also beside those that behave badly.
pub fn answered(root: &Path) -> Result<()> {
    let system = serving(root)?;
    let folder = tempfile::tempdir()?;
    let url = format!("http://127.0.0.1:{}/", system.port);
    let all = curl(&url, folder.path())
        .and_then(|()| wget(&url, folder.path()))
        .and_then(|()| ab(&url))
        .and_then(|()| python(root, system.port, folder.path()));
    all.with_context(|| system.last_said())?;
    ensure!(ask(&system.connect()?, "/", "")?.body == INDEX, "the next one");
    Ok(())
}
