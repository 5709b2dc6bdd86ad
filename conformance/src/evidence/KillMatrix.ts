import { readFileSync } from "node:fs"
import { Schema } from "effect"
import { RuleId } from "../catalogue/RuleIdSchema.ts"

/**
 * What this suite was seen to find: for each rule that it judges the deployments with one defect that it fails, and the
 * deployments on which nothing fails, although they do everything differently that the specification leaves open.
 */
export const KillMatrix = Schema.Struct({
  mutants: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      kills: Schema.Array(Schema.Struct({ rule: RuleId, kind: Schema.String, at: Schema.String })),
      alsoKills: Schema.Array(RuleId)
    })
  ),
  variants: Schema.Array(Schema.String)
})
export type KillMatrix = typeof KillMatrix.Type

export const recordedFile = new URL("../../kill-matrix.json", import.meta.url)

/** The matrix as it was recorded when this release was made. */
export const recorded = (): KillMatrix =>
  Schema.decodeUnknownSync(Schema.fromJsonString(KillMatrix))(readFileSync(recordedFile, "utf8"))
