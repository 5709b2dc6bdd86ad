import { Schema } from "effect"

// Control characters (C0, DEL, C1) do not belong in names, and databases refuse NUL.
const control = /\p{Cc}/u

/** The form of an email address of a person. */
export const emailForm = /^[^\s@]+@[^\s@]+$/u

/**
 * A check that always passes. It adds a constraint to the JSON Schema that other code enforces, with another error.
 */
export const enforcedElsewhere = (constraint: Readonly<Record<string, string | number>>) =>
  Schema.makeFilter(() => true, { toJsonSchema: () => constraint })

/**
 * Returns a schema of one line of text: 1 to `maxLength` code points, not blank, no control characters, no lone
 * surrogates.
 */
export const line = (maxLength: number) =>
  Schema.String.check(
    Schema.isPattern(/\S/, {
      message: "must not be empty",
      toJsonSchema: () => ({ minLength: 1, pattern: "\\S" })
    }),
    Schema.isMaxCodePoints(maxLength, { message: `must have at most ${maxLength} characters` }),
    Schema.makeFilter((text: string) => !control.test(text) || "must not contain control characters"),
    Schema.makeFilter((text: string) => text.isWellFormed() || "must be well-formed Unicode")
  ).annotate({ valueFormat: `a string of 1 to ${maxLength} characters` })
