import { at } from "@wcs/conformance/text/Json"
import { type Mutant, mutant } from "../../Mutant.ts"
import * as Legacy from "../../seams/LegacySeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const byBearer = (place: string, value: Parameters<typeof Legacy.showing>[2]) =>
  Legacy.showing(Legacy.me, place, value, Legacy.isByBearer)

const isOf =
  ({ method, path }: { readonly method: string; readonly path: RegExp }) =>
  (request: Parameters<typeof Rewrite.pathOf>[0]): boolean =>
    request.method === method && path.test(Rewrite.pathOf(request))

/** Defects of bearer and Basic access on the legacy surface. */
export const legacyReadMutants: ReadonlyArray<Mutant> = [
  mutant("legacy-user-is-not-said-to-be-verified", "LEG-03 missing at body.is_verified").rewrite(
    byBearer("is_verified", undefined)
  ),
  mutant("legacy-user-is-verified-by-a-number", "LEG-03 wrong-type at body.is_verified").rewrite(
    byBearer("is_verified", Number)
  ),
  mutant("legacy-organization-is-short-with-bearer-too", "LEG-04 missing at body.organization.abn").rewrite(
    byBearer("organization", (shown) => ({ id: at(shown, "id") ?? 0, name: at(shown, "name") ?? "" }))
  ),
  mutant("legacy-organization-has-a-number-for-its-abn", "LEG-04 wrong-type at body.organization.abn").rewrite(
    byBearer("organization.abn", 51824753556)
  ),
  mutant("legacy-organization-is-active-in-words", "LEG-04 wrong-type at body.organization.is_active").rewrite(
    byBearer("organization.is_active", "yes")
  ),
  mutant("legacy-organization-by-itself-has-a-text-for-its-id", "LEG-11 wrong-type at body.id").rewrite(
    Legacy.showing(Legacy.organization, "id", String)
  ),
  mutant("legacy-organization-by-itself-is-another", "LEG-11 wrong-value at body.id").rewrite(
    Legacy.showing(Legacy.organization, "id", (id) => Number(id) + 1)
  ),
  mutant("legacy-organization-is-found-by-its-id-alone", "LEG-11 status").rewrite(
    Legacy.refusing(Legacy.organization, 404)
  ),
  mutant("legacy-scans-have-names-in-camel-case", "LEG-12 status").answers(Legacy.scan, (answer, { body }) =>
    body.includes("first_name") ? Legacy.refusal(answer, 400, "firstName") : answer
  ),
  mutant("legacy-scans-are-not-taken", "LEG-12 status").rewrite(Legacy.refusing(Legacy.scan, 501)),
  mutant("legacy-constituents-are-not-there", "LEG-13 status").rewrite(Legacy.refusing(Legacy.constituents, 404)),
  mutant("legacy-constituents-break-down", "LEG-13 status").rewrite(
    Legacy.refusing(Legacy.constituents, 500, Legacy.isByBearer)
  ),
  mutant("legacy-constituents-are-opened-by-basic", "LEG-14 status").rewrite(
    Legacy.openedByBasic(isOf(Legacy.constituents))
  ),
  mutant("legacy-scans-are-taken-by-basic", "LEG-14 status").rewrite(Legacy.openedByBasic(isOf(Legacy.scan))),
  mutant("legacy-organization-by-basic-is-not-found", "LEG-14 status").rewrite(
    Legacy.refusing(Legacy.organization, 404, Legacy.isByBasic)
  ),
  mutant("legacy-users-me-takes-basic-alone", "LEG-15 status").rewrite(
    Legacy.refusing(Legacy.me, 401, Legacy.isByBearer)
  ),
  mutant("legacy-scans-take-no-bearer", "LEG-15 status").rewrite(Legacy.refusing(Legacy.scan, 401, Legacy.isByBearer))
]
