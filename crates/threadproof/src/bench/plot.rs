//! Plots of runs as SVG: scatter plots of two runs, quantile plots of several.
//!
//! Axes of time are logarithmic. The pictures have no fonts, scripts or references of their own, and follow the reader's light or dark colours.

use std::fmt::Write;

/// A task in two runs: its times where it was right.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    pub times: [Option<f64>; 2],
}

/// Where the plot is in the picture: its left side,
const LEFT: f64 = 64.0;
/// its upper side,
const TOP: f64 = 24.0;
/// and its width and height.
const SIZE: f64 = 420.0;
/// Shorter times are drawn at the axis.
const SHORTEST: f64 = 0.01;
/// Colours that are told apart by everyone, in both modes (Okabe and Ito).
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// Each task at its time in the first run (to the right) and in the second (upwards); those that only one was right about are at the edges.
pub fn scatter(points: &[Point], names: [&str; 2]) -> String {
    let longest = longest(points.iter().flat_map(|point| point.times).flatten());
    let at = |time: f64| position(time, longest);
    let mut text = frame();
    ticks(&mut text, longest, true);
    ticks(&mut text, longest, false);
    line(&mut text, [(0.0, 0.0), (SIZE, SIZE)], "grid");
    for point in points {
        let (place, colour) = match point.times {
            [Some(x), Some(y)] => ((at(x), at(y)), COLOURS[0]),
            [Some(x), None] => ((at(x), SIZE + 8.0), COLOURS[1]),
            [None, Some(y)] => ((SIZE + 8.0, at(y)), COLOURS[2]),
            [None, None] => continue,
        };
        let (x, y) = (LEFT + place.0, TOP + SIZE - place.1);
        let _ = writeln!(
            text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\" fill-opacity=\"0.6\"/>"
        );
    }
    label(&mut text, (SIZE / 2.0, -40.0), "middle", &format!("{}: processor time in s", names[0]));
    let (x, y) = (18.0, TOP + SIZE / 2.0);
    let _ = writeln!(
        text,
        "<text transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\">{}: processor time in s</text>",
        escape(names[1])
    );
    text + "</svg>\n"
}

/// For each run a curve: so many tasks were right in at most so much time each.
pub fn quantile(runs: &[(String, Vec<f64>)]) -> String {
    let longest = longest(runs.iter().flat_map(|(_, times)| times.iter().copied()));
    let most = runs.iter().map(|(_, times)| times.len()).max().unwrap_or_default().max(1);
    let mut text = frame();
    ticks(&mut text, longest, false);
    for share in [0.25, 0.5, 0.75, 1.0] {
        let x = SIZE * share;
        label(&mut text, (x, -18.0), "middle", &format!("{:.0}", most as f64 * share));
    }
    for (n, (name, times)) in runs.iter().enumerate() {
        let mut times = times.clone();
        times.sort_by(f64::total_cmp);
        let place = |(n, time): (usize, &f64)| {
            let x = LEFT + SIZE * (n + 1) as f64 / most as f64;
            format!("{x:.1},{:.1}", TOP + SIZE - position(*time, longest))
        };
        let places: Vec<String> = times.iter().enumerate().map(place).collect();
        let colour = COLOURS[n % COLOURS.len()];
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            places.join(" ")
        );
        let y = TOP + 16.0 + 18.0 * n as f64;
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{y:.1}\" fill=\"{colour}\" class=\"name\">{} ({})</text>",
            LEFT + 12.0,
            escape(name),
            times.len()
        );
    }
    label(
        &mut text,
        (SIZE / 2.0, -40.0),
        "middle",
        "tasks that were right, in the order of their processor time in s",
    );
    text + "</svg>\n"
}

/// The power of ten that is long enough.
fn longest(times: impl Iterator<Item = f64>) -> f64 {
    let most = times.fold(1.0, f64::max);
    10f64.powf(most.log10().ceil())
}

fn position(time: f64, longest: f64) -> f64 {
    let share = (time.max(SHORTEST) / SHORTEST).ln() / (longest / SHORTEST).ln();
    SIZE * share.clamp(0.0, 1.0)
}

fn frame() -> String {
    let (width, height) = (LEFT + SIZE + 24.0, TOP + SIZE + 56.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <style>svg {{ background: #fff; font: 12px sans-serif; }} text {{ fill: #222; }} text.name {{ fill: revert-layer; }} .axis {{ stroke: #222; }} .grid {{ stroke: #ccc; }}\n\
         @media (prefers-color-scheme: dark) {{ svg {{ background: #1b1b1b; }} text {{ fill: #ddd; }} .axis {{ stroke: #ddd; }} .grid {{ stroke: #444; }} }}</style>\n"
    );
    line(&mut text, [(0.0, 0.0), (SIZE, 0.0)], "axis");
    line(&mut text, [(0.0, 0.0), (0.0, SIZE)], "axis");
    text
}

/// Lines and names at the powers of ten, of the horizontal axis or of the vertical one.
fn ticks(text: &mut String, longest: f64, horizontal: bool) {
    let mut time = SHORTEST;
    while time <= longest * 1.001 {
        let at = position(time, longest);
        let name = format!("{time}");
        if horizontal {
            line(text, [(at, 0.0), (at, SIZE)], "grid");
            label(text, (at, -18.0), "middle", &name);
        } else {
            line(text, [(0.0, at), (SIZE, at)], "grid");
            label(text, (-8.0, at - 4.0), "end", &name);
        }
        // Steps of ten without an error that adds up.
        time = (time * 10.0 * 1e6).round() / 1e6;
    }
}

fn line(text: &mut String, [from, to]: [(f64, f64); 2], class: &str) {
    let (x, y) = (|x: f64| LEFT + x, |y: f64| TOP + SIZE - y);
    let _ = writeln!(
        text,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"{class}\"/>",
        x(from.0),
        y(from.1),
        x(to.0),
        y(to.1)
    );
}

fn label(text: &mut String, (x, y): (f64, f64), anchor: &str, what: &str) {
    let (x, y) = (LEFT + x, TOP + SIZE - y);
    let _ =
        writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escape(what));
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_logarithmic() {
        let check = |time: f64, expected: f64| {
            assert!((position(time, 100.0) - expected * SIZE).abs() < 1e-6, "{time}");
        };
        for (time, at) in [(0.001, 0.0), (0.01, 0.0), (1.0, 0.5), (100.0, 1.0), (500.0, 1.0)] {
            check(time, at);
        }
    }

    #[test]
    fn every_task_is_drawn_once() {
        let times = [[Some(1.0), Some(2.0)], [Some(0.5), None], [None, Some(30.0)], [None, None]];
        let text = scatter(&times.map(|times| Point { times }), ["a<b.json", "b.json"]);
        assert_eq!((text.matches("<circle").count(), text.contains("a&lt;b.json")), (3, true));
        let text = quantile(&[("a".to_owned(), vec![3.0, 1.0]), ("b".to_owned(), vec![])]);
        assert_eq!(text.matches("<polyline").count(), 2);
        assert!(text.contains(">a (2)<") && text.contains(">b (0)<"));
    }
}
