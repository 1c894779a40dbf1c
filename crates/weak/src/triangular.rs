//! Triangular races, for TSO (Owens, ECOOP 2010).
//!
//! A *triangular race* is a state of a sequentially consistent execution in which a thread is about to load a cell by an ordinary load, has made an own
//! store since it last drained its buffer, and another thread is about to write that cell. If no sequentially consistent execution has one, every execution
//! under TSO is equal to a sequentially consistent one: a load that overtakes a store is then one that no other thread could have made differ.
//!
//! It is an ordinary data race of another program. Every thread has a variable `$dirty` of its own, set by stores that a buffer may delay and cleared
//! by actions that drain it. All stores are atomic; a load is plain if the thread is dirty, else atomic:
//!
//! | action | becomes |
//! |---|---|
//! | buffered store | atomic store; `$dirty = 1` |
//! | fence, read-modify-write, lock, creation of a thread, … | the same; `$dirty = 0` |
//! | load of contended memory | `if $dirty` plain load `else` atomic load |
//!
//! # Direction of error
//! More races than there are: a store to the same cell makes dirty, too; copies of memory are plain stores. Never fewer.

use program::memory_model::Demand;
use program::{Action, BinOp, Expr, FuncId, LocId, MemoryModel, Object, ObjectId, Op, Order, Program, Width};
use semantics::Analysis;
use semantics::analysis::Locksets;
use semantics::analysis::footprint::{Kind, footprints};

/// The program whose data races are the triangular races of the analysed one.
pub fn triangular(analysis: &Analysis<'_>) -> Program {
    let locksets = Locksets::of(analysis);
    let mut program = Program { memory_model: MemoryModel::Sc, ..analysis.program.clone() };
    let dirty = program.objects.push(Object {
        name: "$dirty".to_owned(),
        size: 1,
        align: 1,
        thread_local: true,
        read_only: false,
        arbitrary: false,
        bytes: Vec::new(),
        relocs: Vec::new(),
        span: base::Span::NOWHERE,
    });
    let transformation = Transformation { analysis, locksets: &locksets, dirty };
    for func in analysis.program.functions.ids() {
        for loc in analysis.program.functions[func].locations.ids() {
            transformation.location(&mut program, func, loc);
        }
    }
    program
}

struct Transformation<'a, 'p> {
    analysis: &'a Analysis<'p>,
    locksets: &'a Locksets,
    dirty: ObjectId,
}

impl Transformation<'_, '_> {
    fn location(&self, program: &mut Program, func: FuncId, loc: LocId) {
        let original = &self.analysis.program.functions[func].locations[loc];
        let demand = MemoryModel::Tso.demand(&original.action);
        let drains = demand != Demand::Nothing || self.locksets.is_atomic(func, loc);
        let mut clean = original.action.clone();
        reorder(&mut clean, Order::SeqCst);
        self.note(&mut clean, func, loc, drains);
        if drains || !self.loads(func, loc) {
            program.functions[func].locations[loc].action = clean;
            return;
        }
        let mut racing = original.action.clone();
        reorder(&mut racing, Order::Plain);
        self.note(&mut racing, func, loc, drains);
        let span = original.span;
        let locations = &mut program.functions[func].locations;
        let yes = locations.push(program::Location { action: racing, span });
        let no = locations.push(program::Location { action: clean, span });
        let is_dirty = Expr::binary(BinOp::Ne, self.flag(program), Expr::constant(0, Width::BYTE));
        program.functions[func].locations[loc].action = Action::Branch { cond: is_dirty, yes, no };
    }

    /// Adds to an action what it does to `$dirty`.
    fn note(&self, action: &mut Action, func: FuncId, loc: LocId, drains: bool) {
        let stores = self.writes(func, loc);
        let Action::Ops { ops, .. } = action else { return };
        if drains || stores {
            let width = self.analysis.program.data_model.pointer();
            let value = Expr::constant(u128::from(!drains), Width::BYTE);
            ops.push(Op::Store { addr: Expr::ObjectAddr(self.dirty, width), value, order: Order::Plain });
        }
    }

    fn flag(&self, program: &Program) -> Expr {
        let addr = Box::new(Expr::ObjectAddr(self.dirty, program.data_model.pointer()));
        Expr::Load { addr, width: Width::BYTE, order: Order::Plain }
    }

    fn writes(&self, func: FuncId, loc: LocId) -> bool {
        self.accesses(func, loc, Kind::Write)
    }

    fn loads(&self, func: FuncId, loc: LocId) -> bool {
        self.accesses(func, loc, Kind::Read)
    }

    /// Returns true if an action accesses memory that threads contend for.
    fn accesses(&self, func: FuncId, loc: LocId, kind: Kind) -> bool {
        let function = &self.analysis.program.functions[func];
        footprints(function, &function.locations[loc].action).iter().any(|footprint| {
            let targets = self.analysis.points_to.targets(func, &footprint.addr);
            let contended = targets.places.iter().any(|(site, _)| self.analysis.threads.is_contended(*site));
            footprint.kind == kind && (targets.unknown || contended)
        })
    }
}

/// Gives all loads of an action this order, and all its stores a sequentially consistent one.
fn reorder(action: &mut Action, loads: Order) {
    action.each_expr_mut(&mut |expr| {
        expr.walk_mut(&mut |part| {
            if let Expr::Load { order, .. } = part {
                *order = loads;
            }
        });
    });
    for op in action.ops_mut() {
        if let Op::Store { order, .. } = op {
            *order = Order::SeqCst;
        }
    }
}
