import type { Client, Profile } from "@wcs/conformance/profile/Profile"
import { at, isObject, type Json } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { everyPrivilege, type PrivilegeName } from "@wcs/domain/access/Privilege"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Option } from "effect"
import * as Answering from "../../Answering.ts"
import { asBearer, clientInBody, clientInHeader, clientOfToken, tokenOf, tokenPath, withClient } from "../../Callers.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const ourPrefix = "wcs_oauth_"

/** Another prefix for client ids, on the wire and in the profile. */
const idsBeginWith = (prefix: string): Pick<Mutant, "rewrite" | "profile"> => {
  const renamed = (client: Client): Client => ({ ...client, clientId: client.clientId.replace(ourPrefix, prefix) })
  return {
    rewrite: Rewrite.requests({ path: tokenPath }, (request) => {
      const client = clientInBody(request) ?? clientInHeader(request)
      return client?.id.startsWith(prefix)
        ? withClient(request, { ...client, id: client.id.replace(prefix, ourPrefix) })
        : request
    }),
    profile: (profile: Profile) => {
      const { admin, secondClient } = profile.principals
      const principals = {
        ...profile.principals,
        ...("oauth" in admin ? { admin: { oauth: renamed(admin.oauth) } } : {}),
        ...(secondClient === undefined ? {} : { secondClient: renamed(secondClient) })
      }
      return { ...profile, principals }
    }
  }
}

/** All clients but the tenant's first act as an account with these privileges only. */
const scopedTo = (privileges: ReadonlyArray<PrivilegeName>) =>
  Seams.store(AccessStore, ({ findClient, listClients }) => ({
    findClient: Effect.fnUntraced(function* (tenantId, clientId) {
      const found = yield* findClient(tenantId, clientId)
      if (Option.isNone(found)) return found
      const { account, client } = found.value
      const [first] = yield* listClients(client.tenantId)
      return first?.clientId === clientId ? found : Option.some({ client, account: { ...account, role: privileges } })
    })
  }))

/** Only the client that created a worker can find it. */
const foundByItsMaker = (serve: Serve): Serve => {
  const makers = new Map<string, unknown>()
  return (request) =>
    Effect.map(serve(request), (answer) => {
      const caller = clientOfToken(tokenOf(request))
      const data = at(answer.json, "data")
      const idOf = (resource: Json | undefined) => String(isObject(resource) ? resource["id"] : undefined)
      if (request.method === "POST" && answer.status === 201) makers.set(idOf(data), caller)
      if (!Array.isArray(data)) return answer
      const own = data.filter((item) => (makers.get(idOf(item)) ?? caller) === caller)
      return Rewrite.field("data", own)(answer)
    })
}

/** Only the client that created a worker can delete it. */
const deletedByItsMaker = (serve: Serve): Serve => {
  const makers = new Map<string, unknown>()
  return (request) =>
    Effect.gen(function* () {
      const caller = clientOfToken(tokenOf(request))
      const [, id = ""] = /\/workers\/(\w+)$/.exec(request.url) ?? []
      if (request.method === "DELETE" && makers.has(id) && makers.get(id) !== caller) {
        const found = yield* serve({ ...request, method: "GET" })
        return Answering.refusal(found, 404, "NOT_FOUND", "There is no such worker.")
      }
      const answer = yield* serve(request)
      const made = at(answer.json, "data.id")
      if (request.method === "POST" && answer.status === 201 && typeof made === "string") makers.set(made, caller)
      return answer
    })
}

const authorizePath = "/oauth/login.example/authorize"

const withProviderPaths = (profile: Profile): Profile => ({ ...profile, providerPaths: [authorizePath] })

/** Brokering returns a string that works as the caller's bearer token. */
const handingOut =
  (answered: (session: string) => ReturnType<typeof Rewrite.jsonAnswer>) =>
  (serve: Serve): Serve => {
    const sessions = new Map<string, string>()
    return (request) => {
      const token = tokenOf(request)
      if (Rewrite.pathOf(request) === authorizePath && token !== undefined) {
        const session = `session.${sessions.size}.0123456789abcdef`
        sessions.set(session, token)
        return Effect.succeed(answered(session))
      }
      const caller = sessions.get(token ?? "")
      return serve(caller === undefined ? request : asBearer(request, caller))
    }
  }

/** Defects of OAuth clients: their ids and privileges, and paths that must not authenticate. */
export const oauthClientMutants: ReadonlyArray<Mutant> = [
  mutant("client-ids-begin-with-another-word", "OAU-17 wrong-value at client_id of the request").by(
    idsBeginWith("wcs-client-")
  ),
  mutant("client-ids-name-no-service", "OAU-17 wrong-value at client_id of the request").by(idsBeginWith("_oauth_")),
  mutant("other-clients-may-only-read", "OAU-18 status").stores(
    scopedTo(everyPrivilege.filter((privilege) => privilege.endsWith(":READ")))
  ),
  mutant("other-clients-read-no-applicants", "OAU-18 status").stores(
    scopedTo(everyPrivilege.filter((privilege) => privilege !== "applicant:READ"))
  ),
  mutant("other-clients-link-nothing", "OAU-18 status").stores(
    scopedTo(everyPrivilege.filter((privilege) => privilege !== "credential:UPDATE"))
  ),
  mutant("other-clients-delete-nothing-that-they-know-of", "OAU-18 status").rewrite(deletedByItsMaker),
  mutant("clients-find-what-they-made-themselves", "OAU-18 missing at body.data").rewrite(foundByItsMaker),
  mutant("provider-path-grants-tokens-to-clients", "OAU-22 status").by({
    profile: withProviderPaths,
    rewrite: Rewrite.requests({ path: /^\/oauth\/login\.example\// }, (request: Request) => ({
      ...request,
      url: request.url.replace(authorizePath, "/oauth/token")
    }))
  }),
  mutant("provider-path-opens-a-session", "OAU-22 status").by({
    profile: withProviderPaths,
    rewrite: handingOut((session) => Rewrite.jsonAnswer(200, { provider: "login.example", session: { id: session } }))
  }),
  mutant("provider-path-redirects-with-a-session", "OAU-22 status").by({
    profile: withProviderPaths,
    rewrite: handingOut((session) =>
      Rewrite.withHeader(
        { status: 302, headers: {}, text: "", json: undefined },
        "location",
        `https://app.example/connected#provider=login.example&access_token=${session}`
      )
    )
  })
]
