import { assert, layer } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import * as Privilege from "@wcs/domain/access/Privilege"
import { Credential } from "@wcs/domain/holding/Credential"
import { queued } from "@wcs/domain/message/Announcing"
import { AnswerLinks } from "@wcs/domain/message/AnswerLinks"
import * as Composing from "@wcs/domain/message/Composing"
import { sampleCause } from "@wcs/domain/message/Message"
import type { MessageKind } from "@wcs/domain/message/MessageKind"
import { defaultSettings } from "@wcs/domain/message/MessageSettings"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { NoteStore } from "@wcs/domain/note/NoteStore"
import { Unit } from "@wcs/domain/people/Unit"
import { Worker } from "@wcs/domain/people/Worker"
import { rulesVersion } from "@wcs/domain/screening/ComplianceEvaluation"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { freshHost, serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { putUser } from "@wcs/store-suite/access/UserFixtures"
import {
  auditEntry,
  created,
  credentialFields,
  freshTenant,
  mint,
  put,
  webhookFields,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { Clock, Effect, Layer, Option, Result } from "effect"
import { surroundings } from "../World.ts"

/** Noon of a day, in the tenant's time zone too. */
const now = Date.UTC(2026, 1, 3, 4)
const today = "2026-02-03"

const keepResult = Effect.fnUntraced(function* (tenantId: string, worker: string, result: "PASS" | "FAIL") {
  const kept = yield* KeptComplianceStore
  const row = (yield* kept.read(tenantId, [worker])).get(worker)
  if (row === undefined) return assert.fail("no row")
  const status = { rulesVersion, generation: 0, through: "9999-12-31", result, bans: [], beyond: [], checks: {} }
  yield* kept.keep(tenantId, [{ row, status, tasks: [], events: [] }])
})

/** Two people who turned red today, one in each unit, each with a card that lapses soon, and a disabled webhook. */
const world = Effect.gen(function* () {
  const [access, store] = [yield* AccessStore, yield* MessageStore]
  const id = freshTenant()
  const tenant = { id, name: "Example Org", timeZone: "Australia/Perth", hosts: [freshHost()] }
  const audit = () => auditEntry(id, { entityType: "message" })
  yield* access.insertTenant(tenant, serviceAccountFor(id), audit())
  yield* store.setSettings(id, { ...defaultSettings, enabled: true }, "2026-02-01", audit())
  const units: Array<string> = []
  const workers: Array<string> = []
  for (const name of ["Ann", "Bo"]) {
    const [unit, worker] = [mint("unit"), mint("worker")]
    yield* put(Unit, id, created(unit, { name: `Ward of ${name}` }))
    yield* put(Worker, id, created(worker, workerFields({ identity: { displayName: name }, unit: { id: unit } })))
    yield* put(Credential, id, created(mint("credential"), credentialFields({ worker }, { expiryDate: "2026-03-05" })))
    yield* put(Credential, id, created(mint("credential"), credentialFields({ worker }, { expiryDate: "2026-03-06" })))
    for (const result of ["PASS", "FAIL"] as const) yield* keepResult(id, worker, result)
    units.push(unit)
    workers.push(worker)
  }
  yield* put(Webhook, id, created(mint("webhook"), { ...webhookFields, status: "AUTO_DISABLED" }))
  const round = { day: today, causes: [] }
  yield* store.announce(yield* store.tenant(id), round, "2026-01-01", 10, () => [])
  return { id, units, workers }
})

/** Writes a note about a record, a day ago. */
const mention = Effect.fnUntraced(function* (tenantId: string, about: string, mentions: ReadonlyArray<string>) {
  const noteId = mint("note")
  const note = { id: noteId, tenantId, about, personId: about, account: "urn:wcs:account:acc_1", text: "Ask." }
  const at = (yield* Clock.currentTimeMillis) - 86_400_000
  yield* NoteStore.use((store) =>
    store.insert({ ...note, mentions, createdAt: at }, auditEntry(noteId, { entityType: "note" }), () => Result.void)
  )
})

/** The text for a user; undefined if there is nothing to say. */
const textOf = Effect.fnUntraced(function* (id: string, account: Account, kind: MessageKind, cause = today) {
  const [store, { compose }] = [yield* MessageStore, yield* Composing.Composing]
  const { message } = queued(mint("message"), kind, cause, account, now)
  const written = Option.getOrUndefined(yield* compose(yield* store.tenant(id), message, now))
  return written?.to === undefined ? undefined : written.text
})

/** The lines of the list in a text. */
const itemsOf = (text: string | undefined) =>
  text
    ?.replaceAll(/\bof \d{4}-\d\d-\d\d/g, "of DAY")
    .split("\n")
    .flatMap((line) => (line.startsWith("- ") ? line.slice(2) : []))

const composing = Composing.layer.pipe(
  Layer.provide(Layer.mock(AnswerLinks, {})),
  Layer.provide(Privilege.layer),
  Layer.provideMerge(surroundings)
)

layer(composing, { excludeTestServices: true })("threat 77: the text of a message", (it) => {
  it.effect("has the numbers and names that its reader may read", () =>
    Effect.gen(function* () {
      const { id, units, workers } = yield* world
      const [unit = ""] = units
      const people = [
        "credential:UPDATE",
        "worker:READ",
        "credential:READ",
        "complianceCheck:READ",
        "ban:READ"
      ] as const
      const readers = {
        whole: yield* putUser(id),
        limited: yield* putUser(id, { role: { role: "Data Manager", units: [unit] } }),
        nobody: yield* putUser(id, { role: { role: "Data Manager", units: [] } }),
        cards: yield* putUser(id, { role: ["credential:UPDATE", "credential:READ"] }),
        // A PASS reveals an exemption, so the privilege for these is needed too.
        withoutExemptions: yield* putUser(id, { role: [...people] })
      }
      const mentions = Object.values(readers).map(({ account }) => account.id)
      for (const about of workers) yield* mention(id, about, mentions)
      const read = (name: keyof typeof readers, kind: MessageKind) =>
        Effect.map(textOf(id, readers[name].account, kind), itemsOf)
      const disabled = "1 webhook was disabled after failures."
      assert.deepStrictEqual(yield* read("whole", "WEEKLY_DIGEST"), [
        "2 people fail a compliance check.",
        "2 cards lapse within 30 days.",
        disabled,
        "2 notes mention you, the first of DAY."
      ])
      assert.deepStrictEqual(yield* read("limited", "WEEKLY_DIGEST"), [
        "1 person fails a compliance check.",
        "1 card lapses within 30 days.",
        "1 note mentions you, of DAY."
      ])
      assert.deepStrictEqual(yield* read("cards", "WEEKLY_DIGEST"), ["2 cards lapse within 30 days."])
      assert.isUndefined(yield* read("nobody", "WEEKLY_DIGEST"))
      assert.deepStrictEqual(yield* read("whole", "RED_TODAY"), ["Ann", "Bo"])
      assert.deepStrictEqual(yield* read("limited", "RED_TODAY"), ["Ann"])
      for (const name of ["nobody", "cards", "withoutExemptions"] as const) {
        assert.isUndefined(yield* read(name, "RED_TODAY"), name)
      }
      // Readers with the same rights share what was read a moment ago. A limited one does not.
      const later = credentialFields({ worker: mint("worker") }, { expiryDate: "2026-03-05" })
      yield* put(Credential, id, created(mint("credential"), later))
      const colleague = yield* putUser(id)
      assert.include(yield* textOf(id, colleague.account, "WEEKLY_DIGEST"), "2 cards lapse within 30 days.")
      const other = yield* putUser(id, { role: ["credential:UPDATE", "credential:READ", "webhook:READ"] })
      assert.include(yield* textOf(id, other.account, "WEEKLY_DIGEST"), "3 cards lapse within 30 days.")
    })
  )

  it.effect("is none for a reader who turned it off, lost the privilege or was deactivated, or without messages", () =>
    Effect.gen(function* () {
      const store = yield* MessageStore
      const { id } = yield* world
      const audit = () => auditEntry(id, { entityType: "message" })
      const { account } = yield* putUser(id)
      assert.isDefined(yield* textOf(id, account, "RED_TODAY"))
      yield* store.decline(id, account.id, ["RED_TODAY"], audit())
      assert.isUndefined(yield* textOf(id, account, "RED_TODAY"))
      assert.isDefined(yield* textOf(id, account, "WEEKLY_DIGEST"))
      for (const changed of [{ role: "Viewer" }, { deactivatedAt: now }] as const) {
        const other = yield* putUser(id, changed)
        assert.isUndefined(yield* textOf(id, other.account, "RED_TODAY"))
      }
      yield* store.setSettings(id, defaultSettings, today, audit())
      assert.isUndefined(yield* textOf(id, account, "WEEKLY_DIGEST"))
      assert.include(yield* textOf(id, account, "RED_TODAY", sampleCause("1")), "Jane Example")
    })
  )
})
