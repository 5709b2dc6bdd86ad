import { Data, Effect, Schema } from "effect"
import { parse } from "yaml"
import { mistakesIn } from "../profile/Mistakes.ts"
import { documentOf } from "../profile/ProfileSchema.ts"
import type { Json } from "../text/Json.ts"
import { readTextFile } from "../text/TextFile.ts"
import { Baseline } from "./Baseline.ts"

/** The file name of the published JSON Schema of baselines. */
export const baselineSchemaFile = "baseline.schema.json"

/** Returns the JSON Schema (draft 2020-12) of baselines. */
export const baselineSchema = (): Json => documentOf(Baseline)

/** The baseline is invalid. Each reason names a place and the error. */
export class BaselineRefused extends Data.TaggedError("BaselineRefused")<{
  readonly file: string
  readonly reasons: ReadonlyArray<string>
}> {
  override get message(): string {
    return `${this.file}: ${this.reasons.join("; ")}`
  }
}

const decode = Schema.decodeUnknownEffect(Baseline, { errors: "all", onExcessProperty: "error" })

/** Reads a baseline file, JSON or YAML. */
export const load = Effect.fn("BaselineFile.load")(function* (file: string) {
  const refuse = (...reasons: ReadonlyArray<string>) => new BaselineRefused({ file, reasons })
  const text = yield* Effect.try({
    try: () => readTextFile(file),
    catch: () => refuse("the baseline cannot be read")
  })
  const value = yield* Effect.try({
    try: (): unknown => parse(text, { maxAliasCount: 0 }),
    catch: (error) => refuse(`is neither JSON nor YAML: ${String(error).split("\n", 1)[0]}`)
  })
  return yield* Effect.mapError(decode(value), (error) => refuse(...mistakesIn(error, baselineSchema)))
})
