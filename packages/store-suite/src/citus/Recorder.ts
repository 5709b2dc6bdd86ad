import { type Shape, shapeOf } from "./Tables.ts"
import { type Distributed, type Place, type Verdict, verdictOn } from "./Verdict.ts"

/** The verdicts on recorded statements. */
export interface Report {
  /** The number of different statements. */
  readonly count: number
  /** The reasons of refusals, each once. */
  readonly reasons: ReadonlyArray<string>
  /** The number of statements for each place, then the refused ones and those that run on all nodes. */
  readonly text: string
}

/** Judges statements while they run. */
interface Recorder {
  /** Judges a run of a statement with its values. */
  readonly note: (text: string, params: ReadonlyArray<unknown>) => void
  /** The verdicts so far, without some texts. */
  readonly report: (without?: ReadonlySet<string>) => Report
}

const order: ReadonlyArray<Place> = ["coordinator", "one tenant", "all tenants", "refused"]

/** A statement in one line, without the numbers of its parameters. */
const inShort = (text: string): string => text.replaceAll(/\$\d+/g, "?").replaceAll(/\s+/g, " ").trim()

export const makeRecorder = (distributed: Distributed): Recorder => {
  const known = new Map<string, { readonly shape: Shape; verdict: Verdict }>()
  return {
    note: (text, params) => {
      const before = known.get(text)
      const shape = before?.shape ?? shapeOf(text)
      if (before?.verdict.place === "refused") return
      known.set(text, { shape, verdict: verdictOn(shape, distributed, params) })
    },
    report: (without = new Set()) => {
      const judged = [...known].filter(([text]) => !without.has(text))
      const linesOf = (place: Place) => [
        ...new Set(
          judged.flatMap(([text, { verdict }]) =>
            verdict.place === place ? [[place, ...verdict.reasons, inShort(text)].join(": ")] : []
          )
        )
      ]
      return {
        count: judged.length,
        reasons: [...new Set(judged.flatMap(([, { verdict }]) => verdict.reasons))].sort(),
        text: [
          ...order.map((place) => `${place}: ${linesOf(place).length}`),
          ...linesOf("refused").sort(),
          ...linesOf("all tenants").sort(),
          ""
        ].join("\n")
      }
    }
  }
}
