import { Data, type Schema, SchemaIssue } from "effect"

/** A part of the request that is missing, malformed or not allowed (section 7.1, 400). */
export class InvalidArgument extends Data.TaggedError("InvalidArgument")<{
  /** Where: a dotted path in the body, or the name of a parameter; empty for the whole. */
  readonly field: string
  /** What is wrong with it, without the value that was sent. */
  readonly reason: string
}> {}

/** A body that is no JSON at all, or JSON beyond the limits of depth. */
export class MalformedBody extends Data.TaggedError("MalformedBody")<{ readonly reason: string }> {}

/** An identifier that must be a URN and is none. */
export class InvalidUrn extends Data.TaggedError("InvalidUrn")<{ readonly field: string }> {}

/** Whoever reads it needs to see that something is missing: a list of words that is cut looks like a whole one. */
const shortened = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The first thing that a schema found wrong, as the caller should read it. */
export const fromSchemaError = (error: Schema.SchemaError, within = ""): InvalidArgument => {
  const [issue] = format(error.issue).issues
  const path = (issue?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part))
  const field = [...(within === "" ? [] : [within]), ...path].join(".")
  return new InvalidArgument({
    field: shortened(field, 200),
    reason: shortened(issue?.message ?? "is not valid", 1000)
  })
}
