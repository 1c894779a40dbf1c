//! Tests of the analyses: by hand on programs in textual form, and against the interpreter on random ones.

mod access;
pub(crate) mod brute;
mod layout;
mod liveness;
mod lockset;
mod offset;
mod points_to;
pub(crate) mod random;
mod threads;

use super::*;
use program::{FuncId, Program};

pub(crate) fn parse(text: &str) -> Program {
    let program = program::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let complaints = program::well_formed::check(&program);
    assert!(complaints.is_ok(), "{complaints:?}\n{text}");
    program
}

pub(crate) fn func(program: &Program, name: &str) -> FuncId {
    let found = program.functions.iter_enumerated().find(|(_, function)| function.name == name);
    found.unwrap_or_else(|| panic!("there should be a function {name}")).0
}

/// The name of a site: `x`, `main::buf`, `heap@main:L3`.
fn site_name(program: &Program, site: Site) -> String {
    match site {
        Site::Static(object) => program.objects[object].name.clone(),
        Site::Frame(func, var) => {
            let function = &program.functions[func];
            format!("{}::{}", function.name, function.vars[var].name)
        }
        Site::Heap(func, loc, _) => format!("heap@{}:{loc}", program.functions[func].name),
    }
}

fn offset_name(offset: Offset) -> String {
    match offset {
        Offset::Exactly(offset) => format!("+{offset}"),
        Offset::Strided { start, stride } => format!("+{start}/{stride}"),
        Offset::Any => "+*".to_owned(),
    }
}
