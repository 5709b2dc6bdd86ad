import { createHmac } from "node:crypto"

// Codes of authenticator apps (RFC 6238): six digits, new every 30 seconds.

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** Bytes as an app wants its key. */
export const base32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("")
  return (bits.match(/.{5}/g) ?? []).map((five) => letters.charAt(Number.parseInt(five, 2))).join("")
}

const codeOf = (key: Uint8Array, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeUInt32BE(step, 4)
  const hash = createHmac("sha1", key).update(counter).digest()
  const number = hash.readUInt32BE(hash.readUInt8(19) % 16) % 2 ** 31
  return String(number % 1_000_000).padStart(6, "0")
}

/** Whether a code is that of the present step, or of one of some steps around it, because clocks differ. */
export const isCode = (key: Uint8Array, code: string, { past = 1, seconds = 30 } = {}): boolean => {
  const now = Math.floor(Date.now() / 1000 / seconds)
  return Array.from({ length: past + 2 }, (_, index) => now + 1 - index).some((step) => code === codeOf(key, step))
}
