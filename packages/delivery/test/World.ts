/** A worker over SQLite in memory, with simulated receivers and a simulated register, in virtual time. */
import * as Engine from "@wcs/delivery/Engine"
import { EngineSettings } from "@wcs/delivery/EngineSettings"
import { type Outgoing, Sender } from "@wcs/delivery/Sender"
import * as Signature from "@wcs/delivery/Signature"
import { type AuditEntry, serverUrn } from "@wcs/domain/audit/AuditEntry"
import { AuditSettings } from "@wcs/domain/audit/AuditSeal"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { EventKind } from "@wcs/domain/event/EventKind"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import {
  Register,
  type RegisterAnswer,
  type RegisterFailed,
  type RegisterQuestion
} from "@wcs/domain/verification/Register"
import * as Verifications from "@wcs/domain/verification/Verifications"
import type { AttemptResult, Delivery, DeliveryDraft, DeliveryState } from "@wcs/domain/webhook/Delivery"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import * as WebhookSecret from "@wcs/domain/webhook/WebhookSecret"
import * as AuditSignatures from "@wcs/keys/AuditSignatures"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Clock, Context, Effect, Exit, Layer, Option, Random, Result, Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { idOf, seedWebhook, tenantId, webhookIdOf } from "./Seeds.ts"

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute

/** A request that arrived at a receiver. */
export interface Arrival extends Outgoing {
  readonly at: number
}

/** The answer of a receiver to its n-th request, from 0. */
export type Behaviour = (count: number, arrival: Arrival) => Effect.Effect<AttemptResult>

export const answered = (status: number, retryAfterMillis: number | null = null): AttemptResult => ({
  _tag: "Answered",
  status,
  retryAfterMillis,
  excerpt: `status ${status}`
})

/** Answers every request alike, at once. */
export const always =
  (status: number): Behaviour =>
  () =>
    Effect.succeed(answered(status))

/** Answers after a delay. */
export const within =
  (millis: number, status = 200): Behaviour =>
  () =>
    Effect.as(Effect.sleep(millis), answered(status))

/** The outside: receivers by URL, and registers. */
export class Outside extends Context.Service<
  Outside,
  {
    readonly receivers: Map<string, Behaviour>
    readonly arrivals: Array<Arrival>
    readonly questions: Array<RegisterQuestion>
    register: (count: number) => Effect.Effect<RegisterAnswer, RegisterFailed>
  }
>()("@wcs/delivery/test/Outside") {
  static readonly layer = Layer.sync(Outside, () => ({
    receivers: new Map(),
    arrivals: [],
    questions: [],
    register: () => Effect.succeed({ _tag: "Found", statusDetail: "VALID", expiryDate: null })
  }))
}

const sender = Layer.effect(
  Sender,
  Effect.map(Outside, ({ arrivals, receivers }) =>
    Sender.of({
      send: (outgoing) =>
        Effect.gen(function* () {
          const count = arrivals.filter(({ url }) => url === outgoing.url).length
          const arrival = { ...outgoing, at: yield* Clock.currentTimeMillis }
          arrivals.push(arrival)
          const behaviour = receivers.get(outgoing.url)
          return yield* behaviour === undefined ? Effect.never : behaviour(count, arrival)
        })
    })
  )
)

const register = Layer.effect(
  Register,
  Effect.map(Outside, (outside) =>
    Register.of({
      ask: (question) => Effect.suspend(() => outside.register(outside.questions.push(question) - 1))
    })
  )
)

const masterKey = Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(1)))

/** Half of the greatest jitter. */
const even = Layer.succeed(Random.Random, { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 0 })

/** Polls, seals and renews leases rarely, so that days pass quickly. Notifications and due times wake the loops. */
const patient = { ...EngineSettings.defaultValue(), pollMillis: hour, leaseMillis: 1000 * hour }

export const settings = (changed: Partial<typeof EngineSettings.Service> = {}) =>
  Layer.merge(
    Layer.succeed(EngineSettings, { ...patient, ...changed }),
    Layer.succeed(AuditSettings, { sealMillis: hour })
  )

const auditSignatures = Layer.orDie(AuditSignatures.layer)

/** Everything but the worker, over the given stores. */
export const surroundingsOf = <E>(stores: Layer.Layer<Layer.Success<typeof StoreSqlite.layerMemory>, E>) =>
  Layer.mergeAll(sender, register, Signature.layer, Verifications.layer, even, auditSignatures, Digest.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Outside.layer, stores, Notifications.layer, Id.layer, Seal.layer)),
    Layer.provide(MasterKey.layer(masterKey)),
    Layer.provideMerge(SecureRandom.layerWebCrypto)
  )

/** Everything but the worker, in memory. */
export const surroundings = surroundingsOf(StoreSqlite.layerMemory)

/** A new worker each time it is built. */
export const worker = (changed?: Partial<typeof EngineSettings.Service>) =>
  Layer.fresh(Engine.layer).pipe(Layer.provide(settings(changed)))

/** A worker that stops at once, and the URLs that it sends to. */
export const watched = Effect.fnUntraced(function* (changed: Parameters<typeof worker>[0] = {}) {
  const sender = yield* Sender
  const sentTo: Array<string> = []
  const watching = Sender.of({
    send: (outgoing) =>
      Effect.suspend(() => {
        sentTo.push(outgoing.url)
        return sender.send(outgoing)
      })
  })
  return { sentTo, layer: worker({ stopMillis: 0, ...changed }).pipe(Layer.provide(Layer.succeed(Sender, watching))) }
})

/** Everything with one worker. It stops at once at the end of the test, because virtual time no longer advances. */
export const world = (changed?: Partial<typeof EngineSettings.Service>) =>
  Layer.provideMerge(worker({ stopMillis: 0, ...changed }), surroundings)

/** Starts a worker and returns its stop. */
export const started = Effect.fnUntraced(function* (changed?: Parameters<typeof worker>[0]) {
  const scope = yield* Scope.make()
  yield* Layer.buildWithScope(worker(changed), scope)
  return Scope.close(scope, Exit.void)
})

export const urlOf = (n: number): string => `https://receiver-${n}.example.com/hook`
/** The n-th webhook, with the behaviour of its receiver. Returns its secret. */
export const putWebhook = Effect.fnUntraced(function* (n: number, behaviour: Behaviour | undefined) {
  const { receivers } = yield* Outside
  if (behaviour !== undefined) receivers.set(urlOf(n), behaviour)
  return yield* seedWebhook(n, urlOf(n))
})

/** The arrival times at the n-th receiver. */
export const timesOf = (n: number) =>
  Outside.use(({ arrivals }) => Effect.succeed(arrivals.filter(({ url }) => url === urlOf(n)).map(({ at }) => at)))

/** Changes the n-th webhook, and notifies the workers. */
export const changeWebhook = (n: number, change: (fields: WebhookFields) => WebhookFields) =>
  Effect.andThen(
    ResourceStore.use((store) =>
      store.change(Webhook, tenantId, webhookIdOf(n), [], ({ current }) =>
        Result.succeed({
          _tag: "Changed",
          next: Option.getOrThrow(
            Option.map(current, (before) => ({
              ...before,
              version: before.version + 1,
              fields: change(before.fields)
            }))
          ),
          records: noRecords
        } as const)
      )
    ),
    Notifications.Notifications.use(({ notify }) => notify(Notifications.webhooksChanged))
  )

export const webhook = (n: number) =>
  ResourceStore.use((store) => store.find(Webhook, tenantId, webhookIdOf(n))).pipe(
    Effect.map((found) => Option.getOrThrow(found).fields)
  )

/** Rotates the secret of the n-th webhook and returns the new one. */
export const rotate = Effect.fnUntraced(function* (n: number) {
  const secret = yield* WebhookSecret.mint
  const now = yield* Clock.currentTimeMillis
  const kept = yield* WebhookSecret.keep(webhookIdOf(n), secret, now)
  yield* changeWebhook(n, (fields) => ({
    ...fields,
    secrets: Result.getOrThrow(WebhookSecret.rotated(fields.secrets, kept, now, WebhookSecret.changeoverSeconds.least))
  }))
  return secret
})

/** The audit entry of an action on the n-th webhook now. */
const auditOf = Effect.fnUntraced(function* (n: number, action: string) {
  const entry: AuditEntry = {
    id: yield* Id.Ids.use(({ mint }) => mint("audit")),
    account: serverUrn,
    bearer: null,
    operation: "UPDATE",
    action,
    entityType: "webhook",
    entityId: webhookIdOf(n),
    requestId: "01KCZ00000000000000000000Z",
    at: yield* Clock.currentTimeMillis
  }
  return entry
})

/** Redrives the deliveries of the n-th webhook in these states. */
export const redrive = Effect.fnUntraced(function* (n: number, states: ReadonlyArray<DeliveryState>) {
  const store = yield* DeliveryStore
  const chosen = { states, from: null, to: null, deliveryIds: null, limit: 100 }
  const redriven = yield* store.redrive(tenantId, webhookIdOf(n), chosen, yield* auditOf(n, "redrive"))
  yield* Notifications.Notifications.use(({ notify }) => notify(Notifications.deliveryDue))
  return redriven
})

/** Creates the m-th delivery to the n-th webhook, and notifies the worker. */
export const deliver = Effect.fnUntraced(function* (n: number, m = n, kind: EventKind = "credential.verified") {
  const store = yield* DeliveryStore
  const id = idOf("delivery", m)
  const draft: DeliveryDraft = {
    id,
    tenantId,
    webhookId: webhookIdOf(n),
    eventId: idOf("event", m),
    subjectId: idOf("credential", m),
    kind,
    correlationId: `correlation-${m}`,
    body: JSON.stringify({ type: kind, deliveryId: id }),
    state: "PENDING",
    createdAt: yield* Clock.currentTimeMillis,
    traceparent: null
  }
  yield* store.begin(draft, yield* auditOf(n, "ping"))
  yield* Notifications.Notifications.use(({ notify }) => notify(Notifications.deliveryDue))
  return id
})

export const delivery = (id: string): Effect.Effect<Delivery, never, DeliveryStore> =>
  DeliveryStore.use((store) => store.find(tenantId, id)).pipe(Effect.map(Option.getOrThrow))

export const healthOf = (n: number) =>
  DeliveryStore.use((store) => store.health(tenantId, [webhookIdOf(n)])).pipe(
    Effect.map((health) => health.get(webhookIdOf(n)))
  )
