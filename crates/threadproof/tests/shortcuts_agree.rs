//! Shortcuts of lowering against what they stand for. Each shortcut is taken only where the calls say enough, so the same program with one more
//! mention, in code that is never executed, has the general model; the verdicts are the same.
//!
//! | shortcut | not taken |
//! |---|---|
//! | `scanf` with a literal format of numbers and characters | the format is in an array |
//! | `rand` gives any number, if the generator is started once and first | there is a second call of `srand` |
//! | a parameter that is a literal in every call is not read to its end | the address of the function is taken |

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::{Budget, Random, Stats};
use engines::{Engine, Task};
use evidence::Outcome;
use program::Property;
use std::time::Duration;
use testkit::settings::{seeds, time_limit};

/// Whether a property holds; `None` if the engine does not say in time.
fn verdict(engine: &dyn Engine, text: &str, property: Property) -> Option<bool> {
    let mut options = frontend::Options::default();
    options.checks.validity = property.is_about_validity();
    let loaded = frontend::load_text("shortcut.i", text, &options);
    let program = loaded.program.unwrap_or_else(|| panic!("{:?} in\n{text}", loaded.diagnostics));
    let program = program.for_property(property);
    let budget = Budget::new(Some(time_limit(Duration::from_secs(20))), None);
    match engine.run(&Task::new(&program, property, &budget), &mut Stats::default()) {
        Outcome::Safe(_) => Some(true),
        Outcome::Unsafe(_) => Some(false),
        Outcome::UnsafeGraph(_) | Outcome::Unknown(_) => None,
    }
}

/// How many pairs of programs hold, are violated, and have no verdict.
#[derive(Default, Debug)]
struct Tally([usize; 3]);

impl Tally {
    fn compare(&mut self, engine: &dyn Engine, [short, general]: [String; 2], property: Property) {
        let found = verdict(engine, &short, property);
        let expected = verdict(engine, &general, property);
        let agree = found == expected || found.is_none() || expected.is_none();
        assert!(agree, "{found:?} of\n{short}\nbut {expected:?} of\n{general}");
        let n = match (found, expected) {
            (None, _) | (_, None) => 2,
            (Some(holds), _) => usize::from(!holds),
        };
        self.0[n] += 1;
    }

    fn is_enough(&self) {
        let [hold, violated, unknown] = self.0;
        assert!(hold > unknown && violated > unknown, "{self:?} tests too little");
    }
}

const DECLARED: &str = "
extern int scanf(const char *, ...); extern int printf(const char *, ...);
extern int rand(void); extern void srand(unsigned); extern int reach_error(void);
extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);
";

fn scanned(r: &mut Random) -> [String; 2] {
    let conversions = [
        ("%d", "int"),
        ("%hx", "short"),
        ("%c", "char"),
        (" %hhi", "char"),
        ("%lu", "long"),
        ("%%:%u", "int"),
    ];
    let (mut format, mut arguments, mut declared) = (String::new(), String::new(), String::new());
    for n in 0..1 + r.below(2) {
        let (conversion, ty) = conversions[r.index(conversions.len())];
        format.push_str(conversion);
        declared.push_str(&format!("{ty} v{n} = 7; "));
        arguments.push_str(&format!(", &v{n}"));
    }
    let result = r.below(5).cast_signed() - 2;
    let condition = format!("n == {result} && v0 {} {}", r.pick(&["==", "!="]), 6 + r.below(2));
    ["\"FORMAT\"", "format"].map(|given| {
        format!(
            "{DECLARED} int main(void) {{ char format[] = \"FORMAT\"; {declared}
             int n = scanf({given}{arguments}); if ({condition}) reach_error(); return 0; }}\n"
        )
        .replace("FORMAT", &format)
    })
}

fn drawn(r: &mut Random) -> [String; 2] {
    let statements = ["a = rand();", "b = rand();", "a = b;", "if (a > 3) b = rand();", "draw();"];
    let body: String = (0..1 + r.below(3)).map(|_| statements[r.index(statements.len())]).collect();
    let first = r.pick(&["srand(1);", "", "int c = 0; srand(3);", "draw(); srand(1);"]);
    let condition = r.pick(&["a == b && a > 0", "a < 0", "a != b", "b == 5", "a == 5 && b == 6"]);
    ["", "if (0) srand(2);"].map(|second| {
        format!(
            "{DECLARED} static int a, b; static void draw(void) {{ b = rand(); }}
             int main(void) {{ {first} {body} {second} if ({condition}) reach_error(); return 0; }}\n"
        )
    })
}

fn printed(r: &mut Random) -> [String; 2] {
    let given = [
        "\"one\"",
        "\"\"",
        "ended",
        "open",
        "__VERIFIER_nondet_bool() ? \"a\" : \"b\"",
        "__VERIFIER_nondet_bool() ? \"a\" : open",
        "0",
    ];
    let inside = ["", "line++;", "line = \"x\";", "if (line) line = line;"];
    let guard = r.pick(&["", "if (line) "]);
    let calls: String = (0..1 + r.below(3))
        .map(|_| {
            format!(
                "{}({}); ",
                r.pick(&["report", "pass"]),
                given[if r.one_in(2) { r.index(3) } else { r.index(given.len()) }]
            )
        })
        .collect();
    let change = if r.one_in(3) { r.pick(&inside) } else { "" };
    let limit = r.pick(&["%s", "%.2s"]);
    ["", "if (0) { void (*f)(const char *) = report; f(0); f = pass; }"].map(|taken| {
        format!(
            "{DECLARED} static void report(const char *line) {{ {change} {guard} printf(\"{limit}\", line); }}
             static void pass(const char *line) {{ report(line); }}
             int main(void) {{ char ended[] = \"xyz\"; char open[] = {{ 'a', 'b', 'c' }}; {calls} {taken} return 0; }}\n"
        )
    })
}

#[test]
fn literal_formats_scan_as_others() {
    let (engine, mut tally) = (engines::impact::Options::default(), Tally::default());
    for seed in seeds(12) {
        tally.compare(&engine, scanned(&mut Random(seed)), Property::UnreachCall);
    }
    tally.is_enough();
}

#[test]
fn one_seed_draws_as_several() {
    let (engine, mut tally) = (engines::impact::Options::default(), Tally::default());
    for seed in seeds(12) {
        tally.compare(&engine, drawn(&mut Random(seed)), Property::UnreachCall);
    }
    tally.is_enough();
}

#[test]
fn literals_are_printed_as_others() {
    let (engine, mut tally) = (engines::explore::Options::default(), Tally::default());
    for seed in seeds(60) {
        tally.compare(&engine, printed(&mut Random(seed)), Property::ValidDeref);
    }
    tally.is_enough();
}
