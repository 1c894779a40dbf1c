//! A user's model in the form of the checker's own: every value is a definition.

use super::cat::{Definition, Expr, GIVEN, SETS, Test, Text};
use super::evaluate::{Code, Compiler};
use program::cat::{self, Model, Node, NodeId, UserModel};
use std::collections::HashMap;
use std::sync::Mutex;

static CODES: Mutex<Vec<(&'static UserModel, &'static Code)>> = Mutex::new(Vec::new());

/// The operations of a model; they are kept as long as the model is: for ever.
pub fn code(user: &'static UserModel) -> &'static Code {
    let mut codes = CODES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, code)) = codes.iter().find(|(known, _)| std::ptr::eq(*known, user)) {
        return code;
    }
    let text = text(&user.model);
    let code = Compiler::new(&text).compile().expect("a model that was read should have types");
    let code: &'static Code = Box::leak(Box::new(code));
    codes.push((user, code));
    code
}

fn text(model: &Model) -> Text {
    let mut text = Text::default();
    let mut writer = Writer { model, names: HashMap::new() };
    for n in 0..model.nodes.len() {
        writer.define(n, &mut text);
    }
    for axiom in &model.axioms {
        let test = match (axiom.test, axiom.negated) {
            (cat::Test::Acyclic, false) => Test::Acyclic,
            (cat::Test::Irreflexive, false) => Test::Irreflexive,
            (cat::Test::Empty, false) => Test::Empty,
            (cat::Test::Acyclic, true) => Test::Cyclic,
            (cat::Test::Irreflexive, true) => Test::Reflexive,
            (cat::Test::Empty, true) => Test::Inhabited,
        };
        text.tests.push((test, writer.expr(axiom.of)));
    }
    if model.facts.load_buffering {
        text.tests.push((Test::Acyclic, nothing_out_of_thin_air()));
    }
    text
}

/// `addr | data | ctrl ; [W] | rf`: what is not forbidden by the model itself, but taken for granted.
fn nothing_out_of_thin_air() -> Expr {
    let branched = binary(';', given("ctrl"), Expr::Identity(Box::new(given("W"))));
    let depends = binary('|', given("addr"), given("data"));
    binary('|', binary('|', depends, branched), given("rf"))
}

fn given(name: &str) -> Expr {
    Expr::Name(GIVEN.iter().position(|known| *known == name).expect("the name should be given"))
}

fn binary(operator: char, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}

struct Writer<'m> {
    model: &'m Model,
    /// The names of values that are defined.
    names: HashMap<NodeId, usize>,
}

impl Writer<'_> {
    /// Gives a value a name. What is computed inside a recursive definition has none, but is written out where it is used; the recursive relations are defined together.
    fn define(&mut self, n: NodeId, text: &mut Text) {
        match (&self.model.nodes[n], self.model.in_group[n]) {
            (Node::Fixed(group, position), _) => {
                let name = GIVEN.len() + text.defined_by.len();
                self.names.insert(n, name);
                text.defined_by.push(text.definitions.len());
                if position + 1 == self.model.groups[*group].len() {
                    // What the bodies are made of comes later in the list of values, so that they are written at the end of the group.
                    text.definitions.push(Definition { names: Vec::new(), recursive: true });
                }
            }
            (_, Some(_)) => {}
            (_, None) => {
                let expr = self.compute(n);
                let name = GIVEN.len() + text.defined_by.len();
                text.defined_by.push(text.definitions.len());
                text.definitions.push(Definition { names: vec![(name, expr)], recursive: false });
                self.names.insert(n, name);
            }
        }
        self.complete(n, text);
    }

    /// Writes the bodies of the recursive definition whose last part this value is.
    fn complete(&mut self, n: NodeId, text: &mut Text) {
        let model = self.model;
        for (group, bodies) in model.groups.iter().enumerate() {
            let fixed = |position: usize| {
                let node = Node::Fixed(group, position);
                model.nodes.iter().position(|known| *known == node).expect("the relation should be a value")
            };
            let last = (0..bodies.len()).map(fixed).chain(bodies.iter().copied()).max();
            if last != Some(n) {
                continue;
            }
            let names: Vec<(usize, Expr)> = bodies
                .iter()
                .enumerate()
                .map(|(position, body)| (self.names[&fixed(position)], self.expr(*body)))
                .collect();
            let definition = text.defined_by[names[0].0 - GIVEN.len()];
            text.definitions[definition].names = names;
        }
    }

    fn expr(&self, n: NodeId) -> Expr {
        match self.names.get(&n) {
            Some(name) => Expr::Name(*name),
            None => self.compute(n),
        }
    }

    fn compute(&self, n: NodeId) -> Expr {
        let one = |of: &NodeId| Box::new(self.expr(*of));
        let two =
            |operator, left: &NodeId, right: &NodeId| binary(operator, self.expr(*left), self.expr(*right));
        match &self.model.nodes[n] {
            Node::All => binary('|', given("M"), given("F")),
            Node::Set(set) => Expr::Name(*set),
            Node::Relation(relation) => Expr::Name(SETS + relation),
            Node::NoEvent => binary('\\', given("R"), given("R")),
            Node::NoPair => binary('\\', given("id"), given("id")),
            Node::Or(left, right) => two('|', left, right),
            Node::And(left, right) => two('&', left, right),
            Node::Minus(left, right) => two('\\', left, right),
            Node::Then(left, right) => two(';', left, right),
            Node::Product(left, right) => two('*', left, right),
            Node::Inverse(of) => Expr::Postfix("^-1", one(of)),
            Node::Plus(of) => Expr::Postfix("^+", one(of)),
            Node::Optional(of) => Expr::Postfix("?", one(of)),
            Node::Identity(of) => Expr::Identity(one(of)),
            Node::Domain(of) => Expr::Side(false, one(of)),
            Node::Range(of) => Expr::Side(true, one(of)),
            Node::Fixed(..) => unreachable!("a recursive relation should have a name"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_is_called_alike() {
        let plain = |name: &str| name.trim_start_matches('$').to_owned();
        let shared: Vec<String> = cat::SETS.iter().chain(&cat::RELATIONS).map(|name| plain(name)).collect();
        assert_eq!(shared, GIVEN);
        assert_eq!(cat::SETS.len(), SETS);
    }
}
