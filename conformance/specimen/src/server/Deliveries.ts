import { randomUUID } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { texts } from "./BodyFields.ts"
import { type Call, idOf, type Reply, refuse } from "./Call.ts"
import { find, findLive, type Group } from "./Group.ts"
import { authorize } from "./Guard.ts"
import type { Place } from "./Place.ts"
import { signatureOf } from "./shown/Signatures.ts"
import { type Delivery, type Fields, type Resource, random, resourcesOf, type Tenant } from "./World.ts"

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

/** The secret that signs deliveries. After a rotation the first one may do so for some time. */
const signingSecretOf = ({ tenant, world }: Call, id: string): string =>
  world.chosen("secret that signs after a rotation", "the new one") === "the first one"
    ? (world.kept.get(`first ${id}`) ?? secretOf(tenant, id))
    : secretOf(tenant, id)

interface Attempt {
  readonly webhook: Resource
  readonly id: string
  readonly body: string
  /** Further headers. */
  readonly more: Delivery["headers"]
  readonly attempt: "first" | "retry" | "redrive"
  readonly at: (point: string, more?: Place) => boolean
}

/** Sends one attempt; returns whether it arrived. */
const send = async (call: Call, { at, attempt, body, id, more, webhook }: Attempt): Promise<boolean> => {
  const place = { attempt, rotated: call.world.kept.has(`old ${webhook.id}`) ? "yes" : "no" }
  const secret = at("the signature has another secret", place) ? "another" : signingSecretOf(call, webhook.id)
  const time = String(Math.floor(Date.now() / 1000))
  const idNow = at("an attempt has a delivery id of its own", place) ? randomUUID() : id
  const bodyNow = at("an attempt has another correlation id", place)
    ? body.replace(/"correlation":"[^"]*"/, `"correlation":"${randomUUID()}"`)
    : body
  const signed = at("the signature is of another body", place) ? `${bodyNow} ` : bodyNow
  const [signature, value] = signatureOf(call.world, secret, time, signed)
  const headers: Record<string, string> = {
    "content-type": body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded",
    "x-service-delivery": idNow,
    [signature]: value,
    ...more
  }
  if (at("a delivery has no delivery id", place)) delete headers["x-service-delivery"]
  if (at("a delivery has no signature", place)) delete headers[signature]
  if (at("a delivery has another deliveryId in its body", place)) {
    const told = { ...JSON.parse(bodyNow), deliveryId: randomUUID() }
    const text = JSON.stringify(told)
    headers[signature] = signatureOf(call.world, secret, time, text)[1]
    return isArrived(call, webhook, headers, text)
  }
  return isArrived(call, webhook, headers, bodyNow)
}

const isArrived = async (call: Call, { fields }: Resource, headers: Record<string, string>, body: string) => {
  const { chosen, deliver } = call.world
  const method = chosen("method of a delivery", "POST")
  if (chosen("every delivery is sent twice", false)) await deliver(String(fields["target"]), headers, body, method)
  const status = await deliver(String(fields["target"]), headers, body, method)
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

/** What webhooks are told: a body and further headers. */
type DeliveryContent = Pick<Delivery, "body" | "headers">

const contentOf = (
  call: Call,
  { correlationId, credential, force = "none", outcome, trigger }: Happened
): DeliveryContent => {
  const place = { trigger, force }
  const correlation = call.at("an event has another correlation id", place)
    ? randomUUID()
    : call.at("an event's correlation id is cut", place)
      ? correlationId.slice(0, 8)
      : correlationId
  const told = call.at("an event has no correlation id", place) ? {} : { correlation }
  const about = { credential: credential.id, number: credential.fields["number"] ?? null, ...outcome }
  const form = call.world.chosen("form of a delivery", "JSON")
  if (form === "headers")
    return {
      headers: { "x-event": topic, "x-correlation-id": correlation },
      body: JSON.stringify({ payload: [about] })
    }
  if (form === "form") {
    const fields = { event: topic, correlation_id: correlation, credential: credential.id }
    return { headers: {}, body: new URLSearchParams(fields).toString() }
  }
  return {
    headers: {},
    body: JSON.stringify({ topic: call.at("an event names no kind", place) ? "event" : topic, about, ...told })
  }
}

/** Sends an event to the webhooks of the tenant that want it, after the response. */
export const emit = (call: Call, happened: Happened): void => {
  const { force = "none", trigger } = happened
  const tenants = call.at("an event goes to every tenant", { trigger }) ? call.world.tenants : [call.tenant]
  const wanting = tenants
    .flatMap((tenant) => [...resourcesOf(tenant, "webhook").values()])
    .filter(({ deletedAt, fields }) => deletedAt === null && String(fields["topics"]).split(" ").includes(topic))
  const kept = call.world.kept.get("delivery")
  const id = kept !== undefined && call.at("two events have one delivery id", { trigger }) ? kept : randomUUID()
  call.world.kept.set("delivery", id)
  const told = contentOf(call, happened)
  const { chosen } = call.world
  for (const webhook of wanting) {
    const place = { trigger, force, webhook: webhook === wanting[0] ? "first" : "later" }
    const at = (point: string, more: Place = {}) => call.at(point, { ...place, ...more })
    const own = chosen("delivery id", "of the event") === "of the event" ? id : randomUUID()
    call.tenant.deliveries.set(`${own} ${webhook.id}`, { id: own, webhook: webhook.id, ...told })
    if (chosen("events of other kinds", false)) {
      const body = JSON.stringify({ topic: "credential.created", correlation: "none" })
      queueMicrotask(() => void deliver(call, { webhook, id: randomUUID(), body, more: {}, attempt: "first", at }))
    }
    if (at("an event is not sent")) continue
    const { body, headers: more } = told
    queueMicrotask(() => void deliver(call, { webhook, id: own, body, more, attempt: "first", at }))
  }
}

export const webhooks: Group = {
  path: "/webhooks",
  type: "webhook",
  prefix: "hook_",
  operations: ["READ", "CREATE", "UPDATE", "DELETE"],
  update: "PATCH",
  read: (call, body, before) => {
    const fields = texts(call, { ...before?.fields, ...body }, ["target", "topics"], ["label"])
    const isOpen = call.account.grants === "all" || !String(fields["topics"]).includes(topic)
    if (isOpen || call.world.chosen("a subscription needs", "nothing more") === "nothing more") return fields
    authorize(call.account, "credential", "READ", call.at)
    return fields
  },
  show: (call, resource) => ({
    kind: "webhook",
    ...resource.fields,
    ...(call.world.chosen("a secret in reads of a webhook", "none") === "masked"
      ? { signing: { secret: `${"*".repeat(40)}${secretOf(call.tenant, resource.id).slice(-4)}` } }
      : {}),
    ...(call.request.method !== "POST" && call.at("a secret is shown again", { by: call.request.method })
      ? { signing: { secret: secretOf(call.tenant, resource.id) } }
      : {})
  }),
  created: (call, resource) => {
    const secret = random(24)
    call.tenant.secrets.set(resource.id, secret)
    const place = call.world.chosen("place of a new webhook's secret", "signing.secret")
    if (place === "none") return {}
    return { shown: place === "hmac.value" ? { hmac: { value: secret } } : { signing: { secret } } }
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
  if (!isSecond) call.world.kept.set(`first ${webhook.id}`, old)
  call.tenant.secrets.set(webhook.id, secret)
  if (call.at("a rotation shows no secret", { rotation })) return { status: 200, data: { id: webhook.id } }
  const shown = call.at("a rotation shows an empty secret") ? "" : secret
  if (call.world.chosen("place of a new webhook's secret", "signing.secret") === "hmac.value") {
    return { status: 200, data: { id: webhook.id, hmac: { value: shown } } }
  }
  const isAlone = call.world.chosen("response to a rotation", "id and secret") === "secret"
  return { status: 200, data: isAlone ? { secret: shown } : { id: webhook.id, secret: shown } }
}

/** Sends a delivery again, in any state. */
export const redrive = (call: Call): Reply => {
  const webhook = find(webhooks, call, idOf(call))
  const delivery = call.tenant.deliveries.get(`${call.params[1]} ${webhook.id}`)
  if (delivery === undefined) throw refuse.unknown("delivery")
  if (call.at("a delivery is not sent again")) return { status: 200, data: { id: delivery.id } }
  const at = (point: string, more: Place = {}) => call.at(point, { ...more, trigger: "redrive" })
  const { body, headers: more, id } = delivery
  queueMicrotask(() => void deliver(call, { webhook, id, body, more, attempt: "redrive", at }))
  return { status: 200, data: { id } }
}
