import { at, isObject } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Effect, Option } from "effect"
import { isPersonal, tokenOf } from "../../Callers.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"
import * as Tenants from "../../seams/TenantSeams.ts"

/** The tenants of earlier calls to a port, without the present one. */
const otherTenants = () => {
  const known = new Set<string>()
  return (tenantId: string): ReadonlyArray<string> => [...known.add(tenantId)].filter((one) => one !== tenantId)
}

/** Serves another request after a 401, if there is one. `change` makes its answer. */
const insteadOf401 = (
  request: Request,
  serve: Serve,
  other: Request | undefined,
  change: (answer: Answer) => Answer = (answer) => answer
) =>
  Effect.flatMap(serve(request), (answer) =>
    answer.status === 401 && other !== undefined ? Effect.map(serve(other), change) : Effect.succeed(answer)
  )

/** Only the token selects the tenant. The host has no effect. */
const atEveryHost = (isAbout: (token: string) => boolean) =>
  Rewrite.instead({}, (request, serve) =>
    isAbout(tokenOf(request) ?? "") ? insteadOf401(request, serve, Tenants.elsewhere(request)) : serve(request)
  )

/** Some calls accept a token of any tenant, and the host selects the tenant. */
const byAnyToken = (isAbout: (request: Request) => boolean) =>
  Tenants.byHost((request, acceptedAt, serve) =>
    isAbout(request) ? insteadOf401(request, serve, Tenants.asOwn(request, acceptedAt)) : serve(request)
  )

/** Some calls also take effect in the other tenant, with an unchanged answer. */
const alsoElsewhere = (isAbout: (request: Request) => boolean) =>
  Tenants.byHost((request, acceptedAt, serve) => {
    const other = isAbout(request) ? Tenants.asOwn(Tenants.elsewhere(request), acceptedAt) : undefined
    return Effect.flatMap(serve(request), (answer) =>
      other === undefined ? Effect.succeed(answer) : Effect.as(serve(other), answer)
    )
  })

const isOf =
  (method: string, path: RegExp) =>
  (request: Request): boolean =>
    request.method === method && path.test(Rewrite.pathOf(request))

/** A refusal that contains the granted token. */
const refusedWithToken = (grant: Answer): Answer =>
  Rewrite.withJson(
    { ...grant, status: 401 },
    { ...(isObject(grant.json) ? grant.json : {}), error: "invalid_client", error_description: "Another tenant." }
  )

/** Defects of tenant separation: resources, tokens and clients. */
export const tenantMutants: ReadonlyArray<Mutant> = [
  mutant("ids-are-found-in-every-tenant", "TRN-05 status").stores(
    Seams.store(ResourceStore, ({ find, findText }) => {
      const others = otherTenants()
      const everywhere = <A>(tenantId: string, findIn: (tenantId: string) => Effect.Effect<Option.Option<A>>) =>
        others(tenantId).reduce(
          (found, other) => Effect.flatMap(found, (one) => (Option.isSome(one) ? found : findIn(other))),
          findIn(tenantId)
        )
      return {
        find: (resource, tenantId, id) => everywhere(tenantId, (tenant) => find(resource, tenant, id)),
        findText: (resource, tenantId, id) => everywhere(tenantId, (tenant) => findText(resource, tenant, id))
      }
    })
  ),
  mutant("lookups-find-what-other-tenants-made", "TRN-05 disclosed at body").stores(
    Seams.store(ResourceStore, ({ list }) => {
      const others = otherTenants()
      return {
        list: (resource, tenantId, selection) =>
          others(tenantId).reduce(
            (found, other) =>
              Effect.flatMap(found, ({ items }) => (items.length > 0 ? found : list(resource, other, selection))),
            list(resource, tenantId, selection)
          )
      }
    })
  ),
  mutant("credentials-are-linked-in-every-tenant", "TRN-05 status").stores(
    Seams.store(OwnershipStore, ({ transition }) => {
      const others = otherTenants()
      return {
        transition: (tenantId, chosen, entering, decide) =>
          others(tenantId).reduce(
            (done, other) => Effect.catch(done, () => transition(other, chosen, entering, decide)),
            transition(tenantId, chosen, entering, decide)
          )
      }
    })
  ),
  mutant("credentials-of-an-owner-are-listed-in-every-tenant", "TRN-05 disclosed at body").rewrite(
    Tenants.byHost((request, acceptedAt, serve) => {
      const other = Tenants.asOwn(Tenants.elsewhere(request), acceptedAt)
      const isList = isOf("GET", /^\/credentials\?/)(request)
      return Effect.flatMap(serve(request), (answer) => {
        const isEmpty = JSON.stringify(at(answer.json, "data")) === "[]"
        return isList && isEmpty && other !== undefined ? serve(other) : Effect.succeed(answer)
      })
    })
  ),
  mutant("transfers-move-credentials-of-every-tenant", "TRN-05 changed at body.data").rewrite(
    alsoElsewhere(isOf("POST", /^\/credentials\/[^/]+\/transfer$/))
  ),
  mutant("batches-move-credentials-of-every-tenant", "TRN-05 changed at body.data").rewrite(
    alsoElsewhere(isOf("POST", /^\/credentials\/transfer$/))
  ),
  mutant("changes-reach-every-tenant", "TRN-05 changed at body.data").rewrite(
    alsoElsewhere(isOf("PATCH", /^\/workers\//))
  ),
  mutant("deletes-reach-every-tenant", "TRN-05 changed at body.data").rewrite(
    alsoElsewhere(isOf("DELETE", /^\/workers\//))
  ),
  mutant("access-tokens-are-good-at-every-host", ["TRN-06 status", "TRN-10 status"]).rewrite(
    atEveryHost((token) => !isPersonal(token))
  ),
  mutant("personal-tokens-are-good-at-every-host", ["TRN-06 status", "TRN-10 status"]).rewrite(atEveryHost(isPersonal)),
  mutant("tokens-of-every-tenant-read-workers", ["TRN-06 status", "TRN-10 status"]).rewrite(
    byAnyToken(isOf("GET", /^\/workers\?/))
  ),
  mutant("tokens-of-every-tenant-read-credentials", "TRN-10 status", {
    alsoKills: ["AUT-04", "AUT-05", "AUT-12"]
  }).rewrite(byAnyToken(isOf("GET", /^\/credentials\//))),
  mutant("tokens-of-every-tenant-link-credentials", "TRN-10 status", {
    alsoKills: ["AUT-04", "AUT-05", "AUT-12"]
  }).rewrite(byAnyToken(isOf("POST", /^\/credentials\/[^/]+\/link$/))),
  mutant("tokens-of-every-tenant-make-workers-and-are-refused", "TRN-10 changed at body.data").rewrite(
    Tenants.byHost((request, acceptedAt, serve) => {
      const own = isOf("POST", /^\/workers$/)(request) ? Tenants.asOwn(request, acceptedAt) : undefined
      return Effect.flatMap(serve(request), (answer) =>
        answer.status === 401 && own !== undefined ? Effect.as(serve(own), answer) : Effect.succeed(answer)
      )
    })
  ),
  mutant("tokens-of-every-tenant-see-empty-lists", "TRN-06 status", { seenBy: ["TRN-10"] }).instead(
    { method: "GET", path: /^\/(workers|credentials)\?/ },
    (request, serve) => insteadOf401(request, serve, Tenants.elsewhere(request), Rewrite.field("data", []))
  ),
  mutant("clients-of-every-tenant-get-tokens", "TRN-10 status").instead({}, (request, serve) =>
    Tenants.isGrant(request, "either") ? insteadOf401(request, serve, Tenants.elsewhere(request)) : serve(request)
  ),
  mutant("clients-of-every-tenant-get-tokens-by-basic", "TRN-10 status").instead({}, (request, serve) =>
    Tenants.isGrant(request, "header") ? insteadOf401(request, serve, Tenants.elsewhere(request)) : serve(request)
  ),
  mutant("clients-of-every-tenant-are-refused-with-a-token", "TRN-10 unexpected at body.access_token").instead(
    {},
    (request, serve) =>
      Tenants.isGrant(request, "body")
        ? insteadOf401(request, serve, Tenants.elsewhere(request), refusedWithToken)
        : serve(request)
  )
]
