import { statSync } from "node:fs"
import { join } from "node:path"
import { Data, Effect, Schema } from "effect"
import { at, parse } from "../text/Json.ts"
import { readTextFile } from "../text/TextFile.ts"
import { Report, reportVersion } from "./Report.ts"

/** The file is not a report, or has a version that this release cannot read. */
export class ReportRefused extends Data.TaggedError("ReportRefused")<{
  readonly file: string
  readonly reason: string
}> {
  override get message(): string {
    return `${this.file} ${this.reason}`
  }
}

const decode = Schema.decodeUnknownEffect(Report, { onExcessProperty: "error" })

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Reads the report of a run from its `report.json` or its folder. */
export const load = Effect.fn("ReportFile.load")(function* (path: string) {
  const file = isFolder(path) ? join(path, "report.json") : path
  const refuse = (reason: string) => new ReportRefused({ file, reason })
  const text = yield* Effect.try({
    try: () => readTextFile(file),
    catch: () => refuse("cannot be read")
  })
  const value = parse(text)
  const version = at(value, "version")
  if (typeof version === "number" && version !== reportVersion) {
    return yield* refuse(`is a report of version ${version}: this release reads version ${reportVersion}`)
  }
  return yield* Effect.mapError(decode(value), () => refuse("is not a report of this suite"))
})
