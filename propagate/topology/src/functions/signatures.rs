//! The types of arguments, which Go checks before it calls a function.
//!
//! Source: sprig v3.3.0, functions.go; text/template, exec.go, `validateType`.

use gotmpl::{Result, Value};

use super::failed;

/// A letter for each argument, and the functions with these arguments: `s` is a text, `i` a whole number, `f` a number,
/// `b` a boolean, `m` a map, `l` a list, `L` a list or nil, `?` anything. Before a `*` there may be any number of the
/// last one, or none.
#[rustfmt::skip]
const SIGNATURES: &[(&str, &[&str])] = &[
    ("", &["hello"]),
    ("s", &["trim", "upper", "lower", "title", "untitle", "nospace", "initials", "b64enc", "b64dec", "b32enc", "b32dec",
        "fromJson", "mustFromJson", "semver", "atoi", "fail", "fromYaml", "setResourceNameAnnotation", "snakecase",
        "kebabcase", "camelcase", "swapcase", "sha1sum", "sha256sum", "sha512sum", "adler32sum", "base", "dir", "clean",
        "ext", "isAbs", "osBase", "osDir", "osClean", "osExt", "osIsAbs", "urlParse", "regexQuoteMeta"]),
    ("ss", &["trimAll", "trimall", "trimPrefix", "trimSuffix", "contains", "hasPrefix", "hasSuffix", "splitList",
        "split", "regexMatch", "regexFind", "semverCompare"]),
    ("is", &["repeat", "indent", "nindent", "trunc", "abbrev", "wrap"]),
    ("sss", &["replace", "regexReplaceAll", "regexReplaceAllLiteral"]),
    ("sis", &["splitn"]),
    ("iss", &["wrapWith"]),
    ("iis", &["substr", "abbrevboth"]),
    ("ssi", &["regexSplit", "regexFindAll", "plural"]),
    ("s?", &["join", "kindIs", "typeIs", "typeIsLike", "include"]),
    ("i", &["until"]),
    ("ii*", &["seq"]),
    ("iii", &["untilStep"]),
    ("?if*", &["round"]),
    ("il", &["chunk"]),
    ("l", &["first", "last", "rest", "initial", "reverse", "uniq", "compact"]),
    ("l?", &["append", "prepend", "push"]),
    ("l?*", &["without", "slice"]),
    ("l*", &["concat"]),
    ("?L", &["has"]),
    ("??b", &["ternary"]),
    ("ms", &["get", "unset", "hasKey", "getComposedConnectionDetails", "getComposedResource", "getCredentialData",
        "getExtraResources", "getExtraResourcesFromContext"]),
    ("ms?", &["set"]),
    ("m*", &["keys"]),
    ("mm*", &["merge", "mergeOverwrite"]),
    ("m", &["values", "getCompositeResource", "urlJoin"]),
    ("sm", &["getResourceCondition"]),
    ("sm*", &["pluck"]),
    ("ms*", &["pick", "omit"]),
    ("s?*", &["printf"]),
    ("?", &["toJson", "toString", "toStrings", "int", "int64", "float64", "empty", "typeOf", "kindOf", "deepCopy",
        "sortAlpha", "toRawJson", "toPrettyJson", "toYaml", "add1", "add1f", "floor", "ceil", "toDecimal", "duration",
        "durationRound"]),
    ("??*", &["default", "max", "min", "biggest", "maxf", "minf", "mul", "mulf", "subf", "divf"]),
    ("??", &["sub", "div", "mod", "deepEqual"]),
];

/// # Errors
/// When Go refuses the number or the types of the arguments.
pub(super) fn check(name: &str, args: &[Value]) -> Result<()> {
    let Some((signature, _)) = SIGNATURES.iter().find(|(_, names)| names.contains(&name)) else { return Ok(()) };
    let (letters, is_open) = signature.strip_suffix('*').map_or((*signature, false), |letters| (letters, true));
    let least = if is_open { letters.len() - 1 } else { letters.len() };
    if args.len() < least || !is_open && args.len() > least {
        return failed(format!("wrong number of args for {name}: want {least} got {}", args.len()));
    }
    let last = letters.chars().last().unwrap_or('?');
    for (letter, arg) in letters.chars().chain(std::iter::repeat(last)).zip(args) {
        let (expected, fits) = match letter {
            's' => ("string", matches!(arg, Value::String(_))),
            'i' => ("int", matches!(arg, Value::Int(_) | Value::Uint(_))),
            'b' => ("bool", matches!(arg, Value::Bool(_))),
            'f' => ("float64", matches!(arg, Value::Float(_) | Value::Int(_))),
            'm' => ("map[string]interface {}", matches!(arg, Value::Map(_) | Value::Nil)),
            'l' => ("list", matches!(arg, Value::List(_))),
            'L' => ("list", matches!(arg, Value::List(_) | Value::Nil)),
            _ => continue,
        };
        match arg {
            _ if fits => {}
            Value::Nil => return failed(format!("invalid value; expected {expected}")),
            _ => return failed(format!("wrong type for value; expected {expected}; got {}", arg.type_name())),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_go_refuses_are_refused() {
        let text = || Value::String("a".into());
        for (name, args, expected) in [
            ("upper", vec![text()], None),
            ("upper", vec![Value::Nil], Some("invalid value; expected string")),
            ("upper", vec![Value::Int(1)], Some("wrong type for value; expected string; got int")),
            ("upper", vec![text(), text()], Some("wrong number of args for upper: want 1 got 2")),
            ("replace", vec![text()], Some("wrong number of args for replace: want 3 got 1")),
            ("until", vec![Value::Float(1.0)], Some("wrong type for value; expected int; got float64")),
            ("quote", vec![], None),
            ("get", vec![Value::Nil, text()], None),
            ("pick", vec![Value::Nil, text(), Value::Nil], Some("invalid value; expected string")),
        ] {
            let refused = check(name, &args).err().map(|error| error.to_string());
            assert_eq!(refused, expected.map(|error| format!("execution error: {error}")), "{name} {args:?}");
        }
    }
}
