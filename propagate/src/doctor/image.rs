//! References of container images.

/// The name of an image and its tag, without registry, folders and digest: `registry:5000/capi/controller:v1.12.0@sha256:…`
/// is `controller` with the tag `v1.12.0`.
pub(super) fn name_and_tag(image: &str) -> (&str, Option<&str>) {
    let without_digest = image.split_once('@').map_or(image, |(reference, _)| reference);
    let last = without_digest.rsplit_once('/').map_or(without_digest, |(_, last)| last);
    last.split_once(':').map_or((last, None), |(name, tag)| (name, Some(tag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_tag_and_a_digest_is_no_part_of_one() {
        for (image, expected) in [
            ("controller", ("controller", None)),
            ("controller:v1", ("controller", Some("v1"))),
            ("registry:5000/capi/controller", ("controller", None)),
            ("registry:5000/capi/controller:v1@sha256:00", ("controller", Some("v1"))),
            ("capi/controller@sha256:00", ("controller", None)),
            ("", ("", None)),
        ] {
            assert_eq!(name_and_tag(image), expected, "{image}");
        }
    }
}
