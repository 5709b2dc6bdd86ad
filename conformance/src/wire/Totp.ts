import { createHmac } from "node:crypto"

// Time-based one-time passwords (RFC 6238) with the settings of authenticator apps: HMAC-SHA-1, six digits, steps of 30
// seconds.

/** The lifetime of a code. */
export const stepSeconds = 30

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** The bytes of a base32 text (RFC 4648), in either letter case; undefined if it is not base32. */
export const keyOf = (base32: string): Buffer | undefined => {
  const letters = [...base32.toUpperCase().replaceAll(/[\s-]|=+$/g, "")].map((letter) => alphabet.indexOf(letter))
  if (letters.length === 0 || letters.includes(-1)) return undefined
  const bits = letters.map((letter) => letter.toString(2).padStart(5, "0")).join("")
  return Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code at a time in Unix milliseconds. */
export const codeAt = (key: Buffer, millis: number): string => {
  const step = Buffer.alloc(8)
  step.writeBigInt64BE(BigInt(Math.floor(millis / (stepSeconds * 1000))))
  const mac = createHmac("sha1", key).update(step).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0")
}

/** The steps before and after for which a deployment may accept codes, because clocks differ. */
const tolerated = Array.from({ length: 41 }, (_, index) => index - 20)

const codesAround = (key: Buffer, millis: number): ReadonlyArray<string> =>
  tolerated.map((steps) => codeAt(key, millis + steps * stepSeconds * 1000))

/** Six digits that are not a valid code within ten minutes: the right code with another last digit. */
export const wrongAt = (key: Buffer, millis: number): string => {
  const right = codeAt(key, millis)
  const around = codesAround(key, millis)
  const others = Array.from(
    { length: 9 },
    (_, index) => `${right.slice(0, -1)}${(Number(right.at(-1)) + index + 1) % 10}`
  )
  return others.find((code) => !around.includes(code)) ?? ""
}

const hourMillis = 3_600_000

/** The code of an hour ago, or of the hour before if that code is valid now. */
export const oldAt = (key: Buffer, millis: number): string => {
  const around = codesAround(key, millis)
  const old = [1, 2, 3].map((hours) => codeAt(key, millis - hours * hourMillis))
  return old.find((code) => !around.includes(code)) ?? ""
}
