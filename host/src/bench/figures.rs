//! The 1993 paper's figures 5, 6 and 7, drawn from what `./pebble bench sequoia` has measured: from when on a fault domain is faster than an
//! address space, and how much of the time goes into crossing.
//!
//! With t the part of the time that is spent crossing between address spaces, d that in untrusted code, h what being kept in costs that, and r what a crossing into a fault domain
//! costs beside one between address spaces, a fault domain saves (1 - r) t - h d of the time. Where that is 0 is the curve.

use super::compare;
use super::query::Query;
use anyhow::{Context, Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

const SIZE: (u32, u32) = (640, 420);
/// Where the names of points stand, beside them.
const SIDES: [(i32, i32); 4] = [(-12, -12), (-12, 4), (6, 4), (6, -12)];
const BLUE: RGBColor = RGBColor(31, 119, 180);
const ORANGE: RGBColor = RGBColor(255, 127, 14);
const GREEN: RGBColor = RGBColor(44, 160, 44);
const PURPLE: RGBColor = RGBColor(148, 103, 189);

/// What being kept in costs: the paper's machines, and the means of `./pebble bench sfi` in the form without Zba.
const HELD: [(&str, f64, RGBColor); 3] = [
    ("h = 4.3 % (the paper's)", 0.043, PURPLE),
    ("h = 18.1 % (stores)", 0.181, BLUE),
    ("h = 38.9 % (loads too)", 0.389, ORANGE),
];
/// Rows of Linux that were measured on the same machine.
const LINUX: &str = "docs/figures/linux.json";

/// The ways of [`super::sequoia`] that figures speak of, by their places.
const UNPROTECTED: usize = 0;
const SFI: usize = 1;
const DP: usize = 3;
const DOMAIN: usize = 4;

type Line<'a> = (String, RGBColor, Box<dyn Fn(f64) -> f64 + 'a>);
type Point = (String, f64, f64);

/// Instructions that a call costs more than one of a function in the same space, on the average of all queries.
fn cost(all: &[Vec<Query>], way: usize) -> f64 {
    let sum = |way: usize| all[way].iter().map(|query| query.instructions).sum::<u64>() as f64;
    let calls: u64 = all[UNPROTECTED].iter().map(|query| query.calls).sum();
    (sum(way) - sum(UNPROTECTED)) / calls.max(1) as f64
}
/// Where fault domain and address space cost the same: what a crossing may cost, in per cent, where `t` per cent of the time are spent crossing.
fn break_even(t: f64, untrusted: impl Fn(f64) -> f64, held: f64) -> f64 {
    100.0 * (1.0 - held * untrusted(t / 100.0) / (t / 100.0))
}
/// Per cent of the time that `crossings` of `cost` instructions take, to each million instructions of work.
fn part(crossings: f64, cost: f64) -> f64 {
    100.0 * crossings * cost / (1e6 + crossings * cost)
}
/// Where each query is: how much of its time is spent crossing between address spaces, and what a fault domain costs beside that. What being
/// kept in costs is in the latter, so the queries lie higher than their crossings alone.
fn queries(all: &[Vec<Query>]) -> Vec<Point> {
    let point = |n: usize| {
        let [base, sfi, domain] = [UNPROTECTED, SFI, DOMAIN].map(|way| all[way][n].instructions as f64);
        (all[0][n].name.to_string(), 100.0 * (domain - base) / domain, 100.0 * (sfi - base) / (domain - base))
    };
    (0..all[UNPROTECTED].len()).map(point).collect()
}
struct Figure<'a> {
    file: &'a str,
    title: &'a str,
    axes: [&'a str; 2],
    width: f64,
}
/// One figure: lines, and named points.
fn one(folder: &Path, figure: &Figure, lines: &[Line], points: &[Point]) -> Result<(), Box<dyn std::error::Error>> {
    let file = folder.join(figure.file);
    let root = SVGBackend::new(&file, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(figure.title, ("sans-serif", 16))
        .margin(12)
        .margin_right(24)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..figure.width, 0.0..100.0)?;
    let number = |value: &f64| format!("{value:.0}");
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(figure.axes[0]).y_desc(figure.axes[1]).light_line_style(TRANSPARENT);
    mesh.x_label_formatter(&number).y_label_formatter(&number).draw()?;
    for (name, color, of) in lines {
        let steps = (1..=400).map(|n| f64::from(n) * figure.width / 400.0);
        let path: Vec<_> = steps.map(|x| (x, of(x))).filter(|(_, y)| (0.0..=100.0).contains(y)).collect();
        let color = *color;
        let sample = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color);
        chart.draw_series([PathElement::new(path, color.stroke_width(2))])?.label(name.clone()).legend(sample);
    }
    chart.draw_series(points.iter().map(|(_, x, y)| Circle::new((*x, *y), 3, BLACK.filled())))?;
    // They lie close together: each name on a side of its own.
    for ((name, x, y), (right, down)) in points.iter().zip(SIDES.into_iter().cycle()) {
        let at = chart.backend_coord(&(*x, *y));
        root.draw(&Text::new(name.clone(), (at.0 + right, at.1 + down), ("sans-serif", 12)))?;
    }
    let legend = chart.configure_series_labels();
    { legend }.background_style(WHITE).border_style(BLACK.mix(0.3)).label_font(("sans-serif", 12)).draw()?;
    root.present()?;
    Ok(())
}
/// Instructions of a round trip through two pipes of Linux, as it was measured on the same machine.
fn linux_pipe(root: &Path) -> Result<f64> {
    let rows = compare::load(&root.join(LINUX))?;
    let hop = rows.iter().find(|row| row.operation == "pipe" && row.domains == Some(2) && row.measure == "hop");
    Ok(2.0 * hop.context("no hop of a pipe between two processes in the rows of Linux")?.value as f64)
}
/// Draws all three into `folder`.
pub fn draw(root: &Path, folder: &Path, all: &[Vec<Query>]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let axes = ["% of the time spent crossing between address spaces", "a crossing, % of that between address spaces"];
    let even = |untrusted: fn(f64) -> f64| -> Vec<Line> {
        let line = move |(name, held, color): (&str, f64, RGBColor)| -> Line {
            (name.to_string(), color, Box::new(move |t| break_even(t, untrusted, held)))
        };
        HELD.into_iter().map(line).collect()
    };
    let all_untrusted = "Below a curve a fault domain is faster: all code is untrusted";
    let half = "Below a curve a fault domain is faster: half the time is in untrusted code";
    let crossing = "Time spent crossing";
    let crossings = ["calls of untrusted functions to a million instructions", "% of the time"];
    let mut costs = vec![
        ("a pipe of Linux, there and back", linux_pipe(root)?, PURPLE),
        ("domain", cost(all, DOMAIN), ORANGE),
        ("dp", cost(all, DP), GREEN),
        ("sfi", cost(all, SFI), BLUE),
    ];
    let lines: Vec<Line> = costs
        .drain(..)
        .map(|(name, cost, color)| -> Line {
            (format!("{name}: {cost:.0} instructions"), color, Box::new(move |x| part(x, cost)))
        })
        .collect();
    let base = &all[UNPROTECTED];
    let million = |n: usize| base[n].calls as f64 * 1e6 / base[n].instructions as f64;
    let measured: Vec<Point> = (0..base.len())
        .flat_map(|n| [(SFI, n), (DOMAIN, n)])
        .map(|(way, n)| {
            let (total, own) = (all[way][n].instructions as f64, base[n].instructions as f64);
            (base[n].name.to_string(), million(n), 100.0 * (total - own) / total)
        })
        .collect();
    let figures = [
        (Figure { file: "figure-5.svg", title: all_untrusted, axes, width: 100.0 }, even(|t| 1.0 - t), queries(all)),
        (Figure { file: "figure-6.svg", title: half, axes, width: 50.0 }, even(|_| 0.5), queries(all)),
        (Figure { file: "figure-7.svg", title: crossing, axes: crossings, width: 1000.0 }, lines, measured),
    ];
    for (figure, lines, points) in figures {
        one(folder, &figure, &lines, &points).map_err(|error| anyhow!("{}: {error}", figure.file))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_example_breaks_even_where_it_says() {
        // "Applications that currently spend as little as 10% of their time crossing require only a 39% improvement."
        assert!((break_even(10.0, |t| 1.0 - t, 0.043) - 61.3).abs() < 0.1);
    }
    #[test]
    fn a_crossing_that_costs_as_much_as_the_work_is_half_the_time() {
        assert!((part(1000.0, 1000.0) - 50.0).abs() < 1e-9);
    }
}
