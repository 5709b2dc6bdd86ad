import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, truncateSync } from "node:fs"
import { dirname } from "node:path"
import { Context, Effect, Layer, Schema } from "effect"

/** The host; default: the tenant's. */
const to = Schema.optional(Schema.Literal("second tenant"))

/**
 * One line of the journal. Intentions are written before the request, so that a killed run leaves no unknown resources.
 */
export const Entry = Schema.Union([
  /** A run against a deployment began. */
  Schema.Struct({ entry: Schema.Literal("run"), run: Schema.String, target: Schema.String, profile: Schema.String }),
  /** The run ended by itself and creates nothing more. */
  Schema.Struct({ entry: Schema.Literal("ended"), run: Schema.String }),
  /** A resource is about to be created under a name. */
  Schema.Struct({ entry: Schema.Literal("intended"), type: Schema.String, unique: Schema.String, to }),
  /** The resource was created. */
  Schema.Struct({ entry: Schema.Literal("made"), type: Schema.String, unique: Schema.String, id: Schema.String, to }),
  /** The create was answered and created nothing. */
  Schema.Struct({ entry: Schema.Literal("refused"), type: Schema.String, unique: Schema.String, to }),
  /** The resource was deleted. */
  Schema.Struct({ entry: Schema.Literal("deleted"), type: Schema.String, id: Schema.String, to })
])
export type Entry = typeof Entry.Type

/** The resources of a run, recorded before they are created. */
export class Journal extends Context.Service<
  Journal,
  {
    /** Writes an entry. After it returns, a kill of the process does not lose the entry. */
    readonly write: (entry: Entry) => Effect.Effect<void>
  }
>()("@wcs/conformance/Journal") {}

/** The length of the complete lines. A line that a kill cut short must not join the next one. */
const wholeBytes = (bytes: Buffer): number => bytes.lastIndexOf("\n") + 1

/** Appends one JSON line per entry to a file. Creates its folder. */
export const layerFile = (file: string): Layer.Layer<Journal> =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      mkdirSync(dirname(file), { recursive: true })
      if (existsSync(file)) truncateSync(file, wholeBytes(readFileSync(file)))
      let opened: number | undefined
      yield* Effect.addFinalizer(() => Effect.sync(() => opened !== undefined && closeSync(opened)))
      return Journal.of({
        write: (entry) =>
          Effect.sync(() => {
            opened ??= openSync(file, "a", 0o600)
            appendFileSync(opened, `${JSON.stringify(entry)}\n`)
          })
      })
    })
  )

/** Writes to a list, for runs that need no recovery. */
export const layerMemory = (entries: Array<Entry> = []): Layer.Layer<Journal> =>
  Layer.sync(Journal, () => Journal.of({ write: (entry) => Effect.sync(() => void entries.push(entry)) }))

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Entry))

/** Parses a journal. Ignores an incomplete last line, because its action had not begun. */
export const entriesOf = Effect.fnUntraced(function* (text: string) {
  return yield* Effect.forEach(text.split("\n").slice(0, -1), (line) => decode(line))
})
