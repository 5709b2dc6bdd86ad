import { assert, describe, it } from "@effect/vitest"
import { LinkNotFound } from "@wcs/domain/crud/Links"
import type { Stored } from "@wcs/domain/resource/Resource"
import { PackageInactive, withRequirements } from "@wcs/domain/screening/RecruitmentChecks"
import { Option, Result } from "effect"

const code = "child-care"
const requirements = { credentialTypes: ["WWCC_NSW"] }
const fields = { applicant: { id: "app_0" }, screeningPackageCode: code, expiryDays: 7, status: "INITIATED" } as const

const packageWith = (active: boolean, deletedAt: number | null = null): Option.Option<Stored> => {
  const stored = { id: code, version: 1, createdAt: 0, updatedAt: 0, deletedAt }
  return Option.some({ ...stored, fields: { code, name: "Child care", requirements, active } })
}

const missing = new LinkNotFound({ field: "screeningPackageCode", entityType: "screeningPackage", found: "none" })

describe("a new recruitment check", () => {
  it.each([
    ["copies the requirements of an active package", packageWith(true), Result.succeed({ ...fields, requirements })],
    ["refuses an inactive package", packageWith(false), Result.fail(new PackageInactive({ code }))],
    ["refuses a deleted package", packageWith(true, 7), Result.fail(missing)],
    ["refuses an unknown package", Option.none(), Result.fail(missing)]
  ])("%s", (_name, found, expected) => {
    assert.deepStrictEqual(withRequirements(fields, found), expected)
  })
})
