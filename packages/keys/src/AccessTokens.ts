import { AccessStore } from "@wcs/domain/AccessStore"
import { type AccessTokenClaims, AccessTokens, type PublicJwk } from "@wcs/domain/AccessToken"
import { Ids } from "@wcs/domain/Id"
import type { Instant } from "@wcs/domain/Instant"
import { isCurrent, isVerifying, signingMillis } from "@wcs/domain/SigningKey"
import { type AuditEntry, serverUrn } from "@wcs/domain/Trail"
import { Clock, Context, Data, Effect, Layer, Option, Schema, Semaphore } from "effect"
import { compactVerify, decodeProtectedHeader, SignJWT } from "jose"
import { Seal } from "./Seal.ts"
import * as SigningKeyPair from "./SigningKeyPair.ts"

/**
 * The store has a signing key that this master key does not open: the data was written under another one. Nothing was
 * changed.
 */
export class MasterKeyMismatch extends Data.TaggedError("MasterKeyMismatch")<{ readonly kid: string }> {
  override get message(): string {
    return (
      `the master key does not open signing key ${this.kid} of this store: ` +
      "the data was written under another master key; nothing was changed"
    )
  }
}

/** Who issues our access tokens: the `iss` that they carry and must carry (RFC 9068, section 2.2). */
export const AccessTokenIssuer = Context.Reference<string>("@wcs/keys/AccessTokenIssuer", {
  defaultValue: () => "wcs"
})

/** What access tokens are good for: the newer surface, and nothing else that checks an audience. */
export const audience = "wcs/openapi/v1"

const tokenType = "at+jwt" // RFC 9068, section 2.1
/** What a kid of ours looks like: a SHA-256 thumbprint. Anything else is unknown without a look. */
const Kid = Schema.String.check(Schema.isPattern(/^[\w-]{43}$/))

/** Exactly the header that we write: a key that a token brings along (`jwk`, `jku`, `x5c`) is refused with the rest. */
const Header = Schema.Struct({
  alg: Schema.Literal(SigningKeyPair.algorithm),
  typ: Schema.Literal(tokenType),
  kid: Kid
})

const Payload = Schema.fromJsonString(
  Schema.Struct({
    iss: Schema.String,
    aud: Schema.Literal(audience),
    tenant: Schema.String,
    client_id: Schema.String,
    sub: Schema.String,
    jti: Schema.String,
    iat: Schema.Int,
    exp: Schema.Int
  })
)

const readHeader = Schema.decodeUnknownOption(Header, { onExcessProperty: "error" })
const readPayload = Schema.decodeUnknownOption(Payload)

/**
 * Three parts, the last a signature of 64 bytes: of its 86 characters the last carries 2 bits, and only four letters
 * leave the others zero. Without this one token could be spelt in several ways.
 */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]{85}[AQgw]$/

/** An unknown kid makes the keys be read anew, at most so often: a flood of bad tokens reaches no store. */
const rereadMillis = 1000

/** The keys as they were last read, the newest first. */
interface Ring {
  readonly epoch: number
  readonly readAt: Instant
  readonly keys: ReadonlyMap<string, SigningKeyPair.SigningKeyPair>
}

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const seal = yield* Seal
  const ids = yield* Ids
  const issuer = yield* AccessTokenIssuer
  const lock = yield* Semaphore.make(1)

  const readRing = Effect.fnUntraced(
    function* (known: Ring["keys"]) {
      // Before the keys: what changes while they are read moves the epoch on.
      const epoch = yield* store.epoch
      const readAt = yield* Clock.currentTimeMillis
      const stored = yield* store.listSigningKeys
      const keys = yield* Effect.forEach(stored, (key) => {
        const opened = known.get(key.kid)
        return opened !== undefined
          ? Effect.succeed(opened)
          : Effect.mapError(SigningKeyPair.open(key), () => new MasterKeyMismatch({ kid: key.kid }))
      })
      return { epoch, readAt, keys: new Map(keys.map((key) => [key.kid, key])) } satisfies Ring
    },
    Effect.provideService(Seal, seal)
  )

  // All of them are opened, retired ones too: a wrong master key is found out before anything is written.
  let ring: Ring = yield* readRing(new Map())

  const readAgain = Effect.gen(function* () {
    const epoch = yield* store.epoch
    const readAt = yield* Clock.currentTimeMillis
    ring = yield* Effect.catchTag(readRing(ring.keys), "MasterKeyMismatch", (error) =>
      // Another process has written under another key since we started. What we know goes on working.
      Effect.as(Effect.logError(error.message), { ...ring, epoch, readAt })
    )
  })

  /** The keys, read anew where the epoch moved, or where one is missing and the last look is long enough ago. */
  const freshRing = Effect.fnUntraced(function* (wanted: string | undefined) {
    const isStale = Effect.gen(function* () {
      if ((yield* store.epoch) !== ring.epoch) return true
      if (wanted === undefined || ring.keys.has(wanted)) return false
      return Math.abs((yield* Clock.currentTimeMillis) - ring.readAt) >= rereadMillis
    })
    if (yield* isStale) yield* lock.withPermit(Effect.flatMap(isStale, (still) => (still ? readAgain : Effect.void)))
    return ring
  })

  /** The key that signs at a moment: the newest, while it is not too old. */
  const currentIn = ({ keys }: Ring, now: Instant): SigningKeyPair.SigningKeyPair | undefined => {
    const [newest] = keys.values()
    return newest !== undefined && isCurrent(newest, now) ? newest : undefined
  }

  const rotate = Effect.fn("AccessTokens.rotate")(function* (now: Instant) {
    const key = yield* Effect.provideService(SigningKeyPair.generate(now), Seal, seal)
    const audit: AuditEntry = {
      id: yield* ids.mint("audit"),
      account: serverUrn,
      bearer: null,
      operation: "CREATE",
      action: "rotate",
      entityType: "signingKey",
      entityId: key.kid,
      requestId: yield* ids.ulid,
      at: now
    }
    // Of several processes that come to this at once one makes the key, and all of them read it.
    yield* store.insertSigningKey(key, now - signingMillis, audit)
    yield* readAgain
  })

  const currentKey = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const current = currentIn(yield* freshRing(undefined), now)
    if (current !== undefined) return current
    yield* lock.withPermit(Effect.suspend(() => (currentIn(ring, now) === undefined ? rotate(now) : Effect.void)))
    const made = currentIn(ring, now)
    return made ?? (yield* Effect.die(new Error("the store has a current signing key that cannot be opened here")))
  })

  // At the start already: from then on the store has a key by which a wrong master key is told.
  yield* currentKey

  const sign: AccessTokens["Service"]["sign"] = Effect.fn("AccessTokens.sign")(function* (claims) {
    const { kid, privateKey } = yield* currentKey
    const { clientId, expiresAt, issuedAt, subject, tenantId, tokenId } = claims
    const payload: typeof Payload.to.Type = {
      iss: issuer,
      aud: audience,
      tenant: tenantId,
      client_id: clientId,
      sub: subject,
      jti: tokenId,
      iat: issuedAt,
      exp: expiresAt
    }
    const header: typeof Header.Type = { alg: SigningKeyPair.algorithm, typ: tokenType, kid }
    return yield* Effect.promise(() => new SignJWT(payload).setProtectedHeader(header).sign(privateKey))
  })

  const verifyingKey = Effect.fnUntraced(function* (kid: string) {
    const { keys } = yield* freshRing(kid)
    const key = keys.get(kid)
    return key !== undefined && isVerifying(key, yield* Clock.currentTimeMillis) ? Option.some(key) : Option.none()
  })

  const verify: AccessTokens["Service"]["verify"] = Effect.fnUntraced(function* (token) {
    if (!compactForm.test(token)) return Option.none()
    const header = Option.flatMap(Option.liftThrowable(() => decodeProtectedHeader(token))(), readHeader)
    if (Option.isNone(header)) return Option.none()
    const key = yield* verifyingKey(header.value.kid)
    if (Option.isNone(key)) return Option.none()
    const verified = yield* Effect.option(
      Effect.tryPromise(() => compactVerify(token, key.value.publicKey, { algorithms: [SigningKeyPair.algorithm] }))
    )
    return Option.flatMap(verified, ({ payload }) => readPayload(new TextDecoder().decode(payload))).pipe(
      Option.filter(({ iss }) => iss === issuer),
      Option.map(
        (claims): AccessTokenClaims => ({
          tenantId: claims.tenant,
          clientId: claims.client_id,
          subject: claims.sub,
          tokenId: claims.jti,
          issuedAt: claims.iat,
          expiresAt: claims.exp
        })
      )
    )
  })

  const jwks = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const { keys } = yield* freshRing(undefined)
    return [...keys.values()]
      .filter((key) => isVerifying(key, now))
      .map(
        ({ kid, x }): PublicJwk => ({ kty: "OKP", crv: "Ed25519", alg: SigningKeyPair.algorithm, use: "sig", kid, x })
      )
  })

  return AccessTokens.of({ sign, verify, jwks })
})

export const layer: Layer.Layer<AccessTokens, MasterKeyMismatch, AccessStore | Seal | Ids> = Layer.effect(
  AccessTokens,
  make
)
