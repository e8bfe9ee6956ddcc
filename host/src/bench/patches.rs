//! `./pebble bench patches`: what a switch between two domains of protection costs in three ways (`apps/bench/patches.c`), beside the formulas of the
//! 1995 paper (section 3.3.2) with constants of the core that are taken from the same run. On the model of CVA6 alone: QEMU has no
//! translation buffers.
//!
//! What is called a cost is what a round takes more than one in which nothing is switched, and all that is touched is in the translation buffers.

use crate::connection::Connection;
use crate::exec::{self, Isolation, On};
use crate::qemu::Console;
use crate::{progress, rtl};
use anyhow::{Context, Result, anyhow, bail, ensure};
use plotters::prelude::*;
use std::path::Path;
use std::process::ExitCode;

/// Rounds that a figure of the program is of.
const ROUNDS: f64 = 8.0;
/// Cycles after which the model is given up.
const MOST_CYCLES: u64 = 200_000_000;

/// One line of the program's.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    way: String,
    /// The translation buffers are emptied before each round.
    seldom: bool,
    /// D: pages that the callee sees and the caller does not.
    shown: u32,
    /// F: pages that the callee touches, and the caller before and after.
    touched: u32,
    /// Those of them that both touch: α F.
    warm: u32,
    /// Cycles of a round.
    call: f64,
    back: f64,
}
fn parse(line: &str) -> Option<Sample> {
    let words: Vec<&str> = line.trim_end().strip_prefix("patch ")?.split(' ').collect();
    let &[way, often, shown, touched, warm, call, back] = &words[..] else { return None };
    let cycles = |word: &str| word.parse::<u64>().ok().map(|sum| sum as f64 / ROUNDS);
    Some(Sample {
        way: way.into(),
        seldom: often == "seldom",
        shown: shown.parse().ok()?,
        touched: touched.parse().ok()?,
        warm: warm.parse().ok()?,
        call: cycles(call)?,
        back: cycles(back)?,
    })
}

/// All samples, with what the ways cost.
struct Samples(Vec<Sample>);
impl Samples {
    fn of(&self, way: &str, seldom: bool, shown: u32, touched: u32, warm: u32) -> Result<&Sample> {
        let wanted = |s: &&Sample| {
            (&s.way[..], s.seldom, s.touched, s.warm) == (way, seldom, touched, warm)
                && (way != "patch" || s.shown == shown)
        };
        self.0.iter().find(wanted).with_context(|| format!("no sample {way}, D = {shown}, F = {touched}, {warm} warm"))
    }
    /// Cycles that call and return cost.
    fn cost(&self, way: &str, seldom: bool, shown: u32, touched: u32, warm: u32) -> Result<[f64; 2]> {
        let (sample, idle) =
            (self.of(way, seldom, shown, touched, warm)?, self.of("nothing", false, 0, touched, touched)?);
        Ok([sample.call - idle.call, sample.back - idle.back])
    }
    fn constants(&self) -> Result<Constants> {
        let [satp, _] = self.cost("asid", false, 0, 0, 0)?;
        let [glob, _] = self.cost("flush", false, 0, 0, 0)?;
        // The lesser of two: the data cache replaces at random, and a table's line may be gone.
        let often = self.cost("flush", false, 0, MOST_TOUCHED, MOST_TOUCHED)?[0];
        let many = self.cost("flush", true, 0, MOST_TOUCHED, MOST_TOUCHED)?[0].min(often);
        let [few, all] = [8, 64].map(|shown| self.cost("patch", false, shown, 0, 0));
        let ([few_call, few_back], [call, back]) = (few?, all?);
        Ok(Constants {
            satp,
            glob,
            miss: (many - glob) / f64::from(MOST_TOUCHED),
            write: (call - few_call) / 56.0,
            begin: few_call - 8.0 * (call - few_call) / 56.0,
            back: (back - few_back) / 56.0,
        })
    }
}
const MOST_TOUCHED: u32 = 14;

/// The paper's parameters, in cycles of this core.
#[derive(Debug)]
struct Constants {
    /// A write to `satp`.
    satp: f64,
    /// tlb_glob: the same with a fence for all of an address space, and the miss of the code that follows.
    glob: f64,
    /// tlb_miss.
    miss: f64,
    /// y: an entry written, on the call, and what all of it takes beside.
    write: f64,
    begin: f64,
    /// y + tlb_sel: an entry taken away, and its fence.
    back: f64,
}
impl Constants {
    /// The paper's first formula: tlb_glob + F tlb_miss.
    fn global(&self, touched: u32) -> f64 {
        self.glob + f64::from(touched) * self.miss
    }
    /// The second for a call: nothing need be invalidated, so (F - α F) tlb_miss + D y.
    fn selective(&self, shown: u32, touched: u32, warm: u32) -> f64 {
        self.begin + f64::from(touched - warm) * self.miss + f64::from(shown) * self.write
    }
}

/// Runs the program on `machine`.
fn measure(root: &Path, machine: &rtl::Machine, latencies: rtl::Latencies) -> Result<Samples> {
    let options = exec::Options {
        on: On::Rtl,
        system: "exec".into(),
        memory: 128,
        isolation: Isolation::Supervisor,
        file_name: root.join("apps/bench/patches.c"),
        ..exec::Options::default()
    };
    let image = exec::program_image(root, &options, Connection::Serial)?;
    let model = rtl::build_model(root, machine)?;
    let settings = rtl::Settings { latencies, timeout_cycles: MOST_CYCLES, trace: None };
    let what = "switching in three ways on the model (two minutes)";
    let outcome = progress::during(what, || rtl::run(&model, &image, &settings, Console::Captured(None)))?;
    let output = String::from_utf8_lossy(&outcome.heard.output);
    let status = exec::status(&outcome, true);
    let samples: Vec<Sample> = output.lines().filter_map(parse).collect();
    if status != 0 || samples.is_empty() {
        bail!("apps/bench/patches.c ended with status {status}\n{output}");
    }
    Ok(Samples(samples))
}
/// Numbers of pages, and how many of those that are touched both touch.
const TOUCHED: [u32; 5] = [1, 2, 4, 8, MOST_TOUCHED];
const SHOWN: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
fn warm(touched: u32) -> Vec<u32> {
    let mut all = vec![0, touched.div_ceil(2), touched];
    all.dedup();
    all
}
/// Call and return of all ways, as the page has them.
fn table(samples: &Samples, seldom: bool) -> Result<String> {
    let columns: String = SHOWN.iter().map(|d| format!(" D = {d} |")).collect();
    let mut text =
        format!("| F | α F | asid | flush |{columns}\n| --: | --: | --: | --: |{}\n", " --: |".repeat(SHOWN.len()));
    for touched in TOUCHED {
        for warm in warm(touched) {
            text += &format!("| {touched} | {warm} |");
            let plain = ["asid", "flush"].map(|way| (way, 0));
            for (way, shown) in plain.into_iter().chain(SHOWN.map(|shown| ("patch", shown))) {
                let [call, back] = samples.cost(way, seldom, shown, touched, warm)?;
                text += &format!(" {call:.0} + {back:.0} |");
            }
            text += "\n";
        }
    }
    Ok(text)
}

type Line = (&'static str, RGBColor, Vec<(f64, f64)>, bool);
/// What a call costs over D, measured, and as the paper's formulas have it (thin).
fn lines(samples: &Samples, constants: &Constants, seldom: bool, touched: u32, warm: u32) -> Result<Vec<Line>> {
    let over = |of: &dyn Fn(u32) -> Result<f64>| -> Result<Vec<(f64, f64)>> {
        SHOWN.iter().map(|&d| Ok((f64::from(d), of(d)?))).collect()
    };
    let call = |way: &'static str| move |d: u32| samples.cost(way, seldom, d, touched, warm).map(|[call, _]| call);
    let back = |way: &'static str| move |d: u32| samples.cost(way, seldom, d, touched, warm).map(|[_, back]| back);
    let (blue, orange, green) = (RGBColor(31, 119, 180), RGBColor(255, 127, 14), RGBColor(44, 160, 44));
    Ok(vec![
        ("asid, call", blue, over(&call("asid"))?, true),
        ("flush, call", orange, over(&call("flush"))?, true),
        ("patch, call", green, over(&call("patch"))?, true),
        ("patch, return", RGBColor(148, 103, 189), over(&back("patch"))?, true),
        ("paper: global", orange, over(&|_| Ok(constants.global(touched)))?, false),
        ("paper: selective", green, over(&|d| Ok(constants.selective(d, touched, warm)))?, false),
    ])
}
fn draw_one(file: &Path, title: &str, lines: &[Line]) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::new(file, (640, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let most = lines.iter().flat_map(|line| &line.2).map(|point| point.1).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .margin_right(24)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d((1.0..64.0).log_scale().base(2.0), 0.0..most * 1.05)?;
    let number = |value: &f64| format!("{value:.0}");
    let mut mesh = chart.configure_mesh();
    mesh.x_desc("D: pages that the callee sees and the caller does not").y_desc("cycles");
    mesh.light_line_style(TRANSPARENT).x_label_formatter(&number).y_label_formatter(&number).draw()?;
    for (name, color, points, measured) in lines {
        let (color, width) = (*color, if *measured { 3 } else { 1 });
        let sample = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(width));
        let path = PathElement::new(points.clone(), color.stroke_width(width));
        chart.draw_series([path])?.label(*name).legend(sample);
    }
    let legend = chart.configure_series_labels();
    { legend }
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 12))
        .draw()?;
    root.present()?;
    Ok(())
}
/// A figure for each α where F is 4 and where it is 14, of calls made again and again and of those after something else has run.
fn draw(folder: &Path, samples: &Samples, constants: &Constants) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for seldom in [false, true] {
        for touched in [4, MOST_TOUCHED] {
            for (n, warm) in warm(touched).into_iter().enumerate() {
                let often = if seldom { "seldom" } else { "often" };
                let file = folder.join(format!("{often}-{touched}-{n}.svg"));
                let title = format!("F = {touched}, α F = {warm}, called {often}");
                draw_one(&file, &title, &lines(samples, constants, seldom, touched, warm)?)
                    .map_err(|error| anyhow!("{}: {error}", file.display()))?;
            }
        }
    }
    Ok(())
}
/// Measures, prints the tables, and draws into `plots`.
pub fn run(root: &Path, machine: &rtl::Machine, latencies: rtl::Latencies, plots: Option<&Path>) -> Result<ExitCode> {
    let samples = measure(root, machine, latencies)?;
    let constants = samples.constants()?;
    ensure!(constants.miss > 0.0 && constants.write > 0.0, "no translation buffers: {constants:?}");
    println!(
        "Cycles of this core, memory {latencies}: a write to satp {:.0}; tlb_glob {:.0}; tlb_miss {:.1}; y {:.1} and {:.0} once; y + tlb_sel {:.1}",
        constants.satp, constants.glob, constants.miss, constants.write, constants.begin, constants.back
    );
    println!("\nCall + return, called often\n\n{}", table(&samples, false)?);
    println!("Call + return, called seldom\n\n{}", table(&samples, true)?);
    if let Some(folder) = plots {
        draw(folder, &samples, &constants)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the program would print for a core with these constants: warm touches are free.
    fn samples() -> Samples {
        let line = |way, d, f, call, back| parse(&format!("patch {way} often {d} {f} {f} {call} {back}")).unwrap();
        let seldom = |way, d, f, call, back| Sample { seldom: true, ..line(way, d, f, call, back) };
        Samples(vec![
            line("nothing", 0, 0, 80, 80),
            line("nothing", 0, 14, 160, 160),
            line("asid", 64, 0, 104, 104),
            line("flush", 64, 0, 240, 240),
            line("flush", 64, 14, 1904, 1664),
            seldom("flush", 64, 14, 1664, 1664),
            line("patch", 8, 0, 80 + 8 * (10 + 5 * 8), 80 + 8 * 8 * 12),
            line("patch", 64, 0, 80 + 8 * (10 + 5 * 64), 80 + 8 * 64 * 12),
        ])
    }
    #[test]
    fn the_papers_constants_are_read_from_the_samples() {
        let c = samples().constants().unwrap();
        assert_eq!(
            (c.satp, c.glob, c.miss, c.write, c.begin, c.back),
            (3.0, 20.0, 12.0 - 60.0 / 56.0 + 60.0 / 56.0, 5.0, 10.0, 12.0)
        );
        assert_eq!(c.global(2), 44.0);
        assert_eq!(c.selective(4, 3, 1), 10.0 + 24.0 + 20.0);
    }
    #[test]
    fn a_line_that_is_none_of_the_programs_is_left_out() {
        assert_eq!(parse("patch asid often 1 2 3 4"), None);
        assert_eq!(parse("model: 3 cycles"), None);
        assert!(
            parse("patch asid seldom 64 14 14 80 88\r").is_some_and(|s| s.seldom && s.call == 10.0 && s.back == 11.0)
        );
    }
    #[test]
    fn a_sample_that_is_not_there_is_named() {
        let error = samples().cost("patch", true, 2, 4, 0).unwrap_err().to_string();
        assert!(error.contains("patch, D = 2, F = 4, 0 warm"), "{error}");
    }
}
