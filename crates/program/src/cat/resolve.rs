//! What names mean.
//!
//! Functions are applied where they are called, so that a model is a list of values in the end; equal values are one. A name means its last definition before; in `let rec`, itself.

use super::lexer::{Position, place};
use super::parser::{Ast, Binding, Parser, Statement};
use super::{Axiom, Flaw, Model, Node, NodeId, RELATIONS, SETS, Type, analysis};
use crate::MemoryModel;
use std::collections::HashMap;
use std::rc::Rc;

/// More values than this are a mistake: functions that are applied in each other grow exponentially.
const MOST_NODES: usize = 4_000;
/// The number of the files that are ours.
const BUILT_IN: usize = usize::MAX;
/// Files that include each other are read once each, and not more than these.
const MOST_FILES: usize = 64;
/// Expressions, and calls in each other.
const DEEPEST: usize = 200;

/// The definitions that every file finds, in herd's `stdlib.cat`, `cos.cat` and `filters.cat`.
const STANDARD: &str = include_str!("builtin/standard.cat");
const C11: &str = include_str!("builtin/c11.cat");
const TSO: &str = include_str!("builtin/tso.cat");
const ARM: &str = include_str!("builtin/arm.cat");
const POWER: &str = include_str!("builtin/power.cat");
const RISCV: &str = include_str!("builtin/riscv.cat");

/// Files that herd ships, and whose definitions are always there.
const ALWAYS: [&str; 3] = ["stdlib.cat", "cos.cat", "cos-opt.cat"];
/// Those whose definitions are there, too, unless there is such a file.
const SHIPPED: [&str; 8] = [
    "filters.cat",
    "fences.cat",
    "x86fences.cat",
    "ppcfences.cat",
    "powerfences.cat",
    "aarch64fences.cat",
    "armfences.cat",
    "riscvfences.cat",
];

#[derive(Clone)]
enum Meaning {
    Value(NodeId),
    Function { parameters: Rc<Vec<String>>, body: Rc<Ast>, scope: Scope },
}

/// What names mean, innermost first.
#[derive(Clone, Default)]
struct Scope(Option<Rc<Frame>>);

struct Frame {
    name: String,
    meaning: Meaning,
    outer: Scope,
}

impl Scope {
    fn with(&self, name: &str, meaning: Meaning) -> Self {
        Self(Some(Rc::new(Frame { name: name.to_owned(), meaning, outer: self.clone() })))
    }

    fn find(&self, name: &str) -> Option<Meaning> {
        let mut scope = self;
        while let Some(frame) = &scope.0 {
            if frame.name == name {
                return Some(frame.meaning.clone());
            }
            scope = &frame.outer;
        }
        None
    }
}

/// Reads a model; `opened` has its main file, and gets the files that it includes.
pub(super) fn resolve(
    machine: MemoryModel,
    opened: &mut Vec<(String, String)>,
    files: &dyn Fn(&str) -> Option<String>,
) -> Result<Model, Flaw> {
    let mut resolver = Resolver { machine, ..Resolver::default() };
    for (n, set) in SETS.iter().enumerate() {
        let value = resolver.node(Node::Set(n), Type::Set);
        resolver.scope = resolver.scope.with(set, Meaning::Value(value));
    }
    for (n, relation) in RELATIONS.iter().enumerate() {
        let value = resolver.node(Node::Relation(n), Type::Relation);
        resolver.scope = resolver.scope.with(relation, Meaning::Value(value));
    }
    let tags = tags(machine);
    for (name, text) in [("<standard>", STANDARD), ("<tags>", tags)] {
        resolver.names = vec![name.to_owned()];
        let mut builtin = vec![(name.to_owned(), text.to_owned())];
        resolver.file(0, &mut builtin, &|_| None)?;
    }
    resolver.names.clear();
    resolver.warnings.clear();
    resolver.file(0, opened, files)?;
    if resolver.axioms.is_empty() {
        let place = place(&opened[0].0, Position { file: 0, line: 1, column: 1 });
        return Err(Flaw { place, what: "the model has no axiom: it would allow everything".to_owned() });
    }
    Ok(resolver.finish())
}

fn tags(machine: MemoryModel) -> &'static str {
    match machine {
        MemoryModel::Tso | MemoryModel::Pso => TSO,
        MemoryModel::Arm => ARM,
        MemoryModel::Power => POWER,
        MemoryModel::Riscv | MemoryModel::Rmo => RISCV,
        MemoryModel::Sc | MemoryModel::C11 | MemoryModel::User(_) => C11,
    }
}

/// The machines, other than `machine`, whose events have this name.
fn elsewhere(machine: MemoryModel, name: &str) -> Vec<&'static str> {
    let defines = |text: &str| {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '$')));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        words.windows(2).any(|pair| pair[0] == "let" && pair[1] == name)
    };
    let others = super::MACHINES.into_iter().filter(|other| *other != machine && defines(tags(*other)));
    others.map(MemoryModel::name).collect()
}

#[derive(Default)]
struct Resolver {
    machine: MemoryModel,
    nodes: Vec<Node>,
    types: Vec<Type>,
    in_group: Vec<Option<usize>>,
    known: HashMap<Node, NodeId>,
    groups: Vec<Vec<NodeId>>,
    /// The recursive definition that is being read.
    open: Option<usize>,
    axioms: Vec<Axiom>,
    warnings: Vec<String>,
    scope: Scope,
    /// The files so far.
    names: Vec<String>,
    depth: usize,
}

impl Resolver {
    fn finish(self) -> Model {
        let Self { nodes, types, in_group, groups, axioms, warnings, .. } = self;
        let facts = analysis::Facts::of(&nodes, &groups, &axioms);
        Model { nodes, types, groups, in_group, axioms, warnings, facts }
    }

    fn flaw<T>(&self, position: Position, what: String) -> Result<T, Flaw> {
        Err(Flaw { place: self.place(position), what })
    }

    fn place(&self, position: Position) -> String {
        place(self.names.get(position.file).map_or("<built in>", String::as_str), position)
    }

    /// Reads a file of `opened`.
    fn file(
        &mut self,
        number: usize,
        opened: &mut Vec<(String, String)>,
        files: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), Flaw> {
        let (name, text) = opened[number].clone();
        self.names.resize(opened.len().max(self.names.len()), String::new());
        self.names[number].clone_from(&name);
        let number = if name.starts_with('<') { BUILT_IN } else { number };
        let mut parser = Parser::new(number, &name, &text)?;
        while let Some(statement) = parser.statement()? {
            match statement {
                Statement::Include(wanted, position) => self.include(&wanted, position, opened, files)?,
                Statement::Let { recursive: true, bindings } => self.recursive(bindings)?,
                Statement::Let { recursive: false, bindings } => {
                    let scope = self.scope.clone();
                    self.scope = self.bind(bindings, &scope)?;
                }
                Statement::Show(word, position) => {
                    let place = place(&name, position);
                    self.warnings.push(format!("{place}: `{word}` is for pictures: it has no effect"));
                }
                Statement::Coherence => {}
                Statement::Test { test, negated, flag, expr, name: given, position } => {
                    let scope = self.scope.clone();
                    let value = self.value(&expr, &scope)?;
                    let of = self.as_relation(value);
                    let place = place(&name, position);
                    if flag {
                        let given = given.map_or(String::new(), |name| format!(" `{name}`"));
                        self.warnings.push(format!(
                            "{place}: the flag{given} forbids nothing, and is not looked at (ask for --property no-data-race under c11)"
                        ));
                        continue;
                    }
                    let word = format!("{test:?}").to_lowercase();
                    let axiom = given.unwrap_or_else(|| format!("{}{word}", if negated { "~" } else { "" }));
                    self.axioms.push(Axiom { name: axiom, place, test, negated, of });
                }
            }
        }
        Ok(())
    }

    fn include(
        &mut self,
        wanted: &str,
        position: Position,
        opened: &mut Vec<(String, String)>,
        files: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), Flaw> {
        if opened.iter().any(|(name, _)| name == wanted) {
            return Ok(());
        }
        let found = files(wanted);
        if ALWAYS.contains(&wanted) {
            if found.is_some() {
                let place = self.place(position);
                self.warnings
                    .push(format!("{place}: `{wanted}` is built in; the file of this name is not read"));
            }
            return Ok(());
        }
        let Some(text) = found else {
            if SHIPPED.contains(&wanted) {
                return Ok(());
            }
            return self.flaw(
                position,
                format!("there is no file `{wanted}` beside this one, and its definitions are not built in"),
            );
        };
        if opened.len() == MOST_FILES {
            return self.flaw(position, "too many files".to_owned());
        }
        opened.push((wanted.to_owned(), text));
        self.file(opened.len() - 1, opened, files)
    }

    /// Definitions beside each other: each is read in the scope before all of them.
    fn bind(&mut self, bindings: Vec<Binding>, scope: &Scope) -> Result<Scope, Flaw> {
        let mut after = scope.clone();
        for Binding { name, parameters, body, .. } in bindings {
            let meaning = match parameters {
                Some(parameters) => {
                    Meaning::Function { parameters: Rc::new(parameters), body, scope: scope.clone() }
                }
                None => Meaning::Value(self.value(&body, scope)?),
            };
            after = after.with(&name, meaning);
        }
        Ok(after)
    }

    /// Least fixed points of relations.
    fn recursive(&mut self, bindings: Vec<Binding>) -> Result<(), Flaw> {
        let group = self.groups.len();
        let mut scope = self.scope.clone();
        let first = self.nodes.len();
        for (n, binding) in bindings.iter().enumerate() {
            if binding.parameters.is_some() {
                return self
                    .flaw(binding.position, "functions that call themselves are not understood".to_owned());
            }
            let value = self.node(Node::Fixed(group, n), Type::Relation);
            self.in_group[value] = Some(group);
            scope = scope.with(&binding.name, Meaning::Value(value));
        }
        self.groups.push(Vec::new());
        self.open = Some(group);
        for binding in &bindings {
            let value = self.value(&binding.body, &scope)?;
            let value = self.coerced(value, Type::Relation);
            if self.types[value] == Type::Set {
                return self
                    .flaw(binding.position, "a recursive definition of a set is not understood".to_owned());
            }
            self.groups[group].push(value);
        }
        self.open = None;
        // A difference from what is being defined need not have a least fixed point.
        let shrinks = (first..self.nodes.len())
            .any(|n| matches!(self.nodes[n], Node::Minus(_, right) if self.in_group[right] == Some(group)));
        if shrinks {
            let what = "a recursive definition subtracts what it defines".to_owned();
            return self.flaw(bindings[0].position, what);
        }
        self.scope = scope;
        Ok(())
    }

    /// The number of a value, which is that of an equal one if there is any.
    fn node(&mut self, node: Node, kind: Type) -> NodeId {
        if let Some(known) = self.known.get(&node) {
            return *known;
        }
        let of = operands(&node).into_iter().flatten();
        // Values of definitions that are complete do not change any more.
        let group = of.filter_map(|operand| self.in_group[operand]).find(|group| Some(*group) == self.open);
        self.nodes.push(node.clone());
        self.types.push(kind);
        self.in_group.push(group);
        self.known.insert(node, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn as_relation(&mut self, value: NodeId) -> NodeId {
        if self.types[value] == Type::Set { self.node(Node::Identity(value), Type::Relation) } else { value }
    }

    /// The empty set and the empty relation are written alike.
    fn coerced(&mut self, value: NodeId, wanted: Type) -> NodeId {
        match (&self.nodes[value], wanted) {
            (Node::NoEvent, Type::Relation) => self.node(Node::NoPair, Type::Relation),
            (Node::NoPair, Type::Set) => self.node(Node::NoEvent, Type::Set),
            _ => value,
        }
    }

    fn value(&mut self, ast: &Ast, scope: &Scope) -> Result<NodeId, Flaw> {
        self.depth += 1;
        if self.depth > DEEPEST || self.nodes.len() > MOST_NODES {
            let place = format!("{}:1:1", self.names.first().map_or("", String::as_str));
            return Err(Flaw { place, what: "the model is too large, or too deeply nested".to_owned() });
        }
        let value = self.value_of(ast, scope);
        self.depth -= 1;
        value
    }

    fn value_of(&mut self, ast: &Ast, scope: &Scope) -> Result<NodeId, Flaw> {
        match ast {
            Ast::All => Ok(self.node(Node::All, Type::Set)),
            Ast::NoPair => Ok(self.node(Node::NoPair, Type::Relation)),
            Ast::NoEvent => Ok(self.node(Node::NoEvent, Type::Set)),
            Ast::Name(name, position) => match scope.find(name) {
                Some(Meaning::Value(value)) => Ok(value),
                Some(Meaning::Function { .. }) => {
                    self.flaw(*position, format!("the function `{name}` needs an argument"))
                }
                None => self.unknown(name, *position),
            },
            Ast::Apply(name, arguments, position) => self.apply(name, arguments, *position, scope),
            Ast::Binary(operator, left, right, position) => {
                let (left, right) = (self.value(left, scope)?, self.value(right, scope)?);
                self.binary(operator, left, right, *position)
            }
            Ast::Postfix(operator, of, position) => {
                let of = self.value(of, scope)?;
                self.postfix(operator, of, *position)
            }
            Ast::Complement(of) => {
                let of = self.value(of, scope)?;
                let all = self.node(Node::All, Type::Set);
                let kind = self.types[of];
                let from = match kind {
                    Type::Set => all,
                    Type::Relation => self.node(Node::Product(all, all), Type::Relation),
                };
                Ok(self.node(Node::Minus(from, of), kind))
            }
            Ast::Identity(of, position) => {
                let of = self.value(of, scope)?;
                let of = self.typed(of, Type::Set, "[…]", *position)?;
                Ok(self.node(Node::Identity(of), Type::Relation))
            }
            Ast::Try(tried, otherwise) => {
                let depth = self.depth;
                self.value(tried, scope).or_else(|_| {
                    self.depth = depth;
                    self.value(otherwise, scope)
                })
            }
            Ast::Let(bindings, inner) => {
                let bindings = bindings.iter().map(|b| Binding {
                    name: b.name.clone(),
                    parameters: b.parameters.clone(),
                    body: Rc::clone(&b.body),
                    position: b.position,
                });
                let scope = self.bind(bindings.collect(), scope)?;
                self.value(inner, &scope)
            }
        }
    }

    fn postfix(&mut self, operator: &str, of: NodeId, position: Position) -> Result<NodeId, Flaw> {
        let of = self.typed(of, Type::Relation, operator, position)?;
        Ok(match operator {
            "^-1" => self.node(Node::Inverse(of), Type::Relation),
            "^+" => self.node(Node::Plus(of), Type::Relation),
            "?" => self.node(Node::Optional(of), Type::Relation),
            _ => {
                let closure = self.node(Node::Plus(of), Type::Relation);
                self.node(Node::Optional(closure), Type::Relation)
            }
        })
    }

    fn unknown<T>(&self, name: &str, position: Position) -> Result<T, Flaw> {
        let mut what = format!("`{name}` has no meaning");
        let others = elsewhere(self.machine, name);
        if let Some(first) = others.first() {
            let all = others.join(", ");
            what = format!(
                "{what} among the events of {}; it has among those of {all}: write --memory-model {first}:FILE",
                self.machine.name()
            );
        }
        self.flaw(position, what)
    }

    fn apply(
        &mut self,
        name: &str,
        arguments: &[Ast],
        position: Position,
        scope: &Scope,
    ) -> Result<NodeId, Flaw> {
        if let ("domain" | "range", [of], None) = (name, arguments, scope.find(name)) {
            let of = self.value(of, scope)?;
            let of = self.typed(of, Type::Relation, name, position)?;
            let node = if name == "domain" { Node::Domain(of) } else { Node::Range(of) };
            return Ok(self.node(node, Type::Set));
        }
        let (parameters, body, inner) = match scope.find(name) {
            Some(Meaning::Function { parameters, body, scope }) => (parameters, body, scope),
            Some(Meaning::Value(_)) => return self.flaw(position, format!("`{name}` is no function")),
            None => return self.unknown(name, position),
        };
        if parameters.len() != arguments.len() {
            let what = format!("`{name}` has {} parameters, not {}", parameters.len(), arguments.len());
            return self.flaw(position, what);
        }
        let mut inner = inner;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let function = match argument {
                Ast::Name(name, _) => scope.find(name).filter(|m| matches!(m, Meaning::Function { .. })),
                _ => None,
            };
            let meaning = match function {
                Some(function) => function,
                None => Meaning::Value(self.value(argument, scope)?),
            };
            inner = inner.with(parameter, meaning);
        }
        // What is wrong inside a function that is built in is wrong with its arguments.
        self.value(&body, &inner).map_err(|flaw| {
            let ours = flaw.place.starts_with('<');
            let place = if ours { self.place(position) } else { flaw.place };
            Flaw { place, what: flaw.what }
        })
    }

    fn typed(
        &mut self,
        value: NodeId,
        wanted: Type,
        operator: &str,
        position: Position,
    ) -> Result<NodeId, Flaw> {
        let value = self.coerced(value, wanted);
        if self.types[value] == wanted {
            return Ok(value);
        }
        let (wants, is) = match wanted {
            Type::Set => ("a set", "a relation"),
            Type::Relation => ("a relation", "a set"),
        };
        self.flaw(position, format!("`{operator}` is applied to {is}, but needs {wants}"))
    }

    fn binary(
        &mut self,
        operator: &str,
        left: NodeId,
        right: NodeId,
        position: Position,
    ) -> Result<NodeId, Flaw> {
        let both = |this: &mut Self, wanted| -> Result<(NodeId, NodeId), Flaw> {
            let left = this.typed(left, wanted, operator, position)?;
            Ok((left, this.typed(right, wanted, operator, position)?))
        };
        match operator {
            ";" => {
                let (left, right) = both(self, Type::Relation)?;
                Ok(self.node(Node::Then(left, right), Type::Relation))
            }
            "*" => {
                let (left, right) = both(self, Type::Set)?;
                Ok(self.node(Node::Product(left, right), Type::Relation))
            }
            _ => {
                let left = self.coerced(left, self.types[right]);
                let right = self.coerced(right, self.types[left]);
                let kind = self.types[left];
                if kind != self.types[right] {
                    let what = format!("`{operator}` is applied to a set and a relation");
                    return self.flaw(position, what);
                }
                let node = match operator {
                    "|" => Node::Or(left, right),
                    "&" => Node::And(left, right),
                    _ => Node::Minus(left, right),
                };
                Ok(self.node(node, kind))
            }
        }
    }
}

/// The values that a value is computed from.
pub(super) fn operands(node: &Node) -> [Option<NodeId>; 2] {
    match node {
        Node::All | Node::Set(_) | Node::Relation(_) | Node::NoEvent | Node::NoPair | Node::Fixed(..) => {
            [None, None]
        }
        Node::Or(left, right)
        | Node::And(left, right)
        | Node::Minus(left, right)
        | Node::Then(left, right)
        | Node::Product(left, right) => [Some(*left), Some(*right)],
        Node::Inverse(of)
        | Node::Plus(of)
        | Node::Optional(of)
        | Node::Identity(of)
        | Node::Domain(of)
        | Node::Range(of) => [Some(*of), None],
    }
}
