import type { Request } from "@wcs/conformance/wire/Exchange"
import { nameOf } from "@wcs/domain/access/Privilege"
import { type Mutant, mutant } from "../../Mutant.ts"
import { has, lookingFor, openToCallersWho } from "../../seams/PrivilegeSeams.ts"

const reading =
  (path: string) =>
  (request: Request): Request => ({ ...request, method: "GET", url: new URL(path, request.url).href, body: "" })

/** Defects of answers that cover several entity types. */
export const derivedReadMutants: ReadonlyArray<Mutant> = [
  mutant("evaluation-tells-of-credentials-without-credential-read", "PRV-06 status").rewrite(
    openToCallersWho(
      { method: "POST", path: /^\/compliance-checks\/[^/]+\/evaluate$/ },
      reading("/openapi/v1/workers?pageSize=1")
    )
  ),
  mutant("included-credentials-need-worker-read-alone", "PRV-06 status").rewrite(
    openToCallersWho(
      { method: "GET", path: /^\/workers\/[^/?]+\?include=credentials$/ },
      reading("/openapi/v1/workers?pageSize=1")
    )
  ),
  mutant("webhook-create-always-needs-credential-read", "PRV-05 status").rules(
    lookingFor(
      (privileges, asked) =>
        has(privileges, asked) && (nameOf(asked) !== "webhook:CREATE" || privileges.has("credential:READ"))
    )
  )
]
