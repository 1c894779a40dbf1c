//! The edges of a search as the transactions of a proof.

use evidence::ProductWriter;
use semantics::encoding::SuccessorKind;
use semantics::transition::{Edges, GlobalLocationId};

/// Writes the transactions of all threads at the locations that are `wanted`, in the order of [`Edges::of`], also those in which the program ends
/// or that come to an action without successors.
pub(crate) fn write_transactions(
    edges: &Edges<'_>,
    writer: &mut ProductWriter<'_>,
    wanted: impl Fn(GlobalLocationId) -> bool,
) {
    for (at, thread, here) in edges.all().filter(|(at, ..)| wanted(*at)) {
        let continuing = here.iter().filter(|edge| edge.kind == SuccessorKind::Continue);
        let continuing = continuing.map(|edge| (&edge.choices[..], edges.control(edge.control)));
        let terminals = here.iter().filter(|edge| edge.kind != SuccessorKind::Continue);
        let dead_ends = edges.dead_ends(at, thread).iter().map(|choices| &choices[..]);
        let terminals = terminals.map(|edge| &edge.choices[..]).chain(dead_ends);
        writer.transactions(edges.control(at), thread, continuing, terminals);
    }
}
