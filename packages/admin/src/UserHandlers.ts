import { accountUrn, normalizeEmail } from "@wcs/domain/access/Account"
import { NoSuch } from "@wcs/domain/access/NoSuch"
import { type Page, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Unit, type UnitFields } from "@wcs/domain/people/Unit"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import type { Stored } from "@wcs/domain/resource/Resource"
import { SecondFactors } from "@wcs/domain/second-factor/SecondFactors"
import { toRfc3339, toRfc3339OrNull } from "@wcs/domain/shared/Instant"
import type { LegacyToken } from "@wcs/domain/token/LegacyToken"
import type { User } from "@wcs/domain/user/User"
import { showUser } from "@wcs/domain/user/UserDocument"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Users } from "@wcs/domain/user/Users"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "./AdminApi.ts"
import { inTenant } from "./Commands.ts"

const show = (user: User) => {
  const { units, ...shown } = showUser(user)
  const own = { ...shown, number: user.number, verifiedAt: toRfc3339OrNull(user.verifiedAt) }
  return units === null ? own : { ...own, units }
}

const showLegacyToken = ({ expiresAt, id, issuedAt, revokedAt }: LegacyToken) => ({
  id,
  issuedAt: toRfc3339(issuedAt),
  expiresAt: toRfc3339(expiresAt * 1000),
  revokedAt: toRfc3339OrNull(revokedAt)
})

/** The page size, and the maximum number of rows in a result. */
const pageSize = 500
const rowsMax = 100_000

/** Reads all pages of a list. */
const everyPage = Effect.fnUntraced(function* <Row, Key>(
  first: Key,
  keyOf: (row: Row) => Key,
  page: (after: Key) => Effect.Effect<ReadonlyArray<Row>>
) {
  const rows: Array<Row> = []
  let after = first
  while (rows.length < rowsMax) {
    const found = yield* page(after)
    rows.push(...found)
    const last = found.at(-1)
    if (last === undefined || found.length < pageSize) break
    after = keyOf(last)
  }
  return rows
})

/** All units of a tenant, by name. */
const unitsOf = Effect.fnUntraced(function* (tenantId: string) {
  const store = yield* ResourceStore
  const units: Array<Stored<UnitFields>> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const query: ListQuery.Query = {
      ...{ sort: "name:asc", pageSize: String(ListQuery.maxPageSize) },
      ...(cursor === "" ? {} : { cursor })
    }
    const selection = Result.getOrThrow(ListQuery.parse(Unit, query, ""))
    const page: Page<UnitFields> = yield* store.list(Unit, tenantId, selection)
    units.push(...page.items)
    cursor = ListQuery.nextCursor(Unit, selection, page)
  }
  return units.map(({ fields: { externalId = null, name, parent }, id }) => ({
    ...{ id, name, externalId, parentId: parent?.id ?? null }
  }))
})

/** Finds the account of the user with an email. */
const existing = Effect.fnUntraced(function* (tenantId: string, email: string) {
  const found = yield* UserStore.use((store) => store.findByEmail(tenantId, normalizeEmail(email)))
  return Option.isSome(found) ? found.value.account : yield* new NoSuch({ what: "user", id: email })
})

export const layer = HttpApiBuilder.group(
  AdminApi,
  "users",
  Effect.fn(function* (handlers) {
    const factors = yield* SecondFactors
    const store = yield* UserStore
    const users = yield* Users
    return handlers.handleAll({
      listUsers: ({ payload: { tenant } }) =>
        inTenant(tenant, (id) =>
          Effect.map(
            everyPage(
              0,
              ({ number }: User) => number,
              (after) => store.list(id, after, pageSize)
            ),
            (all) => ({ users: all.map(show) })
          )
        ),
      updateUser: ({ payload: { email, tenant, ...update } }) =>
        inTenant(tenant, (id, actor) => Effect.map(users.update(id, email, update, actor), show)),
      listUnits: ({ payload: { tenant } }) => inTenant(tenant, (id) => Effect.map(unitsOf(id), (units) => ({ units }))),
      limitUser: ({ payload: { email, tenant, units } }) =>
        inTenant(tenant, (id, actor) => Effect.map(users.update(id, email, { units }, actor), show)),
      setPassword: ({ payload: { email, password, tenant } }) =>
        inTenant(tenant, (id, actor) => Effect.map(users.setPassword(id, email, password, actor), show)),
      setVerified: ({ payload: { email, tenant, verified } }) =>
        inTenant(tenant, (id, actor) => Effect.map(users.setVerified(id, email, verified, actor), show)),
      setActive: ({ payload: { active, email, tenant } }) =>
        inTenant(tenant, (id, actor) => Effect.map(users.setActive(id, email, active, actor), show)),
      resetSecondFactor: ({ payload: { email, tenant } }) =>
        inTenant(tenant, (tenantId, actor) =>
          Effect.gen(function* () {
            const account = yield* existing(tenantId, email)
            return {
              account: accountUrn(account.id),
              email: account.email,
              reset: yield* factors.reset(account, actor)
            }
          })
        ),
      listLegacyTokens: ({ payload: { email, tenant } }) =>
        inTenant(tenant, (tenantId) =>
          Effect.gen(function* () {
            const account = yield* existing(tenantId, email)
            const all = yield* everyPage(
              "",
              ({ id }: LegacyToken) => id,
              (after) => store.listLegacyTokens(tenantId, account.id, after, pageSize)
            )
            return { legacyTokens: all.map(showLegacyToken) }
          })
        ),
      createLegacyToken: ({ payload: { email, lifetimeSeconds, tenant } }) =>
        inTenant(tenant, (tenantId, actor) =>
          Effect.map(users.createToken(tenantId, email, lifetimeSeconds, actor), ({ expiresAt, id, token }) => ({
            id,
            token,
            expiresAt: toRfc3339(expiresAt * 1000)
          }))
        ),
      revokeLegacyToken: ({ payload: { id, tenant } }) =>
        inTenant(tenant, (tenantId, actor) => Effect.as(users.revokeToken(tenantId, id, actor), { id, revoked: true })),
      endLegacyTokens: ({ payload: { email, tenant } }) =>
        inTenant(tenant, (id, actor) => Effect.map(users.endTokens(id, email, actor), show)),
      setAbn: ({ payload: { abn, tenant } }) =>
        inTenant(tenant, (id, actor) => Effect.as(users.setAbn(id, abn, actor), { abn }))
    })
  })
)
