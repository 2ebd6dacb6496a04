//! The types of arguments, which Go checks before it calls a function.
//!
//! Source: sprig v3.3.0, functions.go; text/template, exec.go, `validateType`.

use gotmpl::{Result, Value};

use super::failed;

/// A letter for each argument, and the functions with these arguments: `s` is a text, `i` a whole number, `b` a boolean,
/// `m` a map, `?` anything. Before a `*` there may be any number of the last one, or none.
#[rustfmt::skip]
const SIGNATURES: &[(&str, &[&str])] = &[
    ("s", &["trim", "upper", "lower", "title", "untitle", "nospace", "initials", "b64enc", "b64dec", "fromJson",
        "semver", "atoi", "fail", "fromYaml", "setResourceNameAnnotation"]),
    ("ss", &["trimAll", "trimall", "trimPrefix", "trimSuffix", "contains", "hasPrefix", "hasSuffix", "splitList",
        "split", "regexMatch", "regexFind", "semverCompare"]),
    ("is", &["repeat", "indent", "nindent", "trunc"]),
    ("sss", &["replace", "regexReplaceAll", "regexReplaceAllLiteral"]),
    ("sis", &["splitn"]),
    ("iis", &["substr"]),
    ("ssi", &["regexSplit"]),
    ("s?", &["join", "kindIs", "typeIs", "include"]),
    ("i", &["until"]),
    ("iii", &["untilStep"]),
    ("??b", &["ternary"]),
    ("ms", &["get", "unset", "hasKey", "getComposedConnectionDetails", "getComposedResource", "getCredentialData",
        "getExtraResources", "getExtraResourcesFromContext"]),
    ("ms?", &["set"]),
    ("m*", &["keys"]),
    ("m", &["values", "getCompositeResource"]),
    ("sm", &["getResourceCondition"]),
    ("ms*", &["pick", "omit"]),
    ("s?*", &["printf"]),
    ("?", &["toJson", "toString", "int", "int64", "float64", "empty", "typeOf", "kindOf", "deepCopy", "first",
        "last", "rest", "uniq", "reverse", "sortAlpha", "toRawJson", "toPrettyJson", "toYaml"]),
    ("?*", &["quote"]),
    ("??*", &["default", "without"]),
    ("??", &["append", "prepend", "has"]),
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
            'm' => ("map[string]interface {}", matches!(arg, Value::Map(_) | Value::Nil)),
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
