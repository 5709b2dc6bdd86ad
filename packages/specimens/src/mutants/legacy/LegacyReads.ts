import { at } from "@wcs/conformance/wire/Json"
import type { Mutant } from "../../Mutant.ts"
import * as Legacy from "../../seams/LegacySeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const byBearer = (place: string, value: Parameters<typeof Legacy.showing>[2]) =>
  Legacy.showing(Legacy.me, place, value, Legacy.isByBearer)

const userMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-user-is-not-said-to-be-verified",
    rewrite: byBearer("is_verified", undefined),
    kills: [{ rule: "LEG-03", kind: "missing", at: "body.is_verified" }]
  },
  {
    name: "legacy-user-is-verified-by-a-number",
    rewrite: byBearer("is_verified", Number),
    kills: [{ rule: "LEG-03", kind: "wrong-type", at: "body.is_verified" }]
  },
  {
    name: "legacy-organization-is-short-with-bearer-too",
    rewrite: byBearer("organization", (shown) => ({ id: at(shown, "id") ?? 0, name: at(shown, "name") ?? "" })),
    kills: [{ rule: "LEG-04", kind: "missing", at: "body.organization.abn" }]
  },
  {
    name: "legacy-organization-has-a-number-for-its-abn",
    rewrite: byBearer("organization.abn", 51824753556),
    kills: [{ rule: "LEG-04", kind: "wrong-type", at: "body.organization.abn" }]
  },
  {
    name: "legacy-organization-is-active-in-words",
    rewrite: byBearer("organization.is_active", "yes"),
    kills: [{ rule: "LEG-04", kind: "wrong-type", at: "body.organization.is_active" }]
  },
  {
    name: "legacy-organization-by-itself-has-a-text-for-its-id",
    rewrite: Legacy.showing(Legacy.organization, "id", String),
    kills: [{ rule: "LEG-11", kind: "wrong-type", at: "body.id" }]
  },
  {
    name: "legacy-organization-by-itself-is-another",
    rewrite: Legacy.showing(Legacy.organization, "id", (id) => Number(id) + 1),
    kills: [{ rule: "LEG-11", kind: "wrong-value", at: "body.id" }]
  },
  {
    name: "legacy-organization-is-found-by-its-id-alone",
    rewrite: Legacy.refusing(Legacy.organization, 404),
    kills: [{ rule: "LEG-11", kind: "status", at: "status" }]
  }
]

const listMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-scans-have-names-in-camel-case",
    rewrite: Rewrite.answers(Legacy.scan, (answer, { body }) =>
      body.includes("first_name") ? Legacy.refusal(answer, 400, "firstName") : answer
    ),
    kills: [{ rule: "LEG-12", kind: "status", at: "status" }]
  },
  {
    name: "legacy-scans-are-not-taken",
    rewrite: Legacy.refusing(Legacy.scan, 501),
    kills: [{ rule: "LEG-12", kind: "status", at: "status" }]
  },
  {
    name: "legacy-constituents-are-not-there",
    rewrite: Legacy.refusing(Legacy.constituents, 404),
    kills: [{ rule: "LEG-13", kind: "status", at: "status" }]
  },
  {
    name: "legacy-constituents-break-down",
    rewrite: Legacy.refusing(Legacy.constituents, 500, Legacy.isByBearer),
    kills: [{ rule: "LEG-13", kind: "status", at: "status" }]
  }
]

const isOf =
  ({ method, path }: { readonly method: string; readonly path: RegExp }) =>
  (request: Parameters<typeof Rewrite.pathOf>[0]): boolean =>
    request.method === method && path.test(Rewrite.pathOf(request))

const schemeMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-constituents-are-opened-by-basic",
    rewrite: Legacy.openedByBasic(isOf(Legacy.constituents)),
    kills: [{ rule: "LEG-14", kind: "status", at: "status" }]
  },
  {
    name: "legacy-scans-are-taken-by-basic",
    rewrite: Legacy.openedByBasic(isOf(Legacy.scan)),
    kills: [{ rule: "LEG-14", kind: "status", at: "status" }]
  },
  {
    name: "legacy-organization-by-basic-is-not-found",
    rewrite: Legacy.refusing(Legacy.organization, 404, Legacy.isByBasic),
    kills: [{ rule: "LEG-14", kind: "status", at: "status" }]
  },
  {
    name: "legacy-users-me-takes-basic-alone",
    rewrite: Legacy.refusing(Legacy.me, 401, Legacy.isByBearer),
    kills: [{ rule: "LEG-15", kind: "status", at: "status" }]
  },
  {
    name: "legacy-scans-take-no-bearer",
    rewrite: Legacy.refusing(Legacy.scan, 401, Legacy.isByBearer),
    kills: [{ rule: "LEG-15", kind: "status", at: "status" }]
  }
]

/** Defects of bearer and Basic access on the legacy surface. */
export const legacyReadMutants: ReadonlyArray<Mutant> = [...userMutants, ...listMutants, ...schemeMutants]
