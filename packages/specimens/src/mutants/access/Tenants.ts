import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { at, isObject } from "@wcs/conformance/wire/Json"
import { OwnershipStore } from "@wcs/domain/ownership/OwnershipStore"
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import { Effect, Option } from "effect"
import { isPersonal, tokenOf } from "../../Callers.ts"
import type { Mutant } from "../../Mutant.ts"
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

/** The token alone selects the tenant. */
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

const resourceMutants: ReadonlyArray<Mutant> = [
  {
    name: "ids-are-found-in-every-tenant",
    stores: Seams.store(ResourceStore, ({ find }) => {
      const others = otherTenants()
      return {
        find: (resource, tenantId, id) =>
          others(tenantId).reduce(
            (found, other) => Effect.flatMap(found, (one) => (Option.isSome(one) ? found : find(resource, other, id))),
            find(resource, tenantId, id)
          )
      }
    }),
    kills: [{ rule: "TRN-05", kind: "status", at: "status" }]
  },
  {
    name: "lookups-find-what-other-tenants-made",
    stores: Seams.store(ResourceStore, ({ list }) => {
      const others = otherTenants()
      return {
        list: (resource, tenantId, selection) =>
          others(tenantId).reduce(
            (found, other) =>
              Effect.flatMap(found, ({ items }) => (items.length > 0 ? found : list(resource, other, selection))),
            list(resource, tenantId, selection)
          )
      }
    }),
    kills: [{ rule: "TRN-05", kind: "disclosed", at: "body" }]
  },
  {
    name: "credentials-are-linked-in-every-tenant",
    stores: Seams.store(OwnershipStore, ({ transition }) => {
      const others = otherTenants()
      return {
        transition: (tenantId, chosen, entering, decide) =>
          others(tenantId).reduce(
            (done, other) => Effect.catch(done, () => transition(other, chosen, entering, decide)),
            transition(tenantId, chosen, entering, decide)
          )
      }
    }),
    kills: [{ rule: "TRN-05", kind: "status", at: "status" }]
  },
  {
    name: "credentials-of-an-owner-are-listed-in-every-tenant",
    rewrite: Tenants.byHost((request, acceptedAt, serve) => {
      const other = Tenants.asOwn(Tenants.elsewhere(request), acceptedAt)
      const isList = isOf("GET", /^\/credentials\?/)(request)
      return Effect.flatMap(serve(request), (answer) => {
        const isEmpty = JSON.stringify(at(answer.json, "data")) === "[]"
        return isList && isEmpty && other !== undefined ? serve(other) : Effect.succeed(answer)
      })
    }),
    kills: [{ rule: "TRN-05", kind: "disclosed", at: "body" }]
  },
  {
    name: "transfers-move-credentials-of-every-tenant",
    rewrite: alsoElsewhere(isOf("POST", /^\/credentials\/[^/]+\/transfer$/)),
    kills: [{ rule: "TRN-05", kind: "changed", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "batches-move-credentials-of-every-tenant",
    rewrite: alsoElsewhere(isOf("POST", /^\/credentials\/transfer$/)),
    kills: [{ rule: "TRN-05", kind: "changed", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "changes-reach-every-tenant",
    rewrite: alsoElsewhere(isOf("PATCH", /^\/workers\//)),
    kills: [{ rule: "TRN-05", kind: "changed", at: "body.data" }]
  },
  {
    name: "deletes-reach-every-tenant",
    rewrite: alsoElsewhere(isOf("DELETE", /^\/workers\//)),
    kills: [{ rule: "TRN-05", kind: "changed", at: "body.data" }]
  }
]

const tokenMutants: ReadonlyArray<Mutant> = [
  {
    name: "access-tokens-are-good-at-every-host",
    rewrite: atEveryHost((token) => !isPersonal(token)),
    kills: [
      { rule: "TRN-06", kind: "status", at: "status" },
      { rule: "TRN-10", kind: "status", at: "status" }
    ]
  },
  {
    name: "personal-tokens-are-good-at-every-host",
    rewrite: atEveryHost(isPersonal),
    kills: [
      { rule: "TRN-06", kind: "status", at: "status" },
      { rule: "TRN-10", kind: "status", at: "status" }
    ]
  },
  {
    name: "tokens-of-every-tenant-read-workers",
    rewrite: byAnyToken(isOf("GET", /^\/workers\?/)),
    kills: [
      { rule: "TRN-06", kind: "status", at: "status" },
      { rule: "TRN-10", kind: "status", at: "status" }
    ]
  },
  {
    name: "tokens-of-every-tenant-read-credentials",
    rewrite: byAnyToken(isOf("GET", /^\/credentials\//)),
    kills: [{ rule: "TRN-10", kind: "status", at: "status" }]
  },
  {
    name: "tokens-of-every-tenant-link-credentials",
    rewrite: byAnyToken(isOf("POST", /^\/credentials\/[^/]+\/link$/)),
    kills: [{ rule: "TRN-10", kind: "status", at: "status" }]
  },
  {
    name: "tokens-of-every-tenant-make-workers-and-are-refused",
    rewrite: Tenants.byHost((request, acceptedAt, serve) => {
      const own = isOf("POST", /^\/workers$/)(request) ? Tenants.asOwn(request, acceptedAt) : undefined
      return Effect.flatMap(serve(request), (answer) =>
        answer.status === 401 && own !== undefined ? Effect.as(serve(own), answer) : Effect.succeed(answer)
      )
    }),
    kills: [{ rule: "TRN-10", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "tokens-of-every-tenant-see-empty-lists",
    rewrite: Rewrite.instead({ method: "GET", path: /^\/(workers|credentials)\?/ }, (request, serve) =>
      insteadOf401(
        request,
        serve,
        Tenants.elsewhere(request),
        Rewrite.mapJson((body) => Rewrite.put(body, "data", []))
      )
    ),
    kills: [{ rule: "TRN-06", kind: "status", at: "status" }],
    seenBy: ["TRN-10"]
  }
]

/** A refusal that contains the granted token. */
const refusedWithToken = (grant: Answer): Answer =>
  Rewrite.withJson(
    { ...grant, status: 401 },
    { ...(isObject(grant.json) ? grant.json : {}), error: "invalid_client", error_description: "Another tenant." }
  )

const clientMutants: ReadonlyArray<Mutant> = [
  {
    name: "clients-of-every-tenant-get-tokens",
    rewrite: Rewrite.instead({}, (request, serve) =>
      Tenants.isGrant(request, "either") ? insteadOf401(request, serve, Tenants.elsewhere(request)) : serve(request)
    ),
    kills: [{ rule: "TRN-10", kind: "status", at: "status" }]
  },
  {
    name: "clients-of-every-tenant-get-tokens-by-basic",
    rewrite: Rewrite.instead({}, (request, serve) =>
      Tenants.isGrant(request, "header") ? insteadOf401(request, serve, Tenants.elsewhere(request)) : serve(request)
    ),
    kills: [{ rule: "TRN-10", kind: "status", at: "status" }]
  },
  {
    name: "clients-of-every-tenant-are-refused-with-a-token",
    rewrite: Rewrite.instead({}, (request, serve) =>
      Tenants.isGrant(request, "body")
        ? insteadOf401(request, serve, Tenants.elsewhere(request), refusedWithToken)
        : serve(request)
    ),
    kills: [{ rule: "TRN-10", kind: "unexpected", at: "body.access_token" }]
  }
]

/** Defects of tenant separation: resources, tokens and clients. */
export const tenantMutants: ReadonlyArray<Mutant> = [...resourceMutants, ...tokenMutants, ...clientMutants]
