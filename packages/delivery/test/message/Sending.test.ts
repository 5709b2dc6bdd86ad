import { assert, layer } from "@effect/vitest"
import * as Sending from "@wcs/delivery/message/Sending"
import * as Privilege from "@wcs/domain/access/Privilege"
import { queued } from "@wcs/domain/message/Announcing"
import { Composing } from "@wcs/domain/message/Composing"
import { Message, sampleCause } from "@wcs/domain/message/Message"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { Messages } from "@wcs/domain/message/Messages"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { freshHost, serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, find, freshTenant, mint } from "@wcs/store-suite/Fixtures"
import { Clock, Deferred, Effect, Layer, Option, References } from "effect"
import { settings, surroundings } from "../World.ts"

/** More messages than one statement reads. */
const brokenCount = 300

const beginTenant = Effect.gen(function* () {
  const access = yield* AccessStore
  const id = freshTenant()
  const tenant = { id, name: "First", timeZone: "Australia/Perth", hosts: [freshHost()] }
  yield* access.insertTenant(tenant, serviceAccountFor(id), auditEntry(id, { entityType: "tenant" }))
  return id
})

/** Queues a message. Returns its id. */
const put = Effect.fnUntraced(function* (tenantId: string, now: number) {
  const store = yield* MessageStore
  const account = { id: mint("account"), email: "ann@example.org" }
  const { message, dueAt } = queued(mint("message"), "RED_TODAY", sampleCause(account.id), account, now)
  const audit = auditEntry(message.id, { entityType: "message" })
  yield* store.insert(tenantId, { message, dueAt }, { since: now, most: 1 }, audit)
  return message.id
})

layer(surroundings, { excludeTestServices: true })("the sending of messages", (it) => {
  it.effect("goes on with other messages while many cannot be written", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const [broken, tenant] = [yield* beginTenant, yield* beginTenant]
      for (let count = 0; count < brokenCount; count++) yield* put(broken, now - 1000)
      const good = yield* put(tenant, now)
      const sent = yield* Deferred.make<string>()
      const composing = Composing.of({
        compose: ({ tenantId }) =>
          tenantId === broken
            ? Effect.die(new Error("the rows of this tenant are damaged"))
            : Effect.succeed(Option.some({ to: "ann@example.org", subject: "s", text: "t", html: "h", hidden: [] }))
      })
      const messages = Messages.of({
        send: ({ messageId }) =>
          Effect.as(Deferred.succeed(sent, messageId), { _tag: "Accepted", reply: "250 ok" } as const)
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Sending.start
          assert.strictEqual(yield* Deferred.await(sent), good)
        })
      ).pipe(
        Effect.provide([
          Layer.succeed(Composing, composing),
          Layer.succeed(Messages, messages),
          Layer.succeed(References.MinimumLogLevel, "Fatal"),
          Privilege.layer,
          settings({ pollMillis: 20 })
        ])
      )
      const { fields } = (yield* find(Message, tenant, good)) ?? assert.fail("the message is gone")
      assert.strictEqual(fields.state, "ACCEPTED")
    })
  )
})
