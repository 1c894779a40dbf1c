//! Afterwards: of the files that line markers named, those that no position of the program names disappear. (A small
//! program includes some forty headers.)

use base::{FileId, Idx, IdxVec, Span};
use program::Program;

/// Drops and renumbers files.
pub(super) fn keep_used(program: &mut Program) {
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
    let functions = program
        .functions
        .iter_mut()
        .flat_map(|f| std::iter::once(&mut f.span).chain(f.locations.iter_mut().map(|l| &mut l.span)));
    let assumptions = program.assumptions.iter_mut().map(|a| &mut a.span);
    functions.chain(objects).chain(assumptions)
}
