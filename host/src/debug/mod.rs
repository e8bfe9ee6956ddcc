//! `--gdb`: the machine waits for gdb, and gdb gets what it needs to know of the system: `pebble.py`, the programs with their symbols, and
//! the layout of what the nucleus keeps.

use crate::build::{self, Programs, Sources};
use abi::address::{ENTRY_STUB, PAGE, RAM_BASE};
use abi::nucleus::*;
use abi::rights::Rights;
use anyhow::{Context, Result};
use image::{Image, Program};
use std::mem::offset_of;
use std::path::{Path, PathBuf};

/// What gdb runs; the rest is written when the machine is known.
const SCRIPT: &str = include_str!("pebble.py");

/// The files of one debugged run, in `build/gdb`.
pub struct Session {
    folder: PathBuf,
    /// Where gdb reaches QEMU.
    socket: PathBuf,
    programs: serde_json::Value,
    nucleus: Program,
}

impl Session {
    /// Builds these images, which is quick where it has been done, and writes what gdb needs to know of them.
    pub fn of(root: &Path, images: &Sources) -> Result<Session> {
        let (nucleus, programs) = build::build(root, images)?;
        Session::prepare(root, &nucleus, &programs)
    }
    /// Writes the programs of a system, by the names of its images, and the script.
    fn prepare(root: &Path, nucleus: &[u8], programs: &Programs) -> Result<Session> {
        let folder = root.join("build/gdb");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let mut known = Vec::new();
        for (name, file) in programs {
            let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let elf = folder.join(&stem).with_extension("elf");
            std::fs::write(&elf, file)?;
            let program = Program::parse(name, file)?;
            let Some(code) = program.segments.iter().find(|s| s.rights.contains(Rights::EXECUTE)) else { continue };
            let first: String = code.bytes.iter().take(PAGE).map(|byte| format!("{byte:02x}")).collect();
            known.push(serde_json::json!({ "name": stem, "elf": elf, "address": code.va, "code": first }));
        }
        std::fs::write(folder.join("nucleus.elf"), nucleus)?;
        std::fs::write(folder.join("pebble.py"), SCRIPT)?;
        let socket = std::env::temp_dir().join(format!("pebble-gdb-{}", std::process::id()));
        let nucleus = Program::parse("nucleus", nucleus)?;
        Ok(Session { folder, socket, programs: known.into(), nucleus })
    }
    /// The file that gdb is started with, once the machine is there.
    pub fn start(&self) -> PathBuf {
        self.folder.join("start.gdb")
    }
    /// QEMU's arguments: it waits for gdb before the first instruction.
    pub fn arguments(&self) -> Vec<String> {
        let socket = format!("socket,path={},server=on,wait=off,id=gdb", self.socket.display());
        ["-chardev", &socket, "-gdb", "chardev:gdb", "-S"].map(String::from).into()
    }
    /// Writes what is known once the machine is there, and says how gdb is started.
    pub fn announce(&self, image: &Image, ram: &Path) -> Result<()> {
        let symbol = |name: &str| self.nucleus.symbol(&format!("nucleus_{name}"));
        let layout = serde_json::json!({
            "ram": ram,
            "ram_base": RAM_BASE,
            "programs": self.programs,
            "symbols": {
                "start": symbol("start")?,
                "restore": symbol("restore")?,
                "floating_return": symbol("floating_return")?,
            },
            "threads": MAX_THREADS,
            "thread_table_at": image.thread_table,
            "thread_index": offset_of!(Thread, index),
            "thread_home": offset_of!(Thread, home),
            "thread_table": offset_of!(Thread, table),
            "thread_invocation": offset_of!(Thread, invocation),
            "satp": domain::SPACE,
            "first_frame": FIRST_FRAME,
            "start_frame": START_FRAME,
            "exception_frame": EXCEPTION_FRAME,
            "floating_frame": FLOATING_FRAME,
            "mark": MARK,
            "block_magic": BLOCK_MAGIC,
            "block_header": BLOCK_HEADER,
            "entry_stub": ENTRY_STUB,
        });
        std::fs::write(self.folder.join("layout.json"), serde_json::to_string_pretty(&layout)?)?;
        let start = self.start();
        let commands = format!(
            "set architecture riscv:rv64\nset confirm off\nset pagination off\nset width 0\nsymbol-file {0}/nucleus.elf\n\
             target remote {1}\nsource {0}/pebble.py\n",
            self.folder.display(),
            self.socket.display()
        );
        std::fs::write(&start, commands).with_context(|| start.display().to_string())?;
        eprintln!("pebble: the machine waits for gdb; in another terminal: gdb-multiarch -x {}", start.display());
        Ok(())
    }
}
impl Drop for Session {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}
