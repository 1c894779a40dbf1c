//! The textual form: printing and parsing are inverse, and no text makes the parser panic.

use base::Random;
use program::text::{parse, print, print_expr};
use program::{Action, BinOp, Expr, FuncId, Op, Program, UnOp, Width, well_formed};

/// A cheap way to a function whose first location assigns to a register.
fn expression(widths: &str, text: &str) -> Program {
    parse(&format!(
        "object x: 4
         object shadowed: 4
         function main() {{ {widths} memory shadowed, buf: 8
             {text}
             return }}
         function worker(p: 64) {{ return }}
         function x() {{ return }}"
    ))
    .unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn value(program: &Program) -> &Expr {
    let function = &program.functions[program.entry];
    match &function.locations[function.entry].action {
        Action::Ops { ops, .. } => match &ops[0] {
            Op::Set { value, .. } | Op::Guard(value) => value,
            other => panic!("{other:?} has no value"),
        },
        other => panic!("{other:?} has no operations"),
    }
}

#[test]
fn random_programs_survive_a_round_trip() {
    for seed in 0..3000 {
        let program = testkit::model::program(seed);
        if let Err(flaws) = well_formed::check(&program) {
            panic!("seed {seed}: {}", flaws[0]);
        }
        let text = print(&program);
        let again = parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert!(again == program, "seed {seed}:\n{text}\n{}", print(&again));
        assert_eq!(print(&again), text, "seed {seed}");
    }
}

#[test]
fn text_survives_a_round_trip() {
    let text = "\
program ilp32
entry start
file \"prog.c\"
file \"lib/\\\"q\\\".h\"
assumption \"threads are created\\nwithout failure\" @0:3:12
object x: 4 = -1 @0:1:5
object read_only `.str`: 6 align 1 = \"hello\\0\"
object thread_local table: 16 align 4 = {1, 2, 0, -1}:32 pointers {8: &x + 2, 12: &fn x}
object arbitrary environ: 4

function start(argc: 32, temp argv: 32) -> 32 @0:9:5 {
  reg i, j: 32
  temp reg t0: 1
  memory buf: 16
  temp memory `t 1`: 3 align 2
L0:  i = [&x]:32!acq + 1 -> L1                                                             @0:10:3
L1:  #lock(&x) guard [&x]:32 == 0; [&x]:32!rel = 1 -> L2                                   @0:11:3
L2:  if i <s argc && !t0 then L3 else L4
L3:  j = call x(i, 5:64, -1) -> L1
L4:  call *([&table + 12]:32)() -> L5
L5:  havoc i; forget buf; assume true; copy(&buf, argv, 4); fill(&buf, 0, 16) -> L6
L6:  i = alloc(12); j = alloca(i); j = realloc(i, 3, false); free(i); atomic_begin; atomic_end; fence sc -> L7
L7:  i = create(&x, self()); i, j = join(i); j = detach(i) -> L8
L8:  wait_begin(&buf); wait_end; wait_end timed; signal(&buf); broadcast(&buf) -> L9
L9:  skip -> L10
L10: error unreach-call \"assertion failed\"
L11: unsupported \"inline assembly\"
L12: thread_exit 0
L13: exit
L14: undefined \"a data race\"
L15: return ite(i <=u 3, zext32(t0), -(j - 1 - i) /s (2 * i))
}

library function x(p) entry L1 {
  reg q, p: 32
L0: return
L1: return
}
";
    let program = parse(text).unwrap();
    well_formed::check(&program).unwrap_or_else(|flaws| panic!("{}", flaws[0]));
    assert_eq!(print(&program), text);
    assert_eq!(program.to_string(), text);
}

#[test]
fn what_is_left_out_has_a_default() {
    let short = "object x: 4 = 0
        function main() -> 32 { reg t: 32
            t = [&x]:32; [&x]:32 = t + 1   // two operations, one location
            if t == 0 then end
            goto end
          other: skip; skip
          end: return 0 }";
    let long = "program lp64
        entry main
        object x: 4 align 4 = {0, 0, 0, 0}:8
        function main() -> 32 entry L0 { reg t: 32
          L0: t = [&x]:32!plain; [&x]:32 = t + 1:32 -> L1
          L1: if t == 0:32 then L4 else L2
          L2: skip -> L4
          L3: skip -> L4
          L4: return 0:32 }";
    assert_eq!(parse(short).unwrap(), parse(long).unwrap());
}

#[test]
fn parentheses_stand_where_readers_want_them() {
    let cases = [
        ("a + b * c", "a + b * c"),
        ("(a + b) * c", "(a + b) * c"),
        ("a - (b - c) - a", "a - (b - c) - a"),
        ("a * b /s c", "(a * b) /s c"),
        ("a & b & c", "a & b & c"),
        ("a & b | c", "(a & b) | c"),
        ("a + b << c", "(a + b) << c"),
        ("-a - -5", "-a - -5"),
        ("-(5)", "-(5)"),
        ("-(-a)", "-(-a)"),
        ("~a", "~a"),
        ("ite(p && (q || !p), a, 1)", "ite(p && (q || !p), a, 1)"),
        ("ite(a <s b == p, a, 1)", "ite((a <s b) == p, a, 1)"),
        ("ite(a >s b, a, 0xff)", "ite(b <s a, a, 255)"),
        ("ite(a + 1 <u b && a != 3, a, 1)", "ite(a + 1 <u b && a != 3, a, 1)"),
        ("zext32(p & q)", "zext32(p && q)"),
        ("1 + 2", "1 + 2"),
        ("trunc32(d)", "trunc32(d)"),
        ("trunc32(1:64)", "trunc32(1:64)"),
        ("ftos32(d *. 1.5f64)", "ftos32(d *. 1.5f64)"),
        ("ftos32(-.(1.5f64))", "ftos32(-.(1.5f64))"),
        ("ftos32(ite(p, -2.0f64, d))", "ftos32(ite(p, -2.0f64, d))"),
        ("[&x + 4]:32!acq", "[&x + 4]:32!acq"),
        ("[&shadowed]:32 + [&object shadowed]:32", "[&shadowed]:32 + [&object shadowed]:32"),
        ("trunc32(&fn x)", "trunc32(&fn x)"),
        ("trunc32(&worker - &main)", "trunc32(&worker - &main)"),
    ];
    for (text, printed) in cases {
        let program = expression("reg a, b, c: 32 reg p, q: 1 reg d: 64", &format!("a = {text}"));
        well_formed::check(&program).unwrap_or_else(|flaws| panic!("{}", flaws[0]));
        assert_eq!(print_expr(&program, FuncId(0), value(&program)), printed);
        assert_eq!(parse(&print(&program)).unwrap(), program, "{text}");
    }
}

#[test]
fn bare_constants_take_the_width_of_their_place() {
    let cases = [
        ("a = 5", 5, 16),
        ("a = -1", 0xffff, 16),
        ("a = 65535", 0xffff, 16),
        ("guard 5 == 6", 5, 32),
        ("guard a == 6", 6, 16),
        ("guard 6 <u a", 6, 16),
        ("a = ite(p, 7, a)", 7, 16),
        ("a = trunc16(7)", 7, 32),
        ("a = [4096]:16", 4096, 64),
        ("a = -(1 + (2 + 3:16))", 1, 16),
    ];
    for (text, constant, bits) in cases {
        let program = expression("reg a: 16 reg p: 1", text);
        let mut found = false;
        value(&program).walk(&mut |e| found |= *e == Expr::Const(constant, Width(bits)));
        assert!(found, "{text}: {:?}", value(&program));
    }
}

#[test]
fn errors_say_where_and_what() {
    let cases = [
        ("", 1, 1, "should have a function"),
        ("programme", 1, 1, "expected file"),
        ("program lp32", 1, 9, "data model"),
        ("object x: 4\nobject x: 4", 2, 8, "two objects"),
        ("object x: 2 = 70000", 1, 15, "does not fit"),
        ("object x: 2 = {1 2}:8", 1, 18, ", or }"),
        ("object p: 8 pointers {0: &y}", 1, 27, "nothing called y"),
        ("entry f\nfunction main() { return }", 1, 7, "no function f"),
        ("function main() { }", 1, 19, "should have a location"),
        ("function main() { skip }", 1, 24, "where it goes on"),
        ("function main() { skip -> away }", 1, 27, "no location away"),
        ("function main() { x = 1 }", 1, 19, "no variable x"),
        ("function main() { memory m: 4 guard m == 0 }", 1, 37, "is in memory"),
        ("function main() { reg x: 8 x = 256\n return }", 1, 32, "does not fit 8 bits"),
        ("function main() { reg x: 8 x = (1 + 2\n return }", 2, 2, "expected ), found return"),
        ("function main() { reg x: 8 x = ite(true, 1)\n return }", 1, 43, "expected ,"),
        ("function main() { reg x: 8 x = f(1)\n return }", 1, 32, "no operation f"),
        ("function main() { reg x: 8 x = 1 < 2\n return }", 1, 34, "signed"),
        ("function main() { reg x: 0 return }", 1, 26, "1 to 128"),
        ("function main() { reg if: 8 return }", 1, 23, "reserved"),
        ("function main() { [0]:16 = 1:8 }", 1, 28, "8 bits is stored as 16"),
        ("function main() { error nothing \"\" }", 1, 25, "no property"),
        ("function main() { a: skip\n a: return }", 2, 2, "two locations"),
        ("function main() { return", 1, 25, "expected }"),
    ];
    for (text, line, col, message) in cases {
        let error = parse(text).expect_err(text);
        assert_eq!((error.line, error.col), (line, col), "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
}

/// An assignment of an expression with so many operators on top of each other, to the left, to the right or in front.
fn deep(height: usize, shape: usize) -> String {
    let n = height - 1;
    let text = match shape {
        0 => format!("a{}", " + b".repeat(n)),
        1 => format!("{}a{}", "b + (".repeat(n), ")".repeat(n)),
        2 => format!("{}a", "-".repeat(n)),
        3 => format!("{}a{}", "[".repeat(n), "]:64".repeat(n)),
        4 => format!("{}a{}", "ite(true, 1, ".repeat(n), ")".repeat(n)),
        _ => format!("{}1", "1 - (".repeat(n)) + &")".repeat(n),
    };
    format!("function main() {{ reg a, b: 64 a = {text}\n return }}")
}

#[test]
fn deep_expressions_work_up_to_a_limit() {
    for shape in 0..6 {
        let program = parse(&deep(well_formed::MAX_HEIGHT, shape)).unwrap();
        well_formed::check(&program).unwrap_or_else(|flaws| panic!("{}", flaws[0]));
        assert_eq!(parse(&print(&program)).unwrap(), program);
        program::dot::program(&program);
        for height in [well_formed::MAX_HEIGHT + 1, 200_000] {
            let error = parse(&deep(height, shape)).expect_err("too deep");
            assert!(error.message.contains("operators deep"), "{error}");
        }
    }
    let mut expr = Expr::Reg(program::VarId(0), Width(64));
    for _ in 0..well_formed::MAX_HEIGHT {
        expr = Expr::Unary(UnOp::Neg, Box::new(expr));
    }
    let mut program = parse("function main() { reg a: 64 a = 0 -> l l: return }").unwrap();
    if let Action::Ops { ops, .. } = &mut program.functions[FuncId(0)].locations[program::LocId(0)].action {
        ops[0] = Op::Guard(Expr::Binary(BinOp::Eq, Box::new(expr.clone()), Box::new(expr)));
    }
    let flaws = well_formed::check(&program).expect_err("too deep");
    assert!(flaws.iter().any(|flaw| flaw.rule == well_formed::Rule::Height));
}

/// Programs that lost, gained or swapped some of their characters and words.
#[test]
fn mutated_text_is_parsed_or_refused() {
    let mut random = Random(7);
    let r = &mut random;
    let mut accepted = 0;
    for round in 0..4000 {
        let mut text = print(&testkit::model::program(round % 300)).into_bytes();
        for _ in 0..1 + r.index(4) {
            if text.is_empty() {
                break;
            }
            let (from, to) = (r.index(text.len()), r.index(text.len()));
            match r.index(6) {
                0 => _ = text.remove(from),
                1 => text.insert(from, r.number() as u8),
                2 => text.swap(from, to),
                3 => text.truncate(from),
                4 => _ = text.drain(from.min(to)..from.max(to).min(from.min(to) + 12)),
                _ => {
                    let piece = text[from.min(to)..from.max(to).min(from.min(to) + 9)].to_vec();
                    text.splice(from..from, piece);
                }
            }
        }
        if let Ok(program) = parse(&String::from_utf8_lossy(&text)) {
            accepted += 1;
            let printed = print(&program);
            if well_formed::check(&program).is_ok() {
                assert!(parse(&printed).as_ref() == Ok(&program), "{printed}");
            }
        }
    }
    assert!(accepted > 100, "{accepted} mutants were accepted");
}
