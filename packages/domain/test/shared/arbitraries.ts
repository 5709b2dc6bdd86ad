import type { CredentialFields } from "@wcs/domain/holding/Credential"
import { codes, jurisdictions } from "@wcs/domain/holding/CredentialType"
import { eligibilities, statusDetails, type Verdict } from "@wcs/domain/holding/Verification"
import type { ApplicantFields } from "@wcs/domain/people/Applicant"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import * as fc from "fast-check"

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** An id of a kind. */
export const id = (prefix: string) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: 16, maxLength: 16 }).map((random) => prefix + random)

/** One line of text, with names in many scripts. */
export const line = (maxLength: number) =>
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: Math.min(maxLength, 20) })
    .filter((text) => text.length <= maxLength && /\S/.test(text) && !/\p{Cc}/u.test(text))

/** A date that exists. */
export const calendarDate = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2200-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

const source = fc.record({ externalId: line(200), sourceSystem: line(100) }, { requiredKeys: [] })

export const workerFields: fc.Arbitrary<WorkerFields> = fc.record(
  {
    identity: fc.record(
      {
        displayName: line(200),
        firstName: line(100),
        middleName: line(100),
        lastName: line(100),
        otherNames: fc.array(line(200), { maxLength: 3 }),
        birthDate: calendarDate
      },
      { requiredKeys: ["displayName"] }
    ),
    contact: fc.record(
      { workEmail: line(254), personalEmail: line(254), mobileNumber: line(40) },
      { requiredKeys: [] }
    ),
    employment: fc.record(
      {
        jobTitle: line(200),
        workerType: fc.constantFrom("EMPLOYEE", "VOLUNTEER", "CONTRACTOR"),
        status: fc.constantFrom("ACTIVE", "INACTIVE", "ON_LEAVE", "TERMINATED"),
        startDate: calendarDate,
        endDate: calendarDate,
        organisationName: line(200)
      },
      { requiredKeys: [] }
    ),
    source
  },
  { requiredKeys: ["identity"] }
)

export const applicantFields: fc.Arbitrary<ApplicantFields> = fc.record(
  {
    displayName: line(200),
    firstName: line(100),
    lastName: line(100),
    emailAddress: fc.constantFrom("ann@example.org", "bo@example.org"),
    phone: line(40),
    birthDate: calendarDate,
    source,
    status: fc.constantFrom("NEW", "SCREENING", "COMPLETED", "HIRED", "WITHDRAWN")
  },
  { requiredKeys: ["emailAddress", "status"] }
)

/** A verdict with matching parts. */
export const verdict: fc.Arbitrary<Verdict> = fc
  .constantFrom(...eligibilities)
  .chain((eligibility) =>
    fc.record({ eligibility: fc.constant(eligibility), statusDetail: fc.constantFrom(...statusDetails[eligibility]) })
  )

/** Slots with at least one owner. */
export const owners = fc
  .record({ worker: fc.option(id("wkr_")), applicant: fc.option(id("app_")) })
  .filter(({ applicant, worker }) => applicant !== null || worker !== null)

const holder = fc.record(
  {
    firstName: line(100),
    middleName: line(100),
    lastName: line(100),
    birthDate: calendarDate,
    otherNames: fc.array(fc.record({ firstName: line(100), lastName: line(100) }, { requiredKeys: ["lastName"] }), {
      maxLength: 5
    })
  },
  { requiredKeys: [] }
)

export const credentialFields: fc.Arbitrary<CredentialFields> = fc
  .record({
    written: fc.record(
      {
        credentialType: fc.constantFrom(...codes),
        category: line(100),
        jurisdiction: fc.constantFrom(...jurisdictions),
        identifier: line(100),
        issueNumber: line(40),
        cardType: line(100),
        holder,
        issueDate: calendarDate,
        expiryDate: calendarDate,
        owners
      },
      { requiredKeys: ["credentialType", "owners"] }
    ),
    verdict: fc.option(verdict, { nil: {} }),
    computed: fc.record(
      {
        lastVerifiedAt: fc.constant("2026-01-31T09:30:00.000Z"),
        lastCorrelationId: id("corr-"),
        lastKnown: verdict
      },
      { requiredKeys: [] }
    )
  })
  .map(({ computed, verdict, written }) => ({ attributes: { ...written, ...verdict, ...computed } }))

/** A stored resource. */
export const stored = <Fields extends JsonObject>(
  prefix: string,
  fields: fc.Arbitrary<Fields>
): fc.Arbitrary<Stored<Fields>> =>
  fc
    .record({
      id: id(prefix),
      version: fc.integer({ min: 1, max: 1000 }),
      createdAt: fc.nat(4e12),
      changedAfter: fc.nat(1e9),
      fields
    })
    .map(({ changedAfter, ...drawn }) => ({
      ...drawn,
      updatedAt: drawn.createdAt + changedAfter,
      deletedAt: null
    }))
