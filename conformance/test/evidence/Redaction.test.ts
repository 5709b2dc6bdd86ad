import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@wcs/conformance/evidence/Event"
import { knowProfile, layer, Redaction } from "@wcs/conformance/evidence/Redaction"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Effect, Redacted } from "effect"
import fc from "fast-check"
import { exchangeOf } from "../Exchanges.ts"

const redacting = <A>(steps: (redaction: Redaction["Service"]) => Effect.Effect<A, never, Redaction>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(Redaction, steps), layer))

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64")

/** Encodings of a secret by a deployment, a proxy or the suite. */
const encodings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  json: (secret) => JSON.stringify(secret),
  "json in json": (secret) => JSON.stringify(JSON.stringify({ token: secret })),
  "json with units": (secret) =>
    secret.replaceAll(/[^A-Za-z0-9._~-]/g, (char) =>
      [...char.split("")].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
    ),
  url: (secret) => encodeURIComponent(secret),
  "url in url": (secret) => encodeURIComponent(encodeURIComponent(secret)),
  "url in small letters": (secret) => encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  form: (secret) => new URLSearchParams({ secret }).toString(),
  html: (secret) =>
    secret
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  base64: (secret) => base64(secret),
  base64url: (secret) => Buffer.from(secret, "utf8").toString("base64url"),
  "base64 in a url": (secret) => encodeURIComponent(base64(secret)),
  basic: (secret) => `Basic ${base64(`somebody:${secret}`)}`,
  "basic, another offset": (secret) => `Basic ${base64(`somebody1:${secret}`)}`,
  "basic, the last offset": (secret) => `Basic ${base64(`somebody12:${secret}`)}`,
  "user of basic": (secret) => `Basic ${base64(`${secret}:password`)}`,
  hex: (secret) => Buffer.from(secret, "utf8").toString("hex"),
  "hex in capitals": (secret) => Buffer.from(secret, "utf8").toString("hex").toUpperCase()
}

const printable = fc.string({ minLength: 8, maxLength: 60, unit: "grapheme-ascii" })
const anything = fc.string({ minLength: 8, maxLength: 40, unit: "binary" }).filter((text) => text.isWellFormed())
const tokens = fc.base64String({ minLength: 24, maxLength: 64 }).map((text) => text.replaceAll("=", ""))
const jwts = fc.tuple(tokens, tokens, tokens).map((parts) => parts.join(".").replaceAll("+", "-").replaceAll("/", "_"))
const secrets = fc.oneof(printable, anything, tokens, jwts)
const around = fc.string({ maxLength: 20, unit: fc.constantFrom("a", "Z", "0", " ", '"', "=", "&", "{", "\n") })

const planted: Profile = {
  name: "planted",
  newer: { tenantBaseUrl: "https://tenant.example" },
  principals: {
    admin: { oauth: { clientId: "svc_oauth_1", clientSecret: "${CONF_CLIENT_SECRET}" } },
    personalToken: "${CONF_PERSONAL_TOKEN}"
  }
}

const secretsOf = (secret: string) =>
  new Map([
    ["${CONF_CLIENT_SECRET}", Redacted.make(secret)],
    ["${CONF_PERSONAL_TOKEN}", Redacted.make("pat_0123456789abcdefghijklmnop")]
  ])

/** All texts of an event, as a report would write them. */
const written = (event: Event) => JSON.stringify(event)

describe("redaction by value", () => {
  for (const [encoding, encode] of Object.entries(encodings)) {
    it(`removes a planted secret: ${encoding}`, () =>
      fc.assert(
        fc.asyncProperty(secrets, around, around, async (secret, before, behind) => {
          const form = encode(secret)
          const told = await redacting(({ know, redact }) =>
            Effect.andThen(know("CONF_SECRET", secret), redact(`${before}${form}${behind}`))
          )
          assert.isFalse(told.includes(form), told)
          assert.isFalse(told.includes(secret), told)
          assert.include(told, "‹CONF_SECRET›")
        }),
        { numRuns: 60 }
      ))
  }

  it("removes the base64 characters that contain bits of the secret", () =>
    fc.assert(
      fc.asyncProperty(secrets, fc.constantFrom("", "a", "ab", "abc", "user:"), async (secret, before) => {
        const told = await redacting(({ know, redact }) =>
          Effect.andThen(know("CONF_SECRET", secret), redact(`(${base64(`${before}${secret}`)})`))
        )
        const own = base64(before).slice(0, Math.floor((before.length * 8) / 6))
        assert.include([own, own.slice(0, -1)], told.slice(1, -"‹CONF_SECRET›)".length))
        assert.isTrue(told.endsWith("‹CONF_SECRET›)"), told)
      }),
      { numRuns: 60 }
    ))

  it("keeps text without secrets unchanged", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 200 }), async (text) => {
        fc.pre(!text.includes("~"))
        const told = await redacting(({ know, redact }) =>
          Effect.andThen(know("CONF_SECRET", "~tilde~secret~"), redact(text))
        )
        assert.strictEqual(told, text)
      })
    ))

  it("removes a secret that becomes known later from a text that it has seen, however many texts come between", () =>
    redacting(({ know, redact }) =>
      Effect.gen(function* () {
        const text = "Bearer one-secret-of-many"
        yield* know("other", "a-secret-that-is-elsewhere")
        assert.strictEqual(yield* redact(text), text)
        yield* know("another", "one-more-that-is-elsewhere")
        assert.strictEqual(yield* redact(text), text)
        yield* know("CONF_TOKEN", "one-secret-of-many")
        assert.strictEqual(yield* redact(text), "Bearer ‹CONF_TOKEN›")
        for (let number = 0; number < 5000; number += 1) yield* redact(`another text ${number}`)
        yield* know("CONF_LATER", "one-secret-of-many")
        assert.strictEqual(yield* redact(text), "Bearer ‹CONF_LATER›")
      })
    ))

  it.effect("replaces the longest secret first, each by its name", () =>
    Effect.gen(function* () {
      const { know, redact } = yield* Redaction
      yield* know("CONF_ID", "service")
      yield* know("CONF_SECRET", "service-secret")
      assert.strictEqual(yield* redact("service-secret of service"), "‹CONF_SECRET› of ‹CONF_ID›")
      assert.strictEqual(yield* redact("servic e"), "servic e")
    }).pipe(Effect.provide(layer))
  )

  it.effect("finds payload and signature of a JWT on their own, but not its header", () =>
    Effect.gen(function* () {
      const { know, redact } = yield* Redaction
      yield* know("token of admin", "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJlLXRoYXQtc2lnbnM")
      assert.strictEqual(
        yield* redact("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9. and c2lnbmF0dXJlLXRoYXQtc2lnbnM"),
        "eyJhbGciOiJub25lIn0.‹payload of token of admin›. and ‹signature of token of admin›"
      )
      assert.strictEqual(yield* redact("eyJhbGciOiJFUzI1NiJ9"), "eyJhbGciOiJFUzI1NiJ9")
    }).pipe(Effect.provide(layer))
  )

  it.effect("names a profile's secrets by environment variable, and Basic pairs by principal", () =>
    Effect.gen(function* () {
      const secret = "s3cret/with+odd characters"
      yield* knowProfile(planted, secretsOf(secret))
      const { redact } = yield* Redaction
      assert.strictEqual(yield* redact(`x ${secret} y`), "x ‹CONF_CLIENT_SECRET› y")
      assert.strictEqual(yield* redact(base64(`svc_oauth_1:${secret}`)), "‹Basic of admin›")
      assert.strictEqual(
        yield* redact(base64(`svc_oauth_1:${encodeURIComponent(secret)}`)),
        "‹Basic of admin, form-encoded›"
      )
    }).pipe(Effect.provide(layer))
  )
})

const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiIsImFkbSI6dHJ1ZX0.c2lnbmF0dXJlLXRoYXQtc2lnbnM"

const sent = (authorization: string, answer = "{}"): Exchange =>
  exchangeOf({ headers: [["Authorization", authorization]], answer: { text: answer } })

const authorizationOf = ({ request }: Exchange) =>
  request.headers.find(([name]) => name.toLowerCase() === "authorization")?.[1]

describe("redaction of exchanges", () => {
  it.effect("hides a token that a walk cut or changed", () =>
    Effect.gen(function* () {
      const { exchange, know } = yield* Redaction
      yield* know("token of admin", token)
      const changes = [
        token,
        token.slice(0, -1),
        `${token.slice(0, -1)}x`,
        `x${token.slice(1)}`,
        `${token.slice(0, -9)}x${token.slice(-8)}`,
        [...token].toReversed().join("")
      ]
      const told = yield* Effect.forEach(changes, (changed) =>
        Effect.map(exchange(sent(`Bearer ${changed}`)), authorizationOf)
      )
      const beginning = "Bearer eyJhbGciOiJFUzI1NiJ9.‹payload of token of admin›."
      assert.deepStrictEqual(told, [
        "Bearer ‹token of admin›",
        `${beginning}‹first 26 of signature of token of admin›`,
        `${beginning}‹first 26 of signature of token of admin›x`,
        "Bearer xyJhbGciOiJFUzI1NiJ9.‹payload of token of admin›.‹signature of token of admin›",
        `${beginning}‹first 18 of signature of token of admin›x‹last 8 of signature of token of admin›`,
        "Bearer ‹undisclosed›"
      ])
    }).pipe(Effect.provide(layer))
  )

  it.effect("hides a cut or changed opaque token wherever the response repeats it", () =>
    Effect.gen(function* () {
      const { exchange, know } = yield* Redaction
      yield* know("CONF_PERSONAL_TOKEN", "pat_0123456789abcdefghijklmnop")
      const cut = "pat_0123456789abcdefghijklmno"
      const told = yield* exchange(sent(`Bearer ${cut}`, JSON.stringify({ message: `no such token: ${cut}` })))
      assert.strictEqual(authorizationOf(told), "Bearer ‹first 29 of CONF_PERSONAL_TOKEN›")
      assert.deepStrictEqual(told.answer?.json, { message: "no such token: ‹first 29 of CONF_PERSONAL_TOKEN›" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("hides a cut or changed secret in a form, in JSON and in a Basic header", () =>
    Effect.gen(function* () {
      const secret = "s3cret/with+odd characters"
      yield* knowProfile(planted, secretsOf(secret))
      const { exchange } = yield* Redaction
      const wrong = `${secret.slice(0, 14)}B${secret.slice(15)}`
      const instead = "‹first 14 of CONF_CLIENT_SECRET›B‹last 11 of CONF_CLIENT_SECRET›"
      const form = new URLSearchParams({ client_id: "svc_oauth_1", client_secret: wrong }).toString()
      const told = yield* Effect.forEach(
        [
          exchangeOf({ headers: [["Content-Type", "application/x-www-form-urlencoded"]], body: form }),
          exchangeOf({ body: JSON.stringify({ client_secret: wrong }) }),
          sent(`Basic ${base64(`svc_oauth_1:${wrong}`)}`, JSON.stringify({ error_description: `not ${wrong}` })),
          sent(`Basic ${base64("nobody:nothing")}`),
          sent(`Basic ${base64(`svc_oauth_1:${secret}`)}`)
        ],
        exchange
      )
      assert.deepStrictEqual(
        told.map((one) => authorizationOf(one) ?? one.request.body),
        [
          `client_id=svc_oauth_1&client_secret=${instead}`,
          `{"client_secret":"${instead}"}`,
          `Basic base64(svc_oauth_1:${instead})`,
          "Basic base64(nobody:nothing)",
          "Basic ‹Basic of admin›"
        ]
      )
      assert.strictEqual(told[2]?.answer?.text, `{"error_description":"not ${instead}"}`)
    }).pipe(Effect.provide(layer))
  )

  it.effect("hides a token without a scheme, and shows short invented values", () =>
    Effect.gen(function* () {
      const { exchange, know } = yield* Redaction
      yield* know("token of admin", token)
      const told = yield* Effect.forEach([token, `Token ${token}`, "Bearer con.form.ance", "Bearer"], (authorization) =>
        Effect.map(exchange(sent(authorization)), authorizationOf)
      )
      assert.deepStrictEqual(told, ["‹token of admin›", "Token ‹token of admin›", "Bearer con.form.ance", "Bearer"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("hides a token of a response in all later exchanges, named by the number of its exchange", () =>
    Effect.gen(function* () {
      const { exchange } = yield* Redaction
      const text = `{ "token_type": "Bearer", "access_token": ${JSON.stringify(token)}, "expires_in": 3600 }`
      const granted = yield* exchange({ ...exchangeOf({ number: 12, answer: { text } }) })
      assert.strictEqual(
        granted.answer?.text,
        '{ "token_type": "Bearer", "access_token": "‹access_token of #12›", "expires_in": 3600 }'
      )
      assert.strictEqual(authorizationOf(yield* exchange(sent(`bearer ${token}`))), "bearer ‹access_token of #12›")
    }).pipe(Effect.provide(layer))
  )

  it.effect("hides unknown secrets by the name of their field, header or parameter", () =>
    Effect.gen(function* () {
      const { exchange } = yield* Redaction
      const told = yield* exchange(
        exchangeOf({
          url: "https://tenant.example/openapi/v1/workers?access_token=abcdefghijklmnopqrstuvwxyz&pageSize=2",
          headers: [
            ["authorization", "Bearer nobody-has-told-us-of-this"],
            ["Cookie", "sid=0123456789abcdefghijklmn"],
            ["cookie", "sid=2"],
            ["X-Api-Key", "0123456789abcdefghijklmn"],
            ["Content-Type", "application/x-www-form-urlencoded"]
          ],
          body: "grant_type=client_credentials&client_id=me&client_secret=p%26q0123456789abcdefghijklmn",
          answer: {
            headers: { "set-cookie": "sid=2; Secure" },
            text: '{"signingSecret":"a\\"b","nested":{"secrets":[1],"secret":{"value":["x"]}},"nextPageToken":"p","token":""}'
          }
        })
      )
      assert.strictEqual(
        told.request.url,
        "https://tenant.example/openapi/v1/workers?access_token=‹undisclosed›&pageSize=2"
      )
      assert.deepStrictEqual(
        told.request.headers.map(([, value]) => value),
        ["Bearer ‹undisclosed›", "‹undisclosed›", "‹undisclosed›", "‹undisclosed›", "application/x-www-form-urlencoded"]
      )
      assert.strictEqual(told.request.body, "grant_type=client_credentials&client_id=me&client_secret=‹undisclosed›")
      assert.deepStrictEqual(told.answer?.headers, { "set-cookie": "‹undisclosed›" })
      assert.deepStrictEqual(told.answer?.json, {
        signingSecret: "‹undisclosed›",
        nested: { secrets: [1], secret: { value: ["‹undisclosed›"] } },
        nextPageToken: "p",
        token: ""
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("hides secrets in JSON that was cut", () =>
    Effect.gen(function* () {
      const { exchange } = yield* Redaction
      const told = yield* exchange(exchangeOf({ answer: { text: '{"data":{"client_secret" : "never en' } }))
      assert.strictEqual(told.answer?.text, '{"data":{"client_secret" : "‹undisclosed›')
    }).pipe(Effect.provide(layer))
  )

  it("hides a planted secret in every part of an event", () =>
    fc.assert(
      fc.asyncProperty(secrets, fc.constantFrom(...Object.keys(encodings)), async (secret, encoding) => {
        const form = encodings[encoding]?.(secret) ?? secret
        const exchange = exchangeOf({
          url: `https://tenant.example/openapi/v1/workers?externalId=${encodeURIComponent(secret)}`,
          headers: [["X-Request-Id", form.replaceAll(/[^ -~]/g, "")]],
          body: JSON.stringify({ name: form }),
          answer: { headers: { "x-echo": form }, text: JSON.stringify({ error: { message: form } }) }
        })
        const events: ReadonlyArray<Event> = [
          { type: "exchange", exchange },
          {
            type: "finding",
            finding: {
              rule: "OWN-04",
              walk: "w",
              outcome: "fail",
              exchanges: [1],
              differences: [
                { kind: "wrong-value", exchange: 1, at: "body.x", expected: [form], actual: { [form]: form } }
              ],
              reason: `because ${form}`,
              observed: { a: [form] }
            }
          },
          { type: "residue", residue: { type: "worker", name: form, why: "may have been made" } },
          { type: "run-ended", endedAt: 1, ending: { as: "unreachable", sentence: form } }
        ]
        const told = await redacting(({ event, know }) =>
          Effect.andThen(know("CONF_SECRET", secret), Effect.forEach(events, event))
        )
        for (const event of told) {
          const text = written(event)
          assert.isFalse(text.includes(JSON.stringify(form).slice(1, -1)), text)
          assert.isFalse(text.includes(JSON.stringify(secret).slice(1, -1)), text)
        }
      }),
      { numRuns: 200 }
    ))
})
