import { assert, describe, it } from "@effect/vitest"
import { type Asked, rowsOf, type VerificationRow } from "@wcs/domain/credential/VerificationReport"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import { verdictOf } from "@wcs/domain/holding/Verification"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"

const workerId = "wkr_0000000000000001"
const calendar = { today: "2026-11-29", timeZone: "Australia/Sydney" }

const stored = <Fields>(id: string, fields: Fields) => ({
  ...{ id, version: 1, createdAt: 0, updatedAt: 0, deletedAt: null },
  fields
})

const workerOf = (employment: WorkerFields["employment"] = {}, birthDate: string | null = "1990-04-17") =>
  stored(workerId, {
    identity: { displayName: "Ann Example", ...(birthDate === null ? {} : { birthDate }) },
    employment,
    source: { externalId: "hr-4711" }
  }) as Stored<WorkerFields>

const credentialOf = (
  nth: number,
  attributes: Partial<CredentialFields["attributes"]> = {}
): Stored<CredentialFields> =>
  stored(`cred_000000000000000${nth}`, {
    attributes: {
      credentialType: "WWCC_NSW",
      identifier: "WWC1234567E",
      holder: { birthDate: "1990-04-18" },
      ...verdictOf("VALID"),
      expiryDate: "2027-01-31",
      lastVerifiedAt: "2026-10-02T13:59:59.999Z",
      owners: { worker: workerId, applicant: null },
      ...attributes
    }
  })

/** The row of the credential `credentialOf(1)`. */
const row: VerificationRow = {
  workerId,
  externalId: "hr-4711",
  displayName: "Ann Example",
  birthDate: "1990-04-17",
  engagement: "PAID",
  workerStatus: "ACTIVE",
  credentialId: "cred_0000000000000001",
  credentialType: "WWCC_NSW",
  identifier: "WWC1234567E",
  verifiedOn: "2026-10-02",
  eligibility: "MAY_ENGAGE",
  statusDetail: "VALID",
  expiryDate: "2027-01-31"
}

const without = {
  ...row,
  ...{ credentialId: null, credentialType: null, identifier: null, verifiedOn: null },
  ...{ eligibility: null, statusDetail: null, expiryDate: null }
}

const employed = workerOf({ workerType: "EMPLOYEE", status: "ACTIVE" })

describe("R16: the rows of a worker", () => {
  it("have the six facts that an auditor asks: person, number, day of verification, outcome, expiry, paid or voluntary", () => {
    assert.deepStrictEqual(rowsOf(employed, [credentialOf(1)], {}, calendar), [row])
  })

  it("threat 41: have the day of the verification in the tenant's time zone", () => {
    const onDay = (lastVerifiedAt: string, timeZone = calendar.timeZone) =>
      rowsOf(employed, [credentialOf(1, { lastVerifiedAt })], {}, { ...calendar, timeZone }).map((it) => it.verifiedOn)
    assert.deepStrictEqual(onDay("2026-10-02T14:00:00.000Z"), ["2026-10-03"])
    assert.deepStrictEqual(onDay("2026-10-02T14:00:00.000Z", "Australia/Perth"), ["2026-10-02"])
  })

  it("say as the outcome what the credential reads today, also after its expiry", () => {
    const [expired] = rowsOf(employed, [credentialOf(1, { expiryDate: "2026-11-28" })], {}, calendar)
    assert.deepStrictEqual(expired, { ...row, ...verdictOf("EXPIRED"), expiryDate: "2026-11-28" })
  })

  it.each([
    ["EMPLOYEE", "PAID"],
    ["CONTRACTOR", "PAID"],
    ["VOLUNTEER", "VOLUNTARY"],
    [undefined, null]
  ] as const)("say of the worker type %s: %s", (workerType, engagement) => {
    const [shown] = rowsOf(workerOf(workerType === undefined ? {} : { workerType }), [], {}, calendar)
    assert.strictEqual(shown?.engagement, engagement)
  })

  it("take the birth date of the card if the worker has none", () => {
    const unknown = workerOf({}, null)
    assert.strictEqual(rowsOf(unknown, [credentialOf(1)], {}, calendar)[0]?.birthDate, "1990-04-18")
    assert.isNull(rowsOf(unknown, [], {}, calendar)[0]?.birthDate)
  })

  it("are one for each credential of a verifiable type, or one without a credential", () => {
    const held = [credentialOf(1), credentialOf(2, { credentialType: "FIRST_AID" }), credentialOf(3)]
    const ids = (asked: Asked, credentials = held, isWithout = true) =>
      rowsOf(employed, credentials, asked, calendar, isWithout).map(({ credentialId }) => credentialId)
    assert.deepStrictEqual(ids({}), ["cred_0000000000000001", "cred_0000000000000003"])
    assert.deepStrictEqual(rowsOf(employed, held.slice(1, 2), {}, calendar), [without])
    assert.deepStrictEqual(rowsOf(employed, held, { credentialType: "WWCC_VIC" }, calendar), [without])
    assert.deepStrictEqual(ids({}, [], false), [])
  })

  it("are chosen by type, outcome and status of the worker", () => {
    const held = [
      credentialOf(1),
      credentialOf(2, verdictOf("BARRED")),
      credentialOf(3, { credentialType: "WWVP_ACT" })
    ]
    const ids = (asked: Asked) => rowsOf(employed, held, asked, calendar).map(({ credentialId }) => credentialId)
    assert.deepStrictEqual(ids({ credentialType: "WWVP_ACT" }), ["cred_0000000000000003"])
    assert.deepStrictEqual(ids({ eligibility: "MAY_NOT_ENGAGE" }), ["cred_0000000000000002"])
    assert.deepStrictEqual(ids({ eligibility: "ERROR" }), [])
    assert.lengthOf(ids({ workerStatus: "ACTIVE" }), 3)
    assert.deepStrictEqual(ids({ workerStatus: "TERMINATED" }), [])
  })
})
