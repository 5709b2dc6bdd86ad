import { Clock, Context, Effect, Layer, Result, Schema, Stream } from "effect"
import { Caller } from "../access/Caller.ts"
import { EntityType, PrivilegeRules, readOf, type EntityType as Type } from "../access/Privilege.ts"
import { AuditSealStore } from "../audit/AuditSealStore.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { enumeration } from "../resource/Enumeration.ts"
import { nextCursor, parse } from "../resource/ListQuery.ts"
import { time, timeOrNull, typeField } from "../resource/ShownFields.ts"
import { wholeList } from "../resource/WholeList.ts"
import { fromRfc3339, type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { IdentityProviders } from "../single-sign-on/IdentityProviders.ts"
import { noticeMillis } from "../single-sign-on/IdentityProviderView.ts"
import { OAuthClients } from "../token/OAuthClients.ts"
import { BacklogStore, queueNames, waitingMost } from "../webhook/BacklogStore.ts"
import { DeliveryStore } from "../webhook/DeliveryStore.ts"
import { Webhook } from "../webhook/Webhook.ts"
import { previousExpiresAt } from "../webhook/WebhookSecret.ts"

/** The version of this program. The app sets it. */
export const ProgramVersion = Context.Reference<string>("@wcs/domain/ProgramVersion", {
  defaultValue: () => "unknown"
})

const count = (description: string) => Schema.Int.annotate({ description })

const secretKinds = ["WEBHOOK_SECRET", "API_CLIENT", "CERTIFICATE"] as const
const ages = ["OK", "OLD", "EXPIRES_SOON", "EXPIRED"] as const
export type SecretAge = (typeof ages)[number]

/** The most records of each kind whose secrets are shown. */
const recordsMax = 1000

const yearMillis = 365 * 24 * 3_600_000

/** How a secret or certificate stands: by its end, or by its age if it has no end. */
export const ageOf = (since: Instant | null, expiresAt: Instant | null, now: Instant): SecretAge => {
  if (expiresAt !== null) {
    if (now >= expiresAt) return "EXPIRED"
    return now > expiresAt - noticeMillis ? "EXPIRES_SOON" : "OK"
  }
  return since !== null && now - since > yearMillis ? "OLD" : "OK"
}

const SecretState = Schema.Struct({
  kind: enumeration("SecretKind", secretKinds).annotateKey({
    description:
      "WEBHOOK_SECRET: the signing secret of a webhook. API_CLIENT: the secret of an API client. CERTIFICATE: of an identity provider."
  }),
  id: Schema.String.annotate({ description: "Id of the webhook, API client or identity provider." }),
  name: Schema.String.annotate({ description: "Name of the webhook, client or provider." }),
  since: timeOrNull("When the secret was made. Null for a certificate."),
  expiresAt: timeOrNull("When the secret or certificate expires. Null if it does not."),
  overlapUntil: timeOrNull("Until when the previous secret of the webhook signs, too. Null without one."),
  age: enumeration("SecretAge", ages).annotateKey({
    description:
      "EXPIRES_SOON: within 30 days. OLD: older than a year, and without an end. EXPIRED: the end has passed."
  })
})
type SecretState = typeof SecretState.Type

/** How the work for a tenant goes. */
export const OperationDocument = Schema.Struct({
  type: typeField("operation"),
  version: Schema.String.annotate({ description: "Version of the server that answered." }),
  queues: Schema.Array(
    Schema.Struct({
      queue: enumeration("QueueName", queueNames).annotateKey({
        description:
          "events: not yet turned into deliveries. deliveries: wait for an attempt. verifications: wait for a register. " +
          "imports: are checked, run or undone."
      }),
      waiting: count(`Work of the tenant that waits. ${waitingMost} means ${waitingMost} or more.`),
      since: timeOrNull("Since when, at least, the first of it could have been done. Null if nothing is late.")
    })
  ).annotate({ description: "The queues of the tenant. Work that is late for minutes means that no worker runs." }),
  deadLetters: Schema.Struct({
    retrying: count("Events that could not be sent and are retried."),
    dead: count("Events that could not be sent and are never retried.")
  }).annotate({ description: "Events that the service could not turn into deliveries." }),
  failingWebhooks: count("Active webhooks whose last attempt failed."),
  warnedThrough: Schema.NullOr(Schema.String).annotate({
    description: "Last day through which it was warned of cards that expire. Null before the first round."
  }),
  lastSeal: Schema.NullOr(
    Schema.Struct({
      number: count("Number of the seal."),
      sealedAt: time.annotate({ description: "When the seal was made." })
    })
  ).annotate({ description: "The newest seal of the audit log. Null before the first." }),
  secrets: Schema.Array(SecretState).annotate({
    description: `Secrets and certificates, those that need care first, of at most ${recordsMax} records of each kind.`
  }),
  leftOut: Schema.Array(EntityType).annotate({
    description: "Entity types whose secrets are left out, because the caller may not read them."
  })
})
export type OperationDocument = typeof OperationDocument.Type

/** Shows how the work for the caller's tenant goes. Secrets of an entity type need READ of it, or are left out. */
export class Operation extends Context.Service<
  Operation,
  { readonly read: Effect.Effect<OperationDocument, InvalidArgument, Caller> }
>()("@wcs/domain/Operation") {}

const secretOf = (
  kind: SecretState["kind"],
  { id, name }: { readonly id: string; readonly name: string },
  times: {
    readonly since?: Instant | null
    readonly expiresAt?: Instant | null
    readonly overlapUntil?: Instant | null
  },
  now: Instant
): SecretState => {
  const { expiresAt = null, overlapUntil = null, since = null } = times
  return {
    ...{ kind, id, name, since: toRfc3339OrNull(since), expiresAt: toRfc3339OrNull(expiresAt) },
    ...{ overlapUntil: toRfc3339OrNull(overlapUntil), age: ageOf(since, expiresAt, now) }
  }
}

/** The first records of a list. */
const firstOf = <Shown, E, R>(list: Parameters<typeof wholeList<Shown, E, R>>[0]) =>
  Effect.flatMap(wholeList(list, {}), ({ pages }) =>
    pages.pipe(Stream.flattenIterable, Stream.take(recordsMax), Stream.runCollect)
  )

const instantOf = (text: string | null): Instant | null => (text === null ? null : (fromRfc3339(text) ?? null))

/** The secrets of each entity type, each read by one call. */
const makeSecrets = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const providers = yield* IdentityProviders
  const clients = yield* OAuthClients

  const webhooks = Effect.fnUntraced(function* (now: Instant) {
    const { tenantId } = yield* Caller
    const stored = yield* firstOf((query) =>
      Effect.gen(function* () {
        const selection = yield* Effect.fromResult(parse(Webhook, query, ""))
        const page = yield* resources.list(Webhook, tenantId, selection)
        return { documents: page.items, nextCursor: nextCursor(Webhook, selection, page) }
      })
    )
    return stored.map(({ fields: { name, secrets }, id }) => {
      const times = { since: secrets[0]?.createdAt ?? null, overlapUntil: previousExpiresAt(secrets, now) }
      return secretOf("WEBHOOK_SECRET", { id, name }, times, now)
    })
  })

  const certificates = (now: Instant) =>
    Effect.map(firstOf(providers.list), (documents) =>
      documents.flatMap((provider) =>
        provider.certificates.map(({ notAfter }) =>
          secretOf("CERTIFICATE", provider, { expiresAt: instantOf(notAfter) }, now)
        )
      )
    )

  const ofClients = (now: Instant) =>
    Effect.map(firstOf(clients.list), (documents) =>
      documents.map((client) =>
        secretOf(
          "API_CLIENT",
          client,
          { since: instantOf(client.createdAt), expiresAt: instantOf(client.expiresAt) },
          now
        )
      )
    )

  return [
    ["webhook", webhooks],
    ["identityProvider", certificates],
    ["apiClient", ofClients]
  ] as const
})

export const make = Effect.gen(function* () {
  const version = yield* ProgramVersion
  const backlogs = yield* BacklogStore
  const deliveries = yield* DeliveryStore
  const seals = yield* AuditSealStore
  const rules = yield* PrivilegeRules
  const sources = yield* makeSecrets

  const secretsFor = Effect.fnUntraced(function* (now: Instant) {
    const { account, privileges } = yield* Caller
    const secrets: Array<SecretState> = []
    const leftOut: Array<Type> = []
    for (const [entityType, read] of sources) {
      if (Result.isFailure(rules.authorize(account, privileges, [readOf(entityType)]))) leftOut.push(entityType)
      else secrets.push(...(yield* read(now)))
    }
    secrets.sort((one, two) => ages.indexOf(two.age) - ages.indexOf(one.age))
    return { secrets, leftOut }
  })

  return Operation.of({
    read: Effect.gen(function* () {
      const { tenantId } = yield* Caller
      const now = yield* Clock.currentTimeMillis
      const { deadLetters, queues, warnedThrough } = yield* backlogs.ofTenant(tenantId, now)
      const seal = yield* seals.newestSeal(tenantId)
      return {
        type: "operation",
        version,
        queues: queueNames.map((queue) => ({
          ...{ queue, waiting: queues[queue].waiting, since: toRfc3339OrNull(queues[queue].since) }
        })),
        deadLetters,
        failingWebhooks: (yield* deliveries.failing(tenantId)).length,
        warnedThrough,
        lastSeal: seal._tag === "None" ? null : { number: seal.value.number, sealedAt: toRfc3339(seal.value.sealedAt) },
        ...(yield* secretsFor(now))
      } satisfies OperationDocument
    }).pipe(Effect.withSpan("Operation.read"))
  })
})

export const layer = Layer.effect(Operation, make)
