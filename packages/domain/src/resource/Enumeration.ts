import { Schema } from "effect"

/** Returns a schema of string literals with a name in the OpenAPI document. */
export const enumeration = <const Word extends string>(name: string, words: ReadonlyArray<Word>) =>
  Schema.Literals(words).annotate({ identifier: name })
