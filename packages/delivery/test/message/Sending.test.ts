import { assert, layer } from "@effect/vitest"
import * as Sending from "@wcs/delivery/message/Sending"
import * as Privilege from "@wcs/domain/access/Privilege"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { queued } from "@wcs/domain/message/Announcing"
import { Composing } from "@wcs/domain/message/Composing"
import { attemptMillis, begun, lostMillis, Message, type Outcome } from "@wcs/domain/message/Message"
import type { MessageKind } from "@wcs/domain/message/MessageKind"
import { defaultSettings } from "@wcs/domain/message/MessageSettings"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { Messages } from "@wcs/domain/message/Messages"
import { Worker } from "@wcs/domain/people/Worker"
import { messageDue, Notifications } from "@wcs/domain/shared/Notifications"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { freshHost, serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import {
  auditEntry,
  created,
  find,
  freshTenant,
  mint,
  put as putResource,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { Clock, Deferred, Duration, Effect, Exit, Layer, Option, References } from "effect"
import { settings, surroundings } from "../World.ts"

/** More messages than one read returns. */
const brokenCount = 300
const manyCount = 100

/** Attempts at the same time, besides those of codes. */
const placeCount = 4

const beginTenant = Effect.gen(function* () {
  const access = yield* AccessStore
  const id = freshTenant()
  const tenant = { id, name: "First", timeZone: "Australia/Perth", hosts: [freshHost()] }
  yield* access.insertTenant(tenant, serviceAccountFor(id), auditEntry(id, { entityType: "tenant" }))
  return id
})

/** Queues a message. Returns its id. */
const put = Effect.fnUntraced(function* (tenantId: string, now: number, kind: MessageKind = "RED_TODAY") {
  const store = yield* MessageStore
  const account = { id: mint("account"), email: "ann@example.org" }
  const { message, dueAt } = queued(mint("message"), kind, "2026-01-31", account, now)
  const audit = auditEntry(message.id, { entityType: "message" })
  yield* store.insert(tenantId, { message, dueAt }, { since: now, most: 1 }, audit)
  return message.id
})

const written = Option.some({ to: "ann@example.org", subject: "s", text: "t", html: "h", hidden: [] })
const taken = { _tag: "Accepted", reply: "250 ok" } as const

/** Starts a worker with this mail server, and waits for an effect. */
const withServer = <A, E, R>(
  send: (messageId: string, handed: () => void) => Effect.Effect<Outcome>,
  compose: Composing["Service"]["compose"],
  effect: Effect.Effect<A, E, R>
) =>
  Effect.scoped(Effect.andThen(Sending.start, effect)).pipe(
    Effect.provide([
      Layer.succeed(Composing, Composing.of({ compose })),
      Layer.succeed(Messages, Messages.of({ send: ({ messageId }, handed) => send(messageId, handed) })),
      Layer.succeed(References.MinimumLogLevel, "Fatal"),
      Privilege.layer,
      settings({ pollMillis: 20, stopMillis: 0 })
    ])
  )

layer(surroundings, { excludeTestServices: true })("the sending of messages", (it) => {
  it.effect("goes on with other messages while many cannot be written", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [broken, tenant] = [yield* beginTenant, yield* beginTenant]
      for (let count = 0; count < brokenCount; count++) yield* put(broken, now - 1000)
      const good = yield* put(tenant, now)
      const sent = yield* Deferred.make<string>()
      yield* withServer(
        (id) => Effect.as(Deferred.succeed(sent, id), taken),
        ({ tenantId }) =>
          tenantId === broken ? Effect.die(new Error("the rows of this tenant are damaged")) : Effect.succeed(written),
        Effect.map(Deferred.await(sent), (id) => assert.strictEqual(id, good))
      )
      const { fields } = (yield* find(Message, tenant, good)) ?? assert.fail("the message is gone")
      assert.strictEqual(fields.state, "ACCEPTED")
    })
  )

  it.effect(
    "threat 91: goes on with a tenant's messages while its lost attempts cannot be ended, and ends them as UNKNOWN",
    () =>
      Effect.gen(function* () {
        const [store, tenant, now] = [yield* MessageStore, yield* beginTenant, yield* Clock.currentTimeMillis]
        const lost = new Set<string>()
        for (let count = 0; count < manyCount; count++) {
          const id = yield* put(tenant, now - lostMillis - 1000)
          yield* store.change(tenant, id, (message) => begun(message, now - lostMillis - 1000))
          lost.add(id)
        }
        const good = yield* put(tenant, now)
        let isFailing = true
        const writes = new Map<string, number>()
        const failing = MessageStore.of({
          ...store,
          change: (tenantId, id, ...given) => {
            if (!isFailing || !lost.has(id)) return store.change(tenantId, id, ...given)
            writes.set(id, (writes.get(id) ?? 0) + 1)
            return Effect.die(new Error("the row cannot be written"))
          }
        })
        const sent = yield* Deferred.make<string>()
        const run = <A, R>(effect: Effect.Effect<A, never, R>) =>
          withServer(
            (id) => Effect.as(Deferred.succeed(sent, id), taken),
            () => Effect.succeed(written),
            effect
          ).pipe(Effect.provideService(MessageStore, failing))
        yield* run(Effect.map(Deferred.await(sent), (id) => assert.strictEqual(id, good)))
        // The end of each, and its delay. Then it rests.
        assert.isAtMost(Math.max(...writes.values()), 2)
        isFailing = false
        const stateOf = (id: string) => Effect.map(find(Message, tenant, id), (message) => message?.fields.state)
        const states = Effect.forEach(lost, stateOf)
        yield* run(Effect.repeat(states, { until: (all) => all.every((state) => state === "UNKNOWN") }))
      })
  )

  it.effect("threat 91: sends a message of another tenant after one for each place, however many one tenant has", () =>
    Effect.gen(function* () {
      const [store, notifications, now] = [yield* MessageStore, yield* Notifications, yield* Clock.currentTimeMillis]
      const [many, other] = [yield* beginTenant, yield* beginTenant]
      for (let count = 0; count < manyCount; count++) yield* put(many, now - 1000)
      const late = yield* Effect.cached(
        put(other, now).pipe(
          Effect.tap(() => notifications.notify(messageDue)),
          Effect.provideService(MessageStore, store)
        )
      )
      const sent: Array<string> = []
      const over = yield* Deferred.make<void>()
      yield* withServer(
        (id) =>
          Effect.gen(function* () {
            sent.push(id)
            if (id === (yield* late)) yield* Deferred.succeed(over, undefined)
            return taken
          }),
        () => Effect.succeed(written),
        Deferred.await(over)
      )
      assert.isAtMost(sent.indexOf(yield* late), placeCount + 1)
    })
  )

  it.effect("threat 91: sends messages also if news arrive at each read", () =>
    Effect.gen(function* () {
      const [store, notifications, now] = [yield* MessageStore, yield* Notifications, yield* Clock.currentTimeMillis]
      yield* put(yield* beginTenant, now)
      const overtaken = MessageStore.of({
        ...store,
        due: (...given) => Effect.tap(store.due(...given), () => notifications.notify(messageDue))
      })
      const over = yield* Deferred.make<void>()
      yield* withServer(
        () => Effect.as(Deferred.succeed(over, undefined), taken),
        () => Effect.succeed(written),
        Deferred.await(over)
      ).pipe(Effect.provideService(MessageStore, overtaken))
    })
  )

  it.effect("threat 91: keeps a place for codes while the mail server is slow", () =>
    Effect.gen(function* () {
      const [notifications, now] = [yield* Notifications, yield* Clock.currentTimeMillis]
      const [many, other] = [yield* beginTenant, yield* beginTenant]
      for (let count = 0; count < manyCount; count++) yield* put(many, now - 1000)
      const sent: Array<string> = []
      const [full, over] = [yield* Deferred.make<void>(), yield* Deferred.make<string>()]
      const code = yield* withServer(
        (id) =>
          Effect.suspend(() => {
            sent.push(id)
            if (sent.length === placeCount) Deferred.doneUnsafe(full, Exit.void)
            if (sent.length > placeCount) Deferred.doneUnsafe(over, Exit.succeed(id))
            // Without a place for codes, the code would wait for the end of an attempt.
            return Effect.onInterrupt(Effect.never, () => Deferred.succeed(over, `an attempt ended: ${id}`))
          }),
        () => Effect.succeed(written),
        Effect.gen(function* () {
          yield* Deferred.await(full)
          const id = yield* put(other, now, "REQUEST_CODE")
          yield* notifications.notify(messageDue)
          assert.strictEqual(yield* Deferred.await(over), id)
          return id
        })
      )
      assert.deepStrictEqual(sent.slice(placeCount), [code])
    })
  )

  it.effect("threat 76: names an attempt without an answer as UNKNOWN only if the message was handed over", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      for (const end of ["timeout", "defect", "stop"] as const) {
        for (const isHanded of [false, true]) {
          const [tenant, now] = [yield* beginTenant, yield* Clock.currentTimeMillis]
          const id = yield* put(tenant, now)
          const asked = yield* Deferred.make<void>()
          const fields = Effect.map(find(Message, tenant, id), (message) => message?.fields)
          const ended = Effect.repeat(fields, { until: (found) => found?.reply !== undefined })
          // The time limit of an attempt is over as soon as the mail server was asked.
          const sleep: Clock.Clock["sleep"] = (duration) =>
            end === "timeout" && Duration.toMillis(duration) === attemptMillis
              ? Deferred.await(asked)
              : clock.sleep(duration)
          yield* withServer(
            (_, handed) =>
              Effect.gen(function* () {
                if (isHanded) handed()
                yield* Deferred.succeed(asked, undefined)
                return yield* end === "defect" ? Effect.die(new Error("a fault of the adapter")) : Effect.never
              }),
            () => Effect.succeed(written),
            end === "stop" ? Deferred.await(asked) : Effect.asVoid(ended)
          ).pipe(Effect.provideService(Clock.Clock, Object.assign(Object.create(clock), { sleep })))
          assert.strictEqual((yield* fields)?.state, isHanded ? "UNKNOWN" : "QUEUED", `${end} ${isHanded}`)
        }
      }
    })
  )

  it.effect("ends a message to a person without an address, and marks the person", () =>
    Effect.gen(function* () {
      const [store, tenantId] = [yield* MessageStore, yield* beginTenant]
      const [worker, id] = [mint("worker"), mint("message")]
      yield* putResource(Worker, tenantId, created(worker, workerFields()))
      const person = { type: "worker", id: worker } as const
      const settings = { ...defaultSettings, enabled: true, tellsOfRequests: true }
      yield* store.setSettings(tenantId, settings, "2026-01-30", auditEntry(tenantId, { entityType: "message" }))
      const about = { type: "captureRequest", id: mint("captureRequest") } as const
      yield* store.tell(tenantId, [{ id, kind: "REQUEST", recipient: person, about, cause: "a", at: 0 }])
      const isMarked = Effect.map(
        ResourceStore.use((resources) => resources.findText(Worker, tenantId, worker)),
        (found) => Option.exists(found, ({ isUnreachable }) => isUnreachable)
      )
      yield* withServer(
        () => Effect.die(new Error("nothing is sent")),
        () => Effect.succeed(Option.some({ to: undefined, person })),
        Effect.repeat(Effect.andThen(Effect.yieldNow, isMarked), { until: (is) => is })
      )
      const { fields } = (yield* find(Message, tenantId, id)) ?? assert.fail("the message is gone")
      assert.deepInclude(fields, { state: "NO_ADDRESS", attempts: 0 })
    })
  )
})
