//! What of a compiler's command line matters to the preprocessor.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The flags of a unit.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Flags {
    /// Those for the preprocessor; folders are seen from here.
    pub(super) flags: Vec<OsString>,
    /// True if the unit is compiled with `-m32`.
    pub(super) is_32_bit: bool,
}

impl Flags {
    /// The flags as they are written.
    pub(super) fn in_words(&self) -> String {
        let words: Vec<_> = self.flags.iter().map(|flag| flag.to_string_lossy()).collect();
        if words.is_empty() { "without flags".to_owned() } else { format!("with `{}`", words.join(" ")) }
    }
}

/// Flags followed by a folder or a file, in the same word or the next.
const WITH_PATH: [&str; 7] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "-I"];
/// Flags followed by a macro.
const WITH_MACRO: [&str; 2] = ["-D", "-U"];
/// Flags that are handed over as they are.
const PLAIN: [&str; 5] = ["-ansi", "-pthread", "-nostdinc", "-trigraphs", "-undef"];
/// Flags that change the meaning of C in a way that has no model.
const REFUSED: [&str; 14] = [
    "-funsigned-char",
    "-funsigned-bitfields",
    "-fshort-enums",
    "-fpack-struct",
    "-fshort-wchar",
    "-fopenmp",
    "-ffast-math",
    "-Ofast",
    "-mx32",
    "-m16",
    "-mlong-double",
    "--target=",
    "-Xpreprocessor",
    "-iwithprefix",
];
/// What a comma-separated list for the preprocessor must not contain: only lists about dependency files are skipped.
const REFUSED_IN_LISTS: [&str; 4] = [",-D", ",-U", ",-I", ",-i"];

/// The flags among the words of a command that was run in `directory`.
pub(super) fn of_command(words: &[String], directory: &Path) -> Result<Flags, String> {
    let mut found = Flags::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some(refused) = REFUSED.iter().find(|refused| word.starts_with(**refused)) {
            return Err(format!("it is compiled with {refused}, which has no model"));
        }
        if word.starts_with("-Wp,") && REFUSED_IN_LISTS.iter().any(|flag| word.contains(flag)) {
            return Err(format!("its flags are in a list, {word}, which is not supported"));
        }
        if word.starts_with('@') {
            return Err(format!("its flags are in a file of their own, {word}, which is not supported"));
        }
        let with_value = |names: &[&'static str]| names.iter().copied().find(|name| word.starts_with(name));
        if let Some(name) = with_value(&WITH_PATH).or_else(|| with_value(&WITH_MACRO)) {
            let value = match &word[name.len()..] {
                "" => words.next().map(String::as_str).unwrap_or_default(),
                value => value,
            };
            let value = if WITH_MACRO.contains(&name) {
                value.into()
            } else {
                seen_from_here(name, value, directory)
            };
            found.flags.extend([name.into(), value]);
        } else if word.starts_with("-std=") || PLAIN.contains(&word.as_str()) {
            found.flags.push(word.into());
        } else if let Some(root) = word.strip_prefix("--sysroot=") {
            found.flags.push(format!("--sysroot={}", directory.join(root).display()).into());
        } else if word == "-m32" || word == "-m64" {
            found.is_32_bit = word == "-m32";
        }
    }
    Ok(found)
}

/// A file that is included need not be in the folder: it is looked for on the include path, too.
fn seen_from_here(name: &str, value: &str, directory: &Path) -> OsString {
    let path = directory.join(value);
    if ["-include", "-imacros"].contains(&name) && !path.exists() {
        value.into()
    } else {
        from_here(&path).into()
    }
}

/// A path as it is seen from the current folder, if it is below that.
pub(super) fn from_here(path: &Path) -> PathBuf {
    let (Ok(here), Ok(full)) =
        (std::env::current_dir().and_then(|here| here.canonicalize()), path.canonicalize())
    else {
        return path.to_owned();
    };
    match full.strip_prefix(&here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => full,
    }
}

/// The words of a command as a shell sees them: quotes and backslashes, but no expansions.
pub(super) fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    let mut quote = None;
    while let Some(c) = characters.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None, '\\') => word.get_or_insert_default().extend(characters.next()),
            (Some('"'), '\\') => {
                let next = characters.next();
                let word = word.get_or_insert_default();
                if !next.is_some_and(|c| "$`\"\\\n".contains(c)) {
                    word.push('\\');
                }
                word.extend(next);
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_by_a_shell() {
        let check = |command: &str, expected: &[&str]| assert_eq!(words(command), expected, "{command}");
        check("cc -c  a.c", &["cc", "-c", "a.c"]);
        check(r#"cc -DX=\"a\ b\" '-DY=c d' "e f"g"#, &["cc", "-DX=\"a b\"", "-DY=c d", "e fg"]);
        check("cc ''", &["cc", ""]);
        // In double quotes a backslash stays unless it protects a character that the shell knows.
        check(r#"cc "-DX=\"a\n\"""#, &["cc", r#"-DX="a\n""#]);
    }

    #[test]
    fn only_what_the_preprocessor_needs_stays() {
        let here = Path::new("/nowhere/build");
        let check = |command: &str, expected: &[&str]| {
            let flags = of_command(&words(command), here).unwrap();
            assert_eq!(flags.flags, expected.iter().map(OsString::from).collect::<Vec<_>>(), "{command}");
        };
        check("cc -O2 -Wall -g -o x.o -c ../a.c", &[]);
        check(
            "cc -Iinc -I /usr/x -isystem ../sys",
            &["-I", "/nowhere/build/inc", "-I", "/usr/x", "-isystem", "/nowhere/build/../sys"],
        );
        check(
            "cc -DN=3 -D M -UX -std=c99 -pthread",
            &["-D", "N=3", "-D", "M", "-U", "X", "-std=c99", "-pthread"],
        );
        check("cc -include config.h", &["-include", "config.h"]);
        assert!(of_command(&words("cc -m32 a.c"), here).unwrap().is_32_bit);
        for refused in ["-funsigned-char", "@flags", "-fopenmp", "-Wp,-DX=1"] {
            assert!(of_command(&words(&format!("cc {refused} a.c")), here).is_err(), "{refused}");
        }
        check("cc -Wp,-MD,a.d -MF b.d a.c", &[]);
    }
}
