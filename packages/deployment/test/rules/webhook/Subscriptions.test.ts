import { assert, layer } from "@effect/vitest"
import { everyPrivilege, type PrivilegeName } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { at, Service, textAt, tokenOf, webhook, webhookFields } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, remove, root } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"

/** Each kind of event, with the privilege that a subscription needs in addition, and the text of a refusal. */
const kinds: ReadonlyArray<{
  readonly kind: string
  readonly needs: PrivilegeName | null
  readonly text: string
}> = [
  { kind: "credential.created", needs: "credential:READ", text: "READ credentials" },
  { kind: "credential.updated", needs: "credential:READ", text: "READ credentials" },
  { kind: "credential.verified", needs: "credential:READ", text: "READ credentials" },
  { kind: "recruitmentCheck.completed", needs: "credentialCheck:READ", text: "READ recruitment checks" },
  { kind: "fetchRequest.completed", needs: "captureRequest:READ", text: "READ fetch requests" },
  { kind: "webhook.test", needs: null, text: "" }
]

const everyKind = kinds.map(({ kind }) => kind)

/** The calls of one user on webhooks. */
const as = (token: string) => {
  const send = (method: string) => (path: string, body: unknown) =>
    Service.use(({ call }) => call({ method, path: `${root}/webhooks${path}`, token, body }))
  return { create: (body: unknown) => send("POST")("", body), put: send("PUT"), patch: send("PATCH") }
}

const eventsOf = (id: string) => Effect.map(get(`/webhooks/${id}`), (answer) => at(answer, "data.events"))

layer(layerService())("subscribing to events", (it) => {
  it.effect.each(kinds)(
    "PRV-06, threat 45: $kind needs $needs in addition to webhook CREATE or UPDATE, and nothing else",
    ({ kind, needs, text }) =>
      Effect.gen(function* () {
        const body = { ...webhookFields, events: [kind] }
        const id = yield* webhook({ events: everyKind.filter((other) => other !== kind) })
        const added = { events: everyKind }
        const before = yield* get(`/webhooks/${id}`)
        const others = everyPrivilege.filter((name) => name !== needs && !name.startsWith("webhook:"))
        for (const more of [[], others]) {
          const { token, urn } = yield* tokenOf(["webhook:CREATE", "webhook:UPDATE", ...more])
          const count = (yield* ids("webhooks", {})).length
          const made = yield* as(token).create(body)
          if (needs === null) {
            assertStatus(made, 201)
            continue
          }
          const refusals = [
            made,
            yield* as(token).patch(`/${id}`, added),
            yield* as(token).put(`/${id}`, { ...webhookFields, ...added })
          ]
          for (const answer of refusals) assertRefused(answer, "FORBIDDEN", `${urn} is unauthorized to ${text}.`)
          assert.strictEqual((yield* ids("webhooks", {})).length, count)
          assert.deepStrictEqual(at(yield* get(`/webhooks/${id}`), "data"), at(before, "data"))
        }
        const granted = needs === null ? [] : [needs]
        const { token } = yield* tokenOf(["webhook:CREATE", "webhook:UPDATE", ...granted])
        assertStatus(yield* as(token).create(body), 201)
        assertStatus(yield* as(token).patch(`/${id}`, added), 200)
        assert.deepStrictEqual(yield* eventsOf(id), everyKind)
      })
  )

  it.effect("needs nothing more for a change that adds no kind, with any subscriptions", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf(["webhook:UPDATE"])
      const events = ["credential.verified", "fetchRequest.completed"]
      const id = yield* webhook({ events })
      const { patch, put } = as(token)
      assertStatus(yield* patch(`/${id}`, { name: "Renamed" }), 200)
      assertStatus(yield* patch(`/${id}`, { events: events.toReversed() }), 200)
      assertStatus(yield* put(`/${id}`, { ...webhookFields, events }), 200)
      assertStatus(yield* patch(`/${id}`, { events: ["fetchRequest.completed", "webhook.test"] }), 200)
      assert.deepStrictEqual(yield* eventsOf(id), ["fetchRequest.completed", "webhook.test"])
      // Adding a removed kind again needs the privilege.
      assertRefused(yield* patch(`/${id}`, { events }), "FORBIDDEN", "READ credentials")
      assert.deepStrictEqual(yield* eventsOf(id), ["fetchRequest.completed", "webhook.test"])
    })
  )

  it.effect("checks a subscription when it is made: a later demotion leaves the webhook unchanged", () =>
    Effect.gen(function* () {
      const { administration: _, tenant, users } = yield* Service
      const user = yield* tokenOf(["webhook:CREATE", "webhook:UPDATE", "credential:READ"])
      const made = yield* as(user.token).create({ ...webhookFields, events: ["credential.verified"] })
      const id = textAt(made, "data.id")
      const operator = { account: "urn:wcs:operator", bearer: null, requestId: "test" }
      yield* Effect.orDie(users.update(tenant.id, user.email, { role: ["webhook:UPDATE"] }, operator))
      assertStatus(yield* as(user.token).patch(`/${id}`, { name: "Renamed" }), 200)
      assert.deepStrictEqual(yield* eventsOf(id), ["credential.verified"])
      const more = { events: ["credential.verified", "credential.created"] }
      assertRefused(yield* as(user.token).patch(`/${id}`, more), "FORBIDDEN", "READ credentials")
    })
  )

  it.effect("PRV-07: checks webhook CREATE first, then the kinds, then the rest of a create's body", () =>
    Effect.gen(function* () {
      const events = ["credential.verified"]
      const creator = as((yield* tokenOf(["webhook:CREATE"])).token)
      for (const body of [
        { events },
        { ...webhookFields, events, url: "nowhere" },
        { events: ["nonsense", ...events] }
      ]) {
        assertRefused(yield* creator.create(body), "FORBIDDEN", "READ credentials")
      }
      for (const bad of [{}, [], "text", { ...webhookFields, events: "credential.verified" }, { events: [7, null] }]) {
        assertStatus(yield* creator.create(bad), 400)
      }
      const stranger = as((yield* tokenOf([])).token)
      assertRefused(yield* stranger.create({ events }), "FORBIDDEN", "CREATE webhooks")
    })
  )

  it.effect("PRV-08: does not mention kinds if the webhook does not exist", () =>
    Effect.gen(function* () {
      const { patch, put } = as((yield* tokenOf(["webhook:UPDATE"])).token)
      const id = yield* webhook({ events: ["webhook.test"] })
      const body = { ...webhookFields, events: ["credential.verified"] }
      for (const path of [`/${idOfNothing(id)}`]) {
        assertRefused(yield* patch(path, body), "NOT_FOUND")
        assertRefused(yield* put(path, body), "NOT_FOUND")
      }
      assertStatus(yield* remove(`/webhooks/${id}`), 204)
      assertRefused(yield* put(`/${id}`, body), "NOT_FOUND")
    })
  )

  it.effect("shows in the catalogue the entity type of each kind", () =>
    Effect.gen(function* () {
      const shown = dataOf(yield* get("/webhooks/events")).map(Object)
      assert.deepStrictEqual(
        shown.map(({ entityType, kind }) => [kind, entityType]),
        kinds.map(({ kind, needs }) => [kind, needs === null ? "webhook" : needs.split(":")[0]])
      )
    })
  )
})
