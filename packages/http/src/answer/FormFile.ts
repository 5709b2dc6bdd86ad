import { Effect, Pull, type Scope, Stream } from "effect"
import { brokenOff } from "../request/RequestBody.ts"

/** The longest head of a part. */
const headMax = 4096

/** The most characters of a text field, and the most parts of a form before its file. */
const textMax = 200
const partsMax = 20

const text = new TextDecoder()
const encoded = (value: string): Uint8Array => new TextEncoder().encode(value)

/** The first place of a part in bytes; -1 if there is none. */
const placeOf = (bytes: Uint8Array, part: Uint8Array): number => {
  const [first = 0] = part
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (at + part.length > bytes.length) return -1
    if (part.every((byte, index) => bytes[at + index] === byte)) return at
  }
  return -1
}

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  if (one.length === 0) return other
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

const headEnd = encoded("\r\n\r\n")

const parameterOf = (head: string, name: "name" | "filename"): string | undefined =>
  new RegExp(`^content-disposition: *form-data;[^\\r\\n]*[; ]${name}="([^"\\r\\n]*)"`, "im").exec(head)?.[1]

/** The name of a file as browsers write it (HTML, "multipart/form-data"): only quotes and line ends are escaped. */
const nameIn = (head: string): string | undefined => {
  const last = parameterOf(head, "filename")?.split(/[\\/]/).at(-1)?.replaceAll("%22", '"')
  // A field without a file has an empty name.
  return last === undefined || last === ""
    ? undefined
    : last
        .replaceAll(/\p{Cc}/gu, " ")
        .trim()
        .slice(0, 100) || "file"
}

/** Reads a form piece by piece. Keeps no more than a head, a short text or the length of the delimiter. */
const makeReader = (boundary: string) => {
  const delimiter = encoded(`\r\n--${boundary}`)
  const fields = new Map<string, string>()
  // The first delimiter has no line end before it.
  let rest = encoded("\r\n")
  let place: "start" | "head" | "text" | "file" | "over" = "start"
  let field = ""
  let name: string | undefined
  let parts = 0

  /** Takes the bytes up to a mark and the mark; undefined if the mark has not arrived. */
  const upTo = (mark: Uint8Array): Uint8Array | undefined => {
    const at = placeOf(rest, mark)
    if (at === -1) return undefined
    const before = rest.subarray(0, at)
    rest = rest.subarray(at + mark.length)
    return before
  }

  const readHead = (): boolean => {
    const head = upTo(headEnd)
    if (head === undefined || head.length > headMax || parts === partsMax) {
      if (rest.length > headMax || parts === partsMax) place = "over"
      return false
    }
    const said = text.decode(head)
    parts += 1
    name = nameIn(said)
    field = parameterOf(said, "name") ?? ""
    place = name === undefined ? "text" : "file"
    return name === undefined
  }

  const readText = (): boolean => {
    const value = upTo(delimiter)
    if (value === undefined) {
      if (rest.length > textMax + delimiter.length) place = "over"
      return false
    }
    if (value.length <= textMax && !fields.has(field)) fields.set(field, text.decode(value))
    place = "head"
    return true
  }

  return {
    fields,
    /** The name of the file, once its head was read. */
    name: () => name,
    /** Whether the form has ended, its file has ended, or it is malformed. */
    isOver: () => place === "over",
    /** Reads the next piece up to the file. */
    add: (piece: Uint8Array): void => {
      rest = joined(rest, piece)
      if (place === "start" && rest.length >= delimiter.length) {
        place = placeOf(rest.subarray(0, delimiter.length), delimiter) === 0 ? "head" : "over"
        rest = rest.subarray(delimiter.length)
      }
      while (place === "head" ? readHead() : place === "text" && readText());
    },
    /** The bytes of the file that have arrived and cannot be a part of the delimiter. */
    take: (): Uint8Array => {
      const whole = upTo(delimiter)
      if (whole !== undefined) {
        place = "over"
        return whole
      }
      const safe = rest.subarray(0, Math.max(0, rest.length - delimiter.length + 1))
      rest = rest.subarray(safe.length)
      return safe
    }
  }
}

/** The first file of a form, and the text fields before it. */
export interface FileForm<E> {
  readonly name: string
  /** Fails if the form breaks off. Ends when the whole body has arrived. */
  readonly bytes: Stream.Stream<Uint8Array, E | typeof brokenOff>
  /** The text of a field; empty if it is missing or too long. */
  readonly field: (name: string) => string
  /** Reads what is left of the body, so that the sender can read a refusal. */
  readonly drain: Effect.Effect<void, E>
}

/** Returns the first file of a form with the fields before it (RFC 7578); undefined without a file. */
export const fileIn = Effect.fnUntraced(function* <E, R>(
  contentType: string,
  pieces: Stream.Stream<Uint8Array, E, R>
): Effect.fn.Return<FileForm<E> | undefined, E, R | Scope.Scope> {
  const [, quoted, plain] = /\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return undefined
  const reader = makeReader(boundary)
  const services = yield* Effect.context<R>()
  const pull = Effect.provideContext(yield* Stream.toPull(pieces), services)
  const next = Pull.catchDone(pull, () => Effect.succeed(undefined))
  for (let name = reader.name(); name === undefined; name = reader.name()) {
    const arrived = reader.isOver() ? undefined : yield* next
    if (arrived === undefined) return undefined
    for (const piece of arrived) reader.add(piece)
  }
  const drain = Effect.asVoid(Effect.repeat(next, { while: (arrived) => arrived !== undefined }))
  const bytes = Stream.unfold(false, (isOver) =>
    Effect.gen(function* () {
      if (isOver) {
        yield* drain
        return undefined
      }
      const taken = reader.take()
      if (reader.isOver()) return [taken, true] as const
      if (taken.length > 0) return [taken, false] as const
      const arrived = yield* next
      if (arrived === undefined) return yield* Effect.fail(brokenOff)
      for (const piece of arrived) reader.add(piece)
      return [reader.take(), reader.isOver()] as const
    })
  )
  return { name: reader.name() ?? "", bytes, field: (name) => reader.fields.get(name) ?? "", drain }
})
