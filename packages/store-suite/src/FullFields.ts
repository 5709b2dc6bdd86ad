import type { ApplicantFields } from "@wcs/domain/Applicant"
import type { ComplianceCheckFields } from "@wcs/domain/ComplianceChecks"
import type { CredentialFields } from "@wcs/domain/Credential"
import type { ExemptionFields } from "@wcs/domain/Exemptions"
import type { ScreeningPackageFields } from "@wcs/domain/ScreeningPackages"
import type { WorkerFields } from "@wcs/domain/Worker"

/** Every field of a worker, with text that is easily spoilt. */
export const fullWorker: WorkerFields = {
  identity: {
    displayName: "Zoë Ångström-O'Neill \u{1F600}",
    firstName: "Zoë",
    middleName: 'M\\%_"',
    lastName: "Ångström-O'Neill",
    otherNames: ["Zo", "小枝"],
    birthDate: "1990-02-28"
  },
  contact: { workEmail: "zoe@example.org", personalEmail: "zoe@example.com", mobileNumber: "+61 400 000 000" },
  employment: {
    jobTitle: "Nurse",
    workerType: "CONTRACTOR",
    status: "ON_LEAVE",
    startDate: "2024-02-29",
    endDate: "2026-12-31",
    organisationName: "Care & Co"
  },
  source: { externalId: "HR-0001", sourceSystem: "hr" }
}

/** Every field of an applicant but one. */
export const fullApplicant: ApplicantFields = {
  displayName: "Bob",
  firstName: "Robert",
  lastName: "O'Brien",
  emailAddress: "Bob@Example.org",
  phone: "0400 000 000",
  birthDate: "2000-01-01",
  source: { externalId: "ATS-7" },
  status: "SCREENING"
}

/** Every field of an exemption of a worker. */
export const fullExemption = (worker: string): ExemptionFields => ({
  exemptionType: "MEDICAL",
  worker: { id: worker },
  identifier: "EX 1/2026",
  jurisdiction: "NATIONAL",
  reason: "Ångström's 100% \u{1F600}",
  grantedBy: "O'Neill",
  issueDate: "2026-01-01",
  expiryDate: "2027-01-01",
  exemptedCredentialTypes: ["WWCC_NSW", "FIRST_AID"]
})

/** Every field of a screening package. */
export const fullScreeningPackage: ScreeningPackageFields = {
  code: "child-care_2",
  name: "Ångström & Co",
  description: "All of it \u{1F600}",
  requirements: { credentialTypes: ["WWCC_NSW"], exemptionTypes: ["MEDICAL"], banChecks: ["NDIS", "O'Neill"] },
  active: false
}

/** Every field of a compliance check. */
export const fullComplianceCheck: ComplianceCheckFields = {
  code: "0",
  displayName: "Everybody",
  description: "100%",
  severity: "CRITICAL",
  enabled: true,
  requirement: { credentialTypes: ["FIRST_AID", "WWCC_NSW"], mode: "ANY", exemptionsCount: true }
}

/** Every field of a credential. */
export const fullCredential = (worker: string, applicant: string): CredentialFields => ({
  attributes: {
    credentialType: "WWCC_NSW",
    category: "children",
    jurisdiction: "NSW",
    identifier: "WWC1234567E",
    issueNumber: "2",
    cardType: "paid",
    holder: { firstName: "Zoë", middleName: "M", lastName: "Ångström", birthDate: "1990-02-28" },
    issueDate: "2024-01-01",
    expiryDate: "2029-01-01",
    eligibility: "ERROR",
    statusDetail: "SOURCE_TIMEOUT",
    lastVerifiedAt: "2026-01-31T09:30:00.000Z",
    lastCorrelationId: "c-1",
    lastKnown: { eligibility: "MAY_ENGAGE", statusDetail: "VALID" },
    owners: { worker, applicant }
  }
})
