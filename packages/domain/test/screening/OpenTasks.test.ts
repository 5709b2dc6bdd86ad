import { assert, describe, it } from "@effect/vitest"
import type { BanFields } from "@wcs/domain/holding/Ban"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import { type StatusDetail, verdictOf } from "@wcs/domain/holding/Verification"
import type { ApplicantFields } from "@wcs/domain/people/Applicant"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import { openBanTasks, openTasks } from "@wcs/domain/screening/OpenTasks"
import { endOfDay } from "@wcs/domain/shared/CalendarDay"
import { stored } from "./StoredFields.ts"

const today = "2026-01-31"
const timeZone = "Australia/Sydney"
const worker = "wkr_00000000000000aa"
const verifiedAt = "2026-01-10T00:00:00.000Z"
const changedAt = Date.parse("2026-01-20T00:00:00.000Z")
const dayAfter = (day: string) => endOfDay(day, timeZone) + 1

const card = (detail: StatusDetail, attributes: Partial<CredentialFields["attributes"]> = {}, id = "cred_1") => ({
  ...stored<CredentialFields>({
    attributes: {
      ...{ credentialType: "WWCC_NSW", identifier: "WWC1234567E", owners: { worker, applicant: null } },
      ...{ ...verdictOf(detail), lastVerifiedAt: verifiedAt, ...attributes }
    }
  }),
  id,
  updatedAt: changedAt
})

const tasksOf = (cards: ReadonlyArray<ReturnType<typeof card>>, workerType?: "EMPLOYEE" | "VOLUNTEER") => {
  const person = {
    ...stored<WorkerFields>({
      identity: { displayName: "Ann Example" },
      ...(workerType === undefined ? {} : { employment: { workerType } })
    }),
    id: worker
  }
  const moment = { now: changedAt, today }
  return openTasks({ type: "worker", person }, { credentials: cards, exemptions: [] }, moment, timeZone).map(
    ({ createdAt, fields, id }) => `${id} ${fields.reason} ${createdAt}`
  )
}

const decided = (endsOn: string, about: ReadonlyArray<StatusDetail> = ["CONDITIONAL"]) => ({
  ...{ outcome: "MAY_ENGAGE" as const, reason: "because", endsOn, about },
  ...{ decidedAt: verifiedAt, account: "urn:wcs:account:acc_1" }
})

const blueCard = { credentialType: "BLUE_CARD_QLD", expiryDate: "2026-01-15" }
const began = Date.parse(verifiedAt)

describe("the tasks about a worker's cards", () => {
  it.each([
    ["a review that waits", card("QUEUED_MANUAL"), "QUEUED_MANUAL", changedAt],
    ["missing details", card("DETAILS_MISSING"), "DETAILS_MISSING", changedAt],
    ["a condition", card("CONDITIONAL"), "CONDITIONAL", began],
    ["a possible match", card("POSSIBLE_MATCH"), "POSSIBLE_MATCH", began],
    ["an application", card("VALID", { identifier: "APP1234567" }), "APPLICATION_IN_PROGRESS", began],
    ["a card for volunteers", card("VALID", { identifier: "WWC1234567V" }), "VOLUNTEER_ONLY", began],
    ["an expired card that renews anew", card("VALID", blueCard), "EXPIRED", dayAfter("2026-01-15")],
    [
      "a decision that has ended",
      card("CONDITIONAL", { decision: decided("2026-01-25") }),
      "CONDITIONAL",
      dayAfter("2026-01-25")
    ],
    [
      "a decision about another question",
      card("CONDITIONAL", { decision: decided(today, ["EXPIRED"]) }),
      "CONDITIONAL",
      began
    ]
  ] as const)("%s is one, since it began", (_, one, reason, since) => {
    assert.deepStrictEqual(tasksOf([one], "EMPLOYEE"), [`tsk_1 ${reason} ${since}`])
  })

  it.each([
    ["a valid card", card("VALID")],
    ["a barred card", card("BARRED")],
    ["a source that cannot be asked", card("SOURCE_UNAVAILABLE")],
    ["a decision in force", card("CONDITIONAL", { decision: decided(today) })],
    ["an expired card that keeps its number", card("CONDITIONAL", { expiryDate: "2026-01-15" })],
    ["a card that another worker holds", card("CONDITIONAL", { owners: { worker: "wkr_2", applicant: null } })]
  ] as const)("%s is none", (_, one) => {
    assert.deepStrictEqual(tasksOf([one], "EMPLOYEE"), [])
  })

  it("R5: a card for volunteers is none for a volunteer", () => {
    assert.deepStrictEqual(tasksOf([card("VALID", { identifier: "WWC1234567V" })], "VOLUNTEER"), [])
  })

  it("R8: an expired card is none once another card of its type is valid", () => {
    const renewed = card("VALID", { credentialType: "BLUE_CARD_QLD", expiryDate: "2029-01-15" }, "cred_2")
    assert.deepStrictEqual(tasksOf([card("VALID", blueCard), renewed]), [])
    assert.lengthOf(tasksOf([card("VALID", blueCard), { ...renewed, ...card("PENDING", blueCard, "cred_2") }]), 2)
  })
})

describe("the task about the bans of a worker", () => {
  const decided = (endsOn: string) => ({
    ...{ outcome: "MAY_NOT_ENGAGE" as const, reason: "same person", endsOn },
    ...{ decidedAt: verifiedAt, account: "urn:wcs:account:acc_1" }
  })
  const ban = (fields: Partial<BanFields>, id = "urn:wcs:ban:ndis:1") => ({
    ...stored<BanFields>({
      ...{
        register: "ndis",
        worker: { id: worker },
        checkedAt: verifiedAt,
        eligibility: "REVIEW_REQUIRED",
        matches: []
      },
      ...fields
    }),
    id
  })
  const taskOf = (...bans: ReadonlyArray<ReturnType<typeof ban>>) =>
    openBanTasks({ id: worker }, bans, { now: changedAt, today }, timeZone).map(
      ({ createdAt, fields, id }) => `${id} ${fields.reason} ${fields.ban?.id.slice(-1)} ${createdAt}`
    )
  const task = "tsk_00000000000000aa POSSIBLE_BAN"

  it.each([
    ["a possible match", [ban({})], `${task} 1 ${began}`],
    ["two of them: the oldest", [ban({}), ban({}, "urn:wcs:ban:ndis:2")], `${task} 1 ${began}`],
    [
      "one after a decided one",
      [ban({ decision: decided(today) }), ban({}, "urn:wcs:ban:ndis:2")],
      `${task} 2 ${began}`
    ],
    ["a decision that has ended", [ban({ decision: decided("2026-01-25") })], `${task} 1 ${dayAfter("2026-01-25")}`],
    ["a decision", [ban({ decision: decided(today) })], undefined],
    ["a ban", [ban({ eligibility: "MAY_NOT_ENGAGE" })], undefined],
    ["nothing", [], undefined]
  ])("is there for %s", (_, bans, expected) => {
    assert.deepStrictEqual(taskOf(...bans), expected === undefined ? [] : [expected])
  })
})

describe("the tasks about an applicant's cards", () => {
  const applicant = "app_00000000000000aa"
  const person = { ...stored<ApplicantFields>({ emailAddress: "ann@example.org", status: "NEW" }), id: applicant }
  const asked = (owners: CredentialFields["attributes"]["owners"], detail: StatusDetail = "POSSIBLE_MATCH") => {
    const holdings = { credentials: [card(detail, { owners })], exemptions: [] }
    return openTasks({ type: "applicant", person }, holdings, { now: changedAt, today }, timeZone).map(
      ({ createdAt, fields, id }) => ({ id, createdAt, ...fields })
    )
  }

  it("are about the cards that no worker owns", () => {
    const task = {
      ...{ id: "tsk_1", createdAt: began, reason: "POSSIBLE_MATCH" as const, assignee: { id: null } },
      ...{ credential: { id: "cred_1", credentialType: "WWCC_NSW" as const }, applicant: { id: applicant } }
    }
    assert.deepStrictEqual(asked({ worker: null, applicant }), [task])
    assert.deepStrictEqual(asked({ worker: null, applicant }, "VALID"), [])
    assert.deepStrictEqual(asked({ worker, applicant }), [], "the worker has the task")
    assert.deepStrictEqual(asked({ worker: null, applicant: "app_00000000000000bb" }), [])
  })
})
