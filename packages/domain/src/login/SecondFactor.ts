import { isSuperAdmin, type Role } from "../access/Privilege.ts"
import { peek, type Quota, type RateLimit, take, type Window } from "../access/RateLimitTier.ts"
import type { Instant } from "../shared/Instant.ts"
import { normalize } from "./Passwords.ts"

/** The authenticator app and the recovery codes of an account (§5.2, item 9; RFC 6238). */
export interface SecondFactor {
  readonly tenantId: string
  readonly accountId: string
  /** The seed as `Seal` made it. */
  readonly sealedSeed: string
  readonly createdAt: Instant
  /** When a right code proved that the app has the seed; null until then, and the factor is not asked for. */
  readonly confirmedAt: Instant | null
  /** The last time step whose code was taken. No code of that step or an earlier one is taken again. */
  readonly lastStep: number
  /** SHA-256 of the recovery codes that were not used, hex. */
  readonly recoveryHashes: ReadonlyArray<string>
  /** The wrong codes of the hour, by device: the newest `deviceWindowsMax` windows. */
  readonly failures: ReadonlyArray<DeviceWindow>
}

/** Wrong codes that came from one known device, or from all unknown ones (`device` null). */
export interface DeviceWindow extends Window {
  readonly device: string | null
}

/** RFC 6238, section 5.2: the length of a step. */
export const stepSeconds = 30
export const codeDigits = 6
/** RFC 6238, section 5.2: one step on each side, for clocks that differ. */
export const windowSteps = 1
/** RFC 4226, section 4: a seed of the length of the hash. */
export const seedBytes = 20
/** Wrong codes of an account in an hour; after them no code is taken until the hour ends. */
export const codeFailures: RateLimit = { calls: 5, windowSeconds: 3600 }
/** No more devices of an account are counted by themselves; others count as unknown. */
export const deviceWindowsMax = 10
export const recoveryCodeCount = 10
/** 16 letters of 32 are 80 bits. */
export const recoveryCodeLength = 16
/** RFC 4648, section 6, in lower case: no 0, 1, 8 or 9 that people confuse with letters. */
export const recoveryAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

/** A shorter password does not stand alone at web login (SP 800-63B-4, section 3.1.1.2). */
export const aloneMinimumLength = 15

/**
 * Whether an account without an app has to enrol one before it is logged in: a Super Admin always, anybody else if the
 * password is too short to stand alone. Its characters are counted as people count them.
 */
export const isRequired = (role: Role, password: string): boolean =>
  isSuperAdmin(role) || [...normalize(password)].length < aloneMinimumLength

/** Whether text is six ASCII digits. Other digits of Unicode are not. */
export const isCode = (text: string): boolean => /^[0-9]{6}$/.test(text)

/** The time step of a moment (RFC 6238, section 4.2). */
export const stepOf = (now: Instant): number => Math.floor(now / 1000 / stepSeconds)

/** The steps whose codes are taken at a moment, the present one first. */
export const stepsAround = (now: Instant): ReadonlyArray<number> => {
  const step = stepOf(now)
  const offsets = Array.from({ length: windowSteps }, (_, index) => index + 1)
  return [step, ...offsets.flatMap((offset) => [step - offset, step + offset])]
}

/** A recovery code as it is compared: people add spaces and dashes, and type capitals. */
export const normalizeRecoveryCode = (text: string): string => text.toLowerCase().replaceAll(/[\s-]/g, "")

/** A recovery code as it is shown: groups of four. */
export const showRecoveryCode = (code: string): string => code.match(/.{1,4}/g)?.join("-") ?? code

/** The outcome of a code: the factor from now on, and how the account stands to its limit. */
export type Judgement =
  | { readonly _tag: "Taken"; readonly next: SecondFactor }
  | { readonly _tag: "Wrong"; readonly next: SecondFactor; readonly quota: Quota }
  | { readonly _tag: "Limited"; readonly quota: Quota }

/**
 * Judges a code. `taken` is the factor once the code is used, or nothing if the code is wrong. Wrong codes of strangers
 * do not count against a known device, so that nobody can lock the user out. Above the limit right codes are refused
 * too.
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

/** The factor once the code of `step` was taken; none if a code of that step or a later one was taken before. */
export const takeStep = (factor: SecondFactor, step: number): SecondFactor | undefined =>
  step > factor.lastStep ? { ...factor, lastStep: step } : undefined

/** The factor without the recovery code of this hash; none if it has no such code. */
export const takeRecoveryCode = (factor: SecondFactor, hash: string): SecondFactor | undefined =>
  factor.recoveryHashes.includes(hash)
    ? { ...factor, recoveryHashes: factor.recoveryHashes.filter((other) => other !== hash) }
    : undefined

/** Whether the account is asked for a code at login. */
export const isInForce = (factor: SecondFactor | null): factor is SecondFactor & { readonly confirmedAt: Instant } =>
  factor !== null && factor.confirmedAt !== null
