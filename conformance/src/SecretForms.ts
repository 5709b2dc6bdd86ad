import { Buffer } from "node:buffer"

/**
 * The forms in which a secret can stand in a text, as sources of regular expressions: as it is or with any of its
 * characters escaped (JSON, URLs, forms, HTML, and one inside another), and inside base64, base64url or hexadecimal.
 */
export interface SecretForms {
  readonly plain: string
  readonly encoded: ReadonlyArray<string>
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

/** A shorter piece of base64 or hexadecimal would be found everywhere. */
const minEncodedChars = 6

const base64Char = (char: string): string => {
  if (char === "+") return "(?:[+-]|%2[Bb])"
  if (char === "/") return "(?:\\\\*[/_]|%2[Ff])"
  return char
}

/**
 * The characters of base64 that depend on the secret alone, for each of the three places at which it can begin: so it
 * is found behind a user name and a colon, too.
 */
const base64Cores = (bytes: Buffer): ReadonlyArray<string> =>
  [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64")
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
  })

/** Every form of one secret. */
export const formsOf = (secret: string): SecretForms => {
  const bytes = Buffer.from(secret, "utf8")
  const cores = base64Cores(bytes).filter((core) => core.length >= minEncodedChars)
  const hex = bytes.toString("hex")
  return {
    plain: [...secret].map(charPattern).join(""),
    encoded: [
      ...new Set(cores.map((core) => [...core].map(base64Char).join(""))),
      ...(hex.length >= minEncodedChars ? [digits(hex)] : [])
    ]
  }
}

const jwt = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

/** The parts of a JWT that are to be found without the rest of it, each with a name; its header is no secret. */
export const partsOf = (name: string, secret: string): ReadonlyArray<readonly [name: string, part: string]> => {
  const [, , payload, signature] = jwt.exec(secret) ?? []
  return payload === undefined || signature === undefined
    ? []
    : [
        [`payload of ${name}`, payload],
        [`signature of ${name}`, signature]
      ]
}

/** Who has this much of a secret has been told too much of it: the rest can be guessed where little was changed. */
const pieceChars = 12

/** Whether a text is a secret that was cut or changed: it has a longer piece of it. */
export const isMadeFrom = (text: string, secret: string): boolean => {
  for (let start = 0; start + pieceChars <= secret.length; start += 1) {
    if (text.includes(secret.slice(start, start + pieceChars))) return true
  }
  return false
}
