import { createHmac, randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { type Call, idOf, type Reply, refuse } from "./Call.ts"
import { find, findLive, type Group, texts } from "./Group.ts"
import type { Place } from "./Place.ts"
import { type Fields, type Resource, random, resourcesOf, type Tenant } from "./World.ts"

/** A verification or creation of a credential, to report as an event. */
interface Happened {
  readonly trigger: "create" | "verify"
  readonly force?: string
  readonly correlationId: string
  readonly credential: Resource
  readonly outcome: Fields
}

const topic = "credential.verified"
const delays = [40, 120, 400, 900]

const secretOf = (tenant: Tenant, id: string): string => tenant.secrets.get(id) ?? ""

const signature = (secret: string, time: string, body: string): string =>
  createHmac("sha512", secret).update(`${time}.${body}`).digest("hex")

interface Attempt {
  readonly webhook: Resource
  readonly id: string
  readonly body: string
  readonly attempt: "first" | "retry" | "redrive"
  readonly at: (point: string, more?: Place) => boolean
}

/** Sends one attempt; returns whether it arrived. */
const send = async (call: Call, { at, attempt, body, id, webhook }: Attempt): Promise<boolean> => {
  const place = { attempt, rotated: call.world.kept.has(`old ${webhook.id}`) ? "yes" : "no" }
  const secret = at("the signature has another secret", place) ? "another" : secretOf(call.tenant, webhook.id)
  const time = String(Math.floor(Date.now() / 1000))
  const idNow = at("an attempt has a delivery id of its own", place) ? randomUUID() : id
  const bodyNow = at("an attempt has another correlation id", place)
    ? body.replace(/"correlation":"[^"]*"/, `"correlation":"${randomUUID()}"`)
    : body
  const signed = at("the signature is of another body", place) ? `${bodyNow} ` : bodyNow
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "x-service-delivery": idNow,
    "x-signature": `t=${time};h=${signature(secret, time, signed)}`
  }
  if (at("a delivery has no delivery id", place)) delete headers["x-service-delivery"]
  if (at("a delivery has no signature", place)) delete headers["x-signature"]
  if (at("a delivery has another deliveryId in its body", place)) {
    const told = { ...JSON.parse(bodyNow), deliveryId: randomUUID() }
    const text = JSON.stringify(told)
    headers["x-signature"] = `t=${time};h=${signature(secret, time, text)}`
    return isArrived(call, webhook, headers, text)
  }
  return isArrived(call, webhook, headers, bodyNow)
}

const isArrived = async (call: Call, { fields }: Resource, headers: Record<string, string>, body: string) => {
  const status = await call.world.deliver(String(fields["target"]), headers, body)
  return status >= 200 && status < 300
}

const deliver = async (call: Call, attempt: Attempt): Promise<void> => {
  if (await send(call, attempt)) return
  for (const delay of delays) {
    await setTimeout(delay, undefined, { ref: false })
    if (call.world.isClosed) return
    if (await send(call, { ...attempt, attempt: "retry" })) return
  }
}

const bodyOf = (call: Call, { correlationId, credential, force = "none", outcome, trigger }: Happened): string => {
  const place = { trigger, force }
  const correlation = call.at("an event has another correlation id", place)
    ? randomUUID()
    : call.at("an event's correlation id is cut", place)
      ? correlationId.slice(0, 8)
      : correlationId
  const told = call.at("an event has no correlation id", place) ? {} : { correlation }
  return JSON.stringify({
    topic: call.at("an event names no kind", place) ? "event" : topic,
    about: { credential: credential.id, number: credential.fields["number"] ?? null, ...outcome },
    ...told
  })
}

/** Sends an event to the webhooks of the tenant that want it, after the response. */
export const emit = (call: Call, happened: Happened): void => {
  const { force = "none", trigger } = happened
  const tenants = call.at("an event goes to every tenant", { trigger }) ? call.world.tenants : [call.tenant]
  const wanting = tenants.flatMap((tenant) => [...resourcesOf(tenant, "webhook").values()]).filter(
    ({ deletedAt, fields }) => deletedAt === null && String(fields["topics"]).split(" ").includes(topic)
  )
  const kept = call.world.kept.get("delivery")
  const id = kept !== undefined && call.at("two events have one delivery id", { trigger }) ? kept : randomUUID()
  call.world.kept.set("delivery", id)
  const body = bodyOf(call, happened)
  for (const webhook of wanting) {
    const place = { trigger, force, webhook: webhook === wanting[0] ? "first" : "later" }
    const at = (point: string, more: Place = {}) => call.at(point, { ...place, ...more })
    call.tenant.deliveries.set(`${id} ${webhook.id}`, { id, webhook: webhook.id, body })
    if (at("an event is not sent")) continue
    queueMicrotask(() => void deliver(call, { webhook, id, body, attempt: "first", at }))
  }
}

export const webhooks: Group = {
  path: "/webhooks",
  type: "webhook",
  prefix: "hook_",
  operations: ["READ", "CREATE", "UPDATE", "DELETE"],
  update: "PATCH",
  read: (call, body, before) => texts(call, { ...before?.fields, ...body }, ["target", "topics"], ["label"]),
  show: (call, resource) => ({
    kind: "webhook",
    ...resource.fields,
    ...(call.request.method !== "POST" && call.at("a secret is shown again", { by: call.request.method })
      ? { signing: { secret: secretOf(call.tenant, resource.id) } }
      : {})
  }),
  created: (call, resource) => {
    const secret = random(24)
    call.tenant.secrets.set(resource.id, secret)
    return { shown: { signing: { secret } } }
  }
}

export const rotate = (call: Call): Reply => {
  const webhook = findLive(webhooks, call, idOf(call))
  const old = secretOf(call.tenant, webhook.id)
  const isSecond = call.world.kept.has(`old ${webhook.id}`)
  const rotation = isSecond ? "second" : "first"
  if (call.at("a rotation is refused", { rotation })) throw refuse.broken("The secret was rotated before.")
  const secret = call.at("a rotation keeps the secret", { rotation })
    ? old
    : isSecond && call.at("a rotation brings back a secret", { rotation })
      ? (call.world.kept.get(`old ${webhook.id}`) ?? "")
      : random(24)
  call.world.kept.set(`old ${webhook.id}`, old)
  call.tenant.secrets.set(webhook.id, secret)
  if (call.at("a rotation shows no secret", { rotation })) return { status: 200, data: { id: webhook.id } }
  return { status: 200, data: { id: webhook.id, secret: call.at("a rotation shows an empty secret") ? "" : secret } }
}

/** Sends a delivery again, in any state. */
export const redrive = (call: Call): Reply => {
  const webhook = find(webhooks, call, idOf(call))
  const delivery = call.tenant.deliveries.get(`${call.params[1]} ${webhook.id}`)
  if (delivery === undefined) throw refuse.unknown("delivery")
  if (call.at("a delivery is not sent again")) return { status: 200, data: { id: delivery.id } }
  const at = (point: string, more: Place = {}) => call.at(point, { ...more, trigger: "redrive" })
  const { body, id } = delivery
  queueMicrotask(() => void deliver(call, { webhook, id, body, attempt: "redrive", at }))
  return { status: 200, data: { id } }
}
