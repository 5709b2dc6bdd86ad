import { Schema } from "effect"
import { RuleId } from "../catalogue/RuleIdSchema.ts"
import { packageFile, packageText } from "../PackageFile.ts"

/**
 * The recorded results of the suite: for each rule the mutants that it fails, and the variants on which nothing fails.
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

const name = "kill-matrix.json"

export const recordedFile = packageFile(name)

/** The matrix that was recorded for this release. */
export const recorded = (): KillMatrix => Schema.decodeUnknownSync(Schema.fromJsonString(KillMatrix))(packageText(name))
