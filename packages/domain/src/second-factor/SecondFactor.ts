import { isSuperAdmin, type Role } from "../access/Privilege.ts"
import { peek, type Quota, type RateLimit, take, type Window } from "../access/RateLimitTier.ts"
import type { Instant } from "../shared/Instant.ts"
import { normalize } from "../user/Passwords.ts"

/** The authenticator app and the recovery codes of an account (§5.2, item 9; RFC 6238). */
export interface SecondFactor {
  readonly tenantId: string
  readonly accountId: string
  /** The seed, encrypted by `Seal`. */
  readonly sealedSeed: string
  readonly createdAt: Instant
  /** When a right code confirmed the enrolment. Until then null, and login asks for no code. */
  readonly confirmedAt: Instant | null
  /** The last time step with an accepted code. Codes of this step or an earlier one are refused. */
  readonly lastStep: number
  /** SHA-256 of the unused recovery codes, hex. */
  readonly recoveryHashes: ReadonlyArray<string>
  /** Wrong codes in the current hour by device, at most `deviceWindowsMax` windows, newest first. */
  readonly failures: ReadonlyArray<DeviceWindow>
}

/** Wrong codes from one known device, or from all unknown devices (`device` null). */
export interface DeviceWindow extends Window {
  readonly device: string | null
}

/** RFC 6238, section 5.2: the length of a step. */
export const stepSeconds = 30
export const codeDigits = 6
/** RFC 6238, section 5.2: one step on each side, for clocks that differ. */
export const windowSteps = 1
/** RFC 4226, section 4: the seed is as long as the hash. */
export const seedBytes = 20
/** The limit of wrong codes per account and device. Above it, no code is accepted until the hour ends. */
export const codeFailures: RateLimit = { calls: 5, windowSeconds: 3600 }
/** The maximum number of devices per account that are counted separately. Others count as unknown. */
export const deviceWindowsMax = 10
export const recoveryCodeCount = 10
/** 16 characters of a 32-character alphabet have 80 bits. */
export const recoveryCodeLength = 16
/** RFC 4648, section 6, in lower case. Has no 0, 1, 8 or 9, which look like letters. */
export const recoveryAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

/** A shorter password needs a second factor at web login (SP 800-63B-4, section 3.1.1.2). */
export const aloneMinimumLength = 15

/** Whether the organization needs an app of everybody on this day. `from` is the first such day, if there is one. */
export const isRequiredOfAll = (from: string | undefined, today: string): boolean => from !== undefined && from <= today

/**
 * Returns whether an account without an app must enrol one before a login with a password. True for a Super Admin, if the
 * password is too short to be the only factor, and from the day that the organization has set. Length counts code points.
 */
export const isRequired = (role: Role, password: string, ofAll: boolean): boolean =>
  ofAll || isSuperAdmin(role) || [...normalize(password)].length < aloneMinimumLength

/** Normalizes a code as typed, of the app or a recovery code: ignores spaces, dashes and letter case. */
export const normalizeCode = (text: string): string => text.toLowerCase().replaceAll(/[\s\p{Dash}]/gu, "")

/** Returns whether normalized text is six ASCII digits. */
export const isCode = (text: string): boolean => /^[0-9]{6}$/.test(text)

/** Returns the time step of an instant (RFC 6238, section 4.2). */
export const stepOf = (now: Instant): number => Math.floor(now / 1000 / stepSeconds)

/** Returns when a step began; null if no code was accepted. */
export const timeOfStep = (step: number): Instant | null => (step === 0 ? null : step * stepSeconds * 1000)

/** Returns the steps whose codes are accepted now, the current one first. */
export const stepsAround = (now: Instant): ReadonlyArray<number> => {
  const step = stepOf(now)
  const offsets = Array.from({ length: windowSteps }, (_, index) => index + 1)
  return [step, ...offsets.flatMap((offset) => [step - offset, step + offset])]
}

/** Formats a recovery code in groups of four. */
export const showRecoveryCode = (code: string): string => code.match(/.{1,4}/g)?.join("-") ?? code

/** The result of a code: the factor to store, and the quota. */
export type Judgement =
  | { readonly _tag: "Taken"; readonly next: SecondFactor }
  | { readonly _tag: "Wrong"; readonly next: SecondFactor; readonly quota: Quota }
  | { readonly _tag: "Limited"; readonly quota: Quota }

/**
 * Judges a code. `taken` is the factor after the code was used; undefined if the code is wrong. Wrong codes of
 * strangers do not count against a known device, so nobody can lock the user out. Above the limit, right codes are
 * refused too.
 */
export const judge = (
  factor: SecondFactor,
  device: string | null,
  now: Instant,
  taken: SecondFactor | undefined
): Judgement => {
  const window = factor.failures.find((one) => one.device === device)
  const standing = peek(window, codeFailures, now)
  if (standing.exceeded) return { _tag: "Limited", quota: standing }
  const others = factor.failures.filter((one) => one.device !== device)
  if (taken !== undefined) return { _tag: "Taken", next: { ...taken, failures: others } }
  const counted = take(window, codeFailures, now)
  const failures = [{ ...counted.window, device }, ...others].slice(0, deviceWindowsMax)
  return { _tag: "Wrong", next: { ...factor, failures }, quota: counted.quota }
}

/** Returns the factor after using the code of `step`; undefined if that step or a later one is already used. */
export const takeStep = (factor: SecondFactor, step: number): SecondFactor | undefined =>
  step > factor.lastStep ? { ...factor, lastStep: step } : undefined

/** Returns the factor without the recovery code of this hash; undefined if there is no such code. */
export const takeRecoveryCode = (factor: SecondFactor, hash: string): SecondFactor | undefined =>
  factor.recoveryHashes.includes(hash)
    ? { ...factor, recoveryHashes: factor.recoveryHashes.filter((other) => other !== hash) }
    : undefined

/** Returns whether login asks the account for a code. */
export const isInForce = (factor: SecondFactor | null): factor is SecondFactor & { readonly confirmedAt: Instant } =>
  factor !== null && factor.confirmedAt !== null
