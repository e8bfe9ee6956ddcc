//! Rows as bar charts, one SVG file a table. The axis is logarithmic: what is compared differs by factors, and on a linear one only the
//! longest bar is seen.

use super::row::Row;
use super::table;
use anyhow::{Context, Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

const WIDTH: u32 = 960;
const BAR: u32 = 18;
/// Room for the names beside the bars, and for title and axis.
const NAMES: u32 = 330;
const FRAME: u32 = 90;

/// Colours by the start of who has the figure: the same in all plots.
const COLORS: &[(&str, RGBColor)] = &[
    ("pebble-touch", RGBColor(130, 180, 230)),
    ("pebble", RGBColor(31, 119, 180)),
    ("Pebble 1999", RGBColor(148, 103, 189)),
    ("OpenBSD 1999", RGBColor(140, 86, 75)),
    ("Mach 1995", RGBColor(227, 119, 194)),
    ("Linux tiny", RGBColor(255, 187, 120)),
    ("Linux", RGBColor(255, 127, 14)),
    ("seL4", RGBColor(44, 160, 44)),
    ("target", RGBColor(160, 160, 160)),
];
fn color(who: &str) -> RGBColor {
    COLORS.iter().find(|(start, _)| who.starts_with(start)).map_or(BLACK, |(_, color)| *color)
}

/// Bars of one operation: who, and how much.
struct Group {
    name: String,
    bars: Vec<(String, u64)>,
}

/// Draws one file for each table and unit among the rows.
pub fn draw(folder: &Path, rows: &[Row]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let references = table::references();
    let mut charts: Vec<(&str, &str)> = rows.iter().map(|r| (r.table.as_str(), r.unit.as_str())).collect();
    charts.sort();
    charts.dedup();
    for (name, unit) in charts {
        let measured: Vec<&Row> = rows.iter().filter(|r| r.table == name && r.unit == unit).collect();
        let groups = groups(&measured, &references);
        let file = folder.join(format!("{name}-{unit}.svg"));
        one(&file, &table::title(name), unit, &groups).map_err(|e| anyhow!("{}: {e}", file.display()))?;
    }
    Ok(())
}
fn groups(measured: &[&Row], references: &[Row]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for row in measured {
        let name = row.name();
        if groups.iter().any(|g| g.name == name) {
            continue;
        }
        let all = measured.iter().copied().chain(references.iter());
        let mut bars: Vec<(String, u64)> = Vec::new();
        for row in all.filter(|r| r.same_operation(row) && r.unit == row.unit) {
            let who = table::who(row);
            // What was measured now comes before what was beforehand.
            if !bars.iter().any(|(other, _)| *other == who) {
                bars.push((who, row.value));
            }
        }
        groups.push(Group { name, bars });
    }
    groups
}
fn one(file: &Path, title: &str, unit: &str, groups: &[Group]) -> Result<(), Box<dyn std::error::Error>> {
    let bars: usize = groups.iter().map(|g| g.bars.len() + 1).sum();
    let height = FRAME + BAR * bars as u32;
    let values = || groups.iter().flat_map(|g| &g.bars).map(|(_, value)| (*value).max(1));
    let (least, most) = (values().min().unwrap_or(1), values().max().unwrap_or(1));
    // The axis begins at a power of ten below the shortest bar, so that this one is seen too, and leaves room behind the longest.
    let first = 10u64.pow((least - 1).max(1).ilog10());
    let last = most.saturating_mul(2).max(first * 10);
    let root = SVGBackend::new(file, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .x_label_area_size(40)
        .margin_right(60)
        .margin_left(NAMES)
        .build_cartesian_2d((first..last).log_scale(), (0..bars as i32).into_segmented())?;
    chart.configure_mesh().disable_y_mesh().disable_y_axis().x_desc(unit).draw()?;
    let mut place = bars as i32;
    let text = |size: u32| ("sans-serif", size).into_font();
    for group in groups {
        place -= 1;
        let at = chart.backend_coord(&(first, SegmentValue::CenterOf(place)));
        root.draw(&Text::new(group.name.clone(), (8, at.1 - 6), text(12).style(FontStyle::Bold)))?;
        for (who, value) in &group.bars {
            place -= 1;
            let corners = [(first, SegmentValue::Exact(place)), (*value, SegmentValue::Exact(place + 1))];
            let mut bar = Rectangle::new(corners, color(who).filled());
            bar.set_margin(2, 2, 0, 0);
            chart.draw_series(std::iter::once(bar))?;
            let end = chart.backend_coord(&(*value, SegmentValue::CenterOf(place)));
            root.draw(&Text::new(value.to_string(), (end.0 + 4, end.1 - 6), text(11)))?;
            root.draw(&Text::new(who.clone(), (24, end.1 - 6), text(11)))?;
        }
    }
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn each_system_has_a_colour_of_its_own_in_all_plots() {
        let systems = table::references().into_iter().map(|row| table::who(&row));
        assert!(systems.clone().all(|who| color(&who) != BLACK));
        assert_ne!(color("Linux tiny (qemu)"), color("Linux debian (qemu)"));
        assert_eq!(color("pebble (qemu)"), color("pebble (rtl 20/20)"));
    }
    #[test]
    fn a_plot_has_the_figure_and_the_one_that_it_is_compared_with() {
        let folder = tempfile::tempdir().unwrap();
        let mut row = table::references().remove(0);
        row.value = 31;
        row.system = "pebble".into();
        draw(folder.path(), &[row.clone()]).unwrap();
        let file = folder.path().join(format!("{}-{}.svg", row.table, row.unit));
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("31") && text.contains("45"));
    }
}
