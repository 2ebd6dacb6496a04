//! Golden sessions: what is typed, what is printed, and how it ends. `TRYCMD=overwrite` rewrites them.

#[test]
fn sessions_print_what_is_written_down() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
