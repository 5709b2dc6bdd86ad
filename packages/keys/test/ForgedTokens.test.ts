import { assert, describe, layer } from "@effect/vitest"
import { AccessTokens as Port } from "@wcs/domain/access/AccessToken"
import * as AccessTokens from "@wcs/keys/AccessTokens"
import { Effect, Layer, Option } from "effect"
import * as fc from "fast-check"
import * as Forgery from "./Forgery.ts"
import { store } from "./Stored.ts"

const deployment = Layer.provideMerge(AccessTokens.layer, store)

type Forge = (forger: Forgery.Forger) => Effect.Effect<string>
type Row = readonly [name: string, forge: Forge]

const text =
  (change: (good: string) => string): Forge =>
  ({ good }) =>
    Effect.map(good, change)
const parts = (change: (header: string, payload: string, signature: string) => ReadonlyArray<string>): Forge =>
  text((good) => {
    const [header = "", payload = "", signature = ""] = good.split(".")
    return change(header, payload, signature).join(".")
  })
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const algorithms: ReadonlyArray<Row> = [
  ["alg none without a signature", ({ unsigned }) => unsigned("none")],
  ["alg None", ({ unsigned }) => unsigned("None")],
  ["alg NONE", ({ unsigned }) => unsigned("NONE")],
  ["alg none with another signature", ({ unsigned }) => unsigned("none", "A".repeat(86))],
  ["alg EdDSA without a signature", ({ unsigned }) => unsigned("EdDSA")],
  ["alg EdDSA with a signature of zeros only", ({ unsigned }) => unsigned("EdDSA", "A".repeat(86))],
  ["HS256 with the raw public key as secret", ({ hmac }) => hmac("HS256", "raw")],
  ["HS256 with the base64url public key as secret", ({ hmac }) => hmac("HS256", "base64url")],
  ["HS256 with the PEM public key as secret", ({ hmac }) => hmac("HS256", "pem")],
  ["HS256 with the DER public key as secret", ({ hmac }) => hmac("HS256", "der")],
  ["an HMAC that claims to be EdDSA", ({ hmac }) => hmac("EdDSA", "raw")],
  ["our signature under alg none", ({ header }) => header({ alg: "none" })],
  ["our signature under alg HS256", ({ header }) => header({ alg: "HS256" })],
  ["our signature under another name of the algorithm", ({ header }) => header({ alg: "Ed25519" })],
  ["our signature under alg eddsa", ({ header }) => header({ alg: "eddsa" })],
  ["our signature without alg", ({ header }) => header({ alg: undefined })],
  ["our signature with a list of algorithms", ({ header }) => header({ alg: ["EdDSA"] })]
]

const types: ReadonlyArray<Row> = [
  ["typ JWT", ({ header }) => header({ typ: "JWT" })],
  ["no typ", ({ header }) => header({ typ: undefined })],
  ["the typ of an id token", ({ header }) => header({ typ: "id+jwt" })],
  ["typ in another case", ({ header }) => header({ typ: "AT+JWT" })],
  ["typ as a list", ({ header }) => header({ typ: ["at+jwt"] })]
]

const kids: ReadonlyArray<Row> = [
  ["no kid", ({ header }) => header({ kid: undefined })],
  ["a well-formed kid that is not ours", ({ header }) => header({ kid: "x".repeat(43) })],
  ["our kid in another case", ({ header, ours }) => header({ kid: ours.kid.toLowerCase() })],
  ["our kid, truncated", ({ header, ours }) => header({ kid: ours.kid.slice(0, -1) })],
  ["our kid with a NUL", ({ header, ours }) => header({ kid: `${ours.kid}\0` })],
  ["our kid with a line break", ({ header, ours }) => header({ kid: `${ours.kid}\n` })],
  ["our kid in a list", ({ header, ours }) => header({ kid: [ours.kid] })],
  ["an empty kid", ({ header }) => header({ kid: "" })],
  ["a number as kid", ({ header }) => header({ kid: 0 })],
  ["null as kid", ({ header }) => header({ kid: null })],
  ...["../../../../dev/null", "/etc/passwd", "file:///dev/null", "https://evil.example/jwks.json"].map(
    (kid): Row => [`a path as kid: ${kid}`, ({ header }) => header({ kid })]
  ),
  ...["' OR '1'='1", "x' UNION SELECT 'AA", "| id", "__proto__", "constructor", "toString"].map(
    (kid): Row => [`an injection as kid: ${kid}`, ({ header }) => header({ kid })]
  )
]

const brought: ReadonlyArray<Row> = [
  ["another key under our kid", ({ signedByThem }) => signedByThem({})],
  ["a jwk of the forger", ({ signedByThem, theirJwk }) => signedByThem({ jwk: theirJwk })],
  [
    "a jwk of the forger, without a kid",
    ({ signedByThem, theirJwk }) => signedByThem({ jwk: theirJwk, kid: undefined })
  ],
  ["a jku", ({ signedByThem }) => signedByThem({ jku: "https://evil.example/jwks.json" })],
  ["an x5u", ({ signedByThem }) => signedByThem({ x5u: "https://evil.example/cert.pem" })],
  ["an x5c", ({ signedByThem }) => signedByThem({ x5c: ["MIIB"] })],
  ["a jwk with our own signature", ({ header, theirJwk }) => header({ jwk: theirJwk })],
  ["a jku with our own signature", ({ header }) => header({ jku: "https://evil.example/jwks.json" })],
  ["an x5c with our own signature", ({ header }) => header({ x5c: ["MIIB"] })],
  ["crit", ({ header }) => header({ crit: ["exp"], exp: 1 })],
  ["b64 false", ({ header }) => header({ b64: false, crit: ["b64"] })],
  ["zip", ({ header }) => header({ zip: "DEF" })],
  ["any additional header parameter", ({ header }) => header({ cty: "JWT" })]
]

const claims: ReadonlyArray<Row> = [
  ["an issuer without TLS", ({ payload }) => payload({ iss: "http://acme.example" })],
  ["an issuer with a path", ({ payload }) => payload({ iss: "https://acme.example/" })],
  ["an issuer with a user", ({ payload }) => payload({ iss: "https://acme.example@evil.example" })],
  ["an issuer with ours as its prefix", ({ payload }) => payload({ iss: "wcs/" })],
  ["no issuer", ({ payload }) => payload({ iss: undefined })],
  ["a list of issuers", ({ payload }) => payload({ iss: ["wcs"] })],
  ["threat 6: the legacy surface as audience", ({ payload }) => payload({ aud: "wcs/api" })],
  ["no audience", ({ payload }) => payload({ aud: undefined })],
  ["a list of audiences that includes ours", ({ payload }) => payload({ aud: ["wcs/openapi/v1", "other"] })],
  ["no tenant", ({ payload }) => payload({ tenant: undefined })],
  ["no client", ({ payload }) => payload({ client_id: undefined })],
  ["no subject", ({ payload }) => payload({ sub: undefined })],
  ["no token id", ({ payload }) => payload({ jti: undefined })],
  ["no expiry", ({ payload }) => payload({ exp: undefined })],
  ["an expiry that is text", ({ payload }) => payload({ exp: "4600" })],
  ["an expiry with a fraction", ({ payload }) => payload({ exp: 4600.5 })],
  ["no time of issue", ({ payload }) => payload({ iat: undefined })],
  ["claims that are not JSON", ({ body }) => body("claims")],
  ["claims that are a list", ({ body }) => body("[]")],
  ["claims that are null", ({ body }) => body("null")],
  ["no claims", ({ body }) => body("")]
]

const spellings: ReadonlyArray<Row> = [
  ["nothing", text(() => "")],
  ["words", text(() => "not a token")],
  ["two dots", text(() => "..")],
  ["a personal token", text(() => "wcs_pat_0000000000000000000000000000000000000000")],
  ["no signature", parts((header, payload) => [header, payload])],
  ["an empty signature", parts((header, payload) => [header, payload, ""])],
  ["a signature with an additional letter", text((good) => `${good}A`)],
  ["a signature with padding", text((good) => `${good}==`)],
  [
    "a signature with the same bits in another spelling of the last letter",
    parts((h, p, s) => [h, p, s.slice(0, -1) + alphabet[alphabet.indexOf(s.slice(-1)) + 1]])
  ],
  [
    "another tenant's claims under our signature",
    parts((h, p, s) => {
      const altered = Buffer.from(p, "base64url").toString().replace("tnt_0000000000000001", "tnt_0000000000000002")
      return [h, Buffer.from(altered).toString("base64url"), s]
    })
  ],
  ["four parts", text((good) => `${good}.AAAA`)],
  ["five parts, like an encrypted token", parts((h, p, s) => [h, "", p, s, ""])],
  ["the parts in another order", parts((h, p, s) => [p, h, s])],
  ["white space before", text((good) => ` ${good}`)],
  ["white space after", text((good) => `${good} `)],
  ["a line break after", text((good) => `${good}\n`)],
  ["a line break within", text((good) => good.replace(".", ".\n"))],
  ["a header that is not JSON", parts((_h, p, s) => ["AAAA", p, s])],
  ["a header that is a list", parts((_h, p, s) => ["W10", p, s])],
  ["a header that is null", parts((_h, p, s) => ["bnVsbA", p, s])],
  ["characters beyond ASCII", text((good) => good.replace("e", "е"))],
  ["half of a surrogate pair", text((good) => `${good}\ud800`)],
  ["100,000 letters", text((good) => good.replace(".", "A".repeat(100_000)))]
]

layer(deployment)("threat 5: forged access tokens (AUT-04)", (it) => {
  it.effect("control: accepts a token that the test assembles exactly like ours", () =>
    Effect.gen(function* () {
      const { verify } = yield* Port
      const forger = yield* Forgery.make
      for (const token of [yield* forger.good, yield* forger.header({}), yield* forger.payload({})]) {
        assert.isTrue(Option.isSome(yield* verify(token)))
      }
    })
  )

  for (const [name, rows] of Object.entries({ algorithms, types, kids, brought, claims, spellings })) {
    describe(name, () => {
      it.effect.each(rows)("refuses %s", ([, forge]) =>
        Effect.gen(function* () {
          const { verify } = yield* Port
          assert.deepStrictEqual(yield* verify(yield* forge(yield* Forgery.make)), Option.none())
        })
      )
    })
  }

  it.effect("refuses a token with any one character changed, removed or added", () =>
    Effect.gen(function* () {
      const { verify } = yield* Port
      const good = yield* Effect.flatMap(Forgery.make, (forger) => forger.good)
      const change = fc.record({
        at: fc.nat(good.length), // at the end, a character can only be added
        character: fc.constantFrom(...alphabet, ".", "=", "+", "/", " "),
        kind: fc.constantFrom("changed", "missing", "added")
      })
      const property = fc.asyncProperty(change, async ({ at, character, kind }) => {
        const inserted = kind === "missing" ? "" : character
        const altered = good.slice(0, at) + inserted + good.slice(kind === "added" ? at : at + 1)
        fc.pre(altered !== good)
        return Option.isNone(await Effect.runPromise(verify(altered)))
      })
      yield* Effect.promise(() => fc.assert(property, { numRuns: 500 }))
    })
  )

  it.effect("does not crash on any text", () =>
    Effect.gen(function* () {
      const { verify } = yield* Port
      const anything = fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(fc.base64String()).map((them) => them.join("."))
      )
      const property = fc.asyncProperty(anything, async (token) =>
        Option.isNone(await Effect.runPromise(verify(token)))
      )
      yield* Effect.promise(() => fc.assert(property, { numRuns: 500 }))
    })
  )
})
