import { ids } from "@wcs/api/openapi/examples/Requests"
import { shownAs } from "@wcs/api/openapi/examples/ShownAs"
import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"

/** Values of the examples for secrets and ids of requests, by key. */
const replaced: Readonly<Record<string, string>> = {
  access_token: shownAs.accessToken,
  clientSecret: shownAs.clientSecret,
  signingSecret: shownAs.signingSecret,
  inviteUrl: shownAs.inviteUrl,
  nextCursor: shownAs.nextCursor,
  position: shownAs.position,
  requestId: shownAs.requestId,
  cause: shownAs.time.slice(0, 10)
}
const lastFours: Readonly<Record<string, string>> = {
  lastFour: "1Ti6",
  secretLastFour: "2Kt8",
  signingSecretLastFour: "GKYo"
}

const minted =
  /\b(wkr|mrg|app|cred|chk|cap|exm|whk|ses|idp|evt|dlv|vrf|aud|tnt|acc|pat|msg|ans|doc|note)_[0-9A-Za-z]{16}\b/g
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
    const ends = /expires|expiry|until/i.test(key)
    let written = real
    for (const [documented, actual] of known) written = written.replaceAll(actual, documented)
    return written
      .replaceAll(minted, (id, prefix: string) => (shown.has(id) ? id : other(id, `${prefix}_`, 16)))
      .replaceAll(ulid, (id) => other(id, "01KJQ3T5D8Y4W2", 12))
      .replaceAll(dateTime, ends ? shownAs.laterTime : shownAs.time)
      .replace(/^\d{4}-\d{2}-\d{2}$/, (date) =>
        sent.includes(date) ? date : ["verifiedOn", "day"].includes(key) ? shownAs.time.slice(0, 10) : shownAs.laterDate
      )
  }

  /** A proof without its long parts, which differ between two runs. */
  const shortened = (proof: JsonObject): JsonObject => ({
    ...proof,
    ...{ proves: [], doesNotProve: [], nextSealDue: null, records: [], entries: [], seals: [], keys: [], digests: {} },
    signature: shownAs.accessToken
  })

  const timeless = (value: JsonValue, key = ""): JsonValue => {
    if (key === "exchanges") return [{ ...shownAs.exchange }]
    // The queues depend on how far the workers are.
    if (isObject(value) && value["type"] === "operation") return shownAs.operation
    if (Array.isArray(value)) return value.map((item) => timeless(item, key))
    if (isObject(value)) {
      if (value["form"] === "wcs proof 1" && value["signature"] !== shownAs.accessToken)
        return timeless(shortened(value))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, timeless(inner, name)]))
    }
    if (key === "isSealed") return true
    if (key === "durationMillis") return shownAs.millis
    if (key === "id" && typeof value === "number") return shownAs.number
    if (key === "iat") return shownAs.issuedAt
    if (key === "exp") return shownAs.expiresAt
    if (typeof value !== "string") return value
    if (key === "token") return value.startsWith("wcs_pat_") ? shownAs.personalToken : shownAs.accessToken
    return replaced[key] ?? lastFours[key] ?? text(value, key)
  }
  return timeless
}
