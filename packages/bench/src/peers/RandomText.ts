import { randomFillSync } from "node:crypto"

const pool = new Uint8Array(8192)
let used = pool.length

/** One secure random byte, from a buffer of many. */
const nextByte = (): number => {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++] ?? 0
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** A ULID: 48 bits of time and 80 random ones, in Crockford's base 32. */
export const ulid = (now: number): string => {
  let time = ""
  for (let rest = now; time.length < 10; rest = Math.floor(rest / 32)) time = crockford.charAt(rest % 32) + time
  let random = ""
  while (random.length < 16) random += crockford.charAt(nextByte() & 31)
  return time + random
}

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The 16 random letters and digits of an id, uniformly distributed. */
export const idText = (): string => {
  let text = ""
  while (text.length < 16) {
    const byte = nextByte()
    if (byte < 248) text += letters.charAt(byte % 62)
  }
  return text
}
