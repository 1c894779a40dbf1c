//! Projects as a user meets them: compilation databases, lists of units, `threadproof.toml`, `threadproof init`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, stdout, threadproof};
use std::path::PathBuf;
use std::process::Output;

/// A folder in which the binary is run.
struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = project.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text.replace("@", &project.0.path().display().to_string())).unwrap();
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        threadproof().args(args).current_dir(self.0.path()).output().unwrap()
    }

    #[track_caller]
    fn check(&self, args: &[&str], verdict: &str) -> Output {
        let output = self.run(&[&["verify"], args].concat());
        assert_eq!(
            last_line(&output),
            format!("verdict: {verdict}"),
            "{}{}",
            stdout(&output),
            stderr(&output)
        );
        output
    }
}

const MAIN: &str = "\
#include <assert.h>
#include <counter.h>
static int step = 1;
int main(void) { add(step); assert(total == AMOUNT); return 0; }
";
const COUNTER: &str = "\
#include <counter.h>
static int step = AMOUNT;
int total;
void add(int n) { total += n * step; }
";
const HEADER: &str = "extern int total;\nvoid add(int n);\n";
/// Both units have a `static` of the same name; the macro is not the same in both.
const DATABASE: &str = r#"[
  {"directory": "@/build", "file": "../src/main.c", "command": "cc -I../include -DAMOUNT=3 -O2 -o CMakeFiles/app.dir/main.c.o -c ../src/main.c"},
  {"directory": "@/build", "file": "../src/counter.c", "arguments": ["cc", "-isystem", "../include", "-D", "AMOUNT=3", "-c", "../src/counter.c"]}
]"#;

fn files(database: &str) -> Vec<(&'static str, String)> {
    vec![
        ("src/main.c", MAIN.to_owned()),
        ("src/counter.c", COUNTER.to_owned()),
        ("include/counter.h", HEADER.to_owned()),
        ("build/compile_commands.json", database.to_owned()),
    ]
}

fn project(database: &str, more: &[(&'static str, &str)]) -> Project {
    let mut all = files(database);
    all.extend(more.iter().map(|(name, text)| (*name, (*text).to_owned())));
    let all: Vec<(&str, &str)> = all.iter().map(|(name, text)| (*name, text.as_str())).collect();
    Project::new(&all)
}

const ASSERTIONS: [&str; 2] = ["--property", "unreach-call"];

#[test]
fn units_are_linked_with_their_own_flags() {
    let same = project(DATABASE, &[]);
    for args in [["-p", "build"], ["-p", "build/compile_commands.json"]] {
        same.check(&[&args[..], &ASSERTIONS].concat(), "true");
    }
    let other = project(&DATABASE.replace("\"AMOUNT=3\"", "\"AMOUNT=4\""), &[]);
    other.check(&[&["-p", "build"][..], &ASSERTIONS].concat(), "false(unreach-call)");
    // Without its flags the program has no header.
    same.check(&["src/main.c", "src/counter.c"], "unknown(input error)");
    same.check(&["-p", "nowhere"], "unknown(input error)");
}

#[test]
fn a_list_of_units_is_a_project() {
    let list = "# the program\nsrc/main.c -Iinclude -DAMOUNT=2\nsrc/counter.c -Iinclude '-DAMOUNT=2'\n";
    let project = project(DATABASE, &[("units.txt", list)]);
    project.check(&[&["--units", "units.txt"][..], &ASSERTIONS].concat(), "true");
}

#[test]
fn one_of_several_programs_is_chosen() {
    let second = r#"[
  {"directory": "@/build", "file": "../src/other.c", "command": "cc -I../include -o CMakeFiles/tool.dir/other.c.o -c ../src/other.c"},"#;
    let database = DATABASE.replacen('[', second, 1);
    let other = "#include <assert.h>\n#include <counter.h>\nint main(void) { add(0); assert(total == 1); return 0; }\n";
    let project = project(&database, &[("src/other.c", other)]);
    let refused = project.check(&["-p", "build"], "unknown(input error)");
    let said = stderr(&refused);
    for expected in ["src/main.c (target app)", "src/other.c (target tool)", "--target NAME"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    for (choice, verdict) in [
        (["--target", "app"], "true"),
        (["--target", "tool"], "false(unreach-call)"),
        (["--main", "src/main.c"], "true"),
        (["--main", "src/other.c"], "false(unreach-call)"),
    ] {
        project.check(&[&["-p", "build"][..], &choice, &ASSERTIONS].concat(), verdict);
    }
    let unknown = project.check(&["-p", "build", "--target", "nothing"], "unknown(input error)");
    assert!(stderr(&unknown).contains("it has: app, tool"), "{}", stderr(&unknown));
}

#[test]
fn types_that_differ_between_units_are_an_error_with_both_places() {
    let project = Project::new(&[
        ("a.c", "extern long x;\nint main(void) { return x != 0; }\n"),
        ("b.c", "\nchar x;\n"),
        ("units.txt", "a.c\nb.c\n"),
    ]);
    let said = stderr(&project.check(&["--units", "units.txt"], "unknown(input error)"));
    assert!(said.contains("a.c:1") && said.contains("b.c:2"), "{said}");
}

#[test]
fn the_options_of_a_project_are_in_its_file() {
    let toml = "project = \"build\"\nproperty = [\"unreach-call\"]\ntimeout = \"30s\"\n";
    let project = project(DATABASE, &[("threadproof.toml", toml)]);
    let output = project.check(&[], "true");
    assert_eq!(stdout(&output), "verdict: true\n");
    // It is found from folders below, and the command line has the last word.
    let mut below = threadproof();
    let output = below.arg("verify").current_dir(project.path("src")).output().unwrap();
    assert_eq!(last_line(&output), "verdict: true", "{}", stderr(&output));
    let output = project.check(&["--property", "no-data-race,no-deadlock"], "true");
    assert!(stdout(&output).contains("no-deadlock"), "{}", stdout(&output));
    let output = project.run(&["verify", "--no-config"]);
    assert_eq!(output.status.code(), Some(2));
    std::fs::write(project.path("threadproof.toml"), "timeuot = \"3s\"\n").unwrap();
    let output = project.run(&["verify", "src/main.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`timeuot` is no option of `verify`"), "{}", stderr(&output));
}

#[test]
fn init_writes_options_that_work() {
    let project = project(DATABASE, &[]);
    let output = project.run(&["init"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    project.check(&ASSERTIONS, "true");
    assert_eq!(project.run(&["init"]).status.code(), Some(2));
    assert_eq!(project.run(&["init", "--force"]).status.code(), Some(0));
}
