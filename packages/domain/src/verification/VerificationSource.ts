import { Result, Schema } from "effect"
import { sourceQuestionsMax } from "../access/RateLimitTier.ts"
import * as CredentialType from "../holding/CredentialType.ts"
import { enumeration } from "../resource/Enumeration.ts"
import { type Document, type Resource, type Stored, toDocument } from "../resource/Resource.ts"
import { time } from "../resource/ShownFields.ts"
import { fromRfc3339, type Instant, toRfc3339 } from "../shared/Instant.ts"
import { WebhookUrl } from "../webhook/WebhookUrl.ts"
import type { RegisterAnswer, RegisterFailed } from "./Register.ts"

// The way by which a tenant asks a register (DECISIONS.md#sources).

/** The maximum number of sources of a tenant. */
const sourcesMax = 100

/** The state of a source. */
export const sourceStates = ["OK", "REFUSED", "AWAY", "PAUSED", "NOT_CONFIGURED"] as const
export type SourceState = (typeof sourceStates)[number]
export const SourceStateWord = enumeration("SourceState", sourceStates)

/** Each result of a question, for people. */
export const resultTexts = {
  OK: "The gateway answers, and takes the secret.",
  TIMEOUT: "The gateway did not answer in time.",
  UNREACHABLE: "The gateway could not be reached, or is not available.",
  SECRET_REFUSED: "The gateway refused the secret.",
  QUESTION_REFUSED: "The gateway refused the question.",
  WRONG_ADDRESS: "No gateway is at the URL.",
  UNREADABLE_ANSWER: "The answer of the gateway could not be read.",
  NOT_CONFIGURED: "The source has no secret, so the gateway was not asked."
} as const

export type SourceResult = keyof typeof resultTexts
const results = Object.keys(resultTexts) as ReadonlyArray<SourceResult>
const SourceResultWord = enumeration("SourceResult", results)

const limits = {
  callsPerMinute: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: sourceQuestionsMax })).annotate({
    description: "Questions per minute, at most. Further ones wait."
  })
}

/** The fields that a caller writes. */
export const written = {
  credentialType: Schema.Literals(CredentialType.asked).annotate({
    description:
      "Code of the credential type whose register is asked, by the oldest source of the type. It cannot change."
  }),
  url: WebhookUrl.annotateKey({
    description: "Gateway: an https URL at a public address, unless the deployment allows others."
  }),
  intervalDays: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 31 })).annotate({
    description: "Days until a card is verified again: from 1 (daily) to 31 (monthly). 7 by default."
  }),
  limits: Schema.Struct(limits).annotate({ description: "Limits of the register. 60 calls per minute by default." })
}

/** What the server says about a source. */
const reported = {
  state: SourceStateWord.annotateKey({
    description:
      "OK: the last question was answered, or none was asked yet. REFUSED: the gateway refused the secret or the " +
      "question, gave an unreadable answer, or is not at the URL. AWAY: it was not reached in time. PAUSED: nothing is asked, " +
      "verifications wait. NOT_CONFIGURED: no secret is stored, nothing is asked."
  }),
  lastSuccessAt: Schema.NullOr(time).annotate({
    description: "Last answer of the gateway, to the hour. Null before the first."
  }),
  lastFault: Schema.NullOr(
    Schema.Struct({
      result: SourceResultWord.annotateKey({ description: "Kind of the fault." }),
      message: Schema.String.annotate({ description: "The fault in one sentence." }),
      at: time.annotate({ description: "When the question failed." })
    })
  ).annotate({ description: "Last question that failed, to the hour. Null before the first." })
}

/** A source as it is stored. */
export const VerificationSourceFields = Schema.Struct({
  ...written,
  ...reported,
  /** The result of the last question since the gateway was set. */
  lastResult: SourceResultWord,
  isPaused: Schema.Boolean,
  /** Encrypted by `Seal`; empty without a secret. */
  sealedSecret: Schema.String
})
export type VerificationSourceFields = typeof VerificationSourceFields.Type

/** A source as the API shows it. */
export const VerificationSourceView = Schema.Struct({
  ...written,
  ...reported,
  hasSecret: Schema.Boolean.annotate({
    description: "Whether a secret is stored. The secret itself is never returned."
  })
})
export type VerificationSourceView = typeof VerificationSourceView.Type

/** The source of a tenant for the register of one credential type. */
export const VerificationSource = {
  type: "verificationSource",
  naming: { by: "minting", kind: "verificationSource" },
  collection: "verification-sources",
  fields: VerificationSourceFields,
  computed: [
    ["state"],
    ["lastSuccessAt"],
    ["lastFault"],
    ["lastResult"],
    ["isPaused"],
    ["sealedSecret"],
    ["hasSecret"]
  ],
  fixed: [{ path: ["credentialType"], advice: "create another verification source" }],
  defaults: [
    { path: ["intervalDays"], value: 7 },
    { path: ["limits"], value: { callsPerMinute: 60 } },
    { path: ["state"], value: "NOT_CONFIGURED" },
    { path: ["lastSuccessAt"], value: null },
    { path: ["lastFault"], value: null },
    { path: ["lastResult"], value: "OK" },
    { path: ["isPaused"], value: false },
    { path: ["sealedSecret"], value: "" }
  ],
  most: sourcesMax,
  links: [],
  told: ["credentialType", "url", "intervalDays", "limits"],
  columns: {
    credential_type: { path: ["credentialType"] },
    state: { path: ["state"] }
  },
  filters: {
    credentialType: { by: "equal", column: "credential_type", among: CredentialType.asked },
    state: { by: "equal", column: "state", among: sourceStates }
  },
  sorts: { credentialType: "credential_type" }
} as const satisfies Resource<VerificationSourceFields>

export type StoredSource = Stored<VerificationSourceFields>

/** The source as the API shows it. */
export const documentOf = (stored: StoredSource): Document<VerificationSourceView> => {
  const { isPaused: _, lastResult: __, sealedSecret, ...shown } = toDocument(VerificationSource, stored)
  return { ...shown, hasSecret: sealedSecret !== "" }
}

const stateOf = ({ isPaused, lastResult, sealedSecret }: VerificationSourceFields): SourceState => {
  if (isPaused) return "PAUSED"
  if (sealedSecret === "") return "NOT_CONFIGURED"
  if (lastResult === "OK") return "OK"
  return lastResult === "TIMEOUT" || lastResult === "UNREACHABLE" ? "AWAY" : "REFUSED"
}

/** What happens to a source. */
export type SourceEvent =
  /** A caller wrote the settings. A `secret` is the new sealed one. */
  | { readonly _tag: "Written"; readonly secret: string | undefined }
  | { readonly _tag: "Paused" }
  | { readonly _tag: "Resumed" }
  /** The gateway was asked. */
  | { readonly _tag: "Asked"; readonly result: SourceResult; readonly at: Instant }

/** How often the times of equal results are stored, so that a busy source is seldom written. */
const freshMillis = 3_600_000

const isFresh = (text: string | undefined | null, at: Instant): boolean =>
  at - (fromRfc3339(text ?? "") ?? Number.NEGATIVE_INFINITY) < freshMillis

const askedWith = (
  before: VerificationSourceFields,
  result: SourceResult,
  at: Instant
): Partial<VerificationSourceFields> => {
  const isSame = before.lastResult === result
  if (result === "OK") {
    return isSame && isFresh(before.lastSuccessAt, at) ? {} : { lastResult: result, lastSuccessAt: toRfc3339(at) }
  }
  return isSame && isFresh(before.lastFault?.at, at)
    ? {}
    : { lastResult: result, lastFault: { result, message: resultTexts[result], at: toRfc3339(at) } }
}

const changedBy = (before: VerificationSourceFields, event: SourceEvent): Partial<VerificationSourceFields> => {
  switch (event._tag) {
    case "Written":
      return event.secret === undefined ? {} : { sealedSecret: event.secret, lastResult: "OK" }
    case "Paused":
      return { isPaused: true }
    case "Resumed":
      return { isPaused: false }
    case "Asked":
      return askedWith(before, event.result, event.at)
  }
}

/** The source after an event: every transition of its state. */
export const afterEvent = (before: VerificationSourceFields, event: SourceEvent): VerificationSourceFields => {
  const after = { ...before, ...changedBy(before, event) }
  return { ...after, state: stateOf(after) }
}

/** The result that an answer of the gateway, or its failure, is for the source. */
export const resultOf = (answer: Result.Result<RegisterAnswer, RegisterFailed>): SourceResult => {
  if (Result.isSuccess(answer)) return "OK"
  const { fault, refused } = answer.failure
  if (fault === "SOURCE_TIMEOUT") return "TIMEOUT"
  if (refused === "secret") return "SECRET_REFUSED"
  if (refused === "question") return "QUESTION_REFUSED"
  if (refused === "address") return "WRONG_ADDRESS"
  return fault === "SOURCE_UNAVAILABLE" ? "UNREACHABLE" : "UNREADABLE_ANSWER"
}

/**
 * The result of a test. Its question is about nobody, and a gateway checks the secret first. A gateway that refuses only
 * the question therefore has taken the secret.
 */
export const testResultOf = (answer: Parameters<typeof resultOf>[0]): SourceResult => {
  const result = resultOf(answer)
  return result === "QUESTION_REFUSED" ? "OK" : result
}

/** What a test of a source found. */
export const SourceTest = Schema.Struct({
  result: SourceResultWord.annotateKey({ description: "What the gateway did." }),
  message: Schema.String.annotate({ description: "The same in one sentence." }),
  state: SourceStateWord.annotateKey({ description: "The state of the source after the test." })
})
export type SourceTest = typeof SourceTest.Type

/** By which way a register is asked. */
export const ways = ["TENANT", "DEPLOYMENT", "NONE"] as const

/** A register that can be asked, and the source by which the tenant asks it. */
export const SourcedRegister = Schema.Struct({
  credentialType: Schema.String.annotate({ description: "Code of the credential type." }),
  displayName: Schema.String.annotate({ description: "Name of the type for people, in English." }),
  needsAccount: Schema.Boolean.annotate({ description: "Whether the register answers only accounts of the employer." }),
  askedBy: enumeration("SourceWay", ways).annotateKey({
    description:
      "TENANT: by the source of `sourceId`. DEPLOYMENT: by the register in the deployment's settings, the default. It " +
      "cannot be edited here. NONE: the type needs a source, and verifications end as SOURCE_NOT_CONFIGURED."
  }),
  sourceId: Schema.NullOr(Schema.String).annotate({
    description: "Id of the tenant's source, `src_…`; null without one."
  }),
  state: Schema.NullOr(SourceStateWord).annotate({
    description: "State of the tenant's source. NOT_CONFIGURED with NONE. Null with DEPLOYMENT: operators know it."
  })
})
export type SourcedRegister = typeof SourcedRegister.Type
