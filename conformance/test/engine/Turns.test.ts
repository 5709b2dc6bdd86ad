import { assert, describe, it } from "@effect/vitest"
import { turning } from "@wcs/conformance/engine/Turns"
import { judge } from "@wcs/conformance/judgement/Judge"
import { type Call, Session } from "@wcs/conformance/judgement/Session"
import { walk } from "@wcs/conformance/judgement/Walk"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { turnsOf } from "@wcs/conformance/profile/ValidTokens"
import { type Request, statusOf } from "@wcs/conformance/wire/Exchange"
import { Effect, Redacted } from "effect"
import { answer, profile as invented, runOver, secrets } from "../Invented.ts"

const profile: Profile = {
  ...invented,
  principals: {
    ...invented.principals,
    personalToken: "${PERSONAL}",
    rotated: { old: "${OLD}", new: "${NEW}" },
    externalToken: "${EXTERNAL}"
  }
}

const create: Call = { method: "POST", path: "/workers", json: {}, turn: "any" }
const read = (id: string): Call => ({ method: "GET", path: `/workers/${id}`, turn: "any" })

describe("AUT-08: the turns of valid tokens", () => {
  const many = Array.from({ length: 2 * turnsOf(profile).length }, (_, index) => `wkr_${index}`)

  it("let each token make a call, and the external one only reads", () => {
    const turnOf = turning("workers/one", profile)
    const reads = new Set(many.map((id) => turnOf(read(id))?.as))
    assert.sameMembers([...reads], ["admin", "personalToken", "rotated.old", "rotated.new", "externalToken"])
    const creates = new Set(many.map(() => turnOf(create)?.as))
    assert.sameMembers([...creates], ["admin", "personalToken", "rotated.old", "rotated.new"])
  })
  it("are the same in every run, and for every read of one path", () => {
    const [one, other] = [turning("workers/one", profile), turning("workers/one", profile)]
    const [first, ...others] = many.map((id) => one(read(id)))
    assert.deepStrictEqual(
      [first, ...others],
      many.map((id) => other(read(id)))
    )
    assert.deepStrictEqual(one(read("wkr_0")), first)
  })
  it("leave a call with a caller, and one that not everyone may make", () => {
    const turnOf = turning("workers/one", profile)
    const { turn: _, ...plain } = create
    assert.isUndefined(turnOf({ ...create, as: "personalToken" }))
    assert.isUndefined(turnOf(plain))
  })
})

/** The callers of one read by the personal token's turn, and the status that the walk sees. */
const readRefusedWith = Effect.fnUntraced(function* (refusal: number) {
  const name = "workers/one"
  const seen: Array<number> = []
  const steps = Effect.gen(function* () {
    const { send } = yield* Session
    seen.push(statusOf(yield* send({ method: "GET", path: "/workers", turn: 0 })))
    yield* judge("WRK-08", [], [])
  })
  const isPersonal = ({ headers }: Request) => headers.some(([, value]) => value.endsWith(" personal"))
  const { exchanges } = yield* runOver({
    serve: (request) => Effect.succeed(answer(isPersonal(request) ? refusal : 200, { data: [] })),
    profile: { ...invented, principals: { ...invented.principals, personalToken: "${PERSONAL}" } },
    secrets: new Map([...secrets, ["${PERSONAL}", Redacted.make("personal")]]),
    walks: [walk({ name, judges: ["WRK-08"], impact: "read", needs: [] })(steps)]
  })
  const callers = exchanges.filter((one) => one.walk === name).map(({ principal }) => principal)
  return [...seen, ...callers]
})

describe("AUT-08: a token that is refused in its turn", () => {
  it.effect("leaves the call to the admin, whose answer the walk sees", () =>
    Effect.gen(function* () {
      const [seen, ...callers] = yield* readRefusedWith(401)
      assert.deepStrictEqual([seen, callers[0], callers.at(-1)], [200, "personalToken", "admin"])
      assert.deepStrictEqual(yield* readRefusedWith(400), [400, "personalToken"])
    })
  )
})
