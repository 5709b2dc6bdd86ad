import { Schema } from "effect"
import { RuleId } from "../catalogue/RuleIdSchema.ts"
import { packageFile, packageText } from "./PackageFile.ts"

/**
 * The results of the suite on specimens: for each rule the mutants that it fails, and the variants on which nothing fails.
 * A variant differs in everything that the specification leaves open.
 */
export const KillMatrix = Schema.Struct({
  mutants: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      kills: Schema.Array(Schema.Struct({ rule: RuleId, kind: Schema.String, at: Schema.String })),
      alsoKills: Schema.Array(RuleId)
    })
  ),
  variants: Schema.Array(Schema.String),
  /**
   * For each rule that can be broken at a single call: the places judged on our deployment, of those that it offers.
   */
  places: Schema.Array(Schema.Struct({ rule: RuleId, probed: Schema.Int, of: Schema.Int }))
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
