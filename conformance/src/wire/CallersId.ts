/** The kinds of `X-Request-Id` that calls carry in turn (§7.1). A call without one is a kind of its own. */
export type CallersId = "none" | "UUID" | "ULID" | "malformed"

const turns: ReadonlyArray<CallersId> = ["none", "UUID", "ULID", "malformed"]

/** A number of 32 bits (FNV-1a). */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return hash >>> 0
}

const uuid = (hash: number, step: number): string =>
  `${hash.toString(16).padStart(8, "0")}-0000-4abc-8000-${step.toString(16).padStart(12, "0")}`

/** Malformed ids of fixed width: a word, and a UUID in braces, without hyphens, and with a letter too many. */
const malformed: ReadonlyArray<(hash: number, step: number) => string> = [
  (hash, step) => `conformance${String(hash).padStart(10, "0")}x${String(step).padStart(6, "0")}x`,
  (hash, step) => `{${uuid(hash, step)}}`,
  (hash, step) => uuid(hash, step).replaceAll("-", ""),
  (hash, step) => `${uuid(hash, step)}0`
]

/** The element whose turn it is each time that all kinds have had theirs. */
const inTurn = <A>(all: ReadonlyArray<A>, step: number): A | undefined =>
  all[Math.floor(step / turns.length) % all.length]

const forms: Readonly<Record<CallersId, (hash: number, step: number) => string | undefined>> = {
  none: () => undefined,
  UUID: (hash, step) => inTurn([uuid(hash, step), uuid(hash, step).toUpperCase()], step),
  ULID: (hash, step) => `01JY7Q2M4R${String(hash).padStart(10, "0")}${String(step).padStart(6, "0")}`,
  malformed: (hash, step) => inTurn(malformed, step)?.(hash, step)
}

/**
 * The `X-Request-Id` of a call: the same for the same run, walk and step, and another for each call. Undefined for every
 * fourth call.
 */
export const callersIdOf = (run: string, walk: string, step: number): string | undefined =>
  forms[turns[step % turns.length] ?? "none"](hashOf(`${run} ${walk}`), step)

/** A well-formed id of a caller, for calls whose refusal must echo it (RID-08). */
export const wellFormed = (name: string): string => uuid(hashOf(name), name.length)

/** The kind of an id that a call carries. */
export const kindOf = (id: string | undefined): CallersId => {
  if (id === undefined) return "none"
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return "UUID"
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id) ? "ULID" : "malformed"
}
