import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Instant } from "./Instant.ts"
import { makeUlids } from "./Ulid.ts"

/**
 * The prefix of each kind of id: of the entity types whose ids the server mints, then of others. 16 characters of
 * `[0-9A-Za-z]` follow (§2.2).
 */
export const prefixes = {
  worker: "wkr_",
  applicant: "app_",
  credential: "cred_",
  credentialCheck: "chk_",
  captureRequest: "cap_",
  exemption: "exm_",
  webhook: "whk_",
  session: "ses_",
  identityProvider: "idp_",
  verificationSource: "src_",
  task: "tsk_",
  import: "imp_",
  merge: "mrg_",
  message: "msg_",
  answer: "ans_",
  document: "doc_",
  note: "note_",
  unit: "unit_",
  event: "evt_",
  delivery: "dlv_",
  verification: "vrf_",
  audit: "aud_",
  tenant: "tnt_",
  account: "acc_",
  personalToken: "pat_"
} as const

export type IdKind = keyof typeof prefixes

/** Letters and digits in the order of their code points. */
export const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomLength = 16

/** Returns the format of an id of this kind, in words. */
export const idFormat = (kind: IdKind): string => `${prefixes[kind]} and ${randomLength} letters or digits`

/** The schema of an id of this kind. */
export const idSchema = <const Kind extends IdKind>(kind: Kind, valueFormat = idFormat(kind)) =>
  Schema.String.check(
    // Without the `u` flag the OpenAPI document omits the pattern.
    Schema.isPattern(new RegExp(`^${prefixes[kind]}[0-9A-Za-z]{${randomLength}}$`, "u"))
  ).annotate({
    description: `\`${prefixes[kind]}\` and ${randomLength} letters or digits, assigned by the server.`,
    valueFormat
  })

/** The id in a link. A body can have an `externalId` instead (`crud/Links.ts`). */
const linkedId = <const Kind extends IdKind>(kind: Kind) =>
  idSchema(kind, `${idFormat(kind)}, unless externalId is given`)

export const WorkerId = idSchema("worker")
export const ApplicantId = idSchema("applicant")
export const LinkedWorkerId = linkedId("worker")
export const LinkedApplicantId = linkedId("applicant")
export const CredentialId = idSchema("credential")
export const ExemptionId = idSchema("exemption")
export const WebhookId = idSchema("webhook")
export const RecruitmentCheckId = idSchema("credentialCheck")
export const FetchRequestId = idSchema("captureRequest")
export const PersonalTokenId = idSchema("personalToken")
export const DeliveryId = idSchema("delivery")
export const SessionId = idSchema("session")
export const AccountId = idSchema("account")
export const IdentityProviderId = idSchema("identityProvider")
export const TaskId = idSchema("task")
export const VerificationSourceId = idSchema("verificationSource")
export const ImportId = idSchema("import")
export const MergeId = idSchema("merge")
export const MessageId = idSchema("message")
export const NoteId = idSchema("note")
export const AnswerId = idSchema("answer")
export const DocumentId = idSchema("document")
export const UnitId = idSchema("unit")
export const LinkedUnitId = linkedId("unit")

const code = /^[a-z0-9][a-z0-9_-]{0,63}$/u

/** The format of a code, in words. */
export const codeFormat = "1 to 64 characters of a-z, 0-9, _ and -, starting with a letter or digit"

/** The caller's name for a resource, which becomes its id (DECISIONS.md#resources). */
export const Code = Schema.String.check(Schema.isPattern(code)).annotate({
  description: "The code that the caller chose on creation. It never changes.",
  valueFormat: codeFormat
})

/** Returns whether text has the format of a code. */
export const isCode = (text: string): boolean => code.test(text)

/** Returns whether text has the format of an id of this kind. The item need not exist. */
export const isId = (kind: IdKind, text: string): boolean =>
  text.length === prefixes[kind].length + randomLength &&
  text.startsWith(prefixes[kind]) &&
  /^[0-9A-Za-z]+$/.test(text.slice(prefixes[kind].length))

/** Returns a valid id that stands for nothing. The chance that it is minted is 1 in 62^16. */
export const idOfNothing = (kind: IdKind): string => prefixes[kind] + "0".repeat(randomLength)

/**
 * Returns random characters of an alphabet, all equally likely. Discards bytes at or above the largest multiple of the
 * alphabet's size: a plain remainder would favour the first characters.
 */
export const randomText = (length: number, letters: string, randomBytes: (size: number) => Uint8Array): string => {
  const fair = 256 - (256 % letters.length)
  let text = ""
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      if (byte < fair && text.length < length) text += letters[byte % letters.length]
    }
  }
  return text
}

const poolBytes = 4096

/** Draws random bytes in bulk, because one draw costs as much as hundreds of bytes. Used bytes are erased. */
const pooled = (draw: (size: number) => Uint8Array) => {
  let pool = new Uint8Array(0)
  let used = 0
  return (size: number): Uint8Array => {
    if (used + size > pool.length) {
      pool = Uint8Array.from(draw(Math.max(poolBytes, size)))
      used = 0
    }
    const bytes = pool.slice(used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return bytes
  }
}

/** Mints ids and secrets from a cryptographically secure source. */
export class Ids extends Context.Service<
  Ids,
  {
    /** Returns a new id: the prefix of the kind and 16 random characters of `[0-9A-Za-z]` (95 bits). */
    readonly mint: (kind: IdKind) => Effect.Effect<string>
    /** Returns a synchronous source of ids, for decisions that do not know in advance how many they need. */
    readonly source: (kind: IdKind) => () => string
    /** Returns random characters of an alphabet, by default `[0-9A-Za-z]`, for a secret. */
    readonly secret: (length: number, letters?: string) => Effect.Effect<string>
    /** A new ULID: the id of a request, or the correlation id if the caller sent none. */
    readonly ulid: Effect.Effect<string>
    /** The same at a time. */
    readonly ulidAt: (now: Instant) => string
  }
>()("@wcs/domain/Ids") {}

export const make = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const randomBytes = pooled((size) => Effect.runSync(random.randomBytes(size))) // Web Crypto is synchronous
  const text = (length: number, letters = alphabet) => randomText(length, letters, randomBytes)
  const ulidAt = makeUlids(randomBytes)
  const next = (kind: IdKind) => prefixes[kind] + text(randomLength)
  return Ids.of({
    mint: (kind) => Effect.sync(() => next(kind)),
    source: (kind) => () => next(kind),
    secret: (length, letters) => Effect.sync(() => text(length, letters)),
    ulid: Effect.map(Clock.currentTimeMillis, ulidAt),
    ulidAt
  })
})

export const layer = Layer.effect(Ids, make)
