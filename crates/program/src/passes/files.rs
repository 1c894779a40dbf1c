//! Of the files that line markers named, those that no position of the program names disappear. (A small
//! program includes some forty headers.)

use crate::{Action, Op, Program};
use base::{FileId, Idx, IdxVec, Span};

/// Drops and renumbers files.
pub fn keep_used_files(program: &mut Program) {
    let mut new_id: Vec<Option<FileId>> = vec![None; program.files.len()];
    let mut kept = IdxVec::new();
    let names = std::mem::take(&mut program.files);
    for span in spans(program) {
        if !span.is_somewhere() {
            *span = Span::NOWHERE;
            continue;
        }
        let old = span.file;
        span.file = *new_id[old.index()].get_or_insert_with(|| kept.push(names[old].clone()));
    }
    program.files = kept;
}

fn spans(program: &mut Program) -> impl Iterator<Item = &mut Span> {
    let objects = program.objects.iter_mut().map(|o| &mut o.span);
    let functions = program.functions.iter_mut().flat_map(|f| {
        let locations = f.locations.iter_mut().flat_map(|l| markers(&mut l.action).chain([&mut l.span]));
        std::iter::once(&mut f.span).chain(locations)
    });
    let assumptions = program.assumptions.iter_mut().map(|a| &mut a.span);
    functions.chain(objects).chain(assumptions)
}

/// The positions inside of an action.
fn markers(action: &mut Action) -> impl Iterator<Item = &mut Span> {
    let ops = if let Action::Ops { ops, .. } = action { ops.as_mut_slice() } else { &mut [] };
    ops.iter_mut().filter_map(|op| if let Op::Signed { span, .. } = op { Some(span) } else { None })
}
