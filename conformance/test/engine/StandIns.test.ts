import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import { layer, Redaction } from "@wcs/conformance/evidence/Redaction"
import { inEncodedForm, inPlainForm } from "@wcs/conformance/evidence/SecretForms"
import * as StandIns from "@wcs/conformance/evidence/StandIns"
import { jwtOf } from "@wcs/conformance/wire/Jwt"
import { Effect, Random } from "effect"
import fc from "fast-check"
import { exchangeOf } from "../Exchanges.ts"

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const jwt = [
  part({ alg: "EdDSA" }),
  part({ sub: "ann@example.org", iat: 1_700_000_000, exp: 1_700_003_600 }),
  "s1gnature-of_it"
].join(".")

const standInOf = Effect.runSync(Random.withSeed(StandIns.make, "stand-ins"))

const secrets = fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).filter((text) => text.isWellFormed())

describe("a stand-in", () => {
  it("differs from its secret, is stable, and has the same length unless the secret is a JWT", () => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const standIn = standInOf(secret)
        assert.notStrictEqual(standIn, secret)
        assert.strictEqual(standInOf(secret), standIn)
        assert.strictEqual([...standIn].length, [...secret].length)
      })
    )
  })

  it("replaces letters by letters of the same case and digits by digits, and keeps other characters", () => {
    assert.match(standInOf("pat_0aB/9+zZ=="), /^[a-z]{3}_[0-9][a-z][A-Z]\/[0-9]\+[a-z][A-Z]==$/)
    assert.match(standInOf("!?§%&/()=!?§"), /^[A-Za-z0-9]{12}$/)
  })

  it("of a JWT keeps header, fields and times, and has another subject and signature", () => {
    const [told, real] = [jwtOf(standInOf(jwt)), jwtOf(jwt)]
    assert.deepStrictEqual(told?.header, real?.header)
    assert.deepStrictEqual(Object.keys(told?.payload ?? {}), ["sub", "iat", "exp"])
    assert.deepStrictEqual([told?.payload["iat"], told?.payload["exp"]], [1_700_000_000, 1_700_003_600])
    assert.notStrictEqual(told?.payload["sub"], "ann@example.org")
    assert.notStrictEqual(told?.signature, real?.signature)
    const numbers = [part({ alg: "none" }), part({ iat: 1_700_000_000 }), "c2lnbmF0dXJl"].join(".")
    assert.notInclude(standInOf(numbers), part({ iat: 1_700_000_000 }))
  })

  it("has the form in which the secret was found", () => {
    const [secret, other] = [`a"b/c d`, `x"y/z w`]
    const forms: ReadonlyArray<(text: string) => string> = [
      (text) => text,
      (text) => JSON.stringify(text).slice(1, -1),
      (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
      encodeURIComponent,
      (text) => new URLSearchParams({ s: text }).toString().slice(2)
    ]
    for (const form of forms) assert.strictEqual(inPlainForm(form(secret), secret, other), form(other))
    const [long, longer] = ["secret?>~secret", "SECRET?>~tercse"]
    for (const coding of ["hex", "base64", "base64url"] as const) {
      const core = Buffer.from(long).toString(coding)
      assert.strictEqual(inEncodedForm(core, long, longer), Buffer.from(longer).toString(coding))
    }
  })
})

describe("a response with stand-ins", () => {
  const secret = "pat_0123456789abcdefghijklmnop"

  it.effect("differs only in known secrets and in values of secret fields", () =>
    Effect.gen(function* () {
      const { disguised, exchange, know, standIn } = yield* Redaction
      yield* know("CONF_TOKEN", secret)
      const body = {
        data: { id: "wkr_1", pin: { secret: "0451", codes: { apiKey: ["a1b2"] } } },
        told: secret,
        n: [1, null]
      }
      const made = exchangeOf({
        answer: {
          text: JSON.stringify(body),
          headers: { "x-token": "s3cr3t", "x-request-id": "r1", location: `/x?t=${encodeURIComponent(secret)}` }
        }
      })
      yield* exchange(made)
      const { answer } = (yield* disguised(made)) ?? assert.fail("nothing was disguised")
      const token = yield* standIn(secret)
      assert.deepStrictEqual(answer?.json, {
        ...body,
        data: { id: "wkr_1", pin: { secret: yield* standIn("0451"), codes: { apiKey: [yield* standIn("a1b2")] } } },
        told: token
      })
      assert.deepStrictEqual(answer?.headers, {
        "x-token": yield* standIn("s3cr3t"),
        "x-request-id": "r1",
        location: `/x?t=${encodeURIComponent(token)}`
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("shows no secret in any form and any context", () =>
    Effect.gen(function* () {
      const { disguised, exchange, know, redact } = yield* Redaction
      yield* know("CONF_TOKEN", secret)
      const around = fc.array(fc.constantFrom("a", "A", "/", "+", "=", '"', "\\", "{", " ", "é"), { maxLength: 4 })
      const forms = fc.constantFrom(
        (before: string, behind: string) => `${before}${secret}${behind}`,
        (before: string, behind: string) => Buffer.from(`${before}${secret}${behind}`).toString("base64"),
        (before: string, behind: string) => Buffer.from(`${before}${secret}${behind}`).toString("base64url"),
        (before: string, behind: string) => Buffer.from(`${before}${secret}${behind}`).toString("hex"),
        (before: string, behind: string) => JSON.stringify({ told: `${before}${secret}`, token: behind })
      )
      yield* Effect.forEach(fc.sample(fc.tuple(around, around, forms), 300), ([before, behind, form]) =>
        Effect.gen(function* () {
          const text = form(before.join(""), behind.join(""))
          const made = exchangeOf({ answer: { text } })
          yield* exchange(made)
          const { answer } = (yield* disguised(made)) ?? assert.fail(`nothing was disguised in ${text}`)
          const shown = answer?.text ?? ""
          assert.strictEqual(yield* redact(shown), shown)
          assert.notInclude(shown, "‹")
        })
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("has stand-ins in the request of a delivery", () =>
    Effect.gen(function* () {
      const { disguised, exchange, know, standIn } = yield* Redaction
      yield* know("CONF_TOKEN", secret)
      const headers = [["X-Told", secret]] as const
      const made = exchangeOf({ kind: "delivery", method: "POST", headers, body: JSON.stringify({ secret }) })
      yield* exchange(made)
      const { request } = (yield* disguised(made)) ?? assert.fail("nothing was disguised")
      const token = yield* standIn(secret)
      assert.deepStrictEqual([request.headers, request.body], [[["X-Told", token]], JSON.stringify({ secret: token })])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is undefined without a secret, and without a response", () =>
    Effect.gen(function* () {
      const { disguised } = yield* Redaction
      assert.isUndefined(yield* disguised(exchangeOf({ answer: { text: '{"data":[]}' } })))
      assert.isUndefined(yield* disguised({ ...exchangeOf({}), answer: null, silence: "reset" }))
    }).pipe(Effect.provide(layer))
  )
})
