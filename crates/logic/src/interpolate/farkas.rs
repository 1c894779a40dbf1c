//! Labels from Farkas' lemma.
//!
//! Read the formulas of the core as linear inequalities `a·x <= k` over the integers. If they have no rational solution,
//! there are multipliers `λ >= 0` with `Σ λ a = 0` and `Σ λ k < 0`, and a linear program finds them. At a cut, the partial sum
//! over the rows before it is implied by them, contradicts the rest, and mentions only versions that are current
//! there, for all others cancel: it is an interpolant.
//!
//! - A disequation or disjunction is split into its cases, each with a certificate of its own. At cuts before the
//!   split the labels of the cases are conjoined, after it they are disjoined. For `x != y` at the end of the path the
//!   conjunction of `x <= y` and `y <= x` becomes `x == y`, which holds modulo 2^w and survives overflow.
//! - A term that is not linear (a product, a read, an `ite`) is a column of its own.
//! - Integers do not wrap and bit-vectors do: the sequence is a guess, to be validated by the caller.

use super::slice::{Row, Slice};
use crate::term::{Linear, Op, Sort, Symbol, Term, Terms, Width, mask, signed};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Maximum number of cases.
const MAX_CASES: usize = 16;
/// More rows than this are no small path.
const MAX_ROWS: usize = 200;
/// Multipliers are fractions with a denominator of at most this.
const MAX_DENOMINATOR: i128 = 60;

/// `Σ coefficients <= bound`, or `==`.
#[derive(Clone, Debug)]
struct Inequality {
    coefficients: BTreeMap<Term, i128>,
    bound: i128,
    is_equation: bool,
    stage: usize,
}

/// What holds in one case.
#[derive(Clone, Copy)]
enum Case {
    Formula(Term),
    /// Kept apart from formulas, where `0 < x` would turn back into `x != 0`.
    Less(Term, Term),
}

/// Cases of which one must hold, at a stage.
#[derive(Clone)]
struct Split {
    cases: Vec<Case>,
    stage: usize,
}

struct Reader<'a> {
    terms: &'a mut Terms,
    slice: &'a Slice,
    is_signed: bool,
    n_cases: usize,
}

/// The labels, with comparisons read and written as signed or unsigned.
pub(super) fn labels(terms: &mut Terms, slice: &Slice, is_signed: bool) -> Option<Vec<Term>> {
    // A row that is false by itself, constants inlined, has no partial sums.
    if slice.rows.iter().any(|row| terms.as_bool(row.formula) == Some(false)) {
        return None;
    }
    let mut reader = Reader { terms, slice, is_signed, n_cases: 0 };
    let rows: Vec<(Case, usize)> =
        slice.rows.iter().map(|&Row { formula, stage }| (Case::Formula(formula), stage)).collect();
    reader.solve(Vec::new(), Vec::new(), &rows)
}

impl Reader<'_> {
    /// Reads `cases` into rows and splits, then takes the first split's cases one by one.
    fn solve(
        &mut self,
        mut rows: Vec<Inequality>,
        mut splits: Vec<Split>,
        cases: &[(Case, usize)],
    ) -> Option<Vec<Term>> {
        for &(case, stage) in cases {
            match case {
                Case::Formula(formula) => self.read(formula, stage, &mut rows, &mut splits)?,
                Case::Less(a, b) => rows.push(self.row(a, b, -1, false, stage)?),
            }
        }
        if let Some(split) = splits.pop() {
            return self.solve_cases(&rows, &splits, &split);
        }
        self.n_cases += 1;
        if self.n_cases > MAX_CASES || rows.len() > MAX_ROWS {
            return None;
        }
        if !self.is_signed {
            add_nonnegativity(&mut rows);
        }
        let multipliers = certificate(&rows)?;
        (0..self.slice.versions.len()).map(|cut| self.label(&rows, &multipliers, cut)).collect()
    }

    fn solve_cases(&mut self, rows: &[Inequality], splits: &[Split], split: &Split) -> Option<Vec<Term>> {
        let mut labels: Vec<Vec<Term>> = vec![Vec::new(); self.slice.versions.len()];
        for &case in &split.cases {
            let solved = self.solve(rows.to_vec(), splits.to_vec(), &[(case, split.stage)])?;
            for (all, label) in labels.iter_mut().zip(solved) {
                all.push(label);
            }
        }
        let joined = labels
            .into_iter()
            .enumerate()
            .map(|(cut, all)| if split.stage <= cut { self.terms.or(&all) } else { self.terms.and(&all) });
        Some(joined.collect())
    }

    fn read(
        &mut self,
        formula: Term,
        stage: usize,
        rows: &mut Vec<Inequality>,
        splits: &mut Vec<Split>,
    ) -> Option<()> {
        let terms = &mut *self.terms;
        let pair = |terms: &Terms| (terms.kid(formula, 0), terms.kid(formula, 1));
        match terms.op(formula) {
            Op::And => {
                for part in terms.conjuncts(formula) {
                    self.read(part, stage, rows, splits)?;
                }
            }
            Op::Bool(true) => {}
            Op::Bool(false) => {
                rows.push(Inequality { coefficients: BTreeMap::new(), bound: -1, is_equation: false, stage });
            }
            Op::Eq if terms.sort(terms.kid(formula, 0)).width().is_some() => {
                let (a, b) = pair(terms);
                rows.push(self.row(a, b, 0, true, stage)?);
            }
            op @ (Op::Ule | Op::Sle | Op::Ult | Op::Slt) => {
                let (a, b) = pair(terms);
                let bound = if matches!(op, Op::Ult | Op::Slt) { -1 } else { 0 };
                rows.push(self.row(a, b, bound, false, stage)?);
            }
            Op::Not if terms.op(terms.kid(formula, 0)) == Op::Eq => {
                let equation = terms.kid(formula, 0);
                let (a, b) = (terms.kid(equation, 0), terms.kid(equation, 1));
                if !matches!(terms.sort(a), Sort::Bits(_)) {
                    return None;
                }
                splits.push(Split { cases: vec![Case::Less(a, b), Case::Less(b, a)], stage });
            }
            Op::Not if terms.op(terms.kid(formula, 0)) == Op::And => {
                let cases = terms.disjuncts(formula).into_iter().map(Case::Formula).collect();
                splits.push(Split { cases, stage });
            }
            _ => return None,
        }
        Some(())
    }

    /// The row of `left (==, <=) right + bound`.
    fn row(
        &self,
        left: Term,
        right: Term,
        bound: i128,
        is_equation: bool,
        stage: usize,
    ) -> Option<Inequality> {
        let mut row = Inequality { coefficients: BTreeMap::new(), bound, is_equation, stage };
        for (side, sign) in [(left, 1), (right, -1)] {
            let sum = self.terms.linear(side);
            for &(x, c) in &sum.parts {
                *row.coefficients.entry(x).or_insert(0) += sign * signed(c, sum.width);
            }
            row.bound = row.bound.checked_sub(sign * self.number(&sum)?)?;
        }
        row.coefficients.retain(|_, c| *c != 0);
        Some(row)
    }

    /// The constant of a sum as an integer: an offset is small and signed, a lone constant is read as the caller says.
    fn number(&self, sum: &Linear) -> Option<i128> {
        if sum.width > 64 {
            return None;
        }
        let as_signed = self.is_signed || !sum.parts.is_empty();
        Some(if as_signed { signed(sum.constant, sum.width) } else { sum.constant.cast_signed() })
    }

    /// The partial sum of the rows before a cut, over state variables.
    fn label(&mut self, rows: &[Inequality], multipliers: &[i128], cut: usize) -> Option<Term> {
        let mut coefficients: BTreeMap<Term, i128> = BTreeMap::new();
        let mut bound: i128 = 0;
        for (row, &factor) in rows.iter().zip(multipliers).filter(|(row, _)| row.stage <= cut) {
            for (&x, &c) in &row.coefficients {
                *coefficients.entry(x).or_insert(0) += c.checked_mul(factor)?;
            }
            bound = bound.checked_add(row.bound.checked_mul(factor)?)?;
        }
        coefficients.retain(|_, c| *c != 0);
        let divisor = coefficients.values().fold(0, |d, &c| gcd(d, c.abs()));
        if divisor == 0 {
            return Some(self.terms.truth(bound >= 0));
        }
        let state = self.state_terms(cut);
        let mut sides = [Vec::new(), Vec::new()];
        for (x, c) in coefficients {
            let x = self.at_cut(x, &state)?;
            sides[usize::from(c < 0)].push((x, c.abs() / divisor));
        }
        self.write(sides, bound.div_euclid(divisor))
    }

    /// From versions back to the state variables of which they are the current value.
    fn state_terms(&self, cut: usize) -> FxHashMap<Symbol, Term> {
        let mut back = FxHashMap::default();
        for (&x, &version) in &self.slice.versions[cut] {
            if let Some(symbol) = self.terms.as_var(version) {
                back.insert(symbol, self.terms.var_of(x));
            }
        }
        back
    }

    /// A column at a cut, if all its versions are current there.
    fn at_cut(&mut self, column: Term, state: &FxHashMap<Symbol, Term>) -> Option<Term> {
        let vars = self.terms.free_vars(column);
        let is_set = |x: &Symbol| state.values().any(|&t| t == self.terms.var_of(*x));
        let is_current = |x: &Symbol| state.contains_key(x) || (!self.terms.is_version(*x) && !is_set(x));
        if !vars.iter().all(is_current) {
            return None;
        }
        Some(self.terms.substitute(column, state))
    }

    /// `positive <= negative + bound`, with the bound on the side where it is positive, and strict for -1.
    fn write(&mut self, [positive, negative]: [Vec<(Term, i128)>; 2], bound: i128) -> Option<Term> {
        let width = self.terms.width(positive.first().or(negative.first())?.0);
        let mut left = self.side(&positive, width)?;
        let mut right = self.side(&negative, width)?;
        let range =
            if self.is_signed { -(1i128 << (width - 1))..1i128 << (width - 1) } else { 0..1i128 << width };
        if negative.is_empty() {
            right.constant = bound.cast_unsigned() & mask(width);
            if !range.contains(&bound) {
                return Some(self.terms.truth(bound >= range.end));
            }
        } else if positive.is_empty() {
            left.constant = bound.wrapping_neg().cast_unsigned() & mask(width);
            if !range.contains(&-bound) {
                return Some(self.terms.truth(-bound < range.start));
            }
        } else if bound > 0 {
            right.constant = bound.cast_unsigned() & mask(width);
        } else if bound < -1 {
            left.constant = bound.wrapping_neg().cast_unsigned() & mask(width);
        }
        let (a, b) = (self.terms.sum(&left), self.terms.sum(&right));
        let strict = bound == -1 && !positive.is_empty() && !negative.is_empty();
        Some(match (self.is_signed, strict) {
            (true, true) => self.terms.slt(a, b),
            (true, false) => self.terms.sle(a, b),
            (false, true) => self.terms.ult(a, b),
            (false, false) => self.terms.ule(a, b),
        })
    }

    fn side(&self, parts: &[(Term, i128)], width: Width) -> Option<Linear> {
        let mut sum = Linear::zero(width);
        for &(x, c) in parts {
            if self.terms.width(x) != width {
                return None;
            }
            sum.add(self.terms, x, c.cast_unsigned());
        }
        sum.normalise();
        Some(sum)
    }
}

/// Unsigned numbers are not negative: one more row per column, where the column first occurs.
fn add_nonnegativity(rows: &mut Vec<Inequality>) {
    let mut first: BTreeMap<Term, usize> = BTreeMap::new();
    for row in rows.iter() {
        for &x in row.coefficients.keys() {
            let stage = first.entry(x).or_insert(row.stage);
            *stage = (*stage).min(row.stage);
        }
    }
    for (x, stage) in first {
        rows.push(Inequality {
            coefficients: BTreeMap::from([(x, -1)]),
            bound: 0,
            is_equation: false,
            stage,
        });
    }
}

/// Integer multipliers under which the rows add up to `0 <= k` with a negative `k`, checked exactly.
fn certificate(rows: &[Inequality]) -> Option<Vec<i128>> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let mut columns: BTreeMap<Term, Vec<(Variable, f64)>> = BTreeMap::new();
    let mut total: Vec<(Variable, f64)> = Vec::new();
    let mut variables = Vec::new();
    for row in rows {
        let up = problem.add_var(1.0, (0.0, f64::INFINITY));
        let down = row.is_equation.then(|| problem.add_var(1.0, (0.0, f64::INFINITY)));
        for (variable, sign) in [(Some(up), 1.0), (down, -1.0)] {
            let Some(variable) = variable else { continue };
            for (&x, &c) in &row.coefficients {
                columns.entry(x).or_default().push((variable, sign * c as f64));
            }
            total.push((variable, sign * row.bound as f64));
        }
        variables.push((up, down));
    }
    for column in columns.values() {
        problem.add_constraint(column.as_slice(), ComparisonOp::Eq, 0.0);
    }
    problem.add_constraint(total.as_slice(), ComparisonOp::Le, -1.0);
    let solution = problem.solve().ok()?.into_solution().ok()?;
    let value = |v: Variable| solution.var_value(v);
    let multipliers: Vec<f64> =
        variables.iter().map(|&(up, down)| value(up) - down.map_or(0.0, value)).collect();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a multiplier that is close to an integer is below 1e12"
    )]
    let to_integer = |m: f64| m.round() as i128;
    (1..=MAX_DENOMINATOR).find_map(|d| {
        let scaled = multipliers.iter().map(|m| m * d as f64);
        let is_close = |m: &f64| (m - m.round()).abs() < 1e-6 && m.abs() < 1e12;
        let whole: Vec<i128> = scaled.take_while(is_close).map(to_integer).collect();
        (whole.len() == rows.len() && proves(rows, &whole)).then_some(whole)
    })
}

fn proves(rows: &[Inequality], multipliers: &[i128]) -> bool {
    let mut sums: BTreeMap<Term, i128> = BTreeMap::new();
    let mut bound = 0i128;
    for (row, &factor) in rows.iter().zip(multipliers) {
        if factor < 0 && !row.is_equation {
            return false;
        }
        for (&x, &c) in &row.coefficients {
            *sums.entry(x).or_insert(0) += c.saturating_mul(factor);
        }
        bound = bound.saturating_add(row.bound.saturating_mul(factor));
    }
    bound < 0 && sums.values().all(|&s| s == 0)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
