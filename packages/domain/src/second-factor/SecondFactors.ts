import { Clock, Context, Data, Effect, Layer, Redacted, Result } from "effect"
import type { Account } from "../access/Account.ts"
import type { Role } from "../access/Privilege.ts"
import { RateLimited } from "../access/RateLimitTier.ts"
import { type Actor, makeAudit } from "../audit/AuditEntry.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { Seal } from "../shared/Seal.ts"
import * as SecondFactor from "./SecondFactor.ts"
import { type FactorDecision, SecondFactorStore } from "./SecondFactorStore.ts"
import { Totp } from "./Totp.ts"

/** The code is wrong or was used before, or the account has no factor. The error does not say which. */
export class WrongCode extends Data.TaggedError("WrongCode") {}

/** The account already has a confirmed factor. The factor must be removed before another is enrolled. */
export class AlreadyEnrolled extends Data.TaggedError("AlreadyEnrolled") {}

/** The enrolment of an app. The seed is returned only here. */
export interface Enrolment {
  /** Base32, for typing by hand. */
  readonly seed: Redacted.Redacted
  /** The `otpauth:` URI, for a QR code. */
  readonly uri: Redacted.Redacted
}

/** A code as typed, with its sender's known device, or null. */
export interface CodeAttempt {
  readonly code: string
  readonly knownDevice: string | null
}

/** Authenticator apps and recovery codes (§5.2, item 9). API calls are never asked for a code. */
export class SecondFactors extends Context.Service<
  SecondFactors,
  {
    /** Returns whether login asks the account for a code. */
    readonly isInForce: (account: Account) => Effect.Effect<boolean>
    /** Accepts a code of the confirmed app once. `SecondFactor.judge` limits wrong codes. */
    readonly takeCode: (account: Account, attempt: CodeAttempt) => Effect.Effect<void, WrongCode | RateLimited>
    /** Accepts a recovery code once, under the same limit. */
    readonly takeRecoveryCode: (
      account: Account,
      attempt: CodeAttempt,
      actor: Actor
    ) => Effect.Effect<void, WrongCode | RateLimited>
    /** Starts the enrolment of an app. Discards an earlier enrolment that was not confirmed. */
    readonly begin: (account: Account, issuer: string) => Effect.Effect<Enrolment, AlreadyEnrolled>
    /** Confirms the enrolment with a code of the app. Returns the recovery codes, which are returned only here. */
    readonly confirm: (
      account: Account,
      attempt: CodeAttempt,
      actor: Actor
    ) => Effect.Effect<ReadonlyArray<Redacted.Redacted>, WrongCode | RateLimited | AlreadyEnrolled>
    /** Replaces the recovery codes of a confirmed app. Returns the new ones, which are returned only here. */
    readonly renewRecoveryCodes: (
      account: Account,
      actor: Actor
    ) => Effect.Effect<ReadonlyArray<Redacted.Redacted>, WrongCode>
    /**
     * Removes the factor and ends the account's sessions. Returns whether a factor was in force; otherwise nothing
     * changes. `judge` decides with the role that the account has when the factor is removed.
     */
    readonly reset: <E = never>(
      account: Account,
      actor: Actor,
      judge?: (role: Role | undefined) => Result.Result<void, E>
    ) => Effect.Effect<boolean, E>
  }
>()("@wcs/domain/SecondFactors") {}

/** The encryption purpose of a seed. The seed of one account does not decrypt for another. */
export const purposeOf = (accountId: string): string => `second factor of ${accountId}`

type Refused = WrongCode | RateLimited

/** Returns what to write after a code, with the refusal, if any. */
const decided = (
  factor: SecondFactor.SecondFactor,
  { knownDevice }: CodeAttempt,
  now: Instant,
  taken: SecondFactor.SecondFactor | undefined,
  audit?: FactorDecision<unknown>["audit"]
): FactorDecision<Refused | null> => {
  const judgement = SecondFactor.judge(factor, knownDevice, now, taken)
  switch (judgement._tag) {
    case "Taken":
      return { answer: null, next: judgement.next, ...(audit === undefined ? {} : { audit }) }
    case "Wrong":
      return { answer: new WrongCode(), next: judgement.next }
    case "Limited":
      return { answer: new RateLimited({ quota: judgement.quota }) }
  }
}

const orRefuse = <E>(decision: Effect.Effect<E | null>): Effect.Effect<void, E> =>
  Effect.flatMap(decision, (refusal) => (refusal === null ? Effect.void : Effect.fail(refusal)))

/** The stored seed is not the one that the code was compared with. */
class SeedChanged extends Data.TaggedError("SeedChanged") {}

export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const store = yield* SecondFactorStore
  const totp = yield* Totp
  const seal = yield* Seal
  const digest = yield* Digest
  const audited = makeAudit(ids)

  const entry = (actor: Actor, { id }: Account, action: string, at: Instant) =>
    audited(actor, { operation: "UPDATE", action, entityType: "secondFactor", entityId: id }, at)

  /** Returns the accepted step of a code as typed, if any. */
  const stepOf = Effect.fnUntraced(function* (factor: SecondFactor.SecondFactor | null, typed: string, now: Instant) {
    const code = SecondFactor.normalizeCode(typed)
    if (factor === null || !SecondFactor.isCode(code)) return undefined
    const seed = yield* Effect.orDie(seal.open(purposeOf(factor.accountId), factor.sealedSeed))
    return SecondFactor.stepsAround(now).find((one) => digest.equals(totp.codeAt(seed, one), code))
  })

  /** Changes the factor by its code. Compares the code again if the sealed seed has changed before the commit. */
  const changeByCode = <E>(
    account: Account,
    code: string,
    now: Instant,
    decide: (factor: SecondFactor.SecondFactor | null, step: number | undefined) => FactorDecision<E | null>
  ): Effect.Effect<void, E> =>
    Effect.gen(function* () {
      const read = yield* store.find(account.tenantId, account.id)
      const step = yield* stepOf(read, code, now)
      const refusal = yield* store.change<E | SeedChanged | null>(account.tenantId, account.id, (factor) =>
        factor?.sealedSeed === read?.sealedSeed ? decide(factor, step) : { answer: new SeedChanged() }
      )
      if (refusal instanceof SeedChanged) return yield* changeByCode(account, code, now, decide)
      if (refusal !== null) return yield* Effect.fail(refusal)
    })

  const freshRecoveryCodes = Effect.gen(function* () {
    const { recoveryAlphabet, recoveryCodeCount, recoveryCodeLength, showRecoveryCode } = SecondFactor
    const codes = yield* Effect.replicateEffect(ids.secret(recoveryCodeLength, recoveryAlphabet), recoveryCodeCount)
    return { shown: codes.map((code) => Redacted.make(showRecoveryCode(code))), hashes: codes.map(digest.sha256) }
  })

  return SecondFactors.of({
    isInForce: (account) => Effect.map(store.find(account.tenantId, account.id), SecondFactor.isInForce),
    takeCode: Effect.fn("SecondFactors.takeCode")(function* (account, attempt) {
      const now = yield* Clock.currentTimeMillis
      yield* changeByCode<Refused>(account, attempt.code, now, (factor, step) =>
        SecondFactor.isInForce(factor)
          ? decided(factor, attempt, now, step === undefined ? undefined : SecondFactor.takeStep(factor, step))
          : { answer: new WrongCode() }
      )
    }),
    takeRecoveryCode: Effect.fn("SecondFactors.takeRecoveryCode")(function* (account, attempt, actor) {
      const now = yield* Clock.currentTimeMillis
      const audit = yield* entry(actor, account, "use recovery code", now)
      const hash = digest.sha256(SecondFactor.normalizeCode(attempt.code))
      yield* orRefuse(
        store.change<Refused | null>(account.tenantId, account.id, (factor) =>
          SecondFactor.isInForce(factor)
            ? decided(factor, attempt, now, SecondFactor.takeRecoveryCode(factor, hash), audit)
            : { answer: new WrongCode() }
        )
      )
    }),
    begin: Effect.fn("SecondFactors.begin")(function* (account, issuer) {
      const now = yield* Clock.currentTimeMillis
      const seed = yield* totp.seed
      const next: SecondFactor.SecondFactor = {
        tenantId: account.tenantId,
        accountId: account.id,
        sealedSeed: yield* seal.seal(purposeOf(account.id), seed),
        createdAt: now,
        confirmedAt: null,
        lastStep: 0,
        recoveryHashes: [],
        failures: []
      }
      yield* orRefuse(
        store.change<AlreadyEnrolled | null>(account.tenantId, account.id, (factor) =>
          SecondFactor.isInForce(factor)
            ? { answer: new AlreadyEnrolled() }
            : // A new enrolment keeps the wrong codes of the previous one.
              { answer: null, next: { ...next, failures: factor?.failures ?? [] } }
        )
      )
      return { seed, uri: totp.uri(issuer, account.email ?? "", seed) }
    }),
    confirm: Effect.fn("SecondFactors.confirm")(function* (account, attempt, actor) {
      const now = yield* Clock.currentTimeMillis
      const codes = yield* freshRecoveryCodes
      const audit = yield* entry(actor, account, "enrol", now)
      yield* changeByCode<Refused | AlreadyEnrolled>(account, attempt.code, now, (factor, step) => {
        if (SecondFactor.isInForce(factor)) return { answer: new AlreadyEnrolled() }
        if (factor === null) return { answer: new WrongCode() }
        const taken =
          step === undefined ? undefined : { ...factor, confirmedAt: now, lastStep: step, recoveryHashes: codes.hashes }
        return decided(factor, attempt, now, taken, audit)
      })
      return codes.shown
    }),
    renewRecoveryCodes: Effect.fn("SecondFactors.renewRecoveryCodes")(function* (account, actor) {
      const codes = yield* freshRecoveryCodes
      const audit = yield* entry(actor, account, "renew recovery codes", yield* Clock.currentTimeMillis)
      yield* orRefuse(
        store.change<WrongCode | null>(account.tenantId, account.id, (factor) =>
          SecondFactor.isInForce(factor)
            ? { answer: null, next: { ...factor, recoveryHashes: codes.hashes }, audit }
            : { answer: new WrongCode() }
        )
      )
      return codes.shown
    }),
    reset: Effect.fn("SecondFactors.reset")(function* <E = never>(
      account: Account,
      actor: Actor,
      judge: (role: Role | undefined) => Result.Result<void, E> = () => Result.void
    ) {
      const now = yield* Clock.currentTimeMillis
      const audit = yield* entry(actor, account, "reset", now)
      const decided = yield* store.change<Result.Result<boolean, E>>(account.tenantId, account.id, (factor, role) => {
        const judged = judge(role)
        if (Result.isFailure(judged)) return { answer: Result.fail(judged.failure) }
        return SecondFactor.isInForce(factor)
          ? { answer: Result.succeed(true), next: null, audit, endSessionsAt: now }
          : { answer: Result.succeed(false) }
      })
      return yield* Effect.fromResult(decided)
    })
  })
})

export const layer = Layer.effect(SecondFactors, make)
