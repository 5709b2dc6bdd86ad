import { excess, type JsonValue, type Path } from "../shared/Json.ts"

/** More unknown fields than this are not named. */
const maxRemarks = 20
const maxPathLength = 200

/** Names the fields that nobody knows, which are ignored (DECISIONS.md#resources): for `meta.warnings`. */
export const remarksOn = (sent: JsonValue, understood: JsonValue, within: Path = []): ReadonlyArray<string> =>
  excess(sent, understood, within, maxRemarks).map((path) => `unknown field ignored: ${path.slice(0, maxPathLength)}`)
