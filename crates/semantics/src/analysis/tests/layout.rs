//! Layouts of objects, on programs as lowering makes them.

use super::*;
use program::Width;

fn describe(layout: &SitePartition) -> String {
    let scalar = |s: &ScalarCell| format!("{}:{}", s.offset, s.width);
    let row = |r: &ArrayRegion| {
        let count = r.count.map_or("?".to_owned(), |count| count.to_string());
        format!("{}+{}*{count}:{}", r.start, r.stride, r.width)
    };
    match layout {
        SitePartition::Scalars(scalars) => scalars.iter().map(scalar).collect::<Vec<_>>().join(" "),
        SitePartition::Rows { rows, scalars, guarded } => {
            let guard = guarded.then(|| "guarded".to_owned());
            let parts = rows.iter().map(row).chain(scalars.iter().map(scalar)).chain(guard);
            parts.collect::<Vec<_>>().join(" ")
        }
        SitePartition::Bytes => "bytes".to_owned(),
    }
}

/// The layouts of the sites that are named.
fn check(body: &str, expect: &[(&str, &str)]) {
    let text = format!(
        "object x: 4 object a: 40 align 4 object s: 48 object pool: 96 object c: 100
         function main() -> 32 {{ reg i, p, q: 64 reg r: 32 reg v: 8 reg b: 1 memory z: 24 {body}\nreturn 0 }}"
    );
    let program = parse(&text);
    let layout = MemoryPartition::of(&program, &PointsTo::of(&program));
    for (name, expect) in expect {
        let site = layout.iter().find(|(site, _)| site_name(&program, *site) == *name);
        let (_, site) = site.unwrap_or_else(|| panic!("there should be a site {name}"));
        assert_eq!(describe(site), *expect, "{name} in {body}");
    }
}

#[test]
fn scalars() {
    check("r = [&x]:32", &[("x", "0:32"), ("a", "")]);
    check("r = [&s]:32; [&s + 8]:64 = p; v = [&s + 16]:8", &[("s", "0:32 8:64 16:8")]);
    check("r = [&s]:32; [&s]:64 = p", &[("s", "bytes")]);
    check("r = [&s]:32; v = [&s + 2]:8", &[("s", "bytes")]);
    check("r = [&x + 4]:32", &[("x", "")]);
    // A mutex: an owner, a count, a kind.
    check(
        "guard [&s]:32!sc == 0; [&s]:32!sc = trunc32(self()); [&s + 4]:32 = 1; r = [&s + 16]:32",
        &[("s", "0:32 4:32 16:32")],
    );
}

#[test]
fn rows() {
    check("r = [&a + i * 4]:32", &[("a", "0+4*10:32")]);
    check("r = [&a + i * 4]:32; [&a + 12]:32 = 1", &[("a", "0+4*10:32")]);
    check("v = [&c + i]:8; [&c + 3]:8 = 1", &[("c", "0+1*100:8")]);
    check("r = [&a + i * 4]:32; v = [&a + 1]:8", &[("a", "bytes")]);
    check("r = [&a + i]:32", &[("a", "bytes")]);
    // An array of structures { int; void *; char }.
    let members = "r = [&pool + i * 24]:32; v = [&pool + i * 24 + 16]:8";
    check(members, &[("pool", "0+24*4:32 16+24*4:8")]);
    check(&format!("{members}; p = [&pool + 32]:64"), &[("pool", "0+24*4:32 16+24*4:8 32:64")]);
    check(&format!("{members}; p = [&pool + 28]:64"), &[("pool", "0+24*4:32 16+24*4:8 28:64")]);
    check(&format!("{members}; p = [&pool + 26]:64"), &[("pool", "bytes")]);
    check("p = alloc(i * 4); r = [p + i * 4]:32", &[("heap@main:L0", "0+4*?:32")]);
    check("p = alloc(12); r = [p + i * 4]:32", &[("heap@main:L0", "0+4*3:32")]);
    check("p = &a\nl: r = [p]:32; p = p + 4\nif b then l else d\nd: skip", &[("a", "0+4*10:32")]);
}

#[test]
fn arrays_inside_structures() {
    // { long n; int data[8]; char *end; }, indexed from its start on.
    let array = "r = [&s + 8 + i * 4]:32";
    check(&format!("{array}; p = [&s]:64; q = [&s + 40]:64"), &[("s", "8+4*8:32 0:64 40:64 guarded")]);
    check(&format!("{array}; r = [&s + 4]:32"), &[("s", "0+4*12:32")]);
    // Two arrays: { int a[4]; long b[4]; }.
    check("r = [&s + i * 4]:32; p = [&s + 16 + i * 8]:64", &[("s", "0+4*4:32 16+8*4:64 guarded")]);
    check("r = [&s + i * 4]:32; p = [&s + i * 8]:64", &[("s", "bytes")]);
    // A buffer of bytes behind a length.
    check("r = [&s]:32; v = [&s + 4 + i]:8", &[("s", "4+1*44:8 0:32 guarded")]);
}

#[test]
fn copies_and_fills() {
    check("r = [&s]:32; [&s + 8]:64 = p; fill(&s, 0, 48)", &[("s", "0:32 8:64")]);
    check("r = [&s]:32; [&s + 8]:64 = p; fill(&s, 0, 12)", &[("s", "bytes")]);
    check("r = [&a + i * 4]:32; fill(&a, 0, 40)", &[("a", "0+4*10:32")]);
    check("r = [&a + i * 4]:32; fill(&a, 0, i * 4)", &[("a", "0+4*10:32")]);
    check("r = [&a + i * 4]:32; fill(&a, 0, i)", &[("a", "bytes")]);
    check("r = [&z]:32; copy(&z, &s, 24)", &[("main::z", "0:32"), ("s", "0:32")]);
    check("r = [&z]:32; v = [&s + 16]:8; copy(&z, &s, 24)", &[("main::z", "0:32 16:8"), ("s", "0:32 16:8")]);
    check("r = [&z]:32; p = [&s]:64; copy(&z, &s, 24)", &[("main::z", "bytes"), ("s", "bytes")]);
    let members = "r = [&pool + i * 24]:32; v = [&pool + i * 24 + 16]:8";
    check(&format!("{members}; copy(&z, &pool + 24, 24)"), &[("main::z", "0:32 16:8")]);
    let both = [("main::z", "0:32 8:64 16:8"), ("pool", "0+24*4:32 8+24*4:64 16+24*4:8")];
    check(&format!("{members}; p = [&z + 8]:64; copy(&pool + i * 24, &z, 24)"), &both);
    check("r = [&a + i * 4]:32; copy(&a, &s, i * 4)", &[("a", "0+4*10:32"), ("s", "0+4*12:32")]);
    check("r = [&a + i * 4]:32; p = [&s]:64; copy(&a, &s, i * 4)", &[("a", "bytes"), ("s", "bytes")]);
    check(
        "p = alloc(8); [p]:32 = 1; q = realloc(p, 16, 0); r = [q + i * 4]:32",
        &[("heap@main:L0", "0+4*2:32")],
    );
}

#[test]
fn how_to_translate_copies() {
    let program = parse(
        "object s: 24 object pool: 96
         function main() -> 32 { reg i, p: 64 reg r: 32
            r = [&pool + i * 24]:32; p = [&s + 8]:64; copy(&pool + i * 24, &s, 24); copy(&s, &pool, 8)
            return 0 }",
    );
    let layout = MemoryPartition::of(&program, &PointsTo::of(&program));
    let site = |n| Site::Static(program::ObjectId(n));
    let expect = Some(vec![(0, Width(32)), (8, Width(64))]);
    let (s, third) = ((site(0), Offset::Exactly(0)), (site(1), Offset::Exactly(48)));
    assert_eq!(layout.copy_words((site(1), Offset::new(0, 24)), s, 24), expect);
    assert_eq!(layout.copy_words(third, s, 24), expect);
    assert_eq!(layout.copy_words(s, third, 8), Some(vec![(0, Width(32))]));
    assert_eq!(layout.copy_words(s, third, 10), None);
    assert_eq!(layout.copy_words((site(1), Offset::new(0, 8)), s, 24), None);
    assert_eq!(
        layout.fill_words(site(1), Offset::Exactly(40), 40),
        Some(vec![(8, Width(32)), (16, Width(64)), (32, Width(32))])
    );
    assert_eq!(layout.fill_words(site(1), Offset::Exactly(40), 0), Some(vec![]));
}
