import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { decode, type WebhookEvent } from "@wcs/receiver/WebhookEvent"
import { Result } from "effect"
import { bytesOf, idOf, verified } from "./sender.ts"

const event = verified(idOf(1))
const decoded = (value: unknown): WebhookEvent => Result.getOrThrow(decode(bytesOf(value)))

/** The values that a handler can read by the types of an event. */
const read = (received: WebhookEvent): string => {
  switch (received._tag) {
    case "CredentialVerified":
      return `${received.data.credential.id} ${received.data.verification.eligibility}`
    case "CredentialChanged":
      return `${received.data.credential.id} ${received.sequence}`
    case "ComplianceChanged":
      return `${received.data.worker.id} ${received.data.complianceCheck.id} ${received.data.to}`
    case "CredentialExpires":
      return `${received.data.credential.id} ${received.data.expiry.daysLeft}`
    case "WorkerErased":
      return `${received.data.worker.id} ${received.data.erasure.dueOn}`
    case "OtherEvent":
      return received.type
  }
}

describe("WebhookEvent", () => {
  it("EVT-12: decodes a verdict with its delivery id and correlation id", () => {
    const received = decoded(event)
    assert.deepStrictEqual<unknown>(received, { _tag: "CredentialVerified", ...event })
    assert.strictEqual(read(received), "cred_0000000000000001 MAY_ENGAGE")
  })

  it("accepts unknown fields everywhere", () => {
    const { credential, verification } = event.data
    const richer = {
      ...event,
      more: 1,
      data: { credential: { ...credential, more: 2 }, verification: { ...verification, more: 3 }, more: 4 }
    }
    assert.deepStrictEqual<unknown>(decoded(richer), { _tag: "CredentialVerified", ...event })
  })

  it("accepts unknown words of a verdict", () => {
    const { credential, verification } = event.data
    const later = { ...event, data: { credential, verification: { ...verification, eligibility: "PAUSED" } } }
    assert.strictEqual(read(decoded(later)), "cred_0000000000000001 PAUSED")
  })

  it("decodes a change of compliance", () => {
    const worker = { id: "wkr_0000000000000001", type: "worker" }
    const complianceCheck = { id: "base", type: "complianceCheck" }
    const data = { worker, complianceCheck, from: "PASS", to: "FAIL", reason: "DAY" }
    const changed = { ...event, type: "worker.complianceChanged", correlationId: null, data }
    assert.strictEqual(read(decoded(changed)), "wkr_0000000000000001 base FAIL")
  })

  it("decodes the credential of a change or an expiry, the worker of an erasure, and any data of an unknown kind", () => {
    const { credential } = event.data
    assert.strictEqual(
      read(decoded({ ...event, type: "credential.updated", correlationId: null, data: { credential } })),
      "cred_0000000000000001 3"
    )
    const expiry = { expiryDate: "2026-01-31", daysLeft: -1 }
    assert.strictEqual(
      read(decoded({ ...event, type: "credential.expired", correlationId: null, data: { credential, expiry } })),
      "cred_0000000000000001 -1"
    )
    const erasing = { worker: { id: "wkr_1", type: "worker" }, erasure: { reason: "OTHER", dueOn: "2026-03-01" } }
    assert.strictEqual(
      read(decoded({ ...event, type: "worker.erasing", correlationId: null, data: erasing })),
      "wkr_1 2026-03-01"
    )
    const { sequence: _, ...unnumbered } = event
    assert.strictEqual(read(decoded({ ...unnumbered, type: "webhook.test", data: { any: ["thing"] } })), "webhook.test")
  })

  const { credential, verification } = event.data
  const bad: ReadonlyArray<readonly [what: string, value: unknown]> = [
    ["a verdict without its verification", { ...event, data: { credential } }],
    ["a verdict without its credential", { ...event, data: { verification } }],
    ["a verdict without its correlation id", { ...event, correlationId: null }],
    ["a change without its credential", { ...event, type: "credential.created", data: {} }],
    ["a change of compliance without its worker", { ...event, type: "worker.complianceChanged", data: {} }],
    ["no delivery id", { ...event, deliveryId: undefined }],
    ["a malformed delivery id", { ...event, deliveryId: "a b" }],
    ["no kind", { ...event, type: undefined }],
    ["a sequence below 0", { ...event, sequence: -1 }],
    ["a list", [event]],
    ["null", null]
  ]
  it.each(bad)("refuses %s, and repeats nothing of it", (_, value) => {
    const refused = Result.getOrThrow(Result.flip(decode(bytesOf(value))))
    assert.strictEqual(refused._tag, "MalformedEvent")
    assert.notMatch(inspect(refused, { depth: 9 }) + JSON.stringify(refused), /cred_|hire-4711/)
  })

  it.each([
    ["text that is not JSON", Buffer.from("{")],
    ["an empty body", Buffer.from("")],
    [
      "bytes that are not UTF-8",
      Buffer.concat(
        JSON.stringify(event)
          .split("VALID")
          .map((part, n) => Buffer.concat([Buffer.from(n === 0 ? [] : [0xff]), Buffer.from(part)]))
      )
    ]
  ])("refuses %s", (_, body) => {
    assert.isTrue(Result.isFailure(decode(body)))
  })

  it("is not affected by a key that names the prototype", () => {
    const text = JSON.stringify({ ...event, type: "webhook.test" }).replace("{", '{"__proto__":{"isAdmin":true},')
    const received = Result.getOrThrow(decode(Buffer.from(text)))
    assert.notProperty(received, "isAdmin")
    assert.notProperty({}, "isAdmin")
  })
})
