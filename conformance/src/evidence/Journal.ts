import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from "node:fs"
import { dirname } from "node:path"
import { Context, Effect, Layer, Schema } from "effect"

/** Where it is; on the tenant's host where it is left out. */
const to = Schema.optional(Schema.Literal("second tenant"))

/** One line of the journal. What is intended is written before it is asked for: a killed run leaves nothing unknown. */
export const Entry = Schema.Union([
  /** A run began against a deployment. */
  Schema.Struct({ entry: Schema.Literal("run"), run: Schema.String, target: Schema.String, profile: Schema.String }),
  /** It ended by itself, and makes nothing more. */
  Schema.Struct({ entry: Schema.Literal("ended"), run: Schema.String }),
  /** Something is about to be made under a name. */
  Schema.Struct({ entry: Schema.Literal("intended"), type: Schema.String, unique: Schema.String, to }),
  /** It was made. */
  Schema.Struct({ entry: Schema.Literal("made"), type: Schema.String, unique: Schema.String, id: Schema.String, to }),
  /** The create was answered, and made nothing. */
  Schema.Struct({ entry: Schema.Literal("refused"), type: Schema.String, unique: Schema.String, to }),
  /** It was deleted. */
  Schema.Struct({ entry: Schema.Literal("deleted"), type: Schema.String, id: Schema.String, to })
])
export type Entry = typeof Entry.Type

/** What a run makes, written down before it is made. */
export class Journal extends Context.Service<
  Journal,
  {
    /** The entry has left this process when this returns: a kill of the process does not lose it. */
    readonly write: (entry: Entry) => Effect.Effect<void>
  }
>()("@wcs/conformance/Journal") {}

/** The bytes up to the end of the last whole line: what a kill cut short must not run into the line that follows. */
const wholeBytes = (bytes: Buffer): number => bytes.lastIndexOf("\n") + 1

/** Appends to a file, one line of JSON for each entry; makes its folder. */
export const layerFile = (file: string): Layer.Layer<Journal> =>
  Layer.sync(Journal, () => {
    mkdirSync(dirname(file), { recursive: true })
    if (existsSync(file)) truncateSync(file, wholeBytes(readFileSync(file)))
    return Journal.of({
      write: (entry) => Effect.sync(() => appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 }))
    })
  })

/** Writes into a list: for runs that nothing has to survive. */
export const layerMemory = (entries: Array<Entry> = []): Layer.Layer<Journal> =>
  Layer.sync(Journal, () => Journal.of({ write: (entry) => Effect.sync(() => void entries.push(entry)) }))

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Entry))

/** The entries of a journal's text. A last line that was cut short is left out: what it told had not begun. */
export const entriesOf = Effect.fnUntraced(function* (text: string) {
  return yield* Effect.forEach(text.split("\n").slice(0, -1), (line) => decode(line))
})
