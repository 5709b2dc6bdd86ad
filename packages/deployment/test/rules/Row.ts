import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, type Call, Service } from "../Service.ts"
import { assertRefused, assertStatus, root } from "./NewerSurface.ts"

/** One call and its answer. */
export interface Row extends Omit<Call, "method" | "path" | "token"> {
  /** `POST /workers`: a method, and a path below the root of the newer surface. */
  readonly call: string
  /** A bearer token, or null for none; by default the Super Admin's. */
  readonly as?: string | null
  /**
   * A status; the code of a refusal, with a part of its message after a colon; or the values at dotted paths of a
   * success.
   */
  readonly expect: number | string | Readonly<Record<string, unknown>>
}

const check = ({ expect }: Row, answer: Answer): void => {
  if (typeof expect === "number") assertStatus(answer, expect)
  else if (typeof expect === "string") {
    const [, code = expect, hint = ""] = /^(\w+): (.*)$/s.exec(expect) ?? []
    assertRefused(answer, code, hint)
  } else {
    assert.include([200, 201], answer.status, answer.text)
    for (const [path, value] of Object.entries(expect)) assert.deepStrictEqual(at(answer, path), value, path)
  }
}

/** Makes the calls in order, and checks each answer. Returns the answers. */
export const run = Effect.fnUntraced(function* <Rows extends ReadonlyArray<Row>>(rows: readonly [...Rows]) {
  const service = yield* Service
  const answers: ReadonlyArray<Answer> = yield* Effect.forEach(rows, (row) => {
    const { as, call, expect, ...more }: Row = row
    const [method = "", path = ""] = call.split(/ (.*)/s)
    const sent = { method, path: root + path, ...(as === undefined ? {} : { token: as }), ...more }
    return Effect.map(service.call(sent), (answer) => {
      try {
        check(row, answer)
      } catch (cause) {
        const told = `${call} ${JSON.stringify(more.body) ?? ""}: expected ${JSON.stringify(expect)}`
        throw new Error(`${told}, got ${answer.status} ${answer.text.slice(0, 500)}`, { cause })
      }
      return answer
    })
  })
  return answers as { readonly [Index in keyof Rows]: Answer }
})
