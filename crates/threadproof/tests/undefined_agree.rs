//! Undefined functions against definitions of them: what is proved of a program in which functions are not defined holds with every definition, and what is violated
//! with one of them is violated without.
//!
//! Programs are random: static and local variables, records that point to each other and to numbers, memory of the heap, all of which may be handed to undefined functions,
//! directly, through a function of the program, or through a pointer. The definitions do nothing, write all that they are given, keep what they were
//! given and write it in a later call, and move pointers about.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::Random;
use program::Property;
use std::path::{Path, PathBuf};
use testkit::settings::seeds;
use threadproof::{Options, Verdict, Verifier};

const DECLARED: &str = "
#include <assert.h>
#include <stdlib.h>
struct node { int value; int *number; struct node *next; };
void visit(struct node *node);
void poke(int *number);
int count(int *left, int *right);
";

const VARIABLES: &str = "
static int a = 1, b = 2, row[3] = {4, 5, 6};
static struct node first, second;
static struct node *to_second = &second;
static void pass_on(struct node *node) { int own = 1; if (node) visit(node); assert(own == 1); }
";

const DEFINITIONS: [&str; 5] = [
    "void visit(struct node *node) { } void poke(int *number) { } int count(int *left, int *right) { return 0; }",
    "void visit(struct node *node) { if (!node) return; node->value = 9; if (node->number) *node->number = 9; if (node->next) node->next->value = 9; }
     void poke(int *number) { if (number) *number = 9; }
     int count(int *left, int *right) { if (left) *left = 9; if (right) *right = 9; return 9; }",
    "static struct node *node0; static int *number0;
     static void again(void) { if (node0) node0->value = 9; if (number0) *number0 = 9; }
     void visit(struct node *node) { again(); if (node) node0 = node; }
     void poke(int *number) { again(); if (number) number0 = number; }
     int count(int *left, int *right) { again(); if (right) number0 = right; return 3; }",
    "static int *number0;
     void visit(struct node *node) { if (!node) return; if (node->number) number0 = node->number; node->number = 0; node->next = node; }
     void poke(int *number) { if (number0) *number0 = 9; }
     int count(int *left, int *right) { if (number0) *number0 = 9; return left != 0; }",
    "static struct node *node0; static int *number0;
     void visit(struct node *node) { if (node0) { node0->number = number0; node0->next = node; } if (node) node0 = node; }
     void poke(int *number) { if (number) number0 = number; if (node0) { node0->number = number0; if (node0->next) node0->next->value = 9; } }
     int count(int *left, int *right) { if (node0) node0->number = left; return 1; }",
];

const NUMBERS: [&str; 9] =
    ["a", "b", "mine", "other", "first.value", "second.value", "local.value", "heap->value", "row[1]"];
const POINTERS: [&str; 11] = [
    "&a",
    "&b",
    "&mine",
    "&other",
    "&first.value",
    "&local.value",
    "&row[1]",
    "row",
    "0",
    "local.number",
    "first.number",
];
const NODES: [&str; 6] = ["&first", "&second", "&local", "heap", "to_second", "0"];
const RECORDS: [&str; 4] = ["first", "second", "local", "(*heap)"];

fn pick<'a>(r: &mut Random, from: &[&'a str]) -> &'a str {
    from[r.index(from.len())]
}

fn statement(r: &mut Random) -> String {
    match r.below(10) {
        0 | 1 => format!("{} = {};", pick(r, &NUMBERS), r.below(8)),
        2 => format!("{}.number = {};", pick(r, &RECORDS), pick(r, &POINTERS)),
        3 => format!("{}.next = {};", pick(r, &RECORDS), pick(r, &NODES)),
        4 => format!("visit({});", pick(r, &NODES)),
        5 | 6 => format!("poke({});", pick(r, &POINTERS)),
        7 => format!("{} = count({}, {});", pick(r, &NUMBERS), pick(r, &POINTERS), pick(r, &POINTERS)),
        8 => format!("pass_on({});", pick(r, &NODES)),
        _ => {
            let (record, number) = (pick(r, &RECORDS), r.below(8));
            format!("if ({record}.number) *{record}.number = {number};")
        }
    }
}

fn program(r: &mut Random) -> String {
    let mut lines: Vec<String> = (0..2 + r.below(5)).map(|_| statement(r)).collect();
    let claim = if r.below(3) == 0 {
        let (record, pointer) = (pick(r, &RECORDS), pick(r, &["0", "&b", "&other"]));
        format!("assert({record}.number != {pointer});").replace("!= 0", "== 0")
    } else {
        let (number, value) = (pick(r, &NUMBERS), r.below(8));
        lines.insert(r.index(lines.len() + 1), format!("{number} = {value};"));
        format!("assert({number} == {value});")
    };
    let body = lines.join("\n  ");
    format!(
        "{DECLARED}{VARIABLES}int main(void) {{
  int mine = 0, other = 3;
  struct node local = {{0, 0, 0}}, *heap = malloc(sizeof *heap);
  if (!heap) return 0;
  heap->value = 2; heap->number = 0; heap->next = 0;
  {body}
  {claim}
  (void)mine; (void)other; (void)to_second;
  return 0;
}}\n"
    )
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn what_is_said_without_definitions_holds_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let verifier = Verifier::new(Options::default());
    let verdict = |files: &[PathBuf]| verifier.verify(files, Property::UnreachCall).verdict;
    let (mut holds, mut violated) = (0, 0);
    for seed in seeds(12) {
        let text = program(&mut Random(seed));
        let main = file(folder.path(), "main.c", &text);
        let found = verdict(std::slice::from_ref(&main));
        match found {
            Verdict::Holds => holds += 1,
            Verdict::Violated(_) => violated += 1,
            _ => {}
        }
        for definition in DEFINITIONS {
            let other = file(folder.path(), "other.c", &format!("{DECLARED}{definition}\n"));
            let defined = verdict(&[main.clone(), other]);
            let is_wrong = found == Verdict::Holds && matches!(defined, Verdict::Violated(_));
            assert!(!is_wrong, "seed {seed}: {defined} with\n{definition}\nof\n{text}");
        }
    }
    assert!(holds > 0 && violated > 0, "{holds} hold, {violated} do not");
}
