import { Effect, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import type { PrivilegeRules } from "../access/Privilege.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { type derivedAnswers, readsOf } from "./DerivedAnswer.ts"
import { type Query, repeated } from "./ListQuery.ts"

/** Whether the caller asked to include more, and the query without that parameter. */
export interface Including {
  readonly isIncluding: boolean
  readonly query: Query
}

const parseInclude = (word: string, { include, ...query }: Query): Result.Result<Including, InvalidArgument> => {
  if (include === word) return Result.succeed({ isIncluding: true, query })
  const reason = typeof include === "string" ? `must be ${word}` : repeated
  return Result.fail(new InvalidArgument({ field: "include", reason }))
}

/**
 * Returns a parser of `include=<word>`. With the parameter, the caller needs the privileges of `answer` (§5.2, item 7).
 * Fails with Forbidden before any look-up.
 */
export const makeIncluding = (rules: PrivilegeRules["Service"], word: string, answer: keyof typeof derivedAnswers) => {
  const include = Effect.fnUntraced(function* (asked: Query) {
    const parsed = yield* Effect.fromResult(parseInclude(word, asked))
    const { account, privileges } = yield* Caller
    yield* Effect.fromResult(rules.authorize(account, privileges, readsOf(answer)))
    return parsed
  })
  return (asked: Query) =>
    asked["include"] === undefined ? Effect.succeed<Including>({ isIncluding: false, query: asked }) : include(asked)
}
