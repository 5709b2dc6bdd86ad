import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const granting = { method: "POST", path: /^\/oauth\/token$/ }

const formIn = ({ body }: Request): URLSearchParams => new URLSearchParams(body)

const refused = (answer: Answer, status: number, error: string): Answer => ({
  ...Rewrite.withJson(answer, { error, error_description: "No.", error_uri: "https://docs.example/errors" }),
  status
})

/** Checks the client before the grant. An incomplete client in the body is invalid, even beside Basic. */
const clientFirst = Rewrite.instead(granting, (request, serve: Serve) =>
  Effect.gen(function* () {
    const form = formIn(request)
    const answer = yield* serve(request)
    const hasId = form.has("client_id")
    if (hasId !== form.has("client_secret")) return refused(answer, 401, "invalid_client")
    if (!hasId && Rewrite.headerOf(request, "authorization") === undefined && answer.status === 401) {
      return refused(answer, 400, "invalid_request")
    }
    if (answer.status !== 400 || form.get("grant_type") === "client_credentials" || !hasId) return answer
    form.set("grant_type", "client_credentials")
    const known = yield* serve({ ...request, body: form.toString() })
    return known.status === 401 ? known : answer
  })
)

const lifetimeSeconds = 900

/** Other lifetimes, more fields, and challenges for every unknown client. */
const grantsOtherwise = Rewrite.answers(granting, (answer) => {
  if (answer.status === 401) {
    return Rewrite.withHeader(answer, "www-authenticate", 'Basic realm="service-oauth", charset="UTF-8"')
  }
  if (answer.status !== 200) return answer
  const stored = Rewrite.withHeader(answer, "cache-control", "private, no-store, max-age=0")
  return Rewrite.mapJson((body) =>
    Rewrite.put(Rewrite.put(body, "expires_in", lifetimeSeconds), "scope", "everything")
  )(stored)
})

/** Characters in a secret that form encoding changes. */
const signs = "+/=% &:é"

const withSigns = (secret: string): string => `${secret}${signs}`

const withoutSigns = (secret: string): string =>
  secret.endsWith(signs) ? secret.slice(0, -signs.length) : `no${secret}`

/** The id and secret in a Basic header without form decoding. */
const plainBasic = (header: string): string | undefined => {
  const [, encoded] = /^Basic (\S+)$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const [id = "", ...secret] = Buffer.from(encoded, "base64").toString().split(":")
  return `Basic ${Buffer.from(`${id}:${withoutSigns(secret.join(":"))}`).toString("base64")}`
}

const readsSigns = Rewrite.requests(granting, (request) => {
  const form = formIn(request)
  const secret = form.get("client_secret")
  if (secret !== null) form.set("client_secret", withoutSigns(secret))
  const header = plainBasic(Rewrite.headerOf(request, "authorization") ?? "")
  const isForm = Rewrite.headerOf(request, "content-type")?.includes("form") === true
  const changed = isForm ? { ...request, body: form.toString() } : request
  return header === undefined ? changed : Rewrite.withRequestHeader(changed, "Authorization", header)
})

/** The token endpoint. */
export const grantVariants: ReadonlyArray<Variant> = [
  variant("clients-are-looked-at-first", ["SIL-23"]).rewrite(clientFirst),
  variant("tokens-live-shorter", ["OAU-05", "OAU-06", "OAU-14", "OAU-24"]).by({
    rewrite: grantsOtherwise,
    profile: (profile) => ({ ...profile, oauthLifetimeSeconds: lifetimeSeconds })
  }),
  variant("client-secrets-have-signs", ["OAU-01", "OAU-02"]).by({
    rewrite: readsSigns,
    secret: (secret, name) => (name.endsWith("_SECRET}") ? withSigns(secret) : secret)
  })
]
