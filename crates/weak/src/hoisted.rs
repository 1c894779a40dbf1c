//! Programs in which only transactions access contended memory, so that a transformation has to know no other actions.

use crate::cells::Accesses;
use program::{Action, Expr, Location, MemoryModel, Op, Program, Var, VarId, VarKind};

/// Returns true if there are atomic sections.
pub(crate) fn has_sections(program: &Program) -> bool {
    let enters = |location: &Location| enters_section(&location.action);
    program.functions.iter().any(|function| function.locations.iter().any(enters))
}

fn enters_section(action: &Action) -> bool {
    matches!(action, Action::Ops { ops, .. } if ops.iter().any(|op| matches!(op, Op::AtomicBegin | Op::AtomicEnd)))
}

/// The program on a sequentially consistent machine, in which only transactions access contended memory: loads of other actions go to a register before.
/// `None` if a load might then be made that is not made now.
pub(crate) fn hoisted(original: &Program, accesses: &mut Accesses) -> Option<Program> {
    let mut program = Program { memory_model: MemoryModel::Sc, ..original.clone() };
    for func in original.functions.ids() {
        for loc in original.functions[func].locations.ids() {
            let function = &mut program.functions[func];
            if accesses[func][loc].is_empty() || matches!(function.locations[loc].action, Action::Ops { .. })
            {
                continue;
            }
            let mut action = function.locations[loc].action.clone();
            let mut ops = Vec::new();
            let mut lazy = false;
            let mut hoist = |expr: &mut Expr| {
                lazy |= loads_lazily(expr);
                hoist_loads(expr, &mut function.vars, &mut ops);
            };
            match &mut action {
                Action::Branch { cond, .. } => hoist(cond),
                Action::Call { args, callee, .. } => {
                    args.iter_mut().for_each(&mut hoist);
                    if let program::Callee::Indirect(target) = callee {
                        hoist(target);
                    }
                }
                Action::Return(Some(value)) | Action::ThreadExit(value) => hoist(value),
                _ => {}
            }
            for access in &mut accesses[func][loc] {
                let loads = |op: &Op| matches!(op, Op::Set { value: Expr::Load { addr, .. }, .. } if **addr == access.addr);
                access.op = ops.iter().position(loads)?;
            }
            if lazy {
                return None;
            }
            let span = function.locations[loc].span;
            let next = function.locations.push(Location { action, span });
            accesses[func].push(Vec::new());
            function.locations[loc].action = Action::Ops { ops, sync: None, next };
        }
    }
    Some(program)
}

/// Returns true if a load is made only if a condition holds.
fn loads_lazily(expr: &Expr) -> bool {
    match expr {
        Expr::Ite(_, yes, no) => yes.reads_memory() || no.reads_memory(),
        other => other.children().any(loads_lazily),
    }
}

/// Replaces all loads by registers, which `ops` set.
fn hoist_loads(expr: &mut Expr, vars: &mut base::IdxVec<VarId, Var>, ops: &mut Vec<Op>) {
    expr.children_mut().for_each(|part| hoist_loads(part, vars, ops));
    if let Expr::Load { width, .. } = expr {
        let width = *width;
        let name = format!("$load{}", vars.len());
        let var = vars.push(Var { name, kind: VarKind::Register(width), temporary: true });
        let value = std::mem::replace(expr, Expr::Reg(var, width));
        ops.push(Op::Set { var, value });
    }
}
