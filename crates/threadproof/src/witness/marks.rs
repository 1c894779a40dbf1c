//! Puts what a witness says into the program: marks.
//!
//! A mark is a thread-local variable that is set where a waypoint is evaluated, to whether its constraint holds. The values of the marks in the
//! states of an execution say which waypoints are passed, by which thread and when. The program never reads them, so they do not change what it does. Waypoints with the same place and constraint share a mark.

use frontend::places::{Insertion, Place, PlaceKind};
use report::witness::{Invariant, Location, Waypoint, WaypointKind};
use std::collections::BTreeMap;
use std::path::Path;

/// Marks have this name, and a number.
pub const MARK: &str = "__threadproof_mark_";
/// What an invariant calls that does not hold.
pub const FAILS: &str = "__threadproof_invariant_fails";

/// The prelude of a program with marks.
const ATOMIC: &str = "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void); ";

/// Marks, and where they are put.
#[derive(Default)]
pub struct Marks {
    /// What each is for: the place, the kind of waypoint, the constraint.
    marks: Vec<(Place, WaypointKind, String)>,
}

impl Marks {
    /// The number of the mark of a waypoint; an error if there is no such place.
    pub fn of(&mut self, waypoint: &Waypoint, places: &[Place]) -> Result<usize, String> {
        let place = find(places, &waypoint.location, |kind| fits(waypoint.kind, kind))?;
        let constraint = match (&waypoint.constraint, waypoint.kind) {
            (None, _) => "1".to_owned(),
            (Some(truth), WaypointKind::Branching) if truth == "true" => "__threadproof_value".to_owned(),
            (Some(_), WaypointKind::Branching) => "!__threadproof_value".to_owned(),
            (Some(text), WaypointKind::FunctionReturn) => {
                pure(&text.replace("\\result", "__threadproof_value"))?
            }
            (Some(text), _) => pure(text)?,
        };
        // What is returned can be looked at only if there is something.
        let kind = match waypoint.kind {
            WaypointKind::FunctionReturn if waypoint.constraint.is_none() => WaypointKind::FunctionEnter,
            kind => kind,
        };
        let mark = (place.clone(), kind, constraint);
        let known = self.marks.iter().position(|other| *other == mark);
        Ok(known.unwrap_or_else(|| {
            self.marks.push(mark);
            self.marks.len() - 1
        }))
    }

    /// The place of a mark.
    pub fn place(&self, mark: usize) -> &Place {
        &self.marks[mark].0
    }

    /// What is put into the program, and what stands before it.
    pub fn insertions(&self) -> (Vec<Insertion>, String) {
        let mut prelude = ATOMIC.to_owned();
        let mut by_place: BTreeMap<(usize, usize, usize), Vec<usize>> = BTreeMap::new();
        for (number, (place, kind, _)) in self.marks.iter().enumerate() {
            prelude.push_str(&format!("static __thread int {MARK}{number}; "));
            // What belongs to one construct is put in together; a statement begins before the call that it begins with.
            let group = usize::from(!matches!(kind, WaypointKind::Assumption));
            by_place.entry((place.text, place.at, group)).or_default().push(number);
        }
        // What ends at an offset comes before what begins there; what is inside ends first and begins last.
        let around = by_place.values().map(|marks| self.at_place(marks)).collect::<Vec<_>>();
        let ends = around.iter().rev().filter_map(|insertions| insertions.get(1));
        let begins = around.iter().filter_map(|insertions| insertions.first());
        (ends.chain(begins).cloned().collect(), prelude)
    }

    /// What is put in front of a place and, perhaps, behind it.
    fn at_place(&self, marks: &[usize]) -> Vec<Insertion> {
        let place = self.place(marks[0]);
        let of = |wanted: WaypointKind| -> String {
            let chosen = marks.iter().filter(|mark| self.marks[**mark].1 == wanted);
            chosen.map(|mark| format!("{}, ", self.assignment(*mark))).collect()
        };
        let put = |at: usize, what: String| Insertion { text: place.text, at, what };
        match &place.kind {
            PlaceKind::Statement { .. } => {
                vec![put(place.at, format!("if (({}0)) ; else ", of(WaypointKind::Assumption)))]
            }
            PlaceKind::Declaration => vec![put(place.at, format!("{}0; ", of(WaypointKind::Assumption)))],
            PlaceKind::Branch { open, close } => {
                let marks = of(WaypointKind::Branching);
                vec![
                    put(*open, "({ int __threadproof_value = !!(".to_owned()),
                    put(*close, format!("); {marks}0; __threadproof_value; }})")),
                ]
            }
            PlaceKind::Call { close, .. } => {
                let (enter, result) = (of(WaypointKind::FunctionEnter), of(WaypointKind::FunctionReturn));
                let (open, end) = match result.is_empty() {
                    true => (String::new(), String::new()),
                    false => (
                        "({ __auto_type __threadproof_value = ".to_owned(),
                        format!("; {result}0; __threadproof_value; }})"),
                    ),
                };
                vec![put(place.at, format!("({enter}{open}")), put(close + 1, format!("{end})"))]
            }
            PlaceKind::Loop { .. } => Vec::new(),
        }
    }

    fn assignment(&self, mark: usize) -> String {
        let (place, _, constraint) = &self.marks[mark];
        let set = format!("{MARK}{mark} = !!({constraint})");
        if constraint == "1" { set } else { atomically(place, &set) }
    }
}

/// Reads all variables at once.
fn atomically(place: &Place, what: &str) -> String {
    if place.function.starts_with("__VERIFIER_atomic_") {
        return what.to_owned();
    }
    format!("__VERIFIER_atomic_begin(), {what}, __VERIFIER_atomic_end()")
}

/// What is put into the program so that [`FAILS`] is called where an invariant does not hold.
pub fn assertions(invariants: &[Invariant], places: &[Place]) -> Result<(Vec<Insertion>, String), String> {
    let mut insertions = Vec::new();
    let prelude = format!("{ATOMIC}extern void {FAILS}(void); static __thread int {MARK}holds; ");
    for invariant in invariants {
        let fitting = |kind: &PlaceKind| match kind {
            PlaceKind::Loop { .. } => invariant.of_loop,
            PlaceKind::Statement { .. } | PlaceKind::Declaration => !invariant.of_loop,
            PlaceKind::Branch { .. } | PlaceKind::Call { .. } => false,
        };
        let place = find(places, &invariant.location, fitting)?;
        let evaluated = atomically(place, &format!("{MARK}holds = !!({})", pure(&invariant.value)?));
        let check = format!("{evaluated}, {MARK}holds ? (void)0 : {FAILS}()");
        let (at, what) = match &place.kind {
            PlaceKind::Loop { condition, empty } => {
                (*condition, format!(" {check}, {}", if *empty { "1" } else { "" }))
            }
            PlaceKind::Declaration => (place.at, format!("{check}; ")),
            _ => (place.at, format!("if (({check}, 0)) ; else ")),
        };
        insertions.push(Insertion { text: place.text, at, what });
    }
    Ok((insertions, prelude))
}

fn fits(kind: WaypointKind, place: &PlaceKind) -> bool {
    match place {
        PlaceKind::Statement { .. } | PlaceKind::Declaration => kind == WaypointKind::Assumption,
        PlaceKind::Branch { .. } => kind == WaypointKind::Branching,
        PlaceKind::Call { .. } => {
            matches!(kind, WaypointKind::FunctionEnter | WaypointKind::FunctionReturn)
        }
        PlaceKind::Loop { .. } => false,
    }
}

/// The place that a location means: the one in its column; without a column, or if the column is that of the file before preprocessing, the first one in the line.
pub fn find<'p>(
    places: &'p [Place],
    location: &Location,
    fits: impl Fn(&PlaceKind) -> bool,
) -> Result<&'p Place, String> {
    let in_line: Vec<&Place> = places
        .iter()
        .filter(|place| place.line == location.line && same_file(&location.file, &place.file))
        .filter(|place| fits(&place.kind))
        .collect();
    let exact = in_line.iter().find(|place| Some(place.column) == location.column);
    let first = in_line.iter().min_by_key(|place| place.column);
    let found = match location.column {
        None => first,
        Some(_) => exact.or(first.filter(|_| in_line.len() == 1)),
    };
    found.copied().ok_or_else(|| {
        let column = location.column.map(|column| format!(":{column}")).unwrap_or_default();
        format!("nothing at {}:{}{column} fits what is said about it", location.file, location.line)
    })
}

/// Returns true if two names mean one file; witnesses are moved around with their programs.
pub fn same_file(left: &str, right: &str) -> bool {
    Path::new(left).file_name() == Path::new(right).file_name()
}

/// The expression, if it certainly has no effect. What a witness says is put into the program, and must not change it.
pub(super) fn pure(text: &str) -> Result<String, String> {
    let refused = |why: &str| Err(format!("`{text}` {why}"));
    let allowed = |c: char| c.is_ascii_alphanumeric() || " _+-*/%&|^~!<>=()[].?:'".contains(c);
    if text.trim().is_empty() || !text.chars().all(allowed) {
        return refused("is no expression that is supported");
    }
    let compared = text.replace("==", "~").replace("!=", "~").replace("<=", "~").replace(">=", "~");
    if compared.contains('=') || text.contains("++") || text.contains("--") {
        return refused("changes something");
    }
    let mut before = ' ';
    let mut depth = 0usize;
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        match c {
            '(' if before.is_ascii_alphanumeric() || "_])".contains(before) => {
                return refused("may call a function");
            }
            '(' => depth += 1,
            ')' if depth == 0 => return refused("has too many brackets"),
            ')' => depth -= 1,
            _ => {}
        }
        before = c;
    }
    if depth > 0 { refused("has too few brackets") } else { Ok(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inside_ends_first() {
        let text = "int f(void); int main(void) { if (f()) return 1; return 0; }";
        let place = |kind: PlaceKind, at: usize| Place {
            text: 0,
            at,
            file: "a.c".into(),
            line: 1,
            column: 1,
            before: String::new(),
            function: "main".into(),
            kind,
        };
        let call = text.rfind("f()").unwrap();
        let (start, close) = (text.find("if").unwrap(), call + 2);
        let name = "f".to_owned();
        let mut marks = Marks::default();
        for (place, kind) in [
            (place(PlaceKind::Statement { simple: false }, start), WaypointKind::Assumption),
            (place(PlaceKind::Branch { open: call, close: close + 1 }, start), WaypointKind::Branching),
            (place(PlaceKind::Call { name, close }, call), WaypointKind::FunctionReturn),
        ] {
            marks.marks.push((place, kind, "1".to_owned()));
        }
        let (insertions, _) = marks.insertions();
        let mut whole = text.to_owned();
        for at in (0..text.len()).rev() {
            let here = insertions.iter().filter(|insertion| insertion.at == at);
            whole.insert_str(at, &here.map(|insertion| &*insertion.what).collect::<String>());
        }
        let expected = "int f(void); int main(void) { if ((__threadproof_mark_0 = !!(1), 0)) ; else \
            if (({ int __threadproof_value = !!((({ __auto_type __threadproof_value = f(); \
            __threadproof_mark_2 = !!(1), 0; __threadproof_value; }))); __threadproof_mark_1 = !!(1), 0; \
            __threadproof_value; })) return 1; return 0; }";
        // Spaces aside.
        let dense = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(dense(&whole), dense(expected));
    }

    #[test]
    fn only_expressions_without_effects_are_put_in() {
        for good in ["1", "x == 3 && !(y < 2)", "a[i].f >= -1", "(x) + 1 != 'c'", "p->n == 0", "*p == 1"] {
            assert!(pure(good).is_ok(), "{good}");
        }
        for bad in [
            "", "x = 1", "x++", "--x", "f()", "(f)(1)", "1); f(", "x; y", "x, y", "({ x; })", "a[0](1)", "(x",
        ] {
            assert!(pure(bad).is_err(), "{bad}");
        }
    }
}
