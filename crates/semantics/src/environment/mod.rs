//! What undefined functions may do, written out in the program.
//!
//! A front end makes of every undefined function that gets a pointer an *opaque* function: it gets the arguments, and consists of
//! [`Unsupported`](program::Action::Unsupported). Its name begins with [`UNDEFINED_FUNCTION`]. [`with_environment`] gives such functions a body made of ordinary
//! operations, so that engines, checkers and the interpreter need to know nothing of them. A call
//!
//! 1. marks the objects that the arguments point into as *known* to the environment (module `body`),
//! 2. marks what can be reached from there, again and again, until nothing new is found,
//! 3. writes any values to everything that is known, also by earlier calls; in a program with threads any number of times, because another thread may
//!    see each value,
//! 4. returns any value.
//!
//! Which objects these can be, points-to sets tell (module `plan`). At run time an object is found by its address: that of a static
//! object is constant; variables of frames and heap objects are entered into *slots* when they begin to live, and removed when they end
//! (module `slots`). A slot is an object that the program has no name for.
//!
//! A word that holds addresses in the program, or from which the program reads a pointer, gets the null pointer, a pointer that the environment knows (an argument, one that it has
//! found), the beginning of an object that it knows, or keeps its value. Everything else gets any bytes.
//!
//! # Taken for granted
//! Undefined functions free nothing, take and release no locks, leave the library's memory as it is, write only while they are called, and write only such
//! pointers as are described above. The front end says so where it says that a function is undefined.
//!
//! # Direction of error
//! None where all objects of a site fit into its slots and nothing stands in the way. Otherwise the execution splits: in one the function does what has no
//! model, in the other it writes only what it is known to reach. So what is found there is right, and nothing is proved. In the way are functions that the
//! environment comes to know (it may call them), locks in memory that it knows, thread-local objects, blocks that `realloc` moves and very
//! large objects.
//!
//! Writing out changes what addresses can be where, and so what can be reached: plans are made and carried out until nothing new is found.

mod body;
mod plan;
mod slots;

use crate::analysis::PointsTo;
use crate::analysis::points_to::is_opaque;
use plan::Plan;
use program::{FuncId, Program, Property, TypeFacts, UNDEFINED_FUNCTION};
use slots::Slots;

/// Writing out is repeated at most so often.
const MAX_ROUNDS: usize = 6;

/// The program in which undefined functions have bodies, for `property`; `None` if it calls none that gets a pointer.
pub fn with_environment(program: &Program, types: &TypeFacts, property: Property) -> Option<Program> {
    let undefined: Vec<FuncId> =
        program.functions.ids().filter(|func| is_undefined(program, *func)).collect();
    if undefined.is_empty() {
        return None;
    }
    let mut plan = Plan::default();
    let mut result = program.clone();
    for _ in 0..MAX_ROUNDS {
        let points_to = PointsTo::of(&result);
        let next = Plan::of(program, &points_to, &undefined, types);
        if !plan.extend(next) {
            return Some(result);
        }
        result = written_out(program, &plan, &undefined, property);
    }
    undefined.iter().for_each(|func| plan.hinder(*func, "from which it may reach ever more memory"));
    Some(written_out(program, &plan, &undefined, property))
}

/// Returns true if a function stands for one that is defined nowhere.
fn is_undefined(program: &Program, func: FuncId) -> bool {
    program.functions[func].name.starts_with(UNDEFINED_FUNCTION) && is_opaque(program, func)
}

fn written_out(program: &Program, plan: &Plan, undefined: &[FuncId], property: Property) -> Program {
    let mut result = program.clone();
    let slots = Slots::declare(&mut result, plan);
    slots.keep_record(&mut result, program);
    for func in undefined {
        body::write(&mut result, *func, plan, &slots, property);
    }
    result
}
