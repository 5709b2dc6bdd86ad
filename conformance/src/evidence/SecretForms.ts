import { Buffer } from "node:buffer"

/** One form of a secret in a text. */
interface Form {
  /** The source of a regular expression. */
  readonly pattern: string
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

/** Returns all forms of a secret. */
export const formsOf = (secret: string): SecretForms => {
  const bytes = Buffer.from(secret, "utf8")
  const cores = [...new Set(base64Cores(bytes))].map((core) => ({
    pattern: [...core].map(base64Char).join(""),
    anchor: runs(core, /[A-Za-z0-9]+/g),
    length: core.length
  }))
  const hexes = [bytes.toString("hex"), bytes.toString("hex").toUpperCase()].map((hex) => ({
    pattern: hex,
    anchor: hex,
    length: hex.length
  }))
  return {
    plain: { pattern: [...secret].map(charPattern).join(""), anchor: runs(secret, /[A-Za-z0-9._-]+/g) },
    encoded: [...cores, ...hexes].filter(({ length }) => length >= minEncodedChars)
  }
}

/** Splits a found text into the characters of the secret; undefined if one is not found. */
const piecesOf = (found: string, secret: string): ReadonlyArray<string> | undefined => {
  const pieces: Array<string> = []
  let from = 0
  for (const char of secret) {
    const next = new RegExp(charPattern(char), "y")
    next.lastIndex = from
    const [piece] = next.exec(found) ?? []
    if (piece === undefined) return undefined
    pieces.push(piece)
    from += piece.length
  }
  return from === found.length ? pieces : undefined
}

/**
 * Writes another text in the form in which a secret was found, with the same escapes. Equal characters at equal
 * positions stay as found.
 */
export const inPlainForm = (found: string, secret: string, other: string): string => {
  if (found === secret) return other
  const [from, to] = [[...secret], [...other]]
  const pieces = from.length === to.length ? piecesOf(found, secret) : undefined
  return pieces === undefined
    ? other
    : pieces.map((piece, index) => (from[index] === to[index] ? piece : to[index])).join("")
}

const asBase64 = (text: string): string =>
  text
    .replaceAll(/%2[Bb]|-/g, "+")
    .replaceAll(/%2[Ff]|\\*[/_]/g, "/")
    .replaceAll("\\", "")

/** Does the same for base64 or hexadecimal. Bits that it shares with its neighbours are lost. */
export const inEncodedForm = (found: string, secret: string, other: string): string => {
  const [bytes, others] = [Buffer.from(secret, "utf8"), Buffer.from(other, "utf8")]
  const hex = bytes.toString("hex")
  if (found === hex) return others.toString("hex")
  if (found === hex.toUpperCase()) return others.toString("hex").toUpperCase()
  const offset = base64Cores(bytes).indexOf(asBase64(found))
  const core = base64Cores(others)[offset] ?? ""
  return /[-_]/.test(found) ? core.replaceAll("+", "-").replaceAll("/", "_") : core
}

/** A text with this many characters of a secret discloses too much, because the rest can be guessed. */
export const pieceChars = 12

const jwt = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

/**
 * Returns the named parts of a JWT that have to be found on their own. The header is not secret, and shorter parts
 * occur in other words.
 */
export const partsOf = (name: string, secret: string): ReadonlyArray<readonly [name: string, part: string]> => {
  const [, , payload = "", signature = ""] = jwt.exec(secret) ?? []
  const parts = [
    [`payload of ${name}`, payload],
    [`signature of ${name}`, signature]
  ] as const
  return parts.filter(([, part]) => part.length >= pieceChars)
}

/** The longest parts of a secret, side by side, of which each piece of it has at least one. */
const partChars = Math.floor((pieceChars + 1) / 2)

const hasPartOf = (text: string, secret: string): boolean => {
  for (let start = 0; start + partChars <= secret.length; start += partChars) {
    if (text.includes(secret.slice(start, start + partChars))) return true
  }
  return false
}

const isMadeFrom = (text: string, secret: string): boolean => {
  if (!hasPartOf(text, secret)) return false
  for (let start = 0; start + pieceChars <= secret.length; start += 1) {
    if (text.includes(secret.slice(start, start + pieceChars))) return true
  }
  return false
}

/** The maximum length that a walk inserts between the pieces of a changed secret. */
const maxPutIn = 64

const shared = (left: string, right: string, max: number): number => {
  let count = 0
  while (count < max && left[count] === right[count]) count += 1
  return count
}

const reversed = (text: string): string => text.split("").reverse().join("")

/**
 * Returns the description of a cut or changed secret: the kept bytes of its beginning and end, what was inserted, and
 * the number of kept characters. Returns undefined if the text does not come from the secret.
 */
export const changedFrom = (
  name: string,
  secret: string,
  text: string
): { readonly told: string; readonly kept: number } | undefined => {
  if (!isMadeFrom(text, secret)) return undefined
  const first = shared(text, secret, Math.min(text.length, secret.length))
  const last = shared(reversed(text), reversed(secret), Math.min(text.length, secret.length) - first)
  const putIn = text.slice(first, text.length - last)
  const kept = first + last
  if (putIn.length > maxPutIn || /[‹›]/.test(putIn) || isMadeFrom(putIn, secret)) {
    return { told: `‹changed ${name}›`, kept }
  }
  const head = first === 0 ? "" : `‹first ${Buffer.byteLength(secret.slice(0, first))} of ${name}›`
  const tail = last === 0 ? "" : `‹last ${Buffer.byteLength(secret.slice(secret.length - last))} of ${name}›`
  return { told: `${head}${putIn}${tail}`, kept }
}
