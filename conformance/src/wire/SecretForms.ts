import { Buffer } from "node:buffer"
import { formEncoded } from "./SecretShape.ts"

/** One form of a secret in a text. */
export interface Form {
  /** The source of a regular expression. */
  readonly pattern: string
  readonly any: RegExp
  /** A substring of every match. Searching for it first is much faster. */
  readonly anchor: string
}

/**
 * The forms of a secret in a text: plain, with characters escaped (JSON, URLs, forms, HTML, also nested), and inside
 * base64, base64url or hexadecimal.
 */
export interface SecretForms {
  readonly plain: Form
  readonly encoded: ReadonlyArray<Form>
}

const digits = (hex: string): string =>
  hex.replaceAll(/[a-f]/gi, (digit) => `[${digit.toUpperCase()}${digit.toLowerCase()}]`)

const hexOf = (number: number, length: number): string => digits(number.toString(16).padStart(length, "0"))

const escaped = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const named: Readonly<Record<string, ReadonlyArray<string>>> = {
  '"': ['\\\\*"', "&quot;"],
  "&": ["&amp;"],
  "<": ["&lt;"],
  ">": ["&gt;"],
  "'": ["\\\\*'", "&apos;"],
  "/": ["\\\\*\\/"],
  "\\": ["\\\\{1,8}"],
  " ": ["\\+"],
  "\n": ["\\\\+n"],
  "\r": ["\\\\+r"],
  "\t": ["\\\\+t"],
  "\b": ["\\\\+b"],
  "\f": ["\\\\+f"]
}

const charPattern = (char: string): string => {
  if (/[A-Za-z0-9._-]/.test(char)) return escaped(char)
  const percent = [...Buffer.from(char, "utf8")].map((byte) => `%(?:25)*${hexOf(byte, 2)}`).join("")
  const units = char.split("").map((unit) => `\\\\+u${hexOf(unit.charCodeAt(0), 4)}`)
  const point = char.codePointAt(0) ?? 0
  const entity = `&#(?:0*${point}|[xX]0*${digits(point.toString(16))});`
  return `(?:${[...(named[char] ?? []), escaped(char), percent, units.join(""), entity].join("|")})`
}

/** A shorter piece of base64 or hexadecimal would match everywhere. */
const minEncodedChars = 6

const base64Char = (char: string): string => {
  if (char === "+") return "(?:[+-]|%2[Bb])"
  if (char === "/") return "(?:\\\\*[/_]|%2[Ff])"
  return char
}

/**
 * The base64 characters that depend only on the secret, for each of its three possible offsets. This finds it after a
 * user name and a colon too.
 */
const base64Cores = (bytes: Buffer): ReadonlyArray<string> =>
  [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64")
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
  })

const longest = (texts: Iterable<string>): string =>
  [...texts].reduce((best, text) => (text.length > best.length ? text : best), "")

const runs = (text: string, of: RegExp): string => longest([...text.matchAll(of)].map(([run]) => run))

/** The pattern is made at the first match of its anchor, which most secrets of a run never have. */
const formOf = (patternOf: () => string, anchor: string): Form => {
  let made: Pick<Form, "pattern" | "any"> | undefined
  const make = () => {
    const pattern = patternOf()
    made = { pattern, any: new RegExp(pattern) }
    return made
  }
  return {
    anchor,
    get pattern() {
      return (made ?? make()).pattern
    },
    get any() {
      return (made ?? make()).any
    }
  }
}

/** Shorter secrets may be a part of ordinary words. */
const minInWords = 8

const isLetter = (char: string | undefined): boolean => char !== undefined && /[A-Za-z0-9]/.test(char)

/** A short secret is found between other characters than letters and digits only. */
const plainPattern = (secret: string): string => {
  const pattern = [...secret].map(charPattern).join("")
  if (secret.length >= minInWords) return pattern
  const [before, behind] = [
    isLetter(secret[0]) ? "(?<![A-Za-z0-9])" : "",
    isLetter(secret.at(-1)) ? "(?![A-Za-z0-9])" : ""
  ]
  return `${before}${pattern}${behind}`
}

/** How JSON, a URL and a form write a secret: base64 may contain each. */
const writtenAs = (secret: string): ReadonlyArray<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed()),
  formEncoded(secret)
]

/** Finds all forms of a secret. */
export type FormsOf = (secret: string) => SecretForms

/** Returns all forms of a secret. */
export const formsOf: FormsOf = (secret) => {
  const bytes = Buffer.from(secret, "utf8")
  const written = [...new Set(writtenAs(secret))]
  const cores = [...new Set(written.flatMap((text) => base64Cores(Buffer.from(text, "utf8"))))].map((core) => ({
    form: formOf(() => [...core].map(base64Char).join(""), runs(core, /[A-Za-z0-9]+/g)),
    length: core.length
  }))
  const hexes = [bytes.toString("hex"), bytes.toString("hex").toUpperCase()].map((hex) => ({
    form: formOf(() => hex, hex),
    length: hex.length
  }))
  return {
    plain: formOf(() => plainPattern(secret), runs(secret, /[A-Za-z0-9._-]+/g)),
    encoded: [...cores, ...hexes].flatMap(({ form, length }) => (length >= minEncodedChars ? [form] : []))
  }
}
