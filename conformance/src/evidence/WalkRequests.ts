import { readFileSync } from "node:fs"
import { Schema } from "effect"

/** The requests that each walk sent to a deployment with every feature, clean-up included, by walk. */
export const WalkRequests = Schema.Record(Schema.String, Schema.Int)

export const walkRequestsFile = new URL("../../walk-requests.json", import.meta.url)

/** The figures that were recorded for this release. */
export const recordedRequests = (): Readonly<Record<string, number>> =>
  Schema.decodeUnknownSync(Schema.fromJsonString(WalkRequests))(readFileSync(walkRequestsFile, "utf8"))
