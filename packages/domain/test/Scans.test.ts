import { assert, describe, it } from "@effect/vitest"
import type { CredentialFields } from "@wcs/domain/Credential"
import { Ids, idOfNothing } from "@wcs/domain/Id"
import { LegacyCaller, type LegacyCallerOf } from "@wcs/domain/LegacyAuthentication"
import { type Page, ResourceStore } from "@wcs/domain/ResourceStore"
import type { Scan } from "@wcs/domain/Scan"
import { ScanStore } from "@wcs/domain/ScanStore"
import { make } from "@wcs/domain/Scans"
import type { AuditEntry } from "@wcs/domain/Trail"
import { Verifications } from "@wcs/domain/Verifications"
import { Effect, Layer } from "effect"
import { caller, calling } from "./Calling.ts"
import { storedWith } from "./CredentialFixtures.ts"

const credential = storedWith({ holder: { firstName: "Ann", lastName: "Example" } })

const ann: LegacyCallerOf = {
  caller: { ...caller, bearer: { kind: "legacy", id: "ltk_1" } },
  user: undefined as never // nothing of the user is looked at
}

/** What is written by itself, and what beside a verification, where a credential can be verified or not. */
const surroundings = (isVerified: boolean) => {
  const alone: Array<readonly [Scan, AuditEntry]> = []
  const beside: Array<readonly [Scan, AuditEntry]> = []
  const page: Page<CredentialFields> = { items: [credential], hasMore: false, total: undefined }
  const layer = Layer.mergeAll(
    Layer.mock(ResourceStore, { list: () => Effect.succeed(page as never) }),
    Layer.mock(ScanStore, { insert: (scan, audit) => Effect.sync(() => alone.push([scan, audit])) }),
    Layer.mock(Verifications, {
      begin: (_tenantId, _credentialId, _by, more) =>
        Effect.sync(() => {
          const [scan] = more?.scans ?? []
          const [audit] = more?.audit ?? []
          if (isVerified && scan !== undefined && audit !== undefined) beside.push([scan, audit])
          return isVerified
        })
    }),
    Layer.mock(Ids, {
      mint: (kind) => Effect.succeed(idOfNothing(kind)),
      source: (kind) => () => idOfNothing(kind),
      ulid: Effect.succeed("01KCZ00000000000000000000Z")
    }),
    Layer.succeed(LegacyCaller, ann),
    calling
  )
  return { alone, beside, layer }
}

describe("a scan", () => {
  for (const [isVerified, surname, places] of [
    [true, "Example", "beside"],
    [true, "Other", "alone"],
    [false, "Example", "alone"]
  ] as const) {
    it.effect(
      `of ${surname} is written once: ${places}, where a credential can ${isVerified ? "" : "not "}be verified`,
      () => {
        const { alone, beside, layer } = surroundings(isVerified)
        return Effect.gen(function* () {
          const { submit } = yield* make
          yield* submit({ type: "wwcc-nsw", identifier: "WWC1234567E", first_name: "Ann", surname })
          const written = { alone, beside }[places]
          assert.lengthOf([...alone, ...beside], 1)
          assert.lengthOf(written, 1)
          for (const [scan, audit] of written) {
            assert.deepInclude(scan, { surname, outcome: surname === "Example" ? "MATCHED" : "NAME_DIFFERS" })
            assert.deepInclude(audit, { entityType: "scan", entityId: scan.correlationId })
          }
        }).pipe(Effect.provide(layer))
      }
    )
  }
})
