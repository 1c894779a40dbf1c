//! Which names a translation unit defines for others, and which it needs: what a linker knows of an object file.
//!
//! A project's compilation database lists units, not programs. With this, the units of one program can be found as a linker finds the
//! members of an archive that it needs.
//!
//! # Direction of error
//! May say that a unit needs a name that it only mentions (a member of a record, a local variable), never the opposite. Names that
//! inline assembly or `asm` labels introduce are not known.

use crate::ast::{Derivation, External, StorageClass};
use crate::lex::{Kind, lex};
use crate::parse::{Parsed, parse_unit};
use crate::source::Files;
use crate::{Options, Texts, on_large_stack, read_each};
use report::Diagnostic;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What a linker knows of a unit.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outline {
    /// Functions and objects with external linkage that are defined here.
    pub defines: BTreeSet<String>,
    /// Identifiers in bodies and initialisers that are not defined here.
    pub needs: BTreeSet<String>,
}

/// A function that the user's files define.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DefinedFunction {
    /// Its name.
    pub name: String,
    /// The presumed file in which its definition begins,
    pub file: String,
    /// and the line.
    pub line: u32,
    /// Whether other units can call it.
    pub external: bool,
}

impl Texts {
    /// The functions that the texts define, in their order; those of headers of the system, too.
    pub fn functions(&self) -> Vec<DefinedFunction> {
        let collect = || {
            let mut found = Vec::new();
            for (name, text) in &self.texts {
                let mut files = Files::default();
                let Parsed { unit, items, .. } = parse_unit(text, name, false, &mut files);
                for item in &items {
                    let External::Function(function) = item else { continue };
                    let (span, storage) = (unit.span(function.at), function.specifiers.storage);
                    if let (Some(name), true) = (function.declarator.name, span.is_somewhere()) {
                        found.push(DefinedFunction {
                            name: name.to_owned(),
                            file: files.name(span.file).to_owned(),
                            line: span.line,
                            external: storage != Some(StorageClass::Static),
                        });
                    }
                }
            }
            found
        };
        on_large_stack(collect).unwrap_or_default()
    }
}

/// The outlines of files, in their order; or why some file cannot be read.
pub fn outlines(paths: &[PathBuf], options: &Options) -> Result<Vec<Outline>, Vec<Diagnostic>> {
    let mut texts = Vec::new();
    let mut errors = Vec::new();
    for (path, read) in paths.iter().zip(read_each(paths, options)) {
        match read {
            Ok((text, _)) => texts.push((path.display().to_string(), text)),
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    on_large_stack(|| texts.iter().map(|(name, text)| outline(name, text)).collect())
}

/// The outline of a preprocessed text.
fn outline(name: &str, text: &str) -> Outline {
    let mut files = Files::default();
    let Parsed { items, .. } = parse_unit(text, name, false, &mut files);
    let mut found = Outline::default();
    let mut begins: Vec<(u32, bool)> = Vec::new();
    for item in &items {
        match item {
            External::Function(function) => {
                begins.push((function.at, true));
                let inline_only =
                    function.specifiers.inline && function.specifiers.storage != Some(StorageClass::Extern);
                if function.specifiers.storage != Some(StorageClass::Static) && !inline_only {
                    found.defines.extend(function.declarator.name.map(str::to_owned));
                }
            }
            External::Decl(decl) => {
                begins.push((decl.at, decl.declarators.iter().any(|it| it.init.is_some())));
                for it in &decl.declarators {
                    let is_function =
                        matches!(it.declarator.derivations.first(), Some(Derivation::Function(_)));
                    let defined = match decl.specifiers.storage {
                        None => !is_function,
                        Some(StorageClass::Extern) => it.init.is_some(),
                        Some(_) => false,
                    };
                    if defined {
                        found.defines.extend(it.declarator.name.map(str::to_owned));
                    }
                }
            }
            External::Asm(..) | External::StaticAssert(_) | External::Weak(..) => {}
        }
    }
    begins.sort_unstable();
    for token in lex(text, name, &mut files).tokens {
        let item = begins.partition_point(|(at, _)| *at <= token.at).checked_sub(1);
        if token.kind == Kind::Ident && item.is_some_and(|n| begins[n].1) {
            let word = token.text(text);
            if !found.defines.contains(word) && !found.needs.contains(word) {
                found.needs.insert(word.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_defined_or_needed() {
        let text = "extern int seen; int declared(void); static int own; int common, *first = &seen;\n\
                    static int hidden(void) { return own; } inline int twice(int x) { return x; }\n\
                    int entry(void) { return hidden() + later(); }\n";
        let outline = outline("a.i", text);
        let set = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(set(&outline.defines), "common entry first");
        for name in ["seen", "later", "hidden"] {
            assert!(outline.needs.contains(name), "{name}");
        }
        assert!(!outline.needs.contains("declared"));
    }
}
