import { assert, layer } from "@effect/vitest"
import type { Endpoint } from "@wcs/api/Endpoints"
import { everyPrivilege, nameOf, type PrivilegeName } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { type Call, operator, Service, textAt, tokenOf, webhook, webhookFields } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { goodCall, goodStatus, routes } from "../EveryRoute.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, patch, post, root } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { missing, type Subjects } from "../Subjects.ts"

/** Each kind of event, and the entity type that it is about. */
const kinds = [
  ["credential.created", "credential"],
  ["credential.updated", "credential"],
  ["credential.verified", "credential"],
  ["credential.expiring", "credential"],
  ["credential.expired", "credential"],
  ["worker.erasing", "worker"],
  ["worker.erased", "worker"],
  ["recruitmentCheck.completed", "credentialCheck"],
  ["fetchRequest.completed", "captureRequest"],
  ["worker.complianceChanged", "complianceCheck"],
  ["webhook.test", "webhook"]
] as const

/** The privileges that the events of a webhook need, and their texts in refusals. */
const reads = [
  ["credential:READ", "READ credentials"],
  ["credentialCheck:READ", "READ recruitment checks"],
  ["captureRequest:READ", "READ fetch requests"]
] as const

/** What a refusal says is missing, by entity type. */
const textOf: Readonly<Record<string, string>> = {
  credential: "READ credentials",
  worker: "READ workers",
  credentialCheck: "READ recruitment checks",
  captureRequest: "READ fetch requests",
  complianceCheck: "READ compliance checks",
  exemption: "READ exemptions",
  ban: "READ bans"
}

const events = ["credential.verified", "recruitmentCheck.completed", "fetchRequest.completed"]

/** The calls on webhooks that neither show events nor decide where they are sent. A new endpoint is not among them. */
const silent: ReadonlyArray<string> = [
  "webhooks.list",
  "webhooks.events",
  "webhooks.create",
  "webhooks.read",
  "webhooks.replace",
  "webhooks.patch",
  "webhooks.remove",
  "webhooks.ping",
  "webhooks.operation",
  "webhooks.disable"
]

interface Tried {
  readonly name: string
  readonly guard: ReadonlyArray<PrivilegeName>
  readonly status: number
  readonly tells: boolean
  readonly call: (of: Subjects) => Call
}

const ofRoute = (route: Endpoint): Tried => ({
  name: route.name,
  guard: (route.guard?.privileges ?? []).map(nameOf),
  status: goodStatus(route),
  tells: !silent.includes(route.name),
  call: (of) => goodCall(route, of)
})

const telling = (name: string, method: string, path: (of: Subjects) => string, body: object): Tried => ({
  name,
  guard: [name.startsWith("create") ? "webhook:CREATE" : "webhook:UPDATE"],
  status: name.startsWith("create") ? 201 : 200,
  tells: true,
  call: (of) => ({ method, path: `${root}/webhooks${path(of)}`, body })
})

const one = (of: Subjects) => `/${of.webhook}`
const url = "https://elsewhere.invalid/events"

/** Every call of the contract on webhooks, and each change of a field. */
const tried: ReadonlyArray<Tried> = [
  ...routes.filter(({ name }) => name.startsWith("webhooks.") && name !== "webhooks.search").map(ofRoute),
  telling("create with all kinds", "POST", () => "", { ...webhookFields, events }),
  telling("another url", "PATCH", one, { url }),
  telling("another url and no kinds", "PATCH", one, { url, events: ["webhook.test"] }),
  telling("other filters", "PATCH", one, { filters: { jurisdictions: ["NSW"] } }),
  telling("replace with another url", "PUT", one, { ...webhookFields, url }),
  telling("a preview of a redrive", "POST", (of) => `/${of.webhook}/redrive`, { preview: true })
]

/** A webhook of all kinds with a delivery, and a disabled one. `isFormer`: an administrator removed the kinds since. */
const subjects = Effect.fnUntraced(function* (isFormer: boolean) {
  const own = yield* webhook({ events })
  const disabled = yield* webhook({ events })
  assertStatus(yield* post(`/webhooks/${disabled}/disable`), 200)
  if (isFormer) {
    for (const id of [own, disabled]) assertStatus(yield* patch(`/webhooks/${id}`, { events: ["webhook.test"] }), 200)
  }
  const delivery = yield* Service.use((service) => service.skipped(own))
  return { ...missing, webhook: own, disabledWebhook: disabled, delivery }
})

layer(layerService())("webhooks and the events that they tell", (it) => {
  it.effect.each(tried)(
    "PRV-06, threat 45: $name needs READ of the webhook's events if it shows or directs them",
    ({ call, guard, status, tells }) =>
      Effect.gen(function* () {
        const service = yield* Service
        const as = Effect.fnUntraced(function* (held: ReadonlyArray<PrivilegeName>, isFormer: boolean) {
          const { token, urn } = yield* tokenOf(held)
          return { answer: yield* service.call({ ...call(yield* subjects(isFormer)), token }), urn }
        })
        const enough = yield* as([...guard, ...(tells ? reads.map(([name]) => name) : [])], false)
        assertStatus(enough.answer, status)
        // The next test has every kind, so one for each call suffices: of the present events, or of the former ones.
        const [[lacks, text]] = reads
        for (const isFormer of tells ? [false, true] : []) {
          const { answer, urn } = yield* as(
            everyPrivilege.filter((name) => name !== lacks),
            isFormer
          )
          assertRefused(answer, "FORBIDDEN", `${urn} is unauthorized to ${text}.`)
        }
      })
  )

  it.effect(
    "PRV-06, threat 45: the deliveries of all webhooks need READ of every kind, or of the kind that is named",
    () =>
      Effect.gen(function* () {
        const call = "GET /deliveries"
        const types = [
          "credential",
          "worker",
          "credentialCheck",
          "captureRequest",
          "complianceCheck",
          "exemption",
          "ban"
        ]
        for (const type of types) {
          const lacks = `${type}:READ`
          const { token: as } = yield* tokenOf(everyPrivilege.filter((name) => name !== lacks))
          yield* Row.run([{ call, as, expect: `FORBIDDEN: ${textOf[type]}` }])
        }
        for (const [kind, type] of kinds.filter(([kind]) => kind !== "worker.complianceChanged")) {
          const { token: as } = yield* tokenOf([
            "webhook:READ",
            ...(type === "webhook" ? [] : [`${type}:READ` as const])
          ])
          yield* Row.run([
            { call: `${call}?event=${kind}`, as, expect: 200 },
            { call, as, expect: "FORBIDDEN" },
            { call: `${call}?event=worker.complianceChanged`, as, expect: "FORBIDDEN" }
          ])
        }
        const { token: as } = yield* tokenOf(everyPrivilege.filter((name) => name !== "webhook:READ"))
        yield* Row.run([{ call, as, expect: "FORBIDDEN: READ webhooks" }])
      })
  )

  it.effect("a refused call changes nothing, and enabling an enabled webhook needs nothing more", () =>
    Effect.gen(function* () {
      const { disabledWebhook, webhook } = yield* subjects(false)
      const { token } = yield* tokenOf(["webhook:READ", "webhook:UPDATE"])
      const [before, disabled] = [yield* get(`/webhooks/${webhook}`), yield* get(`/webhooks/${disabledWebhook}`)]
      yield* Row.run([
        ...[`${webhook}/rotate`, `${disabledWebhook}/enable`, `${webhook}/redrive`].map((path) => ({
          call: `POST /webhooks/${path}`,
          as: token,
          expect: "FORBIDDEN"
        })),
        { call: `POST /webhooks/${webhook}/enable`, as: token, expect: 200 },
        { call: `GET /webhooks/${webhook}`, expect: { data: Object(before.json).data } },
        { call: `GET /webhooks/${disabledWebhook}`, expect: { data: Object(disabled.json).data } }
      ])
    })
  )

  it.effect("needs nothing more for a change that adds no kind, also after a demotion", () =>
    Effect.gen(function* () {
      const { tenant, users } = yield* Service
      const { email, token: as } = yield* tokenOf(["webhook:CREATE", ...reads.map(([name]) => name)])
      const [made] = yield* Row.run([{ call: "POST /webhooks", as, body: { ...webhookFields, events }, expect: 201 }])
      yield* Effect.orDie(users.update(tenant.id, email, { role: ["webhook:UPDATE"] }, operator))
      const call = `PATCH /webhooks/${textAt(made, "data.id")}`
      const fewer = ["fetchRequest.completed", "webhook.test"]
      yield* Row.run([
        { call, as, body: { name: "Renamed" }, expect: { "data.events": events } },
        { call, as, body: { events: events.toReversed() }, expect: 200 },
        { call, as, body: { events: fewer }, expect: { "data.events": fewer } },
        // Adding a removed kind again needs the privilege.
        { call, as, body: { events }, expect: "FORBIDDEN: READ credentials" },
        {
          call: call.replace("PATCH", "PUT"),
          as,
          body: { ...webhookFields, events },
          expect: "FORBIDDEN: READ credentials"
        },
        { call: call.replace("PATCH", "GET"), expect: { "data.events": fewer } }
      ])
    })
  )

  it.effect("PRV-07, PRV-08: checks the privilege first, then the webhook or the kinds, then the body", () =>
    Effect.gen(function* () {
      const { token: as } = yield* tokenOf(["webhook:CREATE", "webhook:UPDATE"])
      const create = { call: "POST /webhooks", as }
      const nothing = `/webhooks/${idOfNothing(yield* webhook())}`
      yield* Row.run([
        ...[events, ["credential.created"], ["credential.updated"]].map((events) => ({
          ...create,
          body: { events },
          expect: "FORBIDDEN: READ credentials"
        })),
        { ...create, body: { ...webhookFields, events, url: "nowhere" }, expect: "FORBIDDEN: READ credentials" },
        { ...create, body: { events: ["nonsense", ...events] }, expect: "FORBIDDEN: READ credentials" },
        ...[{}, [], "text", { ...webhookFields, events: events[0] }, { events: [7, null] }].map((body) => ({
          ...create,
          body,
          expect: 400
        })),
        { ...create, as: (yield* tokenOf([])).token, body: { events }, expect: "FORBIDDEN: CREATE webhooks" },
        { call: `PATCH ${nothing}`, as, body: { events }, expect: "NOT_FOUND" },
        { call: `PUT ${nothing}`, as, body: { ...webhookFields, events }, expect: "NOT_FOUND" }
      ])
    })
  )

  it.effect("READ on webhooks shows each kind with its entity type; only these can be subscribed to", () =>
    Effect.gen(function* () {
      const { token } = yield* tokenOf(["webhook:READ"])
      const every = kinds.map(([kind]) => kind)
      const create = { call: "POST /webhooks" }
      const [answer] = yield* Row.run([
        { call: "GET /webhooks/events", as: token, expect: 200 },
        { call: "GET /webhooks/events?sort=kind", expect: "INVALID_ARGUMENT: sort" },
        { ...create, body: { ...webhookFields, events: every }, expect: { "data.events": every } },
        ...[[], ["Credential.created"], [...every, "nonsense"], ["webhook.test", "webhook.test"]].map((wrong) => ({
          ...create,
          body: { ...webhookFields, events: wrong },
          expect: "INVALID_ARGUMENT: events"
        }))
      ])
      const listed = dataOf(answer).map(Object)
      assert.deepStrictEqual(
        listed.map(({ entityType, kind }) => [kind, entityType]),
        kinds.map((row) => [...row])
      )
      for (const { description } of listed) assert.match(description, /\S/)
    })
  )
})
