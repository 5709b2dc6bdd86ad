import { type Account, accountUrn } from "@wcs/domain/access/Account"
import type { NoSuch } from "@wcs/domain/access/NoSuch"
import type { RateLimit } from "@wcs/domain/access/RateLimitTier"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import * as Bans from "@wcs/domain/credential/Bans"
import type { LinkNotFound } from "@wcs/domain/crud/Links"
import { Resealing } from "@wcs/domain/service/Resealing"
import { toRfc3339, toRfc3339OrNull } from "@wcs/domain/shared/Instant"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import type { JsonValue } from "@wcs/domain/shared/Json"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import type { IssuedReference } from "@wcs/domain/token/Lineage"
import { showClient } from "@wcs/domain/token/OAuthClients"
import { showToken } from "@wcs/domain/token/PersonalTokens"
import { SigningKeyRotation, signingKeyUses } from "@wcs/domain/token/SigningKey"
import type { FailingWebhook } from "@wcs/domain/webhook/BacklogStore"
import * as DeadLetters from "@wcs/domain/webhook/DeadLetters"
import * as FailingWebhooks from "@wcs/domain/webhook/FailingWebhooks"
import type { DeadLetter } from "@wcs/domain/webhook/FanOut"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "./AdminApi.ts"
import type { RefusalCode } from "./AdminRefused.ts"
import { asOperator, inTenant, tenantOf } from "./Commands.ts"
import { DescribedServer } from "./ServerDescription.ts"

/** The form `20/2s` of the command line. */
const showRateLimit = ({ calls, windowSeconds }: RateLimit) => `${calls}/${windowSeconds}s`

const showUser = (account: Account) => ({
  id: account.id,
  account: accountUrn(account.id),
  email: account.email,
  role: account.role,
  rateLimit: account.rateLimit === null ? null : showRateLimit(account.rateLimit),
  createdAt: toRfc3339(account.createdAt)
})

const showDeadLetter = ({ at, eventId, kind, tenantId, until }: DeadLetter) => ({
  tenantId,
  eventId,
  kind,
  at: toRfc3339(at),
  permanent: until === null,
  until: toRfc3339OrNull(until)
})

const showFailing = (webhook: FailingWebhook) => ({ ...webhook, failingSince: toRfc3339(webhook.failingSince) })

/** Why a ban was refused. */
const banRefused = (
  refusal: InvalidArgument | LinkNotFound
): { readonly code: RefusalCode; readonly message: string } => {
  if (refusal._tag === "InvalidArgument") {
    return { code: "INVALID_ARGUMENT", message: `${refusal.field} ${refusal.reason}` }
  }
  const { entityType, field, found } = refusal
  const several = `several resources of type ${entityType} have the externalId in ${field}`
  return { code: "NOT_FOUND", message: found === "none" ? `${field} was not found` : several }
}

const importBans = Effect.fnUntraced(function* (tenantId: string, bans: ReadonlyArray<JsonValue>, actor: Actor) {
  const outcomes = yield* Bans.recordAll(tenantId, bans, actor)
  const count = (change: Bans.Recorded["change"]) =>
    outcomes.filter((outcome) => Result.isSuccess(outcome) && outcome.success.change === change).length
  const [refused = null] = outcomes.flatMap((outcome, index) =>
    Result.isSuccess(outcome) ? [] : [{ index, ...banRefused(outcome.failure) }]
  )
  return { created: count("created"), updated: count("updated"), unchanged: count("unchanged"), refused }
})

/** Revokes a token or client. With `cascade`, also revokes and lists everything that was created with it. */
const revoke = Effect.fnUntraced(function* (
  tenantId: string,
  root: IssuedReference,
  actor: Actor,
  cascade = false
): Effect.fn.Return<{ readonly revoked: true; readonly ended?: ReadonlyArray<string> }, NoSuch, Administration> {
  const administration = yield* Administration
  if (cascade) {
    const ended = yield* administration.revokeTree(tenantId, root, actor, () => Result.succeed(undefined))
    return { revoked: true, ended: ended.map(({ id }) => id) }
  }
  const end = root.entityType === "apiClient" ? administration.revokeClient : administration.revokeToken
  yield* end(tenantId, root.id, actor)
  return { revoked: true }
})

export const layer = HttpApiBuilder.group(
  AdminApi,
  "deployment",
  Effect.fn(function* (handlers) {
    const administration = yield* Administration
    const store = yield* AccessStore
    const rotation = yield* SigningKeyRotation
    const resealing = yield* Resealing
    const { describe } = yield* DescribedServer
    return handlers.handleAll({
      describeServer: () => describe,
      rotateSigningKeys: ({ payload: { use } }) =>
        asOperator((actor) =>
          Effect.map(
            Effect.forEach(use === null ? signingKeyUses : [use], (use) =>
              Effect.map(rotation.rotate(use, actor), (kid) => ({ use, kid }))
            ),
            (keys) => ({ keys })
          )
        ),
      resealSecrets: ({ payload: { after, kind, tenantId } }) =>
        asOperator((actor) => resealing.batch(kind, tenantId, after, actor)),
      createUser: ({ payload: { email, rateLimit, role, tenant } }) =>
        inTenant(tenant, (id, actor) =>
          Effect.map(administration.createUser(id, email, role, actor, rateLimit), showUser)
        ),
      createToken: ({ payload: { email, lifetimeSeconds, name, tenant } }) =>
        inTenant(tenant, (id, actor) =>
          Effect.map(administration.createToken(id, email, name, lifetimeSeconds, actor), ({ secret, token }) => ({
            ...showToken(token),
            token: secret
          }))
        ),
      listTokens: ({ payload: { tenant } }) =>
        inTenant(tenant, (id) =>
          Effect.map(store.listPersonalTokens(id), (tokens) => ({ tokens: tokens.map(showToken) }))
        ),
      revokeToken: ({ payload: { cascade, id, tenant } }) =>
        inTenant(tenant, (tenantId, actor) =>
          Effect.map(revoke(tenantId, { entityType: "accessToken", id }, actor, cascade), (done) => ({ id, ...done }))
        ),
      createClient: ({ payload: { name, tenant } }) =>
        inTenant(tenant, (id, actor) =>
          Effect.map(administration.createClient(id, name, actor), ({ client, secret }) => ({
            clientId: client.clientId,
            clientSecret: secret,
            name: client.name
          }))
        ),
      listClients: ({ payload: { tenant } }) =>
        inTenant(tenant, (id) =>
          Effect.map(store.listClients(id), (clients) => ({
            clients: clients.map((client) => ({ ...showClient(client), clientId: client.clientId }))
          }))
        ),
      revokeClient: ({ payload: { cascade, clientId, tenant } }) =>
        inTenant(tenant, (id, actor) =>
          Effect.map(revoke(id, { entityType: "apiClient", id: clientId }, actor, cascade), (done) => ({
            clientId,
            ...done
          }))
        ),
      importBans: ({ payload: { bans, tenant } }) => inTenant(tenant, (id, actor) => importBans(id, bans, actor)),
      listDeadLetters: ({ payload: { limit, tenant } }) =>
        asOperator(() =>
          Effect.gen(function* () {
            const tenantId = tenant === null ? null : (yield* tenantOf(tenant)).id
            return { events: (yield* DeadLetters.list(tenantId, limit)).map(showDeadLetter) }
          })
        ),
      retryDeadLetters: ({ payload: { eventId, tenant } }) =>
        inTenant(tenant, (id, actor) => Effect.map(DeadLetters.retry(id, eventId, actor), (retried) => ({ retried }))),
      listFailingWebhooks: ({ payload: { limit } }) =>
        asOperator(() => Effect.map(FailingWebhooks.list(limit), (found) => ({ webhooks: found.map(showFailing) })))
    })
  })
)
