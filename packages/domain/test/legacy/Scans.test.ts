import { assert, describe, it } from "@effect/vitest"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { type Page, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { Scan } from "@wcs/domain/holding/Scan"
import { LegacyCaller, type LegacyCallerOf } from "@wcs/domain/legacy/LegacyAuthentication"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { make } from "@wcs/domain/legacy/Scans"
import { ResourceNotFound } from "@wcs/domain/resource/Resource"
import { Ids, idOfNothing } from "@wcs/domain/shared/Id"
import { NotVerifiable, TooManyWaiting, Verifications } from "@wcs/domain/verification/Verifications"
import { Effect, Layer } from "effect"
import { storedWith } from "../credential/CredentialFixtures.ts"
import { caller, calling } from "../shared/Calling.ts"

const credential = storedWith({ holder: { firstName: "Ann", lastName: "Example" } })

const ann: LegacyCallerOf = {
  caller: { ...caller, bearer: { kind: "legacy", id: "ltk_1" } },
  user: undefined as never // not used by scans
}

/** Reasons for which a verification cannot start. */
const refusals = {
  deleted: new ResourceNotFound({ entityType: "credential", id: credential.id }),
  retyped: new NotVerifiable({ credentialType: "FIRST_AID" }),
  crowded: new TooManyWaiting({ credentialId: credential.id, limit: 500 })
} as const

/** Records the scans stored without and with a verification. */
const surroundings = (found: ReadonlyArray<typeof credential>, refusal?: keyof typeof refusals) => {
  const alone: Array<readonly [Scan, AuditEntry]> = []
  const beside: Array<readonly [Scan, AuditEntry]> = []
  const page: Page<CredentialFields> = { items: found, hasMore: false, total: undefined }
  const layer = Layer.mergeAll(
    Layer.mock(ResourceStore, { list: () => Effect.succeed(page as never) }),
    Layer.mock(ScanStore, { insert: (scan, audit) => Effect.sync(() => alone.push([scan, audit])) }),
    Layer.mock(Verifications, {
      begin: (_tenantId, _credentialId, _by, more) =>
        Effect.suspend(() => {
          if (refusal !== undefined) return Effect.fail(refusals[refusal])
          const [scan] = more?.scans ?? []
          const [audit] = more?.audit ?? []
          if (scan !== undefined && audit !== undefined) beside.push([scan, audit])
          return Effect.void
        })
    }),
    Layer.mock(Ids, {
      mint: (kind) => Effect.succeed(idOfNothing(kind)),
      source: (kind) => () => idOfNothing(kind),
      ulid: Effect.succeed("01KCZ00000000000000000000Z"),
      ulidAt: () => "01KCZ00000000000000000000Z"
    }),
    Layer.succeed(LegacyCaller, ann),
    calling
  )
  return { alone, beside, layer }
}

describe("a scan", () => {
  const nothing = { credentialId: null }
  const cases = [
    ["a match", [credential], {}, undefined, "queued", "beside", { outcome: "MATCHED", credentialId: credential.id }],
    ["another name", [credential], { surname: "Other" }, undefined, "unmatched", "alone", { outcome: "NAME_DIFFERS" }],
    ["no credential", [], {}, undefined, "unmatched", "alone", { outcome: "NO_CREDENTIAL", ...nothing }],
    ["two credentials", [credential, credential], {}, undefined, "unmatched", "alone", nothing],
    ["a type without a register", [credential], { type: "first-aid" }, undefined, "not_verifiable", "alone", {}],
    ["a credential deleted concurrently", [credential], {}, "deleted", "unmatched", "alone", nothing],
    ["a credential whose type changed concurrently", [credential], {}, "retyped", "unmatched", "alone", nothing],
    ["a credential with the most waiting calls", [credential], {}, "crowded", "queued", "alone", { outcome: "MATCHED" }]
  ] as const
  for (const [name, found, body, refusal, status, place, kept] of cases) {
    it.effect(`returns ${status} for ${name} and stores the scan once, ${place} a verification`, () => {
      const { alone, beside, layer } = surroundings(found, refusal)
      return Effect.gen(function* () {
        const { submit } = yield* make
        const sent = { type: "wwcc-nsw", identifier: "WWC1234567E", first_name: "Ann", surname: "Example", ...body }
        const answer = yield* submit(sent)
        const { identifier, type } = sent
        assert.deepStrictEqual(answer, { correlation_id: "01KCZ00000000000000000000Z", status, type, identifier })
        assert.lengthOf([...alone, ...beside], 1)
        for (const [scan, audit] of { alone, beside }[place]) {
          assert.deepInclude(scan, { status, surname: sent.surname, ...kept })
          assert.deepInclude(audit, { entityType: "scan", entityId: scan.correlationId })
        }
        assert.lengthOf({ alone, beside }[place], 1)
      }).pipe(Effect.provide(layer))
    })
  }
})
