import { assert, describe, it } from "@effect/vitest"
import {
  batchInShort,
  counts,
  envelope,
  errors,
  isFor,
  noConflict,
  outcomes,
  ownersSaid,
  says,
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

describe("a batch's answer", () => {
  it("BLK-01, BLK-02: is 200 and has items and their counts", () => {
    assert.deepStrictEqual(envelope(good), [])
    assert.deepStrictEqual(kindsOf(envelope(batchOf(items, {}, 207))), ["status status"])
    assert.deepStrictEqual(kindsOf(envelope(batchOf(items, { failed: undefined }))), ["missing body.meta.failed"])
    assert.deepStrictEqual(kindsOf(envelope(batchOf(items, { requestId: "" }))), ["wrong-type body.meta.requestId"])
  })

  it("BLK-01, BLK-03, BLK-06, BLK-07, BLK-18: fails without items", () => {
    for (const data of [[], null, {}, "items"]) {
      const none = batchOf(data, { total: 0, succeeded: 0, failed: 0 })
      for (const check of [envelope, shapes, errors, counts, outcomes]) {
        assert.deepStrictEqual(kindsOf(check(none)), ["missing body.data"])
      }
    }
  })

  it("BLK-03: has items with an id and one of the four statuses", () => {
    assert.deepStrictEqual(shapes(good), [])
    assert.deepStrictEqual(kindsOf(shapes(batchOf([{ credentialId: 1, status: "done" }]))), [
      "wrong-type body.data.0.credentialId",
      "wrong-value body.data.0.status"
    ])
  })

  it("BLK-06: has errors on skipped items only", () => {
    assert.deepStrictEqual(errors(good), [])
    assert.deepStrictEqual(kindsOf(errors(batchOf([{ credentialId: "cred_1", status: "skipped" }]))), [
      "missing body.data.0.error.code",
      "missing body.data.0.error.message"
    ])
    assert.deepStrictEqual(kindsOf(errors(batchOf([{ credentialId: "cred_1", status: "noop", error: mismatch }]))), [
      "unexpected body.data.0.error"
    ])
  })

  it("BLK-07: has integer counts that match its items", () => {
    assert.deepStrictEqual(counts(good), [])
    assert.deepStrictEqual(kindsOf(counts(batchOf(items, { total: 4 }))), ["wrong-value body.meta.total"])
    assert.deepStrictEqual(kindsOf(counts(batchOf(items, { failed: -1 }))), ["wrong-type body.meta.failed"])
    assert.deepStrictEqual(kindsOf(counts(batchOf(items, { succeeded: "2" }))), ["wrong-type body.meta.succeeded"])
  })

  it("BLK-18: must count a no-op as a success", () => {
    assert.deepStrictEqual(outcomes(good), [])
    assert.deepStrictEqual(kindsOf(outcomes(batchOf(items, { succeeded: 1, failed: 2 }))), [
      "wrong-value body.meta.failed",
      "wrong-value body.meta.succeeded"
    ])
  })

  it("BLK-04, BLK-05: reports the status of each credential, and the reason of each skipped one", () => {
    assert.deepStrictEqual(says(good, "cred_1", "skipped", "OWNER_MISMATCH"), [])
    assert.deepStrictEqual(says(good, "cred_3", "transferred"), [])
    assert.deepStrictEqual(kindsOf(says(good, "cred_1", "skipped", "ALREADY_LINKED")), [
      "wrong-value body.data.0.error.code"
    ])
    assert.deepStrictEqual(kindsOf(says(good, "cred_2", "transferred")), ["wrong-value body.data.1.status"])
    assert.deepStrictEqual(kindsOf(says(good, "cred_4", "noop")), ["missing body.data"])
  })

  it("BLK-10, BLK-11: has items for exactly the expected credentials, in any order", () => {
    assert.deepStrictEqual(isFor(good, ["cred_3", "cred_1", "cred_2"]), [])
    for (const others of [
      ["cred_1", "cred_2"],
      ["cred_1", "cred_2", "cred_3", "cred_4"],
      ["cred_1", "cred_2", "cred_2"]
    ]) {
      assert.deepStrictEqual(kindsOf(isFor(good, others)), ["wrong-value body.data"])
    }
  })

  it("BLK-12: is not 409 as a whole", () => {
    for (const status of [200, 400, 413, 422]) assert.deepStrictEqual(noConflict(batchOf(items, {}, status)), [])
    assert.deepStrictEqual(kindsOf(noConflict(batchOf(items, {}, 409))), ["status status"])
    assert.deepStrictEqual(kindsOf(noConflict(exchangeOf({ answer: null, silence: "reset" }))), ["no-answer status"])
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
