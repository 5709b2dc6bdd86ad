import { Schema } from "effect"

/** One of a few words, which the contract shows under a name. */
export const enumeration = <const Word extends string>(name: string, words: ReadonlyArray<Word>) =>
  Schema.Literals(words).annotate({ identifier: name })
