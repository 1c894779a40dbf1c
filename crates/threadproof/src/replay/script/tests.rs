//! Names that are the same on both sides.

use super::*;

#[test]
fn static_objects_have_the_names_of_the_source() {
    for (name, expected) in [("x", "x"), ("main.q", "q"), ("q.0", "q"), ("f.q.1", "q"), ("x.12", "x")] {
        assert_eq!(symbol(name), expected, "{name}");
    }
}

#[test]
fn lines_do_not_depend_on_folders() {
    assert_eq!(line_name("/a/b/prog.c", 7), line_name("../prog.c", 7));
}
