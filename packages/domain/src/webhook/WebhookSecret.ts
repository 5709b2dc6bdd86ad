import { Data, Effect, Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import type { Instant } from "../shared/Instant.ts"
import { Seal } from "../shared/Seal.ts"

/** A secret that signs a webhook's deliveries, as it lies in the webhook's document. Times are `Instant`s. */
export const KeptSecret = Schema.Struct({
  sealed: Schema.String,
  lastFour: Schema.String,
  createdAt: Schema.Number,
  /** Until when it is accepted still; null as long as no newer one has taken its place. */
  retiresAt: Schema.NullOr(Schema.Number)
})
export type KeptSecret = typeof KeptSecret.Type

/** How long both secrets are valid after a rotation: at least 24 hours (§6). */
export const changeoverSeconds = { least: 86_400, most: 7 * 86_400 } as const

/** How many a webhook has at most (DECISIONS.md#webhooks). */
export const secretsMax = 5

/** As many secrets are accepted still as a webhook may have: one more would end another within its changeover. */
export class SecretsFull extends Data.TaggedError("SecretsFull")<{
  readonly max: number
  /** When the next of them retires. */
  readonly until: Instant
}> {}

const randomSize = 32

/** A fresh secret, in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes. */
export const mint: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(randomSize)),
  (bytes) => Redacted.make(`whsec_${Base64.encode(bytes)}`, { label: "signing secret" })
)

/** What the secrets of the webhook with this id are sealed as: under another's they do not open. */
export const purposeOf = (webhookId: string): string => `signing secret of ${webhookId}`

/** What is kept of a fresh secret of the webhook with this id. */
export const keep = (webhookId: string, secret: Redacted.Redacted, now: Instant) =>
  Seal.use(({ seal }) => seal(purposeOf(webhookId), secret)).pipe(
    Effect.map(
      (sealed): KeptSecret => ({ sealed, lastFour: Redacted.value(secret).slice(-4), createdAt: now, retiresAt: null })
    )
  )

/** Those that are accepted at a moment, the newest first. */
export const living = (secrets: ReadonlyArray<KeptSecret>, now: Instant): ReadonlyArray<KeptSecret> =>
  secrets.filter(({ retiresAt }) => retiresAt === null || retiresAt > now)

/** The secrets with a fresh one at their head: the one before it stays valid for the changeover, retired ones go. */
export const rotated = (
  secrets: ReadonlyArray<KeptSecret>,
  fresh: KeptSecret,
  now: Instant,
  changeover: number
): Result.Result<ReadonlyArray<KeptSecret>, SecretsFull> => {
  const older = living(secrets, now).map((secret) => ({
    ...secret,
    retiresAt: secret.retiresAt ?? now + changeover * 1000
  }))
  return older.length < secretsMax
    ? Result.succeed([fresh, ...older])
    : Result.fail(new SecretsFull({ max: secretsMax, until: Math.min(...older.map(({ retiresAt }) => retiresAt)) }))
}

/** Until when the secret that was replaced last is accepted, if it still is. */
export const previousExpiresAt = (secrets: ReadonlyArray<KeptSecret>, now: Instant): Instant | null =>
  living(secrets, now).find(({ retiresAt }) => retiresAt !== null)?.retiresAt ?? null
