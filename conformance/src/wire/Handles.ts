import { Buffer } from "node:buffer"
import { Redacted } from "effect"
import type { Profile } from "../profile/Profile.ts"
import type { Secrets } from "../profile/Secrets.ts"
import { handle, handleOf } from "../text/Handle.ts"
import { isObject, type Json, parse } from "../text/Json.ts"
import type { Answer, Exchange, Request } from "./Exchange.ts"
import * as HandleValues from "./HandleValues.ts"
import * as SecretFields from "./SecretFields.ts"
import type { FormsOf } from "./SecretForms.ts"
import { formEncoded, type SecretShape, shapeOf } from "./SecretShape.ts"
import { secretAtPosition } from "./WebhookSecrets.ts"

// Only the wire sees values. A walk, an exchange and a report hold handles.

const formType = /^application\/x-www-form-urlencoded\b/i

/** How a body writes a text. */
const inBody = ({ body, headers }: Request): ((text: string) => string) => {
  if (headers.some(([name, value]) => name.toLowerCase() === "content-type" && formType.test(value))) return formEncoded
  return /^\s*[[{"]/.test(body) ? (text) => JSON.stringify(text).slice(1, -1) : (text) => text
}

/** The texts of a request, with handles. */
const saidBy = ({ body, headers, url }: Request): string => [url, ...headers.map(([, value]) => value), body].join("\n")

/** The handles of a run and their values. Without values, for a run that is judged again, texts stay as they are. */
export interface Handles extends Pick<HandleValues.HandleValues, "know" | "rename" | "derive"> {
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

/** Hides new secrets of an exchange, named by its number. A long text that the request contained is no secret. */
const hiding = (
  { hide, know, of }: HandleValues.HandleValues,
  number: number,
  said: string,
  shapes: Map<string, SecretShape>
) => {
  const learn: SecretFields.Hide = (text, name) => {
    if (text === "" || (text.length >= HandleValues.minLearntChars && said.includes(text))) return text
    const before = of(text)
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
  const isOpen = ([name, secret]: readonly [string, string]) => later(secret, name) !== secret

  const body = (text: string, json: Json | undefined): Pick<Answer, "text" | "json"> => {
    const hidden = hide(text)
    const shown = SecretFields.hideInJsonText(hidden, escaped)
    if (shown === text) return { text, json }
    const value = parse(shown)
    if (json === undefined || (value !== undefined && !SecretFields.secretsIn(value).some(isOpen))) {
      return { text: shown, json: value }
    }
    // secrets in a list or an object have no single text, and a number may be a secret
    const whole = SecretFields.hideInJson(hidingJson(hide)(json), later)
    return { text: JSON.stringify(whole), json: whole }
  }
  /** Hides headers and body. Learns the secrets of both first, because each may repeat those of the other. */
  return (headers: Request["headers"], text: string, json: Json | undefined) => {
    for (const [name, value] of headers) SecretFields.hideInHeader(name, value, learn)
    if (SecretFields.mayNameSecret(text)) for (const [name, secret] of SecretFields.secretsIn(json)) learn(secret, name)
    return {
      headers: headers.map(([name, value]) => [name, SecretFields.hideInHeader(name, hide(value), later)] as const),
      body: body(text, json)
    }
  }
}

/** Starts with the secrets of a profile. Many runs with the same secrets can share what `formsOf` finds. */
export const make = (profile: Profile, secrets: Secrets, formsOf?: FormsOf): Handles => {
  const values = HandleValues.make(formsOf)
  const { derive, fill, know, rename } = values

  const header = (value: string): string => {
    const [, pair] = /^Basic base64\((.*)\)$/s.exec(value) ?? []
    return pair === undefined ? fill(value) : `Basic ${Buffer.from(fill(pair)).toString("base64")}`
  }

  const filled = (request: Request): Request => ({
    ...request,
    url: fill(request.url, (value) => encodeURIComponent(value.toWellFormed())),
    headers: request.headers.map(([name, value]) => [name, header(value)]),
    body: fill(request.body, inBody(request))
  })

  const answered = (exchange: Exchange, answer: Answer): Answer => {
    const { number, request } = exchange
    const shapes = new Map<string, SecretShape>()
    const signing = secretAtPosition(profile, { ...exchange, answer })
    const isOurs = signing === undefined || saidBy(request).includes(signing)
    if (!isOurs && signing.length >= HandleValues.minLearntChars) {
      shapes.set(know(`signing secret of #${number}`, signing), shapeOf(signing))
    }
    const shown = hiding(
      values,
      number,
      saidBy(request),
      shapes
    )(Object.entries(answer.headers), answer.text, answer.json)
    const whole = { ...answer, headers: Object.fromEntries(shown.headers), ...shown.body }
    return shapes.size === 0 ? whole : { ...whole, secrets: Object.fromEntries(shapes) }
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
    reveal: revealing(ofProfile),
    open: (text) => fill(text),
    shapeOf: (text) => shapeOf(fill(text)),
    filled,
    answered,
    delivered: (number, request) => {
      const { body, headers } = hiding(
        values,
        number,
        "",
        new Map()
      )(request.headers, request.body, parse(request.body))
      return { ...request, headers, body: body.text }
    },
    ofProfile
  }
}

const revealing =
  (ofProfile: ProfileHandles) =>
  (text: string): string =>
    ofProfile[/^\$\{(\w+)\}$/.exec(text)?.[1] ?? ""]?.handle ?? text

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
    reveal: revealing(ofProfile),
    open: same,
    shapeOf: (text) => shapes.get(text) ?? shapeOf(text),
    filled: same,
    answered: (_, answer) => answer,
    delivered: (_, request) => request,
    ofProfile
  }
}
