import { Buffer } from "node:buffer"
import { Redacted } from "effect"
import type { Profile } from "../profile/Profile.ts"
import type { Secrets } from "../profile/Secrets.ts"
import { handle, handleOf, handles } from "../text/Handle.ts"
import { isObject, type Json, parse } from "../text/Json.ts"
import type { Answer, Exchange, Request } from "./Exchange.ts"
import * as KnownSecrets from "./KnownSecrets.ts"
import * as SecretFields from "./SecretFields.ts"
import { formEncoded, type SecretShape, shapeOf } from "./SecretShape.ts"
import { secretAtPosition } from "./WebhookSecrets.ts"

// Only the wire sees values. A walk, an exchange and a report hold handles.

/** Secrets that are found by value only if they are at least this long. Shorter ones may be ordinary words. */
const minLearntChars = 12

const formType = /^application\/x-www-form-urlencoded\b/i

/** How a body writes a text. */
const inBody = ({ body, headers }: Request): ((text: string) => string) => {
  if (headers.some(([name, value]) => name.toLowerCase() === "content-type" && formType.test(value))) return formEncoded
  return /^\s*[[{"]/.test(body) ? (text) => JSON.stringify(text).slice(1, -1) : (text) => text
}

const shared = (left: string, right: string, max: number): number => {
  let count = 0
  while (count < max && left[count] === right[count]) count += 1
  return count
}

const reversed = (text: string): string => text.split("").reverse().join("")

const jwt = /^[\w-]+\.([\w-]+)\.([\w-]+)$/

/** The texts of a request, with handles. */
const saidBy = ({ body, headers, url }: Request): string => [url, ...headers.map(([, value]) => value), body].join("\n")

/** The handles of a run and their values. Without values, for a run that is judged again, texts stay as they are. */
export interface Handles {
  /** Returns the handle of a value; the first name of a value stays. */
  readonly know: (name: string, secret: string, least?: number) => string
  /** Returns the handle with another name. Further texts show this name. */
  readonly rename: (name: string, text: string) => string
  /** Returns a text made from the secret behind a handle, as the parts that are left of it and other handles. */
  readonly derive: (what: string, from: string, text: string) => string
  /** Returns the handle of a reference in the profile, else the text. */
  readonly reveal: (text: string) => string
  /** Returns the text with values instead of handles. */
  readonly open: (text: string) => string
  readonly shapeOf: (text: string) => SecretShape
  /** Returns the request with values instead of handles. Only for the wire. */
  readonly filled: (request: Request) => Request
  /** Returns the answer with handles instead of secrets: known ones by value, new ones by the names of their fields. */
  readonly answered: (exchange: Exchange, answer: Answer) => Answer
  /** Does the same for the request of a delivery. */
  readonly delivered: (number: number, request: Request) => Request
  /** The secrets of the profile: their handles and shapes by variable. */
  readonly ofProfile: ProfileHandles
}

/** The handles of a profile's variables. Two variables with one value have one handle. */
export type ProfileHandles = Readonly<Record<string, { readonly handle: string; readonly shape: SecretShape }>>

/** Hides the texts of a JSON value, also those that are numbers. */
const hidingJson = (hide: (text: string) => string) => {
  const json = (value: Json): Json => {
    if (typeof value === "string") return hide(value)
    if (typeof value === "number") return hide(String(value)) === String(value) ? value : hide(String(value))
    if (Array.isArray(value)) return value.map(json)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [hide(key), json(inner)]))
  }
  return json
}

/** Starts with the secrets of a profile. */
export const make = (profile: Profile, secrets: Secrets): Handles => {
  const values = new Map<string, string>()
  const byValue = new Map<string, string>()
  const { add, hide } = KnownSecrets.make()
  for (const mark of ["‹", "›"]) put(mark === "‹" ? "left mark" : "right mark", mark, 0)

  function put(name: string, secret: string, least: number): string {
    values.set(name, secret)
    byValue.set(secret, handleOf(name))
    if (secret.length >= least) add(secret, handleOf(name))
    const [, payload = "", signature = ""] = jwt.exec(secret) ?? []
    for (const [part, text] of [["payload", payload], ["signature", signature]] as const) {
      // the header of a JWT is not secret
      if (text !== "") values.set(`${part} of ${name}`, text)
      if (text.length >= minLearntChars) add(text, handleOf(`${part} of ${name}`))
    }
    return handleOf(name)
  }

  const know = (name: string, secret: string, least = minLearntChars): string =>
    secret === "" ? "" : (byValue.get(secret) ?? put(name, secret, least))

  const valueOf = (name: string): string | undefined => {
    const [, encoded] = /^form-encoded (.*)$/.exec(name) ?? []
    const value = values.get(encoded ?? name)
    return encoded === undefined ? value : value && formEncoded(value)
  }

  const fill = (text: string, encode = (value: string) => value): string =>
    text.replaceAll(handles, (found, name: string) => {
      const value = valueOf(name)
      return value === undefined ? found : encode(value)
    })

  const rename = (name: string, text: string): string => put(name, fill(text), minLearntChars)

  /** Text made from one secret or a part of it: the beginning and the end that are left, and what is between. */
  const pieces = (what: string, name: string, text: string): string => {
    const secret = values.get(name) ?? ""
    if (text === secret || text === "") return text && handleOf(name)
    const first = shared(text, secret, Math.min(text.length, secret.length))
    const last = shared(reversed(text), reversed(secret), Math.min(text.length, secret.length) - first)
    if ((first + last) * 2 < secret.length) return know(`${what} of ${name}`, text)
    const piece = (which: string, part: string): string => {
      const own = `${which} ${Buffer.byteLength(part)} of ${name}`
      values.set(own, part)
      return part && handleOf(own)
    }
    const [head, tail] = [text.slice(0, first), text.slice(text.length - last)]
    return `${piece("first", head)}${text.slice(first, text.length - last)}${piece("last", tail)}`
  }

  const derive = (what: string, from: string, text: string): string => {
    const [, name] = handle.exec(from) ?? []
    if (name === undefined || text === "") return text
    const known = byValue.get(text)
    if (known !== undefined) return known
    const parts = jwt.test(values.get(name) ?? "") ? text.split(".") : []
    const shown =
      parts.length < 2
        ? pieces(what, name, text)
        : parts.map((part, index) =>
            index === 0 ? part : pieces(what, `${index === 1 ? "payload" : "signature"} of ${name}`, part)
          ).join(".")
    byValue.set(text, shown)
    if (text.length >= minLearntChars) add(text, shown)
    return shown
  }

  const header = (value: string): string => {
    const [, pair] = /^Basic base64\((.*)\)$/s.exec(value) ?? []
    return pair === undefined ? fill(value) : `Basic ${Buffer.from(fill(pair)).toString("base64")}`
  }

  const filled = (request: Request): Request =>
    handle.test(saidBy(request)) || request.headers.some(([, value]) => value.startsWith("Basic base64("))
      ? {
          ...request,
          url: fill(request.url, encodeURIComponent),
          headers: request.headers.map(([name, value]) => [name, header(value)]),
          body: fill(request.body, inBody(request))
        }
      : request

  /** Hides new secrets of an exchange, named by its number. A long text that the request contained is no secret. */
  const hiding = (number: number, said: string, shapes: Map<string, SecretShape>) => {
    const learn: SecretFields.Hide = (text, name) => {
      if (text === "" || (text.length >= minLearntChars && said.includes(text))) return text
      const before = byValue.get(text)
      if (before === undefined && hide(text) !== text) return text
      const known = before ?? know(`${name.replaceAll(/[^\w. -]+/g, "_").slice(0, 60)} of #${number}`, text)
      shapes.set(known, shapeOf(text))
      return known
    }
    /** Secrets that are too short for the search by value are hidden in their fields only. */
    const later: SecretFields.Hide = (text, name) => (handle.test(text) ? text : learn(text, name))
    const escaped: SecretFields.Hide = (text, name) => {
      const value = text.includes("\\") ? parse(`"${text}"`) : text
      return typeof value === "string" ? JSON.stringify(later(value, name)).slice(1, -1) : handleOf("undisclosed")
    }
    const header = (name: string, value: string): string => {
      SecretFields.hideInHeader(name, value, learn)
      return SecretFields.hideInHeader(name, hide(value), later)
    }
    const body = (text: string, json: Json | undefined): { readonly text: string; readonly json: Json | undefined } => {
      const mayName = SecretFields.mayNameSecret(text)
      if (mayName) for (const [name, secret] of SecretFields.secretsIn(json)) learn(secret, name)
      const hidden = hide(text)
      const shown = mayName ? SecretFields.hideInJsonText(hidden, escaped) : hidden
      if (shown === text) return { text, json }
      const value = parse(shown)
      if (json === undefined || (value !== undefined && !hasOpen(value, later))) return { text: shown, json: value }
      // secrets in a list or an object have no single text, and a number may be a secret
      const whole = SecretFields.hideInJson(hidingJson(hide)(json), later)
      return { text: JSON.stringify(whole), json: whole }
    }
    return { learn, header, body }
  }

  const answered = (exchange: Exchange, answer: Answer): Answer => {
    const shapes = new Map<string, SecretShape>()
    const { body, header, learn } = hiding(exchange.number, saidBy(exchange.request), shapes)
    const signing = secretAtPosition(profile, { ...exchange, answer })
    if (signing !== undefined) learn(signing, "signing secret")
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, header(name, value)])
    const shown = { ...answer, headers: Object.fromEntries(headers), ...body(answer.text, answer.json) }
    return shapes.size === 0 ? shown : { ...shown, secrets: Object.fromEntries(shapes) }
  }

  const delivered = (number: number, request: Request): Request => {
    const { body, header } = hiding(number, "", new Map())
    return {
      ...request,
      headers: request.headers.map(([name, value]) => [name, header(name, value)]),
      body: body(request.body, parse(request.body)).text
    }
  }

  const ofProfile = Object.fromEntries(
    [...secrets].map(([reference, secret]) => {
      const [name, value] = [reference.slice(2, -1), Redacted.value(secret)]
      return [name, { handle: know(name, value, 1), shape: shapeOf(value) }]
    })
  )

  return {
    know,
    rename,
    derive,
    reveal: (text) => ofProfile[text.slice(2, -1)]?.handle ?? text,
    open: (text) => fill(text),
    shapeOf: (text) => shapeOf(fill(text)),
    filled,
    answered,
    delivered,
    ofProfile
  }
}

const hasOpen = (value: Json, hide: SecretFields.Hide): boolean =>
  SecretFields.secretsIn(value).some(([name, secret]) => hide(secret, name) !== secret)

/** The handles of a recorded run: their shapes, without values. */
export const recalled = (ofProfile: ProfileHandles, exchanges: ReadonlyArray<Exchange>): Handles => {
  const shapes = new Map(Object.values(ofProfile).map(({ handle, shape }) => [handle, shape]))
  for (const { answer } of exchanges) {
    for (const [known, shape] of Object.entries(answer?.secrets ?? {})) shapes.set(known, shape)
  }
  const same = <A>(value: A): A => value
  return {
    know: handleOf,
    rename: (name, text) => {
      const shape = shapes.get(text)
      if (shape !== undefined) shapes.set(handleOf(name), shape)
      return handleOf(name)
    },
    derive: (_, __, text) => text,
    reveal: (text) => ofProfile[text.slice(2, -1)]?.handle ?? text,
    open: same,
    shapeOf: (text) => shapes.get(text) ?? shapeOf(text),
    filled: same,
    answered: (_, answer) => answer,
    delivered: (_, request) => request,
    ofProfile
  }
}
