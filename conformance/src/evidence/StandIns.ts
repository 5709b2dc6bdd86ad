import { Effect, Random } from "effect"
import { Base64Url } from "effect/encoding"
import { isObject, type Json } from "../text/Json.ts"
import { jwtOf } from "../wire/Jwt.ts"

const lower = "abcdefghijklmnopqrstuvwxyz"
const classes = [lower, lower.toUpperCase(), "0123456789"]
const all = classes.join("")

/** A random number from 0 to 1, excluding 1. */
type Next = () => number

const drawn = (from: string, next: Next): string => from[Math.floor(next() * from.length)] ?? ""

const classOf = (char: string): string | undefined => classes.find((one) => one.includes(char))

/** Replaces letters and digits by others of the same case. Other characters stay, so that the escaping is the same. */
const alike = (text: string, next: Next): string => {
  const chars = [...text]
  const isMostlyPlain = chars.filter((char) => classOf(char) !== undefined).length * 2 >= chars.length
  // a text with so few letters and digits would hide too little
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

/** The number of draws before the search gives up: a draw may equal the secret. */
const maxDraws = 100

/**
 * Returns stand-ins for secrets: strings of the same form that grant no access. A JWT keeps its header, field names,
 * numbers and times, because rules refer to them. Within a run a secret has one stand-in; it differs between runs.
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

  /** Parts of a JWT are found separately, so each has its own stand-in. */
  const ofJwt = (secret: string): string | undefined => {
    const jwt = jwtOf(secret)
    if (jwt === undefined) return undefined
    const [header = "", payload = ""] = secret.split(".")
    // a payload of numbers only would be its own stand-in
    const other = { ...jwt.payload, "stand-in": "for another" }
    const told = [jwt.payload, other].map((claims) => Base64Url.encode(JSON.stringify(textsAlike(claims, next))))
    if (!known.has(payload)) known.set(payload, told.find((text) => text !== payload) ?? draw(payload))
    return [header, of(payload), of(jwt.signature)].join(".")
  }

  return of
})

/** Returns the stand-in of a secret. */
export type StandInOf = Effect.Success<typeof make>
