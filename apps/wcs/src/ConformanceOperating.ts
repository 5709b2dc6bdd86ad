import type { AdminClient } from "@wcs/admin/AdminClient"
import { Effect } from "effect"
import { isOfConformance, isUserOfConformance } from "./ConformancePrincipals.ts"
import { Misused } from "./Output.ts"

/** Finds the tenant of the first host, and finds or creates the tenant of the other host. */
export const tenantsFor = Effect.fnUntraced(function* (client: AdminClient, host: string, otherHost: string) {
  const { tenants } = yield* client.listTenants()
  const tenant = tenants.find(({ hosts }) => hosts.includes(host))
  if (tenant === undefined) {
    const known = tenants.flatMap(({ hosts }) => hosts).join(", ")
    return yield* new Misused({ message: `--url must have the host of a tenant, but ${host} is not one of ${known}` })
  }
  const other = tenants.find(({ hosts }) => hosts.includes(otherHost))
  if (other?.id === tenant.id) {
    return yield* new Misused({
      message: `--second-tenant-host must belong to another tenant, but ${otherHost} belongs to the same tenant`
    })
  }
  const makeOther = client.createTenant({ payload: { name: "conformance", hosts: [otherHost] } })
  return { tenant, otherTenant: other ?? (yield* makeOther) }
})

/** The valid credentials of earlier runs, in every tenant, with the commands that end them. */
export const earlier = Effect.fnUntraced(function* (client: AdminClient) {
  const { tenants } = yield* client.listTenants()
  const isLeft = (one: { readonly name: string; readonly revokedAt: string | null }) =>
    one.revokedAt === null && isOfConformance(one.name)
  const ofTenants = yield* Effect.forEach(tenants, ({ id: tenant }) =>
    Effect.gen(function* () {
      const { tokens } = yield* client.listTokens({ payload: { tenant } })
      const { clients } = yield* client.listClients({ payload: { tenant } })
      const { users } = yield* client.listUsers({ payload: { tenant } })
      return {
        users: users.flatMap(({ deactivatedAt, email, hasPassword }) =>
          deactivatedAt === null && hasPassword && email !== null && isUserOfConformance(email)
            ? [Effect.asVoid(client.setActive({ payload: { tenant, email, active: false } }))]
            : []
        ),
        tokens: tokens.filter(isLeft).map(({ id }) => Effect.asVoid(client.revokeToken({ payload: { tenant, id } }))),
        clients: clients
          .filter(isLeft)
          .map(({ clientId }) => Effect.asVoid(client.revokeClient({ payload: { tenant, clientId } })))
      }
    })
  )
  return {
    users: ofTenants.flatMap(({ users }) => users),
    tokens: ofTenants.flatMap(({ tokens }) => tokens),
    clients: ofTenants.flatMap(({ clients }) => clients)
  }
})
