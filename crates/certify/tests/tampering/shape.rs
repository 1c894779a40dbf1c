//! Annotations with abstract heaps.

use crate::Proved;
use evidence::{Proof, ShapeProof};
use program::Property;
use semantics::shape::{Anchor, Background, Life, Lock, LockId, Made, Role, Shape, Sharing, Value};
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
                shape(proof).heaps[n].node_mut(id).shape = Shape::Segment { next: 0, previous: None };
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
