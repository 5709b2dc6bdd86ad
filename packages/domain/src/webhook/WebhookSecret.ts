import { Data, Effect, Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import type { Instant } from "../shared/Instant.ts"
import { Seal } from "../shared/Seal.ts"

/** A stored signing secret of a webhook, encrypted. Times are `Instant`s. */
export const KeptSecret = Schema.Struct({
  sealed: Schema.String,
  lastFour: Schema.String,
  createdAt: Schema.Number,
  /** When it stops being valid; null until a newer secret replaces it. */
  retiresAt: Schema.NullOr(Schema.Number)
})
export type KeptSecret = typeof KeptSecret.Type

/** How long both secrets are valid after a rotation: at least 24 hours (§6). */
export const changeoverSeconds = { least: 86_400, most: 7 * 86_400 } as const

/** The maximum number of valid secrets of a webhook (DECISIONS.md#webhooks). */
export const secretsMax = 5

/** The webhook has the maximum number of valid secrets. Another rotation would end one of them too early. */
export class SecretsFull extends Data.TaggedError("SecretsFull")<{
  readonly max: number
  /** When the next secret retires. */
  readonly until: Instant
}> {}

const randomSize = 32

/** A new secret in the Standard Webhooks format: `whsec_` and base64 of 32 random bytes. */
export const mint: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(randomSize)),
  (bytes) => Redacted.make(`whsec_${Base64.encode(bytes)}`, { label: "signing secret" })
)

/** The encryption purpose of a webhook's secrets. A secret of one webhook does not decrypt for another. */
export const purposeOf = (webhookId: string): string => `signing secret of ${webhookId}`

/** A new secret of the webhook, encrypted for storage. */
export const keep = (webhookId: string, secret: Redacted.Redacted, now: Instant) =>
  Seal.use(({ seal }) => seal(purposeOf(webhookId), secret)).pipe(
    Effect.map(
      (sealed): KeptSecret => ({ sealed, lastFour: Redacted.value(secret).slice(-4), createdAt: now, retiresAt: null })
    )
  )

/** The secrets that are valid at a time, newest first. */
export const living = (secrets: ReadonlyArray<KeptSecret>, now: Instant): ReadonlyArray<KeptSecret> =>
  secrets.filter(({ retiresAt }) => retiresAt === null || retiresAt > now)

/**
 * The secrets after a rotation: the new one first, the previous one valid for the changeover, retired ones removed.
 * Fails with `SecretsFull` above `secretsMax`.
 */
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

/** When the previous secret expires; null when none is valid. */
export const previousExpiresAt = (secrets: ReadonlyArray<KeptSecret>, now: Instant): Instant | null =>
  living(secrets, now).find(({ retiresAt }) => retiresAt !== null)?.retiresAt ?? null
