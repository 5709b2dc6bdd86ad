import * as Anchors from "./Anchors.ts"
import * as SecretFields from "./SecretFields.ts"
import { changedFrom, formsOf, partsOf, pieceChars } from "./SecretForms.ts"

/** A secret, prepared for the search. */
interface Known {
  readonly name: string
  readonly secret: string
  /** The replacement of the secret. */
  readonly told: string
  /** Patterns for the plain forms of the secret, and for forms inside encoded text. */
  readonly plain: string
  readonly encoded: string
  readonly forms: ReadonlyArray<{ readonly anchor: string; readonly any: RegExp }>
  /** Whether a walk may derive other secrets from it: not if it is derived itself, or if its parts are known. */
  readonly isOrigin: boolean
}

const never = "(?!)"

const knownOf = (name: string, secret: string, told = `‹${name}›`, isOrigin = true): Known => {
  const { encoded, plain } = formsOf(secret)
  return {
    ...{ name, secret, told, isOrigin },
    plain: plain.pattern,
    encoded: encoded.map(({ pattern }) => pattern).join("|") || never,
    forms: [plain, ...encoded].map(({ anchor, pattern }) => ({ anchor, any: new RegExp(pattern) }))
  }
}

/** A form of a known secret, with its pattern. */
interface Form {
  readonly known: Known
  readonly any: RegExp
}

/** Finds each of some secrets, the longest first. Group `p<n>` is the nth in plain form, `e<n>` in encoded form. */
const searchOf = (some: ReadonlyArray<Known>): RegExp =>
  new RegExp(some.map(({ encoded, plain }, index) => `(?<p${index}>${plain})|(?<e${index}>${encoded})`).join("|"), "g")

const isEncoding = (char: string | undefined): boolean => char !== undefined && /[A-Za-z0-9+/_-]/.test(char)

/** The characters beside a piece of base64 may contain bits of the secret and of its neighbours. */
const widened = (text: string, from: number, to: number): readonly [from: number, to: number] => {
  const start = isEncoding(text[from - 1]) ? from - 1 : from
  let end = isEncoding(text[to]) ? to + 1 : to
  while (text[end] === "=") end += 1
  return [start, end]
}

/** A secret found in a text. */
interface Found {
  readonly known: Known | undefined
  readonly isEncoded: boolean
  /** The text as found, and with the neighbours that contain bits of the secret. */
  readonly text: string
  readonly before: string
  readonly behind: string
}

/** Returns the replacement of a found secret. */
export type Replace = (found: Found) => string

const asTold: Replace = ({ known }) => known?.told ?? SecretFields.undisclosed

const replaceWith = (some: ReadonlyArray<Known>, search: RegExp, text: string, replace: Replace): string => {
  const told: Array<string> = []
  let done = 0
  for (const match of text.matchAll(search)) {
    const [group] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? ["p0"]
    const isEncoded = group.startsWith("e")
    const end = match.index + match[0].length
    const [from, to] = isEncoded ? widened(text, match.index, end) : [match.index, end]
    const known = some[Number(group.slice(1))]
    const [before, behind] = [text.slice(Math.max(done, from), match.index), text.slice(end, to)]
    told.push(text.slice(done, Math.max(done, from)), replace({ known, isEncoded, text: match[0], before, behind }))
    done = to
  }
  return [...told, text.slice(done)].join("")
}

/** The cache size for short texts and their results. Exchanges repeat most headers. */
const maxKept = 2000
const maxKeptChars = 1000

/** The known secrets. They are found by value in every form. */
export interface KnownSecrets {
  /** Replaces the secret by `‹name›` from now on. The last name of a secret wins. */
  readonly add: (name: string, secret: string) => void
  /** Replaces a text that was derived from a known secret. Walks cut and change secrets. */
  readonly addChanged: (segment: string) => void
  /** Returns the text without secrets. */
  readonly redact: (text: string) => string
  /** Returns the text with a custom replacement for each secret. */
  readonly replace: (text: string, replace: Replace) => string
}

export const make = (): KnownSecrets => {
  const known = new Map<string, Known>()
  const anchors = Anchors.make<Form>()
  const origins: Array<Known> = []
  /** Texts that come from none of the first origins, with the number of these. */
  const unrelated = new Map<string, number>()
  const searches = new Map<string, RegExp>()
  const kept = new Map<string, string>()

  const put = (one: Known) => {
    known.set(one.secret, one)
    if (one.isOrigin) origins.push(one)
    for (const { anchor, any } of one.forms) anchors.add(anchor, { known: one, any })
    searches.clear()
    kept.clear()
  }

  const add = (name: string, secret: string) => {
    if (secret === "") return
    const parts = partsOf(name, secret)
    for (const [partName, part] of parts) put(knownOf(partName, part))
    // walks change the parts of a JWT; its header is not secret
    put(knownOf(name, secret, `‹${name}›`, parts.length === 0))
  }

  /** The secrets that the text contains in any form, in the order in which they became known. */
  const knownIn = (text: string): ReadonlyArray<Known> => {
    const found = new Set([...anchors.entriesIn(text)].flatMap(({ any, known }) => (any.test(text) ? [known] : [])))
    return found.size === 0 ? [] : [...known.values()].filter((one) => found.has(one))
  }

  const replaced = (text: string, replace: Replace): string => {
    const found = knownIn(text)
    if (found.length === 0) return text
    const longestFirst = found.toSorted((left, right) => right.secret.length - left.secret.length)
    const key = longestFirst.map(({ secret }) => secret).join("\n")
    const search = searches.get(key) ?? searchOf(longestFirst)
    searches.set(key, search)
    return replaceWith(longestFirst, search, text, replace)
  }

  const redact = (text: string): string => {
    if (text.length > maxKeptChars) return replaced(text, asTold)
    const before = kept.get(text)
    if (before !== undefined) return before
    const told = replaced(text, asTold)
    if (kept.size < maxKept) kept.set(text, told)
    return told
  }

  const addChanged = (segment: string) => {
    if (segment.length < pieceChars) return
    const [origin] = origins
      .slice(unrelated.get(segment) ?? 0)
      .filter((one) => known.get(one.secret) === one)
      .flatMap(({ name, secret }) => changedFrom(name, secret, segment) ?? [])
      .toSorted((left, right) => right.kept - left.kept)
    if (origin !== undefined) put(knownOf(origin.told, segment, origin.told, false))
    else if (unrelated.size < maxKept) unrelated.set(segment, origins.length)
  }

  return { add, addChanged, redact, replace: replaced }
}
