import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { check } from "./Check.ts"
import { type Good, goodResponses } from "./Good.ts"

const rows = goodResponses.map((good): readonly [string, Good] => [good.name, good])

describe("good responses log in", () => {
  it.each(rows)("%s", (_, { nameId, post }) => {
    const login = Result.getOrThrow(check(post))
    assert.strictEqual(login.nameId, nameId)
    assert.strictEqual(login.inResponseTo, post.pending.requestId)
    assert.strictEqual(login.issuer, post.connection.identityProvider.entityId)
  })

  it.each(rows.filter(([name]) => /samlp|PHP|pysaml2/.test(name)))("%s: attributes as sent", (_, { post }) => {
    const values = [...Result.getOrThrow(check(post)).attributes.values()].flat()
    assert.includeMembers(values, ["alice@example.com", "Alice & Bob <é>"])
  })
})
