//! The engine for a page in a browser: one function, JSON in and JSON out.
//!
//! [`answer`] takes a question of the page (see [`PageQuestion`]) and never fails: unreadable input is answered
//! with problems, each with its position in a text. This crate makes no decisions; the engine and `propagate/fleet`
//! decide.

mod check;
mod edit;
mod marks;
mod matrix;
mod path;
mod question;
mod settings;

use serde::Serialize;

use crate::question::PageQuestion;

/// Answers a question.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen::prelude::wasm_bindgen)]
pub fn answer(question: &str) -> String {
    match serde_json::from_str(question) {
        Ok(PageQuestion::Check(question)) => text(&check::check(question)),
        Ok(PageQuestion::Edit(question)) => text(&edit::edit(question)),
        Ok(PageQuestion::Path(question)) => text(&path::path(question)),
        Ok(PageQuestion::Matrix(question)) => text(&matrix::matrix(&question)),
        Err(error) => text(&Unanswered { error: format!("cannot read the question: {error}") }),
    }
}

/// The answer to an unknown question.
#[derive(Serialize)]
struct Unanswered {
    error: String,
}

fn text(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_else(|_| r#"{"error":"cannot write the answer"}"#.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_question_is_reported() {
        for (question, expected) in [
            ("", r#"{"error":"cannot read the question: EOF while parsing a value at line 1 column 0"}"#),
            ("{}", r#"{"error":"cannot read the question: missing field `ask` at line 1 column 2"}"#),
        ] {
            assert_eq!(answer(question), expected);
        }
    }
}
