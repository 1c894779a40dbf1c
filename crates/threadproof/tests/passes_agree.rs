//! Passes by brute force: random programs have the same verdicts before and after each pass, by exploration of all interleavings.
//!
//! | programs | for |
//! |---|---|
//! | of the text form, made here: temporaries, choices of values, atomic sections that may be left early, transactions with several accesses | copy propagation, if-conversion |
//! | of the text form, whose threads call library functions with constants and with values | constant arguments |
//! | of the text form, whose inputs go through registers, calls and memory | inputs on which nothing depends |
//! | of the text form, with three-bit arithmetic | checks for overflow, against a check that lists all pairs of operands |
//! | C whose blocks get other sizes, made here | blocks that always move (`semantics::addresses`) |
//! | C ([`testkit::threads`]) | all passes that a program goes through, on what lowering makes |

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::{Budget, Random, Stats};
use engines::{Engine, Task};
use evidence::Outcome;
use program::passes::{
    Overflow, constant_arguments, copy_propagation, if_conversion, ignored_inputs, overflow,
};
use program::{Program, Property, SignedOp, Width, text, well_formed};
use semantics::addresses::always_moving;
use std::fmt::Write;
use testkit::settings::seeds;
use testkit::threads::{self, Size};

const PROPERTIES: [Property; 4] =
    [Property::UnreachCall, Property::NoDeadlock, Property::NoDataRace, Property::Termination];

/// Whether a property holds; `None` if there are too many states, or executions without a meaning.
fn verdict(program: &Program, property: Property) -> Option<bool> {
    let options = engines::explore::Options { max_states: 20_000, reduction: false, ..Default::default() };
    let task = Task::new(program, property, &Budget::unlimited());
    match options.run(&task, &mut Stats::default()) {
        Outcome::Safe(_) => Some(true),
        Outcome::Unsafe(_) => Some(false),
        Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
        Outcome::Unknown(_) => None,
    }
}

/// How often each answer occurred: a test in which all programs are safe tests little.
#[derive(Default, Debug)]
struct Tally {
    holds: usize,
    violated: usize,
    unknown: usize,
    changed: usize,
}

impl Tally {
    fn compare(&mut self, before: &Program, after: &Program, what: &str) {
        assert_eq!(well_formed::check(after), Ok(()), "{what} gives in\n{after}");
        if before == after {
            return;
        }
        self.changed += 1;
        for property in PROPERTIES {
            let (expected, found) = (verdict(before, property), verdict(after, property));
            match (expected, found) {
                (Some(true), _) => self.holds += 1,
                (Some(false), _) => self.violated += 1,
                (None, _) => self.unknown += 1,
            }
            let agree = expected == found || expected.is_none() || found.is_none();
            assert!(agree, "{what}, {property}: {expected:?} of\n{before}\nbecomes {found:?} of\n{after}");
        }
    }

    fn is_enough(&self, n_programs: usize) {
        assert!(self.changed > n_programs / 4 && self.holds > n_programs / 4, "{self:?} tests too little");
        assert!(self.violated > n_programs / 4 && self.unknown < self.violated, "{self:?} tests too little");
    }
}

/// A function's text under construction. Every statement goes on at the label that it is given.
struct Body<'r> {
    random: &'r mut Random,
    temporaries: String,
    locations: String,
    n_labels: usize,
    n_temporaries: usize,
}

impl Body<'_> {
    fn label(&mut self) -> String {
        self.n_labels += 1;
        format!("L{}", self.n_labels)
    }

    /// A temporary, which the source does not have.
    fn temporary(&mut self) -> String {
        self.n_temporaries += 1;
        let name = format!("t{}", self.n_temporaries);
        writeln!(self.temporaries, "temp reg {name}: 8").unwrap();
        name
    }

    fn location(&mut self, label: &str, action: &str) {
        writeln!(self.locations, "{label}: {action}").unwrap();
    }

    /// A value of 0 or 1 that reads at most one word of memory.
    fn value(&mut self) -> String {
        self.random.pick(&["[&x]:8", "[&y]:8", "[&x]:8 ^ 1", "r", "r ^ 1", "0", "1", "[&m]:8"]).to_owned()
    }

    fn condition(&mut self) -> String {
        format!("({}) == {}", self.value(), self.random.below(2))
    }

    fn store(&mut self, value: &str) -> String {
        let to = self.random.pick(&["[&x]:8", "[&y]:8", "[&m]:8", "r"]);
        format!("{to} = {value}")
    }

    /// A temporary is set and used: in one step, in two, or by a branch.
    fn copy(&mut self, here: &str, next: &str) {
        let (t, value, between) = (self.temporary(), self.value(), self.label());
        let first = if self.random.one_in(3) { self.store("1") + "; " } else { String::new() };
        match self.random.below(3) {
            0 => {
                let store = self.store(&t);
                self.location(here, &format!("{first}{t} = {value}; {store} -> {next}"));
            }
            1 => {
                let store = self.store(&format!("{t} ^ 1"));
                self.location(here, &format!("{first}{t} = {value} -> {between}"));
                self.location(&between, &format!("{store} -> {next}"));
            }
            _ => {
                let side = self.label();
                self.location(here, &format!("{first}{t} = {value} -> {between}"));
                self.location(&between, &format!("if {t} == 1 then {side} else {next}"));
                self.simple(&side, next);
            }
        }
    }

    /// Both sides of a branch set one temporary, or a branch follows a branch to the same place.
    fn choice(&mut self, here: &str, next: &str) {
        let (yes, no, cond) = (self.label(), self.label(), self.condition());
        self.location(here, &format!("if {cond} then {yes} else {no}"));
        if self.random.one_in(2) {
            let (t, join) = (self.temporary(), self.label());
            for side in [&yes, &no] {
                let value = self.value();
                self.location(side, &format!("{t} = {value} -> {join}"));
            }
            let store = self.store(&t);
            self.location(&join, &format!("{store} -> {next}"));
        } else {
            let (inner, other) = (self.condition(), self.label());
            let targets = if self.random.one_in(2) { [&other, &no] } else { [&no, &other] };
            self.location(&yes, &format!("if {inner} then {} else {}", targets[0], targets[1]));
            self.simple(&no, next);
            self.simple(&other, next);
        }
    }

    /// An atomic section, of which the end or the beginning may be missing on some paths.
    fn section(&mut self, here: &str, next: &str) {
        let (inside, end) = (self.label(), self.label());
        if self.random.one_in(6) {
            let cond = self.condition();
            self.location(here, &format!("if {cond} then {inside} else {end}"));
        } else {
            self.location(here, &format!("atomic_begin -> {inside}"));
        }
        self.sequence(&inside, &end, 2, false);
        self.location(&end, &format!("atomic_end -> {next}"));
    }

    fn simple(&mut self, here: &str, next: &str) {
        let value = self.value();
        let action = match self.random.below(8) {
            0 => "skip".to_owned(),
            1 => format!("guard {}", self.condition()),
            _ => self.store(&value),
        };
        self.location(here, &format!("{action} -> {next}"));
    }

    fn sequence(&mut self, here: &str, next: &str, n: u64, sections: bool) {
        let mut here = here.to_owned();
        for left in (0..=self.random.below(n)).rev() {
            let then = if left == 0 { next.to_owned() } else { self.label() };
            match self.random.below(if sections { 7 } else { 4 }) {
                0 => self.simple(&here, &then),
                1 | 2 => self.copy(&here, &then),
                3 => self.choice(&here, &then),
                4 => {
                    let (body, cond) = (self.label(), self.condition());
                    self.location(&here, &format!("if {cond} then {body} else {then}"));
                    self.simple(&body, &here);
                }
                _ => self.section(&here, &then),
            }
            here = then;
        }
    }
}

fn threaded(seed: u64) -> Program {
    let random = &mut Random(seed);
    let mut text = "program lp64\nobject x: 1 = 0\nobject y: 1 = 1\n".to_owned();
    for name in ["first", "second"] {
        let mut body = Body {
            random,
            temporaries: String::new(),
            locations: String::new(),
            n_labels: 0,
            n_temporaries: 0,
        };
        body.sequence("start", "end", 3, true);
        let Body { temporaries, locations, .. } = body;
        writeln!(
            text,
            "function {name}(p: 64) -> 64 {{\nreg r: 8\nmemory m: 1\n{temporaries}begin: r = 0; [&m]:8 = 0 -> start\n{locations}end: return 0\n}}"
        )
        .unwrap();
    }
    let (x, y) = (random.below(2), random.below(2));
    write!(
        text,
        "function main() -> 32 {{\nreg h, g, v: 64\nreg e: 32\nh = create(&first, 0)\ng = create(&second, 0)\nv, e = join(h)
         v, e = join(g)\nif [&x]:8 == {x} then more else fine\nmore: if [&y]:8 == {y} then bad else fine
         bad: error unreach-call \"met\"\nfine: return 0\n}}"
    )
    .unwrap();
    text::parse(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

#[test]
fn copy_propagation_keeps_verdicts() {
    let (mut tally, seeds) = (Tally::default(), seeds(150));
    let n_programs = seeds.clone().count();
    for seed in seeds {
        let before = threaded(seed);
        let mut after = before.clone();
        copy_propagation(&mut after);
        tally.compare(&before, &after, &format!("seed {seed}, copy propagation"));
    }
    tally.is_enough(n_programs);
}

#[test]
fn if_conversion_keeps_verdicts() {
    let (mut tally, seeds) = (Tally::default(), seeds(150));
    let n_programs = seeds.clone().count();
    for seed in seeds {
        let before = threaded(seed);
        let mut after = before.clone();
        if_conversion(&mut after);
        tally.compare(&before, &after, &format!("seed {seed}, if-conversion"));
    }
    tally.is_enough(n_programs);
}

/// A library function with parameters; `callee` is one that it may call.
fn library_function(random: &mut Random, name: &str, params: &[&str], callee: Option<&str>) -> String {
    let list: Vec<String> = params.iter().map(|param| format!("{param}: 32")).collect();
    let mut text = format!("library function {name}({}) {{ reg r: 32\nr = 0\n", list.join(", "));
    for n in 0..random.between(1, 3) {
        let (param, constant) = (random.pick(params), random.below(3));
        let statement = match random.index(7) {
            0 => format!("[&x]:32 = {param} + {constant}"),
            1 => format!("[&y]:32 = {param}"),
            2 => format!(
                "if {param} == {constant} then yes{n} else no{n}\nyes{n}: [&x]:32 = {constant}\nno{n}: skip"
            ),
            3 => format!("r = [&y]:32\n[&x]:32 = ite({param} <s {constant}, r, {param})"),
            4 if random.one_in(2) => format!("{param} = {param} + 1"),
            _ => match callee {
                Some(callee) if random.one_in(2) => format!("call {callee}({param})"),
                Some(callee) => format!("call {callee}({constant})"),
                None => format!("[&y]:32 = {param} * 2"),
            },
        };
        let _ = writeln!(text, "{statement}");
    }
    text + "return }\n"
}

/// Two threads that call library functions, nearly always with the same constants, and an assertion about what these have written.
fn with_library(random: &mut Random) -> Program {
    let mut text = String::from("program lp64\nobject x: 4 = 0\nobject y: 4 = 0\n");
    let seen = random.below(4);
    let _ = writeln!(
        text,
        "function main() -> 32 {{ reg h, i, q: 64 reg e, r: 32\nh = create(&t0, 0)\ni = create(&t1, 0)\nq, e = join(h)\nq, e = join(i)\nr = [&x]:32\nif r == {seen} then bad else good\nbad: error unreach-call \"seen\"\ngood: return 0 }}"
    );
    let (first, second) = (random.below(3), random.below(3));
    for thread in 0..2 {
        let _ = writeln!(text, "function t{thread}(arg: 64) -> 64 {{ reg r: 32\nr = [&y]:32");
        for _ in 0..random.between(1, 2) {
            let argument = match random.index(6) {
                0 => "r".to_owned(),
                1 => random.below(3).to_string(),
                _ => first.to_string(),
            };
            let _ = match random.one_in(4) {
                true => writeln!(text, "call g({second})"),
                false => writeln!(text, "call f({argument}, {second})"),
            };
        }
        text += "return 0 }\n";
    }
    text += &library_function(random, "f", &["a", "b"], Some("g"));
    text += &library_function(random, "g", &["a"], None);
    text::parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

#[test]
fn constant_arguments_keep_verdicts() {
    let (mut tally, seeds) = (Tally::default(), seeds(150));
    let n_programs = seeds.clone().count();
    for seed in seeds {
        let before = with_library(&mut Random(seed));
        let mut after = before.clone();
        constant_arguments(&mut after);
        tally.compare(&before, &after, &format!("constant arguments, seed {seed}"));
    }
    tally.is_enough(n_programs);
}

/// A function with an input of two bits, which goes through registers, calls, assumptions and memory, mostly for nothing.
fn with_inputs(random: &mut Random) -> Program {
    let mut body = String::new();
    for n in 0..3 + random.index(6) {
        let (to, from) = (random.pick(&["a", "b", "c"]), random.pick(&["a", "b", "c"]));
        let constant = random.below(3);
        let _ = match random.index(13) {
            0 => writeln!(body, "havoc {to}"),
            1..=2 => writeln!(body, "{to} = call input()"),
            3 => writeln!(body, "{to} = {from} + {constant}"),
            4 => writeln!(body, "{to} = {from} & {constant}"),
            5 => writeln!(body, "assume {from} <=u {constant}"),
            6 => writeln!(body, "assume {from} == {constant} || {to} == 0"),
            7..=8 => writeln!(body, "call keep({from})"),
            9 => writeln!(body, "[&seen]:8 = {from}"),
            10 => writeln!(body, "{to} = [&seen]:8"),
            11 => writeln!(body, "{to} = call pass({from})"),
            _ if random.one_in(2) => writeln!(
                body,
                "if {from} == {constant} then yes{n} else no{n}\nyes{n}: {to} = 1\nno{n}: skip"
            ),
            _ => writeln!(body, "{to} = {from} /u ({to} + 1)"),
        };
    }
    let (bound, checked) = (random.below(4), random.pick(&["a", "b", "[&seen]:8"]));
    let text = format!(
        "program lp64\nobject kept: 1 = 0\nobject seen: 1 = 0\n\
         function main() -> 32 {{\ntemp reg a, b, c, r: 8\na = 0\nb = 0\nc = 0\n{body}r = {checked}\n\
         if r == {} then bad else good\nbad: error unreach-call \"seen\"\ngood: return 0 }}\n\
         library function input() -> 8 {{ reg r: 8\nhavoc r\nr = r & 3\nassume r <=u {bound}\nreturn r }}\n\
         library function pass(x: 8) -> 8 {{ return x }}\n\
         library function keep(x: 8) {{ [&kept]:8 = x\nreturn }}\n",
        random.below(4)
    );
    text::parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

#[test]
fn ignored_inputs_keep_verdicts() {
    let (mut tally, seeds) = (Tally::default(), seeds(200));
    let n_programs = seeds.clone().count();
    for seed in seeds {
        let before = with_inputs(&mut Random(seed));
        let mut after = before.clone();
        ignored_inputs(&mut after);
        tally.compare(&before, &after, &format!("ignored inputs, seed {seed}"));
    }
    println!("{n_programs} programs: {tally:?}");
    assert!(tally.changed > n_programs / 5 && tally.violated > n_programs / 20, "{tally:?} tests too little");
}

#[test]
fn all_passes_keep_verdicts_of_c_programs() {
    let (mut tally, seeds) = (Tally::default(), seeds(15));
    let n_programs = seeds.clone().count();
    for seed in seeds {
        let c = threads::generate(seed, Size::of(0)).text();
        let loaded = frontend::load_text("random.i", &c, &frontend::Options::default());
        let raw = loaded.program.unwrap_or_else(|| panic!("{:?} in\n{c}", loaded.diagnostics));
        let mut before = raw.program().clone();
        overflow(&mut before, Overflow::Wraps);
        tally.compare(&before, &raw.with(Overflow::Wraps), &format!("seed {seed}, all passes"));
    }
    println!("{n_programs} programs: {tally:?}");
    assert!(tally.changed > n_programs / 2 && tally.violated > 0 && tally.holds > 0, "{tally:?}");
}

/// A program whose blocks get other sizes, while other pointers lead to them.
fn blocks(random: &mut Random) -> String {
    let mut body = String::new();
    for _ in 0..3 + random.index(6) {
        let (a, b) = (random.pick(&["p", "q", "r"]), random.pick(&["p", "q", "r"]));
        let n = 1 + random.below(3);
        let statement = match random.below(10) {
            0..=1 => format!("{a} = malloc({});", 4 * n),
            2..=4 => format!("{a} = realloc({a}, {});", 4 * n),
            5 => format!("{a} = realloc({b}, {});", 4 * n),
            6 => format!("{a} = {b};"),
            7 => format!("free({a});"),
            8 => format!("if ({a} == {b}) n++;"),
            _ => format!("if ({a}) check({a}[0] == {});", random.below(2)),
        };
        let written = if random.one_in(2) { format!("if ({a}) {a}[0] = {};", n % 2) } else { String::new() };
        writeln!(body, "  {statement} {written}").unwrap();
    }
    format!(
        "typedef unsigned long size_t; void *malloc(size_t); void *realloc(void *, size_t); void free(void *);\n\
         void __assert_fail(const char *, const char *, unsigned, const char *);\n\
         static void check(int e) {{ if (!e) __assert_fail(\"\", \"\", 0, \"\"); }}\n\
         int main(void) {{\n  int *p = 0, *q = 0, *r = 0, n = 0;\n{body}  check(n < 2);\n  return 0;\n}}\n"
    )
}

#[test]
fn blocks_that_always_move_have_the_same_verdicts() {
    let (mut n_changed, mut n_violated, seeds) = (0, 0, seeds(300));
    let n_programs = seeds.clone().count();
    for seed in seeds {
        let text = blocks(&mut Random(seed));
        let options = frontend::Options::default();
        let loaded = frontend::load_text("blocks.i", &text, &options);
        let raw = loaded.program.unwrap_or_else(|| panic!("{:?} in\n{text}", loaded.diagnostics));
        let before = raw.with(Overflow::Wraps);
        let mut after = before.clone();
        always_moving(&mut after);
        if before == after {
            continue;
        }
        n_changed += 1;
        for property in [Property::UnreachCall, Property::ValidMemsafety] {
            let (expected, found) = (verdict(&before, property), verdict(&after, property));
            let agree = expected == found || expected.is_none() || found.is_none();
            assert!(agree, "seed {seed}, {property}: {expected:?} becomes {found:?} of\n{text}");
            n_violated += usize::from(expected == Some(false));
        }
    }
    println!("{n_programs} programs, {n_changed} changed, {n_violated} violations");
    assert!(
        n_changed > n_programs / 4 && n_violated > n_changed / 4,
        "{n_changed}, {n_violated}: tests too little"
    );
}

const BITS: u8 = 3;

/// The condition that an operation does not overflow, as a list of all pairs of operands of which that is so.
fn fitting_pairs(op: SignedOp, left: &str, right: &str) -> String {
    let width = Width(BITS);
    let mut pairs = vec!["false".to_owned()];
    for (l, r) in (0..1u128 << BITS).flat_map(|l| (0..1u128 << BITS).map(move |r| (l, r))) {
        let (a, b) = (width.signed(l), width.signed(r));
        let exact = match op {
            SignedOp::Add => a + b,
            SignedOp::Sub => a - b,
            SignedOp::Mul => a * b,
            // C leaves the remainder undefined where the quotient overflows; neither divides by zero.
            SignedOp::Div | SignedOp::Rem => a.checked_div(b).unwrap_or(0),
            SignedOp::Shl => a << r,
        };
        if (-4..4).contains(&exact) {
            pairs.push(format!("({left} == {l}:{BITS} && {right} == {r}:{BITS})"));
        }
    }
    pairs.join(" || ")
}

/// A sequential program that computes with inputs; its markers, or else the checks that they should become.
fn arithmetic(seed: u64, markers: bool) -> Program {
    let random = &mut Random(seed);
    let mut locations = String::new();
    let operands = ["a", "b", "c", "(a ^ b)", "1:3", "7:3"];
    for n in 0..1 + random.index(4) {
        let (op, name) = random.pick(&SignedOp::ALL);
        let (left, right) = (random.pick(&operands), random.pick(&["a", "b", "c", "2:3"]));
        let to = random.pick(&["a", "b", "c"]);
        // Lowering excludes divisions by zero, and shifts by too much, before.
        match op {
            SignedOp::Div | SignedOp::Rem => writeln!(locations, "assume {right} != 0").unwrap(),
            SignedOp::Shl => writeln!(locations, "assume {right} <u 3:3").unwrap(),
            SignedOp::Add | SignedOp::Sub | SignedOp::Mul => {}
        }
        let sign = match op {
            SignedOp::Add => "+",
            SignedOp::Sub => "-",
            SignedOp::Mul => "*",
            SignedOp::Div => "/s",
            SignedOp::Rem => "%s",
            SignedOp::Shl => "<<",
        };
        let before = random.pick(&["", "c = a & b; ", "b = b ^ 1; "]);
        if markers {
            writeln!(locations, "{before}signed {name}({left}, {right}); {to} = {left} {sign} {right}")
                .unwrap();
        } else {
            let fits = fitting_pairs(op, left, right);
            writeln!(locations, "{before}skip\nif {fits} then fine{n} else bad").unwrap();
            writeln!(locations, "fine{n}: {to} = {left} {sign} {right}").unwrap();
        }
        if random.one_in(3) {
            writeln!(locations, "assume a <s 2:3").unwrap();
        }
    }
    let text = format!(
        "program lp64\nfunction main() -> 32 {{\nreg a, b, c: {BITS}\nhavoc a; havoc b; c = 1\n{locations}return 0
         bad: error no-overflow \"it does not fit\"\n}}"
    );
    text::parse(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

#[test]
fn checks_for_overflow_are_exact() {
    let (mut n_overflow, seeds) = (0, seeds(200));
    let n_programs = seeds.clone().count();
    let options =
        engines::explore::Options { full_width: u32::from(BITS), reduction: false, ..Default::default() };
    let holds = |program: &Program| {
        let task = Task::new(program, Property::NoOverflow, &Budget::unlimited());
        matches!(options.run(&task, &mut Stats::default()), Outcome::Safe(_))
    };
    for seed in seeds {
        let (raw, expected) = (arithmetic(seed, true), arithmetic(seed, false));
        let (mut checked, mut wraps) = (raw.clone(), raw.clone());
        overflow(&mut checked, Overflow::IsError);
        overflow(&mut wraps, Overflow::Wraps);
        assert_eq!(well_formed::check(&checked), Ok(()), "{checked}");
        assert_eq!(holds(&checked), holds(&expected), "seed {seed}:\n{checked}\nshould be\n{expected}");
        assert!(holds(&wraps), "seed {seed}: what wraps around is no error in\n{wraps}");
        n_overflow += usize::from(!holds(&expected));
    }
    println!("{n_programs} programs, {n_overflow} with an overflow");
    assert!(n_overflow > n_programs / 10 && n_overflow < n_programs, "both answers should occur");
}
