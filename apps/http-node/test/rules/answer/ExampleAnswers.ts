import { ids } from "@wcs/api/openapi/examples/Requests"
import { isObject, type JsonValue } from "@wcs/domain/shared/Json"

const accessToken = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhY2NvdW50In0.c2lnbmF0dXJl"
const personalToken = "wcs_pat_Xk3Vb8Nq1Mz6Lp0Wy5Hd9Js2Gf7Ae4Rt8Uc3Qo1Ti6"

/** Values of the examples for secrets, by key. */
const secrets: Readonly<Record<string, string>> = {
  access_token: accessToken,
  clientSecret: "wcs_secret_Vd8kQ2mZr5Tn7Xc1Lp4Wy9Hb3Js6Gf0Ae5Ru2Kt8",
  signingSecret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  inviteUrl: "https://localhost/invite/Xk3Vb8Nq1Mz6Lp0Wy5Hd9Js2Gf7Ae4Rt8Uc3Qo1Ti6P",
  nextCursor: "Zm9yLXRoZS1uZXh0LXBhZ2U",
  position: "djEuYWZ0ZXItdGhpcy1wYWdl"
}

const lastFours: Readonly<Record<string, string>> = {
  lastFour: "1Ti6",
  secretLastFour: "2Kt8",
  signingSecretLastFour: "GKYo"
}

const time = "2026-03-02T10:00:00.000Z"
const laterTime = "2026-06-01T10:00:00.000Z"
const laterDate = "2030-06-30"

const minted = /\b(wkr|app|cred|chk|cap|exm|whk|ses|idp|evt|dlv|vrf|aud|tnt|acc|pat)_[0-9A-Za-z]{16}\b/g
const ulid = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g
const dateTime = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g

const shown: ReadonlySet<string> = new Set(Object.values(ids))

/** Replaces everything that differs between two runs: ids, times, secrets and durations. */
export const makeTimeless = (known: ReadonlyMap<string, string>, sent: string) => {
  const others = new Map<string, string>()
  const numbers = new Map<string, number>()
  const other = (real: string, kind: string, length: number): string => {
    const number = (numbers.get(kind) ?? 0) + 1
    if (!others.has(real)) numbers.set(kind, number)
    const replacement = others.get(real) ?? `${kind}${String(number).padStart(length, "0")}`
    others.set(real, replacement)
    return replacement
  }

  const text = (real: string, key: string): string => {
    const ends = /expires|expiry/i.test(key)
    let written = real
    for (const [documented, actual] of known) written = written.replaceAll(actual, documented)
    return written
      .replaceAll(minted, (id, prefix: string) => (shown.has(id) ? id : other(id, `${prefix}_`, 16)))
      .replaceAll(ulid, (id) => other(id, "01KJQ3T5D8Y4W2", 12))
      .replaceAll(dateTime, ends ? laterTime : time)
      .replace(/^\d{4}-\d{2}-\d{2}$/, (date) => (sent.includes(date) ? date : laterDate))
  }

  const timeless = (value: JsonValue, key = ""): JsonValue => {
    if (Array.isArray(value)) return value.map((item) => timeless(item, key))
    if (isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, timeless(inner, name)]))
    }
    if (key === "durationMillis") return 42
    if (key === "id" && typeof value === "number") return 1017
    if (key === "iat") return 1_772_445_600
    if (key === "exp") return 1_775_037_600
    if (typeof value !== "string") return value
    if (key === "token") return value.startsWith("wcs_pat_") ? personalToken : accessToken
    return secrets[key] ?? lastFours[key] ?? text(value, key)
  }
  return timeless
}
