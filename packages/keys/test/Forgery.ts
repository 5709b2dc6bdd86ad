import { createHmac, createPublicKey } from "node:crypto"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { generate, open } from "@wcs/keys/SigningKeyPair"
import { Effect } from "effect"
import type { CryptoKey } from "jose"

const base64url = (value: string | Uint8Array) => Buffer.from(value).toString("base64url")
const json = (value: unknown) => base64url(JSON.stringify(value))

type Document = Readonly<Record<string, unknown>>

/** Ed25519 by Web Crypto, independent of the library under test. */
const ed25519 = (key: CryptoKey) => (input: string) =>
  Effect.promise(async () => base64url(new Uint8Array(await crypto.subtle.sign("Ed25519", key, Buffer.from(input)))))

/** Assembles a token by hand. */
const assemble = Effect.fnUntraced(function* (
  header: unknown,
  payload: unknown,
  signature: (input: string) => Effect.Effect<string>
) {
  const input = `${json(header)}.${typeof payload === "string" ? base64url(payload) : json(payload)}`
  return `${input}.${yield* signature(input)}`
})

const withDocument = (document: Document, changes: Document): Document =>
  Object.fromEntries(Object.entries({ ...document, ...changes }).filter(([, value]) => value !== undefined))

/** Forgeries, from the forger's best case (our private key) to the worst (no key). */
export const make = Effect.gen(function* () {
  const [stored] = yield* AccessStore.use((access) => access.listSigningKeys)
  if (stored === undefined) return yield* Effect.die(new Error("no signing key yet"))
  const ours = yield* open(stored)
  const theirs = yield* Effect.flatMap(generate("access", 0), open)
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: ours.x }, format: "jwk" })
  const goodHeader = { alg: "EdDSA", typ: "at+jwt", kid: ours.kid }
  const goodPayload = {
    iss: "wcs",
    aud: "wcs/openapi/v1",
    tenant: "tnt_0000000000000001",
    client_id: "wcs_oauth_0000000000000001",
    sub: "urn:wcs:account:acc_0000000000000001",
    jti: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    iat: 1000,
    exp: 4600
  }

  return {
    ours,
    /** The forger's own key as a jwk. */
    theirJwk: { kty: "OKP", crv: "Ed25519", x: theirs.x },
    good: assemble(goodHeader, goodPayload, ed25519(ours.privateKey)),
    /** Signed with our key, with another header. */
    header: (changes: Document) => assemble(withDocument(goodHeader, changes), goodPayload, ed25519(ours.privateKey)),
    /** Signed with our key, with other claims. */
    payload: (changes: Document) => assemble(goodHeader, withDocument(goodPayload, changes), ed25519(ours.privateKey)),
    /** Signed with our key, with a body that is not a set of claims. */
    body: (text: string) => assemble(goodHeader, text, ed25519(ours.privateKey)),
    /** Signed with the forger's key. */
    signedByThem: (changes: Document) =>
      assemble(withDocument(goodHeader, changes), goodPayload, ed25519(theirs.privateKey)),
    /** HMAC with our public key as its secret. */
    hmac: (alg: "HS256" | "EdDSA", secretIs: "raw" | "base64url" | "pem" | "der") => {
      const secret = {
        raw: Buffer.from(ours.x, "base64url"),
        base64url: ours.x,
        pem: publicKey.export({ type: "spki", format: "pem" }),
        der: publicKey.export({ type: "spki", format: "der" })
      }[secretIs]
      return assemble({ ...goodHeader, alg }, goodPayload, (input) =>
        Effect.sync(() => createHmac("sha256", secret).update(input).digest("base64url"))
      )
    },
    /** No signature, under the given algorithm name. */
    unsigned: (alg: string, signature = "") =>
      assemble({ ...goodHeader, alg }, goodPayload, () => Effect.succeed(signature))
  }
})

export type Forger = Effect.Success<typeof make>
