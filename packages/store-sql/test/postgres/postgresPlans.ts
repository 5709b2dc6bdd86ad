import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Ran } from "../recording.ts"

/** A step of a plan, in the format of `EXPLAIN (FORMAT JSON)`. */
export interface Step {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly "TID Cond"?: string
  readonly "Recheck Cond"?: string
  readonly Filter?: string
  readonly Plans?: ReadonlyArray<Step>
}

const nodesOf = (node: Step): ReadonlyArray<Step> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** The steps of Postgres's plan for a statement. */
export const planOf = Effect.fnUntraced(function* ({ params, text }: Ran) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Step }> }>(
    `EXPLAIN (FORMAT JSON, COSTS OFF) ${text}`,
    params
  )
  return rows.flatMap((row) => row["QUERY PLAN"].flatMap(({ Plan }) => nodesOf(Plan)))
})

/** The plan as text, one line per step. */
export const shown = (plan: ReadonlyArray<Step>): string =>
  plan
    .map((node) =>
      [node["Node Type"], node["Relation Name"], node["Index Cond"], node["TID Cond"], node.Filter].join(" ")
    )
    .join("\n")

/** Whether a step reads a whole table or a whole index. */
export const isScan = (node: Step): boolean =>
  node["Node Type"] === "Seq Scan" || (/Index/.test(node["Node Type"]) && node["Index Cond"] === undefined)
