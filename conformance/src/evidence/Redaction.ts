import { Buffer } from "node:buffer"
import { isDeepStrictEqual } from "node:util"
import { Context, Effect, Layer, Redacted } from "effect"
import type { Finding } from "../judgement/Finding.ts"
import { clientsOf, loginsOf } from "../profile/Clients.ts"
import type { Profile } from "../profile/Profile.ts"
import { reveal, type Secrets } from "../profile/Secrets.ts"
import { isObject, type Json, parse } from "../text/Json.ts"
import type { Answer, Exchange, Request } from "../wire/Exchange.ts"
import type { Event } from "./Event.ts"
import type { Evidence } from "./Evidence.ts"
import * as KnownSecrets from "./KnownSecrets.ts"
import * as SecretFields from "./SecretFields.ts"
import { inEncodedForm, inPlainForm } from "./SecretForms.ts"
import * as StandIns from "./StandIns.ts"
import { secretAtPosition } from "./WebhookSecrets.ts"

/**
 * Removes secrets from events: first known ones by value in every form, then unknown ones by the names of fields and
 * headers.
 */
export class Redaction extends Context.Service<
  Redaction,
  {
    /** Replaces the secret by `‹name›` from now on. The last name of a secret wins. */
    readonly know: (name: string, secret: string) => Effect.Effect<void>
    /** Treats the result of `find` in each exchange as a secret named `<name> of #12`, for every field name. */
    readonly knowBy: (name: string, find: (exchange: Exchange) => string | undefined) => Effect.Effect<void>
    /** Returns the text without known secrets. */
    readonly redact: (text: string) => Effect.Effect<string>
    /**
     * Returns the exchange without secrets. Secrets in fields and headers that are named like secrets are known from
     * now on, as `access_token of #12`.
     */
    readonly exchange: (exchange: Exchange) => Effect.Effect<Exchange>
    /** Returns the event without secrets. */
    readonly event: (event: Event) => Effect.Effect<Event>
    /** Returns the stand-in of a secret for judging again: a string of its form that grants no access. */
    readonly standIn: (secret: string) => Effect.Effect<string>
    /**
     * Returns a response or delivery with stand-ins for its secrets, each in the form in which it was found. Call
     * `exchange` first. Returns undefined without secrets.
     */
    readonly disguised: (exchange: Exchange) => Effect.Effect<Exchange | undefined>
  }
>()("@wcs/conformance/Redaction") {}

/** Shorter strings in secret fields may be ordinary words elsewhere. */
const minLearntChars = 12

const formType = /^application\/x-www-form-urlencoded\b/i

const isForm = ({ headers }: Request): boolean =>
  headers.some(([name, value]) => name.toLowerCase() === "content-type" && formType.test(value))

/** Returns the name and secret of Basic credentials; undefined if they are malformed (RFC 7617). */
const pairIn = (authorization: string): string | undefined => {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization) ?? []
  const pair = Buffer.from(encoded ?? "", "base64").toString("utf8")
  return /^\P{C}*:\P{C}*$/u.test(pair) ? pair : undefined
}

/** Returns the strings in secret fields of JSON text, each with its field name. */
const secretsIn = (text: string, parsed: () => Json | undefined): ReturnType<typeof SecretFields.secretsIn> =>
  SecretFields.mayNameSecret(text) ? SecretFields.secretsIn(parsed()) : []

/** Returns the credentials in a request: names and secrets, and tokens after their scheme. */
const saidIn = (
  request: Request
): { readonly whole: ReadonlyArray<string>; readonly tokens: ReadonlyArray<string> } => {
  const sent = request.headers.flatMap(([name, value]) => (name.toLowerCase() === "authorization" ? [value] : []))
  return {
    whole: [
      ...sent.flatMap((value) => pairIn(value)?.split(/:(.*)/s) ?? []),
      ...(isForm(request) ? [...new URLSearchParams(request.body)].map(([, value]) => value) : []),
      ...secretsIn(request.body, () => parse(request.body)).map(([, secret]) => secret)
    ],
    tokens: sent.filter((value) => pairIn(value) === undefined)
  }
}

/** Returns the parts of a text between its redaction markers. */
const remains = (told: string): ReadonlyArray<string> =>
  told
    .replaceAll(/‹[^‹›]*›/g, " ")
    .split(/[. ]+/)
    .filter((segment) => segment !== "")

/** Learns the secrets of an exchange by position or field name. */
const learning =
  ({ add, addChanged, redact }: KnownSecrets.KnownSecrets) =>
  ({ answer, number, request }: Exchange): void => {
    const { tokens, whole } = saidIn(request)
    const segments = tokens.flatMap((token) => remains(redact(token)))
    for (const text of [...whole.filter((said) => redact(said) === said), ...segments]) addChanged(text)
    for (const [name, secret] of answer === null ? [] : secretsIn(answer.text, () => answer.json)) {
      if (secret.length >= minLearntChars && redact(secret) === secret) add(`${name} of #${number}`, secret)
    }
  }

/** Replaces bits that a neighbour shares with a secret; keeps the length. */
const neighbour = (text: string): string => text.replaceAll(/[^=]/g, "A")

/** Replaces a secret in the form in which it was found. */
const standingIn =
  (standInOf: StandIns.StandInOf): KnownSecrets.Replace =>
  ({ before, behind, isEncoded, known, text }) => {
    if (known === undefined) return SecretFields.undisclosed
    const standIn = standInOf(known.secret)
    if (!isEncoded) return inPlainForm(text, known.secret, standIn)
    return `${neighbour(before)}${inEncodedForm(text, known.secret, standIn)}${neighbour(behind)}`
  }

/** Inserts stand-ins for known secrets and for other values of secret fields. */
const disguising = ({ redact, replace }: KnownSecrets.KnownSecrets, standInOf: StandIns.StandInOf) => {
  const standing = standingIn(standInOf)
  const issued = new Set<string>()
  /** Known secrets are found by value; unknown ones are hidden because of their field name. */
  const hide: SecretFields.Hide = (text) => {
    if (text === "" || issued.has(text) || SecretFields.isMarked(redact(text))) return text
    const standIn = standInOf(text)
    issued.add(standIn)
    return standIn
  }
  const hideEscaped: SecretFields.Hide = (text) => {
    if (!text.includes("\\")) return hide(text)
    const value = parse(`"${text}"`)
    return typeof value === "string" ? JSON.stringify(hide(value)).slice(1, -1) : SecretFields.undisclosed
  }
  const inBody = (text: string): string => {
    if (!SecretFields.mayNameSecret(text)) return text
    const hidden = SecretFields.hideInJsonText(text, hideEscaped)
    const value = parse(hidden)
    const hasOpen = SecretFields.secretsIn(value).some(([, secret]) => hide(secret) !== secret)
    return value !== undefined && hasOpen ? JSON.stringify(SecretFields.hideInJson(value, "", hide)) : hidden
  }
  return {
    text: (text: string): string => replace(inBody(text), standing),
    header: (name: string, value: string): string => replace(SecretFields.hideInHeader(name, value, hide), standing)
  }
}

/** Removes the secrets that `redact` knows from exchanges and events. */
const telling = (redact: (text: string) => string) => {
  const json = (value: Json): Json => {
    if (typeof value === "string") return redact(value)
    if (Array.isArray(value)) return value.map(json)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [redact(key), json(inner)]))
  }
  const sentHeader = (name: string, value: string): string => {
    const told = redact(value)
    const pair = name.toLowerCase() === "authorization" ? pairIn(value) : undefined
    if (pair === undefined || /^Basic ‹[^‹›]*›$/i.test(told)) return SecretFields.hideInSentHeader(name, told)
    const [user = "", secret = ""] = pair.split(/:(.*)/s)
    return `Basic base64(${redact(user)}:${SecretFields.hideMadeUp(redact(secret))})`
  }

  const request = (sent: Request): Request => {
    const body = redact(sent.body)
    return {
      method: sent.method,
      url: SecretFields.hideInPairs(redact(sent.url)),
      headers: sent.headers.map(([name, value]) => [name, sentHeader(name, value)]),
      body: isForm(sent) ? SecretFields.hideInPairs(body) : hideInBody(body, () => parse(body))
    }
  }
  const answer = (received: Answer): Answer => {
    const headers = Object.entries(received.headers).map(([name, value]) => [
      name,
      SecretFields.hideInHeader(name, redact(value))
    ])
    const { json: value, status } = received
    const redacted = redact(received.text)
    const text = hideInBody(redacted, () => (redacted === received.text ? value : parse(redacted)))
    const json = text === received.text ? value : value && parse(text)
    return { status, headers: Object.fromEntries(headers), text, json }
  }
  const finding = (found: Finding): Finding => ({
    ...found,
    differences: found.differences.map((difference) => {
      const name = difference.at.split(/[. ]/).at(-1)
      const expected = SecretFields.hideInJson(json(difference.expected))
      return {
        ...difference,
        at: redact(difference.at),
        expected,
        actual: SecretFields.hideInJson(json(difference.actual), name)
      }
    }),
    ...(found.reason === undefined ? {} : { reason: redact(found.reason) }),
    ...(found.observed === undefined ? {} : { observed: SecretFields.hideInJson(json(found.observed)) })
  })
  const evidence = (noted: Evidence): Evidence => {
    switch (noted.of) {
      case "unsent":
      case "deaf":
      case "halted":
        return { ...noted, reason: redact(noted.reason) }
      case "settled":
        return { ...noted, value: json(noted.value) }
      default:
        return noted
    }
  }
  return { answer, evidence, finding, json, request }
}

/** Hides fields in JSON, and text that looks like fields in anything else. `parsed` returns the JSON of the text. */
const hideInBody = (text: string, parsed: () => Json | undefined): string => {
  if (!SecretFields.mayNameSecret(text)) return text
  const hidden = SecretFields.hideInJsonText(text)
  const value = hidden === text ? parsed() : parse(hidden)
  // secrets in a list or an object have no single text, so remove them from the value
  return value !== undefined && SecretFields.secretsIn(value).some(([, secret]) => isOpen(secret))
    ? JSON.stringify(SecretFields.hideInJson(value))
    : hidden
}

const isOpen = (secret: string): boolean => secret !== "" && !SecretFields.isMarked(secret)

/** Whether a redacted answer is as it was. Its JSON follows from the text. */
const isSameAnswer = (one: Answer, other: Answer): boolean =>
  one.text === other.text && isDeepStrictEqual(one.headers, other.headers)

const isSameRequest = (one: Request, other: Request): boolean =>
  one.body === other.body && one.url === other.url && isDeepStrictEqual(one.headers, other.headers)

/** Returns undefined if nothing was redacted, or if stand-ins show no more than the redacted form. */
const standingFor = <A>(
  made: A,
  redacted: A,
  isSame: (one: A, other: A) => boolean,
  disguise: (made: A, redacted: A) => A
): A | undefined => {
  if (isSame(made, redacted)) return undefined
  const standing = disguise(made, redacted)
  return isSame(standing, redacted) ? undefined : standing
}

export const make = Effect.gen(function* () {
  const known = KnownSecrets.make()
  const { add, redact } = known
  const learn = learning(known)
  const told = telling(redact)
  const standInOf = yield* StandIns.make
  const disguise = disguising(known, standInOf)
  const finders: Array<readonly [name: string, find: (exchange: Exchange) => string | undefined]> = []

  let last: { readonly made: Exchange; readonly redacted: Exchange; readonly additions: number } | undefined

  /** The redacted exchange, computed once while the same secrets are known. */
  const redactedOf = (made: Exchange): Exchange => {
    if (last?.made === made && last.additions === known.additions()) return last.redacted
    const redacted = { ...made, request: told.request(made.request), answer: made.answer && told.answer(made.answer) }
    last = { made, redacted, additions: known.additions() }
    return redacted
  }

  const exchange = (made: Exchange): Exchange => {
    for (const [name, find] of finders) {
      const secret = find(made)
      if (secret !== undefined && secret.length >= minLearntChars) add(`${name} of #${made.number}`, secret)
    }
    learn(made)
    return redactedOf(made)
  }

  /** Falls back to the redacted text if a stand-in would still show a secret. */
  const safe = (standing: string, redacted: string): string => (redact(standing) === standing ? standing : redacted)

  const disguisedAnswer = (answer: Answer, redacted: Answer): Answer => {
    const text = safe(disguise.text(answer.text), redacted.text)
    const headers = Object.entries(answer.headers).map(([name, value]) => [
      name,
      safe(disguise.header(name, value), redacted.headers[name] ?? "")
    ])
    return { ...redacted, headers: Object.fromEntries(headers), text, json: parse(text) }
  }

  const disguisedDelivery = (request: Request, redacted: Request): Request => {
    return {
      ...redacted,
      headers: request.headers.map(([name, value], index) => [
        name,
        safe(disguise.header(name, value), redacted.headers[index]?.[1] ?? "")
      ]),
      body: safe(disguise.text(request.body), redacted.body)
    }
  }

  const disguised = (made: Exchange): Exchange | undefined => {
    const redacted = redactedOf(made)
    if (made.kind === "delivery") {
      const request = standingFor(made.request, redacted.request, isSameRequest, disguisedDelivery)
      return request && { ...made, request }
    }
    if (made.answer === null || redacted.answer === null) return undefined
    const answer = standingFor(made.answer, redacted.answer, isSameAnswer, disguisedAnswer)
    return answer && { ...made, answer }
  }

  const event = (happened: Event): Event => {
    switch (happened.type) {
      case "exchange":
        return { ...happened, exchange: exchange(happened.exchange) }
      case "finding":
        return { ...happened, finding: told.finding(happened.finding) }
      case "evidence":
        return { ...happened, evidence: told.evidence(happened.evidence) }
      case "residue":
        return { ...happened, residue: { ...happened.residue, name: redact(happened.residue.name) } }
      case "run-ended":
        return happened.ending.as === "unreachable"
          ? { ...happened, ending: { ...happened.ending, sentence: redact(happened.ending.sentence) } }
          : happened
      default:
        return happened
    }
  }

  return Redaction.of({
    know: (name, secret) => Effect.sync(() => add(name, secret)),
    knowBy: (name, find) =>
      Effect.sync(() => {
        finders.push([name, find])
      }),
    redact: (text) => Effect.sync(() => redact(text)),
    exchange: (made) => Effect.sync(() => exchange(made)),
    event: (happened) => Effect.sync(() => event(happened)),
    standIn: (secret) => Effect.sync(() => standInOf(secret)),
    disguised: (made) => Effect.sync(() => disguised(made))
  })
})

/** Starts without known secrets. */
export const layer: Layer.Layer<Redaction> = Layer.effect(Redaction, make)

/**
 * Registers every secret of a profile: environment variables by name, Basic credentials as `Basic of <principal>`, and
 * webhook secrets by their position.
 */
export const knowProfile = Effect.fnUntraced(function* (profile: Profile, secrets: Secrets) {
  const { know, knowBy } = yield* Redaction
  yield* knowBy("signing secret", (exchange) => secretAtPosition(profile, exchange))
  for (const [reference, secret] of secrets) yield* know(reference.slice(2, -1), Redacted.value(secret))
  for (const [principal, client] of clientsOf(profile)) {
    const pair = [client.clientId, client.clientSecret].map((text) => reveal(secrets, text))
    // RFC 6749 section 2.3.1 form-encodes both first; many clients do not
    for (const parts of [pair.map(encodeURIComponent), pair]) {
      yield* know(
        `Basic of ${principal}${parts === pair ? "" : ", form-encoded"}`,
        Buffer.from(parts.join(":")).toString("base64")
      )
    }
  }
  for (const [name, { password, username }] of loginsOf(profile)) {
    const pair = `${reveal(secrets, username)}:${reveal(secrets, password)}`
    yield* know(`Basic of ${name}`, Buffer.from(pair).toString("base64"))
  }
})
