//! Running an image on the model of CVA6, whose cycles are the real core's. `rtl/` holds its sources.

use crate::child::end_with_us;
use crate::console::{Treatment, listen};
use crate::qemu::{Console, Outcome, scratch};
use crate::{build, guest_log};
use abi::address::{IMAGE_BASE, RAM_BASE};
use anyhow::{Context, Result, bail};
use image::Image;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use vm_fdt::FdtWriter;

/// Cycles of the core in a unit of the timer's time.
pub const CYCLES_PER_TIME: u64 = 10;
/// Units of the timer's time in a second, as on QEMU's `virt`: the core runs at 100 MHz.
const TIMEBASE: u32 = 10_000_000;
pub const NANOSECONDS_PER_CYCLE: u128 = 1_000_000_000 / (TIMEBASE as u128 * CYCLES_PER_TIME as u128);
/// Bytes of RAM.
const RAM_BYTES: usize = 64 << 20;
/// Where the device tree lies: in the last page of RAM.
const DEVICE_TREE: usize = RAM_BASE + RAM_BYTES - abi::address::PAGE;
/// Offset of the word in the firmware that says so (`rtl/shim.S`).
const DEVICE_TREE_WORD: usize = 0xf8;
/// The model's status when its cycles were over.
const OUT_OF_CYCLES: i32 = 124;

/// Cycles that memory takes to answer a read and a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    pub read: u32,
    pub write: u32,
}
impl Default for Latencies {
    fn default() -> Latencies {
        Latencies { read: 20, write: 20 }
    }
}
impl Latencies {
    /// From `READ/WRITE`.
    pub fn parse(text: &str) -> Result<Latencies> {
        let pair = text.split_once('/').and_then(|(r, w)| Some((r.parse().ok()?, w.parse().ok()?)));
        match pair {
            Some((read @ 1..=10_000, write @ 1..=10_000)) => Ok(Latencies { read, write }),
            _ => bail!("two numbers of cycles from 1 to 10000, as 20/20"),
        }
    }
}
impl std::fmt::Display for Latencies {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}/{}", self.read, self.write)
    }
}

/// A configuration of the core: what `rtl/machines/NAME` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    pub name: String,
    /// Of the memories that it is measured with.
    pub latencies: Vec<Latencies>,
}
impl Machine {
    /// The machine that is meant where none is named.
    pub const USUAL: &str = "mid";

    /// Reads `rtl/machines/NAME` below `root`.
    pub fn read(root: &Path, name: &str) -> Result<Machine> {
        let folder = root.join("rtl/machines");
        let Ok(text) = std::fs::read_to_string(folder.join(name)) else {
            let there = std::fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
            let mut names: Vec<_> = there.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            bail!("machine {name}: it is one of {}", names.join(", "));
        };
        Machine::parse(name, &text).with_context(|| folder.join(name).display().to_string())
    }
    fn parse(name: &str, text: &str) -> Result<Machine> {
        let line = text.lines().find_map(|line| line.strip_prefix("latencies=")).context("no line latencies=")?;
        let latencies = line.trim_matches('"').split_whitespace().map(Latencies::parse).collect::<Result<Vec<_>>>()?;
        if latencies.is_empty() {
            bail!("latencies= names none");
        }
        Ok(Machine { name: name.into(), latencies })
    }
    /// Whether its rows say which machine it was.
    pub fn is_usual(&self) -> bool {
        self.name == Machine::USUAL
    }
}

/// The model of `machine`, built if its sources have changed. Its firmware is `shim.bin` beside it.
pub fn build_model(root: &Path, machine: &Machine) -> Result<PathBuf> {
    let (sources, folder) = (root.join("rtl"), root.join("build/rtl"));
    let model = folder.join(&machine.name).join("model");
    let mut inputs: Vec<PathBuf> = std::fs::read_dir(&sources)
        .with_context(|| sources.display().to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && path.extension().is_some_and(|e| e != "md"))
        .collect();
    inputs.push(sources.join("machines").join(&machine.name));
    if !build::fresh(&model, &inputs) {
        let script = sources.join("build.sh");
        let command = &mut Command::new(&script);
        let status = command.arg(&folder).arg(&machine.name).status();
        if !status.with_context(|| script.display().to_string())?.success() {
            bail!("the CVA6 model could not be built");
        }
    }
    Ok(model)
}

/// Handles of the controllers of interrupts in the device tree.
const HART: u32 = 1;
const PLIC: u32 = 2;

/// A machine with so many bytes of RAM in the terms of QEMU's `virt`: the same devices at the same places.
pub fn device_tree(ram_bytes: usize) -> Result<Vec<u8>, vm_fdt::Error> {
    let mut tree = FdtWriter::new()?;
    let root = tree.begin_node("")?;
    tree.property_u32("#address-cells", 2)?;
    tree.property_u32("#size-cells", 2)?;
    tree.property_string("compatible", "pebble,cva6-model")?;
    tree.property_string("model", "CVA6 in Verilator")?;

    let memory = tree.begin_node(&format!("memory@{RAM_BASE:x}"))?;
    tree.property_string("device_type", "memory")?;
    tree.property_array_u64("reg", &[RAM_BASE as u64, ram_bytes as u64])?;
    tree.end_node(memory)?;

    describe_core(&mut tree)?;
    describe_devices(&mut tree)?;
    tree.end_node(root)?;
    tree.finish()
}
fn describe_core(tree: &mut FdtWriter) -> Result<(), vm_fdt::Error> {
    let cpus = tree.begin_node("cpus")?;
    tree.property_u32("#address-cells", 1)?;
    tree.property_u32("#size-cells", 0)?;
    tree.property_u32("timebase-frequency", TIMEBASE)?;
    let cpu = tree.begin_node("cpu@0")?;
    tree.property_string("device_type", "cpu")?;
    tree.property_u32("reg", 0)?;
    tree.property_string("status", "okay")?;
    tree.property_string_list("compatible", vec!["openhwgroup,cva6".into(), "riscv".into()])?;
    tree.property_string("riscv,isa", "rv64imac_zicsr_zifencei")?;
    tree.property_string("mmu-type", "riscv,sv39")?;
    let controller = tree.begin_node("interrupt-controller")?;
    tree.property_u32("#interrupt-cells", 1)?;
    tree.property_null("interrupt-controller")?;
    tree.property_string("compatible", "riscv,cpu-intc")?;
    tree.property_phandle(HART)?;
    tree.end_node(controller)?;
    tree.end_node(cpu)?;
    tree.end_node(cpus)
}
fn describe_devices(tree: &mut FdtWriter) -> Result<(), vm_fdt::Error> {
    let soc = tree.begin_node("soc")?;
    tree.property_u32("#address-cells", 2)?;
    tree.property_u32("#size-cells", 2)?;
    tree.property_string("compatible", "simple-bus")?;
    tree.property_null("ranges")?;
    let clint = tree.begin_node("clint@2000000")?;
    tree.property_array_u32("interrupts-extended", &[HART, 3, HART, 7])?;
    tree.property_array_u64("reg", &[0x200_0000, 0x1_0000])?;
    tree.property_string("compatible", "riscv,clint0")?;
    tree.end_node(clint)?;
    let plic = tree.begin_node("plic@c000000")?;
    tree.property_phandle(PLIC)?;
    tree.property_u32("riscv,ndev", 95)?;
    tree.property_array_u64("reg", &[0xc00_0000, 0x60_0000])?;
    tree.property_array_u32("interrupts-extended", &[HART, 11, HART, 9])?;
    tree.property_null("interrupt-controller")?;
    tree.property_string("compatible", "riscv,plic0")?;
    tree.property_u32("#address-cells", 0)?;
    tree.property_u32("#interrupt-cells", 1)?;
    tree.end_node(plic)?;
    for (name, address, bytes, interrupt, compatible) in [
        ("test", 0x10_0000, 0x1000, None, "sifive,test0"),
        ("rtc", 0x10_1000, 0x1000, Some(11), "google,goldfish-rtc"),
        ("serial", 0x1000_0000, 0x100, Some(10), "ns16550a"),
    ] {
        let device = tree.begin_node(&format!("{name}@{address:x}"))?;
        if let Some(interrupt) = interrupt {
            tree.property_u32("interrupts", interrupt)?;
            tree.property_u32("interrupt-parent", PLIC)?;
        }
        tree.property_array_u64("reg", &[address, bytes])?;
        tree.property_string("compatible", compatible)?;
        tree.end_node(device)?;
    }
    tree.end_node(soc)
}

/// What lies in RAM when the core starts: pieces by their physical address.
fn contents<'a>(shim: &'a mut [u8], image: &'a Image, tree: &'a [u8]) -> Result<[(usize, &'a [u8]); 3]> {
    let end = IMAGE_BASE + image.bytes.len();
    if end > DEVICE_TREE || tree.len() > RAM_BASE + RAM_BYTES - DEVICE_TREE {
        bail!("the image ends at {end:#x}: it does not fit in the {} MiB of the machine", RAM_BYTES >> 20);
    }
    let word = shim.get_mut(DEVICE_TREE_WORD..DEVICE_TREE_WORD + 8).context("the firmware is too short")?;
    word.copy_from_slice(&(DEVICE_TREE as u64).to_le_bytes());
    Ok([(RAM_BASE, shim), (IMAGE_BASE, &image.bytes), (DEVICE_TREE, tree)])
}

/// How the model runs.
#[derive(Clone, Default)]
pub struct Settings {
    pub latencies: Latencies,
    /// Cycles after which it stops; 0: never.
    pub timeout_cycles: u64,
    /// Where the instructions between the program's marks are listed (`rtl/trace.h`).
    pub trace: Option<PathBuf>,
}

/// Boots an image, which was built without `sstc` and with [`CYCLES_PER_TIME`], on `model` and waits until the machine
/// stops or its cycles are over. No input comes.
pub fn run(model: &Path, image: &Image, settings: &Settings, console: Console) -> Result<Outcome> {
    let firmware = model.with_file_name("shim.bin");
    let mut shim = std::fs::read(&firmware).with_context(|| firmware.display().to_string())?;
    let ram = scratch()?;
    ram.as_file().set_len(RAM_BYTES as u64)?;
    for (address, bytes) in contents(&mut shim, image, &device_tree(RAM_BYTES)?)? {
        ram.as_file().write_all_at(bytes, (address - RAM_BASE) as u64)?;
    }
    let captured = matches!(console, Console::Captured(_));
    let mut command = Command::new(model);
    let Latencies { read, write } = settings.latencies;
    for (option, value) in
        [("-l", read.into()), ("-w", write.into()), ("-n", CYCLES_PER_TIME), ("-m", settings.timeout_cycles)]
    {
        command.arg(option).arg(value.to_string());
    }
    if let Some(file) = &settings.trace {
        command.arg("-t").arg(file);
    }
    if !captured {
        command.arg("-v");
    }
    command.arg(ram.path()).stdin(Stdio::null()).stdout(Stdio::piped());
    end_with_us(&mut command);
    let mut child = command.spawn().with_context(|| model.display().to_string())?;
    let how = Treatment { framed: true, captured, marked: true };
    let broken = AtomicBool::new(false);
    let heard = child.stdout.take().map(|from| listen(from, how, None, &broken)).unwrap_or_default();
    let broken = broken.into_inner();
    if broken {
        child.kill()?;
    }
    let status = child.wait()?;
    let log = guest_log::read(ram.as_file(), (image.log - RAM_BASE) as u64).ok();
    // A program may end with the same status.
    let ended = log.as_ref().is_some_and(|log| log.ended != 0);
    Ok(Outcome {
        heard,
        broken,
        timed_out: status.code() == Some(OUT_OF_CYCLES) && !ended,
        computed: None,
        log,
        breach: None,
        masked: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    fn tree() -> Vec<u8> {
        device_tree(RAM_BYTES).unwrap()
    }
    #[test]
    fn the_memory_manager_finds_ram_in_the_device_tree() {
        let bytes = tree();
        let tree = fdt::Fdt::new(&bytes).unwrap();
        let regions: Vec<_> = tree.memory().regions().map(|r| (r.starting_address as usize, r.size)).collect();
        assert_eq!(regions, [(RAM_BASE, Some(RAM_BYTES))]);
        assert!(DEVICE_TREE + tree.total_size() <= RAM_BASE + RAM_BYTES);
    }
    #[test]
    fn the_memory_manager_finds_the_devices_in_the_device_tree() {
        let bytes = tree();
        let tree = fdt::Fdt::new(&bytes).unwrap();
        let find = |name| memory_logic::devices::find(&tree, name).map(|d| (d.address, d.bytes, d.interrupt));
        assert_eq!(find("serial"), Ok((0x1000_0000, 0x100, 10)));
        assert_eq!(find("rtc"), Ok((0x10_1000, 0x1000, 11)));
        assert_eq!(find("test"), Ok((0x10_0000, 0x1000, 0)));
        assert_eq!(find("plic"), Ok((0xc00_0000, 0x60_0000, 0)));
    }
    #[test]
    fn the_firmware_is_told_where_the_device_tree_is() {
        let mut shim = vec![0; 0x400];
        let image = Image { bytes: vec![1; 100], ..Image::default() };
        let placed = contents(&mut shim, &image, b"tree").unwrap();
        assert_eq!(placed.map(|(address, _)| address), [RAM_BASE, IMAGE_BASE, DEVICE_TREE]);
        assert_eq!(placed[0].1[DEVICE_TREE_WORD..][..8], (DEVICE_TREE as u64).to_le_bytes());
    }
    #[test]
    fn an_image_that_is_larger_than_ram_is_refused() {
        let image = Image { bytes: vec![0; RAM_BYTES], ..Image::default() };
        assert!(contents(&mut vec![0; 0x400], &image, b"tree").is_err());
    }
    #[test]
    fn a_machine_has_the_memories_that_its_file_names() {
        let mid = Machine::parse("mid", "icache_kib=16\nlatencies=\"20/20 5/5\"\n").unwrap();
        assert_eq!(mid.latencies, [Latencies { read: 20, write: 20 }, Latencies { read: 5, write: 5 }]);
        for wrong in ["icache_kib=16", "latencies=\"\"", "latencies=slow"] {
            assert!(Machine::parse("wrong", wrong).is_err(), "{wrong}");
        }
    }
    #[test]
    fn a_machine_that_is_not_there_is_refused_with_the_names_of_those_that_are() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let error = Machine::read(&root, "huge").unwrap_err().to_string();
        assert!(error.contains("huge") && error.contains("high, low, mid"), "{error}");
        for name in ["low", "mid", "high"] {
            assert_eq!(Machine::read(&root, name).unwrap().is_usual(), name == Machine::USUAL);
        }
    }
    #[test]
    fn latencies_are_two_numbers_of_cycles() {
        assert_eq!(Latencies::parse("5/30").unwrap(), Latencies { read: 5, write: 30 });
        for wrong in ["", "20", "20/", "0/20", "a/b", "20/20/20", "20/10001"] {
            assert!(Latencies::parse(wrong).is_err(), "{wrong}");
        }
    }
}
