import { assert, describe, it } from "@effect/vitest"
import { type Constituent, constituentOf } from "@wcs/domain/legacy/Constituents"
import type { WorkerFields } from "@wcs/domain/people/Worker"

const nobody: Constituent = {
  id: "wkr_0000000000000001",
  first_name: "",
  surname: "Ann Example",
  date_of_birth: null,
  email: null,
  mobile_number: null,
  external_id: null,
  is_active: true
}

describe("Constituents: a worker on the legacy surface", () => {
  const displayName = "Ann Example"
  const rows: ReadonlyArray<readonly [string, WorkerFields, Partial<Constituent>]> = [
    ["display name only", { identity: { displayName } }, {}],
    ["first name only", { identity: { displayName, firstName: "Ann" } }, { first_name: "Ann", surname: "" }],
    ["last name only", { identity: { displayName, lastName: "Example" } }, { surname: "Example" }],
    [
      "both names and a birth date",
      { identity: { displayName: "AE", firstName: "Ann", lastName: "Example", birthDate: "1990-02-28" } },
      { first_name: "Ann", surname: "Example", date_of_birth: "1990-02-28" }
    ],
    [
      "a work email and a personal email",
      { identity: { displayName }, contact: { workEmail: "w@example.org", personalEmail: "p@example.org" } },
      { email: "w@example.org" }
    ],
    [
      "an address at home, and a mobile phone",
      { identity: { displayName }, contact: { personalEmail: "p@example.org", mobileNumber: "+61 400 000 000" } },
      { email: "p@example.org", mobile_number: "+61 400 000 000" }
    ],
    [
      "an id elsewhere",
      { identity: { displayName }, source: { externalId: "17", sourceSystem: "hr" } },
      { external_id: "17" }
    ],
    ...(["ACTIVE", "ON_LEAVE", "INACTIVE", "TERMINATED"] as const).map(
      (status) =>
        [
          status,
          { identity: { displayName }, employment: { status } },
          { is_active: status === "ACTIVE" || status === "ON_LEAVE" }
        ] as const
    )
  ]
  it.each(rows)("%s", (_, fields, expected) => {
    const worker = { id: nobody.id, version: 1, createdAt: 0, updatedAt: 0, deletedAt: null, fields }
    assert.deepStrictEqual(constituentOf(worker), { ...nobody, ...expected })
  })
})
