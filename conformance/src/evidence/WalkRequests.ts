import { Schema } from "effect"
import { packageFile, packageText } from "../PackageFile.ts"

/** The requests that each walk sent to a deployment with every feature, clean-up included, by walk. */
export const WalkRequests = Schema.Record(Schema.String, Schema.Int)

const name = "walk-requests.json"

export const walkRequestsFile = packageFile(name)

/** The figures that were recorded for this release. */
export const recordedRequests = (): Readonly<Record<string, number>> =>
  Schema.decodeUnknownSync(Schema.fromJsonString(WalkRequests))(packageText(name))
