import * as MasterKey from "@wcs/keys/MasterKey"
import { Schema } from "effect"

/** What the admin port of a process says about the process, so that `wcs doctor` can recognize it. */
export const ProcessDescription = Schema.Struct({
  role: Schema.Literals(["server", "worker"]),
  version: Schema.String,
  /** The same for all processes with one master key. */
  deployment: Schema.String,
  /** The same for all processes with one master key and one path of the data directory. */
  directory: Schema.String,
  /** The ports besides the admin port. */
  ports: Schema.Array(Schema.Finite)
})
export type ProcessDescription = typeof ProcessDescription.Type

/** The ids of a deployment and of its data directory: one of each for every key in the key file. */
export const idsOf = (masterKey: MasterKey.MasterKey["Service"], directory: string) => ({
  deployment: MasterKey.publicIdsOf(masterKey, "deployment"),
  directory: MasterKey.publicIdsOf(masterKey, `data directory ${directory}`)
})
