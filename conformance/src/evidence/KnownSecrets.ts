import * as Anchors from "./Anchors.ts"
import * as SecretFields from "./SecretFields.ts"
import { changedFrom, formsOf, partsOf, pieceChars } from "./SecretForms.ts"

/** A form of a secret. */
interface Form {
  readonly anchor: string
  readonly pattern: string
  readonly any: RegExp
  readonly isEncoded: boolean
}

/** A secret, prepared for the search. */
interface Known {
  readonly name: string
  readonly secret: string
  /** The replacement of the secret. */
  readonly told: string
  /** The plain form of the secret, and its forms inside encoded text. */
  readonly forms: ReadonlyArray<Form>
  /** Whether a walk may derive other secrets from it: not if it is derived itself, or if its parts are known. */
  readonly isOrigin: boolean
}

const never = "(?!)"

const knownOf = (name: string, secret: string, told = `‹${name}›`, isOrigin = true): Known => {
  const { encoded, plain } = formsOf(secret)
  const forms = [plain, ...encoded].map(({ anchor, pattern }, index) => ({
    ...{ anchor, pattern, any: new RegExp(pattern) },
    isEncoded: index > 0
  }))
  return { name, secret, told, isOrigin, forms }
}

/** A secret in a text, and those of its forms that the text contains. */
interface Contained {
  readonly known: Known
  readonly forms: ReadonlyArray<Form>
}

const patternOf = (forms: ReadonlyArray<Form>, isEncoded: boolean): string =>
  forms.flatMap((form) => (form.isEncoded === isEncoded ? [form.pattern] : [])).join("|") || never

/**
 * The pattern for each of some secrets, the longest first. Group `p<n>` is the nth in plain form, `e<n>` in encoded
 * form. Without the other forms, the pattern is compiled much faster.
 */
const searchFor = (some: ReadonlyArray<Contained>): string =>
  some
    .map(({ forms }, index) => `(?<p${index}>${patternOf(forms, false)})|(?<e${index}>${patternOf(forms, true)})`)
    .join("|")

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

const replaceWith = (some: ReadonlyArray<Contained>, search: RegExp, text: string, replace: Replace): string => {
  const told: Array<string> = []
  let done = 0
  for (const match of text.matchAll(search)) {
    const [group] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? ["p0"]
    const isEncoded = group.startsWith("e")
    const end = match.index + match[0].length
    const [from, to] = isEncoded ? widened(text, match.index, end) : [match.index, end]
    const { known } = some[Number(group.slice(1))] ?? {}
    const [before, behind] = [text.slice(Math.max(done, from), match.index), text.slice(end, to)]
    told.push(text.slice(done, Math.max(done, from)), replace({ known, isEncoded, text: match[0], before, behind }))
    done = to
  }
  return [...told, text.slice(done)].join("")
}

/** The cache size for short texts and their results. Exchanges repeat most headers. */
const maxKept = 2000
const maxKeptChars = 1000

/** A text without secrets. */
interface Kept {
  readonly told: string
  /** The number of additions that the result takes into account. */
  additions: number
}

/** Remembers the results of the latest texts. */
const latest = () => {
  let recent = new Map<string, Kept>()
  let earlier = new Map<string, Kept>()
  const set = (text: string, kept: Kept): void => {
    if (recent.size >= maxKept) {
      earlier = recent
      recent = new Map()
    }
    recent.set(text, kept)
  }
  const get = (text: string): Kept | undefined => {
    const kept = recent.get(text)
    if (kept !== undefined) return kept
    const old = earlier.get(text)
    if (old !== undefined) set(text, old)
    return old
  }
  return { get, set }
}

const isIn = (text: string, { forms }: Known): boolean =>
  forms.some(({ anchor, any }) => text.includes(anchor) && any.test(text))

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
  /** The number of additions so far. */
  readonly additions: () => number
}

export const make = (): KnownSecrets => {
  const known = new Map<string, Known>()
  const anchors = Anchors.make<readonly [known: Known, form: Form]>()
  const origins: Array<Known> = []
  /** Texts that come from none of the first origins, with the number of these. */
  const unrelated = new Map<string, number>()
  const searches = new Map<string, RegExp>()
  const added: Array<Known> = []
  const kept = latest()

  const put = (one: Known) => {
    known.set(one.secret, one)
    if (one.isOrigin) origins.push(one)
    for (const form of one.forms) anchors.add(form.anchor, [one, form])
    added.push(one)
  }

  const add = (name: string, secret: string) => {
    if (secret === "") return
    const parts = partsOf(name, secret)
    for (const [partName, part] of parts) put(knownOf(partName, part))
    // walks change the parts of a JWT; its header is not secret
    put(knownOf(name, secret, `‹${name}›`, parts.length === 0))
  }

  /** The secrets that the text contains in any form, in the order in which they became known. */
  const knownIn = (text: string): ReadonlyArray<Contained> => {
    const found = new Map<Known, Set<Form>>()
    for (const [one, form] of anchors.entriesIn(text)) {
      if (form.any.test(text)) found.set(one, (found.get(one) ?? new Set()).add(form))
    }
    if (found.size === 0) return []
    return [...known.values()].flatMap((one) => {
      const forms = found.get(one)
      return forms === undefined ? [] : [{ known: one, forms: one.forms.filter((form) => forms.has(form)) }]
    })
  }

  const replaced = (text: string, replace: Replace): string => {
    const found = knownIn(text)
    if (found.length === 0) return text
    const longestFirst = found.toSorted((left, right) => right.known.secret.length - left.known.secret.length)
    const pattern = searchFor(longestFirst)
    const search = searches.get(pattern) ?? new RegExp(pattern, "g")
    searches.set(pattern, search)
    return replaceWith(longestFirst, search, text, replace)
  }

  const redact = (text: string): string => {
    if (text.length > maxKeptChars) return replaced(text, asTold)
    const before = kept.get(text)
    if (before !== undefined && !added.slice(before.additions).some((one) => isIn(text, one))) {
      before.additions = added.length
      return before.told
    }
    const told = replaced(text, asTold)
    kept.set(text, { told, additions: added.length })
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

  return { add, addChanged, redact, replace: replaced, additions: () => added.length }
}
