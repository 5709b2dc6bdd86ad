import { assert, describe, it } from "@effect/vitest"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import type { Owner } from "@wcs/domain/people/Engaged"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import { isWatched, planId, plansOf, type ScheduledTenant } from "@wcs/domain/schedule/Plan"
import { type Path, put } from "@wcs/domain/shared/Json"
import { type SourceState, type StoredSource, sourceStates } from "@wcs/domain/verification/VerificationSource"
import * as fc from "fast-check"
import { stored } from "../screening/StoredFields.ts"

const today = "2026-01-31"
const tenantId = "tnt_0000000000000001"

const source = (id: string, credentialType: string, state: SourceState = "OK", createdAt = 0): StoredSource =>
  stored(
    {
      ...{ credentialType, url: "https://gateway.example.org/", intervalDays: 3, limits: { callsPerMinute: 10 } },
      ...{ state, lastSuccessAt: null, lastFault: null, lastResult: "OK", isPaused: false, sealedSecret: "" }
    },
    { id, createdAt }
  )

const tenant = (sources: ReadonlyArray<StoredSource>, stands: ScheduledTenant["stands"] = new Map()) => ({
  tenantId,
  timeZone: "Australia/Sydney",
  sources,
  stands
})

const plans = (of: ScheduledTenant, accountsOf: "every" | null = "every", intervalDays = 7) =>
  plansOf(of, { accountsOf, callsPerMinute: null, intervalDays })

describe("the schedules of a tenant", () => {
  it("are one for each type with a source, by its oldest source, and one for the other types", () => {
    const sources = [
      source("src_b", "WWCC_VIC", "OK", 2),
      source("src_a", "WWCC_VIC", "OK", 1),
      source("src_c", "WWVP_TAS")
    ]
    const found = plans(tenant(sources))
    assert.deepStrictEqual(found.map(planId), ["src_a", "src_c", ""])
    assert.deepStrictEqual(found[0]?.types, ["WWCC_VIC"])
    assert.sameMembers(
      found.flatMap(({ types }) => types),
      [...CredentialType.asked]
    )
    assert.deepStrictEqual(
      found.map(({ intervalDays }) => intervalDays),
      [3, 3, 7]
    )
  })

  it("ask the deployment's register about no type that needs an account, unless it has the tenant's accounts", () => {
    const [found] = plans(tenant([]), null)
    assert.deepStrictEqual(
      found?.types,
      CredentialType.asked.filter((code) => !CredentialType.withAccounts.includes(code))
    )
  })

  it("leave the deployment's register out with an interval of 0", () => {
    assert.deepStrictEqual(plans(tenant([]), "every", 0), [])
  })

  it("leave half of the calls to callers, and try one question at a time while the gateway fails", () => {
    const openMax = (state: SourceState) => plans(tenant([source("src_a", "WWCC_VIC", state)]))[0]?.openMax
    assert.deepStrictEqual(sourceStates.map(openMax), [5, 1, 1, 1, 1])
    const defaultOpenMax = (callsPerMinute: number | null) =>
      plansOf(tenant([]), { accountsOf: "every", callsPerMinute, intervalDays: 7 })[0]?.openMax
    assert.deepStrictEqual([null, 100, 10, 1].map(defaultOpenMax), [30, 30, 5, 1])
  })

  it("have the stands of their sources", () => {
    const stand = { turn: 5, last: "cred_1", lookedAt: 6 }
    const [own, standard] = plans(tenant([source("src_a", "WWCC_VIC")], new Map([["src_a", stand]])))
    assert.deepStrictEqual([own?.stand, own?.lookedAt], [{ turn: 5, last: "cred_1" }, 6])
    assert.deepStrictEqual([standard?.stand, standard?.lookedAt], [null, null])
  })
})

const full: CredentialFields["attributes"] = {
  credentialType: "",
  identifier: "12345678",
  issueNumber: "1",
  expiryDate: "2027-01-31",
  issuingCountry: "NZ",
  holder: { firstName: "Ann", lastName: "Example", birthDate: "1990-01-31" },
  owners: { worker: "wkr_1", applicant: null }
}

const card = (credentialType: string, dropped: ReadonlyArray<Path>, expiryDate: string, deletedAt: number | null) =>
  stored(
    {
      attributes: dropped.reduce<CredentialFields["attributes"]>(
        (attributes, path) => put(attributes, path, undefined) as typeof full,
        { ...full, credentialType, expiryDate }
      )
    },
    { deletedAt }
  )

const employments: ReadonlyArray<readonly [NonNullable<WorkerFields["employment"]>, engaged: boolean]> = [
  [{ status: "ACTIVE" }, true],
  [{ status: "TERMINATED" }, false],
  [{ endDate: today }, true],
  [{ endDate: "2026-01-30" }, false]
]
const worker = (employment: NonNullable<WorkerFields["employment"]>): Owner => ({
  type: "worker",
  person: stored({ identity: { displayName: "Ann" }, employment })
})

describe("whether a credential is watched", () => {
  it("is exactly: a source that can be asked, its type, living, with all inputs, not to be renewed anew, an engaged owner", () => {
    const anyCode = fc.constantFrom(...CredentialType.codes)
    const isLikely = fc.integer({ min: 0, max: 3 }).map((n) => n > 0)
    fc.assert(
      fc.property(
        anyCode,
        fc.option(fc.constantFrom(...sourceStates)),
        fc.constantFrom("every" as const, null),
        fc.array(isLikely, { minLength: 8, maxLength: 8 }),
        fc.constantFrom("2026-01-30", today, "2027-01-31"),
        fc.option(fc.constant(1), { freq: 5 }),
        fc.array(fc.constantFrom(...employments), { maxLength: 2 }),
        (code, state, accountsOf, kept, expiryDate, deletedAt, owners) => {
          const type = CredentialType.find(code) ?? assert.fail()
          const dropped = type.askedWith.filter((_, index) => kept[index] !== true)
          const isAsked = CredentialType.asked.includes(code)
          const sourced = state === null || !isAsked ? [] : [source("src_a", code, state)]
          const credential = card(code, dropped, expiryDate, deletedAt)
          const people = owners.map(([employment]) => worker(employment))
          const watching = plans(tenant(sourced), accountsOf).filter((plan) =>
            isWatched(plan, credential, people, today)
          )
          const canAsk =
            state === null
              ? !type.needsAccount || accountsOf === "every"
              : state !== "PAUSED" && state !== "NOT_CONFIGURED"
          const lapsed = type.renews === "anew" && expiryDate < today
          const isExpected =
            isAsked &&
            canAsk &&
            deletedAt === null &&
            dropped.length === 0 &&
            !lapsed &&
            owners.some(([, engaged]) => engaged)
          assert.strictEqual(watching.length, isExpected ? 1 : 0)
          for (const plan of watching) assert.strictEqual(planId(plan), state === null ? "" : "src_a")
        }
      ),
      { numRuns: 500 }
    )
  })
})
