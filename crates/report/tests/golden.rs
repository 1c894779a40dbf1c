//! Lanes and diagnostics against files of what they should look like.
//!
//! With `UPDATE_EXPECT=1` in the environment, the files are rewritten instead: look at the difference before you
//! commit it.

use base::{FileId, Span};
use expect_test::expect_file;
use report::lanes::{Note, Row, render};
use report::{Diagnostic, Lanes, Level, TerminalStyle, snippet};

fn row(thread: usize, line: u32, text: &str, visible: bool, notes: &[Note]) -> Row {
    let function = if thread == 0 { "main" } else { "increment" };
    Row {
        thread,
        file: "lost_update.c".into(),
        line,
        text: text.into(),
        function: function.into(),
        visible,
        notes: notes.to_vec(),
        ..Row::default()
    }
}

/// Two threads increment a counter without a lock, and one increment is lost.
fn lost_update() -> Lanes {
    let create = |n: usize| format!("pthread_create(&t{n}, NULL, increment, NULL);");
    Lanes {
        threads: vec!["main".into(), "increment#1".into(), "increment#2".into()],
        rows: vec![
            row(0, 13, "pthread_t t1, t2;", false, &[]),
            row(0, 14, &create(1), true, &[Note::event("starts increment#1")]),
            row(0, 15, &create(2), true, &[Note::event("starts increment#2")]),
            row(1, 6, "int tmp = counter;", true, &[Note::read("counter", "0"), Note::write("tmp", "0")]),
            row(2, 6, "int tmp = counter;", true, &[Note::read("counter", "0")]),
            row(2, 6, "int tmp = counter;", false, &[Note::write("tmp", "0")]),
            row(2, 7, "counter = tmp + 1;", true, &[Note::write("counter", "1")]),
            row(2, 8, "return NULL;", false, &[Note::event("ends")]),
            row(1, 7, "counter = tmp + 1;", true, &[Note::write("counter", "1")]),
            row(1, 8, "return NULL;", false, &[Note::event("ends")]),
            row(0, 16, "pthread_join(t1, NULL);", true, &[Note::event("joins increment#1")]),
            row(0, 17, "pthread_join(t2, NULL);", true, &[Note::event("joins increment#2")]),
            row(0, 18, "assert(counter == 2);", true, &[Note::read("counter", "1")]),
        ],
        ending: vec!["assertion failed: counter == 2".into(), "in main at lost_update.c:18".into()],
        ..Lanes::default()
    }
}

#[test]
fn lanes_of_three_threads() {
    let lanes = lost_update();
    expect_file!["golden/lanes_100.txt"].assert_eq(&render(&lanes, TerminalStyle::plain(100)));
    expect_file!["golden/lanes_160.txt"].assert_eq(&render(&lanes, TerminalStyle::plain(160)));
}

#[test]
fn narrow_terminals_get_a_list() {
    expect_file!["golden/list_60.txt"].assert_eq(&render(&lost_update(), TerminalStyle::plain(60)));
}

#[test]
fn colours_are_balanced() {
    let text = render(&lost_update(), TerminalStyle { width: 100, colour: true });
    let plain = render(&lost_update(), TerminalStyle::plain(100));
    assert_eq!(text.matches("\x1b[0m").count() * 2, text.matches("\x1b[").count());
    let mut stripped = text;
    for code in ["0", "1", "2", "36", "33", "1;31"] {
        stripped = stripped.replace(&format!("\x1b[{code}m"), "");
    }
    let trimmed = |t: &str| t.lines().map(|l| l.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(trimmed(&stripped), trimmed(&plain));
}

#[test]
fn two_files_and_hidden_steps() {
    let mut lanes = lost_update();
    for row in lanes.rows.iter_mut().filter(|r| r.thread == 1) {
        row.file = "src/worker.c".into();
    }
    let work = (20..30).map(|line| row(0, line, "prepare();", false, &[]));
    lanes.rows.splice(1..1, work);
    expect_file!["golden/two_files_100.txt"].assert_eq(&render(&lanes, TerminalStyle::plain(100)));
    expect_file!["golden/two_files_60.txt"].assert_eq(&render(&lanes, TerminalStyle::plain(60)));
}

#[test]
fn nothing_happened() {
    expect_file!["golden/empty.txt"].assert_eq(&render(
        &Lanes { ending: vec!["the program ended".into()], ..Lanes::default() },
        TerminalStyle::plain(80),
    ));
}

fn diagnostic(file: &str, line: u32, col: u32, line_text: &str, mark_len: u32) -> Diagnostic {
    let mut d = Diagnostic::about_file(Level::Error, file, "unknown type name `pthred_t`");
    d.span = Span { file: FileId(0), line, col };
    d.line_text = line_text.into();
    d.mark_len = mark_len;
    d
}

#[test]
fn diagnostics() {
    let mut with_help = diagnostic("prog.c", 7, 2, "\tpthred_t t;", 8);
    with_help.help = Some("did you mean `pthread_t`?".into());
    let off_the_line = diagnostic("prog.c", 120, 99, "é = 1;", 5);
    let inside_a_character = diagnostic("prog.c", 1, 2, "é = 1;", 1);
    let no_text = diagnostic("prog.c", 12, 4, "", 1);
    let about_file = Diagnostic::about_file(Level::Warning, "prog.c", "the file is empty");
    let general = Diagnostic::about_file(Level::Note, "", "nothing to do");
    let all = [with_help, off_the_line, inside_a_character, no_text, about_file, general];
    let text: Vec<String> = all.iter().map(|d| snippet::render(d, TerminalStyle::plain(80))).collect();
    expect_file!["golden/diagnostics.txt"].assert_eq(&text.join("\n"));
}
