import { assert, layer } from "@effect/vitest"
import type { Endpoint } from "@wcs/api/Endpoints"
import { everyPrivilege, nameOf, type PrivilegeName } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import { type Call, Service, tokenOf, webhook, webhookFields } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { goodCall, goodStatus, missing, routes, type Subjects } from "../EveryRoute.ts"
import { assertRefused, assertStatus, patch, post, remove, root } from "../NewerSurface.ts"

const reads: ReadonlyArray<{ readonly kind: string; readonly read: PrivilegeName; readonly text: string }> = [
  { kind: "credential.verified", read: "credential:READ", text: "READ credentials" },
  { kind: "recruitmentCheck.completed", read: "credentialCheck:READ", text: "READ recruitment checks" },
  { kind: "fetchRequest.completed", read: "captureRequest:READ", text: "READ fetch requests" }
]

const events = reads.map(({ kind }) => kind)

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
  "webhooks.disable"
]

interface Tried {
  readonly name: string
  readonly guard: ReadonlyArray<PrivilegeName>
  readonly status: number
  readonly tells: boolean
  readonly call: (of: Subjects) => Call
}

const update = (name: string, body: object, tells: boolean, method = "PATCH"): Tried => ({
  name,
  guard: ["webhook:UPDATE"],
  status: 200,
  tells,
  call: (of) => ({ method, path: `${root}/webhooks/${of.webhook}`, body })
})

const url = "https://elsewhere.invalid/events"

const ofRoute = (route: Endpoint): Tried => ({
  name: route.name,
  guard: (route.guard?.privileges ?? []).map(nameOf),
  status: goodStatus(route),
  tells: !silent.includes(route.name),
  call: (of) => goodCall(route, of)
})

/** Every call of the contract on webhooks, and each change of a field. */
const tried: ReadonlyArray<Tried> = [
  ...routes.filter(({ name }) => name.startsWith("webhooks.")).map(ofRoute),
  {
    name: "create with all kinds",
    guard: ["webhook:CREATE"],
    status: 201,
    tells: true,
    call: () => ({ method: "POST", path: `${root}/webhooks`, body: { ...webhookFields, events } })
  },
  update("another url", { url }, true),
  update("another url and no kinds", { url, events: ["webhook.test"] }, true),
  update("other filters", { filters: { jurisdictions: ["NSW"] } }, true),
  update("replace with another url", { ...webhookFields, url }, true, "PUT"),
  {
    name: "a preview of a redrive",
    guard: ["webhook:UPDATE"],
    status: 200,
    tells: true,
    call: ({ webhook: id }) => ({ method: "POST", path: `${root}/webhooks/${id}/redrive`, body: { preview: true } })
  }
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

const subsets = Array.from({ length: 2 ** reads.length }, (_, bits) =>
  reads.flatMap(({ read }, index) => (Math.floor(bits / 2 ** index) % 2 === 1 ? [read] : []))
)

/** For each set of the three privileges: with nothing else but the guard, and with everything else. */
const privilegesFor = ({ guard }: Tried) =>
  subsets.flatMap((some) => [
    [...guard, ...some],
    everyPrivilege.filter((name) => some.includes(name) || reads.every(({ read }) => read !== name))
  ])

layer(layerService())("webhooks and what they tell of", (it) => {
  it.effect.each(tried)(
    "PRV-06, threat 45: with any privileges, $name needs READ of the webhook's events if it shows or directs them",
    (one) =>
      Effect.gen(function* () {
        const { call } = yield* Service
        for (const privileges of privilegesFor(one)) {
          const { token, urn } = yield* tokenOf(privileges)
          const missing = reads.find(({ read }) => !privileges.includes(read))
          for (const isFormer of one.name === "create with all kinds" ? [false] : [false, true]) {
            const of = yield* subjects(isFormer)
            const answer = yield* call({ ...one.call(of), token })
            for (const id of [of.webhook, of.disabledWebhook]) yield* remove(`/webhooks/${id}`)
            if (one.tells && missing !== undefined) {
              assertRefused(answer, "FORBIDDEN", `${urn} is unauthorized to ${missing.text}.`)
            } else assertStatus(answer, one.status)
          }
        }
      })
  )

  it.effect("a refused call changes nothing, and enabling an enabled webhook needs nothing more", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { disabledWebhook, webhook } = yield* subjects(false)
      const { token } = yield* tokenOf(["webhook:READ", "webhook:UPDATE"])
      const read = (id: string) =>
        Effect.map(call({ method: "GET", path: `${root}/webhooks/${id}` }), ({ text }) => text)
      const before = [yield* read(webhook), yield* read(disabledWebhook)]
      const acts = [`${webhook}/rotate`, `${disabledWebhook}/enable`, `${webhook}/redrive`]
      for (const path of acts) {
        assertStatus(yield* call({ method: "POST", path: `${root}/webhooks/${path}`, token }), 403)
      }
      assertStatus(yield* call({ method: "POST", path: `${root}/webhooks/${webhook}/enable`, token }), 200)
      const after = [yield* read(webhook), yield* read(disabledWebhook)]
      const data = (text: string) => JSON.parse(text).data
      assert.deepStrictEqual(after.map(data), before.map(data))
    })
  )
})
