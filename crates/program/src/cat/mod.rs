//! A user's own memory model, in herd's language `cat`.
//!
//! A file is read into a [`Model`]: a list of values ([`Node`]), each computed from earlier ones or given by the execution, and of tests of them. Functions are
//! applied, names are resolved and types (set of events, or relation between events) are checked here, so that what is left to those who evaluate a model is a dozen operators on
//! sets and relations. The engine over execution graphs and its checker have separate evaluators; they share this reading, and [`analysis`].
//!
//! | part | where |
//! |---|---|
//! | characters to symbols | `lexer` |
//! | symbols to expressions and statements | `parser` |
//! | what names mean: the standard definitions, includes, functions, recursion, types | `resolve`, `builtin/*.cat` |
//! | what stays true when an execution goes on | `analysis` |
//!
//! Herd's manual and the files it ships define the language (Alglave, Cousot, Maranget: Syntax and semantics of the weak consistency model specification language cat, 2016). What is
//! not understood is an error with its place: nothing is ignored, except that `show` and its like, which change pictures only, and flags leave a warning.

pub mod analysis;
mod lexer;
mod parser;
mod resolve;

use crate::MemoryModel;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

/// The sets that an execution gives, in the order of [`Node::Set`].
pub const SETS: [&str; 16] = [
    "R",
    "W",
    "M",
    "IW",
    "F",
    "$ATOMIC",
    "X",
    "$ACQ",
    "$REL",
    "$SC",
    "$FULL",
    "$LIGHT",
    "$READ-ANY",
    "$ANY-WRITE",
    "$WRITE-WRITE",
    "$CONTROL",
];

/// The relations that it gives, in the order of [`Node::Relation`].
pub const RELATIONS: [&str; 10] = ["po", "addr", "data", "ctrl", "rmw", "rf", "loc", "ext", "id", "co"];

/// The number of a value of a model.
pub type NodeId = usize;

/// A set of events, or a relation between events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// A set.
    Set,
    /// A relation.
    Relation,
}

/// How a value is computed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// All events.
    All,
    /// The set with this position in [`SETS`].
    Set(usize),
    /// The relation with this position in [`RELATIONS`].
    Relation(usize),
    /// The empty set.
    NoEvent,
    /// The empty relation.
    NoPair,
    /// What is in either.
    Or(NodeId, NodeId),
    /// What is in both.
    And(NodeId, NodeId),
    /// What is in the first and not in the second.
    Minus(NodeId, NodeId),
    /// The composition of two relations.
    Then(NodeId, NodeId),
    /// Every event of a set with every event of another.
    Product(NodeId, NodeId),
    /// The inverse.
    Inverse(NodeId),
    /// The transitive closure.
    Plus(NodeId),
    /// The relation and the identity.
    Optional(NodeId),
    /// Every event of a set with itself.
    Identity(NodeId),
    /// The events that a relation leads from.
    Domain(NodeId),
    /// The events that it leads to.
    Range(NodeId),
    /// A relation of a recursive definition: its group, and its position there.
    Fixed(usize, usize),
}

/// What a test asks of a relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// It has no cycle.
    Acyclic,
    /// It relates no event to itself.
    Irreflexive,
    /// It is empty.
    Empty,
}

/// An axiom.
#[derive(Clone, Debug)]
pub struct Axiom {
    /// Its name, or its text's first words if it has none.
    pub name: String,
    /// Its place: file, line and column.
    pub place: String,
    /// What is asked.
    pub test: Test,
    /// Whether the test has to fail.
    pub negated: bool,
    /// Of this relation.
    pub of: NodeId,
}

/// A model that was read.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its values; each is computed from earlier ones, but for those of recursive definitions.
    pub nodes: Vec<Node>,
    /// Of which type each is.
    pub types: Vec<Type>,
    /// Recursive definitions: what their relations become in each step.
    pub groups: Vec<Vec<NodeId>>,
    /// The values that are computed anew in each step of a recursive definition.
    pub in_group: Vec<Option<usize>>,
    /// The axioms. Flags are none.
    pub axioms: Vec<Axiom>,
    /// What has no effect on verdicts, and should be said.
    pub warnings: Vec<String>,
    /// What is known about it.
    pub facts: analysis::Facts,
}

/// A user's model: its texts, and what they mean.
#[derive(Debug)]
pub struct UserModel {
    text: Texts,
    /// The model.
    pub model: Model,
}

/// The files of a model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
struct Texts {
    /// What the user calls it.
    name: String,
    /// The machine that C is compiled for, by name.
    machine: String,
    /// The files by name, the main one first.
    files: Vec<(String, String)>,
}

/// What is wrong with a model, with file, line and column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// `file:line:column`
    pub place: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// The machines that a user's model can be about: what C becomes there, and how the events are called.
pub const MACHINES: [MemoryModel; 5] =
    [MemoryModel::C11, MemoryModel::Tso, MemoryModel::Arm, MemoryModel::Power, MemoryModel::Riscv];

static MODELS: Mutex<Vec<&'static UserModel>> = Mutex::new(Vec::new());

impl UserModel {
    /// Reads a model for a machine. `file` is its name and its text; `files` opens the files that are included, by the name that stands there; those that herd ships are known.
    pub fn read(
        name: &str,
        machine: MemoryModel,
        file: (&str, String),
        files: &dyn Fn(&str) -> Option<String>,
    ) -> Result<&'static UserModel, Flaw> {
        let mut opened = vec![(file.0.to_owned(), file.1)];
        let model = resolve::resolve(machine, &mut opened, files)?;
        let text = Texts { name: name.to_owned(), machine: machine.name().to_owned(), files: opened };
        Ok(Self::keep(Self { text, model }))
    }

    /// Models live as long as the process, so that they can be passed on like names.
    fn keep(new: UserModel) -> &'static UserModel {
        let mut models = MODELS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = models.iter().find(|known| ***known == new) {
            return known;
        }
        let kept: &'static UserModel = Box::leak(Box::new(new));
        models.push(kept);
        kept
    }

    /// What the user calls it.
    pub fn name(&self) -> &str {
        &self.text.name
    }

    /// The machine that C is compiled for.
    pub fn machine(&self) -> MemoryModel {
        let known = MACHINES.into_iter().find(|machine| machine.name() == self.text.machine);
        known.expect("a model that was read should have a machine")
    }

    pub(crate) fn serialize<S: serde::Serializer>(model: &&'static Self, to: S) -> Result<S::Ok, S::Error> {
        model.text.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<&'static Self, D::Error> {
        let Texts { name, machine, files } = Texts::deserialize(from)?;
        let machine = MACHINES.into_iter().find(|known| known.name() == machine);
        let machine = machine.ok_or_else(|| serde::de::Error::custom("no machine of this name"))?;
        let Some(((file, text), included)) = files.split_first() else {
            return Err(serde::de::Error::custom("a model without a file"));
        };
        let open = |wanted: &str| included.iter().find(|(name, _)| name == wanted).map(|f| f.1.clone());
        Self::read(&name, machine, (file, text.clone()), &open).map_err(serde::de::Error::custom)
    }
}

impl PartialEq for UserModel {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for UserModel {}

impl PartialOrd for UserModel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for UserModel {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for UserModel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}
