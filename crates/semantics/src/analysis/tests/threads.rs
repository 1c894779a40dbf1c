//! Roots, how many threads they have, and what is shared.

use super::*;

/// The roots that can have many threads, and the sites that are shared and written (`!`) or only read.
fn check(text: &str, many: &[&str], shared: &[&str]) {
    let program = parse(text);
    let analysis = Analysis::of(&program);
    let threads = &analysis.threads;
    let found = threads.roots().iter().filter(|root| root.many);
    let found: Vec<&str> = found.map(|root| &program.functions[root.func].name[..]).collect();
    assert_eq!(found, many, "{text}");
    let sites = super::super::threads::sites(&program).into_iter().map(|(site, _)| site);
    let found = sites
        .filter(|site| threads.is_shared(*site))
        .map(|site| site_name(&program, site) + if threads.is_contended(site) { "!" } else { "" });
    assert_eq!(found.collect::<Vec<_>>(), shared, "{text}");
}

#[test]
fn how_many() {
    let worker = "function w(a: 64) -> 64 { return a }";
    let main =
        |body: &str| format!("{worker} function main() {{ reg t: 64 reg b: 1 {body} return }} entry main");
    check(&main("t = create(&w, 0)"), &[], &[]);
    check(&main("t = create(&w, 0)\nt = create(&w, 0)"), &["w"], &[]);
    check(&main("t = create(&w, 0); t = create(&w, 0)"), &["w"], &[]);
    check(&main("l: t = create(&w, 0)\nif b then l else d\nd: skip"), &["w"], &[]);
    check(
        &main("call f()\ncall f()")
            .replace("entry main", "function f() { reg t: 64 t = create(&w, 0)\nreturn } entry main"),
        &["w"],
        &[],
    );
    check(
        &main("call f()")
            .replace("entry main", "function f() { reg t: 64 t = create(&w, 0)\nreturn } entry main"),
        &[],
        &[],
    );
    let twice = "function v(a: 64) -> 64 { reg t: 64 t = create(&w, 0)\nreturn a } entry main";
    check(&main("t = create(&v, 0)\nt = create(&v, 0)").replace("entry main", twice), &["v", "w"], &[]);
    check(&main("t = create(&v, 0)").replace("entry main", twice), &[], &[]);
    check(
        &main("t = create(&v, 0)\nt = create(&main, 0)").replace("entry main", twice),
        &["main", "v", "w"],
        &[],
    );
}

#[test]
fn sharing() {
    let text = |main: &str, worker: &str| {
        format!(
            "object x: 4 object y: 4 object p: 8
             object thread_local tl: 4
             function main() {{ reg t, h: 64 reg r: 32 memory l, k: 8 {main}\nreturn }}
             function w(a: 64) -> 64 {{ reg r: 32 reg h: 64 memory l: 8 {worker}\nreturn 0 }}"
        )
    };
    let start = "t = create(&w, 0)\n";
    let many = "t = create(&w, 0)\nt = create(&w, 0)\n";
    let with = |extra: &str| format!("{start}{extra}");
    check(&text(&with("[&x]:32 = 1"), "r = [&y]:32"), &[], &[]);
    check(&text(&with("[&x]:32 = 1"), "r = [&x]:32"), &[], &["x!"]);
    check(&text(&with("r = [&x]:32"), "r = [&x]:32"), &[], &["x"]);
    check(&text(many, "[&x]:32 = 1"), &["w"], &["x!"]);
    check(&text(many, "[&tl]:32 = 1; [&l]:64 = &tl"), &["w"], &[]);
    check(&text(many, "[&tl]:32 = 1; [&p]:64 = &tl"), &["w"], &["p!", "tl!"]);
    check(&text(many, "[&l]:64 = 1"), &["w"], &[]);
    check(&text(many, "[&l]:64 = 1; [&p]:64 = &l"), &["w"], &["p!", "w::l!"]);
    check(&text(many, "h = alloc(8); [h]:64 = 1; [&l]:64 = h"), &["w"], &[]);
    check(&text(many, "h = alloc(8); [h]:64 = 1; [&p]:64 = h"), &["w"], &["p!", "heap@w:L0!"]);
    check(&text("[&l]:64 = 1; t = create(&w, &l)", "r = [a]:32"), &[], &["main::l!"]);
    check(
        &text("[&k]:64 = &l; t = create(&w, &k)", "h = [a]:64; [h]:32 = 1"),
        &[],
        &["main::l!", "main::k!"],
    );
    check(&text(&with("havoc h; [h]:32 = 1"), "r = [&y]:32"), &[], &["y!"]);
    check(&text(&with("h = alloc(4); [h]:32 = 1; [&p]:64 = h"), "skip"), &[], &[]);
}
