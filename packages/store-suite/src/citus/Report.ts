import { type Place, type Places, verdictOf } from "./Verdict.ts"

/** The verdicts on recorded statements. */
export interface Report {
  /** The reasons of refusals, each once. */
  readonly reasons: ReadonlyArray<string>
  /** The number of statements for each place, then the refused ones and those that run on all nodes. */
  readonly text: string
}

/** A statement in one line, without the numbers of its parameters. */
const inShort = (text: string): string => text.replaceAll(/\$\d+/g, "?").replaceAll(/\s+/g, " ").trim()

const order: ReadonlyArray<Place> = ["elsewhere", "one tenant", "all tenants", "refused"]

/** Judges statements with their parameters, if they were recorded too. */
export const reportOf = (
  statements: Iterable<readonly [text: string, params: ReadonlyArray<unknown>]>,
  places: Places
): Report => {
  const judged = Array.from(statements, ([text, params]) => ({
    text: inShort(text),
    ...verdictOf(text, places, params)
  }))
  const lines = (place: Place) =>
    [...new Set(judged.filter((each) => each.place === place).map(({ text }) => text))].sort()
  const counts = order.map((place) => `${place}: ${lines(place).length}`)
  const refused = judged.flatMap(({ place, reasons, text }) =>
    place === "refused" ? [`refused, ${reasons}: ${text}`] : []
  )
  return {
    reasons: [...new Set(judged.flatMap(({ reasons }) => reasons))].sort(),
    text: [...counts, ...new Set(refused), ...lines("all tenants").map((text) => `all tenants: ${text}`), ""].join("\n")
  }
}
