import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Redacted } from "effect"
import fc from "fast-check"
import { exchangeOf, type Given } from "../Exchanges.ts"

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
  "json in base64": (secret) => base64(JSON.stringify({ token: secret })),
  "form in base64": (secret) => base64(new URLSearchParams({ secret }).toString()),
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

const handlesOf = (secret: string) => Handles.make(planted, secretsOf(secret))

const shownBy = (handles: Handles.Handles, given: Given): Answer => {
  const { answer, ...exchange } = exchangeOf(given)
  return handles.answered({ ...exchange, answer }, answer ?? assert.fail("no answer"))
}

const textBy = (handles: Handles.Handles, text: string): string => shownBy(handles, { answer: { text } }).text

const jwt = /^([\w-]+)\.[\w-]+\.[\w-]+$/

const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiIsImFkbSI6dHJ1ZX0.c2lnbmF0dXJlLXRoYXQtc2lnbnM"

describe("an answer", () => {
  for (const [encoding, encode] of Object.entries(encodings)) {
    it(`has the handle of a secret: ${encoding}`, () =>
      fc.assert(
        fc.property(secrets, around, around, (secret, before, behind) => {
          const form = encode(secret)
          const text = textBy(handlesOf(secret), `${before}${form}${behind}`)
          assert.isFalse(text.includes(form), text)
          assert.isFalse(text.includes(secret), text)
          assert.include(text, "‹CONF_CLIENT_SECRET›")
        }),
        { numRuns: 60 }
      ))
  }

  it("has none of the base64 characters that contain bits of the secret", () =>
    fc.assert(
      fc.property(secrets, fc.constantFrom("", "a", "ab", "abc", "user:"), (secret, before) => {
        const text = textBy(handlesOf(secret), `(${base64(`${before}${secret}`)})`)
        const own = base64(before).slice(0, Math.floor((before.length * 8) / 6))
        assert.include([own, own.slice(0, -1)], text.slice(1, -"‹CONF_CLIENT_SECRET›)".length))
        assert.isTrue(text.endsWith("‹CONF_CLIENT_SECRET›)"), text)
      }),
      { numRuns: 60 }
    ))

  it("without secrets is unchanged", () =>
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        fc.pre(!text.includes("~"))
        assert.strictEqual(textBy(handlesOf("~tilde~secret~"), text), text)
      })
    ))

  it("has the handle of the longest secret, and of a short one as a word only", () => {
    const handles = handlesOf("service-secret")
    handles.know("CONF_SHORT", "pw", 1)
    handles.know("CONF_ID", "service", 1)
    assert.strictEqual(textBy(handles, "service-secret of service"), "‹CONF_CLIENT_SECRET› of ‹CONF_ID›")
    assert.strictEqual(textBy(handles, "my pw, pwd, servic e"), "my ‹CONF_SHORT›, pwd, servic e")
  })

  it("has the payload and the signature of a JWT on their own, but not its header", () => {
    const handles = handlesOf("a secret of no account")
    handles.know("token of admin", token)
    const [, payload, signature] = token.split(".")
    assert.strictEqual(
      textBy(handles, `eyJhbGciOiJub25lIn0.${payload}. and ${signature}`),
      "eyJhbGciOiJub25lIn0.‹payload of token of admin›. and ‹signature of token of admin›"
    )
    assert.strictEqual(textBy(handles, "eyJhbGciOiJFUzI1NiJ9"), "eyJhbGciOiJFUzI1NiJ9")
  })

  it("has handles for the values of fields, headers and cookies that are named like secrets", () => {
    const handles = handlesOf("a secret of no account")
    const text =
      '{"signingSecret":"a\\"b","nested":{"secrets":[1],"secret":{"value":["x"]}},"nextPageToken":"p","token":"","n":[null]}'
    const {
      headers,
      json,
      secrets: shapes
    } = shownBy(handles, {
      number: 12,
      answer: { text, headers: { "set-cookie": "sid=2; Secure, lang=e; Path=/", "x-api-key": "abc", etag: '"1"' } }
    })
    assert.deepStrictEqual(headers, {
      "set-cookie": "sid=‹sid of #12›; Secure, lang=‹lang of #12›; Path=/",
      "x-api-key": "‹x-api-key of #12›",
      etag: '"1"'
    })
    assert.deepStrictEqual(json, {
      signingSecret: "‹signingSecret of #12›",
      nested: { secrets: [1], secret: { value: ["‹secret of #12›"] } },
      nextPageToken: "p",
      token: "",
      n: [null]
    })
    assert.strictEqual(shapes?.["‹signingSecret of #12›"]?.length, 3)
    const cut = textBy(handles, '{"data":{"client_secret" : "never en')
    assert.strictEqual(cut, '{"data":{"client_secret" : "‹client_secret of #1›')
    // one value has one handle, although a short one is not searched for
    assert.strictEqual(textBy(handles, '{"secret":"x","name":"x"}'), '{"secret":"‹secret of #12›","name":"x"}')
    assert.strictEqual(
      shownBy(handles, { body: '{"secret":"of the caller"}', answer: { text: '{"secret":"of the caller"}' } }).text,
      '{"secret":"of the caller"}'
    )
  })

  it("has the handle of a token in all later answers, with the name of its principal once that is known", () => {
    const handles = handlesOf("a secret of no account")
    const text = `{ "token_type": "Bearer", "access_token": ${JSON.stringify(token)}, "expires_in": 3600 }`
    const granted = shownBy(handles, { number: 12, answer: { text } })
    assert.strictEqual(
      granted.text,
      '{ "token_type": "Bearer", "access_token": "‹access_token of #12›", "expires_in": 3600 }'
    )
    assert.strictEqual(textBy(handles, `not ${token}`), "not ‹access_token of #12›")
    assert.strictEqual(handles.rename("token of admin", "‹access_token of #12›"), "‹token of admin›")
    assert.strictEqual(textBy(handles, `not ${token}`), "not ‹token of admin›")
    assert.strictEqual(handles.open("‹access_token of #12› ‹token of admin›"), `${token} ${token}`)
  })

  it("stays JSON when a number is a secret", () => {
    const { json, text } = shownBy(handlesOf("1234567890"), { answer: { text: '{"id":1234567890,"n":[1]}' } })
    assert.deepStrictEqual(json, { id: "‹CONF_CLIENT_SECRET›", n: [1] })
    assert.deepStrictEqual(parse(text), json)
  })

  it("keeps random ids, which can have the hexadecimal form of a mark", () => {
    const ids = '{"id":"wkr_5fe280b9c1","other":"0192846c-e280-4ba1-93e2-80bae280ba23"}'
    assert.strictEqual(textBy(handlesOf("a secret of no account"), ids), ids)
  })

  it("cannot name a secret: its own marks do not become handles", () => {
    const handles = handlesOf("a secret of no account")
    for (const text of [
      "‹CONF_CLIENT_SECRET›",
      "\\u2039CONF_CLIENT_SECRET\\u203a",
      "%E2%80%B9CONF_CLIENT_SECRET%E2%80%BA"
    ]) {
      const { json } = shownBy(handles, { answer: { text: `{"id":"${text}"}` } })
      const { id }: { readonly id: string } = JSON.parse(JSON.stringify(json))
      const { url } = handles.filled(exchangeOf({ url: `https://tenant.example/${id}` }).request)
      assert.strictEqual(url, "https://tenant.example/%E2%80%B9CONF_CLIENT_SECRET%E2%80%BA")
    }
  })
})

describe("a request", () => {
  const form = [["Content-Type", "application/x-www-form-urlencoded"]] as const
  const told: ReadonlyArray<readonly [what: string, given: Given, heard: (request: Request) => string | null]> = [
    ["a query", { url: "https://t.example/a?b=‹CONF_CLIENT_SECRET›" }, ({ url }) => new URL(url).searchParams.get("b")],
    [
      "a path",
      { url: "https://t.example/‹CONF_CLIENT_SECRET›" },
      ({ url }) => decodeURIComponent(url.split("/")[3] ?? "")
    ],
    ["a header", { headers: [["X-Own", "‹CONF_CLIENT_SECRET›"]] }, ({ headers }) => headers[0]?.[1] ?? null],
    ["a form", { headers: form, body: "a=‹CONF_CLIENT_SECRET›" }, ({ body }) => new URLSearchParams(body).get("a")],
    ["JSON", { body: '{"a":"‹CONF_CLIENT_SECRET›"}' }, ({ body }) => JSON.parse(body).a],
    [
      "a Basic pair",
      { headers: [["Authorization", "Basic base64(me:‹CONF_CLIENT_SECRET›)"]] },
      ({ headers }) => /^me:(.*)$/s.exec(Buffer.from(headers[0]?.[1].slice(6) ?? "", "base64").toString())?.[1] ?? null
    ],
    [
      "a form-encoded Basic pair",
      { headers: [["Authorization", "Basic base64(me:‹form-encoded CONF_CLIENT_SECRET›)"]] },
      ({ headers }) =>
        new URLSearchParams(
          Buffer.from(headers[0]?.[1].slice(6) ?? "", "base64")
            .toString()
            .replace("me:", "a=")
        ).get("a")
    ]
  ]
  for (const [what, given, heard] of told) {
    it(`has the value on the wire: ${what}`, () =>
      fc.assert(
        fc.property(secrets, (secret) => {
          assert.strictEqual(heard(handlesOf(secret).filled(exchangeOf(given).request)), secret)
        }),
        { numRuns: 60 }
      ))
  }

  it("with a cut or changed secret shows which part is left, and has the changed one on the wire", () => {
    const handles = handlesOf("a secret of no account")
    const known = handles.know("token of admin", token)
    const changes = [
      token,
      token.slice(0, -1),
      `${token.slice(0, -1)}x`,
      `x${token.slice(1)}`,
      `${token.slice(0, -9)}x${token.slice(-8)}`,
      [...token].toReversed().join("")
    ]
    const shown = changes.map((text) => handles.derive("forgery", known, text))
    const beginning = "eyJhbGciOiJFUzI1NiJ9.‹payload of token of admin›."
    assert.deepStrictEqual(shown.slice(0, -1), [
      "‹token of admin›",
      `${beginning}‹first 26 of signature of token of admin›`,
      `${beginning}‹first 26 of signature of token of admin›x`,
      "xyJhbGciOiJFUzI1NiJ9.‹payload of token of admin›.‹signature of token of admin›",
      `${beginning}‹first 18 of signature of token of admin›x‹last 8 of signature of token of admin›`
    ])
    assert.deepStrictEqual(shown.map(handles.open), changes)
    for (const [index, text] of changes.entries())
      assert.strictEqual(textBy(handles, `no ${text}`), `no ${shown[index]}`)
  })

  it("with a text that is like its secret shows nothing of it", () =>
    fc.assert(
      fc.property(secrets, fc.integer({ min: 0, max: 60 }), (secret, at) => {
        const handles = handlesOf(secret)
        for (const text of [secret.toUpperCase(), secret.slice(at), secret.slice(0, at), `${secret}x`]) {
          const shown = handles.derive("neighbour", "‹CONF_CLIENT_SECRET›", text)
          assert.strictEqual(handles.open(shown), text)
          // the header of a JWT is not secret
          const header = jwt.exec(secret)?.[1] ?? ""
          assert.isTrue(shown.includes("‹") || text === "" || header.startsWith(text.replace(".", "")), shown)
        }
      })
    ))
})
