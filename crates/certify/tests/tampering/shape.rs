//! Annotations with abstract heaps.

use crate::Proved;
use evidence::{Proof, ShapeProof};
use program::Property;
use semantics::shape::{
    Anchor, Background, Fact, Life, Links, Lock, LockId, Made, Relation, Role, Shape, Sharing, Value,
};
use std::sync::Arc;

/// A list of any length is built and freed.
const LIST: &str = "program lp64
function main() -> 32 {
  reg top, new, old: 64
  reg more: 32
  L0: top = 0 -> L1
  L1: havoc more -> L2
  L2: if more != 0 then L3 else L7
  L3: new = alloc(16) -> L4
  L4: [new]:32 = 7 -> L5
  L5: [new + 8]:64 = top -> L6
  L6: top = new -> L1
  L7: if top != 0 then L8 else L11
  L8: old = top -> L9
  L9: top = [top + 8]:64 -> L10
  L10: free(old) -> L7
  L11: return 0
}";

fn proved() -> Proved {
    Proved::by(&engines::shape::Options::default(), LIST, Property::ValidMemcleanup)
}

fn shape(proof: &mut Proof) -> &mut ShapeProof {
    let Proof::Shape(shape) = proof else { panic!("the proof should be one of shapes") };
    shape
}

#[test]
fn heaps_that_are_left_out_are_missed() {
    let proved = proved();
    let mut copy = proved.proof.clone();
    let n_heaps = shape(&mut copy).heaps.len();
    assert!(n_heaps >= 4, "both loops should have an empty list and one that is not: {n_heaps}");
    for n in 0..n_heaps {
        proved.refused("a heap less", |proof| {
            shape(proof).heaps.remove(n);
        });
    }
}

#[test]
fn lists_of_one_object_are_not_all_lists() {
    let proved = proved();
    for n in 0..shape(&mut proved.proof.clone()).heaps.len() {
        let segments: Vec<_> = shape(&mut proved.proof.clone()).heaps[n]
            .nodes
            .iter()
            .filter(|(_, node)| node.shape != Shape::Single)
            .map(|(id, _)| *id)
            .collect();
        for id in segments {
            proved.refused("one object in place of a segment", |proof| {
                shape(proof).heaps[n].node_mut(id).shape = Shape::Single;
            });
            proved.refused("another link", |proof| {
                shape(proof).heaps[n].node_mut(id).shape =
                    Shape::Segment { next: Links::one(0), previous: None };
            });
            proved.refused("another end of the list", |proof| {
                let node = shape(proof).heaps[n].node_mut(id);
                node.cells.get_mut(&8).expect("the link should have a cell").value = Some(Value::Number(1));
            });
            proved.refused("larger objects", |proof| shape(proof).heaps[n].node_mut(id).size = 24);
            proved
                .refused("objects of a frame", |proof| shape(proof).heaps[n].node_mut(id).life = Life::Frame);
            proved.refused("zeros that are not there", |proof| {
                let node = shape(proof).heaps[n].node_mut(id);
                node.cells.retain(|at, _| *at == 8);
                node.background = Background::Zero;
            });
        }
    }
}

#[test]
fn heaps_that_make_no_sense_are_refused() {
    let proved = proved();
    proved.refused("no frames", |proof| shape(proof).heaps[0].frames.clear());
    proved.refused("a register too few", |proof| {
        shape(proof).heaps[0].frames[0].registers.pop();
    });
    proved.refused("a function that does not exist", |proof| {
        shape(proof).heaps[0].frames[0].func = program::FuncId(7);
    });
    proved.refused("a location that does not exist", |proof| {
        shape(proof).heaps[0].frames[0].loc = program::LocId(70);
    });
    proved.refused("a node without a meaning", |proof| {
        let heap = shape(proof)
            .heaps
            .iter_mut()
            .find(|heap| !heap.nodes.is_empty())
            .expect("a list should be there");
        let (id, node) = heap.nodes.pop_last().expect("it should have a node");
        heap.nodes.insert(semantics::shape::NodeId(id.0 + 1), Arc::clone(&node));
    });
}

/// One thread adds to a list, the first one frees it; both under a lock.
const SHARED_LIST: &str = "program lp64
object head: 8
object m: 8
function main() -> 32 {
  reg a, h: 64
  reg e: 32
  h = create(&add, 0)
  L1: #lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = trunc32(self())
  a = [&head]:64
  [&head]:64 = 0
  #unlock(&m) [&m]:32!rel = 0
  L2: if a != 0 then L3 else L4
  L3: h = a
  a = [a + 8]:64
  free(h) -> L2
  L4: return 0
}
function add(p: 64) -> 64 {
  reg new, top: 64
  L0: new = alloc(16)
  [new]:64 = 7
  #lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = trunc32(self())
  top = [&head]:64
  [new + 8]:64 = top
  [&head]:64 = new
  #unlock(&m) [&m]:32!rel = 0 -> L0
}";

fn proved_of_threads() -> Proved {
    Proved::by(&engines::shape::Options::default(), SHARED_LIST, Property::ValidDeref)
}

#[test]
fn an_invariant_that_does_not_hold_is_refused() {
    let proved = proved_of_threads();
    let n_heaps = shape(&mut proved.proof.clone()).invariant.len();
    assert!(n_heaps >= 2, "an empty list and one that is not should be in the invariant: {n_heaps}");
    for n in 0..n_heaps {
        proved.refused("a heap less", |proof| {
            shape(proof).invariant.remove(n);
        });
        proved.refused("a heap that is a thread's", |proof| {
            shape(proof).invariant[n].others.sharing = Sharing::Shared;
        });
        proved.refused("a heap of another lock", |proof| {
            shape(proof).invariant[n].others.sharing = Sharing::Free(LockId(1));
        });
    }
    proved.refused("no invariant", |proof| shape(proof).invariant.clear());
}

#[test]
fn plans_that_are_not_kept_are_refused() {
    let proved = proved_of_threads();
    let (head, m) = (Anchor::Object(program::ObjectId(0)), Anchor::Object(program::ObjectId(1)));
    proved.refused("no plan", |proof| shape(proof).plan = None);
    for role in [Role::Frozen, Role::OfFirst, Role::Open] {
        proved.refused("another role", |proof| {
            shape(proof).plan.as_mut().expect("a plan").roles.insert(head, role);
        });
    }
    let word = |object, offset, bytes| Lock::Word { object, offset, bytes, tells_holder: true };
    let locks = [
        Lock::Atomic,
        word(head, 0, 4),
        word(m, 4, 4),
        word(m, 0, 8),
        word(m, 8, 4),
        word(Anchor::Object(program::ObjectId(7)), 0, 4),
        word(Anchor::Made(0), 0, 4),
    ];
    for lock in locks {
        proved
            .refused("another lock", |proof| shape(proof).plan.as_mut().expect("a plan").locks = vec![lock]);
    }
    proved.refused("an object that nobody made", |proof| {
        let made = Made { from: None, steps: Vec::new(), life: Life::Heap };
        shape(proof).plan.as_mut().expect("a plan").made.push(made);
    });
    proved.refused("a field that is written to", |proof| {
        shape(proof).plan.as_mut().expect("a plan").fields.insert((head, 0, 8));
    });
}

#[test]
fn who_has_what_cannot_be_claimed() {
    let proved = proved_of_threads();
    for n in 0..shape(&mut proved.proof.clone()).heaps.len() {
        let others = shape(&mut proved.proof.clone()).heaps[n].others.clone();
        if others.sharing != Sharing::Shared || !others.held.is_empty() {
            continue;
        }
        proved.refused("the lock is held", |proof| {
            shape(proof).heaps[n].others.held.insert(LockId(0), Value::Number(1));
        });
        proved.refused("a thread is alone", |proof| {
            shape(proof).heaps[n].others.sharing = Sharing::Alone;
        });
        proved.refused("a thread has the list", |proof| {
            let heap = &mut shape(proof).heaps[n];
            let head = heap.anchors[&Anchor::Object(program::ObjectId(0))];
            heap.node_mut(head).life = Life::Static { writable: true };
        });
        proved.refused("another thread", |proof| {
            let others = &mut shape(proof).heaps[n].others;
            others.is_first = !others.is_first;
        });
    }
}

/// A search tree of any size is built and freed by functions that call themselves.
const TREE: &str = "program lp64
object root: 8
function main() -> 32 {
  reg a: 64
  reg more: 32
  L0: havoc more -> L1
  L1: if more != 0 then L2 else L5
  L2: a = [&root]:64 -> L3
  L3: a = call insert(a) -> L4
  L4: [&root]:64 = a -> L0
  L5: a = [&root]:64 -> L6
  L6: call destroy(a) -> L7
  L7: return 0
}
function insert(t: 64) -> 64 {
  reg new, at, below: 64
  reg m: 1
  L0: if t == 0 then L1 else L4
  L1: new = alloc(16) -> L2
  L2: [new]:64 = 0; [new + 8]:64 = 0 -> L3
  L3: return new
  L4: havoc m -> L5
  L5: at = ite(m, t, t + 8) -> L6
  L6: below = [at]:64 -> L7
  L7: below = call insert(below) -> L8
  L8: [at]:64 = below -> L9
  L9: return t
}
function destroy(t: 64) {
  reg below: 64
  L0: if t != 0 then L1 else L6
  L1: below = [t]:64 -> L2
  L2: call destroy(below) -> L3
  L3: below = [t + 8]:64 -> L4
  L4: call destroy(below) -> L5
  L5: free(t) -> L6
  L6: return
}";

fn proved_of_trees() -> Proved {
    Proved::by(&engines::shape::Options::default(), TREE, Property::ValidMemcleanup)
}

/// Heaps of a proof that have trees: of the program (`None`), or of a summary, by number.
fn heaps_with_trees(proof: &mut ShapeProof) -> Vec<&mut semantics::shape::Heap> {
    let summaries = proof.summaries.iter_mut();
    let all = summaries.flat_map(|summary| std::iter::once(&mut summary.entry).chain(&mut summary.exits));
    let is_tree = |shape| matches!(shape, Shape::Tree { .. });
    all.chain(&mut proof.heaps).filter(|heap| heap.nodes.values().any(|node| is_tree(node.shape))).collect()
}

#[test]
fn trees_that_are_none_are_refused() {
    let proved = proved_of_trees();
    let n_heaps = heaps_with_trees(shape(&mut proved.proof.clone())).len();
    assert!(n_heaps >= 4, "functions should get and return trees: {n_heaps}");
    let changed = |n: usize, what: &str, change: &dyn Fn(&mut semantics::shape::Node)| {
        proved.refused(what, |proof| {
            let heap = heaps_with_trees(shape(proof)).swap_remove(n);
            let trees: Vec<_> = heap
                .nodes
                .iter()
                .filter(|(_, node)| node.shape != Shape::Single)
                .map(|(id, _)| *id)
                .collect();
            trees.into_iter().for_each(|id| change(heap.node_mut(id)));
        });
    };
    for n in 0..n_heaps {
        let (left, right) = (Links::one(0), Links::one(8));
        changed(n, "one object", &|node| node.shape = Shape::Single);
        changed(n, "one link", &|node| node.shape = Shape::Tree { links: left, parent: None });
        changed(n, "the other link", &|node| node.shape = Shape::Tree { links: right, parent: None });
        changed(n, "a link back", &|node| node.shape = Shape::Tree { links: left, parent: Some(8) });
        changed(n, "a list", &|node| node.shape = Shape::Segment { next: left, previous: None });
        changed(n, "links without cells", &|node| node.cells.clear());
        changed(n, "larger objects", &|node| node.size = 24);
        changed(n, "no objects of the heap", &|node| node.life = Life::Frame);
        changed(n, "nothing below", &|node| {
            node.cells.get_mut(&0).expect("a link should have a cell").value = Some(Value::Number(0));
        });
    }
}

#[test]
fn summaries_that_do_not_hold_are_refused() {
    let proved = proved_of_trees();
    proved.refused("no summaries", |proof| shape(proof).summaries.clear());
    let summaries = shape(&mut proved.proof.clone()).summaries.clone();
    for (n, summary) in summaries.iter().enumerate() {
        proved.refused("a summary less", |proof| drop(shape(proof).summaries.remove(n)));
        proved.refused("a function without frames", |proof| shape(proof).summaries[n].entry.frames.clear());
        proved.refused("another location", |proof| {
            shape(proof).summaries[n].entry.frame_mut().loc = program::LocId(1);
        });
        proved.refused("a heap without callers", |proof| shape(proof).summaries[n].entry.cutpoints = None);
        proved.refused("more cutpoints", |proof| {
            shape(proof).summaries[n].entry.cutpoints.as_mut().expect("cutpoints").push(None);
        });
        proved.refused("an entry in the annotation of the program", |proof| {
            let entry = summary.entry.clone();
            shape(proof).heaps.push(entry);
        });
        for m in 0..summary.exits.len() {
            proved.refused("an exit less", |proof| drop(shape(proof).summaries[n].exits.remove(m)));
            proved.refused("a null pointer in place of a result or a cutpoint", |proof| {
                let cutpoints = shape(proof).summaries[n].exits[m].cutpoints.as_mut().expect("cutpoints");
                cutpoints.iter_mut().for_each(|value| *value = Some(Value::Number(0)));
            });
            proved.refused("no cutpoints", |proof| shape(proof).summaries[n].exits[m].cutpoints = None);
            proved.refused("objects that are not there any more", |proof| {
                shape(proof).summaries[n].exits[m].nodes.clear();
            });
        }
    }
}

/// What was found out about two numbers before a loop is still so behind it.
const COMPARED: &str = "program lp64
function main() -> 32 {
  reg a, b: 32
  reg m: 1
  L0: havoc a; havoc b -> L1
  L1: if a <s b then L2 else L6
  L2: havoc m -> L3
  L3: if m then L2 else L4
  L4: if a <s b then L6 else L5
  L5: error unreach-call \"it is less\"
  L6: return 0
}";

#[test]
fn facts_about_numbers_cannot_be_claimed() {
    let proved = Proved::by(&engines::shape::Options::default(), COMPARED, Property::UnreachCall);
    let facts = &shape(&mut proved.proof.clone()).heaps[0].facts.clone();
    let fact = *facts.first().expect("the loop should have a fact");
    assert_eq!((facts.len(), fact.relation), (1, Relation::SignedLess));
    let claims = [
        Fact { left: fact.right, right: fact.left, ..fact },
        Fact { relation: Relation::Less, ..fact },
        Fact { left: semantics::shape::SymbolId(99), ..fact },
    ];
    proved.refused("no fact", |proof| shape(proof).heaps[0].facts.clear());
    for claim in claims {
        proved.refused("another fact", |proof| shape(proof).heaps[0].facts = [claim].into());
        proved.refused("one more", |proof| {
            shape(proof).heaps[0].facts.insert(claim);
        });
    }
}
