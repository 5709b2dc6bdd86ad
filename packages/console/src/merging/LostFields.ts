import { fields } from "../imports/Steps.ts"
import { valueAt } from "../records/Edited.ts"

/** Every field of a worker that a person enters, with its label. A file names a unit by another id. */
const entered = Object.entries({ ...fields, "unit.id": "Unit" }).filter(([path]) => path !== "unit.externalId")

/** The labels of the fields that only the record that is merged has. A merge does not move them. */
export const lostFields = (worker: unknown, from: unknown): ReadonlyArray<string> =>
  entered.flatMap(([path, label]) =>
    valueAt(from, path) !== undefined && valueAt(worker, path) === undefined ? [label] : []
  )
