import { join } from "node:path"
import { Data, Effect, Schema } from "effect"
import { catalogueDigest } from "../catalogue/CatalogueDigest.ts"
import { suiteVersion } from "../release/SuiteVersion.ts"
import { parse } from "../text/Json.ts"
import { readTextFile } from "../text/TextFile.ts"
import type { Event } from "./Event.ts"
import { Circumstance, isCircumstance, type Recorded, RecordedLine } from "./Recorded.ts"

/** The file of all exchanges. */
export const exchangesFile = "exchanges.ndjson"

/** The file of the evidence that judging again needs in addition. */
export const evidenceFile = "evidence.ndjson"

/** The folder contains no run that can be judged again. */
export class RecordRefused extends Data.TaggedError("RecordRefused")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.file} ${this.reason}`
  }
}

const lines = (values: ReadonlyArray<unknown>): string => values.map((value) => `${JSON.stringify(value)}\n`).join("")

/** Returns the record of a run by file name. Each file has one JSON value per line. */
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
    try: () => readTextFile(file),
    catch: () => new RecordRefused({ file, reason: "cannot be read" })
  })
  const each = (read: string) =>
    Effect.forEach(read.split("\n").slice(0, -1), (line, index) =>
      Effect.mapError(
        decode(line),
        () => new RecordRefused({ file, reason: `is not a record of a run: line ${index + 1}` })
      )
    )
  return Effect.flatMap(text, each)
}

/** Returns why this release cannot judge a record, or undefined. */
const foreign = (circumstances: ReadonlyArray<Circumstance>): string | undefined => {
  const started = circumstances.find((one) => one.type === "run-started")
  if (started === undefined) return "does not record how the run began"
  if (started.suiteVersion !== suiteVersion) {
    return `is of suite ${started.suiteVersion}, and this is suite ${suiteVersion}: use the same version to judge the run again`
  }
  if (started.catalogueDigest !== catalogueDigest) {
    return `was judged by catalogue ${started.catalogueDigest}, and this is catalogue ${catalogueDigest}`
  }
  const hasProfile = circumstances.some((one) => one.type === "evidence" && one.evidence.of === "profile")
  return hasProfile ? undefined : "does not record the profile of the run"
}

/** Reads the record of a run from its folder. */
export const load = Effect.fn("RecordedFile.load")(function* (folder: string) {
  const circumstances = yield* linesOf(folder, evidenceFile, decodeCircumstance)
  const reason = foreign(circumstances)
  if (reason !== undefined) return yield* new RecordRefused({ file: join(folder, evidenceFile), reason })
  const exchanges = yield* linesOf(folder, exchangesFile, decodeLine)
  const recorded: Recorded = {
    circumstances,
    exchanges: exchanges.map((exchange) => {
      if (exchange.answer === null) return { ...exchange, answer: null }
      const { secrets, ...answer } = exchange.answer
      return { ...exchange, answer: { ...answer, json: parse(answer.text), ...(secrets && { secrets }) } }
    })
  }
  return recorded
})
