//! Tests of reading sources.

use super::*;
use std::fs;

/// A directory for one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("threadproof-test-{test}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        Self(directory)
    }
    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, contents).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn options(data_model: DataModel) -> PreprocessOptions {
    PreprocessOptions { include_dirs: Vec::new(), defines: Vec::new(), flags: Vec::new(), data_model }
}

#[track_caller]
fn check_error(compiler: &str, path: &Path, data_model: DataModel, expected: &str) {
    let errors = read_with(&Compiler::from_command(compiler), path, &options(data_model)).unwrap_err();
    let found = errors.iter().any(|it| it.level == Level::Error && it.message.contains(expected));
    assert!(found, "{expected:?} should be in {errors:?}");
}

#[test]
fn unreadable_files() {
    let scratch = Scratch::new("unreadable");
    let lp64 = DataModel::Lp64;
    check_error("cc", &scratch.0.join("none.i"), lp64, "no such file");
    check_error("cc", &scratch.0.join("none.c"), lp64, "no such file");
    check_error("cc", &scratch.0, lp64, "it is a directory");
    check_error(
        "/no/such/compiler",
        &scratch.file("a.c", ""),
        lp64,
        "cannot run the C compiler `/no/such/compiler`",
    );
    let huge = scratch.file("huge.i", "");
    File::options().write(true).open(&huge).unwrap().set_len(MAX_BYTES + 1).unwrap();
    check_error("cc", &huge, lp64, "more than 64 MiB");
}

#[test]
fn preprocessed_text_is_taken_as_it_is() {
    let scratch = Scratch::new("as-is");
    let plain = read_source(&scratch.file("a.i", "#define X é\n"), &options(DataModel::Lp64)).unwrap();
    assert_eq!(plain, ("#define X é\n".to_owned(), Vec::new()));
    let (text, warnings) = read_source(&scratch.file("b.i", b"\"\xe9\""), &options(DataModel::Lp64)).unwrap();
    assert_eq!((text.as_str(), warnings.len()), ("\"é\"", 1));
}

#[test]
fn options_and_line_markers() {
    let scratch = Scratch::new("options");
    fs::create_dir(scratch.0.join("inc")).unwrap();
    scratch.file("inc/x.h", "int from_header;\n");
    let path = scratch.file("a.c", "#include <x.h>\nint a = VALUE;\n");
    let options = PreprocessOptions {
        include_dirs: vec![scratch.0.join("inc")],
        defines: vec!["VALUE=42".to_owned()],
        flags: Vec::new(),
        data_model: DataModel::Lp64,
    };
    let (text, _) = read_source(&path, &options).unwrap();
    assert!(text.contains("int from_header;") && text.contains("int a = 42;"), "{text}");
    assert!(text.contains(&format!("# 2 \"{}\"", path.display())), "{text}");
}

#[test]
fn the_compilers_errors_are_passed_on() {
    let scratch = Scratch::new("errors");
    let path = scratch.file("a.c", "\n#include \"gone.h\"\n");
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        let errors = read_source(&path, &options(data_model)).unwrap_err();
        let error = errors.iter().find(|it| it.level == Level::Error).unwrap();
        assert!(error.message.contains("gone.h"), "{errors:?}");
        assert_eq!((error.file.as_str(), error.span.line), (path.to_str().unwrap(), 2));
    }
}

#[test]
fn atomics_become_plain_calls() {
    let scratch = Scratch::new("atomics");
    let path = scratch
        .file("a.c", "#include <stdatomic.h>\natomic_int x;\nint f(void) { return atomic_load(&x); }\n");
    let (text, warnings) = read_source(&path, &options(DataModel::Lp64)).unwrap();
    assert_eq!(warnings, []);
    assert!(text.contains("__c11_atomic_load(&x, memory_order_seq_cst)"), "{text}");
    assert!(text.contains("\"<threadproof>/stdatomic.h\""), "{text}");
    let mut files = crate::source::Files::default();
    assert_eq!(crate::parse::parse_unit(&text, "a.c", false, &mut files).diagnostics, []);
}

/// A compiler that pretends not to have 32-bit headers falls back, with a warning, and still knows 32-bit types.
#[cfg(unix)]
#[test]
fn missing_32_bit_headers() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("modes");
    let compiler = |name: &str, fails_if: &str| {
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in {fails_if}) echo 'a.c:1:1: fatal error: bits/x.h: No such file or directory' \
             >&2; exit 1;; esac\nexec cc \"$@\"\n"
        );
        let path = scratch.file(name, script);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let path = scratch.file("a.c", "__SIZE_TYPE__ x;\n");
    let cases = [
        (compiler("one", "*-idirafter*) ;; *-m32*"), "unsigned int x;", "in 32-bit mode"),
        (compiler("two", "*-m32*"), "unsigned int x;", "in its own mode"),
    ];
    for (compiler, declaration, warning) in cases {
        let result = read_with(&Compiler::from_command(&compiler), &path, &options(DataModel::Ilp32));
        let (text, warnings) = result.unwrap();
        let own_mode = warning == "in its own mode";
        assert!(own_mode || text.contains(declaration), "{text}");
        assert!(warnings.iter().any(|it| it.message.contains(warning)), "{warnings:?}");
    }
}

#[test]
fn units_have_flags_of_their_own() {
    let scratch = Scratch::new("flags");
    let before = scratch.file("before.h", "#define FIRST 1\n#define GONE 1\n");
    let text = "#if defined(FIRST) && !defined(GONE) && __STDC_VERSION__ == 199901L\nint fine;\n#endif\n";
    let path = scratch.file("a.c", text);
    let flags = ["-include".into(), before.into_os_string(), "-std=c99".into(), "-D_FORTIFY_SOURCE=2".into()];
    let mut options = PreprocessOptions { flags: flags.to_vec(), ..options(DataModel::Lp64) };
    assert!(!read_source(&path, &options).unwrap().0.contains("fine"));
    // Macros of `-include` files are defined later than those of the command line, so this one stays.
    options.flags.push("-UGONE".into());
    assert!(!read_source(&path, &options).unwrap().0.contains("fine"));
    scratch.file("before.h", "#define FIRST 1\n");
    let (text, warnings) = read_source(&path, &options).unwrap();
    assert!(text.contains("int fine;") && warnings.is_empty(), "{text} {warnings:?}");
}
