import { excess, type JsonValue, type Path } from "../shared/Json.ts"

/** The maximum number of unknown fields that the warnings name. */
const maxRemarks = 20
const maxPathLength = 200

/** Returns warnings for `meta.warnings` about unknown fields, which are ignored (DECISIONS.md#resources). */
export const remarksOn = (sent: JsonValue, understood: JsonValue, within: Path = []): ReadonlyArray<string> =>
  excess(sent, understood, within, maxRemarks).map((path) => `unknown field ignored: ${path.slice(0, maxPathLength)}`)
