import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, freshCode, screeningPackage, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, post } from "../NewerSurface.ts"

/** A body with every field that callers write, and the fields that the server adds. */
interface Full {
  readonly type: string
  readonly body: object
  readonly added?: object
}

const source = { externalId: "all fields", sourceSystem: "HR" }
const holder = { firstName: "Ann", middleName: "Mary", lastName: "Example", birthDate: "1980-02-29" }
const requirements = { credentialTypes: ["WWCC_NSW"], exemptionTypes: ["MEDICAL"], banChecks: ["NDIS"] }
const invitation = { message: "Please show us your cards", expiryDays: 21 }

const everyField = Effect.gen(function* () {
  const owners = { worker: yield* worker(), applicant: yield* applicant() }
  const all: Readonly<Record<string, Full>> = {
    workers: {
      type: "worker",
      body: {
        identity: { displayName: "Ann Example", ...holder, otherNames: ["Ann Sample", "Änne Beispiel 例"] },
        contact: { workEmail: "ann@example.org", personalEmail: "ann@example.net", mobileNumber: "+61 400 000 000" },
        employment: {
          jobTitle: "Nurse",
          workerType: "VOLUNTEER",
          status: "ON_LEAVE",
          startDate: "2020-01-01",
          endDate: "2030-12-31",
          organisationName: "Example Ltd"
        },
        source
      }
    },
    applicants: {
      type: "applicant",
      body: {
        displayName: "Ann Example",
        firstName: "Ann",
        lastName: "Example",
        emailAddress: "Ann.Example+1@Example.org",
        phone: "+61 400 000 000",
        birthDate: "1980-02-29",
        source,
        status: "SCREENING"
      }
    },
    exemptions: {
      type: "exemption",
      body: {
        exemptionType: "RELIGIOUS",
        applicant: { id: owners.applicant },
        identifier: "EX-1",
        jurisdiction: "NATIONAL",
        reason: "Told so",
        grantedBy: "Ann Example",
        issueDate: "2026-01-01",
        expiryDate: "2027-02-28",
        exemptedCredentialTypes: ["WWCC_NSW", "FIRST_AID"]
      }
    },
    "compliance-checks": {
      type: "complianceCheck",
      body: {
        code: freshCode(),
        displayName: "Everybody",
        description: "All of it",
        severity: "CRITICAL",
        enabled: false,
        requirement: { credentialTypes: ["WWCC_NSW", "FIRST_AID"], mode: "ANY", exemptionsCount: true }
      }
    },
    "screening-packages": {
      type: "screeningPackage",
      body: { code: freshCode(), name: "Child care", description: "All of it", requirements, active: false }
    },
    "fetch-requests": {
      type: "captureRequest",
      body: { worker: { id: owners.worker }, requestedCredentialTypes: ["WWCC_NSW", "FIRST_AID"], ...invitation },
      added: { status: "INITIATED" }
    },
    "recruitment-checks": {
      type: "credentialCheck",
      body: {
        applicant: { id: yield* applicant() },
        screeningPackageCode: yield* screeningPackage({ requirements }),
        ...invitation
      },
      added: { status: "INITIATED", requirements }
    },
    credentials: {
      type: "credential",
      body: {
        attributes: {
          credentialType: "WWCC_NSW",
          category: "Employee",
          jurisdiction: "NSW",
          identifier: "WWC1234567E",
          issueNumber: "1",
          cardType: "Paid",
          holder,
          issueDate: "2024-02-29",
          expiryDate: "2999-12-31",
          owners
        }
      }
    }
  }
  return all
})

/** The attributes of a credential that its verification sets. */
const ofVerification = ["eligibility", "statusDetail", "lastCorrelationId"]

layer(layerService(), { excludeTestServices: true })("fields", (it) => {
  it.effect("every field is kept and shown unchanged", () =>
    Effect.gen(function* () {
      for (const [collection, { added, body, type }] of Object.entries(yield* everyField)) {
        const made = yield* post(`/${collection}`, body)
        assertStatus(made, 201)
        assert.isUndefined(at(made, "meta.warnings"), collection)
        const { createdAt, expiryDate, id, updatedAt, ...shown } = Object(at(made, "data"))
        const declared = collection === "exemptions" ? { expiryDate } : {}
        for (const name of ofVerification) delete shown.attributes?.[name]
        assert.deepStrictEqual({ ...shown, ...declared }, { ...body, ...added, type }, collection)
        assert.match(createdAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
        assert.strictEqual(updatedAt, createdAt)
        if (collection !== "credentials") {
          assert.deepStrictEqual(at(yield* get(`/${collection}/${id}`), "data"), at(made, "data"))
        }
      }
    })
  )

  it.effect("absent fields have their defaults", () =>
    Effect.gen(function* () {
      const requirement = { credentialTypes: ["FIRST_AID"] }
      const rows = [
        ["applicants", { emailAddress: "ann@example.org" }, { status: "NEW" }],
        ["screening-packages", { code: freshCode(), name: "Short" }, { active: true }],
        [
          "compliance-checks",
          { code: freshCode(), displayName: "Short", requirement },
          {
            enabled: true,
            severity: "WARNING",
            requirement: { ...requirement, mode: "ALL", exemptionsCount: false }
          }
        ]
      ] as const
      for (const [collection, body, defaults] of rows) {
        assert.deepInclude(Object(at(yield* post(`/${collection}`, body), "data")), defaults)
      }
      const none = { code: freshCode(), displayName: "None", requirement: { credentialTypes: [] } }
      assertRefused(yield* post("/compliance-checks", none), "INVALID_ARGUMENT", "requirement.credentialTypes")
    })
  )
})
