import { Buffer } from "node:buffer"
import { handle, handleOf, handles } from "../text/Handle.ts"
import { swapped } from "./Jwt.ts"
import * as KnownSecrets from "./KnownSecrets.ts"
import type { FormsOf } from "./SecretForms.ts"
import { formEncoded } from "./SecretShape.ts"

/** Secrets that are found by value only if they are at least this long. Shorter ones may be ordinary words. */
export const minLearntChars = 12

const jwt = /^[\w-]+\.([\w-]+)\.([\w-]+)$/

const shared = (left: string, right: string): number => {
  let count = 0
  while (count < left.length && left[count] === right[count]) count += 1
  return count
}

const reversed = (text: string): string => text.split("").reverse().join("")

/** The names of secrets and their values. */
export interface HandleValues {
  /** Returns the handle of a value; the first name of a value stays. Values below `least` are not searched for. */
  readonly know: (name: string, secret: string, least?: number) => string
  /** Returns the handle with another name. Further texts show this name. */
  readonly rename: (name: string, text: string) => string
  /** Returns a text made from the secret behind a handle, as the parts that are left of it and other handles. */
  readonly derive: (what: string, from: string, text: string) => string
  /** Returns the text with values instead of handles. */
  readonly fill: (text: string, encode?: (value: string) => string) => string
  /** Returns the text with handles instead of values, in every form. */
  readonly hide: (text: string) => string
  /** The handle of a value. */
  readonly of: (secret: string) => string | undefined
}

/** Starts without secrets. The marks of a text that is no handle are values too, so that it does not become one. */
export const make = (formsOf?: FormsOf): HandleValues => {
  const values = new Map<string, string>()
  const byValue = new Map<string, string>()
  const { add, hide } = KnownSecrets.make(formsOf)

  const put = (name: string, secret: string, least: number): string => {
    values.set(name, secret)
    byValue.set(secret, handleOf(name))
    if (secret.length >= least) add(secret, handleOf(name))
    const [, ...parts] = jwt.exec(secret) ?? [] // the header of a JWT is not secret
    for (const [index, text] of parts.entries()) {
      const part = `${index === 0 ? "payload" : "signature"} of ${name}`
      values.set(part, text)
      if (text.length >= minLearntChars) add(text, handleOf(part))
    }
    return handleOf(name)
  }

  const know = (name: string, secret: string, least = minLearntChars): string =>
    secret === "" ? "" : (byValue.get(secret) ?? put(name, secret, least))

  const valueBehind = (name: string): string | undefined => {
    const [, encoded] = /^form-encoded (.*)$/.exec(name) ?? []
    const value = values.get(encoded ?? name)
    return encoded === undefined ? value : value && formEncoded(value)
  }

  const fill = (text: string, encode = (value: string) => value): string =>
    text.replaceAll(handles, (found, name: string) => {
      const value = valueBehind(name)
      return value === undefined ? found : encode(value)
    })

  /** Text made from one secret or a part of it: the beginning and the end that are left, and what is between. */
  const pieces = (what: string, name: string, text: string): string => {
    const secret = values.get(name) ?? ""
    if (text === secret || text === "") return text && handleOf(name)
    if (text === swapped(secret)) return know(`swapped case of ${name}`, text)
    const first = shared(text, secret)
    const last = shared(reversed(text.slice(first)), reversed(secret.slice(first)))
    if ((first + last) * 2 < secret.length) return know(`${what} of ${name}`, text)
    const piece = (which: string, part: string): string => {
      const own = `${which} ${Buffer.byteLength(part)} of ${name}`
      values.set(own, part)
      return part && handleOf(own)
    }
    const end = text.length - last
    return `${piece("first", text.slice(0, first))}${text.slice(first, end)}${piece("last", text.slice(end))}`
  }

  const derive = (what: string, from: string, text: string): string => {
    const [, name] = handle.exec(from) ?? []
    if (name === undefined || text === "") return text
    const known = byValue.get(text)
    if (known !== undefined) return known
    const [header = "", ...parts] = jwt.test(values.get(name) ?? "") ? text.split(".") : []
    const shown =
      parts.length === 0
        ? pieces(what, name, text)
        : [
            header,
            ...parts.map((part, index) => pieces(what, `${index === 0 ? "payload" : "signature"} of ${name}`, part))
          ].join(".")
    byValue.set(text, shown)
    if (text.length >= minLearntChars) add(text, shown)
    return shown
  }

  for (const [name, mark] of [
    ["left mark", "‹"],
    ["right mark", "›"]
  ] as const) {
    values.set(name, mark)
    byValue.set(mark, handleOf(name))
    add(mark, handleOf(name), "plain") // random ids can have its hexadecimal form
  }
  return {
    know,
    rename: (name, text) => put(name, fill(text), minLearntChars),
    derive,
    fill,
    hide,
    of: (secret) => byValue.get(secret)
  }
}
