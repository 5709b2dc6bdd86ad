import { Schema } from "effect"
import { RuleId } from "../catalogue/RuleIdSchema.ts"
import { packageFile, packageText } from "./PackageFile.ts"

/**
 * The results of the suite on its second server: for each rule the faults that it finds, and the choices on which nothing
 * fails. A choice differs where the specification is silent.
 */
export const KillMatrix = Schema.Struct({
  /** The wrong behaviours that each rule finds: the kind of difference, and the number of places with the behaviour. */
  kills: Schema.Array(Schema.Struct({ rule: RuleId, kind: Schema.String, fault: Schema.String, places: Schema.Int })),
  choices: Schema.Array(Schema.String),
  /** For each rule that can be broken at a single call: the places of the second server, all of which are judged. */
  places: Schema.Array(Schema.Struct({ rule: RuleId, of: Schema.Int }))
})
export type KillMatrix = typeof KillMatrix.Type

/** The name of the file, in the folder of this package. The packed suite contains it; git does not. */
export const matrixName = "kill-matrix.json"

export const matrixFile = packageFile(matrixName)

/** The matrix of this release; undefined in a checkout in which `npm run selftest` did not write it. */
export const recordedMatrix = (): KillMatrix | undefined => {
  const text = packageText(matrixName)
  return text === undefined ? undefined : Schema.decodeUnknownSync(Schema.fromJsonString(KillMatrix))(text)
}
