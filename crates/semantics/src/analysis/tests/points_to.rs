//! What addresses can refer to, on programs as lowering makes them.

use super::*;
use program::VarKind;

/// What the register `main::p` (or of another function, as `f::p`) can refer to at the end.
fn check(text: &str, register: &str, expect: &str) {
    let program = parse(text);
    let points_to = PointsTo::of(&program);
    let (of, name) = register.split_once("::").unwrap_or(("main", register));
    let of = func(&program, of);
    let vars = &program.functions[of].vars;
    let (var, declared) = vars.iter_enumerated().find(|(_, v)| v.name == name).unwrap();
    let VarKind::Register(width) = declared.kind else { panic!("{name} should be a register") };
    let targets = points_to.targets(of, &program::Expr::Reg(var, width));
    let places = targets.places.iter().map(|(site, at)| site_name(&program, *site) + &offset_name(*at));
    let functions = targets.functions.iter().map(|f| format!("&{}", program.functions[*f].name));
    let unknown = targets.unknown.then(|| "?".to_owned());
    let found: Vec<String> = places.chain(functions).chain(unknown).collect();
    assert_eq!(found.join(" "), expect, "{register} in {text}");
}

fn main_with(objects: &str, body: &str) -> String {
    format!(
        "{objects}\nfunction main() -> 32 {{ reg p, q, i: 64 reg c: 32 reg b: 1 memory l: 16 {body}\nreturn 0 }}"
    )
}

#[test]
fn straight_line() {
    let cases = [
        ("p = &x", "x+0"),
        ("p = &x + 4", "x+4"),
        ("p = &x - 4", "x+-4"),
        ("p = ite(b, &x, &y + 8)", "x+0 y+8"),
        ("q = &l; p = q; p = q + 8", "main::l+0 main::l+8"),
        ("p = 0", ""),
        ("p = &fn main", "&main"),
        ("p = alloc(8)", "heap@main:L0+0"),
        ("q = &x; q = &y; p = q", "x+0 y+0"),
        ("havoc p", "?"),
        ("havoc i; p = &x + i", "x+0/1"),
        ("havoc i; p = i + 4", "?"),
        ("havoc i; havoc p; p = &x; p = p + i", "x+0/1 ?"),
        ("p = zext64(trunc32(&x))", "x+*"),
        ("p = zext64(&x == &y)", ""),
        ("p = &x & 7", ""),
        ("p = &x & ~7", "x+*"),
        ("p = &x ^ &y", "x+* y+*"),
        ("p = &x %u 8", ""),
        ("p = (&x >>u 8) & 255", "x+*"),
        ("p = &x * 2", ""),
        ("i = (&x + 8 - &x) /s 4; p = &y + i * 4", "y+0/4"),
        ("p = self()", ""),
    ];
    for (body, expect) in cases {
        check(&main_with("object x: 16 object y: 16", body), "p", expect);
    }
}

#[test]
fn indices_keep_their_stride() {
    let cases = [
        ("p = &x + sext64(c) * 4", "x+0/4"),
        ("p = &x + 8 + zext64(c) * 24", "x+8/24"),
        ("p = &x + (i << 3) + 4", "x+4/8"),
        ("p = &x + i * 8 + i * 12", "x+0/4"),
        ("p = &x - i * 4", "x+0/4"),
        ("p = &x + i", "x+0/1"),
        ("p = &x + ite(b, 4, 12)", "x+4/8"),
        ("p = &x + 8 * sext64(c)", "x+0/8"),
        ("c = 3; i = zext64(c) * 4; p = &x + i", "x+12"),
        ("havoc i; q = i * 24; p = &x + q", "x+0/8"),
        ("havoc c; c = 5; p = &x + zext64(c)", "x+0/1"),
        ("c = 2; c = 6; p = &x + zext64(c)", "x+2/4"),
        ("c = 2147483647; c = c + 1; p = &x + sext64(c)", "x+0/1"),
        ("c = 1000; c = c - 2; p = &x + zext64(c) * 2", "x+0/4"),
        ("q = &x + 100 + i * 10; p = q + 5", "x+105/10"),
    ];
    for (body, expect) in cases {
        check(&main_with("object x: 400", body), "p", expect);
    }
}

#[test]
fn a_pointer_that_walks_keeps_its_stride() {
    let up = "p = &x\nloop: if p == &x + 400 then done else next\nnext: p = p + 4 -> loop\ndone: skip";
    check(&main_with("object x: 400", up), "p", "x+0/4");
    let down = "p = &x + 4000\nloop: if p == &x then done else next\nnext: p = p - 8 -> loop\ndone: skip";
    check(&main_with("object x: 4008", down), "p", "x+0/8");
}

#[test]
fn memory() {
    let objects = "object x: 16 object y: 16 object s: 40";
    let cases = [
        ("[&s]:64 = &x; [&s + 8]:64 = &y; p = [&s + 8]:64", "y+0"),
        ("[&s]:64 = &x; [&s + 8]:64 = &y; p = [&s + i * 8]:64", "x+0 y+0"),
        ("[&s + i * 16]:64 = &x; p = [&s + 8]:64", ""),
        ("[&s + i * 16]:64 = &x; p = [&s + 32]:64", "x+0"),
        ("[&s]:64 = &x; p = zext64([&s + 4]:32)", "x+*"),
        ("[&s]:64 = &x + 4; copy(&s + 16, &s, 8); p = [&s + 16]:64", "x+4"),
        ("[&s]:64 = &x + 4; copy(&s + 16, &s + 8, 8); p = [&s + 16]:64", ""),
        ("[&s + 8]:64 = &x; copy(&l, &s, i); p = [&l + 8]:64", "x+0"),
        ("[&s]:64 = &x; copy(&s + 8, &s, i); p = [&s + 24]:64", "x+0"),
        ("q = alloc(16); [q + 8]:64 = &x; q = realloc(q, 32, 0); p = [q + 8]:64", "x+0"),
        ("[&s]:64 = &x; i = [&s]:64; [&l]:64 = i; p = [&l]:64", "x+0"),
        ("havoc q; [q]:64 = &x; p = [&y]:64", "x+0"),
        ("havoc q; p = [q]:64", "?"),
        ("havoc q; [&l]:64 = &x; copy(&s, q, 8); p = [&s]:64", "?"),
        ("fill(&s, 0, 40); p = [&s]:64", ""),
    ];
    for (body, expect) in cases {
        check(&main_with(objects, body), "p", expect);
    }
}

#[test]
fn initialisers() {
    let objects = "object x: 16 object t: 16 pointers { 0: &x + 4, 8: &fn main } object arbitrary a: 8";
    check(&main_with(objects, "p = [&t]:64"), "p", "x+4");
    check(&main_with(objects, "p = [&t + 8]:64"), "p", "&main");
    check(&main_with(objects, "p = [&a]:64"), "p", "?");
}

#[test]
fn calls_and_threads() {
    let text = "
        object x: 4 object y: 4 object f: 8
        function main() -> 32 { reg p, q, t: 64 reg e: 32
            p = call id(&x)
            [&f]:64 = &fn id
            q = [&f]:64
            q = call *(q)(&y)
            t = create(&start, &x)
            q, e = join(t)
            return 0 }
        function id(v: 64) -> 64 { return v }
        function start(arg: 64) -> 64 { reg r: 64
            r = arg
            if r == 0 then other else end
            other: thread_exit &y + 1
            end: return arg + 2 }";
    check(text, "id::v", "x+0 y+0");
    check(text, "p", "x+0 y+0");
    check(text, "start::r", "x+0");
    check(text, "q", "x+0 x+2 y+0 y+1 &id");
    let program = parse(text);
    let points_to = PointsTo::of(&program);
    let main = func(&program, "main");
    assert_eq!(points_to.started_by(main, program::LocId(4)), [func(&program, "start")]);
    assert_eq!(points_to.started_by(main, program::LocId(3)), []);
}

#[test]
fn copies_within_an_object_end() {
    let text = main_with(
        "object x: 16",
        "q = alloc(i)\n[q]:64 = &x\nloop: copy(q + 8, q, i)\np = [q + 80]:64\nif b then loop else done\ndone: skip",
    );
    check(&text, "p", "x+0");
}
