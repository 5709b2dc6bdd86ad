import { assert, describe, layer } from "@effect/vitest"
import * as Sending from "@wcs/delivery/message/Sending"
import * as SmtpMessages from "@wcs/delivery/message/SmtpMessages"
import * as Privilege from "@wcs/domain/access/Privilege"
import { cardCause } from "@wcs/domain/event/MessageDraft"
import { Credential } from "@wcs/domain/holding/Credential"
import * as LeaseStore from "@wcs/domain/lease/LeaseStore"
import { queued } from "@wcs/domain/message/Announcing"
import { AnswerLinks } from "@wcs/domain/message/AnswerLinks"
import * as Composing from "@wcs/domain/message/Composing"
import { lostMillis, Message, type MessageFields, sampleCause } from "@wcs/domain/message/Message"
import { defaultSettings } from "@wcs/domain/message/MessageSettings"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { Messages } from "@wcs/domain/message/Messages"
import { Worker } from "@wcs/domain/people/Worker"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { freshHost, serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { putUser } from "@wcs/store-suite/access/UserFixtures"
import {
  auditEntry,
  created,
  credentialFields,
  find,
  freshTenant,
  mint,
  put,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { Clock, Deferred, Effect, Exit, Layer, Scope } from "effect"
import * as fc from "fast-check"
import { settings, surroundings } from "../World.ts"
import { type Behaviour, started } from "./MailServer.ts"

/** Histories in `npm test`; a thousand are asked for by the variable. */
const histories = Number(process.env["WCS_MESSAGE_HISTORIES"] ?? 12)

const messagesPerHistory = 5
const from = "wcs@sender.example"

/** More rounds than any history takes: seven attempts, and the kills. */
const roundsMax = 40

interface History {
  /** What the mail server does, connection by connection; afterwards it accepts. */
  readonly server: ReadonlyArray<Behaviour>
  /** The step before or after which each worker is killed, from 0; afterwards none is. */
  readonly kills: ReadonlyArray<number>
}

const behaviours: ReadonlyArray<Behaviour> = [
  ...(["accept", "acceptAndDie", "dieBefore", "closed"] as const),
  ...(["laterAtRcpt", "laterAtData", "refusedAtRcpt", "refusedAtData", "refusedAtMail", "forbiddenAtRcpt"] as const)
]

const anyHistory: fc.Arbitrary<History> = fc.record({
  server: fc.array(fc.constantFrom(...behaviours), { maxLength: 20 }),
  kills: fc.array(fc.nat(40), { maxLength: 6 })
})

/** A clock that runs, and that a test moves forward. */
const movable = Effect.map(Clock.Clock, (clock) => {
  let moved = 0
  const now = () => clock.currentTimeMillisUnsafe() + moved
  const moving: Clock.Clock = {
    ...clock,
    sleep: clock.sleep.bind(clock),
    currentTimeNanos: clock.currentTimeNanos,
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
    currentTimeMillis: Effect.sync(now),
    currentTimeMillisUnsafe: now
  }
  const advance = (millis: number) => {
    moved += millis
  }
  return { clock: moving, advance }
})

/** A worker that is killed at a step: from then on, none of its calls ends. */
const doomed = Effect.fnUntraced(function* (port: number, killAt: number) {
  const store = yield* MessageStore
  const scope = yield* Scope.make()
  const over = yield* Deferred.make<"killed" | "idle">()
  let step = 0
  const point = Effect.suspend(() => {
    if (step++ < killAt) return Effect.void
    Deferred.doneUnsafe(over, Exit.succeed("killed"))
    return Effect.interruptible(Effect.never)
  })
  const around = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.andThen(
      point,
      Effect.tap(effect, () => point)
    )
  /** Tells the test when nothing is left to do now. */
  const look = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const shares = (yield* store.waiting(now + lostMillis)).map((queue) => ({ ...queue, count: 100 }))
    const running = (yield* store.due(shares, now + lostMillis)).filter(
      ({ message }) => message.fields.state !== "QUEUED"
    )
    if (running.length === 0 && (yield* store.due(shares, now)).length === 0)
      Deferred.doneUnsafe(over, Exit.succeed("idle"))
  })
  const smtp = { from, host: "127.0.0.1", port, tls: "none", login: null } as const
  const dying = MessageStore.of({
    ...store,
    change: (...given) => Effect.tap(around(store.change(...given)), () => look),
    due: (...given) => Effect.andThen(look, store.due(...given))
  })
  yield* Effect.gen(function* () {
    const messages = yield* Effect.provide(Messages, SmtpMessages.layer(smtp))
    const leases = Layer.effect(LeaseStore.LeaseStore, LeaseStore.make)
    yield* Sending.start.pipe(
      Effect.provideService(Messages, Messages.of({ send: (letter, handed) => around(messages.send(letter, handed)) })),
      Effect.provide([
        Layer.provide(Composing.layer, [Privilege.layer, Layer.mock(AnswerLinks, {})]),
        Privilege.layer,
        leases,
        settings({ pollMillis: 20, stopMillis: 0 })
      ]),
      Effect.provideService(MessageStore, dying)
    )
  }).pipe(Scope.provide(scope))
  return yield* Effect.ensuring(Deferred.await(over), Scope.close(scope, Exit.void))
})

const isOpen = ({ state }: Pick<MessageFields, "state">): boolean => state === "QUEUED" || state === "SENDING"

/** A message to a worker about a card, with the address that the worker has. */
const toWorker = Effect.fnUntraced(function* (tenantId: string, now: number) {
  const [worker, card, id] = [mint("worker"), mint("credential"), mint("message")]
  const email = `${worker}@example.org`
  const expiryDate = dayAfter(dayAt(now, "UTC"), 90)
  const attributes = { credentialType: "FIRST_AID", expiryDate }
  yield* put(Worker, tenantId, created(worker, workerFields({ contact: { workEmail: email } })))
  yield* put(Credential, tenantId, created(card, credentialFields({ worker }, attributes)))
  const fields: MessageFields = {
    ...{ kind: "CARD_EXPIRING", state: "QUEUED", recipient: { type: "worker", id: worker }, attempts: 0 },
    ...{ about: { type: "credential", id: card }, cause: cardCause(card, expiryDate, "2026-01-31") }
  }
  return { email, placed: { message: { ...created(id, fields), createdAt: now, updatedAt: now }, dueAt: now } }
})

/** A sample to a user. */
const toUser = Effect.fnUntraced(function* (tenantId: string, now: number) {
  const { account } = yield* putUser(tenantId)
  const placed = queued(mint("message"), "WEEKLY_DIGEST", sampleCause(account.id), account, now)
  return { email: account.email ?? "", placed }
})

/** A tenant with queued messages to users and workers in turn. Returns how to read them. */
const begin = Effect.gen(function* () {
  const [access, store] = [yield* AccessStore, yield* MessageStore]
  const tenantId = freshTenant()
  const tenant = { id: tenantId, name: "First", timeZone: "Australia/Perth", hosts: [freshHost()] }
  yield* access.insertTenant(tenant, serviceAccountFor(tenantId), auditEntry(tenantId, { entityType: "tenant" }))
  const now = yield* Clock.currentTimeMillis
  const settings = { ...defaultSettings, enabled: true, tellsOfCards: true }
  yield* store.setSettings(tenantId, settings, dayAt(now, "UTC"), auditEntry(tenantId, { entityType: "message" }))
  const sent = yield* Effect.forEach(Array.from({ length: messagesPerHistory }), (_, n) =>
    Effect.gen(function* () {
      const { email, placed } = yield* n % 2 === 0 ? toUser(tenantId, now) : toWorker(tenantId, now)
      const audit = auditEntry(placed.message.id, { entityType: "message" })
      yield* store.insert(tenantId, placed, { since: now, most: 100 }, audit)
      return { id: placed.message.id, email }
    })
  )
  return Effect.forEach(sent, ({ email, id }) =>
    Effect.map(find(Message, tenantId, id), (message) => ({
      ...(message?.fields ?? assert.fail("a message was lost")),
      email
    }))
  )
})

/** Carries out a history until every message has ended. Checks each message against what the server took. */
const carryOut = Effect.fnUntraced(function* ({ kills, server }: History) {
  const planned = [...server]
  const { port, taken } = yield* started(() => planned.shift() ?? "accept")
  const { advance, clock } = yield* movable
  const ends = yield* Effect.gen(function* () {
    const read = yield* begin
    const plan = [...kills]
    for (let round = 0; (yield* read).some(isOpen); round++) {
      assert.isBelow(round, roundsMax, "the messages do not end")
      yield* doomed(port, plan.shift() ?? Number.POSITIVE_INFINITY)
      advance(13 * 3_600_000)
    }
    return yield* read
  }).pipe(Effect.provideService(Clock.Clock, clock))
  for (const { email, recipient, reply = "", state } of ends) {
    if (recipient.type === "worker") assert.notInclude(reply.toLowerCase(), email.toLowerCase())
    const accepted = taken.filter(({ to }) => to.includes(email))
    const expected = state === "ACCEPTED" ? [1] : state === "UNKNOWN" ? [0, 1] : [0]
    assert.include(expected, accepted.length, `${email} is ${state}`)
  }
  // Nobody doubts an end without a cause of doubt.
  const isSure = kills.length === 0 && !server.some((behaviour) => ["acceptAndDie", "dieBefore"].includes(behaviour))
  if (isSure)
    assert.notInclude(
      ends.map(({ state }) => state),
      "UNKNOWN"
    )
  return ends.map(({ state }) => state)
})

layer(surroundings, { excludeTestServices: true })("random histories of workers and a mail server", (it) => {
  describe("threat 76", () => {
    it.effect(
      "accept each message exactly once, or name it as unknown",
      () =>
        Effect.gen(function* () {
          const seed = Number(process.env["WCS_MESSAGE_SEED"] ?? (yield* Clock.currentTimeMillis) % 2 ** 31)
          const seen = new Map<string, number>()
          for (const history of fc.sample(anyHistory, { numRuns: histories, seed })) {
            const states = yield* Effect.scoped(carryOut(history)).pipe(
              Effect.tapCause(() => Effect.logError("A history failed.", JSON.stringify({ seed, history })))
            )
            for (const state of states) seen.set(state, (seen.get(state) ?? 0) + 1)
          }
          if (histories >= 100) assert.includeMembers([...seen.keys()], ["ACCEPTED", "REFUSED", "UNKNOWN"])
          yield* Effect.logInfo("Histories ended.", JSON.stringify({ seed, histories, ...Object.fromEntries(seen) }))
        }),
      3_600_000
    )
  })
})
