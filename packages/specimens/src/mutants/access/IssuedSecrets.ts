import { at, type Json } from "@wcs/conformance/text/Json"
import { Effect } from "effect"
import { type Mutant, mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import { everywhere } from "../../seams/Everywhere.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

/** The resources with a secret, and its place in the answer to a create. */
const issued = {
  accessToken: { path: "/access-tokens", secret: "token" },
  apiClient: { path: "/api-clients", secret: "clientSecret" }
} as const
type Kind = keyof typeof issued

/** Shows secrets again in reads: adds them to every object with the id of such a resource. */
const shownAgain =
  (kind: Kind, read: RegExp, idAt = "id") =>
  (serve: Serve): Serve => {
    const { path, secret } = issued[kind]
    const known = new Map<Json | undefined, Json>()
    const again = everywhere((object) => {
      const made = known.get(object[idAt])
      return made === undefined ? object : { ...object, [secret]: made }
    })
    return (request) =>
      Effect.map(serve(request), (answer) => {
        const asked = Rewrite.pathOf(request)
        const made = at(answer.json, `data.${secret}`)
        if (request.method === "POST" && asked === path && made !== undefined) {
          known.set(at(answer.json, "data.id"), made)
        }
        return request.method === "GET" && read.test(asked) ? Rewrite.mapJson(again)(answer) : answer
      })
  }

const inItem = (kind: Kind) => shownAgain(kind, new RegExp(`^${issued[kind].path}/[^/?]+$`))

const inList = (kind: Kind) => shownAgain(kind, new RegExp(`^${issued[kind].path}(\\?|$)`))

const inHistory = (kind: Kind) => shownAgain(kind, /^\/audit-events\?/, "entityId")

const hidden = (kind: Kind) =>
  Rewrite.answers({ method: "POST", path: new RegExp(`^${issued[kind].path}$`), status: 201 }, (answer) =>
    Rewrite.field(`data.${issued[kind].secret}`, undefined)(answer)
  )

/** Defects of secrets issued to users. */
export const issuedSecretMutants: ReadonlyArray<Mutant> = [
  mutant("access-token-is-shown-again", "AUT-13 disclosed at body.data.token").rewrite(inItem("accessToken")),
  mutant("list-shows-access-tokens-again", "AUT-13 disclosed at body.data.0.token").rewrite(inList("accessToken")),
  mutant("history-shows-access-tokens", "AUT-13 disclosed at body.data.0.token").rewrite(inHistory("accessToken")),
  mutant("access-token-is-never-shown", "AUT-13 missing at body.data.token").rewrite(hidden("accessToken")),
  mutant("client-secret-is-shown-again", "OAU-23 disclosed at body.data.clientSecret").rewrite(inItem("apiClient")),
  mutant("list-shows-client-secrets-again", "OAU-23 disclosed at body.data.0.clientSecret").rewrite(
    inList("apiClient")
  ),
  mutant("client-secret-is-never-shown", "OAU-23 missing at body.data.clientSecret").rewrite(hidden("apiClient"))
]
