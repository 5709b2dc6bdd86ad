import { assert, describe, it } from "@effect/vitest"
import {
  batchInShort,
  counts,
  envelope,
  errors,
  isFor,
  outcomes,
  ownersSaid,
  shapes
} from "@wcs/conformance/exchanges/BatchAnswers"
import type { Json } from "@wcs/conformance/text/Json"
import { exchangeOf } from "./Exchanges.ts"

const mismatch = { code: "OWNER_MISMATCH", message: "somebody else has it" }
const items: ReadonlyArray<Json> = [
  { credentialId: "cred_1", status: "skipped", error: mismatch },
  { credentialId: "cred_2", status: "noop" },
  { credentialId: "cred_3", status: "transferred" }
]
const meta = { total: 3, succeeded: 2, failed: 1, requestId: "r" }

const batchOf = (data: Json, over: Readonly<Record<string, Json | undefined>> = {}, status = 200) =>
  exchangeOf({ answer: { status, text: JSON.stringify({ data, meta: { ...meta, ...over } }) } })

const good = batchOf(items)
const kindsOf = (differences: ReadonlyArray<{ readonly kind: string; readonly at: string }>) =>
  differences.map(({ at, kind }) => `${kind} ${at}`)

/** Faults of the specimen break each rule; here are the cases that no fault shows. */
describe("a batch's answer", () => {
  it("BLK-01, BLK-03, BLK-06, BLK-07, BLK-18: fails without items", () => {
    for (const data of [[], null, {}, "items"]) {
      const none = batchOf(data, { total: 0, succeeded: 0, failed: 0 })
      for (const check of [envelope, shapes, errors, counts, outcomes]) {
        assert.deepStrictEqual(kindsOf(check(none)), ["missing body.data"])
      }
    }
  })

  it("BLK-06, BLK-07, BLK-10: has no error on a no-op, no negative count, and no item twice", () => {
    const odd = batchOf([{ credentialId: "cred_1", status: "noop", error: mismatch }], { failed: -1 })
    assert.deepStrictEqual(kindsOf(errors(odd)), ["unexpected body.data.0.error"])
    assert.deepStrictEqual(kindsOf(counts(odd)), ["wrong-type body.meta.failed"])
    assert.deepStrictEqual(kindsOf(isFor(good, ["cred_1", "cred_2", "cred_2"])), ["wrong-value body.data"])
  })

  it("BLK-15: implies the new owner when done, and the old owners when no-op or skipped", () => {
    const to = { type: "worker", id: "wkr_2" }
    const owners = { worker: "wkr_1", applicant: "app_1" }
    const moved = { worker: "wkr_2", applicant: "app_1" }
    assert.deepStrictEqual(ownersSaid(good, { id: "cred_1", owners }, to), owners)
    assert.deepStrictEqual(ownersSaid(good, { id: "cred_2", owners }, to), owners)
    assert.deepStrictEqual(ownersSaid(good, { id: "cred_3", owners }, to), moved)
    assert.deepStrictEqual(ownersSaid(good, { id: "cred_4", owners }, to), owners)
  })

  it("SIL-16, SIL-27: has a short form", () => {
    assert.strictEqual(batchInShort(good), "200: skipped OWNER_MISMATCH, noop, transferred")
    assert.strictEqual(batchInShort(batchOf([])), "200")
  })
})
