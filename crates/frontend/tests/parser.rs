//! From files to syntax trees, through the public interface.
//!
//! `THREADPROOF_SUITE` may name a directory of preprocessed programs (`.i`, at any depth): all must parse, and the
//! speed is printed.

use frontend::ast::External;
use frontend::parse::parse_unit;
use frontend::preprocess::{PreprocessOptions, read_source};
use frontend::source::Files;
use program::DataModel;
use report::Level;
use std::time::Instant;

const PROGRAM: &str = r#"#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count = ATOMIC_VAR_INIT(0);
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Thread_local uint64_t mine;

static void *work(void *arg) {
    int expected = 0;
    pthread_mutex_lock(&lock);
    mine += (uintptr_t)arg;
    pthread_mutex_unlock(&lock);
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) {}
    atomic_fetch_add(&count, 1);
    atomic_flag_clear(&flag);
    return atomic_compare_exchange_strong(&count, &expected, 2) ? arg : NULL;
}

int main(void) {
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(atomic_load(&count) == 2);
    return 0;
}
"#;

#[test]
fn a_program_with_headers() {
    let path = std::env::temp_dir().join(format!("threadproof-parser-{}.c", std::process::id()));
    std::fs::write(&path, PROGRAM).unwrap();
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        let options = PreprocessOptions {
            include_dirs: Vec::new(),
            defines: Vec::new(),
            flags: Vec::new(),
            data_model,
        };
        let (text, _) = read_source(&path, &options).expect("the program should be preprocessed");
        let mut files = Files::default();
        let parsed = parse_unit(&text, "a.i", false, &mut files);
        assert_eq!(parsed.diagnostics, []);
        let Some(External::Function(main)) = parsed.items.last() else { panic!("main should be last") };
        let span = parsed.unit.span(main.at);
        let line = PROGRAM.lines().take_while(|line| !line.starts_with("int main")).count() + 1;
        assert_eq!((files.name(span.file), span.line as usize), (path.to_str().unwrap(), line));
        assert_eq!(main.declarator.name, Some("main"));
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_suite_of_programs() {
    let Some(folder) = testkit::settings::folder("THREADPROOF_SUITE") else { return };
    let paths = testkit::corpus::files_below(&folder, &["i"]);
    let options = PreprocessOptions {
        include_dirs: Vec::new(),
        defines: Vec::new(),
        flags: Vec::new(),
        data_model: DataModel::Lp64,
    };
    let texts: Vec<_> =
        paths.iter().map(|path| read_source(path, &options).expect("it should be readable").0).collect();
    let start = Instant::now();
    for (path, text) in paths.iter().zip(&texts) {
        let mut files = Files::default();
        let parsed = parse_unit(text, &path.to_string_lossy(), false, &mut files);
        let errors: Vec<_> = parsed.diagnostics.iter().filter(|it| it.level == Level::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    }
    let (bytes, seconds) = (texts.iter().map(String::len).sum::<usize>(), start.elapsed().as_secs_f64());
    println!("{} files, {:.1} MB/s", paths.len(), bytes as f64 / 1e6 / seconds);
}
