//! Trees as S-expressions, for tests.

use crate::ast::*;

fn join<T>(items: impl IntoIterator<Item = T>, show: impl Fn(T) -> String) -> String {
    items.into_iter().map(show).collect::<Vec<_>>().join(" ")
}

pub(super) fn items(items: &[External<'_>]) -> String {
    join(items, |item| match item {
        External::Decl(it) => declaration(it),
        External::Function(it) => function(it),
        External::Asm(_, it) => asm(it),
        External::StaticAssert(it) => format!("(static-assert {})", expr(it)),
        External::Weak(_, name, target) => format!("(weak {name} {})", target.unwrap_or_default()),
    })
}

fn function(it: &FunctionDef<'_>) -> String {
    let (first, outer) = it.declarator.derivations.split_first().unwrap();
    let Derivation::Function(list) = first else { panic!("{first:?} should be a parameter list") };
    let knr = if it.knr.is_empty() { String::new() } else { format!(" [{}]", join(&it.knr, field)) };
    let result = derived(outer, specifiers(&it.specifiers));
    let name = it.declarator.name.unwrap();
    format!("(fun {name} ({}) -> {result}{knr} {{{}}})", params(list), block(&it.body))
}

fn block(body: &[Stmt<'_>]) -> String {
    if body.is_empty() { " ".to_owned() } else { format!(" {} ", join(body, stmt)) }
}

fn declaration(it: &Declaration<'_>) -> String {
    let specs = &it.specifiers;
    let mut words = String::new();
    let keyword = match specs.storage {
        Some(StorageClass::Typedef) => "typedef",
        Some(other) => {
            words = format!("{other:?} ").to_lowercase();
            "var"
        }
        None => "var",
    };
    words += if specs.inline { "inline " } else { "" };
    words += if specs.thread_local { "thread " } else { "" };
    if it.declarators.is_empty() {
        return format!("({words}type {})", specifiers(specs));
    }
    join(&it.declarators, |declared| {
        let name = declared.declarator.name.unwrap();
        let ty = derived(&declared.declarator.derivations, specifiers(specs));
        let attributes = attributes(&declared.declarator.attributes) + &attributes(&specs.attributes);
        let init = declared.init.as_ref().map(|it| format!(" = {}", init(it))).unwrap_or_default();
        format!("({words}{keyword} {name} {ty}{attributes}{init})")
    })
}

fn field(it: &Declaration<'_>) -> String {
    if it.declarators.is_empty() {
        return format!("_:{}", specifiers(&it.specifiers));
    }
    join(&it.declarators, |declared| {
        let name = declared.declarator.name.unwrap_or("_");
        let ty = derived(&declared.declarator.derivations, specifiers(&it.specifiers));
        let bits = declared.bits.as_ref().map(|bits| format!(":{}", expr(bits))).unwrap_or_default();
        format!("{name}:{ty}{bits}{}", attributes(&it.specifiers.attributes))
    })
}

fn attributes(all: &[Attribute<'_>]) -> String {
    let show = |it: &Attribute<'_>| {
        let args = if it.args.is_empty() { String::new() } else { format!("({})", join(&it.args, expr)) };
        let ty = it.type_arg.as_ref().map(|ty| format!("<{}>", type_name(ty))).unwrap_or_default();
        format!("@{}{args}{ty}", it.name)
    };
    all.iter().map(show).collect()
}

fn quals(it: Quals) -> String {
    let words = [
        (it.is_const, "const "),
        (it.is_volatile, "volatile "),
        (it.is_restrict, "restrict "),
        (it.is_atomic, "_Atomic "),
    ];
    words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect()
}

fn specifiers(it: &Specifiers<'_>) -> String {
    let ty = match &it.ty {
        None => "implicit".to_owned(),
        Some(TypeSpec::Basic(words)) => words.join(" "),
        Some(TypeSpec::Typedef(name)) => (*name).to_owned(),
        Some(TypeSpec::Auto) => "__auto_type".to_owned(),
        Some(TypeSpec::TypeofExpr(operand)) => format!("(typeof {})", expr(operand)),
        Some(TypeSpec::TypeofType(operand)) => format!("(typeof {})", type_name(operand)),
        Some(TypeSpec::Atomic(operand)) => format!("(atomic {})", type_name(operand)),
        Some(TypeSpec::Record { is_union, tag, fields, attributes, pack }) => {
            let body = fields.as_ref().map(|fields| format!("{{{}}}", join(fields, field)));
            let pack = pack.map(|n| format!("pack{n}"));
            tagged(if *is_union { "union" } else { "struct" }, *tag, body, attributes, pack)
        }
        Some(TypeSpec::Enum { tag, items, attributes }) => {
            let item = |it: &EnumItem<'_>| match &it.value {
                Some(value) => format!("{}={}", it.name, expr(value)),
                None => it.name.to_owned(),
            };
            let body = items.as_ref().map(|items| format!("{{{}}}", join(items, item)));
            tagged("enum", *tag, body, attributes, None)
        }
    };
    quals(it.quals) + &ty
}

fn tagged(
    keyword: &str,
    tag: Option<&str>,
    body: Option<String>,
    all: &[Attribute<'_>],
    pack: Option<String>,
) -> String {
    let mut parts = vec![keyword.to_owned()];
    parts.extend(tag.map(str::to_owned));
    parts.extend(body);
    parts.extend(all.iter().map(|it| attributes(std::slice::from_ref(it))));
    parts.extend(pack);
    format!("({})", parts.join(" "))
}

fn type_name(it: &TypeName<'_>) -> String {
    derived(&it.declarator.derivations, specifiers(&it.specifiers))
}

fn derived(derivations: &[Derivation<'_>], base: String) -> String {
    derivations.iter().rev().fold(base, |ty, derivation| match derivation {
        Derivation::Pointer(it) => format!("({}ptr {ty})", quals(*it)),
        Derivation::Array(None) => format!("(array {ty})"),
        Derivation::Array(Some(size)) => format!("(array {} {ty})", expr(size)),
        Derivation::Function(list) => format!("(fun ({}) {ty})", params(list)),
    })
}

fn params(it: &Params<'_>) -> String {
    if !it.names.is_empty() {
        return it.names.join(" ");
    }
    if it.params.is_empty() {
        return if it.prototype { "void" } else { "?" }.to_owned();
    }
    let param = |it: &Declaration<'_>| field(it).trim_start_matches("_:").to_owned();
    join(&it.params, param) + if it.variadic { " ..." } else { "" }
}

fn init(it: &Init<'_>) -> String {
    match it {
        Init::Expr(value) => expr(value),
        Init::List(_, list) => init_list(list),
    }
}

fn init_list(list: &[InitItem<'_>]) -> String {
    let item = |it: &InitItem<'_>| match it.designators.as_slice() {
        [] => init(&it.init),
        path => format!("{}={}", path.iter().map(designator).collect::<String>(), init(&it.init)),
    };
    format!("{{{}}}", join(list, item))
}

fn designator(it: &Designator<'_>) -> String {
    match it {
        Designator::Field(name) => format!(".{name}"),
        Designator::Index(index) => format!("[{}]", expr(index)),
        Designator::Range(first, last) => format!("[{}...{}]", expr(first), expr(last)),
    }
}

fn stmt(it: &Stmt<'_>) -> String {
    let optional = |it: &Option<Expr<'_>>| it.as_ref().map_or("_".to_owned(), expr);
    match &it.kind {
        StmtKind::Empty => ";".to_owned(),
        StmtKind::Expr(value) => expr(value),
        StmtKind::Block(body) => format!("{{{}}}", block(body)),
        StmtKind::Decl(it) => declaration(it),
        StmtKind::Function(it) => function(it),
        StmtKind::If(c, then, None) => format!("(if {} {})", expr(c), stmt(then)),
        StmtKind::If(c, then, Some(other)) => format!("(if {} {} {})", expr(c), stmt(then), stmt(other)),
        StmtKind::While(c, body) => format!("(while {} {})", expr(c), stmt(body)),
        StmtKind::DoWhile(body, c) => format!("(do {} {})", stmt(body), expr(c)),
        StmtKind::For(init, c, step, body) => {
            let init = init.as_ref().map_or("_".to_owned(), |it| stmt(it));
            format!("(for {init} {} {} {})", optional(c), optional(step), stmt(body))
        }
        StmtKind::Switch(value, body) => format!("(switch {} {})", expr(value), stmt(body)),
        StmtKind::Label(name, inner) => format!("(label {name} {})", stmt(inner)),
        StmtKind::Case(first, None, inner) => format!("(case {} {})", expr(first), stmt(inner)),
        StmtKind::Case(first, Some(last), inner) => {
            format!("(case {}...{} {})", expr(first), expr(last), stmt(inner))
        }
        StmtKind::Default(inner) => format!("(default {})", stmt(inner)),
        StmtKind::Goto(label) => format!("(goto {label})"),
        StmtKind::GotoComputed(target) => format!("(goto* {})", expr(target)),
        StmtKind::Break => "(break)".to_owned(),
        StmtKind::Continue => "(continue)".to_owned(),
        StmtKind::Return(None) => "(return)".to_owned(),
        StmtKind::Return(Some(value)) => format!("(return {})", expr(value)),
        StmtKind::Asm(it) => asm(it),
        StmtKind::StaticAssert(it) => format!("(static-assert {})", expr(it)),
    }
}

fn asm(it: &Asm<'_>) -> String {
    let mut parts = vec![format!("(asm {}", it.template.join(" "))];
    parts.extend(it.outputs.iter().map(|it| format!("out {}", expr(&it.value))));
    parts.extend(it.inputs.iter().map(|it| format!("in {}", expr(&it.value))));
    parts.extend(it.clobbers.iter().map(|it| format!("clobber {it}")));
    parts.extend(it.labels.iter().map(|it| format!("goto {it}")));
    parts.join(" ") + ")"
}

fn expr(it: &Expr<'_>) -> String {
    match &it.kind {
        ExprKind::Ident(text) | ExprKind::Number(text) | ExprKind::Char(text) => (*text).to_owned(),
        ExprKind::Str(parts) => parts.join(" "),
        ExprKind::Binary(op, left, right) => format!("({} {} {})", operator(*op), expr(left), expr(right)),
        ExprKind::Assign(op, left, right) => {
            format!("({}= {} {})", op.map_or("", operator), expr(left), expr(right))
        }
        ExprKind::Unary(UnaryOp::PostInc, operand) => format!("({}++)", expr(operand)),
        ExprKind::Unary(UnaryOp::PostDec, operand) => format!("({}--)", expr(operand)),
        ExprKind::Unary(op, operand) => format!("({} {})", prefix(*op), expr(operand)),
        ExprKind::Cond(c, None, other) => format!("(?: {} {})", expr(c), expr(other)),
        ExprKind::Cond(c, Some(then), other) => format!("(?: {} {} {})", expr(c), expr(then), expr(other)),
        ExprKind::Comma(left, right) => format!("(, {} {})", expr(left), expr(right)),
        ExprKind::Cast(ty, operand) => format!("(cast {} {})", type_name(ty), expr(operand)),
        ExprKind::CompoundLiteral(ty, list) => format!("(literal {} {})", type_name(ty), init_list(list)),
        ExprKind::Call(callee, args) if args.is_empty() => format!("(call {})", expr(callee)),
        ExprKind::Call(callee, args) => format!("(call {} {})", expr(callee), join(args, expr)),
        ExprKind::Index(base, index) => format!("(index {} {})", expr(base), expr(index)),
        ExprKind::Member(base, name) => format!("(. {} {name})", expr(base)),
        ExprKind::Arrow(base, name) => format!("(-> {} {name})", expr(base)),
        ExprKind::SizeofExpr(operand) => format!("(sizeof {})", expr(operand)),
        ExprKind::SizeofType(ty) => format!("(sizeof {})", type_name(ty)),
        ExprKind::AlignofExpr(operand, _) => format!("(alignof {})", expr(operand)),
        ExprKind::AlignofType(ty, _) => format!("(alignof {})", type_name(ty)),
        ExprKind::StmtExpr(body) => format!("(stmts {})", join(body, stmt)),
        ExprKind::LabelAddr(label) => format!("(label-address {label})"),
        ExprKind::Generic(control, choices) => {
            let choice = |(ty, value): &(Option<TypeName<'_>>, Expr<'_>)| {
                format!("[{} {}]", ty.as_ref().map_or("default".to_owned(), type_name), expr(value))
            };
            format!("(generic {} {})", expr(control), join(choices, choice))
        }
        ExprKind::VaArg(list, ty) => format!("(va_arg {} {})", expr(list), type_name(ty)),
        ExprKind::TypesCompatible(left, right) => {
            format!("(compatible {} {})", type_name(left), type_name(right))
        }
        ExprKind::Offsetof(ty, path) => format!("(offsetof {} {})", type_name(ty), join(path, designator)),
        ExprKind::ChooseExpr(c, then, other) => {
            format!("(choose {} {} {})", expr(c), expr(then), expr(other))
        }
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogAnd => "&&",
        BinaryOp::LogOr => "||",
    }
}

fn prefix(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Neg => "-",
        UnaryOp::BitNot => "~",
        UnaryOp::Not => "!",
        UnaryOp::Deref => "*",
        UnaryOp::AddrOf => "&",
        UnaryOp::PreInc | UnaryOp::PostInc => "++",
        UnaryOp::PreDec | UnaryOp::PostDec => "--",
        UnaryOp::Real => "__real__",
        UnaryOp::Imag => "__imag__",
        UnaryOp::Extension => "__extension__",
    }
}
