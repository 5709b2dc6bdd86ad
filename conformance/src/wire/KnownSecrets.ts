import * as Anchors from "./Anchors.ts"
import * as SecretForms from "./SecretForms.ts"

type Form = SecretForms.Form

/** A secret, prepared for the search. */
interface Known {
  readonly secret: string
  /** The replacement of the secret. */
  readonly shown: string
  /** The plain form, and the forms inside encoded text. */
  readonly plain: Form
  readonly encoded: ReadonlyArray<Form>
}

/** A secret in a text, and those of its forms that the text contains. */
interface Contained {
  readonly known: Known
  readonly forms: ReadonlySet<Form>
}

const patternOf = (forms: ReadonlyArray<Form>): string => forms.map(({ pattern }) => pattern).join("|") || "(?!)"

/** The pattern for each of some secrets. Group `p<n>` is the nth in plain form, `e<n>` in encoded form. */
const searchFor = (some: ReadonlyArray<Contained>): string =>
  some
    .map(({ forms, known: { encoded, plain } }, index) => {
      const [plains, others] = [[plain], encoded].map((all) => patternOf(all.filter((form) => forms.has(form))))
      return `(?<p${index}>${plains})|(?<e${index}>${others})`
    })
    .join("|")

const isEncoding = (char: string | undefined): boolean => char !== undefined && /[A-Za-z0-9+/_-]/.test(char)

/** The characters beside a piece of base64 may contain bits of the secret and of its neighbours. */
const widened = (text: string, from: number, to: number): readonly [from: number, to: number] => {
  const start = isEncoding(text[from - 1]) ? from - 1 : from
  let end = isEncoding(text[to]) ? to + 1 : to
  while (text[end] === "=") end += 1
  return [start, end]
}

const replaceWith = (some: ReadonlyArray<Contained>, search: RegExp, text: string): string => {
  const pieces: Array<string> = []
  let done = 0
  for (const match of text.matchAll(search)) {
    const [group = ""] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? []
    const end = match.index + match[0].length
    const [from, to] = group.startsWith("e") ? widened(text, match.index, end) : [match.index, end]
    pieces.push(text.slice(done, Math.max(done, from)), some[Number(group.slice(1))]?.known.shown ?? "")
    done = to
  }
  return [...pieces, text.slice(done)].join("")
}

/** The known secrets. They are found by value in every form. */
export interface KnownSecrets {
  /**
   * Replaces the secret by `shown` from now on, also inside encoded text unless it is `plain`. The last replacement of a
   * secret wins.
   */
  readonly add: (secret: string, shown: string, as?: "plain") => void
  /** Returns the text without secrets. */
  readonly hide: (text: string) => string
}

/** Starts without secrets. `formsOf` finds the forms of one. */
export const make = (formsOf = SecretForms.formsOf): KnownSecrets => {
  const known = new Map<string, Known>()
  const anchors = Anchors.make<readonly [secret: string, form: Form]>()
  const searches = new Map<string, RegExp>()

  const add = (secret: string, shown: string, as?: "plain") => {
    const before = known.get(secret)
    const { encoded: forms, plain } = before ?? formsOf(secret)
    const encoded = as === "plain" ? [] : forms
    known.set(secret, { secret, shown, plain, encoded })
    if (before !== undefined) return
    for (const form of [plain, ...encoded]) anchors.add(form.anchor, [secret, form])
  }

  /** The secrets that the text contains in any form, the longest first. */
  const knownIn = (text: string): ReadonlyArray<Contained> => {
    const found = new Map<string, Set<Form>>()
    for (const [secret, form] of anchors.entriesIn(text)) {
      if (form.any.test(text)) found.set(secret, (found.get(secret) ?? new Set()).add(form))
    }
    return [...found]
      .flatMap(([secret, forms]) => {
        const one = known.get(secret)
        return one === undefined ? [] : [{ known: one, forms }]
      })
      .toSorted((left, right) => right.known.secret.length - left.known.secret.length)
  }

  const hide = (text: string): string => {
    const found = knownIn(text)
    if (found.length === 0) return text
    const pattern = searchFor(found)
    const search = searches.get(pattern) ?? new RegExp(pattern, "g")
    searches.set(pattern, search)
    return replaceWith(found, search, text)
  }

  return { add, hide }
}
