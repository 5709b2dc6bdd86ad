import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, textAt, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, dataOf, get } from "../NewerSurface.ts"
import { list, walk } from "../resource/Listing.ts"
import { login, person, send } from "./LegacySurface.ts"

const collection = "scans"

/** Submits a scan on the legacy surface. */
const submitting = Effect.fnUntraced(function* (given: { readonly other?: boolean } = {}) {
  const who = yield* person(given)
  const { bearer } = yield* login(who)
  return Effect.fnUntraced(function* (body: Readonly<Record<string, string>>) {
    const sent = { type: "wwcc-nsw", first_name: "Ann", surname: "Example", ...body }
    const answer = yield* send("POST", "/scan", bearer, { body: sent, host: who.host })
    assertStatus(answer, 200)
    return { id: textAt(answer, "correlation_id"), requestId: answer.headers["x-request-id"], answer }
  })
})

const rows = (parameters: Readonly<Record<string, string>>) =>
  Effect.map(list(collection, { pageSize: "100", ...parameters }), (answer) => dataOf(answer).map(Object))

const idsBy = (parameters: Readonly<Record<string, string>>) =>
  Effect.map(rows(parameters), (found) => found.map(({ id }) => id))

layer(layerService(), { excludeTestServices: true })("scans", (it) => {
  it.effect("SIL-19: shows a scan's submitted fields, account and result", () =>
    Effect.gen(function* () {
      const submit = yield* submitting()
      const holder = { firstName: "Ann", lastName: "Example" }
      const card = { credentialType: "WWCC_NSW", identifier: "WWC1111199V", holder }
      const credentialId = yield* verified({ worker: yield* worker() }, card)
      const matching = yield* submit({ identifier: card.identifier })
      const differing = yield* submit({ identifier: card.identifier, surname: "Other" })
      const [other, one, ...more] = yield* rows({ identifier: card.identifier })
      assert.deepStrictEqual(more, [])
      assert.match(one.account, /^urn:wcs:account:acc_/)
      assert.deepStrictEqual(one, {
        id: matching.id,
        type: "scan",
        correlationId: matching.id,
        status: "queued",
        outcome: "MATCHED",
        credentialType: "WWCC_NSW",
        identifier: card.identifier,
        firstName: "Ann",
        lastName: "Example",
        credentialId,
        account: one.account,
        requestId: matching.requestId,
        createdAt: one.createdAt
      })
      const { createdAt } = other
      const differs = { status: "unmatched", outcome: "NAME_DIFFERS", lastName: "Other", credentialId: null }
      const by = { id: differing.id, correlationId: differing.id, requestId: differing.requestId, createdAt }
      assert.deepStrictEqual(other, { ...one, ...differs, ...by })
      const entries = dataOf(yield* get(`/audit-events?entityId=${matching.id}`)).map(Object)
      assert.deepStrictEqual(
        entries.map(({ account, action, entityType }) => [account, action, entityType]),
        [[one.account, "scan", "scan"]]
      )
    })
  )

  it.effect("lists newest first, or oldest first on request, page by page, by every filter", () =>
    Effect.gen(function* () {
      const submit = yield* submitting()
      const identifier = "WWC2222222E"
      const submitted: Array<string> = []
      for (const type of ["wwcc-nsw", "first-aid", "WWCC_NSW", "wwcc-nsw"]) {
        submitted.push((yield* submit({ type, identifier })).id)
      }
      const newestFirst = submitted.toReversed()
      for (const pageSize of ["1", "3", "4"]) {
        assert.deepStrictEqual((yield* walk(collection, { identifier, pageSize })).flat(), newestFirst)
        const rising = yield* walk(collection, { identifier, pageSize, sort: "createdAt:asc" })
        assert.deepStrictEqual(rising.flat(), submitted)
      }
      assert.deepStrictEqual(yield* idsBy({ correlationId: submitted[1] ?? "" }), [submitted[1]])
      assert.deepStrictEqual(yield* idsBy({ identifier, status: "not_verifiable" }), [submitted[1]])
      assert.deepStrictEqual(
        yield* idsBy({ identifier, status: "unmatched" }),
        newestFirst.filter((id) => id !== submitted[1])
      )
      assert.deepStrictEqual(yield* idsBy({ identifier, status: "queued" }), [])
      assert.deepStrictEqual(yield* idsBy({ credentialId: "cred_0000000000000000" }), [])
      const page = yield* list(collection, { identifier, pageSize: "2", includeTotal: "true" })
      assert.strictEqual(at(page, "meta.total"), 4)
    })
  )
})
