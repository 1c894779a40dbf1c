//! Inputs that are taken for addresses: the second phase.
//!
//! When all addresses are known, wildness is followed: it flows along edges, and where an expression adds something up, a *rule* says when the
//! sum is wild. A rule is looked at again when something that it mentions becomes wild.
//!
//! With an environment, inputs are followed before what was read from blobs. What is stored through an input may be found by every opaque function that is
//! handed an input; what is stored through a pointer that was read from a blob is in the blob already.

use super::graph::{BlobId, CopyId, EntryId, Graph, NodeId, Target};
use crate::analysis::offset::Offset;
use base::Idx;

/// Where a part of a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Node(NodeId),
    Address(Target),
}

/// An expression, as what flows into its value.
#[derive(Clone, Default, Debug)]
pub(super) struct Compiled {
    /// Sources of addresses, moved by a distance.
    pub terms: Vec<(Source, Offset)>,
    pub wild: Wild,
}

/// When a value is wild.
#[derive(Clone, Default, Debug)]
pub(super) enum Wild {
    #[default]
    Never,
    Node(NodeId),
    Either(Box<(Wild, Wild)>),
    /// If one side is, and the other is no address to which it could be an index.
    Sum(Box<(Compiled, Compiled)>),
}

impl Compiled {
    pub fn node(node: NodeId, by: Offset) -> Compiled {
        Compiled { terms: vec![(Source::Node(node), by)], wild: Wild::Node(node) }
    }

    pub fn moved(mut self, by: Offset) -> Compiled {
        self.terms.iter_mut().for_each(|(_, distance)| *distance = distance.plus(by));
        self
    }

    pub fn is_nothing(&self) -> bool {
        self.terms.is_empty() && matches!(self.wild, Wild::Never)
    }

    /// The node that it is, moved by a distance, if it is one.
    pub fn only_node(&self) -> Option<(NodeId, Offset)> {
        match (&self.terms[..], &self.wild) {
            ([(Source::Node(node), by)], Wild::Node(wild)) if node == wild => Some((*node, *by)),
            _ => None,
        }
    }

    fn is_pointer(&self, graph: &Graph) -> bool {
        let has_address = self.terms.iter().any(|(source, _)| match source {
            Source::Node(node) => !graph.nodes[*node].known.is_empty(),
            Source::Address(_) => true,
        });
        has_address && !self.wild.holds(graph)
    }
}

impl Wild {
    fn holds(&self, graph: &Graph) -> bool {
        match self {
            Wild::Never => false,
            Wild::Node(node) => graph.nodes[*node].wild,
            Wild::Either(both) => both.0.holds(graph) || both.1.holds(graph),
            Wild::Sum(both) => {
                let (left, right) = &**both;
                (left.wild.holds(graph) && !right.is_pointer(graph))
                    || (right.wild.holds(graph) && !left.is_pointer(graph))
            }
        }
    }

    fn mentioned(&self, each: &mut impl FnMut(NodeId)) {
        match self {
            Wild::Never => {}
            Wild::Node(node) => each(*node),
            Wild::Either(both) => {
                both.0.mentioned(each);
                both.1.mentioned(each);
            }
            Wild::Sum(both) => {
                both.0.wild.mentioned(each);
                both.1.wild.mentioned(each);
            }
        }
    }
}

/// What follows when a value is wild.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then {
    /// The node is.
    Mark(NodeId),
    /// It is the address that the node was loaded from.
    Loaded(NodeId),
    /// It is the address that the node is stored to.
    Stored(NodeId),
    /// It is handed to the blob.
    Reached(NodeId, BlobId),
    CopiedFrom(CopyId),
    CopiedTo(CopyId),
    /// It is called, or started.
    Entered(EntryId),
}

/// The rules.
#[derive(Default, Debug)]
pub(super) struct Rules {
    rules: Vec<(Wild, Then, bool)>,
    /// The rules that mention each node.
    by_node: Vec<Vec<u32>>,
}

impl Rules {
    pub fn add(&mut self, when: Wild, then: Then) {
        if matches!(when, Wild::Never) {
            return;
        }
        let n = base::convert::count32(self.rules.len());
        when.mentioned(&mut |node| {
            if self.by_node.len() <= node.index() {
                self.by_node.resize_with(node.index() + 1, Vec::new);
            }
            self.by_node[node.index()].push(n);
        });
        self.rules.push((when, then, false));
    }

    /// What follows from a node's becoming wild.
    pub fn follow(&mut self, graph: &Graph, node: NodeId) -> Vec<Then> {
        let mut found = Vec::new();
        for n in self.by_node.get(node.index()).into_iter().flatten() {
            let (when, then, done) = &mut self.rules[*n as usize];
            if !*done && when.holds(graph) {
                *done = true;
                found.push(*then);
            }
        }
        found
    }
}
