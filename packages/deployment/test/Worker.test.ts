import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as Engine from "@wcs/delivery/Engine"
import * as Outward from "@wcs/delivery/Outward"
import * as Signature from "@wcs/delivery/Signature"
import { accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import * as Privilege from "@wcs/domain/access/Privilege"
import * as Resources from "@wcs/domain/crud/Resources"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Register } from "@wcs/domain/verification/Register"
import * as Deliveries from "@wcs/domain/webhook/Deliveries"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import * as Webhooks from "@wcs/domain/webhook/Webhooks"
import * as AuditSignatures from "@wcs/keys/AuditSignatures"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry } from "@wcs/store-suite/Fixtures"
import { Effect, Fiber, flow, Latch, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import ipaddr from "ipaddr.js"

const loopback = [ipaddr.parseCIDR("127.0.0.0/8")]
const random = SecureRandom.layerWebCrypto
const seal = Layer.unwrap(
  Effect.map(MasterKey.generate, (key) => Layer.provide(Seal.layer, MasterKey.layer(key)))
).pipe(Layer.provide(random))

const outward = Layer.provide(Outward.layer, Layer.succeed(AllowedRanges, loopback))

/** The parts of a server that the worker needs: use cases over a store, and an address guard. */
const useCases = Layer.mergeAll(Webhooks.layer, Deliveries.layer).pipe(
  Layer.provide(Layer.mergeAll(Resources.layer, Privilege.layer, outward))
)

const tenantId = "tnt_0000000000000000"
const accountId = "acc_0000000000000000"
const timeZone = "Australia/Sydney"

/** Stores the tenant with the account of the calls. */
const putCaller = AccessStore.use((access) =>
  access.insertTenant(
    { id: tenantId, name: "first", timeZone, hosts: [] },
    { ...serviceAccountFor(tenantId), id: accountId },
    auditEntry(tenantId, { entityType: "tenant" })
  )
)

const deployment = Layer.mergeAll(
  useCases,
  Layer.provide(Engine.layer, [Signature.layer, outward]),
  Layer.effectDiscard(putCaller)
).pipe(
  Layer.provide(Layer.succeed(Register, { ask: () => Effect.succeed({ _tag: "Queued" } as const) })),
  Layer.provide([AuditSignatures.layer, Digest.layer]),
  Layer.provide(Layer.mergeAll(StoreSqlite.layerMemory, Notifications.layer, seal, Id.layer)),
  Layer.provide(Layer.succeed(WebhookSettings, { allowsHttp: true, changeoverSeconds: 86_400, webhooksMax: 100 })),
  Layer.provide(random)
)

interface Receiver {
  readonly url: string
  readonly seen: Array<IncomingHttpHeaders>
  readonly close: () => void
}

/** A receiver on loopback that answers every request with one status, when it is open. Keeps the headers. */
const receiver = (status: number, open = Latch.makeUnsafe(true)) =>
  Effect.acquireRelease(
    Effect.callback<Receiver>((resume) => {
      const seen: Array<IncomingHttpHeaders> = []
      const server = createServer((request, response) => {
        seen.push(request.headers)
        const answer = Effect.andThen(
          open.await,
          Effect.sync(() => response.writeHead(status).end())
        )
        request.resume().on("end", () => Effect.runFork(answer))
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        resume(Effect.succeed({ url, seen, close: () => server.close().closeAllConnections() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const caller = Caller.of({
  tenantId,
  timeZone,
  account: accountUrn(accountId),
  privileges: new Set(),
  bearer: { kind: "password", id: accountId },
  rateLimitKey: "test",
  rateLimit: null
})

const asCaller = flow(
  Effect.provideService(Caller, caller),
  Effect.provideService(RequestId, "01ARZ3NDEKTSV4RRFFQ69G5FAV")
)

layer(deployment, { excludeTestServices: true })("a worker", (it) => {
  it.effect.each([
    [204, "DELIVERED"],
    [500, "EXHAUSTED"]
  ] as const)("sends the deliveries that use cases create on the shared store: %d is %s", ([status, state]) =>
    Effect.gen(function* () {
      const { seen, url } = yield* receiver(status)
      const { document } = yield* Webhooks.Webhooks.use(({ create }) =>
        create({ name: "HR", url, events: ["webhook.test"] })
      )
      const pinged = yield* Deliveries.Deliveries.use(({ ping }) => ping(document.id))
      assert.strictEqual(pinged.state, state)
      assert.deepStrictEqual(
        seen.map((headers) => headers["x-service-event"]),
        ["webhook.test"]
      )
    }).pipe(asCaller)
  )

  it.effect("EVT-10: signs the deliveries that already wait at a rotation with both secrets", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks.Webhooks
      const { ping } = yield* Deliveries.Deliveries
      const open = Latch.makeUnsafe(false)
      const { seen, url } = yield* receiver(204, open)
      const { document } = yield* webhooks.create({ name: "HR", url, events: ["webhook.test"] })
      const pings = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 12 }, () => ping(document.id)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.whileLoop({ while: () => seen.length < 8, body: () => Effect.yieldNow, step: () => undefined })
      yield* webhooks.rotate(document.id)
      open.openUnsafe()
      yield* Fiber.join(pings)
      assert.deepStrictEqual(
        seen.map((headers) => String(headers["webhook-signature"]).split(" ").length),
        [...Array.from({ length: 8 }, () => 1), ...Array.from({ length: 4 }, () => 2)]
      )
    }).pipe(asCaller)
  )
})
