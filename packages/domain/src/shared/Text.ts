import { Schema } from "effect"

// Control characters (C0, DEL, C1) have no place in a name, and NUL none in a database.
const control = /\p{Cc}/u

/** One line of text: 1 to so many characters (code points), not blank, no control characters, no half of a surrogate pair. */
export const line = (maxLength: number) =>
  Schema.String.check(
    Schema.isPattern(/\S/, { message: "must not be empty" }),
    Schema.isMaxCodePoints(maxLength, { message: `must have at most ${maxLength} characters` }),
    Schema.makeFilter((text: string) => !control.test(text) || "must not contain control characters"),
    Schema.makeFilter((text: string) => text.isWellFormed() || "must be well-formed Unicode")
  ).annotate({ form: `a text of 1 to ${maxLength} characters` })
