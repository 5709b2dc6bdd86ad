import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect } from "effect"
import {
  accessToken,
  at,
  credential,
  identityProvider,
  Service,
  textAt,
  tokenOf,
  unit,
  verificationSource,
  webhook,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { assertRefused, assertStatus, dataOf, idsOf, post } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { list, type Parameters } from "../resource/Listing.ts"
import { subjects } from "../Subjects.ts"

const collection = "audit-events"

/** The entries that a query finds, on one page. */
const entries = (parameters: Parameters) =>
  Effect.map(list(collection, { pageSize: "100", ...parameters }), (answer) => {
    assert.isNull(at(answer, "meta.nextCursor"))
    return dataOf(answer).map(Object)
  })

/** The id of the latest entry. */
const newest = Effect.map(list(collection, { pageSize: "1" }), (answer) => idsOf(answer)[0])

layer(layerService(), { excludeTestServices: true })("audit events", (it) => {
  it.effect("ENV-01: an entry has actor, action, entity, bearer, request and time", () =>
    Effect.gen(function* () {
      const user = yield* tokenOf("Data Manager")
      const body = { identity: { displayName: "Ann Example" } }
      const [made] = yield* Row.run([{ call: "POST /workers", as: user.token, body, expect: 201 }])
      const entityId = textAt(made, "data.id")
      const answer = yield* list(collection, { entityId })
      const [entry, ...others] = dataOf(answer).map(Object)
      assert.deepStrictEqual(others, [])
      assert.match(entry.id, /^aud_[0-9A-Za-z]{16}$/)
      assert.deepStrictEqual(entry, {
        id: entry.id,
        type: "auditEvent",
        account: user.urn,
        accountName: user.email,
        bearer: { kind: "personal", id: user.id },
        operation: "CREATE",
        action: "create",
        entityType: "worker",
        entityId,
        requestId: made.headers["x-request-id"],
        createdAt: at(made, "data.createdAt")
      })
      assert.deepStrictEqual(at(answer, "meta"), {
        requestId: answer.headers["x-request-id"],
        pageSize: 25,
        nextCursor: null
      })
    })
  )

  it.effect("PRV-09: every change writes an entry, and a call that reads or is refused writes none", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { token } = yield* tokenOf([])
      const shared = yield* subjects
      const unchanged = yield* newest
      for (const route of EveryRoute.routes.filter(EveryRoute.isReading)) {
        assertStatus(yield* call(EveryRoute.goodCall(route, shared)), 200)
        assert.strictEqual(yield* newest, unchanged, route.name)
      }
      for (const route of EveryRoute.routes.filter((one) => !EveryRoute.isReading(one))) {
        const good = EveryRoute.goodCall(route, yield* EveryRoute.subjectsFor(route))
        if (route.name.endsWith(".restore")) {
          assertStatus(yield* call({ method: "DELETE", path: good.path.replace(/\/restore$/, "") }), 204)
        }
        const before = yield* newest
        if (EveryRoute.asking.includes(route)) assertRefused(yield* call({ ...good, token }), "FORBIDDEN")
        assertStatus(yield* call({ ...good, token: null }), 401)
        const bad = yield* call(EveryRoute.badCall(route))
        assert.include([400, 404], bad.status, route.name)
        assert.strictEqual(yield* newest, before, route.name)
        const answer = yield* call(good)
        assertStatus(answer, EveryRoute.goodStatus(route))
        // The import does not work any more, so its stop changes nothing.
        if (route.name === "imports.stop") {
          assert.strictEqual(yield* newest, before, route.name)
          continue
        }
        // A request can have several entries: the approval of an answer also has those of a card.
        const written = yield* entries({ requestId: String(answer.headers["x-request-id"]) })
        // The entry of a merge is about the worker who stays, and that of a caretaker about the person.
        const isOfWorker = route.name.startsWith("merges.") || route.name === "notes.setCaretaker"
        const entityType = isOfWorker ? "worker" : EveryRoute.entityOf(route)
        assert.include(
          written.map((entry) => entry.entityType),
          entityType,
          route.name
        )
      }
    })
  )

  it.effect("names the actor as now, also after the deactivation, and API clients", () =>
    Effect.gen(function* () {
      const { session } = yield* Service
      const [user, by] = [yield* tokenOf("Data Manager"), yield* tokenOf("Super Admin")]
      const { headers } = yield* session(accountIdOf(by.urn), 0)
      const id = accountIdOf(user.urn)
      const body = { identity: { displayName: "Ann Example" } }
      const [made, byClient] = yield* Row.run([
        { call: "POST /workers", as: user.token, body, expect: 201 },
        { call: "POST /workers", as: (yield* accessToken()).token, body, expect: 201 },
        { call: `PATCH /users/${id}`, as: null, headers, body: { firstName: "Dana", surname: "Desk" }, expect: 200 },
        { call: `DELETE /users/${id}`, as: null, headers, expect: 204 }
      ])
      const namesOf = (answer: typeof made) =>
        Effect.map(entries({ entityId: textAt(answer, "data.id") }), (all) => all.map(({ accountName }) => accountName))
      assert.deepStrictEqual(yield* namesOf(made), ["Dana Desk"])
      assert.deepStrictEqual(yield* namesOf(byClient), ["API clients"])
    })
  )

  it.effect("an Auditor reads the log and proofs, and writes nothing", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf("Auditor")
      const id = yield* worker()
      for (const route of EveryRoute.asking) {
        const call = { ...EveryRoute.badCall(route), token }
        const { status } = yield* Service.use((service) => service.call(call))
        const isRead = route.guard?.privileges.every(({ operation }) => operation === "READ")
        if (isRead === true) assert.notStrictEqual(status, 403, route.name)
        else assert.strictEqual(status, 403, route.name)
        assert.isTrue(isRead !== true || EveryRoute.isReading(route) || EveryRoute.looks.has(route.name), route.name)
      }
      yield* Row.run([
        { call: `GET /audit-events?entityId=${id}`, as: token, expect: { "data.0.action": "create" } },
        { call: `GET /workers/${id}/proof`, as: token, expect: { "data.entries.0.entry.action": "create" } }
      ])
    })
  )

  it.effect(
    "threat 70: include=changes adds each changed field with its values, for all records that have versions",
    () =>
      Effect.gen(function* () {
        const { token } = yield* tokenOf("Auditor")
        const id = yield* worker()
        const [card, ward] = [yield* credential({ worker: id }), yield* unit()]
        const by = yield* tokenOf("Super Admin")
        const { headers } = yield* Service.use(({ session }) => session(accountIdOf(by.urn)))
        const user = accountIdOf((yield* tokenOf("Viewer")).urn)
        yield* Row.run([
          { call: `PATCH /workers/${id}`, body: { employment: { jobTitle: "Nurse" } }, expect: 200 },
          { call: `PATCH /credentials/${card}`, body: { attributes: { category: "ward" } }, expect: 200 },
          { call: `PATCH /units/${ward}`, body: { name: "South" }, expect: 200 },
          { call: `PATCH /users/${user}`, as: null, headers, body: { role: "Admin", units: [ward] }, expect: 200 },
          { call: `DELETE /workers/${id}`, expect: 204 }
        ])
        const changes = { include: "changes" }
        const [deleted, updated, made] = yield* entries({ entityId: id, ...changes })
        assert.deepStrictEqual(updated.changes, [{ field: "employment.jobTitle", before: null, after: "Nurse" }])
        assert.deepStrictEqual(deleted.changes, [{ field: "deletedAt", before: null, after: deleted.createdAt }])
        assert.include(
          made.changes.map(({ field }: { field: string }) => field),
          "identity.displayName"
        )
        const ofOthers = [
          [card, { field: "attributes.category", before: null, after: "ward" }],
          [ward, { field: "name", before: "North", after: "South" }],
          [user, { field: "role", before: "Viewer", after: "Admin" }],
          [user, { field: "units", before: null, after: [ward] }]
        ] as const
        for (const [entityId, change] of ofOthers) {
          const [newest] = yield* entries({ entityId, ...changes })
          assert.deepInclude(newest.changes, change)
        }
        const [withoutAsking] = yield* entries({ entityId: id, action: "update" })
        assert.notProperty(withoutAsking, "changes")
        const readOnly = yield* tokenOf(["auditEvent:READ"])
        const path = `GET /audit-events?entityId=${id}&action=update`
        yield* Row.run([
          { call: `${path}&include=changes`, as: token, expect: { "data.0.changes.0.after": "Nurse" } },
          { call: `${path}&include=changes`, as: readOnly.token, expect: { "data.0.changes": null } },
          { call: `${path}&include=values`, expect: "INVALID_ARGUMENT: include" }
        ])
      })
  )

  it.effect("threat 70: include=changes tells the settings of records with secrets, and no secret", () =>
    Effect.gen(function* () {
      const by = yield* tokenOf("Super Admin")
      const { headers } = yield* Service.use(({ session }) => session(accountIdOf(by.urn), 0))
      const [hook, source, provider] = [yield* webhook(), yield* verificationSource(), yield* identityProvider]
      const url = "https://other.invalid/events"
      const secret = "another-gateway-token"
      const rotated = `POST /webhooks/${hook}/rotate`
      const [, , , rotation] = yield* Row.run([
        { call: `PATCH /webhooks/${hook}`, body: { url }, expect: 200 },
        { call: `PATCH /verification-sources/${source}`, body: { intervalDays: 9 }, expect: 200 },
        { call: `PATCH /identity-providers/${provider}`, body: { name: "Other" }, expect: 200 },
        { call: rotated, as: null, headers, expect: 200 },
        { call: `POST /webhooks/${hook}/disable`, expect: 200 },
        { call: `PATCH /verification-sources/${source}`, body: { secret }, expect: 200 }
      ])
      const told = (entityId: string) =>
        Effect.map(entries({ entityId, include: "changes" }), (all) => all.toReversed())
      const [ofHook, ofSource, ofProvider] = [yield* told(hook), yield* told(source), yield* told(provider)]
      const changesIn = (all: typeof ofHook) => all.slice(1).map(({ changes }) => changes)
      assert.deepStrictEqual(changesIn(ofHook), [
        [{ field: "url", before: "https://receiver.invalid/events", after: url }],
        null,
        [{ field: "status", before: "ACTIVE", after: "DISABLED" }]
      ])
      assert.deepStrictEqual(changesIn(ofSource), [[{ field: "intervalDays", before: 7, after: 9 }], null])
      assert.deepStrictEqual(changesIn(ofProvider), [[{ field: "name", before: "Example", after: "Other" }]])
      const text = JSON.stringify([ofHook, ofSource, ofProvider])
      for (const each of ["ecret", "ealed", secret, textAt(rotation, "data.signingSecret")])
        assert.notInclude(text, each)
    })
  )

  it.effect("threats 61 and 70: has no values of an erased person, and the same entries", () =>
    Effect.gen(function* () {
      const { session } = yield* Service
      const by = yield* tokenOf("Super Admin")
      const { headers } = yield* session(accountIdOf(by.urn), 0)
      const id = yield* worker()
      yield* Row.run([{ call: `PATCH /workers/${id}`, body: { identity: { lastName: "Vanished" } }, expect: 200 }])
      const before = yield* entries({ entityId: id, include: "changes" })
      assert.include(JSON.stringify(before), "Vanished")
      const body = { reason: "PERSON_ASKED" }
      yield* Row.run([{ call: `POST /workers/${id}/erase`, as: null, headers, body, expect: 200 }])
      const after = yield* entries({ entityId: id, include: "changes" })
      assert.deepStrictEqual(
        after.map(({ changes }) => changes),
        after.map(() => null)
      )
      assert.deepStrictEqual(
        after.slice(-2).map(({ id }) => id),
        before.map(({ id }) => id)
      )
    })
  )

  it.effect("contains no personal data and no secrets besides the names of accounts", () =>
    Effect.gen(function* () {
      const user = yield* tokenOf("Super Admin")
      const person = { displayName: "Zora Nobody", birthDate: "1990-02-03" }
      const contact = { workEmail: "zora@example.org", mobileNumber: "0400 123 456" }
      const body = { identity: person, contact, source: { externalId: "payroll-77" } }
      const id = textAt(yield* post("/workers", body), "data.id")
      const named = { identity: { displayName: "Zora Somebody" } }
      yield* Row.run([{ call: `PATCH /workers/${id}`, as: user.token, body: named, expect: 200 }])
      const all = dataOf(yield* list(collection, { pageSize: "100" })).map((entry) => ({
        ...Object(entry),
        accountName: null
      }))
      const text = JSON.stringify(all)
      assert.include(text, id)
      // Long enough that no random id contains one of these by chance.
      const names = ["Zora Nobody", "Zora Somebody", "1990-02-03", "zora@example", "0400 123", "payroll-77"]
      for (const secret of [...names, user.email, user.token]) assert.notInclude(text, secret)
    })
  )
})
