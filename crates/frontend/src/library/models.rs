//! Which of the library models written in C a program needs.
//!
//! Each file of `models/` is a unit of its own. A file is parsed if the program mentions a name that it defines, or if a file that is
//! parsed does. The index of names is made when threadproof is compiled (`build.rs`), so that a model which is not needed costs nothing.

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// Names that lowering refers to whatever the program mentions.
const IMPLICIT: &[&str] = &[];

/// The models that define some names, and what these need: their names for diagnostics, and their texts.
pub(crate) fn needed<'t>(names: impl Iterator<Item = &'t str>) -> Vec<(&'static str, &'static str)> {
    let mut is_needed = vec![false; MODELS.len()];
    let mut todo: Vec<usize> = IMPLICIT.iter().filter_map(|name| defining(name)).collect();
    todo.extend(names.filter_map(defining));
    while let Some(model) = todo.pop() {
        if !std::mem::replace(&mut is_needed[model], true) {
            todo.extend(MODELS[model].2);
        }
    }
    MODELS
        .iter()
        .zip(is_needed)
        .filter(|(_, needed)| *needed)
        .map(|((name, text, _), _)| (*name, *text))
        .collect()
}

/// The model that defines a name.
pub(super) fn defining(name: &str) -> Option<usize> {
    INDEX.binary_search_by(|(known, _)| (*known).cmp(name)).ok().map(|at| INDEX[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::{Derivation, External, StorageClass};
    use crate::library::mentions::mentioned;
    use crate::source::Files;
    use std::collections::BTreeSet;

    /// The external names that a model defines, by its syntax tree.
    fn defined_by(text: &str) -> BTreeSet<String> {
        let mut files = Files::default();
        let parsed = crate::parse::parse_unit(text, "model", true, &mut files);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        let mut names = BTreeSet::new();
        for item in &parsed.items {
            match item {
                External::Function(definition)
                    if definition.specifiers.storage != Some(StorageClass::Static) =>
                {
                    names.extend(definition.declarator.name.map(str::to_owned));
                }
                External::Decl(declaration) if declaration.specifiers.storage.is_none() => {
                    let objects = declaration.declarators.iter().filter(|one| !is_function(one));
                    names.extend(objects.filter_map(|one| one.declarator.name.map(str::to_owned)));
                }
                _ => {}
            }
        }
        names
    }

    fn is_function(one: &crate::ast::InitDeclarator<'_>) -> bool {
        matches!(one.declarator.derivations.first(), Some(Derivation::Function(_)))
    }

    #[test]
    fn the_index_names_what_the_models_define() {
        let defined: Vec<BTreeSet<String>> = MODELS.iter().map(|(_, text, _)| defined_by(text)).collect();
        for (name, n) in INDEX {
            assert!(defined[*n].contains(*name), "{name} is not defined by {}", MODELS[*n].0);
        }
        for (n, names) in defined.iter().enumerate() {
            for name in names {
                assert!(defining(name).is_some(), "{name} of {} is not in the index", MODELS[n].0);
            }
        }
    }

    #[test]
    fn only_what_is_mentioned_is_needed() {
        assert!(
            needed(mentioned("int strlen(const char *); int main(void) { return 0; }").into_iter())
                .is_empty()
        );
        let found = needed(mentioned("int main(void) { return __builtin_strlen(\"\"); }").into_iter());
        let wanted = MODELS[defining("strlen").expect("there should be a model of strlen")].0;
        assert!(found.iter().any(|(name, _)| *name == wanted), "{found:?}");
    }
}
