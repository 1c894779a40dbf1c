//! The pool: storage, interning and names.

use super::rules::{self, RULES};
use super::traverse::Memo;
use super::{Op, Sort, Symbol, Term, Width, mask};
use base::Idx;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

#[derive(Clone, Copy)]
struct Definition {
    op: Op,
    sort: Sort,
    first: u32,
    n_kids: u32,
}

#[derive(Clone)]
struct Name {
    text: String,
    term: Term,
    is_version: bool,
}

/// The pool of all terms.
#[derive(Clone)]
pub struct Terms {
    nodes: Vec<Definition>,
    kids: Vec<Term>,
    /// Open addressing over `nodes`; 0 is free, otherwise a term's number plus one. Its length is a power of two.
    table: Vec<u32>,
    names: Vec<Name>,
    by_name: FxHashMap<String, Symbol>,
    versions: FxHashMap<(Symbol, u32), Term>,
    n_fresh: u32,
    pub(super) reads: FxHashMap<(Term, Term), Term>,
    /// Room for substitutions.
    pub(super) memo: Memo,
    fired: Vec<u64>,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// A pool that holds only `true` and `false`.
    pub fn new() -> Self {
        let mut terms = Self {
            nodes: Vec::new(),
            kids: Vec::new(),
            table: vec![0; 1024],
            names: Vec::new(),
            by_name: FxHashMap::default(),
            versions: FxHashMap::default(),
            n_fresh: 0,
            reads: FxHashMap::default(),
            memo: Memo::default(),
            fired: vec![0; RULES.len()],
        };
        terms.intern(Op::Bool(false), &[], Sort::Bool);
        terms.intern(Op::Bool(true), &[], Sort::Bool);
        terms
    }

    /// How many distinct terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: `true` and `false` are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operation at the top of `term`.
    pub fn op(&self, term: Term) -> Op {
        self.nodes[term.index()].op
    }

    /// The sort of `term`.
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.index()].sort
    }

    /// The operands of `term`.
    pub fn kids(&self, term: Term) -> &[Term] {
        let node = &self.nodes[term.index()];
        &self.kids[node.first as usize..(node.first + node.n_kids) as usize]
    }

    /// The `n`-th operand of `term`.
    pub fn kid(&self, term: Term, n: usize) -> Term {
        self.kids(term)[n]
    }

    /// The width of the bit-vector `term`.
    pub fn width(&self, term: Term) -> Width {
        self.sort(term).width().expect("the term should be a bit-vector")
    }

    /// The value of `term` if it is a bit-vector constant.
    pub fn as_const(&self, term: Term) -> Option<u128> {
        if let Op::Const(value) = self.op(term) { Some(value) } else { None }
    }

    /// The value of `term` if it is a truth constant.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        if let Op::Bool(value) = self.op(term) { Some(value) } else { None }
    }

    /// The name of `term` if it is a variable.
    pub fn as_var(&self, term: Term) -> Option<Symbol> {
        if let Op::Var(symbol) = self.op(term) { Some(symbol) } else { None }
    }

    /// The variable called `name`, made at first mention; its sort never changes.
    pub fn var(&mut self, name: &str, sort: Sort) -> Term {
        if let Some(&symbol) = self.by_name.get(name) {
            let term = self.names[symbol.index()].term;
            assert_eq!(self.sort(term), sort, "{name} should keep its sort");
            return term;
        }
        let symbol = Symbol::new(self.names.len());
        let term = self.intern(Op::Var(symbol), &[], sort);
        self.names.push(Name { text: name.to_owned(), term, is_version: false });
        self.by_name.insert(name.to_owned(), symbol);
        term
    }

    /// The variable called `name`, if it was mentioned.
    pub fn known_var(&self, name: &str) -> Option<Term> {
        self.by_name.get(name).map(|symbol| self.var_of(*symbol))
    }

    /// The variable of a symbol.
    pub fn var_of(&self, symbol: Symbol) -> Term {
        self.names[symbol.index()].term
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()].text
    }

    /// A variable with a name that is not yet in use.
    pub fn fresh(&mut self, hint: &str, sort: Sort) -> Term {
        loop {
            self.n_fresh += 1;
            let name = format!("{hint}!{}", self.n_fresh);
            if !self.by_name.contains_key(&name) {
                return self.var(&name, sort);
            }
        }
    }

    /// The `version`-th value of the state variable `symbol`: the variable itself for 0, `x#n` for others. The same
    /// arguments always give the same term, so paths with a common prefix share their formulas.
    pub fn version(&mut self, symbol: Symbol, version: u32) -> Term {
        if version == 0 {
            return self.var_of(symbol);
        }
        if let Some(&term) = self.versions.get(&(symbol, version)) {
            return term;
        }
        let name = format!("{}#{version}", self.name(symbol));
        let sort = self.sort(self.var_of(symbol));
        let term = self.var(&name, sort);
        self.versions.insert((symbol, version), term);
        if let Some(symbol) = self.as_var(term) {
            self.names[symbol.index()].is_version = true;
        }
        term
    }

    /// Returns true if this symbol was made by [`version`](Self::version).
    pub fn is_version(&self, symbol: Symbol) -> bool {
        self.names[symbol.index()].is_version
    }

    /// How often each rule fired, by name.
    pub fn firings(&self) -> impl Iterator<Item = (&'static str, u64)> {
        RULES.iter().zip(&self.fired).map(|(rule, &n)| (rule.name, n))
    }

    /// The normal form of `op` applied to `kids`.
    pub(crate) fn make(&mut self, op: Op, kids: &[Term]) -> Term {
        let sort = self.result_sort(op, kids);
        if let Some(known) = self.find(op, kids, sort, hash(op, kids, sort)) {
            return known;
        }
        for at in rules::of(op) {
            if let Some(result) = (RULES[at].rewrite)(self, op, kids) {
                self.fired[at] += 1;
                debug_assert_eq!(self.sort(result), sort, "rule {} should keep the sort", RULES[at].name);
                return result;
            }
        }
        self.intern(op, kids, sort)
    }

    /// A constant, cut to `width`.
    pub fn constant(&mut self, value: u128, width: Width) -> Term {
        debug_assert!((1..=128).contains(&width), "a width should be from 1 to 128, not {width}");
        self.intern(Op::Const(value & mask(width)), &[], Sort::Bits(width))
    }

    fn result_sort(&self, op: Op, kids: &[Term]) -> Sort {
        match op {
            Op::Bool(_) | Op::Not | Op::And | Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => Sort::Bool,
            Op::Const(_) | Op::Var(_) => unreachable!("leaves should not come here"),
            Op::Ite => self.sort(kids[1]),
            Op::Concat => Sort::Bits(self.width(kids[0]) + self.width(kids[1])),
            Op::Extract { hi, lo } => Sort::Bits(hi - lo + 1),
            Op::Zext(width) | Op::Sext(width) => Sort::Bits(width),
            Op::Select => match self.sort(kids[0]) {
                Sort::Array { element, .. } => Sort::Bits(element),
                other => panic!("select should read an array, not {other:?}"),
            },
            Op::ConstArray(index) => Sort::Array { index, element: self.width(kids[0]) },
            _ => self.sort(kids[0]),
        }
    }

    fn find(&self, op: Op, kids: &[Term], sort: Sort, hash: u64) -> Option<Term> {
        let last = self.table.len() - 1;
        let mut slot = slot_of(hash, last);
        while self.table[slot] != 0 {
            let term = Term(self.table[slot] - 1);
            let node = &self.nodes[term.index()];
            if node.op == op && node.sort == sort && self.kids(term) == kids {
                return Some(term);
            }
            slot = (slot + 1) & last;
        }
        None
    }

    /// Stores a node as it is. Only [`make`](Self::make), constants and variables may call this.
    fn intern(&mut self, op: Op, kids: &[Term], sort: Sort) -> Term {
        let code = hash(op, kids, sort);
        if let Some(known) = self.find(op, kids, sort, code) {
            return known;
        }
        if 2 * self.nodes.len() >= self.table.len() {
            self.grow();
        }
        let term = Term::new(self.nodes.len());
        let first = u32::try_from(self.kids.len()).expect("a pool should have fewer than 2^32 edges");
        self.kids.extend_from_slice(kids);
        self.nodes.push(Definition {
            op,
            sort,
            first,
            n_kids: u32::try_from(kids.len()).expect("a node should have fewer than 2^32 operands"),
        });
        self.place(term, code);
        term
    }

    fn place(&mut self, term: Term, code: u64) {
        let last = self.table.len() - 1;
        let mut slot = slot_of(code, last);
        while self.table[slot] != 0 {
            slot = (slot + 1) & last;
        }
        self.table[slot] = term.0 + 1;
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for n in 0..self.nodes.len() {
            let term = Term::new(n);
            let code = hash(self.op(term), self.kids(term), self.sort(term));
            self.place(term, code);
        }
    }
}

/// The table's length is a power of two and its slots are the low bits, which Fx leaves poorly mixed: hence the last step.
fn hash(op: Op, kids: &[Term], sort: Sort) -> u64 {
    let mut hasher = FxHasher::default();
    (op, sort).hash(&mut hasher);
    for kid in kids {
        hasher.write_u32(kid.0);
    }
    let code = hasher.finish();
    (code ^ (code >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

/// Where a hash belongs in a table whose last slot is `last`, all ones: the other bits are dropped.
fn slot_of(hash: u64, last: usize) -> usize {
    usize::try_from(hash & last as u64).expect("a slot should be inside of the table")
}
