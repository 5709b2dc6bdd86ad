import { Effect, Random } from "effect"
import { Base64Url } from "effect/encoding"
import { isObject, type Json } from "../wire/Json.ts"
import { jwtOf } from "../wire/Jwt.ts"

const lower = "abcdefghijklmnopqrstuvwxyz"
const classes = [lower, lower.toUpperCase(), "0123456789"]
const all = classes.join("")

/** A number from 0 to 1, 1 excluded. */
type Next = () => number

const drawn = (from: string, next: Next): string => from[Math.floor(next() * from.length)] ?? ""

const classOf = (char: string): string | undefined => classes.find((one) => one.includes(char))

/** Other letters for letters, of the same case, and other digits for digits; what else there is needs the same escaping. */
const alike = (text: string, next: Next): string => {
  const chars = [...text]
  const isMostlyPlain = chars.filter((char) => classOf(char) !== undefined).length * 2 >= chars.length
  // so few letters and digits would hide too little
  const instead = (char: string) => classOf(char) ?? (isMostlyPlain ? undefined : all)
  return chars
    .map((char) => {
      const from = instead(char)
      return from === undefined ? char : drawn(from, next)
    })
    .join("")
}

const textsAlike = (value: Json, next: Next): Json => {
  if (typeof value === "string") return alike(value, next)
  if (Array.isArray(value)) return value.map((item) => textsAlike(item, next))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, textsAlike(inner, next)]))
}

/** As many draws may come to the secret itself. */
const maxDraws = 100

/**
 * Stand-ins for secrets: texts of the same form that open nothing. Of a JWT the header and the payload's fields, numbers
 * and times are kept, which rules speak of. A secret has the same stand-in each time, and another one in each run.
 */
export const make = Effect.map(Random.Random, (random) => {
  const next: Next = () => random.nextDoubleUnsafe()
  const known = new Map<string, string>()

  const draw = (secret: string): string => {
    for (let draws = 0; draws < maxDraws; draws += 1) {
      const drawn = alike(secret, next)
      if (drawn !== secret) return drawn
    }
    return ""
  }

  const of = (secret: string): string => {
    const before = known.get(secret)
    if (before !== undefined) return before
    const standIn = ofJwt(secret) ?? draw(secret)
    known.set(secret, standIn)
    return standIn
  }

  /** The parts of a JWT are looked for on their own: each has its own stand-in. */
  const ofJwt = (secret: string): string | undefined => {
    const jwt = jwtOf(secret)
    if (jwt === undefined) return undefined
    const [header = "", payload = ""] = secret.split(".")
    // a payload of nothing but numbers would stand for itself
    const other = { ...jwt.payload, "stand-in": "for another" }
    const told = [jwt.payload, other].map((claims) => Base64Url.encode(JSON.stringify(textsAlike(claims, next))))
    if (!known.has(payload)) known.set(payload, told.find((text) => text !== payload) ?? draw(payload))
    return [header, of(payload), of(jwt.signature)].join(".")
  }

  return of
})

/** The stand-in of a secret. */
export type StandInOf = Effect.Success<typeof make>
