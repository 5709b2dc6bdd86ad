import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { type SignedDelivery, sign, type VerifyOptions, verify } from "@wcs/receiver/SignedDelivery"
import { Result } from "effect"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import { bytesOf, headersOf, idOf, now, secretOf, secretText, timestamp, verified } from "./sender.ts"

const id = idOf(1)
const body = bytesOf(verified(id))
const good = headersOf(id, body)
const signature = good["webhook-signature"] ?? ""

/** The delivery with some headers replaced; undefined removes a header. */
const withHeaders = (changes: Record<string, string | undefined>): SignedDelivery => ({
  body,
  headers: Object.entries({ ...good, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]]
  )
})

const options: VerifyOptions = { secrets: [secretOf(1)], now }

const outcome = (delivery: SignedDelivery, more: Partial<VerifyOptions> = {}): string =>
  Result.match(verify(delivery, { ...options, ...more }), {
    onSuccess: () => "verified",
    onFailure: (refused) => refused._tag
  })

describe("EVT-12: a delivery is verified before it is trusted", () => {
  it("returns its id and hints", () => {
    assert.deepStrictEqual<unknown>(Result.getOrThrow(verify(withHeaders({}), options)), {
      id,
      sentAt: now,
      attempt: "1",
      webhookId: "whk_0000000000000001"
    })
  })

  const other = idOf(2)
  const lastFlipped = Uint8Array.from(body, (byte, index) => (index === body.length - 1 ? byte ^ 1 : byte))
  const table: ReadonlyArray<
    readonly [what: string, delivery: SignedDelivery, expected: string, more?: Partial<VerifyOptions>]
  > = [
    ["unchanged", withHeaders({}), "verified"],
    ["another id", withHeaders({ "webhook-id": other, "X-Service-Delivery": other }), "WrongSignature"],
    ["a later timestamp", withHeaders({ "webhook-timestamp": String(timestamp + 1) }), "WrongSignature"],
    ["one changed bit of the body", { ...withHeaders({}), body: lastFlipped }, "WrongSignature"],
    ["a space after the body", { ...withHeaders({}), body: Buffer.concat([body, Buffer.from(" ")]) }, "WrongSignature"],
    ["no body", { ...withHeaders({}), body: new Uint8Array() }, "WrongSignature"],
    ["another key", withHeaders({}), "WrongSignature", { secrets: [secretOf(2)] }],
    ["no key", withHeaders({}), "WrongSignature", { secrets: [] }],
    ["300 s old", withHeaders({}), "verified", { now: now + 300_000 }],
    ["more than 300 s old", withHeaders({}), "StaleDelivery", { now: now + 300_001 }],
    ["300 s in the future", withHeaders({}), "verified", { now: now - 300_000 }],
    ["more than 300 s in the future", withHeaders({}), "StaleDelivery", { now: now - 300_001 }],
    ["within a configured tolerance", withHeaders({}), "verified", { now: now + 10_000, toleranceSeconds: 10 }],
    ["outside a configured tolerance", withHeaders({}), "StaleDelivery", { now: now + 10_001, toleranceSeconds: 10 }],
    ["an invalid clock", withHeaders({}), "StaleDelivery", { now: Number.NaN }]
  ]
  it.each(table.map(([what, delivery, expected, more = {}]) => [what, delivery, expected, more] as const))(
    "threat 15: %s",
    (_, delivery, expected, more) => {
      assert.strictEqual(outcome(delivery, more), expected)
    }
  )

  const bySecret = (...numbers: ReadonlyArray<number>) =>
    numbers.map((n) => sign(secretOf(n), id, timestamp, body)).join(" ")
  const base64 = signature.slice(3)
  const signatures: ReadonlyArray<readonly [what: string, value: string, expected: string]> = [
    ["valid first", bySecret(1, 2), "verified"],
    ["valid last", bySecret(5, 4, 3, 2, 1), "verified"],
    ["none valid", bySecret(2, 3), "WrongSignature"],
    ["an additional unknown version", `v1a,${base64} v2,${base64} ${signature}`, "verified"],
    ["only v1a", `v1a,${base64}`, "WrongSignature"],
    ["only v2", `v2,${base64}`, "WrongSignature"],
    ["an upper-case version", `V1,${base64}`, "WrongSignature"],
    ["no version", base64, "MalformedHeader"],
    ["no signature after the version", "v1,", "MalformedHeader"],
    ["empty", "", "MalformedHeader"],
    ["half a signature", signature.slice(0, 24), "WrongSignature"],
    ["extra characters", `${signature}=`, "WrongSignature"],
    ["two header lines in one", `${signature}, ${signature}`, "MalformedHeader"],
    ["an empty entry", `${signature}  ${signature}`, "MalformedHeader"],
    ["two-byte characters", `v1,${"é".repeat(44)}`, "WrongSignature"],
    ["the most signatures", Array(42).fill(signature).join(" "), "verified"],
    ["too many signatures", Array(43).fill(signature).join(" "), "MalformedHeader"]
  ]
  it.each(signatures)("threat 15: several signatures or odd ones: %s", (_, value, expected) => {
    assert.strictEqual(outcome(withHeaders({ "webhook-signature": value })), expected)
  })

  it("EVT-11, threat 16: accepts one matching pair of two signatures and two secrets", () => {
    const rows = [
      [[1, 2], [1], "verified"],
      [[1, 2], [2], "verified"],
      [[1], [2, 1], "verified"],
      [[2], [2, 1], "verified"],
      [[1], [2], "WrongSignature"]
    ] as const
    for (const [signers, secrets, expected] of rows) {
      const delivery = withHeaders({ "webhook-signature": bySecret(...signers) })
      assert.strictEqual(outcome(delivery, { secrets: secrets.map(secretOf) }), expected, `${signers} for ${secrets}`)
    }
  })

  const malformed: ReadonlyArray<
    readonly [what: string, header: string, lines: ReadonlyArray<readonly [string, string]>]
  > = [
    ...["webhook-id", "webhook-timestamp", "webhook-signature"].flatMap((name) => [
      [`no ${name}`, name, [...withHeaders({ [name]: undefined }).headers]] as const,
      [`${name} twice`, name, [...withHeaders({}).headers, [name.toUpperCase(), good[name] ?? ""]]] as const
    ]),
    ...["", `${id}, ${id}`, `${id} `.repeat(2), "a".repeat(129), "dlv_ö", "dlv_\u0000"].map(
      (value) => [`the id ${value}`, "webhook-id", [...withHeaders({ "webhook-id": value }).headers]] as const
    ),
    ...["", "-1", "1e9", "1800000000.0", "01800000000", "0x6b49d200", "1".repeat(13), `${timestamp}, ${timestamp}`].map(
      (value) =>
        [`the time ${value}`, "webhook-timestamp", [...withHeaders({ "webhook-timestamp": value }).headers]] as const
    ),
    ["two deliveries", "x-service-delivery", [...withHeaders({ "X-Service-Delivery": other }).headers]]
  ]
  it.each(malformed)("%s is malformed, not merely wrong", (_, header, lines) => {
    const refused = Result.getOrThrow(Result.flip(verify({ body, headers: lines }, options)))
    assert.strictEqual(refused._tag, "MalformedHeader")
    assert.include(refused.message, header)
  })

  it("limits headers and body exactly", () => {
    const length = [...withHeaders({}).headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0)
    const padded = (size: number) => withHeaders({ "x-pad": "a".repeat(size - length - "x-pad".length) })
    assert.deepStrictEqual([outcome(padded(16_384)), outcome(padded(16_385))], ["verified", "DeliveryTooLarge"])
    assert.deepStrictEqual(
      [
        outcome(withHeaders({}), { bodyBytesMax: body.length }),
        outcome(withHeaders({}), { bodyBytesMax: body.length - 1 })
      ],
      ["verified", "DeliveryTooLarge"]
    )
  })

  it("reveals nothing of the request or the secrets in a refusal", () => {
    const marked = "marked-value"
    const deliveries = [
      withHeaders({ "webhook-id": `${marked} ${marked}` }),
      withHeaders({ "webhook-timestamp": marked }),
      withHeaders({ "webhook-signature": `v1,${marked}` }),
      withHeaders({ "X-Service-Delivery": marked })
    ]
    for (const delivery of deliveries) {
      const refused = Result.getOrThrow(Result.flip(verify(delivery, options)))
      const shown = inspect(refused, { depth: 9 }) + JSON.stringify(refused) + refused.message
      assert.notInclude(shown, marked)
      assert.notInclude(shown, secretText(1).slice(6))
    }
  })

  it("verifies any bytes unchanged, and none with a changed byte", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (sent, place, flip) => {
        const headers = Object.entries(headersOf(id, sent))
        assert.strictEqual(outcome({ headers, body: sent }), "verified")
        const changed = sent.with(place % sent.length, (sent[place % sent.length] ?? 0) ^ flip)
        assert.strictEqual(outcome({ headers, body: changed }), "WrongSignature")
      })
    )
  })
})

describe("the Standard Webhooks library", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 100 })

  it("signs deliveries that verify here, with its secret only", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 200 }), (payload, n) => {
        const signed = new Webhook(secretText(n)).sign(id, new Date(now), payload)
        const delivery = {
          headers: Object.entries({ ...good, "webhook-signature": signed }),
          body: Buffer.from(payload)
        }
        assert.strictEqual(outcome(delivery, { secrets: [secretOf(n)] }), "verified")
        assert.strictEqual(outcome(delivery, { secrets: [secretOf(n + 1)] }), "WrongSignature")
      })
    )
  })

  it("verifies deliveries that are signed here, with their secret only", () => {
    const at = Math.floor(Date.now() / 1000) // the library uses the real clock
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 200 }), (payload, n) => {
        const headers = headersOf(id, Buffer.from(payload), [secretOf(n), secretOf(201)], at)
        assert.deepStrictEqual(new Webhook(secretText(n)).verify(payload, headers), JSON.parse(payload))
        assert.throws(() => new Webhook(secretText(n + 1 === 201 ? 1 : n + 1)).verify(payload, headers))
      })
    )
  })
})
