import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type { SignatureScheme } from "@wcs/conformance/profile/Deliveries"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { isSignedWith, signaturesIn } from "@wcs/conformance/wire/Signature"
import { delivery } from "./Deliveries.ts"

const secret = `whsec_${Buffer.from("a key of thirty-two random bytes").toString("base64")}`
const other = `whsec_${Buffer.from("a key of thirty-two other bytes!").toString("base64")}`
const key = Buffer.from(secret.slice("whsec_".length), "base64")
const body = '{"correlationId":"ü"}'

/** Standard Webhooks. */
const standard: SignatureScheme = {
  header: "webhook-signature",
  form: "v1,{{signature}}",
  algorithm: "sha256",
  encoding: "base64",
  signed: "{{id}}.{{timestamp}}.{{body}}",
  headers: { id: "webhook-id", timestamp: "webhook-timestamp" },
  key: { prefix: "whsec_", encoding: "base64" }
}

const mac = createHmac("sha256", key).update(`msg_1.1750000000.${body}`).digest("base64")

const standardOf = (signature: string, more: Readonly<Record<string, string>> = {}): Exchange =>
  delivery(body, {
    "webhook-id": "msg_1",
    "webhook-timestamp": "1750000000",
    "webhook-signature": signature,
    ...more
  })

describe("a signature", () => {
  it("EVT-07: by Standard Webhooks verifies with its secret only", () => {
    const signed = standardOf(`v1,${mac}`)
    assert.isTrue(isSignedWith(standard, signed, secret))
    assert.isFalse(isSignedWith(standard, signed, other))
    assert.isFalse(isSignedWith(standard, signed, secret.slice("whsec_".length)))
    assert.isFalse(isSignedWith(standard, signed, ""))
  })

  it("does not verify after a change of any signed part", () => {
    for (const changed of [
      standardOf(`v1,${mac}`, { "webhook-id": "msg_2" }),
      standardOf(`v1,${mac}`, { "webhook-timestamp": "1750000001" }),
      { ...standardOf(`v1,${mac}`), request: { ...standardOf(`v1,${mac}`).request, body: `${body} ` } },
      standardOf(`v2,${mac}`),
      standardOf(mac),
      standardOf(`v1,${mac.slice(0, -4)}`),
      standardOf(`v1,${mac}AAAA`),
      standardOf("")
    ]) {
      assert.isFalse(isSignedWith(standard, changed, secret), JSON.stringify(changed.request))
    }
    const { "webhook-id": _, ...without } = Object.fromEntries(standardOf(`v1,${mac}`).request.headers)
    assert.isFalse(isSignedWith(standard, delivery(body, without), secret), "without its id")
  })

  it("may be one of several, separated by blanks or commas", () => {
    const many = `v1a,${mac.slice(0, 8)} v1,${"A".repeat(43)}= v1,${mac}`
    assert.isTrue(isSignedWith(standard, standardOf(many), secret))
    assert.deepStrictEqual(signaturesIn(standard, standardOf(many)), [`${"A".repeat(43)}=`, mac])
    assert.isUndefined(signaturesIn(standard, delivery(body, {})))
  })

  it("of only the body, in hexadecimal after a prefix, uses the secret's characters as key", () => {
    for (const algorithm of ["sha1", "sha256", "sha512"] as const) {
      const { form: _, headers: __, key: ___, ...rest } = standard
      const scheme: SignatureScheme = {
        ...rest,
        algorithm,
        header: "X-Hub-Signature",
        form: `${algorithm}={{signature}}`,
        encoding: "hex",
        signed: "{{body}}"
      }
      const hex = createHmac(algorithm, secret).update(body).digest("hex")
      assert.isTrue(isSignedWith(scheme, delivery(body, { "x-hub-signature": `${algorithm}=${hex}` }), secret))
      assert.isTrue(
        isSignedWith(scheme, delivery(body, { "X-Hub-Signature": `${algorithm}=${hex.toUpperCase()}` }), secret)
      )
      assert.isFalse(isSignedWith(scheme, delivery(body, { "x-hub-signature": hex }), secret))
      assert.isFalse(isSignedWith(scheme, delivery(body, { "x-hub-signature": `${algorithm}=${hex}` }), other))
    }
  })

  it("may have its time in the same header", () => {
    const { headers: _, ...rest } = standard
    const scheme: SignatureScheme = {
      ...rest,
      form: "t={{timestamp}},v1={{signature}}",
      encoding: "hex",
      signed: "{{timestamp}}.{{body}}"
    }
    const hex = createHmac("sha256", key).update(`1750000000.${body}`).digest("hex")
    const at = (value: string) => delivery(body, { "webhook-signature": value })
    assert.isTrue(isSignedWith(scheme, at(`t=1750000000,v1=${hex}`), secret))
    assert.isTrue(isSignedWith(scheme, at(`t=1750000000, v0=${hex.slice(2)}, v1=${"0".repeat(64)}, v1=${hex}`), secret))
    assert.isFalse(isSignedWith(scheme, at(`t=1750000001,v1=${hex}`), secret))
    assert.isFalse(isSignedWith(scheme, at(`v1=${hex}`), secret))
  })

  it("needs no form when it is the whole header", () => {
    const { form: _, ...scheme } = standard
    assert.isTrue(isSignedWith(scheme, standardOf(mac), secret))
  })
})
