//! Rows as bar charts, one SVG file a table.

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
        let same =
            measured.iter().copied().chain(references.iter()).filter(|r| r.same_operation(row) && r.unit == row.unit);
        groups.push(Group { name, bars: same.map(|r| (table::who(r), r.value)).collect() });
    }
    groups
}
fn one(file: &Path, title: &str, unit: &str, groups: &[Group]) -> Result<(), Box<dyn std::error::Error>> {
    let bars: usize = groups.iter().map(|g| g.bars.len() + 1).sum();
    let height = FRAME + BAR * bars as u32;
    let most = groups.iter().flat_map(|g| &g.bars).map(|(_, v)| *v).max().unwrap_or(1);
    let mut systems: Vec<&str> = groups.iter().flat_map(|g| &g.bars).map(|(who, _)| who.as_str()).collect();
    systems.sort();
    systems.dedup();
    let root = SVGBackend::new(file, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .x_label_area_size(40)
        .margin_right(60)
        .margin_left(NAMES)
        .build_cartesian_2d(0..most + most / 8 + 1, (0..bars as i32).into_segmented())?;
    chart.configure_mesh().disable_y_mesh().disable_y_axis().x_desc(unit).draw()?;
    let mut place = bars as i32;
    let text = |size: u32| ("sans-serif", size).into_font();
    for group in groups {
        place -= 1;
        let at = chart.backend_coord(&(0, SegmentValue::CenterOf(place)));
        root.draw(&Text::new(group.name.clone(), (8, at.1 - 6), text(12).style(FontStyle::Bold)))?;
        for (who, value) in &group.bars {
            place -= 1;
            let color = Palette99::pick(systems.iter().position(|s| s == who).unwrap_or(0)).filled();
            let corners = [(0, SegmentValue::Exact(place)), (*value, SegmentValue::Exact(place + 1))];
            let mut bar = Rectangle::new(corners, color);
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
