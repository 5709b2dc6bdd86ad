import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect, Schema } from "effect"
import { catalogueDigest } from "../catalogue/CatalogueDigest.ts"
import type { Event } from "../engine/Event.ts"
import { suiteVersion } from "../SuiteVersion.ts"
import { parse } from "../wire/Json.ts"
import { Circumstance, isCircumstance, type Recorded, RecordedLine } from "./Recorded.ts"

/** Every exchange of a run, redacted. */
export const exchangesFile = "exchanges.ndjson"

/** What judging the run again takes beside them. */
export const evidenceFile = "evidence.ndjson"

/** A folder that holds no run which can be judged again. */
export class RecordRefused extends Data.TaggedError("RecordRefused")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.file} ${this.reason}`
  }
}

const lines = (values: ReadonlyArray<unknown>): string => values.map((value) => `${JSON.stringify(value)}\n`).join("")

/** What a run writes down for judging it again, by the name of the file that holds it: a line of JSON for each thing. */
export const recordOf = (events: ReadonlyArray<Event>): ReadonlyArray<readonly [name: string, text: string]> => [
  [exchangesFile, lines(events.flatMap((event) => (event.type === "exchange" ? [event.exchange] : [])))],
  [evidenceFile, lines(events.filter(isCircumstance))]
]

const decodeLine = Schema.decodeUnknownEffect(Schema.fromJsonString(RecordedLine))
const decodeCircumstance = Schema.decodeUnknownEffect(Schema.fromJsonString(Circumstance))

const linesOf = <A>(
  folder: string,
  name: string,
  decode: (line: string) => Effect.Effect<A, Schema.SchemaError>
): Effect.Effect<ReadonlyArray<A>, RecordRefused> => {
  const file = join(folder, name)
  const text = Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: () => new RecordRefused({ file, reason: "cannot be read" })
  })
  const each = (read: string) =>
    Effect.forEach(read.split("\n").slice(0, -1), (line, index) =>
      Effect.mapError(
        decode(line),
        () => new RecordRefused({ file, reason: `is not what a run writes down: line ${index + 1}` })
      )
    )
  return Effect.flatMap(text, each)
}

/** Why a record cannot be judged by this release; undefined where it can. */
const foreign = (circumstances: ReadonlyArray<Circumstance>): string | undefined => {
  const started = circumstances.find((one) => one.type === "run-started")
  if (started === undefined) return "does not say how the run began"
  if (started.suiteVersion !== suiteVersion) {
    return `is of suite ${started.suiteVersion}, and this is suite ${suiteVersion}: only that one judges it alike`
  }
  if (started.catalogueDigest !== catalogueDigest) {
    return `was judged by catalogue ${started.catalogueDigest}, and this is catalogue ${catalogueDigest}`
  }
  const hasProfile = circumstances.some((one) => one.type === "evidence" && one.evidence.of === "profile")
  return hasProfile ? undefined : "does not say by what profile the run was made"
}

/** Reads what a run left in its folder. */
export const load = Effect.fn("RecordedFile.load")(function* (folder: string) {
  const circumstances = yield* linesOf(folder, evidenceFile, decodeCircumstance)
  const reason = foreign(circumstances)
  if (reason !== undefined) return yield* new RecordRefused({ file: join(folder, evidenceFile), reason })
  const exchanges = yield* linesOf(folder, exchangesFile, decodeLine)
  const recorded: Recorded = {
    circumstances,
    exchanges: exchanges.map((exchange) => {
      const { answer } = exchange
      return { ...exchange, answer: answer === null ? null : { ...answer, json: parse(answer.text) } }
    })
  }
  return recorded
})
