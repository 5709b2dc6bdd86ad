import type { Instant } from "../shared/Instant.ts"

const minute = 60_000
const day = 24 * 60 * minute

/** The most links of a request that are open. A further one ends the oldest. */
export const linksMax = 10

/** How long a code is accepted. */
export const codeMillis = 15 * minute

/** The most codes that are open: each attempt to send a message makes one. A further one ends the oldest. */
export const codesMax = 3

/** How many codes a device may enter for each code that it has asked for. */
export const triesMax = 5

/** The most codes that are sent for a request in a day. */
export const codesPerDay = 5

/** The shortest time between two codes. */
export const codePauseMillis = minute

/** Digits of a code. */
export const codeLength = 8

/** Who may open the page of a request. Has hashes only. */
export interface AnswerAccess {
  /** Hashes of the secrets of the links, the oldest first. */
  readonly links: ReadonlyArray<string>
  /** Hash of the device that is bound: the first that has opened a link, or the last that has entered a code. */
  readonly device: string | null
  /** Hashes of the codes that are open, the oldest first. */
  readonly codes: ReadonlyArray<{ readonly hash: string; readonly expiresAt: Instant }>
  /** The devices that asked for a code within the last day. Only they may enter one, so a stranger spends no other's tries. */
  readonly askers: ReadonlyArray<{ readonly device: string; readonly at: Instant; readonly triesLeft: number }>
}

/** Before the first link. */
export const noAccess: AnswerAccess = { links: [], device: null, codes: [], askers: [] }

/** Stands for a bound device after the person has left it: the next one needs a code. */
const left = "left"

/** What a device may do with a link. */
export type Standing =
  /** No device has opened the link: the next one that continues is bound. */
  | "first"
  /** The device is bound. */
  | "bound"
  /** Another device is bound, or was. This one needs a code. */
  | "foreign"

export const standingOf = (access: AnswerAccess, device: string | undefined): Standing => {
  if (access.device === null) return "first"
  return access.device === device ? "bound" : "foreign"
}

/** With a further link. */
export const withLink = (access: AnswerAccess, hash: string): AnswerAccess => ({
  ...access,
  links: [...access.links, hash].slice(-linksMax)
})

/** With the first device; undefined if another device was first. */
export const bound = (access: AnswerAccess, device: string): AnswerAccess | undefined => {
  switch (standingOf(access, device)) {
    case "first":
      return { ...access, device }
    case "bound":
      return access
    case "foreign":
      return undefined
  }
}

/** Without the bound device; undefined if this one is not bound. */
export const leaving = (access: AnswerAccess, device: string | undefined): AnswerAccess | undefined =>
  standingOf(access, device) === "bound" ? { ...access, device: left } : undefined

const askersOf = ({ askers }: AnswerAccess, now: Instant) => askers.filter(({ at }) => at > now - day)

/** With a device that has asked for a code; undefined if it needs none, if it is too soon, or if there were too many. */
export const asked = (access: AnswerAccess, device: string, now: Instant): AnswerAccess | undefined => {
  const askers = askersOf(access, now)
  const last = askers.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  return standingOf(access, device) !== "foreign" || askers.length >= codesPerDay || now < last + codePauseMillis
    ? undefined
    : { ...access, askers: [...askers, { device, at: now, triesLeft: triesMax }] }
}

/** With a new code; undefined if no code was asked for within the last day. */
export const withCode = (access: AnswerAccess, hash: string, now: Instant): AnswerAccess | undefined => {
  const open = access.codes.filter(({ expiresAt }) => now < expiresAt)
  return askersOf(access, now).length > 0
    ? { ...access, codes: [...open, { hash, expiresAt: now + codeMillis }].slice(-codesMax) }
    : undefined
}

/**
 * With a device that has entered a code. A right code ends the access of every other device: who reads the messages of the
 * person is the person. A wrong one costs the device a try. `next` is undefined if nothing changes: the device has no try
 * left, or has asked for no code, or no code is open.
 */
export const entered = (
  access: AnswerAccess,
  hash: string,
  device: string,
  now: Instant
): { readonly next: AnswerAccess | undefined; readonly isBound: boolean } => {
  const codes = access.codes.filter(({ expiresAt }) => now < expiresAt)
  const askers = askersOf(access, now)
  const asker = askers.findLast((one) => one.device === device && one.triesLeft > 0)
  if (asker === undefined || codes.length === 0 || standingOf(access, device) !== "foreign") {
    return { next: undefined, isBound: false }
  }
  if (codes.some((code) => code.hash === hash)) {
    return { next: { ...access, device, codes: [], askers: spent(askers) }, isBound: true }
  }
  const others = askers.map((one) => (one === asker ? { ...one, triesLeft: one.triesLeft - 1 } : one))
  return { next: { ...access, codes, askers: others }, isBound: false }
}

/** The same askers without tries: they still count for the day. */
const spent = (askers: AnswerAccess["askers"]): AnswerAccess["askers"] =>
  askers.map((asker) => ({ ...asker, triesLeft: 0 }))
