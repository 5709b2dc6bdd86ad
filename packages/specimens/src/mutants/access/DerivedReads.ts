import type { Request } from "@wcs/conformance/wire/Exchange"
import { nameOf } from "@wcs/domain/access/Privilege"
import type { Mutant } from "../../Mutant.ts"
import { has, lookingFor, openToWhoever } from "../../seams/PrivilegeSeams.ts"

const reading =
  (path: string) =>
  (request: Request): Request => ({ ...request, method: "GET", url: new URL(path, request.url).href, body: "" })

/** Defects of answers that cover several entity types. */
export const derivedReadMutants: ReadonlyArray<Mutant> = [
  {
    name: "evaluation-tells-of-credentials-without-credential-read",
    rewrite: openToWhoever(
      { method: "POST", path: /^\/compliance-checks\/[^/]+\/evaluate$/ },
      reading("/openapi/v1/workers?pageSize=1")
    ),
    kills: [{ rule: "PRV-06", kind: "status", at: "status" }]
  },
  {
    name: "included-credentials-need-worker-read-alone",
    rewrite: openToWhoever(
      { method: "GET", path: /^\/workers\/[^/?]+\?include=credentials$/ },
      reading("/openapi/v1/workers?pageSize=1")
    ),
    kills: [{ rule: "PRV-06", kind: "status", at: "status" }]
  },
  {
    name: "webhook-create-always-needs-credential-read",
    rules: lookingFor(
      (privileges, asked) =>
        has(privileges, asked) && (nameOf(asked) !== "webhook:CREATE" || privileges.has("credential:READ"))
    ),
    kills: [{ rule: "PRV-05", kind: "status", at: "status" }]
  }
]
