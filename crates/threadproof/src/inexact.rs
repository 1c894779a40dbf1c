//! Which counterexamples rest on what only a summary is known of.
//!
//! Most summaries allow more than the function does: more results (`strftime`, `hypot`), or combinations of a result and of what is written that do not
//! occur. An execution that branches on such a result may not exist. Only a few functions bring something from outside (`read`, `open`)
//! of which all that the row allows can occur. So a counterexample is followed once more, with the set of registers and bytes that depend on an
//! inexact result. Lowering puts each such result into a register, or takes it from a block, whose name ends in [`INEXACT_RESULT`].
//!
//! | what happens | what is tainted |
//! |---|---|
//! | something tainted is read | what is written next in this step |
//! | a branch in a function of the library reads it | the objects that are written until that function returns, whole: other bytes might have been |
//! | a branch, an assumption or a wait of the program reads it | the counterexample: it rests on the result |
//!
//! # Direction of error
//! Too much may be tainted, so that a counterexample is refused that does not need the result; never too little, except that a racing access
//! whose address alone is tainted is not looked at.

use evidence::Trace;
use program::interp::{Choice, Event, Identity, Interp, Place, ThreadId, span_name};
use program::trace::{Execution, Taken};
use program::{Action, Expr, FuncId, INEXACT_RESULT, Op, Program, VarId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The function of which only a summary is known and on whose result a counterexample rests, and the place where that shows.
pub fn rests_on_summary(interp: &Interp<'_>, trace: &Trace) -> Option<(String, String)> {
    let mut execution = Execution::new(interp);
    let mut taint = Taint {
        interp,
        registers: BTreeMap::new(),
        memory: BTreeMap::new(),
        objects: BTreeMap::new(),
        control: BTreeMap::new(),
        outermost: None,
    };
    for step in &trace.steps {
        let thread = execution.thread(step).ok()?;
        let frames = execution.state().thread(thread)?.frames();
        let depth = frames.len();
        let functions = &interp.program().functions;
        let called = frames.rev().map(|frame| &functions[frame.func()]).take_while(|f| f.library).last();
        taint.outermost = called.map(|f| f.name.as_str().into());
        let taken = execution.step(step).ok()?;
        if let Some(function) = taint.follow(&taken, thread, depth) {
            let place = span_name(interp.program(), taken.position.span);
            return Some((function.to_string(), place));
        }
    }
    None
}

/// The name of the function that something tainted comes from.
type Source = Rc<str>;

struct Taint<'i, 'p> {
    interp: &'i Interp<'p>,
    /// By thread, number of frames and register.
    registers: BTreeMap<(ThreadId, usize, VarId), Source>,
    memory: BTreeMap<(Identity, u64), Source>,
    /// Objects to which a function of the library has written that had branched on something tainted.
    objects: BTreeMap<Identity, Source>,
    /// Frames of the library that have branched on something tainted.
    control: BTreeMap<(ThreadId, usize), Source>,
    /// The function of the library that the program has called, if it has.
    outermost: Option<Source>,
}

impl Taint<'_, '_> {
    /// Follows a step; the source of what a decision of the program rests on.
    fn follow(&mut self, taken: &Taken, thread: ThreadId, mut depth: usize) -> Option<Source> {
        let function = &self.interp.program().functions[taken.position.func];
        let action = &function.locations[taken.position.loc].action;
        let mut read: Option<Source> = None;
        for event in &taken.events {
            match event {
                Event::Read { place, width, .. }
                | Event::Chosen { what: Choice::Indeterminate(place), width, .. } => {
                    read = self.at(*place, width.bytes(), thread, depth).or(read);
                }
                Event::ReadUnset { place, len, .. } => {
                    read = self.at(*place, *len, thread, depth).or(read);
                }
                Event::Write { place, width, .. } => {
                    let source = self.inexact(*place).or(read).or_else(|| self.controlled(thread, depth));
                    self.set(*place, width.bytes(), thread, depth, source);
                    read = None;
                }
                Event::Copied { dst, src, len } => {
                    let source = self.at(*src, *len, thread, depth).or(read).or_else(|| self.inexact(*src));
                    self.set(*dst, *len, thread, depth, source.or_else(|| self.controlled(thread, depth)));
                    read = None;
                }
                Event::Filled { dst, len, .. } => {
                    let source = read.or_else(|| self.controlled(thread, depth));
                    self.set(*dst, *len, thread, depth, source);
                    read = None;
                }
                Event::Called { func } => {
                    self.pass_arguments(action, *func, thread, depth, read.take());
                    depth += 1;
                }
                Event::Returned { .. } => {
                    read = read.or_else(|| self.controlled(thread, depth));
                    self.end_frame(thread, depth);
                    depth -= 1;
                }
                Event::Started { thread: child, func } => self.start(*child, *func, read.clone()),
                Event::Evaluated(_)
                | Event::Left { .. }
                | Event::Chosen { .. }
                | Event::Allocated { .. }
                | Event::Freed { .. }
                | Event::Resized { .. }
                | Event::Sync { .. }
                | Event::Finished { .. }
                | Event::Joined { .. }
                | Event::Woken { .. } => {}
            }
        }
        self.decision(action, thread, depth, read).filter(|source| {
            if function.library {
                self.control.insert((thread, depth), source.clone());
            }
            !function.library
        })
    }

    fn start(&mut self, child: ThreadId, func: FuncId, argument: Option<Source>) {
        let first = self.interp.program().functions[func].params.first().copied();
        if let (Some(param), Some(source)) = (first, argument) {
            self.registers.insert((child, 1, param), source);
        }
    }

    fn end_frame(&mut self, thread: ThreadId, depth: usize) {
        self.registers.retain(|(t, d, _), _| *t != thread || *d != depth);
        self.control.remove(&(thread, depth));
        self.objects.retain(|object, _| !is_of_frame(*object, thread, depth));
    }

    /// The source of what an action decides by.
    fn decision(
        &self,
        action: &Action,
        thread: ThreadId,
        depth: usize,
        read: Option<Source>,
    ) -> Option<Source> {
        match action {
            Action::Branch { .. } => read,
            Action::Ops { ops, .. } => ops.iter().find_map(|op| match op {
                Op::Guard(cond) | Op::Assume(cond) => self.in_registers(cond, thread, depth),
                _ => None,
            }),
            _ => None,
        }
    }

    fn in_registers(&self, expr: &Expr, thread: ThreadId, depth: usize) -> Option<Source> {
        let mut found = None;
        expr.walk(&mut |part| {
            if let Expr::Reg(var, _) = part
                && found.is_none()
            {
                found = self.registers.get(&(thread, depth, *var)).cloned();
            }
        });
        found
    }

    fn pass_arguments(
        &mut self,
        action: &Action,
        func: FuncId,
        thread: ThreadId,
        depth: usize,
        read: Option<Source>,
    ) {
        let Action::Call { args, .. } = action else { return };
        let params = self.interp.program().functions[func].params.clone();
        for (param, arg) in params.into_iter().zip(args) {
            let source = self.in_registers(arg, thread, depth);
            let source = source.or_else(|| read.clone().filter(|_| arg.reads_memory()));
            if let Some(source) = source {
                self.registers.insert((thread, depth + 1, param), source);
            }
        }
    }

    /// The source of a branch that the running function, or one that called it, has taken.
    fn controlled(&self, thread: ThreadId, depth: usize) -> Option<Source> {
        self.control.range((thread, 0)..=(thread, depth)).next().map(|(_, source)| source.clone())
    }

    fn at(&self, place: Place, len: u64, thread: ThreadId, depth: usize) -> Option<Source> {
        match place {
            Place::Register { var, .. } => self.registers.get(&(thread, depth, var)).cloned(),
            Place::Memory { object, offset } => {
                let bytes = self.memory.range((object, offset)..(object, offset.saturating_add(len)));
                bytes.map(|(_, source)| source.clone()).next().or_else(|| self.objects.get(&object).cloned())
            }
        }
    }

    fn set(&mut self, place: Place, len: u64, thread: ThreadId, depth: usize, source: Option<Source>) {
        if let (Place::Memory { object, .. }, Some(source)) = (place, self.controlled(thread, depth)) {
            self.objects.insert(object, source);
        }
        match (place, source) {
            (Place::Register { var, .. }, Some(source)) => {
                self.registers.insert((thread, depth, var), source);
            }
            (Place::Register { var, .. }, None) => _ = self.registers.remove(&(thread, depth, var)),
            (Place::Memory { object, offset }, Some(source)) => {
                for at in offset..offset + len {
                    self.memory.insert((object, at), source.clone());
                }
            }
            (Place::Memory { object, offset }, None) => {
                let bytes = self.memory.range((object, offset)..(object, offset + len));
                let bytes: Vec<_> = bytes.map(|(at, _)| *at).collect();
                bytes.iter().for_each(|at| _ = self.memory.remove(at));
            }
        }
    }

    /// The function whose result a place holds by its name.
    fn inexact(&self, place: Place) -> Option<Source> {
        let place = match place {
            Place::Memory { object: Identity::Local { func, var, .. }, .. } => Place::Register { func, var },
            Place::Memory { .. } => return None,
            register => register,
        };
        let name = self.interp.place_name(place);
        let (function, number) = name.rsplit("::").next()?.split_once(INEXACT_RESULT)?;
        (number.is_empty() || number.starts_with('.'))
            .then(|| self.outermost.clone().unwrap_or_else(|| function.into()))
    }
}

/// Returns true if an object is a variable of the topmost of `depth` frames of a thread.
fn is_of_frame(object: Identity, thread: ThreadId, depth: usize) -> bool {
    match object {
        Identity::Local { thread: owner, depth: below, .. }
        | Identity::Alloca { thread: owner, depth: below, .. } => {
            owner == thread && below as usize + 1 == depth
        }
        Identity::Static(_) | Identity::ThreadLocal(..) | Identity::Heap { .. } => false,
    }
}

/// Returns true if a result of which only a summary is known is part of the program.
pub(crate) fn has_inexact_results(program: &Program) -> bool {
    let mut variables = program.functions.iter().flat_map(|function| function.vars.iter());
    variables.any(|var| var.name.contains(INEXACT_RESULT))
}
