//! Small random programs of a few threads that share scalars, an array, pointers, a lock and a condition variable, in
//! textual form, the same for the same seed.

use base::Random;

const OBJECTS: &str = "
object x: 4 = 0
object y: 4 = 1
object a: 16
object m: 4
object c: 4
object p: 8 pointers { 0: &x }
object thread_local tl: 4
function helper(q: 64, v: 32) -> 32 { reg r: 32 memory l: 4
    [&l]:32 = v
    r = [&l]:32
    [q]:32 = r + 1
    return r
}
function lend(v: 32) -> 32 { reg r: 32 memory l: 4
    [&l]:32 = v
    [&p]:64 = &l
    r = [&l]:32
    return r
}
";

/// Plain statements, one action each.
const STATEMENTS: [&str; 46] = [
    "r = [&x]:32",
    "r = [&y]:32",
    "[&x]:32 = r + 1",
    "[&y]:32 = r",
    "[&x]:32 = 1",
    "r = [&x]:32; [&x]:32 = r + 1",
    "r = r + 1",
    "r = [&a + zext64(r & 3) * 4]:32",
    "[&a + zext64(r & 1) * 4]:32 = 1",
    "[&a + 8 + zext64(r & 1) * 4]:32 = r",
    "t = &a + zext64(r & 3) * 4; [t]:32 = 2",
    "t = &a + zext64(r & 3) * 4",
    "[&a + 4]:32 = r",
    "r = [t]:32",
    "[t]:32 = 3",
    "q = [&p]:64",
    "[q]:32 = r",
    "r = [q]:32",
    "r = [[&p]:64]:32",
    "[&p]:64 = &y",
    "[&p]:64 = &a + 4",
    "[&p]:64 = &l",
    "[&p]:64 = &x",
    "[&p]:64 = q",
    "guard [&m]:32 == 0; [&m]:32 = 1",
    "[&m]:32 = 0",
    "guard [&y]:32 != 0",
    "assume r != 2",
    "copy(&a, &a + 8, 8)",
    "copy(&a + 8, &l, 4)",
    "copy(&l, q, 4)",
    "fill(&a + 4, 1, 8)",
    "q = alloc(4); [q]:32 = 0",
    "q = alloca(4); [q]:32 = 7",
    "q = realloc(q, 8, 0)",
    "free(q)",
    "havoc b; r = zext32(b)",
    "wait_begin(&c)",
    "wait_end",
    "wait_end timed",
    "signal(&c)",
    "broadcast(&c)",
    "[&tl]:32 = r",
    "q = &tl",
    "forget l; [&l]:32 = 5",
    "r = ite(r == 0, [&x]:32, [&y]:32)",
];

/// Statements about threads.
const THREADS: [&str; 5] =
    ["u, e = join(t)", "e = detach(t)", "u, e = join(self())", "t = create(&w1, &a)", "t = create(&w1, q)"];

/// A program for this seed.
pub fn program(seed: u64) -> String {
    let random = &mut Random(seed);
    let mut text = OBJECTS.to_owned();
    text += &function(random, "main", "", "32", &["t = create(&w0, &y)", "t = create(&w0, t)"]);
    text += &function(random, "w0", "arg: 64", "64", &["t = create(&w1, arg)"]);
    text += &function(random, "w1", "arg: 64", "64", &[]);
    text
}

fn function(random: &mut Random, name: &str, params: &str, ret: &str, creates: &[&str]) -> String {
    let is_main = name == "main";
    let first = if is_main { "q = &x; t = 0" } else { "q = arg; t = arg" };
    let mut lines = vec![format!("{first}; r = 0; u = 0; [&l]:32 = 0")];
    if is_main {
        lines.push(creates[0].to_owned());
    }
    // Few kinds of statements per function make conflicts likely.
    let kinds: Vec<&str> = (0..5).map(|_| random.pick(&STATEMENTS)).collect();
    for n in 0..3 + random.index(4) {
        lines.push(statement(random, n, &kinds, creates));
    }
    let lines = lines.join("\n");
    let end = if random.index(6) == 0 { "thread_exit q" } else { "return 0" };
    format!(
        "function {name}({params}) -> {ret} {{ reg r, e: 32 reg q, t, u: 64 reg b: 1 memory l: 4\n{lines}\nend: {end}\n}}\n"
    )
}

fn statement(random: &mut Random, n: usize, kinds: &[&str], creates: &[&str]) -> String {
    match random.index(18) {
        0 => format!("if r == 0 then end else n{n}\nn{n}: skip"),
        1 => format!("b{n}: r = [&x]:32\nif r == 0 then b{n} else n{n}\nn{n}: skip"),
        2 => format!("atomic_begin\n{}\natomic_end", random.pick(kinds)),
        3 => format!("atomic_begin; {}; atomic_end", random.pick(kinds)),
        4 => random.pick(&["r = call helper(q, r)", "r = call helper(&x, r)", "r = call lend(r)"]).to_owned(),
        5 if !creates.is_empty() => random.pick(creates).to_owned(),
        6 => random.pick(&THREADS[..3]).to_owned(),
        7 if !creates.is_empty() => random.pick(&THREADS).to_owned(),
        8 => "wait_begin(&c)\nwait_end".to_owned(),
        9 => random.pick(&STATEMENTS).to_owned(),
        _ => random.pick(kinds).to_owned(),
    }
}
