import type { Instant } from "../shared/Instant.ts"

const minute = 60_000
const day = 24 * 60 * minute

/** The most links of a request that are open. A further one ends the oldest. */
export const linksMax = 10

/** How long a browser keeps that it is bound: longer than a request can be open. */
export const deviceMillis = 100 * day

/** The most devices of a request. */
export const devicesMax = 5

/** How long a code is accepted. */
export const codeMillis = 15 * minute

/** The most codes that are open: each attempt to send a message makes one. A further one ends the oldest. */
export const codesMax = 3

/** How many wrong codes end all codes until another one is asked for. */
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
  /** Hashes of the devices: the first that has opened a link, and those that have entered a code. */
  readonly devices: ReadonlyArray<string>
  /** Hashes of the codes that are open, the oldest first. */
  readonly codes: ReadonlyArray<{ readonly hash: string; readonly expiresAt: Instant }>
  /** How many codes may still be entered. */
  readonly triesLeft: number
  /** When codes were asked for within the last day. */
  readonly askedAt: ReadonlyArray<Instant>
}

/** Before the first link. */
export const noAccess: AnswerAccess = { links: [], devices: [], codes: [], triesLeft: 0, askedAt: [] }

/** What a device may do with a link. */
export type Standing =
  /** No device has opened the link: the next one that continues is bound. */
  | "first"
  /** The device is bound. */
  | "bound"
  /** Another device is bound. This one needs a code. */
  | "foreign"

export const standingOf = ({ devices }: AnswerAccess, device: string | undefined): Standing => {
  if (devices.length === 0) return "first"
  return device !== undefined && devices.includes(device) ? "bound" : "foreign"
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
      return { ...access, devices: [device] }
    case "bound":
      return access
    case "foreign":
      return undefined
  }
}

/** With the time at which a code was asked for; undefined if it is too soon, or if there were too many. */
export const asked = (access: AnswerAccess, now: Instant): AnswerAccess | undefined => {
  const askedAt = access.askedAt.filter((at) => at > now - day)
  const last = askedAt.at(-1) ?? Number.NEGATIVE_INFINITY
  return askedAt.length >= codesPerDay || now < last + codePauseMillis
    ? undefined
    : { ...access, triesLeft: triesMax, askedAt: [...askedAt, now] }
}

/** With a new code; undefined if no code was asked for within the last day. */
export const withCode = (access: AnswerAccess, hash: string, now: Instant): AnswerAccess | undefined => {
  const open = access.codes.filter(({ expiresAt }) => now < expiresAt)
  return access.askedAt.some((at) => at > now - day)
    ? { ...access, codes: [...open, { hash, expiresAt: now + codeMillis }].slice(-codesMax) }
    : undefined
}

/** With a device that has entered a code. A wrong code costs a try. `isBound` says whether the code was right. */
export const entered = (
  access: AnswerAccess,
  hash: string,
  device: string,
  now: Instant
): { readonly next: AnswerAccess; readonly isBound: boolean } => {
  const codes = access.codes.filter(({ expiresAt }) => now < expiresAt)
  if (access.triesLeft > 0 && codes.some((code) => code.hash === hash)) {
    const devices = [...access.devices.filter((one) => one !== device), device].slice(-devicesMax)
    return { next: { ...access, devices, codes: [], triesLeft: 0 }, isBound: true }
  }
  const triesLeft = Math.max(0, access.triesLeft - 1)
  return { next: { ...access, codes: triesLeft === 0 ? [] : codes, triesLeft }, isBound: false }
}
