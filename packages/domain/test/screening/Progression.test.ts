import { assert, describe, it } from "@effect/vitest"
import { serverActing } from "@wcs/domain/audit/AuditEntry"
import type { ChangedBy, Progression } from "@wcs/domain/crud/Progression"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { ExemptionFields } from "@wcs/domain/holding/Exemption"
import { type Holdings, noHoldings } from "@wcs/domain/holding/Holdings"
import type { StatusDetail } from "@wcs/domain/holding/Verification"
import type { Stored } from "@wcs/domain/resource/Resource"
import * as FetchRequests from "@wcs/domain/screening/FetchRequests"
import {
  type Action,
  actions,
  afterUpdate,
  begun,
  decide,
  progressed,
  type Status,
  statuses,
  statusOn
} from "@wcs/domain/screening/Invitation"
import { progressionOf, progressionsOfCredential, progressionsOfExemption } from "@wcs/domain/screening/Progressions"
import * as RecruitmentChecks from "@wcs/domain/screening/RecruitmentChecks"
import { defaultTimeZone, momentAt } from "@wcs/domain/shared/CalendarDay"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { conclude, found } from "@wcs/domain/verification/VerificationRun"
import { Result } from "effect"
import * as fc from "fast-check"
import { stored } from "./StoredFields.ts"

const dayMillis = 86_400_000
const now = Date.parse("2026-01-31T01:00:00.000Z") // noon in Sydney
const [yesterday, today, tomorrow] = ["2026-01-30", "2026-01-31", "2026-02-01"] as const
const [wkr, app] = ["wkr_00000000000000aa", "app_00000000000000aa"]

const by = (): ChangedBy => {
  let count = 0
  const actor = serverActing("request")
  return { now, today, actor, auditId: () => `aud_${++count}`, eventId: () => `evt_${++count}` }
}

type Attributes = CredentialFields["attributes"]

const credential = (attributes: Partial<Attributes> = {}): Stored<CredentialFields> =>
  stored({
    attributes: {
      credentialType: "WWCC_NSW",
      eligibility: "MAY_ENGAGE",
      owners: { worker: wkr, applicant: null },
      ...attributes
    }
  })

const exemption = (fields: Partial<ExemptionFields>): Stored<ExemptionFields> =>
  stored({ exemptionType: "MEDICAL", ...fields })

const [nsw, police] = [credential(), credential({ credentialType: "POLICE_CHECK_NATIONAL" })]
const holding = (...credentials: Holdings["credentials"]): Holdings => ({ credentials, exemptions: [] })

const types = ["WWCC_NSW", "POLICE_CHECK_NATIONAL"] as const
const request: FetchRequests.FetchRequestFields = {
  worker: { id: wkr },
  requestedCredentialTypes: types,
  status: "INITIATED",
  expiryDays: 14,
  expiryDate: today
}

/** A fetch request that reads as the status today. */
const reading = (status: Status): FetchRequests.FetchRequestFields => {
  const { expiryDate: _, ...closed } = request
  if (status === "COMPLETED" || status === "CANCELLED") return { ...closed, status }
  return status === "EXPIRED" ? { ...request, status: "IN_PROGRESS", expiryDate: yesterday } : { ...request, status }
}

const statusAfter = (status: Status, holdings: Holdings): Status =>
  statusOn(progressed(FetchRequests.asking, reading(status), holdings, today), today)

describe("the status of a fetch request by the worker's holdings", () => {
  /** The status after none, one and all requirements are met. */
  const rows: ReadonlyArray<readonly [Status, Status, Status, Status]> = [
    ["INITIATED", "INITIATED", "IN_PROGRESS", "COMPLETED"],
    ["SENT", "SENT", "IN_PROGRESS", "COMPLETED"],
    ["IN_PROGRESS", "IN_PROGRESS", "IN_PROGRESS", "COMPLETED"],
    ["COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED"],
    ["EXPIRED", "EXPIRED", "EXPIRED", "EXPIRED"],
    ["CANCELLED", "CANCELLED", "CANCELLED", "CANCELLED"]
  ]

  it("has a row for every status", () => {
    assert.sameMembers(
      rows.map(([status]) => status),
      [...statuses]
    )
  })

  it.each(rows)("is after %s: %s with no requirement met, %s with one, %s with all", (status, none, some, all) => {
    assert.strictEqual(statusAfter(status, noHoldings), none)
    assert.strictEqual(statusAfter(status, holding(police)), some)
    assert.strictEqual(statusAfter(status, holding(police, nsw)), all)
  })

  it("has no last day once it is COMPLETED", () => {
    const { expiryDate: _, ...rest } = request
    const completed = progressed(FetchRequests.asking, request, holding(nsw, police), today)
    assert.deepStrictEqual<JsonObject>(completed, { ...rest, status: "COMPLETED" })
  })
})

describe("a progression", () => {
  const open = [
    stored(request, { id: "cap_1" }),
    stored({ ...request, requestedCredentialTypes: ["WWCC_NSW"] }, { id: "cap_2", version: 7 }),
    stored({ ...request, requestedCredentialTypes: ["FIRST_AID"] }, { id: "cap_3" })
  ]

  it("advances by the holdings, with a version, an audit entry, and an event for each completed one", () => {
    const progression = progressionOf({ type: "worker", id: wkr }, by())
    assert.deepStrictEqual([progression.resource, progression.today], [FetchRequests.FetchRequest, today])
    const advances = progression.decide(open, holding(nsw))
    assert.deepStrictEqual(
      advances.map(({ before, next }) => [before.id, next.id, next.version, next.updatedAt, next.fields["status"]]),
      [
        ["cap_1", "cap_1", 5, now, "IN_PROGRESS"],
        ["cap_2", "cap_2", 8, now, "COMPLETED"]
      ]
    )
    assert.deepStrictEqual(
      advances.map(({ audit }) => [audit.operation, audit.action, audit.entityType, audit.entityId, audit.requestId]),
      [
        ["UPDATE", "progress", "captureRequest", "cap_1", "request"],
        ["UPDATE", "complete", "captureRequest", "cap_2", "request"]
      ]
    )
    assert.deepStrictEqual(
      advances.map(({ events }) => events.map(({ kind, sequence, subjectId }) => [kind, subjectId, sequence])),
      [[], [["fetchRequest.completed", "cap_2", 8]]]
    )
  })

  it("changes nothing if the holdings meet nothing new", () => {
    const { decide: again } = progressionOf({ type: "worker", id: wkr }, by())
    assert.deepStrictEqual(again([stored({ ...request, status: "IN_PROGRESS" })], holding(nsw)), [])
    assert.deepStrictEqual(again(open, noHoldings), [])
  })

  it("reports only ids and the status of what was completed", () => {
    const check = stored<RecruitmentChecks.RecruitmentCheckFields>(
      {
        applicant: { id: app },
        screeningPackageCode: "aged-care",
        message: "Dear Bo",
        status: "SENT",
        expiryDays: 14,
        expiryDate: today,
        requirements: { exemptionTypes: ["MEDICAL"] }
      },
      { id: "chk_1" }
    )
    const progression = progressionOf({ type: "applicant", id: app }, by())
    assert.strictEqual(progression.resource, RecruitmentChecks.RecruitmentCheck)
    const [advance] = progression.decide([check], { credentials: [], exemptions: [exemption({})] })
    const [event] = advance?.events ?? []
    assert.deepStrictEqual(
      [event?.kind, event?.correlationId, event?.about, event?.at, event?.sequence],
      ["recruitmentCheck.completed", null, { credentialType: null, jurisdiction: null }, now, 5]
    )
    assert.deepStrictEqual(event?.data, {
      recruitmentCheck: { id: "chk_1", type: "credentialCheck", status: "COMPLETED", applicant: { id: app } }
    })
  })
})

describe("persons with new holdings", () => {
  const personsOf = (progressions: ReadonlyArray<Progression>) => progressions.map(({ person }) => person.id)

  it.each<readonly [string, Partial<Attributes>, ReadonlyArray<string>]>([
    ["reads MAY_ENGAGE", {}, [wkr]],
    ["has two owners", { owners: { worker: wkr, applicant: app } }, [wkr, app]],
    ["expires today", { expiryDate: today }, [wkr]],
    ["has expired", { expiryDate: yesterday }, []],
    ["is suspended", { eligibility: "MAY_NOT_ENGAGE", statusDetail: "SUSPENDED" }, []],
    ["is in progress", { eligibility: "IN_PROGRESS" }, []]
  ])("by a credential that %s", (_, attributes, expected) => {
    assert.deepStrictEqual(personsOf(progressionsOfCredential(credential(attributes), by())), expected)
  })

  it.each<readonly [string, Partial<ExemptionFields>, ReadonlyArray<string>]>([
    ["belongs to a worker", { worker: { id: wkr } }, [wkr]],
    ["belongs to an applicant", { applicant: { id: app } }, [app]],
    ["begins and ends today", { worker: { id: wkr }, issueDate: today, expiryDate: today }, [wkr]],
    ["begins tomorrow", { worker: { id: wkr }, issueDate: tomorrow }, []],
    ["ended yesterday", { worker: { id: wkr }, expiryDate: yesterday }, []]
  ])("by an exemption that %s", (_, fields, expected) => {
    assert.deepStrictEqual(personsOf(progressionsOfExemption(exemption(fields), by())), expected)
  })
})

describe("a concluded verification", () => {
  it.each<readonly [StatusDetail, string | null, boolean, ReadonlyArray<string>]>([
    ["VALID", null, true, [wkr, app]],
    ["VALID_EXPIRING", today, true, [wkr, app]],
    ["VALID", yesterday, true, []],
    ["SUSPENDED", null, true, []],
    ["SOURCE_TIMEOUT", null, true, []],
    ["VALID", null, false, []]
  ])("as %s until %s, which changes the credential: %s", (statusDetail, expiryDate, changes, expected) => {
    const before = credential({ eligibility: "IN_PROGRESS", owners: { worker: wkr, applicant: app } })
    const verdict = found(before.fields, statusDetail, expiryDate, now)
    const { records } = conclude(before, [], verdict, { ...by(), verificationId: () => "vrf_1" }, changes)
    assert.deepStrictEqual(
      records.progressions.map(({ person }) => person.id),
      expected
    )
  })
})

/** A step in the life of a fetch request. */
type Step =
  | { readonly do: Action }
  | { readonly days: number }
  | { readonly pass: number }
  | { readonly hold: ReadonlyArray<string> }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom(...actions) }),
    fc.record({ days: fc.integer({ min: 1, max: 90 }) }),
    fc.record({ pass: fc.integer({ min: 1, max: 20 * dayMillis }) }),
    fc.record({ hold: fc.subarray([...types]) })
  ),
  { maxLength: 30 }
)

/** Every state on the way: before and after the step, with the worker's holdings. */
const historyOf = (taken: ReadonlyArray<Step>) => {
  let time = now
  let held: ReadonlyArray<string> = []
  let fields = begun(request, today)
  return taken.map((step) => {
    if ("pass" in step) time += step.pass
    const moment = momentAt(time, defaultTimeZone)
    if ("hold" in step) held = step.hold
    const before = fields
    const shownBefore = statusOn(before, moment.today)
    const outcome =
      "do" in step
        ? decide(before, step.do, moment)
        : "days" in step
          ? afterUpdate(before, { ...before, expiryDays: step.days })
          : Result.succeed(before)
    const holdings = holding(...held.map((credentialType) => credential({ credentialType })))
    // A delay triggers no check of the holdings.
    const isLook = !("pass" in step) && Result.isSuccess(outcome)
    const decided = Result.getOrElse(outcome, () => before)
    fields = isLook ? progressed(FetchRequests.asking, decided, holdings, moment.today) : decided
    return { step, held, isLook, before, shownBefore, shown: statusOn(fields, moment.today), fields }
  })
}

describe("any history of a fetch request and its worker's holdings", () => {
  const holds = (law: (moment: ReturnType<typeof historyOf>[number]) => void) =>
    fc.assert(fc.property(steps, (taken) => historyOf(taken).forEach(law)))

  it("completes exactly when a change finds it open with all requirements met", () =>
    holds(({ before, fields, held, isLook, shown, shownBefore }) => {
      if (shownBefore === "COMPLETED") return assert.deepStrictEqual(fields, before)
      if (shown === "COMPLETED") assert.isTrue(isLook && held.length === types.length)
      const isOpen = shown === "INITIATED" || shown === "SENT" || shown === "IN_PROGRESS"
      if (isLook && isOpen) assert.isBelow(held.length, types.length)
    }))

  it("is not completed by holdings once it is EXPIRED or CANCELLED", () =>
    holds(({ shown, shownBefore, step }) => {
      const isClosed = shownBefore === "EXPIRED" || shownBefore === "CANCELLED"
      if (isClosed && "hold" in step) assert.strictEqual(shown, shownBefore)
    }))

  it("never leaves IN_PROGRESS when holdings are lost", () =>
    holds(({ shown, shownBefore, step }) => {
      if (shownBefore === "IN_PROGRESS" && "hold" in step) assert.include(["IN_PROGRESS", "COMPLETED"], shown)
    }))

  it("is IN_PROGRESS after a change that finds it open with some requirements met", () =>
    holds(({ held, isLook, shown }) => {
      if (isLook && held.length === 1) assert.notInclude(["INITIATED", "SENT"], shown)
    }))
})
