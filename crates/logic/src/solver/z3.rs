//! A second opinion: the `z3` program, spoken to in SMT-LIB.
//!
//! For tests only, behind the cargo feature `z3`. It shares nothing with the embedded back end but the terms: every query
//! is printed afresh, so a mistake in our translation, our SAT solver or our lemmas about arrays cannot hide.
//!
//! # Direction of error
//! Some versions of Z3 give wrong values for arrays. A model that does not satisfy the assumptions, by our own
//! evaluation, makes the answer `Unknown`; whether that is *our* evaluation's fault is for the test to look into.

use super::{Answer, Limits, Solver, SolverStatistics};
use crate::term::{ArrayValue, Model, Op, Sort, Term, Terms, Value};
use base::Inconclusive;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// Ends every answer of the program.
const END: &str = "end-of-answer";

/// A running `z3`.
pub struct Z3 {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    statistics: SolverStatistics,
}

impl Z3 {
    /// Starts the program; an error if there is none.
    pub fn start() -> io::Result<Self> {
        let mut child = Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let no_pipe = || io::Error::other("a child should have pipes");
        let input = child.stdin.take().ok_or_else(no_pipe)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(no_pipe)?);
        Ok(Self { child, input, output, statistics: SolverStatistics::default() })
    }

    /// Sends commands and returns all that the program says about them.
    fn send(&mut self, commands: &str) -> io::Result<String> {
        writeln!(self.input, "{commands}\n(echo \"{END}\")")?;
        self.input.flush()?;
        let mut answer = String::new();
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if line.trim() == END {
                return Ok(answer);
            }
            answer.push_str(&line);
        }
    }

    fn answer(&mut self, terms: &Terms, assumptions: &[Term]) -> io::Result<Answer> {
        let mut script = String::from(
            "(reset)\n(set-option :produce-unsat-cores true)\n(set-option :produce-models true)\n(set-logic QF_ABV)\n",
        );
        script.push_str(&terms.smtlib_definitions(assumptions));
        for (n, &t) in assumptions.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = writeln!(script, "(assert (! {} :named ?a{n}))", terms.smtlib_name(t));
        }
        script.push_str("(check-sat)");
        let said = self.send(&script)?;
        match said.trim() {
            "unsat" => {
                let names = self.send("(get-unsat-core)")?;
                let numbers = words(&names).filter_map(|w| w.strip_prefix("?a")?.parse::<usize>().ok());
                Ok(Answer::Unsat(numbers.map(|n| assumptions[n]).collect()))
            }
            "sat" => {
                let model = self.model(terms, assumptions)?;
                let holds = assumptions.iter().all(|&t| terms.eval(t, &model).truth());
                Ok(if holds { Answer::Sat(model) } else { Answer::Unknown })
            }
            "unknown" => Ok(Answer::Unknown),
            other => Err(io::Error::other(format!("z3 should not say {other}"))),
        }
    }

    /// The values of variables; arrays by the elements that the assumptions read and write.
    fn model(&mut self, terms: &Terms, assumptions: &[Term]) -> io::Result<Model> {
        let subterms = terms.subterms(assumptions);
        let is_word = |&t: &Term| !matches!(terms.sort(t), Sort::Array { .. });
        let wanted: Vec<Term> = subterms.iter().copied().filter(is_word).collect();
        let mut values: FxHashMap<Term, Value> = FxHashMap::default();
        if !wanted.is_empty() {
            let names: Vec<String> = wanted.iter().map(|&t| terms.smtlib_name(t)).collect();
            let said = self.send(&format!("(get-value ({}))", names.join(" ")))?;
            for (&t, value) in wanted.iter().zip(literals(&said)) {
                values.insert(t, value);
            }
        }
        let mut model = Model::default();
        for &t in &subterms {
            let Some(symbol) = terms.as_var(t) else { continue };
            let value = match values.get(&t) {
                Some(value) => value.clone(),
                None => Value::Array(self.elements(terms, t, &subterms, &values)?.into()),
            };
            model.set(symbol, value);
        }
        Ok(model)
    }

    /// The elements of an array variable at all indices that occur.
    fn elements(
        &mut self,
        terms: &Terms,
        array: Term,
        subterms: &[Term],
        values: &FxHashMap<Term, Value>,
    ) -> io::Result<ArrayValue> {
        let mut element = ArrayValue::default();
        for &t in subterms.iter().filter(|&&t| matches!(terms.op(t), Op::Select | Op::Store)) {
            let index = terms.kid(t, 1);
            let same_width =
                matches!(terms.sort(array), Sort::Array { index: w, .. } if w == terms.width(index));
            let (Some(Value::Bits(at)), true) = (values.get(&index), same_width) else { continue };
            let width = terms.width(index);
            let said = self
                .send(&format!("(get-value ((select {} (_ bv{at} {width}))))", terms.smtlib_name(array)))?;
            if let Some(Value::Bits(bits)) = literals(&said).last() {
                element.set(*at, bits);
            }
        }
        Ok(element)
    }
}

/// The words of an answer, parentheses dropped.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|w| !w.is_empty())
}

/// The value of each pair `(term value)` of an answer: the last word before its closing parenthesis, if it is a literal.
fn literals(text: &str) -> impl Iterator<Item = Value> {
    let mut depth = 0usize;
    let mut is_quoted = false;
    let mut last = String::new();
    let mut found = Vec::new();
    for c in text.chars() {
        is_quoted ^= c == '|';
        match c {
            _ if is_quoted => {}
            '(' => {
                depth += 1;
                last.clear();
            }
            ')' => {
                if depth == 2 {
                    found.extend(literal(&last));
                }
                depth = depth.saturating_sub(1);
                last.clear();
            }
            c if c.is_whitespace() => last.clear(),
            c => last.push(c),
        }
    }
    found.into_iter()
}

fn literal(word: &str) -> Option<Value> {
    match word {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => {
            let hex = word.strip_prefix("#x").map(|digits| u128::from_str_radix(digits, 16));
            let binary = || word.strip_prefix("#b").map(|digits| u128::from_str_radix(digits, 2));
            hex.or_else(binary)?.ok().map(Value::Bits)
        }
    }
}

impl Solver for Z3 {
    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Answer, Inconclusive> {
        limits.budget.check()?;
        let start = Instant::now();
        let answer = self.answer(terms, assumptions).map_err(|_| Inconclusive::SolverGaveUp)?;
        self.statistics.calls += 1;
        self.statistics.seconds += start.elapsed().as_secs_f64();
        match &answer {
            Answer::Sat(_) => self.statistics.sat += 1,
            Answer::Unsat(_) => self.statistics.unsat += 1,
            Answer::Unknown => {}
        }
        Ok(answer)
    }

    fn statistics(&self) -> SolverStatistics {
        self.statistics
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        // It may have ended by itself; either way there is nothing left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
