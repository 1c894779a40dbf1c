//! Tests of the type checker: C texts and what they become.

mod errors;
mod linking;
mod objects;
mod typing;

use super::{ParsedUnit, analyze};
use crate::hir::Module;
use crate::parse::{Parsed, parse_unit};
use crate::source::Files;
use program::DataModel;
use report::{Diagnostic, Level};

/// Types several units; those whose name begins with `library` are library models.
fn analyze_units(texts: &[(&str, &str)], data_model: DataModel) -> (Option<Module>, Vec<Diagnostic>) {
    let mut files = Files::default();
    let mut units = Vec::new();
    for (name, text) in texts {
        let Parsed { unit, items, diagnostics } =
            parse_unit(text, name, name.starts_with("library"), &mut files);
        let errors: Vec<_> =
            diagnostics.iter().filter(|d| d.level == Level::Error).map(|d| &d.message).collect();
        assert!(errors.is_empty(), "{name} should parse: {errors:?}");
        units.push(ParsedUnit { unit, items });
    }
    analyze(&units, "main", &crate::Errors::default(), data_model, &files)
}

/// The module of one unit that should be right.
fn module(text: &str, data_model: DataModel) -> Module {
    let (module, diagnostics) = analyze_units(&[("test.c", text)], data_model);
    module.unwrap_or_else(|| {
        let messages: Vec<_> = diagnostics.iter().map(|d| &d.message).collect();
        panic!("{text}\nshould be typed: {messages:?}")
    })
}
