//! Suggestions for misspelled names.

/// The maximum number of letters in which a misspelled name differs from the suggested one.
const TYPOS: usize = 4;

/// `; did you mean ...?`, if one of the known names is similar.
pub(crate) fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let alike = known.map(|known| (distance(name, known), known)).filter(|(typos, _)| *typos <= TYPOS).min();
    alike.map(|(_, known)| format!("; did you mean `{known}`?")).unwrap_or_default()
}

/// The number of letters in which two names differ; for user names of service accounts only namespace and name count,
/// and if one of them is equal, the other one may be completely different.
fn distance(a: &str, b: &str) -> usize {
    const ACCOUNT: &str = "system:serviceaccount:";
    let parts =
        |name: &'_ str| Some(name.strip_prefix(ACCOUNT)?.split_once(':')?).map(|(a, b)| (a.to_owned(), b.to_owned()));
    let typos = strsim::damerau_levenshtein(a, b);
    match (parts(a), parts(b)) {
        (Some((of_a, a)), Some((of_b, b))) if of_a == of_b || a == b => typos.min(TYPOS),
        _ => typos,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_of_the_same_name_or_namespace_may_be_meant() {
        let known = ["system:serviceaccount:capi-system:capi-manager", "default"];
        for (name, expected) in [
            ("system:serviceaccount:capi-sytem:capi-managr", "system:serviceaccount:capi-system:capi-manager"),
            ("system:serviceaccount:cluster-api:capi-manager", "system:serviceaccount:capi-system:capi-manager"),
            ("system:serviceaccount:capi-system:manager-role", "system:serviceaccount:capi-system:capi-manager"),
            ("defualt", "default"),
        ] {
            assert_eq!(did_you_mean(name, known.into_iter()), format!("; did you mean `{expected}`?"), "{name}");
        }
        assert_eq!(did_you_mean("system:serviceaccount:flux-system:kustomize-controller", known.into_iter()), "");
    }
}
