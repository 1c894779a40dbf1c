//! What a library offers: the functions that others can call, with everything that is reachable from them.
//!
//! A function is *exported* if the user's units define it with external linkage. Where headers declare some of these functions, only
//! those count: a header says what is meant for others.

use super::linkage::{FunctionRef, Rank};
use super::scope::Symbol;
use super::{ParsedUnit, Sema};
use crate::Errors;
use crate::hir::{self, FunctionId};
use crate::source::Files;
use crate::types::Ty;
use program::DataModel;
use report::{Diagnostic, Level};
use rustc_hash::{FxHashMap, FxHashSet};

/// A library, typed.
#[derive(Debug)]
pub struct Exports {
    /// Everything that is reachable from the exported functions.
    pub module: hir::Module,
    /// The exported functions, in the order of the text.
    pub functions: Vec<FunctionId>,
    /// True if the library has a function `main`, which is not exported.
    pub has_main: bool,
    /// Types that have a name, by the shortest of their names.
    pub type_names: FxHashMap<Ty, String>,
    /// The names of all types and functions that the library's files declare.
    pub declared: FxHashSet<String>,
}

/// Types what the units export; without a result there is an error among the diagnostics.
pub fn exports<'a>(
    units: &'a [ParsedUnit<'a>],
    errors: &'a Errors,
    data_model: DataModel,
    files: &'a Files,
) -> (Option<Exports>, Vec<Diagnostic>) {
    let mut sema = Sema::new(units, errors, data_model, files);
    sema.declare_units();
    let (functions, has_main) = sema.exported();
    let functions: Vec<FunctionId> =
        functions.into_iter().map(|function| sema.function_id(function)).collect();
    let Some(&first) = functions.first() else {
        let message = "no function is exported: a library defines functions that are not `static`";
        sema.diagnostics.push(Diagnostic::about_file(Level::Error, "", message));
        return (None, sema.diagnostics);
    };
    sema.perform_all();
    let (type_names, declared) = sema.declared_names();
    let (module, diagnostics) = sema.into_module(first, None, None);
    (module.map(|module| Exports { module, functions, has_main, type_names, declared }), diagnostics)
}

impl Sema<'_> {
    /// The exported functions, and whether there is a `main` among what is defined.
    fn exported(&self) -> (Vec<FunctionRef>, bool) {
        let defined = self.linkage.external_functions.values().copied().filter(|&function| {
            let entity = &self.linkage.functions[function];
            entity.definition.is_some() && entity.rank >= Rank::Weak && entity.forward.is_none()
        });
        let mut all: Vec<FunctionRef> = defined.collect();
        all.sort_unstable();
        let is_main = |function: &FunctionRef| self.linkage.functions[*function].name == "main";
        let has_main = all.iter().any(is_main);
        all.retain(|function| !is_main(function));
        let declared: Vec<FunctionRef> = all.iter().copied().filter(|&it| self.is_in_header(it)).collect();
        (if declared.is_empty() { all } else { declared }, has_main)
    }

    /// Returns true if a function was first declared in another file than its definition.
    fn is_in_header(&self, function: FunctionRef) -> bool {
        let entity = &self.linkage.functions[function];
        let Some((unit, _)) = entity.definition else { return false };
        match self.scopes[unit].names.get(entity.name) {
            Some(Symbol::Function { at, .. }) => {
                self.units[unit].unit.span(at).file != self.units[unit].unit.span(entity_at(entity)).file
            }
            _ => false,
        }
    }

    /// The names of types, and all names of types and functions.
    fn declared_names(&self) -> (FxHashMap<Ty, String>, FxHashSet<String>) {
        let (mut types, mut all): (FxHashMap<Ty, String>, FxHashSet<String>) = Default::default();
        for (scope, _) in self.scopes.iter().zip(self.units).filter(|(_, unit)| !unit.unit.library) {
            for (name, symbol) in scope.names.iter() {
                if let Symbol::Typedef { ty, .. } = symbol {
                    let known = types.entry(ty).or_insert_with(|| name.to_owned());
                    if (name.len(), name) < (known.len(), known.as_str()) {
                        *known = name.to_owned();
                    }
                }
                if matches!(symbol, Symbol::Typedef { .. } | Symbol::Function { .. }) {
                    all.insert(name.to_owned());
                }
            }
        }
        (types, all)
    }
}

/// Where a function's definition stands.
fn entity_at(entity: &super::linkage::Function<'_>) -> crate::ast::At {
    entity.definition.map_or(0, |(_, definition)| definition.declarator.at)
}
