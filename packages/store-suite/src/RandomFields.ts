import type { ApplicantFields } from "@wcs/domain/Applicant"
import type { CredentialFields } from "@wcs/domain/Credential"
import type { WorkerFields } from "@wcs/domain/Worker"
import fc from "fast-check"

/** Characters that stores treat unlike: letter case, patterns, quotes, both sides of U+FFFF, the first and last ones. */
const characters = ["a", "A", "b", "Z", "0", " ", "-", "_", "%", "\\", "'", '"', "é", "ß", "İ", "Σ", "ﬀ"]
const edges = ["\u{a0}", "\u{e000}", "\u{ff5e}", "\u{fffd}", "\u{10000}", "\u{1F600}", "\u{10FFFF}"]

/** Text as a field can hold it: few characters, so that values are often equal or begin alike. */
export const text: fc.Arbitrary<string> = fc
  .string({ unit: fc.constantFrom(...characters, ...edges), minLength: 1, maxLength: 3 })
  .filter((value) => value.trim() !== "")

const email = text.map((name) => `${name.replaceAll(/\s/g, "")}x@B`)

const date = fc.constantFrom("1999-12-31", "2026-01-30", "2026-01-31", "2026-02-01", "9999-12-31")

const plain = { noNullPrototype: true } as const

const source = fc.record({ externalId: text, sourceSystem: text }, { ...plain, requiredKeys: [] })

export const workers: fc.Arbitrary<WorkerFields> = fc.record(
  {
    identity: fc.record(
      { displayName: text, firstName: text, lastName: text, otherNames: fc.array(text, { maxLength: 3 }) },
      { ...plain, requiredKeys: ["displayName"] }
    ),
    contact: fc.record({ workEmail: text }, { ...plain, requiredKeys: [] }),
    source
  },
  { ...plain, requiredKeys: ["identity"] }
)

export const applicants: fc.Arbitrary<ApplicantFields> = fc.record(
  {
    displayName: text,
    lastName: text,
    emailAddress: email,
    birthDate: date,
    status: fc.constantFrom("NEW", "HIRED", "WITHDRAWN"),
    source
  },
  { ...plain, requiredKeys: ["emailAddress", "status"] }
)

const ownerId = (prefix: string) => fc.constantFrom(null, `${prefix}0123456789abcdef`, `${prefix}0123456789ABCDEF`)

export const credentials: fc.Arbitrary<CredentialFields> = fc.record(
  {
    attributes: fc.record(
      {
        credentialType: fc.constantFrom("WWCC_NSW", "FIRST_AID", "POLICE_CHECK_NATIONAL"),
        jurisdiction: fc.constantFrom("NSW", "VIC"),
        identifier: text,
        holder: fc.record({ lastName: text }, { ...plain, requiredKeys: [] }),
        expiryDate: date,
        eligibility: fc.constantFrom("MAY_ENGAGE", "MAY_NOT_ENGAGE", "IN_PROGRESS"),
        owners: fc.record({ worker: ownerId("wkr_"), applicant: ownerId("app_") }, plain)
      },
      { ...plain, requiredKeys: ["credentialType", "owners"] }
    )
  },
  plain
)
