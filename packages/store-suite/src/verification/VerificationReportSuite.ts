import { assert, describe } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import * as VerificationReport from "@wcs/domain/credential/VerificationReport"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import type { Query } from "@wcs/domain/resource/ListQuery"
import { Effect, Stream } from "effect"
import {
  created,
  credentialFields,
  freshTenant,
  mint,
  putAll,
  start,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"

const callerOf = (tenantId: string): Caller["Service"] => ({
  tenantId,
  timeZone: "Australia/Sydney",
  account: "urn:wcs:account:acc_0000000000000000",
  privileges: privilegesOf("Viewer"),
  bearer: { kind: "personal", id: "pat_0000000000000000" },
  rateLimitKey: "test",
  rateLimit: null,
  workerId: null
})

/** Credentials of a worker, in the order of creation, each of the type at its index. */
const heldBy = (worker: string, types: ReadonlyArray<string>) =>
  types.map((credentialType, age) =>
    created(mint("credential"), credentialFields({ worker }, { credentialType }), { createdAt: start + age })
  )

const times = (count: number, type: string): ReadonlyArray<string> => Array.from({ length: count }, () => type)

/** Puts workers. Three have more credentials than a page shows. Returns the expected rows in order. */
const fill = Effect.fnUntraced(function* (tenant: string) {
  const workers = Array.from({ length: 103 }, (_, age) =>
    created(mint("worker"), workerFields(), { createdAt: start + age, deletedAt: age === 60 ? start : null })
  )
  const types = (nth: number): ReadonlyArray<string> => {
    if (nth === 20) return [...times(100, "FIRST_AID"), "WWCC_NSW"]
    if (nth === 21) return times(203, "WWCC_VIC")
    if (nth === 22) return ["WWCC_NSW", ...times(100, "FIRST_AID")]
    return nth % 3 === 0 ? [] : ["WWCC_NSW", "FIRST_AID", "WWVP_ACT"].slice(0, nth % 3)
  }
  const held = workers.map(({ id }, nth) => heldBy(id, types(nth)))
  yield* putAll(Worker, tenant, workers)
  yield* putAll(Credential, tenant, held.flat())
  return workers.flatMap((worker, nth) => {
    if (worker.deletedAt !== null) return []
    const shown = (held[nth] ?? []).filter(({ fields }) => fields.attributes.credentialType !== "FIRST_AID")
    return shown.length === 0 ? [`${worker.id} null`] : shown.map(({ id }) => `${worker.id} ${id}`)
  })
})

const keyOf = ({ credentialId, workerId }: VerificationReport.VerificationRow): string => `${workerId} ${credentialId}`

/** Tests the report of verifications over the real lists. */
export const verificationReportSuite = (it: TenantTest): void => {
  describe("R16: the report of verifications", () => {
    it("has each worker once without, or once per verifiable credential, whole or page by page", function* (tenant) {
      const { all, page } = yield* VerificationReport.make
      const expected = yield* fill(tenant)
      yield* fill(freshTenant())
      const reading = <A, E>(read: Effect.Effect<A, E, Caller>) => Effect.provideService(read, Caller, callerOf(tenant))

      const rows = yield* Effect.flatMap(reading(all({})), Stream.runCollect)
      assert.deepStrictEqual(rows.flat().map(keyOf), expected)

      const found: Array<string> = []
      const warned: Array<string> = []
      let query: Query = { pageSize: "100" }
      do {
        const { documents, nextCursor, pageSize, warnings } = yield* reading(page(query))
        assert.strictEqual(pageSize, 50)
        found.push(...documents.map(keyOf))
        warned.push(...warnings)
        query = nextCursor === null ? {} : { pageSize: "100", cursor: nextCursor }
      } while (query["cursor"] !== undefined)
      // A page shows at most 100 credentials of a worker, and says so.
      assert.lengthOf(warned, 3)
      const isShown = (row: string) => !warned.some((warning) => warning.startsWith(row.slice(0, row.indexOf(" "))))
      assert.deepStrictEqual(found.filter(isShown), expected.filter(isShown))
      assert.lengthOf(found, expected.length - 1 - 103)

      const deleted = yield* Effect.flatMap(reading(all({ includeDeleted: "true" })), Stream.runCollect)
      assert.lengthOf(deleted.flat(), expected.length + 1)
    })
  })
}
