import * as Destinations from "@wcs/delivery/Destinations"
import * as Engine from "@wcs/delivery/Engine"
import * as Resolver from "@wcs/delivery/Resolver"
import * as Signature from "@wcs/delivery/Signature"
import * as UndiciSender from "@wcs/delivery/UndiciSender"
import { DeliveryStore } from "@wcs/domain/DeliveryStore"
import * as Id from "@wcs/domain/Id"
import * as Notices from "@wcs/domain/Notices"
import { Register } from "@wcs/domain/Register"
import { ResourceStore } from "@wcs/domain/ResourceStore"
import { type AuditEntry, noTrail, serverUrn } from "@wcs/domain/Trail"
import { Webhook, type WebhookFields } from "@wcs/domain/Webhook"
import * as WebhookSecret from "@wcs/domain/WebhookSecret"
import { WebhookSettings } from "@wcs/domain/Webhooks"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { Clock, Deferred, Effect, Layer, ManagedRuntime, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import ipaddr from "ipaddr.js"
import { Agent } from "undici"
import { storeFile } from "./Dataset.ts"
import { idAt } from "./Ids.ts"
import { answerQuestions } from "./Questions.ts"

/** What is to be delivered: to one webhook for each port, all of them alike. */
export interface DeliverJob {
  readonly ports: ReadonlyArray<number>
  readonly deliveries: number
  /** A receiver that never answers, with as many deliveries of its own that are due; null where there is none. */
  readonly silent: { readonly port: number; readonly deliveries: number } | null
}

/** How many attempts of one webhook are in flight at the most (decisions, section 5). */
const perWebhook = 8

const tenantId = idAt("tenant", 0)

const body = JSON.stringify({
  type: "credential.verified",
  timestamp: "2027-01-15T08:00:00.000Z",
  deliveryId: idAt("delivery", 0),
  eventId: idAt("event", 0),
  correlationId: "hire-4711",
  sequence: 3,
  data: {
    credential: {
      id: idAt("credential", 0),
      type: "credential",
      credentialType: "WWCC_NSW",
      owners: { worker: idAt("worker", 0), applicant: null }
    },
    verification: {
      eligibility: "MAY_ENGAGE",
      statusDetail: "VALID",
      expiryDate: "2029-01-15",
      errorMessage: null,
      requestId: "01KCZ00000000000000000000Z",
      trigger: "verify",
      verifiedAt: "2027-01-15T08:00:00.000Z"
    }
  }
})

const urlOf = (port: number): string => `http://127.0.0.1:${port}/hook`

/** Posts the same bytes to the same receivers by the same client, and does nothing else. Answers how long it took. */
const bare = async ({ deliveries, ports }: DeliverJob): Promise<number> => {
  const agent = new Agent({ allowH2: false, connections: 256, pipelining: 1 })
  const bytes = Buffer.from(body)
  const headers = { "content-type": "application/json", "user-agent": "wcs-webhooks/1" }
  const post = (port: number) =>
    new Promise<void>((resolve, reject) => {
      let status = 0
      agent.dispatch(
        { origin: `http://127.0.0.1:${port}`, path: "/hook", method: "POST", headers, body: bytes },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_, code) => {
            status = code
          },
          onResponseData: () => undefined,
          onResponseEnd: () => (status === 204 ? resolve() : reject(new Error(`the answer was ${status}`))),
          onResponseError: (_, error) => reject(error)
        }
      )
    })
  let left = deliveries
  const begun = performance.now()
  await Promise.all(
    ports.flatMap((port) =>
      Array.from({ length: perWebhook }, async () => {
        while (left-- > 0) await post(port)
      })
    )
  )
  const millis = performance.now() - begun
  await agent.destroy()
  return millis
}

const masterKey = Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(1)))

const storesIn = (directory: string) =>
  Layer.mergeAll(
    Layer.provide(StoreSql.layer, SqliteClient.layer({ filename: storeFile(directory) })),
    Notices.layer,
    Id.layer,
    Seal.layer
  ).pipe(
    Layer.provide(MasterKey.layer(masterKey)),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Warn")),
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
  )

/** The worker as a deployment has it, but that it may reach this machine. */
const worker = Engine.layer.pipe(
  Layer.provide(UndiciSender.layer),
  Layer.provide(Destinations.layer),
  Layer.provide([Resolver.layer, Signature.layer]),
  Layer.provide(Layer.succeed(Register, { ask: () => Effect.die("no register is asked") })),
  Layer.provide(Layer.succeed(Destinations.AllowedRanges, [ipaddr.parseCIDR("127.0.0.0/8")])),
  Layer.provide(Layer.succeed(WebhookSettings, { allowsHttp: true, changeoverSeconds: 86_400, webhooksMax: 100 })),
  Layer.fresh
)

const putWebhook = Effect.fnUntraced(function* (index: number, port: number) {
  const store = yield* ResourceStore
  const now = yield* Clock.currentTimeMillis
  const id = idAt("webhook", index)
  const secrets = [yield* WebhookSecret.keep(id, yield* WebhookSecret.mint, now)]
  const fields: WebhookFields = { name: id, url: urlOf(port), events: ["webhook.test"], status: "ACTIVE", secrets }
  const next = { id, version: 1, createdAt: now, updatedAt: now, deletedAt: null, fields }
  yield* store.change(Webhook, tenantId, id, [], ({ current }) =>
    Result.succeed(
      current._tag === "Some"
        ? ({ _tag: "Unchanged", current: current.value } as const)
        : ({ _tag: "Changed", next, trail: noTrail } as const)
    )
  )
})

const beginDelivery = Effect.fnUntraced(function* (webhookId: string) {
  const store = yield* DeliveryStore
  const ids = yield* Id.Ids
  const createdAt = yield* Clock.currentTimeMillis
  const kind = "credential.verified" as const
  const [id, eventId, auditId] = [yield* ids.mint("delivery"), yield* ids.mint("event"), yield* ids.mint("audit")]
  const audit: AuditEntry = {
    id: auditId,
    account: serverUrn,
    bearer: null,
    operation: "UPDATE",
    action: "ping",
    entityType: "webhook",
    entityId: webhookId,
    requestId: "01KCZ00000000000000000000Z",
    at: createdAt
  }
  yield* store.begin(
    { id, tenantId, webhookId, eventId, kind, correlationId: "hire-4711", body, state: "PENDING", createdAt },
    audit
  )
})

/** The store, that tells when so many outcomes are written. */
const counting = (wanted: number, done: Deferred.Deferred<void>) => {
  let left = wanted
  return Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        settle: (settlements, assess) =>
          Effect.tap(store.settle(settlements, assess), () => {
            left -= settlements.filter(({ delivery }) => delivery.state === "DELIVERED").length
            return left <= 0 ? Deferred.succeed(done, undefined) : Effect.void
          })
      })
    )
  )
}

/**
 * Has the worker deliver what waits in the store. Answers how long it took from its start until all was written that
 * anybody answers.
 */
const delivering = Effect.fnUntraced(function* ({ deliveries, ports, silent }: DeliverJob) {
  const every = silent === null ? ports : [...ports, silent.port]
  yield* Effect.forEach(every, (port, index) => putWebhook(index, port), { concurrency: 16, discard: true })
  const unanswered = Array.from({ length: silent?.deliveries ?? 0 }, () => idAt("webhook", ports.length))
  const answered = Array.from({ length: deliveries }, (_, n) => idAt("webhook", n % ports.length))
  const each = [...unanswered, ...answered] // those that nobody answers have waited for longest
  yield* Effect.forEach(each, beginDelivery, { concurrency: 256, discard: true })
  const done = yield* Deferred.make<void>()
  const begun = performance.now()
  return yield* Effect.andThen(
    Deferred.await(done),
    Effect.sync(() => performance.now() - begun)
  ).pipe(Effect.provide(Layer.provide(worker, counting(deliveries, done))))
})

/** Delivers by either until the process that started this one lets go of it. */
export const deliver = async (directory: string): Promise<void> => {
  const runtime = ManagedRuntime.make(storesIn(directory))
  await runtime.context()
  answerQuestions({ bare, worker: (job: DeliverJob) => runtime.runPromise(delivering(job)) })
}
